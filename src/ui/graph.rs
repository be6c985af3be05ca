//! One graph: a column of dots from the least to the greatest value of its time, so a spike of one tick stays in
//! sight at any width. Braille dots, or ASCII; marks of changes stand behind the curve.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
};

use crate::stats::{Column, Series, si};

use super::{Glyphs, Look, Role};

/// What is drawn; the two graphs share the time axis.
pub struct Graph<'a> {
    pub title: &'a str,
    /// At the right end of the title row.
    pub figures: &'a str,
    pub series: &'a Series,
    pub top: f64,
    pub role: Role,
    pub now_ns: u64,
    pub window_ns: u64,
    /// (instant, label), oldest first.
    pub marks: &'a [(u64, String)],
    pub axis: TimeAxis,
    /// Stands in the middle of a graph without values.
    pub invitation: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeAxis {
    Shown,
    Shared,
}

/// Columns at the left for the axis' numbers and its line.
const MARGIN: u16 = 8;

pub fn draw(buffer: &mut Buffer, area: Rect, graph: &Graph, look: &Look) {
    let axis_rows = u16::from(graph.axis == TimeAxis::Shown);
    if area.height < 2 + axis_rows || area.width < MARGIN + 4 {
        return;
    }
    title(buffer, Rect { height: 1, ..area }, graph, look);
    let plot =
        Rect { x: area.x + MARGIN, y: area.y + 1, width: area.width - MARGIN - 1, height: area.height - 1 - axis_rows };
    value_axis(buffer, plot, graph, look);
    marks(buffer, plot, graph, look);
    curve(buffer, plot, graph, look);
    labels(buffer, plot, graph, look);
    if graph.axis == TimeAxis::Shown {
        time_axis(buffer, Rect { y: plot.bottom(), height: 1, ..plot }, graph, look);
    }
    if let Some(text) = graph.invitation {
        let width = look.width(text).min(plot.width);
        let (x, y) = (plot.x + (plot.width - width) / 2, plot.y + plot.height / 2);
        buffer.set_stringn(x, y, text, usize::from(plot.width), look.style(Role::Focus));
    }
}

fn title(buffer: &mut Buffer, row: Rect, graph: &Graph, look: &Look) {
    let rule = look.glyphs.rule();
    for x in row.x..row.right() {
        buffer[(x, row.y)].set_symbol(rule).set_style(look.style(Role::Border));
    }
    let width = usize::from(row.width);
    let text = format!(" {} ", graph.title);
    buffer.set_stringn(row.x + 1, row.y, &text, width.saturating_sub(2), look.style(graph.role));
    let figures = format!(" {} ", graph.figures);
    let taken = look.width(&text) + look.width(&figures) + 3;
    if !graph.figures.is_empty() && taken < row.width {
        let x = row.right() - 1 - look.width(&figures);
        buffer.set_stringn(x, row.y, &figures, width, look.style(Role::Text));
    }
}

fn value_axis(buffer: &mut Buffer, plot: Rect, graph: &Graph, look: &Look) {
    let dim = look.style(Role::Dim);
    for y in plot.y..plot.bottom() {
        buffer[(plot.x - 1, y)].set_symbol(look.glyphs.axis()).set_style(look.style(Role::Border));
    }
    let mut number = |y: u16, value: f64| {
        let text = format!("{:>7}", short(value));
        buffer.set_stringn(plot.x - MARGIN, y, text, usize::from(MARGIN - 1), dim);
    };
    number(plot.y, graph.top);
    // The middle has a row of its own only when the height is odd; else its number would lie.
    if plot.height >= 5 && plot.height % 2 == 1 {
        number(plot.y + plot.height / 2, graph.top / 2.0);
    }
    if plot.height > 1 {
        number(plot.bottom() - 1, 0.0);
    }
}

/// An axis number: at most six characters.
fn short(value: f64) -> String {
    let text = si(value);
    match text.split_once(' ') {
        Some((digits, prefix)) => {
            let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
            format!("{digits}{prefix}")
        }
        None => text,
    }
}

fn marks(buffer: &mut Buffer, plot: Rect, graph: &Graph, look: &Look) {
    let style = look.style(Role::Mark);
    for (x, _) in marks_in_sight(plot, graph) {
        for y in plot.y..plot.bottom() {
            buffer[(x, y)].set_symbol(look.glyphs.mark()).set_style(style);
        }
    }
}

/// On the lowest row, over the curve: what was turned must be readable even where the curve is low.
fn labels(buffer: &mut Buffer, plot: Rect, graph: &Graph, look: &Look) {
    for (x, label) in marks_in_sight(plot, graph) {
        // A fresh mark stands at the right edge; its label then lies to the left of it.
        let x = x.min(plot.right().saturating_sub(look.width(label)).max(plot.x));
        let room = usize::from(plot.right() - x);
        buffer.set_stringn(x, plot.bottom() - 1, label, room, look.style(Role::Mark));
    }
}

fn marks_in_sight<'a>(plot: Rect, graph: &'a Graph) -> impl Iterator<Item = (u16, &'a str)> {
    let column = move |at_ns: u64| column_of(at_ns, graph, plot.width).map(|x| plot.x + x);
    graph.marks.iter().filter_map(move |(at_ns, label)| Some((column(*at_ns)?, label.as_str())))
}

/// The cell of an instant; `None` outside the window. Cut as [`Series::columns`] cuts.
fn column_of(at_ns: u64, graph: &Graph, width: u16) -> Option<u16> {
    let column_ns = (graph.window_ns / u64::from(width).max(1)).max(1);
    let age = (graph.now_ns / column_ns).checked_sub(at_ns / column_ns)?;
    u16::try_from(age).ok().and_then(|age| width.checked_sub(1)?.checked_sub(age))
}

fn curve(buffer: &mut Buffer, plot: Rect, graph: &Graph, look: &Look) {
    let style = look.style(graph.role);
    match look.glyphs {
        Glyphs::Utf8 => braille(buffer, plot, graph, style),
        Glyphs::Ascii => ascii(buffer, plot, graph, style),
    }
}

/// Two columns and four rows of dots a cell; a column also reaches the one before it, so the line does not break.
fn braille(buffer: &mut Buffer, plot: Rect, graph: &Graph, style: Style) {
    let (width, height) = (usize::from(plot.width) * 2, usize::from(plot.height) * 4);
    let columns = graph.series.columns(graph.now_ns, graph.window_ns, width);
    let mut dots = vec![0u8; usize::from(plot.width) * usize::from(plot.height)];
    let mut before: Option<(usize, usize)> = None;
    for (i, column) in columns.iter().enumerate() {
        let Some((low, high)) = column.map(|column| levels(&column, graph.top, height)) else {
            before = before.filter(|_| i % 2 == 1);
            continue;
        };
        let (from, to) = match before {
            Some((_, was_high)) if was_high < low => (was_high + 1, high),
            Some((was_low, _)) if was_low > high => (low, was_low - 1),
            _ => (low, high),
        };
        for level in from..=to {
            let y = height - 1 - level;
            dots[y / 4 * usize::from(plot.width) + i / 2] |= dot(i % 2, y % 4);
        }
        before = Some((low, high));
    }
    for (i, bits) in dots.iter().enumerate().filter(|(_, bits)| **bits != 0) {
        let (x, y) = (i % usize::from(plot.width), i / usize::from(plot.width));
        let at = Position::new(plot.x + x as u16, plot.y + y as u16);
        let glyph = char::from_u32(0x2800 + u32::from(*bits)).unwrap_or(' ');
        buffer[at].set_char(glyph).set_style(style);
    }
}

/// The bit of one braille dot.
fn dot(column: usize, row: usize) -> u8 {
    const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    BITS[column][row]
}

fn ascii(buffer: &mut Buffer, plot: Rect, graph: &Graph, style: Style) {
    let height = usize::from(plot.height);
    let columns = graph.series.columns(graph.now_ns, graph.window_ns, usize::from(plot.width));
    for (x, column) in columns.iter().enumerate() {
        let Some(column) = column else { continue };
        // Three levels a row: low, middle, high in the cell.
        let (low, high) = levels(column, graph.top, height * 3);
        for row in low / 3..=high / 3 {
            let glyph = match (low / 3 == high / 3, high % 3) {
                (false, _) => '|',
                (true, 0) => '_',
                (true, 1) => '-',
                (true, _) => '"',
            };
            let at = Position::new(plot.x + x as u16, plot.bottom() - 1 - row as u16);
            buffer[at].set_char(glyph).set_style(style);
        }
    }
}

/// Least and greatest value as levels `0..height`.
fn levels(column: &Column, top: f64, height: usize) -> (usize, usize) {
    let most = height.saturating_sub(1);
    // `as` saturates: what is above the axis lies on its upper edge.
    let level = |value: f64| ((value / top * most as f64).round() as usize).min(most);
    (level(column.min), level(column.max))
}

fn time_axis(buffer: &mut Buffer, row: Rect, graph: &Graph, look: &Look) {
    let (border, dim) = (look.style(Role::Border), look.style(Role::Dim));
    buffer[(row.x - 1, row.y)].set_symbol(look.glyphs.corner()).set_style(border);
    for x in row.x..row.right() {
        buffer[(x, row.y)].set_symbol(look.glyphs.rule()).set_style(border);
    }
    let last = row.right() - 1;
    for quarter in 1..=4u16 {
        let back = u32::from(row.width - 1) * u32::from(quarter) / 4;
        let text = ago(graph.window_ns / 4 * u64::from(quarter));
        let x = last - back as u16;
        buffer.set_stringn(x, row.y, &text, usize::from(row.right() - x), dim);
    }
    buffer.set_stringn(row.right().saturating_sub(3).max(row.x), row.y, "now", 3, dim);
}

fn ago(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    match seconds {
        s if s >= 600.0 => format!("{}m", (s / 60.0).round()),
        s if s < 10.0 => format!("{s}s"),
        s => format!("{}s", s.round()),
    }
}
