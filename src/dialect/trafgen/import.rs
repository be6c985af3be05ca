//! A trafgen file as a profile: every packet becomes a flow, and they take turns as they do there.

use crate::dialect::{Draft, FlowDraft, Imported, Refused, Report, anatomy, draft::quoted, finish, stem};

use super::{
    expand::{Expanded, expand},
    lex::{Place, pieces},
    packet::{Packet, Sum, SumKind},
    parse::packets,
};

/// Longer files hold captures, not packets somebody wrote.
const MOST_TEXT: usize = 16 << 20;

/// # Errors
/// A file without a packet that can be read, each reason with its place.
pub fn import(file: &str, text: &str) -> Result<Imported, Refused> {
    if text.len() > MOST_TEXT {
        return Err(Refused::whole(file, format!("{} bytes are too many (at most {MOST_TEXT})", text.len())));
    }
    let refused = |(place, why): (Place, String)| Refused::place(file, place.line, place.column, why);
    let expanded = expand(pieces(text).map_err(refused)?).map_err(refused)?;
    let parsed = packets(&expanded);
    let Some(first) = parsed.packets.first() else {
        let mut refusal = Refused::whole(file, "no packet: trafgen's packets stand between { and }");
        if !parsed.wrong.is_empty() {
            refusal = Refused { file: file.into(), reasons: Vec::new() };
            for (place, why) in parsed.wrong.into_iter().take(20) {
                refusal.reasons.extend(Refused::place(file, place.line, place.column, why).reasons);
            }
        }
        return Err(refusal);
    };
    let mut report = Report::default();
    for (place, text, why) in &expanded.left_out {
        report.dropped(place.line, text, *why);
    }
    for (place, why) in &parsed.wrong {
        report.dropped(place.line, "", format!("column {}: {why}", place.column));
    }
    let mut draft = Draft::default();
    draft.name = stem(file);
    command_line(&expanded, &mut draft, &mut report);
    queues(&parsed.packets, first, &mut draft, &mut report);
    let stamped = expanded.comments.iter().any(|(.., text)| text.contains(STAMPED));
    for (number, packet) in parsed.packets.iter().enumerate() {
        let flow = flow(packet, number, stamped, &draft, &mut report);
        draft.flows.push(flow);
    }
    finish(file, text, "#", draft, report)
}

/// In a comment of an exported file: the payload is pktgen's header, which txdeck fills.
pub const STAMPED: &str = "txdeck fills in number and time";

fn flow(packet: &Packet, number: usize, stamped: bool, draft: &Draft, report: &mut Report) -> FlowDraft {
    let name = packet.name.clone().unwrap_or_else(|| format!("packet-{}", number + 1));
    for (place, text, sentence) in &packet.remarks {
        match text.ends_with("()") {
            true => report.assumed(place.line, text, sentence.clone()),
            false => report.converted(place.line, text, sentence.clone()),
        }
    }
    let mut sample = anatomy::Sample { is_stamped: stamped, ..packet.sample.clone() };
    plain_sums(packet, &mut sample, report);
    let mut flow = anatomy::flow(&sample, &name, draft, report);
    if let Some((first, last)) = packet.cpus {
        let queues: Vec<String> = (first..=last).map(|cpu| cpu.to_string()).collect();
        flow.set("queues", format!("[{}]", queues.join(", ")));
    }
    flow
}

/// Checksums over bytes that are no header txdeck keeps right: worked out once.
fn plain_sums(packet: &Packet, sample: &mut anatomy::Sample, report: &mut Report) {
    for sum in &packet.sums {
        if anatomy::keeps_sum(sample, sum.at) {
            continue;
        }
        let (from, to) = covered(sum, sample.bytes.len());
        let moves = sample.moves.iter().any(|one| one.bit < 8 * to && one.end() > 8 * from);
        sample.sums.retain(|at| *at != sum.at);
        if sum.kind == SumKind::Pseudo {
            report.dropped(sum.place.line, &sum.text, "there is no such header at these offsets: the checksum stays 0");
            continue;
        }
        let number = internet_sum(sample.bytes.get(from..to).unwrap_or_default());
        sample.put_bits(8 * sum.at, 16, u128::from(number));
        if moves {
            let sentence =
                "txdeck keeps the checksums of known headers right, not this one: it is that of the first packet";
            report.dropped(sum.place.line, &sum.text, sentence);
        }
    }
}

fn covered(sum: &Sum, length: usize) -> (usize, usize) {
    (sum.covers.0.min(length), sum.covers.1.saturating_add(1).min(length))
}

fn internet_sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0)));
    let mut sum: u64 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// CPUs there are queues here.
fn queues(packets: &[Packet], first: &Packet, draft: &mut Draft, report: &mut Report) {
    let last = packets.iter().filter_map(|packet| packet.cpus).map(|(_, last)| last).max();
    let Some(last) = last else { return };
    let queues: Vec<String> = (0..=last).map(|queue| queue.to_string()).collect();
    draft.tx("queues", format!("[{}]", queues.join(", ")));
    let sentence = format!("CPUs there are queues here: {} senders, cpu(n) sends on queue n", last + 1);
    report.converted(first.place.line, "cpu()", sentence);
}

/// Options of the `trafgen` command that a comment shows: by custom these files say how they are run.
fn command_line(expanded: &Expanded, draft: &mut Draft, report: &mut Report) {
    for (_, place, text) in &expanded.comments {
        for (offset, line) in text.lines().enumerate() {
            let Some((_, options)) = line.split_once("trafgen -") else { continue };
            options_of(&format!("-{options}"), place.line + offset, draft, report);
        }
    }
}

fn options_of(options: &str, line: usize, draft: &mut Draft, report: &mut Report) {
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let (name, inline) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let takes_value = !matches!(name, "--cpp" | "-p" | "--verbose" | "-V" | "--rand" | "-r" | "-q" | "-J" | "-C");
        let value = if takes_value && name.starts_with('-') { inline.or_else(|| words.next()) } else { None };
        let shown = format!("{name} {}", value.unwrap_or_default());
        match (name, value.map(|value| value.trim_matches('"'))) {
            ("-n" | "--num", Some(count)) if count.parse::<u64>().is_ok() => draft.tx("count", count),
            ("-E" | "--seed", Some(seed)) if seed.parse::<u32>().is_ok() => {
                draft.tx("seed", seed);
                report.converted(line, &shown, "the seed is kept; the numbers drawn from it are others");
            }
            ("-t" | "--gap", Some(gap)) => match gap_text(gap) {
                Some(gap) => slow(draft, &format!("every {gap}")),
                None => report.dropped(line, &shown, "not a gap as trafgen writes it (10us)"),
            },
            ("-b" | "--rate", Some(rate)) => match rate_text(rate) {
                Some(rate) => slow(draft, &rate),
                None => report.dropped(line, &shown, "not a rate as trafgen writes it (100pps, 10Mbit)"),
            },
            ("-r" | "--rand", _) => {
                report.dropped(line, &shown, "packets are chosen at random there, and in turn here")
            }
            _ => {}
        }
    }
}

/// With a gap or rate trafgen sends one packet at a time.
fn slow(draft: &mut Draft, rate: &str) {
    draft.tx("rate", quoted(rate));
    draft.tx("burst", "1");
}

fn gap_text(gap: &str) -> Option<String> {
    let digits = gap.find(|c: char| !c.is_ascii_digit()).unwrap_or(gap.len());
    let (number, unit) = gap.split_at(digits);
    let unit = if unit.is_empty() { "us" } else { unit };
    (number.parse::<u64>().is_ok_and(|n| n > 0) && ["s", "ms", "us", "ns"].contains(&unit))
        .then(|| format!("{number} {unit}"))
}

fn rate_text(rate: &str) -> Option<String> {
    let digits = rate.find(|c: char| !c.is_ascii_digit()).unwrap_or(rate.len());
    let (number, unit) = rate.split_at(digits);
    let number: f64 = number.parse().ok().filter(|number| *number > 0.0)?;
    let bits = match unit {
        "pps" => return Some(format!("{number} pps")),
        "B" => 8.0,
        "kB" => 8e3,
        "MB" => 8e6,
        "GB" => 8e9,
        "kbit" => 1e3,
        "Mbit" => 1e6,
        "Gbit" => 1e9,
        "KiB" => 8.0 * 1024.0,
        "MiB" => 8.0 * 1024.0 * 1024.0,
        "GiB" => 8.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(format!("{} bit/s", number * bits))
}
