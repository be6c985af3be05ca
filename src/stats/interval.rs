//! The middle of some figures, their mean, and what its interval is made of.

/// The middle figure, or the mean of the two in the middle. `None` of nothing.
pub fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// Mean and sample variance (n − 1); not a number with too few samples.
pub fn mean_and_variance(samples: &[f64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let squares: f64 = samples.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, squares / (n - 1.0))
}

/// Student's t, two-sided 95 %: a table below 7 degrees of freedom (rounded down, at least 1), above it Cornish and
/// Fisher's expansion, good to 1 %.
pub fn t_975(freedom: f64) -> f64 {
    const FEW: [f64; 6] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447];
    const Z: f64 = 1.959_964;
    let v = freedom;
    if v < 7.0 {
        return FEW[(v.clamp(1.0, 6.0) as usize) - 1];
    }
    let (z3, z5) = (Z.powi(3), Z.powi(5));
    Z + (z3 + Z) / (4.0 * v) + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn students_t_is_students_t() {
        for (freedom, t) in
            [(1.0, 12.706), (2.9, 4.303), (5.0, 2.571), (7.0, 2.365), (10.0, 2.228), (30.0, 2.042), (1e6, 1.960)]
        {
            assert!((t_975(freedom) - t).abs() < 0.005 * t, "{freedom}: {}", t_975(freedom));
        }
    }
}
