//! A pktgen device as the kernel keeps it: what each command does to it, word by word as the kernel reads it.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{Ipv4Addr, Ipv6Addr},
};

use crate::profile::kind::parse_mac;

/// A device of a kernel thread with everything that was set.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// `eth1@2`.
    pub name: String,
    pub thread: u32,
    pub line: usize,
    pub count: u64,
    pub clone_skb: u32,
    pub burst: u32,
    pub delay_ns: u64,
    pub pace: Option<Pace>,
    pub min_size: u32,
    pub max_size: u32,
    /// Sizes and weights.
    pub imix: Vec<(u32, u32)>,
    pub xmit_mode: XmitMode,
    pub dst: [Option<Ipv4Addr>; 2],
    pub src: [Option<Ipv4Addr>; 2],
    pub dst6: [Option<Ipv6Addr>; 2],
    pub src6: Option<Ipv6Addr>,
    pub dst_mac: Option<u64>,
    pub src_mac: Option<u64>,
    pub dst_mac_count: u32,
    pub src_mac_count: u32,
    pub udp_src: [u16; 2],
    pub udp_dst: [u16; 2],
    pub flows: u32,
    pub flowlen: u32,
    pub queue_map: [u32; 2],
    pub tos: u8,
    pub traffic_class: u8,
    /// Inner and outer tag.
    pub vlan: Option<Tag>,
    pub svlan: Option<Tag>,
    /// Label stack entries; a set S bit asks for a random label.
    pub mpls: Vec<u32>,
    pub flags: BTreeSet<&'static str>,
    /// Where each parameter was set last: line, text.
    pub said: BTreeMap<&'static str, (usize, String)>,
}

/// How the delay came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// In ns between two calls of the driver.
    Delay,
    /// `rate`, in Mbit/s, with the packet size it was worked out of.
    Mbit { rate: u64, size: u32 },
    /// `ratep`, in packets a second.
    Packets(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmitMode {
    Start,
    NetifReceive,
    Queue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tag {
    pub id: u16,
    pub priority: u8,
    pub cfi: u8,
}

/// What the kernel makes of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Taken,
    /// Taken otherwise than it is written.
    Bent(String),
    /// The write fails, or nothing is changed by it.
    Refused(String),
}

pub const FLAGS: [&str; 20] = [
    "IPV6",
    "IPSRC_RND",
    "IPDST_RND",
    "TXSIZE_RND",
    "UDPSRC_RND",
    "UDPDST_RND",
    "UDPCSUM",
    "NO_TIMESTAMP",
    "MPLS_RND",
    "QUEUE_MAP_RND",
    "QUEUE_MAP_CPU",
    "FLOW_SEQ",
    "IPSEC",
    "MACSRC_RND",
    "MACDST_RND",
    "VID_RND",
    "SVID_RND",
    "NODE",
    "SHARED",
    "FLOW_RND",
];

pub const NEVER_NS: u64 = 0x7fff_ffff;
const LEAST_SIZE: u32 = 42;
const MOST_FLOWS: u32 = 65536;
const MOST_IMIX: usize = 20;
const MOST_LABELS: usize = 16;
const STACK_BOTTOM: u32 = 0x100;

impl Device {
    pub fn new(name: &str, thread: u32, line: usize) -> Device {
        Device {
            name: name.into(),
            thread,
            line,
            count: 1000,
            clone_skb: 0,
            burst: 1,
            delay_ns: 0,
            pace: None,
            min_size: 0,
            max_size: 0,
            imix: Vec::new(),
            xmit_mode: XmitMode::Start,
            dst: [None; 2],
            src: [None; 2],
            dst6: [None; 2],
            src6: None,
            dst_mac: None,
            src_mac: None,
            dst_mac_count: 0,
            src_mac_count: 0,
            udp_src: [9, 9],
            udp_dst: [9, 9],
            flows: 0,
            flowlen: 0,
            queue_map: [0, 0],
            tos: 0,
            traffic_class: 0,
            vlan: None,
            svlan: None,
            mpls: Vec::new(),
            flags: BTreeSet::from(["SHARED"]),
            said: BTreeMap::new(),
        }
    }

    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }

    pub fn is_v6(&self) -> bool {
        self.has("IPV6")
    }

    /// Times each built packet goes out: as often as it is handed over, and each time a whole burst of it.
    pub fn copies(&self) -> u64 {
        u64::from(self.clone_skb.max(1)) * u64::from(self.burst)
    }

    /// Carries out one command.
    pub fn apply(&mut self, line: usize, text: &str) -> Outcome {
        let (name, value) = split(text);
        let Some(row) = super::table::parameter(name) else {
            return Outcome::Refused(format!(
                "pktgen has no parameter \"{}\"",
                name.chars().take(40).collect::<String>()
            ));
        };
        let outcome = match row.name {
            "flag" => self.flag(value, line, text),
            name => self.parameter(name, value),
        };
        if !matches!(outcome, Outcome::Refused(_)) && row.name != "flag" {
            self.said.insert(row.name, (line, text.into()));
        }
        outcome
    }

    fn parameter(&mut self, name: &'static str, value: &str) -> Outcome {
        match name {
            "imix_weights" => self.imix(value),
            "mpls" => self.mpls(value),
            "xmit_mode" => self.xmit_mode(value),
            "dst" | "dst_min" | "dst_max" | "src_min" | "src_max" => self.ipv4(name, value),
            "dst6" | "dst6_min" | "dst6_max" | "src6" => self.ipv6(name, value),
            "dst_mac" | "src_mac" => self.mac(name, value),
            "tos" | "traffic_class" => self.hex_byte(name, value),
            "clear_counters" | "node" | "spi" | "debug" | "frags" | "skb_priority" => Outcome::Taken,
            _ => self.number(name, value),
        }
    }

    fn number(&mut self, name: &'static str, value: &str) -> Outcome {
        let (number, rest) = digits(value);
        let outcome = self.set_number(name, number);
        match outcome {
            Outcome::Taken if !rest.trim().is_empty() => {
                Outcome::Bent(format!("pktgen reads digits only, so \"{value}\" is {number}"))
            }
            other => other,
        }
    }

    fn set_number(&mut self, name: &'static str, number: u64) -> Outcome {
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        match name {
            "count" => self.count = number,
            "delay" => (self.delay_ns, self.pace) = (number, Some(Pace::Delay)),
            "rate" | "ratep" => return self.set_rate(name, number),
            "burst" => return self.set_burst(small),
            "clone_skb" => return self.set_clone(small),
            "pkt_size" | "min_pkt_size" | "max_pkt_size" => return self.set_size(name, small),
            "src_mac_count" => self.src_mac_count = small,
            "dst_mac_count" => self.dst_mac_count = small,
            "udp_src_min" => return port(&mut self.udp_src[0], number),
            "udp_src_max" => return port(&mut self.udp_src[1], number),
            "udp_dst_min" => return port(&mut self.udp_dst[0], number),
            "udp_dst_max" => return port(&mut self.udp_dst[1], number),
            "flows" => {
                self.flows = small.min(MOST_FLOWS);
                if small > MOST_FLOWS {
                    return Outcome::Bent(format!("{number} flows are clipped to {MOST_FLOWS}"));
                }
            }
            "flowlen" => self.flowlen = small,
            "queue_map_min" => self.queue_map[0] = small & 0xffff,
            "queue_map_max" => self.queue_map[1] = small & 0xffff,
            _ => return self.set_tag(name, small),
        }
        Outcome::Taken
    }

    fn set_rate(&mut self, name: &str, number: u64) -> Outcome {
        if number == 0 {
            return Outcome::Refused("0 is refused by the kernel".into());
        }
        if name == "ratep" {
            (self.delay_ns, self.pace) = (1_000_000_000 / number, Some(Pace::Packets(number)));
            return Outcome::Taken;
        }
        let size = self.min_size;
        self.delay_ns = u64::from(size) * 8 * 1000 / number;
        self.pace = Some(Pace::Mbit { rate: number, size });
        Outcome::Taken
    }

    fn set_burst(&mut self, burst: u32) -> Outcome {
        if burst > 1 && self.xmit_mode == XmitMode::Queue {
            return Outcome::Refused("burst above 1 does not go with xmit_mode queue_xmit".into());
        }
        if burst > 1 && !self.has("SHARED") {
            return Outcome::Refused("burst above 1 does not go with flag !SHARED".into());
        }
        self.burst = burst.max(1);
        Outcome::Taken
    }

    fn set_clone(&mut self, clones: u32) -> Outcome {
        let why = match () {
            _ if clones == 0 => None,
            _ if self.xmit_mode == XmitMode::NetifReceive => Some("xmit_mode netif_receive"),
            _ if !self.imix.is_empty() => Some("imix_weights"),
            _ if !self.has("SHARED") => Some("flag !SHARED"),
            _ => None,
        };
        if let Some(why) = why {
            return Outcome::Refused(format!("clone_skb does not go with {why}"));
        }
        self.clone_skb = clones;
        Outcome::Taken
    }

    fn set_size(&mut self, name: &str, asked: u32) -> Outcome {
        let size = asked.max(LEAST_SIZE);
        match name {
            "min_pkt_size" => self.min_size = size,
            "max_pkt_size" => self.max_size = size,
            // A size that is the least already leaves an older greatest one in force.
            _ if size != self.min_size => (self.min_size, self.max_size) = (size, size),
            _ => {}
        }
        if asked < LEAST_SIZE { Outcome::Bent(format!("{asked} is raised to {LEAST_SIZE}")) } else { Outcome::Taken }
    }

    fn set_tag(&mut self, name: &str, number: u32) -> Outcome {
        let is_outer = name.starts_with('s');
        match name.trim_start_matches('s') {
            "vlan_id" if number > 4095 => {
                (self.vlan, self.svlan) = (None, None);
                let only = if is_outer { ", the inner one too" } else { "" };
                return Outcome::Bent(format!("above 4095 it takes the tags out{only}"));
            }
            "vlan_id" if is_outer && self.vlan.is_none() => {
                self.svlan = Some(Tag { id: number as u16, ..Tag::default() });
                self.mpls.clear();
                return Outcome::Bent("an outer tag is only sent with an inner one (vlan_id)".into());
            }
            "vlan_id" => {
                let tag = if is_outer { &mut self.svlan } else { &mut self.vlan };
                tag.get_or_insert_default().id = number as u16;
                self.mpls.clear();
            }
            part => {
                let limit = if part == "vlan_p" { 7 } else { 1 };
                let tag = if is_outer { &mut self.svlan } else { &mut self.vlan };
                let Some(tag) = tag.as_mut().filter(|_| number <= limit) else {
                    return Outcome::Refused(format!("0 to {limit} is allowed, and only behind the tag's id"));
                };
                if part == "vlan_p" { tag.priority = number as u8 } else { tag.cfi = number as u8 }
            }
        }
        Outcome::Taken
    }

    fn imix(&mut self, value: &str) -> Outcome {
        if self.clone_skb > 0 {
            return Outcome::Refused("imix_weights do not go with clone_skb".into());
        }
        let mut found = Vec::new();
        for entry in value.split_whitespace() {
            let pair = entry.split_once(',').map(|(size, weight)| (digits(size).0, digits(weight).0));
            let Some((size, weight)) = pair else {
                return Outcome::Refused(format!("\"{entry}\" is no size,weight"));
            };
            if found.len() == MOST_IMIX {
                return Outcome::Refused(format!("more than {MOST_IMIX} sizes (E2BIG)"));
            }
            let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
            found.push((small(size).max(LEAST_SIZE), small(weight)));
        }
        self.imix = found;
        Outcome::Taken
    }

    fn mpls(&mut self, value: &str) -> Outcome {
        let mut found = Vec::new();
        for (place, entry) in value.split(',').enumerate() {
            let entry = entry.trim();
            let digits = entry.bytes().take_while(u8::is_ascii_hexdigit).count();
            if digits > 8 {
                return Outcome::Refused(format!("label {}: \"{entry}\" has more than 8 hex digits", place + 1));
            }
            if digits == 0 && place == 0 {
                break;
            }
            if digits == 0 || digits != entry.len() {
                return Outcome::Refused(format!("label {}: \"{entry}\" is no number of 8 hex digits", place + 1));
            }
            if place == MOST_LABELS {
                return Outcome::Refused(format!("label {}: at most {MOST_LABELS} are allowed (E2BIG)", place + 1));
            }
            found.push(u32::from_str_radix(entry, 16).unwrap_or(0));
        }
        if found.is_empty() || found.contains(&0) {
            self.mpls.clear();
            return Outcome::Bent("it takes the labels out".into());
        }
        if found.iter().any(|entry| entry & STACK_BOTTOM != 0) {
            self.flags.insert("MPLS_RND");
        }
        self.mpls = found;
        (self.vlan, self.svlan) = (None, None);
        Outcome::Taken
    }

    fn xmit_mode(&mut self, value: &str) -> Outcome {
        match value.trim() {
            "start_xmit" => self.xmit_mode = XmitMode::Start,
            "netif_receive" if self.clone_skb > 0 => {
                return Outcome::Refused("netif_receive does not go with clone_skb".into());
            }
            "netif_receive" => self.xmit_mode = XmitMode::NetifReceive,
            "queue_xmit" => self.xmit_mode = XmitMode::Queue,
            _ => return Outcome::Refused("start_xmit, netif_receive and queue_xmit are known; nothing changes".into()),
        }
        Outcome::Taken
    }

    fn ipv4(&mut self, name: &str, value: &str) -> Outcome {
        let Ok(address) = value.trim().parse::<Ipv4Addr>() else {
            return Outcome::Refused(format!("\"{value}\" is no IPv4 address"));
        };
        match name {
            "dst" | "dst_min" => self.dst[0] = Some(address),
            "dst_max" => self.dst[1] = Some(address),
            "src_min" => self.src[0] = Some(address),
            _ => self.src[1] = Some(address),
        }
        Outcome::Taken
    }

    fn ipv6(&mut self, name: &str, value: &str) -> Outcome {
        let Ok(address) = value.trim().parse::<Ipv6Addr>() else {
            return Outcome::Refused(format!("\"{value}\" is no IPv6 address"));
        };
        match name {
            // A fixed one leaves the range, and so its randomness, behind.
            "dst6" => self.dst6 = [Some(address), None],
            "dst6_min" => self.dst6[0] = Some(address),
            "dst6_max" => self.dst6[1] = Some(address),
            _ => self.src6 = Some(address),
        }
        self.flags.insert("IPV6");
        Outcome::Taken
    }

    fn mac(&mut self, name: &str, value: &str) -> Outcome {
        let Some(mac) = parse_mac(value.trim()).filter(|_| value.contains(':')) else {
            return Outcome::Refused(format!("\"{value}\" is no MAC address"));
        };
        if name == "dst_mac" {
            self.dst_mac = Some(mac)
        } else {
            self.src_mac = Some(mac)
        }
        Outcome::Taken
    }

    fn hex_byte(&mut self, name: &str, value: &str) -> Outcome {
        let value = value.trim();
        let byte = if value.len() == 2 { u8::from_str_radix(value, 16).ok() } else { None };
        let Some(byte) = byte else {
            return Outcome::Refused(format!("\"{value}\" is not exactly two hex digits; nothing changes"));
        };
        if name == "tos" {
            self.tos = byte
        } else {
            self.traffic_class = byte
        }
        Outcome::Taken
    }

    fn flag(&mut self, value: &str, line: usize, text: &str) -> Outcome {
        let value = value.trim();
        let (name, mut clears) = value.strip_prefix('!').map_or((value, false), |name| (name, true));
        let Some(mut flag) = FLAGS.into_iter().find(|known| *known == name) else {
            return Outcome::Refused(format!("pktgen has no flag \"{}\"", name.chars().take(40).collect::<String>()));
        };
        if flag == "FLOW_RND" {
            (flag, clears) = ("FLOW_SEQ", !clears);
        }
        match flag {
            "IPV6" if !clears => return Outcome::Refused("IPV6 can only be cleared; dst6 sets it".into()),
            "SHARED" if clears && (self.clone_skb > 0 || self.burst > 1) => {
                return Outcome::Refused("SHARED cannot be cleared while clone_skb or burst are used".into());
            }
            _ if clears => _ = self.flags.remove(flag),
            _ => {
                self.flags.insert(flag);
                self.said.insert(flag, (line, text.into()));
            }
        }
        Outcome::Taken
    }
}

/// `param value`, `param=value` and `param = value`.
pub fn split(text: &str) -> (&str, &str) {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\0');
    let separates = |c: char| c.is_whitespace() || c == '=' || c == '"';
    let end = text.find(separates).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start_matches(separates))
}

/// The number that a text begins with, at most ten digits of it, and what follows them. No digits are 0.
fn digits(text: &str) -> (u64, &str) {
    let length = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    (text[..length].parse().unwrap_or(0), &text[length..])
}

/// Ports have 16 bits; the rest is cut off.
fn port(slot: &mut u16, number: u64) -> Outcome {
    *slot = number as u16;
    if number > 65535 {
        Outcome::Bent(format!("ports have 16 bits: {number} is {}", number as u16))
    } else {
        Outcome::Taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(commands: &[&str]) -> Device {
        let mut device = Device::new("eth1", 0, 1);
        for (command, line) in commands.iter().zip(1..) {
            device.apply(line, command);
        }
        device
    }

    #[test]
    fn parameters_are_read_as_the_kernel_reads_them() {
        for text in [
            "min_pkt_size=1001",
            "min_pkt_size =1001",
            "min_pkt_size= 1001",
            "min_pkt_size = 1001",
            " min_pkt_size\t1001 ",
        ] {
            assert_eq!(device(&[text]).min_size, 1001, "{text}");
        }
        assert_eq!(device(&["min_pkt_size"]).min_size, 42);
        assert_eq!(device(&["pkt_size 300", "max_pkt_size 400", "pkt_size 300"]).max_size, 400);
        assert_eq!(device(&["pkt_size 100", "rate 1G"]).delay_ns, 800_000);
        assert_eq!(device(&["rate 100", "pkt_size 100"]).delay_ns, 0);
        assert_eq!(device(&["ratep 14880000"]).delay_ns, 67);
        assert_eq!(device(&["delay 2147483647"]).delay_ns, NEVER_NS);
        assert_eq!(device(&["udp_dst_max 65536"]).udp_dst, [9, 0]);
    }

    #[test]
    fn what_excludes_each_other_is_refused() {
        let refused = |commands: &[&str], last: &str| {
            let mut device = device(commands);
            let before = device.clone();
            let outcome = device.apply(9, last);
            assert!(matches!(outcome, Outcome::Refused(_)), "{commands:?} {last}: {outcome:?}");
            assert_eq!(device, before, "{last}");
        };
        refused(&["imix_weights 60,1"], "clone_skb 1");
        refused(&["clone_skb 1"], "imix_weights 60,1");
        refused(&["flag !SHARED"], "burst 2");
        refused(&["burst 2"], "flag !SHARED");
        refused(&["xmit_mode queue_xmit"], "burst 2");
        refused(&["clone_skb 2"], "xmit_mode netif_receive");
        for bad in [
            "rate 0",
            "ratep 0",
            "tos 0ff",
            "flag IPV6",
            "flag nonsense",
            "xmit_mode x",
            "vlan_p 1",
            "dst x",
            "nonsense",
        ] {
            refused(&[], bad);
        }
        refused(&["vlan_id 5"], "vlan_p 8");
    }

    #[test]
    fn c38_labels_are_all_or_nothing() {
        assert_eq!(device(&["mpls 0001000a,0002000a,0000000a"]).mpls, [0x0001_000a, 0x0002_000a, 0xa]);
        let sixteen = vec!["00010000"; 16].join(",");
        let mut found = device(&[&format!("mpls {sixteen}")]);
        assert_eq!(found.mpls.len(), 16);
        let outcome = found.apply(2, &format!("mpls {sixteen},00010000"));
        assert!(matches!(&outcome, Outcome::Refused(why) if why.contains("label 17")), "{outcome:?}");
        let outcome = found.apply(2, "mpls 00010000,000100001");
        assert!(matches!(&outcome, Outcome::Refused(why) if why.contains("label 2")), "{outcome:?}");
        assert_eq!(found.mpls.len(), 16, "nothing is half done");
        found.apply(3, "mpls 0");
        assert!(found.mpls.is_empty());
        assert!(device(&["mpls 00000100"]).has("MPLS_RND"));
        assert!(device(&["vlan_id 3", "mpls 0001000a"]).vlan.is_none());
        assert!(device(&["mpls 0001000a", "vlan_id 3"]).mpls.is_empty());
    }
}
