//! The wire: a nic takes bursts of packets and says what became of them.
//!
//! One trait, two worlds: the AF_XDP nic and a simulated one obey the same laws (`tests/laws.rs`).
//! Descriptors never leave this room, a packet in flight cannot be rewritten, and the memory of a
//! packet returns exactly once, when the last descriptor that names it has completed.

pub mod calibrate;
pub mod caps;
pub mod cpus;
mod doorbell;
mod ethtool;
pub mod files;
mod frames;
pub mod guard;
pub mod host;
pub mod link;
pub mod namespace;
mod netlink;
pub mod numa;
mod open_error;
pub mod processes;
mod queue;
mod rings;
mod route;
pub mod sim;
pub mod sink;
mod sockopt;
mod ssh;
pub mod veth;
mod watch;
pub mod xdp;

pub use open_error::{Cause, OpenError, Right};
pub use sim::{SimNic, VirtualClock};
pub use watch::{Stopwatch, Unwatched, Watch};
pub use xdp::XdpNic;

/// Nanoseconds that never go backwards. Whoever runs a nic brings the clock; nobody below reads one.
pub trait Clock {
    fn now_ns(&self) -> u64;

    /// What the calling thread has spent on a CPU so far. `None`: nobody can tell.
    fn cpu_ns(&self) -> Option<u64> {
        None
    }
}

/// One queue of one device. All counts are packets, never descriptors.
pub trait Nic {
    /// Fixed at open.
    fn limits(&self) -> Limits;

    /// Takes memory for one packet of `len` bytes and lets `write` fill it. `write` also gets a note
    /// that it left on this memory last time (0 at first). `None`: no memory free now, or `len` above
    /// [`Limits::max_len`]; a counted state for the caller, not a failure.
    fn build(&mut self, len: usize, write: impl FnOnce(&mut [u8], &mut u64)) -> Option<Packet>;

    /// Queues up to `copies` copies; returns how many fitted. Nothing leaves before [`Nic::ring`].
    fn queue(&mut self, packet: &Packet, copies: u32) -> u32;

    /// Gives the packet up: its memory returns when its last queued copy completes (at once if none is out).
    fn release(&mut self, packet: Packet);

    /// Builds and queues up to `wanted` packets of `len` bytes, each to be sent once; returns how many. `begin` gets the
    /// number of the packet within this call, its memory and its note; then `finish` gets the memories of some of them
    /// together, with the number of the first, for what is quicker done to all than to each. The same as build, queue
    /// and release for each, without what only clones need.
    fn send(
        &mut self,
        wanted: u32,
        len: usize,
        begin: impl FnMut(u32, &mut [u8], &mut u64),
        finish: impl FnMut(u32, &mut [&mut Head]),
    ) -> u32;

    /// One doorbell: hands over what is queued, wakes the kernel if it asks for that, then reaps.
    ///
    /// # Errors
    /// As [`Nic::ring_each`].
    fn ring(&mut self, clock: &impl Clock) -> Result<Rung, NicError> {
        self.ring_each(u32::MAX, clock)
    }

    /// A doorbell for every `burst` packets that are queued, until the kernel takes no more; then reaps.
    /// With nothing queued it only drives on what is in flight; once all has completed, such a call also reads how
    /// many descriptors the kernel refused, so a run ends with one. Final errors only; passing ones
    /// (EAGAIN, EBUSY, ENOBUFS, ENETDOWN) are counted in the answer.
    #[inline]
    fn ring_each(&mut self, burst: u32, clock: &impl Clock) -> Result<Rung, NicError> {
        self.ring_watched(burst, clock, &mut Unwatched)
    }

    /// As [`Nic::ring_each`], and tells how long its parts take.
    ///
    /// # Errors
    /// As [`Nic::ring_each`].
    fn ring_watched(&mut self, burst: u32, clock: &impl Clock, watch: &mut impl Watch) -> Result<Rung, NicError>;

    /// Packets queued or handed over and not yet reaped.
    fn in_flight(&self) -> u32;

    /// Gives up on what is in flight (the device is gone or a drain ran out of time); returns how many
    /// packets were abandoned. All memory is free afterwards and nothing more can be sent.
    fn abandon(&mut self) -> u32;

    /// Packet memories: (total, free).
    fn frames(&self) -> (u32, u32);

    /// Calls `each` with every errno met so far and how often, since open.
    fn errnos(&self, each: impl FnMut(i32, u64));
}

/// The beginning of a packet memory, as long as the shortest of them may be. Whatever begins at an offset of one byte
/// and is at most 18 bytes long lies in it: the compiler sees that, and checks no bound.
pub type Head = [u8; 256 + 18];

/// What a nic can do; fixed at open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest packet in bytes.
    pub max_len: usize,
    /// Most packets that fit behind one doorbell.
    pub max_burst: u32,
    /// Packets that can be in flight at once.
    pub max_in_flight: u32,
    /// Most descriptors a packet takes.
    pub parts: u32,
    pub mode: ModeGot,
    /// Whether `Rung::dropped` is known.
    pub counts_drops: bool,
}

/// The mode really got, read back from the kernel. Neither copy nor zero-copy: simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModeGot {
    pub copy: bool,
    pub zero_copy: bool,
    pub need_wakeup: bool,
    pub ring: u32,
    pub huge_pages: bool,
}

impl ModeGot {
    /// `zero-copy`, `copy` or `simulated`.
    pub fn name(&self) -> &'static str {
        match (self.zero_copy, self.copy) {
            (true, _) => "zero-copy",
            (false, true) => "copy",
            (false, false) => "simulated",
        }
    }
}

/// A built packet. Neither `Clone` nor `Copy`, and no way back to its bytes.
#[derive(Debug)]
pub struct Packet {
    pub(in crate::nic) slot: u32,
}

/// What the doorbells of one call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rung {
    /// Doorbells behind which something new was handed over.
    pub doorbells: u32,
    pub completed: u32,
    /// Completed packets that did not leave; `None` where nobody can tell (zero-copy).
    pub dropped: Option<u32>,
    /// Completed packets whose descriptors the kernel refused.
    pub invalid: u32,
    /// System calls made.
    pub kicks: u32,
    /// The last passing errno of this doorbell; 0: none.
    pub errno: i32,
    /// Two kicks moved nothing (link down, receiver holds on to packets): ringing before this instant is
    /// useless and does nothing, so the caller may sleep until then. `None`: ring on.
    pub retry_at_ns: Option<u64>,
}

/// A failure that ends the queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NicError {
    #[error("{device} queue {queue}: the device is gone")]
    Gone { device: String, queue: u32 },
    #[error("{device} queue {queue}: sending failed: {what} (errno {errno})")]
    Failed { device: String, queue: u32, errno: i32, what: String },
}
