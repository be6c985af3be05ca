//! The kernel half of the simulated nic: it takes descriptors, decides their fate and completes them.

use super::script::{Next, Script};
use super::{Character, Clock, Consumer, Costs, Desc, Producer, SimConfig, VirtualClock};
use crate::nic::doorbell::Kernel;
use crate::nic::queue::Queue;
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// One packet that left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentFrame {
    pub at_ns: u64,
    pub bytes: Vec<u8>,
}

/// Everything that left, in order. A handle: the nic fills it, a test reads it.
#[derive(Debug, Clone, Default)]
pub struct Recording(Arc<Mutex<Vec<SentFrame>>>);

impl Recording {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what was recorded so far.
    pub fn take(&self) -> Vec<SentFrame> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, frame: SentFrame) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(frame);
    }
}

pub(super) struct SimKernel {
    tx: Consumer<Desc>,
    completions: Producer<u64>,
    /// Where the packet memories lie.
    begin: NonNull<u8>,
    character: Character,
    /// Neither script nor recording: every packet just leaves.
    plain: bool,
    script: Script,
    recording: Option<Recording>,
    /// Of the packet just taken.
    bytes: Vec<u8>,
    costs: Costs,
    time: Option<VirtualClock>,
    /// Taken by the "driver" and not completed; zero-copy only, never more than the ring holds.
    held: VecDeque<u64>,
    random: u64,
    taken: u64,
    left: u64,
    invalid: u32,
    /// The script held this kick up, so nothing completes either.
    blocked: bool,
}

impl SimKernel {
    pub fn new(tx: Consumer<Desc>, completions: Producer<u64>, begin: NonNull<u8>, config: SimConfig) -> Self {
        let held = match config.character {
            Character::Copy { .. } => 0,
            Character::ZeroCopy { .. } => config.ring as usize,
        };
        Self {
            tx,
            completions,
            begin,
            character: config.character,
            plain: config.script.is_empty() && config.recording.is_none() && config.parts == 1,
            script: Script::new(&config.script),
            recording: config.recording,
            bytes: Vec::new(),
            costs: config.costs,
            time: config.time,
            held: VecDeque::with_capacity(held),
            random: config.seed,
            taken: 0,
            left: 0,
            invalid: 0,
            blocked: false,
        }
    }

    pub fn left(&self) -> u64 {
        self.left
    }

    /// Invalid descriptors since the last call.
    #[inline]
    pub fn take_invalid(&mut self) -> u32 {
        std::mem::take(&mut self.invalid)
    }

    #[inline]
    pub fn begin_ring(&self) {
        self.spend(self.costs.ring_ns);
    }

    /// What the sender's own work takes on the virtual clock.
    #[inline]
    pub fn spend_on_builds(&mut self, packets: u32) {
        if self.costs.build_ns > 0 {
            self.spend(self.costs.build_ns * u64::from(packets));
        }
    }

    #[inline]
    fn spend(&self, ns: u64) {
        if let Some(time) = &self.time {
            time.advance(ns);
        }
    }

    /// splitmix64.
    fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)).checked_rem(below).unwrap_or(0)
    }

    #[inline]
    fn budget(&self) -> u32 {
        match self.character {
            Character::Copy { budget } => budget.max(1),
            Character::ZeroCopy { .. } => u32::MAX,
        }
    }

    /// Takes what fits in one kick; nothing can go wrong and nobody watches.
    #[inline]
    fn take_plain(&mut self) -> i32 {
        let waiting = self.tx.refresh();
        let count = waiting.min(self.budget());
        match self.character {
            Character::Copy { .. } => self.completions.write_from(&mut self.tx, count, |desc| desc.addr),
            Character::ZeroCopy { .. } => {
                self.held.extend(std::iter::from_fn(|| self.tx.read()).take(count as usize).map(|desc| desc.addr));
            }
        }
        self.tx.release();
        self.left += u64::from(count);
        self.taken += u64::from(count);
        self.spend(self.costs.packet_ns * u64::from(count));
        if count < waiting { libc::EAGAIN } else { 0 }
    }

    /// Takes packet by packet, each with its fate.
    fn take_scripted(&mut self, clock: &impl Clock) -> i32 {
        let allowed = self.script.kick(clock.now_ns(), self.taken);
        self.blocked = allowed.is_err();
        if let Err(errno) = allowed {
            return errno;
        }
        let mut waiting = self.tx.refresh();
        let mut budget = self.budget();
        let mut answer = 0;
        while waiting > 0 {
            if budget == 0 {
                answer = libc::EAGAIN;
                break;
            }
            let next = self.script.next(clock.now_ns(), self.taken);
            if let Next::Stays(errno) = next {
                answer = errno;
                break;
            }
            let Some(descs) = self.take_packet() else { break };
            waiting -= descs;
            budget -= 1;
            self.taken += 1;
            self.spend(self.costs.packet_ns);
            let ends_kick = self.decide(next, clock);
            if let Some(errno) = ends_kick {
                answer = errno;
                break;
            }
        }
        self.tx.release();
        answer
    }

    /// Takes all descriptors of the next packet; returns how many. Its bytes are kept where somebody records them.
    fn take_packet(&mut self) -> Option<u32> {
        let mut descs = 0;
        self.bytes.clear();
        loop {
            let desc = self.tx.read()?;
            descs += 1;
            if self.recording.is_some() {
                // SAFETY: the descriptor was published by `Queue`, so its bytes lie in the memory behind `begin` and
                // nobody writes them before they complete, in this same call.
                let bytes = unsafe {
                    std::slice::from_raw_parts(self.begin.add(desc.addr as usize).as_ptr(), desc.len() as usize)
                };
                self.bytes.extend_from_slice(bytes);
            }
            self.complete(desc.addr);
            if !desc.is_continued() {
                return Some(descs);
            }
        }
    }

    /// Counts one taken packet by its fate; `Some` when a copy-mode kick ends with that answer.
    fn decide(&mut self, next: Next, clock: &impl Clock) -> Option<i32> {
        let at_once = matches!(self.character, Character::Copy { .. });
        match next {
            Next::Dropped => at_once.then_some(libc::EBUSY),
            Next::Invalid => {
                self.invalid += 1;
                at_once.then_some(0)
            }
            _ => {
                self.left += 1;
                if let Some(recording) = &self.recording {
                    recording.push(SentFrame { at_ns: clock.now_ns(), bytes: self.bytes.clone() });
                }
                None
            }
        }
    }

    #[inline]
    fn complete(&mut self, addr: u64) {
        match self.character {
            Character::Copy { .. } => self.completions.write(addr),
            Character::ZeroCopy { .. } => self.held.push_back(addr),
        }
    }

    /// The driver reports a seeded number of what it held before this kick; at least one when nothing new came.
    fn complete_clump(&mut self, held_before: usize, clump: u32) {
        let idle = self.held.len() == held_before;
        let drawn = self.draw(u64::from(clump) + 1) as usize;
        let count = drawn.max(usize::from(idle)).min(held_before);
        for addr in self.held.drain(..count) {
            self.completions.write(addr);
        }
    }
}

// SAFETY: `begin` points into memory that the same `SimNic` owns and that moves with it.
unsafe impl Send for SimKernel {}

/// The kernel during one ring call.
pub(super) struct AtWork<'a, C> {
    pub kernel: &'a mut SimKernel,
    pub queue: &'a mut Queue,
    pub clock: &'a C,
}

impl<C: Clock> Kernel for AtWork<'_, C> {
    #[inline]
    fn hand_over(&mut self, most: u32) -> u32 {
        self.queue.hand_over(most)
    }

    #[inline]
    fn wants_kick(&self) -> bool {
        true
    }

    #[inline]
    fn kick(&mut self) -> i32 {
        let kernel = &mut *self.kernel;
        let jitter_ns = kernel.costs.jitter_ns;
        let cost_ns = kernel.costs.kick_ns + if jitter_ns > 0 { kernel.draw(jitter_ns + 1) } else { 0 };
        kernel.spend(cost_ns);
        let held_before = kernel.held.len();
        let answer = if kernel.plain { kernel.take_plain() } else { kernel.take_scripted(self.clock) };
        if let Character::ZeroCopy { clump } = kernel.character
            && !kernel.blocked
        {
            kernel.complete_clump(held_before, clump);
        }
        kernel.completions.publish();
        answer
    }

    #[inline]
    fn backlog(&mut self) -> u32 {
        self.queue.backlog()
    }

    #[inline]
    fn takes_at_once(&self) -> bool {
        matches!(self.kernel.character, Character::Copy { .. })
    }
}
