//! Which packet memory is free and how many descriptors name each of the others. A memory returns
//! exactly once: when it is no longer open (held by a [`Packet`](super::Packet)) and its last copy completed.

/// Marks a memory that a `Packet` still holds; the other bits of `users` count its descriptors.
const OPEN: u32 = 1 << 31;

#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    /// What the builder left here last time.
    note: u64,
    users: u32,
    len: u32,
}

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
    /// `total` memories, all free; `max_in_flight` packets may be named by descriptors at once.
    pub fn new(total: u32, max_in_flight: u32) -> Self {
        let mut frames = Self {
            frames: vec![Frame::default(); total as usize].into_boxed_slice(),
            free: vec![0; total as usize].into_boxed_slice(),
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
    pub fn take(&mut self, len: u32) -> Option<u32> {
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
        Some(slot)
    }

    /// Takes up to `wanted` free memories for a packet of `len` bytes each, with one descriptor out at once and nobody
    /// holding them open; `each` gets slot and note. Returns how many.
    #[inline]
    pub fn take_sent(&mut self, wanted: u32, len: u32, mut each: impl FnMut(u32, &mut u64)) -> u32 {
        if self.closed {
            return 0;
        }
        let count = wanted.min(self.max_in_flight - self.in_flight).min(self.free_count as u32);
        let left = self.free_count - count as usize;
        for slot in self.free[left..self.free_count].iter().rev() {
            let frame = &mut self.frames[*slot as usize];
            debug_assert_eq!(frame.users, 0, "memory {slot} is on the free list and in use");
            frame.users = 1;
            frame.len = len;
            each(*slot, &mut frame.note);
        }
        self.free_count = left;
        self.in_flight += count;
        count
    }

    /// What the builder left on this memory last time, to be read and replaced.
    #[inline]
    pub fn note_mut(&mut self, slot: u32) -> &mut u64 {
        &mut self.frames[slot as usize].note
    }

    #[inline]
    pub fn len(&self, slot: u32) -> u32 {
        self.frames[slot as usize].len
    }

    /// Counts up to `copies` new descriptors of an open memory; returns how many there is room for.
    #[inline]
    pub fn add_users(&mut self, slot: u32, copies: u32) -> u32 {
        let Some(frame) = self.frames.get_mut(slot as usize) else { return 0 };
        if frame.users & OPEN == 0 || self.closed {
            return 0; // failed or abandoned meanwhile: nothing may be sent any more
        }
        let fitted = copies.min(self.max_in_flight - self.in_flight);
        frame.users += fitted;
        self.in_flight += fitted;
        fitted
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

    /// Counts completed descriptors, run by run, until `next_run` has no more (slot, count); returns how many.
    ///
    /// # Errors
    /// The number so far, when a run names more descriptors than are out: the ring cannot be trusted any more.
    #[inline]
    pub fn complete(&mut self, mut next_run: impl FnMut() -> Option<(u32, u32)>) -> Result<u32, u32> {
        // Sums stay in registers: one store a call instead of one a packet.
        let mut completed = 0;
        let mut free_count = self.free_count;
        let mut trusted = true;
        while let Some((slot, count)) = next_run() {
            let frame = self.frames.get_mut(slot as usize).filter(|frame| frame.users & !OPEN >= count);
            let Some(frame) = frame else {
                trusted = false;
                break;
            };
            frame.users -= count;
            completed += count;
            if frame.users == 0 {
                self.free[free_count] = slot;
                free_count += 1;
            }
        }
        self.free_count = free_count;
        self.in_flight -= completed;
        if trusted { Ok(completed) } else { Err(completed) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn complete(frames: &mut Frames, slot: u32, count: u32) -> bool {
        frames
            .complete({
                let mut runs = std::iter::once((slot, count));
                move || runs.next()
            })
            .is_ok()
    }

    #[test]
    fn the_most_recently_freed_memory_is_used_next() {
        let mut frames = Frames::new(8, 8);
        let first = frames.take(60).unwrap();
        let second = frames.take(60).unwrap();
        frames.close(second);
        frames.close(first);
        assert_eq!(frames.take(60), Some(first));
        assert_eq!(frames.take(60), Some(second));
    }

    #[test]
    fn a_memory_with_copies_out_is_not_free_after_release() {
        let mut frames = Frames::new(1, 8);
        let slot = frames.take(60).unwrap();
        assert_eq!(frames.add_users(slot, 5), 5);
        frames.close(slot);
        assert_eq!(frames.take(60), None);
        assert!(complete(&mut frames, slot, 4));
        assert_eq!(frames.counts(), (1, 0));
        assert!(complete(&mut frames, slot, 1));
        assert_eq!(frames.counts(), (1, 1));
        assert!(!complete(&mut frames, slot, 1), "a completion nobody is owed is refused");
        assert!(!complete(&mut frames, 9, 1), "so is one of a memory that does not exist");
    }

    #[test]
    fn an_open_memory_stays_when_all_its_copies_completed() {
        let mut frames = Frames::new(1, 8);
        let slot = frames.take(60).unwrap();
        assert_eq!(frames.add_users(slot, 2), 2);
        assert!(complete(&mut frames, slot, 2));
        assert_eq!(frames.counts(), (1, 0));
        frames.close(slot);
        assert_eq!(frames.counts(), (1, 1));
    }

    #[test]
    fn no_more_than_the_limit_is_in_flight() {
        let mut frames = Frames::new(2, 8);
        let slot = frames.take(60).unwrap();
        assert_eq!(frames.add_users(slot, 5), 5);
        assert_eq!(frames.add_users(slot, 5), 3);
        assert_eq!(frames.add_users(slot, 5), 0);
        assert_eq!(frames.in_flight(), 8);
    }

    #[test]
    fn nothing_is_opened_or_counted_after_abandon() {
        let mut frames = Frames::new(4, 8);
        let slot = frames.take(60).unwrap();
        assert_eq!(frames.add_users(slot, 3), 3);
        assert_eq!(frames.abandon(), 3);
        assert_eq!(frames.counts(), (4, 4));
        assert_eq!(frames.add_users(slot, 1), 0);
        frames.close(slot);
        assert_eq!(frames.counts(), (4, 4));
        assert_eq!(frames.take(60), None);
    }

    #[test]
    fn the_note_stays_on_its_memory() {
        let mut frames = Frames::new(1, 8);
        let slot = frames.take(60).unwrap();
        assert_eq!(*frames.note_mut(slot), 0);
        *frames.note_mut(slot) = 77;
        frames.close(slot);
        let again = frames.take(60).unwrap();
        assert_eq!(*frames.note_mut(again), 77);
    }

    proptest! {
        #[test]
        fn free_and_in_use_always_add_up(steps in prop::collection::vec((0u8..4, 0u32..20), 1..300)) {
            let mut frames = Frames::new(7, 32);
            let mut open: Vec<u32> = Vec::new();
            let mut out: Vec<u32> = Vec::new();
            for (step, n) in steps {
                match step {
                    0 => open.extend(frames.take(n)),
                    1 if !open.is_empty() => {
                        let slot = open[n as usize % open.len()];
                        out.extend(std::iter::repeat_n(slot, frames.add_users(slot, n) as usize));
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
