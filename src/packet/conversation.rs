//! Conversations out of one flow: whose packet a build is, and which addresses and ports that conversation has.
//!
//! This page is a promise, as `draw` is: same file, same seed, same frames, in every release.
//!
//! * Build `k` belongs to conversation `f`: sequential `(k / length) mod count`, interleaved `k mod count`, random
//!   `shuffled(r, k mod round) / length` with `round = count * length` and `r = k / round`, keyed by `flows`.
//! * Sweeps and lists of addresses and ports take position `f`, as other fields take position `k`.
//! * Random addresses and ports are dealt without repetition: of all combinations of their values, conversation `f`
//!   has number `shuffled(f mod walked, f / walked)`, keyed by `flows.hand`, where `walked` is the number of different
//!   combinations that the sweeps and lists walk through. The first field of the table is the lowest digit.
//! * A field joins that number as long as the number of combinations stays at most 2^62. A wider one joins with 2^24
//!   equal parts of its range and is drawn within its part by word `f`, and once 2^24 combinations are there further
//!   ones are drawn alone by word `f`: that many conversations are all different by then.
//! * `shuffled(n, i)` among `size` numbers: with `bits` the least with 2^bits >= size and all arithmetic modulo
//!   2^bits, four times `i = (i + word(4n + round)) * (G | 1)`, `i = i ^ i >> (bits / 2 + 1)`, all of it again until
//!   `i < size`. Every step can be undone, so no two numbers meet.

use crate::profile::{Conversations, TurnOrder, conversations::MOST_CONVERSATIONS};

use super::{draw, turn::Divisor};

/// Which conversation a build belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    count: Divisor,
    length: Divisor,
    round: Divisor,
    order: TurnOrder,
    shuffle: Shuffle,
    key: u64,
}

impl Turns {
    /// `key` is that of the field `flows`.
    pub(super) fn new(of: &Conversations, key: u64) -> Turns {
        let (count, length) = (u64::from(of.count.clamp(1, MOST_CONVERSATIONS)), u64::from(of.length.max(1)));
        Turns {
            count: Divisor::new(count),
            length: Divisor::new(length),
            round: Divisor::new(count * length),
            order: of.order,
            shuffle: Shuffle::of(count * length),
            key,
        }
    }

    /// Builds of one conversation in a row; of shuffled ones mostly 1.
    pub(super) fn hold(&self) -> u64 {
        match self.order {
            TurnOrder::Sequential => self.length.by(),
            TurnOrder::Interleaved | TurnOrder::Random => 1,
        }
    }

    pub(super) fn of(&self, k: u64) -> u64 {
        match self.order {
            TurnOrder::Sequential => self.count.rest(self.length.quotient(k)),
            TurnOrder::Interleaved => self.count.rest(k),
            TurnOrder::Random => {
                let place = self.shuffle.at(self.key, self.round.quotient(k), self.round.rest(k));
                self.length.quotient(place)
            }
        }
    }
}

/// Numbers 0..size in another order, without a table.
#[derive(Debug, Clone, Copy)]
struct Shuffle {
    size: u64,
    bits: u32,
}

impl Shuffle {
    /// `size` is at most 2^62.
    fn of(size: u64) -> Shuffle {
        Shuffle { size: size.max(1), bits: 64 - (size.max(1) - 1).leading_zeros() }
    }

    fn at(&self, key: u64, deck: u64, index: u64) -> u64 {
        if self.bits == 0 {
            return 0;
        }
        let most = u64::MAX >> (64 - self.bits);
        let words: [u64; 4] = std::array::from_fn(|round| draw::word(key, deck.wrapping_mul(4) + round as u64));
        let mut number = index;
        loop {
            for word in words {
                number = number.wrapping_add(word).wrapping_mul(draw::GOLDEN | 1) & most;
                number ^= number >> (self.bits / 2 + 1);
            }
            // Fewer than half of the numbers are outside, and the walk comes back to where it began at last.
            if number < self.size {
                return number;
            }
        }
    }
}

/// Most combinations that are dealt as one number.
const MOST_DEALT: u128 = 1 << 62;
/// Parts that a range too wide for that is cut into.
const PARTS: u128 = MOST_CONVERSATIONS as u128;

/// Deals the random fields of one flow, field by field in the order of the table.
#[derive(Debug, Clone)]
pub(super) struct Dealer {
    turns: Turns,
    walked: Divisor,
    key: u64,
    /// Combinations of the fields so far.
    dealt: u128,
    /// … of all fields.
    shuffle: Shuffle,
}

impl Dealer {
    /// `walked`: combinations of the sweeps and lists; `ranges`: how many values each random field has, less one.
    pub(super) fn new(turns: Turns, walked: u128, ranges: &[u128], key: u64) -> Dealer {
        let walked = Divisor::new(u64::try_from(walked).unwrap_or(u64::MAX));
        let dealt = ranges.iter().fold(1, |dealt, last| dealt * joins(dealt, *last).unwrap_or(1));
        Dealer { turns, walked, key, dealt: 1, shuffle: Shuffle::of(dealt as u64) }
    }

    /// The next random field, which takes values `0..=last`; `key` is its own.
    pub(super) fn deal(&mut self, last: u128, key: u64) -> Dealt {
        let digits = joins(self.dealt, last);
        let dealt = Dealt {
            turns: self.turns,
            walked: self.walked,
            hand: self.key,
            shuffle: self.shuffle,
            stride: Divisor::new(self.dealt as u64),
            digits: digits.map(|digits| Divisor::new(digits as u64)),
            last,
            part: if digits == Some(last.saturating_add(1)) { 1 } else { last / PARTS },
            key,
        };
        self.dealt *= digits.unwrap_or(1);
        dealt
    }
}

/// With how many digits a field of `0..=last` joins `dealt` combinations; `None`: it is drawn alone.
fn joins(dealt: u128, last: u128) -> Option<u128> {
    let whole = last.saturating_add(1);
    if dealt.saturating_mul(whole) <= MOST_DEALT {
        return Some(whole);
    }
    // Below 2^24 combinations this range has more than 2^38 values: a part has many, and the rest behind the last
    // part is less than a part.
    (dealt < PARTS).then_some(PARTS)
}

/// One random field of a flow with conversations.
#[derive(Debug, Clone)]
pub(super) struct Dealt {
    turns: Turns,
    walked: Divisor,
    hand: u64,
    shuffle: Shuffle,
    stride: Divisor,
    digits: Option<Divisor>,
    last: u128,
    /// Values of one digit.
    part: u128,
    key: u64,
}

impl Dealt {
    /// A number in `0..=last`.
    pub(super) fn at(&self, k: u64) -> u128 {
        let f = self.turns.of(k);
        let Some(digits) = self.digits else { return draw::wide(self.key, f, self.last) };
        let number = self.shuffle.at(self.hand, self.walked.rest(f), self.walked.quotient(f));
        let digit = u128::from(digits.rest(self.stride.quotient(number)));
        match self.part {
            1 => digit,
            part => digit * part + draw::wide(self.key, f, part - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;

    fn turns(count: u32, length: u32, order: TurnOrder) -> Turns {
        Turns::new(&Conversations { count, length, order }, draw::key(7, "a", "flows"))
    }

    fn order(turns: Turns, builds: u64) -> Vec<u64> {
        (0..builds).map(|k| turns.of(k)).collect()
    }

    #[test]
    fn three_orders_of_three_conversations() {
        assert_eq!(order(turns(3, 2, TurnOrder::Sequential), 8), [0, 0, 1, 1, 2, 2, 0, 0]);
        assert_eq!(order(turns(3, 2, TurnOrder::Interleaved), 8), [0, 1, 2, 0, 1, 2, 0, 1]);
        // Of a second implementation of this page: two rounds.
        assert_eq!(order(turns(3, 2, TurnOrder::Random), 12), [1, 2, 1, 2, 0, 0, 2, 0, 0, 1, 1, 2]);
        assert_eq!(order(turns(1, 5, TurnOrder::Random), 6), [0; 6]);
    }

    proptest! {
        #[test]
        fn a_shuffle_meets_every_number_once(size in 1..3000_u64, key in any::<u64>(), deck in any::<u64>()) {
            let shuffle = Shuffle::of(size);
            let mut seen: Vec<u64> = (0..size).map(|index| shuffle.at(key, deck, index)).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..size).collect::<Vec<_>>());
        }

        #[test]
        fn every_order_gives_each_conversation_its_packets(count in 1..60_u32, length in 1..9_u32, round in 0..9_u64) {
            let builds = u64::from(count) * u64::from(length);
            for order in [TurnOrder::Sequential, TurnOrder::Interleaved, TurnOrder::Random] {
                let turns = turns(count, length, order);
                let mut packets = vec![0; count as usize];
                (round * builds..(round + 1) * builds).for_each(|k| packets[turns.of(k) as usize] += 1);
                prop_assert!(packets.iter().all(|packets| *packets == length), "{order:?}: {packets:?}");
            }
        }

        #[test]
        fn no_two_hands_are_alike(one in 0..200_u128, two in 0..200_u128, walked in 1..5_u64, key in any::<u64>()) {
            let ranges = [one, two];
            let count = ((one + 1) * (two + 1)) as u64 * walked;
            let all = turns(count as u32, 1, TurnOrder::Sequential);
            let mut dealer = Dealer::new(all, walked.into(), &ranges, key);
            let fields = ranges.map(|last| dealer.deal(last, 3));
            let hands: HashSet<_> =
                (0..count).map(|f| (f % walked, fields[0].at(f), fields[1].at(f))).collect();
            prop_assert_eq!(hands.len() as u64, count);
        }
    }

    #[test]
    fn a_shuffle_looks_random() {
        // Of a fair shuffle of n numbers one in n stays and one in n follows its neighbour: 1 of each is expected.
        for size in [1000, 8000, 65_536, 131_072] {
            let shuffle = Shuffle::of(size);
            let numbers: Vec<u64> = (0..size).map(|index| shuffle.at(draw::key(7, "a", "flows"), 0, index)).collect();
            let stays = numbers.iter().zip(0..).filter(|(number, index)| *number == index).count();
            let follows = numbers.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
            assert!(stays < 10 && follows < 10, "{size}: {stays} stay, {follows} follow");
            let low = numbers[..size as usize / 4].iter().filter(|number| **number < size / 2).count() as f64;
            assert!((low / (size as f64 / 8.0) - 1.0).abs() < 0.1, "{size}: {low} of the first quarter are low");
        }
    }

    #[test]
    fn ranges_wider_than_a_number_are_still_all_different() {
        let all = turns(MOST_CONVERSATIONS, 1, TurnOrder::Sequential);
        for ranges in [vec![u128::MAX], vec![3, u128::MAX], vec![u128::from(u64::MAX), u128::from(u64::MAX)]] {
            let mut dealer = Dealer::new(all, 1, &ranges, 99);
            let fields: Vec<Dealt> = ranges.iter().zip(5..).map(|(last, key)| dealer.deal(*last, key)).collect();
            let hands: HashSet<Vec<u128>> =
                (0..20_000).map(|f| fields.iter().map(|field| field.at(f)).collect()).collect();
            assert_eq!(hands.len(), 20_000, "{ranges:?}");
            let highest = (0..20_000).map(|f| fields[fields.len() - 1].at(f)).max().unwrap_or(0);
            assert!(highest > ranges[ranges.len() - 1] / 10 * 9, "the whole range is drawn from");
        }
    }
}
