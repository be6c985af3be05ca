//! A sheet over the screen: lines to read, coloured by what they are.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Clear, Widget},
};

use crate::app::{Shade, Sheet};

use super::{Look, Role, layout, line, panels::boxed, rows_of, wrapped};

pub fn draw(buffer: &mut Buffer, area: Rect, sheet: &Sheet, look: &Look) {
    let width = area.width.saturating_sub(2).min(110);
    let rows = |text: &str| usize::from(rows_of(text, width.saturating_sub(4), look)).max(1);
    let wanted: usize = sheet.lines.iter().map(|(_, text)| rows(text)).sum::<usize>() + 2;
    let height = u16::try_from(wanted).unwrap_or(u16::MAX).clamp(3, area.height.saturating_sub(3).max(3));
    let at = layout::dialog(area, width, height);
    Clear.render(at, buffer);
    buffer.set_style(at, look.style(Role::Text));
    let inner = boxed(buffer, at, &format!("{}: {}", sheet.title, sheet.keys), look);
    let mut y = inner.y;
    for (shade, text) in sheet.lines.iter().skip(sheet.top) {
        if y >= inner.bottom() {
            break;
        }
        let style = look.style(match shade {
            Shade::Plain => Role::Text,
            Shade::Warning => Role::Warn,
            Shade::Dim => Role::Dim,
            Shade::Head => Role::Focus,
            Shade::Added => Role::Good,
            Shade::Removed => Role::Bad,
        });
        let rest = Rect { x: inner.x + 1, y, width: inner.width.saturating_sub(2), height: inner.bottom() - y };
        // Lines of a diff are cut, not broken: their columns mean something.
        let is_prose = matches!(shade, Shade::Plain | Shade::Warning | Shade::Head);
        let height = if is_prose { u16::try_from(rows(text)).unwrap_or(1).min(rest.height) } else { 1 };
        match is_prose && height > 1 {
            true => wrapped(buffer, Rect { height, ..rest }, text, style, look),
            false => line(buffer, Rect { height: 1, ..rest }, text, style, look),
        }
        y += height;
    }
}
