//! What a change did: settled samples on both sides, their means, and the difference with its 95 % interval.

use crate::stats::{Series, mean_and_variance, t_975};

use super::knobs::Knob;

/// A knob turned while packets flowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub at_ns: u64,
    pub knob: Knob,
    pub label: String,
    pub from: String,
    pub to: String,
}

/// Samples right after a start or a change say something of the change, not of the new state.
pub const SETTLE_NS: u64 = 500_000_000;
/// As many seconds on each side as are looked at.
const WINDOW_NS: u64 = 10_000_000_000;
/// Fewer samples make no interval worth printing.
const LEAST_SAMPLES: usize = 8;

/// Settled samples of one steady state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    pub cost_ns: Vec<f64>,
    pub left_pps: Vec<f64>,
}

impl Side {
    /// Of a state that began at `since_ns`, as seen until `until_ns`; the latest `WINDOW_NS` of it.
    pub fn before(cost: &Series, left: &Series, since_ns: u64, until_ns: u64) -> Self {
        let from = (since_ns + SETTLE_NS).max(until_ns.saturating_sub(WINDOW_NS));
        Self { cost_ns: cost.between(from, until_ns).collect(), left_pps: left.between(from, until_ns).collect() }
    }

    /// Of a state that began at `since_ns`; the first `WINDOW_NS` of it.
    pub fn after(cost: &Series, left: &Series, since_ns: u64) -> Self {
        let from = since_ns + SETTLE_NS;
        let until = from + WINDOW_NS;
        Self { cost_ns: cost.between(from, until).collect(), left_pps: left.between(from, until).collect() }
    }

    pub fn is_settled(&self) -> bool {
        self.cost_ns.len() >= LEAST_SAMPLES
    }
}

/// Two means and what lies between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    pub before: f64,
    pub after: f64,
    /// Half width of the 95 % interval of `after − before`.
    pub half: f64,
}

impl Comparison {
    /// Welch's interval. `None` with too few samples on either side.
    pub fn of(before: &[f64], after: &[f64]) -> Option<Self> {
        if before.len() < LEAST_SAMPLES || after.len() < LEAST_SAMPLES {
            return None;
        }
        let ((mean_a, var_a), (mean_b, var_b)) = (mean_and_variance(before), mean_and_variance(after));
        let (n_a, n_b) = (before.len() as f64, after.len() as f64);
        let (e_a, e_b) = (var_a / n_a, var_b / n_b);
        let error = (e_a + e_b).sqrt();
        let freedom = match e_a * e_a / (n_a - 1.0) + e_b * e_b / (n_b - 1.0) {
            0.0 => n_a + n_b - 2.0,
            below => (e_a + e_b) * (e_a + e_b) / below,
        };
        Some(Self { before: mean_a, after: mean_b, half: t_975(freedom) * error })
    }

    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    pub fn is_noise(&self) -> bool {
        self.difference().abs() <= self.half
    }

    pub fn percent(&self) -> Option<f64> {
        (self.before > 0.0).then(|| self.difference() / self.before * 100.0)
    }
}

/// The last change and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub change: Change,
    /// A baseline set by hand, named by the knobs it was taken with; else the state just before the change.
    pub against: Option<String>,
    pub finding: Finding,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finding {
    /// The new state has not settled yet.
    Waiting,
    /// The old state had not settled: nothing to compare with.
    NoBefore,
    Judged {
        cost_ns: Comparison,
        left_pps: Option<Comparison>,
    },
}

/// Compares two sides as far as they have settled.
pub fn judge(before: &Side, after: &Side) -> Finding {
    if !before.is_settled() {
        return Finding::NoBefore;
    }
    match Comparison::of(&before.cost_ns, &after.cost_ns) {
        None => Finding::Waiting,
        Some(cost_ns) => Finding::Judged { cost_ns, left_pps: Comparison::of(&before.left_pps, &after.left_pps) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_from_noise() {
        let around = |mean: f64| (0..20).map(|i| mean + f64::from(i % 5) - 2.0).collect::<Vec<_>>();
        let real = Comparison::of(&around(1590.0), &around(890.0)).unwrap();
        assert!(!real.is_noise() && (real.difference() + 700.0).abs() < 1e-9 && real.half < 2.0);
        let noise = Comparison::of(&around(890.0), &around(890.3)).unwrap();
        assert!(noise.is_noise());
        assert_eq!(Comparison::of(&[1.0; 3], &around(1.0)), None);
    }

    #[test]
    fn samples_that_never_differ_make_an_interval_of_nothing() {
        let same = Comparison::of(&[5.0; 10], &[5.0; 10]).unwrap();
        assert!(same.is_noise() && same.half == 0.0);
        assert!(!Comparison::of(&[5.0; 10], &[6.0; 10]).unwrap().is_noise());
    }

    #[test]
    fn only_settled_samples_count() {
        let (mut cost, left) = (Series::new(100), Series::new(100));
        (0..40u64).for_each(|tick| cost.push(tick * 100_000_000, if tick < 20 { 10.0 } else { 20.0 }));
        let at = 1_950_000_000;
        let before = Side::before(&cost, &left, 0, at);
        let after = Side::after(&cost, &left, at);
        assert!(before.cost_ns.iter().all(|v| *v == 10.0) && before.cost_ns.len() == 14);
        assert!(after.cost_ns.iter().all(|v| *v == 20.0) && after.cost_ns.len() == 15);
    }
}
