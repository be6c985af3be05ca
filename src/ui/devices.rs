//! The Devices screen: one line a device, and everything known of the picked one with counters that move.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{App, DeviceEntry},
    stats::{si, thousands},
};

use super::{
    Look, Role, line,
    pages::{list, split},
    panels::boxed,
    pieces, rows_of, wrapped,
};

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    // The facts need fourteen rows; a long list scrolls in what is left.
    let wanted = u16::try_from(app.devices.items().len()).unwrap_or(u16::MAX).saturating_add(2);
    let rows = wanted.clamp(3, area.height.saturating_sub(14).max(5));
    let (above, below) = split(area, rows);
    let inner = boxed(buffer, above, "devices: enter sends there", look);
    if app.devices.items().is_empty() {
        let text =
            if app.devices.is_known { " no devices here; txdeck lab makes its own" } else { " asking the kernel" };
        return line(buffer, inner, text, look.style(Role::Dim), look);
    }
    let lines: Vec<_> = app.devices.items().iter().map(|device| told(device, app)).collect();
    list(buffer, inner, app.devices.picked_index(), &lines, look);
    if let Some(device) = app.devices.picked() {
        let inner = boxed(buffer, below, &device.name, look);
        detail(buffer, inner, device, look);
    }
}

fn told(device: &DeviceEntry, app: &App) -> (String, Role) {
    let is_here = app.place.as_ref().is_some_and(|place| place.device == device.name);
    let (word, role) = match (&device.guard, is_here) {
        (Some(_), _) => ("  GUARDED", Role::Warn),
        (None, true) => ("  in use", Role::Good),
        (None, false) => ("", Role::Text),
    };
    (format!("{:<15} {}{word}", device.name, device.facts), role)
}

fn detail(buffer: &mut Buffer, area: Rect, device: &DeviceEntry, look: &Look) {
    let mut area = area;
    if let Some(guard) = &device.guard {
        let text = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        let rows = rows_of(guard, text.width, look).min(area.height);
        wrapped(buffer, Rect { height: rows, ..text }, guard, look.style(Role::Warn), look);
        area = split(area, rows).1;
    }
    let mut at = Rect { height: 1, ..area };
    let mut put = |word: &str, value: &str, role: Role| {
        if at.y < area.bottom() {
            let word = format!(" {word:<12} ");
            let end = pieces(buffer, at, &[(&word, look.style(Role::Dim))]);
            let rest = Rect { x: end, width: at.right().saturating_sub(end), ..at };
            line(buffer, rest, value, look.style(role), look);
            at.y += 1;
        }
    };
    for (word, value) in device.details.iter().filter(|(word, _)| *word != "sending") {
        put(word, value, Role::Text);
    }
    if let Some(counts) = device.counts {
        let rates = device.rates;
        let side = |packets: u64, pps: Option<f64>, bps: Option<f64>, lost: u64| {
            let figure = |value: Option<f64>| value.map_or_else(|| look.glyphs.nothing().to_owned(), si);
            let lost = if lost > 0 { format!(", {} dropped or wrong", thousands(lost)) } else { String::new() };
            format!("{} packets/s, {} bit/s; {} in all{lost}", figure(pps), figure(bps), thousands(packets))
        };
        let lost = (counts.tx_dropped + counts.tx_errors, counts.rx_dropped + counts.rx_errors);
        let tx = side(counts.tx_packets, rates.map(|r| r.tx_pps), rates.map(|r| r.tx_bps), lost.0);
        let rx = side(counts.rx_packets, rates.map(|r| r.rx_pps), rates.map(|r| r.rx_bps), lost.1);
        put("sent", &tx, Role::GraphA);
        put("received", &rx, Role::GraphB);
    }
    let sending = device.details.iter().find(|(word, _)| *word == "sending");
    if let Some((word, value)) = sending.filter(|_| device.guard.is_none()) {
        put(word, value, Role::Good);
    }
}
