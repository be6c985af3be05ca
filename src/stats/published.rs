//! Words with one writer that readers see all of one moment: a sequence word, odd while a write is on.
//!
//! The writer pays two plain stores more a publication, never a LOCK prefix (on x86 a release fence is
//! no instruction); a reader that meets a write tries again.

use super::atomic::{AtomicU64, Ordering, fence};

/// `N` words published together. One thread at most may call [`Published::publish`].
pub struct Published<const N: usize> {
    sequence: AtomicU64,
    words: [AtomicU64; N],
}

impl<const N: usize> Published<N> {
    pub fn new() -> Self {
        Self { sequence: AtomicU64::new(0), words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// Single writer.
    #[inline]
    pub fn publish(&self, values: &[u64; N]) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence + 1, Ordering::Relaxed);
        // A reader that sees any word below also sees the odd sequence above.
        fence(Ordering::Release);
        for (word, value) in self.words.iter().zip(values) {
            word.store(*value, Ordering::Relaxed);
        }
        self.sequence.store(sequence + 2, Ordering::Release);
    }

    /// `None` when a publication was going on meanwhile.
    pub fn try_read(&self) -> Option<[u64; N]> {
        let before = self.sequence.load(Ordering::Acquire);
        let values = std::array::from_fn(|i| self.words[i].load(Ordering::Relaxed));
        // The words above are read before the sequence below.
        fence(Ordering::Acquire);
        let after = self.sequence.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2)).then_some(values)
    }
}
