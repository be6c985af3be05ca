//! Address blocks: `198.18.0.0/15` is every address from 198.18.0.0 to 198.19.255.255, the first and the last too.

use super::kind::Kind;

/// The first and last address of a block; `None`: the text has no `/`.
///
/// # Errors
/// One sentence on what is wrong with it and what to write.
pub(super) fn block(kind: &Kind, text: &str) -> Option<Result<(u128, u128), String>> {
    let width = kind.address_bits()?;
    let (address, prefix) = text.split_once('/')?;
    Some(ends(kind, width, text, address, prefix))
}

fn ends(kind: &Kind, width: u32, text: &str, address: &str, prefix: &str) -> Result<(u128, u128), String> {
    let first = kind.address(address)?;
    let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    let prefix = prefix.parse::<u32>().ok().filter(|prefix| digits && *prefix <= width);
    let prefix = prefix.ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        format!("\"{shown}\": a block is ADDRESS/BITS, BITS 0..{width}")
    })?;
    let rest = ones(width - prefix);
    match first & rest {
        0 => Ok((first, first | rest)),
        _ => {
            let block = kind.show(first & !rest);
            Err(format!("\"{text}\": a block begins at its first address: write {block}/{prefix}, or {address} alone"))
        }
    }
}

/// So many low bits set, at most 128.
fn ones(bits: u32) -> u128 {
    u128::MAX.checked_shr(128 - bits).unwrap_or(0)
}

/// The prefix that a range is the whole block of.
pub(super) fn prefix(kind: &Kind, first: u128, last: u128) -> Option<u32> {
    let width = kind.address_bits()?;
    let rest = first ^ last;
    let free = (rest.count_ones() == 128 - rest.leading_zeros()).then_some(rest.count_ones())?;
    (first & rest == 0).then(|| width.saturating_sub(free))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_all_of_its_addresses() {
        assert_eq!(block(&Kind::Ipv4, "198.18.0.0/15"), Some(Ok((0xc612_0000, 0xc613_ffff))));
        assert_eq!(block(&Kind::Ipv4, "10.0.0.7/32"), Some(Ok((0x0a00_0007, 0x0a00_0007))));
        assert_eq!(block(&Kind::Ipv4, "0.0.0.0/0"), Some(Ok((0, 0xffff_ffff))));
        assert_eq!(block(&Kind::Ipv6, "::/0"), Some(Ok((0, u128::MAX))));
        assert_eq!(block(&Kind::Ipv6, "2001:db8::/64").map(|ends| ends.map(|(a, b)| b - a)), Some(Ok(u64::MAX.into())));
        let mac = Kind::Mac { word: "device" };
        assert_eq!(block(&mac, "02:00:00:00:00:00/40"), Some(Ok((0x0200_0000_0000, 0x0200_0000_00ff))));
        assert_eq!(block(&Kind::Ipv4, "10.0.0.7"), None);
        assert_eq!(block(&Kind::Number { min: 0, max: 9 }, "1/2"), None);
    }

    #[test]
    fn what_is_no_block_is_told_how_to_be_one() {
        let wrong = |text: &str| block(&Kind::Ipv4, text).and_then(Result::err).unwrap_or_default();
        assert_eq!(
            wrong("198.18.5.1/15"),
            "\"198.18.5.1/15\": a block begins at its first address: write 198.18.0.0/15, or 198.18.5.1 alone"
        );
        for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/255.0.0.0"] {
            assert_eq!(wrong(text), format!("\"{text}\": a block is ADDRESS/BITS, BITS 0..32"));
        }
        assert!(wrong("10.0.0/8").contains("is not an IPv4 address"));
    }

    #[test]
    fn a_range_knows_the_block_that_it_is() {
        assert_eq!(prefix(&Kind::Ipv4, 0xc612_0000, 0xc613_ffff), Some(15));
        assert_eq!(prefix(&Kind::Ipv4, 5, 5), Some(32));
        assert_eq!(prefix(&Kind::Ipv4, 1, 254), None);
        assert_eq!(prefix(&Kind::Ipv4, 4, 11), None);
        assert_eq!(prefix(&Kind::Ipv6, 0, u128::MAX), Some(0));
    }
}
