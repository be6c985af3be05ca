//! Where the wall time of the senders went. Waiting and busy time are measured whole; what busy time is made of is looked
//! at in some turns only, and those stand for the others.

use super::Counts;

/// Nanoseconds that a sender saw go into each part of its work, in the turns that it looked into; and what it lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    pub build_ns: u64,
    /// Descriptors, the rings and the sender's own counters.
    pub ring_ns: u64,
    pub kick_ns: u64,
    pub reap_ns: u64,
    /// Off its CPU although it had work: all of it, not of some turns only. No part of `Counts::busy_ns`.
    pub lost_ns: u64,
}

impl Parts {
    pub const WORDS: usize = 5;

    pub fn to_words(self) -> [u64; Self::WORDS] {
        [self.build_ns, self.ring_ns, self.kick_ns, self.reap_ns, self.lost_ns]
    }

    pub fn from_words([build_ns, ring_ns, kick_ns, reap_ns, lost_ns]: [u64; Self::WORDS]) -> Self {
        Self { build_ns, ring_ns, kick_ns, reap_ns, lost_ns }
    }

    fn less(&self, before: &Parts) -> Parts {
        let (now, before) = (self.to_words(), before.to_words());
        Parts::from_words(std::array::from_fn(|at| now[at].saturating_sub(before[at])))
    }
}

/// Seven parts that add up to the wall time of the senders, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Split {
    pub build: f64,
    pub ring: f64,
    pub kick: f64,
    pub reap: f64,
    pub wait_pace: f64,
    pub wait_ring: f64,
    pub lost: f64,
}

impl Split {
    /// Of one sender between two moments. `None`: it looked into no turn meanwhile.
    pub fn between(before: (&Counts, &Parts), after: (&Counts, &Parts)) -> Option<Split> {
        let parts = after.1.less(before.1);
        let seen = (parts.build_ns + parts.ring_ns + parts.kick_ns + parts.reap_ns) as f64;
        let since = |of: fn(&Counts) -> u64| of(after.0).saturating_sub(of(before.0)) as f64;
        let share = since(|counts| counts.busy_ns) / seen;
        share.is_finite().then(|| Split {
            build: parts.build_ns as f64 * share,
            ring: parts.ring_ns as f64 * share,
            kick: parts.kick_ns as f64 * share,
            reap: parts.reap_ns as f64 * share,
            wait_pace: since(|counts| counts.wait_pace_ns),
            wait_ring: since(|counts| counts.wait_ring_ns),
            lost: parts.lost_ns as f64,
        })
    }

    /// Each part under its name, in the order of a packet's way.
    pub fn parts(&self) -> [(&'static str, f64); 7] {
        let Split { build, ring, kick, reap, wait_pace, wait_ring, lost } = *self;
        [
            ("build", build),
            ("ring", ring),
            ("kick", kick),
            ("reap", reap),
            ("wait_pace", wait_pace),
            ("wait_ring", wait_ring),
            ("lost", lost),
        ]
    }

    pub fn total_ns(&self) -> f64 {
        self.parts().iter().map(|(_, ns)| ns).sum()
    }

    /// Several senders together.
    pub fn plus(&self, other: &Split) -> Split {
        Split {
            build: self.build + other.build,
            ring: self.ring + other.ring,
            kick: self.kick + other.kick,
            reap: self.reap + other.reap,
            wait_pace: self.wait_pace + other.wait_pace,
            wait_ring: self.wait_ring + other.wait_ring,
            lost: self.lost + other.lost,
        }
    }

    /// A packet's share. `None`: nothing completed.
    pub fn per_packet(&self, completed: u64) -> Option<Split> {
        let of = |ns: f64| ns / completed as f64;
        (completed > 0).then(|| Split {
            build: of(self.build),
            ring: of(self.ring),
            kick: of(self.kick),
            reap: of(self.reap),
            wait_pace: of(self.wait_pace),
            wait_ring: of(self.wait_ring),
            lost: of(self.lost),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_stands_for_all_that_was_busy() {
        let before = (Counts { busy_ns: 1000, ..Counts::default() }, Parts { build_ns: 5, ..Parts::default() });
        let counts = Counts { busy_ns: 5000, wait_pace_ns: 70, wait_ring_ns: 30, ..Counts::default() };
        let parts = Parts { build_ns: 15, ring_ns: 10, kick_ns: 60, reap_ns: 20, lost_ns: 400 };
        let split = Split::between((&before.0, &before.1), (&counts, &parts)).unwrap();
        assert_eq!((split.build, split.ring, split.kick, split.reap), (400.0, 400.0, 2400.0, 800.0));
        assert_eq!((split.wait_pace, split.wait_ring, split.lost), (70.0, 30.0, 400.0));
        assert_eq!(split.total_ns(), 4500.0);
        assert_eq!(split.plus(&split).per_packet(2), Some(split));
        assert_eq!(split.per_packet(0), None);
    }

    #[test]
    fn without_a_look_there_is_no_split() {
        let counts = Counts { busy_ns: 5000, ..Counts::default() };
        let nothing = (&Counts::default(), &Parts::default());
        assert_eq!(Split::between(nothing, (&counts, &Parts::default())), None);
        assert_eq!(Split::between(nothing, nothing), None);
    }
}
