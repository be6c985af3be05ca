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

/// A sum of numbers in network order, as memory holds them, in place of the numbers themselves: swapping the bytes of all
/// words swaps those of their sum (RFC 1071, 2.B), and what is about to be stored need not be kept in two orders.
#[inline]
pub(super) fn in_network_order(sum: u64) -> u64 {
    u64::from((!finish(sum)).to_be())
}

/// What takes a number off a sum again.
#[inline]
pub(super) fn less(number: u64) -> u64 {
    !number
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
    use super::{finish, finish_udp, in_network_order, less, plus, sum, weigh};

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
    fn a_sum_in_network_order_has_its_bytes_swapped() {
        let numbers = [0x0102_0304_0506_0708_u64, 0xfffe_fdfc_fbfa_f9f8, 0xffff_ffff_ffff_ffff, 7];
        let sum = numbers.iter().fold(1, |sum, number| plus(sum, *number));
        let swapped = numbers.iter().fold(in_network_order(1), |sum, number| plus(sum, number.to_be()));
        assert_eq!(finish(swapped), finish(sum).to_be());
        assert_eq!(finish(plus(plus(sum, numbers[1]), less(numbers[1]))), finish(sum));
    }

    #[test]
    fn only_udp_hides_zero() {
        assert_eq!(finish(0xffff), 0);
        assert_eq!(finish_udp(0xffff), 0xffff);
        assert_eq!(finish_udp(0x1234), !0x1234);
    }
}
