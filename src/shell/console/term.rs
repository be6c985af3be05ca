//! The terminal taken and given back: raw mode, alternate screen, bracketed paste. Giving back happens once, whoever
//! comes first (the end, a panic, a signal), and has a deadline. A panic elsewhere than on the main thread leaves
//! the screen alone; its words wait until the screen is gone.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossterm::{
    Command,
    cursor::Show,
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};

use crate::app::Level;

use super::{
    aside::Aside,
    crash, journal,
    outlet::Outlet,
    writer::{Picture, Writer},
};

/// A stalled terminal gets this long to take its old screen back.
const RESTORE_LIMIT: Duration = Duration::from_millis(300);

/// Whether the terminal's own select-and-copy is taken away for a wheel that turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    On,
    Off,
}

/// What has to be undone, and whether it has been.
struct Held {
    outlet: Arc<Outlet>,
    mouse: Mouse,
    stderr: Aside,
    is_taken: AtomicBool,
    /// What other threads' panics said meanwhile.
    unsaid: Mutex<Vec<String>>,
}

impl Held {
    fn take(&self) -> io::Result<()> {
        enable_raw_mode()?;
        self.is_taken.store(true, Ordering::Release);
        self.stderr.set();
        let mouse = if self.mouse == Mouse::On { sequence(EnableMouseCapture) } else { String::new() };
        let enter = sequence(EnterAlternateScreen) + &sequence(EnableBracketedPaste) + &mouse;
        self.outlet.write_within(enter.as_bytes(), RESTORE_LIMIT)?;
        Ok(())
    }

    /// Idempotent.
    fn restore(&self) {
        if !self.is_taken.swap(false, Ordering::AcqRel) {
            return;
        }
        let mouse = if self.mouse == Mouse::On { sequence(DisableMouseCapture) } else { String::new() };
        let leave = "\x1b[0m".to_owned()
            + &mouse
            + &sequence(DisableBracketedPaste)
            + &sequence(LeaveAlternateScreen)
            + &sequence(Show);
        // Both are the last that can be done for this terminal.
        self.outlet.write_within(leave.as_bytes(), RESTORE_LIMIT).ok();
        disable_raw_mode().ok();
        self.stderr.back();
    }
}

fn sequence(command: impl Command) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    command.write_ansi(&mut text).ok();
    text
}

pub struct Screen {
    held: Arc<Held>,
    writer: Option<Writer>,
}

impl Screen {
    /// Takes the terminal. Call on the main thread: its panics are the ones that restore.
    pub fn take(mouse: Mouse, log: &Path, crash: PathBuf) -> io::Result<Self> {
        let outlet = Arc::new(Outlet::open()?);
        let held = Arc::new(Held {
            outlet,
            mouse,
            stderr: Aside::to(log),
            is_taken: AtomicBool::new(false),
            unsaid: Mutex::new(Vec::new()),
        });
        restore_on_panic(&held, crash);
        let mut screen = Self { held, writer: None };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&mut self) -> io::Result<()> {
        self.held.take()?;
        self.writer = Some(Writer::start(Arc::clone(&self.held.outlet))?);
        Ok(())
    }

    fn leave(&mut self) {
        self.writer = None;
        self.held.restore();
    }

    pub fn show(&self, picture: Picture) {
        if let Some(writer) = &self.writer {
            writer.show(picture);
        }
    }

    /// The terminal may show anything: the next picture is drawn whole.
    pub fn forget(&self) {
        if let Some(writer) = &self.writer {
            writer.forget();
        }
    }

    /// Into the terminal's clipboard (OSC 52).
    pub fn copy(&self, text: &str) {
        if let Some(writer) = &self.writer {
            writer.send(format!("\x1b]52;c;{}\x07", base64(text.as_bytes())).as_bytes());
        }
    }

    /// Gives the terminal back, stops the process group as Ctrl-Z does, and takes the terminal again afterwards.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.leave();
        rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
        self.enter()
    }

    /// Back from a stop that was not ours (SIGSTOP, then SIGCONT): the shell has changed the terminal's mode.
    pub fn resume(&self) {
        disable_raw_mode().and_then(|()| enable_raw_mode()).ok();
        self.forget();
    }

    /// Gives the terminal back and leaves these words in the scrollback.
    pub fn close(mut self, words: &str) {
        self.leave();
        self.held.outlet.write_within(words.as_bytes(), RESTORE_LIMIT).ok();
        let unsaid = std::mem::take(&mut *self.held.unsaid.lock().unwrap_or_else(PoisonError::into_inner));
        for words in unsaid {
            self.held.outlet.write_within(words.as_bytes(), RESTORE_LIMIT).ok();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

fn restore_on_panic(held: &Arc<Held>, crash: PathBuf) {
    let main = std::thread::current().id();
    let held = Arc::clone(held);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == main {
            held.outlet.set_hurry(true);
            held.restore();
            before(panic);
            let words = crash::report(&crash, &panic.to_string());
            held.outlet.write_within(words.as_bytes(), RESTORE_LIMIT).ok();
        } else if held.is_taken.load(Ordering::Acquire) {
            held.unsaid.lock().unwrap_or_else(PoisonError::into_inner).push(format!("txdeck: {panic}\n"));
            journal::hear(Level::Error, "txdeck", &panic.to_string());
            journal::hear(Level::Error, "txdeck", crash::report(&crash, &panic.to_string()).trim_end());
        } else {
            before(panic);
        }
    }));
}

/// RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for i in 0..4 {
            let letter = char::from(LETTERS[(word >> (18 - 6 * i)) as usize & 63]);
            text.push(if i <= group.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_on_another_thread_leaves_the_screen_alone() {
        let outlet = Arc::new(Outlet::open().unwrap());
        let held = Arc::new(Held {
            outlet,
            mouse: Mouse::Off,
            stderr: Aside::to(Path::new("")),
            is_taken: AtomicBool::new(true),
            unsaid: Mutex::new(Vec::new()),
        });
        let home = tempfile::tempdir().unwrap();
        let crash = home.path().join("crash.txt");
        restore_on_panic(&held, crash.clone());
        let sender = std::thread::spawn(|| panic!("a sender's own words"));
        assert!(sender.join().is_err());
        drop(std::panic::take_hook());
        assert!(held.is_taken.load(Ordering::Acquire), "the screen was given back");
        let unsaid = held.unsaid.lock().unwrap();
        assert!(unsaid.iter().any(|words| words.contains("a sender's own words")), "{unsaid:?}");
        assert!(std::fs::read_to_string(crash).unwrap().contains("a sender's own words"));
    }

    #[test]
    fn base64_is_base64() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
