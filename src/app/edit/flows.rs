//! Whole flows: add, copy, delete, enable, reorder. Each is one step for undo.

use crate::app::{App, Tone};

impl App {
    /// A plain flow behind the last, to where that one's frames go.
    pub(super) fn add_flow(&mut self) {
        let name = self.free_name("flow");
        let outcome = self.open.change(None, |document| document.add_flow(&name));
        if self.changed(outcome) {
            self.pick_flow(&name);
            self.say(Tone::Plain, format!("{name} added: 60-byte UDP frames to the last flow's MAC"));
        }
    }

    pub(super) fn copy_flow(&mut self) {
        let Some(from) = self.edited_flow_name() else { return self.say_no_flow() };
        let name = self.free_name(&from);
        let outcome = self.open.change(None, |document| document.copy_flow(&from, &name));
        if self.changed(outcome) {
            self.pick_flow(&name);
            self.say(Tone::Plain, format!("{name} added, a copy of {from}"));
        }
    }

    pub(super) fn remove_flow(&mut self) {
        let Some(name) = self.edited_flow_name() else { return self.say_no_flow() };
        let outcome = self.open.change(None, |document| document.remove_flow(&name));
        if self.changed(outcome) {
            let undo = self.key_of(crate::app::Action::Undo);
            self.say(Tone::Plain, format!("{name} deleted ({undo} brings it back)"));
        }
    }

    /// Space on a flow.
    pub(super) fn toggle_flow(&mut self) {
        let Some(flow) = self.edited_flow() else { return };
        let (key, enabled) = (format!("flow.{}.enabled", flow.name), !flow.enabled);
        let outcome = self.open.set(&key, if enabled { "true" } else { "false" });
        self.changed(outcome);
    }

    pub(super) fn move_flow(&mut self, by: isize) {
        let Some(name) = self.edited_flow_name() else { return self.say_no_flow() };
        let to = (self.edit.slot - 1).saturating_add_signed(by);
        let repeats = format!("move {name}");
        let outcome = self.open.change(Some(&repeats), |document| document.move_flow(&name, to));
        if self.changed(outcome) {
            self.edit.slot = (to + 1).min(self.open.document().profile().flows.len());
        }
    }

    fn pick_flow(&mut self, name: &str) {
        let at = self.open.document().profile().flows.iter().position(|flow| flow.name == name);
        self.edit.slot = at.map_or(0, |at| at + 1);
        self.edit.aim = super::Aim::default();
    }

    fn say_no_flow(&mut self) {
        self.say(Tone::Plain, "pick a flow first: the senders can be neither copied, moved nor deleted");
    }

    /// `base-2`, `base-3`, … the first that no flow has; a number at the end of `base` is counted on.
    fn free_name(&self, base: &str) -> String {
        let stem = base.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok()).map_or(base, |(stem, _)| stem);
        // Names end at 64 characters, all of them ASCII.
        let stem = stem.get(..stem.len().min(56)).unwrap_or(stem);
        let is_taken = |name: &String| self.open.document().profile().flows.iter().any(|flow| flow.name == *name);
        (2u32..).map(|n| format!("{stem}-{n}")).find(|name| !is_taken(name)).unwrap_or_default()
    }
}
