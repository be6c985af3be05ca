//! The frames of a plan in the order in which they leave: the engine itself sends them, one by one, on a
//! simulated nic and a virtual clock, so nothing is ever shown that would not be sent.

use std::sync::Arc;

use crate::{
    engine::{Desk, Sender, Turn},
    nic::{
        Clock, SimNic, VirtualClock,
        sim::{Recording, SimConfig},
    },
    packet::Plan,
    shell::failure::Failure,
};

/// One frame as it leaves.
pub struct Shown {
    /// Nanoseconds since the start, as they might be over veth.
    pub at_ns: u64,
    /// Position in `Plan::flows`.
    pub flow: usize,
    pub queue: u32,
    pub bytes: Vec<u8>,
}

/// A plan that is being sent to nowhere.
pub struct Replay {
    desk: Desk,
    senders: Vec<(u32, Sender<SimNic>)>,
    recording: Recording,
    clock: VirtualClock,
    submitted: Vec<u64>,
    next: usize,
}

/// A virtual clock's first instant; 0 would mean "not released".
const START_NS: u64 = 1;

/// Chunks for the longest frame there is.
const PARTS: u32 = 17;

impl Replay {
    pub fn new(plan: &Plan) -> Result<Replay, Failure> {
        // Which packet is next does not depend on how many share a doorbell; one by one they can be told apart.
        let plan = Arc::new(Plan { burst: 1, ..plan.clone() });
        let clock = VirtualClock::new();
        clock.advance_to(START_NS);
        let recording = Recording::new();
        let desk = Desk::new(Arc::clone(&plan));
        let mut senders = Vec::new();
        for (seat, queue) in plan.queues.iter().enumerate() {
            let config = SimConfig {
                queue: *queue,
                chunk_bytes: 4096,
                parts: PARTS,
                chunks: 64 * PARTS,
                max_len: 65535,
                recording: Some(recording.clone()),
                ..SimConfig::on_virtual_time(&clock)
            };
            let nic = SimNic::open(config).map_err(|why| Failure::told(why.code(), &why.to_string(), &why.fix()))?;
            senders.push((*queue, Sender::new(nic, seat, desk.line(seat), 0).one_by_one()));
        }
        desk.release(START_NS);
        let submitted = vec![0; plan.flows.len()];
        Ok(Replay { desk, senders, recording, clock, submitted, next: 0 })
    }

    /// Which flow has sent one more.
    fn flow_that_moved(&mut self) -> usize {
        if self.submitted.len() == 1 {
            return 0;
        }
        let now: Vec<u64> = self.desk.flows().iter().map(|flow| flow.submitted).collect();
        let moved = now.iter().zip(&self.submitted).position(|(now, before)| now > before);
        self.submitted = now;
        moved.unwrap_or(0)
    }
}

impl Iterator for Replay {
    type Item = Shown;

    /// `None` when every sender has reached its count or its duration.
    fn next(&mut self) -> Option<Shown> {
        let (mut idle, mut wake_ns, mut over) = (0, u64::MAX, 0);
        while over < self.senders.len() {
            let at = self.next;
            self.next = (at + 1) % self.senders.len();
            let (queue, sender) = &mut self.senders[at];
            let queue = *queue;
            match sender.turn(&self.clock) {
                Turn::Worked => (idle, wake_ns, over) = (0, u64::MAX, 0),
                Turn::Wait(until_ns) => (idle, wake_ns) = (idle + 1, wake_ns.min(until_ns)),
                Turn::Over => (idle, over) = (idle + 1, over + 1),
            }
            if let Some(sent) = self.recording.take().into_iter().next() {
                let flow = self.flow_that_moved();
                return Some(Shown { at_ns: sent.at_ns - START_NS, flow, queue, bytes: sent.bytes });
            }
            if idle == self.senders.len() && wake_ns < u64::MAX {
                self.clock.advance_to(wake_ns.max(self.clock.now_ns() + 1));
                (idle, wake_ns, over) = (0, u64::MAX, 0);
            }
        }
        None
    }
}
