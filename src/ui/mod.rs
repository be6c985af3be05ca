//! The face: draws the app. Drawing changes nothing; all state is in the app, all glyphs and colours in the look.

mod big;
mod colour;
mod devices;
mod dialogs;
mod edit;
mod entry;
mod figures;
mod finder;
mod footer;
mod glyphs;
mod graph;
mod header;
mod help;
mod layout;
mod line;
mod live;
mod log;
mod notice;
mod pages;
mod panels;
mod pick;
mod sheet;
mod svg;
mod theme;

pub use colour::Rgb;
pub use glyphs::Glyphs;
pub use svg::{svg, text};
pub use theme::{Role, Theme};

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
};
use unicode_width::UnicodeWidthStr;

use crate::app::{App, Overlay, Screen, Tone};

/// How everything looks.
#[derive(Debug, Clone, Default)]
pub struct Look {
    pub theme: Theme,
    pub glyphs: Glyphs,
}

impl Look {
    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    fn tone(&self, tone: Tone) -> Style {
        self.style(match tone {
            Tone::Plain => Role::Text,
            Tone::Good => Role::Good,
            Tone::Warn => Role::Warn,
            Tone::Bad => Role::Bad,
        })
    }

    /// Cells a text takes.
    fn width(&self, text: &str) -> u16 {
        u16::try_from(text.width()).unwrap_or(u16::MAX)
    }
}

/// Draws one frame.
pub fn draw(frame: &mut Frame, app: &App, look: &Look) {
    let area = frame.area();
    if let Some(cursor) = paint(frame.buffer_mut(), area, app, look) {
        frame.set_cursor_position(cursor);
    }
}

/// Draws one screen into memory; answers where the cursor belongs, if anywhere.
pub fn paint(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) -> Option<Position> {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return None;
    }
    buffer.set_style(area, look.style(Role::Text));
    if layout::is_too_small(area) {
        header::one_line(buffer, area, app, look);
        look.glyphs.fold(buffer);
        return None;
    }
    match app.screen {
        Screen::Live => live::draw(buffer, area, app, look),
        Screen::Edit => edit::draw(buffer, area, app, look),
        Screen::Devices | Screen::Pick | Screen::Log | Screen::Help => pages::draw(buffer, area, app, look),
    }
    notice::draw(buffer, area, app, look);
    let cursor = match &app.overlay {
        Overlay::None => None,
        Overlay::Line(open) => line::draw(buffer, area, open, look),
        Overlay::Find(open) => finder::draw(buffer, area, open, look),
        Overlay::Sheet(open) => {
            sheet::draw(buffer, area, open, look);
            None
        }
        Overlay::Calibration { top } => {
            sheet::draw(buffer, area, &app.calibration_sheet(*top), look);
            None
        }
        Overlay::Text(prompt) => {
            let at = (app.screen == Screen::Edit && prompt.is_of_profile()).then(|| edit::picked_field(area, app));
            dialogs::text(buffer, area, at, prompt, look)
        }
        Overlay::Ask(ask) => dialogs::ask(buffer, area, ask, look),
    };
    look.glyphs.fold(buffer);
    cursor
}

/// One line cut to its room, with a glyph that says so.
fn line(buffer: &mut Buffer, area: Rect, text: &str, style: Style, look: &Look) {
    if area.is_empty() {
        return;
    }
    let room = usize::from(area.width);
    let (end, _) = buffer.set_stringn(area.x, area.y, text, room, style);
    if usize::from(look.width(text)) > room {
        buffer[(end.saturating_sub(1).max(area.x), area.y)].set_symbol(look.glyphs.more());
    }
}

/// Pieces of one line, each in its style, cut at the right edge. Answers the column behind the last one.
fn pieces(buffer: &mut Buffer, area: Rect, pieces: &[(&str, Style)]) -> u16 {
    let mut x = area.x;
    for (text, style) in pieces {
        if x >= area.right() || area.height == 0 {
            break;
        }
        (x, _) = buffer.set_stringn(x, area.y, text, usize::from(area.right() - x), *style);
    }
    x
}

/// A text over as many rows as the area has, broken at spaces.
fn wrapped(buffer: &mut Buffer, area: Rect, text: &str, style: Style, look: &Look) {
    for (i, row) in broken(text, area.width, usize::from(area.height), look).iter().enumerate() {
        line(buffer, Rect { y: area.y + i as u16, height: 1, ..area }, row, style, look);
    }
}

/// Rows that a wrapped text takes.
fn rows_of(text: &str, width: u16, look: &Look) -> u16 {
    u16::try_from(broken(text, width, usize::MAX, look).len()).unwrap_or(u16::MAX)
}

/// At most `most` rows; the last one holds all that is left.
fn broken(text: &str, width: u16, most: usize, look: &Look) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let count = rows.len();
        match rows.last_mut() {
            Some(row) if count >= most || look.width(row) + 1 + look.width(word) <= width => {
                row.push(' ');
                row.push_str(word);
            }
            _ if most == 0 => break,
            _ => rows.push(word.to_owned()),
        }
    }
    rows
}
