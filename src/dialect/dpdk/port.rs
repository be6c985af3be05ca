//! What the commands have said of each port.

use std::collections::BTreeMap;

/// A range as `start`, `min`, `max`, `inc`, each if it was said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Smmi {
    pub parts: [Option<u128>; 4],
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Said<T> {
    pub value: T,
    pub line: usize,
}

/// One packet: what a port sends by itself, or one of a sequence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Single {
    /// Numbers by the name of the field: `size`, `udp.src`, `ipv4.dst`, `eth.dst`, …
    pub fields: BTreeMap<&'static str, Said<u128>>,
    /// tcp, udp or icmp.
    pub proto: Option<Said<String>>,
    /// ipv4, ipv6, arp or vlan.
    pub kind: Option<Said<String>>,
    pub line: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Port {
    pub single: Single,
    pub ranges: BTreeMap<&'static str, Smmi>,
    pub range_proto: Option<Said<String>>,
    pub sequence: BTreeMap<u32, Single>,
    /// How many packets of the sequence take part.
    pub sequence_count: Option<Said<u128>>,
    pub rate_percent: Option<Said<f64>>,
    pub count: Option<Said<u128>>,
    pub burst: Option<Said<u128>>,
    pub pattern: Option<Said<String>>,
    pub user_pattern: Option<String>,
    /// `enable` and `disable`.
    pub switches: BTreeMap<String, Said<bool>>,
    pub qinq: Option<Said<(u128, u128)>>,
    pub mpls: Option<Said<u128>>,
}

impl Port {
    pub fn is_on(&self, name: &str) -> bool {
        self.switches.get(name).is_some_and(|said| said.value)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Ports {
    pub all: BTreeMap<u32, Port>,
}

/// Pktgen-DPDK's own limit is below this.
const MOST_PORTS: u32 = 256;

impl Ports {
    /// `0`, `0,2,4-7`; `all` are those named before, or port 0.
    pub fn named(&mut self, list: &str) -> Option<Vec<u32>> {
        if list == "all" {
            let known: Vec<u32> = self.all.keys().copied().collect();
            return Some(if known.is_empty() { vec![0] } else { known });
        }
        let mut out = Vec::new();
        for part in list.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            if first > last || last >= MOST_PORTS {
                return None;
            }
            out.extend(first..=last);
        }
        Some(out)
    }
}
