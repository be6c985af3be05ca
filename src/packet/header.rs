//! The headers of a flow as bytes, with every field that a profile can set left zero and listed as a site.

use crate::profile::{Flow, Icmp, Ip, Ipv4, Ipv6, Mpls, Patch, Tcp, Udp, Value, Vlan};

use super::{
    carried::{Carried, Protocol},
    field::{Place, Site, Unit, Weighs},
};

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_ARP: u16 = 0x0806;
const ETHERTYPE_MPLS: u16 = 0x8847;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// IEEE 802 "local experimental 1": what a frame without IP says it carries.
const ETHERTYPE_EXPERIMENTAL: u16 = 0x88b5;
/// "Use for experimentation and testing" (RFC 3692): what an IP packet says with no known header behind; what it carries.
const PROTOCOL_EXPERIMENTAL: u8 = 253;

/// The headers before any field is filled in. Sites are in the order in which an odometer turns.
#[derive(Debug)]
pub(super) struct Headers<'a> {
    pub bytes: Vec<u8>,
    pub sites: Vec<Site<'a>>,
    pub ip: Option<IpAt>,
    pub carried: Option<Carried>,
}

/// MAC addresses that a profile can leave to the host, resolved.
#[derive(Debug)]
pub(super) struct Macs {
    pub dst: Value,
    pub src: Value,
    pub sha: Value,
    pub tha: Value,
}

/// Where the IP header starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IpAt {
    V4(usize),
    V6(usize),
}

impl<'a> Headers<'a> {
    /// The headers of a flow that has no misfit.
    pub(super) fn of(flow: &'a Flow, macs: &'a Macs) -> Headers<'a> {
        let mut headers = Headers { bytes: Vec::new(), sites: Vec::new(), ip: None, carried: None };
        if let Some(bytes) = &flow.raw {
            headers.raw(bytes, &flow.patch);
            return headers;
        }
        headers.ethernet(macs);
        for (depth, tag) in flow.vlan.iter().enumerate() {
            headers.vlan(depth, tag);
        }
        headers.push(&ethertype(flow).to_be_bytes());
        for (depth, label) in flow.mpls.iter().enumerate() {
            headers.mpls(depth, label, depth + 1 == flow.mpls.len());
        }
        if flow.arp.is_some() {
            headers.arp(flow, macs);
        }
        let protocol = protocol(flow);
        match &flow.ip {
            None => {}
            Some(Ip::V4(ip)) => headers.ipv4(ip, protocol),
            Some(Ip::V6(ip)) => headers.ipv6(ip, protocol),
        }
        headers.carried(flow);
        headers
    }

    fn carried(&mut self, flow: &'a Flow) {
        self.carried = protocol(flow).map(|protocol| Carried { protocol, at: self.bytes.len() });
        if let Some(udp) = &flow.udp {
            self.udp(udp);
        }
        if let Some(tcp) = &flow.tcp {
            self.tcp(tcp);
        }
        if let Some(icmp) = &flow.icmp {
            self.icmp("icmp", icmp);
        }
        if let Some(icmp) = &flow.icmpv6 {
            self.icmp("icmpv6", icmp);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn site(&mut self, name: impl Into<String>, value: &'a Value, place: Place, weighs: Weighs) {
        self.sites.push(Site { name: name.into(), value, place, weighs });
    }

    fn raw(&mut self, bytes: &[u8], patches: &'a [Patch]) {
        self.push(bytes);
        for (number, patch) in patches.iter().enumerate() {
            let Some(unit) = Unit::of(patch.width) else { continue };
            let at = patch.at as usize;
            self.bytes[at..at + unit.bytes()].fill(0);
            self.site(format!("patch.{number}.value"), &patch.value, Place::whole(at, unit), Weighs::NOTHING);
        }
    }

    fn ethernet(&mut self, macs: &'a Macs) {
        let Macs { dst, src, .. } = macs;
        self.push(&[0; 12]);
        self.site("eth.dst", dst, Place::whole(0, Unit::Mac), Weighs::NOTHING);
        self.site("eth.src", src, Place::whole(6, Unit::Mac), Weighs::NOTHING);
    }

    fn vlan(&mut self, depth: usize, tag: &'a Vlan) {
        let at = self.bytes.len();
        self.push(&[0, 0, u8::from(tag.dei) << 4, 0]);
        let name = |field: &str| format!("vlan.{depth}.{field}");
        self.site(name("id"), &tag.id, Place::part(at + 2, Unit::Half, 0, 12), Weighs::NOTHING);
        self.site(name("pcp"), &tag.pcp, Place::part(at + 2, Unit::Half, 13, 3), Weighs::NOTHING);
        self.site(name("tpid"), &tag.tpid, Place::whole(at, Unit::Half), Weighs::NOTHING);
    }

    fn mpls(&mut self, depth: usize, label: &'a Mpls, is_bottom: bool) {
        let at = self.bytes.len();
        self.push(&[0, 0, u8::from(is_bottom), 0]);
        let name = |field: &str| format!("mpls.{depth}.{field}");
        self.site(name("label"), &label.label, Place::part(at, Unit::Word, 12, 20), Weighs::NOTHING);
        self.site(name("tc"), &label.tc, Place::part(at + 2, Unit::Byte, 1, 3), Weighs::NOTHING);
        self.site(name("ttl"), &label.ttl, Place::whole(at + 3, Unit::Byte), Weighs::NOTHING);
    }

    /// Ethernet addresses (6 bytes) for IPv4 addresses (4 bytes).
    fn arp(&mut self, flow: &'a Flow, macs: &'a Macs) {
        let Some(arp) = &flow.arp else { return };
        let at = self.bytes.len();
        self.push(&[0, 1, 8, 0, 6, 4]);
        self.push(&[0; 22]);
        self.site("arp.op", &arp.op, Place::whole(at + 6, Unit::Half), Weighs::NOTHING);
        self.site("arp.sha", &macs.sha, Place::whole(at + 8, Unit::Mac), Weighs::NOTHING);
        self.site("arp.spa", &arp.spa, Place::whole(at + 14, Unit::Word), Weighs::NOTHING);
        self.site("arp.tha", &macs.tha, Place::whole(at + 18, Unit::Mac), Weighs::NOTHING);
        self.site("arp.tpa", &arp.tpa, Place::whole(at + 24, Unit::Word), Weighs::NOTHING);
    }

    fn ipv4(&mut self, ip: &'a Ipv4, protocol: Option<Protocol>) {
        let at = self.bytes.len();
        self.ip = Some(IpAt::V4(at));
        // Version 4, five words; DF is off unless asked for, as pktgen has it.
        let flags = u8::from(ip.df) << 6 | u8::from(ip.mf) << 5;
        let number = if ip.protocol.is_some() { 0 } else { protocol.map_or(PROTOCOL_EXPERIMENTAL, Protocol::number) };
        self.push(&[0x45, 0, 0, 0, 0, 0, flags, 0, 0, number, 0, 0]);
        self.push(&[0; 8]);
        let addresses = if protocol == Some(Protocol::Icmp) { Weighs::IP } else { Weighs::BOTH };
        self.site("ipv4.src", &ip.src, Place::whole(at + 12, Unit::Word), addresses);
        self.site("ipv4.dst", &ip.dst, Place::whole(at + 16, Unit::Word), addresses);
        self.site("ipv4.ttl", &ip.ttl, Place::whole(at + 8, Unit::Byte), Weighs::IP);
        self.site("ipv4.dscp", &ip.dscp, Place::part(at + 1, Unit::Byte, 2, 6), Weighs::IP);
        self.site("ipv4.ecn", &ip.ecn, Place::part(at + 1, Unit::Byte, 0, 2), Weighs::IP);
        self.site("ipv4.id", &ip.id, Place::whole(at + 4, Unit::Half), Weighs::IP);
        let offset = Place::part(at + 6, Unit::Half, 0, 13);
        self.site("ipv4.fragment_offset", &ip.fragment_offset, offset, Weighs::IP);
        if let Some(number) = &ip.protocol {
            self.site("ipv4.protocol", number, Place::whole(at + 9, Unit::Byte), Weighs::IP);
        }
    }

    fn ipv6(&mut self, ip: &'a Ipv6, protocol: Option<Protocol>) {
        let at = self.bytes.len();
        self.ip = Some(IpAt::V6(at));
        let number =
            if ip.next_header.is_some() { 0 } else { protocol.map_or(PROTOCOL_EXPERIMENTAL, Protocol::number) };
        self.push(&[0x60, 0, 0, 0, 0, 0, number, 0]);
        self.push(&[0; 32]);
        self.site("ipv6.src", &ip.src, Place::whole(at + 8, Unit::Wide), Weighs::UDP);
        self.site("ipv6.dst", &ip.dst, Place::whole(at + 24, Unit::Wide), Weighs::UDP);
        self.site("ipv6.hop_limit", &ip.hop_limit, Place::whole(at + 7, Unit::Byte), Weighs::NOTHING);
        self.site("ipv6.dscp", &ip.dscp, Place::part(at, Unit::Word, 22, 6), Weighs::NOTHING);
        self.site("ipv6.ecn", &ip.ecn, Place::part(at, Unit::Word, 20, 2), Weighs::NOTHING);
        self.site("ipv6.flow_label", &ip.flow_label, Place::part(at, Unit::Word, 0, 20), Weighs::NOTHING);
        if let Some(number) = &ip.next_header {
            self.site("ipv6.next_header", number, Place::whole(at + 6, Unit::Byte), Weighs::NOTHING);
        }
    }

    fn udp(&mut self, udp: &'a Udp) {
        let at = self.bytes.len();
        self.push(&[0; 8]);
        self.site("udp.src", &udp.src, Place::whole(at, Unit::Half), Weighs::UDP);
        self.site("udp.dst", &udp.dst, Place::whole(at + 2, Unit::Half), Weighs::UDP);
    }

    fn tcp(&mut self, tcp: &'a Tcp) {
        let at = self.bytes.len();
        self.push(&[0; 20]);
        // Five words: no options.
        self.bytes[at + 12] = 0x50;
        self.site("tcp.src", &tcp.src, Place::whole(at, Unit::Half), Weighs::UDP);
        self.site("tcp.dst", &tcp.dst, Place::whole(at + 2, Unit::Half), Weighs::UDP);
        self.site("tcp.seq", &tcp.seq, Place::whole(at + 4, Unit::Word), Weighs::UDP);
        self.site("tcp.ack", &tcp.ack, Place::whole(at + 8, Unit::Word), Weighs::UDP);
        self.site("tcp.flags", &tcp.flags, Place::part(at + 12, Unit::Half, 0, 9), Weighs::UDP);
        self.site("tcp.window", &tcp.window, Place::whole(at + 14, Unit::Half), Weighs::UDP);
        self.site("tcp.urgent", &tcp.urgent, Place::whole(at + 18, Unit::Half), Weighs::UDP);
    }

    fn icmp(&mut self, header: &str, icmp: &'a Icmp) {
        let at = self.bytes.len();
        self.push(&[0; 8]);
        let name = |field: &str| format!("{header}.{field}");
        self.site(name("type"), &icmp.kind, Place::whole(at, Unit::Byte), Weighs::UDP);
        self.site(name("code"), &icmp.code, Place::whole(at + 1, Unit::Byte), Weighs::UDP);
        self.site(name("id"), &icmp.id, Place::whole(at + 4, Unit::Half), Weighs::UDP);
        self.site(name("seq"), &icmp.seq, Place::whole(at + 6, Unit::Half), Weighs::UDP);
    }
}

/// What the frame says behind its tags.
fn ethertype(flow: &Flow) -> u16 {
    match &flow.ip {
        _ if !flow.mpls.is_empty() => ETHERTYPE_MPLS,
        _ if flow.arp.is_some() => ETHERTYPE_ARP,
        None => ETHERTYPE_EXPERIMENTAL,
        Some(Ip::V4(_)) => ETHERTYPE_IPV4,
        Some(Ip::V6(_)) => ETHERTYPE_IPV6,
    }
}

fn protocol(flow: &Flow) -> Option<Protocol> {
    match flow {
        Flow { udp: Some(_), .. } => Some(Protocol::Udp),
        Flow { tcp: Some(_), .. } => Some(Protocol::Tcp),
        Flow { icmp: Some(_), .. } => Some(Protocol::Icmp),
        Flow { icmpv6: Some(_), .. } => Some(Protocol::Icmpv6),
        _ => None,
    }
}
