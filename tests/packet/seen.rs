//! The second opinion: what an independent parser sees in a frame.

use std::collections::BTreeMap;

use etherparse::{
    ArpPacketSlice, LinkExtSlice, LinkSlice, NetSlice, SlicedPacket, TransportSlice, checksum::Sum16BitWords,
};

/// Field values by dotted name, checksums and lengths already found right.
pub type Seen = BTreeMap<String, u128>;

/// Panics, naming the frame, when the parser refuses it or any length or checksum is wrong.
pub fn see(frame: &[u8]) -> Seen {
    let mut seen = Seen::from([("size".into(), frame.len() as u128)]);
    let frame = &without_labels(frame, &mut seen)[..];
    let packet = sliced(frame);
    link(&packet, frame, &mut seen);
    match &packet.net {
        None => {}
        Some(NetSlice::Ipv4(ip)) => {
            let header = ip.header().to_header();
            assert_eq!(header.calc_header_checksum(), header.header_checksum, "IPv4 checksum of {frame:02x?}");
            assert_eq!(usize::from(header.total_len), frame.len() - ip_at(&packet), "total length of {frame:02x?}");
            put(&mut seen, "ipv4.src", u32::from_be_bytes(header.source).into());
            put(&mut seen, "ipv4.dst", u32::from_be_bytes(header.destination).into());
            put(&mut seen, "ipv4.ttl", header.time_to_live.into());
            put(&mut seen, "ipv4.dscp", header.dscp.value().into());
            put(&mut seen, "ipv4.ecn", header.ecn.value().into());
            put(&mut seen, "ipv4.id", header.identification.into());
            put(&mut seen, "ipv4.df", header.dont_fragment.into());
            put(&mut seen, "ipv4.mf", header.more_fragments.into());
            put(&mut seen, "ipv4.fragment_offset", header.fragment_offset.value().into());
            put(&mut seen, "ipv4.protocol", header.protocol.0.into());
            put(&mut seen, "protocol", header.protocol.0.into());
            // The parser looks into no fragment, so it gets the frame as if it were none.
            let whole = unfragmented(frame, ip_at(&packet));
            carried(&sliced(&whole), Ip::V4(header.source, header.destination), &mut seen);
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
            put(&mut seen, "ipv6.next_header", header.next_header.0.into());
            put(&mut seen, "protocol", header.next_header.0.into());
            carried(&packet, Ip::V6(header.source, header.destination), &mut seen);
            assert_ne!(seen.get("udp.checksum"), Some(&0), "UDP over IPv6 without a checksum: {frame:02x?}");
        }
        Some(NetSlice::Arp(arp)) => see_arp(arp, &mut seen),
    }
    seen
}

fn sliced(frame: &[u8]) -> SlicedPacket<'_> {
    SlicedPacket::from_ethernet(frame).unwrap_or_else(|error| panic!("{error}: {frame:02x?}"))
}

fn put(seen: &mut Seen, name: &str, value: u128) {
    seen.insert(name.into(), value);
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

fn ip_at(packet: &SlicedPacket) -> usize {
    14 + 4 * packet.link_exts.len()
}

/// The parser knows no MPLS: labels are read here and taken out, and what they carry becomes the frame's type.
fn without_labels(frame: &[u8], seen: &mut Seen) -> Vec<u8> {
    let kind = |at: usize| number(&frame[at..at + 2]);
    let mut at = 12;
    while at + 6 <= frame.len() && matches!(kind(at), 0x8100 | 0x88a8 | 0x9100) {
        at += 4;
    }
    if kind(at) != 0x8847 {
        return frame.to_vec();
    }
    let mut end = at + 2;
    for depth in 0.. {
        let entry = number(&frame[end..end + 4]);
        put(seen, &format!("mpls.{depth}.label"), entry >> 12);
        put(seen, &format!("mpls.{depth}.tc"), entry >> 9 & 7);
        put(seen, &format!("mpls.{depth}.ttl"), entry & 0xff);
        end += 4;
        if entry >> 8 & 1 == 1 {
            put(seen, "mpls", depth + 1);
            break;
        }
    }
    let kind: u16 = match frame.get(end).map(|first| first >> 4) {
        Some(4) => 0x0800,
        Some(6) => 0x86dd,
        _ => 0x8847,
    };
    [&frame[..at], &kind.to_be_bytes(), &frame[end..]].concat()
}

fn unfragmented(frame: &[u8], ip: usize) -> Vec<u8> {
    let mut whole = frame.to_vec();
    whole[ip + 6..ip + 8].fill(0);
    whole
}

fn link(packet: &SlicedPacket, frame: &[u8], seen: &mut Seen) {
    let Some(LinkSlice::Ethernet2(ethernet)) = &packet.link else { panic!("no Ethernet: {frame:02x?}") };
    put(seen, "eth.dst", number(&ethernet.destination()));
    put(seen, "eth.src", number(&ethernet.source()));
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

fn see_arp(arp: &ArpPacketSlice, seen: &mut Seen) {
    assert_eq!((arp.hw_addr_type().0, arp.proto_addr_type().0), (1, 0x0800));
    assert_eq!((arp.hw_addr_size(), arp.proto_addr_size()), (6, 4));
    put(seen, "arp.op", arp.operation().0.into());
    put(seen, "arp.sha", number(arp.sender_hw_addr()));
    put(seen, "arp.spa", number(arp.sender_protocol_addr()));
    put(seen, "arp.tha", number(arp.target_hw_addr()));
    put(seen, "arp.tpa", number(arp.target_protocol_addr()));
}

/// Source and destination.
#[derive(Clone, Copy)]
enum Ip {
    V4([u8; 4], [u8; 4]),
    V6([u8; 16], [u8; 16]),
}

fn carried(packet: &SlicedPacket, ip: Ip, seen: &mut Seen) {
    match &packet.transport {
        None => {}
        Some(TransportSlice::Udp(udp)) => see_udp(udp, ip, seen),
        Some(TransportSlice::Tcp(tcp)) => see_tcp(tcp, ip, seen),
        Some(TransportSlice::Icmpv4(icmp)) => {
            let sum = Sum16BitWords::new().add_slice(icmp.slice()).ones_complement();
            assert_eq!(sum, 0, "ICMP checksum of {:02x?}", icmp.slice());
            see_icmp("icmp", [icmp.type_u8(), icmp.code_u8()], icmp.checksum(), icmp.bytes5to8(), seen);
        }
        Some(TransportSlice::Icmpv6(icmp)) => {
            let Ip::V6(src, dst) = ip else { panic!("ICMPv6 over IPv4") };
            assert!(icmp.is_checksum_valid(src, dst), "ICMPv6 checksum of {:02x?}", icmp.slice());
            see_icmp("icmpv6", [icmp.type_u8(), icmp.code_u8()], icmp.checksum(), icmp.bytes5to8(), seen);
        }
        Some(other) => panic!("{other:?}"),
    }
}

fn see_udp(slice: &etherparse::UdpSlice, ip: Ip, seen: &mut Seen) {
    let payload = slice.payload();
    let udp = slice.to_header();
    assert_eq!(usize::from(udp.length), payload.len() + 8);
    let right = match ip {
        Ip::V4(src, dst) => udp.calc_checksum_ipv4_raw(src, dst, payload),
        Ip::V6(src, dst) => udp.calc_checksum_ipv6_raw(src, dst, payload),
    };
    if udp.checksum != 0 {
        assert_eq!(udp.checksum, right.unwrap(), "UDP checksum of {:02x?}", slice.slice());
    }
    put(seen, "udp.src", udp.source_port.into());
    put(seen, "udp.dst", udp.destination_port.into());
    put(seen, "udp.length", udp.length.into());
    put(seen, "udp.checksum", udp.checksum.into());
}

fn see_tcp(slice: &etherparse::TcpSlice, ip: Ip, seen: &mut Seen) {
    let tcp = slice.to_header();
    assert_eq!(tcp.data_offset(), 5);
    let right = match ip {
        Ip::V4(src, dst) => tcp.calc_checksum_ipv4_raw(src, dst, slice.payload()),
        Ip::V6(src, dst) => tcp.calc_checksum_ipv6_raw(src, dst, slice.payload()),
    };
    assert_eq!(tcp.checksum, right.unwrap(), "TCP checksum of {:02x?}", slice.slice());
    put(seen, "tcp.src", tcp.source_port.into());
    put(seen, "tcp.dst", tcp.destination_port.into());
    put(seen, "tcp.seq", tcp.sequence_number.into());
    put(seen, "tcp.ack", tcp.acknowledgment_number.into());
    let flags = [tcp.fin, tcp.syn, tcp.rst, tcp.psh, tcp.ack, tcp.urg, tcp.ece, tcp.cwr, tcp.ns];
    put(seen, "tcp.flags", flags.iter().rev().fold(0, |bits, flag| bits << 1 | u128::from(*flag)));
    put(seen, "tcp.window", tcp.window_size.into());
    put(seen, "tcp.urgent", tcp.urgent_pointer.into());
    put(seen, "tcp.checksum", tcp.checksum.into());
}

fn see_icmp(layer: &str, [kind, code]: [u8; 2], checksum: u16, rest: [u8; 4], seen: &mut Seen) {
    put(seen, &format!("{layer}.type"), kind.into());
    put(seen, &format!("{layer}.code"), code.into());
    put(seen, &format!("{layer}.checksum"), checksum.into());
    put(seen, &format!("{layer}.id"), number(&rest[..2]));
    put(seen, &format!("{layer}.seq"), number(&rest[2..]));
}
