//! A profile's text and what it means, kept together: comments and order survive every change.

use std::fmt;

use super::Profile;

/// A valid profile with the text it came from.
#[derive(Debug, Clone)]
pub struct Document {
    profile: Profile,
    text: String,
}

/// One thing wrong (or, as a note, worth knowing) with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// File name as given, `None` for text that has no file.
    pub file: Option<String>,
    /// From 1; 0 where no place is known.
    pub line: usize,
    pub column: usize,
    /// Dotted, as `--set` takes it: `flow.b.ipv4.dst`.
    pub key: String,
    /// What is wrong with which value, what is allowed, the nearest key.
    pub message: String,
}

/// Everything wrong with a text, in the order of the text; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Document {
    /// Reads a whole profile; all problems together. `file` only names it in messages.
    pub fn parse(file: &str, text: &str) -> Result<Document, Problems> {
        let _ = (file, text);
        unimplemented!()
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Worth knowing but no error: a pktgen header that does not fit, a sweep that clone slows down, …
    pub fn notes(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Sets one field by its dotted key (`burst`, `tx.burst`, `flow.a.udp.dst`); `value` is TOML, a short form
    /// (`A..B:STEP`, `A,B,C`, `random A..B`), or else a bare string. Nothing changes when it is refused.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Problems> {
        let _ = (key, value);
        unimplemented!()
    }

    /// One field's present value as `set` takes it back.
    pub fn get(&self, key: &str) -> Option<String> {
        let _ = key;
        None
    }

    /// The text with comments and order as they were. `parse(text())` gives the same profile and the same text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every default written out; parses to the same profile.
    pub fn effective(&self) -> String {
        unimplemented!()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|problem| writeln!(f, "{problem}"))
    }
}

impl std::error::Error for Problems {}
