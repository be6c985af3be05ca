//! Walks a sample from the outside in and hands every field it knows to the flow.

use crate::profile::Value;

use super::{
    super::{FlowDraft, Report},
    Move, Sample,
    moves::together,
    set_value,
};

const IPV4: u128 = 0x0800;
const ARP: u128 = 0x0806;
const MPLS: u128 = 0x8847;
const IPV6: u128 = 0x86dd;
const TAGS: [u128; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
/// More tags or labels than a profile takes stay in the payload.
const MOST_TAGS: usize = 8;
const MOST_LABELS: usize = 16;

/// A checksum that txdeck keeps right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptSum {
    pub at: usize,
    /// First byte that it covers, and the first behind.
    pub covers: (usize, usize),
    /// Where the addresses of the pseudo header stand, and its protocol number.
    pub pseudo: Option<(usize, usize, u8)>,
    pub is_udp: bool,
}

impl KeptSum {
    /// Whether a move changes anything that the sum is made of.
    pub fn is_over(&self, one: &Move) -> bool {
        let inside = |from: usize, to: usize| one.bit < 8 * to && one.end() > 8 * from;
        inside(self.covers.0, self.covers.1) || self.pseudo.is_some_and(|(at, length, _)| inside(at, at + length))
    }
}

/// What the transport header needs to know of the IP header in front of it.
#[derive(Clone, Copy)]
struct Ip {
    addresses: (usize, usize),
    is_v6: bool,
    /// First byte behind the packet by its own length.
    end: usize,
}

/// A sample being taken apart.
pub(super) struct Taking<'a> {
    pub sample: &'a Sample,
    pub flow: &'a mut FlowDraft,
    pub report: &'a mut Report,
    /// Narrowed moves that no field has taken yet.
    moves: Vec<Move>,
    /// Where checksums stand that txdeck keeps right.
    pub kept_sums: Vec<KeptSum>,
    /// Whether there is ARP or IP in it.
    pub is_known: bool,
}

impl<'a> Taking<'a> {
    pub fn new(sample: &'a Sample, flow: &'a mut FlowDraft, report: &'a mut Report) -> Self {
        let moves = sample.moves.iter().map(Move::narrowed).collect();
        Taking { sample, flow, report, moves, kept_sums: Vec::new(), is_known: false }
    }

    /// Where the payload begins, in bytes.
    pub fn headers(&mut self) -> usize {
        self.field("eth.dst", 0, 48);
        if self.sample.src_is_device {
            self.moves.retain(|one| one.bit < 48 || one.end() > 96);
        } else {
            self.field("eth.src", 48, 48);
        }
        let mut at = 12;
        let mut tags = 0;
        while TAGS.contains(&self.half(at)) && tags < MOST_TAGS && self.has(at + 4 + 2) {
            let key = |name: &str| format!("vlan.{tags}.{name}");
            self.flow.header(&format!("vlan.{tags}"));
            self.field(&key("tpid"), 8 * at, 16);
            self.field(&key("pcp"), 8 * at + 16, 3);
            self.switch(&key("dei"), 8 * at + 19);
            self.field(&key("id"), 8 * at + 20, 12);
            at += 4;
            tags += 1;
        }
        self.packet(at)
    }

    /// From an ethertype on.
    fn packet(&mut self, at: usize) -> usize {
        match self.half(at) {
            MPLS => self.labels(at + 2),
            other => self.inside(other, at + 2),
        }
    }

    fn inside(&mut self, ethertype: u128, at: usize) -> usize {
        let first = self.sample.bits(8 * at, 8);
        match ethertype {
            ARP if self.has(at + 28) && self.sample.bits(8 * at, 48) == 0x0001_0800_0604 => self.arp(at),
            IPV4 if self.has(at + 20) && first == 0x45 => self.ipv4(at),
            IPV6 if self.has(at + 40) && first >> 4 == 6 => self.ipv6(at),
            _ => at,
        }
    }

    fn labels(&mut self, start: usize) -> usize {
        let mut at = start;
        for number in 0..MOST_LABELS {
            if !self.has(at + 4) {
                break;
            }
            let key = |name: &str| format!("mpls.{number}.{name}");
            self.flow.header(&format!("mpls.{number}"));
            self.field(&key("label"), 8 * at, 20);
            self.field(&key("tc"), 8 * at + 20, 3);
            self.field(&key("ttl"), 8 * at + 24, 8);
            at += 4;
            if self.sample.bits(8 * at - 9, 1) == 1 {
                break;
            }
        }
        // Nothing says what follows a stack but its first bits.
        let ethertype = if self.sample.bits(8 * at, 4) == 6 { IPV6 } else { IPV4 };
        self.inside(ethertype, at)
    }

    fn arp(&mut self, at: usize) -> usize {
        self.is_known = true;
        self.flow.header("arp");
        self.field("arp.op", 8 * at + 48, 16);
        self.field("arp.sha", 8 * at + 64, 48);
        self.field("arp.spa", 8 * at + 112, 32);
        self.field("arp.tha", 8 * at + 144, 48);
        self.field("arp.tpa", 8 * at + 192, 32);
        at + 28
    }

    fn has(&self, bytes: usize) -> bool {
        self.sample.bytes.len() >= bytes
    }

    fn half(&self, at: usize) -> u128 {
        self.sample.bits(8 * at, 16)
    }

    fn ipv4(&mut self, at: usize) -> usize {
        self.kept_sums.push(KeptSum { at: at + 10, covers: (at, at + 20), pseudo: None, is_udp: false });
        self.is_known = true;
        self.flow.header("ipv4");
        let bit = 8 * at;
        self.field("ipv4.dscp", bit + 8, 6);
        self.field("ipv4.ecn", bit + 14, 2);
        self.field("ipv4.id", bit + 32, 16);
        self.switch("ipv4.df", bit + 49);
        self.switch("ipv4.mf", bit + 50);
        self.field("ipv4.fragment_offset", bit + 51, 13);
        self.field("ipv4.ttl", bit + 64, 8);
        self.field("ipv4.src", bit + 96, 32);
        self.field("ipv4.dst", bit + 128, 32);
        let end = at + self.half(at + 2) as usize;
        let is_fragment = self.sample.bits(bit + 50, 14) != 0;
        let ip = Ip { addresses: (at + 12, 8), is_v6: false, end };
        self.transport(at + 20, (bit + 72, "ipv4.protocol"), ip, is_fragment)
    }

    fn ipv6(&mut self, at: usize) -> usize {
        self.is_known = true;
        self.flow.header("ipv6");
        let bit = 8 * at;
        self.field("ipv6.dscp", bit + 4, 6);
        self.field("ipv6.ecn", bit + 10, 2);
        self.field("ipv6.flow_label", bit + 12, 20);
        self.field("ipv6.hop_limit", bit + 56, 8);
        self.field("ipv6.src", bit + 64, 128);
        self.field("ipv6.dst", bit + 192, 128);
        let end = at + 40 + self.half(at + 4) as usize;
        let ip = Ip { addresses: (at + 8, 32), is_v6: true, end };
        self.transport(at + 40, (bit + 48, "ipv6.next_header"), ip, false)
    }

    /// A fragment's bytes are no header, even if the protocol names one.
    fn transport(&mut self, at: usize, protocol: (usize, &str), ip: Ip, is_fragment: bool) -> usize {
        match self.sample.bits(protocol.0, 8) {
            17 if self.has(at + 8) && !is_fragment => self.udp(at, ip),
            6 if self.has(at + 20) && !is_fragment && self.sample.bits(8 * at + 96, 4) == 5 => self.tcp(at, ip),
            1 if self.has(at + 8) && !is_fragment && !ip.is_v6 => self.icmp(at, ip, "icmp"),
            58 if self.has(at + 8) && !is_fragment && ip.is_v6 => self.icmp(at, ip, "icmpv6"),
            253 => at,
            _ => {
                self.field(protocol.1, protocol.0, 8);
                at
            }
        }
    }

    fn keep(&mut self, at: usize, start: usize, ip: Ip, protocol: u8) {
        let (addresses, length) = ip.addresses;
        let pseudo = (protocol != 1).then_some((addresses, length, protocol));
        let covers = (start, ip.end.clamp(start, self.sample.bytes.len()));
        self.kept_sums.push(KeptSum { at, covers, pseudo, is_udp: protocol == 17 });
    }

    fn udp(&mut self, at: usize, ip: Ip) -> usize {
        self.keep(at + 6, at, ip, 17);
        self.flow.header("udp");
        self.field("udp.src", 8 * at, 16);
        self.field("udp.dst", 8 * at + 16, 16);
        let has_sum = self.sample.sums.contains(&(at + 6)) || self.half(at + 6) != 0;
        // Over IPv6 a profile has none without: the proof finds the difference, and the bytes are taken as they are.
        if !has_sum && !ip.is_v6 {
            self.flow.set("udp.checksum", "false");
        }
        at + 8
    }

    fn tcp(&mut self, at: usize, ip: Ip) -> usize {
        self.keep(at + 16, at, ip, 6);
        self.flow.header("tcp");
        self.field("tcp.src", 8 * at, 16);
        self.field("tcp.dst", 8 * at + 16, 16);
        self.field("tcp.seq", 8 * at + 32, 32);
        self.field("tcp.ack", 8 * at + 64, 32);
        self.field("tcp.flags", 8 * at + 103, 9);
        self.field("tcp.window", 8 * at + 112, 16);
        self.field("tcp.urgent", 8 * at + 144, 16);
        at + 20
    }

    fn icmp(&mut self, at: usize, ip: Ip, header: &str) -> usize {
        self.keep(at + 2, at, ip, if ip.is_v6 { 58 } else { 1 });
        self.flow.header(header);
        self.field(&format!("{header}.type"), 8 * at, 8);
        self.field(&format!("{header}.code"), 8 * at + 8, 8);
        self.field(&format!("{header}.id"), 8 * at + 32, 16);
        self.field(&format!("{header}.seq"), 8 * at + 48, 16);
        at + 8
    }

    /// Hands one field over, with whatever moves inside it.
    pub fn field(&mut self, key: &str, bit: usize, bits: usize) {
        let (inside, rest): (Vec<Move>, Vec<Move>) =
            std::mem::take(&mut self.moves).into_iter().partition(|one| one.bit >= bit && one.end() <= bit + bits);
        self.moves = rest;
        let (value, lost) = together(bit, bits, self.sample.bits(bit, bits), &inside);
        if let (Some(lost), Some(one)) = (lost, inside.first()) {
            self.report.converted(one.line, &one.text, format!("{key}: {lost}"));
        }
        set_value(self.flow, key, &value);
    }

    fn switch(&mut self, key: &str, bit: usize) {
        if self.sample.bits(bit, 1) == 1 {
            self.flow.set(key, "true");
        }
    }

    /// The moves that begin at or behind a byte.
    pub fn moves_from(&mut self, at: usize) -> Vec<Move> {
        let (behind, rest) = std::mem::take(&mut self.moves).into_iter().partition(|one| one.bit >= 8 * at);
        self.moves = rest;
        behind
    }

    /// What moves where no field is.
    pub fn rest(&mut self) {
        for one in std::mem::take(&mut self.moves) {
            if self.is_computed(&one) {
                continue;
            }
            let (first, last) = (one.bit / 8, (one.end() - 1) / 8);
            let sentence = match &one.value {
                Value::Fixed(_) => continue,
                _ => format!("bytes {first}..{last} of the packet do not vary here: they keep their first value"),
            };
            self.report.dropped(one.line, &one.text, sentence);
        }
    }

    /// A checksum that moves moves here too.
    fn is_computed(&self, one: &Move) -> bool {
        self.sample.sums.iter().any(|at| one.bit >= 8 * at && one.end() <= 8 * at + 16)
    }
}
