//! One queue's TX ring, completion ring and packet memories: what both nics do alike. The nics differ in what is
//! behind their doorbell.

use super::frames::{Frame, Frames, Place};
use super::rings::{Consumer, Desc, Producer, describe, in_ordinary_memory};
use super::{Head, Packet};
use std::mem::MaybeUninit;
use std::slice;

/// Memories that are finished together; at 32 all of them stay in the first-level cache.
const TOGETHER: usize = 32;

pub(in crate::nic) struct Queue {
    tx: Producer<Desc>,
    completions: Consumer<u64>,
    frames: Frames,
    shape: Shape,
}

/// The sizes of a queue.
#[derive(Debug, Clone, Copy)]
pub(in crate::nic) struct Shape {
    /// Descriptors that the rings hold.
    pub ring: u32,
    pub chunk_bytes: u32,
    /// Neighbouring chunks that make one packet memory: a packet longer than a chunk has a descriptor for each.
    pub parts: u32,
    /// Longest packet in bytes.
    pub max_len: usize,
}

impl Shape {
    /// Packets that can be in flight.
    pub fn max_in_flight(&self) -> u32 {
        self.ring / self.parts.max(1)
    }
}

/// The completion ring names a packet that is not out; what was counted before is told besides.
pub(in crate::nic) struct Distrusted(pub u32);

impl Queue {
    /// A queue with a packet memory at each of the `places`.
    ///
    /// # Safety
    /// At each place `max_len` bytes, and at least those of a [`Head`], may be read and written until the queue is dropped or
    /// [`Queue::abandon`]ed; no two places overlap, and nobody else writes there. Whoever reads the other end of `tx` reads only what is published
    /// there, until its address stands in the completion ring.
    pub unsafe fn new(
        tx: Producer<Desc>,
        completions: Consumer<u64>,
        places: impl Iterator<Item = Place>,
        shape: Shape,
    ) -> Self {
        Self { tx, completions, frames: Frames::new(places, shape.max_in_flight()), shape }
    }

    /// Hands over up to `burst` packets more; returns how many descriptors. Packets of several descriptors go all at
    /// once: nobody counts where one of them ends.
    #[inline]
    pub fn hand_over(&mut self, burst: u32) -> u32 {
        self.tx.publish_some(if self.shape.parts > 1 { u32::MAX } else { burst })
    }

    /// Descriptors written and not handed over.
    #[inline]
    pub fn unpublished(&self) -> u32 {
        self.tx.unpublished()
    }

    /// Descriptors handed over and not taken.
    #[inline]
    pub fn backlog(&self) -> u32 {
        self.tx.backlog()
    }

    /// See [`Nic::build`](super::Nic::build).
    #[inline]
    pub fn build(&mut self, len: usize, write: impl FnOnce(&mut [u8], &mut u64)) -> Option<Packet> {
        if len > self.shape.max_len {
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
        mut finish: impl FnMut(u32, &mut [&mut Head]),
    ) -> u32 {
        if len > self.shape.max_len {
            return 0;
        }
        let mut sent = 0;
        while sent < wanted {
            let mut heads = [const { MaybeUninit::uninit() }; TOGETHER];
            let most = (wanted - sent).min(TOGETHER as u32);
            let begin = |nth, memory: &mut [u8], note: &mut u64| begin(sent + nth, memory, note);
            let taken = match self.shape.parts {
                1 => self.begin_single(most, len, &mut heads, begin),
                _ => self.begin_in_parts(most, len, &mut heads, begin),
            };
            if taken == 0 {
                break;
            }
            // SAFETY: both fill as many of the places as they answer, at most `TOGETHER`.
            let heads = unsafe { slice::from_raw_parts_mut(heads.as_mut_ptr().cast(), taken as usize) };
            finish(sent, heads);
            sent += taken;
        }
        sent
    }

    /// Begins up to `most` packets of one descriptor each and writes those; fills as many `heads` as it answers, which is
    /// fewer where the ring ends and begins again.
    #[inline]
    fn begin_single(
        &mut self,
        most: u32,
        len: usize,
        heads: &mut [MaybeUninit<&mut Head>; TOGETHER],
        mut begin: impl FnMut(u32, &mut [u8], &mut u64),
    ) -> u32 {
        let places = self.tx.room(most).iter_mut().zip(heads);
        let mut nth = 0;
        let taken = self.frames.take_sent(places, |frame, (desc, head)| {
            // SAFETY: as in `build`, and no memory is taken twice; the descriptor is seen only after the next `publish`.
            begin(nth, unsafe { bytes(frame, len) }, &mut frame.note);
            nth += 1;
            // SAFETY: so many bytes may be written at every place, and `begin` is done with them.
            head.write(unsafe { frame.place.begin.cast().as_mut() });
            desc.write(Desc::whole(frame.place.addr, len as u32));
        });
        self.tx.wrote(taken);
        taken
    }

    /// As [`Queue::begin_single`], with as many descriptors as each packet needs.
    fn begin_in_parts(
        &mut self,
        most: u32,
        len: usize,
        heads: &mut [MaybeUninit<&mut Head>; TOGETHER],
        mut begin: impl FnMut(u32, &mut [u8], &mut u64),
    ) -> u32 {
        let chunk_bytes = u64::from(self.shape.chunk_bytes);
        let mut nth = 0;
        self.frames.take_sent(heads.iter_mut().take(most as usize), |frame, head| {
            // SAFETY: as in `begin_single`.
            begin(nth, unsafe { bytes(frame, len) }, &mut frame.note);
            nth += 1;
            // SAFETY: as in `begin_single`.
            head.write(unsafe { frame.place.begin.cast().as_mut() });
            frame.set_len(len as u32);
            describe(frame.place.addr, len as u32, chunk_bytes).for_each(|desc| self.tx.write(desc));
        })
    }

    /// See [`Nic::queue`](super::Nic::queue).
    #[inline]
    pub fn queue(&mut self, packet: &Packet, copies: u32) -> u32 {
        let (fitted, addr, len) = self.frames.add_users(packet.slot, copies);
        if self.shape.parts == 1 {
            self.tx.write_run(Desc::whole(addr, len), fitted);
        } else {
            let chunk_bytes = u64::from(self.shape.chunk_bytes);
            (0..fitted).for_each(|_| describe(addr, len, chunk_bytes).for_each(|desc| self.tx.write(desc)));
        }
        fitted
    }

    #[inline]
    pub fn release(&mut self, packet: Packet) {
        self.frames.close(packet.slot);
    }

    /// Reads the completion ring. Not inlined, so that its loop has all registers to itself. Returns how many packets.
    #[inline(never)]
    pub fn reap(&mut self) -> Result<u32, Distrusted> {
        if self.completions.refresh() == 0 {
            return Ok(0);
        }
        let mut counting = self.frames.completing(self.shape.chunk_bytes, self.shape.parts);
        let trusted = loop {
            let addrs = self.completions.readable();
            if addrs.is_empty() {
                break true;
            }
            match counting.count(addrs) {
                0 => break false,
                read => self.completions.read_on(read),
            }
        };
        self.completions.release();
        let completed = counting.done();
        if trusted { Ok(completed) } else { Err(Distrusted(completed)) }
    }

    /// Hands over `count` descriptors that stand there since the last round of the ring, around `work`, and passes over
    /// what completes: all of a burst that is not ours. Only where nothing is in flight.
    pub fn around(&mut self, count: u32, work: impl FnOnce(&mut Self)) {
        self.tx.write_again(count);
        self.tx.publish();
        work(self);
        self.completions.skip();
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
