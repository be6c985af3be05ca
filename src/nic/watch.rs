//! Looking into a doorbell: what its kicks take and what its reaping. Who does not ask pays nothing.

use super::Clock;

/// Hears of the parts of one ring call as they begin and end.
pub trait Watch {
    fn begin(&mut self, clock: &impl Clock);
    fn end_kick(&mut self, clock: &impl Clock);
    fn end_reap(&mut self, clock: &impl Clock);
}

/// Nobody looks: no clock is read, and the compiler leaves nothing of it.
pub struct Unwatched;

impl Watch for Unwatched {
    #[inline]
    fn begin(&mut self, _clock: &impl Clock) {}

    #[inline]
    fn end_kick(&mut self, _clock: &impl Clock) {}

    #[inline]
    fn end_reap(&mut self, _clock: &impl Clock) {}
}

/// Adds up what the parts take; a clock reading at each end of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stopwatch {
    pub kick_ns: u64,
    pub reap_ns: u64,
    since_ns: u64,
}

impl Watch for Stopwatch {
    fn begin(&mut self, clock: &impl Clock) {
        self.since_ns = clock.now_ns();
    }

    fn end_kick(&mut self, clock: &impl Clock) {
        self.kick_ns += clock.now_ns().saturating_sub(self.since_ns);
    }

    fn end_reap(&mut self, clock: &impl Clock) {
        self.reap_ns += clock.now_ns().saturating_sub(self.since_ns);
    }
}
