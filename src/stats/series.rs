//! A graph's memory: a ring of fixed length. A column keeps the least and the greatest value in it,
//! so a spike of one tick survives any zoom.

use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    at_ns: u64,
    value: f64,
}

/// One column of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
}

/// The last `capacity` values of one figure with the instants they were taken at.
#[derive(Debug, Clone)]
pub struct Series {
    points: VecDeque<Point>,
    capacity: usize,
}

impl Series {
    /// All memory is taken now; a series never grows.
    pub fn new(capacity: usize) -> Self {
        Self { points: VecDeque::with_capacity(capacity), capacity }
    }

    /// Instants must not go backwards; a value that is not finite is left out (the graph shows a gap).
    pub fn push(&mut self, at_ns: u64, value: f64) {
        if !value.is_finite() {
            return;
        }
        if self.points.len() == self.capacity {
            self.points.pop_front();
        }
        self.points.push_back(Point { at_ns, value });
    }

    /// `width` columns that end at `now_ns`, oldest first; `None` where nothing was taken. Columns are cut at
    /// multiples of their own length, so a value never hops between two of them as time goes on.
    pub fn columns(&self, now_ns: u64, window_ns: u64, width: usize) -> Vec<Option<Column>> {
        let mut columns = vec![None; width];
        let column_ns = (window_ns / width.max(1) as u64).max(1);
        let last = now_ns / column_ns;
        for point in self.points.iter().rev() {
            let age = last.saturating_sub(point.at_ns / column_ns);
            let Some(index) = usize::try_from(age).ok().and_then(|age| (width.checked_sub(1)?).checked_sub(age)) else {
                break;
            };
            let cell: &mut Option<(Column, u32)> = &mut columns[index];
            *cell = Some(match cell.take() {
                None => (Column { min: point.value, max: point.value, mean: point.value }, 1),
                Some((column, n)) => (column.with(point.value, n), n + 1),
            });
        }
        columns.into_iter().map(|cell| cell.map(|(column, _)| column)).collect()
    }

    /// Mean of the values taken in the last `window_ns`; `None` when there is none.
    pub fn mean(&self, now_ns: u64, window_ns: u64) -> Option<f64> {
        let since = now_ns.saturating_sub(window_ns);
        let recent = self.points.iter().rev().take_while(|point| point.at_ns > since);
        let (sum, n) = recent.fold((0.0, 0u32), |(sum, n), point| (sum + point.value, n + 1));
        (n > 0).then(|| sum / f64::from(n))
    }

    /// Values from `from_ns` (exclusive) to `to_ns` (inclusive), oldest first.
    pub fn between(&self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = f64> + '_ {
        // Instants are in order; an hour of ticks is not walked for the last seconds of it.
        let start = self.points.partition_point(|point| point.at_ns <= from_ns);
        let end = self.points.partition_point(|point| point.at_ns <= to_ns).max(start);
        self.points.range(start..end).map(|point| point.value)
    }

    pub fn last(&self) -> Option<f64> {
        self.points.back().map(|point| point.value)
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub fn clear(&mut self) {
        self.points.clear();
    }
}

impl Column {
    fn with(self, value: f64, n: u32) -> Self {
        Self {
            min: self.min.min(value),
            max: self.max.max(value),
            mean: self.mean + (value - self.mean) / f64::from(n + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_spike_of_one_tick_survives_any_zoom() {
        let mut series = Series::new(600);
        for tick in 0..600u64 {
            series.push(tick * SECOND / 10, if tick == 300 { 9.0 } else { 1.0 });
        }
        for width in [1, 7, 60, 600] {
            let columns = series.columns(599 * SECOND / 10, 60 * SECOND, width);
            assert_eq!(columns.len(), width);
            assert!(columns.iter().flatten().any(|column| column.max == 9.0), "width {width}");
        }
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_goes_first() {
        let mut series = Series::new(3);
        (0..10).for_each(|i| series.push(i, i as f64));
        assert_eq!(series.between(0, 100).collect::<Vec<_>>(), [7.0, 8.0, 9.0]);
    }

    #[test]
    fn what_does_not_exist_is_a_gap() {
        let mut series = Series::new(3);
        series.push(SECOND, f64::NAN);
        series.push(SECOND, f64::INFINITY);
        assert!(series.is_empty());
        assert_eq!(series.mean(SECOND, SECOND), None);
        assert_eq!(series.columns(SECOND, SECOND, 2), [None, None]);
        assert_eq!(series.columns(0, 0, 0), []);
    }

    #[test]
    fn a_value_stays_in_its_column_while_time_goes_on_within_it() {
        let mut series = Series::new(8);
        series.push(5 * SECOND, 1.0);
        let early = series.columns(10 * SECOND, 10 * SECOND, 10);
        let late = series.columns(10 * SECOND + SECOND / 2, 10 * SECOND, 10);
        assert_eq!(early, late);
    }
}
