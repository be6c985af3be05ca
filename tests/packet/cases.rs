//! Public bug reports as acceptance cases; the number is in each test's name.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
};

use txdeck::{
    packet::{CompileError, Frame, compile, pcap},
    profile::{Flow, Ip, Ipv4, Ipv6, Mac, Payload, Udp, Value, Vlan},
};

use crate::{
    build::{
        bytes, facts, fixed, frame, list, plan, plan_flow, profile, random, raw_flow, stamp, sweep, udp, v4, v4_flow,
        v6, v6_flow, vlan, with_ports,
    },
    seen::see,
};

fn refusal(flow: Flow) -> CompileError {
    compile(&profile(vec![flow]), &facts()).expect_err("refused")
}

/// How often each value of a field comes in the first `builds` builds, in one piece of memory.
pub fn tally(frame: &Frame, field: &str, builds: u64) -> BTreeMap<u128, u64> {
    let (mut memory, mut held) = (vec![0; frame.max_len()], 0);
    let mut tally = BTreeMap::new();
    for k in 0..builds {
        frame.write(&mut memory, &mut held, &stamp(k));
        *tally.entry(see(&memory[..frame.len(k)])[field]).or_default() += 1;
    }
    tally
}

#[test]
fn c16_size_60_is_60_bytes_without_fcs() {
    let frame = frame(v4_flow());
    assert_eq!((frame.fixed_len(), frame.max_len(), bytes(&frame, 0).len()), (Some(60), 60, 60));
    assert_eq!(pcap::record(&bytes(&frame, 0), 0)[8..12], [60, 0, 0, 0]);
}

#[test]
fn c18_headers_longer_than_the_frame_are_refused_with_the_minimum() {
    let tags = || vec![vlan(fixed(1)), vlan(fixed(2))];
    let flow = Flow { size: fixed(64), vlan: tags(), ..v6_flow() };
    assert_eq!(refusal(flow), CompileError::TooSmall { flow: "a".into(), size: 64, least: 70 });
    let sizes = Flow { size: sweep(69, 100, 1), vlan: tags(), ..v6_flow() };
    assert_eq!(refusal(sizes).to_string(), "flow.a.size: 69 is too small, the headers of this flow need 70..65535");
    assert_eq!(frame(Flow { size: fixed(70), vlan: tags(), ..v6_flow() }).max_len(), 70);
}

#[test]
fn c21_a_varying_port_leaves_the_size_alone() {
    let frame = frame(with_ports(sweep(1000, 1999, 1), Flow { size: fixed(768), ..v4_flow() }));
    assert_eq!(tally(&frame, "size", 2000), BTreeMap::from([(768, 2000)]));
}

#[test]
fn c22_sizes_below_the_stack_are_refused_and_runts_keep_their_real_lengths() {
    for size in [0, 1, 13, 14, 41] {
        let flow = Flow { size: fixed(size), runt: true, ..v4_flow() };
        assert_eq!(refusal(flow), CompileError::TooSmall { flow: "a".into(), size, least: 42 });
    }
    let flow = Flow { size: fixed(61), ..v6_flow() };
    assert_eq!(refusal(flow), CompileError::TooSmall { flow: "a".into(), size: 61, least: 62 });
    for size in [42, 59, 60] {
        let seen = see(&bytes(&frame(Flow { size: fixed(size), runt: true, ..v4_flow() }), 0));
        assert_eq!((seen["size"], seen["udp.length"]), (size, size - 34));
    }
}

fn c23(flow: Flow) {
    let frame = frame(with_ports(sweep(0, 65535, 1), Flow { payload: Payload::Zero, ..flow }));
    let checksums = tally(&frame, "udp.checksum", 65536);
    assert!(!checksums.contains_key(&0));
    // 65536 ports reach each of the 65535 residues, one of them twice; both forms of zero are sent as ffff.
    assert!(matches!(checksums[&0xffff], 1 | 2), "{}", checksums[&0xffff]);
    assert_eq!(checksums.len(), 65535);
}

#[test]
fn c23_udp_checksum_zero_is_sent_as_ffff() {
    c23(v4_flow());
}

#[test]
fn c23_udp_checksum_zero_is_sent_as_ffff_over_ipv6() {
    c23(v6_flow());
}

#[test]
fn c23_a_baked_udp_checksum_zero_is_sent_as_ffff() {
    let fixed_port = |port: u128| frame(with_ports(fixed(port), Flow { payload: Payload::Zero, ..v4_flow() }));
    let zero = (0..65536).map(fixed_port).find(|frame| see(&bytes(frame, 0))["udp.checksum"] == 0xffff);
    assert!(zero.is_some_and(|frame| frame.varying().is_empty()), "one port computes to zero");
}

#[test]
fn c25_every_size_has_its_own_lengths_and_checksums() {
    let pattern = Payload::Pattern(vec![1, 2, 3, 4, 5, 6, 7]);
    for payload in [Payload::Pktgen, Payload::Zero, pattern] {
        for flow in [v4_flow(), v6_flow()] {
            let least = if matches!(flow.ip, Some(Ip::V4(_))) { 60 } else { 62 };
            let walk = frame(Flow { size: sweep(least, 1514, 1), payload: payload.clone(), ..flow.clone() });
            let builds = (1514 - least + 1) as u64;
            let sizes = tally(&walk, "size", builds);
            assert_eq!((sizes.len() as u64, sizes.values().max()), (builds, Some(&1)));
            let drawn = frame(Flow { size: random(least, 1514), payload: payload.clone(), ..flow });
            assert!(tally(&drawn, "size", builds).len() > 800);
        }
    }
}

#[test]
fn c26_ipv6_never_goes_without_a_checksum() {
    let off = || Some(Udp { checksum: false, ..udp() });
    let v4 = frame(Flow { udp: off(), ..v4_flow() });
    let v6 = frame(Flow { udp: off(), ..v6_flow() });
    assert_eq!(see(&bytes(&v4, 0))["udp.checksum"], 0);
    assert_ne!(see(&bytes(&v6, 0))["udp.checksum"], 0);
}

#[test]
fn c28_the_whole_port_range_wraps() {
    let ports = tally(&frame(with_ports(sweep(0, 65535, 1), v4_flow())), "udp.src", 131_072);
    assert_eq!(ports.len(), 65536);
    assert!(ports.values().all(|times| *times == 2));
}

#[test]
fn c28_a_step_of_seven_goes_back_to_the_start() {
    let frame = frame(with_ports(sweep(0, 65535, 7), v4_flow()));
    // 65535 = 7 * 9362 + 1: the last position is 65534.
    let port = |k: u64| see(&bytes(&frame, k))["udp.src"];
    assert_eq!([port(9361), port(9362), port(9363), port(9364)], [65527, 65534, 0, 7]);
}

#[test]
fn c28_narrow_fields_wrap_at_their_own_width() {
    let ip = |ip: Ipv4| Flow { ip: Some(Ip::V4(ip)), ..v4_flow() };
    let tag = |tag: Vlan| Flow { vlan: vec![tag], size: fixed(64), ..v4_flow() };
    let v6 = |ip: Ipv6| Flow { ip: Some(Ip::V6(ip)), ..v6_flow() };
    let whole = |most: u128| sweep(0, most, 1);
    let cases = [
        ("ipv4.ttl", 255, ip(Ipv4 { ttl: whole(255), ..v4() })),
        ("ipv4.dscp", 63, ip(Ipv4 { dscp: whole(63), ..v4() })),
        ("ipv4.ecn", 3, ip(Ipv4 { ecn: whole(3), ..v4() })),
        ("ipv6.hop_limit", 255, v6(Ipv6 { hop_limit: whole(255), ..crate::build::v6() })),
        ("ipv6.dscp", 63, v6(Ipv6 { dscp: whole(63), ..crate::build::v6() })),
        ("vlan.0.id", 4095, tag(vlan(whole(4095)))),
        ("vlan.0.id", 4094, tag(vlan(whole(4094)))),
        ("vlan.0.pcp", 7, tag(Vlan { pcp: whole(7), ..vlan(fixed(100)) })),
    ];
    for (field, most, flow) in cases {
        let seen = tally(&frame(flow), field, 2 * (most + 1));
        assert_eq!(seen.len() as u64, most + 1, "{field}");
        assert!(seen.values().all(|times| *times == 2), "{field}");
    }
}

#[test]
fn c28_any_tag_type_may_vary() {
    let frame = frame(Flow { vlan: vec![Vlan { tpid: sweep(0, 65535, 1), ..vlan(fixed(100)) }], ..raw_flow() });
    for k in 0..65536 {
        let bytes = bytes(&frame, k);
        assert_eq!((&bytes[12..14], &bytes[14..18]), (&(k as u16).to_be_bytes()[..], &[0, 100, 0x88, 0xb5][..]));
    }
}

#[test]
fn c28_ranges_of_full_width_never_stick() {
    let flow = Flow { ip: Some(Ip::V6(Ipv6 { src: sweep(0, u128::MAX, 1), ..v6() })), ..v6_flow() };
    let whole = frame(flow);
    for k in [0, 1, u64::MAX - 1, u64::MAX] {
        assert_eq!(see(&bytes(&whole, k))["ipv6.src"], u128::from(k));
    }
    let strides = sweep(0, u128::MAX, u128::MAX / 3);
    let strides = frame(Flow { ip: Some(Ip::V6(Ipv6 { src: strides, ..v6() })), ..v6_flow() });
    let third = u128::MAX / 3;
    let seen: Vec<u128> = (0..5).map(|k| see(&bytes(&strides, k))["ipv6.src"]).collect();
    assert_eq!(seen, [0, third, 2 * third, u128::MAX, 0]);
}

#[test]
fn c30_a_copy_is_the_same_build() {
    let random_ports = || with_ports(random(1024, 65535), v4_flow());
    // 64512 ports, 10000 draws: 64512 * (1 - exp(-10000 / 64512)) = 9265 different ones are expected.
    let ports = tally(&frame(random_ports()), "udp.src", 10_000);
    assert!((9_100..9_430).contains(&ports.len()), "{}", ports.len());
    for (clone, copies) in [(0, 1), (1, 1), (100, 100)] {
        assert_eq!(plan_flow(Flow { clone: Some(clone), ..random_ports() }).copies, copies);
    }
    // clone 100: 10000 packets are 100 builds.
    assert!(tally(&frame(random_ports()), "udp.src", 100).len() <= 100);
}

#[test]
fn c30_the_flows_clone_wins_over_that_of_tx() {
    let mut profile = profile(vec![v4_flow(), Flow { name: "b".into(), clone: Some(5), ..v4_flow() }]);
    profile.tx.clone = 10;
    assert_eq!(plan(&profile).flows.iter().map(|flow| flow.copies).collect::<Vec<_>>(), [10, 5]);
}

#[test]
fn c34_impossible_values_are_refused_by_name() {
    let port = |src: Value| refusal(with_ports(src, v4_flow())).to_string();
    assert_eq!(port(sweep(2000, 1000, 1)), "flow.a.udp.src: from 2000 to 1000 runs backwards. Swap the two");
    assert_eq!(port(random(9, 1)), "flow.a.udp.src: from 9 to 1 runs backwards. Swap the two");
    assert_eq!(port(fixed(70_000)), "flow.a.udp.src: 70000 is out of range, 0..65535 is allowed");
    assert_eq!(port(sweep(0, 70_000, 1)), "flow.a.udp.src: 70000 is out of range, 0..65535 is allowed");
    assert_eq!(port(list(&[])), "flow.a.udp.src: the list is empty. Give at least one value");
}

#[test]
fn c34_step_zero_and_steps_beyond_the_range_are_constants() {
    for step in [0, 1_000_000] {
        let frame = frame(with_ports(sweep(1, 10, step), v4_flow()));
        assert_eq!(tally(&frame, "udp.src", 100), BTreeMap::from([(1, 100)]));
    }
}

#[test]
fn c35_both_ends_of_a_range_are_included() {
    for src in [sweep(9, 109, 1), random(9, 109)] {
        let ports: BTreeSet<u128> = tally(&frame(with_ports(src, v4_flow())), "udp.src", 5_000).into_keys().collect();
        assert_eq!(ports, (9..=109).collect());
    }
}

#[test]
fn c36_a_vlan_id_is_in_the_bytes() {
    let bytes = bytes(&frame(Flow { vlan: vec![vlan(fixed(100))], size: fixed(64), ..v4_flow() }), 0);
    assert_eq!(bytes[12..16], [0x81, 0, 0, 100]);
}

#[test]
fn c40_a_neighbour_is_known_or_the_flow_is_refused() {
    let v4_address: IpAddr = [198, 18, 0, 2].into();
    let flow = |mut flow: Flow| {
        flow.eth.dst = Mac::Neighbour;
        flow
    };
    let error = refusal(flow(v4_flow()));
    assert_eq!(error, CompileError::NoNeighbour { flow: "a".into(), address: v4_address });
    let mut facts = facts();
    facts.neighbours =
        vec![(v4_address, [2, 0, 0, 0, 0, 0x12]), ("2001:db8::2".parse().unwrap(), [2, 0, 0, 0, 0, 0x13])];
    for (neighbour, last) in [(flow(v4_flow()), 0x12), (flow(v6_flow()), 0x13)] {
        let plan = compile(&profile(vec![neighbour]), &facts).unwrap();
        assert_eq!(bytes(&plan.flows[0].frame, 0)[..6], [2, 0, 0, 0, 0, last]);
    }
    // An entry still being asked for has no address: zeros are never sent to.
    facts.neighbours = vec![(v4_address, [0; 6])];
    assert!(compile(&profile(vec![flow(v4_flow())]), &facts).is_err());
}

#[test]
fn c40_a_neighbour_needs_one_fixed_destination() {
    let mut flow = v4_flow();
    flow.eth.dst = Mac::Neighbour;
    flow.ip = Some(Ip::V4(Ipv4 { dst: sweep(1, 2, 1), ..v4() }));
    assert_eq!(refusal(flow.clone()), CompileError::NeighbourVaries { flow: "a".into(), field: "ipv4.dst" });
    flow.ip = None;
    flow.udp = None;
    assert_eq!(refusal(flow), CompileError::NeighbourOfNobody { flow: "a".into(), field: "eth.dst" });
    let mut flow = v4_flow();
    flow.eth.src = Mac::Neighbour;
    assert_eq!(refusal(flow), CompileError::NeighbourOfNobody { flow: "a".into(), field: "eth.src" });
}

#[test]
fn udp_needs_ip() {
    let refused = refusal(Flow { ip: None, ..v4_flow() });
    assert_eq!(refused.to_string(), "flow.a.udp: UDP needs an IP header: add ipv4 = {} or ipv6 = {}");
}

#[test]
fn a_plan_has_the_enabled_flows_with_their_seats() {
    let mut profile = profile(vec![
        Flow { enabled: false, ..v4_flow() },
        Flow { name: "b".into(), queues: Some(vec![7, 3, 7]), weight: 0, ..v4_flow() },
        Flow { name: "c".into(), size: fixed(1514), weight: 9, ..v4_flow() },
    ]);
    profile.tx.queues = vec![3, 5, 7];
    let plan = plan(&profile);
    let flows: Vec<(&str, &[usize], u32)> =
        plan.flows.iter().map(|flow| (&*flow.name, &flow.seats[..], flow.weight)).collect();
    assert_eq!(flows, [("b", &[0, 2][..], 1), ("c", &[0, 1, 2][..], 9)]);
    assert_eq!((plan.max_len(), plan.seed, &plan.queues[..]), (1514, 7, &[3, 5, 7][..]));
    profile.flows[1].queues = Some(vec![4]);
    assert_eq!(compile(&profile, &facts()).unwrap_err(), CompileError::UnknownQueue { flow: "b".into(), queue: 4 });
}

#[test]
fn diversity_counts_frames_before_one_repeats() {
    let ports = |src: Value, dst: Value| frame(Flow { udp: Some(Udp { src, dst, checksum: true }), ..v4_flow() });
    assert_eq!(ports(fixed(1), fixed(2)).distinct_builds(), Some(1));
    let frame = ports(sweep(1, 4, 1), sweep(1, 6, 1));
    let frames: BTreeSet<(u128, u128)> =
        (0..100).map(|k| see(&bytes(&frame, k))).map(|seen| (seen["udp.src"], seen["udp.dst"])).collect();
    assert_eq!(frame.distinct_builds(), Some(frames.len() as u64));
}
