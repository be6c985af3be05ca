//! A clock that only moves when told to, so that ten virtual minutes pass in a moment.

use super::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A handle on virtual time in nanoseconds, 0 at first; all clones show the same instant. One thread at a
/// time moves it: a plain load and store.
#[derive(Debug, Clone, Default)]
pub struct VirtualClock(Arc<Instant>);

#[derive(Debug, Default)]
struct Instant {
    now_ns: AtomicU64,
    /// Time during which nobody was on a CPU.
    away_ns: AtomicU64,
}

impl VirtualClock {
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves time on.
    pub fn advance(&self, ns: u64) {
        self.advance_to(self.now_ns().saturating_add(ns));
    }

    /// Moves time on while whoever works with this clock is off its CPU.
    pub fn take_away(&self, ns: u64) {
        self.0.away_ns.store(self.0.away_ns.load(Ordering::Relaxed) + ns, Ordering::Relaxed);
        self.advance(ns);
    }

    /// Moves time to an instant; never backwards.
    pub fn advance_to(&self, ns: u64) {
        if ns > self.now_ns() {
            self.0.now_ns.store(ns, Ordering::Relaxed);
        }
    }
}

impl Clock for VirtualClock {
    fn now_ns(&self) -> u64 {
        self.0.now_ns.load(Ordering::Relaxed)
    }

    fn cpu_ns(&self) -> Option<u64> {
        Some(self.now_ns() - self.0.away_ns.load(Ordering::Relaxed))
    }
}
