//! The screens that are one list: devices, profiles to open, help.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{App, Screen};

use super::{
    Look, Role, footer, header, layout, line,
    panels::{boxed, first_in_sight},
    pieces, wrapped,
};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let (head, body, notice, foot) = layout::page(area);
    header::draw(buffer, head, app, look);
    match app.screen {
        Screen::Devices => devices(buffer, body, app, look),
        Screen::Pick => profiles(buffer, body, app, look),
        Screen::Help => help(buffer, body, app, look),
        Screen::Live => {}
    }
    if let Some(said) = app.notice() {
        line(buffer, notice, &format!(" {}", said.text), look.tone(said.tone), look);
    }
    footer::draw(buffer, foot, app, look);
}

/// A list's lines, the picked one in sight and marked by more than its colour.
fn list(buffer: &mut Buffer, area: Rect, picked: usize, lines: &[(String, Role)], look: &Look) {
    let first = first_in_sight(picked, area.height);
    for (i, (text, role)) in lines.iter().enumerate().skip(first).take(usize::from(area.height)) {
        let at = Rect { y: area.y + (i - first) as u16, height: 1, ..area };
        let (mark, role) = if i == picked { (">", Role::Select) } else { (" ", *role) };
        line(buffer, at, &format!("{mark} {text}"), look.style(role), look);
    }
}

fn devices(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "devices: enter sends there", look);
    let lines: Vec<_> = app
        .devices
        .items()
        .iter()
        .map(|device| match &device.guard {
            Some(_) => (format!("{:<15} {}  GUARDED", device.name, device.facts), Role::Warn),
            None => (format!("{:<15} {}", device.name, device.facts), Role::Text),
        })
        .collect();
    if lines.is_empty() {
        let text =
            if app.devices.is_known { " no devices here; txdeck lab makes its own" } else { " asking the kernel" };
        return line(buffer, inner, text, look.style(Role::Dim), look);
    }
    let reason = app.devices.picked().and_then(|device| device.guard.as_deref());
    let below = Rect { y: inner.bottom().saturating_sub(2), height: 2.min(inner.height), ..inner };
    wrapped(buffer, below, reason.unwrap_or_default(), look.style(Role::Warn), look);
    let above = Rect { height: inner.height.saturating_sub(3), ..inner };
    list(buffer, above, app.devices.picked_index(), &lines, look);
}

fn profiles(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "profiles: enter opens", look);
    let lines: Vec<_> = app
        .profiles
        .items()
        .iter()
        .map(|entry| {
            let origin = match (entry.is_shipped, entry.is_shadowed) {
                (true, true) => "shipped, behind yours",
                (true, false) => "shipped",
                (false, _) => "yours",
            };
            (format!("{:<20} {origin:<22} {}", entry.name, entry.note), Role::Text)
        })
        .collect();
    if lines.is_empty() {
        let text = if app.profiles.is_known { " no profiles" } else { " reading" };
        return line(buffer, inner, text, look.style(Role::Dim), look);
    }
    list(buffer, inner, app.profiles.picked_index(), &lines, look);
}

fn help(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "keys", look);
    let rows = app.keymap.rows().iter().filter(|row| !row.keys.is_empty());
    let shown = rows.skip(usize::from(app.help_line)).take(usize::from(inner.height));
    for (i, row) in shown.enumerate() {
        let at = Rect { y: inner.y + i as u16, height: 1, ..inner };
        let keys: Vec<String> = row.keys.iter().map(ToString::to_string).collect();
        let keys = match keys.as_slice() {
            [first, .., last] if keys.len() > 3 => format!("{first}..{last}"),
            keys => keys.join(" "),
        };
        let everywhere = row.screens.len() == Screen::ALL.len();
        let place = if everywhere {
            String::new()
        } else {
            row.screens.iter().map(|s| s.name()).collect::<Vec<_>>().join(", ")
        };
        let (keys, place) = (format!(" {keys:<12}"), format!("{place:<14} "));
        let end = pieces(buffer, at, &[(&keys, look.style(Role::Focus)), (&place, look.style(Role::Dim))]);
        let rest = Rect { x: end, width: at.right().saturating_sub(end), ..at };
        line(buffer, rest, &row.desc, look.style(Role::Text), look);
    }
}
