//! One flow in pktgen's words.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{
    dialect::{Report, moving::varies},
    profile::{Flow, Ip, Ipv4, Ipv6, Mac, Payload, Profile, Rate, TurnOrder, Value, Vlan, kind::show_mac, sizes::mean},
};

use super::{device::NEVER_NS, export::Said};

/// A delay has at most ten digits.
const MOST_DELAY_NS: f64 = 9_999_999_999.0;
const MOST_FLOWS: u32 = 65536;
const MOST_IMIX: usize = 20;
const ANY_LABEL: Value = Value::Random { low: 0, high: 0xf_ffff, every: 1 };
const ANY_VLAN: Value = Value::Random { low: 0, high: 4095, every: 1 };

/// Why nothing of a flow can be said: pktgen's packets are UDP, and its stacks are few.
pub fn unsayable(flow: &Flow) -> Option<&'static str> {
    let tags = flow.vlan.len();
    match (&flow.ip, &flow.udp) {
        (Some(_), Some(_)) => {}
        _ => return Some("pktgen only sends UDP over IPv4 or IPv6: this flow is left out"),
    }
    if flow.raw.is_some() || flow.arp.is_some() || !flow.patch.is_empty() {
        return Some("pktgen knows no raw bytes and no patches: this flow is left out");
    }
    match (tags, flow.mpls.len()) {
        (0, 0..=16) | (1 | 2, 0) => {}
        (_, 0) => return Some("pktgen knows two VLAN tags at most: this flow is left out"),
        (0, _) => return Some("pktgen knows 16 labels at most: this flow is left out"),
        _ => return Some("pktgen sends VLAN tags or MPLS labels, not both: this flow is left out"),
    }
    flow.mpls
        .iter()
        .any(|entry| [&entry.label, &entry.tc, &entry.ttl].into_iter().all(|value| *value == Value::Fixed(0)))
        .then_some("pktgen takes a stack entry of all zeros for no label at all: this flow is left out")
}

pub fn flow(profile: &Profile, flow: &Flow, report: &mut Report) -> Said {
    let mut said = Said { commands: Vec::new(), keys: Default::default() };
    size(flow, report, &mut said);
    pace(profile, flow, report, &mut said);
    ethernet(flow, &mut said);
    tags(flow, &mut said);
    match &flow.ip {
        Some(Ip::V4(ip)) => ipv4(flow, ip, report, &mut said),
        Some(Ip::V6(ip)) => ipv6(ip, &mut said),
        None => {}
    }
    udp(flow, &mut said);
    conversations(flow, report, &mut said);
    queues(profile, flow, report, &mut said);
    said
}

/// A walk one by one at every build.
fn walk(value: &Value) -> Option<(u128, u128)> {
    match value {
        Value::Sweep { from, to, step: 1, every: 1 } => Some((*from, *to)),
        _ => None,
    }
}

fn random(value: &Value) -> Option<(u128, u128)> {
    match value {
        Value::Random { low, high, every: 1 } => Some((*low, *high)),
        _ => None,
    }
}

/// What stands for a value that cannot be said.
fn first(value: &Value) -> u128 {
    match value {
        Value::List { values, .. } => values.first().copied().unwrap_or(0),
        other => other.min(),
    }
}

fn floor(flow: &Flow) -> u128 {
    u128::from(flow.header_bytes()) + 16
}

fn size(flow: &Flow, report: &mut Report, said: &mut Said) {
    let least = floor(flow);
    match &flow.size {
        value if walk(value).is_some_and(|(from, _)| from >= least) => {
            let (from, to) = walk(value).unwrap_or_default();
            said.say(format!("min_pkt_size {from}"));
            said.say(format!("max_pkt_size {to}"));
        }
        value if random(value).is_some_and(|(low, _)| low >= least) => {
            let (low, high) = random(value).unwrap_or_default();
            said.say(format!("min_pkt_size {low}"));
            said.say(format!("max_pkt_size {}", high + 1));
            said.say("flag TXSIZE_RND");
        }
        Value::Imix { shares, every: 1 } if shares.len() <= MOST_IMIX && shares.iter().all(|s| s.value >= least) => {
            let pairs: Vec<String> = shares.iter().map(|share| format!("{},{}", share.value, share.weight)).collect();
            said.say(format!("imix_weights {}", pairs.join(" ")));
            let sentence = "pktgen draws from 100 slots, in whole percents, where the shares here are exact";
            report.converted(0, &format!("flow.{}.size", flow.name), sentence);
        }
        value => said.say(format!("pkt_size {}", first(value).max(least))),
    }
}

fn pace(profile: &Profile, flow: &Flow, report: &mut Report, said: &mut Said) {
    let tx = &profile.tx;
    let alone = profile.flows.len() == 1;
    let copies = flow.clone.unwrap_or(tx.clone).max(1);
    said.covers(&["clone", "tx.clone"]);
    let rate = match flow.rate {
        None if alone => tx.rate,
        None => Rate::Max,
        Some(rate) => rate,
    };
    if alone {
        said.covers(&["rate", "tx.rate"]);
    } else {
        said.covers(&["rate"]);
    }
    let mut count =
        if alone { [tx.count, flow.count].into_iter().filter(|n| *n > 0).min().unwrap_or(0) } else { flow.count };
    if alone && count == 0 && tx.duration_ns > 0 && rate != Rate::Max {
        count = within(tx.duration_ns, rate.pps(mean(&flow.size).max(1.0)).unwrap_or(0.0));
        said.covers(&["tx.duration"]);
        let sentence = format!("pktgen has no duration: at this rate it is count {count}");
        report.converted(0, "tx.duration", sentence);
    }
    said.covers(if alone { &["count", "tx.count"] } else { &["count"] });
    let mixes = matches!(flow.size, Value::Imix { .. });
    let burst = match () {
        // clone_skb does not go with a mix: the burst repeats alone.
        _ if mixes => copies,
        // A delay is counted from burst to burst: one by one it is what the rate says.
        _ if rate != Rate::Max => 1,
        _ => [u64::from(copies), count].into_iter().fold(u64::from(tx.burst), divisor) as u32,
    };
    said.say(format!("count {count}"));
    said.say(format!("clone_skb {}", if copies == burst { 0 } else { copies / burst.max(1) }));
    said.say(format!("burst {}", burst.max(1)));
    if !flow.enabled {
        said.covers(&["rate"]);
        return said.say(format!("delay {NEVER_NS}"));
    }
    speed(flow, rate, f64::from(burst.max(1)), report, said);
}

/// Packets that are due before a time is over.
fn within(ns: u64, pps: f64) -> u64 {
    (ns as f64 * pps / 1e9 - 1e-6).ceil().max(1.0) as u64
}

/// The greatest common divisor; 0 is no condition.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn speed(flow: &Flow, rate: Rate, burst: f64, report: &mut Report, said: &mut Said) {
    let key = format!("flow.{}: rate {rate}", flow.name);
    let fixed = match flow.size {
        Value::Fixed(size) if size >= floor(flow) => Some(size as f64),
        _ => None,
    };
    let exact = match rate {
        Rate::Max => return said.say("delay 0"),
        Rate::Pps(pps) if burst == 1.0 && pps.fract() == 0.0 && (1e9 / pps).fract() == 0.0 => {
            Some(format!("ratep {pps}"))
        }
        Rate::EveryNs(gap) if burst == 1.0 && gap.fract() == 0.0 && gap <= MOST_DELAY_NS && gap as u64 != NEVER_NS => {
            Some(format!("delay {gap}"))
        }
        Rate::Bits(bits) if burst == 1.0 => fixed.and_then(|size| {
            let mbit = bits / 1e6;
            let whole = mbit.fract() == 0.0 && (size * 8000.0 / mbit).fract() == 0.0;
            whole.then(|| format!("rate {mbit}"))
        }),
        _ => None,
    };
    if let Some(command) = exact {
        return said.say(command);
    }
    let size = fixed.unwrap_or_else(|| mean(&flow.size));
    let gap = burst * 1e9 / rate.pps(size.max(1.0)).unwrap_or(1e9);
    let delay = gap.round().clamp(0.0, MOST_DELAY_NS);
    let delay = if delay as u64 == NEVER_NS { delay + 1.0 } else { delay };
    said.say(format!("delay {delay}"));
    let unit = if burst > 1.0 { format!("{burst} packets every") } else { "a packet every".into() };
    let each = if fixed.is_none() { ", whatever its size" } else { "" };
    report.converted(0, &key, format!("pktgen paces in whole nanoseconds: {unit} {delay} ns{each}"));
}

fn ethernet(flow: &Flow, said: &mut Said) {
    for (mac, name, flag) in [(&flow.eth.dst, "dst_mac", "MACDST_RND"), (&flow.eth.src, "src_mac", "MACSRC_RND")] {
        let Mac::Is(value) = mac else { continue };
        let range = walk(value).or_else(|| random(value)).filter(|(from, to)| to - from < u128::from(u32::MAX));
        match range {
            Some((from, to)) => {
                said.say(format!("{name} {}", show_mac(from as u64)));
                said.say(format!("{name}_count {}", to - from + 1));
                if random(value).is_some() {
                    said.say(format!("flag {flag}"));
                }
            }
            None => said.say(format!("{name} {}", show_mac(first(value) as u64))),
        }
    }
}

fn tags(flow: &Flow, said: &mut Said) {
    let tag = |said: &mut Said, prefix: &str, tag: &Vlan| {
        said.say(format!("{prefix}vlan_id {}", first(&tag.id)));
        said.say(format!("{prefix}vlan_p {}", first(&tag.pcp)));
        said.say(format!("{prefix}vlan_cfi {}", u8::from(tag.dei)));
        if tag.id == ANY_VLAN {
            said.say(if prefix.is_empty() { "flag VID_RND" } else { "flag SVID_RND" });
        }
    };
    match flow.vlan.as_slice() {
        [only] => tag(said, "", only),
        [outer, inner] => {
            tag(said, "", inner);
            tag(said, "s", outer);
        }
        _ => {}
    }
    if !flow.mpls.is_empty() {
        let entries = flow.mpls.iter().map(|entry| {
            let random = u128::from(entry.label == ANY_LABEL) << 8;
            format!("{:08x}", first(&entry.label) << 12 | first(&entry.tc) << 9 | random | first(&entry.ttl))
        });
        said.say(format!("mpls {}", entries.collect::<Vec<_>>().join(",")));
    }
}

fn ipv4(flow: &Flow, ip: &Ipv4, report: &mut Report, said: &mut Said) {
    let shown = |bits: u128| Ipv4Addr::from_bits(bits as u32);
    for (value, side, flag) in [(&ip.src, "src", "IPSRC_RND"), (&ip.dst, "dst", "IPDST_RND")] {
        // At random the last address is exclusive, and behind the last of all there is none.
        let drawn = random(value).filter(|(_, high)| *high < u128::from(u32::MAX));
        let (from, to) = match (walk(value), drawn) {
            (Some(range), _) => range,
            (None, Some((low, high))) => (low, high + 1),
            _ => (first(value), first(value)),
        };
        said.say(format!("{side}_min {}", shown(from)));
        said.say(format!("{side}_max {}", shown(to)));
        if drawn.is_some() {
            said.say(format!("flag {flag}"));
            if side == "dst" && is_special(from as u32, to as u32) {
                let sentence = "pktgen's random destinations leave out loopback, multicast and broadcast addresses";
                report.converted(0, &format!("flow.{}.ipv4.dst", flow.name), sentence);
            }
        }
    }
    said.say(format!("tos {:02x}", first(&ip.dscp) << 2 | first(&ip.ecn)));
}

/// Whether a range meets 0/8, 127/8 or anything from 224 up.
fn is_special(from: u32, to: u32) -> bool {
    [(0, 0x00ff_ffff), (0x7f00_0000, 0x7fff_ffff), (0xe000_0000, u32::MAX)]
        .iter()
        .any(|(low, high)| from <= *high && to > *low)
}

fn ipv6(ip: &Ipv6, said: &mut Said) {
    let shown = |bits: u128| Ipv6Addr::from_bits(bits);
    // Drawn are the bits that the greatest has and the least has not.
    let drawn = match &ip.dst {
        Value::Masked { base, mask, every: 1 } => Some((*base, base | mask)),
        Value::Random { low, high, every: 1 } => {
            let free = low ^ high;
            (free & free.wrapping_add(1) == 0 && low & free == 0).then_some((*low, *high))
        }
        _ => None,
    };
    match drawn {
        Some((min, max)) => {
            said.say(format!("dst6_min {}", shown(min)));
            said.say(format!("dst6_max {}", shown(max)));
        }
        None => said.say(format!("dst6 {}", shown(first(&ip.dst)))),
    }
    said.say(format!("src6 {}", shown(first(&ip.src))));
    said.say(format!("traffic_class {:02x}", first(&ip.dscp) << 2 | first(&ip.ecn)));
}

fn udp(flow: &Flow, said: &mut Said) {
    let Some(udp) = &flow.udp else { return };
    for (value, side, flag) in [(&udp.src, "udp_src", "UDPSRC_RND"), (&udp.dst, "udp_dst", "UDPDST_RND")] {
        // The greatest port is exclusive, and 65536 is none.
        let walked = walk(value).filter(|(_, to)| *to < 65535);
        let drawn = random(value).filter(|(_, high)| *high < 65535);
        let (from, behind) = walked.or(drawn).map_or((first(value), first(value)), |(from, to)| (from, to + 1));
        said.say(format!("{side}_min {from}"));
        said.say(format!("{side}_max {behind}"));
        if drawn.is_some() {
            said.say(format!("flag {flag}"));
        }
    }
    if udp.checksum {
        said.say("flag UDPCSUM");
    }
}

fn conversations(flow: &Flow, report: &mut Report, said: &mut Said) {
    let Some(wanted) = flow.conversations else { return };
    said.say(format!("flows {}", wanted.count.min(MOST_FLOWS)));
    said.say(format!("flowlen {}", wanted.length));
    if wanted.order == TurnOrder::Sequential {
        said.say("flag FLOW_SEQ");
    }
    if !varies(flow) {
        return;
    }
    let sentence = "a flow of pktgen keeps its destination address only: sources and ports go on varying within it";
    report.converted(0, &format!("flow.{}.flows", flow.name), sentence);
}

fn queues(profile: &Profile, flow: &Flow, report: &mut Report, said: &mut Said) {
    let mut queues = flow.queues.clone().unwrap_or_else(|| profile.tx.queues.clone());
    queues.sort_unstable();
    let (Some(min), Some(max)) = (queues.first(), queues.last()) else { return };
    said.say(format!("queue_map_min {min}"));
    said.say(format!("queue_map_max {max}"));
    said.covers(&["queues"]);
    if queues.len() > 1 {
        let gaps = (max - min) as usize + 1 != queues.len();
        let sentence = match gaps {
            true => format!("pktgen takes all queues from {min} to {max}, also those between that are not meant"),
            false => "one pktgen thread serves these queues in turn; here each has a sender".into(),
        };
        report.converted(0, "tx.queues", sentence);
    }
    if flow.payload != Payload::Pktgen {
        said.say("flag NO_TIMESTAMP");
    }
}
