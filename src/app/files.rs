//! Saving, opening, and choosing a device: what is asked of the shell and what its answers mean.

use crate::profile::Document;

use super::{
    App, Ask, Effect, Open, Origin, Overlay, Place, Refusal, Screen, Tone,
    ask::Opening,
    prompt::{Prompt, Purpose},
};

/// A save that was asked for and not answered yet.
#[derive(Debug, Default)]
pub(super) struct Saving {
    document: Option<Box<Document>>,
    name: String,
    /// Whether its name was typed, not kept.
    is_typed: bool,
    /// What is to happen once it is done.
    pub(super) then: Then,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Then {
    #[default]
    Stay,
    Quit,
    Open(Opening),
}

impl App {
    pub(super) fn save(&mut self, effects: &mut Vec<Effect>) {
        self.ask_to_save(self.open.name.clone(), false, false, effects);
    }

    pub(super) fn save_then(&mut self, then: Then, effects: &mut Vec<Effect>) {
        self.saving.then = then;
        self.save(effects);
    }

    pub(super) fn save_as(&mut self, proposed: String) {
        let hint = "a name (your profiles folder) or a path with / or .toml".into();
        self.overlay = Overlay::Text(Prompt::new(Purpose::SaveAs, "save as".into(), hint, &proposed));
    }

    /// Enter in the save-as field.
    pub(super) fn save_under(&mut self, name: &str, effects: &mut Vec<Effect>) {
        if name.is_empty() {
            if let Overlay::Text(prompt) = &mut self.overlay {
                prompt.refuse("a name is needed".into());
            }
            return;
        }
        self.overlay = Overlay::None;
        self.ask_to_save(name.to_owned(), true, false, effects);
    }

    /// `:w [NAME]`, `:w! [NAME]`
    pub(super) fn save_by_name(&mut self, name: Option<String>, force: bool, effects: &mut Vec<Effect>) {
        let is_typed = name.is_some();
        self.ask_to_save(name.unwrap_or_else(|| self.open.name.clone()), is_typed, force, effects);
    }

    pub(super) fn save_forced(&mut self, name: String, effects: &mut Vec<Effect>) {
        self.ask_to_save(name, true, true, effects);
    }

    fn ask_to_save(&mut self, name: String, is_typed: bool, force: bool, effects: &mut Vec<Effect>) {
        let document = Box::new(self.open.document().clone());
        self.saving.document = Some(document.clone());
        self.saving.is_typed = is_typed;
        self.saving.name = name.clone();
        // Only a file this profile came from may be written again without a question.
        let force = force || (name == self.open.name && matches!(self.open.origin, Origin::File(_)));
        effects.push(Effect::Save { name, document, force });
    }

    pub(super) fn saved(&mut self, name: String, path: String, effects: &mut Vec<Effect>) {
        if let Some(document) = self.saving.document.take() {
            self.open.saved_as(name, path.clone(), *document);
        }
        self.totals.saved_path = Some(path.clone());
        self.say(Tone::Good, format!("saved: {path}"));
        match std::mem::take(&mut self.saving.then) {
            Then::Stay => {}
            Then::Quit => effects.push(Effect::Quit { code: 0 }),
            Then::Open(opening) => self.open_now(opening, effects),
        }
    }

    /// A file in the way is asked about where its name was typed; a shipped name leads to a free one.
    pub(super) fn save_refused(&mut self, why: String, refusal: Refusal) {
        self.saving.document = None;
        match refusal {
            Refusal::Exists if self.saving.is_typed => {
                self.overlay = Overlay::Ask(Ask::overwrite(self.saving.name.clone(), why));
            }
            Refusal::ShippedName { free } => self.refuse_name(free, why),
            Refusal::Exists => self.refuse_name(self.saving.name.clone(), why),
            Refusal::Failed if self.saving.is_typed => self.refuse_name(self.saving.name.clone(), why),
            Refusal::Failed => {
                self.saving.then = Then::Stay;
                self.say(Tone::Bad, why);
            }
        }
    }

    /// The save-as field with another name in it and the reason under it.
    fn refuse_name(&mut self, proposed: String, why: String) {
        self.save_as(proposed);
        if let Overlay::Text(prompt) = &mut self.overlay {
            prompt.refuse(why);
        }
    }

    pub(super) fn choose_profile(&mut self, effects: &mut Vec<Effect>) {
        let Some(entry) = self.profiles.picked() else { return };
        if let Some(problem) = &entry.problem {
            return self.say(Tone::Bad, problem.clone());
        }
        let is_hidden = entry.is_shipped && entry.is_shadowed;
        let name = if is_hidden { format!("shipped:{}", entry.name) } else { entry.name.clone() };
        self.open_profile(name, effects);
    }

    /// Opens by name or path; unsaved changes are asked about first.
    pub(super) fn open_profile(&mut self, name: String, effects: &mut Vec<Effect>) {
        self.open_over(Opening::Profile(name), effects);
    }

    pub(super) fn open_over(&mut self, opening: Opening, effects: &mut Vec<Effect>) {
        if self.run.is_on() {
            return self.say(Tone::Warn, "stop first: opening replaces the whole profile");
        }
        if self.open.is_unsaved() {
            self.overlay = Overlay::Ask(Ask::open_over(&self.open.name, opening));
            return;
        }
        self.open_now(opening, effects);
    }

    /// Whatever was unsaved has been asked about.
    pub(super) fn open_now(&mut self, opening: Opening, effects: &mut Vec<Effect>) {
        effects.push(match opening {
            Opening::Profile(name) => Effect::Load(name),
            Opening::Foreign { file, dialect } => {
                self.importing_over = Some(self.open.document().text().to_owned());
                Effect::Import { file, dialect }
            }
        });
    }

    pub(super) fn loaded(&mut self, name: String, origin: Origin, document: Document) {
        if self.run.is_on() {
            return self.say(Tone::Warn, "stop first: opening replaces the whole profile");
        }
        self.say(Tone::Plain, format!("opened {name}"));
        self.open = Open::new(name, origin, document);
        self.picked_knob = 0;
        self.screen = Screen::Live;
    }

    pub(super) fn choose_device(&mut self, effects: &mut Vec<Effect>) {
        let Some(entry) = self.devices.picked() else { return };
        if let Some(guard) = entry.guard.clone() {
            return self.say(Tone::Bad, guard);
        }
        if self.run.is_on() {
            return self.say(Tone::Warn, "stop first: senders stay on their device");
        }
        effects.push(Effect::UseDevice(entry.name.clone()));
    }

    pub(super) fn device_chosen(&mut self, place: Place) {
        if self.run.is_on() {
            return;
        }
        self.say(Tone::Plain, format!("{}: space sends {}", place.device, self.open.name));
        let is_same = self.place.as_ref().is_some_and(|old| old.device == place.device && old.kind == place.kind);
        self.place = Some(place);
        if !is_same {
            self.run.mode = None;
            self.forget_confirmation();
        }
        self.screen = Screen::Live;
    }

    /// The device has another name: traffic goes on, and what was confirmed stays confirmed.
    pub(super) fn place_changed(&mut self, place: Place) {
        if let Some(old) = self.place.as_ref().filter(|old| old.device != place.device) {
            self.say(Tone::Warn, format!("{} is called {} now", old.device, place.device));
        }
        self.place = Some(place);
    }
}
