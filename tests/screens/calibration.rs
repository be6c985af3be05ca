//! The panel of what this CPU's primitives cost: idle, running, measured, refused while packets flow, failed.

use txdeck::{
    app::{Event, Overlay, Phase, Reply, Tone},
    stats::{Calibration, Primitive, Spread},
    ui::Look,
};

use crate::stage::{Stage, text};

const SIZES: [(u16, u16); 4] = [(80, 22), (80, 24), (120, 40), (200, 60)];

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in SIZES {
        let picture = stage.picture(width, height, &Look::default());
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/calibration" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&picture));
        });
    }
}

fn measured() -> Calibration {
    let primitive = |name, what, median_ns: f64, p90_ns: f64| Primitive {
        name,
        what,
        cost: Ok(Spread { median_ns, least_ns: 0.95 * median_ns, p90_ns, rounds: 240 }),
    };
    let no_kick = Err("only in a lab: txdeck lab".to_owned());
    let primitives = vec![
        primitive("load_store", "plain load + store", 0.27, 0.29),
        primitive("locked_add", "LOCK-prefixed add", 8.23, 8.3),
        primitive("contended_add", "contended LOCK add", 43.2, 90.1),
        primitive("barrier", "store + full barrier", 7.56, 11.9),
        primitive("clock_read", "clock read", 22.9, 24.0),
        primitive("system_call", "empty system call", 117.3, 130.6),
        Primitive { name: "kick", what: "kick of an empty queue", cost: no_kick },
    ];
    Calibration { cpu: 1, other_cpu: Some(0), is_virtual: true, primitives }
}

fn screen(stage: &Stage) -> String {
    text(&stage.picture(80, 24, &Look::default()))
}

/// `:calibrate` and Enter.
fn line(stage: &mut Stage) {
    stage.keys(": c a l i b r a t e enter");
}

#[test]
fn a_key_opens_it_and_enter_measures() {
    let mut stage = Stage::lab();
    stage.keys("C");
    assert_eq!(stage.count("Calibrate"), 0, "opening it measures nothing");
    snapshot("idle", &stage);
    stage.keys("enter enter");
    assert_eq!(stage.count("Calibrate"), 1, "one at a time");
    snapshot("running", &stage);
    stage.feed(Event::Reply(Reply::Calibrated(Ok(measured()))));
    snapshot("measured", &stage);
    stage.keys("esc");
    assert_eq!(stage.app.overlay, Overlay::None);
    stage.keys("C");
    assert!(screen(&stage).contains("8.23"), "the table stays for the session");
    stage.keys("enter");
    assert_eq!(stage.count("Calibrate"), 2);
    assert!(screen(&stage).contains("8.23"), "the last table stays until there is a new one");
}

#[test]
fn the_budget_follows_the_open_profile() {
    let mut stage = Stage::lab();
    stage.calibration = Some(Ok(measured()));
    line(&mut stage);
    let picture = screen(&stage);
    assert!(
        picture.contains("10G      67.20   14.88") && picture.contains("12.2 % of a packet's time at 10G"),
        "{picture}"
    );
    stage.keys("esc : f l o w . u d p . s i z e = 1 5 1 4 enter C");
    let picture = screen(&stage);
    assert!(picture.contains("1514 B") && picture.contains("10G     1230.4    0.81"), "{picture}");
}

#[test]
fn while_packets_flow_it_says_why_not() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5);
    line(&mut stage);
    assert_eq!(stage.count("Calibrate"), 0);
    snapshot("refused", &stage);
    stage.keys("enter ^C").ticks(5);
    assert_eq!((stage.count("Calibrate"), stage.app.run.phase), (0, Phase::Idle));
    assert!(!screen(&stage).contains("Packets flow"), "what stands there follows the senders");
    stage.keys("enter");
    assert_eq!(stage.count("Calibrate"), 1);
}

#[test]
fn while_it_measures_nothing_starts() {
    let mut stage = Stage::lab();
    stage.keys("C enter esc space");
    assert_eq!((stage.count("Start"), stage.app.run.phase), (0, Phase::Idle));
    let notice = stage.app.notice().unwrap();
    assert!(notice.tone == Tone::Warn && notice.text.contains("being measured"), "{notice:?}");
    stage.feed(Event::Reply(Reply::Calibrated(Ok(measured()))));
    stage.keys("space");
    assert_eq!(stage.count("Start"), 1);
}

#[test]
fn a_failure_is_told_and_another_try_is_free() {
    let mut stage = Stage::lab();
    stage.calibration = Some(Err("tx.cpus: CPU 9 is not one this process may use. Allowed: 0,1".into()));
    line(&mut stage);
    snapshot("failed", &stage);
    stage.calibration = Some(Ok(measured()));
    stage.keys("enter");
    assert!(screen(&stage).contains("8.23") && stage.count("Calibrate") == 2);
}

#[test]
fn a_low_screen_scrolls_it() {
    let mut stage = Stage::lab();
    stage.calibration = Some(Ok(measured()));
    line(&mut stage);
    stage.keys("j j k j");
    assert_eq!(stage.app.overlay, Overlay::Calibration { top: 2 });
    stage.keys("end");
    assert!(screen(&stage).contains("A virtual machine"));
    stage.keys("q");
    assert_eq!((stage.app.overlay.clone(), stage.quit), (Overlay::None, None));
}
