//! The order of a mix. This page is a promise: same file, same frames, in every release.
//!
//! A cycle has as many builds as the weights add up to, their common divisor taken out. Packet j (from 0) of a size
//! that comes w times wants to stand at (j + 1/2) / w of the cycle; they all stand in that order, those that want the
//! same place in the order of the file. So each size is spread over the cycle and not sent in a run.
//!
//! Cycle c (from 0) begins at an entry of its own, drawn by word c of the field (see `draw`), and goes round once. So
//! each cycle of the flow holds the exact shares; and each queue, which sends every nth build only, has them on average:
//! without that draw, queue 0 of two would send the same half of the entries for ever.

use crate::profile::{Share, imix};

use super::{draw, turn::Divisor};

/// The sizes of one cycle.
pub(super) fn cycle(shares: &[Share]) -> Vec<u128> {
    let counts = imix::counts(shares);
    let mut wanted: Vec<(u64, u64, u128)> = Vec::new();
    for &(value, count) in &counts {
        wanted.extend((0..count).map(|j| (2 * j + 1, 2 * count, value)));
    }
    // Stable, so that equals stay in the order of the file. Both products are below 2^34.
    wanted.sort_by(|(a, of_a, _), (b, of_b, _)| (a * of_b).cmp(&(b * of_a)));
    wanted.into_iter().map(|(_, _, value)| value).collect()
}

/// Where a build stands in the cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Round {
    hold: Divisor,
    length: Divisor,
    last: u64,
    key: u64,
}

impl Round {
    pub(super) fn new(hold: u64, length: usize, key: u64) -> Round {
        let length = length.max(1) as u64;
        Round { hold: Divisor::new(hold), length: Divisor::new(length), last: length - 1, key }
    }

    pub(super) fn index(&self, k: u64) -> usize {
        let moves = self.hold.quotient(k);
        let (cycle, at) = (self.length.quotient(moves), self.length.rest(moves));
        self.length.rest(at + draw::narrow(self.key, cycle, self.last)) as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::*;

    const KEY: u64 = 7;

    fn shares(pairs: &[(u128, u32)]) -> Vec<Share> {
        pairs.iter().map(|&(value, weight)| Share { value, weight }).collect()
    }

    /// The first `builds` sizes.
    fn sizes(shares: &[Share], builds: u64) -> Vec<u128> {
        let cycle = cycle(shares);
        let round = Round::new(1, cycle.len(), KEY);
        (0..builds).map(|k| cycle[round.index(k)]).collect()
    }

    #[test]
    fn sizes_are_spread_over_the_cycle_and_these_for_ever() {
        let (a, b, c) = (60, 590, 1514);
        let mix = shares(&[(a, 7), (b, 4), (c, 1)]);
        assert_eq!(cycle(&mix), [a, b, a, a, b, a, c, b, a, a, b, a]);
        // Of a second implementation of this page: two cycles.
        assert_eq!(sizes(&mix, 12), [b, a, c, b, a, a, b, a, a, b, a, a]);
        assert_eq!(sizes(&mix, 24)[12..], [a, b, a, a, b, a, c, b, a, a, b, a]);
        assert_eq!(sizes(&shares(&[(a, 1)]), 3), [a, a, a]);
    }

    #[test]
    fn the_last_build_of_all_is_one_too() {
        let round = Round::new(1, 65_536, KEY);
        assert!(round.index(u64::MAX) < 65_536);
        assert_eq!(Round::new(u64::MAX, 7, KEY).index(u64::MAX), Round::new(1, 7, KEY).index(1));
    }

    proptest! {
        #[test]
        fn c41_shares_are_exact_over_every_cycle(
            weights in prop::collection::vec(0..60_u32, 1..9), at in 0..1_000_000_u64, every in 1..4_u64,
        ) {
            let mix: Vec<Share> = weights.iter().zip(60..).map(|(&weight, value)| Share { value, weight }).collect();
            let cycle = cycle(&mix);
            proptest::prop_assume!(!cycle.is_empty());
            let length = cycle.len() as u64;
            let round = Round::new(every, cycle.len(), KEY);
            let mut seen: Vec<u128> = (at * length * every..(at + 1) * length * every).map(|k| cycle[round.index(k)]).collect();
            seen.sort_unstable();
            for (value, count) in imix::counts(&mix) {
                let times = seen.iter().filter(|size| **size == value).count() as u64;
                prop_assert_eq!(times, count * every);
            }
        }

        /// No size comes much later than its share says.
        #[test]
        fn sizes_do_not_come_in_runs(weights in prop::collection::vec(1..40_u32, 2..6)) {
            let mix: Vec<Share> = weights.iter().zip(60..).map(|(&weight, value)| Share { value, weight }).collect();
            let cycle = cycle(&mix);
            for (value, count) in imix::counts(&mix) {
                let places: Vec<usize> = (0..cycle.len()).filter(|at| cycle[*at] == value).collect();
                let even = cycle.len() as f64 / count as f64;
                let widest = places.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
                prop_assert!((widest as f64) < even + mix.len() as f64 + 1.0, "{widest} for {even}");
            }
        }

        #[test]
        fn c41_every_queue_has_the_shares_on_average(
            weights in prop::collection::vec(1..9_u32, 2..5), queues in 1..9_u64, seat in 0..9_u64,
        ) {
            let mix: Vec<Share> = weights.iter().zip(60..).map(|(&weight, value)| Share { value, weight }).collect();
            let cycle = cycle(&mix);
            let round = Round::new(1, cycle.len(), KEY);
            let builds = 20_000;
            let seen: Vec<u128> = (0..builds).map(|n| cycle[round.index(seat % queues + n * queues)]).collect();
            for (value, count) in imix::counts(&mix) {
                let share = seen.iter().filter(|size| **size == value).count() as f64 / builds as f64;
                let wanted = count as f64 / cycle.len() as f64;
                // Five times the deviation of that many independent draws.
                prop_assert!((share - wanted).abs() < 5.0 * (wanted / builds as f64).sqrt(), "{share} for {wanted}");
            }
        }
    }
}
