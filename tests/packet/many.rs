//! Sizes by weight, bits drawn by a mask, and many conversations out of one flow, seen by the second parser.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use txdeck::{
    packet::{CompileError, Frame, compile},
    profile::{Conversations, Flow, Ip, Ipv4, Ipv6, Order, Payload, Share, TurnOrder, Udp, Value},
};

use crate::{
    build::{
        bytes, facts, fixed, frame, list, profile, random, stamp, sweep, udp, v4, v4_flow, v6, v6_flow, with_ports,
    },
    seen::{Seen, see},
};

const MIX: [(u128, u32); 3] = [(60, 7), (590, 4), (1514, 1)];

fn imix(pairs: &[(u128, u32)]) -> Value {
    Value::Imix { shares: pairs.iter().map(|&(value, weight)| Share { value, weight }).collect(), every: 1 }
}

fn masked(base: u128, mask: u128) -> Value {
    Value::Masked { base: base & !mask, mask, every: 1 }
}

fn many(count: u32, length: u32, order: TurnOrder, flow: Flow) -> Flow {
    Flow { conversations: Some(Conversations { count, length, order }), ..flow }
}

/// The first `builds` frames, all in one piece of memory as a sender has it.
fn run(frame: &Frame, builds: u64) -> impl Iterator<Item = Seen> + '_ {
    let (mut memory, mut held) = (vec![0; frame.max_len()], 0);
    (0..builds).map(move |k| {
        frame.write(&mut memory, &mut held, &stamp(k));
        see(&memory[..frame.len(k)])
    })
}

fn tally<K: Ord>(values: impl Iterator<Item = K>) -> BTreeMap<K, u64> {
    values.fold(BTreeMap::new(), |mut tally, value| {
        *tally.entry(value).or_default() += 1;
        tally
    })
}

/// Addresses and ports.
fn tuple(seen: &Seen) -> Vec<u128> {
    ["ipv4.src", "ipv4.dst", "ipv6.src", "ipv6.dst", "udp.src", "udp.dst"]
        .iter()
        .filter_map(|name| seen.get(*name).copied())
        .collect()
}

#[test]
fn c41_shares_are_exact_and_so_are_the_bytes() {
    let frame = frame(Flow { size: imix(&MIX), ..v4_flow() });
    for (builds, twelfth) in [(12_000, 1000), (120_000, 10_000)] {
        let sizes = tally((0..builds).map(|k| frame.len(k) as u128));
        assert_eq!(sizes, BTreeMap::from([(60, 7 * twelfth), (590, 4 * twelfth), (1514, twelfth)]));
        let bytes: u128 = sizes.iter().map(|(size, times)| size * u128::from(*times)).sum();
        // 357.83 bytes on average, 361.83 with FCS.
        assert_eq!(bytes, u128::from(twelfth) * (60 * 7 + 590 * 4 + 1514));
    }
}

#[test]
fn c25_every_size_of_a_mix_has_its_own_lengths_and_checksums() {
    for payload in [Payload::Pktgen, Payload::Zero, Payload::Pattern(vec![1, 2, 3])] {
        for (flow, least) in [(v4_flow(), 60), (v6_flow(), 80)] {
            let mix = imix(&[(least, 7), (591, 4), (1514, 1)]);
            let frame = frame(Flow { size: mix, payload: payload.clone(), ..flow });
            // `see` finds every length and checksum right.
            let sizes = tally(run(&frame, 24).map(|seen| seen["size"]));
            assert_eq!(sizes, BTreeMap::from([(least, 14), (591, 8), (1514, 2)]));
        }
    }
}

#[test]
fn c41_the_shares_hold_over_all_queues_together_and_on_each() {
    let frame = frame(Flow { size: imix(&[(60, 1), (1514, 1)]), ..v4_flow() });
    for queues in [2, 3, 4, 8] {
        for queue in 0..queues {
            let large = (0..8000).filter(|n| frame.len(queue + n * queues) == 1514).count();
            assert!((3750..4250).contains(&large), "queue {queue} of {queues}: {large} of 8000");
        }
    }
}

#[test]
fn c43_a_weight_of_0_is_never_sent_and_equal_sizes_add_up() {
    let frame = |pairs: &[(u128, u32)]| frame(Flow { size: imix(pairs), ..v4_flow() });
    let sizes = |frame: &Frame| tally((0..1000).map(|k| frame.len(k)));
    let zero = frame(&[(60, 3), (9000, 0), (100, 1)]);
    assert_eq!((zero.max_len(), sizes(&zero)), (100, BTreeMap::from([(60, 750), (100, 250)])));
    assert_eq!(sizes(&frame(&[(60, 1), (100, 2), (60, 1)])), BTreeMap::from([(60, 500), (100, 500)]));
    let one = frame(&[(300, 9)]);
    assert_eq!((one.fixed_len(), sizes(&one)), (Some(300), BTreeMap::from([(300, 1000)])));
    let most: Vec<(u128, u32)> = (0..256).map(|n| (60 + n, 1 + n as u32 % 2)).collect();
    assert_eq!(sizes(&frame(&most)).len(), 256);
    let nothing = Flow { size: imix(&[(60, 0)]), ..v4_flow() };
    let refused = compile(&profile(vec![nothing]), &facts()).expect_err("nothing to send");
    assert_eq!(refused, CompileError::EmptyList { flow: "a".into(), field: "size".into() });
}

#[test]
fn nested_the_port_moves_once_a_cycle_of_the_mix() {
    let flow = Flow { size: imix(&MIX), order: Order::Nested, ..with_ports(sweep(1, 5, 1), v4_flow()) };
    let pairs = tally(run(&frame(flow), 60).map(|seen| (seen["udp.src"], seen["size"])));
    let wanted = (1..=5).flat_map(|port| MIX.map(|(size, weight)| ((port, size), u64::from(weight))));
    assert_eq!(pairs, wanted.collect());
}

#[test]
fn a_mask_keeps_its_other_bits_for_ever() {
    let src = masked(0x0a01_0203, 0x00ff_00f0);
    let frame = frame(Flow { ip: Some(Ip::V4(Ipv4 { src, ..v4() })), ..v4_flow() });
    // Of a separate implementation of the rules in src/packet/draw.rs.
    let seen: Vec<u128> = run(&frame, 4).map(|seen| seen["ipv4.src"]).collect();
    assert_eq!(seen, [0x0a60_0263, 0x0a10_02e3, 0x0a25_02a3, 0x0a6e_02a3]);
    let many: BTreeSet<u128> = run(&frame, 40_000).map(|seen| seen["ipv4.src"]).collect();
    assert_eq!(many.len(), 4096, "each of 2^12 addresses");
    assert!(many.iter().all(|address| address & !0x00ff_00f0 == 0x0a01_0203 & !0x00ff_00f0));
    assert_eq!(frame.distinct_builds(), Some(4096));
}

#[test]
fn a_mask_of_low_bits_draws_as_the_range_does() {
    let ports = |src: Value| {
        let frame = frame(with_ports(src, v4_flow()));
        run(&frame, 100).map(|seen| seen["udp.src"]).collect::<Vec<_>>()
    };
    assert_eq!(ports(masked(0x4000, 0x3fff)), ports(random(0x4000, 0x7fff)));
}

#[test]
fn a_mask_reaches_all_of_an_ipv6_address() {
    let src = masked(0x2001_0db8 << 96, 0xff << 88 | 0xffff);
    let frame = frame(Flow { ip: Some(Ip::V6(Ipv6 { src, ..v6() })), ..v6_flow() });
    let seen: Vec<u128> = run(&frame, 500).map(|seen| seen["ipv6.src"]).collect();
    assert!(seen.iter().all(|address| address & !(0xff << 88 | 0xffff) == 0x2001_0db8 << 96));
    let different = |bits: u128| seen.iter().map(|address| address & bits).collect::<BTreeSet<_>>().len();
    assert!(different(0xff << 88) > 200 && different(0xffff) > 490);
}

/// Random addresses of 198.18.0.0/15, as the kernel's many-flows sample has them.
fn sample04(order: TurnOrder) -> Frame {
    let src = random(0xc612_0000, 0xc613_ffff);
    frame(many(8000, 10, order, Flow { ip: Some(Ip::V4(Ipv4 { src, ..v4() })), ..v4_flow() }))
}

#[test]
fn c32_eight_thousand_flows_of_ten_packets_back_to_back() {
    let tuples: Vec<Vec<u128>> = run(&sample04(TurnOrder::Sequential), 80_000).map(|seen| tuple(&seen)).collect();
    assert!(tuples.chunks(10).all(|run| run.iter().all(|tuple| *tuple == run[0])), "runs of ten");
    let times = tally(tuples.iter());
    assert_eq!((times.len(), times.values().min(), times.values().max()), (8000, Some(&10), Some(&10)));
}

#[test]
fn c32_without_the_sequential_order_they_interleave() {
    let tuples: Vec<Vec<u128>> = run(&sample04(TurnOrder::Interleaved), 80_000).map(|seen| tuple(&seen)).collect();
    assert!(tuples.chunks(8000).all(|round| round == &tuples[..8000]), "all of them, ten times over");
    assert_eq!(tally(tuples[..8000].iter()).len(), 8000);
    let shuffled: Vec<Vec<u128>> = run(&sample04(TurnOrder::Random), 80_000).map(|seen| tuple(&seen)).collect();
    let times = tally(shuffled.iter());
    assert_eq!((times.len(), times.values().min(), times.values().max()), (8000, Some(&10), Some(&10)));
    let in_a_row = shuffled.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(in_a_row < 40, "{in_a_row} repetitions; 10 are expected");
    assert_eq!(tally(tuples.iter()), times, "the same conversations");
}

#[test]
fn c32_more_flows_than_addresses_are_refused_with_what_there_is() {
    let flow = many(65_536, 10, TurnOrder::Sequential, with_ports(sweep(1, 1000, 1), v4_flow()));
    let refused = compile(&profile(vec![flow]), &facts()).expect_err("1000 ports");
    assert_eq!(refused, CompileError::TooFewTuples { flow: "a".into(), count: 65_536, most: 1000 });
    let whole = frame(many(65_536, 1, TurnOrder::Sequential, with_ports(random(0, 65_535), v4_flow())));
    let ports: BTreeSet<u128> = run(&whole, 65_536).map(|seen| seen["udp.src"]).collect();
    assert_eq!(ports.len(), 65_536, "dealt without repetition");
}

#[test]
fn c34_impossible_conversations_are_refused_by_name() {
    let refused = |count: u32, src: Value| {
        let flow = many(count, 0, TurnOrder::Random, with_ports(src, v4_flow()));
        compile(&profile(vec![flow]), &facts()).map(|plan| plan.flows[0].frame.distinct_builds())
    };
    let backwards = refused(5, sweep(9, 1, 1)).expect_err("backwards");
    assert_eq!(backwards.to_string(), "flow.a.udp.src: from 9 to 1 runs backwards. Swap the two");
    assert!(refused(5, random(9, 1)).is_err() && refused(5, list(&[])).is_err());
    assert_eq!(refused(0, sweep(1, 9, 1)), Ok(Some(1)), "none is one, as with clone");
}

#[test]
fn conversations_are_these_for_ever() {
    let flow = Flow {
        ip: Some(Ip::V4(Ipv4 { src: random(0xc612_0000, 0xc613_ffff), ..v4() })),
        udp: Some(Udp { src: random(1024, 65_535), ..udp() }),
        ..v4_flow()
    };
    let frame = frame(many(8000, 1, TurnOrder::Sequential, flow));
    let seen: Vec<(u128, u128)> =
        run(&frame, 4).map(|seen| (seen["ipv4.src"] - 0xc612_0000, seen["udp.src"] - 1024)).collect();
    // Of a separate implementation of the rules in src/packet/conversation.rs.
    assert_eq!(seen, [(129_498, 44_540), (2453, 10_434), (40_864, 49_161), (54_161, 28_184)]);
}

#[test]
fn all_else_goes_on_with_every_packet() {
    let flow = Flow {
        ip: Some(Ip::V4(Ipv4 { dst: sweep(0xc612_0002, 0xc612_0004, 1), id: sweep(0, 65_535, 1), ..v4() })),
        size: imix(&MIX),
        ..v4_flow()
    };
    let seen: Vec<Seen> = run(&frame(many(3, 4, TurnOrder::Sequential, flow)), 12).collect();
    let column = |name: &str| seen.iter().map(|seen| seen[name]).collect::<Vec<_>>();
    assert_eq!(column("ipv4.dst"), [[0xc612_0002; 4], [0xc612_0003; 4], [0xc612_0004; 4]].concat());
    assert_eq!(column("ipv4.id"), (0..12).collect::<Vec<_>>());
    assert_eq!(tally(column("size").into_iter()), BTreeMap::from([(60, 7), (590, 4), (1514, 1)]));
}

#[test]
fn diversity_knows_conversations() {
    let of = |order: TurnOrder| frame(many(100, 10, order, with_ports(random(1024, 65_535), v4_flow()))).five_tuples();
    assert_eq!(of(TurnOrder::Sequential).distinct, Some(100));
    assert_eq!(of(TurnOrder::Sequential).among(55.0).ceil(), 6.0);
    assert_eq!((of(TurnOrder::Interleaved).among(55.0), of(TurnOrder::Interleaved).among(1e9)), (55.0, 100.0));
    let shuffled = frame(many(100, 10, TurnOrder::Random, with_ports(random(1024, 65_535), v4_flow())));
    let really = run(&shuffled, 55).map(|seen| tuple(&seen)).collect::<BTreeSet<_>>().len() as f64;
    let told = shuffled.five_tuples().among(55.0);
    assert!((told - really).abs() < 6.0, "{told} told, {really} seen");
    assert_eq!(shuffled.five_tuples().among(1000.0), 100.0, "a round has all of them");
}

/// Addresses and ports of any forms that can make some conversations.
fn talkative() -> impl Strategy<Value = Flow> {
    let field = |low: u128, high: u128| {
        let pair = (low..=high, low..=high).prop_map(|(a, b)| (a.min(b), a.max(b)));
        prop_oneof![
            Just(fixed(low)),
            (pair.clone(), 0..4_u128).prop_map(|((a, b), step)| sweep(a, b, step)),
            pair.prop_map(|(a, b)| random(a, b)),
            any::<u128>().prop_map(move |mask| masked(low, mask & (high - low) & 0x0f0f)),
            prop::collection::btree_set(low..=high, 1..5).prop_map(|set| list(&set.into_iter().collect::<Vec<_>>())),
        ]
    };
    let ip = prop_oneof![
        (field(0, 0xffff), field(0, 20)).prop_map(|(src, dst)| Ip::V4(Ipv4 { src, dst, ..v4() })),
        (field(0, u128::MAX - 1), field(0, 20)).prop_map(|(src, dst)| Ip::V6(Ipv6 { src, dst, ..v6() })),
    ];
    (ip, field(0, 0xffff), field(0, 9), any::<bool>()).prop_map(|(ip, src, dst, nested)| {
        let order = if nested { Order::Nested } else { Order::Together };
        Flow { ip: Some(ip), udp: Some(Udp { src, dst, ..udp() }), order, ..v6_flow() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_conversation_has_exactly_its_packets(
        flow in talkative(), count in 1..400_u32, length in 1..6_u32, order in 0..3_usize, round in 0..4_u64,
    ) {
        let order = [TurnOrder::Sequential, TurnOrder::Interleaved, TurnOrder::Random][order];
        let most = u32::try_from(flow.tuples()).unwrap_or(u32::MAX);
        let count = count.min(most);
        let frame = frame(many(count, length, order, flow));
        let builds = u64::from(count) * u64::from(length);
        let mut packets: HashMap<Vec<u128>, u32> = HashMap::new();
        for k in round * builds..(round + 1) * builds {
            *packets.entry(tuple(&see(&bytes(&frame, k)))).or_default() += 1;
        }
        prop_assert_eq!(packets.len(), count as usize);
        prop_assert!(packets.values().all(|packets| *packets == length), "{:?}", packets);
        prop_assert_eq!(frame.five_tuples().distinct, Some(u64::from(count)));
    }

    #[test]
    fn c41_any_mix_is_exact_over_any_cycle(
        shares in prop::collection::vec((60..1515_u128, 0..40_u32), 1..12), cycle in 0..1000_u64,
    ) {
        let sum: u32 = shares.iter().map(|(_, weight)| weight).sum();
        prop_assume!(sum > 0);
        let frame = frame(Flow { size: imix(&shares), ..v4_flow() });
        let builds = cycle * u64::from(sum)..(cycle + 1) * u64::from(sum);
        let mut wanted = BTreeMap::new();
        for (size, weight) in shares.into_iter().filter(|(_, weight)| *weight > 0) {
            *wanted.entry(size).or_insert(0) += u64::from(weight);
        }
        prop_assert_eq!(tally(builds.map(|k| frame.len(k) as u128)), wanted);
    }
}
