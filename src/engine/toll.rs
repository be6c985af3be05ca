//! Cost switches at work: after a burst is built, each of its packets pays again for what the loop was freed of. Apart
//! from the loop, so that nothing of it is different where no switch is on: one comparison a turn.

use std::{
    hint::black_box,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering, fence},
    },
};

use crossbeam_utils::CachePadded;

use crate::{
    nic::Clock,
    profile::{Cost, Costs},
};

/// What all senders of a fleet share for no other reason than to see what that takes.
#[derive(Default)]
pub struct Toll {
    line: CachePadded<AtomicU64>,
    flows: CachePadded<Mutex<u64>>,
}

impl Toll {
    /// Pays for `packets`. `own` is a line that nobody else touches. [`Cost::KickEach`] is paid at the doorbell.
    #[cold]
    #[inline(never)]
    pub fn pay(&self, costs: Costs, packets: u32, own: &AtomicU64, clock: &impl Clock) {
        if costs.has(Cost::Lock) {
            (0..packets).for_each(|_| {
                black_box(own.fetch_add(1, Ordering::Relaxed));
            });
        }
        if costs.has(Cost::SharedLine) {
            (0..packets).for_each(|_| self.dirty_the_line());
        }
        if costs.has(Cost::FlowLock) {
            (0..packets).for_each(|_| *self.flows.lock().unwrap_or_else(PoisonError::into_inner) += 1);
        }
        if costs.has(Cost::Barrier) {
            (0..packets).for_each(|nth| wait_for_a_store(own, nth));
        }
        if costs.has(Cost::ClockEach) {
            (0..packets).for_each(|_| {
                black_box(clock.now_ns());
            });
        }
    }

    /// As the time stamp of the loopback driver did in 2008: a plain write, no LOCK. Lost counts do not matter.
    fn dirty_the_line(&self) {
        let seen = self.line.load(Ordering::Relaxed);
        self.line.store(black_box(seen.wrapping_add(1)), Ordering::Relaxed);
    }
}

/// A barrier has something to wait for; barriers side by side the compiler makes one.
fn wait_for_a_store(own: &AtomicU64, nth: u32) {
    own.store(black_box(u64::from(nth)), Ordering::Relaxed);
    fence(Ordering::SeqCst);
}
