//! Every combination of tags, labels, IP, transport and size: all lengths and checksums verify, all fields are right.

use proptest::{prelude::*, test_runner::Config};
use txdeck::profile::{Flow, Ip, Ipv4, Ipv6, Mpls, Payload, Tcp, Udp, Value, Vlan};

use crate::{
    build::{bytes, fixed, frame, label, raw_flow, sweep, v4, v6, vlan},
    model::expected,
    seen::see,
    tshark,
};

/// One value for every field that may vary.
#[derive(Debug, Clone)]
struct Values {
    vlan: Value,
    label: Value,
    v4: Value,
    v6: Value,
    port: Value,
    seq: Value,
    flags: Value,
    payload: Payload,
}

fn links(values: &Values) -> [(&'static str, Vec<Vlan>, Vec<Mpls>); 6] {
    let tag = || vlan(values.vlan.clone());
    let outer = Vlan { tpid: fixed(0x88a8), pcp: fixed(3), ..vlan(fixed(100)) };
    let random = || Mpls { tc: fixed(5), ..label(values.label.clone()) };
    [
        ("none", vec![], vec![]),
        ("VLAN", vec![tag()], vec![]),
        ("QinQ", vec![outer, tag()], vec![]),
        ("1 MPLS", vec![], vec![random()]),
        ("3 MPLS", vec![], vec![label(fixed(16)), random(), label(fixed(0))]),
        ("VLAN + MPLS", vec![tag()], vec![random(), label(fixed(17))]),
    ]
}

/// All 48, with their names.
fn combinations(values: &Values) -> Vec<(String, Flow)> {
    let ips = [
        ("IPv4", Ip::V4(Ipv4 { src: values.v4.clone(), ..v4() })),
        ("IPv6", Ip::V6(Ipv6 { dst: values.v6.clone(), ..v6() })),
    ];
    let udp = Udp { src: values.port.clone(), dst: fixed(9), checksum: true };
    let tcp =
        Tcp { src: values.port.clone(), seq: values.seq.clone(), flags: values.flags.clone(), ..crate::build::tcp() };
    let sizes = [("fixed", fixed(130)), ("swept", sweep(118, 260, 1))];
    let mut all = Vec::new();
    for (link, vlan, mpls) in links(values) {
        for (version, ip) in &ips {
            for (udp, tcp) in [(Some(udp.clone()), None), (None, Some(tcp.clone()))] {
                for (kind, size) in &sizes {
                    let name = format!("{link}, {version}, {}, {kind}", if udp.is_some() { "UDP" } else { "TCP" });
                    let flow = Flow {
                        vlan: vlan.clone(),
                        mpls: mpls.clone(),
                        ip: Some(ip.clone()),
                        udp: udp.clone(),
                        tcp: tcp.clone(),
                        size: size.clone(),
                        payload: values.payload.clone(),
                        ..raw_flow()
                    };
                    all.push((name, flow));
                }
            }
        }
    }
    all
}

fn varying(most: u128) -> impl Strategy<Value = Value> {
    let pair = (0..=most, 0..=most).prop_map(|(a, b)| (a.min(b), a.max(b)));
    prop_oneof![
        (0..=most).prop_map(Value::Fixed),
        (pair.clone(), 1..4_u128, 1..3_u64).prop_map(|((from, to), step, every)| Value::Sweep {
            from,
            to,
            step,
            every
        }),
        (pair, 1..3_u64).prop_map(|((low, high), every)| Value::Random { low, high, every }),
    ]
}

fn values() -> impl Strategy<Value = Values> {
    let payload = prop_oneof![
        Just(Payload::Pktgen),
        Just(Payload::Random),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Payload::Pattern),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Payload::Hex),
        Just(Payload::Zero),
    ];
    let narrow = (varying(4095), varying(0xf_ffff), varying(0xffff_ffff), varying(u128::MAX - 1));
    (narrow, varying(0xffff), varying(0xffff_ffff), varying(0x1ff), payload).prop_map(
        |((vlan, label, v4, v6), port, seq, flags, payload)| Values { vlan, label, v4, v6, port, seq, flags, payload },
    )
}

proptest! {
    #![proptest_config(Config { cases: 32, ..Config::default() })]

    #[test]
    fn every_combination_has_right_lengths_checksums_and_fields(values in values(), k in any::<u64>()) {
        for (name, flow) in combinations(&values) {
            let frame = frame(flow.clone());
            for k in [0, 1, 2, 77, k] {
                let seen = see(&bytes(&frame, k));
                for (field, expected) in expected(&flow, k) {
                    prop_assert!(expected.allows(seen[&field]), "{}: {} is {}", name, field, seen[&field]);
                }
                prop_assert_eq!(seen.get("mpls").copied().unwrap_or(0), flow.mpls.len() as u128, "{}", name);
                prop_assert_ne!(seen.get("udp.checksum"), Some(&0), "{}", name);
            }
        }
    }
}

#[test]
fn tshark_agrees_on_every_combination() {
    let random = |high: u128| Value::Random { low: 0, high, every: 1 };
    for payload in [Payload::Pktgen, Payload::Random, Payload::Text("some text".into())] {
        let values = Values {
            vlan: random(4094),
            label: Value::Random { low: 16, high: 0xf_ffff, every: 1 },
            v4: Value::Random { low: 0xc612_0001, high: 0xc613_fffe, every: 1 },
            v6: Value::Random { low: crate::build::DST_V6, high: crate::build::DST_V6 + 0xffff_ffff, every: 1 },
            port: Value::Random { low: 40_000, high: 50_000, every: 1 },
            seq: random(0xffff_ffff),
            flags: fixed(0x10),
            payload,
        };
        let frames: Vec<Vec<u8>> = combinations(&values)
            .into_iter()
            .flat_map(|(_, flow)| {
                let frame = frame(flow);
                (0..20).map(move |k| bytes(&frame, k)).collect::<Vec<_>>()
            })
            .collect();
        tshark::finds_no_fault(frames.iter().map(Vec::as_slice));
    }
}
