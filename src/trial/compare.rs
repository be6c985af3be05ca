//! Two sides measured in turn: which costs less, or that there is no difference.

use serde::Serialize;

use crate::stats::{mean_and_variance, t_975};

use super::{
    sample::drop_outliers,
    schedule::{Block, Side},
};

/// Whole blocks this many scaled MADs from the median are dropped. Wide: a tight limit narrows the interval falsely.
const OUTLIER_MADS: f64 = 8.0;
/// Fewer make no interval worth printing: below 5 degrees of freedom `t_975` is too small.
const LEAST_BLOCKS: usize = 6;

/// What B costs against A, as a share of A: 0.05 is 5 % more. The ends are those of the 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    pub change: f64,
    pub least: f64,
    pub most: f64,
    pub blocks_used: usize,
    pub blocks_dropped: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    NoDifference,
    Cheaper(Side),
}

impl Comparison {
    pub fn verdict(&self) -> Verdict {
        match (self.least, self.most) {
            (least, _) if least > 0.0 => Verdict::Cheaper(Side::A),
            (_, most) if most < 0.0 => Verdict::Cheaper(Side::B),
            _ => Verdict::NoDifference,
        }
    }
}

/// Judges blocks with the `cost_ns` of their slices. A block with a slice that sent nothing (a cost that is not above
/// zero) counts as dropped. `None` if fewer than six blocks are left.
pub fn compare(measured: &[(Block, [f64; 4])]) -> Option<Comparison> {
    let differences: Vec<f64> = measured.iter().filter_map(|(block, costs)| log_difference(block, costs)).collect();
    let kept = drop_outliers(&differences, OUTLIER_MADS);
    let used = kept.figures.len();
    if used < LEAST_BLOCKS {
        return None;
    }
    let (mean, variance) = mean_and_variance(&kept.figures);
    let half = t_975(used as f64 - 1.0) * (variance / used as f64).sqrt();
    Some(Comparison {
        change: mean.exp_m1(),
        least: (mean - half).exp_m1(),
        most: (mean + half).exp_m1(),
        blocks_used: used,
        blocks_dropped: measured.len() - used,
    })
}

/// Mean log cost of B less that of A.
fn log_difference(block: &Block, costs: &[f64; 4]) -> Option<f64> {
    let is_cost = |cost: &f64| cost.is_finite() && *cost > 0.0;
    let signed = |(side, cost): (&Side, &f64)| if *side == Side::B { cost.ln() } else { -cost.ln() };
    costs.iter().all(is_cost).then(|| block.iter().zip(costs).map(signed).sum::<f64>() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{blocks, random::Random};

    const BLOCKS: usize = 8;

    /// Standard normal, by Box and Muller.
    fn normal(random: &mut Random) -> f64 {
        let mut unit = || (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        let (u, v) = (1.0 - unit(), unit());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// 100 ns with 3 % log-normal noise a slice and 15 % linear drift; B costs `ratio` times as much.
    fn trial(seed: u64, ratio: f64) -> Comparison {
        let mut noise = Random::new(seed ^ 0x5EED_0000_0000_0000);
        let mut slice = 0.0;
        let mut cost = |side: Side| {
            let drift = 1.0 + 0.15 * slice / (4.0 * BLOCKS as f64);
            slice += 1.0;
            let factor = if side == Side::B { ratio } else { 1.0 };
            100.0 * drift * factor * (0.03 * normal(&mut noise)).exp()
        };
        let measured: Vec<_> = blocks(BLOCKS, seed).into_iter().map(|block| (block, block.map(&mut cost))).collect();
        compare(&measured).unwrap()
    }

    #[test]
    fn equal_sides_show_no_difference_and_five_percent_is_found() {
        let count = |ratio, verdict| (0..1000).filter(|seed| trial(*seed, ratio).verdict() == verdict).count();
        let (equal, found) = (count(1.0, Verdict::NoDifference), count(1.05, Verdict::Cheaper(Side::A)));
        println!("seeds 0..1000: no difference {equal}, 5 % found {found}");
        assert!((930..=970).contains(&equal), "no difference in {equal} of 1000");
        assert!(found >= 950, "5 % found in {found} of 1000");
    }

    #[test]
    fn a_disturbed_or_silent_block_is_dropped_and_told() {
        let block = blocks(1, 1)[0];
        let steady = |i: usize| (block, [100.0 + i as f64, 100.0, 101.0, 100.0]);
        let mut measured: Vec<_> = (0..8).map(steady).collect();
        measured[2].1[0] = 900.0;
        measured[5].1[1] = 0.0;
        let comparison = compare(&measured).unwrap();
        assert_eq!((comparison.blocks_used, comparison.blocks_dropped), (6, 2));
        assert_eq!(compare(&measured[..4]), None);
    }
}
