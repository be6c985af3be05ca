//! The Log screen: what happened this session, the newest at the foot.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{App, Entry, Level};

use super::{Look, Role, line, panels::boxed, pieces, rows_of, wrapped};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let shown = app.log.in_sight();
    let back = match app.log.back() {
        0 => String::new(),
        back => format!(", {back} newer below"),
    };
    let title = format!("log: {} and above{back}", app.log.least.name());
    let inner = boxed(buffer, area, &title, look);
    if shown.is_empty() {
        return line(buffer, inner, " nothing happened yet", look.style(Role::Dim), look);
    }
    // From the foot upwards, each entry as high as its text.
    let end = shown.len() - app.log.back().min(shown.len() - 1);
    let mut bottom = inner.bottom();
    for entry in shown[..end].iter().rev() {
        let rows = height(entry, inner.width, look).min(bottom - inner.y);
        if rows == 0 {
            break;
        }
        bottom -= rows;
        row(buffer, Rect { y: bottom, height: rows, ..inner }, entry, app, look);
    }
    // A log shorter than the screen begins at its top.
    if bottom > inner.y {
        lift(buffer, inner, bottom - inner.y);
    }
}

/// Cells in front of the text: the time and the level.
const LEAD: u16 = 16;

fn height(entry: &Entry, width: u16, look: &Look) -> u16 {
    rows_of(&said(entry), width.saturating_sub(LEAD + 1), look).clamp(1, 4)
}

fn said(entry: &Entry) -> String {
    if entry.source == "txdeck" { entry.text.clone() } else { format!("{}: {}", entry.source, entry.text) }
}

fn row(buffer: &mut Buffer, area: Rect, entry: &Entry, app: &App, look: &Look) {
    let role = match entry.level {
        Level::Error => Role::Bad,
        Level::Warn => Role::Warn,
        Level::Info => Role::Text,
        Level::Debug => Role::Dim,
    };
    let (clock, level) = (format!(" {} ", app.log.clock(entry.at_ns)), format!("{:<5} ", entry.level.name()));
    pieces(buffer, area, &[(&clock, look.style(Role::Dim)), (&level, look.style(role))]);
    let rest = Rect { x: area.x + LEAD, width: area.width.saturating_sub(LEAD + 1), ..area };
    wrapped(buffer, rest, &said(entry), look.style(role), look);
}

/// Moves what was drawn up by so many rows.
fn lift(buffer: &mut Buffer, area: Rect, by: u16) {
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            let from = y.checked_add(by).filter(|from| *from < area.bottom());
            let cell = from.map_or_else(|| ratatui::buffer::Cell::EMPTY, |from| buffer[(x, from)].clone());
            buffer[(x, y)] = cell;
        }
    }
    if by > 0 {
        let empty = Rect { y: area.bottom().saturating_sub(by).max(area.y), height: by.min(area.height), ..area };
        let style = buffer[(area.x.saturating_sub(1), area.y)].style();
        buffer.set_style(empty, ratatui::style::Style::new().bg(style.bg.unwrap_or_default()));
    }
}
