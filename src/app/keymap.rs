//! Which key means what on which screen. Footer and help are read from here, so they cannot lie.
//! The shipped map is `assets/keys.toml`; a user's file of the same form names only what differs.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::{Action, Chord, Screen};

const SHIPPED: &str = include_str!("../../assets/keys.toml");

/// One line of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub keys: Vec<Chord>,
    pub action: Action,
    /// One sentence for the help screen.
    pub desc: String,
    /// What the footer says; `None`: not in the footer.
    pub label: Option<String>,
    pub screens: Vec<Screen>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    key: Vec<FileRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRow {
    key: Spanned<Keys>,
    action: Spanned<String>,
    desc: Option<String>,
    label: Option<String>,
    screens: Option<Spanned<Vec<String>>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a key is text, or a list of texts: \"x\", [\"j\", \"down\"]")]
enum Keys {
    One(String),
    Many(Vec<String>),
}

/// A row as read: `action` is `None` for "none".
struct Read {
    keys: Vec<Chord>,
    action: Option<Action>,
    desc: Option<String>,
    label: Option<String>,
    screens: Option<Vec<Screen>>,
}

impl Row {
    /// Its keys there: those that a search field takes are none.
    pub fn keys_on(&self, screen: Screen) -> impl Iterator<Item = Chord> {
        self.keys.iter().copied().filter(move |key| !screen.is_typed_into(*key))
    }
}

impl Keymap {
    /// The map that comes with the program.
    pub fn shipped() -> Keymap {
        let mut map = Keymap { rows: Vec::new() };
        let read = read("keys.toml", SHIPPED).unwrap_or_default();
        for row in read {
            let (Some(action), Some(desc)) = (row.action, row.desc) else { continue };
            let screens = row.screens.unwrap_or_else(|| Screen::ALL.to_vec());
            map.rows.push(Row { keys: row.keys, action, desc, label: row.label, screens });
        }
        map
    }

    /// Lays a user's file over this map. Nothing changes when any part of it is refused; all problems together.
    pub fn overlay(&mut self, file: &str, text: &str) -> Result<(), Vec<String>> {
        let read = read(file, text)?;
        for row in read {
            self.lay(row);
        }
        Ok(())
    }

    /// What this key means here.
    pub fn action(&self, screen: Screen, chord: Chord) -> Option<Action> {
        self.rows_of(screen).find(|row| row.keys_on(screen).any(|key| key == chord)).map(|row| row.action)
    }

    /// The first key that means this here.
    pub fn key(&self, screen: Screen, action: Action) -> Option<Chord> {
        self.rows_of(screen).find(|row| row.action == action).and_then(|row| row.keys_on(screen).next())
    }

    /// In the order of the file.
    pub fn rows_of(&self, screen: Screen) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.screens.contains(&screen) && row.keys_on(screen).next().is_some())
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn lay(&mut self, new: Read) {
        let of_action = self.rows.iter().find(|row| Some(row.action) == new.action).cloned();
        let screens = new.screens.or(of_action.as_ref().map(|row| row.screens.clone()));
        let screens = screens.unwrap_or_else(|| Screen::ALL.to_vec());
        self.unbind(&new.keys, &screens);
        let Some(action) = new.action else { return };
        let same = self.rows.iter_mut().find(|row| row.action == action && row.screens == screens);
        match same {
            Some(row) => {
                row.keys.splice(0..0, new.keys);
                row.desc = new.desc.unwrap_or_else(|| row.desc.clone());
                row.label = new.label.or(row.label.take());
            }
            None => {
                let known = of_action.map(|row| row.desc);
                let desc = new.desc.or(known).unwrap_or_else(|| action.name().into());
                self.rows.push(Row { keys: new.keys, action, desc, label: new.label, screens });
            }
        }
    }

    /// Takes the keys away on these screens only; a row that also serves others is split.
    fn unbind(&mut self, keys: &[Chord], screens: &[Screen]) {
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in self.rows.drain(..) {
            let touched = row.keys.iter().any(|key| keys.contains(key));
            let (gone, kept): (Vec<Screen>, Vec<Screen>) = row.screens.iter().partition(|s| screens.contains(s));
            if !touched || gone.is_empty() {
                rows.push(row);
                continue;
            }
            let left: Vec<Chord> = row.keys.iter().copied().filter(|key| !keys.contains(key)).collect();
            rows.push(Row { keys: left, screens: gone, ..row.clone() });
            if !kept.is_empty() {
                rows.push(Row { screens: kept, ..row });
            }
        }
        self.rows = rows;
    }
}

/// Reads a file whole; all problems together, each with its place.
fn read(file: &str, text: &str) -> Result<Vec<Read>, Vec<String>> {
    let at = |span: Range<usize>| {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!("{file}:{line}:{column}")
    };
    let parsed: File = toml::from_str(text).map_err(|error: toml::de::Error| {
        vec![format!("{}: {}", at(error.span().unwrap_or(0..0)), error.message().trim_end())]
    })?;
    let mut problems = Vec::new();
    let mut rows = Vec::new();
    let mut seen: Vec<(Chord, Screen)> = Vec::new();
    for row in parsed.key {
        let place = at(row.key.span());
        let mut refuse = |place: &str, what: String| problems.push(format!("{place}: {what}"));
        let names = match row.key.into_inner() {
            Keys::One(name) => vec![name],
            Keys::Many(names) => names,
        };
        let mut keys = Vec::new();
        for name in names {
            match name.parse::<Chord>() {
                Ok(chord) => keys.push(chord),
                Err(error) => refuse(&place, error),
            }
        }
        let action_place = at(row.action.span());
        let action = match row.action.get_ref().as_str() {
            "none" => None,
            name => Action::from_name(name).map_err(|error| refuse(&action_place, error)).ok(),
        };
        if keys.contains(&Chord::STOP) && action != Some(Action::Stop) {
            refuse(&place, "^C always stops; it cannot be bound to anything else".into());
        }
        let screens = row.screens.map(|names| {
            let place = at(names.span());
            let read =
                |name: String| Screen::from_names(&name).map_err(|error| refuse(&place, error)).unwrap_or_default();
            names.into_inner().into_iter().flat_map(read).collect::<Vec<_>>()
        });
        for key in &keys {
            for screen in screens.as_deref().unwrap_or(&Screen::ALL) {
                if seen.contains(&(*key, *screen)) {
                    refuse(&place, format!("{key} is bound twice on {}", screen.name()));
                    break;
                }
                seen.push((*key, *screen));
            }
        }
        rows.push(Read { keys, action, desc: row.desc, label: row.label, screens });
    }
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_map_is_whole() {
        assert!(read("keys.toml", SHIPPED).is_ok());
        let map = Keymap::shipped();
        for action in Action::ALL {
            let row = map.rows.iter().find(|row| row.action == *action);
            let row = row.unwrap_or_else(|| panic!("{} has no key", action.name()));
            assert!(row.desc.len() > 5 && !row.keys.is_empty());
        }
        for screen in Screen::ALL {
            assert_eq!(map.action(screen, Chord::STOP), Some(Action::Stop));
        }
    }

    /// Keys promised to what is still to come, and those that multiplexers own.
    #[test]
    fn reserved_keys_stay_free() {
        let map = Keymap::shipped();
        for key in ["n", "r", "^A", "^B"] {
            let chord: Chord = key.parse().unwrap();
            assert_eq!(map.action(Screen::Live, chord), None, "{key}");
        }
    }

    #[test]
    fn a_users_file_names_only_differences() {
        let mut map = Keymap::shipped();
        let text = "[[key]]\nkey = \"x\"\naction = \"freeze\"\n[[key]]\nkey = \"q\"\naction = \"none\"\n";
        map.overlay("keys.toml", text).unwrap();
        assert_eq!(map.action(Screen::Live, Chord::char('x')), Some(Action::Freeze));
        assert_eq!(map.action(Screen::Live, Chord::char('f')), Some(Action::Freeze));
        assert_eq!(map.key(Screen::Live, Action::Freeze), Some(Chord::char('x')));
        assert_eq!(map.action(Screen::Live, Chord::char('q')), None);
        assert_eq!(map.action(Screen::Live, Chord::char('u')), Some(Action::Undo));
    }

    #[test]
    fn a_key_taken_on_one_screen_stays_on_the_others() {
        let mut map = Keymap::shipped();
        map.overlay("k", "[[key]]\nkey = \"?\"\naction = \"freeze\"\nscreens = [\"live\"]\n").unwrap();
        assert_eq!(map.action(Screen::Live, Chord::char('?')), Some(Action::Freeze));
        assert_eq!(map.action(Screen::Devices, Chord::char('?')), Some(Action::Help));
    }

    #[test]
    fn a_refused_file_changes_nothing() {
        let mut map = Keymap::shipped();
        let before = map.clone();
        let text = "[[key]]\nkey = \"x\"\naction = \"freeze\"\n[[key]]\nkey = \"hyper-x\"\naction = \"freez\"\n";
        let problems = map.overlay("keys.toml", text).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("keys.toml:5:7: "), "{problems:?}");
        assert_eq!(map, before);
    }
}
