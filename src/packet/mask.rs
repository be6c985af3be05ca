//! Numbers spread over the bits of a mask.

/// Bits next to each other: so many of them, from this one up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    from: u32,
    bits: u32,
}

/// The set bits of a mask, lowest first.
#[derive(Debug, Clone)]
pub(super) struct Mask {
    runs: Box<[Run]>,
    bits: u32,
}

impl Mask {
    pub(super) fn of(mask: u128) -> Mask {
        let (mut runs, mut from) = (Vec::new(), 0);
        while from < 128 && mask >> from != 0 {
            from += (mask >> from).trailing_zeros();
            let bits = (mask >> from).trailing_ones();
            runs.push(Run { from, bits });
            from += bits;
        }
        Mask { runs: runs.into(), bits: mask.count_ones() }
    }

    /// The largest number that fits.
    pub(super) fn most(&self) -> u128 {
        u128::MAX.checked_shr(128 - self.bits).unwrap_or(0)
    }

    /// The bits of `number`, lowest first, in the places of the mask.
    pub(super) fn spread(&self, number: u128) -> u128 {
        let (mut out, mut rest) = (0, number);
        for run in &self.runs {
            out |= (rest & u128::MAX >> (128 - run.bits)) << run.from;
            rest = rest.checked_shr(run.bits).unwrap_or(0);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn bits_go_to_their_places() {
        let mask = Mask::of(0xf0f0);
        assert_eq!((mask.most(), mask.spread(0xab), mask.spread(1)), (0xff, 0xa0b0, 0x10));
        assert_eq!((Mask::of(0).most(), Mask::of(0).spread(7)), (0, 0));
        assert_eq!(Mask::of(u128::MAX).spread(u128::MAX - 3), u128::MAX - 3);
    }

    proptest! {
        #[test]
        fn what_is_spread_fills_the_mask_bit_by_bit(bits in any::<u128>(), number in any::<u128>()) {
            let mask = Mask::of(bits);
            prop_assert_eq!(mask.spread(mask.most()), bits);
            let places: Vec<u32> = (0..128).filter(|bit| bits >> bit & 1 == 1).collect();
            let slow = places.iter().enumerate().fold(0_u128, |out, (n, place)| out | (number >> n & 1) << place);
            prop_assert_eq!(mask.spread(number & mask.most()), slow);
        }
    }
}
