//! TRex stream files in YAML, as older releases read them and the traffic editor writes them.

use saphyr_parser::{Event, Parser};

use crate::dialect::{
    Draft, Imported, Refused, Report,
    anatomy::{MOST_BYTES, Sample},
    finish, stem,
};

use super::{
    instructions::{Instruction, address_or_number},
    stream::{MOST_STREAMS, Mode, Packet, Stream, StreamRate, flows},
};

/// A YAML value with its place.
#[derive(Debug, Clone)]
struct Node {
    line: usize,
    column: usize,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

const MOST_TEXT: usize = 16 << 20;
const MOST_NODES: usize = 500_000;
const DEEPEST: usize = 64;

/// # Errors
/// A file that is no list of streams, with the place that shows it.
pub fn import(file: &str, text: &str) -> Result<Imported, Refused> {
    if text.len() > MOST_TEXT {
        return Err(Refused::whole(file, format!("{} bytes are too many (at most {MOST_TEXT})", text.len())));
    }
    let root = tree(text).map_err(|(line, column, why)| Refused::place(file, line, column, why))?;
    let wrong = |node: &Node, why: &str| Refused::place(file, node.line, node.column, why);
    let Kind::List(items) = &root.kind else {
        return Err(wrong(&root, "a list of streams is expected (- name: …)"));
    };
    if items.len() > MOST_STREAMS {
        return Err(wrong(&root, &format!("{} streams are too many (at most {MOST_STREAMS})", items.len())));
    }
    let mut report = Report::default();
    let mut streams = Vec::new();
    for item in items {
        let Kind::Map(_) = item.kind else { return Err(wrong(item, "a stream is name: and stream:")) };
        let Some(inside) = item.get("stream") else { return Err(wrong(item, "this stream has no \"stream:\"")) };
        streams.push(stream(item, inside, &mut report));
    }
    let mut draft = Draft::default();
    draft.name = stem(file);
    flows(&streams, false, &mut draft, &mut report);
    if draft.flows.is_empty() {
        return Err(wrong(&root, "no stream of this file ever starts"));
    }
    finish(file, text, "#", draft, report)
}

type Wrong = (usize, usize, String);

/// Aliases are refused: a few lines of them can stand for more than any memory holds.
fn tree(text: &str) -> Result<Node, Wrong> {
    let mut parser = Parser::new_from_str(text);
    let mut open: Vec<(Node, Option<Node>)> = Vec::new();
    let mut nodes = 0;
    while let Some(next) = parser.next_event() {
        let (event, span) =
            next.map_err(|why| (why.marker().line(), why.marker().col() + 1, why.info().to_string()))?;
        let (line, column) = (span.start.line(), span.start.col() + 1);
        let node = |kind| Node { line, column, kind };
        nodes += 1;
        if nodes > MOST_NODES || open.len() > DEEPEST {
            return Err((line, column, "too many values, or nested too deep, for a list of streams".into()));
        }
        let done = match event {
            Event::Scalar(text, ..) => Some(node(Kind::Scalar(text.into_owned()))),
            Event::SequenceStart(..) => {
                open.push((node(Kind::List(Vec::new())), None));
                None
            }
            Event::MappingStart(..) => {
                open.push((node(Kind::Map(Vec::new())), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|(node, _)| node),
            Event::Alias(..) => {
                return Err((line, column, "aliases (*name) are not read: write the values out".into()));
            }
            _ => None,
        };
        let Some(done) = done else { continue };
        match open.last_mut() {
            None => return Ok(done),
            Some((Node { kind: Kind::List(items), .. }, _)) => items.push(done),
            Some((Node { kind: Kind::Map(pairs), .. }, key)) => match key.take() {
                None => *key = Some(done),
                Some(key) => pairs.push((key, done)),
            },
            Some(_) => {}
        }
    }
    Err((1, 1, "an empty file: a list of streams is expected (- name: …)".into()))
}

impl Node {
    fn get(&self, name: &str) -> Option<&Node> {
        let Kind::Map(pairs) = &self.kind else { return None };
        pairs.iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
    }

    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(text) => Some(text),
            _ => None,
        }
    }

    fn string(&self, name: &str) -> Option<String> {
        self.get(name)
            .and_then(Node::text)
            .filter(|text| !text.is_empty() && *text != "null" && *text != "~")
            .map(str::to_string)
    }

    fn float(&self, name: &str) -> Option<f64> {
        self.get(name)?.text()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn number(&self, name: &str) -> Option<u128> {
        let text = self.get(name)?.text()?;
        let number = match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None => address_or_number(text)
                .or_else(|| text.parse::<f64>().ok().filter(|f| f.fract() == 0.0 && *f >= 0.0).map(|f| f as u128)),
        };
        number.filter(|number| *number <= u128::from(u64::MAX))
    }

    fn is(&self, name: &str, default: bool) -> bool {
        match self.get(name).and_then(Node::text) {
            Some(text) => matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1"),
            None => default,
        }
    }

    /// Keys beside those that are known.
    fn others<'n>(&'n self, known: &'n [&str]) -> impl Iterator<Item = (&'n Node, &'n Node)> {
        let pairs = match &self.kind {
            Kind::Map(pairs) => pairs.as_slice(),
            _ => &[],
        };
        pairs
            .iter()
            .filter(|(key, _)| key.text().is_none_or(|text| !known.contains(&text)))
            .map(|(key, value)| (key, value))
    }

    fn is_nothing(&self) -> bool {
        match &self.kind {
            Kind::Scalar(text) => matches!(text.as_str(), "" | "0" | "0.0" | "false" | "False" | "null" | "~"),
            Kind::List(items) => items.is_empty(),
            Kind::Map(pairs) => pairs.iter().all(|(_, value)| value.is_nothing()),
        }
    }
}

fn left_out(node: &Node, known: &[&str], sentence: &str, report: &mut Report) {
    for (key, value) in node.others(known) {
        if !value.is_nothing() {
            report.dropped(key.line, key.text().unwrap_or("?"), sentence);
        }
    }
}

fn stream(item: &Node, inside: &Node, report: &mut Report) -> Stream {
    left_out(item, &["name", "stream", "next", "stream_id"], "not known here", report);
    let known = ["self_start", "enabled", "packet", "mode", "vm", "isg", "next_stream", "advanced_mode"];
    left_out(inside, &known, "this setting of a stream has no counterpart", report);
    let mut stream = Stream {
        name: item.string("name"),
        line: item.line,
        self_start: inside.is("self_start", true),
        is_enabled: inside.is("enabled", true),
        isg_us: inside.float("isg").unwrap_or(0.0),
        next: item.string("next").or_else(|| inside.string("next")).filter(|next| next != "-1"),
        ..Stream::default()
    };
    if let Some(mode) = inside.get("mode") {
        (stream.mode, stream.rate) = self::mode(mode, report);
    }
    if let Some(packet) = inside.get("packet") {
        stream.packet = self::packet(packet, report);
    }
    let instructions = inside.get("vm").and_then(|vm| vm.get("instructions"));
    if let Some(Node { kind: Kind::List(items), .. }) = instructions {
        stream.instructions = items.iter().map(instruction).collect();
    }
    stream
}

fn mode(mode: &Node, report: &mut Report) -> (Mode, StreamRate) {
    let rate = match mode.get("rate") {
        Some(rate) => {
            let value = rate.float("value").filter(|value| *value >= 0.0).unwrap_or(1.0);
            match rate.string("type").as_deref() {
                Some("pps") | None => StreamRate::Pps(value),
                Some("bps_L1") => StreamRate::WireBits(value),
                Some("bps_L2") => StreamRate::Bits(value),
                Some("percentage") => StreamRate::Percentage(value),
                Some(other) => {
                    report.dropped(rate.line, other, "a unit of rate not known here: 1 packet a second is taken");
                    StreamRate::default()
                }
            }
        }
        None => mode.float("pps").filter(|pps| *pps >= 0.0).map_or(StreamRate::default(), StreamRate::Pps),
    };
    let count =
        |name: &str| mode.number(name).map_or(1, |count| u64::try_from(count).unwrap_or(u64::MAX).min(i64::MAX as u64));
    let kind = match mode.string("type").as_deref() {
        Some("continuous") | None => Mode::Continuous,
        Some("single_burst") => Mode::Single { packets: count("total_pkts") },
        Some("multi_burst") => Mode::Multi {
            per_burst: count("pkts_per_burst"),
            bursts: mode.number("number_of_bursts").map_or(count("count"), |n| u64::try_from(n).unwrap_or(1)),
            gap_us: mode.float("ibg").unwrap_or(0.0),
        },
        Some(other) => {
            report.dropped(mode.line, other, "a way of sending not known here: the stream goes on and on");
            Mode::Continuous
        }
    };
    (kind, rate)
}

fn packet(packet: &Node, report: &mut Report) -> Packet {
    left_out(packet, &["pcap", "binary", "meta", "model"], "not known here", report);
    if let Some(file) = packet.string("pcap") {
        return Packet::Capture(file);
    }
    let bytes = match packet.get("binary") {
        Some(Node { kind: Kind::Scalar(text), .. }) => base64(text),
        Some(Node { kind: Kind::List(items), .. }) => {
            items.iter().map(|item| item.text().and_then(|text| text.parse().ok())).collect()
        }
        _ => None,
    };
    let Some(bytes) = bytes.filter(|bytes: &Vec<u8>| (14..=MOST_BYTES).contains(&bytes.len())) else {
        report.dropped(packet.line, "packet", "neither a capture nor the bytes of a frame (binary, base64)");
        return Packet::Missing;
    };
    let mut sample = Sample { bytes, line: packet.line, ..Sample::default() };
    // Addresses of zero are the port's there.
    sample.src_is_device = sample.bytes[6..12].iter().all(|byte| *byte == 0);
    let lengths = if sample.bytes.get(12..15) == Some(&[8, 0, 0x45]) {
        sample.sums.push(24);
        vec![8 * 16, 8 * 38]
    } else {
        Vec::new()
    };
    Packet::Bytes(sample, lengths)
}

fn instruction(node: &Node) -> Instruction {
    let size = node.number("size").or_else(|| node.number("pkt_cast_size")).map_or(4, |size| size.clamp(1, 8) as usize);
    let all = if size >= 8 { u128::from(u64::MAX) } else { (1 << (8 * size)) - 1 };
    let signed = |name: &str| node.float(name).map_or(0, |number| number.clamp(-1e18, 1e18) as i128);
    let is_tuple = node.string("type").as_deref() == Some("tuple_flow_var");
    let port = |name: &str, default| node.number(name).unwrap_or(default) & 0xffff;
    Instruction {
        kind: node.string("type").unwrap_or_default(),
        name: node.string("name").unwrap_or_default(),
        op: node.string("op").unwrap_or_else(|| "inc".into()),
        init: if is_tuple { node.number("limit_flows") } else { node.number("init_value") },
        min: node.number(if is_tuple { "ip_min" } else { "min_value" }).unwrap_or(0),
        max: node.number(if is_tuple { "ip_max" } else { "max_value" }).unwrap_or(all),
        step: node.number("step").unwrap_or(1),
        size,
        at: node.number("pkt_offset").filter(|at| *at < 70_000).map(|at| 8 * at as usize),
        offset_text: node.string("pkt_offset").unwrap_or_default(),
        add: signed("add_value"),
        mask: if is_tuple {
            port("port_min", 1025) << 16 | port("port_max", 65535)
        } else {
            node.number("mask").unwrap_or(0xff)
        },
        shift: signed("shift"),
        is_little: !node.is("is_big_endian", true),
        next: None,
        line: node.line,
    }
}

/// Standard base64; blanks are left out, padding is optional.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut held, mut bits) = (0u32, 0);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_as_everyone_writes_it() {
        assert_eq!(base64("aGVsbG8="), Some(b"hello".to_vec()));
        assert_eq!(base64("aGVs\nbG8"), Some(b"hello".to_vec()));
        assert_eq!(base64("a*"), None);
    }
}
