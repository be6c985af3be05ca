//! Frames as other tools describe them, bytes of which some move, taken apart into the headers and fields of a flow.

mod headers;
mod moves;
mod payload;
mod proof;
mod raw;

pub use moves::{Move, modular, toml};
pub use proof::prove;

use crate::profile::{Value, field};

use super::{Draft, FlowDraft, Kind, Report};

/// One packet: its bytes with every move at its first value, and what moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    pub bytes: Vec<u8>,
    pub moves: Vec<Move>,
    /// Where 16-bit checksums stand that the other tool works out itself.
    pub sums: Vec<usize>,
    /// The source MAC is the sending device's.
    pub src_is_device: bool,
    /// A marked pktgen header: it need not be reported that txdeck fills it.
    pub is_stamped: bool,
    /// Line of the file on which the packet begins.
    pub line: usize,
}

/// More bytes than a frame can have make no packet.
pub const MOST_BYTES: usize = 65_535;

impl Sample {
    /// `at..at + len` in bits, as a number; bits beyond the end are 0.
    pub(super) fn bits(&self, at: usize, len: usize) -> u128 {
        (at..at + len).fold(0, |number, bit| {
            let byte = self.bytes.get(bit / 8).copied().unwrap_or(0);
            number << 1 | u128::from(byte >> (7 - bit % 8) & 1)
        })
    }

    pub(super) fn put_bits(&mut self, at: usize, len: usize, number: u128) {
        for bit in at..at + len {
            let Some(byte) = self.bytes.get_mut(bit / 8) else { return };
            let mask = 1 << (7 - bit % 8);
            let on = number >> (at + len - 1 - bit) & 1 == 1;
            *byte = if on { *byte | mask } else { *byte & !mask };
        }
    }

    /// Adds a move and writes its first value into the bytes.
    pub fn add(&mut self, new: Move) {
        self.put_bits(new.bit, new.bits, first(&new.value));
        self.moves.push(new);
    }
}

/// What a value is in build 0, as far as that is known: a random one is shown at its lower end.
pub fn first(value: &Value) -> u128 {
    match value {
        Value::List { values, .. } => values.first().copied().unwrap_or(0),
        other => other.min(),
    }
}

/// Whether txdeck keeps the checksum right that stands at a byte.
pub fn keeps_sum(sample: &Sample, at: usize) -> bool {
    kept_sums(sample).iter().any(|sum| sum.at == at)
}

/// Whether any of the sample's checksums, of IPv4 headers and of what they carry, is over bytes that move.
pub fn moves_sums(sample: &Sample) -> (bool, bool) {
    let moves = || sample.moves.iter().filter(|one| !one.value.is_fixed());
    let kept = kept_sums(sample).into_iter().filter(|sum| sample.sums.contains(&sum.at));
    let (headers, carried): (Vec<_>, Vec<_>) = kept
        .filter(|sum| moves().any(|one| sum.is_over(one)))
        .partition(|sum| sum.covers == (sum.at - 10, sum.at + 10));
    (!headers.is_empty(), !carried.is_empty())
}

fn kept_sums(sample: &Sample) -> Vec<headers::KeptSum> {
    let (mut flow, mut report) = (FlowDraft::new("x"), Report::default());
    let mut taking = headers::Taking::new(sample, &mut flow, &mut report);
    taking.headers();
    taking.kept_sums
}

/// The flow that sends a sample. What it cannot say of it stands in the report.
pub fn flow(sample: &Sample, name: &str, draft: &Draft, report: &mut Report) -> FlowDraft {
    let (mut flow, mut notes) = (FlowDraft::new(name), Report::default());
    let mut taking = headers::Taking::new(sample, &mut flow, &mut notes);
    let payload = taking.headers();
    let sums = std::mem::take(&mut taking.kept_sums);
    let is_known = taking.is_known;
    taking.payload(payload);
    taking.rest();
    addresses(&mut flow, sample, &mut notes);
    let length = sample.bytes.len();
    flow.set("size", length.to_string());
    if length < 60 {
        flow.set("runt", "true");
    }
    prove(sample, &flow, draft, &mut notes);
    let is_whole =
        notes.notes.iter().all(|note| note.kind == Kind::Assumed || note.sentence.starts_with(payload::STAMP));
    if !is_whole && let Some(raw) = raw::flow(sample, &sums, name) {
        // A frame of no protocol known here has no other form, so nothing was converted.
        if is_known {
            let why = notes.notes.iter().find(|note| note.kind != Kind::Assumed).map(|note| note.sentence.clone());
            let why = why.unwrap_or_default();
            report.converted(
                sample.line,
                "",
                format!("no plain stack of headers, so its bytes are taken as they are: {why}"),
            );
        }
        prove(sample, &raw, draft, report);
        return raw;
    }
    for note in notes.notes {
        report.add(note.kind, note.line, &note.text, note.sentence);
    }
    flow
}

/// Where frames go when a file leaves the destination open.
pub const NOBODY_YET: &str = "02:00:00:00:00:02";

/// Other tools leave addresses at zero, to be filled in by a port or a person; a profile may not.
fn addresses(flow: &mut FlowDraft, sample: &Sample, report: &mut Report) {
    const ZERO: &str = "\"00:00:00:00:00:00\"";
    if flow.get("eth.dst") == Some(ZERO) {
        flow.set("eth.dst", format!("\"{NOBODY_YET}\""));
        let sentence = format!("no destination MAC: {NOBODY_YET} is taken, write the receiver's");
        report.assumed(sample.line, "eth.dst", sentence);
    }
    if flow.get("eth.src") == Some(ZERO) {
        flow.set("eth.src", "\"device\"");
        report.assumed(sample.line, "eth.src", "no source MAC: the sending device's is taken");
    }
}

/// Sets a field unless the profile's default says the same.
pub fn set_value(flow: &mut FlowDraft, key: &str, value: &Value) {
    let schema: String = key.split('.').filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join(".");
    let Some(field) = field::field(&format!("flow.{schema}")) else { return };
    let text = toml(&field.kind, value);
    let is_default = matches!(field.fallback, field::Fallback::Is(default) if default == text);
    if !is_default {
        flow.set(key, text);
    }
}
