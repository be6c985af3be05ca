//! The finder: what is searched for, and what answers to it with its keys and sentences.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use crate::app::{Finder, Hit};

use super::{
    Look, Role, entry, layout, line,
    panels::{boxed, first_in_sight},
    pieces,
};

/// Answers where the cursor belongs.
pub fn draw(buffer: &mut Buffer, area: Rect, open: &Finder, look: &Look) -> Option<Position> {
    let at = layout::dialog(area, 78, area.height.saturating_sub(4).min(24));
    Clear.render(at, buffer);
    buffer.set_style(at, look.style(Role::Text));
    let inner = boxed(buffer, at, "find an action, command or key: enter does it, esc leaves", look);
    if inner.height == 0 {
        return None;
    }
    let field = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), height: 1, ..inner };
    pieces(buffer, field, &[("/", look.style(Role::Focus))]);
    let typed = Rect { x: field.x + 1, width: field.width.saturating_sub(1), ..field };
    let cursor = entry::row(buffer, typed, &open.prompt, look.style(Role::Text), look);
    let rest = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
    if open.hits.is_empty() {
        line(buffer, rest, "  nothing answers to this", look.style(Role::Dim), look);
    }
    let first = first_in_sight(open.picked, rest.height);
    for (i, hit) in open.hits.iter().enumerate().skip(first).take(usize::from(rest.height)) {
        row(buffer, Rect { y: rest.y + (i - first) as u16, height: 1, ..rest }, hit, i == open.picked, look);
    }
    cursor
}

fn row(buffer: &mut Buffer, at: Rect, hit: &Hit, is_picked: bool, look: &Look) {
    let mark = if is_picked { ">" } else { " " };
    let (names, words) = if is_picked { (Role::Select, Role::Select) } else { (Role::Focus, Role::Text) };
    let name = format!("{mark} {:<12} ", hit.name);
    let end = pieces(buffer, at, &[(&name, look.style(names))]);
    let rest = Rect { x: end, width: at.right().saturating_sub(end), ..at };
    line(buffer, rest, &hit.sentence, look.style(words), look);
}
