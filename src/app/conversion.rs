//! Rates read in the other unit, where they are turned and typed:
//! *10 Gbit/s = 20.83 Mpps at 60 B: above 10G line rate, 14.88*.

use crate::{
    profile::{Profile, Rate, WIRE_OVERHEAD_BYTES, budget::SPEEDS},
    stats::si,
};

/// The mean size of the packets when there is one flow, of one size or of an exact mix; bytes without FCS.
pub(super) fn lone_bytes(profile: &Profile) -> Option<f64> {
    let mut flows = profile.flows.iter().filter(|flow| flow.enabled);
    match (flows.next(), flows.next()) {
        (Some(flow), None) => flow.sure_mean(),
        _ => None,
    }
}

/// What a rate comes to in the other unit, in words of three lengths, longest first; nothing for `max`.
pub(super) fn of_rate(profile: &Profile, rate: Rate) -> Vec<String> {
    at_size(rate, lone_bytes(profile))
}

/// The same of packets of this size, where they have one.
pub(super) fn at_size(rate: Rate, bytes: Option<f64>) -> Vec<String> {
    let (pps, bytes) = match (rate, bytes) {
        (Rate::Max, _) | (Rate::Pps(_) | Rate::Bits(_) | Rate::WireBits(_), None) => return Vec::new(),
        // Packets of several sizes: only a gap has another unit that is certain.
        (Rate::EveryNs(gap_ns), None) => return vec![format!("= {}", with_unit(1e9 / gap_ns, "pps"))],
        (rate, Some(bytes)) => (rate.pps(bytes).unwrap_or(0.0), bytes),
    };
    let bits = 8.0 * bytes * pps;
    let other = match rate {
        Rate::Pps(_) => with_unit(bits, "bit/s L2"),
        _ => with_unit(pps, "pps"),
    };
    let at = match bytes.fract() == 0.0 {
        true => format!("= {other} at {bytes} B"),
        false => format!("= {other} at a mean of {bytes:.1} B"),
    };
    match line_rate(bits, bytes) {
        Some((name, most_pps)) if pps > most_pps * 1.000_1 => {
            let most = millions(most_pps);
            let long = format!("{at}: above {name} line rate, {most}");
            vec![long, format!("= {other}, {name} is {most}"), format!("over {name}")]
        }
        _ => vec![at, format!("= {other}"), format!("= {}", other.split(' ').next().unwrap_or_default())],
    }
}

/// The same of a text that is being typed: a whole sentence, or `None` while it is no rate.
pub(super) fn of_text(profile: &Profile, text: &str) -> Option<String> {
    let rate: Rate = text.trim().parse().ok()?;
    let words = of_rate(profile, rate).into_iter().next()?;
    Some(format!("{rate} {words}"))
}

/// The slowest Ethernet whose speed is not below `bits` of layer 2, and the packets a second it carries.
fn line_rate(bits: f64, bytes: f64) -> Option<(&'static str, f64)> {
    let (speed, name) = SPEEDS.into_iter().find(|(speed, _)| *speed >= bits * 0.999_999)?;
    Some((name, speed / (8.0 * (bytes + f64::from(WIRE_OVERHEAD_BYTES)))))
}

/// `14.88`: millions, as line rates are known.
fn millions(pps: f64) -> String {
    format!("{:.2}", pps / 1e6)
}

/// `20.83 Mpps`, `480 pps`.
pub(super) fn with_unit(value: f64, unit: &str) -> String {
    let text = si(value);
    if text.contains(' ') { text + unit } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Document;

    fn profile(size: &str) -> Profile {
        let (_, text) = crate::profile::shipped().iter().find(|(name, _)| *name == "udp-64").unwrap();
        let text = text.replace("size = 60", &format!("size = {size}"));
        Document::parse("p", &text).unwrap().profile().clone()
    }

    #[test]
    fn a_rate_above_the_line_says_so_with_the_lines_own() {
        let p = profile("60");
        let text = |rate: &str| of_text(&p, rate).unwrap();
        assert_eq!(text("10 Gbit/s"), "10 Gbit/s = 20.83 Mpps at 60 B: above 10G line rate, 14.88");
        assert_eq!(text("10 Gbit/s L1"), "10 Gbit/s L1 = 14.88 Mpps at 60 B");
        assert_eq!(text("1.2 Gbit/s"), "1.2 Gbit/s = 2.500 Mpps at 60 B");
        assert_eq!(text("every 1 us"), "every 1us = 1.000 Mpps at 60 B");
        assert_eq!(text("1M"), "1 Mpps = 480.0 Mbit/s L2 at 60 B");
    }

    #[test]
    fn c41_a_mix_is_converted_at_its_mean_of_true_bytes() {
        let mix = profile("{ imix = [[60, 7], [590, 4], [1514, 1]] }");
        assert_eq!(of_text(&mix, "10k").as_deref(), Some("10 kpps = 28.63 Mbit/s L2 at a mean of 357.8 B"));
        assert_eq!(of_text(&mix, "500 Mbit/s").as_deref(), Some("500 Mbit/s = 174.7 kpps at a mean of 357.8 B"));
    }

    #[test]
    fn what_is_not_certain_is_not_said() {
        let varied = profile("{ from = 60, to = 1514 }");
        for rate in ["10 Gbit/s", "1M", "max"] {
            assert_eq!(of_text(&varied, rate), None, "{rate}");
        }
        assert_eq!(of_text(&varied, "every 1 us").as_deref(), Some("every 1us = 1.000 Mpps"));
        assert_eq!(of_text(&profile("60"), "10 Gb"), None);
    }
}
