//! The log on disk, and what other threads and the libraries have to say: nothing of it may reach the screen.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use tracing::Level as Asked;

use crate::{
    app::{App, Event, Level, Log},
    nic::{
        Clock,
        xdp::{self, LibraryLevel},
    },
    shell::clock::MonotonicClock,
};

/// Above this the log of earlier sessions steps aside at the start.
const MOST_BYTES: u64 = 1 << 20;
/// Lines that wait for the loop; a library that prints more between two ticks is cut off.
const MOST_HEARD: usize = 1_000;

/// Lines heard since the last tick.
static HEARD: Mutex<Vec<(Level, &'static str, String)>> = Mutex::new(Vec::new());

/// Writes what the app's log gains to its file.
pub struct Journal {
    /// `None`: the folder cannot be written; the screen's log works all the same.
    file: Option<File>,
    least: Level,
    seen: u64,
}

impl Journal {
    /// Opens the file, and takes what the libraries print from now on. Says why there is no file, if so.
    pub fn open(path: &Path, asked: Asked) -> (Journal, Option<String>) {
        xdp::set_library_log(|level, line| {
            let level = match level {
                LibraryLevel::Warn => Level::Warn,
                LibraryLevel::Info => Level::Info,
                LibraryLevel::Debug => Level::Debug,
            };
            hear(level, "libxdp", line);
        });
        let (file, told) = match open_file(path) {
            Ok(file) => (Some(file), None),
            Err(why) => (None, Some(format!("{}: no log is written: {why}", path.display()))),
        };
        (Journal { file, least: least(asked), seen: 0 }, told)
    }

    /// Gives the app what was heard.
    pub fn heard() -> impl Iterator<Item = Event> {
        let heard = std::mem::take(&mut *HEARD.lock().unwrap_or_else(PoisonError::into_inner));
        heard.into_iter().map(|(level, source, text)| Event::Heard { level, source, text })
    }

    /// Writes what is new. A disk that is full ends the file, not the session.
    pub fn keep_up(&mut self, app: &App) {
        let (new, seen) = app.log.since(self.seen);
        self.seen = seen;
        let Some(file) = &mut self.file else { return };
        let now = jiff::Timestamp::now();
        let now = jiff::Timestamp::from_second(now.as_second()).unwrap_or(now);
        let mut lines = String::new();
        for entry in new.filter(|entry| entry.level <= self.least) {
            lines.push_str(&format!("{now} {:<5} {}: {}\n", entry.level.name(), entry.source, entry.text));
        }
        if file.write_all(lines.as_bytes()).is_err() {
            self.file = None;
        }
    }
}

/// A line for the log from whatever thread.
pub fn hear(level: Level, source: &'static str, line: &str) {
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    if heard.len() < MOST_HEARD && !line.trim().is_empty() {
        heard.push((level, source, line.to_owned()));
    }
}

/// Lets the log tell the time of the wall.
pub fn set_wall(log: &mut Log) {
    let time = jiff::ZonedDateTime::now().time();
    let second = |part: i8, seconds: u64| u64::try_from(part).unwrap_or(0) * seconds;
    let of_day = second(time.hour(), 3600) + second(time.minute(), 60) + second(time.second(), 1);
    log.wall = Some((MonotonicClock.now_ns(), of_day));
}

/// The console's file says more than a command's stderr: what happened is always in it.
fn least(asked: Asked) -> Level {
    if asked >= Asked::DEBUG { Level::Debug } else { Level::Info }
}

fn open_file(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::metadata(path).is_ok_and(|old| old.len() > MOST_BYTES) {
        fs::rename(path, path.with_extension("old"))?;
    }
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_steps_aside_and_debug_is_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("deep/log");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'x'; MOST_BYTES as usize + 1]).unwrap();
        let file = open_file(&path).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 0);
        assert!(path.with_extension("old").exists());
        assert_eq!(
            (least(Asked::WARN), least(Asked::INFO), least(Asked::DEBUG)),
            (Level::Info, Level::Info, Level::Debug)
        );
    }

    #[test]
    fn what_is_heard_comes_out_once() {
        hear(Level::Warn, "libxdp", "a line of this test");
        let count = || Journal::heard().filter(|event| format!("{event:?}").contains("a line of this test")).count();
        assert_eq!((count(), count()), (1, 0));
    }
}
