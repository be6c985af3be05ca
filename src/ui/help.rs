//! The Help screen: every key by screen, from the keymap, so it cannot lie.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{Action, App, HelpLine};

use super::{
    Look, Role, line,
    pages::{search, split},
    panels::boxed,
    pieces,
};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "keys", look);
    let (top, rest) = split(inner, 1);
    let lines = app.help.lines(&app.keymap);
    let key = app.keymap.key(app.screen, Action::Find).map(|key| key.to_string()).unwrap_or_default();
    let hint = match app.help.is_searching {
        true => "search: type; enter keeps it, esc clears it".to_owned(),
        false => format!("{key} searches these keys; :help KEY tells of a key of the profile"),
    };
    let more = lines.len().saturating_sub(app.help.top + usize::from(rest.height));
    let right = if more > 0 { format!("{more} more below") } else { String::new() };
    search(buffer, top, &app.help.search, &hint, &right, look);
    if lines.is_empty() {
        return line(buffer, rest, " nothing answers to the search", look.style(Role::Dim), look);
    }
    // A command and its arguments take more room than a key.
    for (i, told) in lines.iter().skip(app.help.top).take(usize::from(rest.height)).enumerate() {
        let at = Rect { y: rest.y + i as u16, height: 1, ..rest };
        match told {
            HelpLine::Head(head) => line(buffer, at, &format!(" {head}"), look.style(Role::Border), look),
            HelpLine::Row { keys, sentence } => {
                let keys = format!("   {keys:<14} ");
                let end = pieces(buffer, at, &[(&keys, look.style(Role::Focus))]);
                let rest = Rect { x: end, width: at.right().saturating_sub(end), ..at };
                line(buffer, rest, sentence, look.style(Role::Text), look);
            }
        }
    }
}
