//! Promises pinned: the random generator's values and the first frames of some profiles, byte for byte.

use std::fmt::Write;

use txdeck::{
    packet::annotate,
    profile::{Conversations, Flow, Ip, Ipv4, Ipv6, Mac, Order, Payload, Share, TurnOrder, Udp, Value, Vlan},
};

use crate::{
    build::{bytes, fixed, frame, list, plan, profile, random, raw_flow, stamp, sweep, udp, v4, v4_flow, v6, v6_flow},
    seen::see,
};

/// One field of builds `ks`, with this seed.
fn drawn(flow: Flow, seed: u64, field: &str, ks: &[u64]) -> Vec<u128> {
    let mut profile = profile(vec![flow]);
    profile.tx.seed = seed;
    let frame = plan(&profile).flows.remove(0).frame;
    ks.iter().map(|k| see(&bytes(&frame, *k))[field]).collect()
}

// The values below come from a separate implementation of the rules in src/packet/draw.rs. They hold for every
// release: a change here breaks the promise "same file, same seed, same frames".

#[test]
fn random_ports_are_these_for_ever() {
    let flow = || crate::build::with_ports(random(1024, 65535), v4_flow());
    assert_eq!(
        drawn(flow(), 7, "udp.src", &[0, 1, 2, 3, 4, 5, 6, 7]),
        [28497, 23126, 61370, 3814, 12413, 44989, 48624, 47368]
    );
    assert_eq!(drawn(flow(), 7, "udp.src", &[1_000_000, 1 << 40, u64::MAX]), [51559, 44247, 3913]);
}

#[test]
fn random_addresses_are_these_for_ever() {
    let mut flow = v4_flow();
    flow.eth.src = Mac::Is(random(0x0200_0000_0000, 0x02ff_ffff_ffff));
    assert_eq!(drawn(flow, 7, "eth.src", &[0, 1, 2]), [0x02d0_7e52_214d, 0x02e9_31b0_26af, 0x0247_8026_02ee]);

    let v6 =
        |src: Value, dst: Value| Flow { name: "b".into(), ip: Some(Ip::V6(Ipv6 { src, dst, ..v6() })), ..v6_flow() };
    let net = 0x2001_0db8_u128 << 96;
    assert_eq!(
        drawn(v6(fixed(1), random(net, net | u128::MAX >> 32)), 7, "ipv6.dst", &[0, 1, 2]),
        [
            0x2001_0db8_dd04_4f73_f978_f344_a94d_85d4,
            0x2001_0db8_4187_31e9_704d_cb1b_9348_5ef9,
            0x2001_0db8_136d_57f2_bec9_8b5b_ec45_e0b3
        ]
    );
    assert_eq!(
        drawn(v6(random(0, u128::MAX), fixed(1)), 0, "ipv6.src", &[0, 1]),
        [0x0018_5bc4_bf2c_478c_a0f4_f3aa_0aef_e877, 0xadc2_22c2_6183_6685_cd7f_4983_d19f_6079]
    );
    let half = random(1 << 64, (1 << 64) + u128::from(u64::MAX));
    assert_eq!(
        drawn(v6(half, fixed(1)), u64::MAX, "ipv6.src", &[0, 1]),
        [0x0001_3253_3afc_01ed_c0d4, 0x0001_7e09_5352_be7d_0531]
    );
}

#[test]
fn random_tags_and_sizes_are_these_for_ever() {
    let mut flow = raw_flow();
    flow.vlan = vec![crate::build::vlan(Value::Random { low: 0, high: 4095, every: 3 })];
    assert_eq!(drawn(flow, 7, "vlan.0.id", &[0, 1, 2, 3, 4, 5, 6]), [2915, 2915, 2915, 4022, 4022, 4022, 2981]);
    let flow = Flow { size: random(60, 1514), ..v4_flow() };
    assert_eq!(drawn(flow, 7, "size", &[0, 1, 2, 3, 4, 5]), [460, 577, 913, 939, 1380, 487]);
}

/// The first frames of a flow as a person reads them, each seen by the second parser before.
pub fn golden(name: &str, flow: Flow, frames: u64) {
    let frame = frame(flow);
    let mut text = String::new();
    for k in 0..frames {
        see(&bytes(&frame, k));
        writeln!(text, "build {k}, {} bytes\n{}", frame.len(k), annotate(&frame, &stamp(k))).unwrap();
    }
    insta::with_settings!({ snapshot_path => "../golden/packet", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn golden_udp_64() {
    golden("udp-64", v4_flow(), 2);
}

#[test]
fn golden_everything_varies_v4() {
    let mut flow = v4_flow();
    flow.eth.src = Mac::Is(sweep(0x0200_0000_0100, 0x0200_0000_01ff, 1));
    flow.vlan = vec![
        Vlan { id: list(&[100, 200]), pcp: sweep(0, 7, 1), dei: false, tpid: fixed(0x88a8) },
        Vlan { id: fixed(5), pcp: fixed(3), dei: true, tpid: fixed(0x8100) },
    ];
    flow.ip = Some(Ip::V4(Ipv4 {
        dst: sweep(0xc612_0002, 0xc612_00fe, 1),
        ttl: list(&[64, 255]),
        dscp: sweep(0, 63, 9),
        ecn: fixed(1),
        id: sweep(0, 65535, 1),
        ..v4()
    }));
    flow.udp = Some(Udp { src: random(1024, 65535), ..udp() });
    flow.size = sweep(66, 82, 8);
    golden("varied-v4", flow, 4);
}

#[test]
fn golden_v6() {
    let mut flow = v6_flow();
    flow.ip = Some(Ip::V6(Ipv6 {
        dst: random(crate::build::DST_V6, crate::build::DST_V6 + 0xffff),
        dscp: sweep(0, 63, 46),
        flow_label: random(0, 0xf_ffff),
        ..v6()
    }));
    golden("varied-v6", flow, 3);
}

#[test]
fn golden_raw_and_pattern() {
    golden("raw", Flow { payload: Payload::Pattern(vec![0xde, 0xad, 0xbe, 0xef]), ..raw_flow() }, 1);
    golden("ip-without-udp", Flow { ip: Some(Ip::V4(v4())), payload: Payload::Zero, ..raw_flow() }, 1);
}

/// The first frames of every flow of a shipped profile.
fn golden_shipped(name: &str, frames: u64) {
    let (_, text) = txdeck::profile::shipped().iter().find(|(known, _)| *known == name).unwrap();
    let document = txdeck::profile::Document::parse("", text).unwrap();
    for flow in &document.profile().flows {
        golden(&format!("{name}.{}", flow.name), flow.clone(), frames);
    }
}

#[test]
fn golden_shipped_profiles() {
    for name in ["mpls", "tcp-syn", "ping", "arp", "vlan-qinq", "ipv6-udp"] {
        golden_shipped(name, 2);
    }
}

#[test]
fn random_payloads_are_these_for_ever() {
    let frame = frame(Flow { payload: Payload::Random, size: fixed(62), ..v4_flow() });
    let payload = |k: u64| bytes(&frame, k)[42..].to_vec();
    let big_endian = |words: [u64; 3]| words.iter().flat_map(|word| word.to_be_bytes()).take(20).collect::<Vec<u8>>();
    assert_eq!(payload(0), big_endian([0x9694_a597_ef9c_140a, 0x61b8_74a0_7f4e_5845, 0x7ca9_cc9a_374a_156c]));
    assert_eq!(payload(1 << 40), big_endian([0xe425_689d_51ec_6033, 0x70d2_0096_4148_c579, 0x33e8_1a91_22ba_6977]));
}

#[test]
fn golden_nested() {
    let flow = Flow {
        ip: Some(Ip::V4(Ipv4 { dst: sweep(0xc612_0002, 0xc612_0003, 1), ..v4() })),
        udp: Some(Udp { dst: list(&[53, 123]), ..udp() }),
        order: Order::Nested,
        ..raw_flow()
    };
    golden("nested", flow, 4);
}

#[test]
fn golden_mix_of_masked_conversations() {
    let mut flow = v4_flow();
    flow.ip = Some(Ip::V4(Ipv4 {
        src: Value::Masked { base: 0x0a01_0203 & !0x00ff_00f0, mask: 0x00ff_00f0, every: 1 },
        dst: sweep(0xc612_0002, 0xc612_00fe, 1),
        ..v4()
    }));
    flow.size = Value::Imix {
        shares: vec![Share { value: 60, weight: 2 }, Share { value: 77, weight: 1 }, Share { value: 99, weight: 0 }],
        every: 1,
    };
    flow.conversations = Some(Conversations { count: 500, length: 2, order: TurnOrder::Sequential });
    golden("mix-of-masked-conversations", flow, 6);
}
