//! A pktgen device becomes a flow: what the kernel would send, said as a profile says it.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{
    dialect::{FlowDraft, Kind, Report},
    profile::kind::show_mac,
};

use super::device::{Device, Tag, XmitMode};

/// Where notes about a device go. A script that came out of an export needs no explanations: it was written to mean
/// what it says here.
pub struct Told<'a> {
    pub report: &'a mut Report,
    pub is_own: bool,
}

impl Told<'_> {
    /// A note at the line that set `parameter`, else at the device's own.
    pub fn note(&mut self, kind: Kind, device: &Device, parameter: &str, sentence: impl Into<String>) {
        let (line, text) = device.said.get(parameter).cloned().unwrap_or((device.line, device.name.clone()));
        self.report.add(kind, line, &text, sentence);
    }

    /// The same meaning in other words: of no interest where the words came from here.
    pub fn explain(&mut self, device: &Device, parameter: &str, sentence: impl Into<String>) {
        if !self.is_own {
            self.note(Kind::Converted, device, parameter, sentence);
        }
    }

    /// Chosen for want of a word; an export leaves out on purpose.
    pub fn assume(&mut self, device: &Device, parameter: &str, sentence: impl Into<String>) {
        if !self.is_own {
            self.note(Kind::Assumed, device, parameter, sentence);
        }
    }
}

/// A MAC that nobody has: the lab's frames go there too.
const NOBODY: &str = "\"02:00:00:00:00:02\"";
/// pktgen's payload is never shorter than its own header.
const LEAST_PAYLOAD: u32 = 16;
const SHORTEST_FRAME: u32 = 60;
const TTL: u32 = 32;

/// Headers, sizes and addresses of a device's packets. Rates, counts and queues are the profile's business.
pub fn flow(device: &Device, name: &str, told: &mut Told<'_>) -> FlowDraft {
    let mut flow = FlowDraft::new(name);
    size(device, &mut flow, told);
    ethernet(device, &mut flow, told);
    tags(device, &mut flow, told);
    match device.is_v6() {
        true => ipv6(device, &mut flow, told),
        false => ipv4(device, &mut flow, told),
    }
    udp(device, &mut flow, told);
    conversations(device, &mut flow, told);
    left_out(device, told);
    flow
}

/// The least that pktgen really sends with these headers.
pub fn floor(device: &Device) -> u32 {
    let tags = match (device.vlan, device.svlan) {
        (None, _) => 0,
        (Some(_), None) => 4,
        (Some(_), Some(_)) => 8,
    };
    let ip = if device.is_v6() { 40 } else { 20 };
    14 + tags + 4 * device.mpls.len() as u32 + ip + 8 + LEAST_PAYLOAD
}

fn size(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    let floor = floor(device);
    let (min, max) = (device.min_size, device.max_size);
    let least = if min > 0 && min < max {
        varying_size(device, floor, flow, told)
    } else if !device.imix.is_empty() {
        imix(device, floor, flow, told)
    } else {
        let size = min.max(floor);
        match min {
            0 => told.assume(device, "pkt_size", format!("no pkt_size is set: pktgen sends {size} bytes")),
            _ if min < floor => {
                let sentence =
                    format!("pktgen raises the payload to {LEAST_PAYLOAD} bytes: {size} are sent, not {min}");
                told.explain(device, size_said(device), sentence);
            }
            _ => {}
        }
        flow.set("size", size.to_string());
        size
    };
    if least < SHORTEST_FRAME {
        flow.set("runt", "true");
    }
}

/// Whichever parameter set the least size.
fn size_said(device: &Device) -> &'static str {
    let line = |name: &str| device.said.get(name).map_or(0, |(line, _)| *line);
    if line("min_pkt_size") > line("pkt_size") { "min_pkt_size" } else { "pkt_size" }
}

fn varying_size(device: &Device, floor: u32, flow: &mut FlowDraft, told: &mut Told<'_>) -> u32 {
    let is_random = device.has("TXSIZE_RND");
    let last = if is_random { device.max_size - 1 } else { device.max_size };
    let (from, to) = (device.min_size.max(floor), last.max(floor));
    if device.min_size < floor {
        let sentence =
            format!("pktgen raises the payload to {LEAST_PAYLOAD} bytes: sizes below {floor} are sent as {floor}");
        told.explain(device, size_said(device), sentence);
    }
    if is_random {
        told.explain(device, "max_pkt_size", format!("with TXSIZE_RND the greatest size is exclusive: {from} to {to}"));
    }
    flow.set("size", range(is_random, from, to, |size| size.to_string()));
    from
}

fn imix(device: &Device, floor: u32, flow: &mut FlowDraft, told: &mut Told<'_>) -> u32 {
    let total: u64 = device.imix.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let sizes = device.imix.iter().map(|(size, _)| (*size).max(floor));
    let least = sizes.clone().min().unwrap_or(floor);
    if total == 0 {
        told.note(Kind::Dropped, device, "imix_weights", "all weights are 0: the first size is taken alone");
        let first = sizes.clone().next().unwrap_or(floor);
        flow.set("size", first.to_string());
        return first;
    }
    // A smaller common unit makes the same shares in a shorter cycle.
    let unit = device.imix.iter().fold(0, |unit, (_, weight)| common_divisor(unit, u64::from(*weight)));
    let pairs = sizes.zip(&device.imix).map(|(size, (_, weight))| format!("[{size}, {}]", u64::from(*weight) / unit));
    flow.set("size", format!("{{ imix = [{}] }}", pairs.collect::<Vec<_>>().join(", ")));
    told.explain(device, "imix_weights", slots(device, total));
    if device.imix.iter().any(|(size, _)| *size < floor) {
        told.explain(
            device,
            "imix_weights",
            format!("sizes below {floor} are sent as {floor}: the payload has 16 bytes at least"),
        );
    }
    least
}

/// The shares of pktgen's table of 100 slots beside the exact ones.
fn slots(device: &Device, total: u64) -> String {
    let mut left = 100;
    let last = device.imix.len() - 1;
    let shares = device.imix.iter().enumerate().map(|(at, (size, weight))| {
        let slots = if at == last { left } else { u64::from(*weight) * 100 / total };
        left = left.saturating_sub(slots);
        format!("{size}: {slots} %")
    });
    let shares = shares.collect::<Vec<_>>().join(", ");
    format!("pktgen draws from 100 slots ({shares}); here the shares are exact, in a fixed cycle")
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn ethernet(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    match device.dst_mac.filter(|mac| *mac != 0) {
        Some(mac) => {
            let random = device.has("MACDST_RND");
            flow.set("eth.dst", macs(mac, device.dst_mac_count, random));
        }
        None => {
            flow.set("eth.dst", NOBODY);
            let sentence = "pktgen would send to 00:00:00:00:00:00, which is nobody's; 02:00:00:00:00:02 stands here";
            told.assume(device, "dst_mac", sentence);
        }
    }
    match device.src_mac {
        Some(mac) => flow.set("eth.src", macs(mac, device.src_mac_count, device.has("MACSRC_RND"))),
        None if device.src_mac_count > 1 => {
            let sentence = "counts on from the device's own MAC, which is not known here: set eth.src";
            told.note(Kind::Dropped, device, "src_mac_count", sentence);
        }
        None => {}
    }
}

fn macs(first: u64, count: u32, random: bool) -> String {
    let shown = |mac: u64| format!("\"{}\"", show_mac(mac));
    let last = (first + u64::from(count.max(1)) - 1).min(0xffff_ffff_ffff);
    range(random, first, last, shown)
}

/// A literal, a sweep or a random range; both ends included.
fn range<T: Copy + PartialEq>(random: bool, from: T, to: T, shown: impl Fn(T) -> String) -> String {
    match random {
        _ if from == to => shown(from),
        true => format!("{{ random = [{}, {}] }}", shown(from), shown(to)),
        false => format!("{{ from = {}, to = {} }}", shown(from), shown(to)),
    }
}

fn tags(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    let outer = device.svlan.filter(|_| device.vlan.is_some()).map(|tag| (tag, "SVID_RND"));
    let inner = device.vlan.map(|tag| (tag, "VID_RND"));
    for (place, (tag, flag)) in outer.into_iter().chain(inner).enumerate() {
        vlan(flow, place, tag, device.has(flag));
    }
    for (place, entry) in device.mpls.iter().enumerate() {
        let (label, tc, ttl) = (entry >> 12, entry >> 9 & 7, entry & 0xff);
        let is_random = entry & 0x100 != 0 && device.has("MPLS_RND");
        let label = if is_random { "{ random = [0, 1048575] }".into() } else { label.to_string() };
        flow.set(&format!("mpls.{place}.label"), label);
        flow.set(&format!("mpls.{place}.tc"), tc.to_string());
        flow.set(&format!("mpls.{place}.ttl"), ttl.to_string());
        if is_random {
            told.explain(device, "mpls", format!("label {}: a set S bit asks for a random label", place + 1));
        }
    }
}

fn vlan(flow: &mut FlowDraft, place: usize, tag: Tag, is_random: bool) {
    let id = if is_random { "{ random = [0, 4095] }".into() } else { tag.id.to_string() };
    flow.set(&format!("vlan.{place}.id"), id);
    if tag.priority != 0 {
        flow.set(&format!("vlan.{place}.pcp"), tag.priority.to_string());
    }
    if tag.cfi != 0 {
        flow.set(&format!("vlan.{place}.dei"), "true");
    }
}

fn ipv4(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    let shown = |address: u32| format!("\"{}\"", Ipv4Addr::from_bits(address));
    let mut side = |ends: [Option<Ipv4Addr>; 2], key: &str, random: bool, maximum: &str| {
        let bits = ends.map(|end| end.map_or(0, Ipv4Addr::to_bits));
        let (from, to) = if bits[0] < bits[1] { (bits[0], bits[1] - u32::from(random)) } else { (bits[0], bits[0]) };
        if random && bits[0] < bits[1] {
            let (from, to) = (Ipv4Addr::from_bits(from), Ipv4Addr::from_bits(to));
            told.explain(device, maximum, format!("at random the last address is exclusive: {from} to {to}"));
        }
        flow.set(key, range(random, from, to, shown));
    };
    if device.src[0].is_some() || device.src[1].is_some() {
        side(device.src, "ipv4.src", device.has("IPSRC_RND"), "src_max");
    }
    side(device.dst, "ipv4.dst", device.has("IPDST_RND"), "dst_max");
    if device.src == [None; 2] {
        let sentence =
            "pktgen takes the device's own address as the source, which is not known here: 198.18.0.1 stands for it";
        told.assume(device, "src_min", sentence);
        flow.header("ipv4");
    }
    if device.dst == [None; 2] {
        told.assume(device, "dst_min", "no destination is set: pktgen sends to 0.0.0.0, and so does this");
    }
    flow.set("ipv4.ttl", TTL.to_string());
    flow.set("ipv4.id", "{ from = 0, to = 65535 }");
    class(flow, "ipv4", device.tos);
}

fn ipv6(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    match device.src6 {
        Some(address) => flow.set("ipv6.src", format!("\"{address}\"")),
        None => {
            let sentence = "pktgen takes the device's link-local address as the source, which is not known here: 2001:db8::1 stands for it";
            told.assume(device, "src6", sentence);
        }
    }
    let [min, max] = device.dst6.map(|end| end.map(Ipv6Addr::to_bits));
    let dst = match (min, max) {
        (min, None) => format!("\"{}\"", Ipv6Addr::from_bits(min.unwrap_or(0))),
        (min, Some(max)) => random_v6(min.unwrap_or(0), max),
    };
    flow.set("ipv6.dst", dst);
    flow.set("ipv6.hop_limit", TTL.to_string());
    class(flow, "ipv6", device.traffic_class);
}

/// `(rand OR min) AND max`: bits of both are set, bits of `max` alone are drawn.
fn random_v6(min: u128, max: u128) -> String {
    let (base, mask) = (min & max, max & !min);
    let shown = |address: u128| format!("\"{}\"", Ipv6Addr::from_bits(address));
    match mask {
        0 => shown(base),
        // A block: all of its low bits.
        _ if mask & mask.wrapping_add(1) == 0 => range(true, base, base | mask, shown),
        _ => format!("{{ random = {}, mask = {} }}", shown(base), shown(mask)),
    }
}

fn class(flow: &mut FlowDraft, header: &str, byte: u8) {
    for (key, part) in [("dscp", byte >> 2), ("ecn", byte & 3)] {
        if part != 0 {
            flow.set(&format!("{header}.{key}"), part.to_string());
        }
    }
}

fn udp(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    for (ports, key, flag, maximum) in [
        (device.udp_src, "udp.src", "UDPSRC_RND", "udp_src_max"),
        (device.udp_dst, "udp.dst", "UDPDST_RND", "udp_dst_max"),
    ] {
        let [min, max] = ports;
        let last = if min < max { max - 1 } else { min };
        if min < max {
            let words = if last == min { format!("port {min} alone") } else { format!("ports {min} to {last}") };
            told.explain(device, maximum, format!("pktgen's greatest port is exclusive: {words}"));
        }
        flow.set(key, range(device.has(flag), min, last, |port| port.to_string()));
    }
    match (device.has("UDPCSUM"), device.is_v6()) {
        (true, _) => flow.set("udp.checksum", "true"),
        (false, false) => flow.set("udp.checksum", "false"),
        (false, true) => {
            flow.set("udp.checksum", "true");
            let sentence = "without flag UDPCSUM pktgen leaves the checksum 0, illegal over IPv6: receivers would drop \
                            the packets; here it is on";
            told.note(Kind::Converted, device, "UDPCSUM", sentence);
        }
    }
}

fn conversations(device: &Device, flow: &mut FlowDraft, told: &mut Told<'_>) {
    if device.flows == 0 {
        return;
    }
    flow.set("flows.count", device.flows.to_string());
    flow.set("flows.length", device.flowlen.max(1).to_string());
    flow.set("flows.order", if device.has("FLOW_SEQ") { "\"sequential\"" } else { "\"random\"" });
    let sentence = "a flow of pktgen keeps its destination address only; here a conversation keeps addresses and ports";
    told.explain(device, "flows", sentence);
}

/// What is set and has no place here.
fn left_out(device: &Device, told: &mut Told<'_>) {
    for name in ["frags", "skb_priority", "node", "spi", "clear_counters", "debug", "NODE", "IPSEC"] {
        if device.said.contains_key(name) {
            let row = super::table::PARAMETERS.iter().chain(super::table::FLAGS).find(|row| row.name == name);
            told.note(Kind::Dropped, device, name, row.map_or("not here", |row| row.how));
        }
    }
    if !device.has("SHARED") {
        told.note(
            Kind::Dropped,
            device,
            "SHARED",
            "how the kernel keeps a packet; here every packet has a memory of its own",
        );
    }
    match device.xmit_mode {
        XmitMode::Start => {}
        XmitMode::Queue => {
            let sentence = "AF_XDP hands packets to the driver: no queueing discipline lies in front of it";
            told.note(Kind::Dropped, device, "xmit_mode", sentence);
        }
        XmitMode::NetifReceive => {
            let sentence =
                "pktgen would feed the packets into this machine's own stack; here they leave through the device";
            told.note(Kind::Dropped, device, "xmit_mode", sentence);
        }
    }
    if device.has("NO_TIMESTAMP") {
        let sentence =
            "the time is written all the same: the clock is read once a burst here, so it costs next to nothing";
        told.explain(device, "NO_TIMESTAMP", sentence);
    }
}
