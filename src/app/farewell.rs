//! What outlives the screen: one paragraph for the scrollback, the figures as a line, and the command that repeats them.

use std::fmt::Write;

use crate::stats::{si, thousands};

use super::{App, PlaceKind, Reading};

/// All runs of a session.
#[derive(Debug, Default)]
pub(super) struct Totals {
    runs: u32,
    submitted: u64,
    completed: u64,
    left: u64,
    dropped: u64,
    /// Invalid, abandoned, unexplained.
    otherwise_lost: u64,
    busy_ns: u64,
    sending_ns: u64,
    pub(super) saved_path: Option<String>,
}

impl Totals {
    pub(super) fn add(&mut self, last: &Reading) {
        let total = last.snapshot.total();
        self.runs += 1;
        self.submitted += last.ledger.submitted;
        self.completed += last.ledger.completed;
        self.left += last.ledger.left;
        let dropped = last.ledger.dropped.unwrap_or(0);
        self.dropped += dropped;
        self.otherwise_lost += last.ledger.losses().saturating_sub(dropped);
        self.busy_ns += total.busy_ns;
        self.sending_ns += total.last_ns.saturating_sub(total.started_ns);
    }

    /// `None`: nothing was sent.
    fn mean_pps(&self) -> Option<f64> {
        (self.left > 0 && self.sending_ns > 0).then(|| self.left as f64 * 1e9 / self.sending_ns as f64)
    }

    /// *no drops*, *dropped 12, otherwise lost 3*.
    fn lost(&self) -> String {
        match (self.dropped, self.otherwise_lost) {
            (0, 0) => "no drops".into(),
            (dropped, 0) => format!("dropped {}", thousands(dropped)),
            (dropped, other) => format!("dropped {}, otherwise lost {}", thousands(dropped), thousands(other)),
        }
    }

    fn mean_cost_ns(&self) -> Option<f64> {
        (self.completed > 0).then(|| self.busy_ns as f64 / self.completed as f64)
    }
}

impl App {
    /// What counts departures: the device, or nothing but the simulated nic itself.
    pub fn left_words(&self) -> &'static str {
        match &self.place {
            Some(place) if place.kind == PlaceKind::Sim => "left sim",
            _ => "left device",
        }
    }

    /// One paragraph for the scrollback, each line ended.
    pub fn farewell(&self) -> String {
        let totals = &self.totals;
        let mut text = String::new();
        if totals.runs > 0 {
            let device = self.place.as_ref().map_or("", |place| place.device.as_str());
            let runs = if totals.runs > 1 { format!(" in {} runs", totals.runs) } else { String::new() };
            let _ = writeln!(
                text,
                "{} on {device}: submitted {}, {} {}{runs}; mean {}, {} ns a packet; {}.",
                self.open.name,
                thousands(totals.submitted),
                self.left_words(),
                thousands(totals.left),
                pps(totals.mean_pps()),
                nanoseconds(totals.mean_cost_ns()),
                totals.lost(),
            );
        }
        if let Some(path) = &totals.saved_path {
            let _ = writeln!(text, "Saved: {path}");
        }
        if self.open.is_unsaved() {
            let what = if self.open.is_imported() { "" } else { "the changes to " };
            let _ = writeln!(text, "Not saved: {what}{}.", self.open.name);
        }
        if totals.runs > 0 {
            let _ = writeln!(text, "Again: {}", self.command());
        }
        text
    }

    /// The figures on the screen as one line.
    pub(super) fn figures_line(&self) -> String {
        let board = self.live.shown();
        let figures = &board.figures;
        let tx = &self.open.document().profile().tx;
        let device = self.place.as_ref().map_or("no device", |place| place.device.as_str());
        let mut line = format!(
            "{} on {device}: burst {} clone {} rate {}: {} {}, cost {} ns",
            self.open.name,
            tx.burst,
            tx.clone,
            tx.rate,
            self.left_words(),
            pps(figures.left_pps),
            nanoseconds(figures.cost_ns),
        );
        if let Some(ledger) = figures.ledger {
            let _ = write!(line, ", left device {} of {} submitted", ledger.left, ledger.submitted);
        }
        line
    }
}

/// `846.9 kpps`.
fn pps(value: Option<f64>) -> String {
    let text = figure(value);
    match text.contains(' ') {
        true => text + "pps",
        false => text + " pps",
    }
}

/// Whole from 100 on.
fn nanoseconds(value: Option<f64>) -> String {
    match value {
        Some(ns) if ns >= 99.95 => format!("{ns:.0}"),
        other => figure(other),
    }
}

/// `–` for what does not exist.
fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), si)
}
