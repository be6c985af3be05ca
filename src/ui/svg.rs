//! A screen as an SVG picture and as plain text. Lines, blocks and dots are drawn as shapes, so a picture looks the
//! same whatever font its reader has; the rest is text that can be searched and copied.

use std::{collections::BTreeMap, fmt::Write};

use ratatui::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};
use unicode_width::UnicodeWidthStr;

use super::{Look, Rgb, Role};

/// Cell of a 14-pixel monospace font, in tenths of a pixel.
const CELL: (u32, u32) = (84, 180);
const FONT: u32 = 140;
const BASELINE: u32 = 136;
const MARGIN: u32 = 120;

/// The palette behind the terminal's own sixteen colours and its defaults.
const PALETTE: [Rgb; 16] = [
    Rgb(0x1c, 0x21, 0x28),
    Rgb(0xf4, 0x70, 0x67),
    Rgb(0x57, 0xab, 0x5a),
    Rgb(0xc6, 0x90, 0x26),
    Rgb(0x53, 0x9b, 0xf5),
    Rgb(0xb0, 0x83, 0xf0),
    Rgb(0x39, 0xc5, 0xcf),
    Rgb(0xad, 0xba, 0xc7),
    Rgb(0x76, 0x83, 0x90),
    Rgb(0xff, 0x93, 0x8a),
    Rgb(0x6b, 0xc4, 0x6d),
    Rgb(0xda, 0xaa, 0x3f),
    Rgb(0x6c, 0xb6, 0xff),
    Rgb(0xdc, 0xbd, 0xfb),
    Rgb(0x56, 0xd4, 0xdd),
    Rgb(0xcd, 0xd9, 0xe5),
];
const INK: Rgb = Rgb(0xcd, 0xd9, 0xe5);
const PAPER: Rgb = Rgb(0x1c, 0x21, 0x28);

/// The characters of a screen, a line each, without trailing blanks.
pub fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in rows(buffer) {
        let mut line = String::new();
        let mut skip = 0;
        for cell in row {
            if skip == 0 {
                line += cell.symbol();
                skip = cell.symbol().width().max(1);
            }
            skip -= 1;
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A screen as a picture, with its theme's colours; `title` is read out by screen readers.
pub fn svg(buffer: &Buffer, look: &Look, title: &str) -> String {
    let paper = look.style(Role::Text).bg.and_then(rgb).unwrap_or(PAPER);
    let (width, height) = (u32::from(buffer.area.width) * CELL.0, u32::from(buffer.area.height) * CELL.1);
    let (full_width, full_height) = (width + 2 * MARGIN, height + 2 * MARGIN);
    let mut out = String::new();
    // Writing into a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n\
         <g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace\" font-size=\"{}\" xml:space=\"preserve\">",
        tenths(full_width),
        tenths(full_height),
        tenths(full_width),
        escaped(title),
        paper.hex(),
        tenths(FONT),
    );
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    for (y, row) in rows(buffer).enumerate() {
        line(&mut out, &mut shapes, row, MARGIN + y as u32 * CELL.1, paper);
    }
    for (ink, path) in shapes {
        let _ = writeln!(out, "<path fill=\"{ink}\" d=\"{path}\"/>");
    }
    out += "</g>\n</svg>\n";
    out
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width.max(1)))
}

/// How a cell is painted.
#[derive(Clone, Copy, PartialEq)]
struct Paint {
    ink: Rgb,
    paper: Rgb,
    bold: bool,
    dim: bool,
    underline: bool,
}

fn paint(cell: &Cell, paper: Rgb) -> Paint {
    let (mut ink, mut paper) = (rgb(cell.fg).unwrap_or(INK), rgb(cell.bg).unwrap_or(paper));
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut ink, &mut paper);
    }
    let has = |modifier| cell.modifier.contains(modifier);
    Paint { ink, paper, bold: has(Modifier::BOLD), dim: has(Modifier::DIM), underline: has(Modifier::UNDERLINED) }
}

/// One row: backgrounds, shapes, then runs of text in one style.
fn line(out: &mut String, shapes: &mut BTreeMap<String, String>, row: &[Cell], y: u32, paper: Rgb) {
    let mut x = 0;
    while x < row.len() {
        let style = paint(&row[x], paper);
        let mut end = x;
        let mut run = String::new();
        while end < row.len() && paint(&row[end], paper) == style {
            let symbol = row[end].symbol();
            match shape(symbol, MARGIN + end as u32 * CELL.0, y) {
                Some(path) => {
                    let dim = if style.dim { "\" opacity=\".65" } else { "" };
                    shapes.entry(format!("{}{dim}", style.ink.hex())).or_default().push_str(&path);
                    run.push(' ');
                }
                None => run += symbol,
            }
            end += symbol.width().max(1);
        }
        let left = MARGIN + x as u32 * CELL.0;
        let width = (end.min(row.len()) - x) as u32 * CELL.0;
        if style.paper != paper {
            let (left, top, width, height) = (tenths(left), tenths(y), tenths(width), tenths(CELL.1));
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
                style.paper.hex()
            );
        }
        words(out, &run, left, y, style);
        x = end;
    }
}

/// A run's words; each group is stretched to its cells, so columns stay columns in any font.
fn words(out: &mut String, run: &str, left: u32, y: u32, style: Paint) {
    let indent = (run.width() - run.trim_start().width()) as u32;
    let text = run.trim();
    if text.is_empty() {
        return;
    }
    let mut attributes = String::new();
    for (is_set, attribute) in [
        (style.bold, " font-weight=\"bold\""),
        (style.dim, " opacity=\".65\""),
        (style.underline, " text-decoration=\"underline\""),
    ] {
        attributes += if is_set { attribute } else { "" };
    }
    let (x, length) = (tenths(left + indent * CELL.0), tenths(text.width() as u32 * CELL.0));
    let (baseline, ink, text) = (tenths(y + BASELINE), style.ink.hex(), escaped(text));
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{baseline}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{ink}\"{attributes}>{text}</text>"
    );
}

/// Lines, blocks and braille dots as a path; `None`: the symbol is text.
fn shape(symbol: &str, x: u32, y: u32) -> Option<String> {
    let mut chars = symbol.chars();
    let (Some(symbol), None) = (chars.next(), chars.next()) else { return None };
    let (w, h) = CELL;
    let (middle, centre) = (x + w / 2, y + h / 2);
    let horizontal = |from, to| rect(from, centre - 5, to - from, 10);
    let vertical = |from, to| rect(middle - 5, from, 10, to - from);
    let (left, right) = (|| horizontal(x, middle + 5), || horizontal(middle - 5, x + w));
    let (up, down) = (|| vertical(y, centre + 5), || vertical(centre - 5, y + h));
    Some(match symbol {
        '─' => horizontal(x, x + w),
        '│' => vertical(y, y + h),
        '┌' => right() + &down(),
        '┐' => left() + &down(),
        '└' => right() + &up(),
        '┘' => left() + &up(),
        '├' => vertical(y, y + h) + &right(),
        '┤' => vertical(y, y + h) + &left(),
        '┬' => horizontal(x, x + w) + &down(),
        '┴' => horizontal(x, x + w) + &up(),
        '┼' => horizontal(x, x + w) + &vertical(y, y + h),
        '┊' => (0..4).map(|dash| vertical(y + dash * h / 4, y + dash * h / 4 + h / 8)).collect(),
        '█' => rect(x, y, w, h),
        '\u{2800}'..='\u{28ff}' => dots(u32::from(symbol) - 0x2800, x, y),
        _ => return None,
    })
}

fn dots(bits: u32, x: u32, y: u32) -> String {
    // (column, row) of each bit of a braille cell.
    const PLACES: [(u32, u32); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
    let set = PLACES.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    set.map(|(_, (column, row))| rect(x + column * CELL.0 / 2 + 10, y + row * CELL.1 / 4 + 12, 22, 22)).collect()
}

fn rect(x: u32, y: u32, width: u32, height: u32) -> String {
    format!("M{} {}h{}v{}h-{}z", tenths(x), tenths(y), tenths(width), tenths(height), tenths(width))
}

/// Tenths as a decimal.
fn tenths(value: u32) -> String {
    if value.is_multiple_of(10) { (value / 10).to_string() } else { format!("{}.{}", value / 10, value % 10) }
}

fn rgb(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Reset => None,
        Color::Indexed(index @ 0..16) => Some(PALETTE[usize::from(index)]),
        other => Rgb::sixteen(other).map(|index| PALETTE[usize::from(index)]).or_else(|| Rgb::of(other)),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Theme;
    use ratatui::{layout::Rect, style::Style};

    fn buffer() -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        buffer.set_string(0, 0, "a<b & 字 ─⠿", Style::new().fg(Color::Red).add_modifier(Modifier::BOLD));
        buffer.set_string(0, 1, "picked", Style::new().add_modifier(Modifier::REVERSED));
        buffer
    }

    #[test]
    fn a_picture_holds_its_text_escaped_and_its_lines_as_shapes() {
        let picture = svg(&buffer(), &Look::default(), "t");
        assert!(picture.contains(">a&lt;b &amp; 字</text>"), "{picture}");
        assert!(!picture.contains('─') && !picture.contains('⠿') && picture.contains("<path fill=\"#f47067\""));
        assert!(picture.contains(&format!("fill=\"{}\">picked<", PAPER.hex())), "reversed: paper as ink");
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
    }

    #[test]
    fn the_themes_own_background_is_the_papers() {
        let look = Look { theme: Theme::shipped("light").unwrap(), ..Look::default() };
        assert!(svg(&buffer(), &look, "t").contains("height=\"100%\" rx=\"6\" fill=\"#ffffff\""));
    }

    #[test]
    fn as_text_a_wide_character_takes_its_two_cells() {
        assert_eq!(text(&buffer()), "a<b & 字 ─⠿\npicked\n");
    }

    #[test]
    fn nothing_makes_an_empty_picture() {
        let nothing = Buffer::empty(Rect::ZERO);
        assert_eq!(text(&nothing), "");
        assert!(svg(&nothing, &Look::default(), "").ends_with("</svg>\n"));
    }
}
