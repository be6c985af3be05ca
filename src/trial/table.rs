//! Slices become rows: a figure for each setting with its spread, and what is different from another row.

use crate::stats::{Counts, cost_ns, mean_and_variance, t_975};

use super::{Row, Set, sample::drop_outliers};

/// A slice further than this many scaled MADs from the median of its setting is left out.
pub const OUTLIER_MADS: f64 = 5.0;

/// What one slice measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Which setting, by its place in the grid.
    pub arm: usize,
    pub elapsed_ns: u64,
    pub left: u64,
    /// `None`: nobody can tell.
    pub dropped: Option<u64>,
    /// `None`: nothing completed.
    pub cost_ns: Option<f64>,
}

/// The counters where a slice begins or ends.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    pub at_ns: u64,
    pub total: Counts,
    /// `None`: nobody can tell.
    pub dropped: Option<u64>,
}

impl Mark {
    /// The slice from here to `end`. Left is the senders' own sum: a device that tells its counters late would lend one
    /// slice's packets to the next. Whether the device agrees is seen when all is over.
    pub fn slice_to(&self, end: &Mark, arm: usize) -> Slice {
        Slice {
            arm,
            elapsed_ns: end.at_ns.saturating_sub(self.at_ns),
            left: end.total.left().saturating_sub(self.total.left()),
            dropped: end.dropped.zip(self.dropped).map(|(end, begin)| end.saturating_sub(begin)),
            cost_ns: cost_ns(&self.total, &end.total),
        }
    }
}

/// One row a setting, in the order of the grid. A row's `cost_ns` is the mean of its slices that count. Its spread comes
/// from all settings together: in relation to their means they scatter alike, and what a whole round has in common (the
/// machine was slower then) is taken off first. Three slices of one setting alone would say next to nothing.
pub fn rows(arms: &[Vec<Set>], slices: &[Slice]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(arms.len());
    let mut costs: Vec<Vec<Option<f64>>> = Vec::with_capacity(arms.len());
    for (arm, set) in arms.iter().enumerate() {
        let own: Vec<&Slice> = slices.iter().filter(|slice| slice.arm == arm).collect();
        let kept = kept(&own);
        rows.push(row(set, &own, &kept));
        costs.push(kept);
    }
    let scatter = scatter(&costs);
    for row in &mut rows {
        let margin = scatter.map(|scatter| t_975(scatter.freedom) * scatter.deviation / (row.slices as f64).sqrt());
        row.spread_ns = row.cost_ns.zip(margin).map(|(cost_ns, margin)| cost_ns * margin).filter(|ns| ns.is_finite());
    }
    rows
}

/// The costs of one setting, round after round; `None` for a slice that is left out or has none.
fn kept(slices: &[&Slice]) -> Vec<Option<f64>> {
    let all: Vec<f64> = slices.iter().filter_map(|slice| slice.cost_ns).collect();
    let good = drop_outliers(&all, OUTLIER_MADS).figures;
    slices.iter().map(|slice| slice.cost_ns.filter(|cost| good.contains(cost))).collect()
}

fn row(set: &[Set], slices: &[&Slice], kept: &[Option<f64>]) -> Row {
    // A slice that was disturbed says nothing about the rate either.
    let good = || slices.iter().zip(kept).filter(|(slice, kept)| kept.is_some() || slice.cost_ns.is_none());
    let left: u64 = good().map(|(slice, _)| slice.left).sum();
    let elapsed_ns: u64 = good().map(|(slice, _)| slice.elapsed_ns).sum();
    let pps = Some(left as f64 * 1e9 / elapsed_ns as f64).filter(|pps| pps.is_finite());
    let costs: Vec<f64> = kept.iter().flatten().copied().collect();
    Row {
        set: set.to_vec(),
        pps,
        cost_ns: Some(mean_and_variance(&costs).0).filter(|mean| mean.is_finite()),
        gap_ns: pps.map(|pps| 1e9 / pps).filter(|gap| gap.is_finite()),
        spread_ns: None,
        slices: costs.len(),
        outliers: slices.iter().filter(|slice| slice.cost_ns.is_some()).count() - costs.len(),
        left: slices.iter().map(|slice| slice.left).sum(),
        dropped: slices.iter().map(|slice| slice.dropped).sum(),
    }
}

/// How far a slice lies from the mean of its setting, as a share of that.
#[derive(Clone, Copy)]
struct Scatter {
    deviation: f64,
    freedom: f64,
}

/// `None` with too few slices to say.
fn scatter(costs: &[Vec<Option<f64>>]) -> Option<Scatter> {
    let rounds = costs.iter().map(Vec::len).max()?;
    let mut away: Vec<Vec<Option<f64>>> = costs.iter().map(|costs| less_mean(&logs(costs))).collect();
    let settings = costs.iter().filter(|costs| costs.iter().any(Option::is_some)).count();
    // With one setting a round has nothing in common with anything.
    let common = if settings > 1 { rounds - 1 } else { 0 };
    for round in (0..rounds).filter(|_| settings > 1) {
        let column: Vec<Option<f64>> = away.iter().map(|row| row.get(round).copied().flatten()).collect();
        let column = less_mean(&column);
        away.iter_mut().zip(column).filter(|(row, _)| round < row.len()).for_each(|(row, value)| row[round] = value);
    }
    let residues: Vec<f64> = away.into_iter().flatten().flatten().collect();
    let freedom = residues.len().checked_sub(settings + common).filter(|freedom| *freedom > 0)? as f64;
    let squares: f64 = residues.iter().map(|residue| residue * residue).sum();
    Some(Scatter { deviation: (squares / freedom).sqrt(), freedom })
}

fn logs(costs: &[Option<f64>]) -> Vec<Option<f64>> {
    costs.iter().map(|cost| cost.filter(|cost| *cost > 0.0).map(f64::ln)).collect()
}

/// Each less the mean of those that are there.
fn less_mean(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let there: Vec<f64> = values.iter().flatten().copied().collect();
    let mean = there.iter().sum::<f64>() / there.len().max(1) as f64;
    values.iter().map(|value| value.map(|value| value - mean)).collect()
}

/// What `to` costs more than `from`, in nanoseconds a packet, and half of the 95 % interval of that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    pub ns: f64,
    /// `None`: too few slices to say.
    pub margin_ns: Option<f64>,
}

impl Change {
    /// Inside the margin: nobody can say that there is a difference.
    pub fn is_noise(&self) -> bool {
        self.margin_ns.is_some_and(|margin_ns| self.ns.abs() <= margin_ns)
    }
}

/// `None` where one of them has no figure.
pub fn change(from: &Row, to: &Row) -> Option<Change> {
    let ns = to.cost_ns? - from.cost_ns?;
    Some(Change { ns, margin_ns: from.spread_ns.zip(to.spread_ns).map(|(a, b)| a.hypot(b)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(arm: usize, cost_ns: f64) -> Slice {
        Slice { arm, elapsed_ns: 1_000_000_000, left: 1000, dropped: Some(1), cost_ns: Some(cost_ns) }
    }

    fn two(slices: &[Slice]) -> Vec<Row> {
        let set = |value: &str| vec![Set { key: "tx.burst".into(), value: value.into() }];
        rows(&[set("1"), set("2")], slices)
    }

    #[test]
    fn what_did_not_leave_is_not_in_a_slice() {
        let counts = |completed, dropped, busy_ns| Counts { completed, dropped, busy_ns, ..Counts::default() };
        let begin = Mark { at_ns: 100, total: counts(10, 1, 50), dropped: Some(1) };
        let end = Mark { at_ns: 300, total: counts(30, 6, 90), dropped: Some(6) };
        let slice = begin.slice_to(&end, 2);
        assert_eq!((slice.arm, slice.elapsed_ns, slice.left, slice.dropped), (2, 200, 15, Some(5)));
        assert_eq!(slice.cost_ns, Some(2.0));
        assert_eq!(begin.slice_to(&Mark { dropped: None, ..end }, 0).dropped, None);
    }

    #[test]
    fn a_row_is_a_mean_with_the_spread_of_all() {
        let table =
            two(&[slice(0, 99.0), slice(1, 50.0), slice(0, 100.0), slice(1, 50.2), slice(0, 101.0), slice(1, 49.8)]);
        assert_eq!((table[0].cost_ns, table[0].slices, table[0].outliers), (Some(100.0), 3, 0));
        assert_eq!((table[0].pps, table[0].left, table[0].dropped), (Some(1000.0), 3000, Some(3)));
        let share = |row: &Row| row.spread_ns.unwrap() / row.cost_ns.unwrap();
        assert!((share(&table[0]) - share(&table[1])).abs() < 1e-9);
        // One setting: t for two degrees of freedom is 4.303, the standard error of the logs 0.01/√3.
        let alone = rows(&[table[0].set.clone()], &[slice(0, 99.0), slice(0, 100.0), slice(0, 101.0)]);
        assert!((alone[0].spread_ns.unwrap() - 2.485).abs() < 0.01, "{:?}", alone[0].spread_ns);
        assert_eq!(two(&[slice(0, 99.0), slice(1, 50.0)])[0].spread_ns, None);
    }

    #[test]
    fn what_a_round_has_in_common_is_no_spread() {
        let drifting: Vec<Slice> = (0..4)
            .flat_map(|round| [slice(0, 100.0 * 1.1f64.powi(round)), slice(1, 50.0 * 1.1f64.powi(round))])
            .collect();
        let table = two(&drifting);
        assert!(table[0].spread_ns.unwrap() < 1e-9, "{:?}", table[0].spread_ns);
    }

    #[test]
    fn a_disturbed_slice_is_left_out_and_told() {
        let table = two(&[slice(0, 99.0), slice(0, 100.0), slice(0, 101.0), slice(0, 100.5), slice(0, 400.0)]);
        assert_eq!((table[0].slices, table[0].outliers), (4, 1));
        assert!(table[0].cost_ns.unwrap() < 101.0);
    }

    #[test]
    fn nothing_sent_has_no_figures() {
        let nothing = Slice { arm: 0, elapsed_ns: 1_000_000, left: 0, dropped: None, cost_ns: None };
        let table = two(&[nothing]);
        assert_eq!((table[0].cost_ns, table[0].gap_ns, table[0].dropped), (None, None, None));
        assert_eq!((table[1].pps, table[1].slices), (None, 0));
        assert_eq!(change(&table[0], &table[1]), None);
    }

    #[test]
    fn a_difference_inside_its_margin_is_noise() {
        let wide = two(&[slice(0, 90.0), slice(0, 110.0), slice(1, 95.0), slice(1, 112.0)]);
        assert!(change(&wide[0], &wide[1]).unwrap().is_noise());
        let near = two(&[slice(0, 90.0), slice(0, 90.1), slice(1, 50.0), slice(1, 50.1)]);
        let change = change(&near[0], &near[1]).unwrap();
        assert!(!change.is_noise() && (change.ns + 40.0).abs() < 1e-9);
    }
}
