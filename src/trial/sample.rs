//! The middle of some figures, and the policy for outliers.

use crate::stats::median;

/// A scaled MAD estimates the standard deviation of normal noise.
const MAD_SCALE: f64 = 1.4826;

/// Figures that stay, in their order, and how many were dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub figures: Vec<f64>,
    pub dropped: usize,
}

/// Drops figures more than `limit` scaled MADs from the median. None is dropped where most figures are the same (a MAD
/// of nothing would call every other one an outlier), nor if more than a quarter would go: so many are the spread.
pub fn drop_outliers(figures: &[f64], limit: f64) -> Kept {
    let all = || Kept { figures: figures.to_vec(), dropped: 0 };
    let Some(middle) = median(figures) else { return all() };
    let distances: Vec<f64> = figures.iter().map(|figure| (figure - middle).abs()).collect();
    let Some(mad) = median(&distances).filter(|mad| *mad > 0.0) else { return all() };
    let near = |figure: &f64| (figure - middle).abs() <= limit * MAD_SCALE * mad;
    let figures_kept: Vec<f64> = figures.iter().copied().filter(near).collect();
    let dropped = figures.len() - figures_kept.len();
    if dropped * 4 > figures.len() { all() } else { Kept { figures: figures_kept, dropped } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_figure_is_dropped_and_counted() {
        let kept = drop_outliers(&[10.0, 11.0, 9.0, 10.5, 90.0], 5.0);
        assert_eq!(kept, Kept { figures: vec![10.0, 11.0, 9.0, 10.5], dropped: 1 });
        assert_eq!(drop_outliers(&[5.0, 5.0, 5.0, 6.0], 5.0).dropped, 0);
    }

    #[test]
    fn many_far_figures_are_the_spread() {
        assert_eq!(drop_outliers(&[10.0, 10.1, 9.9, 10.2, 80.0, 90.0], 5.0).dropped, 0);
    }
}
