//! What lies over a screen: a text field, a question.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use crate::app::{Ask, Prompt};

use super::{Look, Role, entry, layout, line, panels::boxed, pieces, rows_of, wrapped};

/// Rows a hint may take: an error names the place, what is allowed and what Esc keeps.
const HINT_ROWS: u16 = 5;

/// In the middle, or beside the row it is about. Answers where the cursor belongs.
pub fn text(buffer: &mut Buffer, area: Rect, beside: Option<Rect>, prompt: &Prompt, look: &Look) -> Option<Position> {
    let hint_rows = rows_of(&prompt.hint, 66.min(area.width.saturating_sub(4)), look).clamp(2, HINT_ROWS);
    let (width, height) = (70, 3 + hint_rows);
    let place = match beside {
        Some(row) => layout::beside(area, row, width, height),
        None => layout::dialog(area, width, height),
    };
    let inner = panel(buffer, place, &prompt.title, look);
    let field = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), height: 1.min(inner.height), ..inner };
    let cursor = entry::row(buffer, field, prompt, look.style(Role::Text), look);
    let role = if prompt.is_refused { Role::Bad } else { Role::Dim };
    let hint = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..field };
    wrapped(buffer, hint, &prompt.hint, look.style(role), look);
    cursor
}

pub fn ask(buffer: &mut Buffer, area: Rect, ask: &Ask, look: &Look) -> Option<Position> {
    let height = u16::try_from(ask.lines.len()).unwrap_or(u16::MAX).saturating_add(4);
    let inner = panel(buffer, layout::dialog(area, 70, height), ask.about.title(), look);
    let mut at = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), height: 1.min(inner.height), ..inner };
    for text in &ask.lines {
        if at.y >= inner.bottom() {
            return None;
        }
        line(buffer, at, text, look.style(Role::Text), look);
        at.y += 1;
    }
    at.y = at.y.saturating_add(1).min(inner.bottom().saturating_sub(1));
    let mut x = at.x;
    for (i, answer) in ask.answers.iter().enumerate() {
        let style = look.style(if i == ask.selected { Role::Select } else { Role::Text });
        let text = if i == ask.selected { format!("[{}]", answer.name()) } else { format!(" {} ", answer.name()) };
        x = pieces(
            buffer,
            Rect { x, width: at.right().saturating_sub(x), ..at },
            &[(&text, style), ("  ", look.style(Role::Text))],
        );
    }
    let rest = Rect { x, width: at.right().saturating_sub(x), ..at };
    line(buffer, rest, "enter takes [ ], esc cancels", look.style(Role::Dim), look);
    None
}

fn panel(buffer: &mut Buffer, area: Rect, title: &str, look: &Look) -> Rect {
    Clear.render(area, buffer);
    buffer.set_style(area, look.style(Role::Text));
    boxed(buffer, area, title, look)
}
