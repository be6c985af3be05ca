//! The simulated nic: real rings in ordinary memory and a small kernel that follows a script of fates and costs.
//! Without a script it is as lean as the rings allow, so it also backs `-i sim` and the benches.

mod clock;
mod kernel;
mod script;

use super::doorbell::{Doorbell, abandoned, distrusted, failure};
use super::frames::Frames;
use super::open_error::{Cause, OpenError};
use super::rings::{Consumer, Desc, Producer, in_ordinary_memory};
use super::{Clock, Limits, ModeGot, Nic, NicError, Packet, Rung};
pub use clock::VirtualClock;
use kernel::{AtWork, SimKernel};
pub use kernel::{Recording, SentFrame};
pub use script::{Event, Fate, When};

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
    /// Up to so much more per kick, drawn from the seed.
    pub jitter_ns: u64,
}

impl Costs {
    /// About what veth costs in copy mode (900 ns a packet).
    pub const VETH: Self = Self { ring_ns: 50, kick_ns: 250, packet_ns: 850, jitter_ns: 0 };
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
    /// Longest packet; at most `chunk_bytes`.
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
    frames: Frames,
    tx: Producer<Desc>,
    completions: Consumer<u64>,
    doorbell: Doorbell,
    kernel: SimKernel,
    memory: Box<[u8]>,
    /// Where the first packet memory starts in `memory`.
    first: usize,
    chunk_shift: u32,
    limits: Limits,
    dead: Option<NicError>,
    device: String,
    queue: u32,
}

impl SimNic {
    /// # Errors
    /// [`OpenError`] when a size is out of range.
    pub fn open(config: SimConfig) -> Result<Self, OpenError> {
        config.check()?;
        let memory = vec![0u8; config.chunks as usize * config.chunk_bytes as usize + PAGE_BYTES].into_boxed_slice();
        let first = memory.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
        let (tx, kernel_tx) = in_ordinary_memory(config.ring, config.start_index);
        let (kernel_completions, completions) = in_ordinary_memory(config.ring, config.start_index);
        let copy = matches!(config.character, Character::Copy { .. });
        let limits = Limits {
            max_len: config.max_len.min(config.chunk_bytes) as usize,
            max_burst: config.ring,
            max_in_flight: config.ring,
            // No kernel, so neither of both: what it imitates shows in `counts_drops` alone.
            mode: ModeGot { copy: false, zero_copy: false, need_wakeup: true, ring: config.ring, huge_pages: false },
            counts_drops: copy,
        };
        Ok(Self {
            frames: Frames::new(config.chunks, config.ring),
            tx,
            completions,
            doorbell: Doorbell::default(),
            chunk_shift: config.chunk_bytes.trailing_zeros(),
            limits,
            dead: None,
            device: config.device.clone(),
            queue: config.queue,
            first,
            memory,
            kernel: SimKernel::new(kernel_tx, kernel_completions, config),
        })
    }

    /// Packets that really left, whatever the completions say.
    pub fn left(&self) -> u64 {
        self.kernel.left()
    }

    /// Reads the completion ring: one user-count write for every run of equal addresses.
    #[inline]
    fn reap(&mut self) -> u32 {
        if self.completions.refresh() == 0 {
            return 0;
        }
        let (completions, shift) = (&mut self.completions, self.chunk_shift);
        let completed =
            self.frames.complete(|| completions.read_run().map(|(addr, run)| ((addr >> shift) as u32, run)));
        self.completions.release();
        completed.unwrap_or_else(|completed| {
            self.fail(distrusted(&self.device, self.queue));
            completed
        })
    }

    #[cold]
    fn fail(&mut self, end: NicError) {
        self.frames.shut();
        self.dead.get_or_insert(end);
    }
}

impl Nic for SimNic {
    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    #[inline]
    fn build(&mut self, len: usize, write: impl FnOnce(&mut [u8], &mut u64)) -> Option<Packet> {
        if len > self.limits.max_len {
            return None;
        }
        let slot = self.frames.take(len as u32)?;
        let at = self.first + ((slot as usize) << self.chunk_shift);
        write(&mut self.memory[at..at + len], self.frames.note_mut(slot));
        Some(Packet { slot })
    }

    #[inline]
    fn send(&mut self, wanted: u32, len: usize, mut write: impl FnMut(u32, &mut [u8], &mut u64)) -> u32 {
        if len > self.limits.max_len {
            return 0;
        }
        let (memory, tx) = (&mut self.memory[self.first..], &mut self.tx);
        let mut nth = 0;
        self.frames.take_sent(wanted, len as u32, |slot, note| {
            let at = (slot as usize) << self.chunk_shift;
            write(nth, &mut memory[at..at + len], note);
            nth += 1;
            tx.write(Desc { addr: at as u64, len: len as u32, options: 0 });
        })
    }

    #[inline]
    fn queue(&mut self, packet: &Packet, copies: u32) -> u32 {
        let fitted = self.frames.add_users(packet.slot, copies);
        let addr = u64::from(packet.slot) << self.chunk_shift;
        let desc = Desc { addr, len: self.frames.len(packet.slot), options: 0 };
        self.tx.write_run(desc, fitted);
        fitted
    }

    #[inline]
    fn release(&mut self, packet: Packet) {
        self.frames.close(packet.slot);
    }

    #[inline]
    fn ring(&mut self, clock: &impl Clock) -> Result<Rung, NicError> {
        if let Some(dead) = &self.dead {
            return Err(dead.clone());
        }
        self.kernel.begin_ring();
        self.tx.publish();
        let mut rung = Rung { dropped: self.limits.counts_drops.then_some(0), ..Rung::default() };
        if self.frames.in_flight() > 0 {
            let memory = &self.memory[self.first..];
            let mut kernel = AtWork { kernel: &mut self.kernel, tx: &self.tx, memory, clock };
            let strokes = self.doorbell.ring(&mut kernel, clock);
            rung.kicks = strokes.kicks;
            rung.errno = strokes.errno;
            rung.dropped = rung.dropped.map(|_| strokes.busy);
            if strokes.end != 0 {
                self.fail(failure(&self.device, self.queue, strokes.end));
            }
        }
        rung.completed = self.reap();
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
        self.frames.in_flight()
    }

    fn abandon(&mut self) -> u32 {
        self.fail(abandoned(&self.device, self.queue));
        self.frames.abandon()
    }

    fn frames(&self) -> (u32, u32) {
        self.frames.counts()
    }

    fn errnos(&self, each: impl FnMut(i32, u64)) {
        self.doorbell.errnos.each(each);
    }
}
