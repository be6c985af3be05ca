//! A payload of random bytes, others in every build (`draw` says which).

use super::{checksum, draw};

/// Random bytes from `at` to the end of a frame.
#[derive(Debug, Clone)]
pub(super) struct Filler {
    pub at: usize,
    pub key: u64,
}

impl Filler {
    /// Fills build `k`; returns what the bytes add to a sum (right where the payload starts at an even offset, as it does
    /// behind every header that has a checksum).
    pub(super) fn write(&self, out: &mut [u8], k: u64) -> u64 {
        let key = draw::word(self.key, k);
        let mut sum = 0;
        for (n, piece) in out[self.at..].chunks_mut(8).enumerate() {
            let word = draw::word(key, n as u64).to_be_bytes();
            piece.copy_from_slice(&word[..piece.len()]);
            sum += checksum::sum(piece);
        }
        sum
    }
}
