//! Reads any bytes as a frame, in words. Written from the standards and not from the builder, so it also
//! judges what the builder makes; never fails, and says where a frame stops making sense.

use std::{
    fmt::Write,
    net::{Ipv4Addr, Ipv6Addr},
    ops::Range,
};

use super::checksum;

/// One header, or what lies behind the headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub range: Range<usize>,
    /// `eth`, `vlan`, `mpls`, `arp`, `ipv4`, `ipv6`, `udp`, `tcp`, `icmp`, `icmpv6`, `pktgen`, `payload`, `padding`.
    pub layer: &'static str,
    pub words: String,
}

/// The parts of a frame: ascending, without gaps, covering every byte.
pub fn dissect(bytes: &[u8]) -> Vec<Part> {
    let mut reader = Reader { bytes, at: 0, end: bytes.len(), parts: Vec::new() };
    reader.ethernet();
    reader.rest();
    reader.parts
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the innermost header that names a length says its contents end.
    end: usize,
    parts: Vec<Part>,
}

/// What checksums behind IP cover besides their own bytes: the sum over both addresses.
#[derive(Clone, Copy)]
struct Addresses {
    sum: u64,
    checksum_optional: bool,
}

impl<'a> Reader<'a> {
    /// The next `len` bytes if all are there.
    fn peek(&self, len: usize) -> Option<&'a [u8]> {
        self.bytes.get(self.at..self.end)?.get(..len)
    }

    fn half(&self, offset: usize) -> u16 {
        let byte = |i: usize| self.bytes.get(self.at + i).copied().unwrap_or(0);
        u16::from_be_bytes([byte(offset), byte(offset + 1)])
    }

    fn part(&mut self, layer: &'static str, len: usize, words: String) {
        let end = (self.at + len).min(self.bytes.len());
        if end > self.at {
            self.parts.push(Part { range: self.at..end, layer, words });
        }
        self.at = end;
    }

    /// The header does not fit in what is left.
    fn cut(&mut self, layer: &'static str, needs: usize) {
        let there = self.end.saturating_sub(self.at);
        self.part(layer, there, format!("cut short: {there} of {needs} bytes"));
    }

    fn ethernet(&mut self) {
        let Some(header) = self.peek(14) else { return self.cut("eth", 14) };
        let mut words = format!("{} > {}", mac(&header[6..12]), mac(&header[..6]));
        let mut kind = u16::from_be_bytes([header[12], header[13]]);
        self.name_unknown(kind, &mut words);
        // The type belongs to this part, as the tags that follow each bring the next one.
        self.part("eth", 14, words);
        while matches!(kind, 0x8100 | 0x88a8 | 0x9100) {
            let Some(tag) = self.peek(4) else { return self.cut("vlan", 4) };
            let mut words = vlan(kind, self.half(0));
            kind = u16::from_be_bytes([tag[2], tag[3]]);
            self.name_unknown(kind, &mut words);
            self.part("vlan", 4, words);
        }
        match kind {
            0x0800 => self.ipv4(),
            0x0806 => self.arp(),
            0x86dd => self.ipv6(),
            0x8847 | 0x8848 => self.mpls(),
            _ => {}
        }
    }

    fn name_unknown(&self, kind: u16, words: &mut String) {
        if kind < 0x0600 {
            let _ = write!(words, " length {kind}");
        } else if !matches!(kind, 0x0800 | 0x0806 | 0x86dd | 0x8100 | 0x8847 | 0x88a8 | 0x9100) {
            let _ = write!(words, " type 0x{kind:04x}");
        }
    }

    /// Labels down to the bottom of the stack; what they carry, no field says: the first four bits of it do.
    fn mpls(&mut self) {
        loop {
            let Some(entry) = self.peek(4) else { return self.cut("mpls", 4) };
            let mut words = format!("{}", u32::from_be_bytes([0, entry[0], entry[1], entry[2]]) >> 4);
            let is_bottom = entry[2] & 1 == 1;
            if entry[2] >> 1 & 7 != 0 {
                let _ = write!(words, " tc {}", entry[2] >> 1 & 7);
            }
            let _ = write!(words, " ttl {}{}", entry[3], if is_bottom { " bottom" } else { "" });
            self.part("mpls", 4, words);
            if is_bottom {
                break;
            }
        }
        match self.peek(1).map(|first| first[0] >> 4) {
            Some(4) => self.ipv4(),
            Some(6) => self.ipv6(),
            _ => {}
        }
    }

    fn arp(&mut self) {
        let Some(arp) = self.peek(28) else { return self.cut("arp", 28) };
        if arp[..6] != [0, 1, 8, 0, 6, 4] {
            return self.part("arp", 8, "not of IPv4 over Ethernet".into());
        }
        let (sender, target) = (v4(&arp[14..18]), v4(&arp[24..28]));
        let mut words = match self.half(6) {
            1 => format!("who has {target}? tell {sender}"),
            2 => format!("{sender} is at {}, for {target}", mac(&arp[8..14])),
            op => format!("op {op} {sender} > {target}"),
        };
        let _ = write!(words, " ({} > {})", mac(&arp[8..14]), mac(&arp[18..24]));
        self.part("arp", 28, words);
    }

    fn ipv4(&mut self) {
        let Some(header) = self.peek(20) else { return self.cut("ipv4", 20) };
        let header_len = usize::from(header[0] & 15) * 4;
        if header[0] >> 4 != 4 || header_len < 20 {
            return self.part("ipv4", 20, format!("bad first byte 0x{:02x}", header[0]));
        }
        let Some(header) = self.peek(header_len) else { return self.cut("ipv4", header_len) };
        let mut words = format!("{} > {} ttl {}", v4(&header[12..16]), v4(&header[16..20]), header[8]);
        class(header[1], &mut words);
        let (id, fragment) = (self.half(4), self.half(6));
        if id != 0 {
            let _ = write!(words, " id {id}");
        }
        if fragment & 0x4000 != 0 {
            words.push_str(" df");
        }
        if fragment & 0x3fff != 0 {
            let more = if fragment & 0x2000 != 0 { ", more follow" } else { "" };
            let _ = write!(words, " fragment at {}{more}", u32::from(fragment & 0x1fff) * 8);
        }
        let total = usize::from(self.half(2));
        self.bound(header_len, total, &mut words);
        let _ = write!(words, " len {total}{}", verdict(header, self.half(10)));
        let addresses = Addresses { sum: checksum::sum(&header[12..20]), checksum_optional: true };
        let protocol = header[9];
        self.protocol("ipv4", header_len, protocol, words);
        match protocol {
            // Of a fragment, lengths and checksums say nothing.
            _ if fragment & 0x3fff != 0 => {}
            1 => self.icmp("icmp", None),
            6 => self.tcp(addresses),
            17 => self.udp(addresses),
            _ => {}
        }
    }

    fn ipv6(&mut self) {
        let Some(header) = self.peek(40) else { return self.cut("ipv6", 40) };
        if header[0] >> 4 != 6 {
            return self.part("ipv6", 40, format!("bad first byte 0x{:02x}", header[0]));
        }
        let mut words = format!("{} > {} hop limit {}", v6(&header[8..24]), v6(&header[24..40]), header[7]);
        class(header[0] << 4 | header[1] >> 4, &mut words);
        let label = u32::from_be_bytes([0, header[1] & 15, header[2], header[3]]);
        if label != 0 {
            let _ = write!(words, " label 0x{label:05x}");
        }
        let payload = usize::from(self.half(4));
        self.bound(40, 40 + payload, &mut words);
        let _ = write!(words, " len {payload}");
        let addresses = Addresses { sum: checksum::sum(&header[8..40]), checksum_optional: false };
        let protocol = header[6];
        self.protocol("ipv6", 40, protocol, words);
        match protocol {
            6 => self.tcp(addresses),
            17 => self.udp(addresses),
            58 => self.icmp("icmpv6", Some(addresses)),
            _ => {}
        }
    }

    fn protocol(&mut self, layer: &'static str, len: usize, protocol: u8, mut words: String) {
        if !matches!((layer, protocol), (_, 6 | 17) | ("ipv4", 1) | ("ipv6", 58)) {
            let _ = write!(words, " protocol {protocol}");
        }
        self.part(layer, len, words);
    }

    /// Takes over the end that a header of `least` bytes claims with its length field.
    fn bound(&mut self, least: usize, total: usize, words: &mut String) {
        if total < least {
            words.push_str(" (length too small)");
        } else if self.at + total > self.end {
            words.push_str(" (longer than the frame)");
        } else {
            self.end = self.at + total;
        }
    }

    fn udp(&mut self, addresses: Addresses) {
        let Some(header) = self.peek(8) else { return self.cut("udp", 8) };
        let (len, given) = (usize::from(self.half(4)), self.half(6));
        let mut words = format!("{} > {} len {len}", self.half(0), self.half(2));
        let datagram = self.peek(len).filter(|_| len >= header.len());
        self.bound(8, len, &mut words);
        let _ = match (given, datagram) {
            (0, _) if addresses.checksum_optional => write!(words, " csum none"),
            (0, _) => write!(words, " csum 0x0000 forbidden"),
            (_, None) => write!(words, " csum 0x{given:04x}"),
            (_, Some(datagram)) => {
                let sum = addresses.sum + 17 + len as u64 + checksum::sum(datagram);
                let verdict = if checksum::finish(sum) == 0 { "ok" } else { "BAD" };
                write!(words, " csum 0x{given:04x} {verdict}")
            }
        };
        self.part("udp", 8, words);
    }

    fn tcp(&mut self, addresses: Addresses) {
        let Some(header) = self.peek(20) else { return self.cut("tcp", 20) };
        let header_len = usize::from(header[12] >> 4) * 4;
        if header_len < 20 {
            return self.part("tcp", 20, format!("bad data offset {}", header[12] >> 4));
        }
        let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let flags = flags(self.half(12) & 0x1ff);
        let mut words = format!(
            "{} > {} {flags} seq {} ack {} win {}",
            self.half(0),
            self.half(2),
            word(4),
            word(8),
            self.half(14)
        );
        if self.half(18) != 0 {
            let _ = write!(words, " urgent {}", self.half(18));
        }
        let segment = self.bytes.get(self.at..self.end).unwrap_or_default();
        let sum = addresses.sum + 6 + segment.len() as u64 + checksum::sum(segment);
        let _ = write!(words, " csum 0x{:04x} {}", self.half(16), good(sum));
        self.part("tcp", header_len.min(segment.len()), words);
    }

    /// ICMPv6 sums the addresses too.
    fn icmp(&mut self, layer: &'static str, addresses: Option<Addresses>) {
        let Some(header) = self.peek(8) else { return self.cut(layer, 8) };
        let message = self.bytes.get(self.at..self.end).unwrap_or_default();
        let pseudo = addresses.map_or(0, |addresses| addresses.sum + 58 + message.len() as u64);
        let what = match (layer, header[0]) {
            ("icmp", 8) | ("icmpv6", 128) => "echo request".to_owned(),
            ("icmp", 0) | ("icmpv6", 129) => "echo reply".to_owned(),
            (_, kind) => format!("type {kind}"),
        };
        let mut words = what;
        if header[1] != 0 {
            let _ = write!(words, " code {}", header[1]);
        }
        let _ = write!(words, " id {} seq {}", self.half(4), self.half(6));
        let _ = write!(words, " csum 0x{:04x} {}", self.half(2), good(pseudo + checksum::sum(message)));
        self.part(layer, 8, words);
    }

    fn rest(&mut self) {
        if let Some(header) = self.peek(16).filter(|header| header.starts_with(&[0xbe, 0x9b, 0xe9, 0x55])) {
            self.pktgen(header);
        }
        let payload = self.end.saturating_sub(self.at);
        let zeros = self.bytes.get(self.at..self.end).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
        self.part("payload", payload, format!("{payload} bytes{}", if zeros { " of zeros" } else { "" }));
        let padding = self.bytes.len() - self.at;
        self.part("padding", padding, format!("{padding} bytes"));
    }

    fn pktgen(&mut self, header: &[u8]) {
        let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let mut words = format!("seq {}", word(4));
        let stream = self.peek(18).map(|bytes| u16::from_be_bytes([bytes[16], bytes[17]]));
        if let Some(stream) = stream {
            let _ = write!(words, " stream {stream}");
        }
        let _ = write!(words, " time {}.{:06}", word(8), word(12));
        self.part("pktgen", if stream.is_some() { 18 } else { 16 }, words);
    }
}

fn mac(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

fn v4(bytes: &[u8]) -> Ipv4Addr {
    bytes.try_into().map_or(Ipv4Addr::UNSPECIFIED, |bytes: [u8; 4]| bytes.into())
}

fn v6(bytes: &[u8]) -> Ipv6Addr {
    bytes.try_into().map_or(Ipv6Addr::UNSPECIFIED, |bytes: [u8; 16]| bytes.into())
}

fn vlan(tpid: u16, tci: u16) -> String {
    let mut words = format!("{} pcp {}", tci & 0xfff, tci >> 13);
    if tci & 0x1000 != 0 {
        words.push_str(" dei");
    }
    if tpid != 0x8100 {
        let _ = write!(words, " tpid 0x{tpid:04x}");
    }
    words
}

/// Whether a sum that includes its own checksum is right.
fn good(sum: u64) -> &'static str {
    if checksum::finish(sum) == 0 { "ok" } else { "BAD" }
}

fn flags(bits: u16) -> String {
    let names = ["fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns"];
    let set: Vec<&str> =
        names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect();
    if set.is_empty() { "no flags".into() } else { set.join("+") }
}

/// DSCP and ECN, where they are not 0.
fn class(byte: u8, words: &mut String) {
    for (name, value) in [("dscp", byte >> 2), ("ecn", byte & 3)] {
        if value != 0 {
            let _ = write!(words, " {name} {value}");
        }
    }
}

/// Silent when an IPv4 header's checksum is right: it always should be.
fn verdict(header: &[u8], given: u16) -> String {
    let right = checksum::finish(checksum::sum(header) - u64::from(given));
    if right == given { String::new() } else { format!(" csum 0x{given:04x} BAD, right is 0x{right:04x}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, proptest};

    use super::dissect;

    fn words(bytes: &[u8]) -> Vec<String> {
        dissect(bytes).iter().map(|part| format!("{} {}", part.layer, part.words)).collect()
    }

    /// A frame written down by hand: one tag, IPv4, UDP, two bytes too many.
    const FRAME: [u8; 52] = [
        2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0x60, 100, 8, 0, // eth, vlan
        0x45, 0xb9, 0, 32, 0, 7, 0, 0, 64, 17, 0xed, 0xe5, 198, 18, 0, 1, 198, 18, 0, 2, // ipv4
        0, 9, 0, 9, 0, 12, 0x73, 0x99, 0, 1, 0, 2, 0xaa, 0xbb, // udp, payload, padding
    ];

    #[test]
    fn a_tagged_datagram_in_words() {
        assert_eq!(
            words(&FRAME),
            [
                "eth 02:00:00:00:00:01 > 02:00:00:00:00:02",
                "vlan 100 pcp 3",
                "ipv4 198.18.0.1 > 198.18.0.2 ttl 64 dscp 46 ecn 1 id 7 len 32",
                "udp 9 > 9 len 12 csum 0x7399 ok",
                "payload 4 bytes",
                "padding 2 bytes",
            ]
        );
    }

    /// Labels, TCP over IPv6.
    const LABELS: [u8; 82] = [
        2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0x47, // eth
        0, 1, 0x0a, 64, 0xff, 0xff, 0xf1, 255, // mpls
        0x60, 0, 0, 0, 0, 20, 6, 64, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, // ipv6
        0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, //
        4, 0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x18, 255, 255, 0x50, 0x05, 0, 0, // tcp
    ];

    #[test]
    fn labels_and_a_segment_in_words() {
        assert_eq!(
            words(&LABELS)[1..],
            [
                "mpls 16 tc 5 ttl 64",
                "mpls 1048575 ttl 255 bottom",
                "ipv6 2001:db8::1 > 2001:db8::2 hop limit 64 len 20",
                "tcp 1024 > 80 psh+ack seq 1 ack 2 win 65535 csum 0x5005 ok",
            ]
        );
        let mut frame = LABELS;
        frame[75] = 0;
        assert!(words(&frame)[4].contains("no flags") && words(&frame)[4].ends_with("BAD"), "{:?}", words(&frame));
        assert_eq!(words(&LABELS[..20])[2], "mpls cut short: 2 of 4 bytes");
        assert_eq!(words(&LABELS[..70])[4], "tcp cut short: 8 of 20 bytes");
    }

    #[test]
    fn echoes_and_questions_in_words() {
        let arp =
            [&FRAME[..12], &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1], &[0; 6], &[10, 0, 0, 9]];
        let arp = arp.concat();
        let who = "arp who has 10.0.0.9? tell 10.0.0.1 (02:00:00:00:00:01 > 00:00:00:00:00:00)";
        assert_eq!(words(&arp)[1..], [who]);
        let ip = [0x45, 0, 0, 30, 0, 0, 0x60, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 9];
        let echo = [&FRAME[..12], &[8, 0], &ip, &[8, 0, 0xf7, 0xfd, 0, 1, 0, 1, 0, 0]].concat();
        let fragment = words(&echo);
        assert!(fragment[1].contains("df fragment at 0, more follow"), "{}", fragment[1]);
        assert_eq!(fragment[2], "payload 10 bytes");
        let mut whole = echo.clone();
        whole[20] = 0;
        assert_eq!(words(&whole)[2], "icmp echo request id 1 seq 1 csum 0xf7fd ok");
        assert_eq!(
            words(&[&FRAME[..12], &[0, 3, 0x42, 0x42, 3]].concat())[0],
            "eth 02:00:00:00:00:01 > 02:00:00:00:00:02 length 3"
        );
    }

    #[test]
    fn wrong_checksums_are_named() {
        let mut frame = FRAME;
        frame[26] = 63;
        frame[47] = 3;
        let words = words(&frame);
        assert!(words[2].ends_with("csum 0xede5 BAD, right is 0xeee5"), "{}", words[2]);
        assert!(words[3].ends_with("csum 0x7399 BAD"), "{}", words[3]);
    }

    #[test]
    fn a_cut_frame_says_where() {
        assert_eq!(words(&FRAME[..30])[2], "ipv4 cut short: 12 of 20 bytes");
        assert_eq!(words(&FRAME[..9]), ["eth cut short: 9 of 14 bytes"]);
        assert!(words(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn any_bytes_are_covered_without_gaps(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            covered(&bytes);
        }

        #[test]
        fn any_damage_is_survived(at in 0..52_usize, value in any::<u8>(), len in 0..=52_usize) {
            let mut frame = FRAME;
            frame[at] = value;
            covered(&frame[..len]);
        }

        #[test]
        fn any_damage_to_labels_and_segments_is_survived(at in 0..82_usize, value in any::<u8>(), len in 0..=82_usize) {
            let mut frame = LABELS;
            frame[at] = value;
            covered(&frame[..len]);
        }
    }

    fn covered(bytes: &[u8]) {
        let mut at = 0;
        for part in dissect(bytes) {
            assert_eq!(part.range.start, at);
            assert!(part.range.end > at);
            at = part.range.end;
        }
        assert_eq!(at, bytes.len());
    }
}
