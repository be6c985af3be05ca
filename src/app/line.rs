//! The `:` line: typing, completing, walking its history, and carrying a finished line out.

use crate::{
    packet::lint,
    profile::field::{self, Effect as ActsAt},
};

use super::{
    Action, App, Effect, Overlay, Phase, Screen, Sheet, Tone,
    command::{Argument, COMMANDS, Command, command_row},
    complete::{self, Names},
    history::Walk,
    keys::{Chord, Code},
    prompt::{Prompt, Purpose, Typed},
};

/// The line while it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub prompt: Prompt,
    /// What Tab offers for what stands before the cursor.
    pub candidates: Vec<String>,
    /// The candidate that stands in the line, once Tab walks through them.
    pub picked: Option<usize>,
    walk: Walk,
}

const HINT: &str = "KEY=VALUE, or a command; tab completes, up brings earlier lines";

impl Line {
    fn new(text: &str) -> Self {
        let prompt = Prompt::new(Purpose::Line, ":".into(), HINT.into(), text);
        Self { prompt, candidates: Vec::new(), picked: None, walk: Walk::default() }
    }
}

impl App {
    /// Opens the line with a text in it, and asks for the names that Tab may need.
    pub(super) fn open_line(&mut self, text: &str, effects: &mut Vec<Effect>) {
        self.overlay = Overlay::Line(Box::new(Line::new(text)));
        effects.extend([Effect::ListProfiles, Effect::ListThemes, Effect::ListTongues]);
        // What lies there may have changed since.
        self.folder = None;
        self.refresh_line();
        self.ask_for_files(effects);
    }

    /// One line of a paste goes into the line.
    pub(super) fn paste_into_line(&mut self, text: &str) {
        if let Overlay::Line(line) = &mut self.overlay {
            line.prompt.paste(text);
            line.walk = Walk::default();
        }
        self.refresh_line();
    }

    pub(super) fn line_key(&mut self, chord: Chord, effects: &mut Vec<Effect>) {
        let Overlay::Line(line) = &mut self.overlay else { return };
        match chord.code {
            Code::Tab | Code::BackTab => {
                line.complete(if chord.code == Code::Tab { 1 } else { -1 });
                // A whole step was completed: what follows it is offered next.
                if line.picked.is_none() {
                    self.refresh_line();
                    self.ask_for_files(effects);
                }
                return;
            }
            Code::Up | Code::Down => return self.walk_history(chord.code),
            Code::Char('p') if chord.ctrl => return self.walk_history(Code::Up),
            Code::Char('n') if chord.ctrl => return self.walk_history(Code::Down),
            // An empty line is left as it was entered, by one key more than it took.
            Code::Backspace if line.prompt.text().is_empty() => return self.cancel(),
            _ => {}
        }
        match line.prompt.key(chord) {
            Typed::Accepted => self.run_line(effects),
            Typed::Cancelled => self.cancel(),
            Typed::Edited => {
                line.walk = Walk::default();
                self.refresh_line();
                self.ask_for_files(effects);
            }
            Typed::Ignored => {}
        }
    }

    fn walk_history(&mut self, code: Code) {
        let Overlay::Line(line) = &mut self.overlay else { return };
        let found = match code {
            Code::Up => self.history.earlier(&mut line.walk, &line.prompt.text()),
            _ => self.history.later(&mut line.walk),
        };
        if let Some(text) = found {
            line.prompt.replace(&text);
            self.refresh_line();
        }
    }

    /// Brings candidates and hint up to what stands in the line.
    pub(super) fn refresh_line(&mut self) {
        let Overlay::Line(line) = &self.overlay else { return };
        let (before, text) = (line.prompt.before_cursor(), line.prompt.text());
        let names = self.names();
        let candidates = complete::candidates(&before, &names);
        let hint = self.hint(&text);
        let Overlay::Line(line) = &mut self.overlay else { return };
        line.candidates = candidates;
        line.picked = None;
        line.prompt.hint_at(hint);
    }

    /// The files of the folder that is being typed, where they are not known yet.
    fn ask_for_files(&mut self, effects: &mut Vec<Effect>) {
        let Overlay::Line(line) = &self.overlay else { return };
        let folder = complete::folder_of(&line.prompt.before_cursor()).map(str::to_owned);
        if let Some(folder) = folder.filter(|folder| self.folder.as_ref().is_none_or(|known| known.path != *folder)) {
            effects.push(Effect::ListFolder(folder));
        }
    }

    fn names(&self) -> Names<'_> {
        let entries = self.profiles.entries();
        Names {
            document: self.open.document(),
            own_profiles: entries.iter().filter(|entry| !entry.is_shipped).map(|entry| entry.name.as_str()).collect(),
            profiles: entries.iter().map(|entry| entry.name.as_str()).collect(),
            themes: &self.themes,
            tongues: &self.tongues,
            files: self.folder.as_ref(),
            devices: self.devices.items().iter().map(|device| device.name.as_str()).collect(),
        }
    }

    /// What the line says of what is typed so far: a key's range and meaning, a command's sentence.
    fn hint(&self, text: &str) -> String {
        let text = text.trim_start_matches([' ', ':']);
        let word = text.split([' ', '=']).next().unwrap_or_default();
        if let Some(axes) = text.strip_prefix("sweep ").filter(|axes| axes.contains('=')) {
            return self.sweep_hint(axes);
        }
        if let Some(row) = command_row(word).filter(|_| !text.contains('=')) {
            return format!("{}: {}", row.usage, row.desc);
        }
        match complete::field_of(word) {
            Some(field) => {
                let now = self.open.document().get(word).filter(|value| !value.is_empty());
                let now = now.map(|value| format!(" Now {value}.")).unwrap_or_default();
                format!("{}: {}. {}{now}", word, field.kind.allowed(), field.meaning)
            }
            None => HINT.into(),
        }
    }

    fn run_line(&mut self, effects: &mut Vec<Effect>) {
        let Overlay::Line(line) = &self.overlay else { return };
        let text = line.prompt.text();
        let is_key = |word: &str| complete::field_of(word).is_some();
        match Command::parse(&text, is_key) {
            Ok(None) => self.cancel(),
            Ok(Some(command)) => match self.carry_out(command, effects) {
                Ok(()) => self.remember(&text, effects),
                Err(why) => self.refuse_line(why),
            },
            Err(why) => self.refuse_line(why),
        }
    }

    /// The line stays open with the reason under it.
    fn refuse_line(&mut self, why: String) {
        if let Overlay::Line(line) = &mut self.overlay {
            line.prompt.refuse(why);
        }
    }

    fn remember(&mut self, text: &str, effects: &mut Vec<Effect>) {
        if self.history.add(text) {
            effects.push(Effect::Remember(text.trim().to_owned()));
        }
    }

    /// An error keeps the line open; otherwise it has closed.
    fn carry_out(&mut self, command: Command, effects: &mut Vec<Effect>) -> Result<(), String> {
        match &command {
            Command::Set { key, value } => {
                self.set_key(key, value)?;
                self.overlay = Overlay::None;
                return Ok(());
            }
            Command::Import(typed) => return self.import(typed, effects),
            Command::Export(typed) => return self.export(typed, effects),
            Command::Sweep(typed) => return self.sweep_typed(typed.as_deref(), effects),
            Command::Tune => {
                self.tune(effects)?;
                self.overlay = Overlay::None;
                return Ok(());
            }
            _ => {}
        }
        let topic = match &command {
            Command::Tell { key } => Some(key.clone()),
            Command::Help { topic } => topic.clone(),
            _ => None,
        };
        let sheet = topic.map(|topic| self.topic(&topic)).transpose()?;
        self.overlay = Overlay::None;
        match command {
            Command::Set { .. } | Command::Import(_) | Command::Export(_) | Command::Sweep(_) | Command::Tune => {}
            Command::Tell { .. } | Command::Help { .. } => match sheet {
                Some(sheet) => self.overlay = Overlay::Sheet(Box::new(sheet)),
                None => self.show(Screen::Help, effects),
            },
            Command::Save { name, force } => self.save_by_name(name, force, effects),
            Command::Open { name: Some(name) } => self.open_profile(name, effects),
            Command::Open { name: None } => self.show(Screen::Pick, effects),
            Command::Quit { force } => self.quit_now(force, effects),
            Command::Start => self.start_by_name(effects),
            Command::Stop => self.stop_by_name(effects),
            Command::Calibrate => {
                self.open_calibration();
                self.calibrate(effects);
            }
            Command::Theme(name) => effects.push(Effect::UseTheme(Some(name))),
            Command::Shot(path) => effects.push(Effect::Shot(Some(path))),
        }
        Ok(())
    }

    fn sweep_typed(&mut self, typed: Option<&str>, effects: &mut Vec<Effect>) -> Result<(), String> {
        let shown = match typed {
            Some(text) => {
                self.sweep(text, effects)?;
                Overlay::None
            }
            None => Overlay::Sheet(Box::new(
                self.last_sweep().ok_or("no sweep yet: sweep burst=1,2,4,8,16,32 slice=500ms repeat=3")?,
            )),
        };
        self.overlay = shown;
        Ok(())
    }

    fn set_key(&mut self, key: &str, value: &str) -> Result<(), String> {
        if !key.contains('.') && complete::field_of(key).is_none() && field::field(&format!("flow.{key}")).is_some() {
            let flows = self.open.document().profile().flows.iter().map(|flow| format!("flow.{}.{key}", flow.name));
            return Err(format!(
                "{key} belongs to a flow: {}. Nothing was changed.",
                flows.collect::<Vec<_>>().join(", ")
            ));
        }
        let changed = self.open.set(key, value).map_err(|problems| {
            let first = problems.0.first().map(ToString::to_string).unwrap_or_default();
            // A message that ends with a question has said it all.
            let end = if first.ends_with(['?', '.']) { "" } else { "." };
            format!("{first}{end} Nothing was changed.")
        })?;
        let shown = self.open.document().get(key).unwrap_or_else(|| value.to_owned());
        if !changed {
            self.say(Tone::Plain, format!("{key} is {shown} already"));
            return Ok(());
        }
        let waits = complete::field_of(key).is_some_and(|field| field.effect == ActsAt::Restart) && self.run.is_on();
        let when = if waits { format!(", waits for {}", self.key_of(Action::Restart)) } else { String::new() };
        self.say(Tone::Good, format!("{key} = {shown}{when}"));
        self.retune_soon();
        Ok(())
    }

    fn start_by_name(&mut self, effects: &mut Vec<Effect>) {
        match self.run.phase {
            Phase::Idle => self.start_or_stop(effects),
            Phase::Starting | Phase::Sending => self.say(Tone::Plain, "packets flow already"),
            Phase::Draining => self.say(Tone::Plain, "still draining; start again in a moment"),
        }
    }

    fn stop_by_name(&mut self, effects: &mut Vec<Effect>) {
        match self.run.phase {
            Phase::Starting | Phase::Sending => self.start_or_stop(effects),
            Phase::Idle | Phase::Draining => self.say(Tone::Plain, "nothing sends"),
        }
    }

    /// What is known of a key of the profile, or of a command.
    fn topic(&self, topic: &str) -> Result<Sheet, String> {
        if let Some(row) = command_row(topic) {
            let mut lines = vec![format!(":{}", row.usage), String::new(), row.desc.into()];
            let dialects = match row.argument {
                Argument::Foreign => &self.tongues.read[..],
                Argument::Tongue => &self.tongues.written[..],
                _ => &[],
            };
            if !dialects.is_empty() {
                lines.extend([String::new(), format!("Dialects: {}.", dialects.join(", "))]);
            }
            return Ok(Sheet::of(format!("help {topic}"), lines));
        }
        let field = complete::field_of(topic).or_else(|| field::field(&format!("flow.{topic}")));
        let field = field.ok_or_else(|| {
            let keys = field::FIELDS.iter().map(|field| field.key.strip_prefix("tx.").unwrap_or(field.key));
            let known = keys.chain(COMMANDS.iter().map(|row| row.name));
            let near = crate::profile::nearest(topic, known).map(|near| format!(" Did you mean {near}?"));
            format!("{topic}: no such key or command.{}", near.unwrap_or_default())
        })?;
        let document = self.open.document();
        Ok(Sheet::of_field(field, document, &lint(document, self.edit.facts())))
    }
}

impl Line {
    /// The first Tab goes as far as all candidates agree, the next ones walk through them.
    fn complete(&mut self, by: isize) {
        let Some(last) = self.candidates.len().checked_sub(1) else { return };
        let before = self.prompt.before_cursor();
        if self.picked.is_none() {
            let common = complete::common(&self.candidates);
            if (last == 0 && common != before) || (common.len() > before.len() && common.starts_with(&before)) {
                self.prompt.replace_before_cursor(&common);
                return;
            }
        }
        let at = match (self.picked, by > 0) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => (at + 1) % (last + 1),
            (Some(at), false) => at.checked_sub(1).unwrap_or(last),
        };
        self.picked = Some(at);
        let text = self.candidates[at].clone();
        self.prompt.replace_before_cursor(&text);
    }
}
