//! A text field of one line with the usual line-editing keys, and what it is for.

use super::{
    keys::{Chord, Code},
    knobs::Knob,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    Knob(Knob),
    SaveAs,
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

/// Longer than any value or path that makes sense here.
const LONGEST: usize = 256;

impl Prompt {
    pub fn new(purpose: Purpose, title: String, hint: String, text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { purpose, title, hint, is_refused: false, cursor: text.len(), text }
    }

    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// What stands before the cursor.
    pub fn before_cursor(&self) -> String {
        self.text[..self.cursor].iter().collect()
    }

    pub fn refuse(&mut self, why: String) {
        self.hint = why;
        self.is_refused = true;
    }

    /// Takes the first line of a paste; control characters are left out.
    pub fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        line.chars().filter(|c| !c.is_control()).for_each(|c| self.insert(c));
    }

    pub fn key(&mut self, chord: Chord) -> Typed {
        match (chord.code, chord.ctrl) {
            (Code::Enter, _) => return Typed::Accepted,
            (Code::Esc, _) => return Typed::Cancelled,
            (Code::Backspace, false) | (Code::Char('h'), true) if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            (Code::Delete, _) | (Code::Char('d'), true) if self.cursor < self.text.len() => {
                self.text.remove(self.cursor);
            }
            (Code::Left, _) | (Code::Char('b'), true) => self.cursor = self.cursor.saturating_sub(1),
            (Code::Right, _) | (Code::Char('f'), true) => self.cursor = (self.cursor + 1).min(self.text.len()),
            (Code::Home, _) | (Code::Char('a'), true) => self.cursor = 0,
            (Code::End, _) | (Code::Char('e'), true) => self.cursor = self.text.len(),
            (Code::Char('k'), true) => self.text.truncate(self.cursor),
            (Code::Char('u'), true) => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            (Code::Char('w'), true) => self.delete_word(),
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

    fn delete_word(&mut self) {
        let head = &self.text[..self.cursor];
        let word_end = head.iter().rposition(|c| *c != ' ').map_or(0, |i| i + 1);
        let word_start = head[..word_end].iter().rposition(|c| *c == ' ').map_or(0, |i| i + 1);
        self.text.drain(word_start..self.cursor);
        self.cursor = word_start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[&str]) -> String {
        let mut prompt = Prompt::new(Purpose::SaveAs, String::new(), String::new(), "one two");
        for key in keys {
            prompt.key(key.parse().unwrap());
        }
        prompt.text()
    }

    #[test]
    fn the_usual_line_editing_keys_work() {
        assert_eq!(typed(&["x"]), "one twox");
        assert_eq!(typed(&["^W", "3"]), "one 3");
        assert_eq!(typed(&["^A", "^K"]), "");
        assert_eq!(typed(&["^A", "right", "del", "^E", "backspace"]), "oe tw");
        assert_eq!(typed(&["left", "^U"]), "o");
        assert_eq!(typed(&["space"]), "one two ");
    }

    #[test]
    fn one_line_of_a_paste_is_taken() {
        let mut prompt = Prompt::new(Purpose::SaveAs, String::new(), String::new(), "");
        prompt.paste("a\tb\u{1b}[31m\nsecond");
        assert_eq!(prompt.text(), "ab[31m");
    }
}
