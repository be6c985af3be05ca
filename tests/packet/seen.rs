//! The second opinion: what an independent parser sees in a frame.

use std::collections::BTreeMap;

use etherparse::{LinkExtSlice, LinkSlice, NetSlice, SlicedPacket, TransportSlice};

/// Field values by dotted name, checksums and lengths already found right.
pub type Seen = BTreeMap<String, u128>;

/// Panics, naming the frame, when the parser refuses it or any length or checksum is wrong.
pub fn see(frame: &[u8]) -> Seen {
    let packet = SlicedPacket::from_ethernet(frame).unwrap_or_else(|error| panic!("{error}: {frame:02x?}"));
    let mut seen = Seen::from([("size".into(), frame.len() as u128)]);
    link(&packet, frame, &mut seen);
    match &packet.net {
        None => {}
        Some(NetSlice::Ipv4(ip)) => {
            let header = ip.header().to_header();
            assert_eq!(header.calc_header_checksum(), header.header_checksum, "IPv4 checksum of {frame:02x?}");
            assert_eq!(usize::from(header.total_len), frame.len() - ip_at(&packet), "total length of {frame:02x?}");
            assert!(!header.dont_fragment && !header.more_fragments && header.fragment_offset.value() == 0);
            put(&mut seen, "ipv4.src", u32::from_be_bytes(header.source).into());
            put(&mut seen, "ipv4.dst", u32::from_be_bytes(header.destination).into());
            put(&mut seen, "ipv4.ttl", header.time_to_live.into());
            put(&mut seen, "ipv4.dscp", header.dscp.value().into());
            put(&mut seen, "ipv4.ecn", header.ecn.value().into());
            put(&mut seen, "ipv4.id", header.identification.into());
            put(&mut seen, "protocol", header.protocol.0.into());
            udp(&packet, frame, &mut seen, |udp, payload| udp.calc_checksum_ipv4(&header, payload).unwrap());
        }
        Some(NetSlice::Ipv6(ip)) => {
            let header = ip.header().to_header();
            let payload = frame.len() - ip_at(&packet) - 40;
            assert_eq!(usize::from(header.payload_length), payload, "payload length of {frame:02x?}");
            put(&mut seen, "ipv6.src", u128::from_be_bytes(header.source));
            put(&mut seen, "ipv6.dst", u128::from_be_bytes(header.destination));
            put(&mut seen, "ipv6.hop_limit", header.hop_limit.into());
            put(&mut seen, "ipv6.dscp", ip.header().dscp().value().into());
            put(&mut seen, "ipv6.ecn", ip.header().ecn().value().into());
            put(&mut seen, "ipv6.flow_label", header.flow_label.value().into());
            put(&mut seen, "protocol", header.next_header.0.into());
            udp(&packet, frame, &mut seen, |udp, payload| udp.calc_checksum_ipv6(&header, payload).unwrap());
            assert_ne!(seen.get("udp.checksum"), Some(&0), "UDP over IPv6 without a checksum: {frame:02x?}");
        }
        Some(NetSlice::Arp(_)) => panic!("ARP: {frame:02x?}"),
    }
    seen
}

fn put(seen: &mut Seen, name: &str, value: u128) {
    seen.insert(name.into(), value);
}

fn mac(bytes: [u8; 6]) -> u128 {
    bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

fn ip_at(packet: &SlicedPacket) -> usize {
    14 + 4 * packet.link_exts.len()
}

fn link(packet: &SlicedPacket, frame: &[u8], seen: &mut Seen) {
    let Some(LinkSlice::Ethernet2(ethernet)) = &packet.link else { panic!("no Ethernet: {frame:02x?}") };
    put(seen, "eth.dst", mac(ethernet.destination()));
    put(seen, "eth.src", mac(ethernet.source()));
    let mut kind = ethernet.ether_type().0;
    for (depth, tag) in packet.link_exts.iter().enumerate() {
        let LinkExtSlice::Vlan(tag) = tag else { panic!("no VLAN tag: {frame:02x?}") };
        put(seen, &format!("vlan.{depth}.tpid"), kind.into());
        put(seen, &format!("vlan.{depth}.id"), tag.vlan_identifier().value().into());
        put(seen, &format!("vlan.{depth}.pcp"), tag.priority_code_point().value().into());
        put(seen, &format!("vlan.{depth}.dei"), tag.drop_eligible_indicator().into());
        kind = tag.ether_type().0;
    }
    put(seen, "type", kind.into());
}

fn udp(packet: &SlicedPacket, frame: &[u8], seen: &mut Seen, right: impl Fn(&etherparse::UdpHeader, &[u8]) -> u16) {
    let Some(TransportSlice::Udp(udp)) = &packet.transport else { return };
    let payload = udp.payload();
    let udp = udp.to_header();
    assert_eq!(usize::from(udp.length), payload.len() + 8);
    if udp.checksum != 0 {
        assert_eq!(udp.checksum, right(&udp, payload), "UDP checksum of {frame:02x?}");
    }
    put(seen, "udp.src", udp.source_port.into());
    put(seen, "udp.dst", udp.destination_port.into());
    put(seen, "udp.length", udp.length.into());
    put(seen, "udp.checksum", udp.checksum.into());
}
