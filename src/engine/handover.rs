//! How one sender gets new orders while it sends: it loads one word of a read-mostly line each turn and looks further
//! only when that has changed. Old orders are freed by the controller, once the sender has let go of them.

use std::sync::Arc;

use crossbeam_utils::CachePadded;

use super::{
    atomic::{AtomicBool, AtomicU64, Ordering},
    slot::Slot,
};

/// The words the sender looks at each turn; written rarely, by the controller.
struct Words {
    /// Counts plan swaps.
    generation: AtomicU64,
    stop: AtomicBool,
    /// The common release; 0: hold.
    release_ns: AtomicU64,
}

/// One controller, one sender. `tests/handover_loom.rs` runs it under every interleaving.
pub struct Handover<T> {
    words: CachePadded<Words>,
    orders: Slot<T>,
    /// Highest generation the sender has taken, having let go of all before.
    taken: CachePadded<AtomicU64>,
}

impl<T> Handover<T> {
    pub fn new(orders: Arc<T>) -> Self {
        let words =
            Words { generation: AtomicU64::new(0), stop: AtomicBool::new(false), release_ns: AtomicU64::new(0) };
        Self { words: CachePadded::new(words), orders: Slot::new(orders), taken: CachePadded::new(AtomicU64::new(0)) }
    }

    // The controller's side.

    /// Returns the orders replaced and the generation after which the sender no longer holds them.
    pub fn give(&self, orders: Arc<T>) -> (Arc<T>, u64) {
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
    pub fn take(&self) -> (Arc<T>, u64) {
        let generation = self.words.generation.load(Ordering::Acquire);
        (self.orders.load_full(), generation)
    }

    /// The sender holds nothing older than `generation` any more.
    pub fn confirm(&self, generation: u64) {
        self.taken.store(generation, Ordering::Release);
    }
}
