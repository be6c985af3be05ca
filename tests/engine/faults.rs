//! Faults: whatever the wire does, the counts balance, memory comes back and the reason is told.

use txdeck::{
    nic::sim::{Character, Event, Fate, SimConfig, When},
    stats::State,
};

use crate::bench::{Bench, SECOND, START, one_flow, script};

fn at_s(second: u64, fate: Fate) -> Event {
    Event { when: When::AtNs(START + second * SECOND), fate }
}

const EAGAIN: i32 = 11;

/// 600 virtual seconds at 1000 pps with a fault at fixed instants.
const FAULTS: [(u64, Fate); 5] = [
    (50, Fate::Busy { packets: 700 }),
    (120, Fate::Stall { ns: 3 * SECOND, errno: EAGAIN }),
    (200, Fate::Invalid { packets: 13 }),
    (300, Fate::Errno { errno: 105, kicks: 40 }),
    (400, Fate::Stall { ns: 50_000_000, errno: 100 }),
];

#[test]
fn six_hundred_seconds_with_faults_balance_exactly() {
    let events: Vec<Event> = FAULTS.iter().map(|(second, fate)| at_s(*second, *fate)).collect();
    let text = one_flow("rate = 1000\nburst = 32\nclone = 10\nduration = \"600s\"", "");
    let mut bench = Bench::with(&text, script(&events));
    bench.run();
    bench.assert_balanced();
    let total = bench.total();
    assert_eq!((total.dropped, total.invalid, total.abandoned), (700, 13, 0));
    assert_eq!(total.submitted + total.shortfall, 600_000, "{total:?}");
    assert_eq!(total.left(), total.submitted - 713);
    assert_eq!(bench.sent(0).len() as u64, total.left());
    let errnos: Vec<i32> = bench.desk.line(0).counters.errnos().iter().map(|(errno, _)| *errno).collect();
    for errno in [11, 16, 100, 105] {
        assert!(errnos.contains(&errno), "errno {errno} met and not counted: {errnos:?}");
    }
}

#[test]
fn six_hundred_seconds_on_a_late_nic_balance_exactly() {
    let events: Vec<Event> = FAULTS.iter().map(|(second, fate)| at_s(*second, *fate)).collect();
    let text = one_flow("rate = 1000\nburst = 32\nduration = \"600s\"", "");
    let late = |config| SimConfig { character: Character::ZeroCopy { clump: 8 }, ..script(&events)(config) };
    let mut bench = Bench::with(&text, late);
    bench.run();
    bench.assert_balanced();
    let total = bench.total();
    assert_eq!(total.submitted + total.shortfall, 600_000, "{total:?}");
    assert_eq!(total.dropped, 0, "nobody can tell in zero-copy, so nobody says");
}

#[test]
fn a_dead_sender_says_why_and_the_others_go_on() {
    let text = one_flow("queues = [0, 1]\nrate = 1000\nduration = \"600s\"", "");
    let failing = |config: SimConfig| match config.queue {
        1 => script(&[at_s(60, Fate::Fail { errno: 5 })])(config),
        _ => config,
    };
    let mut bench = Bench::with(&text, failing);
    bench.run();
    bench.assert_balanced();
    let (alive, dead) = (bench.desk.line(0), bench.desk.line(1));
    assert_eq!((alive.counters.state(), dead.counters.state()), (State::Done, State::Failed));
    assert!(dead.counters.reason().is_some_and(|reason| reason.contains("queue 1")), "{:?}", dead.counters.reason());
    assert_eq!(alive.counters.read().left(), 300_000, "a dead sender's share is not redistributed");
    assert!(dead.counters.read().left().abs_diff(30_000) <= 32);
}

#[test]
fn a_device_that_goes_away_takes_its_frames_and_no_more() {
    let text = one_flow("rate = 1000\nburst = 32\nclone = 100\nduration = \"600s\"", "");
    let late =
        |config| SimConfig { character: Character::ZeroCopy { clump: 8 }, ..script(&[at_s(300, Fate::Gone)])(config) };
    let mut bench = Bench::with(&text, late);
    bench.run();
    bench.assert_balanced();
    assert!(bench.senders[0].is_gone());
    let total = bench.total();
    assert!(total.left().abs_diff(300_000) <= 64, "{total:?}");
}

#[test]
fn a_drain_gives_up_after_two_seconds_and_says_how_much() {
    let text = one_flow("rate = 1000\nduration = \"10s\"", "");
    let stuck = at_s(9, Fate::Stall { ns: 3600 * SECOND, errno: 100 });
    let mut bench = Bench::with(&text, script(&[stuck]));
    bench.run();
    bench.assert_balanced();
    let total = bench.total();
    // Every packet memory was out; what was due after that is owed.
    assert_eq!(total.abandoned, 512, "{total:?}");
    assert_eq!(total.left() + total.abandoned + total.shortfall, 10_000);
    assert_eq!(total.last_ns - total.started_ns, 10 * SECOND, "the drain is outside");
}

#[test]
fn a_stuck_ring_does_not_outlive_its_duration() {
    let text = one_flow("ring = 64\nburst = 32\nduration = \"10s\"", "");
    let stuck = at_s(0, Fate::Stall { ns: 3600 * SECOND, errno: 100 });
    let mut bench = Bench::with(&text, |config| SimConfig { ring: 64, ..script(&[stuck])(config) });
    bench.run_until(START + 13 * SECOND);
    assert!(bench.is_over(), "neither duration nor drain ended it");
    bench.assert_balanced();
    let total = bench.total();
    assert_eq!((total.left(), total.abandoned), (0, 64));
    // A dead link costs next to no calls: 4 M a second without a pause.
    assert!(total.kicks < 12 * 5000, "{} kicks", total.kicks);
}
