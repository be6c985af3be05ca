//! The proof of an import: the flow is built, and its first frame compared with the sample byte by byte.

use crate::packet::{Facts, Stamp, annotate_bytes, compile};

use super::{
    super::{Draft, FlowDraft, Report},
    Sample,
};

/// Reports every byte of the first frame that differs from the sample and that nothing explains: moves, checksums
/// the other tool works out, the device's own address, the numbers of a pktgen header.
pub fn prove(sample: &Sample, flow: &FlowDraft, draft: &Draft, report: &mut Report) {
    let mut alone = draft.clone();
    alone.flows = vec![flow.clone()];
    let document = match alone.document("") {
        Ok(document) => document,
        Err(problems) => {
            for problem in problems.0 {
                let sentence = format!("the packet cannot be sent as it is: {}", problem.message);
                report.dropped(sample.line, &problem.key, sentence);
            }
            return;
        }
    };
    let Ok(plan) = compile(document.profile(), &Facts::default()) else { return };
    let Some(built) = plan.flows.first() else { return };
    let mut bytes = vec![0; built.frame.len(0)];
    built.frame.write(&mut bytes, &mut 0, &Stamp::default());
    for range in differences(sample, &bytes, built.frame.varying()) {
        let shown = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        let theirs = sample.bytes.get(range.clone()).map(shown).unwrap_or_default();
        let ours = bytes.get(range.clone()).map(shown).unwrap_or_default();
        let words = words(&bytes, range.start);
        let sentence = format!("bytes {}..{} ({words}) are {theirs} there and {ours} here", range.start, range.end - 1);
        report.converted(sample.line, "", sentence);
    }
}

/// What stands at a byte: the words of its line of the annotated frame.
fn words(bytes: &[u8], at: usize) -> String {
    let name = match (at, bytes.get(12..14)) {
        (16..=17, Some([0x08, 0x00])) => "IPv4 total length",
        (20..=21, Some([0x08, 0x00])) => "IPv4 flags and fragment offset",
        (24..=25, Some([0x08, 0x00])) => "IPv4 header checksum",
        (38..=39, Some([0x08, 0x00])) if bytes.get(23) == Some(&17) => "UDP length",
        (40..=41, Some([0x08, 0x00])) if bytes.get(23) == Some(&17) => "UDP checksum",
        _ => "",
    };
    if !name.is_empty() {
        return name.into();
    }
    let annotated = annotate_bytes(bytes, &[]);
    let line = annotated.lines.iter().rev().find(|line| line.offset <= at && !line.words.is_empty());
    line.map_or_else(|| "payload".into(), |line| line.words.clone())
}

type Range = std::ops::Range<usize>;

fn differences(sample: &Sample, ours: &[u8], varying: &[Range]) -> Vec<Range> {
    let mut excused = vec![false; ours.len().max(sample.bytes.len())];
    let mut excuse = |range: Range| {
        let end = range.end.min(excused.len());
        if let Some(bytes) = excused.get_mut(range.start.min(end)..end) {
            bytes.fill(true);
        }
    };
    varying.iter().cloned().for_each(&mut excuse);
    sample.sums.iter().for_each(|at| excuse(*at..at + 2));
    sample.moves.iter().for_each(|one| excuse(one.bit / 8..one.end().div_ceil(8)));
    if sample.src_is_device {
        excuse(6..12);
    }
    // Addresses of zero were filled in, and that was said.
    let is_zero = |range: Range| sample.bytes.get(range).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
    [0..6, 6..12].into_iter().filter(|range| is_zero(range.clone())).for_each(&mut excuse);
    let mut out: Vec<Range> = Vec::new();
    for (at, excused) in excused.iter().enumerate() {
        if *excused || sample.bytes.get(at) == ours.get(at) {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => out.push(at..at + 1),
        }
    }
    out.truncate(MOST_DIFFERENCES);
    out
}

/// A packet that differs in more places is another packet.
const MOST_DIFFERENCES: usize = 16;
