//! All counters at one instant; two snapshots make a rate.

use std::sync::Arc;

use super::{Counts, Parts, Split, State};

/// What every sender had done when it was read. Consistent per sender; senders are read one after another.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub at_ns: u64,
    pub senders: Vec<SenderSnapshot>,
    pub flows: Vec<FlowSnapshot>,
}

#[derive(Debug, Clone)]
pub struct SenderSnapshot {
    pub queue: u32,
    pub cpu: Option<u32>,
    pub state: State,
    /// Why a dead sender died.
    pub reason: Option<String>,
    pub counts: Counts,
    pub parts: Parts,
    /// Packet memories (total, free), as of the open or the last stop.
    pub frames: (u64, u64),
    pub errnos: Vec<(i32, u64)>,
    /// Whether `counts.dropped` is known (copy mode, simulation).
    pub counts_drops: bool,
}

/// One flow over all senders, in file order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowSnapshot {
    pub name: Arc<str>,
    pub submitted: u64,
}

impl Snapshot {
    /// All senders together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.senders.iter().for_each(|sender| total.add(&sender.counts));
        total
    }

    /// Where the senders' time went since `before`, all together. `None` where one of them did not look meanwhile: what
    /// is left of a whole would be no whole.
    pub fn split_since(&self, before: Option<&Snapshot>) -> Option<Split> {
        let nothing = (Counts::default(), Parts::default());
        let splits = self.senders.iter().enumerate().map(|(seat, now)| {
            let then = before.and_then(|before| before.senders.get(seat));
            let then = then.map_or((&nothing.0, &nothing.1), |then| (&then.counts, &then.parts));
            Split::between(then, (&now.counts, &now.parts))
        });
        splits.reduce(|all, split| Some(all?.plus(&split?)))?
    }
}

/// Busy nanoseconds per completed packet between two moments, over all senders; waiting is not in it.
/// `None` when nothing completed: a cost that does not exist is never 0.
pub fn cost_ns(before: &Counts, after: &Counts) -> Option<f64> {
    let completed = after.completed.checked_sub(before.completed).filter(|packets| *packets > 0)?;
    let busy_ns = after.busy_ns.saturating_sub(before.busy_ns);
    Some(busy_ns as f64 / completed as f64)
}
