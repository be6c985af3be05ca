//! The machine's clock: CLOCK_MONOTONIC, which every sender and reader of this process shares.

use std::num::NonZeroU64;

use rustix::{
    thread::{clock_nanosleep_absolute, set_current_timer_slack},
    time::{ClockId, Timespec, clock_gettime},
};

use crate::{
    engine::Wait,
    nic::{Clock, caps, cpus, files},
};

/// Nanoseconds since the machine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MonotonicClock;

/// Shorter waits spin: a sleep costs about 50 µs in wake-up latency and would often come too late.
const SPIN_NS: u64 = 100_000;
/// A sleep ends this early and spins the rest, to hide the wake-up.
const MARGIN_NS: u64 = 60_000;

impl Clock for MonotonicClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        nanoseconds(clock_gettime(ClockId::Monotonic))
    }

    fn cpu_ns(&self) -> Option<u64> {
        Some(nanoseconds(clock_gettime(ClockId::ThreadCPUTime)))
    }
}

impl Wait for MonotonicClock {
    fn wait_until(&self, until_ns: u64) {
        if until_ns.saturating_sub(self.now_ns()) > SPIN_NS {
            sleep_until(until_ns - MARGIN_NS);
        }
        while self.now_ns() < until_ns {
            std::hint::spin_loop();
        }
    }

    fn wall_offset_ns(&self) -> i64 {
        let wall = nanoseconds(clock_gettime(ClockId::Realtime));
        wall.wrapping_sub(self.now_ns()) as i64
    }

    /// Pins the sender, tightens its timers and lets it have its files to itself.
    fn settle_in(&self, cpu: Option<u32>) -> Result<(), String> {
        // Where this is refused a doorbell costs some nanoseconds more.
        let _ = files::keep_own_table();
        tighten_timer_slack();
        if let Some(cpu) = cpu {
            cpus::pin_this_thread(cpu).map_err(|why| format!("pinning to CPU {cpu} failed: {why}"))?;
        }
        Ok(())
    }

    /// Its queue is open: no capability is needed any more.
    fn settle_down(&self) -> Result<(), String> {
        caps::drop_all_for_this_thread().map_err(|why| format!("giving up capabilities failed: {why}"))
    }
}

/// RFC 3339 in UTC, whole seconds.
pub fn now_utc() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

fn nanoseconds(at: Timespec) -> u64 {
    // Both clocks are positive on any running machine.
    (at.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(at.tv_nsec as u64)
}

/// Sleeps on an absolute timer, so an interruption by a signal costs no time.
fn sleep_until(at_ns: u64) {
    let at = Timespec { tv_sec: (at_ns / 1_000_000_000) as i64, tv_nsec: (at_ns % 1_000_000_000) as i64 };
    while clock_nanosleep_absolute(ClockId::Monotonic, &at) == Err(rustix::io::Errno::INTR) {}
}

/// The kernel may delay a normal thread's timers by 50 µs to save wake-ups; a sender asks for 1 ns.
fn tighten_timer_slack() {
    // Refused only by odd sandboxes; waits are then 50 µs less exact.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_is_told_in_utc_and_whole_seconds() {
        let text = now_utc();
        assert_eq!((text.len(), text.ends_with('Z'), text.contains('.')), (20, true, false), "{text}");
    }

    #[test]
    fn waits_end_at_their_time_or_later_never_earlier() {
        let clock = MonotonicClock;
        for wait_ns in [0, 1_000, 90_000, 150_000, 2_000_000] {
            let until = clock.now_ns() + wait_ns;
            clock.wait_until(until);
            assert!(clock.now_ns() >= until, "{wait_ns}");
        }
        let before = clock.now_ns();
        clock.wait_until(0);
        assert!(clock.now_ns() - before < 1_000_000_000, "a past instant is no wait");
    }

    #[test]
    fn the_wall_offset_leads_to_the_wall_clock() {
        let clock = MonotonicClock;
        let wall = clock.now_ns().wrapping_add_signed(clock.wall_offset_ns());
        let now = nanoseconds(clock_gettime(ClockId::Realtime));
        assert!(now.abs_diff(wall) < 1_000_000_000, "{now} {wall}");
    }
}
