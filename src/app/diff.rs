//! The difference between what is saved and what is open, as a unified diff.

use super::{App, Origin, Overlay, Sheet, sheet::Shade};

/// Lines around a change.
const CONTEXT: usize = 3;
/// A larger table of lines is not worth its time: what lies between equal ends is then told as replaced.
const MOST_CELLS: usize = 4_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

impl App {
    /// `D`
    pub(super) fn show_diff(&mut self) {
        let (old, new) = (self.open.saved().text(), self.open.document().text());
        let title = format!("{}: changes since it was saved", self.open.name);
        let lines = match old == new {
            true => vec![(Shade::Plain, self.no_difference())],
            false => {
                let from = match &self.open.origin {
                    Origin::Shipped => format!("{} (shipped)", self.open.name),
                    Origin::File(path) => path.clone(),
                    Origin::Imported(path) => format!("out of {path}"),
                };
                let mut lines = vec![(Shade::Removed, format!("--- {from}")), (Shade::Added, "+++ now".into())];
                lines.extend(unified(old, new));
                lines
            }
        };
        self.overlay = Overlay::Sheet(Box::new(Sheet::new(title, lines)));
    }

    fn no_difference(&self) -> String {
        match &self.open.origin {
            Origin::Imported(path) => format!("nothing differs: {} is as it came out of {path}", self.open.name),
            _ => format!("nothing differs: {} is as saved", self.open.name),
        }
    }
}

/// Hunks with three lines of context; nothing for equal texts.
pub(super) fn unified(old: &str, new: &str) -> Vec<(Shade, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let steps = steps(&old, &new);
    let changed: Vec<usize> = (0..steps.len()).filter(|at| !matches!(steps[*at], Step::Same(_))).collect();
    let mut out = Vec::new();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        // Changes closer than two contexts share a hunk.
        let in_hunk = 1 + rest.windows(2).take_while(|pair| pair[1] - pair[0] <= 2 * CONTEXT + 1).count();
        let from = first.saturating_sub(CONTEXT);
        let to = (rest[in_hunk - 1] + CONTEXT + 1).min(steps.len());
        out.push((Shade::Head, head(&steps, from, to)));
        out.extend(steps[from..to].iter().map(told));
        rest = &rest[in_hunk..];
    }
    out
}

/// `@@ -4,7 +4,7 @@`
fn head(steps: &[Step], from: usize, to: usize) -> String {
    let count = |steps: &[Step], wanted: fn(&Step) -> bool| steps.iter().filter(|step| wanted(step)).count();
    let is_old = |step: &Step| !matches!(step, Step::Added(_));
    let is_new = |step: &Step| !matches!(step, Step::Removed(_));
    let (before, here) = (&steps[..from], &steps[from..to]);
    let side = |wanted: fn(&Step) -> bool| {
        let (start, length) = (count(before, wanted), count(here, wanted));
        format!("{},{length}", if length == 0 { start } else { start + 1 })
    };
    format!("@@ -{} +{} @@", side(is_old), side(is_new))
}

fn told(step: &Step) -> (Shade, String) {
    match step {
        Step::Same(line) => (Shade::Dim, format!(" {line}")),
        Step::Removed(line) => (Shade::Removed, format!("-{line}")),
        Step::Added(line) => (Shade::Added, format!("+{line}")),
    }
}

fn steps<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Step<'a>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (mid_old, mid_new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut steps: Vec<Step> = old[..head].iter().map(|line| Step::Same(line)).collect();
    steps.extend(middle(mid_old, mid_new));
    steps.extend(old[old.len() - tail..].iter().map(|line| Step::Same(line)));
    steps
}

/// By the longest common subsequence.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Step<'a>> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > MOST_CELLS {
        let removed = old.iter().map(|line| Step::Removed(line));
        return removed.chain(new.iter().map(|line| Step::Added(line))).collect();
    }
    // longest[i * width + j]: of old[i..] and new[j..].
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = match old[i] == new[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            out.push(Step::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            out.push(Step::Removed(old[i]));
            i += 1;
        } else {
            out.push(Step::Added(new[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(old: &str, new: &str) -> String {
        unified(old, new).into_iter().map(|(_, line)| line + "\n").collect()
    }

    #[test]
    fn a_changed_line_has_three_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(text(old, &old.replace('5', "five")), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        assert_eq!(text(old, old), "");
    }

    #[test]
    fn lines_only_added_or_removed_say_where() {
        assert_eq!(text("a\n", "a\nb\n"), "@@ -1,1 +1,2 @@\n a\n+b\n");
        assert_eq!(text("", "b\n"), "@@ -0,0 +1,1 @@\n+b\n");
        assert_eq!(text("b\n", ""), "@@ -1,1 +0,0 @@\n-b\n");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old.replace("5\n", "five\n").replace("30\n", "thirty\n");
        let hunks = text(&old, &new);
        // 15, 25 and 35 end with 5, too; 25, 30 and 35 are near enough to share one.
        assert_eq!(hunks.matches("@@ -").count(), 3, "{hunks}");
    }

    proptest::proptest! {
        /// Applied to the old text, a diff gives the new one.
        #[test]
        fn steps_lead_from_old_to_new(old in "[ab\n]{0,40}", new in "[ab\n]{0,40}") {
            let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
            let steps = steps(&a, &b);
            let side = |skip: fn(&Step) -> bool| steps.iter().filter(|step| !skip(step)).map(|step| match step {
                Step::Same(line) | Step::Removed(line) | Step::Added(line) => *line,
            }).collect::<Vec<_>>();
            proptest::prop_assert_eq!(side(|step| matches!(step, Step::Added(_))), a);
            proptest::prop_assert_eq!(side(|step| matches!(step, Step::Removed(_))), b);
        }
    }
}
