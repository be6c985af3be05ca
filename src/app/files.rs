//! Saving, opening, and choosing a device: what is asked of the shell and what its answers mean.

use crate::profile::Document;

use super::{
    App, Ask, Effect, Open, Origin, Overlay, Place, Screen, Tone,
    prompt::{Prompt, Purpose},
};

impl App {
    pub(super) fn save(&mut self, effects: &mut Vec<Effect>) {
        self.ask_to_save(self.open.name.clone(), false, false, effects);
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
        self.ask_to_save(name.to_owned(), name != self.open.name, false, effects);
    }

    pub(super) fn save_forced(&mut self, name: String, effects: &mut Vec<Effect>) {
        self.ask_to_save(name, true, true, effects);
    }

    fn ask_to_save(&mut self, name: String, is_typed: bool, force: bool, effects: &mut Vec<Effect>) {
        let document = Box::new(self.open.document().clone());
        self.saving = Some((document.clone(), is_typed));
        // Only a file this profile came from may be written again without a question.
        let force = force || (name == self.open.name && matches!(self.open.origin, Origin::File(_)));
        self.saving_name = name.clone();
        effects.push(Effect::Save { name, document, force });
    }

    pub(super) fn saved(&mut self, name: String, path: String, effects: &mut Vec<Effect>) {
        if let Some((document, _)) = self.saving.take() {
            self.open.saved_as(name, path.clone(), *document);
        }
        self.totals.saved_path = Some(path.clone());
        self.say(Tone::Good, format!("saved: {path}"));
        if self.quits_after_save {
            effects.push(Effect::Quit { code: 0 });
        }
    }

    /// A name typed by hand is asked about; a name that was only kept leads to a free one.
    pub(super) fn save_refused(&mut self, why: String, proposed: Option<String>) {
        let is_typed = self.saving.take().is_some_and(|(_, is_typed)| is_typed);
        match proposed {
            Some(_) if is_typed => self.overlay = Overlay::Ask(Ask::overwrite(self.saving_name.clone(), why)),
            Some(proposed) => {
                self.save_as(proposed);
                if let Overlay::Text(prompt) = &mut self.overlay {
                    prompt.refuse(why);
                }
            }
            None => {
                self.quits_after_save = false;
                self.say(Tone::Bad, why);
            }
        }
    }

    pub(super) fn choose_profile(&mut self, effects: &mut Vec<Effect>) {
        let Some(entry) = self.profiles.picked() else { return };
        let name = if entry.is_shadowed { format!("shipped:{}", entry.name) } else { entry.name.clone() };
        if self.run.is_on() {
            return self.say(Tone::Warn, "stop first: opening replaces the whole profile");
        }
        if self.open.is_unsaved() {
            self.overlay = Overlay::Ask(Ask::open_over(&self.open.name, name));
            return;
        }
        effects.push(Effect::Load(name));
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
        self.place = Some(place);
        self.run.mode = None;
        self.forget_confirmation();
        self.screen = Screen::Live;
    }
}
