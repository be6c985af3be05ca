//! The lines typed on the `:` line, oldest first, and the walk through them with Up and Down.

/// As many are kept; the file keeps no more either.
const MOST: usize = 500;

#[derive(Debug, Clone, Default)]
pub struct History {
    lines: Vec<String>,
}

/// Where a walk stands; `draft` is what was typed before it began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Walk {
    at: Option<usize>,
    draft: String,
}

impl History {
    /// Lines of earlier sessions, oldest first.
    pub fn with(lines: impl IntoIterator<Item = String>) -> Self {
        let mut history = Self::default();
        for line in lines {
            history.add(&line);
        }
        history
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Says whether it is worth keeping: blank lines and repeats of the last one are not.
    pub(super) fn add(&mut self, line: &str) -> bool {
        let line = line.trim();
        if line.is_empty() || self.lines.last().is_some_and(|last| last == line) {
            return false;
        }
        self.lines.push(line.to_owned());
        if self.lines.len() > MOST {
            self.lines.remove(0);
        }
        true
    }

    /// The line before; only lines that begin with what was typed.
    pub(super) fn earlier(&self, walk: &mut Walk, typed: &str) -> Option<String> {
        if walk.at.is_none() {
            walk.draft = typed.to_owned();
        }
        let before = walk.at.unwrap_or(self.lines.len()).min(self.lines.len());
        let at = self.lines[..before].iter().rposition(|line| line.starts_with(&walk.draft))?;
        walk.at = Some(at);
        Some(self.lines[at].clone())
    }

    /// The line after, at last what was typed.
    pub(super) fn later(&self, walk: &mut Walk) -> Option<String> {
        let at = walk.at?;
        let next = self.lines.iter().enumerate().skip(at + 1).find(|(_, line)| line.starts_with(&walk.draft));
        walk.at = next.map(|(at, _)| at);
        Some(next.map_or_else(|| walk.draft.clone(), |(_, line)| line.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_and_down_walk_lines_that_begin_as_typed() {
        let history = History::with(["burst=1", "clone=5", "burst=64", "burst=64", " "].map(str::to_owned));
        assert_eq!(history.lines().len(), 3, "repeats and blanks are left out");
        let mut walk = Walk::default();
        assert_eq!(history.earlier(&mut walk, "b").as_deref(), Some("burst=64"));
        assert_eq!(history.earlier(&mut walk, "burst=64").as_deref(), Some("burst=1"));
        assert_eq!(history.earlier(&mut walk, "burst=1"), None);
        assert_eq!(history.later(&mut walk).as_deref(), Some("burst=64"));
        assert_eq!(history.later(&mut walk).as_deref(), Some("b"), "back at what was typed");
        assert_eq!(history.later(&mut walk), None);
    }

    #[test]
    fn only_so_many_are_kept() {
        let history = History::with((0..2 * MOST).map(|n| n.to_string()));
        assert_eq!((history.lines().len(), history.lines().last().unwrap().as_str()), (MOST, "999"));
    }
}
