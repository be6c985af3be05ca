//! What happened this session: starts, stops, changes with their verdicts, warnings, dead senders, and what the
//! libraries print. The Log screen shows it; the shell also writes it to a file.

use std::collections::VecDeque;

use super::lists::Move;

/// How much an entry matters, the greatest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::Error, Level::Warn, Level::Info, Level::Debug];

    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub at_ns: u64,
    pub level: Level,
    /// Who says it: `txdeck`, `libxdp`.
    pub source: &'static str,
    /// One line.
    pub text: String,
}

/// More than a session of knob turning brings; a limit on memory.
const MOST: usize = 5_000;
/// A line longer than this is no message.
const LONGEST: usize = 2_000;

#[derive(Debug)]
pub struct Log {
    entries: VecDeque<Entry>,
    /// How many were written in all; the last one's number.
    written: u64,
    /// Entries that matter less are not shown.
    pub least: Level,
    /// Lines between the last one in sight and the newest; 0 follows.
    back: usize,
    /// An instant with its second of the local day, for clock times.
    pub wall: Option<(u64, u64)>,
}

impl Default for Log {
    fn default() -> Self {
        Self { entries: VecDeque::new(), written: 0, least: Level::Info, back: 0, wall: None }
    }
}

impl Log {
    /// Takes each line of a text as an entry; control characters become blanks.
    pub fn write(&mut self, at_ns: u64, level: Level, source: &'static str, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let text = line.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
            self.entries.push_back(Entry { at_ns, level, source, text });
            self.written += 1;
            if self.entries.len() > MOST {
                self.entries.pop_front();
            }
            if self.back > 0 && level <= self.least {
                self.back += 1;
            }
        }
    }

    /// Those written after the first `seen`, and how many there are in all.
    pub fn since(&self, seen: u64) -> (impl Iterator<Item = &Entry>, u64) {
        let new = usize::try_from(self.written.saturating_sub(seen)).unwrap_or(usize::MAX).min(self.entries.len());
        (self.entries.iter().skip(self.entries.len() - new), self.written)
    }

    /// What the filter lets through, oldest first.
    pub fn in_sight(&self) -> Vec<&Entry> {
        self.entries.iter().filter(|entry| entry.level <= self.least).collect()
    }

    /// Lines between the last one in sight and the newest.
    pub fn back(&self) -> usize {
        self.back
    }

    pub(super) fn go(&mut self, to: Move) {
        let length = self.in_sight().len();
        let last = length.saturating_sub(1);
        self.back = last - to.from(last.saturating_sub(self.back), length);
    }

    pub(super) fn show_more(&mut self) {
        self.least = *Level::ALL.get(self.least as usize + 1).unwrap_or(&Level::Debug);
        self.back = 0;
    }

    pub(super) fn show_less(&mut self) {
        self.least = Level::ALL[(self.least as usize).saturating_sub(1)];
        self.back = 0;
    }

    /// `12:04:31`, local time; since the start of the clock where that is not known.
    pub fn clock(&self, at_ns: u64) -> String {
        const SECOND: u64 = 1_000_000_000;
        let seconds = match self.wall {
            Some((then_ns, second)) if at_ns >= then_ns => second + (at_ns - then_ns) / SECOND,
            Some((then_ns, second)) => (second + 86_400).saturating_sub((then_ns - at_ns) / SECOND),
            None => at_ns / SECOND,
        };
        format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> Log {
        let mut log = Log::default();
        log.write(1, Level::Info, "txdeck", "one\ntwo\n\n");
        log.write(2, Level::Debug, "libxdp", "three\u{1b}[31m");
        log.write(3, Level::Error, "txdeck", "four");
        log
    }

    #[test]
    fn the_filter_lets_through_what_matters_as_much() {
        let mut log = log();
        let texts = |log: &Log| log.in_sight().iter().map(|entry| entry.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&log), ["one", "two", "four"]);
        log.show_more();
        assert_eq!(texts(&log), ["one", "two", "three [31m", "four"]);
        (0..9).for_each(|_| log.show_less());
        assert_eq!(texts(&log), ["four"]);
    }

    #[test]
    fn a_reader_gets_every_entry_once() {
        let mut log = log();
        let (new, seen) = log.since(0);
        assert_eq!((new.count(), seen), (4, 4));
        assert_eq!(log.since(seen).0.count(), 0);
        (0..2 * MOST).for_each(|n| log.write(9, Level::Info, "txdeck", &n.to_string()));
        let (new, seen) = log.since(seen);
        assert_eq!((new.count(), seen), (MOST, 4 + 2 * MOST as u64), "the oldest are gone");
    }

    #[test]
    fn a_reader_who_scrolled_back_stays_where_he_is() {
        let mut log = log();
        log.go(Move::By(-1));
        log.write(4, Level::Info, "txdeck", "five");
        assert_eq!(log.back(), 2);
        log.go(Move::First);
        assert_eq!(log.back(), log.in_sight().len() - 1);
        log.go(Move::Last);
        log.write(5, Level::Info, "txdeck", "six");
        assert_eq!(log.back(), 0, "the end follows");
    }

    #[test]
    fn times_are_the_walls() {
        let mut log = log();
        assert_eq!(log.clock(61_000_000_000), "00:01:01");
        log.wall = Some((10_000_000_000, 86_399));
        assert_eq!((log.clock(9_000_000_000), log.clock(11_000_000_000)), ("23:59:58".into(), "00:00:00".into()));
    }
}
