//! One queue's TX ring, completion ring and packet memories: what both nics do alike. The nics differ in what is
//! behind their doorbell.

use super::Packet;
use super::frames::{Frame, Frames, Place};
use super::rings::{Consumer, Desc, Producer, in_ordinary_memory};
use std::mem::MaybeUninit;
use std::slice;

/// Memories that are finished together; at 32 all of them stay in the first-level cache.
const TOGETHER: usize = 32;

pub(in crate::nic) struct Queue {
    pub tx: Producer<Desc>,
    completions: Consumer<u64>,
    frames: Frames,
    max_len: usize,
    chunk_shift: u32,
}

/// The completion ring names a packet that is not out; what was counted before is told besides.
pub(in crate::nic) struct Distrusted(pub u32);

impl Queue {
    /// A queue of packets up to `max_len` bytes. Memory `n` is in descriptors what lies from `n << chunk_shift` on; as
    /// many may be in flight as the rings hold (`ring`).
    ///
    /// # Safety
    /// At each place `max_len` bytes may be read and written until the queue is dropped or [`Queue::abandon`]ed; no two
    /// places overlap, and nobody else writes there. Whoever reads the other end of `tx` reads only what is published
    /// there, until its address stands in the completion ring.
    pub unsafe fn new(
        tx: Producer<Desc>,
        completions: Consumer<u64>,
        places: impl Iterator<Item = Place>,
        ring: u32,
        max_len: usize,
        chunk_shift: u32,
    ) -> Self {
        Self { tx, completions, frames: Frames::new(places, ring), max_len, chunk_shift }
    }

    /// See [`Nic::build`](super::Nic::build).
    #[inline]
    pub fn build(&mut self, len: usize, write: impl FnOnce(&mut [u8], &mut u64)) -> Option<Packet> {
        if len > self.max_len {
            return None;
        }
        let (slot, frame) = self.frames.take(len as u32)?;
        // SAFETY: `Frames` gave us a memory that no descriptor names and no `Packet` holds, `len` is at most `max_len`,
        // and the rest is the promise of `new`.
        let memory = unsafe { bytes(frame, len) };
        write(memory, &mut frame.note);
        Some(Packet { slot })
    }

    /// See [`Nic::send`](super::Nic::send).
    #[inline]
    pub fn send(
        &mut self,
        wanted: u32,
        len: usize,
        mut begin: impl FnMut(u32, &mut [u8], &mut u64),
        mut finish: impl FnMut(u32, &mut [&mut [u8]]),
    ) -> u32 {
        if len > self.max_len {
            return 0;
        }
        let mut sent = 0;
        while sent < wanted {
            let part = (wanted - sent).min(TOGETHER as u32);
            let mut memories = [const { MaybeUninit::uninit() }; TOGETHER];
            let frames = &mut self.frames;
            let taken = self.tx.write_each(|ring| {
                let mut nth = 0;
                frames.take_sent(part, |frame| {
                    // SAFETY: as in `build`, and no memory is taken twice; the descriptor is seen only after the next
                    // `publish`.
                    let memory = unsafe { bytes(frame, len) };
                    begin(sent + nth, memory, &mut frame.note);
                    if let Some(place) = memories.get_mut(nth as usize) {
                        place.write(memory);
                    }
                    nth += 1;
                    ring.write(Desc { addr: frame.place.addr, len: len as u32, options: 0 });
                })
            });
            // SAFETY: `take_sent` called for each of the first `taken` places, at most `TOGETHER`, and it was written.
            let memories = unsafe { slice::from_raw_parts_mut(memories.as_mut_ptr().cast(), taken as usize) };
            finish(sent, memories);
            sent += taken;
            if taken < part {
                break;
            }
        }
        sent
    }

    /// See [`Nic::queue`](super::Nic::queue).
    #[inline]
    pub fn queue(&mut self, packet: &Packet, copies: u32) -> u32 {
        let (fitted, addr, len) = self.frames.add_users(packet.slot, copies);
        self.tx.write_run(Desc { addr, len, options: 0 }, fitted);
        fitted
    }

    #[inline]
    pub fn release(&mut self, packet: Packet) {
        self.frames.close(packet.slot);
    }

    /// Reads the completion ring: one user-count write for every run of equal addresses. Returns how many packets.
    /// Not inlined, so that its loop has all registers to itself.
    #[inline(never)]
    pub fn reap(&mut self) -> Result<u32, Distrusted> {
        if self.completions.refresh() == 0 {
            return Ok(0);
        }
        let shift = self.chunk_shift;
        let mut counting = self.frames.completing();
        let mut trusted = true;
        self.completions.read_runs(|addr, run| {
            trusted = counting.count((addr >> shift) as u32, |most| run.more(addr, most));
            trusted
        });
        self.completions.release();
        let completed = counting.done();
        if trusted { Ok(completed) } else { Err(Distrusted(completed)) }
    }

    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.frames.in_flight()
    }

    /// Packet memories: (total, free).
    pub fn frames(&self) -> (u32, u32) {
        self.frames.counts()
    }

    /// Builds and counts nothing any more: the queue has failed.
    pub fn shut(&mut self) {
        self.frames.shut();
    }

    /// Takes every memory back, lets go of the rings and writes to neither again; returns how many packets were in
    /// flight. A mapped ring would keep its socket open.
    pub fn abandon(&mut self) -> u32 {
        let lost = self.frames.abandon();
        self.tx = in_ordinary_memory(1, 0).0;
        self.completions = in_ordinary_memory(1, 0).1;
        lost
    }
}

/// # Safety
/// The memory is free for `len` bytes, and nobody else reads or writes it while they are in use.
#[inline]
unsafe fn bytes<'a>(frame: &Frame, len: usize) -> &'a mut [u8] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts_mut(frame.place.begin.as_ptr(), len) }
}
