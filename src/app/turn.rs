//! Turning, typing and undoing: every turn of a knob is an edit of the open profile.

use super::{
    App, Overlay, Tone, conversion,
    knobs::{Knob, Turn, knobs},
    lists::Move,
    prompt::{Prompt, Purpose},
};

impl App {
    /// The knobs of the open profile, in the order of the screen.
    pub fn knobs(&self) -> Vec<Knob> {
        knobs(self.open.document().profile())
    }

    pub fn picked_knob_index(&self) -> usize {
        self.picked_knob
    }

    fn picked_knob(&self) -> Option<Knob> {
        self.knobs().get(self.picked_knob).cloned()
    }

    pub(super) fn pick_knob(&mut self, to: Move) {
        self.picked_knob = to.from(self.picked_knob, self.knobs().len());
    }

    pub(super) fn turn(&mut self, turn: Turn) {
        let Some(knob) = self.picked_knob() else { return };
        let left_pps = self.live.board().figures.left_pps.filter(|_| self.run.is_on());
        match knob.turned(self.open.document().profile(), turn, left_pps) {
            Ok(Some(value)) => {
                if let Err(why) = self.set(&knob, &value) {
                    self.say(Tone::Bad, why);
                }
            }
            Ok(None) => {}
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    /// Opens the field of the picked knob: with the digit that was pressed, or with the value as it stands.
    pub(super) fn type_value(&mut self, digit: Option<char>) {
        let Some(knob) = self.picked_knob() else { return };
        let profile = self.open.document().profile();
        let text = match digit {
            Some(digit) => digit.to_string(),
            None => self
                .open
                .document()
                .get(&knob.key())
                .map(|value| value.trim_matches('"').to_owned())
                .unwrap_or_default(),
        };
        let (title, hint) = (knob.label(profile), knob.range(profile));
        self.overlay = Overlay::Text(Prompt::new(Purpose::Knob(knob), title, hint, &text));
        self.convert_typed();
    }

    /// Rates convert while they are typed.
    pub(super) fn convert_typed(&mut self) {
        let profile = self.open.document().profile();
        if let Overlay::Text(prompt) = &mut self.overlay
            && let Purpose::Knob(knob @ Knob::Rate) = &prompt.purpose
        {
            let hint = conversion::of_text(profile, &prompt.text()).unwrap_or_else(|| knob.range(profile));
            prompt.hint_at(hint);
        }
    }

    /// Enter in a knob's field: the value is taken, or the field says why not and stays open.
    pub(super) fn take_value(&mut self, knob: &Knob, value: &str) {
        match self.set(knob, value) {
            Ok(()) => self.overlay = Overlay::None,
            Err(why) => {
                if let Overlay::Text(prompt) = &mut self.overlay {
                    prompt.refuse(why);
                }
            }
        }
    }

    fn set(&mut self, knob: &Knob, value: &str) -> Result<(), String> {
        let changed = self.open.set(&knob.key(), value).map_err(|problems| {
            let first = problems.0.first().map(|problem| problem.message.clone());
            first.unwrap_or_else(|| format!("{value:?} was refused"))
        })?;
        if changed {
            self.retune_soon();
        }
        Ok(())
    }

    pub(super) fn undo(&mut self) {
        match self.open.undo() {
            true => self.retune_soon(),
            false => self.say(Tone::Plain, "nothing to undo"),
        }
    }

    pub(super) fn redo(&mut self) {
        match self.open.redo() {
            true => self.retune_soon(),
            false => self.say(Tone::Plain, "nothing to redo"),
        }
    }

    pub(super) fn baseline(&mut self) {
        if !self.run.is_on() {
            return self.say(Tone::Plain, "a baseline is taken while packets flow");
        }
        let profile = self.open.document().profile();
        let name = format!("burst {}, clone {}, rate {}", profile.tx.burst, profile.tx.clone, profile.tx.rate);
        match self.live.set_baseline(self.now_ns, name.clone()) {
            Ok(()) => self.say(Tone::Good, format!("baseline: {name}")),
            Err(why) => self.say(Tone::Warn, why),
        }
    }
}
