//! The Live screen's state around the board: marks of changes, the verdict, the baseline, freeze, zoom and unit.

use crate::{profile::Profile, stats::Series};

use super::{
    axis::Axis,
    board::{Board, Reading},
    knobs,
    verdict::{Change, Finding, Side, Verdict, judge},
};

/// What the left graph and its numeral are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    #[default]
    Packets,
    /// Layer 2 without FCS.
    Bits,
    /// Layer 1: 24 bytes a packet more (FCS, preamble, gap).
    WireBits,
}

impl Unit {
    pub const ALL: [Unit; 3] = [Unit::Packets, Unit::Bits, Unit::WireBits];

    /// As config.toml says it.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Packets => "pps",
            Unit::Bits => "bit/s L2",
            Unit::WireBits => "bit/s L1",
        }
    }
}

/// A state to compare with, taken by hand.
#[derive(Debug, Clone)]
struct Baseline {
    side: Side,
    name: String,
}

/// Time on the graphs' axis, in seconds.
const ZOOMS: [u64; 8] = [5, 15, 30, 60, 120, 300, 900, 3600];
const USUAL_ZOOM: usize = 3;
const SECOND: u64 = 1_000_000_000;
/// Marks older than the graphs' memory are of no use.
const MARKS: usize = 512;

#[derive(Debug, Clone)]
struct Frozen {
    board: Board,
    verdict: Option<Verdict>,
    since_ns: u64,
}

#[derive(Debug)]
pub struct Live {
    board: Board,
    frozen: Option<Box<Frozen>>,
    /// The last knob turned since the screen was frozen.
    pub unseen: Option<Change>,
    pub marks: Vec<Change>,
    /// Figures as digits that the back row of a hall can read.
    pub is_big: bool,
    /// The first row of the senders that is shown.
    pub senders_top: usize,
    pub verdict: Option<Verdict>,
    before: Side,
    baseline: Option<Baseline>,
    /// Since when the senders have worked with the present knobs.
    steady_since_ns: u64,
    zoom: usize,
    pub unit: Unit,
    pub left_axis: Axis,
    pub cost_axis: Axis,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            board: Board::default(),
            frozen: None,
            unseen: None,
            marks: Vec::new(),
            is_big: false,
            senders_top: 0,
            verdict: None,
            before: Side::default(),
            baseline: None,
            steady_since_ns: 0,
            zoom: USUAL_ZOOM,
            unit: Unit::default(),
            left_axis: Axis::default(),
            cost_axis: Axis::default(),
        }
    }
}

impl Live {
    /// What is shown: the present board, or the frozen one.
    pub fn shown(&self) -> &Board {
        self.frozen.as_ref().map_or(&self.board, |frozen| &frozen.board)
    }

    /// What is true now, frozen or not.
    pub fn board(&self) -> &Board {
        &self.board
    }

    pub fn frozen_for_ns(&self, now_ns: u64) -> Option<u64> {
        self.frozen.as_ref().map(|frozen| now_ns.saturating_sub(frozen.since_ns))
    }

    /// What is to be read of the last change: as it stood when the screen was frozen.
    pub fn shown_verdict(&self) -> Option<&Verdict> {
        self.frozen.as_ref().map_or(self.verdict.as_ref(), |frozen| frozen.verdict.as_ref())
    }

    /// The instant of what is shown.
    pub fn shown_ns(&self, now_ns: u64) -> u64 {
        self.frozen.as_ref().map_or(now_ns, |frozen| frozen.since_ns)
    }

    /// The left graph's memory in the present unit.
    pub fn shown_left(&self) -> &Series {
        let board = self.shown();
        match self.unit {
            Unit::Packets => &board.left_pps,
            Unit::Bits => &board.left_bps,
            Unit::WireBits => &board.left_wire_bps,
        }
    }

    pub fn window_ns(&self) -> u64 {
        ZOOMS[self.zoom] * SECOND
    }

    /// The name of the hand-set baseline.
    pub fn baseline_name(&self) -> Option<&str> {
        self.baseline.as_ref().map(|baseline| baseline.name.as_str())
    }

    /// A run starts: nothing of the one before is compared with it.
    pub fn begin(&mut self, now_ns: u64) {
        self.board.begin();
        self.verdict = None;
        self.baseline = None;
        self.steady_since_ns = now_ns;
    }

    /// What was measured until now says nothing of what comes: a trial turned the senders through many settings.
    pub fn begin_anew(&mut self, now_ns: u64) {
        self.verdict = None;
        self.steady_since_ns = now_ns;
    }

    /// Counters begin anew within a run; comparisons go on.
    pub fn reopen(&mut self) {
        self.board.begin();
    }

    pub fn take(&mut self, reading: Reading) {
        self.board.take(reading);
        if let Some(verdict) = &mut self.verdict {
            let after = Side::after(&self.board.cost_ns, &self.board.left_pps, verdict.change.at_ns);
            verdict.finding = judge(&self.before, &after);
        }
        self.fit_axes();
    }

    /// The last reading of a run is in.
    pub fn end(&mut self) {
        self.board.end();
    }

    /// The senders work with other knobs from now on.
    pub fn changed(&mut self, now_ns: u64, before: &Profile, after: &Profile) {
        for (knob, from, to) in knobs::differences(before, after) {
            let label = knob.label(after);
            self.note(Change { at_ns: now_ns, knob, label, from, to });
        }
    }

    fn note(&mut self, change: Change) {
        let same_tick = self.verdict.as_ref().is_some_and(|verdict| verdict.change.at_ns == change.at_ns);
        if !same_tick {
            self.before = match &self.baseline {
                Some(baseline) => baseline.side.clone(),
                None => self.side_now(change.at_ns),
            };
        }
        self.steady_since_ns = change.at_ns;
        self.unseen = self.frozen.is_some().then(|| change.clone());
        self.marks.push(change.clone());
        if self.marks.len() > MARKS {
            self.marks.remove(0);
        }
        let against = self.baseline.as_ref().map(|baseline| baseline.name.clone());
        self.verdict = Some(Verdict { change, against, finding: Finding::Waiting });
    }

    /// Later changes are compared with the state of this moment; says why not when it has not settled.
    pub fn set_baseline(&mut self, now_ns: u64, name: String) -> Result<(), &'static str> {
        let side = self.side_now(now_ns);
        if !side.is_settled() {
            return Err("no settled figures yet: a baseline needs about 1.5 s of steady sending");
        }
        self.baseline = Some(Baseline { side, name });
        Ok(())
    }

    pub fn toggle_freeze(&mut self, now_ns: u64) {
        self.unseen = None;
        self.frozen = match self.frozen.take() {
            Some(_) => None,
            None => {
                Some(Box::new(Frozen { board: self.board.clone(), verdict: self.verdict.clone(), since_ns: now_ns }))
            }
        };
        self.fit_axes();
    }

    pub fn zoom_in(&mut self) {
        self.zoom = self.zoom.saturating_sub(1);
        self.fit_axes();
    }

    pub fn zoom_out(&mut self) {
        self.zoom = (self.zoom + 1).min(ZOOMS.len() - 1);
        self.fit_axes();
    }

    pub fn zoom_reset(&mut self) {
        self.zoom = USUAL_ZOOM;
        let (left, cost) = self.greatest_in_sight();
        self.left_axis.fit_now(left);
        self.cost_axis.fit_now(cost);
    }

    /// Packets, bits of layer 2, bits on the wire.
    pub fn next_unit(&mut self) {
        self.set_unit(match self.unit {
            Unit::Packets => Unit::Bits,
            Unit::Bits => Unit::WireBits,
            Unit::WireBits => Unit::Packets,
        });
    }

    pub fn set_unit(&mut self, unit: Unit) {
        self.unit = unit;
        let (left, _) = self.greatest_in_sight();
        self.left_axis.fit_now(left);
    }

    /// The settled samples of the present steady state.
    fn side_now(&self, now_ns: u64) -> Side {
        Side::before(&self.board.cost_ns, &self.board.left_pps, self.steady_since_ns, now_ns)
    }

    fn fit_axes(&mut self) {
        let now_ns = self.shown().now_ns;
        let (left, cost) = self.greatest_in_sight();
        self.left_axis.fit(now_ns, left);
        self.cost_axis.fit(now_ns, cost);
    }

    fn greatest_in_sight(&self) -> (f64, f64) {
        let board = self.shown();
        let from = board.now_ns.saturating_sub(self.window_ns());
        let greatest = |series: &Series| series.between(from, u64::MAX).fold(0.0, f64::max);
        (greatest(self.shown_left()), greatest(&board.cost_ns))
    }
}
