//! The simulated nic does what its script says, to the packet and the nanosecond.

mod nic_lab;

use nic_lab::send::{Order, Tally, ring, send};
use txdeck::nic::sim::{Character, Costs, Event, Fate, Recording, SimConfig, When};
use txdeck::nic::{Clock, Nic, NicError, SimNic, VirtualClock};

const COPY: Character = Character::Copy { budget: 32 };
const ZERO_COPY: Character = Character::ZeroCopy { clump: 16 };

fn after(packets: u64, fate: Fate) -> Event {
    Event { when: When::After(packets), fate }
}

fn run(character: Character, script: Vec<Event>, order: Order) -> (Tally, u64, SimNic) {
    let clock = VirtualClock::new();
    let config = SimConfig { character, script, ..SimConfig::on_virtual_time(&clock) };
    let mut nic = SimNic::open(config).unwrap();
    let tally = send(&mut nic, &clock, order, 100_000);
    (tally, clock.now_ns(), nic)
}

#[test]
fn busy_drops_exactly_so_many() {
    let script = vec![after(10, Fate::Busy { packets: 7 }), after(100, Fate::Busy { packets: 40 })];
    let (tally, _, nic) = run(COPY, script.clone(), Order::new(995));
    assert_eq!((tally.completed, tally.dropped, tally.left(), nic.left()), (995, 47, 948, 948));
    let mut met = Vec::new();
    nic.errnos(|errno, count| met.push((errno, count)));
    assert_eq!(met, [(libc::EBUSY, 47)], "each EBUSY is one packet");
    let (tally, _, nic) = run(ZERO_COPY, script, Order::new(995));
    assert_eq!((tally.completed, nic.left()), (995, 948));
    assert!(!nic.limits().counts_drops, "zero-copy drops are known to nobody");
}

#[test]
fn invalid_descriptors_are_told() {
    for character in [COPY, ZERO_COPY] {
        let (tally, _, nic) = run(character, vec![after(33, Fate::Invalid { packets: 5 })], Order::new(200));
        assert_eq!((tally.completed, tally.invalid, nic.left()), (200, 5, 195));
    }
}

#[test]
fn a_stall_holds_everything_up_and_passes() {
    let stall = Event { when: When::AtNs(100_000), fate: Fate::Stall { ns: 50_000_000, errno: libc::ENETDOWN } };
    let (tally, took_ns, nic) = run(COPY, vec![stall], Order::new(1000));
    assert_eq!((tally.completed, nic.left()), (1000, 1000));
    assert!((50_100_000..53_000_000).contains(&took_ns), "{took_ns}");
    assert!(tally.kicks < 150, "{} kicks: a stall is not hammered", tally.kicks);
}

#[test]
fn passing_errnos_pass() {
    for errno in [libc::EAGAIN, libc::ENOBUFS, libc::ENETDOWN, libc::ENOMEM, libc::EINTR] {
        let (tally, ..) = run(COPY, vec![after(50, Fate::Errno { errno, kicks: 9 })], Order::new(500));
        assert_eq!((tally.completed, tally.end), (500, None));
    }
}

#[test]
fn a_failure_in_the_middle_of_a_burst_still_tells_what_left() {
    let (tally, _, nic) = run(COPY, vec![after(40, Fate::Fail { errno: libc::EIO })], Order::new(500));
    let what = "Input/output error".to_owned();
    assert_eq!(tally.end, Some(NicError::Failed { device: "sim".into(), queue: 0, errno: libc::EIO, what }));
    assert_eq!((tally.completed, tally.abandoned, nic.left()), (40, 24, 40));
    let (tally, ..) = run(COPY, vec![after(40, Fate::Gone)], Order::new(500));
    assert_eq!(tally.end, Some(NicError::Gone { device: "sim".into(), queue: 0 }));
}

#[test]
fn copy_mode_moves_32_a_kick_and_zero_copy_completes_late() {
    let (tally, ..) = run(COPY, vec![], Order { burst: 256, ..Order::new(1024) });
    assert_eq!(tally.kicks, 32);
    let clock = VirtualClock::new();
    let mut nic = SimNic::open(SimConfig { character: ZERO_COPY, ..SimConfig::on_virtual_time(&clock) }).unwrap();
    let mut tally = Tally::default();
    let packet = nic.build(60, |memory, _| memory.fill(1)).unwrap();
    tally.submitted = nic.queue(&packet, 100);
    nic.release(packet);
    ring(&mut nic, &clock, &mut tally);
    assert_eq!((tally.completed, nic.left()), (0, 100), "left, and completed only after another kick");
    let mut rings = 0;
    while nic.in_flight() > 0 {
        ring(&mut nic, &clock, &mut tally);
        rings += 1;
    }
    assert!((100 / 16..=100).contains(&rings), "clumps of at most 16: {rings} doorbells");
}

#[test]
fn costs_move_the_virtual_clock() {
    let clock = VirtualClock::new();
    let costs = Costs { ring_ns: 1, kick_ns: 10, packet_ns: 100, ..Costs::default() };
    let mut nic = SimNic::open(SimConfig { costs, ..SimConfig::on_virtual_time(&clock) }).unwrap();
    let packet = nic.build(60, |memory, _| memory.fill(1)).unwrap();
    nic.queue(&packet, 40);
    nic.ring(&clock).unwrap();
    assert_eq!(clock.now_ns(), 1 + 2 * 10 + 40 * 100);
    nic.release(packet);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let instants = |seed| {
        let clock = VirtualClock::new();
        let recording = Recording::new();
        let costs = Costs { jitter_ns: 500, ..Costs::VETH };
        let config = SimConfig { seed, costs, ..SimConfig::on_virtual_time(&clock) };
        let mut nic = SimNic::open(SimConfig { recording: Some(recording.clone()), ..config }).unwrap();
        send(&mut nic, &clock, Order::new(300), 100);
        recording.take().iter().map(|sent| sent.at_ns).collect::<Vec<_>>()
    };
    assert_eq!(instants(1), instants(1));
    assert_ne!(instants(1), instants(2));
}

#[test]
fn c51_more_than_the_ring_passes_the_wrap_of_the_indices() {
    for character in [COPY, ZERO_COPY] {
        let clock = VirtualClock::new();
        let config =
            SimConfig { character, ring: 64, start_index: u32::MAX - 99, ..SimConfig::on_virtual_time(&clock) };
        let mut nic = SimNic::open(config).unwrap();
        let tally = send(&mut nic, &clock, Order { clone: 10, ..Order::new(1000) }, 10_000);
        assert_eq!((tally.completed, nic.left()), (1000, 1000));
    }
}

#[test]
fn c48_c49_sizes_are_refused_by_name() {
    let code = |config| SimNic::open(config).err().map(|error| error.code());
    assert_eq!(code(SimConfig { ring: 1000, ..SimConfig::default() }), Some("bad_ring"));
    assert_eq!(code(SimConfig { chunk_bytes: 1500, ..SimConfig::default() }), Some("bad_chunk_bytes"));
    assert_eq!(code(SimConfig { chunks: 0, ..SimConfig::default() }), Some("bad_chunks"));
    assert_eq!(code(SimConfig::default()), None);
}
