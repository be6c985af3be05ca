//! The count: what senders have done so far, read without stopping them.
//!
//! A counter has one writer and is never reset; "reset" is a baseline held by a reader.

/// The atomics of [`published`]; its loom model brings its own under the same name.
mod atomic {
    pub use std::sync::atomic::{AtomicU64, Ordering, fence};
}
mod calibration;
mod counters;
mod interval;
mod ledger;
mod published;
mod series;
mod snapshot;
mod split;
mod units;

pub use calibration::{Calibration, Primitive, Spread};
pub use counters::{Counters, Counts, FlowCounter, State};
pub use interval::{mean_and_variance, median, t_975};
pub use ledger::{DeviceCounters, Ledger, LeftSource, Meter};
pub use series::{Column, Series};
pub use snapshot::{FlowSnapshot, SenderSnapshot, Snapshot, cost_ns};
pub use split::{Parts, Split};
pub use units::{si, thousands};
