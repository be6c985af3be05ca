//! MPLS, ARP, TCP, ICMP, fragments, raw bytes and payloads: golden frames, hand-made bytes, and cases.

use std::collections::{BTreeMap, BTreeSet};

use txdeck::{
    packet::{CompileError, compile},
    profile::{Arp, Flow, Icmp, Ip, Ipv4, Ipv6, Mac, Mpls, Patch, Payload, Tcp, Udp, Value},
};

use crate::{
    build::{
        arp, bytes, echo, facts, fixed, frame, label, list, profile, random, raw_flow, sweep, tcp, tcp_flow, udp, v4,
        v4_flow, v6, v6_flow, vlan,
    },
    cases::tally,
    golden::golden,
    seen::see,
    tshark,
};

fn refusal(flow: Flow) -> String {
    compile(&profile(vec![flow]), &facts()).expect_err("refused").to_string()
}

fn over(ip: Ip) -> Flow {
    Flow { ip: Some(ip), size: fixed(98), ..raw_flow() }
}

fn icmp_flow() -> Flow {
    Flow { icmp: Some(echo(8)), ..over(Ip::V4(v4())) }
}

fn icmpv6_flow() -> Flow {
    Flow { icmpv6: Some(echo(128)), ..over(Ip::V6(v6())) }
}

fn tcp_over_v6() -> Flow {
    Flow { tcp: Some(tcp()), ..over(Ip::V6(v6())) }
}

fn raw(bytes: &[u8], patch: Vec<Patch>) -> Flow {
    Flow { raw: Some(bytes.to_vec()), patch, size: fixed(bytes.len() as u128), runt: true, ..raw_flow() }
}

#[test]
fn golden_labels() {
    let mut flow = v4_flow();
    flow.vlan = vec![vlan(fixed(100))];
    flow.mpls = vec![
        Mpls { label: random(16, 0xf_ffff), tc: sweep(0, 7, 1), ttl: fixed(64) },
        Mpls { label: list(&[17, 0xf_ffff]), tc: fixed(5), ttl: sweep(1, 255, 1) },
        label(fixed(0)),
    ];
    flow.size = fixed(76);
    golden("mpls-v4", flow, 3);
    golden("mpls-v6", Flow { mpls: vec![label(random(16, 0xf_ffff))], size: fixed(84), ..v6_flow() }, 2);
}

#[test]
fn golden_arp() {
    let question = Arp { tpa: sweep(0xc612_0002, 0xc612_00fe, 1), ..arp() };
    let mut flow = Flow { arp: Some(question), payload: Payload::Zero, ..raw_flow() };
    flow.eth.dst = Mac::Is(fixed(0xffff_ffff_ffff));
    golden("arp-question", flow, 2);
    let answer = Arp {
        op: fixed(2),
        sha: Mac::Is(random(0x0200_0000_0000, 0x0200_0000_ffff)),
        spa: random(0xc612_0000, 0xc612_ffff),
        tha: Mac::Device,
        tpa: fixed(0xc612_0001),
    };
    golden("arp-answer", Flow { arp: Some(answer), payload: Payload::Zero, ..raw_flow() }, 2);
}

#[test]
fn golden_tcp() {
    let all = Tcp {
        src: random(1024, 65535),
        dst: list(&[80, 443]),
        seq: sweep(0xffff_ff00, 0xffff_ffff, 100),
        ack: random(0, 0xffff_ffff),
        flags: list(&[0x002, 0x018, 0x1ff]),
        window: sweep(0, 65535, 1460),
        urgent: sweep(0, 65535, 1),
        checksum: true,
    };
    golden("tcp-v4", Flow { tcp: Some(all.clone()), ..tcp_flow() }, 3);
    golden("tcp-v6", Flow { tcp: Some(all), ..tcp_over_v6() }, 2);
    let bare = Flow { size: fixed(54), runt: true, payload: Payload::Zero, ..tcp_flow() };
    golden("tcp-syn-bare", bare, 1);
}

#[test]
fn golden_echo() {
    let all = |kind: u128| Icmp {
        kind: list(&[kind, kind]),
        code: sweep(0, 1, 1),
        id: random(0, 65535),
        seq: sweep(0, 65535, 1),
    };
    golden("icmp", Flow { icmp: Some(all(8)), ..icmp_flow() }, 2);
    golden("icmpv6", Flow { icmpv6: Some(all(129)), ..icmpv6_flow() }, 2);
}

#[test]
fn golden_fragments_and_protocols() {
    let fragment = Ipv4 { mf: true, fragment_offset: sweep(0, 8191, 185), id: fixed(1), ..v4() };
    golden("fragments", Flow { ip: Some(Ip::V4(fragment)), ..v4_flow() }, 2);
    let df = Ipv4 { df: true, protocol: Some(list(&[47, 89])), ..v4() };
    golden("protocol-v4", Flow { payload: Payload::Zero, ..over(Ip::V4(df)) }, 2);
    let none = Ipv6 { next_header: Some(fixed(59)), ..v6() };
    golden("next-header-v6", Flow { payload: Payload::Zero, ..over(Ip::V6(none)) }, 1);
}

#[test]
fn golden_payloads() {
    golden("payload-hex", Flow { payload: Payload::Hex(vec![0xde, 0xad, 0xbe]), ..v4_flow() }, 1);
    golden("payload-text", Flow { payload: Payload::Text("Grüße".into()), ..v4_flow() }, 1);
    golden("payload-random", Flow { payload: Payload::Random, size: sweep(60, 61, 1), ..v4_flow() }, 2);
}

/// A frame of a spanning tree, which is no Ethernet II: an 802.3 length and LLC.
const STP: [u8; 60] = {
    let mut frame = [0; 60];
    let head = [0x01, 0x80, 0xc2, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0x26, 0x42, 0x42, 3, 0, 0, 0, 0, 0, 0x80, 0];
    let mut at = 0;
    while at < head.len() {
        frame[at] = head[at];
        at += 1;
    }
    frame
};

#[test]
fn c80_raw_bytes_are_sent_as_they_are() {
    for len in [14, 15, 59, 60] {
        let frame = frame(raw(&STP[..len], Vec::new()));
        assert_eq!(bytes(&frame, 0), STP[..len]);
        assert!(frame.varying().is_empty());
    }
    // What size leaves behind the bytes, the payload fills.
    let stamped = frame(Flow { size: fixed(78), ..raw(&STP, Vec::new()) });
    let stamped = bytes(&stamped, 0);
    assert_eq!((&stamped[..60], &stamped[60..64]), (&STP[..], &[0xbe, 0x9b, 0xe9, 0x55][..]));
}

#[test]
fn patches_write_their_bytes_and_nothing_else() {
    let ones = [0xff; 40];
    for (at, width) in [(0, 6), (6, 6), (13, 1), (14, 2), (15, 2), (17, 4), (21, 8), (32, 8), (39, 1)] {
        let most = u128::MAX >> (128 - 8 * width);
        for value in [fixed(most / 3), sweep(0, most.min(1000), 7), random(0, most)] {
            let frame = frame(raw(&ones, vec![Patch { at, width, value: value.clone() }]));
            for k in [0, 1, 5, u64::MAX] {
                let seen = bytes(&frame, k);
                let (from, to) = (at as usize, (at + width) as usize);
                let number = seen[from..to].iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
                let right = match &value {
                    Value::Fixed(value) => number == *value,
                    Value::Sweep { to, .. } => number == u128::from(k) % (to / 7 + 1) * 7,
                    _ => number <= most,
                };
                assert!(right, "{number:x} at {at} in build {k}");
                assert!(seen.iter().enumerate().all(|(i, byte)| (from..to).contains(&i) || *byte == 0xff));
            }
        }
    }
}

#[test]
fn patches_side_by_side_leave_each_other_alone() {
    let patch = |at: u32, width: u32, value: u128| Patch { at, width, value: sweep(value, value + 1, 1) };
    let patches = vec![patch(19, 1, 0x33), patch(14, 4, 0x1111_1110), patch(18, 1, 0x22), patch(20, 8, 0x44)];
    let frame = frame(raw(&[0xff; 28], patches));
    let odd = [0x11, 0x11, 0x11, 0x11, 0x23, 0x34, 0, 0, 0, 0, 0, 0, 0, 0x45];
    assert_eq!(bytes(&frame, 1)[14..], odd);
    assert_eq!((frame.varying().len(), &frame.varying()[0]), (1, &(14..28)));
}

#[test]
fn hand_made_profiles_that_do_not_fit_are_refused() {
    let cases = [
        (raw(&STP[..13], Vec::new()), "flow.a.raw.bytes: 13 bytes are less than an Ethernet header (at least 14)"),
        (
            raw(&STP, vec![Patch { at: 59, width: 2, value: fixed(0) }]),
            "flow.a.patch.0.at: 59 with a width of 2 ends behind the 60 bytes of raw (0..58)",
        ),
        (
            raw(&STP, vec![Patch { at: u32::MAX, width: 16, value: fixed(0) }]),
            "flow.a.patch.0.width: 16 is not allowed (1 or 2 or 4 or 6 or 8)",
        ),
        (Flow { tcp: Some(tcp()), ..raw_flow() }, "flow.a.tcp: TCP needs an IP header: add ipv4 = {} or ipv6 = {}"),
        (Flow { icmp: Some(echo(8)), ..raw_flow() }, "flow.a.icmp: ICMP needs an IPv4 header: add ipv4 = {}"),
    ];
    for (flow, message) in cases {
        assert_eq!(refusal(flow), message);
    }
    let both = refusal(Flow { arp: Some(arp()), ..v4_flow() });
    assert!(both.starts_with("flow.a.ipv4: ipv4 cannot stand beside arp: a frame is"), "{both}");
}

#[test]
fn c18_every_stack_has_its_minimum() {
    let stacks = [
        (54, tcp_flow()),
        (74, tcp_over_v6()),
        (42, icmp_flow()),
        (62, icmpv6_flow()),
        (42, Flow { arp: Some(arp()), ..raw_flow() }),
        (66, Flow { mpls: vec![label(fixed(16)), label(fixed(17)), label(fixed(18))], ..tcp_flow() }),
        (118, Flow { mpls: vec![label(fixed(16)); 16], size: fixed(118), vlan: Vec::new(), ..tcp_flow() }),
    ];
    for (least, flow) in stacks {
        let sized = |size: u128| Flow { size: fixed(size), runt: true, ..flow.clone() };
        let error = compile(&profile(vec![sized(least - 1)]), &facts()).unwrap_err();
        let right = CompileError::TooSmall { flow: "a".into(), size: least - 1, least: least as usize };
        assert_eq!(error, right);
        see(&bytes(&frame(sized(least)), 0));
    }
}

/// Which values of two-byte fields the checksum must go through to reach every residue.
fn c23_zero_is_sent_as(zero: u128, field: &str, flow: Flow) {
    let checksums = tally(&frame(Flow { payload: Payload::Zero, ..flow }), field, 65536);
    assert!(!checksums.contains_key(&(0xffff - zero)), "{field}");
    assert_eq!((checksums.len(), checksums.contains_key(&zero)), (65535, true), "{field}");
}

#[test]
fn c23_only_udp_hides_a_checksum_of_zero() {
    let ports = || sweep(0, 65535, 1);
    c23_zero_is_sent_as(0, "tcp.checksum", Flow { tcp: Some(Tcp { src: ports(), ..tcp() }), ..tcp_flow() });
    c23_zero_is_sent_as(0, "tcp.checksum", Flow { tcp: Some(Tcp { src: ports(), ..tcp() }), ..tcp_over_v6() });
    c23_zero_is_sent_as(0, "icmp.checksum", Flow { icmp: Some(Icmp { id: ports(), ..echo(8) }), ..icmp_flow() });
    c23_zero_is_sent_as(
        0,
        "icmpv6.checksum",
        Flow { icmpv6: Some(Icmp { id: ports(), ..echo(128) }), ..icmpv6_flow() },
    );
    c23_zero_is_sent_as(0xffff, "udp.checksum", Flow { udp: Some(Udp { src: ports(), ..udp() }), ..v4_flow() });
}

#[test]
fn c25_every_size_has_its_own_checksum_behind_every_ip() {
    let payloads = [
        Payload::Pktgen,
        Payload::Random,
        Payload::Pattern(vec![1, 2, 3, 4, 5, 6, 7]),
        Payload::Hex((0..=255).collect()),
        Payload::Text("An odd number of bytes.".into()),
    ];
    for payload in payloads {
        for flow in [tcp_flow(), tcp_over_v6(), icmp_flow(), icmpv6_flow(), v6_flow()] {
            let least = 80;
            let walk = frame(Flow { size: sweep(least, 1514, 1), payload: payload.clone(), ..flow.clone() });
            let sizes = tally(&walk, "size", (1514 - least + 1) as u64);
            assert_eq!((sizes.len() as u128, sizes.values().max()), (1514 - least + 1, Some(&1)));
            tally(&frame(Flow { size: random(least, 1514), payload: payload.clone(), ..flow }), "size", 500);
        }
    }
}

#[test]
fn c26_tcp_and_icmp_never_go_without_a_checksum() {
    // The file refuses it; a hand-made profile gets its checksum all the same.
    let off = Flow { tcp: Some(Tcp { checksum: false, ..tcp() }), ..tcp_flow() };
    assert_ne!(see(&bytes(&frame(off), 0))["tcp.checksum"], 0);
    for (field, flow) in [("icmp.checksum", icmp_flow()), ("icmpv6.checksum", icmpv6_flow())] {
        assert_ne!(see(&bytes(&frame(flow), 0))[field], 0);
    }
}

#[test]
fn c28_narrow_fields_of_new_headers_wrap_at_their_own_width() {
    let whole = |most: u128| sweep(0, most, 1);
    let labelled = |label: Mpls| Flow { mpls: vec![label], size: fixed(64), ..v4_flow() };
    let with_tcp = |tcp: Tcp| Flow { tcp: Some(tcp), ..tcp_flow() };
    let v4 = |ip: Ipv4| Flow { ip: Some(Ip::V4(ip)), ..v4_flow() };
    let cases = [
        ("mpls.0.tc", 7, labelled(Mpls { tc: whole(7), ..label(fixed(0xf_ffff)) })),
        ("mpls.0.ttl", 255, labelled(Mpls { ttl: whole(255), ..label(fixed(0xf_ffff)) })),
        ("tcp.flags", 0x1ff, with_tcp(Tcp { flags: whole(0x1ff), ..tcp() })),
        ("tcp.window", 0xffff, with_tcp(Tcp { window: whole(0xffff), ..tcp() })),
        ("tcp.urgent", 0xffff, with_tcp(Tcp { urgent: whole(0xffff), ..tcp() })),
        ("ipv4.fragment_offset", 8191, v4(Ipv4 { fragment_offset: whole(8191), df: true, ..crate::build::v4() })),
        ("icmp.code", 255, Flow { icmp: Some(Icmp { code: whole(255), ..echo(8) }), ..icmp_flow() }),
        ("icmpv6.type", 255, Flow { icmpv6: Some(Icmp { kind: whole(255), ..echo(0) }), ..icmpv6_flow() }),
        ("arp.op", 0xffff, Flow { arp: Some(Arp { op: whole(0xffff), ..arp() }), ..raw_flow() }),
    ];
    for (field, most, flow) in cases {
        let seen = tally(&frame(flow), field, 2 * (most + 1));
        assert_eq!(seen.len() as u64, most + 1, "{field}");
        assert!(seen.values().all(|times| *times == 2), "{field}");
    }
    let top = tally(&frame(labelled(label(sweep(0xf_ff00, 0xf_ffff, 1)))), "mpls.0.label", 512);
    assert_eq!((top.len(), top.keys().min(), top.keys().max()), (256, Some(&0xf_ff00), Some(&0xf_ffff)));
    let seq = frame(with_tcp(Tcp { seq: sweep(0xffff_fffe, 0xffff_ffff, 1), ..tcp() }));
    assert_eq!(tally(&seq, "tcp.seq", 4), BTreeMap::from([(0xffff_fffe, 2), (0xffff_ffff, 2)]));
}

#[test]
fn c28_neighbours_in_a_word_do_not_disturb_each_other() {
    let all = Mpls { label: random(0, 0xf_ffff), tc: sweep(0, 7, 1), ttl: list(&[1, 255, 64]) };
    let frame = frame(Flow { mpls: vec![all.clone(), all], size: fixed(70), ..v4_flow() });
    for k in 0..200 {
        let seen = see(&bytes(&frame, k));
        assert_eq!(seen["mpls"], 2);
        for depth in 0..2 {
            assert_eq!(seen[&format!("mpls.{depth}.tc")], u128::from(k) % 8);
            assert_eq!(seen[&format!("mpls.{depth}.ttl")], [1, 255, 64][k as usize % 3]);
        }
    }
}

#[test]
fn c38_the_bottom_of_the_stack_is_marked_by_itself() {
    let stack = |labels: &[u128]| {
        let mpls = labels.iter().map(|value| Mpls { ttl: fixed(10), ..label(fixed(*value)) }).collect();
        bytes(&frame(Flow { mpls, size: fixed(120), ..v4_flow() }), 0)
    };
    // pktgen: mpls 0001000a,0002000a,0000000a
    let three = stack(&[16, 32, 0]);
    assert_eq!(three[12..26], [0x88, 0x47, 0, 1, 0, 10, 0, 2, 0, 10, 0, 0, 1, 10]);
    let most: Vec<u128> = (16..32).collect();
    let seen = see(&stack(&most));
    assert_eq!(seen["mpls"], 16);
    assert!((0..16).all(|depth| seen[&format!("mpls.{depth}.label")] == 16 + depth));
    // pktgen's "random label": 20 bits of chance in one entry, the others as they are.
    let mpls = vec![label(fixed(16)), label(random(0, 0xf_ffff)), label(fixed(17))];
    let labels = tally(&frame(Flow { mpls, size: fixed(72), ..v4_flow() }), "mpls.1.label", 1000);
    assert!(labels.len() > 990, "{}", labels.len());
}

#[test]
fn random_payloads_are_new_in_every_build_and_grow_from_the_front() {
    let drawn = |size: Value, name: &str| Flow { payload: Payload::Random, size, name: name.into(), ..v4_flow() };
    let payload = |flow: Flow, k: u64| bytes(&frame(flow), k)[42..].to_vec();
    let all: BTreeSet<Vec<u8>> = (0..200).map(|k| payload(drawn(fixed(60), "a"), k)).collect();
    assert_eq!(all.len(), 200);
    let (short, long) = (payload(drawn(fixed(61), "a"), 3), payload(drawn(fixed(1000), "a"), 3));
    assert_eq!(short, long[..19]);
    assert_ne!(payload(drawn(fixed(60), "b"), 3), short[..18], "another flow, other bytes");
    let ones: u32 = payload(drawn(fixed(1514), "a"), 0).iter().map(|byte| byte.count_ones()).sum();
    assert!((5_500..6_300).contains(&ones), "{ones} of 11776 bits are ones");
    assert_eq!(frame(drawn(fixed(60), "a")).distinct_builds(), None);
}

#[test]
fn a_tcp_flow_makes_conversations() {
    let ports = Tcp { src: sweep(1000, 1099, 1), seq: sweep(0, 0xffff_ffff, 1), ..tcp() };
    let frame = frame(Flow { tcp: Some(ports), ..tcp_flow() });
    assert_eq!(frame.five_tuples().distinct, Some(100));
}

#[test]
fn tshark_agrees_on_echoes_and_questions() {
    let code = |kind: u128| Icmp { id: random(0, 65535), seq: sweep(0, 65535, 1), ..echo(kind) };
    let flows = [
        Flow { icmp: Some(code(8)), ..icmp_flow() },
        Flow { icmpv6: Some(code(128)), ..icmpv6_flow() },
        Flow { arp: Some(Arp { tpa: random(0xc612_0002, 0xc612_ffff), ..arp() }), ..raw_flow() },
        Flow { icmp: Some(code(8)), payload: Payload::Random, size: sweep(60, 300, 1), ..icmp_flow() },
    ];
    let frames: Vec<Vec<u8>> = flows
        .into_iter()
        .flat_map(|flow| {
            let frame = frame(flow);
            (0..30).map(move |k| bytes(&frame, k)).collect::<Vec<_>>()
        })
        .collect();
    tshark::finds_no_fault(frames.iter().map(Vec::as_slice));
}
