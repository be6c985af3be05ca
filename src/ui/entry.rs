//! A text field's row: the text follows the cursor, wide and combining characters stay whole.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
};

use crate::app::Prompt;

use super::{Look, pieces};

/// Draws the text of a field into one row; answers where the cursor belongs.
pub fn row(buffer: &mut Buffer, row: Rect, prompt: &Prompt, style: Style, look: &Look) -> Option<Position> {
    if row.is_empty() {
        return None;
    }
    let (before, text) = (prompt.before_cursor(), prompt.text());
    // What is left of the cursor may leave the sight; the cursor itself needs a cell behind it.
    let room = row.width.saturating_sub(1);
    let hidden = hidden(&before, room, look);
    let visible = text.get(hidden..).unwrap_or_default();
    pieces(buffer, row, &[(visible, style)]);
    let x = row.x + look.width(before.get(hidden..).unwrap_or_default());
    Some(Position::new(x.min(row.right() - 1), row.y))
}

/// Bytes of `before` that must go so that the rest of it fits.
fn hidden(before: &str, room: u16, look: &Look) -> usize {
    let starts = before.char_indices().map(|(at, _)| at).chain([before.len()]);
    let fits = |at: &usize| look.width(&before[*at..]) <= room;
    starts.filter(fits).find(|at| !begins_with_mark(&before[*at..], look)).unwrap_or(before.len())
}

/// A combining mark without its character would hang on the border.
fn begins_with_mark(text: &str, look: &Look) -> bool {
    text.chars().next().is_some_and(|c| look.width(c.encode_utf8(&mut [0; 4])) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_ends_at_a_whole_character() {
        let look = Look::default();
        assert_eq!(hidden("abc", 3, &look), 0);
        assert_eq!(hidden("abcd", 3, &look), 1);
        assert_eq!(hidden("漢字x", 4, &look), 3);
        assert_eq!(hidden("ae\u{301}b", 1, &look), 4);
        assert_eq!(hidden("漢", 1, &look), 3);
        assert_eq!(hidden("", 0, &look), 0);
    }
}
