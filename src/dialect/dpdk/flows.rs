//! Ports as flows: sizes lose their FCS, ranges become sweeps, what is not enabled stays off.

use crate::{
    dialect::{
        Draft, FlowDraft, Report,
        anatomy::{NOBODY_YET, set_value},
    },
    profile::Value,
};

use super::port::{Port, Ports, Single, Smmi};

/// Ethernet's check sum, which sizes include there.
const FCS: u128 = 4;

pub fn flows(ports: &Ports, draft: &mut Draft, report: &mut Report) {
    for (number, port) in &ports.all {
        one(*number, port, ports.all.len() == 1, draft, report);
    }
    if ports.all.len() > 1 {
        let sentence = format!("{} ports there are flows of one device here", ports.all.len());
        report.converted(0, "ports", sentence);
    }
    let bursts: Vec<_> = ports.all.values().filter_map(|port| port.burst.as_ref()).collect();
    if let Some(burst) = bursts.first() {
        if (1..=1024).contains(&burst.value) {
            draft.tx("burst", burst.value.to_string());
        } else {
            report.dropped(burst.line, "burst", "1 to 1024 packets share a doorbell here: 32 is taken");
        }
    }
}

fn one(number: u32, port: &Port, is_alone: bool, draft: &mut Draft, report: &mut Report) {
    let uses = port.sequence_count.as_ref().map_or(0, |count| count.value as u32);
    let mut made = Vec::new();
    if port.is_on("range") {
        made.push(ranged(number, port, report));
    } else if uses > 0 && !port.sequence.is_empty() {
        for slot in 0..uses {
            match port.sequence.get(&slot) {
                Some(single) => made.push(plain(&format!("port-{number}-seq-{slot}"), number, port, single, report)),
                None => report.dropped(
                    0,
                    "sequence",
                    format!("port {number}: packet {slot} of the sequence is not declared"),
                ),
            }
        }
    } else {
        made.push(plain(&format!("port-{number}"), number, port, &port.single, report));
    }
    unused(number, port, uses, report);
    let several = made.len() > 1;
    for mut flow in made {
        if let Some(count) = port.count.as_ref().filter(|count| count.value > 0) {
            let value = count.value.min(i64::MAX as u128).to_string();
            match several && is_alone {
                true => draft.tx("count", value),
                false if several => report.dropped(
                    count.line,
                    "count",
                    format!("port {number}: its packets are counted together there, and not here"),
                ),
                false => flow.set("count", value),
            }
        }
        if let Some(rate) = port.rate_percent.as_ref().filter(|rate| rate.value != 100.0) {
            let sentence = format!(
                "{} % of a link whose speed the file does not say: no rate is set (give one in pps or bit/s)",
                rate.value
            );
            report.dropped(rate.line, "rate", sentence);
        }
        draft.flows.push(flow);
    }
}

/// What was said and has no effect there, so none here.
fn unused(number: u32, port: &Port, uses: u32, report: &mut Report) {
    if !port.ranges.is_empty() && !port.is_on("range") {
        let line = port.ranges.values().map(|range| range.line).min().unwrap_or(0);
        report.dropped(
            line,
            "range",
            format!("port {number}: ranges are not enabled (enable {number} range), so nothing varies"),
        );
    }
    if !port.sequence.is_empty() && uses == 0 {
        let line = port.sequence.values().map(|single| single.line).min().unwrap_or(0);
        report.dropped(
            line,
            "sequence",
            format!("port {number}: no packet of the sequence takes part (set {number} seq_cnt)"),
        );
    }
    if let Some(vlan) = port.single.fields.get("vlan").filter(|_| !port.is_on("vlan")) {
        report.dropped(
            vlan.line,
            "vlan",
            format!("port {number}: not enabled (enable {number} vlan), so frames have no tag there, nor here"),
        );
    }
    if let Some(mpls) = port.mpls.as_ref().filter(|_| !port.is_on("mpls")) {
        report.dropped(
            mpls.line,
            "mpls",
            format!("port {number}: not enabled (enable {number} mpls), so frames have no label"),
        );
    }
}

fn plain(name: &str, number: u32, port: &Port, single: &Single, report: &mut Report) -> FlowDraft {
    let field = |name: &str| single.fields.get(name).map(|said| Value::Fixed(said.value));
    let proto = single.proto.as_ref().map(|said| said.value.clone());
    let line = single.line;
    let kind = single.kind.as_ref().map(|said| said.value.clone());
    build(name, number, port, line, &field, proto, kind.as_deref() == Some("ipv6"), report)
}

fn ranged(number: u32, port: &Port, report: &mut Report) -> FlowDraft {
    let mut values = std::collections::BTreeMap::new();
    for (name, range) in &port.ranges {
        values.insert(*name, sweep(name, range, report));
    }
    let field = |name: &str| {
        let single = port.single.fields.get(name).map(|said| Value::Fixed(said.value));
        values.get(name).cloned().or(single)
    };
    let proto = port.range_proto.as_ref().or(port.single.proto.as_ref()).map(|said| said.value.clone());
    let line = port.ranges.values().map(|range| range.line).min().unwrap_or(0);
    for name in ["sip", "dip", "sport", "dport", "size"].into_iter().filter(|name| field(name).is_none()) {
        report.assumed(line, "range", format!("port {number}: {name} is not said; what stands there by default varies by release, here it stands still"));
    }
    let is_v6 = port.single.kind.as_ref().is_some_and(|kind| kind.value == "ipv6");
    build(&format!("port-{number}"), number, port, line, &field, proto, is_v6, report)
}

/// From `start` up by `inc`; above `max` it goes on from `min`.
fn sweep(name: &str, range: &Smmi, report: &mut Report) -> Value {
    let [start, min, max, inc] = range.parts;
    let min = min.or(start).unwrap_or(0);
    let max = max.unwrap_or(min).max(min);
    let start = start.unwrap_or(min);
    let inc = inc.unwrap_or(0);
    if range.parts[1].is_some_and(|low| range.parts[2].is_some_and(|high| low > high)) {
        report.dropped(range.line, name, "its minimum is above its maximum: it stands still");
    }
    if inc == 0 {
        return Value::Fixed(start);
    }
    if start != min {
        let sentence = "it begins at start there and goes round from min; here it begins at min at once";
        report.converted(range.line, name, sentence);
    }
    Value::Sweep { from: min, to: max, step: inc.min(i64::MAX as u128), every: 1 }
}

#[allow(clippy::too_many_arguments)]
fn build(
    name: &str,
    number: u32,
    port: &Port,
    line: usize,
    field: &dyn Fn(&str) -> Option<Value>,
    proto: Option<String>,
    is_v6: bool,
    report: &mut Report,
) -> FlowDraft {
    let mut flow = FlowDraft::new(name);
    size(&mut flow, name, line, field("size"), report);
    match field("dmac") {
        Some(value) if value != Value::Fixed(0) => set_value(&mut flow, "eth.dst", &value),
        _ => {
            flow.set("eth.dst", format!("\"{NOBODY_YET}\""));
            report.assumed(line, "dst mac", format!("{name}: not said: {NOBODY_YET} is taken, write the receiver's"));
        }
    }
    if let Some(value) = field("smac").filter(|value| *value != Value::Fixed(0)) {
        set_value(&mut flow, "eth.src", &value);
    }
    let mut headers = 14 + tags(&mut flow, port, field);
    headers += network(&mut flow, number, field, is_v6);
    headers += transport(&mut flow, name, line, field, proto.as_deref(), is_v6, report);
    payload(&mut flow, name, port, headers, report);
    flow
}

fn size(flow: &mut FlowDraft, name: &str, line: usize, size: Option<Value>, report: &mut Report) {
    let size = size.unwrap_or(Value::Fixed(64));
    let without = |number: u128| number.max(64) - FCS;
    let converted = match &size {
        Value::Sweep { from, to, step, every } => {
            Value::Sweep { from: without(*from), to: without(*to), step: *step, every: *every }
        }
        other => Value::Fixed(without(other.min())),
    };
    let (low, high) = (size.min().max(64), size.max().max(64));
    let shown = |low: u128, high: u128| if low == high { low.to_string() } else { format!("{low} to {high}") };
    let sentence = format!(
        "{name}: {} bytes there count the FCS: {} without it",
        shown(low, high),
        shown(converted.min(), converted.max())
    );
    report.converted(line, "size", sentence);
    set_value(flow, "size", &converted);
}

/// Bytes of tags and labels.
fn tags(flow: &mut FlowDraft, port: &Port, field: &dyn Fn(&str) -> Option<Value>) -> usize {
    let mut bytes = 0;
    if port.is_on("vlan") {
        let value = field("vlan").unwrap_or(Value::Fixed(1));
        flow.header("vlan.0");
        set_value(flow, "vlan.0.id", &value);
        if let Some(cos) = field("cos") {
            set_value(flow, "vlan.0.pcp", &cos);
        }
        bytes += 4;
    } else if let Some(ids) = port.qinq.as_ref().filter(|_| port.is_on("qinq")) {
        flow.set("vlan.0.tpid", "0x88a8");
        set_value(flow, "vlan.0.id", &Value::Fixed(ids.value.0));
        flow.header("vlan.1");
        set_value(flow, "vlan.1.id", &Value::Fixed(ids.value.1));
        bytes += 8;
    }
    if let Some(mpls) = port.mpls.as_ref().filter(|_| port.is_on("mpls")) {
        flow.header("mpls.0");
        set_value(flow, "mpls.0.label", &Value::Fixed(mpls.value >> 12));
        set_value(flow, "mpls.0.tc", &Value::Fixed(mpls.value >> 9 & 7));
        set_value(flow, "mpls.0.ttl", &Value::Fixed(mpls.value & 0xff));
        bytes += 4;
    }
    bytes
}

fn network(flow: &mut FlowDraft, number: u32, field: &dyn Fn(&str) -> Option<Value>, is_v6: bool) -> usize {
    let (header, length) = if is_v6 { ("ipv6", 40) } else { ("ipv4", 20) };
    flow.header(header);
    // The addresses that a port has when nobody says otherwise.
    let own = |host: u128| Value::Fixed(0xc0a8_0001 | ((u128::from(number) + host) & 0xff) << 8);
    for (name, key, default) in [("sip", "src", own(0)), ("dip", "dst", own(1))] {
        let value = field(name).or_else(|| (!is_v6).then_some(default));
        if let Some(value) = value {
            set_value(flow, &format!("{header}.{key}"), &value);
        }
    }
    if let Some(ttl) = field("ttl") {
        set_value(flow, if is_v6 { "ipv6.hop_limit" } else { "ipv4.ttl" }, &ttl);
    }
    if let Some(Value::Fixed(tos)) = field("tos") {
        set_value(flow, &format!("{header}.dscp"), &Value::Fixed(tos >> 2));
        set_value(flow, &format!("{header}.ecn"), &Value::Fixed(tos & 3));
    }
    length
}

fn transport(
    flow: &mut FlowDraft,
    name: &str,
    line: usize,
    field: &dyn Fn(&str) -> Option<Value>,
    proto: Option<&str>,
    is_v6: bool,
    report: &mut Report,
) -> usize {
    let proto = proto.unwrap_or_else(|| {
        report.assumed(line, "proto", format!("{name}: not said: Pktgen-DPDK sends TCP then"));
        "tcp"
    });
    let sport = field("sport").unwrap_or(Value::Fixed(1234));
    let dport = field("dport").unwrap_or(Value::Fixed(5678));
    match proto {
        "icmp" if is_v6 => {
            flow.header("icmpv6");
            8
        }
        "icmp" => {
            flow.header("icmp");
            8
        }
        "udp" => {
            flow.header("udp");
            set_value(flow, "udp.src", &sport);
            set_value(flow, "udp.dst", &dport);
            8
        }
        other => {
            if other != "tcp" {
                report.dropped(line, other, format!("{name}: udp, tcp or icmp; tcp is taken"));
            }
            flow.header("tcp");
            set_value(flow, "tcp.src", &sport);
            set_value(flow, "tcp.dst", &dport);
            set_value(flow, "tcp.seq", &field("tcpseq").unwrap_or(Value::Fixed(0x12378)));
            set_value(flow, "tcp.ack", &field("tcpack").unwrap_or(Value::Fixed(0x12390)));
            set_value(flow, "tcp.flags", &field("tcpflags").unwrap_or(Value::Fixed(0x10)));
            set_value(flow, "tcp.window", &Value::Fixed(8192));
            20
        }
    }
}

const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";

/// The pattern fills the frame from its first byte; headers are written over it.
fn payload(flow: &mut FlowDraft, name: &str, port: &Port, headers: usize, report: &mut Report) {
    let pattern = port.pattern.as_ref();
    let mut bytes = match pattern.map(|said| said.value.as_str()) {
        Some("zero") => return flow.set("payload.kind", "\"zero\""),
        Some("none") => {
            let sentence = format!("{name}: whatever memory held there; zeros here");
            report.converted(pattern.map_or(0, |said| said.line), "pattern none", sentence);
            return flow.set("payload.kind", "\"zero\"");
        }
        Some("user") => {
            let mut bytes = port.user_pattern.clone().unwrap_or_else(|| "0123456789abcdef".into()).into_bytes();
            bytes.resize(16, 0);
            bytes
        }
        _ => LETTERS.to_vec(),
    };
    let length = bytes.len();
    bytes.rotate_left(headers % length);
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    flow.set("payload.kind", "\"pattern\"");
    flow.set("payload.bytes", format!("\"{}\"", hex.join(" ")));
}
