//! The three boxes below the graphs: knobs to turn, the ledger, the senders.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Block, Widget},
};

use crate::{
    app::{Action, App, Phase, SenderFigures},
    stats::{State, si, thousands},
};

use super::{Look, Role, figures, line, pieces};

/// Draws a titled box; answers what is inside.
pub fn boxed(buffer: &mut Buffer, area: Rect, title: &str, look: &Look) -> Rect {
    let block = Block::bordered()
        .border_set(look.glyphs.border())
        .border_style(look.style(Role::Border))
        .title(format!(" {title} "))
        .title_style(look.style(Role::Text));
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

/// The rows of a list that are in sight so that the picked one is.
pub fn first_in_sight(picked: usize, rows: u16) -> usize {
    picked.saturating_sub(usize::from(rows).saturating_sub(1))
}

fn row(area: Rect, index: usize) -> Option<Rect> {
    let offset = u16::try_from(index).ok().filter(|offset| *offset < area.height)?;
    Some(Rect { y: area.y + offset, height: 1, ..area })
}

/// Less of a remark tells nothing.
const LEAST_REMARK: u16 = 8;
/// Mark, blank, and a usual value between its arrows with a remark on it.
const VALUE: u16 = 14;

pub fn knobs(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "knobs", look);
    let profile = app.open.document().profile();
    let first = first_in_sight(app.picked_knob_index(), inner.height);
    // Values stand under each other, whatever the flows are called; a long name gives way to its value.
    let widest = app.knobs().iter().map(|knob| look.width(&knob.label(profile))).max().unwrap_or(0);
    let names = widest.clamp(5, inner.width.saturating_sub(VALUE).max(5));
    for (i, knob) in app.knobs().iter().enumerate().skip(first) {
        let Some(at) = row(inner, i - first) else { break };
        let picked = i == app.picked_knob_index();
        let (mark, style) = if picked { ("*", look.style(Role::Focus)) } else { (" ", look.style(Role::Text)) };
        let value = format!("{:>4}", knob.value(profile));
        let (open, close) = if picked { ("<", "> ") } else { (" ", "  ") };
        let after = pieces(buffer, at, &[(mark, style)]);
        line(buffer, Rect { x: after, width: names.min(at.right() - after), ..at }, &knob.label(profile), style, look);
        let x = (after + names + 1).min(at.right());
        let rest = Rect { x, width: at.right() - x, ..at };
        let end = pieces(buffer, rest, &[(open, style), (&value, style), (close, style)]);
        let rest = Rect { x: end, width: at.right().saturating_sub(end), ..at };
        let remarks = knob.remarks(profile);
        let fitting = remarks
            .iter()
            .find(|remark| look.width(remark) <= rest.width)
            .or(remarks.last().filter(|_| rest.width >= LEAST_REMARK));
        line(buffer, rest, fitting.map_or("", String::as_str), look.style(Role::Dim), look);
    }
}

pub fn ledger(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "ledger", look);
    let shown = &app.live.shown().figures;
    let Some(ledger) = shown.ledger else {
        let words = ["submitted", "completed", app.left_words(), "unexplained"];
        for (i, word) in words.iter().enumerate() {
            let Some(at) = row(inner, i) else { break };
            entry(buffer, at, word, look.glyphs.nothing(), Role::Dim, look);
        }
        return;
    };
    let count = |value: u64| thousands(value);
    let trouble = |value: u64| if value > 0 { Role::Bad } else { Role::Text };
    let left = if shown.is_unconfirmed() { "left unconf." } else { app.left_words() };
    let dropped = ledger.dropped.unwrap_or(0);
    // Trouble first where the box is low; quiet rows come in where there is room.
    let lost = ledger.invalid + ledger.abandoned + ledger.shortfall;
    let last = match (dropped, lost, ledger.received) {
        (0, 0, Some(received)) => ("received", count(received), Role::Text),
        (0, 0, None) => ("in flight", count(ledger.in_flight), Role::Text),
        (0, _, _) => ("lost, late", count(lost), Role::Bad),
        _ => ("dropped", count(dropped), Role::Bad),
    };
    let unexplained = match ledger.unexplained {
        0 => ("unexplained", "0 ok".into(), Role::Good),
        some => ("unexplained", count(some), Role::Bad),
    };
    let mut rows = vec![("submitted", count(ledger.submitted), Role::Text)];
    if inner.height >= 5 {
        rows.push(("completed", count(ledger.completed), Role::Text));
    }
    let last_word = last.0;
    rows.extend([(left, count(ledger.left), Role::Text), last, unexplained]);
    if inner.height >= 8 {
        let known = ledger.dropped.map_or_else(|| "unknown".into(), count);
        let more = [
            ("dropped", known, trouble(dropped)),
            ("invalid", count(ledger.invalid), trouble(ledger.invalid)),
            ("in flight", count(ledger.in_flight), Role::Text),
        ];
        // What stands above already is not said twice.
        rows.extend(more.into_iter().filter(|(word, ..)| *word != last_word));
    }
    for (i, (word, value, role)) in rows.iter().enumerate() {
        let Some(at) = row(inner, i) else { break };
        entry(buffer, at, word, value, *role, look);
    }
}

/// A word at the left, its value at the right; a count too long for the box loses its spaces, never its digits.
fn entry(buffer: &mut Buffer, at: Rect, word: &str, value: &str, role: Role, look: &Look) {
    line(buffer, at, word, look.style(Role::Dim), look);
    let room = at.width.saturating_sub(look.width(word) + 1);
    let is_count = value.starts_with(|c: char| c.is_ascii_digit());
    let value = if look.width(value) > room && is_count { value.replace(' ', "") } else { value.to_owned() };
    let width = look.width(&value).min(at.width);
    pieces(buffer, Rect { x: at.right() - width, width, ..at }, &[(&value, look.style(role))]);
}

pub fn senders(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let inner = boxed(buffer, area, "senders", look);
    let shown = &app.live.shown().figures;
    let Some(head) = row(inner, 0) else { return };
    line(
        buffer,
        head,
        &format!("{:>2}{:>4}{:>7}{:>6}{:>5}", "q", "cpu", "left/s", "ns", "full"),
        look.style(Role::Dim),
        look,
    );
    let room = usize::from(inner.height).saturating_sub(1);
    let all = shown.senders.len();
    // With more senders than rows the dead come first: nobody must scroll to learn of them.
    let mut order: Vec<&SenderFigures> = shown.senders.iter().collect();
    order.sort_by_key(|sender| sender.state != State::Failed);
    let first = app.live.senders_top.min(all.saturating_sub(room));
    for (i, sender) in order.iter().skip(first).take(room).enumerate() {
        let Some(at) = row(inner, i + 1) else { break };
        sender_row(buffer, at, sender, app, look);
    }
    if all > room {
        let key = app.keymap.key(app.screen, Action::ScrollDown).map(|key| format!(", {key}")).unwrap_or_default();
        let text = format!(" {}..{} of {all}{key} ", first + 1, (first + room).min(all));
        let x = area.right().saturating_sub(look.width(&text) + 1).max(area.x);
        let below = Rect { x, y: area.bottom().saturating_sub(1), width: area.right() - x, height: 1 };
        pieces(buffer, below, &[(&text, look.style(Role::Dim))]);
    }
}

fn sender_row(buffer: &mut Buffer, at: Rect, sender: &SenderFigures, app: &App, look: &Look) {
    let cpu = sender.cpu.map_or_else(|| look.glyphs.nothing().to_owned(), |cpu| cpu.to_string());
    if sender.state == State::Failed {
        let reason = sender.reason.as_deref().unwrap_or("");
        return line(buffer, at, &format!("{:>2}{cpu:>4} DEAD {reason}", sender.queue), look.style(Role::Bad), look);
    }
    let pps = match sender.left_pps {
        Some(pps) if pps >= 1e6 => format!("{:.2}M", pps / 1e6),
        Some(pps) if pps >= 1e4 => format!("{:.1}k", pps / 1e3),
        Some(pps) => si(pps),
        None => look.glyphs.nothing().into(),
    };
    let ns = match sender.cost_ns {
        Some(ns) if ns >= 9999.5 => format!("{:.1}k", ns / 1e3),
        other => figures::nanoseconds(other, look.glyphs),
    };
    let last = match (sender.state, app.run.phase) {
        (State::Draining, _) => "drain".into(),
        (State::Done, Phase::Sending) => "done".into(),
        _ => format!("{:.0}%", sender.ring_share * 100.0),
    };
    let text = format!("{:>2}{cpu:>4}{pps:>7}{ns:>6}{last:>5}", sender.queue);
    line(buffer, at, &text, look.style(Role::Text), look);
}
