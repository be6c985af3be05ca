//! What passes between the controller and one sender: orders one way, counters the other. No lock, no message:
//! the sender loads one word of a read-mostly line each turn and looks further only when it has changed.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use arc_swap::ArcSwap;
use crossbeam_utils::CachePadded;

use crate::{
    packet::Plan,
    profile::Rate,
    stats::{Counters, FlowCounter},
};

/// A plan together with the memories of its flows, as one sender gets it.
pub struct Orders {
    pub plan: Arc<Plan>,
    /// One a flow of the plan, in its order.
    pub flows: Vec<Arc<FlowMemory>>,
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

/// The words the sender looks at each turn; written rarely, by the controller.
#[derive(Default)]
struct Words {
    /// Counts plan swaps.
    generation: AtomicU64,
    stop: AtomicBool,
    /// The common release; 0: hold.
    release_ns: AtomicU64,
}

/// The line between the controller and one sender.
pub struct Line {
    words: CachePadded<Words>,
    orders: ArcSwap<Orders>,
    /// Highest generation the sender has taken, having let go of all before.
    taken: CachePadded<AtomicU64>,
    pub counters: Counters,
}

impl Line {
    pub fn new(orders: Arc<Orders>) -> Self {
        Self {
            words: CachePadded::default(),
            orders: ArcSwap::new(orders),
            taken: CachePadded::default(),
            counters: Counters::default(),
        }
    }

    // The controller's side.

    /// Returns the orders replaced and the generation after which the sender no longer holds them.
    pub fn give(&self, orders: Arc<Orders>) -> (Arc<Orders>, u64) {
        let old = self.orders.swap(orders);
        let generation = self.words.generation.load(Ordering::Relaxed) + 1;
        self.words.generation.store(generation, Ordering::Release);
        (old, generation)
    }

    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Acquire)
    }

    pub fn release(&self, at_ns: u64) {
        self.words.release_ns.store(at_ns.max(1), Ordering::Release);
    }

    pub fn stop(&self) {
        self.words.stop.store(true, Ordering::Release);
    }

    // The sender's side: plain loads of a line that stays shared in its cache.

    #[inline]
    pub fn generation(&self) -> u64 {
        self.words.generation.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn told_to_stop(&self) -> bool {
        self.words.stop.load(Ordering::Relaxed)
    }

    /// 0: hold.
    pub fn release_ns(&self) -> u64 {
        self.words.release_ns.load(Ordering::Acquire)
    }

    /// The latest orders and their generation (or an earlier one: then the sender comes again).
    pub fn take(&self) -> (Arc<Orders>, u64) {
        let generation = self.words.generation.load(Ordering::Acquire);
        (self.orders.load_full(), generation)
    }

    /// The sender holds nothing older than `generation` any more.
    pub fn confirm(&self, generation: u64) {
        self.taken.store(generation, Ordering::Release);
    }
}
