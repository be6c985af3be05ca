//! In which order arms are measured, and how long that takes.

use super::random::Random;

/// The parts of a trial's time, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    pub open_ns: u64,
    pub warm_up_ns: u64,
    /// Between a change of settings and the slice that measures them.
    pub settle_ns: u64,
    pub slice_ns: u64,
    pub drain_ns: u64,
}

impl Timing {
    /// What a trial of `slices` will take if its queues are opened once.
    pub fn predicted_ns(&self, slices: usize) -> u64 {
        let each = self.settle_ns.saturating_add(self.slice_ns);
        let measured = each.saturating_mul(slices as u64);
        [self.open_ns, self.warm_up_ns, self.drain_ns].into_iter().fold(measured, u64::saturating_add)
    }
}

/// `repeats` rounds; each holds every arm, by its index, once and in an order of its own.
pub fn rounds(arms: usize, repeats: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = Random::new(seed);
    let round = |_| {
        let mut order: Vec<usize> = (0..arms).collect();
        random.shuffle(&mut order);
        order
    };
    (0..repeats).map(round).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    A,
    B,
}

/// Four slices in a row. Both sides have the same mean time, so a linear drift takes nothing from either.
pub type Block = [Side; 4];

/// `count` blocks, each ABBA or BAAB by a seeded coin.
pub fn blocks(count: usize, seed: u64) -> Vec<Block> {
    use Side::{A, B};
    let mut random = Random::new(seed);
    (0..count).map(|_| if random.next() >> 63 == 0 { [A, B, B, A] } else { [B, A, A, B] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_holds_every_arm_once_and_orders_differ() {
        let rounds_seen = rounds(6, 20, 1);
        for round in &rounds_seen {
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        }
        assert!(rounds_seen.iter().any(|round| *round != rounds_seen[0]));
        assert_eq!(rounds_seen, rounds(6, 20, 1));
    }

    #[test]
    fn both_kinds_of_block_come() {
        let seen = blocks(100, 1);
        let first_a = seen.iter().filter(|block| block[0] == Side::A).count();
        assert!((30..=70).contains(&first_a), "{first_a} of 100 begin with A");
    }

    #[test]
    fn time_is_the_sum_of_its_parts() {
        let timing = Timing { open_ns: 1, warm_up_ns: 10, settle_ns: 100, slice_ns: 1000, drain_ns: 10_000 };
        assert_eq!(timing.predicted_ns(18), 10_011 + 18 * 1100);
    }
}
