//! Which packet memory is free and how many descriptors name each of the others. A memory returns
//! exactly once: when it is no longer open (held by a [`Packet`](super::Packet)) and its last copy completed.

use super::rings::run_len;
use std::ptr::NonNull;

/// Marks a memory that a `Packet` still holds; the other bits of `users` count its descriptors.
const OPEN: u32 = 1 << 31;

/// Where a packet memory lies.
#[derive(Debug, Clone, Copy)]
pub(in crate::nic) struct Place {
    pub begin: NonNull<u8>,
    /// As descriptors name it.
    pub addr: u64,
}

/// Packet memories lie 2048 or 4096 bytes apart, so their first lines would all fall into the same two sets of a
/// first-level cache (64 sets of 64 bytes): 32 of them push each other out. Up to so much earlier or later in its
/// chunk, each starts in one of four neighbouring sets (three varied fields: 16 instead of 22 ns a packet).
pub(in crate::nic) const SHIFTED_BYTES: usize = 256;

/// How far into its chunk memory `slot` starts, below [`SHIFTED_BYTES`].
pub(in crate::nic) fn shift_of(slot: usize, chunk_bytes: usize) -> usize {
    const LINE: usize = 64;
    const SETS_BYTES: usize = 4096;
    (slot * chunk_bytes / SETS_BYTES * LINE) % SHIFTED_BYTES
}

/// One packet memory: all that a packet needs of it in half a cache line.
#[derive(Debug, Clone, Copy)]
pub(in crate::nic) struct Frame {
    pub place: Place,
    /// What the builder left here last time.
    pub note: u64,
    users: u32,
    /// Of the packet in it; kept where a packet may have several descriptors, or is queued by number.
    len: u32,
}

impl Frame {
    #[inline]
    pub fn set_len(&mut self, len: u32) {
        self.len = len;
    }
}

// SAFETY: `begin` is only a place; who writes there says why that is sound (`Queue`).
unsafe impl Send for Frame {}

/// The memories of one queue. Nothing is allocated after [`Frames::new`], and every count is a plain integer.
#[derive(Debug)]
pub(in crate::nic) struct Frames {
    frames: Box<[Frame]>,
    /// A stack: the most recently freed memory is used next, so that some dozens of them stay in
    /// cache (3 to 10 % of the whole rate in paired runs over veth).
    free: Box<[u32]>,
    free_count: usize,
    in_flight: u32,
    max_in_flight: u32,
    closed: bool,
}

impl Frames {
    /// A memory at each of the `places`, all free; `max_in_flight` packets may be named by descriptors at once.
    pub fn new(places: impl Iterator<Item = Place>, max_in_flight: u32) -> Self {
        let frames: Box<[Frame]> = places.map(|place| Frame { place, note: 0, users: 0, len: 0 }).collect();
        let mut frames = Self {
            free: vec![0; frames.len()].into_boxed_slice(),
            frames,
            free_count: 0,
            in_flight: 0,
            // The user count has 31 bits.
            max_in_flight: max_in_flight.min(OPEN - 1),
            closed: false,
        };
        frames.free_all();
        frames
    }

    /// Opens a free memory for a packet of `len` bytes.
    #[inline]
    pub fn take(&mut self, len: u32) -> Option<(u32, &mut Frame)> {
        let top = self.free_count.checked_sub(1)?;
        if self.closed {
            return None;
        }
        let slot = *self.free.get(top)?;
        let frame = self.frames.get_mut(slot as usize)?;
        debug_assert_eq!(frame.users, 0, "memory {slot} is on the free list and in use");
        frame.users = OPEN;
        frame.len = len;
        self.free_count = top;
        Some((slot, frame))
    }

    /// Takes a free memory for each of the `places` as far as there are any, with one descriptor out at once and nobody
    /// holding it open; returns how many.
    #[inline]
    pub fn take_sent<P>(
        &mut self,
        places: impl ExactSizeIterator<Item = P>,
        mut each: impl FnMut(&mut Frame, P),
    ) -> u32 {
        if self.closed {
            return 0;
        }
        let wanted = places.len() as u32;
        let count = wanted.min(self.max_in_flight - self.in_flight).min(self.free_count as u32);
        let left = self.free_count - count as usize;
        for (slot, place) in self.free[left..self.free_count].iter().rev().zip(places) {
            let frame = &mut self.frames[*slot as usize];
            debug_assert_eq!(frame.users, 0, "memory {slot} is on the free list and in use");
            frame.users = 1;
            each(frame, place);
        }
        self.free_count = left;
        self.in_flight += count;
        count
    }

    /// Counts up to `copies` new descriptors of an open memory. Returns how many there is room for, and what each is
    /// to name: address and length.
    #[inline]
    pub fn add_users(&mut self, slot: u32, copies: u32) -> (u32, u64, u32) {
        let Some(frame) = self.frames.get_mut(slot as usize) else { return (0, 0, 0) };
        if frame.users & OPEN == 0 || self.closed {
            return (0, 0, 0); // failed or abandoned meanwhile: nothing may be sent any more
        }
        let fitted = copies.min(self.max_in_flight - self.in_flight);
        frame.users += fitted;
        self.in_flight += fitted;
        (fitted, frame.place.addr, frame.len)
    }

    /// The packet that held this memory is given up.
    #[inline]
    pub fn close(&mut self, slot: u32) {
        let Some(frame) = self.frames.get_mut(slot as usize) else { return };
        if frame.users & OPEN == 0 {
            return; // abandoned meanwhile: it is free already
        }
        frame.users &= !OPEN;
        if frame.users == 0 {
            self.free[self.free_count] = slot;
            self.free_count += 1;
        }
    }

    /// Counts completed descriptors; `parts` chunks are one memory.
    #[inline]
    pub fn completing(&mut self, chunk_bytes: u32, parts: u32) -> Completing<'_> {
        Completing {
            free_count: self.free_count,
            completed: 0,
            shift: chunk_bytes.trailing_zeros(),
            parts,
            frames: self,
        }
    }

    /// Packets named by descriptors now.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// (total, free).
    pub fn counts(&self) -> (u32, u32) {
        debug_assert_eq!(self.frames.iter().filter(|frame| frame.users == 0).count(), self.free_count);
        (self.frames.len() as u32, self.free_count as u32)
    }

    /// Opens no memory and counts no descriptor from now on: the queue has failed.
    pub fn shut(&mut self) {
        self.closed = true;
    }

    /// Takes every memory back and opens none again; returns how many packets were in flight.
    pub fn abandon(&mut self) -> u32 {
        let lost = self.in_flight;
        self.shut();
        self.free_all();
        lost
    }

    fn free_all(&mut self) {
        self.in_flight = 0;
        self.free_count = self.frames.len();
        for frame in &mut self.frames {
            frame.users = 0;
        }
        for (slot, free) in self.free.iter_mut().rev().enumerate() {
            *free = slot as u32;
        }
    }
}

/// Completions being counted. Sums stay in registers: one store a ring call instead of one a packet.
pub(in crate::nic) struct Completing<'a> {
    frames: &'a mut Frames,
    free_count: usize,
    completed: u32,
    /// From an address to the number of its chunk.
    shift: u32,
    parts: u32,
}

impl Completing<'_> {
    /// Counts the first of these completed addresses; returns how many. 0: it names a packet that is not out, so the ring
    /// cannot be trusted any more.
    #[inline]
    pub fn count(&mut self, addrs: &[u64]) -> u32 {
        if self.parts > 1 {
            return self.count_part(addrs);
        }
        match self.count_singles(addrs) {
            0 => self.count_run(addrs),
            singles => singles,
        }
    }

    /// Packets sent once and held by nobody, by far the commonest: as many as come first.
    #[inline(always)]
    fn count_singles(&mut self, addrs: &[u64]) -> u32 {
        let Frames { frames, free, .. } = &mut *self.frames;
        let mut count = 0;
        for (addr, place) in addrs.iter().zip(&mut free[self.free_count..]) {
            let slot = (addr >> self.shift) as u32;
            let Some(frame) = frames.get_mut(slot as usize).filter(|frame| frame.users == 1) else { break };
            frame.users = 0;
            *place = slot;
            count += 1;
        }
        self.free_count += count as usize;
        self.completed += count;
        count
    }

    /// A run of equal addresses, of clones: one write of the user count for all of them.
    #[inline(always)]
    fn count_run(&mut self, addrs: &[u64]) -> u32 {
        let Some(addr) = addrs.first() else { return 0 };
        let slot = (addr >> self.shift) as u32;
        let Some(frame) = self.frames.frames.get_mut(slot as usize) else { return 0 };
        let most = (frame.users & !OPEN) as usize;
        let count = run_len(&addrs[..most.min(addrs.len())], *addr) as u32;
        self.completed += count;
        frame.users -= count;
        if frame.users != 0 || count == 0 || self.free(slot) { count } else { 0 }
    }

    /// A packet has completed when its last descriptor has: they complete in order.
    fn count_part(&mut self, addrs: &[u64]) -> u32 {
        let Some(addr) = addrs.first() else { return 0 };
        let slot = (addr >> self.shift) as u32 / self.parts;
        match self.last_byte(slot) {
            Some(last) if last >> self.shift == addr >> self.shift => self.count_one(slot),
            Some(_) => 1,
            None => 0,
        }
    }

    fn count_one(&mut self, slot: u32) -> u32 {
        let Some(frame) = self.frames.frames.get_mut(slot as usize).filter(|frame| frame.users & !OPEN > 0) else {
            return 0;
        };
        frame.users -= 1;
        self.completed += 1;
        u32::from(frame.users != 0 || self.free(slot))
    }

    #[inline(always)]
    fn free(&mut self, slot: u32) -> bool {
        let Some(free) = self.frames.free.get_mut(self.free_count) else { return false };
        *free = slot;
        self.free_count += 1;
        true
    }

    /// The address of the last byte of the packet in a memory.
    fn last_byte(&self, slot: u32) -> Option<u64> {
        let frame = self.frames.frames.get(slot as usize)?;
        Some(frame.place.addr + u64::from(frame.len).saturating_sub(1))
    }

    /// Books what was counted; returns how many.
    #[inline]
    pub fn done(self) -> u32 {
        self.frames.free_count = self.free_count;
        self.frames.in_flight -= self.completed;
        self.completed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames(total: u64, max_in_flight: u32) -> Frames {
        let place = |slot| Place { begin: NonNull::dangling(), addr: slot * 2048 };
        Frames::new((0..total).map(place), max_in_flight)
    }

    fn take(frames: &mut Frames) -> Option<u32> {
        frames.take(60).map(|(slot, _)| slot)
    }

    fn add(frames: &mut Frames, slot: u32, copies: u32) -> u32 {
        frames.add_users(slot, copies).0
    }

    fn complete(frames: &mut Frames, slot: u32, count: u32) -> bool {
        let mut completing = frames.completing(2048, 1);
        let addrs = vec![u64::from(slot) * 2048; count as usize];
        let mut read = 0;
        while read < addrs.len() {
            match completing.count(&addrs[read..]) {
                0 => break,
                more => read += more as usize,
            }
        }
        completing.done();
        read == addrs.len()
    }

    #[test]
    fn the_most_recently_freed_memory_is_used_next() {
        let mut frames = frames(8, 8);
        let first = take(&mut frames).unwrap();
        let second = take(&mut frames).unwrap();
        frames.close(second);
        frames.close(first);
        assert_eq!(take(&mut frames), Some(first));
        assert_eq!(take(&mut frames), Some(second));
    }

    #[test]
    fn a_memory_with_copies_out_is_not_free_after_release() {
        let mut frames = frames(1, 8);
        let slot = take(&mut frames).unwrap();
        assert_eq!(add(&mut frames, slot, 5), 5);
        frames.close(slot);
        assert_eq!(take(&mut frames), None);
        assert!(complete(&mut frames, slot, 4));
        assert_eq!(frames.counts(), (1, 0));
        assert!(complete(&mut frames, slot, 1));
        assert_eq!(frames.counts(), (1, 1));
        assert!(!complete(&mut frames, slot, 1), "a completion nobody is owed is refused");
        assert!(!complete(&mut frames, 9, 1), "so is one of a memory that does not exist");
    }

    #[test]
    fn an_open_memory_stays_when_all_its_copies_completed() {
        let mut frames = frames(1, 8);
        let slot = take(&mut frames).unwrap();
        assert_eq!(add(&mut frames, slot, 2), 2);
        assert!(complete(&mut frames, slot, 2));
        assert_eq!(frames.counts(), (1, 0));
        frames.close(slot);
        assert_eq!(frames.counts(), (1, 1));
    }

    #[test]
    fn no_more_than_the_limit_is_in_flight() {
        let mut frames = frames(2, 8);
        let slot = take(&mut frames).unwrap();
        assert_eq!(add(&mut frames, slot, 5), 5);
        assert_eq!(add(&mut frames, slot, 5), 3);
        assert_eq!(add(&mut frames, slot, 5), 0);
        assert_eq!(frames.in_flight(), 8);
    }

    #[test]
    fn nothing_is_opened_or_counted_after_abandon() {
        let mut frames = frames(4, 8);
        let slot = take(&mut frames).unwrap();
        assert_eq!(add(&mut frames, slot, 3), 3);
        assert_eq!(frames.abandon(), 3);
        assert_eq!(frames.counts(), (4, 4));
        assert_eq!(add(&mut frames, slot, 1), 0);
        frames.close(slot);
        assert_eq!(frames.counts(), (4, 4));
        assert_eq!(take(&mut frames), None);
    }

    #[test]
    fn the_note_stays_on_its_memory() {
        let mut frames = frames(1, 8);
        let slot = take(&mut frames).unwrap();
        assert_eq!(frames.frames[slot as usize].note, 0);
        frames.frames[slot as usize].note = 77;
        frames.close(slot);
        assert_eq!(frames.take(60).unwrap().1.note, 77);
    }

    proptest! {
        #[test]
        fn free_and_in_use_always_add_up(steps in prop::collection::vec((0u8..4, 0u32..20), 1..300)) {
            let mut frames = frames(7, 32);
            let mut open: Vec<u32> = Vec::new();
            let mut out: Vec<u32> = Vec::new();
            for (step, n) in steps {
                match step {
                    0 => open.extend(take(&mut frames)),
                    1 if !open.is_empty() => {
                        let slot = open[n as usize % open.len()];
                        out.extend(std::iter::repeat_n(slot, add(&mut frames, slot, n) as usize));
                    }
                    2 if !open.is_empty() => frames.close(open.remove(n as usize % open.len())),
                    3 if !out.is_empty() => {
                        let slot = out.remove(n as usize % out.len());
                        prop_assert!(complete(&mut frames, slot, 1));
                    }
                    _ => {}
                }
                let mut used: Vec<u32> = open.iter().chain(&out).copied().collect();
                used.sort_unstable();
                used.dedup();
                let (total, free) = frames.counts();
                prop_assert_eq!(total, free + used.len() as u32);
                prop_assert_eq!(frames.in_flight() as usize, out.len());
            }
        }
    }
}
