//! A profile as a TRex Python profile: scapy stacks, and a field engine for what varies.

use std::fmt::Write;

use crate::{
    dialect::{Exported, Report, anatomy::first, carry, moving::settled, spoken},
    profile::{Document, Flow, Ip, Mac, Order, Payload, Profile, Rate, Value, kind::show_mac},
};

use super::python::{STAMPED, import};

pub fn export(document: &Document) -> Exported {
    let mut report = Report::default();
    let profile = &settled(document.profile());
    let mut streams = String::new();
    for flow in &profile.flows {
        if !flow.enabled {
            report.dropped(0, &format!("flow.{}.enabled", flow.name), "the flow does not send and is left out");
            continue;
        }
        streams.push_str(&stream(profile, flow, &mut report));
    }
    spoken::unsaid(profile, &spoken::TREX, &mut report);
    totals(profile, &mut report);
    let text = |carried: &str| format!("{}{carried}\n{HEAD}{streams}{TAIL}", head(profile));
    let back = import("x", &text("")).ok().and_then(|back| Document::parse("x", &back.text).ok());
    let carried: String = back.map_or_else(String::new, |back| {
        carry::settings(document, &back).iter().map(|(key, value)| carry::comment("#", key, value)).collect()
    });
    Exported { text: text(&carried), report }
}

const HEAD: &str = "from trex_stl_lib.api import *\n\n\nclass STLFromProfile(object):\n\n    def get_streams(self, direction=0, **kwargs):\n        streams = []\n";
const TAIL: &str = "\n        return streams\n\n\ndef register():\n    return STLFromProfile()\n";

fn head(profile: &Profile) -> String {
    let clean = |text: &str| text.replace(['\n', '\r'], " ");
    let mut out = format!("# {}: {}\n", clean(&profile.name), clean(&profile.note));
    if profile.flows.iter().any(|flow| flow.payload == Payload::Pktgen) {
        let _ = write!(
            out,
            "#\n# A payload that begins with be 9b e9 55 is pktgen's header. TRex sends it as it stands\n# here; {STAMPED}.\n"
        );
    }
    out
}

/// Settings of the whole profile that one stream can carry alone.
fn totals(profile: &Profile, report: &mut Report) {
    let sending = profile.flows.iter().filter(|flow| flow.enabled).count();
    if sending > 1 && profile.tx.count > 0 {
        report.dropped(0, "tx.count", "TRex counts every stream by itself: the total is left out");
    }
    if sending > 1 && profile.tx.rate != Rate::Max && profile.flows.iter().any(|flow| flow.rate.is_some()) {
        report.converted(0, "tx.rate", "streams without a rate of their own share it evenly there");
    }
    let unpaced = profile.flows.iter().filter(|flow| flow.enabled && rate(profile, flow).is_none());
    for flow in unpaced.filter(|flow| flow.weight != 1 && sending > 1) {
        let key = format!("flow.{}.weight", flow.name);
        report.dropped(0, &key, "TRex paces every stream by itself and has no weights");
    }
}

/// The rate a stream gets; a total is shared out by weight.
fn rate(profile: &Profile, flow: &Flow) -> Option<Rate> {
    if let Some(rate) = flow.rate {
        return (rate != Rate::Max).then_some(rate);
    }
    let sharing: u32 =
        profile.flows.iter().filter(|flow| flow.enabled && flow.rate.is_none()).map(|flow| flow.weight).sum();
    let share = |total: f64| if sharing > 0 { total * f64::from(flow.weight) / f64::from(sharing) } else { total };
    let size = first(&flow.size) as f64;
    Some(match profile.tx.rate {
        Rate::Max => return None,
        other if sharing <= flow.weight => other,
        other => Rate::Pps(share(other.pps(size)?)),
    })
}

fn stream(profile: &Profile, flow: &Flow, report: &mut Report) -> String {
    let mut made = Made { flow, report, layers: Vec::new(), variables: Vec::new(), has_sums: false, length: 0 };
    match &flow.raw {
        Some(bytes) => made.raw(bytes),
        None => made.layers(),
    }
    made.payload();
    let vm = made.engine();
    let stack = made.layers.join(" /\n            ");
    let rate = match rate(profile, flow) {
        None => "percentage=100".to_string(),
        Some(Rate::Pps(pps)) => format!("pps={pps}"),
        Some(Rate::WireBits(bits)) => format!("bps_L1={bits}"),
        Some(other) => {
            let size = first(&flow.size) as f64;
            let pps = other.pps(size).unwrap_or(1.0);
            if matches!(other, Rate::Bits(_)) {
                let key = format!("flow.{}.rate", flow.name);
                let sentence = format!("{other} is {pps} packets a second of {size} bytes: TRex's bits count the FCS");
                made.report.converted(0, &key, sentence);
            }
            format!("pps={pps}")
        }
    };
    let alone = profile.flows.iter().filter(|flow| flow.enabled).count() == 1;
    let count = if flow.count == 0 && alone { profile.tx.count } else { flow.count };
    let mode = match count {
        0 => format!("STLTXCont({rate})"),
        count => format!("STLTXSingleBurst({rate}, total_pkts={count})"),
    };
    let isg = match flow.start_ns {
        0 => String::new(),
        ns => format!("\n            isg={},", ns as f64 / 1000.0),
    };
    format!(
        "\n        packet = (\n            {stack})\n{vm}        streams.append(STLStream(\n            name=\"{}\",{isg}\n            packet=STLPktBuilder(pkt=packet, vm=vm),\n            mode={mode}))\n",
        flow.name
    )
}

/// A variable of the field engine and where it is written.
struct Variable {
    key: String,
    name: String,
    /// As TRex finds it: `IP.src`, or a number of bytes.
    place: String,
    fixup: usize,
    bytes: usize,
    /// Mask and shift within `bytes`, for parts.
    part: Option<(u128, usize)>,
    value: Value,
}

struct Made<'a> {
    flow: &'a Flow,
    report: &'a mut Report,
    layers: Vec<String>,
    variables: Vec<Variable>,
    has_sums: bool,
    length: usize,
}

impl Made<'_> {
    fn lost(&mut self, key: &str, sentence: &str) {
        self.report.dropped(0, &format!("flow.{}.{key}", self.flow.name), sentence);
    }

    /// A whole field of up to 8 bytes.
    fn vary(&mut self, key: &str, place: &str, bytes: usize, value: &Value) -> u128 {
        self.add(key, place, bytes, None, value);
        first(value)
    }

    /// Some bits of a field that is written as `bytes` from `at` bytes behind `place`.
    fn vary_part(
        &mut self,
        key: &str,
        place: &str,
        (at, bytes): (usize, usize),
        (mask, shift): (u128, usize),
        value: &Value,
    ) -> u128 {
        let before = self.variables.len();
        self.add(key, place, bytes, Some((mask, shift)), value);
        for variable in &mut self.variables[before..] {
            variable.fixup += at;
        }
        first(value)
    }

    fn add(&mut self, key: &str, place: &str, bytes: usize, part: Option<(u128, usize)>, value: &Value) {
        let name = key.replace('.', "_");
        match value {
            Value::Fixed(_) => {}
            Value::Sweep { .. } | Value::Random { .. } if value.every() > 1 => {
                self.lost(key, "TRex moves at every packet, not at every nth: the first value is written");
            }
            Value::Sweep { .. } | Value::Random { .. } => {
                // The bytes that change; a variable has 1, 2, 4 or 8 of them.
                let changes = value.min() ^ value.max();
                let needed = (128 - changes.leading_zeros() as usize).div_ceil(8).max(1);
                let own =
                    [1, 2, 4, 8].into_iter().find(|own| *own >= needed && (part.is_none() || *own >= bytes.min(4)));
                let Some(own) = own.filter(|own| *own <= bytes || part.is_some()) else {
                    return self.lost(key, "no variable of TRex fits these bytes: the first value is written");
                };
                let mask = if own >= 16 { u128::MAX } else { (1 << (8 * own)) - 1 };
                let low = |number: u128| if part.is_some() { number } else { number & mask };
                let value = match value {
                    Value::Sweep { from, step, .. } => {
                        Value::Sweep { from: low(*from), to: low(value.max()), step: *step, every: 1 }
                    }
                    other => Value::Random { low: low(other.min()), high: low(other.max()), every: 1 },
                };
                let fixup = if part.is_some() { 0 } else { bytes - own };
                let bytes = if part.is_some() { bytes } else { own };
                self.variables.push(Variable { key: key.into(), name, place: place.into(), fixup, bytes, part, value });
            }
            Value::List { .. } | Value::Imix { .. } => {
                self.lost(key, "TRex has no lists of values: the first one is written");
            }
            Value::Masked { .. } => self.lost(key, "TRex has no random bits under a mask: the fixed ones are written"),
        }
    }

    fn layers(&mut self) {
        let flow = self.flow;
        let mut ether = Vec::new();
        match &flow.eth.dst {
            Mac::Is(value) => {
                ether.push(format!("dst=\"{}\"", show_mac(self.vary("eth.dst", "Ether.dst", 6, value) as u64)))
            }
            _ => self.lost("eth.dst", "TRex takes the destination of its port: write the address here"),
        }
        if let Mac::Is(value) = &flow.eth.src {
            ether.push(format!("src=\"{}\"", show_mac(self.vary("eth.src", "Ether.src", 6, value) as u64)));
        }
        self.length = 14;
        let tpids: Vec<u128> = flow.vlan.iter().map(|tag| first(&tag.tpid)).collect();
        if let Some(tpid) = tpids.first().filter(|tpid| **tpid != 0x8100) {
            ether.push(format!("type=0x{tpid:04x}"));
        } else if flow.vlan.is_empty() && flow.ip.is_none() && flow.arp.is_none() {
            ether.push("type=0x88b5".into());
        }
        self.layers.push(format!("Ether({})", ether.join(", ")));
        for (depth, tag) in flow.vlan.iter().enumerate() {
            if !tag.tpid.is_fixed() {
                self.lost(
                    &format!("vlan.{depth}.tpid"),
                    "the tpid of a tag cannot vary there: the first one is written",
                );
            }
            let place = format!("Dot1Q:{depth}.prio");
            let id = self.vary_part(&format!("vlan.{depth}.id"), &place, (0, 2), (0xfff, 0), &tag.id);
            let pcp = self.vary_part(&format!("vlan.{depth}.pcp"), &place, (0, 2), (0xe000, 13), &tag.pcp);
            let mut parts = vec![format!("vlan={id}"), format!("prio={pcp}")];
            if tag.dei {
                parts.push("id=1".into());
            }
            match tpids.get(depth + 1) {
                Some(next) if *next != 0x8100 => parts.push(format!("type=0x{next:04x}")),
                None if flow.ip.is_none() && flow.arp.is_none() => parts.push("type=0x88b5".into()),
                _ => {}
            }
            self.layers.push(format!("Dot1Q({})", parts.join(", ")));
            self.length += 4;
        }
        for (depth, label) in flow.mpls.iter().enumerate() {
            let place = format!("MPLS:{depth}.label");
            let key = |name: &str| format!("mpls.{depth}.{name}");
            let number = self.vary_part(&key("label"), &place, (0, 4), (0xffff_f000, 12), &label.label);
            let tc = self.vary_part(&key("tc"), &place, (0, 4), (0xe00, 9), &label.tc);
            let ttl = self.vary_part(&key("ttl"), &place, (0, 4), (0xff, 0), &label.ttl);
            self.layers.push(format!("MPLS(label={number}, cos={tc}, ttl={ttl})"));
            self.length += 4;
        }
        self.network();
        self.transport();
    }

    fn network(&mut self) {
        let flow = self.flow;
        let has_transport = flow.udp.is_some() || flow.tcp.is_some() || flow.icmp.is_some() || flow.icmpv6.is_some();
        let v4 = |number: u128| std::net::Ipv4Addr::from_bits(number as u32);
        if let Some(arp) = &flow.arp {
            let op = self.vary("arp.op", "ARP.op", 2, &arp.op);
            let mac = |made: &mut Self, key: &str, place: &str, mac: &Mac| match mac {
                Mac::Is(value) => show_mac(made.vary(key, place, 6, value) as u64),
                _ => {
                    made.lost(key, "TRex writes the port's own address into the Ethernet header only: 0 stands here");
                    show_mac(0)
                }
            };
            let sha = mac(self, "arp.sha", "ARP.hwsrc", &arp.sha);
            let tha = mac(self, "arp.tha", "ARP.hwdst", &arp.tha);
            let spa = self.vary("arp.spa", "ARP.psrc", 4, &arp.spa);
            let tpa = self.vary("arp.tpa", "ARP.pdst", 4, &arp.tpa);
            let (spa, tpa) = (v4(spa), v4(tpa));
            self.layers.push(format!("ARP(op={op}, hwsrc=\"{sha}\", psrc=\"{spa}\", hwdst=\"{tha}\", pdst=\"{tpa}\")"));
            self.length += 28;
        }
        match &flow.ip {
            Some(Ip::V4(ip)) => {
                let src = v4(self.vary("ipv4.src", "IP.src", 4, &ip.src));
                let dst = v4(self.vary("ipv4.dst", "IP.dst", 4, &ip.dst));
                let ttl = self.vary("ipv4.ttl", "IP.ttl", 1, &ip.ttl);
                let dscp = self.vary_part("ipv4.dscp", "IP.tos", (0, 1), (0xfc, 2), &ip.dscp);
                let ecn = self.vary_part("ipv4.ecn", "IP.tos", (0, 1), (0x3, 0), &ip.ecn);
                let id = self.vary("ipv4.id", "IP.id", 2, &ip.id);
                let frag = self.vary_part("ipv4.fragment_offset", "IP.flags", (0, 2), (0x1fff, 0), &ip.fragment_offset);
                let mut parts = format!("src=\"{src}\", dst=\"{dst}\", ttl={ttl}, id={id}");
                for (name, value) in
                    [("tos", dscp << 2 | ecn), ("frag", frag), ("flags", u128::from(ip.mf) | u128::from(ip.df) << 1)]
                {
                    if value != 0 {
                        let _ = write!(parts, ", {name}={value}");
                    }
                }
                match &ip.protocol {
                    Some(value) => _ = write!(parts, ", proto={}", self.vary("ipv4.protocol", "IP.proto", 1, value)),
                    None if !has_transport => parts.push_str(", proto=253"),
                    None => {}
                }
                self.layers.push(format!("IP({parts})"));
                self.has_sums = true;
                self.length += 20;
            }
            Some(Ip::V6(ip)) => {
                let v6 = std::net::Ipv6Addr::from_bits;
                let src = v6(self.vary("ipv6.src", "IPv6.src", 16, &ip.src));
                let dst = v6(self.vary("ipv6.dst", "IPv6.dst", 16, &ip.dst));
                let hops = self.vary("ipv6.hop_limit", "IPv6.hlim", 1, &ip.hop_limit);
                let label = self.vary_part("ipv6.flow_label", "IPv6.version", (0, 4), (0xf_ffff, 0), &ip.flow_label);
                let dscp = self.vary_part("ipv6.dscp", "IPv6.version", (0, 4), (0x0fc0_0000, 22), &ip.dscp);
                let ecn = self.vary_part("ipv6.ecn", "IPv6.version", (0, 4), (0x0030_0000, 20), &ip.ecn);
                let mut parts =
                    format!("src=\"{src}\", dst=\"{dst}\", hlim={hops}, tc={}, fl={label}", dscp << 2 | ecn);
                match &ip.next_header {
                    Some(value) => _ = write!(parts, ", nh={}", self.vary("ipv6.next_header", "IPv6.nh", 1, value)),
                    None if !has_transport => parts.push_str(", nh=253"),
                    None => {}
                }
                self.layers.push(format!("IPv6({parts})"));
                self.length += 40;
            }
            None => {}
        }
    }

    fn transport(&mut self) {
        let flow = self.flow;
        if let Some(udp) = &flow.udp {
            let (src, dst) =
                (self.vary("udp.src", "UDP.sport", 2, &udp.src), self.vary("udp.dst", "UDP.dport", 2, &udp.dst));
            let is_off = !udp.checksum && !matches!(flow.ip, Some(Ip::V6(_)));
            self.layers.push(format!("UDP(sport={src}, dport={dst}{})", if is_off { ", chksum=0" } else { "" }));
            self.has_sums = true;
            self.length += 8;
        }
        if let Some(tcp) = &flow.tcp {
            let src = self.vary("tcp.src", "TCP.sport", 2, &tcp.src);
            let dst = self.vary("tcp.dst", "TCP.dport", 2, &tcp.dst);
            let seq = self.vary("tcp.seq", "TCP.seq", 4, &tcp.seq);
            let ack = self.vary("tcp.ack", "TCP.ack", 4, &tcp.ack);
            let flags = self.vary_part("tcp.flags", "TCP.dataofs", (0, 2), (0x1ff, 0), &tcp.flags);
            let window = self.vary("tcp.window", "TCP.window", 2, &tcp.window);
            let urgent = self.vary("tcp.urgent", "TCP.urgptr", 2, &tcp.urgent);
            self.layers.push(format!(
                "TCP(sport={src}, dport={dst}, seq={seq}, ack={ack}, flags={flags}, window={window}, urgptr={urgent})"
            ));
            self.has_sums = true;
            self.length += 20;
        }
        for (icmp, key, layer) in [(&flow.icmp, "icmp", "ICMP"), (&flow.icmpv6, "icmpv6", "ICMPv6EchoRequest")] {
            let Some(icmp) = icmp else { continue };
            let kind = self.vary(&format!("{key}.type"), &format!("{layer}.type"), 1, &icmp.kind);
            let code = self.vary(&format!("{key}.code"), &format!("{layer}.code"), 1, &icmp.code);
            let id = self.vary(&format!("{key}.id"), &format!("{layer}.id"), 2, &icmp.id);
            let seq = self.vary(&format!("{key}.seq"), &format!("{layer}.seq"), 2, &icmp.seq);
            self.layers.push(format!("{layer}(type={kind}, code={code}, id={id}, seq={seq})"));
            self.has_sums = true;
            self.length += 8;
        }
    }

    fn raw(&mut self, bytes: &[u8]) {
        let mut bytes = bytes.to_vec();
        for (number, patch) in self.flow.patch.iter().enumerate() {
            let (at, width) = (patch.at as usize, patch.width as usize);
            self.add(&format!("patch.{number}.value"), &at.to_string(), width, None, &patch.value);
            let value = first(&patch.value);
            for (back, byte) in bytes.get_mut(at..at + width).unwrap_or_default().iter_mut().rev().enumerate() {
                *byte = (value >> (8 * back)) as u8;
            }
        }
        // The first layer says what the bytes are.
        let (head, rest) = bytes.split_at(14.min(bytes.len()));
        let mac = |at: usize| {
            head.get(at..at + 6).map_or(0, |mac| mac.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
        };
        let ethertype = head.get(12..14).map_or(0, |two| u16::from(two[0]) << 8 | u16::from(two[1]));
        self.layers.push(format!(
            "Ether(dst=\"{}\", src=\"{}\", type=0x{ethertype:04x})",
            show_mac(mac(0)),
            show_mac(mac(6))
        ));
        if !rest.is_empty() {
            self.layers.push(format!("Raw(load={})", text(rest)));
        }
        self.length = bytes.len();
    }

    fn payload(&mut self) {
        let size = first(&self.flow.size) as usize;
        if !self.flow.size.is_fixed() {
            self.lost("size", &format!("a stream's packet has one size here: {size} bytes are written"));
        }
        let room = size.saturating_sub(self.length);
        if room == 0 {
            return;
        }
        let zeros = |count: usize| format!("(b\"\\x00\" * {count})");
        let raw = match &self.flow.payload {
            Payload::Pktgen if room >= 16 => format!("(b\"\\xbe\\x9b\\xe9\\x55\" + b\"\\x00\" * {})", room - 4),
            Payload::Pattern(bytes) if bytes.len() == 1 => format!("(b\"\\x{:02x}\" * {room})", bytes[0]),
            Payload::Pattern(bytes) if !bytes.is_empty() => {
                text(&bytes.iter().copied().cycle().take(room).collect::<Vec<u8>>())
            }
            Payload::Hex(bytes) => text(&padded(bytes, room)),
            Payload::Text(words) => text(&padded(words.as_bytes(), room)),
            Payload::Random => {
                self.lost("payload.kind", "TRex has no random payload: zeros are written");
                zeros(room)
            }
            _ => zeros(room),
        };
        self.layers.push(format!("Raw(load={raw})"));
    }

    fn engine(&mut self) -> String {
        if self.variables.is_empty() {
            return "        vm = STLScVmRaw([])\n".into();
        }
        let walking: Vec<usize> =
            (0..self.variables.len()).filter(|at| matches!(self.variables[*at].value, Value::Sweep { .. })).collect();
        let mut lines = Vec::new();
        for (at, one) in self.variables.iter().enumerate() {
            let (op, low, high, step) = match &one.value {
                Value::Sweep { from, to, step, .. } => ("inc", from, to, *step),
                Value::Random { low, high, .. } => ("random", low, high, 1),
                _ => continue,
            };
            let next = walking.iter().position(|known| *known == at).and_then(|place| walking.get(place + 1));
            let next = match next {
                Some(next) if self.flow.order == Order::Nested => {
                    format!(", next_var=\"{}\"", self.variables[*next].name)
                }
                _ => String::new(),
            };
            let size = [1, 2, 4, 8].into_iter().find(|size| *size >= one.bytes).unwrap_or(8);
            lines.push(format!(
                "STLVmFlowVar(name=\"{}\", min_value={low}, max_value={high}, size={size}, step={step}, op=\"{op}\"{next})",
                one.name
            ));
        }
        for one in &self.variables {
            let place = match one.place.parse::<usize>() {
                Ok(at) => at.to_string(),
                Err(_) => format!("\"{}\"", one.place),
            };
            let fixup = if one.fixup > 0 { format!(", offset_fixup={}", one.fixup) } else { String::new() };
            lines.push(match one.part {
                Some((mask, shift)) => format!(
                    "STLVmWrMaskFlowVar(fv_name=\"{}\", pkt_offset={place}, pkt_cast_size={}, mask=0x{mask:x}, shift={shift}{fixup})",
                    one.name, one.bytes
                ),
                None => format!("STLVmWrFlowVar(fv_name=\"{}\", pkt_offset={place}{fixup})", one.name),
            });
        }
        let outside = ["eth.", "vlan.", "mpls."];
        let is_summed = |one: &Variable| !outside.iter().any(|header| one.key.starts_with(header));
        if self.has_sums && self.variables.iter().any(is_summed) {
            lines.push(self.fix());
        }
        let lines: String = lines.iter().map(|line| format!("            {line},\n")).collect();
        format!("        vm = STLScVmRaw([\n{lines}        ])\n")
    }

    fn fix(&mut self) -> String {
        if self.variables.iter().any(|one| one.key.starts_with("icmp.")) {
            let key = format!("flow.{}.icmp", self.flow.name);
            self.report.converted(
                0,
                &key,
                "TRex fixes no checksum of ICMP over IPv4: packets that vary carry a wrong one there",
            );
        }
        let l3 = if matches!(self.flow.ip, Some(Ip::V6(_))) { "IPv6" } else { "IP" };
        let l4 = match (&self.flow.udp, &self.flow.tcp) {
            (Some(_), _) => "UDP",
            (_, Some(_)) => "TCP",
            _ if l3 == "IP" => return "STLVmFixIpv4(offset=\"IP\")".into(),
            _ => return "STLVmFixIcmpv6(l3_offset=\"IPv6\", l4_offset=\"ICMPv6EchoRequest\")".into(),
        };
        format!("STLVmFixChecksumHw(l3_offset=\"{l3}\", l4_offset=\"{l4}\", l4_type=CTRexVmInsFixHwCs.L4_TYPE_{l4})")
    }
}

fn padded(bytes: &[u8], room: usize) -> Vec<u8> {
    let mut out = bytes[..bytes.len().min(room)].to_vec();
    out.resize(room, 0);
    out
}

/// A text of bytes, over several lines when long.
fn text(bytes: &[u8]) -> String {
    let line = |chunk: &[u8]| format!("b\"{}\"", chunk.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>());
    format!("({})", bytes.chunks(24).map(line).collect::<Vec<_>>().join("\n             "))
}
