//! Profiles to open: the user's and the shipped ones, narrowed by what is typed.

use super::{
    keys::{Chord, Code},
    lists::Move,
    near::answers,
    prompt::{Prompt, Purpose, Typed},
};

/// A profile that can be opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileEntry {
    /// As `Effect::Load` takes it, shipped ones behind a user's with `shipped:` in front.
    pub name: String,
    pub note: String,
    pub is_shipped: bool,
    /// Of a shipped one: a user's profile of the same name stands before it. Of a user's: it hides a shipped one.
    pub is_shadowed: bool,
    /// The first message about a file that is no valid profile.
    pub problem: Option<String>,
}

/// What the shell found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileList {
    /// One's own first.
    pub entries: Vec<ProfileEntry>,
    /// Where one's own live.
    pub folder: String,
    /// The user who called sudo: then the folder is root's, not theirs.
    pub sudo_user: Option<String>,
}

#[derive(Debug)]
pub struct Pick {
    found: ProfileList,
    /// What narrows the list.
    pub search: Prompt,
    /// Among those in sight.
    picked: usize,
    /// Whether the answer has come.
    pub is_known: bool,
}

impl Default for Pick {
    fn default() -> Self {
        let search = Prompt::new(Purpose::Search, "search".into(), String::new(), "");
        Self { found: ProfileList::default(), search, picked: 0, is_known: false }
    }
}

impl Pick {
    pub fn fill(&mut self, found: ProfileList) {
        self.found = found;
        self.is_known = true;
        self.picked = self.picked.min(self.in_sight().len().saturating_sub(1));
    }

    pub fn entries(&self) -> &[ProfileEntry] {
        &self.found.entries
    }

    pub fn folder(&self) -> &str {
        &self.found.folder
    }

    pub fn sudo_user(&self) -> Option<&str> {
        self.found.sudo_user.as_deref()
    }

    /// What answers to the search, in the list's own order.
    pub fn in_sight(&self) -> Vec<&ProfileEntry> {
        let typed = self.search.text();
        let is_hit = |entry: &&ProfileEntry| {
            let whose = if entry.is_shipped { "shipped" } else { "yours" };
            // Strewn letters find too much in notes: at least one word must be hit whole.
            answers(&format!("{} {whose} {}", entry.name, entry.note), &typed)
                .is_some_and(|s| typed.is_empty() || s >= 10)
        };
        self.found.entries.iter().filter(is_hit).collect()
    }

    pub fn picked_index(&self) -> usize {
        self.picked
    }

    pub fn picked(&self) -> Option<&ProfileEntry> {
        self.in_sight().get(self.picked).copied()
    }

    pub(super) fn go(&mut self, to: Move) {
        self.picked = to.from(self.picked, self.in_sight().len());
    }

    /// Comes back to the whole list.
    pub(super) fn forget_search(&mut self) {
        self.search.replace("");
        self.picked = 0;
    }

    /// Whether this key was meant for the search.
    pub(super) fn key(&mut self, chord: Chord) -> bool {
        let is_empty = self.search.text().is_empty();
        let is_editing = matches!(chord.code, Code::Backspace | Code::Delete)
            || (chord.ctrl && matches!(chord.code, Code::Char('u' | 'w' | 'h')));
        match chord.code {
            Code::Esc if !is_empty => self.forget_search(),
            _ if is_editing || super::Screen::Pick.is_typed_into(chord) => {
                if self.search.key(chord) == Typed::Edited {
                    self.picked = 0;
                }
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_narrows_by_name_and_note() {
        let entry =
            |name: &str, note: &str| ProfileEntry { name: name.into(), note: note.into(), ..Default::default() };
        let mut pick = Pick::default();
        let entries = vec![entry("udp-64", "as fast as it goes"), entry("vlan-qinq", "two tags"), entry("x", "udp")];
        pick.fill(ProfileList { entries, ..ProfileList::default() });
        let names = |pick: &Pick| pick.in_sight().iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
        "udp".chars().for_each(|c| assert!(pick.key(Chord::char(c))));
        assert_eq!(names(&pick), ["udp-64", "x"]);
        pick.go(Move::Last);
        assert_eq!(pick.picked().unwrap().name, "x");
        pick.key(Chord::char('-'));
        assert_eq!((names(&pick), pick.picked_index()), (vec!["udp-64".to_owned()], 0));
        assert!(pick.key(Chord::key(Code::Esc)) && names(&pick).len() == 3);
        assert!(!pick.key(Chord::key(Code::Esc)), "an empty search leaves esc alone");
        assert!(!pick.key(Chord::char(':')) && !pick.key(Chord::key(Code::Enter)));
    }
}
