//! Which burst is enough: the smallest that costs hardly more than the best.

use super::Row;

/// A larger burst is worth it when it saves more than this share.
pub const ENOUGH: f64 = 0.02;

/// What a tuning found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuned {
    pub burst: u32,
    pub cost_ns: f64,
    /// The burst that cost least, and what it cost.
    pub best: u32,
    pub best_ns: f64,
}

impl Tuned {
    /// What it costs more than the best, as a share.
    pub fn over_best(&self) -> f64 {
        (self.cost_ns / self.best_ns - 1.0).max(0.0)
    }
}

/// The smallest burst within [`ENOUGH`] of the best. `None`: fewer than two bursts have a figure, nothing to choose from.
pub fn tune(rows: &[Row]) -> Option<Tuned> {
    let costs: Vec<(u32, f64)> = rows.iter().filter_map(|row| Some((burst(row)?, row.cost_ns?))).collect();
    let (best, best_ns) = costs.iter().copied().filter(|_| costs.len() > 1).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let enough = costs.iter().copied().filter(|(_, cost_ns)| *cost_ns <= best_ns * (1.0 + ENOUGH));
    let (burst, cost_ns) = enough.min_by_key(|(burst, _)| *burst)?;
    Some(Tuned { burst, cost_ns, best, best_ns })
}

fn burst(row: &Row) -> Option<u32> {
    row.set.iter().find(|set| set.key == "tx.burst")?.value.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Set;

    fn row(burst: u32, cost_ns: Option<f64>) -> Row {
        Row { set: vec![Set { key: "tx.burst".into(), value: burst.to_string() }], cost_ns, ..Row::default() }
    }

    #[test]
    fn the_smallest_within_two_percent_is_enough() {
        let rows: Vec<Row> = (0..9).map(|n| row(1 << n, Some(868.0 + 700.0 / f64::from(1 << n)))).collect();
        let tuned = tune(&rows).unwrap();
        // 868 + 700/64 is 0.9 % over 868 + 700/256, 868 + 700/32 is 2.2 %.
        assert_eq!((tuned.burst, tuned.best), (64, 256));
        assert!((tuned.over_best() - 0.0094).abs() < 1e-3, "{}", tuned.over_best());
    }

    #[test]
    fn a_best_that_is_smallest_stays_and_rows_without_figures_are_passed_over() {
        let tuned = tune(&[row(1, Some(100.0)), row(2, None), row(4, Some(150.0))]).unwrap();
        assert_eq!((tuned.burst, tuned.best, tuned.over_best()), (1, 1, 0.0));
        assert_eq!(tune(&[row(1, Some(100.0)), row(2, None)]), None);
        assert_eq!(tune(&[]), None);
    }
}
