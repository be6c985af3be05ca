//! Streams, from whichever kind of file, as flows: rate, count, chains, field engine.

use std::collections::BTreeMap;

use crate::{
    dialect::{
        Draft, FlowDraft, Report,
        anatomy::{self, NOBODY_YET, Sample},
        draft::quoted,
    },
    profile::duration::show_ns,
};

use super::instructions::{Instruction, apply};

#[derive(Debug, Clone, Default)]
pub struct Stream {
    pub name: Option<String>,
    pub line: usize,
    pub packet: Packet,
    pub instructions: Vec<Instruction>,
    pub mode: Mode,
    pub rate: StreamRate,
    pub self_start: bool,
    pub is_enabled: bool,
    /// Before its first packet.
    pub isg_us: f64,
    pub next: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub enum Packet {
    #[default]
    Missing,
    /// The bytes, and where lengths stand, in bits.
    Bytes(Sample, Vec<usize>),
    /// A file of captured packets.
    Capture(String),
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Mode {
    #[default]
    Continuous,
    Single {
        packets: u64,
    },
    Multi {
        per_burst: u64,
        bursts: u64,
        gap_us: f64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StreamRate {
    Pps(f64),
    WireBits(f64),
    /// With FCS.
    Bits(f64),
    Percentage(f64),
}

impl Default for StreamRate {
    fn default() -> Self {
        StreamRate::Pps(1.0)
    }
}

/// As many as a profile has.
pub const MOST_STREAMS: usize = 1024;

/// All streams, chained ones after those that start them.
pub fn flows(streams: &[Stream], stamped: bool, draft: &mut Draft, report: &mut Report) {
    let names: Vec<String> = streams.iter().enumerate().map(|(number, stream)| name(stream, number)).collect();
    let starts = starts(streams, &names, report);
    for (number, stream) in streams.iter().enumerate() {
        let Some(start_ns) = starts.get(&number) else {
            let sentence = format!("{}: no stream that ends ever starts it: it is left out", names[number]);
            report.dropped(stream.line, "self_start", sentence);
            continue;
        };
        let mut flow = packet(stream, &names[number], stamped, draft, report);
        if *start_ns > 0 {
            flow.set("start", format!("\"{}\"", show_ns(*start_ns)));
        }
        if !stream.is_enabled {
            flow.set("enabled", "false");
        }
        pace(stream, &names[number], &mut flow, report);
        draft.flows.push(flow);
    }
}

fn name(stream: &Stream, number: usize) -> String {
    stream.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("stream-{}", number + 1))
}

/// When each stream begins, in nanoseconds; none for those that never do.
fn starts(streams: &[Stream], names: &[String], report: &mut Report) -> BTreeMap<usize, u64> {
    let mut starts = BTreeMap::new();
    let begins = |stream: &Stream| (stream.isg_us.clamp(0.0, 1e12) * 1000.0).round() as u64;
    for (number, stream) in streams.iter().enumerate().filter(|(_, stream)| stream.self_start) {
        starts.insert(number, begins(stream));
        let (mut at, mut last) = (begins(stream), number);
        for _ in 0..streams.len() {
            let Some(next) = &streams[last].next else { break };
            let Some(found) = names.iter().position(|name| name == next) else {
                report.dropped(streams[last].line, next, "the next stream is not in this file");
                break;
            };
            let Some(lasts_ns) = lasts_ns(&streams[last]) else {
                report.dropped(streams[last].line, next, "it would start after a stream that never ends");
                break;
            };
            if starts.contains_key(&found) {
                report.dropped(
                    streams[last].line,
                    next,
                    "the chain comes back to a stream that ran: it runs once here",
                );
                break;
            }
            at = at.saturating_add(lasts_ns).saturating_add(begins(&streams[found]));
            starts.insert(found, at);
            let sentence =
                format!("{next} starts when {} has sent all its packets: after {} here", names[last], show_ns(at));
            report.converted(streams[last].line, "next", sentence);
            last = found;
        }
    }
    starts
}

fn lasts_ns(stream: &Stream) -> Option<u64> {
    let StreamRate::Pps(pps) = stream.rate else { return None };
    let packets = match stream.mode {
        Mode::Continuous => return None,
        Mode::Single { packets } => packets,
        Mode::Multi { per_burst, bursts, .. } => per_burst.saturating_mul(bursts),
    };
    let ns = packets as f64 / pps * 1e9;
    (ns.is_finite() && ns < 3e16).then_some(ns.round() as u64)
}

fn packet(stream: &Stream, name: &str, stamped: bool, draft: &Draft, report: &mut Report) -> FlowDraft {
    let (mut sample, lengths) = match &stream.packet {
        Packet::Bytes(sample, lengths) => (sample.clone(), lengths.clone()),
        Packet::Capture(file) => return stand_in(name, stream.line, file, report),
        Packet::Missing => return stand_in(name, stream.line, "", report),
    };
    sample.line = stream.line;
    sample.is_stamped = stamped;
    let done = apply(&stream.instructions, &mut sample, &lengths, report);
    checksums(&sample, done.fixes_ipv4, done.fixes_transport, report);
    let mut flow = anatomy::flow(&sample, name, draft, report);
    if let Some(size) = &done.size {
        anatomy::set_value(&mut flow, "size", size);
    }
    flow
}

/// There a field engine leaves checksums as they were unless it is told; here they are always right.
fn checksums(sample: &Sample, fixes_ipv4: bool, fixes_transport: bool, report: &mut Report) {
    let (moves_ipv4, moves_transport) = anatomy::moves_sums(sample);
    if !fixes_ipv4 && (moves_ipv4 || moves_transport && !fixes_transport) {
        let sentence = "fields vary and no checksum is fixed there: receivers see wrong ones; here all are right";
        report.converted(sample.line, "vm", sentence);
    } else if moves_transport && !fixes_transport {
        let sentence = "only the IPv4 header checksum is fixed there; here that of UDP or TCP is right too";
        report.converted(sample.line, "vm", sentence);
    }
}

/// A packet that stands in another file: what can be said of the stream is kept.
fn stand_in(name: &str, line: usize, file: &str, report: &mut Report) -> FlowDraft {
    let mut flow = FlowDraft::new(name);
    flow.set("eth.dst", quoted(NOBODY_YET));
    flow.header("ipv4");
    flow.header("udp");
    let (text, sentence) = match file.is_empty() {
        true => ("packet".to_string(), "no packet is declared: 60 bytes of UDP stand in for it".to_string()),
        false => {
            flow.head.push(format!("Stands in for the packet of {file}"));
            let sentence = "the packet is in a capture, which is not read: 60 bytes of UDP stand in for it (import the \
                            capture with --from pcap)";
            (file.to_string(), sentence.to_string())
        }
    };
    report.dropped(line, &text, sentence);
    flow
}

fn pace(stream: &Stream, name: &str, flow: &mut FlowDraft, report: &mut Report) {
    let size: f64 = flow.get("size").and_then(|size| size.parse().ok()).unwrap_or(60.0);
    match stream.rate {
        StreamRate::Pps(pps) => flow.set("rate", quoted(&format!("{pps} pps"))),
        StreamRate::WireBits(bits) => flow.set("rate", quoted(&format!("{bits} bit/s L1"))),
        StreamRate::Bits(bits) => {
            let ours = bits * size / (size + 4.0);
            flow.set("rate", quoted(&format!("{} bit/s", ours.round())));
            let sentence =
                format!("{name}: bits there count the FCS (4 bytes a packet), here not: {} bit/s", ours.round());
            report.converted(stream.line, "bps_L2", sentence);
        }
        StreamRate::Percentage(100.0) => {}
        StreamRate::Percentage(percent) => {
            let sentence = format!("{name}: {percent} % of a link whose speed the file does not say: no rate is set");
            report.dropped(stream.line, "percentage", sentence);
        }
    }
    match stream.mode {
        Mode::Continuous => {}
        Mode::Single { packets } => flow.set("count", packets.to_string()),
        Mode::Multi { per_burst, bursts, gap_us } => {
            let all = per_burst.saturating_mul(bursts);
            flow.set("count", all.to_string());
            let sentence = format!(
                "{name}: {bursts} bursts of {per_burst} with {gap_us} us between them: {all} packets at the rate within a burst"
            );
            report.converted(stream.line, "multi_burst", sentence);
        }
    }
}
