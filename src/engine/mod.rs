//! The work: senders turn a plan into bursts; the fleet starts, retunes, drains and joins them.

mod fleet;

pub use fleet::{Fleet, Order, Seat, SenderEnd, Wait};
