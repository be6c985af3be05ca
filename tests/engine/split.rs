//! Where a sender's time goes: seven parts that add up to its wall time, each as scripted.

use txdeck::{
    engine::Turn,
    nic::{
        Clock,
        sim::{Costs, SimConfig},
    },
    stats::{Parts, Split},
};

use crate::bench::{Bench, SECOND, START, one_flow};

const COSTS: Costs = Costs { ring_ns: 70, kick_ns: 300, packet_ns: 40, build_ns: 25, jitter_ns: 0 };

/// The split of a whole run; every so many turns the sender is off its CPU for so long.
fn split_of(tx: &str, stall: Option<(u64, u64)>) -> (Split, Bench) {
    let mut bench = Bench::with(&one_flow(tx, ""), |config| SimConfig { costs: COSTS, recording: None, ..config });
    bench.desk.release(START);
    let mut turns = 0;
    loop {
        match bench.senders[0].turn(&bench.clock) {
            Turn::Worked => {}
            Turn::Wait(at_ns) => bench.clock.advance_to(at_ns),
            Turn::Over => break,
        }
        turns += 1;
        if let Some((every, stall_ns)) = stall
            && turns % every == 0
        {
            bench.clock.take_away(stall_ns);
        }
        assert!(bench.clock.now_ns() < START + 100 * SECOND, "it never ends");
    }
    let total = bench.total();
    let parts = bench.desk.line(0).counters.parts();
    let split = Split::between((&Default::default(), &Parts::default()), (&total, &parts)).expect("it looked");
    (split, bench)
}

fn assert_near(what: &str, found: f64, wanted: f64, share: f64) {
    assert!((found - wanted).abs() <= share * wanted, "{what}: {found} instead of {wanted}");
}

/// The wall time from the release to the end.
fn wall_ns(bench: &Bench) -> f64 {
    (bench.clock.now_ns() - START) as f64
}

#[test]
fn each_part_is_what_was_scripted() {
    let (split, bench) = split_of("burst = 32\ncount = 640000", None);
    let packets = 640_000.0;
    assert_near("build", split.build, packets * 25.0, 0.01);
    assert_near("kick", split.kick, packets * 40.0 + packets / 32.0 * 300.0, 0.01);
    // One ring call a turn of two bursts.
    assert_near("ring", split.ring, packets / 64.0 * 70.0, 0.02);
    assert_eq!((split.reap, split.lost, split.wait_pace), (0.0, 0.0, 0.0));
    assert_near("all", split.total_ns(), wall_ns(&bench), 0.002);
}

#[test]
fn what_the_scheduler_took_is_lost_and_no_cost() {
    let (calm, _) = split_of("burst = 32\ncount = 640000", None);
    let (split, bench) = split_of("burst = 32\ncount = 640000", Some((997, 400_000)));
    let stalls = (640_000.0 / 64.0 / 997.0_f64).floor() * 400_000.0;
    assert_near("lost", split.lost, stalls, 0.15);
    assert_near("kick", split.kick, calm.kick, 0.05);
    assert_near("build", split.build, calm.build, 0.05);
    assert_near("all", split.total_ns(), wall_ns(&bench), 0.002);
}

#[test]
fn waiting_for_the_pace_is_a_part_of_its_own() {
    let (split, bench) = split_of("burst = 1\nrate = \"100k\"\nduration = \"2s\"", Some((50_000, 300_000)));
    assert!(split.wait_pace > 0.9 * wall_ns(&bench), "{split:?}");
    assert_near("all", split.total_ns(), wall_ns(&bench), 0.002);
}
