//! A profile as a trafgen file: header functions with counters and random numbers in their fields.

use std::fmt::Write;

use crate::{
    dialect::{Exported, Report, anatomy::first, carry, moving::settled, spoken},
    profile::{Document, Flow, Ip, Mac, Payload, Profile, Rate, Value, kind::show_mac},
};

use super::import::{STAMPED, import};

pub fn export(document: &Document) -> Exported {
    let mut report = Report::default();
    let profile = &settled(document.profile());
    let mut body = String::new();
    for flow in &profile.flows {
        if !flow.enabled {
            report.dropped(0, &format!("flow.{}.enabled", flow.name), "the flow does not send and is left out");
            continue;
        }
        body.push_str(&packet(flow, &mut report));
    }
    let head = head(profile, &mut report);
    spoken::unsaid(profile, &spoken::TRAFGEN, &mut report);
    let carried = carried(document, &format!("{head}{body}"));
    Exported { text: format!("{head}{carried}\n{body}"), report }
}

/// The settings that trafgen's own language has no place for.
fn carried(document: &Document, text: &str) -> String {
    let back = import("x", text).ok().and_then(|back| Document::parse("x", &back.text).ok());
    let Some(back) = back else { return String::new() };
    carry::settings(document, &back).iter().map(|(key, value)| carry::comment("#", key, value)).collect()
}

fn head(profile: &Profile, report: &mut Report) -> String {
    let tx = &profile.tx;
    let clean = |text: &str| text.replace("*/", "* /").replace(['\n', '\r'], " ");
    let mut out = format!("/* {}: {}\n *\n *   trafgen --dev ", clean(&profile.name), clean(&profile.note));
    let _ = write!(out, "{} --conf {}.trafgen", tx.device.as_deref().unwrap_or("DEVICE"), clean(&profile.name));
    if tx.count > 0 {
        let _ = write!(out, " --num {}", tx.count);
    }
    match tx.rate {
        Rate::Max => {}
        Rate::Pps(pps) if pps.fract() == 0.0 => _ = write!(out, " --rate {pps}pps"),
        Rate::EveryNs(gap) if gap.fract() == 0.0 => _ = write!(out, " --gap {gap}ns"),
        Rate::Bits(bits) if bits % 1000.0 == 0.0 => _ = write!(out, " --rate {}kbit", bits / 1000.0),
        other => {
            let size = profile.flows.iter().find(|flow| flow.enabled).map_or(60, |flow| first(&flow.size));
            let pps = other.pps(size as f64).unwrap_or(1.0).max(1.0).floor();
            let sentence = format!("{other} is {pps} whole packets a second of {size} bytes there");
            report.converted(0, "tx.rate", sentence);
            let _ = write!(out, " --rate {pps}pps");
        }
    }
    if profile.flows.iter().any(|flow| flow.payload == Payload::Pktgen) {
        let _ = write!(
            out,
            "\n *\n * A payload that begins with 0xbe9be955 is pktgen's header. trafgen sends it as it\n * stands here; {STAMPED}."
        );
    }
    out.push_str("\n */\n");
    out
}

fn packet(flow: &Flow, report: &mut Report) -> String {
    let (lines, length) = match &flow.raw {
        Some(bytes) => raw(flow, bytes, report),
        None => headers(flow, report),
    };
    let size = first(&flow.size) as usize;
    if !flow.size.is_fixed() {
        let key = format!("flow.{}.size", flow.name);
        report.dropped(0, &key, format!("a packet there has one size: {size} bytes are written"));
    }
    let room = size.saturating_sub(length);
    if flow.payload == Payload::Random && room > 0 {
        let key = format!("flow.{}.payload.kind", flow.name);
        report.converted(0, &key, "random bytes are drawn by trafgen itself, as far as its checksums allow");
    }
    let lines: Vec<String> = lines.into_iter().chain(payload(&flow.payload, room)).collect();
    format!("\n/* flow {} */\n{{\n  {}\n}}\n", flow.name, lines.join(",\n  "))
}

/// The header functions, and how many bytes they make.
fn headers(flow: &Flow, report: &mut Report) -> (Vec<String>, usize) {
    let mut lines = vec![eth(flow, report)];
    let mut length = 14;
    for (depth, tag) in flow.vlan.iter().enumerate() {
        let mut said = Said::new(flow, report);
        said.parts.push(format!("tpid=0x{:04x}", first(&tag.tpid)));
        if !tag.tpid.is_fixed() {
            said.lost(&format!("vlan.{depth}.tpid"), "trafgen's tpid cannot vary: the first one is written");
        }
        said.number(&format!("vlan.{depth}.pcp"), "pcp", 3, &tag.pcp);
        said.parts.push(format!("dei={}", u8::from(tag.dei)));
        said.number(&format!("vlan.{depth}.id"), "id", 12, &tag.id);
        if flow.ip.is_none() && flow.arp.is_none() && depth + 1 == flow.vlan.len() {
            said.parts.push("type=0x88b5".into());
        }
        lines.push(format!("vlan({})", said.parts.join(", ")));
        length += 4;
    }
    for (depth, label) in flow.mpls.iter().enumerate() {
        let mut said = Said::new(flow, report);
        said.number(&format!("mpls.{depth}.label"), "label", 20, &label.label);
        said.number(&format!("mpls.{depth}.tc"), "tc", 3, &label.tc);
        said.number(&format!("mpls.{depth}.ttl"), "ttl", 8, &label.ttl);
        lines.push(format!("mpls({})", said.parts.join(", ")));
        length += 4;
    }
    if let Some(arp) = &flow.arp {
        let mut said = Said::new(flow, report);
        said.number("arp.op", "op", 16, &arp.op);
        said.mac("arp.sha", "sha", &arp.sha);
        said.ipv4("arp.spa", "spa", &arp.spa);
        said.mac("arp.tha", "tha", &arp.tha);
        said.ipv4("arp.tpa", "tpa", &arp.tpa);
        lines.push(format!("arp({})", said.parts.join(", ")));
        length += 28;
    }
    let has_transport = flow.udp.is_some() || flow.tcp.is_some() || flow.icmp.is_some() || flow.icmpv6.is_some();
    match &flow.ip {
        Some(Ip::V4(ip)) => {
            let mut said = Said::new(flow, report);
            said.ipv4("ipv4.src", "sa", &ip.src);
            said.ipv4("ipv4.dst", "da", &ip.dst);
            said.number("ipv4.ttl", "ttl", 8, &ip.ttl);
            said.number_unless("ipv4.dscp", "dscp", 6, &ip.dscp, 0);
            said.number_unless("ipv4.ecn", "ecn", 2, &ip.ecn, 0);
            said.number_unless("ipv4.id", "id", 16, &ip.id, 0);
            said.word("df", ip.df);
            said.word("mf", ip.mf);
            said.number_unless("ipv4.fragment_offset", "frag", 13, &ip.fragment_offset, 0);
            said.protocol("ipv4.protocol", "proto", ip.protocol.as_ref(), has_transport);
            lines.push(format!("ipv4({})", said.parts.join(", ")));
            length += 20;
        }
        Some(Ip::V6(ip)) => {
            let mut said = Said::new(flow, report);
            let show = |n| std::net::Ipv6Addr::from_bits(n).to_string();
            said.address("ipv6.src", "sa", 16, &ip.src, show);
            said.address("ipv6.dst", "da", 16, &ip.dst, show);
            said.number("ipv6.hop_limit", "hl", 8, &ip.hop_limit);
            said.number_unless("ipv6.flow_label", "fl", 20, &ip.flow_label, 0);
            let class = first(&ip.dscp) << 2 | first(&ip.ecn);
            if class != 0 {
                said.parts.push(format!("tc={class}"));
            }
            if !ip.dscp.is_fixed() || !ip.ecn.is_fixed() {
                said.lost("ipv6.dscp", "trafgen has one field for dscp and ecn: the first values are written");
            }
            said.protocol("ipv6.next_header", "nh", ip.next_header.as_ref(), has_transport);
            lines.push(format!("ipv6({})", said.parts.join(", ")));
            length += 40;
        }
        None => {}
    }
    transport(flow, report, &mut lines, &mut length);
    (lines, length)
}

fn transport(flow: &Flow, report: &mut Report, lines: &mut Vec<String>, length: &mut usize) {
    if let Some(udp) = &flow.udp {
        let mut said = Said::new(flow, report);
        said.number("udp.src", "sp", 16, &udp.src);
        said.number("udp.dst", "dp", 16, &udp.dst);
        if !udp.checksum && !matches!(flow.ip, Some(Ip::V6(_))) {
            said.parts.push("csum=0".into());
        }
        lines.push(format!("udp({})", said.parts.join(", ")));
        *length += 8;
    }
    if let Some(tcp) = &flow.tcp {
        let mut said = Said::new(flow, report);
        said.number("tcp.src", "sp", 16, &tcp.src);
        said.number("tcp.dst", "dp", 16, &tcp.dst);
        said.number_unless("tcp.seq", "seq", 32, &tcp.seq, 0);
        said.number_unless("tcp.ack", "aseq", 32, &tcp.ack, 0);
        let flags = first(&tcp.flags);
        for (bit, name) in ["fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr"].into_iter().enumerate() {
            said.word(name, flags >> bit & 1 == 1);
        }
        if !tcp.flags.is_fixed() || flags > 255 {
            said.lost("tcp.flags", "trafgen's flags are words: the first ones are written, without ns");
        }
        said.number("tcp.window", "win", 16, &tcp.window);
        said.number_unless("tcp.urgent", "urgptr", 16, &tcp.urgent, 0);
        lines.push(format!("tcp({})", said.parts.join(", ")));
        *length += 20;
    }
    for (icmp, key, name) in [(&flow.icmp, "icmp", "icmp4"), (&flow.icmpv6, "icmpv6", "icmp6")] {
        let Some(icmp) = icmp else { continue };
        let mut said = Said::new(flow, report);
        said.number(&format!("{key}.type"), "type", 8, &icmp.kind);
        said.number(&format!("{key}.code"), "code", 8, &icmp.code);
        said.number(&format!("{key}.id"), "id", 16, &icmp.id);
        said.number(&format!("{key}.seq"), "seq", 16, &icmp.seq);
        lines.push(format!("{name}({})", said.parts.join(", ")));
        *length += 8;
    }
}

/// Bytes as they are; of what varies in them, whole random bytes and one-byte counters.
fn raw(flow: &Flow, bytes: &[u8], report: &mut Report) -> (Vec<String>, usize) {
    let mut elements: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
    for (number, patch) in flow.patch.iter().enumerate() {
        let (at, width) = (patch.at as usize, patch.width as usize);
        let all = if width >= 16 { u128::MAX } else { (1 << (8 * width)) - 1 };
        let Some(places) = elements.get_mut(at..at + width) else { continue };
        let value = first(&patch.value);
        for (back, place) in places.iter_mut().rev().enumerate() {
            *place = format!("0x{:02x}", value >> (8 * back) as u32 & 0xff);
        }
        match (&patch.value, moving(&patch.value, 8 * width)) {
            (Value::Fixed(_), _) => {}
            (Value::Random { low: 0, high, every: 1 }, _) if *high == all => places.fill("drnd(1)".into()),
            (Value::Sweep { .. }, Ok(Some(text))) if width == 1 => places[0] = text,
            _ => {
                let key = format!("flow.{}.patch.{number}.value", flow.name);
                report.dropped(0, &key, "trafgen varies single bytes of a packet: the first value is written");
            }
        }
    }
    (elements.chunks(12).map(|line| line.join(", ")).collect(), bytes.len())
}

fn eth(flow: &Flow, report: &mut Report) -> String {
    let mut said = Said::new(flow, report);
    match &flow.eth.dst {
        Mac::Is(value) => said.address("eth.dst", "da", 6, value, |mac| show_mac(mac as u64)),
        _ => {
            said.parts.push("da=00:00:00:00:00:00".into());
            said.lost("eth.dst", "trafgen asks no neighbour table: write the address into da");
        }
    }
    if let Mac::Is(value) = &flow.eth.src {
        said.address("eth.src", "sa", 6, value, |mac| show_mac(mac as u64));
    }
    if flow.ip.is_none() && flow.arp.is_none() && flow.vlan.is_empty() {
        said.parts.push("type=0x88b5".into());
    }
    format!("eth({})", said.parts.join(", "))
}

fn payload(payload: &Payload, room: usize) -> Vec<String> {
    match payload {
        _ if room == 0 => Vec::new(),
        Payload::Pktgen if room > 16 => vec![format!("c32(0xbe9be955), fill(0, {})", room - 4)],
        Payload::Pktgen if room == 16 => vec!["c32(0xbe9be955), fill(0, 12)".into()],
        Payload::Pattern(bytes) if bytes.len() == 1 => vec![format!("fill(0x{:02x}, {room})", bytes[0])],
        Payload::Pattern(bytes) if !bytes.is_empty() => {
            let all: Vec<u8> = bytes.iter().copied().cycle().take(room).collect();
            let line = |chunk: &[u8]| chunk.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
            all.chunks(16).map(line).collect()
        }
        Payload::Hex(bytes) if !bytes.is_empty() => once(bytes, room),
        Payload::Text(text) if !text.is_empty() => once(text.as_bytes(), room),
        Payload::Random => vec![format!("drnd({room})")],
        _ => vec![format!("fill(0, {room})")],
    }
}

fn once(bytes: &[u8], room: usize) -> Vec<String> {
    let bytes = &bytes[..bytes.len().min(room)];
    let line = |chunk: &[u8]| chunk.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
    let zeros = (room > bytes.len()).then(|| format!("fill(0, {})", room - bytes.len()));
    bytes.chunks(16).map(line).chain(zeros).collect()
}

/// The fields of one header function.
struct Said<'a> {
    flow: &'a Flow,
    report: &'a mut Report,
    parts: Vec<String>,
}

impl<'a> Said<'a> {
    fn new(flow: &'a Flow, report: &'a mut Report) -> Self {
        Said { flow, report, parts: Vec::new() }
    }

    fn lost(&mut self, key: &str, sentence: &str) {
        self.report.dropped(0, &format!("flow.{}.{key}", self.flow.name), sentence);
    }

    fn number_unless(&mut self, key: &str, name: &str, bits: usize, value: &Value, default: u128) {
        if *value != Value::Fixed(default) {
            self.number(key, name, bits, value);
        }
    }

    fn number(&mut self, key: &str, name: &str, bits: usize, value: &Value) {
        let text = match moving(value, bits) {
            Ok(Some(text)) => text,
            Ok(None) => first(value).to_string(),
            Err(why) => {
                self.lost(key, why);
                first(value).to_string()
            }
        };
        self.parts.push(format!("{name}={text}"));
    }

    fn word(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.parts.push(name.into());
        }
    }

    fn ipv4(&mut self, key: &str, name: &str, value: &Value) {
        self.address(key, name, 4, value, |n| std::net::Ipv4Addr::from_bits(n as u32).to_string());
    }

    fn mac(&mut self, key: &str, name: &str, mac: &Mac) {
        match mac {
            Mac::Is(value) => self.address(key, name, 6, value, |mac| show_mac(mac as u64)),
            _ => self.lost(key, "trafgen writes the device's own address into the Ethernet header only: 0 stands here"),
        }
    }

    /// What IP carries, where no header behind it says so.
    fn protocol(&mut self, key: &str, name: &str, own: Option<&Value>, has_transport: bool) {
        match own {
            Some(value) => self.number(key, name, 8, value),
            None if !has_transport => self.parts.push(format!("{name}=253")),
            None => {}
        }
    }

    /// An address as such, and the bytes of it that move behind it.
    fn address(&mut self, key: &str, name: &str, bytes: usize, value: &Value, show: impl Fn(u128) -> String) {
        self.parts.push(format!("{name}={}", show(first(value))));
        if value.is_fixed() {
            return;
        }
        let changes = value.min() ^ value.max();
        let moving_bytes = (128 - changes.leading_zeros() as usize).div_ceil(8).max(1);
        let mask = if moving_bytes >= 16 { u128::MAX } else { (1 << (8 * moving_bytes)) - 1 };
        let low = match value {
            Value::Sweep { from, to, step, every } => {
                Value::Sweep { from: from & mask, to: to & mask, step: *step, every: *every }
            }
            Value::Random { low, high, every } => Value::Random { low: low & mask, high: high & mask, every: *every },
            other => other.clone(),
        };
        match moving(&low, 8 * moving_bytes) {
            Ok(Some(_)) if moving_bytes > 4 => {
                self.lost(key, "trafgen counts and draws at most 4 bytes: the first value is written")
            }
            Ok(Some(text)) => self.parts.push(format!("{name}[{}:{moving_bytes}]={text}", bytes - moving_bytes)),
            Ok(None) => {}
            Err(why) => self.lost(key, why),
        }
    }
}

/// `dinc(…)` or `drnd(…)`; `None` when nothing moves.
fn moving(value: &Value, bits: usize) -> Result<Option<String>, &'static str> {
    if value.every() > 1 && !value.is_fixed() {
        return Err("trafgen moves at every packet, not at every nth: the first value is written");
    }
    match value {
        Value::Fixed(_) => Ok(None),
        Value::Random { low, high, .. } => Ok(Some(format!("drnd({low}, {high})"))),
        Value::List { .. } => Err("trafgen has no lists of values: the first one is written"),
        Value::Masked { .. } => Err("trafgen has no masks: the fixed bits are written, with zeros between them"),
        Value::Imix { .. } => Err("trafgen has no mixes: the first value is written"),
        Value::Sweep { from, step, .. } => {
            // Counters wrap by their range there, so the range is made of whole steps.
            let last = from + (value.positions() * step).saturating_sub(1);
            match (*step, bits < 128 && last >> bits != 0) {
                (0, _) => Ok(None),
                (_, true) => Err("trafgen's counter would wrap elsewhere: the first value is written"),
                (1, _) => Ok(Some(format!("dinc({from}, {last})"))),
                _ => Ok(Some(format!("dinc({from}, {last}, {step})"))),
            }
        }
    }
}
