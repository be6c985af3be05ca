//! A text laid over the screen to be read and scrolled: the difference to what is saved, the help of one key.

use crate::profile::{
    Document, Problem,
    field::{Effect as ActsAt, Fallback, Field},
};

use super::{
    keys::{Chord, Code},
    lists::PAGE_LINES,
};

/// What a line of a sheet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    Plain,
    /// As plain, of what was lost or may surprise.
    Warning,
    Dim,
    Head,
    Added,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    pub title: String,
    /// What its keys do.
    pub keys: &'static str,
    pub lines: Vec<(Shade, String)>,
    /// The first line in sight.
    pub top: usize,
}

impl Sheet {
    pub fn new(title: String, lines: Vec<(Shade, String)>) -> Self {
        Self { title, keys: "jk scroll, esc closes", lines, top: 0 }
    }

    /// Plain lines.
    pub fn of(title: String, lines: impl IntoIterator<Item = String>) -> Self {
        Self::new(title, lines.into_iter().map(|line| (Shade::Plain, line)).collect())
    }

    /// A row of the table of fields, with what the open profile holds there.
    pub(super) fn of_field(field: &Field, document: &Document, notes: &[Problem]) -> Self {
        let default = match field.fallback {
            Fallback::Is(text) => text.to_owned(),
            Fallback::Unset(meaning) => format!("not set: {meaning}"),
            Fallback::Required => "none, the profile must say".into(),
        };
        let acts = match field.effect {
            ActsAt::NextBurst => "next burst",
            ActsAt::Restart => "restart",
        };
        let row = |word: &str, text: String| (Shade::Plain, format!("{word:<13} {text}"));
        let mut lines = vec![
            (Shade::Head, field.meaning.to_owned()),
            (Shade::Plain, String::new()),
            row("takes", field.kind.allowed()),
        ];
        lines.extend(field.forms().map(|forms| row("may vary", format!("{forms}, random A mask B"))));
        lines.extend([row("default", default), row("takes effect", acts.into())]);
        let keys = super::complete::keys(document);
        let here = keys.iter().filter(|key| super::complete::field_of(key).is_some_and(|of| of.key == field.key));
        let held = here.filter_map(|key| document.get(key).map(|value| (key, value))).filter(|(_, v)| !v.is_empty());
        lines.extend(held.map(|(key, value)| row("now", format!("{key} = {value}"))));
        let is_here = |key: &str| super::complete::field_of(key).is_some_and(|of| of.key == field.key);
        for note in notes.iter().filter(|note| is_here(&note.key)) {
            lines.extend([(Shade::Plain, String::new()), (Shade::Warning, format!("{}: {}", note.key, note.message))]);
        }
        Self::new(field.key.to_owned(), lines)
    }

    /// Whether the sheet closes by this key.
    pub(super) fn key(&mut self, chord: Chord) -> bool {
        let last = self.lines.len().saturating_sub(1);
        match chord.code {
            Code::Esc | Code::Enter | Code::Char('q') => return true,
            Code::Down | Code::Char('j') => self.top = (self.top + 1).min(last),
            Code::Up | Code::Char('k') => self.top = self.top.saturating_sub(1),
            Code::PageDown => self.top = (self.top + PAGE_LINES).min(last),
            Code::PageUp => self.top = self.top.saturating_sub(PAGE_LINES),
            Code::Home => self.top = 0,
            Code::End => self.top = last,
            _ => {}
        }
        false
    }
}
