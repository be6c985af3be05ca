//! Questions with a few answers. The harmless answer is the one that Enter gives, unless Enter is what is asked for.

use super::keys::{Chord, Code};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The first start on a real device in this session.
    FirstStart,
    /// Quit with unsaved changes.
    Quit,
    /// Save over a name that exists.
    Overwrite { name: String },
    /// Open something else over unsaved changes.
    OpenOver(Opening),
    /// Export into a file that exists.
    ExportOver { dialect: String, file: String },
}

/// What takes the open profile's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// By name or path.
    Profile(String),
    /// Another generator's file; without a dialect its content tells.
    Foreign { file: String, dialect: Option<String> },
}

impl Opening {
    fn name(&self) -> &str {
        match self {
            Opening::Profile(name) | Opening::Foreign { file: name, .. } => name,
        }
    }
}

impl About {
    pub fn title(&self) -> &'static str {
        match self {
            About::FirstStart => "first start on this device",
            About::Quit => "quit",
            About::Overwrite { .. } => "save",
            About::OpenOver(Opening::Profile(_)) => "open",
            About::OpenOver(Opening::Foreign { .. }) => "import",
            About::ExportOver { .. } => "export",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Start,
    Save,
    Discard,
    Overwrite,
    Cancel,
}

impl Answer {
    pub fn name(self) -> &'static str {
        match self {
            Answer::Start => "start",
            Answer::Save => "save",
            Answer::Discard => "discard",
            Answer::Overwrite => "overwrite",
            Answer::Cancel => "cancel",
        }
    }

    /// Its first letter answers at once; Enter alone starts on a real device, a letter typed by mistake never does.
    fn letter(self) -> Option<char> {
        match self {
            Answer::Start => None,
            other => other.name().chars().next(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    pub about: About,
    pub lines: Vec<String>,
    pub answers: &'static [Answer],
    pub selected: usize,
}

impl Ask {
    pub fn first_start(lines: Vec<String>) -> Self {
        Self { about: About::FirstStart, lines, answers: &[Answer::Start, Answer::Cancel], selected: 0 }
    }

    pub fn quit(name: &str) -> Self {
        let lines = vec![format!("{name} has unsaved changes.")];
        Self { about: About::Quit, lines, answers: &[Answer::Save, Answer::Discard, Answer::Cancel], selected: 2 }
    }

    pub fn overwrite(name: String, why: String) -> Self {
        let about = About::Overwrite { name };
        Self { about, lines: vec![why], answers: &[Answer::Overwrite, Answer::Cancel], selected: 1 }
    }

    pub fn export_over(dialect: String, file: String) -> Self {
        let lines = vec![format!("{file} exists")];
        let about = About::ExportOver { dialect, file };
        Self { about, lines, answers: &[Answer::Overwrite, Answer::Cancel], selected: 1 }
    }

    pub fn open_over(open: &str, opening: Opening) -> Self {
        let lines = vec![format!("{open} has unsaved changes. Save them before {} opens?", opening.name())];
        let answers = &[Answer::Save, Answer::Discard, Answer::Cancel];
        Self { about: About::OpenOver(opening), lines, answers, selected: 2 }
    }

    /// The answer this key gives, if it gives one.
    pub fn key(&mut self, chord: Chord) -> Option<Answer> {
        let last = self.answers.len() - 1;
        match chord.code {
            Code::Esc => return Some(Answer::Cancel),
            Code::Enter => return self.answers.get(self.selected).copied(),
            Code::Left | Code::BackTab => self.selected = self.selected.saturating_sub(1),
            Code::Right => self.selected = (self.selected + 1).min(last),
            Code::Tab => self.selected = (self.selected + 1) % (last + 1),
            _ => {
                let typed = chord.text()?;
                return self.answers.iter().copied().find(|answer| answer.letter() == Some(typed));
            }
        }
        None
    }
}
