//! What is wrong with a text, and where: byte ranges become lines and columns, positions become flow names.

use std::{collections::BTreeMap, fmt, ops::Range};

/// More than anyone reads; a text of nonsense would otherwise take long to describe.
pub(super) const MAX_PROBLEMS: usize = 200;

/// One thing wrong (or, as a note, worth knowing) with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// File name as given, `None` for text that has no file.
    pub file: Option<String>,
    /// From 1; 0 where no place is known.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Dotted, as `--set` takes it: `flow.b.ipv4.dst`.
    pub key: String,
    /// What is wrong with which value, what is allowed, the nearest key.
    pub message: String,
}

/// Everything wrong with a text, in the order of the text; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Problem {
    /// A problem without a place.
    pub fn of(key: &str, message: impl Into<String>) -> Problem {
        Problem { file: None, line: 0, column: 0, key: key.into(), message: message.into() }
    }
}

impl Problems {
    pub fn one(key: &str, message: impl Into<String>) -> Problems {
        Problems(vec![Problem::of(key, message)])
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (_, 0) => {}
            (Some(file), line) => write!(f, "{file}:{line}:{}: ", self.column)?,
            (None, line) => write!(f, "{line}:{}: ", self.column)?,
        }
        match self.key.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.key, self.message),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

/// A problem while the text is still at hand: a path (`flow.0.udp.dst`) and perhaps bytes.
#[derive(Debug, Clone)]
pub(super) struct Flaw {
    pub path: String,
    pub at: Option<Range<usize>>,
    pub message: String,
    /// Path of the key that was probably meant.
    pub near: Option<String>,
}

impl Flaw {
    pub fn new(path: &str, at: Range<usize>, message: impl Into<String>) -> Flaw {
        Flaw { path: path.into(), at: Some(at), message: message.into(), near: None }
    }

    /// At wherever the path is written.
    pub fn of(path: &str, message: impl Into<String>) -> Flaw {
        Flaw { path: path.into(), at: None, message: message.into(), near: None }
    }
}

/// Where each path of a text is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    spans: BTreeMap<String, Range<usize>>,
    /// Names by flow number, where they have one.
    pub names: Vec<Option<String>>,
}

impl Places {
    pub fn add(&mut self, path: &str, span: Range<usize>) {
        self.spans.insert(path.into(), span);
    }

    pub fn get(&self, path: &str) -> Option<Range<usize>> {
        self.spans.get(path).cloned()
    }

    /// Every written path below this one.
    pub fn under(&self, path: &str) -> Vec<String> {
        let prefix = format!("{path}.");
        self.spans.keys().filter(|key| key.starts_with(&prefix)).cloned().collect()
    }

    /// The path's own place, else the nearest one around it.
    fn nearest(&self, path: &str) -> Option<Range<usize>> {
        let mut path = path;
        loop {
            if let Some(span) = self.spans.get(path) {
                return Some(span.clone());
            }
            path = path.rsplit_once('.')?.0;
        }
    }

    /// As `--set` takes it: flows by name, `flow[1]` where they have none.
    pub fn label(&self, path: &str) -> String {
        let Some((number, rest)) = path.strip_prefix("flow.").map(|tail| tail.split_once('.').unwrap_or((tail, "")))
        else {
            return path.into();
        };
        let Ok(number) = number.parse::<usize>() else {
            return path.into();
        };
        let flow = match self.names.get(number) {
            Some(Some(name)) => format!("flow.{name}"),
            _ => format!("flow[{number}]"),
        };
        if rest.is_empty() { flow } else { format!("{flow}.{rest}") }
    }

    /// Problems in the order of the text, with line and column.
    pub fn settle(&self, file: Option<&str>, body: &str, flaws: &[Flaw]) -> Vec<Problem> {
        let lines = Lines::of(body);
        let mut placed: Vec<(usize, &Flaw)> = flaws
            .iter()
            .map(|flaw| {
                let span = flaw.at.clone().or_else(|| self.nearest(&flaw.path));
                (span.map_or(0, |span| span.start), flaw)
            })
            .collect();
        placed.sort_by_key(|(offset, _)| *offset);
        placed.truncate(MAX_PROBLEMS);
        placed
            .into_iter()
            .map(|(offset, flaw)| {
                let (line, column) = lines.place(body, offset);
                let (file, key) = (file.map(str::to_string), self.label(&flaw.path));
                Problem { file, line, column, key, message: self.message(flaw) }
            })
            .collect()
    }

    /// The message with the key that was probably meant.
    pub fn message(&self, flaw: &Flaw) -> String {
        match &flaw.near {
            Some(near) => format!("{}. Did you mean {}?", flaw.message, self.label(near)),
            None => flaw.message.clone(),
        }
    }
}

/// Where lines begin; asked once per problem, so not searched from the top each time.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub fn of(body: &str) -> Lines {
        Lines(std::iter::once(0).chain(body.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Line and column from 1.
    pub fn place(&self, body: &str, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset);
        let start = self.0[line.saturating_sub(1)];
        let column = body.get(start..offset).map_or(1, |before| before.chars().count() + 1);
        (line, column)
    }
}

/// The nearest of some words, when one is near enough to be meant: `Did you mean tx.burst?`
pub fn nearest<'a>(word: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(40).collect::<String>().to_lowercase();
    among
        .map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let body = "a\nnote = \"é\" x\n";
        let offset = body.find('x').unwrap();
        assert_eq!(Lines::of(body).place(body, offset), (2, 12));
        assert_eq!(Lines::of("").place("", 0), (1, 1));
        assert_eq!(Lines::of("ab").place("ab", 99), (1, 1));
    }

    #[test]
    fn only_near_words_are_suggested() {
        assert_eq!(nearest("brst", ["burst", "clone"].into_iter()), Some("burst"));
        assert_eq!(nearest("zzzzzz", ["burst", "clone"].into_iter()), None);
    }
}
