//! The Live screen in every state at five sizes, and what its figures, marks and words must say.

use ratatui::{buffer::Buffer, style::Color};
use txdeck::{
    app::{Event, Phase, PlaceKind, Reading, Reply, Unit},
    stats::{LeftSource, State},
    ui::{Glyphs, Look, Role, Theme},
};

use crate::stage::{Stage, UDP_64, place, text};

const SIZES: [(u16, u16); 5] = [(80, 22), (80, 24), (100, 29), (120, 36), (200, 60)];

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in SIZES {
        let picture = stage.picture(width, height, &Look::default());
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/live" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&picture));
        });
    }
}

fn with(changes: &[(&str, &str)]) -> Stage {
    let changed = changes.iter().fold(UDP_64.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    Stage::with(&changed, Some(place(PlaceKind::Lab)))
}

fn sending() -> Stage {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(240);
    stage
}

fn judged() -> Stage {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(250).keys("3 2 enter").ticks(280);
    stage
}

fn screen(stage: &Stage) -> String {
    text(&stage.picture(80, 24, &Look::default()))
}

/// The line of a screen that holds this.
fn line(stage: &Stage, wanted: &str) -> String {
    let screen = screen(stage);
    let found = screen.lines().find(|line| line.contains(wanted));
    found.unwrap_or_else(|| panic!("{wanted:?} is not on the screen:\n{screen}")).trim().to_owned()
}

fn health(stage: &Stage) -> String {
    screen(stage).lines().nth(22).unwrap().trim().to_owned()
}

fn figures(stage: &Stage) -> String {
    screen(stage).lines().nth(1).unwrap().trim().to_owned()
}

#[test]
fn stopped() {
    snapshot("stopped", &Stage::lab());
}

#[test]
fn starting_and_draining() {
    let mut stage = Stage::lab();
    stage.is_slow = true;
    stage.keys("space").ticks(4);
    snapshot("starting", &stage);
    let mut stage = sending();
    stage.drain_ticks = 9;
    stage.keys("space").ticks(3);
    snapshot("draining", &stage);
}

#[test]
fn sending_in_three_units() {
    let mut stage = sending();
    snapshot("sending", &stage);
    stage.keys("v v");
    snapshot("sending-l1", &stage);
}

#[test]
fn verdicts() {
    snapshot("verdict", &judged());
    let mut noise = judged();
    noise.keys("j l").ticks(40);
    snapshot("noise", &noise);
    let mut base = judged();
    base.keys("b").ticks(40);
    snapshot("baseline", &base);
    base.keys("1 enter").ticks(40);
    snapshot("against-baseline", &base);
}

#[test]
fn frozen_with_a_knob_turned() {
    let mut stage = judged();
    stage.keys("f").ticks(110).keys("l").ticks(10);
    snapshot("frozen", &stage);
}

#[test]
fn the_last_good_plan() {
    let mut stage = sending();
    stage.refuses_retune = true;
    stage.keys("f l").ticks(90);
    snapshot("last-good-plan", &stage);
}

#[test]
fn a_count() {
    let mut stage = with(&[("[tx]", "[tx]\ncount = 30000000")]);
    stage.keys("space").ticks(240);
    snapshot("count", &stage);
}

fn dropping(reading: &mut Reading) {
    let dropped = reading.ledger.submitted / 50;
    reading.ledger.dropped = Some(dropped);
    reading.ledger.left -= dropped;
}

#[test]
fn drops() {
    let mut stage = Stage::lab();
    stage.twist = Some(dropping);
    stage.keys("space").ticks(240);
    snapshot("drops", &stage);
}

#[test]
fn a_driver_that_counts_nothing() {
    let mut stage = Stage::lab();
    stage.twist = Some(|reading| reading.ledger.source = LeftSource::Completions);
    stage.keys("space").ticks(240);
    snapshot("unconfirmed", &stage);
}

fn twenty_queues() -> Stage {
    let mut stage =
        with(&[("[tx]", "[tx]\nqueues = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]")]);
    stage.twist = Some(|reading| {
        let dead = &mut reading.snapshot.senders[13];
        (dead.state, dead.reason) = (State::Failed, Some("sendto: ENXIO, the device is gone".into()));
        reading.snapshot.senders.iter_mut().for_each(|sender| sender.counts.wait_ring_ns = reading.at_ns / 3);
    });
    stage.keys("space").ticks(30);
    stage
}

#[test]
fn many_queues_with_a_dead_sender() {
    let mut stage = twenty_queues();
    snapshot("queues", &stage);
    stage.keys("pgdn pgdn pgdn pgdn pgdn");
    snapshot("queues-scrolled", &stage);
}

#[test]
fn big_digits() {
    let mut stage = judged();
    stage.keys("z");
    snapshot("big", &stage);
    snapshot("big-stopped", Stage::lab().keys("z"));
}

#[test]
fn a_rate_is_converted_while_it_is_typed() {
    let mut stage = Stage::lab();
    stage.keys("j j 1 0 space G b i t / s");
    snapshot("rate-field", &stage);
    stage.keys("enter");
    snapshot("rate", &stage);
}

#[test]
fn the_knob_says_what_a_rate_comes_to() {
    let mut stage = Stage::lab();
    stage.keys("j j 1 0 space G b i t / s");
    assert!(line(&stage, "10G").contains("10 Gbit/s = 20.83 Mpps at 60 B: above 10G line rate, 14.88"));
    stage.keys("enter");
    let wide = text(&stage.picture(200, 60, &Look::default()));
    assert!(wide.contains("= 20.83 Mpps at 60 B: above 10G line rate, 14.88"), "{wide}");
    assert!(line(&stage, "*rate").contains("over 10G"), "{}", screen(&stage));
}

#[test]
fn what_remains_of_a_count_is_to_go() {
    let mut stage = with(&[("[tx]", "[tx]\ncount = 2000000")]);
    assert!(!screen(&stage).contains("to go"), "nothing was sent yet");
    stage.keys("space").ticks(10);
    let submitted = stage.app.live.shown().figures.ledger.unwrap().submitted;
    let left = (2_000_000 - submitted).to_string();
    assert!(figures(&stage).replace(' ', "").ends_with(&format!("{left}togo")), "{}", figures(&stage));
    let none = sending();
    assert!(!screen(&none).contains("to go"));
}

#[test]
fn numerals_are_means_of_a_second_changed_twice_a_second() {
    let mut stage = sending();
    let mut changes = Vec::new();
    let mut before = stage.app.live.shown().figures.total.submitted;
    for tick in 0..40 {
        stage.ticks(1);
        let now = stage.app.live.shown().figures.total.submitted;
        if now != before {
            changes.push(tick);
            before = now;
        }
    }
    assert!(changes.windows(2).all(|pair| pair[1] - pair[0] == 5), "{changes:?}");
}

/// A driver that fetches its counters every 1.5 s: the rate is right from change to change, and its age is told.
#[test]
fn c98_a_slow_counter_shows_its_rate_and_its_age() {
    let mut stage = Stage::lab();
    stage.twist = Some(|reading| {
        const EVERY_NS: u64 = 1_500_000_000;
        let since_ns = reading.snapshot.total().started_ns;
        let stands_at_ns = (reading.at_ns - since_ns) / EVERY_NS * EVERY_NS;
        reading.ledger.left = (stands_at_ns as f64 * 1e-9 * 1_000_000.0) as u64;
    });
    stage.keys("space").ticks(46);
    let mut told = Vec::new();
    for _ in 0..30 {
        stage.ticks(1);
        let line = figures(&stage);
        assert!(line.starts_with("1.000 Mpps left device"), "{line}");
        told.push(line.contains(" s old)"));
    }
    assert!(told.contains(&true) && told.contains(&false), "old only when older than a second: {told:?}");
    let fast = sending();
    assert!(!screen(&fast).contains("old"));
}

#[test]
fn c98_the_rate_is_right_from_the_second_update_on_and_zero_after_link_loss() {
    for (rate, shown) in [("1", "1 pps"), ("100", "100 pps"), ("100000", "100.0 kpps")] {
        let mut stage = with(&[("rate = \"max\"", &format!("rate = {rate}"))]);
        // A whole packet at a time at the slowest rate.
        stage.twist = Some(|reading| {
            let since_ns = reading.snapshot.total().started_ns;
            if reading.snapshot.total().submitted == 0 {
                reading.ledger.left = (reading.at_ns - since_ns) / 1_000_000_000;
            }
        });
        stage.keys("space").ticks(45);
        assert!(figures(&stage).starts_with(shown), "{rate}: {}", figures(&stage));
    }
    let mut stage = sending();
    stage.twist = Some(|reading| {
        reading.ledger.left = 26_000_000;
        reading.carrier = Some(false);
    });
    stage.ticks(16);
    assert!(figures(&stage).starts_with("0 pps"), "{}", figures(&stage));
    assert!(health(&stage).starts_with("no carrier"), "{}", health(&stage));
}

#[test]
fn c96_bits_are_eight_times_the_bytes_at_every_size() {
    for bytes in [60, 252, 508, 1020, 1514] {
        let mut stage = with(&[("size = 60", &format!("size = {bytes}")), ("rate = \"max\"", "rate = 10000")]);
        stage.keys("space").ticks(30);
        let figures = &stage.app.live.shown().figures;
        let (pps, l2, l1) = (figures.left_pps.unwrap(), figures.left_bps.unwrap(), figures.left_wire_bps.unwrap());
        assert!((pps - 10_000.0).abs() < 1.0);
        assert!((l2 - pps * 8.0 * f64::from(bytes)).abs() < 1.0, "{bytes}");
        assert!((l1 - pps * 8.0 * f64::from(bytes + 24)).abs() < 1.0, "{bytes}");
    }
}

#[test]
fn c97_every_unit_says_its_layer() {
    let mut stage = with(&[("size = 60", "size = 1000"), ("rate = \"max\"", "rate = 1000")]);
    stage.keys("space").ticks(30);
    for wanted in ["1000 pps left device", "8.000 Mbit/s L2 left device", "8.192 Mbit/s L1 left device"] {
        assert!(figures(&stage).starts_with(wanted), "{}", figures(&stage));
        stage.keys("v");
    }
    assert_eq!(stage.app.live.unit, Unit::Packets);
}

#[test]
fn axes_start_at_nothing_grow_at_once_and_shrink_late() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(50);
    assert_eq!(stage.app.live.cost_axis.top(), 2000.0);
    stage.keys("- - - 3 2 enter").ticks(200);
    stage.keys("+ + + + + +");
    assert_eq!(stage.app.live.cost_axis.top(), 2000.0, "a lower curve does not move the scale");
    stage.keys("0");
    assert_eq!(stage.app.live.cost_axis.top(), 2000.0, "its old values are in sight again");
    stage.keys("+ + +").ticks(310);
    assert_eq!(stage.app.live.cost_axis.top(), 1000.0, "after 30 s");
    stage.keys("1 enter").ticks(3);
    assert_eq!(stage.app.live.cost_axis.top(), 2000.0, "at once");
    let zeros = screen(&stage).lines().filter(|line| line.trim_start().starts_with("0│")).count();
    assert_eq!(zeros, 2, "both axes start at 0");
}

#[test]
fn zooming_out_brings_the_greatest_back_into_the_axis_even_frozen() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(50).keys("3 2 enter + + +").ticks(400);
    assert_eq!(stage.app.live.cost_axis.top(), 1000.0);
    stage.keys("f - - -");
    assert_eq!(stage.app.live.cost_axis.top(), 2000.0);
}

#[test]
fn a_frozen_screen_stands_still_but_for_its_clock_and_what_goes_wrong() {
    let mut stage = judged();
    stage.keys("f").ticks(1);
    let still = |stage: &Stage| screen(stage).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let before = still(&stage);
    stage.ticks(119);
    assert_eq!(still(&stage), before);
    assert!(line(&stage, "FROZEN").contains("FROZEN 00:12"), "{}", screen(&stage));
    stage.keys("l").ticks(1);
    assert!(line(&stage, "not shown").contains("burst 32 → 64: live, not shown"));
    stage.twist = Some(dropping);
    stage.ticks(10);
    assert!(health(&stage).starts_with("now: dropped"), "{}", health(&stage));
    stage.keys("f");
    assert!(health(&stage).starts_with("dropped"));
}

#[test]
fn a_verdict_against_a_baseline_keeps_its_finding_on_eighty_columns() {
    let mut stage = judged();
    stage.keys("b").ticks(10).keys("1 enter").ticks(40);
    let verdict = line(&stage, "vs base");
    assert!(verdict.starts_with("burst 32 → 1 vs base, 3 s ago: 890 → 1568 ns, +678 ± "), "{verdict}");
    assert!(verdict.contains("pps, −43 %"), "{verdict}");
}

#[test]
fn a_dead_sender_is_in_sight_and_all_queues_can_be_reached() {
    let mut stage = twenty_queues();
    assert!(screen(&stage).contains("13  14 DEAD sendto"), "{}", screen(&stage));
    assert!(health(&stage).contains("queue 13 died: sendto: ENXIO"), "{}", health(&stage));
    assert!(screen(&stage).contains("1..4 of 20, pgdn"), "{}", screen(&stage));
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..20 {
        for queue in 0..20 {
            if screen(&stage).contains(&format!("│{queue:>2}{:>4} ", queue + 1)) {
                seen.insert(queue);
            }
        }
        stage.keys("pgdn");
    }
    assert_eq!(seen.len(), 20, "{seen:?}");
    assert!(screen(&stage).contains("17..20 of 20"));
    assert!(line(&stage, "│19  20").contains("33%"), "the share of waiting: {}", screen(&stage));
}

#[test]
fn the_ledger_keeps_completed_at_eighty_by_twenty_four() {
    let stage = sending();
    for word in ["submitted", "completed", "left device", "received", "unexplained"] {
        assert!(screen(&stage).contains(word), "{word}");
    }
}

#[test]
fn big_digits_are_as_large_as_the_window_allows() {
    let mut stage = judged();
    stage.keys("z");
    let inked = |width, height, glyphs| {
        let picture = text(&stage.picture(width, height, &Look { glyphs, ..Look::default() }));
        let ink = if glyphs == Glyphs::Utf8 { '█' } else { '#' };
        picture.lines().filter(|line| line.contains(ink)).count()
    };
    assert_eq!(inked(80, 22, Glyphs::Utf8), 14, "two figures of seven rows");
    assert_eq!(inked(80, 22, Glyphs::Ascii), 14);
    assert!(inked(120, 40, Glyphs::Utf8) >= 28 && inked(200, 60, Glyphs::Utf8) >= 42);
    let picture = screen(&stage);
    for wanted in ["Mpps  left device", "ns  cost of a packet", "burst 32   clone 0", "1568 → 890 ns", "^C stop"] {
        assert!(picture.contains(wanted), "{wanted}: {picture}");
    }
    stage.keys("space").ticks(2);
    assert!(!screen(&stage).contains("890 ns  "), "nothing is sent, nothing is shown");
}

#[test]
fn figures_and_command_are_copied_as_they_are_shown() {
    let mut stage = judged();
    stage.keys("y");
    assert!(stage.copied.contains("left device 1.124 Mpps, cost 890 ns"), "{}", stage.copied);
    stage.keys("Y");
    assert_eq!(stage.copied, "txdeck run udp-64 --lab", "burst is back at what the file says");
    stage.keys("l").ticks(1).keys("Y");
    assert_eq!(stage.copied, "txdeck run udp-64 --lab -s burst=64");
}

#[test]
fn a_stop_during_a_slow_start_stays_a_stop() {
    let mut stage = Stage::lab();
    stage.is_slow = true;
    stage.keys("space").ticks(5).keys("space");
    assert_eq!(stage.app.run.phase, Phase::Draining);
    stage.feed(Event::Reply(Reply::Started { mode: "copy 1q".into(), notes: Vec::new() }));
    assert_eq!(stage.app.run.phase, Phase::Draining, "an answer that comes late restarts nothing");
    stage.ticks(3);
    assert_eq!(stage.app.run.phase, Phase::Idle);
}

#[test]
fn nothing_ticks_on_a_screen_at_rest() {
    let mut stage = Stage::lab();
    stage.ticks(1);
    assert!(stage.app.is_at_rest());
    stage.keys("l");
    assert!(!stage.app.is_at_rest(), "a change is closed by a tick");
    stage.ticks(1);
    assert!(stage.app.is_at_rest());
    stage.keys("space").ticks(20);
    assert!(!stage.app.is_at_rest());
    stage.keys("space").ticks(80);
    assert!(stage.app.is_at_rest());
}

/// Where a text stands in a picture.
fn find(buffer: &Buffer, wanted: &str) -> (u16, u16) {
    for (y, line) in text(buffer).lines().enumerate() {
        if let Some(at) = line.find(wanted) {
            return (line[..at].chars().count() as u16, y as u16);
        }
    }
    panic!("{wanted:?} is not on the screen:\n{}", text(buffer));
}

/// A theme paints its own paper under every cell, on every screen and under every dialog.
#[test]
fn c93_a_theme_with_a_paper_paints_all_of_it() {
    for name in ["dark", "light", "high-contrast", "colour-blind"] {
        let theme = Theme::shipped(name).unwrap();
        let paper = theme.style(Role::Text).bg.unwrap();
        let select = theme.style(Role::Select).bg.unwrap();
        let look = Look { theme, ..Look::default() };
        let mut stage = judged();
        for keys in ["", "z", "z d", "esc ?", "esc 5", "esc l q", "esc W"] {
            stage.keys(keys);
            for (width, height) in [(80, 24), (120, 36), (30, 3)] {
                let picture = stage.picture(width, height, &look);
                let odd = picture.content.iter().find(|cell| cell.bg != paper && cell.bg != select);
                assert!(odd.is_none(), "{name} after {keys:?}: {odd:?}");
            }
        }
    }
}

#[test]
fn styles_of_the_light_theme_follow_their_roles() {
    let theme = Theme::shipped("light").unwrap();
    let mut stage = judged();
    stage.twist = Some(dropping);
    stage.ticks(10);
    let picture = stage.picture(80, 24, &Look { theme: theme.clone(), ..Look::default() });
    let ink = |wanted: &str| picture[find(&picture, wanted)].fg;
    let role = |role: Role| theme.style(role).fg.unwrap();
    for (wanted, wanted_role) in [
        ("SENDING", Role::Good),
        ("*burst", Role::Focus),
        ("dropped", Role::Dim),
        ("): far end", Role::Bad),
        ("burst 1 →", Role::Mark),
        ("B1>32", Role::Mark),
        ("cost, ns", Role::GraphB),
        ("left device, p", Role::GraphA),
    ] {
        assert_eq!(ink(wanted), role(wanted_role), "{wanted}");
    }
}

/// Nothing is told by colour alone: the words are the same in every theme.
#[test]
fn c93_every_theme_says_the_same_words() {
    let mut stage = judged();
    stage.twist = Some(dropping);
    stage.ticks(10);
    let words = screen(&stage);
    for name in Theme::names() {
        let look = Look { theme: Theme::shipped(name).unwrap(), ..Look::default() };
        assert_eq!(text(&stage.picture(80, 24, &look)), words, "{name}");
    }
    let none = Look { theme: Theme::shipped("none").unwrap(), ..Look::default() };
    let picture = stage.picture(80, 24, &none);
    assert!(picture.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
}

#[test]
fn c85_every_dialog_survives_every_size_and_the_layout_comes_back() {
    for opening in ["", "5", "W", "l q", "j j 1", "z", "d", "o", "?", "f", "l o enter"] {
        let mut stage = Stage::lab();
        stage.keys("space").ticks(20).keys(opening);
        let before = text(&stage.picture(120, 40, &Look::default()));
        for (width, height) in [(200, 60), (80, 24), (40, 10), (10, 3), (1, 1), (0, 0)] {
            stage.feed(Event::Resize);
            let small = text(&stage.picture(width, height, &Look::default()));
            assert!(width >= 80 || small.trim().lines().count() <= 1, "{opening}: {small}");
        }
        assert_eq!(text(&stage.picture(120, 40, &Look::default())), before, "{opening}");
        let wanted = if opening == "l q" { Phase::Draining } else { Phase::Sending };
        assert_eq!(stage.app.run.phase, wanted, "traffic goes on untouched");
    }
}
