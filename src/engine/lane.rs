//! A lane: one flow on one queue. It knows what its next packet is and what is left to send.

use crate::{
    engine::{
        orders::{FlowMemory, Resume},
        pace::{DEBT_NS, Pacer},
    },
    nic::Packet,
    packet::{Plan, PlanFlow, Stamp, StampTime},
    profile::Rate,
};

/// One flow as one sender works on it.
pub struct Lane {
    /// Index into the plan's flows.
    pub flow: usize,
    pub copies: u32,
    pub weight: i64,
    /// What smooth weighted round robin owes this lane.
    pub credit: i64,
    pub start_ns: u64,
    pub pacer: Option<Pacer>,
    /// Of a replay with its original timing: when build 0 was or would have been due; wraps.
    zero_ns: u64,
    /// Bytes of the next packet.
    pub len: usize,
    /// Set when no packet of this flow differs in length.
    pub fixed_len: Option<usize>,
    pub quota: u64,
    pub submitted: u64,
    pub next_k: u64,
    step_k: u64,
    pub stream: u16,
    pub open: Option<Packet>,
    /// Copies the open packet still has to give.
    pub uses: u32,
    /// Submitted since the counters were last published.
    pub touched: bool,
}

impl Lane {
    /// `None`: this queue does not send that flow.
    pub fn new(plan: &Plan, index: usize, seat: usize, memory: &FlowMemory, gate_ns: u64, now_ns: u64) -> Option<Self> {
        let flow = &plan.flows[index];
        let position = flow.seats.iter().position(|other| *other == seat)?;
        let resume = memory.recall();
        let submitted = memory.submitted.get();
        let next_k = match resume {
            Some(resume) if resume.seed == plan.seed => resume.next_k,
            _ => position as u64,
        };
        let start_ns = gate_ns.saturating_add(flow.start_ns);
        let len = flow.frame.len(next_k);
        let from_ns = start_ns.max(now_ns);
        let (pacer, zero_ns) = match flow.is_timed {
            true => recorded(flow, next_k, from_ns, resume),
            false => (pacer(flow, position, from_ns, len, resume), 0),
        };
        Some(Self {
            flow: index,
            copies: flow.copies.max(1),
            weight: i64::from(flow.weight.max(1)),
            credit: 0,
            start_ns,
            pacer,
            zero_ns,
            len,
            fixed_len: flow.frame.fixed_len(),
            quota: share(flow.count, position, flow.seats.len()).saturating_sub(submitted),
            submitted,
            next_k,
            step_k: flow.seats.len() as u64,
            stream: memory.stream,
            open: None,
            uses: 0,
            touched: false,
        })
    }

    /// The stamp of the packet `ahead` builds after the next, each sent once.
    #[inline]
    pub fn stamp(&self, ahead: u32, time: StampTime) -> Stamp {
        Stamp {
            k: self.next_k + u64::from(ahead) * self.step_k,
            seq: (self.submitted as u32).wrapping_add(1).wrapping_add(ahead),
            stream: self.stream,
            time,
        }
    }

    /// How far apart this queue's builds are: it shares the flow with so many.
    pub fn step_k(&self) -> u64 {
        self.step_k
    }

    /// `count` packets were built and queued once each.
    #[inline]
    pub fn sent(&mut self, count: u32, plan: &Plan) {
        self.next_k += u64::from(count) * self.step_k;
        self.submitted += u64::from(count);
        self.quota -= u64::from(count);
        self.touched = true;
        if self.fixed_len.is_none() {
            self.look_ahead(plan);
        }
    }

    /// How long the next packet is, and of a replay when it is due.
    #[inline]
    fn look_ahead(&mut self, plan: &Plan) {
        let frame = &plan.flows[self.flow].frame;
        self.len = frame.len(self.next_k);
        if let (Some(pacer), Some(reel)) = (&mut self.pacer, frame.reel())
            && pacer.is_recorded()
        {
            pacer.follow(self.zero_ns.wrapping_add(reel.due_ns(self.next_k)));
        }
    }

    /// A packet with all its copies to give has just been built.
    #[inline]
    pub fn opened(&mut self, packet: Packet) {
        self.open = Some(packet);
        self.uses = self.copies;
        self.next_k += self.step_k;
    }

    /// `queued` copies of the open packet were queued; hands the packet back when it has no more to give.
    #[inline]
    pub fn used(&mut self, queued: u32, plan: &Plan) -> Option<Packet> {
        self.uses -= queued;
        self.submitted += u64::from(queued);
        self.quota -= u64::from(queued);
        self.touched = true;
        if self.uses > 0 {
            return None;
        }
        if self.fixed_len.is_none() {
            self.look_ahead(plan);
        }
        self.open.take()
    }

    /// Ends the open clone group: its remaining copies are taken off.
    pub fn close(&mut self) -> Option<Packet> {
        self.uses = 0;
        self.open.take()
    }

    pub fn keep(&self, memory: &FlowMemory, seed: u64) {
        memory.submitted.set(self.submitted);
        let next_due_ns = self.pacer.map_or(0, |pacer| pacer.due_ns());
        memory.keep(Resume { next_k: self.next_k, seed, next_due_ns, rate: self.pacer.map(|pacer| pacer.rate()) });
    }

    /// Packets of a replay that are due by `instant_ns` and not sent.
    pub fn due_by(&self, instant_ns: u64, plan: &Plan) -> u64 {
        let Some(pacer) = self.pacer else { return 0 };
        let Some(reel) = plan.flows[self.flow].frame.reel().filter(|_| pacer.is_recorded()) else {
            return pacer.due_by(instant_ns, self.len);
        };
        if instant_ns < pacer.due_ns() {
            return 0;
        }
        // Of an open clone group what it still has to give is due; `next_k` is then the build after it.
        let built =
            reel.due_by(instant_ns.wrapping_sub(self.zero_ns)).saturating_sub(self.next_k).div_ceil(self.step_k);
        built.saturating_mul(u64::from(self.copies)).saturating_add(u64::from(self.uses))
    }

    /// Debt older than 100 ms is forgiven: what follows is due that much later. Returns how many packets that were.
    pub fn forgive(&mut self, now_ns: u64, plan: &Plan) -> u64 {
        let Some(pacer) = &mut self.pacer else { return 0 };
        if !pacer.is_recorded() {
            return pacer.forgive(now_ns, self.len);
        }
        let (due_ns, old_ns) = (pacer.due_ns(), now_ns.saturating_sub(DEBT_NS));
        let late_ns = old_ns.saturating_sub(due_ns);
        if late_ns == 0 {
            return 0;
        }
        let packets = self.due_by(old_ns - 1, plan);
        self.zero_ns = self.zero_ns.wrapping_add(late_ns);
        self.pacer = Some(Pacer::recorded(due_ns + late_ns));
        packets
    }

    /// Has no rate of its own and may send at `instant_ns`.
    pub fn is_open(&self, instant_ns: u64) -> bool {
        self.pacer.is_none() && !self.is_exhausted() && self.start_ns <= instant_ns
    }

    pub fn is_exhausted(&self) -> bool {
        self.quota == 0
    }
}

/// A replay with its original timing goes on when its next packet would have been due, at first with build `next_k`
/// as long after the start as it is in the capture. With the instant of build 0.
fn recorded(flow: &PlanFlow, next_k: u64, from_ns: u64, resume: Option<Resume>) -> (Option<Pacer>, u64) {
    let offset_ns = flow.frame.reel().map_or(0, |reel| reel.due_ns(next_k));
    let due_ns = match resume {
        Some(Resume { next_due_ns, rate: Some(Rate::Max), .. }) => next_due_ns,
        // Changed over from a rate in the middle: the next one leaves now.
        Some(_) => from_ns,
        None => from_ns.saturating_add(offset_ns),
    };
    (Some(Pacer::recorded(due_ns)), due_ns.wrapping_sub(offset_ns))
}

/// A flow that goes on at its old rate keeps its beat; a new rate starts one now.
fn pacer(flow: &PlanFlow, position: usize, from_ns: u64, len: usize, resume: Option<Resume>) -> Option<Pacer> {
    let pacer = Pacer::new(flow.rate.unwrap_or(Rate::Max), position, flow.seats.len(), from_ns, len)?;
    Some(match resume {
        Some(resume) if resume.rate == Some(pacer.rate()) => pacer.resumed(resume.next_due_ns),
        _ => pacer,
    })
}

/// One queue's part of a count over `of` queues: an even split, the remainder to the first. 0 means no limit.
pub fn share(count: u64, position: usize, of: usize) -> u64 {
    let of = of.max(1) as u64;
    match count {
        0 => u64::MAX,
        count if position == 0 => count / of + count % of,
        count => count / of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c03_a_count_is_split_without_loss() {
        for (count, of) in [(1_000_003, 4), (1, 4), (3, 4), (17, 1)] {
            let shares: Vec<u64> = (0..of).map(|position| share(count, position, of)).collect();
            assert_eq!(shares.iter().sum::<u64>(), count, "{shares:?}");
        }
    }
}
