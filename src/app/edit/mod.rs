//! The Edit screen: flows at the left, the fields of the picked one, and what its next frames look like.
//!
//! Every change goes through the open profile, so it is undone, saved and sent as a turned knob is.

mod aim;
mod entry;
mod flows;
mod form;
mod headers;
mod preview;
mod progress;
mod step;

use aim::Aim;

pub use form::{Row, RowKind};
pub use preview::{Preview, Shot};
pub use progress::{Progress, Reached};

use std::collections::HashSet;

use crate::{
    packet::{Facts, lint},
    profile::{Flow, Problem, Problems},
};

use super::{Action, App, Effect, Screen, Tone, knobs::Turn};

/// Which of the two lists the keys move in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    #[default]
    Flows,
    Fields,
}

/// Where the person is on this screen, and what was worked out for it.
#[derive(Default)]
pub struct Edit {
    pub focus: Focus,
    /// 0: the senders; then the flows in file order.
    slot: usize,
    row: usize,
    aim: Aim,
    pub(super) progress: Progress,
    /// What the place adds to the profile: MAC and neighbours.
    facts: Facts,
    rows: Vec<Row>,
    notes: Vec<Problem>,
    /// Names of flows with notes.
    noted: HashSet<String>,
    preview: Preview,
    /// What `rows` and `preview` were made of.
    made_of: Option<(String, usize, Facts)>,
}

impl std::fmt::Debug for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Edit").field("focus", &self.focus).field("slot", &self.slot).field("row", &self.row).finish()
    }
}

/// Rows that a page key passes.
const PAGE: usize = 10;

impl Edit {
    /// 0: the senders; then the flows.
    pub fn slot(&self) -> usize {
        self.slot
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn picked_row_index(&self) -> usize {
        self.row
    }

    pub fn picked_row(&self) -> Option<&Row> {
        self.rows.get(self.row)
    }

    /// Of the picked slot, else of the profile as a whole.
    pub fn notes(&self) -> impl Iterator<Item = &Problem> {
        let is_mine = |note: &&Problem| self.rows.iter().any(|row| row.key == note.key);
        let whole = |note: &&Problem| note.key == "flow";
        self.notes.iter().filter(is_mine).chain(self.notes.iter().filter(whole))
    }

    pub fn has_note(&self, flow: &str) -> bool {
        self.noted.contains(flow)
    }

    /// What the place said last.
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub fn preview(&self) -> &Preview {
        &self.preview
    }

    /// Goes to a row that can be picked, over titles.
    fn pick_row(&mut self, by: isize) {
        let pickable = |at: &usize| self.rows.get(*at).is_some_and(Row::is_pickable);
        let last = self.rows.len().saturating_sub(1);
        let wanted = self.row.saturating_add_signed(by).min(last);
        let found = match by >= 0 {
            true => (wanted..=last).find(pickable).or_else(|| (0..=wanted).rev().find(pickable)),
            false => (0..=wanted).rev().find(pickable).or_else(|| (wanted..=last).find(pickable)),
        };
        self.row = found.unwrap_or(0);
    }
}

impl App {
    /// The picked flow; `None`: the senders are picked.
    pub fn edited_flow(&self) -> Option<&Flow> {
        self.open.document().profile().flows.get(self.edit.slot.checked_sub(1)?)
    }

    /// Where the shown flow stands; the first build when nothing is sent.
    pub fn next_build(&self) -> Reached {
        if self.run.is_on() { self.edit.progress.of(self.edit.preview.name()) } else { Reached::default() }
    }

    /// After every reading.
    pub(super) fn count_builds(&mut self) {
        if let Some(sent) = &self.run.sent {
            self.edit.progress.count(&self.live.board().figures.flows, sent.profile());
        }
    }

    fn edited_flow_name(&self) -> Option<String> {
        self.edited_flow().map(|flow| flow.name.clone())
    }

    pub(super) fn enter_edit(&mut self, effects: &mut Vec<Effect>) {
        if self.edit.slot == 0 && self.edit.focus == Focus::Flows {
            self.edit.slot = 1;
        }
        effects.push(Effect::AskFacts(Box::new(self.open.document().profile().clone())));
    }

    /// What the place says; the picture of the next frames needs it.
    pub(super) fn take_facts(&mut self, facts: Facts) {
        self.edit.facts = facts;
    }

    /// Brings form and preview up to the open profile; called after every event while this screen is on.
    pub(super) fn refresh_edit(&mut self, effects: &mut Vec<Effect>) {
        if self.screen != Screen::Edit {
            return;
        }
        let (document, edit) = (self.open.document(), &mut self.edit);
        edit.slot = edit.slot.min(document.profile().flows.len());
        let is_fresh = edit
            .made_of
            .as_ref()
            .is_some_and(|(text, slot, facts)| text == document.text() && *slot == edit.slot && *facts == edit.facts);
        if is_fresh {
            return;
        }
        // The same field stays picked when rows come and go above it, and from one flow to the next.
        let picked = edit.picked_row().map(|row| row.place().to_owned());
        let is_edited = edit.made_of.as_ref().is_none_or(|(text, ..)| text != document.text());
        let flow = edit.slot.checked_sub(1);
        edit.notes = lint(document, &edit.facts);
        let of_flow = |note: &Problem| Some(note.key.strip_prefix("flow.")?.split('.').next()?.to_owned());
        edit.noted = edit.notes.iter().filter_map(of_flow).collect();
        edit.rows = form::rows(document, flow, &edit.notes);
        edit.preview = Preview::of(document.profile(), flow, &edit.facts);
        edit.made_of = Some((document.text().to_owned(), edit.slot, edit.facts.clone()));
        let same = edit.rows.iter().position(|row| row.is_pickable() && Some(row.place()) == picked.as_deref());
        edit.row = same.unwrap_or(edit.row);
        edit.pick_row(0);
        // Another address to ask for, which the neighbour table may know by now, or another capture.
        if is_edited && edit.preview.asks_facts() {
            effects.push(Effect::AskFacts(Box::new(document.profile().clone())));
        }
    }

    /// Everything that only this screen has a meaning for, or its own one; `false`: not here.
    pub(super) fn act_in_edit(&mut self, action: Action, typed: Option<char>) -> bool {
        match action {
            Action::PickDown => self.edit_pick(1),
            Action::PickUp => self.edit_pick(-1),
            Action::PageDown => self.edit_pick(PAGE as isize),
            Action::PageUp => self.edit_pick(-(PAGE as isize)),
            Action::NextFlow => self.pick_slot(1),
            Action::FlowBefore => self.pick_slot(-1),
            Action::StepUp | Action::Accept if self.edit.focus == Focus::Flows => self.edit.focus = Focus::Fields,
            Action::Frame => self.ask_for_build(None),
            Action::Type if self.edit.focus == Focus::Flows => self.ask_for_build(typed),
            Action::StepDown | Action::OneLess | Action::OneMore if self.edit.focus == Focus::Flows => {}
            Action::StepUp => self.step_row(Turn::Up),
            Action::StepDown => self.step_row(Turn::Down),
            Action::OneMore => self.step_row(Turn::OneMore),
            Action::OneLess => self.step_row(Turn::OneLess),
            Action::Toggle => self.toggle(),
            Action::Accept => self.open_row(None),
            Action::Type => self.open_row(typed),
            Action::AddFlow => self.add_flow(),
            Action::CopyFlow => self.copy_flow(),
            Action::Remove if self.edit.focus == Focus::Flows => self.remove_flow(),
            Action::Remove => self.remove_row(),
            Action::MoveDown => self.move_flow(1),
            Action::MoveUp => self.move_flow(-1),
            Action::NextFrame => self.edit.aim = self.edit.aim.later(),
            Action::FrameBefore => self.edit.aim = self.edit.aim.earlier(),
            Action::Back if self.edit.focus == Focus::Fields => self.edit.focus = Focus::Flows,
            _ => return false,
        }
        true
    }

    fn edit_pick(&mut self, by: isize) {
        match self.edit.focus {
            Focus::Flows => self.pick_slot(by),
            Focus::Fields => self.edit.pick_row(by),
        }
    }

    /// Goes to the row of a key; to the header that would bring it where that is not in the packet.
    pub(super) fn go_to_key(&mut self, key: &str, effects: &mut Vec<Effect>) {
        let flow = key.strip_prefix("flow.").and_then(|rest| rest.split('.').next());
        let flows = &self.open.document().profile().flows;
        let at = flow.and_then(|name| flows.iter().position(|flow| flow.name == name));
        self.edit.slot = at.map_or(0, |at| at + 1);
        self.refresh_edit(effects);
        let row_of = |key: &str| self.edit.rows.iter().position(|row| row.is_pickable() && row.key == key);
        let mut nearest = key;
        let found = loop {
            match (row_of(nearest), nearest.rsplit_once('.')) {
                (Some(row), _) => break Some(row),
                (None, Some((parent, _))) => nearest = parent,
                (None, None) => break None,
            }
        };
        if let Some(row) = found {
            (self.edit.row, self.edit.focus) = (row, Focus::Fields);
        }
    }

    fn pick_slot(&mut self, by: isize) {
        let last = self.open.document().profile().flows.len();
        let slot = self.edit.slot.saturating_add_signed(by).min(last);
        if slot != self.edit.slot {
            (self.edit.slot, self.edit.aim) = (slot, Aim::default());
        }
    }

    /// Tells the senders, or says why nothing changed.
    fn changed(&mut self, outcome: Result<bool, Problems>) -> bool {
        match outcome {
            Ok(changed) => {
                if changed {
                    self.retune_soon();
                }
                changed
            }
            Err(problems) => {
                let why = problems.0.first().map(|problem| problem.to_string()).unwrap_or_default();
                self.say(Tone::Bad, format!("{why}. Nothing was changed."));
                false
            }
        }
    }
}
