//! The open list: a search, profiles with their notes, and of the picked one the whole note or what is wrong.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{App, ProfileEntry};

use super::{
    Look, Role, line,
    pages::{list, search, split},
    panels::boxed,
    wrapped,
};

/// Rows for the picked profile's note or fault.
const DETAIL: u16 = 3;

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "profiles: enter opens, letters search", look);
    let (top, rest) = split(inner, 1);
    let (above, below) = split(rest, rest.height.saturating_sub(DETAIL));
    let shown = app.profiles.in_sight();
    let count = format!("{} of {}", shown.len(), app.profiles.entries().len());
    search(buffer, top, &app.profiles.search, "type to search names and notes", &count, look);
    if shown.is_empty() {
        let text = match (app.profiles.is_known, app.profiles.entries().is_empty()) {
            (false, _) => " reading",
            (true, true) => " no profiles",
            (true, false) => " nothing answers to the search; esc shows all",
        };
        return line(buffer, above, text, look.style(Role::Dim), look);
    }
    let lines: Vec<_> = shown.iter().map(|entry| told(entry)).collect();
    list(buffer, above, app.profiles.picked_index(), &lines, look);
    detail(buffer, below, app, look);
}

fn told(entry: &ProfileEntry) -> (String, Role) {
    let origin = match (entry.is_shipped, entry.is_shadowed) {
        (true, true) => "shipped, hidden",
        (true, false) => "shipped",
        (false, true) => "yours, hides",
        (false, false) => "yours",
    };
    let (text, role) = match &entry.problem {
        Some(problem) => (format!("BROKEN {problem}"), Role::Bad),
        None => (entry.note.clone(), Role::Text),
    };
    (format!("{:<18} {origin:<15} {text}", entry.name), role)
}

fn detail(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let Some(entry) = app.profiles.picked() else { return };
    let shadow = match (entry.is_shipped, entry.is_shadowed) {
        (true, true) => " Hidden by yours; opens as shipped:NAME.",
        (false, true) => " Hides the shipped one of this name.",
        _ => "",
    };
    let (text, role) = match &entry.problem {
        Some(problem) => (problem.clone(), Role::Bad),
        None => (format!("{}{shadow}", entry.note), Role::Dim),
    };
    let (upper, lower) = split(area, area.height.saturating_sub(1));
    wrapped(
        buffer,
        Rect { x: upper.x + 1, width: upper.width.saturating_sub(2), ..upper },
        &text,
        look.style(role),
        look,
    );
    let (folder, role) = match app.profiles.sudo_user() {
        Some(user) => (format!(" yours is root's under sudo, not {user}'s: {}", app.profiles.folder()), Role::Warn),
        None => (format!(" yours: {}", app.profiles.folder()), Role::Dim),
    };
    line(buffer, lower, &folder, look.style(role), look);
}
