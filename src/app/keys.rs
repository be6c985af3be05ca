//! One key press as a name: `space`, `^C`, `alt-x`, `pgdn`, `q`. The terminal's own codes end at the shell.

use std::{fmt, str::FromStr};

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers. Shift is already in the character (`W`, `+`) and otherwise ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    pub code: Code,
    pub ctrl: bool,
    pub alt: bool,
}

const NAMES: [(&str, Code); 15] = [
    ("space", Code::Char(' ')),
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("shift-tab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("del", Code::Delete),
    ("left", Code::Left),
    ("right", Code::Right),
    ("up", Code::Up),
    ("down", Code::Down),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
];

impl Chord {
    pub const STOP: Chord = Chord::ctrl('c');

    pub const fn key(code: Code) -> Self {
        Self { code, ctrl: false, alt: false }
    }

    pub const fn char(c: char) -> Self {
        Self::key(Code::Char(c))
    }

    /// `c` in lower case.
    pub const fn ctrl(c: char) -> Self {
        Self { code: Code::Char(c), ctrl: true, alt: false }
    }

    /// The character this key types into a text field.
    pub fn text(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl FromStr for Chord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "{text:?} is no key: write a character, `^C` for Ctrl-C, `alt-x`, F1..F12, or space, enter, esc, tab, …"
            )
        };
        let mut chars = text.chars();
        match (chars.next(), chars.next(), chars.next()) {
            (Some(c), None, _) if !c.is_control() => return Ok(Chord::char(c)),
            (Some('^'), Some(c), None) if c.is_ascii_graphic() => return Ok(Chord::ctrl(c.to_ascii_lowercase())),
            _ => {}
        }
        if let Some(rest) = text.strip_prefix("alt-") {
            let chord: Chord = rest.parse().map_err(|_| unknown())?;
            return Ok(Chord { alt: true, ..chord });
        }
        let lower = text.to_lowercase();
        if let Some((_, code)) = NAMES.iter().find(|(name, _)| *name == lower) {
            return Ok(Chord::key(*code));
        }
        match lower.strip_prefix('f').and_then(|n| n.parse().ok()) {
            Some(n @ 1..=12) => Ok(Chord::key(Code::F(n))),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.alt {
            f.write_str("alt-")?;
        }
        if self.ctrl
            && let Code::Char(c) = self.code
        {
            return write!(f, "^{}", c.to_ascii_uppercase());
        }
        match (NAMES.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, Code::F(n)) => write!(f, "F{n}"),
            (None, Code::Char(c)) => write!(f, "{c}"),
            (None, code) => write!(f, "{code:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_written_as_it_is_read() {
        for text in ["space", "^C", "alt-x", "pgdn", "q", "W", "F5", "shift-tab", "+", "^", "é"] {
            let chord: Chord = text.parse().unwrap();
            assert_eq!(chord.to_string(), text);
        }
        assert_eq!("^c".parse::<Chord>().unwrap(), Chord::STOP);
        for text in ["", "ctrl", "F13", "^", "alt-", "\n"].iter().filter(|text| **text != "^") {
            assert!(text.parse::<Chord>().is_err(), "{text:?}");
        }
    }
}
