//! Walks a sample from the outside in and hands every field it knows to the flow.

use crate::profile::Value;

use super::{
    super::{FlowDraft, Report},
    Move, Sample,
    moves::together,
    set_value,
};

const IPV4: u128 = 0x0800;
const IPV6: u128 = 0x86dd;
const TAGS: [u128; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
/// More tags or labels than a profile takes stay in the payload.
const MOST_TAGS: usize = 8;

/// A sample being taken apart.
pub(super) struct Taking<'a> {
    pub sample: &'a Sample,
    pub flow: &'a mut FlowDraft,
    pub report: &'a mut Report,
    /// Narrowed moves that no field has taken yet.
    moves: Vec<Move>,
    /// Where checksums stand that txdeck keeps right.
    pub kept_sums: Vec<usize>,
}

impl<'a> Taking<'a> {
    pub fn new(sample: &'a Sample, flow: &'a mut FlowDraft, report: &'a mut Report) -> Self {
        let moves = sample.moves.iter().map(Move::narrowed).collect();
        Taking { sample, flow, report, moves, kept_sums: Vec::new() }
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
        let ethertype = self.half(at);
        match ethertype {
            IPV4 if self.has(at + 2 + 20) && self.sample.bits(8 * (at + 2), 8) == 0x45 => self.ipv4(at + 2),
            IPV6 if self.has(at + 2 + 40) && self.sample.bits(8 * (at + 2), 4) == 6 => self.ipv6(at + 2),
            _ => at + 2,
        }
    }

    fn has(&self, bytes: usize) -> bool {
        self.sample.bytes.len() >= bytes
    }

    fn half(&self, at: usize) -> u128 {
        self.sample.bits(8 * at, 16)
    }

    fn ipv4(&mut self, at: usize) -> usize {
        self.kept_sums.push(at + 10);
        self.flow.header("ipv4");
        let bit = 8 * at;
        self.field("ipv4.dscp", bit + 8, 6);
        self.field("ipv4.ecn", bit + 14, 2);
        self.field("ipv4.id", bit + 32, 16);
        self.field("ipv4.ttl", bit + 64, 8);
        self.field("ipv4.src", bit + 96, 32);
        self.field("ipv4.dst", bit + 128, 32);
        self.transport(at + 20, self.sample.bits(bit + 72, 8))
    }

    fn ipv6(&mut self, at: usize) -> usize {
        self.flow.header("ipv6");
        let bit = 8 * at;
        self.field("ipv6.dscp", bit + 4, 6);
        self.field("ipv6.ecn", bit + 10, 2);
        self.field("ipv6.flow_label", bit + 12, 20);
        self.field("ipv6.hop_limit", bit + 56, 8);
        self.field("ipv6.src", bit + 64, 128);
        self.field("ipv6.dst", bit + 192, 128);
        self.transport(at + 40, self.sample.bits(bit + 48, 8))
    }

    fn transport(&mut self, at: usize, protocol: u128) -> usize {
        match protocol {
            17 if self.has(at + 8) => self.udp(at),
            _ => at,
        }
    }

    fn udp(&mut self, at: usize) -> usize {
        self.kept_sums.push(at + 6);
        self.flow.header("udp");
        self.field("udp.src", 8 * at, 16);
        self.field("udp.dst", 8 * at + 16, 16);
        let has_sum = self.sample.sums.contains(&(at + 6)) || self.half(at + 6) != 0;
        if !has_sum {
            self.flow.set("udp.checksum", "false");
        }
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
