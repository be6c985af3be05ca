//! The work: senders turn a plan into bursts; the fleet starts, retunes, drains and joins them.

mod fleet;
mod lane;
mod orders;
mod pace;
mod schedule;
mod sender;

pub use fleet::{Desk, Fleet, Seat, SenderEnd, StartError, Wait};
pub use orders::Line;
pub use sender::{Sender, Turn};
