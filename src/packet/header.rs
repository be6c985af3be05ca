//! The headers of a flow as bytes, with every field that a profile can set left zero and listed as a site.

use crate::profile::{Flow, Ip, Ipv4, Ipv6, Udp, Value, Vlan};

use super::field::{Place, Site, Unit, Weighs};

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// IEEE 802 "local experimental 1": what a frame without IP says it carries.
const ETHERTYPE_EXPERIMENTAL: u16 = 0x88b5;
const PROTOCOL_UDP: u8 = 17;
/// "Use for experimentation and testing" (RFC 3692): what an IP packet without UDP says it carries.
const PROTOCOL_EXPERIMENTAL: u8 = 253;

/// The headers before any field is filled in. Sites are in the order in which an odometer turns.
#[derive(Debug)]
pub(super) struct Headers<'a> {
    pub bytes: Vec<u8>,
    pub sites: Vec<Site<'a>>,
    pub ip: Option<IpAt>,
    /// Where the UDP header starts.
    pub udp: Option<usize>,
}

/// Where the IP header starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IpAt {
    V4(usize),
    V6(usize),
}

impl<'a> Headers<'a> {
    /// `dst` and `src` are the MAC addresses, resolved.
    pub(super) fn of(flow: &'a Flow, dst: &'a Value, src: &'a Value) -> Headers<'a> {
        let mut headers = Headers { bytes: Vec::new(), sites: Vec::new(), ip: None, udp: None };
        headers.ethernet(dst, src);
        for (depth, tag) in flow.vlan.iter().enumerate() {
            headers.vlan(depth, tag);
        }
        let protocol = if flow.udp.is_some() { PROTOCOL_UDP } else { PROTOCOL_EXPERIMENTAL };
        match &flow.ip {
            None => headers.push(&ETHERTYPE_EXPERIMENTAL.to_be_bytes()),
            Some(Ip::V4(ip)) => headers.ipv4(ip, protocol),
            Some(Ip::V6(ip)) => headers.ipv6(ip, protocol),
        }
        if let Some(udp) = &flow.udp {
            headers.udp(udp);
        }
        headers
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn site(&mut self, name: impl Into<String>, value: &'a Value, place: Place, weighs: Weighs) {
        self.sites.push(Site { name: name.into(), value, place, weighs });
    }

    fn ethernet(&mut self, dst: &'a Value, src: &'a Value) {
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

    fn ipv4(&mut self, ip: &'a Ipv4, protocol: u8) {
        self.push(&ETHERTYPE_IPV4.to_be_bytes());
        let at = self.bytes.len();
        self.ip = Some(IpAt::V4(at));
        // Version 4, five words; no flags (pktgen leaves DF off too), no fragment offset.
        self.push(&[0x45, 0, 0, 0, 0, 0, 0, 0, 0, protocol, 0, 0]);
        self.push(&[0; 8]);
        self.site("ipv4.src", &ip.src, Place::whole(at + 12, Unit::Word), Weighs::BOTH);
        self.site("ipv4.dst", &ip.dst, Place::whole(at + 16, Unit::Word), Weighs::BOTH);
        self.site("ipv4.ttl", &ip.ttl, Place::whole(at + 8, Unit::Byte), Weighs::IP);
        self.site("ipv4.dscp", &ip.dscp, Place::part(at + 1, Unit::Byte, 2, 6), Weighs::IP);
        self.site("ipv4.ecn", &ip.ecn, Place::part(at + 1, Unit::Byte, 0, 2), Weighs::IP);
        self.site("ipv4.id", &ip.id, Place::whole(at + 4, Unit::Half), Weighs::IP);
    }

    fn ipv6(&mut self, ip: &'a Ipv6, protocol: u8) {
        self.push(&ETHERTYPE_IPV6.to_be_bytes());
        let at = self.bytes.len();
        self.ip = Some(IpAt::V6(at));
        self.push(&[0x60, 0, 0, 0, 0, 0, protocol, 0]);
        self.push(&[0; 32]);
        self.site("ipv6.src", &ip.src, Place::whole(at + 8, Unit::Wide), Weighs::UDP);
        self.site("ipv6.dst", &ip.dst, Place::whole(at + 24, Unit::Wide), Weighs::UDP);
        self.site("ipv6.hop_limit", &ip.hop_limit, Place::whole(at + 7, Unit::Byte), Weighs::NOTHING);
        self.site("ipv6.dscp", &ip.dscp, Place::part(at, Unit::Word, 22, 6), Weighs::NOTHING);
        self.site("ipv6.ecn", &ip.ecn, Place::part(at, Unit::Word, 20, 2), Weighs::NOTHING);
        self.site("ipv6.flow_label", &ip.flow_label, Place::part(at, Unit::Word, 0, 20), Weighs::NOTHING);
    }

    fn udp(&mut self, udp: &'a Udp) {
        let at = self.bytes.len();
        self.udp = Some(at);
        self.push(&[0; 8]);
        self.site("udp.src", &udp.src, Place::whole(at, Unit::Half), Weighs::UDP);
        self.site("udp.dst", &udp.dst, Place::whole(at + 2, Unit::Half), Weighs::UDP);
    }
}
