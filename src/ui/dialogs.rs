//! What lies over a screen: a text field, a question.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use crate::app::{Ask, Prompt};

use super::{Look, Role, layout, line, panels::boxed, pieces, wrapped};

/// Answers where the cursor belongs.
pub fn text(buffer: &mut Buffer, area: Rect, prompt: &Prompt, look: &Look) -> Option<Position> {
    let inner = panel(buffer, layout::dialog(area, 70, 5), &prompt.title, look);
    let field = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), height: 1, ..inner };
    let cursor = self::field(buffer, field, prompt, look);
    let hint = Rect { y: inner.y + 1, ..field };
    let role = if prompt.is_refused { Role::Bad } else { Role::Dim };
    wrapped(
        buffer,
        Rect { height: inner.height.saturating_sub(1).min(2), ..hint },
        &prompt.hint,
        look.style(role),
        look,
    );
    (inner.height > 0).then_some(cursor)
}

/// What is typed, in one row that follows the cursor: what is left of it may leave the sight. Answers where the
/// cursor belongs.
pub fn field(buffer: &mut Buffer, row: Rect, prompt: &Prompt, look: &Look) -> Position {
    let before = look.width(&prompt.before_cursor());
    let skip = before.saturating_sub(row.width.saturating_sub(1));
    let visible = skip_columns(&prompt.text(), usize::from(skip), look);
    pieces(buffer, row, &[(&visible, look.style(Role::Text))]);
    Position::new((row.x + before - skip).min(row.right().saturating_sub(1).max(row.x)), row.y)
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

fn skip_columns(text: &str, columns: usize, look: &Look) -> String {
    let mut passed = 0;
    let kept = text.chars().skip_while(|c| {
        let hide = passed < columns;
        passed += usize::from(look.width(c.encode_utf8(&mut [0; 4])));
        hide
    });
    kept.collect()
}
