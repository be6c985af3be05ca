//! `/`: any action, command or profile key found by its sentence, and done on Enter.

use crate::profile::field::FIELDS;

use super::{
    App, Effect, Overlay, Screen,
    action::Action,
    command::{Argument, COMMANDS},
    complete,
    keys::{Chord, Code},
    lists::{Move, PAGE_LINES},
    near::answers,
    prompt::{Prompt, Purpose, Typed},
};

/// What a line of the finder does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    Act(Action, Option<Chord>),
    /// Opens the `:` line with this text.
    Line(String),
    /// Goes to the field of this key in Edit; elsewhere the line opens with it and its value.
    Field(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The keys, the command or the profile key.
    pub name: String,
    pub sentence: String,
    pub deed: Deed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finder {
    pub prompt: Prompt,
    /// The best first.
    pub hits: Vec<Hit>,
    pub picked: usize,
}

impl App {
    pub(super) fn open_finder(&mut self) {
        let prompt = Prompt::new(Purpose::Search, "find".into(), String::new(), "");
        self.overlay = Overlay::Find(Box::new(Finder { prompt, hits: Vec::new(), picked: 0 }));
        self.refresh_finder();
    }

    pub(super) fn paste_into_finder(&mut self, text: &str) {
        if let Overlay::Find(finder) = &mut self.overlay {
            finder.prompt.paste(text);
        }
        self.refresh_finder();
    }

    pub(super) fn finder_key(&mut self, chord: Chord, effects: &mut Vec<Effect>) {
        let Overlay::Find(finder) = &mut self.overlay else { return };
        let length = finder.hits.len();
        let to = match chord.code {
            Code::Down | Code::Tab => Move::By(1),
            Code::Up | Code::BackTab => Move::By(-1),
            Code::PageDown => Move::By(PAGE_LINES as isize),
            Code::PageUp => Move::By(-(PAGE_LINES as isize)),
            _ => Move::By(0),
        };
        if to != Move::By(0) {
            finder.picked = to.from(finder.picked, length);
            return;
        }
        match finder.prompt.key(chord) {
            Typed::Accepted => self.do_found(effects),
            Typed::Cancelled => self.cancel(),
            Typed::Edited => self.refresh_finder(),
            Typed::Ignored => {}
        }
    }

    fn refresh_finder(&mut self) {
        let Overlay::Find(finder) = &self.overlay else { return };
        let hits = self.found(&finder.prompt.text());
        let Overlay::Find(finder) = &mut self.overlay else { return };
        (finder.hits, finder.picked) = (hits, 0);
    }

    fn found(&self, typed: &str) -> Vec<Hit> {
        let mut scored: Vec<(u32, Hit)> = Vec::new();
        for (hit, words) in self.actions().into_iter().chain(self.commands_and_fields(!typed.trim().is_empty())) {
            // A key may be typed with its tx. that is left out in its name.
            let key = if let Deed::Field(key) = &hit.deed { key } else { words };
            if let Some(score) = answers(&format!("{} {} {key}", hit.name, hit.sentence), typed) {
                // Whoever types a name means it.
                let is_named = !typed.is_empty() && hit.name.trim_start_matches(':') == typed.trim();
                scored.push((score + if is_named { 1000 } else { self.nearness(&hit, typed.trim()) }, hit));
            }
        }
        // Strewn letters are for when nothing better is there.
        if scored.iter().any(|(score, _)| *score >= 10) {
            scored.retain(|(score, _)| *score >= 10);
        }
        // Stable: equals stay in the order of the keymap and of the profile.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, hit)| hit).collect()
    }

    /// In Edit a field is found by its last words, and first in the flow that is picked.
    fn nearness(&self, hit: &Hit, typed: &str) -> u32 {
        let Deed::Field(key) = &hit.deed else { return 0 };
        if self.screen != Screen::Edit || typed.is_empty() {
            return 0;
        }
        let is_last = key.strip_suffix(typed).is_some_and(|before| before.is_empty() || before.ends_with('.'));
        let is_near = match self.edited_flow() {
            Some(flow) => key.strip_prefix("flow.").and_then(|rest| rest.strip_prefix(&flow.name[..])),
            None => key.strip_prefix("tx"),
        };
        let is_near = is_near.is_some_and(|rest| rest.starts_with('.'));
        u32::from(is_last) * 200 + u32::from(is_near) * 5
    }

    /// Every action with its sentence, each once, and more words it is found by.
    fn actions(&self) -> Vec<(Hit, &'static str)> {
        let mut found: Vec<(Hit, &'static str)> = Vec::new();
        for row in self.keymap.rows() {
            let keys: Vec<String> = row.keys.iter().take(3).map(ToString::to_string).collect();
            let deed = Deed::Act(row.action, row.keys.first().copied());
            let is_known = found.iter().any(|(hit, _)| hit.sentence == row.desc);
            // Typing needs the digit that was typed, and this line is open already.
            if !is_known && !matches!(row.action, Action::Type | Action::Find) {
                found.push((Hit { name: keys.join(" "), sentence: row.desc.clone(), deed }, row.action.name()));
            }
        }
        found
    }

    /// Keys of the profile come only once something is typed: there are hundreds in a profile of many flows.
    fn commands_and_fields(&self, with_fields: bool) -> Vec<(Hit, &'static str)> {
        let commands = COMMANDS.iter().map(|row| {
            let behind = if row.argument == Argument::Nothing { "" } else { " " };
            let deed = Deed::Line(format!("{}{behind}", row.name));
            (Hit { name: format!(":{}", row.name), sentence: row.desc.into(), deed }, "")
        });
        let mut found: Vec<(Hit, &'static str)> = commands.collect();
        if !with_fields {
            return found;
        }
        let document = self.open.document();
        for key in complete::keys(document) {
            let Some(field) = complete::field_of(&key) else { continue };
            let shown = key.strip_prefix("tx.").unwrap_or(&key);
            let deed = Deed::Field(key.clone());
            found.push((Hit { name: shown.to_owned(), sentence: field.meaning.into(), deed }, ""));
        }
        debug_assert!(found.len() >= FIELDS.len() / 2);
        found
    }

    /// Enter: the screen that knows the action is gone to first.
    fn do_found(&mut self, effects: &mut Vec<Effect>) {
        let Overlay::Find(finder) = std::mem::take(&mut self.overlay) else { return };
        let Some(hit) = finder.hits.get(finder.picked) else { return };
        match &hit.deed {
            Deed::Line(text) => self.open_line(text, effects),
            Deed::Field(key) if self.screen == Screen::Edit => self.go_to_key(key, effects),
            Deed::Field(key) => {
                let value = self.open.document().get(key).unwrap_or_default();
                self.open_line(&format!("{}={value}", key.strip_prefix("tx.").unwrap_or(key)), effects);
            }
            Deed::Act(action, chord) => {
                let row = self.keymap.rows().iter().find(|row| row.action == *action && row.desc == hit.sentence);
                let screen = row.filter(|row| !row.screens.contains(&self.screen)).and_then(|row| row.screens.first());
                if let Some(screen) = screen.copied() {
                    self.show(screen, effects);
                }
                self.act(*action, chord.unwrap_or(Chord::key(Code::Enter)), effects);
            }
        }
    }
}
