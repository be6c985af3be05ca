//! Durations as people write them: `1.5s`, `250ms`, `5 us`, `2m`; a bare number is seconds, 0 is none.

/// A year: longer limits are typing errors.
pub const MAX_NS: u64 = 365 * 24 * 3600 * 1_000_000_000;

const UNITS: [(&str, u128); 7] = [
    ("ns", 1),
    ("us", 1000),
    ("µs", 1000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
const FORMS: &str = "write 1.5s, 250ms, 5 us, 2m, 1h or a number of seconds, up to 8760h";

/// Nanoseconds, at most [`MAX_NS`]; the error says what is allowed.
pub fn parse_ns(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let shown: String = text.chars().take(40).collect();
    let split = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '+'))).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.trim();
    if !number.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!("\"{shown}\" is not a duration: {FORMS}"));
    }
    let scale = match UNITS.iter().find(|(name, _)| *name == unit) {
        Some((_, scale)) => *scale,
        None if unit.is_empty() => 1_000_000_000,
        None => return Err(format!("\"{shown}\": \"{unit}\" is no unit of time: {FORMS}")),
    };
    exact_ns(number, scale).ok_or_else(|| format!("\"{shown}\" is out of range: {FORMS}"))
}

/// Decimal digits times a unit in whole numbers: a float would be off by a nanosecond after 104 days.
fn exact_ns(number: &str, scale_ns: u128) -> Option<u64> {
    let plain = number.replace('_', "");
    let (whole, part) = plain.split_once('.').unwrap_or((&plain, ""));
    let part = &part[..part.len().min(18)];
    let digits = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    let (whole, part_value) = (u128::from(digits(whole)?), u128::from(digits(part)?));
    let divisor = 10u128.pow(part.len() as u32);
    let ns = whole * scale_ns + (part_value * scale_ns + divisor / 2) / divisor;
    let vanished = ns == 0 && part_value > 0;
    u64::try_from(ns).ok().filter(|ns| *ns <= MAX_NS && !vanished)
}

/// A bare number of seconds.
pub fn from_seconds(seconds: f64) -> Result<u64, String> {
    let ns = (seconds * 1e9).round();
    let in_range = (0.0..=MAX_NS as f64).contains(&ns) && (seconds == 0.0 || ns >= 1.0);
    if in_range { Ok(ns as u64) } else { Err(format!("{seconds} is out of range: {FORMS}")) }
}

/// In the largest unit up to seconds that [`parse_ns`] reads back exactly.
pub fn show_ns(ns: u64) -> String {
    if ns == 0 {
        return "0s".into();
    }
    let exact = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)]
        .into_iter()
        .filter(|(_, scale)| ns >= *scale)
        .map(|(unit, scale)| format!("{}{unit}", ns as f64 / scale as f64))
        .find(|text| text.len() <= 9 && parse_ns(text) == Ok(ns));
    exact.unwrap_or_else(|| format!("{ns}ns"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_contract_s_spellings_are_read() {
        let cases = [
            ("1.5s", 1_500_000_000),
            ("250ms", 250_000_000),
            ("5 us", 5000),
            ("5 µs", 5000),
            ("2m", 120_000_000_000),
            ("3", 3_000_000_000),
            ("0", 0),
            ("0s", 0),
            ("10ns", 10),
        ];
        for (text, ns) in cases {
            assert_eq!(parse_ns(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_forms() {
        for text in ["-1s", "1.5 fortnights", "", "s", "1e9", "99999999h", "0.1ns", "..", "1-1s"] {
            let error = parse_ns(text).expect_err(text);
            assert!(error.contains("250ms"), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(ns in 0..=MAX_NS, ms in 0u64..10_000_000) {
            prop_assert_eq!(parse_ns(&show_ns(ns)), Ok(ns));
            prop_assert_eq!(parse_ns(&show_ns(ms * 1_000_000)), Ok(ms * 1_000_000));
        }

        #[test]
        fn no_text_panics(text in ".{0,30}", near in "[-+0-9._]{0,9} ?[µnums]{0,3}") {
            let _ = parse_ns(&text);
            let _ = parse_ns(&near);
        }
    }
}
