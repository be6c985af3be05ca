//! The `:` line at the foot of a screen: what is typed, what it means, and what Tab offers.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use crate::app::Line;

use super::{Look, Role, entry, panels::boxed, pieces, wrapped};

/// The box: the line, two rows of meaning, one of candidates, and its borders.
const ROWS: u16 = 6;

/// Answers where the cursor belongs.
pub fn draw(buffer: &mut Buffer, area: Rect, open: &Line, look: &Look) -> Option<Position> {
    // Above the footer, whose stop key stays in sight.
    let bottom = area.bottom().saturating_sub(1);
    let rows = ROWS.min(bottom.saturating_sub(area.y));
    let at = Rect { y: bottom - rows, height: rows, ..area };
    Clear.render(at, buffer);
    buffer.set_style(at, look.style(Role::Text));
    let inner = boxed(buffer, at, "command: enter does it, tab completes, esc leaves", look);
    if inner.height == 0 {
        return None;
    }
    let field = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), height: 1, ..inner };
    pieces(buffer, field, &[(":", look.style(Role::Focus))]);
    let typed = Rect { x: field.x + 1, width: field.width.saturating_sub(1), ..field };
    let cursor = entry::row(buffer, typed, &open.prompt, look.style(Role::Text), look);
    let role = if open.prompt.is_refused { Role::Bad } else { Role::Dim };
    let height = if open.prompt.is_refused { 3 } else { 2 }.min(inner.height.saturating_sub(1));
    wrapped(buffer, Rect { y: inner.y + 1, height, ..field }, &open.prompt.hint, look.style(role), look);
    if !open.prompt.is_refused && inner.height >= 4 {
        candidates(buffer, Rect { y: inner.y + 3, ..field }, open, look);
    }
    cursor
}

/// As many as fit, the picked one among them; only what is new of each.
fn candidates(buffer: &mut Buffer, row: Rect, open: &Line, look: &Look) {
    let shown: Vec<String> = open.candidates.iter().map(|one| tail(one)).collect();
    let mut first = open.picked.unwrap_or(0);
    let width = |from: usize, to: usize| shown[from..=to].iter().map(|one| look.width(one) + 2).sum::<u16>();
    let last = first;
    while first > 0 && width(first - 1, last) < row.width * 2 / 3 {
        first -= 1;
    }
    let mut x = row.x;
    for (i, text) in shown.iter().enumerate().skip(first) {
        if x + look.width(text) + 2 > row.right() {
            pieces(
                buffer,
                Rect { x: row.right().saturating_sub(1), width: 1, ..row },
                &[(look.glyphs.more(), look.style(Role::Dim))],
            );
            break;
        }
        let role = if open.picked == Some(i) { Role::Select } else { Role::Text };
        x = pieces(
            buffer,
            Rect { x, width: row.right() - x, ..row },
            &[(text, look.style(role)), ("  ", look.style(Role::Text))],
        );
    }
}

/// The last step of a key, a value without its key, a name without its command.
fn tail(text: &str) -> String {
    let text = text.trim_start_matches([' ', ':']);
    if let Some((_, value)) = text.split_once('=').filter(|(_, value)| !value.is_empty()) {
        return value.to_owned();
    }
    if let Some((_, name)) = text.split_once(' ').filter(|(_, name)| !name.is_empty()) {
        return name.to_owned();
    }
    let inner = text.trim_end_matches('.');
    let start = inner.rfind('.').map_or(0, |dot| dot + 1);
    text[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_of_a_candidate_is_shown() {
        for (text, shown) in [
            ("flow.a.udp.", "udp."),
            ("flow.a.udp.dst=", "dst="),
            ("mode=copy", "copy"),
            ("o udp-64", "udp-64"),
            ("w ", "w "),
            ("burst=", "burst="),
        ] {
            assert_eq!(tail(text), shown);
        }
    }
}
