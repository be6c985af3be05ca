//! The Help screen's lines: every key by screen from the keymap, then the commands; narrowed by a search.

use super::{
    Keymap, Screen,
    command::COMMANDS,
    keys::{Chord, Code},
    lists::Move,
    near::answers,
    prompt::{Prompt, Purpose, Typed},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelpLine {
    Head(String),
    Row { keys: String, sentence: String },
}

#[derive(Debug)]
pub struct Help {
    pub search: Prompt,
    /// Whether letters go into the search.
    pub is_searching: bool,
    /// The first line in sight.
    pub top: usize,
}

impl Default for Help {
    fn default() -> Self {
        let search = Prompt::new(Purpose::Search, "search".into(), String::new(), "");
        Self { search, is_searching: false, top: 0 }
    }
}

impl Help {
    pub(super) fn go(&mut self, to: Move, keymap: &Keymap) {
        self.top = to.from(self.top, self.lines(keymap).len());
    }

    /// Whether this key was meant for the search.
    pub(super) fn key(&mut self, chord: Chord) -> bool {
        let is_empty = self.search.text().is_empty();
        if !self.is_searching {
            let clears = chord.code == Code::Esc && !is_empty;
            if clears {
                self.search.replace("");
                self.top = 0;
            }
            return clears;
        }
        match chord.code {
            Code::Down | Code::Up | Code::PageDown | Code::PageUp => return false,
            _ => {}
        }
        match self.search.key(chord) {
            Typed::Accepted => self.is_searching = false,
            Typed::Cancelled => {
                self.is_searching = false;
                self.search.replace("");
            }
            Typed::Edited => self.top = 0,
            Typed::Ignored => {}
        }
        true
    }

    /// What answers to the search, under its screen.
    pub fn lines(&self, keymap: &Keymap) -> Vec<HelpLine> {
        let typed = self.search.text();
        let is_hit = |keys: &str, words: &str| {
            answers(&format!("{keys} {words}"), &typed).is_some_and(|score| typed.trim().is_empty() || score >= 10)
        };
        let mut lines = Vec::new();
        let mut section = |head: String, rows: Vec<Told>| {
            let is_hit = |row: &Told| is_hit(&row.keys, &format!("{} {}", row.sentence, row.name));
            let rows: Vec<Told> = rows.into_iter().filter(is_hit).collect();
            if !rows.is_empty() {
                lines.push(HelpLine::Head(head));
                let told = |row: Told| HelpLine::Row { keys: row.keys, sentence: row.sentence };
                lines.extend(rows.into_iter().map(told));
            }
        };
        section("on every screen".into(), rows(keymap, None));
        for screen in Screen::ALL {
            let mut told = rows(keymap, Some(screen));
            if screen == Screen::Pick {
                let sentence = "search names and notes; they mean nothing else here".into();
                told.insert(0, Told { keys: "a..z 0..9".into(), sentence, name: "" });
            }
            section(format!("on {}", screen.name()), told);
        }
        let command = |keys: String, sentence: &str| Told { keys, sentence: sentence.to_owned(), name: "" };
        let commands = COMMANDS.iter().map(|row| command(format!(":{}", row.usage), row.desc));
        let any_key = command(":KEY=VALUE".into(), "set a key of the profile, as burst=64; :help KEY tells of one");
        section("on the : line".into(), std::iter::once(any_key).chain(commands).collect());
        lines
    }
}

/// A row, and the action's name, by which it is found too.
struct Told {
    keys: String,
    sentence: String,
    name: &'static str,
}

/// Rows of the keymap that hold on one screen, or those that hold on all.
fn rows(keymap: &Keymap, on: Option<Screen>) -> Vec<Told> {
    let is_everywhere = |screens: &[Screen]| screens.len() == Screen::ALL.len();
    let wanted = keymap.rows().iter().filter(|row| match on {
        None => is_everywhere(&row.screens),
        Some(screen) => !is_everywhere(&row.screens) && row.screens.contains(&screen),
    });
    let told = wanted.filter_map(|row| {
        let keys: Vec<String> = match on {
            Some(screen) => row.keys_on(screen).map(|key| key.to_string()).collect(),
            None => row.keys.iter().map(ToString::to_string).collect(),
        };
        let keys = match keys.as_slice() {
            [] => return None,
            [first, .., last] if keys.len() > 3 => format!("{first}..{last}"),
            keys => keys.join(" "),
        };
        Some(Told { keys, sentence: row.desc.clone(), name: row.action.name() })
    });
    told.collect()
}
