//! The top of a graph's axis. Axes start at 0, grow at once, and shrink only when asked or after 30 s,
//! so a curve never jumps because its scale did.

const SHRINK_AFTER_NS: u64 = 30_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    top: f64,
    /// Since when a lower top would have done.
    lower_since_ns: Option<u64>,
}

impl Default for Axis {
    fn default() -> Self {
        Self { top: 1.0, lower_since_ns: None }
    }
}

impl Axis {
    pub fn top(&self) -> f64 {
        self.top
    }

    /// `greatest` is the greatest value in sight.
    pub fn fit(&mut self, now_ns: u64, greatest: f64) {
        let wanted = nice_above(greatest);
        if wanted >= self.top {
            *self = Self { top: wanted, lower_since_ns: None };
            return;
        }
        let since = *self.lower_since_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since) >= SHRINK_AFTER_NS {
            *self = Self { top: wanted, lower_since_ns: None };
        }
    }

    pub fn fit_now(&mut self, greatest: f64) {
        *self = Self { top: nice_above(greatest), lower_since_ns: None };
    }
}

/// The least of 1, 1.2, 1.6, 2, 3, 4, 6, 8 × 10ⁿ that leaves some air above the value; its half is round too.
fn nice_above(value: f64) -> f64 {
    let value = if value.is_finite() && value > 0.0 { value * 1.02 } else { return 1.0 };
    let decade = 10f64.powf(value.log10().floor());
    [1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 6.0, 8.0]
        .iter()
        .map(|m| m * decade)
        .find(|top| *top >= value)
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn an_axis_grows_at_once_and_shrinks_late() {
        let mut axis = Axis::default();
        axis.fit(0, 1_130_000.0);
        assert_eq!(axis.top(), 1_200_000.0);
        axis.fit(SECOND, 400.0);
        axis.fit(30 * SECOND, 400.0);
        assert_eq!(axis.top(), 1_200_000.0);
        axis.fit(31 * SECOND, 400.0);
        assert_eq!(axis.top(), 600.0);
        axis.fit(32 * SECOND, 590.0);
        axis.fit_now(10.0);
        assert_eq!(axis.top(), 12.0);
    }

    #[test]
    fn no_value_makes_an_axis_of_nothing() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut axis = Axis::default();
            axis.fit_now(value);
            assert_eq!(axis.top(), 1.0);
        }
    }
}
