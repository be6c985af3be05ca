//! The laws of a nic, one suite for the simulated and the AF_XDP one: queued ≤ asked; completed ≤ queued; bytes and
//! order unchanged; nothing in flight after a drain; failure is final; every memory returns exactly once.

mod nic_lab;

use nic_lab::send::{Order, frame, frames_of, send};
use nic_lab::{Far, RealClock, Wait, Watched, on_a_veth_pair};
use proptest::prelude::*;
use txdeck::nic::sim::{Character, Costs, Event, Fate, Recording, SimConfig, When};
use txdeck::nic::xdp::XdpConfig;
use txdeck::nic::{Head, Nic, SimNic, VirtualClock, XdpNic};

const CHARACTERS: [Character; 2] = [Character::Copy { budget: 32 }, Character::ZeroCopy { clump: 48 }];

/// The laws without faults. `arrived` tells what reached the other side since the last call.
fn obeys_the_laws(nic: &mut impl Nic, clock: &impl Wait, mut arrived: impl FnMut() -> Vec<Vec<u8>>) {
    let (total, free) = nic.frames();
    assert_eq!(total, free, "all memories are free after open");
    let orders = [
        Order::new(1),
        Order { burst: 1, ..Order::new(33) },
        Order { clone: 10, ..Order::new(995) },
        Order { clone: 1000, burst: 7, ..Order::new(2500) },
        Order { clone: 3, burst: 128, ..Order::new(1001) },
        Order { clone: 3, burst: 64, len: 1514, ..Order::new(1001) },
        Order { burst: 64, len: 14, ..Order::new(179) },
        Order { burst: 8, len: 9000, ..Order::new(179) },
        Order { clone: 3, burst: 8, len: 2048, ..Order::new(301) },
    ];
    let fitting = |order: &Order| order.len <= nic.limits().max_len;
    for order in orders.into_iter().filter(fitting).collect::<Vec<_>>() {
        let tally = send(nic, clock, order, 1_000_000);
        assert_eq!(
            (tally.submitted, tally.completed, tally.left()),
            (order.count, order.count, order.count),
            "{order:?}"
        );
        assert_eq!((tally.abandoned, tally.end), (0, None), "{order:?}");
        assert!(arrived() == frames_of(order), "bytes and order are unchanged: {order:?}");
    }
    for burst in [1, 3, u32::MAX] {
        sends_at_once(nic, clock, burst, 60, &mut arrived);
        sends_at_once(nic, clock, burst, nic.limits().max_len.min(5000), &mut arrived);
    }
    refuses_what_does_not_fit(nic);
    notes_stay(nic);
    packets_never_queued_return(nic, clock);
}

/// Packets sent once each: every memory begun once and finished once, in order, `burst` behind each doorbell.
fn sends_at_once(
    nic: &mut impl Nic,
    clock: &impl Wait,
    burst: u32,
    len: usize,
    arrived: &mut impl FnMut() -> Vec<Vec<u8>>,
) {
    // The far socket of an ordinary user holds some 200 KB.
    let count = nic.frames().0.min(nic.limits().max_in_flight).min(70).min((60_000 / len) as u32) - 1;
    let mut begun = 0;
    let mut finished = 0;
    let begin = |nth: u32, memory: &mut [u8], _: &mut u64| {
        assert_eq!((nth, memory.len()), (begun, len));
        begun += 1;
        memory.copy_from_slice(&frame(nth, len));
        let head = len.min(size_of::<Head>());
        memory[..head].fill(0);
    };
    let finish = |first: u32, heads: &mut [&mut Head]| {
        assert_eq!(first, finished);
        finished += heads.len() as u32;
        for (head, nth) in heads.iter_mut().zip(first..) {
            let short = len.min(size_of::<Head>());
            head[..short].copy_from_slice(&frame(nth, len)[..short]);
        }
    };
    assert_eq!(nic.send(count, len, begin, finish), count);
    assert_eq!((begun, finished, nic.in_flight()), (count, count, count));
    let (mut doorbells, mut completed) = (0, 0);
    while nic.in_flight() > 0 {
        let rung = nic.ring_each(burst, clock).unwrap();
        doorbells += rung.doorbells;
        completed += rung.completed;
        clock.wait(&rung);
    }
    // Packets of several descriptors go all behind one.
    let rung = if nic.limits().parts > 1 { 1 } else { count.div_ceil(burst) };
    assert_eq!((doorbells, completed), (rung, count));
    let sent: Vec<_> = (0..count).map(|nth| frame(nth, len)).collect();
    assert!(arrived() == sent, "bytes and order are unchanged");
    assert_eq!(nic.send(3, nic.limits().max_len + 1, |_, _, _| panic!(), |_, _| panic!()), 0, "too long");
}

fn refuses_what_does_not_fit(nic: &mut impl Nic) {
    let before = nic.frames();
    let too_long = nic.limits().max_len + 1;
    assert!(nic.build(too_long, |_, _| panic!("nothing to write to")).is_none());
    assert!(nic.build(usize::MAX, |_, _| panic!("nothing to write to")).is_none());
    assert_eq!(nic.frames(), before);
    let longest = nic.build(nic.limits().max_len, |memory, _| memory.fill(1)).expect("the longest fits");
    nic.release(longest);
}

/// The memory freed last is built next, and what `write` noted on it is still there.
fn notes_stay(nic: &mut impl Nic) {
    let packet = nic.build(60, |_, note| *note = 0xfeed).expect("memory is free");
    nic.release(packet);
    let packet = nic.build(60, |_, note| assert_eq!(*note, 0xfeed, "the note and LIFO order")).expect("memory is free");
    nic.release(packet);
}

/// All memories can be open at once, none more, and they return without being sent.
fn packets_never_queued_return(nic: &mut impl Nic, clock: &impl Wait) {
    let mut open = Vec::new();
    while let Some(packet) = nic.build(60, |memory, _| memory.fill(0)) {
        open.push(packet);
    }
    let (total, free) = nic.frames();
    assert_eq!((open.len() as u32, free), (total, 0));
    assert_eq!(nic.ring(clock).map(|rung| (rung.completed, rung.kicks)), Ok((0, 0)), "nothing to ring for");
    for packet in open {
        nic.release(packet);
    }
    assert_eq!(nic.frames(), (total, total));
}

#[test]
fn the_simulated_nic_obeys_the_laws() {
    for character in CHARACTERS {
        for (ring, parts) in [(64, 1), (2048, 1), (2048, 5)] {
            for start_index in [0, u32::MAX - 100] {
                let clock = VirtualClock::new();
                let recording = Recording::new();
                let config = SimConfig {
                    character,
                    ring,
                    parts,
                    max_len: parts * 2048 - 256,
                    start_index,
                    recording: Some(recording.clone()),
                    ..SimConfig::on_virtual_time(&clock)
                };
                let mut nic = SimNic::open(config).unwrap();
                obeys_the_laws(&mut nic, &clock, || recording.take().into_iter().map(|sent| sent.bytes).collect());
            }
        }
    }
}

#[test]
fn the_af_xdp_nic_obeys_the_laws() {
    on_a_veth_pair("the_af_xdp_nic_obeys_the_laws", |pair| {
        pair.mtu("a0", 9000);
        pair.mtu("b0", 9000);
        for (ring, chunks, parts) in [(2048, 512, 1), (64, 32, 1), (2048, 510, 5)] {
            let far = Far::on(pair, "b0");
            let config = XdpConfig { ring, chunks, parts, ..XdpConfig::new("a0", 0) };
            let mut nic = XdpNic::open(&config).unwrap();
            assert_eq!(nic.frames(), (chunks / parts, chunks / parts));
            obeys_the_laws(&mut nic, &Watched(RealClock::new(), &far), || far.frames());
        }
    });
}

fn fates() -> impl Strategy<Value = Fate> {
    let errno = prop::sample::select(vec![0, libc::EAGAIN, libc::ENETDOWN, libc::ENOBUFS]);
    prop_oneof![
        4 => (0u32..40).prop_map(|packets| Fate::Busy { packets }),
        4 => (0u32..10).prop_map(|packets| Fate::Invalid { packets }),
        4 => (0u64..5_000_000, errno.clone()).prop_map(|(ns, errno)| Fate::Stall { ns, errno }),
        4 => (errno, 0u32..5).prop_map(|(errno, kicks)| Fate::Errno { errno, kicks }),
        1 => Just(Fate::Fail { errno: libc::EIO }),
        1 => Just(Fate::Gone),
    ]
}

fn scripts() -> impl Strategy<Value = Vec<Event>> {
    let when = prop_oneof![(0u64..3_000_000).prop_map(When::AtNs), (0u64..2000).prop_map(When::After)];
    prop::collection::vec((when, fates()).prop_map(|(when, fate)| Event { when, fate }), 0..8)
}

fn configs() -> impl Strategy<Value = SimConfig> {
    let character = prop_oneof![
        (1u32..64).prop_map(|budget| Character::Copy { budget }),
        (0u32..64).prop_map(|clump| Character::ZeroCopy { clump }),
    ];
    let start = prop_oneof![Just(0u32), (u32::MAX - 300)..=u32::MAX];
    let sizes = (0u32..9, 1u32..40, start);
    (character, sizes, any::<u64>(), 0u64..300, scripts()).prop_map(
        |(character, (ring_log2, chunks, start_index), seed, jitter_ns, script)| SimConfig {
            ring: 1 << ring_log2,
            chunks,
            character,
            seed,
            script,
            start_index,
            costs: Costs { jitter_ns, ..Costs::VETH },
            ..SimConfig::default()
        },
    )
}

fn orders() -> impl Strategy<Value = Order> {
    (0u32..1500, 1u32..80, 1u32..300, 18usize..300).prop_map(|(count, clone, burst, len)| Order {
        count,
        clone,
        burst,
        len,
    })
}

/// What left is what was asked for, in order, with nothing but gaps in it.
fn is_in_order(left: &[Vec<u8>], order: Order) {
    let mut wanted = (0..order.count).map(|packet| packet / order.clone);
    for bytes in left {
        let build = u32::from_be_bytes(bytes[14..18].try_into().expect("four bytes"));
        assert_eq!(bytes, &frame(build, order.len), "bytes are unchanged");
        assert!(wanted.any(|next| next == build), "build {build} is out of order or too often");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_laws_hold_under_every_script(config in configs(), order in orders()) {
        let clock = VirtualClock::new();
        let recording = Recording::new();
        let config = SimConfig { time: Some(clock.clone()), recording: Some(recording.clone()), ..config };
        let copy = matches!(config.character, Character::Copy { .. });
        let mut nic = SimNic::open(config).unwrap();
        let tally = send(&mut nic, &clock, order, 100_000);
        let left = recording.take();
        prop_assert_eq!(left.len() as u64, nic.left());
        prop_assert!(left.is_sorted_by_key(|sent| sent.at_ns));
        let left: Vec<_> = left.into_iter().map(|sent| sent.bytes).collect();
        is_in_order(&left, order);
        if copy {
            prop_assert_eq!(left.len() as u32, tally.left(), "what left is exact in copy mode");
        } else {
            prop_assert!(left.len() as u32 + tally.invalid <= tally.completed + tally.abandoned);
        }
        if tally.end.is_none() {
            prop_assert_eq!(tally.completed, order.count, "passing faults pass");
        }
    }
}
