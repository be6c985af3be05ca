//! What fills a sample behind its headers.

use super::headers::Taking;
use crate::dialect::draft::quoted;

/// First bytes of pktgen's header, which holds 16.
const MAGIC: [u8; 4] = [0xbe, 0x9b, 0xe9, 0x55];
pub(super) const STAMP: &str = "the payload begins with pktgen's magic";
/// The longest pattern that a profile takes.
const LONGEST_PATTERN: usize = 2048;
/// Fewer letters than this may be numbers as well.
const SHORTEST_TEXT: usize = 4;

impl Taking<'_> {
    pub fn payload(&mut self, at: usize) {
        let bytes = self.sample.bytes.get(at..).unwrap_or_default();
        let moves = self.moves_from(at);
        for one in &moves {
            let (first, last) = (one.bit / 8, (one.end() - 1) / 8);
            let sentence =
                format!("bytes {first}..{last}, in the payload, do not vary here: they keep their first value");
            self.report.dropped(one.line, &one.text, sentence);
        }
        if bytes.len() >= 16 && bytes.starts_with(&MAGIC) && bytes[16..].iter().all(|byte| *byte == 0) {
            if !self.sample.is_stamped {
                let sentence =
                    "the payload begins with pktgen's magic: txdeck writes sequence number and time behind it";
                self.report.converted(self.sample.line, "", sentence);
            }
            return;
        }
        if bytes.iter().all(|byte| *byte == 0) {
            return self.flow.set("payload.kind", "\"zero\"");
        }
        if let Some(text) = text(bytes) {
            self.flow.set("payload.kind", "\"text\"");
            return self.flow.set("payload.text", quoted(text));
        }
        let mut pattern = &bytes[..period(bytes)];
        if pattern.len() > LONGEST_PATTERN {
            let sentence = format!("only the first {LONGEST_PATTERN} bytes of the payload are taken, and repeat");
            self.report.converted(self.sample.line, "", sentence);
            pattern = &pattern[..LONGEST_PATTERN];
        }
        // What ends in zeros and does not repeat stands there once: zeros follow it in longer frames too.
        let is_once = pattern.len() == bytes.len() && pattern.ends_with(&[0]);
        if is_once {
            pattern = &pattern[..pattern.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)];
        }
        self.flow.set("payload.kind", if is_once { "\"hex\"" } else { "\"pattern\"" });
        let hex: Vec<String> = pattern.iter().map(|byte| format!("{byte:02x}")).collect();
        self.flow.set("payload.bytes", format!("\"{}\"", hex.join(" ")));
    }
}

/// Words that stand there once, with nothing but zeros behind them.
fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    let words = std::str::from_utf8(&bytes[..end]).ok()?;
    let is_text =
        (SHORTEST_TEXT..=LONGEST_PATTERN).contains(&end) && words.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (is_text && period(bytes) == bytes.len()).then_some(words)
}

/// How many bytes repeat until the end; all of them when nothing does. One pass (the prefix function).
fn period(bytes: &[u8]) -> usize {
    let mut border = vec![0; bytes.len()];
    for at in 1..bytes.len() {
        let mut length: usize = border[at - 1];
        while length > 0 && bytes[at] != bytes[length] {
            length = border[length - 1];
        }
        border[at] = length + usize::from(bytes[at] == bytes[length]);
    }
    bytes.len() - border.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{period, text};

    #[test]
    fn words_with_zeros_behind_them_are_text() {
        assert_eq!(text(b"hello there\0\0"), Some("hello there"));
        for other in [&b"abc\0"[..], b"abcabc", b"hell\x01o\0", b"\0\0", b"", "sch\u{f6}n\0".as_bytes()] {
            assert_eq!(text(other), None, "{other:?}");
        }
    }

    #[test]
    fn the_shortest_pattern_is_found() {
        for (text, length) in [("", 0), ("a", 1), ("aaaa", 1), ("abab", 2), ("ababa", 2), ("abcabd", 6), ("abca", 3)] {
            assert_eq!(period(text.as_bytes()), length, "{text}");
        }
    }
}
