//! What a trial found: a page with its table, or a burst that is set as an edit.

use std::collections::BTreeMap;

use crate::{
    app::{Action, App, Overlay, PlaceKind, Shade, Sheet, Tone, arms::points},
    trial::{Question, RECORD_VERSION, Record, Set, Tuned, Where, fit, rows, text, tune},
};

use super::{Running, wish::SEED};

impl App {
    /// Keeps the figures and shows them; `why` it ended early.
    pub(super) fn tell_trial(&mut self, running: &Running, why: Option<String>) {
        let name = running.wish.name();
        if running.slices.is_empty() {
            return self.say(Tone::Warn, format!("{name}: {}; nothing was measured", why.unwrap_or_default()));
        }
        let record = self.record(running);
        match (running.wish.question, why) {
            (Question::Tune, None) => self.take_tuned(tune(&record.rows)),
            (Question::Tune, Some(why)) => self.say(Tone::Warn, format!("tune: {why}; the burst stays as it is")),
            (_, why) => {
                let (done, all) = (running.slices.len(), running.wish.order.len());
                let end = why.map_or_else(String::new, |why| format!(", {why}"));
                self.say(Tone::Good, format!("{name}: {done} of {all} slices{end}"));
                self.overlay = Overlay::Sheet(Box::new(page(&record, done, all)));
            }
        }
        self.trials.last = Some(record);
    }

    /// The burst that is enough becomes an edit like any other.
    fn take_tuned(&mut self, tuned: Option<Tuned>) {
        let Some(tuned) = tuned else { return self.say(Tone::Warn, "tune: no figures to choose from") };
        let was = self.open.document().profile().tx.burst;
        let Tuned { burst, cost_ns, best, best_ns } = tuned;
        let found = match burst == best {
            true => format!("{cost_ns:.0} ns a packet, the best"),
            false => {
                let over = 100.0 * tuned.over_best();
                format!("{cost_ns:.0} ns a packet, {over:.1} % over the best ({best_ns:.0} at {best})")
            }
        };
        match self.open.change(None, |document| document.set("tx.burst", &burst.to_string())) {
            Ok(true) => {
                let undo = self.key_of(Action::Undo);
                self.say(Tone::Good, format!("burst {was} > {burst}: {found}; {undo} takes it back"));
            }
            Ok(false) => self.say(Tone::Good, format!("burst {burst} stays: {found}")),
            Err(problems) => self.say(Tone::Bad, problems.to_string()),
        }
    }

    /// Without the facts of the host and the hour: only the shell knows them.
    fn record(&self, running: &Running) -> Record {
        let sets: Vec<Vec<Set>> = running.wish.arms.arms.iter().map(|arm| arm.set.clone()).collect();
        let rows = rows(&sets, &running.slices);
        let document = self.open.document();
        Record {
            version: RECORD_VERSION,
            started: String::new(),
            question: running.wish.question,
            command: format!("{} {}", running.wish.name(), running.wish.text),
            profile: self.open.name.clone(),
            profile_sha256: String::new(),
            effective: document.effective(),
            seed: SEED,
            device: self.place.as_ref().map(|place| place.device.clone()).unwrap_or_default(),
            place: match self.place.as_ref().map(|place| place.kind) {
                Some(PlaceKind::Lab) => Where::Lab,
                Some(PlaceKind::Real) => Where::Device,
                Some(PlaceKind::Sim) | None => Where::Sim,
            },
            mode: self.run.mode.clone().unwrap_or_default(),
            host: BTreeMap::new(),
            baseline: None,
            unconfirmed: running.unconfirmed,
            fit: fit(&points(&rows, document)),
            rows,
            comparison: None,
        }
    }

    /// `:sweep` alone: the last table again.
    pub(in crate::app) fn last_sweep(&self) -> Option<Sheet> {
        let last = self.trials.last.as_ref().filter(|last| last.question == Question::Sweep)?;
        let slices = last.rows.iter().map(|row| row.slices + row.outliers).sum();
        Some(page(last, slices, slices))
    }
}

/// Table, heat map, fit, and what was left out.
fn page(record: &Record, done: usize, all: usize) -> Sheet {
    let plain = |text: String| text.lines().map(|line| (Shade::Plain, line.to_owned())).collect::<Vec<_>>();
    let mut lines = vec![(Shade::Head, format!("{} on {}, {}", record.profile, record.device, record.mode))];
    lines.push((Shade::Plain, String::new()));
    lines.extend(plain(text::text(record)));
    for part in [text::heat_map(record), text::fitted(record)].into_iter().flatten() {
        lines.push((Shade::Plain, String::new()));
        lines.extend(plain(part));
    }
    let told = text::outliers(record);
    lines.extend([(Shade::Plain, String::new()), (Shade::Dim, told)]);
    if record.unconfirmed {
        lines.push((Shade::Warning, "The device did not confirm these rates: they are of completions.".into()));
    }
    if done < all {
        lines.push((Shade::Warning, format!("It ended early: {done} of {all} slices were measured.")));
    }
    Sheet::new("sweep".into(), lines)
}
