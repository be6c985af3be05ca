//! The Live screen: figures, verdict, two graphs over one time axis, knobs, ledger, senders, health, footer.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{Action, App, Tone, Unit, health},
    stats::{Series, si, thousands},
};

use super::{
    Look, Role, big, figures, footer,
    graph::{self, Graph, TimeAxis},
    header, layout, line, panels, pieces,
};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    if app.live.is_big {
        return big::draw(buffer, area, app, look);
    }
    let plan = layout::live(area);
    header::draw(buffer, plan.header, app, look);
    numerals(buffer, plan.figures, app, look);
    verdict(buffer, plan.verdict, app, look);
    graphs(buffer, plan.left_graph, plan.cost_graph, app, look);
    panels::knobs(buffer, plan.knobs, app, look);
    panels::ledger(buffer, plan.ledger, app, look);
    panels::senders(buffer, plan.senders, app, look);
    let (tone, text) = state_line(app);
    line(buffer, plan.health, &format!(" {text}"), look.tone(tone), look);
    footer::draw(buffer, plan.footer, app, look);
}

pub(super) fn numerals(buffer: &mut Buffer, row: Rect, app: &App, look: &Look) {
    let shown = &app.live.shown().figures;
    let (text, dim) = (look.style(Role::Text), look.style(Role::Dim));
    let gap = shown.left_pps.filter(|pps| *pps > 0.0).map(|pps| 1e9 / pps);
    let age = match shown.left_age_ns {
        ns if ns > 1_000_000_000 && shown.left_pps.is_some() => format!(" ({:.1} s old)", ns as f64 / 1e9),
        _ => String::new(),
    };
    let unconfirmed = if shown.is_unconfirmed() { " unconfirmed" } else { "" };
    let parts = [
        (" ".to_owned(), text),
        (figures::rate(shown, app.live.unit, look.glyphs), look.style(Role::GraphA)),
        (unconfirmed.to_owned(), look.style(Role::Warn)),
        (format!(" {}{age}   ", app.left_words()), dim),
        (figures::nanoseconds(shown.cost_ns, look.glyphs), look.style(Role::GraphB)),
        (" ns cost   ".to_owned(), dim),
        (figures::nanoseconds(gap, look.glyphs), text),
        (" ns gap".to_owned(), dim),
        (app.to_go().map(|packets| format!("   {} to go", thousands(packets))).unwrap_or_default(), text),
    ];
    let parts: Vec<_> = parts.iter().map(|(text, style)| (text.as_str(), *style)).collect();
    pieces(buffer, row, &parts);
}

pub(super) fn verdict(buffer: &mut Buffer, row: Rect, app: &App, look: &Look) {
    let live = &app.live;
    let (text, role) = match (&live.unseen, live.shown_verdict()) {
        (Some(change), _) => (format!("{}: live, not shown", figures::turned(change, look.glyphs)), Role::Warn),
        (None, Some(verdict)) => {
            // As the graph stands still after a stop, so does the age of a mark on it.
            let now_ns = if app.run.is_on() { live.shown_ns(app.now_ns()) } else { live.shown().now_ns };
            (figures::verdict(verdict, now_ns, look.glyphs), Role::Mark)
        }
        (None, None) => match live.baseline_name() {
            Some(name) => (format!("base: {name}"), Role::Dim),
            None => return,
        },
    };
    line(buffer, row, &format!(" {text}"), look.style(role), look);
}

fn graphs(buffer: &mut Buffer, left_area: Rect, cost_area: Rect, app: &App, look: &Look) {
    let live = &app.live;
    let board = live.shown();
    let marks: Vec<(u64, String)> = live
        .marks
        .iter()
        .filter(|mark| mark.at_ns <= board.now_ns)
        .map(|mark| (mark.at_ns, format!("{}{}>{}", mark.knob.letter(), mark.from, mark.to)))
        .collect();
    let title = match live.unit {
        Unit::Packets => "packets/s",
        Unit::Bits => "bit/s L2 (no FCS)",
        Unit::WireBits => "bit/s L1 (24 B a packet more)",
    };
    let title = format!("{}, {title}", app.left_words());
    let series = live.shown_left();
    let invitation = invitation(app);
    let window_ns = live.window_ns();
    let left = Graph {
        title: &title,
        figures: &summary(series, board.now_ns, window_ns, "max"),
        series,
        top: live.left_axis.top(),
        role: Role::GraphA,
        now_ns: board.now_ns,
        window_ns,
        marks: &marks,
        axis: TimeAxis::Shared,
        invitation: invitation.as_deref(),
    };
    graph::draw(buffer, left_area, &left, look);
    let cost = Graph {
        title: "cost, ns per packet in the sender",
        figures: &summary(&board.cost_ns, board.now_ns, window_ns, "min"),
        series: &board.cost_ns,
        top: live.cost_axis.top(),
        role: Role::GraphB,
        axis: TimeAxis::Shown,
        invitation: None,
        ..left
    };
    graph::draw(buffer, cost_area, &cost, look);
}

/// The extremes in sight: a rate's greatest, a cost's least and greatest.
fn summary(series: &Series, now_ns: u64, window_ns: u64, first: &str) -> String {
    let from = now_ns.saturating_sub(window_ns);
    let extremes = series.between(from, u64::MAX).fold(None, |seen: Option<(f64, f64)>, value| {
        let (low, high) = seen.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    let figure = |value: f64| if value >= 1e4 { si(value) } else { format!("{value:.0}") };
    match (extremes, first) {
        (None, _) => String::new(),
        (Some((_, high)), "max") => format!("means of 0.1 s: max {}", figure(high)),
        (Some((low, high)), _) => format!("means of 0.1 s: min {} max {}", figure(low), figure(high)),
    }
}

/// What an empty graph says.
fn invitation(app: &App) -> Option<String> {
    if app.run.is_on() || !app.live.shown().left_pps.is_empty() {
        return None;
    }
    let key = app.keymap.key(app.screen, Action::StartStop)?;
    Some(match &app.place {
        Some(place) => format!("{key} sends {} on {}", app.open.name, place.device),
        None => format!("{key} chooses a device to send {} on", app.open.name),
    })
}

/// A passing message, else how the run does, else what to do. What goes wrong behind a frozen screen is told at once.
pub(super) fn state_line(app: &App) -> (Tone, String) {
    if let Some(notice) = app.notice() {
        return (notice.tone, notice.text.clone());
    }
    let now = health(&app.live.board().figures);
    if let (Some((tone @ (Tone::Warn | Tone::Bad), text)), Some(_)) = (&now, app.live.frozen_for_ns(app.now_ns())) {
        return (*tone, format!("now: {text}"));
    }
    health(&app.live.shown().figures).unwrap_or_else(|| (Tone::Plain, app.open.document().profile().note.clone()))
}
