//! A sample that is no plain stack of headers, as a raw frame: its bytes, and patches where they move.

use crate::profile::Value;

use super::{super::FlowDraft, Sample, headers::KeptSum, moves::toml};

/// As many as a profile takes.
const MOST_PATCHES: usize = 64;
const WIDTHS: [usize; 5] = [1, 2, 4, 6, 8];

/// `None` where a raw frame would be wrong: the sender's own address, moves under a checksum, too many moves.
pub(super) fn flow(sample: &Sample, sums: &[KeptSum], name: &str) -> Option<FlowDraft> {
    let is_under = |one: &super::Move| sums.iter().any(|sum| sample.sums.contains(&sum.at) && sum.is_over(one));
    let fits =
        |one: &super::Move| one.bit.is_multiple_of(8) && one.bits.is_multiple_of(8) && WIDTHS.contains(&(one.bits / 8));
    let moving: Vec<_> = sample.moves.iter().filter(|one| !matches!(one.value, Value::Fixed(_))).collect();
    if sample.src_is_device || moving.len() > MOST_PATCHES || moving.iter().any(|one| !fits(one) || is_under(one)) {
        return None;
    }
    let mut whole = sample.clone();
    // Inner checksums first: the outer ones do not cover them, but a file may nest headers.
    for sum in sums.iter().rev().filter(|sum| sample.sums.contains(&sum.at)) {
        let value = worked_out(&whole, sum);
        whole.put_bits(8 * sum.at, 16, u128::from(value));
    }
    let mut flow = FlowDraft::new(name);
    let hex: Vec<String> = whole.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    flow.set("size", whole.bytes.len().to_string());
    if whole.bytes.len() < 60 {
        flow.set("runt", "true");
    }
    flow.set("raw.bytes", format!("\"{}\"", hex.join(" ")));
    flow.set("payload.kind", "\"zero\"");
    for (number, one) in moving.iter().enumerate() {
        let kind = crate::profile::field::field("flow.patch.value")?.kind;
        flow.set(&format!("patch.{number}.at"), (one.bit / 8).to_string());
        flow.set(&format!("patch.{number}.width"), (one.bits / 8).to_string());
        flow.set(&format!("patch.{number}.value"), toml(&kind, &one.value));
    }
    Some(flow)
}

fn worked_out(sample: &Sample, sum: &KeptSum) -> u16 {
    let bytes = |from: usize, to: usize| sample.bytes.get(from..to.min(sample.bytes.len())).unwrap_or_default();
    let (from, to) = sum.covers;
    let old = if (from..to).contains(&(sum.at + 1)) { words(bytes(sum.at, sum.at + 2)) } else { 0 };
    let mut total = words(bytes(from, to)).saturating_sub(old);
    if let Some((at, length, protocol)) = sum.pseudo {
        total += words(bytes(at, at + length)) + u64::from(protocol) + (to - from) as u64;
    }
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    match !(total as u16) {
        0 if sum.is_udp => 0xffff,
        value => value,
    }
}

/// The sum of 16-bit words; the checksums here stand at even places of what they cover.
fn words(bytes: &[u8]) -> u64 {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0))).sum()
}
