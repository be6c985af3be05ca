//! A passing message that is longer than its row: it grows upwards over the screen for as long as it stands.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Clear, Widget},
};

use crate::app::App;

use super::{Look, Role, rows_of, wrapped};

/// More than this is for the log.
const MOST_ROWS: u16 = 6;

/// Draws over the rows above the footer what its one row cannot hold; nothing where it can.
pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let Some(said) = app.notice() else { return };
    let room = area.width.saturating_sub(2).max(1);
    if look.width(&said.text) <= room || area.height < MOST_ROWS + 2 {
        return;
    }
    let rows = rows_of(&said.text, room, look).min(MOST_ROWS);
    let at = Rect { y: area.bottom() - 1 - rows, height: rows, ..area };
    Clear.render(at, buffer);
    buffer.set_style(at, look.style(Role::Text));
    wrapped(buffer, Rect { x: at.x + 1, width: room, ..at }, &said.text, look.tone(said.tone), look);
}
