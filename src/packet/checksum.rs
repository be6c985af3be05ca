//! The Internet checksum (RFC 1071) as a plain sum that is folded only once, at the end.
//!
//! 2^16, 2^32 and 2^48 are all 1 modulo 65535, so a number of any width may be added whole instead of
//! word by word; a 64-bit sum has room for thousands of 32-bit pieces before it could overflow.

/// Sum of the big-endian 16-bit words; an odd last byte counts as the high half of a word.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(2);
    let tail = words.remainder().first().map_or(0, |&byte| u64::from(byte) << 8);
    words.map(|word| u64::from(u16::from_be_bytes([word[0], word[1]]))).sum::<u64>() + tail
}

/// What a number of up to 64 bits adds to a sum; its lowest bit is the lowest bit of a word.
#[inline]
pub(super) fn weigh(number: u64) -> u64 {
    (number & 0xffff_ffff) + (number >> 32)
}

/// Two sums added with the carry brought round: any number of 64-bit pieces may be added so. Two instructions.
#[inline(always)]
pub(super) fn plus(sum: u64, number: u64) -> u64 {
    let (sum, carry) = sum.overflowing_add(number);
    sum.wrapping_add(u64::from(carry))
}

/// The header checksum that belongs to a sum.
#[inline]
pub(super) fn finish(sum: u64) -> u16 {
    // Adding a number to itself with its halves exchanged leaves their sum, end-around carry included, in the upper
    // half: 8 instructions instead of 13.
    let sum = (sum.wrapping_add(sum.rotate_left(32)) >> 32) as u32;
    let sum = (sum.wrapping_add(sum.rotate_left(16)) >> 16) as u16;
    !sum
}

/// As [`finish`], but 0 is sent as 0xffff: in UDP 0 says "no checksum" (RFC 768), and IPv6 forbids it (RFC 8200).
#[inline]
pub(super) fn finish_udp(sum: u64) -> u16 {
    match finish(sum) {
        0 => 0xffff,
        checksum => checksum,
    }
}

#[cfg(test)]
mod tests {
    use super::{finish, finish_udp, plus, sum, weigh};

    #[test]
    fn the_example_of_rfc_1071() {
        assert_eq!(finish(sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7])), !0xddf2);
    }

    #[test]
    fn an_odd_byte_is_the_high_half() {
        assert_eq!(sum(&[0x12, 0x34, 0x56]), 0x1234 + 0x5600);
        assert_eq!(sum(&[]), 0);
    }

    #[test]
    fn wide_numbers_weigh_as_their_words() {
        let number = 0xfedc_ba98_7654_3210_u64;
        assert_eq!(finish(weigh(number)), finish(sum(&number.to_be_bytes())));
        assert_eq!(finish(weigh(u64::MAX)), 0);
    }

    #[test]
    fn a_carry_is_brought_round() {
        assert_eq!(finish(plus(u64::MAX, 1)), finish(1));
        assert_eq!(finish(plus(u64::MAX - 7, 0x1_0000_1234)), finish(weigh(u64::MAX - 7) + weigh(0x1_0000_1234)));
    }

    #[test]
    fn only_udp_hides_zero() {
        assert_eq!(finish(0xffff), 0);
        assert_eq!(finish_udp(0xffff), 0xffff);
        assert_eq!(finish_udp(0x1234), !0x1234);
    }
}
