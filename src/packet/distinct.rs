//! How many different frames a flow can make, and how many a run of builds really holds: what a person asks who
//! looks at a sweep.

use crate::profile::{Conversations, Order, TurnOrder, imix};

use super::vary::Form;

/// How much the frames of a flow differ, or only their addresses and ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variety {
    /// Different ones before one comes again, at most; `None`: 2^64 or more.
    pub distinct: Option<u64>,
    /// Builds that the fastest field stands still for; `None`: nothing varies.
    hold: Option<u64>,
    chance: Chance,
}

/// Which of the different ones comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chance {
    Walked,
    Drawn,
    /// Shuffled with so many packets of each.
    Shuffled {
        length: u32,
    },
}

impl Variety {
    /// How many different ones `builds` builds in a row hold: of random fields the expected number.
    pub fn among(&self, builds: f64) -> f64 {
        let moves = self.hold.map_or(0.0, |hold| builds / hold.max(1) as f64).max(1.0).min(builds);
        let distinct = self.distinct.map_or(u64::MAX as f64, |distinct| distinct as f64);
        match self.chance {
            Chance::Drawn => -distinct * (-moves / distinct).exp_m1(),
            Chance::Walked => moves.min(distinct),
            Chance::Shuffled { length } => {
                let missed = (1.0 - builds / (distinct * f64::from(length))).clamp(0.0, 1.0);
                (distinct * (1.0 - missed.powf(f64::from(length)))).min(builds)
            }
        }
    }
}

/// Counts over the fields of one flow. Figures saturate; what exceeds 64 bits is not told anyway.
#[derive(Debug)]
pub(super) struct Distinct {
    order: Order,
    /// Builds until all walking fields stand as at first.
    period: u128,
    /// Every walking field stands still for a multiple of this many builds.
    pace: u128,
    /// Combinations of the walking fields' values.
    walks: u128,
    draws: u128,
    hold: Option<u64>,
    chance: Chance,
}

impl Distinct {
    pub(super) fn new(order: Order) -> Distinct {
        Distinct { order, period: 1, pace: 0, walks: 1, draws: 1, hold: None, chance: Chance::Walked }
    }

    /// Takes one more field into account.
    pub(super) fn add(&mut self, form: &Form) {
        let (every, positions, values) = match form {
            Form::Fixed(_) => return,
            Form::Random { .. } | Form::Masked { .. } => {
                let last = form.last_drawn().unwrap_or(0);
                self.draws = self.draws.saturating_mul(last.saturating_add(1));
                return;
            }
            // A cycle that begins one entry further every time is as good as no repetition at all.
            Form::Imix { shares, every } => {
                let length = u128::from(imix::cycle(shares));
                let sizes: Vec<u128> = imix::sent(shares).map(|share| share.value).collect();
                (*every, length * length, different(&sizes))
            }
            Form::Sweep { last, every, .. } => (*every, last.saturating_add(1), last.saturating_add(1)),
            Form::List { values, every } => (*every, values.len() as u128, different(values)),
        };
        let every = u128::from(every.max(1));
        self.period = common_multiple(self.period, every.saturating_mul(positions));
        self.pace = common_divisor(self.pace, every);
        self.walks = self.walks.saturating_mul(values);
    }

    /// A field added before moves every `hold` builds.
    pub(super) fn moves(&mut self, hold: u64, is_random: bool) {
        self.hold = Some(self.hold.map_or(hold, |least| least.min(hold)));
        if is_random {
            self.chance = Chance::Drawn;
        }
    }

    /// Takes conversations into account, in place of the fields that tell them apart.
    pub(super) fn converse(&mut self, of: &Conversations) {
        let hold = if of.order == TurnOrder::Sequential { u64::from(of.length) } else { 1 };
        self.add(&Form::Sweep { from: 0, step: 1, last: u128::from(of.count).saturating_sub(1), every: hold });
        if of.count > 1 {
            self.moves(hold, false);
        }
        if of.order == TurnOrder::Random && self.chance == Chance::Walked {
            self.chance = Chance::Shuffled { length: of.length };
        }
    }

    pub(super) fn variety(&self) -> Variety {
        Variety { distinct: self.builds(), hold: self.hold, chance: self.chance }
    }

    pub(super) fn builds(&self) -> Option<u64> {
        let walks = match self.order {
            Order::Nested => self.walks,
            Order::Together => self.walks.min(self.period / self.pace.max(1)),
        };
        u64::try_from(walks.saturating_mul(self.draws)).ok()
    }
}

fn different(values: &[u128]) -> u128 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() as u128
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn common_multiple(a: u128, b: u128) -> u128 {
    (a / common_divisor(a, b).max(1)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::{Chance, Distinct, Variety};
    use crate::{packet::vary::Form, profile::Order};

    fn sweep(positions: u128, every: u64) -> Form<'static> {
        Form::Sweep { from: 0, step: 1, last: positions - 1, every }
    }

    fn builds(order: Order, forms: &[Form]) -> Option<u64> {
        let mut distinct = Distinct::new(order);
        forms.iter().for_each(|form| distinct.add(form));
        distinct.builds()
    }

    #[test]
    fn together_repeats_after_the_common_multiple() {
        assert_eq!(builds(Order::Together, &[]), Some(1));
        assert_eq!(builds(Order::Together, &[sweep(4, 1), sweep(6, 1)]), Some(12));
        assert_eq!(builds(Order::Together, &[sweep(10, 5)]), Some(10));
        assert_eq!(builds(Order::Together, &[sweep(2, 1), sweep(2, 3)]), Some(4));
    }

    #[test]
    fn nested_makes_every_combination() {
        assert_eq!(builds(Order::Nested, &[sweep(4, 1), sweep(6, 9)]), Some(24));
        assert_eq!(builds(Order::Nested, &[sweep(1 << 40, 1), sweep(1 << 40, 1)]), None);
    }

    #[test]
    fn equal_list_entries_make_equal_frames() {
        let list = Form::List { values: &[7, 8, 7], every: 1 };
        assert_eq!(builds(Order::Together, &[list]), Some(2));
    }

    #[test]
    fn c30_a_run_of_builds_holds_as_many_as_chance_gives() {
        let ports = Variety { distinct: Some(64_512), hold: Some(1), chance: Chance::Drawn };
        assert!((ports.among(10_000.0) - 9_260.0).abs() < 10.0, "{}", ports.among(10_000.0));
        assert!((ports.among(100.0) - 99.9).abs() < 0.1);
        let walk = Variety { distinct: Some(10), hold: Some(5), chance: Chance::Walked };
        assert_eq!((walk.among(20.0), walk.among(1e6)), (4.0, 10.0));
        let fixed = Variety { distinct: Some(1), hold: None, chance: Chance::Walked };
        assert_eq!((fixed.among(1e6), fixed.among(0.5), fixed.among(0.0)), (1.0, 0.5, 0.0));
        let endless = Variety { distinct: None, hold: Some(1), chance: Chance::Drawn };
        assert!((endless.among(1e6) - 1e6).abs() < 1.0);
    }

    #[test]
    fn random_fields_multiply() {
        let random = Form::Random { low: 1024, high: 65535, every: 1 };
        assert_eq!(builds(Order::Together, &[random, sweep(2, 1)]), Some(64512 * 2));
        let whole = Form::Random { low: 0, high: u128::MAX, every: 1 };
        assert_eq!(builds(Order::Together, &[whole, sweep(2, 1)]), None);
    }
}
