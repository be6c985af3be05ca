//! Figures as words: nothing sent is a dash, durations are clock faces, a rate carries its unit.

use crate::{
    app::{Change, Comparison, Figures, Finding, Unit, Verdict},
    stats::si,
};

use super::Glyphs;

/// `01:24`, `1:02:03`.
pub fn clock(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    match seconds / 3600 {
        0 => format!("{:02}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// A figure, or the dash of what does not exist.
pub fn figure(value: Option<f64>, glyphs: Glyphs) -> String {
    value.filter(|value| value.is_finite()).map_or_else(|| glyphs.nothing().into(), si)
}

/// Nanoseconds: whole from 100 on, else as far as they say something.
pub fn nanoseconds(value: Option<f64>, glyphs: Glyphs) -> String {
    match value.filter(|value| value.is_finite()) {
        Some(value) if value >= 99.95 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
        None => glyphs.nothing().into(),
    }
}

/// The figure of this unit.
pub fn left(figures: &Figures, unit: Unit) -> Option<f64> {
    match unit {
        Unit::Packets => figures.left_pps,
        Unit::Bits => figures.left_bps,
        Unit::WireBits => figures.left_wire_bps,
    }
}

/// `1.130 Mpps`, `542.4 Mbit/s L2` (layer 2 without FCS), `759.3 Mbit/s L1` (24 bytes a packet more).
pub fn rate(figures: &Figures, unit: Unit, glyphs: Glyphs) -> String {
    let (value, name) = (left(figures, unit), unit.name());
    let text = figure(value, glyphs);
    if text.ends_with(|c: char| c.is_ascii_digit()) || value.is_none() { format!("{text} {name}") } else { text + name }
}

/// `1.124 Mpps`, `890 pps`.
pub fn packets_a_second(pps: f64) -> String {
    let text = spaced(si(pps));
    format!("{text}pps")
}

/// *burst 1 → 32: 1590 → 890 ns, −700 ± 12*, or *within noise*.
pub fn verdict(verdict: &Verdict, now_ns: u64, glyphs: Glyphs) -> String {
    let change = &verdict.change;
    let ago = now_ns.saturating_sub(change.at_ns) / 1_000_000_000;
    // The baseline's knobs are told when it is taken; here its name would push the finding off a narrow screen.
    let against = if verdict.against.is_some() { " vs base" } else { "" };
    let what = format!("{}{against}, {ago} s ago", turned(change, glyphs));
    match &verdict.finding {
        Finding::Waiting => format!("{what}: settling{}", glyphs.more()),
        Finding::NoBefore => format!("{what}: nothing settled before it to compare with"),
        Finding::Judged { cost_ns, left_pps } => {
            format!("{what}: {}{}", judged_cost(cost_ns, glyphs), judged_rate(cost_ns, left_pps.as_ref(), glyphs))
        }
    }
}

/// *burst 1 → 32*.
pub fn turned(change: &Change, glyphs: Glyphs) -> String {
    format!("{} {} {} {}", change.label, change.from, glyphs.arrow(), change.to)
}

fn judged_cost(cost: &Comparison, glyphs: Glyphs) -> String {
    let decimals = if cost.before.abs() >= 100.0 { 0 } else { 1 };
    let (from, to) = (nanoseconds(Some(cost.before), glyphs), nanoseconds(Some(cost.after), glyphs));
    let pm = glyphs.plus_minus();
    if cost.is_noise() {
        return format!("{from} {} {to} ns, within noise ({pm} {:.decimals$})", glyphs.arrow(), cost.half);
    }
    let sign = if cost.difference() < 0.0 { glyphs.minus() } else { "+" };
    let difference = cost.difference().abs();
    format!("{from} {} {to} ns, {sign}{difference:.decimals$} {pm} {:.decimals$}", glyphs.arrow(), cost.half)
}

fn judged_rate(cost: &Comparison, rate: Option<&Comparison>, glyphs: Glyphs) -> String {
    let Some((rate, percent)) = rate.and_then(|rate| rate.percent().map(|percent| (rate, percent))) else {
        return String::new();
    };
    if rate.is_noise() {
        return format!(" {} pps {}", glyphs.dot(), if cost.is_noise() { "too" } else { "within noise" });
    }
    let sign = if percent < 0.0 { glyphs.minus() } else { "+" };
    format!(" {} {}pps, {sign}{:.0} %", glyphs.dot(), spaced(si(rate.after)), percent.abs())
}

/// `890` as `890 `, `1.130 M` as it is: what stands before a unit.
fn spaced(text: String) -> String {
    if text.ends_with(|c: char| c.is_ascii_digit()) { text + " " } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_sent_is_a_dash() {
        for value in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!(figure(value, Glyphs::Utf8), "–");
            assert_eq!(nanoseconds(value, Glyphs::Ascii), "-");
        }
        assert_eq!(rate(&Figures::default(), Unit::Packets, Glyphs::Utf8), "– pps");
    }

    #[test]
    fn clocks_count_up() {
        assert_eq!((clock(84_900_000_000), clock(3_723_000_000_000)), ("01:24".into(), "1:02:03".into()));
    }
}
