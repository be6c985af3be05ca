//! How often to kick: until the kernel has taken everything, not at all where that is useless, and every
//! errno is counted by number. Both nics ring through here, so the simulated one tests the policy.

use super::{Clock, NicError, Watch};

/// A ring call ends after so many kicks; the next one goes on. One kick moves at most 32 packets in
/// copy mode, and only one when each is dropped.
const MAX_KICKS: u32 = 256;
/// Kicks without progress before the pause: with the own link down a naive loop made 4 million useless calls a second.
const IDLE_KICKS: u32 = 2;
const FIRST_PAUSE_NS: u64 = 8_000;
const LONGEST_PAUSE_NS: u64 = 1_024_000;

/// What is behind a doorbell.
pub(in crate::nic) trait Kernel {
    /// Hands over up to `most` further descriptors; returns how many.
    fn hand_over(&mut self, most: u32) -> u32;
    /// Whether the other side sleeps until it is kicked.
    fn wants_kick(&self) -> bool;
    /// Asks the kernel to take what lies in the ring; 0 or the errno.
    fn kick(&mut self) -> i32;
    /// Descriptors handed over and not yet taken.
    fn backlog(&mut self) -> u32;
    /// Whether a kick does its work before it returns (copy mode), so that kicking on makes progress.
    fn takes_at_once(&self) -> bool;
}

/// What one ring call did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::nic) struct Strokes {
    /// Doorbells behind which something new was handed over.
    pub doorbells: u32,
    pub kicks: u32,
    /// Kicks that answered EBUSY: in copy mode one dropped packet each.
    pub busy: u32,
    /// The last passing errno.
    pub errno: i32,
    /// A kick answered 0 and left packets behind: it met an invalid descriptor.
    pub stopped_short: bool,
    /// The errno that ends the queue; 0: none.
    pub end: i32,
}

/// The state between ring calls.
#[derive(Debug, Default)]
pub(in crate::nic) struct Doorbell {
    idle_kicks: u32,
    pause_ns: u64,
    retry_at_ns: u64,
    pub errnos: Errnos,
}

impl Doorbell {
    /// Hands over what waits, `burst` descriptors a doorbell, and kicks for each; then goes on kicking for what is
    /// left. Ends early when the kernel takes no more.
    #[inline]
    pub fn ring(
        &mut self,
        kernel: &mut impl Kernel,
        burst: u32,
        clock: &impl Clock,
        watch: &mut impl Watch,
    ) -> Strokes {
        let mut strokes = Strokes::default();
        loop {
            let new = kernel.hand_over(burst);
            if new == 0 && strokes.doorbells > 0 {
                return strokes;
            }
            strokes.doorbells += u32::from(new > 0);
            // In copy mode a kick serves only what the kernel has not taken; a packet that the receiver still
            // holds completes by itself.
            let at_once = kernel.takes_at_once();
            let useful = if at_once { new > 0 || kernel.backlog() > 0 } else { kernel.wants_kick() };
            if useful {
                watch.begin(clock);
                self.kick(kernel, clock, &mut strokes);
                watch.end_kick(clock);
            }
            if new == 0 || strokes.end != 0 || (at_once && kernel.backlog() > 0) {
                return strokes;
            }
        }
    }

    /// Kicks until everything handed over is taken, as long as that makes progress.
    #[inline]
    fn kick(&mut self, kernel: &mut impl Kernel, clock: &impl Clock, strokes: &mut Strokes) {
        if self.idle_kicks >= IDLE_KICKS && clock.now_ns() < self.retry_at_ns {
            return;
        }
        let mut backlog = kernel.backlog();
        while strokes.kicks < MAX_KICKS && strokes.end == 0 {
            let errno = kernel.kick();
            strokes.kicks += 1;
            if errno != 0 {
                self.count(errno, strokes);
            }
            let left = kernel.backlog();
            if left < backlog {
                self.progressed();
            } else {
                self.idled(clock);
            }
            if left == 0 || self.idle_kicks >= IDLE_KICKS || !kernel.takes_at_once() {
                return;
            }
            strokes.stopped_short |= errno == 0;
            backlog = left;
        }
    }

    #[cold]
    #[inline(never)]
    fn count(&mut self, errno: i32, strokes: &mut Strokes) {
        self.errnos.count(errno);
        match errno {
            libc::EBUSY => {
                strokes.busy += 1;
                strokes.errno = errno;
            }
            libc::EAGAIN | libc::ENOBUFS | libc::ENETDOWN | libc::EINTR | libc::ENOMEM => strokes.errno = errno,
            _ => strokes.end = errno,
        }
    }

    /// Something moved (also: something completed), so the next kick may be useful.
    #[inline]
    pub fn progressed(&mut self) {
        if self.idle_kicks > 0 {
            self.idle_kicks = 0;
            self.pause_ns = 0;
        }
    }

    #[cold]
    #[inline(never)]
    fn idled(&mut self, clock: &impl Clock) {
        self.idle_kicks = self.idle_kicks.saturating_add(1);
        if self.idle_kicks >= IDLE_KICKS {
            self.pause_ns = (self.pause_ns * 2).clamp(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);
            self.retry_at_ns = clock.now_ns().saturating_add(self.pause_ns);
        }
    }

    /// Before this instant ringing again is useless; `None`: ring on.
    #[inline]
    pub fn retry_at_ns(&self) -> Option<u64> {
        (self.idle_kicks >= IDLE_KICKS).then_some(self.retry_at_ns)
    }
}

/// How often each errno was met.
#[derive(Debug, Clone)]
pub(in crate::nic) struct Errnos([u64; Errnos::KINDS]);

impl Errnos {
    /// Linux numbers its errors 1 to 133 (asm-generic/errno.h); 0 gathers what is outside.
    const KINDS: usize = 134;

    fn count(&mut self, errno: i32) {
        let index = usize::try_from(errno).ok().filter(|&index| index < Self::KINDS).unwrap_or(0);
        self.0[index] += 1;
    }

    pub fn each(&self, mut each: impl FnMut(i32, u64)) {
        for (errno, &count) in self.0.iter().enumerate().filter(|(_, count)| **count > 0) {
            each(errno as i32, count);
        }
    }
}

impl Default for Errnos {
    fn default() -> Self {
        Self([0; Self::KINDS])
    }
}

/// The failure that an errno of a kick means.
#[cold]
pub(in crate::nic) fn failure(device: &str, queue: u32, errno: i32) -> NicError {
    let device = device.to_owned();
    match errno {
        // A deleted device leaves the socket unbound: ENXIO for ever.
        libc::ENXIO | libc::ENODEV | libc::EBADF => NicError::Gone { device, queue },
        _ => {
            let what = std::io::Error::from_raw_os_error(errno).to_string();
            let what = what.split(" (os error").next().unwrap_or_default().to_owned();
            NicError::Failed { device, queue, errno, what }
        }
    }
}

/// The failure of a ring that reports packets which were never handed over.
#[cold]
pub(in crate::nic) fn distrusted(device: &str, queue: u32) -> NicError {
    let what = "the completion ring names a packet that is not out".to_owned();
    NicError::Failed { device: device.to_owned(), queue, errno: libc::EPROTO, what }
}

/// The answer of a queue that was given up.
#[cold]
pub(in crate::nic) fn abandoned(device: &str, queue: u32) -> NicError {
    let what = "the queue was given up".to_owned();
    NicError::Failed { device: device.to_owned(), queue, errno: libc::ESHUTDOWN, what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::Unwatched;
    use std::cell::Cell;

    struct At(Cell<u64>);

    impl Clock for At {
        fn now_ns(&self) -> u64 {
            self.0.get()
        }
    }

    /// Takes `step` packets a kick and answers `errno`.
    #[derive(Default)]
    struct Fake {
        waiting: u32,
        backlog: u32,
        step: u32,
        errno: i32,
    }

    impl Kernel for Fake {
        fn hand_over(&mut self, most: u32) -> u32 {
            let new = self.waiting.min(most);
            self.waiting -= new;
            self.backlog += new;
            new
        }

        fn wants_kick(&self) -> bool {
            true
        }

        fn kick(&mut self) -> i32 {
            self.backlog = self.backlog.saturating_sub(self.step);
            self.errno
        }

        fn backlog(&mut self) -> u32 {
            self.backlog
        }

        fn takes_at_once(&self) -> bool {
            true
        }
    }

    #[test]
    fn c45_kicks_on_through_eagain_until_all_is_taken() {
        let mut doorbell = Doorbell::default();
        let mut kernel = Fake { backlog: 256, step: 32, errno: libc::EAGAIN, ..Fake::default() };
        let strokes = doorbell.ring(&mut kernel, 32, &At(Cell::new(0)), &mut Unwatched);
        assert_eq!((strokes.kicks, strokes.end, kernel.backlog), (8, 0, 0));
        assert_eq!(doorbell.retry_at_ns(), None);
    }

    #[test]
    fn each_burst_has_a_doorbell_of_its_own_until_the_kernel_takes_no_more() {
        let mut doorbell = Doorbell::default();
        let mut kernel = Fake { waiting: 7, step: 3, ..Fake::default() };
        let strokes = doorbell.ring(&mut kernel, 3, &At(Cell::new(0)), &mut Unwatched);
        assert_eq!((strokes.doorbells, strokes.kicks, kernel.waiting, kernel.backlog), (3, 3, 0, 0));
        let mut kernel = Fake { waiting: 7, errno: libc::ENETDOWN, ..Fake::default() };
        let strokes = doorbell.ring(&mut kernel, 3, &At(Cell::new(0)), &mut Unwatched);
        assert_eq!((strokes.doorbells, strokes.kicks, kernel.waiting, kernel.backlog), (1, 2, 4, 3));
    }

    #[test]
    fn every_busy_answer_is_one_packet_and_a_call_is_bounded() {
        let mut doorbell = Doorbell::default();
        let mut kernel = Fake { backlog: 2000, step: 1, errno: libc::EBUSY, ..Fake::default() };
        let strokes = doorbell.ring(&mut kernel, 32, &At(Cell::new(0)), &mut Unwatched);
        assert_eq!((strokes.busy, kernel.backlog), (MAX_KICKS, 2000 - MAX_KICKS));
    }

    #[test]
    fn with_the_link_down_a_second_needs_about_a_thousand_kicks_not_millions() {
        let mut doorbell = Doorbell::default();
        let mut kernel = Fake { backlog: 32, errno: libc::ENETDOWN, ..Fake::default() };
        let clock = At(Cell::new(0));
        let mut kicks = 0;
        while clock.0.get() < 1_000_000_000 {
            kicks += doorbell.ring(&mut kernel, 32, &clock, &mut Unwatched).kicks;
            clock.0.set(clock.0.get() + 250); // how long a useless call takes
        }
        assert!((900..1100).contains(&kicks), "{kicks} kicks");
        kernel.step = 32;
        clock.0.set(clock.0.get() + LONGEST_PAUSE_NS);
        assert_eq!(doorbell.ring(&mut kernel, 32, &clock, &mut Unwatched).kicks, 1);
        assert_eq!(doorbell.retry_at_ns(), None, "progress ends the pause");
    }

    #[test]
    fn errnos_are_counted_by_number_and_some_end_the_queue() {
        let mut doorbell = Doorbell::default();
        let mut kernel = Fake { backlog: 1, errno: libc::ENXIO, ..Fake::default() };
        assert_eq!(doorbell.ring(&mut kernel, 32, &At(Cell::new(0)), &mut Unwatched).end, libc::ENXIO);
        let mut met = Vec::new();
        doorbell.errnos.each(|errno, count| met.push((errno, count)));
        assert_eq!(met, [(libc::ENXIO, 1)]);
        assert!(matches!(failure("a0", 1, libc::ENXIO), NicError::Gone { .. }));
        assert_eq!(failure("a0", 1, libc::EIO).to_string(), "a0 queue 1: sending failed: Input/output error (errno 5)");
    }
}
