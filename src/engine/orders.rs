//! What passes between the controller and one sender: orders one way, counters the other. No lock, no message.

use std::{
    ops::Deref,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    engine::{handover::Handover, toll::Toll},
    packet::Plan,
    profile::Rate,
    stats::{Counters, FlowCounter},
};

/// A plan together with the memories of its flows, as one sender gets it.
pub struct Orders {
    pub plan: Arc<Plan>,
    /// One a flow of the plan, in its order.
    pub flows: Vec<Arc<FlowMemory>>,
    /// The same for all senders of a fleet.
    pub toll: Arc<Toll>,
}

/// What one sender knows of one flow name, whatever plans come and go. The sender alone writes it.
pub struct FlowMemory {
    /// The stream number in its packets: one per flow name and queue, given once.
    pub stream: u16,
    /// Published once per burst that touched the flow.
    pub submitted: FlowCounter,
    /// Written when the sender lets go of a plan; nobody but the sender looks, so the lock is never contended
    /// and never met between two swaps.
    resume: Mutex<Option<Resume>>,
}

/// Where a flow goes on after a plan swap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resume {
    pub next_k: u64,
    pub seed: u64,
    /// When its next packet was due, at which rate of its own.
    pub next_due_ns: u64,
    pub rate: Option<Rate>,
}

impl FlowMemory {
    pub fn new(stream: u16) -> Self {
        Self { stream, submitted: FlowCounter::default(), resume: Mutex::new(None) }
    }

    pub fn keep(&self, resume: Resume) {
        *self.resume.lock().unwrap_or_else(PoisonError::into_inner) = Some(resume);
    }

    /// `None`: this flow has never been sent here.
    pub fn recall(&self) -> Option<Resume> {
        *self.resume.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The line between the controller and one sender.
pub struct Line {
    handover: Handover<Orders>,
    pub counters: Counters,
}

impl Line {
    pub fn new(orders: Arc<Orders>) -> Self {
        Self { handover: Handover::new(orders), counters: Counters::default() }
    }
}

impl Deref for Line {
    type Target = Handover<Orders>;

    #[inline]
    fn deref(&self) -> &Handover<Orders> {
        &self.handover
    }
}
