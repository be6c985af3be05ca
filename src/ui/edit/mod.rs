//! The Edit screen: flows, the form of the picked one, what its picked field takes, the next frames' bytes, and how
//! different the packets really are.

mod bytes;
mod form;

use ratatui::{buffer::Buffer, layout::Rect};

use crate::app::{App, Focus, FormRow, Tone, health, variety};

use super::{Look, Role, figures, footer, header, layout, line, rows_of, wrapped};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let plan = layout::edit(area);
    header::draw(buffer, plan.header, app, look);
    form::flows(buffer, plan.flows, app, look);
    form::fields(buffer, plan.fields, app, look);
    detail(buffer, plan.detail, app, look);
    bytes::draw(buffer, plan.bytes, app, look);
    diversity(buffer, plan.diversity, app, look);
    let (tone, text) = state_line(app, look);
    line(buffer, plan.health, &format!(" {text}"), look.tone(tone), look);
    footer::draw(buffer, plan.footer, app, look);
}

/// Where the picked field stands: what is typed for it belongs there.
pub fn picked_field(area: Rect, app: &App) -> Rect {
    form::picked(layout::edit(area).fields, app)
}

/// The picked row in words; its note first where there is one.
fn detail(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let (words, note) = match (app.edit.focus, app.edit.picked_row()) {
        (Focus::Fields, Some(row)) => (format!("{} Takes {}.", row.meaning(), row.takes()), row.note.clone()),
        _ => (slot_words(app), app.edit.notes().next().map(|note| format!("{}: {}", note.key, note.message))),
    };
    // What may surprise is read first; what the field takes is also told where its value is typed.
    let most = if app.edit.focus == Focus::Fields { area.height } else { area.height / 2 };
    let note_rows = note.as_ref().map_or(0, |note| rows_of(note, area.width, look).min(most));
    let above = Rect { height: area.height - note_rows, ..area };
    wrapped(buffer, above, &words, look.style(Role::Dim), look);
    if let Some(note) = note {
        let below = Rect { y: above.bottom(), height: note_rows, ..area };
        wrapped(buffer, below, &note, look.style(Role::Warn), look);
    }
}

fn slot_words(app: &App) -> String {
    match app.edited_flow() {
        Some(flow) => {
            let off = if flow.enabled { "" } else { ". Off: it sends nothing" };
            format!("{}: {}, {}{off}.", flow.name, flow.header_words(), flow.size_words())
        }
        None => "How the senders work, and what the profile is called.".into(),
    }
}

/// *makes 64.51 k different packets, 64.51 k flows; a second at 1.124 Mpps: 112.4 k builds, …*
fn diversity(buffer: &mut Buffer, row: Rect, app: &App, look: &Look) {
    let Some(Ok(diversity)) = app.edit.preview().diversity() else { return };
    let left_pps = app.live.board().figures.left_pps.filter(|_| app.run.is_on());
    let text = format!(" distinct: {}", variety::words(diversity, left_pps));
    line(buffer, row, &text, look.style(Role::GraphA), look);
}

/// A passing message, else how the run does, else what the profile is for.
fn state_line(app: &App, look: &Look) -> (Tone, String) {
    if let Some(notice) = app.notice() {
        return (notice.tone, notice.text.clone());
    }
    let shown = &app.live.shown().figures;
    let Some((tone, text)) = health(shown) else { return (Tone::Plain, app.open.document().profile().note.clone()) };
    if !app.run.is_on() {
        return (tone, text);
    }
    let rate = figures::rate(shown, app.live.unit, look.glyphs);
    let cost = figures::nanoseconds(shown.cost_ns, look.glyphs);
    (tone, format!("{rate} left, {cost} ns {} {text}", look.glyphs.dot()))
}

/// The first line in sight so that the picked one is, in the middle where it can.
fn first_line(picked: usize, count: usize, rows: u16) -> usize {
    let rows = usize::from(rows);
    picked.saturating_sub(rows / 2).min(count.saturating_sub(rows))
}

/// What a field's row says in its effect column.
fn effect(app: &App, row: &FormRow) -> (String, Role) {
    use crate::profile::field::Effect;
    match row.effect() {
        Some(Effect::Restart) if app.waiting().contains(&row.key.as_str()) => ("waits for R".into(), Role::Warn),
        Some(Effect::Restart) => ("restart".into(), Role::Dim),
        Some(Effect::NextBurst) => ("next burst".into(), Role::Dim),
        None => (String::new(), Role::Dim),
    }
}
