//! The Live screen for the back row of a hall: the two figures as digits as large as the window allows, with what was
//! turned and what came of it in one line each. Digits are made of whole cells, so they need no colour and no font.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::{
    app::{App, Knob},
    stats::si,
};

use super::{Glyphs, Look, Role, figures, footer, header, layout, line, live, pieces};

/// Rows and columns of a digit at its smallest; a pixel is two cells wide, so digits look as tall as they are.
const ROWS: u16 = 7;
const PIXELS: u16 = 5;

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    let plan = layout::big(area);
    header::draw(buffer, plan.header, app, look);
    let shown = &app.live.shown().figures;
    let unit = app.live.unit;
    let (left, prefix) = split(figures::left(shown, unit), look.glyphs);
    let doubt = if shown.is_unconfirmed() { ", unconfirmed" } else { "" };
    let what = format!("{prefix}{}  {}{doubt}", unit.name(), app.left_words());
    block(buffer, plan.left, &left, &what, look.style(Role::GraphA), look);
    let cost = figures::nanoseconds(shown.cost_ns, look.glyphs);
    block(buffer, plan.cost, &cost, "ns  cost of a packet in the sender", look.style(Role::GraphB), look);
    live::verdict(buffer, plan.verdict, app, look);
    line(buffer, plan.knobs, &format!(" {}", knobs(app)), look.style(Role::Text), look);
    let (tone, text) = live::state_line(app);
    line(buffer, plan.health, &format!(" {text}"), look.tone(tone), look);
    footer::draw(buffer, plan.footer, app, look);
}

/// `1.124 M` as digits and prefix.
fn split(value: Option<f64>, glyphs: Glyphs) -> (String, String) {
    let text = value.filter(|value| value.is_finite()).map_or_else(|| glyphs.nothing().into(), si);
    match text.split_once(' ') {
        Some((digits, prefix)) => (digits.to_owned(), prefix.to_owned()),
        None => (text, String::new()),
    }
}

/// *burst 32   clone 0   rate max   size 60 B*
fn knobs(app: &App) -> String {
    let profile = app.open.document().profile();
    let word = |knob: &Knob| format!("{} {}", knob.label(profile), knob.value(profile));
    app.knobs().iter().map(word).collect::<Vec<_>>().join("   ")
}

/// A label and the digits below it, as large as fits.
fn block(buffer: &mut Buffer, area: Rect, digits: &str, label: &str, style: Style, look: &Look) {
    pieces(buffer, Rect { height: area.height.min(1), ..area }, &[(" ", style), (label, style)]);
    let below = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    };
    let columns: u16 = digits.chars().map(|digit| glyph(digit).1 + 1).sum();
    let scale = (below.height / ROWS).min(below.width / (2 * columns).max(1));
    if scale == 0 {
        return line(buffer, below, digits, style, look);
    }
    let ink = look.glyphs.ink();
    let mut x = below.x;
    for digit in digits.chars() {
        let (rows, width) = glyph(digit);
        for (row, bits) in rows.iter().enumerate() {
            for column in (0..width).filter(|column| bits >> (width - 1 - column) & 1 == 1) {
                fill(
                    buffer,
                    Rect {
                        x: x + 2 * scale * column,
                        y: below.y + scale * row as u16,
                        width: 2 * scale,
                        height: scale,
                    },
                    ink,
                    style,
                );
            }
        }
        x += 2 * scale * (width + 1);
    }
}

fn fill(buffer: &mut Buffer, area: Rect, ink: &str, style: Style) {
    let area = area.intersection(buffer.area);
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            buffer[(x, y)].set_symbol(ink).set_style(style);
        }
    }
}

/// Seven rows of pixels, the leftmost in the highest bit, and their width.
#[rustfmt::skip]
fn glyph(digit: char) -> ([u8; ROWS as usize], u16) {
    let rows = match digit {
        '0' => [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        '3' => [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b01110, 0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b00100, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00001, 0b01110],
        '.' => return ([0, 0, 0, 0, 0, 0, 1], 1),
        _   => [0, 0, 0, 0b11111, 0, 0, 0],
    };
    (rows, PIXELS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_differ_and_lie_within_their_width() {
        let all: Vec<_> = "0123456789.-".chars().map(glyph).collect();
        for (i, (rows, width)) in all.iter().enumerate() {
            assert!(rows.iter().all(|row| row >> width == 0));
            assert!(all[..i].iter().all(|(other, _)| other != rows));
        }
    }
}
