//! How random fields are drawn. This page is a promise: same file, same seed, same frames, in every release.
//!
//! All arithmetic is modulo 2^64 unless said otherwise.
//!
//! * `mix(z)` is SplitMix64's finalizer: `z = (z ^ z>>30) * 0xbf58476d1ce4e5b9`,
//!   `z = (z ^ z>>27) * 0x94d049bb133111eb`, `z ^ z>>31`.
//! * `G = 0x9e3779b97f4a7c15`.
//! * A field's **key**: `mix(mix(seed + G) ^ h)` where `h` is FNV-1a (64 bit: offset basis 0xcbf29ce484222325,
//!   prime 0x100000001b3) over the bytes of the flow's name, one zero byte, the bytes of the field's dotted
//!   name within the flow: `eth.dst`, `vlan.0.id` (0 is the outermost), `ipv4.src`, `udp.dst`, `size`.
//! * **Word** `n` of a field: `mix(key + (n + 1) * G)`, that is element `n` of SplitMix64 seeded with the key.
//! * Build `k` has the draw number `d = k / every`.
//! * A range of at most 2^64 values draws word `d`: `low + floor(word * values / 2^64)`.
//! * A mask of n bits draws as a range of 2^n values; the lowest bit of the number goes to the lowest bit of the mask,
//!   and so on.
//! * A wider range draws words `2d` (high half) and `2d + 1` (low half) as one 128-bit number:
//!   `low + floor(number * values / 2^128)`.
//! * A **random payload** has the field name `payload`. Word `k` of that field is a key of its own, of which words 0, 1, …
//!   fill the payload of build `k`, big-endian, the last one cut: a shorter frame begins like a longer one.
//!
//! What addresses and ports draw in a flow with conversations stands in `conversation`, the order of a mix in `imix`.
//!
//! Multiply-shift has no modulo bias: two values differ in likelihood by at most values / 2^64 of it
//! (2^-48 for a port), which no test can see.

pub(super) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The key of one field of one flow.
pub(super) fn key(seed: u64, flow: &str, field: &str) -> u64 {
    let name = fnv1a(flow.bytes().chain([0]).chain(field.bytes()));
    mix(mix(seed.wrapping_add(GOLDEN)) ^ name)
}

#[inline]
pub(super) fn word(key: u64, n: u64) -> u64 {
    mix(key.wrapping_add(n.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// A number below `values`.
#[inline(always)]
pub(super) fn below(key: u64, draw: u64, values: u64) -> u64 {
    ((u128::from(word(key, draw)) * u128::from(values)) >> 64) as u64
}

/// The words of draw `n` and each `step`th after it.
pub(super) struct Words {
    state: u64,
    stride: u64,
}

impl Words {
    #[inline(always)]
    pub(super) fn new(key: u64, n: u64, step: u64) -> Words {
        let state = key.wrapping_add(n.wrapping_add(1).wrapping_mul(GOLDEN));
        Words { state, stride: step.wrapping_mul(GOLDEN) }
    }

    /// A number below `values` from the next word.
    #[inline(always)]
    pub(super) fn below(&mut self, values: u64) -> u64 {
        let word = mix(self.state);
        self.state = self.state.wrapping_add(self.stride);
        ((u128::from(word) * u128::from(values)) >> 64) as u64
    }
}

/// A number in `0..=last`.
#[inline]
pub(super) fn narrow(key: u64, draw: u64, last: u64) -> u64 {
    match last.checked_add(1) {
        Some(values) => below(key, draw, values),
        None => word(key, draw),
    }
}

/// A number in `0..=last`; the same as [`narrow`] where that suffices.
pub(super) fn wide(key: u64, draw: u64, last: u128) -> u128 {
    if let Ok(last) = u64::try_from(last) {
        return u128::from(narrow(key, draw, last));
    }
    let number =
        u128::from(word(key, draw.wrapping_mul(2))) << 64 | u128::from(word(key, draw.wrapping_mul(2).wrapping_add(1)));
    match last.checked_add(1) {
        Some(values) => high_half(number, values),
        None => number,
    }
}

/// `floor(a * b / 2^128)`.
fn high_half(a: u128, b: u128) -> u128 {
    let half = u128::from(u64::MAX);
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & half, b >> 64, b & half);
    let (low_high, high_low) = (a_low * b_high, a_high * b_low);
    let middle = ((a_low * b_low) >> 64) + (low_high & half) + (high_low & half);
    a_high * b_high + (low_high >> 64) + (high_low >> 64) + (middle >> 64)
}

#[cfg(test)]
mod tests {
    use super::{high_half, key, narrow, wide, word};

    #[test]
    fn words_are_those_of_splitmix64() {
        // The published first outputs of SplitMix64 for the seeds 0 and 1234567.
        assert_eq!([word(0, 0), word(0, 1)], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        assert_eq!([word(1_234_567, 0), word(1_234_567, 1)], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn high_half_is_exact() {
        assert_eq!(high_half(u128::MAX, u128::MAX), u128::MAX - 1);
        assert_eq!(high_half(1 << 127, 6), 3);
        assert_eq!(high_half(u128::MAX, 1 << 64), u128::from(u64::MAX));
        assert_eq!(high_half(0x1234_5678 << 96, 0xffff_ffff << 32), 0x1234_5677_edcb_a988);
    }

    #[test]
    fn a_full_range_is_the_word_itself() {
        assert_eq!(narrow(1, 2, u64::MAX), word(1, 2));
        assert_eq!(wide(1, 2, u128::MAX), u128::from(word(1, 4)) << 64 | u128::from(word(1, 5)));
        assert_eq!(wide(1, 2, 9), u128::from(narrow(1, 2, 9)));
    }

    #[test]
    fn keys_differ_by_seed_flow_and_field() {
        let keys = [key(7, "a", "udp.src"), key(8, "a", "udp.src"), key(7, "b", "udp.src"), key(7, "a", "udp.dst")];
        for (i, one) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|other| other != one));
        }
    }

    #[test]
    fn every_value_is_equally_likely() {
        let mut hits = [0_u32; 10];
        (0..100_000).for_each(|draw| hits[narrow(key(7, "a", "udp.src"), draw, 9) as usize] += 1);
        assert!(hits.iter().all(|hits| (9_600..10_400).contains(hits)), "{hits:?}");
    }
}
