//! Sweeps and tunings in the console: the line, the progress, the table, what ends them, what is left behind.

use txdeck::{
    app::{Overlay, Phase, PlaceKind, Tone},
    trial::Question,
    ui::Look,
};

use crate::stage::{Stage, UDP_64, place, text};

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in [(80, 24), (120, 40)] {
        let picture = stage.picture(width, height, &Look::default());
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/trials" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&picture));
        });
    }
}

fn screen(stage: &Stage) -> String {
    text(&stage.picture(80, 24, &Look::default()))
}

/// `:` with a line, and Enter.
fn line(stage: &mut Stage, typed: &str) {
    stage.keys(":");
    for c in typed.chars() {
        stage.keys(if c == ' ' { "space".to_owned() } else { c.to_string() }.as_str());
    }
    stage.keys("enter");
}

/// Ticks until no trial runs, at most `most`.
fn to_its_end(stage: &mut Stage, most: u32) -> u32 {
    let took = (0..most).find(|_| !stage.ticks(1).app.trials.is_running());
    took.expect("the trial ended") + 1
}

fn costs(stage: &Stage) -> Vec<f64> {
    stage.app.trials.last.as_ref().expect("a record").rows.iter().map(|row| row.cost_ns.expect("a cost")).collect()
}

#[test]
fn a_key_opens_the_line_with_what_it_will_take_and_the_table_follows() {
    let mut stage = Stage::lab();
    stage.keys("s");
    snapshot("line", &stage);
    assert!(screen(&stage).contains("about 12.6 s"));
    stage.keys("enter").ticks(20);
    assert_eq!((stage.count("Start"), stage.app.run.phase), (1, Phase::Sending), "it starts the senders itself");
    snapshot("running", &stage);
    let took_s = f64::from(20 + to_its_end(&mut stage, 200)) / 10.0;
    assert!((0.9 * 12.6..1.15 * 12.6).contains(&took_s), "{took_s} s");
    snapshot("table", &stage);
    // A doorbell costs 700 ns shared by the burst, a packet 868 ns.
    for (cost, burst) in costs(&stage).into_iter().zip([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]) {
        let scripted = 868.0 + 700.0 / burst;
        assert!((cost / scripted - 1.0).abs() < 0.01, "burst {burst}: {cost} for {scripted}");
    }
    let fit = stage.app.trials.last.as_ref().and_then(|last| last.fit).expect("a fit");
    assert!((fit.burst_ns.unwrap_or(0.0) - 700.0).abs() < 20.0 && fit.r_squared > 0.99, "{fit:?}");
    stage.ticks(5);
    assert_eq!(stage.app.run.phase, Phase::Idle, "what it started it stops");
    assert!(!stage.app.open.is_unsaved());
}

#[test]
fn two_axes_make_a_heat_map_and_the_senders_go_on_as_they_were() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20);
    line(&mut stage, "sweep burst=1,32 clone=0,10 slice=200ms repeat=2");
    to_its_end(&mut stage, 100);
    snapshot("heat", &stage);
    stage.keys("esc").ticks(5);
    assert_eq!((stage.app.run.phase, stage.count("Start"), stage.count("Stop")), (Phase::Sending, 1, 0));
    let sent = stage.sent.as_ref().expect("sending");
    assert_eq!((sent.profile().tx.burst, sent.profile().tx.clone), (32, 0));
    line(&mut stage, "sweep");
    assert!(matches!(&stage.app.overlay, Overlay::Sheet(sheet) if sheet.title == "sweep"), "the last table again");
}

#[test]
fn an_axis_that_needs_new_queues_opens_them_and_puts_them_back() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20);
    line(&mut stage, "sweep ring=1024,4096 slice=200ms repeat=1");
    to_its_end(&mut stage, 100);
    stage.keys("esc").ticks(10);
    assert_eq!(stage.sent.as_ref().map(|sent| sent.profile().tx.ring), Some(2048));
    assert!(stage.app.waiting().is_empty());
}

#[test]
fn escape_ends_it_with_what_was_measured_and_a_stop_stops_the_senders_too() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20);
    line(&mut stage, "sweep burst=1,32 slice=200ms repeat=9");
    stage.ticks(20).keys("esc");
    assert!(!stage.app.trials.is_running());
    assert!(screen(&stage).contains("It ended early"), "{}", screen(&stage));
    stage.keys("esc").ticks(5);
    assert_eq!(stage.sent.as_ref().map(|sent| sent.profile().tx.burst), Some(32));
    assert_eq!(stage.app.run.phase, Phase::Sending);
    line(&mut stage, "sweep burst=1,32 slice=200ms repeat=9");
    stage.ticks(20).keys("^C").ticks(5);
    assert_eq!((stage.app.trials.is_running(), stage.app.run.phase), (false, Phase::Idle));
}

#[test]
fn an_edit_ends_it_and_is_kept() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20);
    line(&mut stage, "sweep clone=0,10 slice=200ms repeat=9");
    stage.ticks(20).keys("h").ticks(5);
    assert!(!stage.app.trials.is_running());
    assert_eq!(stage.sent.as_ref().map(|sent| (sent.profile().tx.burst, sent.profile().tx.clone)), Some((16, 0)));
}

#[test]
fn a_refused_setting_and_a_failed_start_end_it() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20);
    stage.refuses_retune = true;
    line(&mut stage, "sweep burst=1,16 slice=200ms repeat=1");
    stage.ticks(10);
    assert!(!stage.app.trials.is_running());
    let mut stage = Stage::lab();
    stage.refuses_start = true;
    line(&mut stage, "sweep burst=1,16 slice=200ms repeat=1");
    stage.ticks(3);
    assert_eq!((stage.app.trials.is_running(), stage.app.run.phase), (false, Phase::Idle));
}

#[test]
fn what_cannot_be_swept_is_said_under_the_line() {
    for (typed, words) in [
        ("sweep brst=1,2", "Did you mean"),
        ("sweep burst=1,9999", "ring"),
        ("sweep burst", "KEY=LIST"),
        ("sweep burst=1,2 slice=0", "100ms"),
        ("sweep", "no sweep yet"),
        ("tune", "start first"),
    ] {
        let mut stage = Stage::lab();
        line(&mut stage, typed);
        assert!(screen(&stage).contains(words), "{typed}:\n{}", screen(&stage));
        assert_eq!(stage.count("Start"), 0, "{typed}");
    }
    let mut stage = Stage::with(UDP_64, Some(place(PlaceKind::Real)));
    line(&mut stage, "sweep burst=1,2");
    assert!(screen(&stage).contains("by hand first"), "a device is named before the first packet");
}

#[test]
fn a_tuning_sets_the_smallest_burst_that_is_enough_as_an_edit() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20).keys("T");
    to_its_end(&mut stage, 400);
    let tx = &stage.app.open.document().profile().tx;
    // 868 + 700/64 is 0.9 % over 868 + 700/256, 868 + 700/32 is 2.2 %.
    assert_eq!(tx.burst, 64);
    let notice = stage.app.notice().expect("a line").clone();
    assert!(notice.tone == Tone::Good && notice.text.contains("burst 32 > 64: 87"), "{notice:?}");
    snapshot("tuned", &stage);
    assert_eq!(stage.app.trials.last.as_ref().map(|last| last.question), Some(Question::Tune));
    stage.ticks(5);
    assert_eq!(stage.sent.as_ref().map(|sent| sent.profile().tx.burst), Some(64));
    stage.keys("u").ticks(5);
    assert_eq!(stage.sent.as_ref().map(|sent| sent.profile().tx.burst), Some(32));
}
