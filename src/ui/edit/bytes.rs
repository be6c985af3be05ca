//! The next frames of the picked flow as hex with words; the bytes that vary stand between brackets.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::{App, Shot},
    packet::{Annotated, Line},
};

use crate::ui::{Look, Role, line, pieces, rows_of, wrapped};

/// `0010  08 00 …` with sixteen bytes.
const HEX: u16 = 54;
/// From this width on the words stand beside their bytes.
const BESIDE: u16 = 150;
/// From this width on the words stand beside the frame, in a block.
const BLOCK_BESIDE: u16 = 96;

pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, look: &Look) {
    if area.height == 0 {
        return;
    }
    rule(buffer, Rect { height: 1, ..area }, look);
    let below = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height - 1 };
    let name = app.edit.preview().name();
    let (from, ahead) = app.shown_builds();
    match app.edit.preview().frames(from, ahead) {
        None => {
            title(buffer, area, "next frames", look);
            line(buffer, below, "every flow is off: nothing will be sent", look.style(Role::Dim), look);
        }
        Some(Err(why)) => {
            title(buffer, area, "next frames", look);
            wrapped(buffer, below, why, look.style(Role::Warn), look);
        }
        Some(Ok(frames)) => {
            let mut at = Rect { y: area.y, ..area };
            for (i, shot) in frames.take(usize::from(area.height)).enumerate() {
                if i > 0 && at.y + 2 > area.bottom() {
                    break;
                }
                let what = match (i, app.follows_builds()) {
                    (0, true) => format!("next frames of {name}: "),
                    (0, false) => format!("frames of {name}: "),
                    _ => String::new(),
                };
                let text =
                    format!("{what}build {}, seq {}, {} B (+4 FCS = {})", shot.k, shot.seq, shot.bytes, shot.bytes + 4);
                title(buffer, at, &text, look);
                let rest = Rect { y: at.y + 1, height: area.bottom() - at.y - 1, ..below };
                at.y = frame(buffer, rest, &shot, look);
            }
        }
    }
}

fn rule(buffer: &mut Buffer, row: Rect, look: &Look) {
    for x in row.x..row.right() {
        buffer[(x, row.y)].set_symbol(look.glyphs.rule()).set_style(look.style(Role::Border));
    }
}

fn title(buffer: &mut Buffer, at: Rect, text: &str, look: &Look) {
    let room = Rect { x: at.x + 1, width: at.width.saturating_sub(2), height: 1, ..at };
    line(buffer, room, &format!(" {text} "), look.style(Role::Text), look);
}

/// Answers the row behind the frame.
fn frame(buffer: &mut Buffer, area: Rect, shot: &Shot, look: &Look) -> u16 {
    let lines = &shot.annotated.lines;
    let is_beside = area.width >= BLOCK_BESIDE;
    let words: Vec<&str> = lines.iter().map(|line| line.words.as_str()).filter(|words| !words.is_empty()).collect();
    let words = words.join(" · ");
    let word_rows = if is_beside { 0 } else { rows_of(&words, area.width, look).min(area.height.saturating_sub(4)) };
    let hex_rows = area.height.saturating_sub(word_rows).min(u16::try_from(lines.len()).unwrap_or(u16::MAX));
    for (offset, bytes) in (0..hex_rows).zip(lines) {
        let at = Rect { y: area.y + offset, height: 1, ..area };
        hex(buffer, Rect { width: at.width.min(HEX + 1), ..at }, &shot.annotated, bytes, look);
        if area.width >= BESIDE {
            let beside = Rect { x: at.x + HEX + 2, width: at.width.saturating_sub(HEX + 2), ..at };
            line(buffer, beside, &bytes.words, look.style(Role::Dim), look);
        }
    }
    let shown: usize = lines.iter().take(usize::from(hex_rows)).map(|line| line.bytes.len()).sum();
    if shown < shot.bytes && hex_rows > 0 && area.width < BLOCK_BESIDE {
        let at = Rect {
            x: area.x + HEX + 2,
            y: area.y + hex_rows - 1,
            width: area.width.saturating_sub(HEX + 2),
            height: 1,
        };
        line(buffer, at, &format!("and {} bytes more", shot.bytes - shown), look.style(Role::Dim), look);
    }
    let below = Rect { y: area.y + hex_rows, height: word_rows, ..area };
    let block = Rect { x: area.x + HEX + 2, width: area.width.saturating_sub(HEX + 2), height: hex_rows, ..area };
    match area.width {
        BESIDE.. => {}
        BLOCK_BESIDE.. => wrapped(buffer, block, &words, look.style(Role::Dim), look),
        _ => wrapped(buffer, below, &words, look.style(Role::Dim), look),
    }
    below.bottom()
}

/// One line; brackets take the place of blanks, so that columns stay put.
fn hex(buffer: &mut Buffer, at: Rect, frame: &Annotated, row: &Line, look: &Look) {
    let (plain, varying) = (look.style(Role::Text), look.style(Role::Mark));
    let x = pieces(buffer, at, &[(&format!("{:04x} ", row.offset), look.style(Role::Dim))]);
    let mut at = Rect { x, width: at.right().saturating_sub(x), ..at };
    let mut inside = false;
    for (i, byte) in row.bytes.iter().enumerate() {
        let varies = frame.varies(row.offset + i);
        let gap = match (inside, varies) {
            (false, true) => "[",
            (true, false) => "]",
            _ => " ",
        };
        let style = if varies { varying } else { plain };
        let gap_style = if gap == " " { plain } else { varying };
        let end = pieces(buffer, at, &[(gap, gap_style), (&format!("{byte:02x}"), style)]);
        at = Rect { x: end, width: at.right().saturating_sub(end), ..at };
        inside = varies;
    }
    if inside {
        pieces(buffer, at, &[("]", varying)]);
    }
}
