//! The simulated nic: real rings in ordinary memory and a small kernel that follows a script of fates and costs.
//! Without a script it is as lean as the rings allow, so it also backs `-i sim` and the benches.

mod clock;
mod kernel;
mod script;

use super::doorbell::{Doorbell, Kernel, abandoned, distrusted, failure};
use super::frames::{Place, shift_of};
use super::open_error::{Cause, OpenError};
use super::queue::{Distrusted, Queue, Shape};
use super::rings::{Consumer, Desc, Producer, in_ordinary_memory};
use super::{Clock, Head, Limits, ModeGot, Nic, NicError, Packet, Rung, Watch};
pub use clock::VirtualClock;
use kernel::{AtWork, SimKernel};
pub use kernel::{Recording, SentFrame};
pub use script::{Event, Fate, When};
use std::ptr::NonNull;

/// Largest ring, in packets.
const MOST_RING: u32 = 1 << 20;
/// Most packet memories (2 GiB of them at 2048 bytes).
const MOST_CHUNKS: u32 = 1 << 20;
/// Packet memories start on a page, as they do in a UMEM, so that no short packet straddles cache lines.
const PAGE_BYTES: usize = 4096;

/// How the simulated nic completes packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Character {
    /// At once, within the kick, at most `budget` packets a kick (EAGAIN after that). Drops are known.
    Copy { budget: u32 },
    /// Late, in clumps of up to `clump` packets and only after a kick. Drops are unknown.
    ZeroCopy { clump: u32 },
}

/// What scripted calls cost on the virtual clock. All zero with a real clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Costs {
    /// Each call of `ring`, so that time passes even where nothing moves.
    pub ring_ns: u64,
    pub kick_ns: u64,
    pub packet_ns: u64,
    /// Each packet that is built.
    pub build_ns: u64,
    /// Up to so much more per kick, drawn from the seed.
    pub jitter_ns: u64,
}

impl Costs {
    /// About what veth costs in copy mode (900 ns a packet).
    pub const VETH: Self = Self { ring_ns: 50, kick_ns: 250, packet_ns: 850, build_ns: 0, jitter_ns: 0 };
}

/// What to simulate.
#[derive(Debug, Clone)]
pub struct SimConfig {
    pub device: String,
    pub queue: u32,
    /// Packets that can be in flight; a power of two.
    pub ring: u32,
    /// Packet memories.
    pub chunks: u32,
    /// 2048 or 4096.
    pub chunk_bytes: u32,
    /// Neighbouring chunks that make one packet memory, at least 1.
    pub parts: u32,
    /// Longest packet; at most `parts` times `chunk_bytes`.
    pub max_len: u32,
    pub character: Character,
    pub seed: u64,
    pub script: Vec<Event>,
    pub costs: Costs,
    /// Advanced by the costs. `None`: the caller's clock is a real one.
    pub time: Option<VirtualClock>,
    /// Where to keep what left, in order; for tests.
    pub recording: Option<Recording>,
    /// Where the ring indices start (they wrap at 2^32).
    pub start_index: u32,
}

impl Default for SimConfig {
    fn default() -> Self {
        Self {
            device: "sim".to_owned(),
            queue: 0,
            ring: 2048,
            chunks: 512,
            chunk_bytes: 2048,
            parts: 1,
            max_len: 2048 - 256,
            character: Character::Copy { budget: 32 },
            seed: 7,
            script: Vec::new(),
            costs: Costs::default(),
            time: None,
            recording: None,
            start_index: 0,
        }
    }
}

impl SimConfig {
    /// The default nic on a virtual clock that moves as it would over veth.
    pub fn on_virtual_time(clock: &VirtualClock) -> Self {
        Self { time: Some(clock.clone()), costs: Costs::VETH, ..Self::default() }
    }

    /// # Errors
    /// [`OpenError`] names the size that is out of range.
    fn check(&self) -> Result<(), OpenError> {
        let cause = if !self.ring.is_power_of_two() || self.ring > MOST_RING {
            Cause::BadRing { ring: self.ring, most: MOST_RING }
        } else if self.chunk_bytes != 2048 && self.chunk_bytes != 4096 {
            Cause::BadChunk { chunk_bytes: self.chunk_bytes }
        } else if self.chunks == 0 || self.chunks > MOST_CHUNKS {
            Cause::BadChunks { chunks: self.chunks, most: MOST_CHUNKS }
        } else {
            return Ok(());
        };
        Err(OpenError { device: self.device.clone(), queue: self.queue, cause, errno: 0 })
    }
}

/// One simulated queue.
pub struct SimNic {
    queue: Queue,
    doorbell: Doorbell,
    kernel: SimKernel,
    limits: Limits,
    dead: Option<NicError>,
    device: String,
    number: u32,
    /// What the places of `queue` lie in.
    _memory: Memory,
}

impl SimNic {
    /// # Errors
    /// [`OpenError`] when a size is out of range.
    pub fn open(config: SimConfig) -> Result<Self, OpenError> {
        config.check()?;
        let parts = config.parts.max(1);
        let max_len = config.max_len.min(parts * config.chunk_bytes) as usize;
        let memory = Memory::new(config.chunks / parts, parts * config.chunk_bytes, max_len);
        let (tx, kernel_tx) = in_ordinary_memory(config.ring, config.start_index);
        let (kernel_completions, completions) = in_ordinary_memory(config.ring, config.start_index);
        let copy = matches!(config.character, Character::Copy { .. });
        let shape = Shape { ring: config.ring, chunk_bytes: config.chunk_bytes, parts, max_len };
        let limits = Limits {
            max_len,
            max_burst: shape.max_in_flight(),
            max_in_flight: shape.max_in_flight(),
            parts,
            // No kernel, so neither of both: what it imitates shows in `counts_drops` alone.
            mode: ModeGot { copy: false, zero_copy: false, need_wakeup: true, ring: config.ring, huge_pages: false },
            counts_drops: copy,
        };
        // SAFETY: `memory` is dropped after the queue, its places are a chunk apart and `max_len` is at most that, and the
        // kernel half reads only what was published.
        let queue = unsafe { Queue::new(tx, completions, memory.places(), shape) };
        Ok(Self {
            queue,
            doorbell: Doorbell::default(),
            limits,
            dead: None,
            device: config.device.clone(),
            number: config.queue,
            kernel: SimKernel::new(kernel_tx, kernel_completions, memory.begin, config),
            _memory: memory,
        })
    }

    /// Packets that really left, whatever the completions say.
    pub fn left(&self) -> u64 {
        self.kernel.left()
    }

    /// Has the simulated kernel take and complete `burst` packets that nobody built, at most what one kick takes: its
    /// share of a burst, for benches to take off. Only while nothing is in flight.
    pub fn run_kernel_alone(&mut self, burst: u32, clock: &impl Clock) {
        let kernel = &mut self.kernel;
        self.queue.around(burst, |queue| {
            AtWork { kernel, queue, clock }.kick();
        });
    }

    #[inline]
    fn reap(&mut self) -> u32 {
        self.queue.reap().unwrap_or_else(|Distrusted(completed)| {
            self.fail(distrusted(&self.device, self.number));
            completed
        })
    }

    #[cold]
    fn fail(&mut self, end: NicError) {
        self.queue.shut();
        self.dead.get_or_insert(end);
    }
}

impl Nic for SimNic {
    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    #[inline]
    fn build(&mut self, len: usize, write: impl FnOnce(&mut [u8], &mut u64)) -> Option<Packet> {
        let packet = self.queue.build(len, write);
        self.kernel.spend_on_builds(u32::from(packet.is_some()));
        packet
    }

    #[inline]
    fn send(
        &mut self,
        wanted: u32,
        len: usize,
        begin: impl FnMut(u32, &mut [u8], &mut u64),
        finish: impl FnMut(u32, &mut [&mut Head]),
    ) -> u32 {
        let sent = self.queue.send(wanted, len, begin, finish);
        self.kernel.spend_on_builds(sent);
        sent
    }

    #[inline]
    fn queue(&mut self, packet: &Packet, copies: u32) -> u32 {
        self.queue.queue(packet, copies)
    }

    #[inline]
    fn release(&mut self, packet: Packet) {
        self.queue.release(packet);
    }

    #[inline]
    fn ring_watched(&mut self, burst: u32, clock: &impl Clock, watch: &mut impl Watch) -> Result<Rung, NicError> {
        if let Some(dead) = &self.dead {
            return Err(dead.clone());
        }
        self.kernel.begin_ring();
        let mut rung = Rung { dropped: self.limits.counts_drops.then_some(0), ..Rung::default() };
        if self.queue.in_flight() > 0 {
            let mut kernel = AtWork { kernel: &mut self.kernel, queue: &mut self.queue, clock };
            let strokes = self.doorbell.ring(&mut kernel, burst, clock, watch);
            rung.doorbells = strokes.doorbells;
            rung.kicks = strokes.kicks;
            rung.errno = strokes.errno;
            rung.dropped = rung.dropped.map(|_| strokes.busy);
            if strokes.end != 0 {
                self.fail(failure(&self.device, self.number, strokes.end));
            }
        }
        watch.begin(clock);
        rung.completed = self.reap();
        watch.end_reap(clock);
        rung.invalid = self.kernel.take_invalid();
        if rung.completed > 0 {
            self.doorbell.progressed();
        }
        rung.retry_at_ns = self.doorbell.retry_at_ns();
        match &self.dead {
            // What completed before the end is told first; the next call tells the end.
            Some(dead) if rung.completed == 0 => Err(dead.clone()),
            _ => Ok(rung),
        }
    }

    #[inline]
    fn in_flight(&self) -> u32 {
        self.queue.in_flight()
    }

    fn abandon(&mut self) -> u32 {
        self.fail(abandoned(&self.device, self.number));
        self.queue.abandon()
    }

    fn frames(&self) -> (u32, u32) {
        self.queue.frames()
    }

    fn errnos(&self, each: impl FnMut(i32, u64)) {
        self.doorbell.errnos.each(each);
    }
}

/// Ordinary memory for all packets of a queue.
struct Memory {
    pages: NonNull<[u8]>,
    begin: NonNull<u8>,
    slots: u32,
    slot_bytes: u32,
    max_len: usize,
}

// SAFETY: this owns its pages like a box; they are used through `Queue` and the simulated kernel alone, which move with it.
unsafe impl Send for Memory {}

impl Memory {
    fn new(slots: u32, slot_bytes: u32, max_len: usize) -> Self {
        let pages = Box::leak(vec![0u8; slots as usize * slot_bytes as usize + PAGE_BYTES].into_boxed_slice());
        let first = pages.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
        let begin = NonNull::from(&mut *pages).cast::<u8>();
        // SAFETY: at most one page into the allocation, which is a page longer than its packet memories.
        let begin = unsafe { begin.add(first) };
        Self { pages: NonNull::from(pages), begin, slots, slot_bytes, max_len }
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        (0..self.slots as usize).map(|slot| {
            let slot_bytes = self.slot_bytes as usize;
            let offset = slot * slot_bytes + shift_of(slot, slot_bytes).min(slot_bytes - self.max_len);
            // SAFETY: below `slots` times `slot_bytes`, which lie behind `begin`.
            Place { begin: unsafe { self.begin.add(offset) }, addr: offset as u64 }
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `pages` came from a leaked box and is freed only here.
        drop(unsafe { Box::from_raw(self.pages.as_ptr()) });
    }
}
