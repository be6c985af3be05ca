//! What holds for every profile: random ones, over all header stacks.

use proptest::{prelude::*, test_runner::Config};
use txdeck::{
    packet::{Frame, Head, Stamp, dissect},
    profile::{
        Arp, Conversations, Flow, Icmp, Ip, Ipv4, Ipv6, Mac, Mpls, Order, Payload, Share, Tcp, TurnOrder, Udp, Value,
        Vlan,
    },
};

use crate::{
    build::{bytes, frame, plan, profile, raw_flow, stamp, v4, v6, vlan, wall_ns},
    model::expected,
    seen::see,
};

/// Any form of value in `low..=high`.
fn value(low: u128, high: u128) -> BoxedStrategy<Value> {
    let pair = (low..=high, low..=high).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let pair = prop_oneof![3 => pair, 1 => Just((low, high))];
    let sweep = (pair.clone(), prop_oneof![Just(1_u128), 0..=9_u128, 1..=high - low + 1], 1..5_u64)
        .prop_map(|((from, to), step, every)| Value::Sweep { from, to, step, every });
    let random = (pair, 1..5_u64).prop_map(|((low, high), every)| Value::Random { low, high, every });
    let list =
        (prop::collection::vec(low..=high, 1..6), 1..5_u64).prop_map(|(values, every)| Value::List { values, every });
    let masked = (low..=high, any::<u128>(), 1..5_u64).prop_map(move |(base, bits, every)| {
        let fits = |mask: &u128| base & !mask >= low && base | mask <= high;
        let mask = [bits, bits & high, bits & (high - low), bits & 0xf].into_iter().find(fits).unwrap_or(0);
        Value::Masked { base: base & !mask, mask, every }
    });
    prop_oneof![2 => (low..=high).prop_map(Value::Fixed), 1 => sweep, 1 => random, 1 => list, 1 => masked].boxed()
}

/// As [`value`], or a mix.
fn size(low: u128, high: u128) -> BoxedStrategy<Value> {
    let share = (low..=high, 0..9_u32).prop_map(|(value, weight)| Share { value, weight });
    let imix = (prop::collection::vec(share, 1..6), low..=high, 1..4_u64).prop_map(|(mut shares, value, every)| {
        shares.push(Share { value, weight: 1 });
        Value::Imix { shares, every }
    });
    prop_oneof![4 => value(low, high), 1 => imix].boxed()
}

fn conversations() -> impl Strategy<Value = Option<Conversations>> {
    let order = prop_oneof![Just(TurnOrder::Sequential), Just(TurnOrder::Interleaved), Just(TurnOrder::Random)];
    let some = (1..300_u32, 1..20_u32, order).prop_map(|(count, length, order)| Conversations { count, length, order });
    prop_oneof![3 => Just(None), 2 => some.prop_map(Some)]
}

fn bits(bits: u32) -> BoxedStrategy<Value> {
    match bits {
        128 => prop_oneof![value(0, u128::MAX - 1), value(7 << 64, 7 << 64 | u128::from(u64::MAX))].boxed(),
        _ => value(0, (1 << bits) - 1),
    }
}

fn tag() -> impl Strategy<Value = Vlan> {
    // Only types that the parser knows for tags; others are tested byte by byte.
    let tpid = prop_oneof![
        Just(Value::Fixed(0x8100)),
        Just(Value::List { values: vec![0x8100, 0x88a8], every: 2 }),
        Just(Value::Sweep { from: 0x8100, to: 0x9100, step: 0x1000, every: 1 }),
    ];
    (bits(12), bits(3), any::<bool>(), tpid).prop_map(|(id, pcp, dei, tpid)| Vlan { id, pcp, dei, tpid })
}

fn label() -> impl Strategy<Value = Mpls> {
    (bits(20), bits(3), bits(8)).prop_map(|(label, tc, ttl)| Mpls { label, tc, ttl })
}

/// What IP says it carries when nothing that the parser would look into stands behind it.
fn unknown_protocol() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![2 => Just(None), 1 => value(253, 254).prop_map(Some)]
}

fn ipv4() -> impl Strategy<Value = Ip> {
    let class = (bits(8), bits(6), bits(2));
    (bits(32), bits(32), class, bits(16), any::<bool>(), any::<bool>(), bits(13), unknown_protocol()).prop_map(
        |(src, dst, (ttl, dscp, ecn), id, df, mf, fragment_offset, protocol)| {
            Ip::V4(Ipv4 { src, dst, ttl, dscp, ecn, id, df, mf, fragment_offset, protocol })
        },
    )
}

fn ipv6() -> impl Strategy<Value = Ip> {
    (bits(128), bits(128), bits(8), bits(6), bits(2), bits(20), unknown_protocol()).prop_map(
        |(src, dst, hop_limit, dscp, ecn, flow_label, next_header)| {
            Ip::V6(Ipv6 { src, dst, hop_limit, dscp, ecn, flow_label, next_header })
        },
    )
}

/// What stands behind the tags.
#[derive(Debug, Clone)]
enum Inner {
    Nothing,
    Arp(Box<Arp>),
    Ip(Box<Ip>),
}

fn inner() -> impl Strategy<Value = Inner> {
    let arp = (bits(16), bits(48), bits(32), bits(48), bits(32)).prop_map(|(op, sha, spa, tha, tpa)| {
        Inner::Arp(Box::new(Arp { op, sha: Mac::Is(sha), spa, tha: Mac::Is(tha), tpa }))
    });
    prop_oneof![
        1 => Just(Inner::Nothing),
        1 => arp,
        5 => ipv4().prop_map(|ip| Inner::Ip(Box::new(ip))),
        5 => ipv6().prop_map(|ip| Inner::Ip(Box::new(ip))),
    ]
}

fn payload() -> impl Strategy<Value = Payload> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..7);
    prop_oneof![
        3 => Just(Payload::Pktgen),
        1 => bytes().prop_map(Payload::Pattern),
        1 => bytes().prop_map(Payload::Hex),
        1 => "[a-zé ]{1,9}".prop_map(Payload::Text),
        2 => Just(Payload::Random),
        1 => Just(Payload::Zero),
    ]
}

/// The header behind IP.
#[derive(Debug, Clone)]
enum Behind {
    Nothing,
    Udp(Udp),
    Tcp(Box<Tcp>),
    Icmp(Icmp),
}

fn behind() -> impl Strategy<Value = Behind> {
    let udp =
        (bits(16), bits(16), any::<bool>()).prop_map(|(src, dst, checksum)| Behind::Udp(Udp { src, dst, checksum }));
    let tcp = (bits(16), bits(16), bits(32), bits(32), bits(9), bits(16), bits(16)).prop_map(
        |(src, dst, seq, ack, flags, window, urgent)| {
            Behind::Tcp(Box::new(Tcp { src, dst, seq, ack, flags, window, urgent, checksum: true }))
        },
    );
    // Above 12 the parser wants messages of certain lengths.
    let icmp = (value(0, 12), bits(8), bits(16), bits(16))
        .prop_map(|(kind, code, id, seq)| Behind::Icmp(Icmp { kind, code, id, seq }));
    prop_oneof![1 => Just(Behind::Nothing), 4 => udp, 4 => tcp, 2 => icmp]
}

fn flow() -> impl Strategy<Value = Flow> {
    let link = (bits(48), bits(48), prop::collection::vec(tag(), 0..=3), prop::collection::vec(label(), 0..=3));
    (link, inner(), behind(), payload(), any::<bool>()).prop_flat_map(|(link, inner, behind, payload, nested)| {
        let (dst, src, vlan, mpls) = link;
        let order = if nested { Order::Nested } else { Order::Together };
        let mut flow = Flow { vlan, payload, order, runt: true, ..raw_flow() };
        flow.eth.dst = Mac::Is(dst);
        flow.eth.src = Mac::Is(src);
        match inner {
            // Labels with nothing behind them: no parser could tell what they carry.
            Inner::Nothing => {}
            Inner::Arp(arp) => flow.arp = Some(*arp),
            Inner::Ip(ip) => (flow.mpls, flow.ip) = (mpls, Some(*ip)),
        }
        carry(&mut flow, behind);
        let least = headers_len(&flow);
        let size = prop_oneof![size(least, least + 20), size(least, 300), size(least, 1514)];
        (size, conversations()).prop_map(move |(size, conversations)| {
            let most = u32::try_from(flow.tuples()).unwrap_or(u32::MAX);
            let conversations = conversations.map(|of| Conversations { count: of.count.min(most), ..of });
            Flow { size, conversations, ..flow.clone() }
        })
    })
}

fn carry(flow: &mut Flow, behind: Behind) {
    let is_v6 = matches!(flow.ip, Some(Ip::V6(_)));
    match behind {
        _ if flow.ip.is_none() => return,
        Behind::Nothing => return,
        Behind::Udp(udp) => flow.udp = Some(udp),
        Behind::Tcp(tcp) => flow.tcp = Some(*tcp),
        Behind::Icmp(icmp) if is_v6 => flow.icmpv6 = Some(icmp),
        Behind::Icmp(icmp) => flow.icmp = Some(icmp),
    }
    match &mut flow.ip {
        Some(Ip::V4(ip)) => ip.protocol = None,
        Some(Ip::V6(ip)) => ip.next_header = None,
        None => {}
    }
}

fn headers_len(flow: &Flow) -> u128 {
    let ip = match flow.ip {
        None => 0,
        Some(Ip::V4(_)) => 20,
        Some(Ip::V6(_)) => 40,
    };
    let tags = 4 * (flow.vlan.len() + flow.mpls.len()) as u128;
    let arp = if flow.arp.is_some() { 28 } else { 0 };
    let behind = match flow {
        Flow { tcp: Some(_), .. } => 20,
        Flow { udp: None, icmp: None, icmpv6: None, .. } => 0,
        _ => 8,
    };
    14 + tags + arp + ip + behind
}

/// What moves at every build, as the quick way knows it.
fn moving(bits: u32) -> BoxedStrategy<Value> {
    let (most, pair) = ((1_u128 << bits) - 1, (0..1_u128 << bits, 0..1_u128 << bits));
    let pair = pair.prop_map(|(a, b)| (a.min(b), a.max(b)));
    prop_oneof![
        2 => (0..=most).prop_map(Value::Fixed),
        1 => (pair.clone(), 1..9_u128).prop_map(|((from, to), step)| Value::Sweep { from, to, step, every: 1 }),
        1 => pair.prop_map(|(low, high)| Value::Random { low, high, every: 1 }),
    ]
    .boxed()
}

/// Mostly flows that can be built in rows.
fn row_flow() -> impl Strategy<Value = Flow> {
    let ip = prop_oneof![
        (moving(32), moving(32), moving(16)).prop_map(|(src, dst, id)| Ip::V4(Ipv4 { src, dst, id, ..v4() })),
        (moving(60), moving(20)).prop_map(|(dst, flow_label)| Ip::V6(Ipv6 { dst, flow_label, ..v6() })),
    ];
    let udp = (moving(16), moving(16), any::<bool>()).prop_map(|(src, dst, checksum)| Udp { src, dst, checksum });
    let tags = prop::collection::vec(moving(12).prop_map(vlan), 0..3);
    (ip, prop::option::of(udp), tags, payload(), 98..200_u128).prop_map(|(ip, udp, vlan, payload, size)| Flow {
        ip: Some(ip),
        udp,
        vlan,
        payload,
        size: Value::Fixed(size),
        ..raw_flow()
    })
}

fn builds() -> impl Strategy<Value = Vec<u64>> {
    let k = prop_oneof![4 => 0..40_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)];
    prop::collection::vec(k, 1..24)
}

fn heads(memories: &mut [Vec<u8>]) -> Vec<&mut Head> {
    memories.iter_mut().map(|memory| memory.first_chunk_mut().unwrap()).collect()
}

proptest! {
    #![proptest_config(Config { cases: 300, ..Config::default() })]

    #[test]
    fn every_frame_parses_with_the_values_it_should_have(flow in flow(), builds in builds()) {
        let frame = frame(flow.clone());
        for k in builds {
            let bytes = bytes(&frame, k);
            prop_assert_eq!(bytes.len(), frame.len(k));
            prop_assert!(bytes.len() <= frame.max_len());
            let seen = see(&bytes);
            for (name, expected) in expected(&flow, k) {
                prop_assert!(expected.allows(seen[&name]), "{} is {}, not {:?}", name, seen[&name], expected);
            }
            let unchecked = flow.udp.as_ref().is_some_and(|udp| !udp.checksum) && matches!(flow.ip, Some(Ip::V4(_)));
            if let Some(checksum) = seen.get("udp.checksum") {
                prop_assert_eq!(*checksum == 0, unchecked);
            }
            let payload = &bytes[headers_len(&flow) as usize..];
            if flow.payload != Payload::Random {
                prop_assert_eq!(payload, payload_of(&flow.payload, payload.len(), k));
            }
        }
    }

    #[test]
    fn memory_that_holds_an_earlier_build_ends_up_the_same(flow in flow(), builds in builds()) {
        let frame = frame(flow);
        let (mut memory, mut held) = (vec![0xee; frame.max_len()], 0);
        for k in builds {
            frame.write(&mut memory, &mut held, &stamp(k));
            prop_assert_eq!(&memory[..frame.len(k)], &bytes(&frame, k)[..], "build {}", k);
        }
    }

    #[test]
    fn memory_that_holds_another_flow_is_overwritten(one in flow(), two in flow(), builds in builds()) {
        let frames = [frame(one), frame(two)];
        let longest = frames.iter().map(Frame::max_len).max().unwrap_or(0);
        let (mut memory, mut held) = (vec![0xee; longest], 0);
        for (i, k) in builds.into_iter().enumerate() {
            let frame = &frames[i % 3 % 2];
            frame.write(&mut memory, &mut held, &stamp(k));
            prop_assert_eq!(&memory[..frame.len(k)], &bytes(frame, k)[..], "build {}", k);
        }
    }

    #[test]
    fn a_row_is_its_builds_one_by_one(flow in row_flow(), first in any::<u64>(), step in 1..9_u64, count in 2..70_usize) {
        let frame = frame(flow);
        let first = stamp(first >> 1);
        let Some(row) = frame.row(&first, step) else { return Err(TestCaseError::reject("not a row")) };
        let len = frame.max_len();
        let mut memories = vec![vec![0xee; len.max(size_of::<Head>())]; count];
        memories.iter_mut().for_each(|memory| row.begin(&mut memory[..len], &mut 0));
        let (early, late) = memories.split_at_mut(count / 2);
        row.finish(0, &mut heads(early));
        row.finish(count as u32 / 2, &mut heads(late));
        for (memory, nth) in memories.iter().zip(0_u32..) {
            let stamp = Stamp { k: first.k + u64::from(nth) * step, seq: first.seq.wrapping_add(nth), ..first };
            let mut alone = vec![0xee; memory.len()];
            frame.write(&mut alone, &mut 0, &stamp);
            prop_assert_eq!(memory, &alone, "build {} of the row", nth);
        }
    }

    #[test]
    fn a_build_depends_on_its_number_alone(flow in flow(), builds in builds()) {
        let (one, two) = (frame(flow.clone()), frame(flow));
        let forwards: Vec<Vec<u8>> = builds.iter().map(|k| bytes(&one, *k)).collect();
        let mut backwards: Vec<Vec<u8>> = builds.iter().rev().map(|k| bytes(&two, *k)).collect();
        backwards.reverse();
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn only_bytes_said_to_vary_do(flow in flow(), builds in builds()) {
        let frame = frame(flow);
        let varies = |at: usize| frame.varying().iter().any(|range| range.contains(&at));
        let first = bytes(&frame, 0);
        for k in builds {
            for (at, (one, other)) in first.iter().zip(bytes(&frame, k)).enumerate() {
                prop_assert!(*one == other || varies(at), "byte {} of build {}", at, k);
            }
        }
        prop_assert!(frame.varying().windows(2).all(|pair| pair[0].end < pair[1].start));
    }

    #[test]
    fn our_own_words_find_no_fault(flow in flow(), builds in builds()) {
        let frame = frame(flow);
        for k in builds {
            let parts = dissect(&bytes(&frame, k));
            let words: Vec<&str> = parts.iter().map(|part| part.words.as_str()).collect();
            let faults = ["BAD", "bad", "cut", "(length", "(longer", "forbidden"];
            let fault = words.iter().any(|words| words.split(' ').any(|word| faults.contains(&word)));
            prop_assert!(!fault, "{:?}", words);
            prop_assert!(parts.iter().all(|part| part.layer != "padding"));
        }
    }

    #[test]
    fn queues_share_one_walk(positions in 2..200_u128, step in 1..5_u128, queues in 1..8_u64) {
        let walk = Value::Sweep { from: 1000, to: 1000 + (positions - 1) * step, step, every: 1 };
        let frame = frame(crate::build::with_ports(walk, crate::build::v4_flow()));
        let mut ports: Vec<u128> = (0..queues)
            .flat_map(|queue| (queue..positions as u64).step_by(queues as usize))
            .map(|k| see(&bytes(&frame, k))["udp.src"])
            .collect();
        ports.sort_unstable();
        prop_assert_eq!(ports, (0..positions).map(|i| 1000 + i * step).collect::<Vec<_>>());
    }

    #[test]
    fn another_seed_moves_random_fields_only(flow in flow(), seed in any::<u64>(), k in 0..1000_u64) {
        let mut other = profile(vec![flow.clone()]);
        other.tx.seed = seed;
        let other = plan(&other).flows.remove(0).frame;
        let (one, two) = (see(&bytes(&frame(flow.clone()), k)), see(&bytes(&other, k)));
        for (name, value) in crate::model::fields(&flow) {
            prop_assert!(follows_the_seed(&flow, value) || one[&name] == two[&name], "{}", name);
        }
    }
}

/// Drawn fields do; the order of a mix and of shuffled conversations too.
fn follows_the_seed(flow: &Flow, value: &Value) -> bool {
    let shuffled = flow.conversations.is_some_and(|of| of.order == TurnOrder::Random);
    shuffled || matches!(value, Value::Random { .. } | Value::Masked { .. } | Value::Imix { .. })
}

fn payload_of(payload: &Payload, len: usize, k: u64) -> Vec<u8> {
    match payload {
        Payload::Zero | Payload::Random => vec![0; len],
        Payload::Hex(bytes) => bytes.iter().copied().chain([0; 1514]).take(len).collect(),
        Payload::Text(text) => text.bytes().chain([0; 1514]).take(len).collect(),
        Payload::Pattern(bytes) => bytes.iter().copied().cycle().take(len).collect(),
        Payload::Pktgen if len < 16 => vec![0; len],
        Payload::Pktgen => {
            let stamp = stamp(k);
            let micros = u128::from(wall_ns(k) / 1000);
            let mut payload = Vec::from(0xbe9b_e955_u32.to_be_bytes());
            payload.extend(stamp.seq.to_be_bytes());
            payload.extend(((micros / 1_000_000) as u32).to_be_bytes());
            payload.extend(((micros % 1_000_000) as u32).to_be_bytes());
            if len >= 18 {
                payload.extend(stamp.stream.to_be_bytes());
            }
            payload.resize(len, 0);
            payload
        }
    }
}
