//! The way to the terminal that never blocks for longer than allowed: a descriptor of our own, non-blocking, so a
//! stalled ssh or a stopped client holds up nobody, and the shell's own descriptor keeps its flags.

use std::{
    fs::OpenOptions,
    io,
    os::{fd::OwnedFd, unix::fs::OpenOptionsExt},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::OFlags,
    io::Errno,
};

pub struct Outlet {
    terminal: OwnedFd,
    /// Whoever waits for the terminal gives up.
    hurry: AtomicBool,
}

/// How long a writer may be deaf to `hurry`.
const LOOK_NS: i64 = 20_000_000;
const PAUSE: Duration = Duration::from_millis(5);
/// Where the descriptor could not be opened anew it may block: then only little is written at a time, which a
/// terminal that reports room takes.
const PIECE: usize = 512;

impl Outlet {
    pub fn open() -> io::Result<Self> {
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
        let anew = OpenOptions::new().write(true).custom_flags(flags as i32).open("/proc/self/fd/1");
        let terminal = match anew {
            Ok(file) => file.into(),
            // Another user's terminal (su): share the descriptor as it is.
            Err(_) => rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?,
        };
        Ok(Self { terminal, hurry: AtomicBool::new(false) })
    }

    /// Writes all of it, waiting for the terminal as long as it takes or until somebody hurries.
    /// `false`: cut off.
    pub fn write_patiently(&self, bytes: &[u8]) -> io::Result<bool> {
        self.write(bytes, || self.hurry.load(Ordering::Acquire))
    }

    /// Writes as much as the terminal takes within `limit`.
    pub fn write_within(&self, bytes: &[u8], limit: Duration) -> io::Result<bool> {
        let until = Instant::now() + limit;
        self.write(bytes, || Instant::now() >= until)
    }

    pub fn set_hurry(&self, hurry: bool) {
        self.hurry.store(hurry, Ordering::Release);
    }

    fn write(&self, bytes: &[u8], is_too_late: impl Fn() -> bool) -> io::Result<bool> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if !self.has_room()? {
                if is_too_late() {
                    return Ok(false);
                }
                continue;
            }
            match rustix::io::write(&self.terminal, &rest[..rest.len().min(PIECE)]) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::AGAIN | Errno::INTR) if is_too_late() => return Ok(false),
                // A pseudo-terminal whose reader is stalled calls itself writable all the same; asking again at
                // once would burn a core.
                Err(Errno::AGAIN | Errno::INTR) => std::thread::sleep(PAUSE),
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(true)
    }

    /// Waits a moment for room.
    fn has_room(&self) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.terminal, PollFlags::OUT)];
        match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: LOOK_NS })) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }
}
