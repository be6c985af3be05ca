//! The last row: keys from the keymap in its order, the stop key pinned right.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{Action, App};

use super::{Look, Role, pieces};

pub fn draw(buffer: &mut Buffer, row: Rect, app: &App, look: &Look) {
    let (key, dim) = (look.style(Role::Focus), look.style(Role::Dim));
    let mut hints = hints(app);
    let stop = hints.iter().position(|hint| hint.action == Action::Stop).map(|at| hints.remove(at));
    let (chord, word) =
        stop.map_or_else(|| ("^C".into(), " stop ".into()), |stop| (stop.keys, format!(" {} ", stop.label)));
    let right = row.right().saturating_sub(look.width(&chord) + look.width(&word)).max(row.x);
    pieces(buffer, Rect { x: right, width: row.right() - right, ..row }, &[(&chord, key), (&word, dim)]);
    let mut x = row.x + 1;
    for hint in hints {
        let label = format!(" {}  ", hint.label);
        if x + look.width(&hint.keys) + look.width(&label) > right {
            break;
        }
        x = pieces(buffer, Rect { x, width: right - x, ..row }, &[(&hint.keys, key), (&label, dim)]);
    }
}

struct Hint<'a> {
    action: Action,
    keys: String,
    label: &'a str,
}

/// Rows with a label, in the order of the keymap; neighbours with the same label share it (`hl step`).
fn hints(app: &App) -> Vec<Hint<'_>> {
    let mut hints: Vec<Hint> = Vec::new();
    for row in app.keymap.rows_of(app.screen) {
        let (Some(label), Some(chord)) = (&row.label, row.keys_on(app.screen).next()) else { continue };
        let label = match label.split_once('/') {
            Some((_, sending)) if app.run.is_on() => sending,
            Some((stopped, _)) => stopped,
            None => label,
        };
        match hints.last_mut().filter(|last| last.label == label) {
            // `hl`, but `down up`: names run into each other.
            Some(last) => {
                let name = chord.to_string();
                let gap = if name.chars().count() > 1 { " " } else { "" };
                last.keys += gap;
                last.keys += &name;
            }
            None => hints.push(Hint { action: row.action, keys: chord.to_string(), label }),
        }
    }
    hints
}
