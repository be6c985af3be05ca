//! The fleet: one pinned thread a queue, started together, retuned while they send, joined at the end.

use std::{fmt, sync::Arc};

use crate::{
    nic::{Clock, Nic},
    packet::Plan,
    stats::{Counts, Snapshot},
};

/// A clock that can also wait.
pub trait Wait: Clock {
    /// Returns at `until_ns` or a little later. Above 100 µs it sleeps on an absolute timer, below it spins.
    fn wait_until(&self, until_ns: u64);
    /// CLOCK_REALTIME minus this clock, for time stamps in packets.
    fn wall_offset_ns(&self) -> i64;
}

/// Where one sender sits.
pub struct Seat<N> {
    pub nic: N,
    pub queue: u32,
    /// Pinned to it when given.
    pub cpu: Option<u32>,
}

/// What a running sender is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Wait at the common gate.
    Hold,
    Send,
    /// Finish the open burst, drain, end.
    Stop,
}

/// How one sender ended.
#[derive(Debug)]
pub struct SenderEnd {
    pub queue: u32,
    pub counts: Counts,
    pub frames: (u32, u32),
    /// Nanoseconds of each burst.
    pub burst_cost_ns: hdrhistogram::Histogram<u64>,
    /// Why it died, when it died.
    pub reason: Option<String>,
    /// The device disappeared.
    pub gone: bool,
}

/// All senders of one run.
pub struct Fleet {}

impl Fleet {
    /// Starts one thread a seat, in the order of `plan.queues`. They wait; nothing leaves before [`Fleet::release`].
    pub fn start<N, C>(seats: Vec<Seat<N>>, plan: Arc<Plan>, clock: C) -> std::io::Result<Fleet>
    where
        N: Nic + Send + 'static,
        C: Wait + Clone + Send + 'static,
    {
        let _ = (seats, plan, clock);
        unimplemented!()
    }

    /// Opens the gate: all senders begin at the same reading of their clock.
    pub fn release(&self, _now_ns: u64) {}

    /// Every sender takes the new plan at its next doorbell. Flows are matched by name. The old plan is freed here,
    /// once no sender holds it.
    pub fn retune(&mut self, plan: Arc<Plan>) {
        let _ = plan;
    }

    /// Tells every sender to end; they drain for at most 2 s.
    pub fn stop(&self) {}

    /// All counters now.
    pub fn snapshot(&self, at_ns: u64) -> Snapshot {
        Snapshot { at_ns, ..Snapshot::default() }
    }

    /// Whether every sender has ended (drained, or dead).
    pub fn is_over(&self) -> bool {
        true
    }

    /// Joins the threads; call when [`Fleet::is_over`], else it waits for the drain.
    pub fn finish(self) -> Vec<SenderEnd> {
        Vec::new()
    }
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fleet")
    }
}
