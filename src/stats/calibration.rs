//! What primitives cost on a CPU, as figures with their spread.

use super::median;

/// One CPU's table.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    pub cpu: u32,
    /// The CPU that contended for a line with it.
    pub other_cpu: Option<u32>,
    /// Whether a hypervisor may have taken the CPU away unseen.
    pub is_virtual: bool,
    /// In the order in which they are shown.
    pub primitives: Vec<Primitive>,
}

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Primitive {
    /// For scripts: `locked_add`.
    pub name: &'static str,
    /// For people, at most 23 characters.
    pub what: &'static str,
    /// Or why it could not be measured here.
    pub cost: Result<Spread, String>,
}

/// Nanoseconds an operation over many rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median_ns: f64,
    pub least_ns: f64,
    /// Nine rounds in ten took no longer.
    pub p90_ns: f64,
    pub rounds: usize,
}

/// On a quiet machine nine rounds in ten lie within a few per cent of the median.
const NOISY: f64 = 1.25;

impl Spread {
    /// `None`: no round at all.
    pub fn of(mut rounds_ns: Vec<f64>) -> Option<Spread> {
        rounds_ns.sort_by(f64::total_cmp);
        let median_ns = median(&rounds_ns)?;
        let p90_ns = rounds_ns[(rounds_ns.len() * 9).div_ceil(10) - 1];
        Some(Spread { median_ns, least_ns: rounds_ns[0], p90_ns, rounds: rounds_ns.len() })
    }
}

impl Calibration {
    pub fn cost(&self, name: &str) -> Option<Spread> {
        self.primitives.iter().find(|primitive| primitive.name == name)?.cost.as_ref().ok().copied()
    }

    /// What is not contended and still spreads widely: something else had the CPU in between.
    pub fn noisy(&self) -> Vec<&'static str> {
        let is_noisy = |primitive: &&Primitive| {
            let spread = primitive.cost.as_ref().ok().filter(|_| primitive.name != "contended_add");
            spread.is_some_and(|spread| spread.p90_ns > NOISY * spread.median_ns)
        };
        self.primitives.iter().filter(is_noisy).map(|primitive| primitive.what).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_median_least_and_the_ninth_of_ten() {
        let spread = |rounds: &[f64]| Spread::of(rounds.to_vec());
        let ten = spread(&[10.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 4.0, 6.0, 5.0]);
        assert_eq!(ten, Some(Spread { median_ns: 5.5, least_ns: 1.0, p90_ns: 9.0, rounds: 10 }));
        assert_eq!(spread(&[2.0]), Some(Spread { median_ns: 2.0, least_ns: 2.0, p90_ns: 2.0, rounds: 1 }));
        assert_eq!(spread(&[1.0, 3.0, 2.0]).map(|s| (s.median_ns, s.p90_ns)), Some((2.0, 3.0)));
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn a_contended_line_may_spread_and_others_may_not() {
        let primitive = |name, p90_ns| Primitive {
            name,
            what: name,
            cost: Ok(Spread { median_ns: 2.0, least_ns: 1.9, p90_ns, rounds: 9 }),
        };
        let primitives = vec![primitive("locked_add", 2.1), primitive("contended_add", 9.0), primitive("barrier", 3.0)];
        let table = Calibration { cpu: 1, other_cpu: Some(0), is_virtual: false, primitives };
        assert_eq!(table.noisy(), ["barrier"]);
        assert_eq!((table.cost("barrier").map(|s| s.p90_ns), table.cost("kick")), (Some(3.0), None));
    }
}
