//! Signals that end a run: SIGINT, SIGTERM, SIGHUP. One that was ignored when the program started (nohup, a
//! background job of a script) stays ignored.

use std::{fs, future::pending};

use tokio::signal::unix::{self, SignalKind};

use crate::shell::failure::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    Hangup,
}

impl Signal {
    /// 128 + its number, as shells have it.
    pub fn exit_code(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
            Signal::Hangup => 129,
        }
    }

    fn number(self) -> u32 {
        u32::from(self.exit_code()) - 128
    }
}

/// The signals of this process from now on.
pub struct Signals {
    interrupt: Option<unix::Signal>,
    terminate: Option<unix::Signal>,
    hangup: Option<unix::Signal>,
}

impl Signals {
    /// Call inside the runtime.
    pub fn listen() -> Result<Signals, Failure> {
        let ignored = ignored_mask(&fs::read_to_string("/proc/self/status").unwrap_or_default());
        let open = |signal: Signal| {
            if ignored & (1 << (signal.number() - 1)) != 0 {
                return Ok(None);
            }
            let kind = SignalKind::from_raw(signal.number() as i32);
            let opened = unix::signal(kind).map(Some);
            opened.map_err(|why| Failure::new("signals", format!("listening for signals failed: {why}")))
        };
        Ok(Signals {
            interrupt: open(Signal::Interrupt)?,
            terminate: open(Signal::Terminate)?,
            hangup: open(Signal::Hangup)?,
        })
    }

    /// The next one; cancel safe.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            () = wait(&mut self.interrupt) => Signal::Interrupt,
            () = wait(&mut self.terminate) => Signal::Terminate,
            () = wait(&mut self.hangup) => Signal::Hangup,
        }
    }
}

/// For ever where the signal is ignored.
async fn wait(signal: &mut Option<unix::Signal>) {
    let heard = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if heard.is_none() {
        pending().await
    }
}

/// Bit n - 1 is set when signal n is ignored.
fn ignored_mask(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_proc() {
        assert_eq!(ignored_mask("SigBlk:\t0\nSigIgn:\t0000000000001003\n"), 0x1003);
        assert_eq!(ignored_mask(""), 0);
    }

    #[test]
    fn codes_are_those_of_shells() {
        let codes =
            [Signal::Interrupt, Signal::Terminate, Signal::Hangup].map(|signal| (signal.number(), signal.exit_code()));
        assert_eq!(codes, [(2, 130), (15, 143), (1, 129)]);
    }
}
