//! How far long work has come: one line on stderr, written over and gone at the end.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    os::unix::fs::FileTypeExt,
    time::{Duration, Instant},
};

/// Work that is over before this is not told of.
const FIRST: Duration = Duration::from_millis(400);
const EVERY: Duration = Duration::from_millis(200);
/// Back to the first column, and nothing behind it.
const ERASE: &str = "\r\x1b[K";

/// What the work is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Frames,
    Slices,
}

/// When there is something to tell again, and in which words: percent, rate and time left.
pub struct Pace {
    what: String,
    unit: Unit,
    /// 0: not known.
    total: u64,
    began: Instant,
    next: Duration,
}

impl Pace {
    pub fn new(what: &str, unit: Unit, total: u64) -> Self {
        Self { what: what.to_owned(), unit, total, began: Instant::now(), next: FIRST }
    }

    /// So much is done; `None`: that is not worth a word yet.
    pub fn at(&mut self, done: u64) -> Option<String> {
        let spent = self.began.elapsed();
        if spent < self.next {
            return None;
        }
        self.next = spent + EVERY;
        Some(format!("{}: {}", self.what, words(self.unit, done, self.total, spent)))
    }
}

/// The line on stderr, where that is a terminal.
pub struct Progress {
    /// `None`: nobody is told.
    pace: Option<Pace>,
    is_shown: bool,
}

impl Progress {
    /// Without `wanted` nothing is told, nor where stderr is no terminal: a file that holds it has no use for such lines.
    pub fn new(pace: Pace, wanted: bool) -> Self {
        let pace = Some(pace).filter(|_| wanted && io::stderr().is_terminal());
        Self { pace, is_shown: false }
    }

    /// So much is done.
    pub fn at(&mut self, done: u64) {
        if let Some(line) = self.pace.as_mut().and_then(|pace| pace.at(done)) {
            self.is_shown = true;
            put(&format!("{ERASE}{line}"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            put(ERASE);
        }
    }
}

/// A closed stderr is no reason to end.
fn put(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Whether stdout is where nobody looks on: beside a line on a terminal its own lines would be garbled, and behind a
/// pipe may be a pager on the same terminal.
pub fn stdout_is_unseen() -> bool {
    let goes_on = || fs::metadata("/dev/stdout").is_ok_and(|at| at.file_type().is_fifo() || at.file_type().is_socket());
    !io::stdout().is_terminal() && !goes_on()
}

/// `34 %, 210 MiB/s, 2 s left`; how much is done where the total is not known.
fn words(unit: Unit, done: u64, total: u64, spent: Duration) -> String {
    let per_s = done as f64 / spent.as_secs_f64().max(1e-9);
    let rate = match unit {
        Unit::Bytes => format!("{:.0} MiB/s", per_s / f64::from(1 << 20)),
        Unit::Frames => format!("{per_s:.0} frames/s"),
        Unit::Slices => format!("{done} of {total} slices"),
    };
    if done <= total && total > 0 {
        let left_s = (total - done) as f64 / per_s.max(1e-9);
        return format!("{:.0} %, {rate}, {left_s:.0} s left", (done as f64 / total as f64 * 100.0).floor());
    }
    match unit {
        Unit::Bytes => format!("{} MiB, {rate}", done >> 20),
        Unit::Frames => format!("{done} frames, {rate}"),
        Unit::Slices => format!("{done} slices"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_rate_and_time_left_where_the_total_is_known() {
        let two_s = Duration::from_secs(2);
        assert_eq!(words(Unit::Bytes, 200 << 20, 800 << 20, two_s), "25 %, 100 MiB/s, 6 s left");
        assert_eq!(words(Unit::Frames, 999, 1000, two_s), "99 %, 500 frames/s, 0 s left");
        // A gzip stream is longer than its file.
        assert_eq!(words(Unit::Bytes, 200 << 20, 100 << 20, two_s), "200 MiB, 100 MiB/s");
        assert_eq!(words(Unit::Frames, 0, 0, Duration::ZERO), "0 frames, 0 frames/s");
    }
}
