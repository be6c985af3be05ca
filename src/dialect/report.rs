//! What an import or export did not carry over, line by line, and why a file could not be taken at all.

use std::fmt;

/// What happened to a line (of an import) or a field (of an export).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It has no counterpart and is left out.
    Dropped,
    /// It means something else on the other side and was put as what means the same, or the nearest.
    Converted,
    /// It was not said and had to be chosen.
    Assumed,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Dropped => "dropped",
            Kind::Converted => "converted",
            Kind::Assumed => "assumed",
        }
    }
}

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub kind: Kind,
    /// From 1; 0 where no line is meant, as in exports.
    pub line: usize,
    /// The line itself, or the dotted key of a profile; may be empty.
    pub text: String,
    /// One good sentence without a full stop.
    pub sentence: String,
}

/// Everything that was not carried over as it stood, in the order of the file. Empty: nothing was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub notes: Vec<Note>,
}

/// Longer lines are cut in notes: nobody reads more.
const MOST_TEXT: usize = 100;

impl Report {
    pub fn add(&mut self, kind: Kind, line: usize, text: &str, sentence: impl Into<String>) {
        let trimmed = text.trim();
        let mut shown: String = trimmed.chars().filter(|c| !c.is_control()).take(MOST_TEXT).collect();
        if trimmed.chars().count() > MOST_TEXT {
            shown.push('…');
        }
        let note = Note { kind, line, text: shown, sentence: sentence.into() };
        // A loop that is expanded says the same of the same line each time round.
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub fn dropped(&mut self, line: usize, text: &str, sentence: impl Into<String>) {
        self.add(Kind::Dropped, line, text, sentence);
    }

    pub fn converted(&mut self, line: usize, text: &str, sentence: impl Into<String>) {
        self.add(Kind::Converted, line, text, sentence);
    }

    pub fn assumed(&mut self, line: usize, text: &str, sentence: impl Into<String>) {
        self.add(Kind::Assumed, line, text, sentence);
    }

    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// Puts the notes in the order of the file; those of one line, and those without one, stay as they were added.
    pub fn sort(&mut self) {
        self.notes.sort_by_key(|note| note.line);
    }

    /// A line a note: `file:12: converted: burst 32: …`.
    pub fn lines<'a>(&'a self, file: &'a str) -> impl Iterator<Item = String> + 'a {
        self.notes.iter().map(move |note| match note.line {
            0 => note.to_string(),
            line => format!("{file}:{line}: {note}"),
        })
    }
}

/// Without the file and line: `converted: burst 32: …`.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text.is_empty() {
            true => write!(f, "{}: {}", self.kind.word(), self.sentence),
            false => write!(f, "{}: {}: {}", self.kind.word(), self.text, self.sentence),
        }
    }
}

/// Why a file could not be taken at all: every reason with its line (0: the file as a whole).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .reasons.iter().map(|(line, reason)| told(.file, *line, reason)).collect::<Vec<_>>().join("\n"))]
pub struct Refused {
    pub file: String,
    pub reasons: Vec<(usize, String)>,
}

impl Refused {
    pub fn at(file: &str, line: usize, reason: impl Into<String>) -> Refused {
        Refused { file: file.into(), reasons: vec![(line, reason.into())] }
    }

    /// With the column, from 1, too.
    pub fn place(file: &str, line: usize, column: usize, reason: impl Into<String>) -> Refused {
        Refused::at(file, line, format!("{column}: {}", reason.into()))
    }

    pub fn whole(file: &str, reason: impl Into<String>) -> Refused {
        Refused::at(file, 0, reason)
    }
}

fn told(file: &str, line: usize, reason: &str) -> String {
    match (file.is_empty(), line) {
        (true, 0) => reason.into(),
        (false, 0) => format!("{file}: {reason}"),
        (true, line) => format!("{line}: {reason}"),
        // `COLUMN: …` goes on with the place.
        (false, line) if begins_with_column(reason) => format!("{file}:{line}:{reason}"),
        (false, line) => format!("{file}:{line}: {reason}"),
    }
}

fn begins_with_column(reason: &str) -> bool {
    reason.split_once(": ").is_some_and(|(column, _)| !column.is_empty() && column.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_file_line_kind_and_text() {
        let mut report = Report::default();
        report.dropped(3, "  pgset \"spi 5\"\t", "IPsec is not here");
        report.dropped(3, "pgset \"spi 5\"", "IPsec is not here");
        report.assumed(0, "", "no device was named");
        let lines: Vec<String> = report.lines("a.sh").collect();
        assert_eq!(
            lines,
            ["a.sh:3: dropped: pgset \"spi 5\": IPsec is not here", "assumed: no device was named"],
            "said once"
        );
    }

    #[test]
    fn long_lines_are_cut() {
        let mut report = Report::default();
        report.dropped(1, &"é".repeat(500), "too long");
        assert_eq!(report.notes[0].text.chars().count(), MOST_TEXT + 1);
    }

    #[test]
    fn a_refusal_may_name_a_column() {
        assert_eq!(Refused::place("a.py", 7, 3, "no such name").to_string(), "a.py:7:3: no such name");
        assert_eq!(Refused::at("a.py", 7, "42 streams are too many").to_string(), "a.py:7: 42 streams are too many");
    }

    #[test]
    fn a_refusal_names_file_and_line() {
        let mut refused = Refused::at("a.yaml", 7, "no such key");
        refused.reasons.push((0, "empty".into()));
        assert_eq!(refused.to_string(), "a.yaml:7: no such key\na.yaml: empty");
    }
}
