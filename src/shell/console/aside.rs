//! Standard error while the screen is up: whatever a library writes there would garble the picture, so it goes to the
//! log's file until the terminal is given back.

use std::{
    fs::OpenOptions,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

pub struct Aside {
    log: PathBuf,
    /// Where standard error really goes, while it is set aside.
    held: Mutex<Option<OwnedFd>>,
}

impl Aside {
    pub fn to(log: &Path) -> Self {
        Self { log: log.to_owned(), held: Mutex::new(None) }
    }

    /// Idempotent. Where the log cannot be opened standard error stays as it is.
    pub fn set(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return;
        }
        let Ok(log) = OpenOptions::new().create(true).append(true).open(&self.log) else { return };
        let Ok(here) = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 3) else { return };
        if rustix::stdio::dup2_stderr(&log).is_ok() {
            *held = Some(here);
        }
    }

    /// Idempotent.
    pub fn back(&self) {
        if let Some(here) = self.held.lock().unwrap_or_else(PoisonError::into_inner).take() {
            rustix::stdio::dup2_stderr(&here).ok();
        }
    }
}
