//! The two lists: flows, and the fields of the picked one.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{App, Focus, FormRow, RowKind},
    profile::Flow,
};

use super::{effect, first_line};
use crate::ui::{Look, Role, figures, line, panels::boxed, pieces};

pub fn flows(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let flows = &app.open.document().profile().flows;
    let picked = app.edit.slot();
    let title = match picked {
        0 => format!("flows {}", flows.len()),
        at => format!("flows {at}/{}", flows.len()),
    };
    let inner = boxed(buffer, area, &title, look);
    let first = first_line(picked, flows.len() + 1, inner.height);
    for (slot, y) in (first..=flows.len()).zip(inner.y..inner.bottom()) {
        let at = Rect { y, height: 1, ..inner };
        let is_picked = slot == picked;
        let mark = if is_picked { "> " } else { "  " };
        let (name, facts, role) = match slot.checked_sub(1).and_then(|at| flows.get(at)) {
            None => ("senders [tx]".to_owned(), String::new(), Role::Text),
            Some(flow) => (flow.name.clone(), facts(app, flow, at.width, look), shade(app, flow)),
        };
        let style = look.style(match (is_picked, app.edit.focus) {
            (true, Focus::Flows) => Role::Select,
            (true, Focus::Fields) => Role::Focus,
            (false, _) => role,
        });
        let room = at.width.saturating_sub(look.width(&facts));
        line(buffer, Rect { width: room, ..at }, &format!("{mark}{name}"), style, look);
        pieces(buffer, Rect { x: at.x + room, width: at.width - room, ..at }, &[(&facts, style)]);
    }
}

fn shade(app: &App, flow: &Flow) -> Role {
    match flow.enabled {
        false => Role::Dim,
        true if app.edit.has_note(&flow.name) => Role::Warn,
        true => Role::Text,
    }
}

/// `60`, `off`, and where there is room what it sends; `!` where a note stands.
fn facts(app: &App, flow: &Flow, width: u16, look: &Look) -> String {
    let note = if app.edit.has_note(&flow.name) { "!" } else { "" };
    let size = match (flow.size.min(), flow.size.max()) {
        _ if flow.replay.is_some() => "pcap".into(),
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min}..{max}"),
    };
    let size = if flow.enabled { size } else { "off".into() };
    if width < 30 {
        return format!(" {note}{size}");
    }
    let sending = app.live.shown().figures.flows.iter().find(|known| *known.name == *flow.name);
    let rate = sending.and_then(|known| known.submitted_pps).map(figures::packets_a_second);
    let rate = rate.or(flow.rate.map(|rate| rate.to_string())).unwrap_or_else(|| look.glyphs.nothing().into());
    format!(" {note}{size} {rate:>11}")
}

pub fn fields(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let rows = app.edit.rows();
    let picked = app.edit.picked_row_index();
    let of = app.edited_flow().map_or("senders".to_owned(), |flow| flow.name.clone());
    let mut title = format!("{of}: field {}/{}", picked + 1, rows.len());
    if let Some(flow) = app.edited_flow() {
        let known = app.live.shown().figures.flows.iter().find(|known| *known.name == *flow.name);
        if let Some(pps) = known.and_then(|known| known.submitted_pps) {
            title += &format!(", submitted {}", figures::packets_a_second(pps));
        }
    }
    let inner = boxed(buffer, area, &title, look);
    let first = first_line(picked, rows.len(), inner.height);
    for (i, y) in (first..rows.len()).zip(inner.y..inner.bottom()) {
        field(buffer, Rect { y, height: 1, ..inner }, app, &rows[i], i == picked, look);
    }
}

/// Where the picked field stands.
pub fn picked(area: Rect, app: &App) -> Rect {
    let rows = area.height.saturating_sub(2);
    let picked = app.edit.picked_row_index();
    let offset = picked - first_line(picked, app.edit.rows().len(), rows).min(picked);
    let y = area.y + 1 + u16::try_from(offset).unwrap_or(0).min(rows.saturating_sub(1));
    Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 }
}

/// Columns of a form's row.
const NAME: u16 = 18;
const EFFECT: u16 = 12;
const MOST_VALUE: u16 = 44;
const TAKES: u16 = 36;

fn field(buffer: &mut Buffer, at: Rect, app: &App, row: &FormRow, is_picked: bool, look: &Look) {
    if matches!(row.kind, RowKind::Title) {
        return line(buffer, at, &format!(" {}", row.name), look.style(Role::Border), look);
    }
    let picked = match (is_picked, app.edit.focus) {
        (true, Focus::Fields) => Some(Role::Select),
        (true, Focus::Flows) => Some(Role::Focus),
        (false, _) => None,
    };
    let style = |role: Role| look.style(picked.unwrap_or(role));
    let is_part = !matches!(row.kind, RowKind::Field(_));
    let name_role = if is_part { Role::Border } else { Role::Text };
    let mark = if is_picked { ">" } else { " " };
    let indent = if is_part { "" } else { " " };
    line(buffer, Rect { width: NAME, ..at }, &format!("{mark}{indent}{}", row.name), style(name_role), look);
    let room = at.width.saturating_sub(NAME + EFFECT);
    let value_width = room.min(MOST_VALUE);
    value(buffer, Rect { x: at.x + NAME, width: value_width, ..at }, row, picked, look);
    let mut x = at.x + NAME + value_width;
    let (text, role) = effect(app, row);
    let role = if picked == Some(Role::Select) && role == Role::Dim { Role::Select } else { role };
    line(buffer, Rect { x, width: EFFECT, ..at }, &format!(" {text}"), look.style(role), look);
    x += EFFECT;
    for (text, width) in [(row.takes(), TAKES), (row.meaning().to_owned(), u16::MAX)] {
        let left = at.right().saturating_sub(x);
        if left < 16 {
            return;
        }
        let width = width.min(left);
        line(buffer, Rect { x, width: width.saturating_sub(1), ..at }, &text, look.style(Role::Dim), look);
        x += width;
    }
}

fn value(buffer: &mut Buffer, at: Rect, row: &FormRow, picked: Option<Role>, look: &Look) {
    let style = |role: Role| look.style(picked.unwrap_or(role));
    let steps = if picked == Some(Role::Select) && row.is_stepped() { ("< ", " >") } else { ("", "") };
    let (text, role) = match row.value.as_str() {
        "" => (format!("({})", row.fallback()), Role::Dim),
        value => (value.to_owned(), if row.is_written { Role::Text } else { Role::Dim }),
    };
    let text = if text == "()" { look.glyphs.nothing().to_owned() } else { text };
    let note = if row.note.is_some() { "! " } else { "" };
    let text = format!("{}{text}{}", steps.0, steps.1);
    let end = pieces(buffer, at, &[(note, look.style(Role::Warn))]);
    let rest = Rect { x: end, width: at.right().saturating_sub(end), ..at };
    line(buffer, rest, &text, style(role), look);
    let end = end + look.width(&text);
    if !row.remark.is_empty() && end + 1 < at.right() {
        let rest = Rect { x: end + 1, width: at.right() - end - 1, ..at };
        line(buffer, rest, &row.remark, look.style(Role::Dim), look);
    }
}
