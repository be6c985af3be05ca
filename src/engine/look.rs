//! Where busy time goes, looked at in one turn of many, so that the others read no clock for it; and what the scheduler
//! took meanwhile.

use crate::{
    nic::{Clock, Stopwatch},
    stats::{Counts, Parts},
};

/// One turn of so many is looked into. A prime, so that no pattern of turns always falls on it.
const EVERY_TURNS: u32 = 61;
/// The thread's own CPU time is a system call, so it is asked at most this often.
const WINDOW_NS: u64 = 1_000_000;
/// A window of which more than a tenth was lost says nothing about the parts: which turn was interrupted?
const DISTURBED: u64 = 10;

pub struct Look {
    /// Turns until one is looked into.
    until: u32,
    building_ns: u64,
    watch: Stopwatch,
    /// Seen since the window began, and not yet believed.
    fresh: Parts,
    parts: Parts,
    began: Began,
}

/// Where a window began.
#[derive(Clone, Copy, Default)]
struct Began {
    at_ns: u64,
    cpu_ns: Option<u64>,
    busy_ns: u64,
    waited_ns: u64,
}

impl Look {
    pub fn new() -> Self {
        Self {
            until: 1,
            building_ns: 0,
            watch: Stopwatch::default(),
            fresh: Parts::default(),
            parts: Parts::default(),
            began: Began::default(),
        }
    }

    /// Whether this turn is one to look into.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.until -= 1;
        self.until == 0
    }

    /// The turn that is looked into has built its packets and is about to ring.
    pub fn built(&mut self, building_ns: u64) -> &mut Stopwatch {
        self.until = EVERY_TURNS;
        self.building_ns = building_ns;
        self.watch = Stopwatch::default();
        &mut self.watch
    }

    /// That turn took `turn_ns` in all. Closes the window when it is long enough; then the parts are to be published.
    pub fn close(&mut self, turn_ns: u64, now_ns: u64, counts: &mut Counts, clock: &impl Clock) -> Option<Parts> {
        let (build_ns, kick_ns, reap_ns) = (self.building_ns, self.watch.kick_ns, self.watch.reap_ns);
        self.fresh.build_ns += build_ns;
        self.fresh.kick_ns += kick_ns;
        self.fresh.reap_ns += reap_ns;
        self.fresh.ring_ns += turn_ns.saturating_sub(build_ns + kick_ns + reap_ns);
        if self.began.at_ns == 0 {
            self.begin(now_ns, counts, clock);
        }
        (now_ns - self.began.at_ns >= WINDOW_NS).then(|| self.settle(now_ns, counts, clock))
    }

    /// Takes what was lost off the busy time, and believes what was seen unless too much was lost.
    pub fn settle(&mut self, now_ns: u64, counts: &mut Counts, clock: &impl Clock) -> Parts {
        let wall_ns = now_ns.saturating_sub(self.began.at_ns);
        let lost_ns = match (self.began.cpu_ns, clock.cpu_ns()) {
            (Some(began), Some(now)) if self.began.at_ns != 0 => {
                // Whoever waits loses nothing; a wait may have slept or spun.
                let waited_ns = waited_ns(counts) - self.began.waited_ns;
                let away_ns = wall_ns.saturating_sub(now.saturating_sub(began)).saturating_sub(waited_ns);
                away_ns.min(counts.busy_ns - self.began.busy_ns)
            }
            _ => 0,
        };
        counts.busy_ns -= lost_ns;
        self.parts.lost_ns += lost_ns;
        if lost_ns * DISTURBED <= wall_ns || self.parts.build_ns == 0 {
            self.parts.build_ns += self.fresh.build_ns;
            self.parts.ring_ns += self.fresh.ring_ns;
            self.parts.kick_ns += self.fresh.kick_ns;
            self.parts.reap_ns += self.fresh.reap_ns;
        }
        self.fresh = Parts::default();
        self.begin(now_ns, counts, clock);
        self.parts
    }

    fn begin(&mut self, now_ns: u64, counts: &Counts, clock: &impl Clock) {
        let (cpu_ns, waited_ns) = (clock.cpu_ns(), waited_ns(counts));
        self.began = Began { at_ns: now_ns, cpu_ns, busy_ns: counts.busy_ns, waited_ns };
    }
}

fn waited_ns(counts: &Counts) -> u64 {
    counts.wait_pace_ns + counts.wait_ring_ns
}
