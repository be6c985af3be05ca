//! The first row of every screen, and the one line that is left of a screen too small for more.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::app::{Action, App, Phase, PlaceKind, Screen, Unit};

use super::{Look, Role, figures, line, pieces};

/// Where these stand among the parts of the header.
const PLACE: usize = 2;
const MODE: usize = 3;

/// `udp-64*  SENDING 01:24  deck0>sink0 LAB  copy 1q`
pub fn draw(buffer: &mut Buffer, row: Rect, app: &App, look: &Look) {
    let state = match app.run.phase {
        Phase::Idle => look.style(Role::Dim),
        Phase::Sending => look.style(Role::Good),
        Phase::Starting | Phase::Draining => look.style(Role::Warn),
    };
    let mut parts = vec![
        (format!(" {}", name(app)), look.style(Role::Focus)),
        (format!("   {}", phase(app)), state),
        (format!("   {}", place(app)), look.style(Role::Text)),
        (format!("   {}", app.run.mode.as_deref().unwrap_or("")), look.style(Role::Dim)),
    ];
    if let Some(ns) = app.live.frozen_for_ns(app.now_ns()) {
        parts.push((format!("   FROZEN {}", figures::clock(ns)), look.style(Role::Warn)));
    }
    let waiting = app.waiting().len();
    if waiting > 0 {
        let key = app.keymap.key(Screen::Edit, Action::Restart).map_or_else(|| "R".into(), |key| key.to_string());
        parts.push((
            format!("   {waiting} wait{} for {key}", if waiting == 1 { "s" } else { "" }),
            look.style(Role::Warn),
        ));
    }
    if app.is_last_good() {
        parts.push(("   sending the last good plan".into(), look.style(Role::Bad)));
    }
    let width = |parts: &[(String, Style)]| parts.iter().map(|(text, _)| look.width(text)).sum::<u16>();
    let tabs = tabs(app);
    let tabs_width = tabs.iter().map(|(text, _)| look.width(text)).sum::<u16>() + 1;
    if width(&parts) + tabs_width >= row.width {
        // A star behind the name must not cost the way to the other screens.
        parts.iter_mut().for_each(|(text, _)| *text = text.replacen("   ", "  ", 1));
    }
    // Mode, then place give way: what is frozen or refused must be read.
    for part in [MODE, PLACE] {
        if width(&parts) > row.width {
            parts.remove(part);
        }
    }
    let parts: Vec<_> = parts.iter().map(|(text, style)| (text.as_str(), *style)).collect();
    let end = pieces(buffer, row, &parts);
    let mut tabs = tabs;
    if row.right().saturating_sub(tabs_width) <= end {
        // Too narrow for all: where one is stays in sight.
        tabs.retain(|(text, _)| text.starts_with(" ["));
    }
    let width = tabs.iter().map(|(text, _)| look.width(text)).sum::<u16>() + 1;
    let x = row.right().saturating_sub(width);
    if x > end {
        let tabs: Vec<_> = tabs.iter().map(|(text, role)| (text.as_str(), look.style(*role))).collect();
        pieces(buffer, Rect { x, width, ..row }, &tabs);
    }
}

/// The screens at the right end, the present one marked; left out where there is no room.
fn tabs(app: &App) -> Vec<(String, Role)> {
    const TABS: [(&str, Screen); 6] = [
        ("live", Screen::Live),
        ("edit", Screen::Edit),
        ("open", Screen::Pick),
        ("dev", Screen::Devices),
        ("log", Screen::Log),
        ("?", Screen::Help),
    ];
    let told = |(name, screen)| match screen == app.screen {
        true => (format!(" [{name}]"), Role::Focus),
        false => (format!(" {name}"), Role::Dim),
    };
    TABS.into_iter().map(told).collect()
}

/// State, pps, ns and the stop key, whatever the size.
pub fn one_line(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let figures = &app.live.shown().figures;
    let stop = app.keymap.key(app.screen, Action::Stop).map(|key| key.to_string()).unwrap_or_else(|| "^C".into());
    let word = if app.run.is_on() { "stop" } else { "leave" };
    let short = phase(app);
    let pps = figures::rate(figures, Unit::Packets, look.glyphs);
    let ns = figures::nanoseconds(figures.cost_ns, look.glyphs);
    let full = format!("{short} {pps} left {ns} ns {stop} {word}");
    let state = short.split(' ').next().unwrap_or_default();
    let tight = format!("{state} {pps} {ns} ns {stop}");
    let text = if look.width(&full) <= area.width { full } else { tight };
    line(buffer, Rect { height: 1, ..area }, &text, look.style(Role::Text), look);
}

fn name(app: &App) -> String {
    let mark = if app.open.is_unsaved() { "*" } else { "" };
    format!("{}{mark}", app.open.name)
}

fn phase(app: &App) -> String {
    match app.run.phase {
        Phase::Idle => "STOPPED".into(),
        Phase::Starting => "STARTING".into(),
        Phase::Sending => format!("SENDING {}", figures::clock(app.now_ns().saturating_sub(app.run.since_ns))),
        Phase::Draining => "DRAINING".into(),
    }
}

fn place(app: &App) -> String {
    let Some(place) = &app.place else { return "no device".into() };
    let far_end = place.far_end.as_ref().map(|far| format!(">{far}")).unwrap_or_default();
    let kind = match place.kind {
        PlaceKind::Real => "",
        PlaceKind::Lab => " LAB",
        PlaceKind::Sim => " SIM",
    };
    format!("{}{far_end}{kind}", place.device)
}
