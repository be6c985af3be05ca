//! The frame of every screen but Live and Edit: header, body, a passing message, footer; and what lists share.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{App, Prompt, Screen};

use super::{Look, Role, devices, footer, header, help, layout, line, log, panels::first_in_sight, pick, pieces};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let (head, body, notice, foot) = layout::page(area);
    header::draw(buffer, head, app, look);
    match app.screen {
        Screen::Devices => devices::draw(buffer, body, app, look),
        Screen::Pick => pick::draw(buffer, body, app, look),
        Screen::Log => log::draw(buffer, body, app, look),
        Screen::Help => help::draw(buffer, body, app, look),
        Screen::Live | Screen::Edit => {}
    }
    if let Some(said) = app.notice() {
        line(buffer, notice, &format!(" {}", said.text), look.tone(said.tone), look);
    }
    footer::draw(buffer, foot, app, look);
}

/// A list's lines, the picked one in sight and marked by more than its colour.
pub fn list(buffer: &mut Buffer, area: Rect, picked: usize, lines: &[(String, Role)], look: &Look) {
    let first = first_in_sight(picked, area.height);
    for (i, (text, role)) in lines.iter().enumerate().skip(first).take(usize::from(area.height)) {
        let at = Rect { y: area.y + (i - first) as u16, height: 1, ..area };
        let (mark, role) = if i == picked { (">", Role::Select) } else { (" ", *role) };
        line(buffer, at, &format!("{mark} {text}"), look.style(role), look);
    }
}

/// A search field in one row: `search: udp_`, with what stands at its right end.
pub fn search(buffer: &mut Buffer, area: Rect, prompt: &Prompt, hint: &str, right: &str, look: &Look) {
    let typed = prompt.text();
    let (text, role) = if typed.is_empty() { (hint, Role::Dim) } else { (typed.as_str(), Role::Text) };
    let label = if typed.is_empty() { " " } else { " search: " };
    let end = pieces(buffer, area, &[(label, look.style(Role::Dim)), (text, look.style(role))]);
    let width = look.width(right);
    if end + width + 1 < area.right() {
        pieces(buffer, Rect { x: area.right() - width - 1, ..area }, &[(right, look.style(Role::Dim))]);
    }
}

/// The upper rows of an area, and the rest.
pub fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let rest = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, rest)
}
