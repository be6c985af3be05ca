//! Frames as hex with words, the bytes that vary between brackets.

use std::{fmt, ops::Range};

use super::{
    dissect::dissect,
    frame::{Frame, Stamp},
};

/// Bytes a line.
const WIDTH: usize = 16;

/// One frame for the eye.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotated {
    pub lines: Vec<Line>,
    /// The bytes that may differ in the flow's next frame; ascending, none touching.
    pub varying: Vec<Range<usize>>,
}

/// Up to 16 bytes and the words of the headers that begin among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub offset: usize,
    pub bytes: Vec<u8>,
    pub words: String,
}

/// Build `stamp.k` of a flow, line by line.
pub fn annotate(frame: &Frame, stamp: &Stamp) -> Annotated {
    let mut bytes = vec![0; frame.len(stamp.k)];
    frame.write(&mut bytes, &mut 0, stamp);
    annotate_bytes(&bytes, frame.varying())
}

/// A frame as it was written, with the places where its flow's frames differ.
pub fn annotate_bytes(bytes: &[u8], varying: &[Range<usize>]) -> Annotated {
    let mut lines: Vec<Line> = bytes
        .chunks(WIDTH)
        .enumerate()
        .map(|(i, bytes)| Line { offset: i * WIDTH, bytes: bytes.to_vec(), words: String::new() })
        .collect();
    for part in dissect(bytes) {
        if let Some(line) = lines.get_mut(part.range.start / WIDTH) {
            let gap = if line.words.is_empty() { "" } else { " · " };
            line.words.push_str(&format!("{gap}{} {}", part.layer, part.words));
        }
    }
    let varying = varying.iter().map(|range| range.start..range.end.min(bytes.len()));
    Annotated { lines, varying: varying.filter(|range| !range.is_empty()).collect() }
}

impl Annotated {
    /// Whether the byte at `offset` may differ in the next frame.
    pub fn varies(&self, offset: usize) -> bool {
        self.varying.iter().any(|range| range.contains(&offset))
    }
}

impl fmt::Display for Annotated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| write_line(f, self, line))
    }
}

/// `0010  08 00 45 00[00 2e]00 …  words`: brackets take the place of blanks, so columns stay put.
fn write_line(f: &mut fmt::Formatter<'_>, frame: &Annotated, line: &Line) -> fmt::Result {
    let mut text = String::with_capacity(6 + 3 * WIDTH + 4 + line.words.len());
    for shift in [12, 8, 4, 0] {
        text.push(digit(line.offset >> shift));
    }
    text.push(' ');
    let mut inside = false;
    for (i, byte) in line.bytes.iter().enumerate() {
        let varies = frame.varies(line.offset + i);
        text.push(match (inside, varies) {
            (false, true) => '[',
            (true, false) => ']',
            _ => ' ',
        });
        text.push(digit(usize::from(byte >> 4)));
        text.push(digit(usize::from(*byte)));
        inside = varies;
    }
    match (inside, line.words.is_empty()) {
        (true, _) => text.push(']'),
        (false, true) => {}
        (false, false) => text.push(' '),
    }
    if !line.words.is_empty() {
        text.extend(std::iter::repeat_n(' ', (WIDTH - line.bytes.len()) * 3 + 1));
        text.push_str(&line.words);
    }
    text.push('\n');
    f.write_str(&text)
}

/// The lowest four bits as a hexadecimal digit: many frames are shown, and the general formatter takes its time.
fn digit(value: usize) -> char {
    char::from(b"0123456789abcdef"[value & 15])
}
