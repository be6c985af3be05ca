//! Which position of a walk a build stands at, without a division instruction.

use crate::profile::Order;

/// A divisor with its reciprocal: two multiplications instead of a 64-bit division (some 20 to 40 cycles).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Divisor {
    by: u64,
    reciprocal: u64,
}

impl Divisor {
    /// 0 counts as 1.
    pub(super) fn new(by: u64) -> Divisor {
        let by = by.max(1);
        Divisor { by, reciprocal: u64::MAX / by }
    }

    pub(super) fn by(self) -> u64 {
        self.by
    }

    /// `reciprocal` is at most 1 below 2^64 / by, so this is the quotient or one less, for every number and divisor.
    #[inline]
    fn estimate(self, number: u64) -> u64 {
        ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64
    }

    #[inline]
    pub(super) fn quotient(self, number: u64) -> u64 {
        // Nearly every field moves at every build.
        if self.by == 1 {
            return number;
        }
        let estimate = self.estimate(number);
        if number - estimate * self.by >= self.by { estimate + 1 } else { estimate }
    }

    #[inline]
    pub(super) fn rest(self, number: u64) -> u64 {
        self.wrap(number - self.estimate(number) * self.by)
    }

    /// The rest of a number below twice the divisor.
    #[inline(always)]
    pub(super) fn wrap(self, rest: u64) -> u64 {
        // The smaller one: below `by` the subtraction wraps to something huge. No branch to mispredict.
        rest.min(rest.wrapping_sub(self.by))
    }
}

/// `(k / hold) mod positions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    hold: Divisor,
    /// `None`: more than 2^64 - 1 positions, so no build number ever wraps.
    positions: Option<Divisor>,
}

impl Turn {
    pub(super) fn new(hold: u64, positions: u128) -> Turn {
        Turn { hold: Divisor::new(hold), positions: u64::try_from(positions).ok().map(Divisor::new) }
    }

    #[inline]
    pub(super) fn index(&self, k: u64) -> u64 {
        let moves = self.hold.quotient(k);
        self.positions.map_or(moves, |positions| positions.rest(moves))
    }
}

/// Hands out, in the order of the fields, how many builds each walking field stands still.
#[derive(Debug)]
pub(super) struct Odometer {
    order: Order,
    stride: u128,
}

impl Odometer {
    pub(super) fn new(order: Order) -> Odometer {
        Odometer { order, stride: 1 }
    }

    /// `None`: so many faster fields turn below this one that it moves in no build 0..2^64.
    pub(super) fn hold(&mut self, every: u64, positions: u128) -> Option<u64> {
        let every = every.max(1);
        match self.order {
            Order::Together => Some(every),
            Order::Nested => {
                let hold = self.stride.saturating_mul(u128::from(every));
                self.stride = hold.saturating_mul(positions);
                u64::try_from(hold).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::{Divisor, Odometer, Turn};
    use crate::profile::Order;

    const EDGES: [u64; 12] = [0, 1, 2, 3, 7, 255, 256, 65535, 65536, u64::MAX / 2 + 1, u64::MAX - 1, u64::MAX];

    fn check(number: u64, by: u64) {
        let divisor = Divisor::new(by);
        assert_eq!((divisor.quotient(number), divisor.rest(number)), (number / by, number % by), "{number} by {by}");
    }

    #[test]
    fn division_is_exact_at_the_edges() {
        for by in EDGES.into_iter().skip(1) {
            for number in EDGES {
                check(number, by);
            }
        }
    }

    proptest! {
        #[test]
        fn division_is_exact(number in any::<u64>(), by in 1..u64::MAX, shift in 0_u32..64) {
            let by = (by >> shift).max(1);
            check(number, by);
        }
    }

    #[test]
    fn an_endless_walk_does_not_wrap() {
        assert_eq!(Turn::new(1, u128::MAX).index(u64::MAX), u64::MAX);
        assert_eq!(Turn::new(1, 1 << 64).index(u64::MAX), u64::MAX);
        assert_eq!(Turn::new(1, u128::from(u64::MAX)).index(u64::MAX), 0);
        assert_eq!(Turn::new(u64::MAX, 2).index(u64::MAX), 1);
    }

    #[test]
    fn the_first_digit_turns_fastest() {
        let mut odometer = Odometer::new(Order::Nested);
        assert_eq!(odometer.hold(1, 3), Some(1));
        assert_eq!(odometer.hold(2, 5), Some(6));
        assert_eq!(odometer.hold(0, 1 << 64), Some(30));
        assert_eq!(odometer.hold(1, 2), None);
        let mut together = Odometer::new(Order::Together);
        assert_eq!([together.hold(1, 3), together.hold(2, 5), together.hold(0, 9)], [Some(1), Some(2), Some(1)]);
    }
}
