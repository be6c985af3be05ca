//! The two ends of a descriptor ring in shared memory, as AF_XDP lays it out: a producer index, a consumer
//! index, and a power of two of entries. Indices run through all of `u32` and wrap.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// One packet in a TX ring; `struct xdp_desc` of linux/if_xdp.h: an address, then 32 bits of length and 32 of options. These
/// two are kept as one number, so that a descriptor is written with two stores, or one of 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::nic) struct Desc {
    pub addr: u64,
    len_and_options: u64,
}

/// Set in the options of every descriptor of a packet but the last.
const CONTINUED: u32 = 1;

impl Desc {
    /// Of a whole packet.
    #[inline]
    pub fn whole(addr: u64, len: u32) -> Self {
        Self::new(addr, len, 0)
    }

    #[inline]
    fn new(addr: u64, len: u32, options: u32) -> Self {
        let (first, second) = (u64::from(len), u64::from(options));
        let len_and_options = if cfg!(target_endian = "little") { second << 32 | first } else { first << 32 | second };
        Self { addr, len_and_options }
    }

    pub fn len(self) -> u32 {
        let first = if cfg!(target_endian = "little") { 0 } else { 32 };
        (self.len_and_options >> first) as u32
    }

    fn options(self) -> u32 {
        let second = if cfg!(target_endian = "little") { 32 } else { 0 };
        (self.len_and_options >> second) as u32
    }

    pub fn is_continued(self) -> bool {
        self.options() & CONTINUED != 0
    }
}

/// The descriptors of `len` bytes from `addr` on, at least one: none crosses the border of a chunk.
pub(in crate::nic) fn describe(addr: u64, len: u32, chunk_bytes: u64) -> impl Iterator<Item = Desc> {
    let mut rest = Some((addr, len));
    std::iter::from_fn(move || {
        let (addr, len) = rest?;
        let room = (chunk_bytes - addr % chunk_bytes) as u32;
        let (here, options) = if len > room { (room, CONTINUED) } else { (len, 0) };
        rest = (len > room).then_some((addr + u64::from(here), len - here));
        Some(Desc::new(addr, here, options))
    })
}

/// Where a ring lies, and what keeps that memory alive.
struct RingMap<T> {
    producer: NonNull<AtomicU32>,
    consumer: NonNull<AtomicU32>,
    entries: NonNull<T>,
    mask: u32,
    _owner: Arc<dyn Send + Sync>,
}

// SAFETY: a map is reached only through the one `Producer` or the one `Consumer` that owns it; the indices are
// atomics, and an entry belongs to one end at a time (the indices say to which). The memory is kept by `_owner`.
unsafe impl<T: Send> Send for RingMap<T> {}

/// Where the parts of a ring of `size` entries (a power of two) lie, and what keeps that memory alive.
pub(in crate::nic) struct Parts<T> {
    pub producer: NonNull<AtomicU32>,
    pub consumer: NonNull<AtomicU32>,
    pub entries: NonNull<T>,
    pub size: u32,
    pub owner: Arc<dyn Send + Sync>,
}

impl<T> Parts<T> {
    /// # Safety
    /// The pointers are aligned and valid for as long as `owner` lives, `size` entries long, and nobody else in this
    /// process uses that end of the ring through another map.
    unsafe fn into_map(self) -> RingMap<T> {
        let Parts { producer, consumer, entries, size, owner } = self;
        debug_assert!(size.is_power_of_two());
        RingMap { producer, consumer, entries, mask: size - 1, _owner: owner }
    }
}

impl<T: Copy> RingMap<T> {
    #[inline]
    fn producer(&self) -> &AtomicU32 {
        // SAFETY: the pointer is valid and aligned as long as `_owner` lives.
        unsafe { self.producer.as_ref() }
    }

    #[inline]
    fn consumer(&self) -> &AtomicU32 {
        // SAFETY: the pointer is valid and aligned as long as `_owner` lives.
        unsafe { self.consumer.as_ref() }
    }

    #[inline]
    fn entry(&self, index: u32) -> *mut T {
        // SAFETY: the mask keeps the offset below the number of entries.
        unsafe { self.entries.as_ptr().add((index & self.mask) as usize) }
    }
}

/// The writing end. Entries are written ahead and become visible together at [`Producer::publish`].
pub(in crate::nic) struct Producer<T> {
    map: RingMap<T>,
    next: u32,
    published: u32,
}

impl<T: Copy> Producer<T> {
    /// The writing end of a ring that lies in somebody's memory; it goes on where the ring stands.
    ///
    /// # Safety
    /// As for [`Parts::into_map`].
    pub unsafe fn over(parts: Parts<T>) -> Self {
        // SAFETY: the caller's promise.
        let map = unsafe { parts.into_map() };
        let next = map.producer().load(Ordering::Relaxed);
        Self { map, next, published: next }
    }

    /// Entries written and not yet published.
    #[inline]
    pub fn unpublished(&self) -> u32 {
        self.next.wrapping_sub(self.published)
    }

    /// Entries published and not taken yet.
    #[inline]
    pub fn backlog(&self) -> u32 {
        self.published.wrapping_sub(self.map.consumer().load(Ordering::Acquire))
    }

    /// Writes one entry. The caller keeps what is unpublished and not taken below the ring's size; beyond it the
    /// oldest entries would be lost.
    #[inline]
    pub fn write(&mut self, entry: T) {
        self.write_run(entry, 1);
    }

    /// The next entries to write, `most` at most, and none behind the end of the ring; [`Producer::wrote`] says how many
    /// were written. A slice, so that nothing is masked and nothing checked entry by entry.
    #[inline]
    pub fn room(&mut self, most: u32) -> &mut [MaybeUninit<T>] {
        let at = self.next & self.map.mask;
        let count = most.min(self.map.mask + 1 - at);
        // SAFETY: from the masked index to the end of the ring at most; below `publish` the other end reads none of them.
        unsafe { slice::from_raw_parts_mut(self.map.entry(at).cast(), count as usize) }
    }

    /// Counts entries that were written into [`Producer::room`].
    #[inline]
    pub fn wrote(&mut self, count: u32) {
        self.next = self.next.wrapping_add(count);
    }

    /// Writes the same entry `count` times.
    #[inline]
    pub fn write_run(&mut self, entry: T, mut count: u32) {
        while count > 0 {
            let room = self.room(count);
            let fitted = room.len() as u32;
            room.fill(MaybeUninit::new(entry));
            self.wrote(fitted);
            count -= fitted;
        }
    }

    /// Writes what `from` holds next, `count` entries of those it has seen, each as `as_entry` makes it.
    #[inline]
    pub fn write_from<F: Copy>(&mut self, from: &mut Consumer<F>, count: u32, as_entry: impl Fn(F) -> T) {
        let count = count.min(from.seen.wrapping_sub(from.next));
        let (mut next, mut source) = (self.next, from.next);
        for _ in 0..count {
            // SAFETY: both are in bounds; the source was published to us, and ours is not yet.
            unsafe { self.map.entry(next).write(as_entry(from.map.entry(source).read())) };
            next = next.wrapping_add(1);
            source = source.wrapping_add(1);
        }
        (self.next, from.next) = (next, source);
    }

    /// Lets the next `count` entries be what they were a round of the ring ago.
    pub fn write_again(&mut self, count: u32) {
        self.next = self.next.wrapping_add(count);
    }

    /// Hands everything written over with one release store.
    #[inline]
    pub fn publish(&mut self) {
        self.publish_some(u32::MAX);
    }

    /// Hands up to `most` further entries over; returns how many.
    #[inline]
    pub fn publish_some(&mut self, most: u32) -> u32 {
        let new = self.unpublished().min(most);
        if new > 0 {
            self.published = self.published.wrapping_add(new);
            self.map.producer().store(self.published, Ordering::Release);
        }
        new
    }
}

/// The reading end.
pub(in crate::nic) struct Consumer<T> {
    map: RingMap<T>,
    next: u32,
    /// The producer's index when it was last looked at.
    seen: u32,
}

impl<T: Copy + PartialEq> Consumer<T> {
    /// The reading end of a ring that lies in somebody's memory; it goes on where the ring stands.
    ///
    /// # Safety
    /// As for [`Parts::into_map`].
    pub unsafe fn over(parts: Parts<T>) -> Self {
        // SAFETY: the caller's promise.
        let map = unsafe { parts.into_map() };
        let next = map.consumer().load(Ordering::Relaxed);
        Self { map, next, seen: next }
    }

    /// Looks at the producer again; returns how many entries can be read.
    #[inline]
    pub fn refresh(&mut self) -> u32 {
        self.seen = self.map.producer().load(Ordering::Acquire);
        self.seen.wrapping_sub(self.next)
    }

    /// The next entry of those seen.
    #[inline]
    pub fn read(&mut self) -> Option<T> {
        if self.next == self.seen {
            return None;
        }
        // SAFETY: `entry()` is in bounds, and the producer's release made this entry ours until we hand it back.
        let entry = unsafe { self.map.entry(self.next).read() };
        self.next = self.next.wrapping_add(1);
        Some(entry)
    }

    /// The next entries of those seen, none behind the end of the ring; [`Consumer::read_on`] says how many were read.
    #[inline]
    pub fn readable(&self) -> &[T] {
        let at = self.next & self.map.mask;
        let count = self.seen.wrapping_sub(self.next).min(self.map.mask + 1 - at);
        // SAFETY: from the masked index to the end of the ring at most, and the producer's release made these entries ours
        // until we hand them back.
        unsafe { slice::from_raw_parts(self.map.entry(at), count as usize) }
    }

    /// Counts entries of [`Consumer::readable`] as read.
    #[inline]
    pub fn read_on(&mut self, count: u32) {
        self.next = self.next.wrapping_add(count);
    }

    /// Passes over everything there is.
    pub fn skip(&mut self) {
        self.refresh();
        self.next = self.seen;
        self.release();
    }

    /// Hands everything read back to the producer.
    #[inline]
    pub fn release(&mut self) {
        self.map.consumer().store(self.next, Ordering::Release);
    }
}

/// How many of the first entries equal `first`. By eights, which compilers make vectors of: 1.7 instead of 5 instructions
/// an entry.
#[inline]
pub(in crate::nic) fn run_len<T: Copy + PartialEq>(entries: &[T], first: T) -> usize {
    let all_equal = |eight: &&[T]| eight.iter().fold(true, |equal, entry| equal & (*entry == first));
    let eights = entries.chunks_exact(8).take_while(all_equal).count() * 8;
    eights + entries[eights..].iter().take_while(|entry| **entry == first).count()
}

/// The two indices, each on its own cache line.
#[repr(align(64))]
struct Index {
    _value: AtomicU32,
}

/// A ring in ordinary memory, for the simulated nic.
struct OrdinaryMemory<T> {
    producer: NonNull<Index>,
    consumer: NonNull<Index>,
    entries: NonNull<[T]>,
}

// SAFETY: this only keeps the memory alive; nothing is read or written through it.
unsafe impl<T: Send> Send for OrdinaryMemory<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for OrdinaryMemory<T> {}

impl<T> Drop for OrdinaryMemory<T> {
    fn drop(&mut self) {
        // SAFETY: the three pointers came from `Box::into_raw` in `in_ordinary_memory` and are freed only here, after
        // the last map was dropped.
        unsafe {
            drop(Box::from_raw(self.producer.as_ptr()));
            drop(Box::from_raw(self.consumer.as_ptr()));
            drop(Box::from_raw(self.entries.as_ptr()));
        }
    }
}

/// Both ends of a new ring of `size` entries (a power of two), whose indices start at `start`.
pub(in crate::nic) fn in_ordinary_memory<T>(size: u32, start: u32) -> (Producer<T>, Consumer<T>)
where
    T: Copy + Default + PartialEq + Send + 'static,
{
    let size = size.next_power_of_two();
    let index = || NonNull::from(Box::leak(Box::new(Index { _value: AtomicU32::new(start) })));
    let entries = Box::leak(vec![T::default(); size as usize].into_boxed_slice());
    let memory = Arc::new(OrdinaryMemory { producer: index(), consumer: index(), entries: NonNull::from(entries) });
    let parts = || Parts {
        producer: memory.producer.cast(),
        consumer: memory.consumer.cast(),
        entries: memory.entries.cast::<T>(),
        size,
        owner: memory.clone(),
    };
    // SAFETY: the memory was made for these two ends, which keep it alive.
    unsafe { (Producer::over(parts()), Consumer::over(parts())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_descriptor_crosses_a_chunk_and_all_but_the_last_go_on() {
        let described = |addr, len| {
            describe(addr, len, 2048).map(|desc| (desc.addr, desc.len(), desc.options())).collect::<Vec<_>>()
        };
        assert_eq!(described(2048, 0), [(2048, 0, 0)]);
        assert_eq!(described(2112, 60), [(2112, 60, 0)]);
        assert_eq!(described(2112, 1984), [(2112, 1984, 0)]);
        assert_eq!(described(2112, 1985), [(2112, 1984, 1), (4096, 1, 0)]);
        assert_eq!(described(64, 4032 + 2048), [(64, 1984, 1), (2048, 2048, 1), (4096, 2048, 0)]);
    }

    #[test]
    fn nothing_is_seen_before_publish() {
        let (mut producer, mut consumer) = in_ordinary_memory::<u64>(4, 0);
        producer.write(7);
        assert_eq!(consumer.refresh(), 0);
        assert_eq!(consumer.read(), None);
        producer.publish();
        assert_eq!(consumer.refresh(), 1);
        assert_eq!(consumer.read(), Some(7));
        assert_eq!(producer.backlog(), 1);
        consumer.release();
        assert_eq!(producer.backlog(), 0);
    }

    #[test]
    fn what_is_readable_ends_with_the_ring_and_goes_on_at_its_beginning() {
        let (mut producer, mut consumer) = in_ordinary_memory::<u64>(8, u32::MAX - 2);
        (1..7).for_each(|entry| producer.write(entry));
        producer.publish();
        assert_eq!(consumer.readable(), [0; 0], "nothing seen yet");
        consumer.refresh();
        assert_eq!(consumer.readable(), [1, 2, 3]);
        consumer.read_on(2);
        assert_eq!(consumer.readable(), [3]);
        consumer.read_on(1);
        assert_eq!(consumer.readable(), [4, 5, 6]);
        consumer.read_on(3);
        assert_eq!(consumer.read(), None);
    }

    #[test]
    fn a_run_is_as_long_as_its_entries_are_equal() {
        for len in 0..40 {
            let mut entries = vec![5_u64; len];
            assert_eq!(run_len(&entries, 5), len);
            entries.extend([6, 5, 5]);
            assert_eq!((run_len(&entries, 5), run_len(&entries, 7)), (len, 0));
        }
    }

    #[test]
    fn c51_a_thousand_entries_pass_the_wrap_of_the_indices() {
        let (mut producer, mut consumer) = in_ordinary_memory::<u64>(64, u32::MAX - 99);
        let mut next = 0u64;
        for entry in 0..1000u64 {
            producer.write(entry);
            if producer.unpublished() < 64 && entry % 7 != 0 {
                continue;
            }
            producer.publish();
            consumer.refresh();
            while let Some(got) = consumer.read() {
                assert_eq!(got, next);
                next += 1;
            }
            consumer.release();
            assert_eq!(producer.backlog(), 0);
        }
        assert!(next > 990);
    }
}
