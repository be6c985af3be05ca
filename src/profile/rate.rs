//! Rates as people write them: `max`, `1.5M`, `0.5 pps`, `2.5 Gbit/s`, `10 Gbit/s L1`, `every 5 us`.

use std::{fmt, str::FromStr};

use super::duration;

/// Bytes a frame takes on the wire beyond its own: FCS 4, preamble 8, gap 12.
pub const WIRE_OVERHEAD_BYTES: u32 = 24;

const PPS_RANGE: (f64, f64) = (0.001, 1e9);
const BITS_RANGE: (f64, f64) = (1.0, 1e12);
const EVERY_NS_RANGE: (f64, f64) = (1.0, 1e12);
const PREFIXES: [(&str, i32); 4] = [("G", 9), ("M", 6), ("k", 3), ("", 0)];
const FORMS: &str =
    r#"write max, a number of packets a second (0.001 to 1G), 1.5M, 2.5 Gbit/s, 10 Gbit/s L1 or every 5 us"#;

/// A target rate; a total over all queues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    Max,
    Pps(f64),
    /// One packet each this many nanoseconds.
    EveryNs(f64),
    /// Layer 2 without FCS, bits a second.
    Bits(f64),
    /// On the wire: every frame is charged 24 bytes more (FCS, preamble, gap).
    WireBits(f64),
}

/// Why a text is no rate, with the right spelling or the allowed range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct RateError(pub String);

impl Rate {
    /// A bare number of packets a second.
    pub fn from_pps(pps: f64) -> Result<Rate, RateError> {
        within(pps, PPS_RANGE, "0.001 to 1G pps").map(Rate::Pps)
    }

    /// Packets a second when a frame has `size_bytes`; `None` for `max`.
    pub fn pps(&self, size_bytes: f64) -> Option<f64> {
        match self {
            Rate::Max => None,
            Rate::Pps(pps) => Some(*pps),
            Rate::EveryNs(gap_ns) => Some(1e9 / gap_ns),
            Rate::Bits(bits) => Some(bits / (8.0 * size_bytes)),
            Rate::WireBits(bits) => Some(bits / (8.0 * (size_bytes + f64::from(WIRE_OVERHEAD_BYTES)))),
        }
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("max") {
            return Ok(Rate::Max);
        }
        if let Some(gap) = text.strip_prefix("every ") {
            return every(gap);
        }
        let (number, unit) = split_number(text);
        if number.is_empty() {
            return Err(RateError(format!("\"{}\" is not a rate: {FORMS}", clip(text))));
        }
        quantity(text, number, unit.trim())
    }
}

/// At most 40 characters of a text that goes into a message.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

fn every(gap: &str) -> Result<Rate, RateError> {
    let gap_ns = duration::parse_ns(gap).map_err(RateError)?;
    within(gap_ns as f64, EVERY_NS_RANGE, "every 1 ns to every 1000 s").map(Rate::EveryNs)
}

/// The leading decimal number (sign, digits, point, exponent) and what follows it.
fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(|b| b.is_ascii_digit() || *b == b'_') {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let mut end = digits(start);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if !text[start..end].contains(|c: char| c.is_ascii_digit()) {
        return ("", text);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    text.split_at(end)
}

fn quantity(text: &str, number: &str, unit: &str) -> Result<Rate, RateError> {
    let scaled = |prefix: &str| -> Result<f64, RateError> {
        match PREFIXES.iter().find(|(name, _)| *name == prefix) {
            Some((_, power)) => scale(number, *power),
            None => Err(misspelt(text, number, unit)),
        }
    };
    let (unit, wire) = match unit.strip_suffix("L1") {
        Some(rest) => (rest.trim_end(), true),
        None => (unit, false),
    };
    let bits_prefix = unit.strip_suffix("bit/s").or_else(|| unit.strip_suffix("bps"));
    if let Some(prefix) = bits_prefix {
        let bits = within(scaled(prefix)?, BITS_RANGE, "1 bit/s to 1000 Gbit/s")?;
        return Ok(if wire { Rate::WireBits(bits) } else { Rate::Bits(bits) });
    }
    if wire {
        return Err(RateError(format!("\"{}\": L1 goes with a bit rate, as in 10 Gbit/s L1", clip(text))));
    }
    let prefix = unit.strip_suffix("pps").unwrap_or(unit).trim_end();
    Rate::from_pps(scaled(prefix)?)
}

/// `2.5` and 9 make exactly what `2.5e9` makes, which a multiplication would not.
fn scale(number: &str, power: i32) -> Result<f64, RateError> {
    let plain = number.replace('_', "");
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(i32::MAX);
    let value = format!("{mantissa}e{}", exponent.saturating_add(power)).parse::<f64>();
    value.map_err(|_| RateError(format!("\"{}\" is not a number: {FORMS}", clip(number))))
}

fn within(value: f64, (low, high): (f64, f64), words: &str) -> Result<f64, RateError> {
    if value >= low && value <= high {
        return Ok(value);
    }
    Err(RateError(format!("{} is out of range ({words}, or max)", short_number(value))))
}

fn short_number(value: f64) -> String {
    if value != 0.0 && (value.abs() >= 1e15 || value.abs() < 1e-6) { format!("{value:e}") } else { value.to_string() }
}

/// The spelling meant, for the units people mix up.
fn misspelt(text: &str, number: &str, unit: &str) -> RateError {
    let bytes_unit = ["B/s", "byte/s", "bytes/s", "Bps", "B"].iter().find_map(|suffix| unit.strip_suffix(suffix));
    let text = clip(text);
    if let Some(prefix) = bytes_unit {
        let prefix = known_prefix(prefix);
        let bits = number.parse::<f64>().unwrap_or(1.0) * 8.0;
        return RateError(format!("\"{text}\": bytes a second are not a rate here; write {bits} {prefix}bit/s"));
    }
    if let Some(prefix) = unit.strip_suffix("b/s").or_else(|| unit.strip_suffix("bits/s")) {
        return RateError(format!("\"{text}\": write {number} {}bit/s", known_prefix(prefix)));
    }
    let rest = ["bit/s", "bps", "pps"].iter().find(|suffix| unit.ends_with(*suffix)).copied().unwrap_or("");
    let prefix = unit.strip_suffix(rest).unwrap_or(unit).trim();
    let space = if rest.is_empty() { "" } else { " " };
    match prefix {
        "m" | "Mi" | "mi" | "K" | "Ki" | "ki" | "g" | "Gi" | "gi" => {
            let right = known_prefix(prefix);
            RateError(format!("\"{text}\": prefixes are decimal, k M G; write {number}{space}{right}{rest}"))
        }
        _ => RateError(format!("\"{text}\" is not a rate: {FORMS}")),
    }
}

fn known_prefix(prefix: &str) -> &'static str {
    match prefix.trim().chars().next() {
        Some('k' | 'K') => "k",
        Some('m' | 'M') => "M",
        Some('g' | 'G') => "G",
        _ => "",
    }
}

/// The shortest number with a prefix that reads back as exactly `value`.
fn prefixed(value: f64) -> (String, &'static str) {
    for (prefix, power) in PREFIXES {
        let number = (value / 10f64.powi(power)).to_string();
        let exact = scale(&number, power).is_ok_and(|read| read == value);
        if value >= 10f64.powi(power) && exact && number.len() <= 8 {
            return (number, prefix);
        }
    }
    (value.to_string(), "")
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Max => f.write_str("max"),
            Rate::Pps(pps) if *pps < 10_000.0 => write!(f, "{pps} pps"),
            Rate::Pps(pps) => {
                let (number, prefix) = prefixed(*pps);
                write!(f, "{number} {prefix}pps")
            }
            Rate::EveryNs(gap_ns) => write!(f, "every {}", duration::show_ns(*gap_ns as u64)),
            Rate::Bits(bits) => {
                let (number, prefix) = prefixed(*bits);
                write!(f, "{number} {prefix}bit/s")
            }
            Rate::WireBits(bits) => {
                let (number, prefix) = prefixed(*bits);
                write!(f, "{number} {prefix}bit/s L1")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_contract_s_spellings_are_read() {
        let cases = [
            ("max", Rate::Max),
            ("1000", Rate::Pps(1000.0)),
            ("0.5", Rate::Pps(0.5)),
            ("1.5M", Rate::Pps(1_500_000.0)),
            ("0.5 pps", Rate::Pps(0.5)),
            ("14.88 Mpps", Rate::Pps(14_880_000.0)),
            ("1G", Rate::Pps(1e9)),
            ("2.5 Gbit/s", Rate::Bits(2.5e9)),
            ("2.5 Gbps", Rate::Bits(2.5e9)),
            ("8Mbit/s", Rate::Bits(8e6)),
            ("10 Gbit/s L1", Rate::WireBits(10e9)),
            ("every 5 us", Rate::EveryNs(5000.0)),
            ("every 2s", Rate::EveryNs(2e9)),
        ];
        for (text, rate) in cases {
            assert_eq!(text.parse::<Rate>(), Ok(rate), "{text}");
        }
    }

    #[test]
    fn c12_fractions_are_kept_and_nonsense_is_refused_with_the_range() {
        for (text, pps) in [("0.5", 0.5), ("0.1", 0.1), ("2.5", 2.5), ("1e3", 1e3), ("10k", 1e4), ("1.5M", 1.5e6)] {
            assert_eq!(text.parse::<Rate>(), Ok(Rate::Pps(pps)), "{text}");
        }
        for (text, hint) in [
            ("-1", "0.001 to 1G"),
            ("abc", "0.001 to 1G"),
            ("0", "0.001 to 1G"),
            ("1e12", "0.001 to 1G"),
            ("1e999999999999", "0.001 to 1G"),
            ("nan", "0.001 to 1G"),
            ("inf", "0.001 to 1G"),
            ("", "0.001 to 1G"),
            ("0 Gbit/s", "1 bit/s to 1000 Gbit/s"),
            ("every 0", "every 1 ns"),
        ] {
            let error = text.parse::<Rate>().expect_err(text).0;
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn mixed_up_units_are_refused_with_the_right_spelling() {
        for (text, right) in [
            ("2.5 GB/s", "write 20 Gbit/s"),
            ("1.5m", "write 1.5M"),
            ("1.5 Mi", "write 1.5M"),
            ("10K", "write 10k"),
            ("1 Gb/s", "write 1 Gbit/s"),
            ("1 mbit/s", "write 1 Mbit/s"),
            ("5 Mpps L1", "10 Gbit/s L1"),
        ] {
            let error = text.parse::<Rate>().expect_err(text).0;
            assert!(error.contains(right), "{text}: {error}");
        }
    }

    #[test]
    fn rates_convert_through_the_packet_size() {
        assert_eq!(Rate::Bits(8e6).pps(1000.0), Some(1000.0));
        let line_rate = Rate::WireBits(10e9).pps(60.0).unwrap();
        assert!((line_rate - 14_880_952.38).abs() < 0.01, "{line_rate}");
        assert_eq!(Rate::Max.pps(60.0), None);
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(pps in 0.001f64..1e9, bits in 1.0f64..1e12, gap_ns in 1u64..1_000_000_000_000) {
            for rate in [Rate::Pps(pps), Rate::Pps(pps.ceil()), Rate::Bits(bits), Rate::WireBits(bits.floor()), Rate::EveryNs(gap_ns as f64)] {
                prop_assert_eq!(rate.to_string().parse::<Rate>(), Ok(rate), "{}", rate);
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,40}", unit in "(every )?[-+0-9.e_]{0,12} ?[kMGmKi]{0,2}(pps|bit/s|bps|GB/s)?( L1)?") {
            let _ = text.parse::<Rate>();
            let _ = unit.parse::<Rate>();
        }
    }
}
