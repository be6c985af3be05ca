//! A text field of one line with the usual line-editing keys, and what it is for.
//!
//! The cursor never stands between a character and the combining marks that belong to it.

use unicode_width::UnicodeWidthChar;

use super::{
    keys::{Chord, Code},
    knobs::Knob,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    Knob(Knob),
    /// A field of the profile, by its dotted key.
    Field(String),
    /// The id of one more VLAN tag of the flow of this name.
    Tag(String),
    /// The number of a build to look at.
    Build,
    SaveAs,
    /// The `:` line.
    Line,
    /// Narrows a list to what answers to it.
    Search,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub purpose: Purpose,
    pub title: String,
    /// What may be typed, or why the last try was refused.
    pub hint: String,
    pub is_refused: bool,
    text: Vec<char>,
    /// In characters, `0..=text.len()`.
    cursor: usize,
}

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    Edited,
    Accepted,
    Cancelled,
    Ignored,
}

/// Longer than any path or note; a list of values may need it.
const LONGEST: usize = 4096;

impl Prompt {
    pub fn new(purpose: Purpose, title: String, hint: String, text: &str) -> Self {
        let mut prompt = Self { purpose, title, hint, is_refused: false, cursor: 0, text: Vec::new() };
        prompt.replace(text);
        prompt
    }

    /// Whether it changes the open profile.
    pub fn is_of_profile(&self) -> bool {
        matches!(self.purpose, Purpose::Knob(_) | Purpose::Field(_) | Purpose::Tag(_))
    }

    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Puts another text in, the cursor behind it.
    pub fn replace(&mut self, text: &str) {
        self.text = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        self.cursor = self.text.len();
    }

    /// What stands before the cursor.
    pub fn before_cursor(&self) -> String {
        self.text[..self.cursor].iter().collect()
    }

    /// What stands behind the cursor stays.
    pub(super) fn replace_before_cursor(&mut self, text: &str) {
        let behind: Vec<char> = self.text[self.cursor..].to_vec();
        self.replace(text);
        self.text.extend(behind.into_iter().take(LONGEST.saturating_sub(self.cursor)));
    }

    /// A hint that is no refusal.
    pub(super) fn hint_at(&mut self, hint: String) {
        self.hint = hint;
        self.is_refused = false;
    }

    pub fn refuse(&mut self, why: String) {
        self.hint = why;
        self.is_refused = true;
    }

    /// Takes one line of a paste, the first that holds something; control characters are left out.
    pub fn paste(&mut self, text: &str) {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        line.chars().filter(|c| !c.is_control()).for_each(|c| self.insert(c));
    }

    pub fn key(&mut self, chord: Chord) -> Typed {
        match (chord.code, chord.ctrl, chord.alt) {
            (Code::Enter, ..) => return Typed::Accepted,
            (Code::Esc, ..) => return Typed::Cancelled,
            (Code::Backspace, false, false) | (Code::Char('h'), true, _) => self.delete(self.left(), self.cursor),
            (Code::Delete, ..) | (Code::Char('d'), true, _) => self.delete(self.cursor, self.right()),
            (Code::Left, false, false) | (Code::Char('b'), true, _) => self.cursor = self.left(),
            (Code::Right, false, false) | (Code::Char('f'), true, _) => self.cursor = self.right(),
            (Code::Left, ..) | (Code::Char('b'), _, true) => self.cursor = self.word_left(),
            (Code::Right, ..) | (Code::Char('f'), _, true) => self.cursor = self.word_right(),
            (Code::Home, ..) | (Code::Char('a'), true, _) => self.cursor = 0,
            (Code::End, ..) | (Code::Char('e'), true, _) => self.cursor = self.text.len(),
            (Code::Char('k'), true, _) => self.delete(self.cursor, self.text.len()),
            (Code::Char('u'), true, _) => self.delete(0, self.cursor),
            (Code::Char('w'), true, _) | (Code::Backspace, ..) => self.delete(self.word_left(), self.cursor),
            (Code::Char('d'), _, true) => self.delete(self.cursor, self.word_right()),
            _ => match chord.text() {
                Some(c) if !c.is_control() => self.insert(c),
                _ => return Typed::Ignored,
            },
        }
        Typed::Edited
    }

    fn insert(&mut self, c: char) {
        if self.text.len() < LONGEST {
            self.text.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.drain(from..to);
        self.cursor = from;
    }

    /// One character to the left, over its combining marks.
    fn left(&self) -> usize {
        let base = self.text[..self.cursor].iter().rposition(|c| takes_room(*c));
        base.unwrap_or(0)
    }

    fn right(&self) -> usize {
        let rest = self.text.get(self.cursor + 1..).unwrap_or_default();
        let marks = rest.iter().take_while(|c| !takes_room(**c)).count();
        (self.cursor + 1 + marks).min(self.text.len())
    }

    fn word_left(&self) -> usize {
        let head = &self.text[..self.cursor];
        let word_end = head.iter().rposition(|c| *c != ' ').map_or(0, |i| i + 1);
        head[..word_end].iter().rposition(|c| *c == ' ').map_or(0, |i| i + 1)
    }

    fn word_right(&self) -> usize {
        let tail = &self.text[self.cursor..];
        let blanks = tail.iter().take_while(|c| **c == ' ').count();
        self.cursor + blanks + tail[blanks..].iter().take_while(|c| **c != ' ').count()
    }
}

fn takes_room(c: char) -> bool {
    c.width().unwrap_or(0) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: &str) -> Prompt {
        Prompt::new(Purpose::SaveAs, String::new(), String::new(), text)
    }

    fn typed(text: &str, keys: &[&str]) -> String {
        let mut prompt = prompt(text);
        for key in keys {
            prompt.key(key.parse().unwrap());
        }
        prompt.text()
    }

    #[test]
    fn the_usual_line_editing_keys_work() {
        for (keys, text) in [
            (&["x"][..], "one twox"),
            (&["^W", "3"], "one 3"),
            (&["^A", "^K"], ""),
            (&["^A", "right", "del", "^E", "backspace"], "oe tw"),
            (&["left", "^U"], "o"),
            (&["space"], "one two "),
            (&["home", "^D", "end", "^H"], "ne tw"),
            (&["alt-b", "x", "alt-b", "y"], "one yxtwo"),
            (&["^A", "alt-f", "x"], "onex two"),
            (&["^A", "alt-d"], " two"),
            (&["^A", "left", "backspace", "^E", "right", "del"], "one two"),
        ] {
            assert_eq!(typed("one two", keys), text, "{keys:?}");
        }
    }

    #[test]
    fn the_cursor_passes_wide_and_combining_characters_whole() {
        let accented = "ae\u{301}\u{323}漢b";
        assert_eq!(typed(accented, &["left", "backspace"]), "ae\u{301}\u{323}b");
        assert_eq!(typed(accented, &["left", "left", "backspace"]), "a漢b");
        assert_eq!(typed(accented, &["home", "right", "del"]), "a漢b");
        assert_eq!(typed("\u{301}x", &["home", "del"]), "x");
    }

    #[test]
    fn one_line_of_a_paste_is_taken() {
        for (pasted, taken) in [("a\tb\u{1b}[31m\nsecond", "ab[31m"), ("\n\nmine\n", "mine"), ("\r\n", ""), ("", "")] {
            let mut prompt = prompt("");
            prompt.paste(pasted);
            assert_eq!(prompt.text(), taken, "{pasted:?}");
        }
    }
}
