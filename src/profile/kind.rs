//! What a field may hold: numbers, MAC and IP addresses and words, with their ranges, read and shown.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The form and range of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, inclusive range.
    Number {
        min: u64,
        max: u64,
    },
    /// A whole number that people write in hex, inclusive range.
    Hex {
        min: u64,
        max: u64,
    },
    /// A power of two, inclusive range.
    PowerOfTwo {
        min: u64,
        max: u64,
    },
    /// One of few numbers.
    OneOf(&'static [u64]),
    /// A MAC address, or this word.
    Mac {
        word: &'static str,
    },
    Ipv4,
    Ipv6,
    /// `max`, `1.5M`, `2.5 Gbit/s`, …
    Rate,
    /// `1.5s`, `250ms`, a number of seconds.
    Duration,
    /// A positive number with a fraction, from 1/most to most.
    Factor {
        most: u32,
    },
    /// true or false.
    Switch,
    /// Any text of at most so many characters.
    Text {
        max: usize,
    },
    /// Letters, digits, `_` and `-`, 1 to 64 of them.
    Name,
    /// A network device's name, 1 to 15 bytes.
    Device,
    /// A list of different whole numbers.
    Numbers {
        max: u32,
        distinct: bool,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of some of these words, each once; it may be empty.
    Words(&'static [&'static str]),
    /// Bits by these names, the lowest first, joined with `+`; or their number.
    Flags(&'static [&'static str]),
    /// Bytes as hex digits.
    Bytes {
        max: usize,
    },
}

impl Kind {
    /// Numbers and addresses: what a value form may be made of.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Kind::Number { .. } | Kind::Hex { .. } | Kind::PowerOfTwo { .. } | Kind::OneOf(_))
    }

    /// How many bits an address of this kind has.
    pub fn address_bits(&self) -> Option<u32> {
        match self {
            Kind::Mac { .. } => Some(48),
            Kind::Ipv4 => Some(32),
            Kind::Ipv6 => Some(128),
            _ => None,
        }
    }

    /// What is allowed, for messages and the reference.
    pub fn allowed(&self) -> String {
        match self {
            Kind::Number { min, max } => format!("{min}..{max}"),
            Kind::Hex { min, max } => format!("0x{min:04x}..0x{max:04x}"),
            Kind::PowerOfTwo { min, max } => format!("a power of two, {min}..{max}"),
            Kind::OneOf(numbers) => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" or "),
            Kind::Mac { word } => format!("aa:bb:cc:dd:ee:ff, or \"{word}\""),
            Kind::Ipv4 => "each part 0..255".into(),
            Kind::Ipv6 => "as 2001:db8::1".into(),
            Kind::Rate => "max, 1.5M, 0.5 pps, 2.5 Gbit/s, 10 Gbit/s L1, every 5 us".into(),
            Kind::Duration => "1.5s, 250ms, 5 us, 2m, a number of seconds; 0 is none".into(),
            Kind::Factor { most } => format!("{}..{most}", 1.0 / f64::from(*most)),
            Kind::Switch => "true or false".into(),
            Kind::Text { max } => format!("text, at most {max} characters"),
            Kind::Name => "A-Z a-z 0-9 _ -, 1 to 64 of them".into(),
            Kind::Device => "1 to 15 bytes, no blank, no /".into(),
            Kind::Numbers { max, distinct: true } => format!("a list of different numbers, each 0..{max}"),
            Kind::Numbers { max, distinct: false } => format!("a list of numbers, each 0..{max}"),
            Kind::Choice(words) => words.join(" | "),
            Kind::Words(words) => format!("a list of {}", words.join(", ")),
            Kind::Flags(names) => format!("{} joined with +, or none", names.join(" ")),
            Kind::Bytes { max } => format!("pairs of hex digits, 1 to {max} bytes"),
        }
    }

    /// A whole number that must lie in the range; the message names both.
    pub fn number(&self, number: u128) -> Result<u128, String> {
        let ok = match self {
            Kind::Number { min, max } | Kind::Hex { min, max } => {
                (u128::from(*min)..=u128::from(*max)).contains(&number)
            }
            Kind::PowerOfTwo { min, max } => {
                (u128::from(*min)..=u128::from(*max)).contains(&number) && number.is_power_of_two()
            }
            Kind::OneOf(numbers) => numbers.iter().any(|n| u128::from(*n) == number),
            Kind::Flags(names) => number < 1 << names.len(),
            _ => false,
        };
        let words = match self {
            Kind::Number { .. } | Kind::Hex { .. } => "is out of range",
            _ => "is not allowed",
        };
        if ok { Ok(number) } else { Err(format!("{} {words} ({})", self.show(number), self.allowed())) }
    }

    /// An address as a number in network order.
    pub fn address(&self, text: &str) -> Result<u128, String> {
        let (number, what) = match self {
            Kind::Mac { .. } => (parse_mac(text).map(u128::from), "a MAC address"),
            Kind::Ipv4 => (text.parse().ok().map(|ip: Ipv4Addr| u128::from(ip.to_bits())), "an IPv4 address"),
            Kind::Ipv6 => (text.parse().ok().map(|ip: Ipv6Addr| ip.to_bits()), "an IPv6 address"),
            Kind::Flags(names) => (parse_flags(text, names), "a set of flags"),
            _ => (None, "a number"),
        };
        number.ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            format!("\"{shown}\" is not {what} ({})", self.allowed())
        })
    }

    /// As a person reads it.
    pub fn show(&self, number: u128) -> String {
        match self {
            Kind::Mac { .. } => show_mac(number as u64),
            Kind::Ipv4 => Ipv4Addr::from_bits(number as u32).to_string(),
            Kind::Ipv6 => Ipv6Addr::from_bits(number).to_string(),
            Kind::Hex { .. } => format!("0x{number:04x}"),
            Kind::Flags(names) => show_flags(number, names),
            _ => number.to_string(),
        }
    }

    /// As [`Kind::show`], quoted where TOML wants it.
    pub fn show_toml(&self, number: u128) -> String {
        if self.is_numeric() { self.show(number) } else { format!("\"{}\"", self.show(number)) }
    }
}

/// `aa:bb:cc:dd:ee:ff`, `aa-bb-cc-dd-ee-ff` or `aabb.ccdd.eeff`.
pub fn parse_mac(text: &str) -> Option<u64> {
    let (separator, parts, digits) = match text {
        _ if text.contains(':') => (':', 6, 2),
        _ if text.contains('-') => ('-', 6, 2),
        _ => ('.', 3, 4),
    };
    let pieces: Vec<&str> = text.split(separator).collect();
    let fits = |piece: &&str| piece.len() == digits && piece.bytes().all(|b| b.is_ascii_hexdigit());
    if pieces.len() != parts || !pieces.iter().all(fits) {
        return None;
    }
    u64::from_str_radix(&pieces.concat(), 16).ok()
}

pub fn show_mac(mac: u64) -> String {
    let bytes = mac.to_be_bytes();
    bytes[2..].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

/// `syn+ack`; `none` is no flag at all.
fn parse_flags(text: &str, names: &[&str]) -> Option<u128> {
    if text == "none" {
        return Some(0);
    }
    if let Ok(number) = text.parse::<u128>() {
        return Some(number).filter(|number| *number < 1 << names.len());
    }
    text.split('+').try_fold(0, |flags, word| {
        let bit = names.iter().position(|name| name.eq_ignore_ascii_case(word.trim()))?;
        Some(flags | 1 << bit)
    })
}

fn show_flags(flags: u128, names: &[&str]) -> String {
    if flags >> names.len() != 0 {
        return flags.to_string();
    }
    let set = names.iter().enumerate().filter(|(bit, _)| flags >> bit & 1 == 1).map(|(_, name)| *name);
    let set: Vec<&str> = set.collect();
    if set.is_empty() { "none".into() } else { set.join("+") }
}

/// `de ad be ef`, `deadbeef`, `de:ad:be:ef`; 1 to `max` bytes.
pub fn parse_bytes(text: &str, max: usize) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !matches!(b, b' ' | b':')).collect();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            let whole = pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit());
            if whole { u8::from_str_radix(pair, 16).ok() } else { None }
        })
        .collect();
    bytes.filter(|bytes| (1..=max).contains(&bytes.len()))
}

pub fn show_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_spellings_of_a_mac_are_one() {
        for text in ["02:00:00:00:0a:Ff", "02-00-00-00-0a-ff", "0200.0000.0aff"] {
            assert_eq!(parse_mac(text), Some(0x0200_0000_0aff), "{text}");
        }
        for text in ["", "02:00:00:00:00", "2:0:0:0:0:2", "02:00:00:00:00:0g", "02:00:00-00:00:02", "+2:00:00:00:00:02"]
        {
            assert_eq!(parse_mac(text), None, "{text}");
        }
        assert_eq!(show_mac(0x0200_0000_0aff), "02:00:00:00:0a:ff");
    }

    #[test]
    fn addresses_show_as_they_are_read() {
        for (kind, text) in [
            (Kind::Ipv4, "198.18.0.254"),
            (Kind::Ipv6, "2001:db8::1"),
            (Kind::Mac { word: "device" }, "02:00:00:00:00:02"),
        ] {
            assert_eq!(kind.address(text).map(|number| kind.show(number)), Ok(text.to_string()));
        }
        let error = Kind::Ipv4.address("198.18.0.2540").expect_err("too long");
        assert_eq!(error, "\"198.18.0.2540\" is not an IPv4 address (each part 0..255)");
    }

    #[test]
    fn flags_are_words_or_a_number() {
        let kind = Kind::Flags(&["fin", "syn", "rst"]);
        for (text, number) in [("syn", 2), ("fin+rst", 5), ("RST + fin", 5), ("none", 0)] {
            assert_eq!(kind.address(text), Ok(number), "{text}");
        }
        assert_eq!(
            (kind.show(5), kind.show(0), kind.show_toml(2)),
            ("fin+rst".into(), "none".into(), "\"syn\"".into())
        );
        let error = kind.address("syn+push").expect_err("no such flag");
        assert_eq!(error, "\"syn+push\" is not a set of flags (fin syn rst joined with +, or none)");
        assert_eq!((kind.number(7), kind.number(8).is_err()), (Ok(7), true));
    }

    #[test]
    fn bytes_need_whole_pairs() {
        assert_eq!(parse_bytes("de ad be:ef", 4), Some(vec![0xde, 0xad, 0xbe, 0xef]));
        for text in ["", "d", "dea", "xy", "é1", "+1", "0102030405"] {
            assert_eq!(parse_bytes(text, 4), None, "{text}");
        }
    }
}
