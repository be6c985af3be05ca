//! The last row: keys from the keymap in its order, `^C stop` pinned right.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{Action, App};

use super::{Look, Role, pieces};

pub fn draw(buffer: &mut Buffer, row: Rect, app: &App, look: &Look) {
    let (key, label) = (look.style(Role::Focus), look.style(Role::Dim));
    let stop = app.keymap.key(app.screen, Action::Stop).map(|chord| chord.to_string()).unwrap_or_else(|| "^C".into());
    let word = if app.run.is_on() { " stop " } else { " leave " };
    let pinned = look.width(&stop) + look.width(word);
    let right = row.right().saturating_sub(pinned).max(row.x);
    pieces(buffer, Rect { x: right, width: row.right() - right, ..row }, &[(&stop, key), (word, label)]);
    let mut x = row.x + 1;
    for hint in app.keymap.rows_of(app.screen) {
        let (Some(text), Some(chord)) = (&hint.label, hint.keys.first()) else { continue };
        let chord = chord.to_string();
        let text = format!(" {text}  ");
        if x + look.width(&chord) + look.width(&text) > right {
            break;
        }
        x = pieces(buffer, Rect { x, width: right - x, ..row }, &[(&chord, key), (&text, label)]);
    }
}
