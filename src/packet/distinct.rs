//! How many different frames a flow can make: what a person asks who looks at a sweep.

use crate::profile::Order;

use super::vary::Form;

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
}

impl Distinct {
    pub(super) fn new(order: Order) -> Distinct {
        Distinct { order, period: 1, pace: 0, walks: 1, draws: 1 }
    }

    /// Takes one more field into account.
    pub(super) fn add(&mut self, form: &Form) {
        let (every, positions, values) = match form {
            Form::Fixed(_) => return,
            Form::Random { low, high, .. } => {
                self.draws = self.draws.saturating_mul((high - low).saturating_add(1));
                return;
            }
            Form::Sweep { last, every, .. } => (*every, last.saturating_add(1), last.saturating_add(1)),
            Form::List { values, every } => (*every, values.len() as u128, different(values)),
        };
        let every = u128::from(every.max(1));
        self.period = common_multiple(self.period, every.saturating_mul(positions));
        self.pace = common_divisor(self.pace, every);
        self.walks = self.walks.saturating_mul(values);
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
    use super::Distinct;
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
    fn random_fields_multiply() {
        let random = Form::Random { low: 1024, high: 65535, every: 1 };
        assert_eq!(builds(Order::Together, &[random, sweep(2, 1)]), Some(64512 * 2));
        let whole = Form::Random { low: 0, high: u128::MAX, every: 1 };
        assert_eq!(builds(Order::Together, &[whole, sweep(2, 1)]), None);
    }
}
