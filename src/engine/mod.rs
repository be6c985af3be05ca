//! The work: senders turn a plan into bursts; the fleet starts, retunes, drains and joins them.

/// The atomics of [`handover`]; its loom model brings its own under the same name.
mod atomic {
    pub use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
}
mod emit;
mod fleet;
mod handover;
mod lane;
mod look;
mod orders;
mod pace;
mod schedule;
mod sender;
mod slot;
mod toll;

pub use fleet::{Desk, Fleet, Seat, SenderEnd, StartError, Wait};
pub use orders::Line;
pub use sender::{Sender, Turn};
