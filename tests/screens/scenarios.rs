//! What keys do, as CONSOLE promises it: starting and stopping, turning, undoing, saving, leaving.

use txdeck::{
    app::{Answer, Event, Finding, Overlay, Phase, PlaceKind, Screen, Tone},
    ui::Look,
};

use crate::stage::{Stage, UDP_64, place, text};

fn burst(stage: &Stage) -> u32 {
    stage.app.open.document().profile().tx.burst
}

fn sent_burst(stage: &Stage) -> u32 {
    stage.sent.as_ref().unwrap().profile().tx.burst
}

#[test]
fn space_starts_in_the_lab_and_space_stops() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5);
    assert_eq!(stage.app.run.phase, Phase::Sending);
    stage.keys("space");
    assert_eq!(stage.app.run.phase, Phase::Draining);
    stage.ticks(2);
    assert_eq!(stage.app.run.phase, Phase::Idle);
}

#[test]
fn nothing_starts_within_half_a_second_of_a_stop() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5).keys("space").ticks(1).wait_ms(300).keys("space");
    assert_eq!(stage.app.run.phase, Phase::Idle);
    stage.wait_ms(499).keys("space");
    assert_eq!(stage.app.run.phase, Phase::Idle, "an ignored press keeps it quiet");
    stage.wait_ms(501).keys("space");
    assert_eq!((stage.app.run.phase, stage.count("Start")), (Phase::Sending, 2));
}

#[test]
fn twenty_fast_spaces_while_sending_end_stopped() {
    for gap_ms in [0, 10, 30, 60, 100, 200, 390] {
        let mut stage = Stage::lab();
        stage.keys("space").ticks(10);
        for _ in 0..20 {
            stage.keys("space").wait_ms(gap_ms);
            if gap_ms >= 50 {
                stage.ticks(1);
            }
        }
        stage.ticks(30);
        assert_eq!((stage.app.run.phase, stage.count("Start")), (Phase::Idle, 1), "gap {gap_ms} ms");
    }
}

#[test]
fn ctrl_c_stops_and_stays_then_leaves() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5).keys("^C").ticks(5);
    assert_eq!((stage.app.run.phase, stage.quit), (Phase::Idle, None));
    stage.keys("^C");
    assert_eq!(stage.quit, Some(130));
}

#[test]
fn ctrl_c_repeated_while_draining_only_moves_towards_off() {
    let mut stage = Stage::lab();
    stage.drain_ticks = 5;
    stage.keys("space").ticks(5).keys("^C ^C");
    assert_eq!((stage.app.run.phase, stage.quit), (Phase::Draining, None));
    stage.ticks(6);
    assert_eq!(stage.quit, Some(130));
    let mut impatient = Stage::lab();
    impatient.drain_ticks = 1000;
    impatient.keys("space").ticks(5).keys("^C ^C ^C");
    assert_eq!(impatient.quit, Some(130));
}

#[test]
fn three_ctrl_c_end_every_dialog_and_screen() {
    let openings = ["5", "W", "?", "d", "o", "l q", "f", "l o enter", "l w"];
    for opening in openings {
        for is_sending in [false, true] {
            let mut stage = Stage::lab();
            if is_sending {
                stage.keys("space").ticks(5);
            }
            stage.keys(opening).keys("^C ^C ^C").ticks(1);
            assert_eq!(stage.quit, Some(130), "{opening:?} sending {is_sending}");
        }
    }
}

#[test]
fn esc_never_quits_starts_or_stops() {
    let mut stage = Stage::lab();
    stage.keys("esc esc ? esc d esc o esc 5 esc l q esc esc");
    assert_eq!((stage.quit, stage.count("Start"), stage.app.screen), (None, 0, Screen::Live));
    stage.keys("space").ticks(3).keys("esc esc");
    assert_eq!(stage.app.run.phase, Phase::Sending);
}

#[test]
fn the_first_start_on_a_real_device_names_it_and_waits_for_enter() {
    let mut stage = Stage::with(UDP_64, Some(place(PlaceKind::Real)));
    stage.keys("space");
    let Overlay::Ask(ask) = &stage.app.overlay else { panic!("no question") };
    assert!(ask.lines[0].contains("enp3s0f0"));
    stage.keys("space s y");
    assert_eq!(stage.count("Start"), 0);
    stage.keys("esc space enter").ticks(5);
    assert_eq!(stage.app.run.phase, Phase::Sending);
    stage.keys("space").ticks(10).keys("space");
    assert_eq!(stage.count("Start"), 2, "asked once a session");
}

#[test]
fn without_a_device_space_opens_the_list_and_a_guarded_one_is_refused() {
    let mut stage = Stage::with(UDP_64, None);
    stage.keys("space");
    assert_eq!((stage.app.screen, stage.count("Start")), (Screen::Devices, 0));
    stage.keys("enter");
    assert!(stage.app.notice().unwrap().text.contains("--arm eth0"));
    assert_eq!(stage.count("UseDevice"), 0);
    stage.keys("j enter");
    assert_eq!((stage.app.screen, stage.app.place.as_ref().unwrap().device.as_str()), (Screen::Live, "enp3s0f0"));
    assert_eq!(stage.count("Start"), 0, "choosing is not starting");
}

#[test]
fn a_held_key_makes_one_retune_a_tick_and_one_step_to_undo() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5).keys("l l l");
    assert_eq!((burst(&stage), stage.count("Retune")), (256, 0));
    stage.ticks(1);
    assert_eq!((sent_burst(&stage), stage.count("Retune")), (256, 1));
    stage.keys("u").ticks(1);
    assert_eq!((burst(&stage), sent_burst(&stage), stage.count("Retune")), (32, 32, 2));
    stage.keys("^R").ticks(1);
    assert_eq!((burst(&stage), sent_burst(&stage)), (256, 256));
}

#[test]
fn undo_and_redo_walk_over_all_knobs() {
    let mut stage = Stage::lab();
    stage.keys("l").ticks(1).keys("j l").ticks(1).keys("j h").ticks(1).keys("j l").ticks(1);
    let changed = stage.app.open.document().text().to_owned();
    for key in ["tx.burst", "tx.clone", "tx.rate", "flow.udp.size"] {
        assert_ne!(stage.app.open.document().get(key), stage.app.open.saved().get(key), "{key}");
    }
    assert!(stage.app.open.is_unsaved());
    stage.keys("u u u u u");
    assert_eq!(stage.app.open.document().text(), UDP_64);
    assert!(!stage.app.open.is_unsaved());
    stage.keys("^R ^R ^R ^R");
    assert_eq!(stage.app.open.document().text(), changed);
}

#[test]
fn a_value_is_taken_when_accepted_not_per_key() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5).keys("1 6").ticks(3);
    assert_eq!((burst(&stage), stage.count("Retune")), (32, 0));
    stage.keys("enter").ticks(1);
    assert_eq!((burst(&stage), sent_burst(&stage)), (16, 16));
}

#[test]
fn a_refused_value_says_why_and_keeps_the_field_open() {
    let mut stage = Stage::lab();
    stage.keys("2 0 0 0 enter");
    let Overlay::Text(prompt) = &stage.app.overlay else { panic!("closed") };
    assert!(prompt.is_refused && prompt.hint.contains("1024"), "{}", prompt.hint);
    assert_eq!(burst(&stage), 32);
    stage.keys("esc");
    assert_eq!(stage.app.overlay, Overlay::None);
}

#[test]
fn space_in_a_text_field_never_touches_traffic() {
    let mut stage = Stage::lab();
    stage.keys("W space space");
    assert_eq!(stage.count("Start"), 0);
    let Overlay::Text(prompt) = &stage.app.overlay else { panic!("closed") };
    assert_eq!(prompt.text(), "udp-64  ");
}

#[test]
fn a_paste_on_live_does_nothing_and_in_a_field_gives_one_line() {
    let mut stage = Stage::lab();
    stage.feed(Event::Paste(" q\u{3}\nspace".into()));
    assert!(stage.asked.is_empty() && stage.app.overlay == Overlay::None);
    stage.keys("W ^U");
    stage.feed(Event::Paste("mine\nsecond line\n".into()));
    let Overlay::Text(prompt) = &stage.app.overlay else { panic!("closed") };
    assert_eq!(prompt.text(), "mine");
}

#[test]
fn a_varying_size_is_not_turned() {
    let text = UDP_64.replace("size = 60", "size = { random = [60, 1514] }");
    let mut stage = Stage::with(&text, Some(place(PlaceKind::Lab)));
    stage.keys("j j j l");
    assert!(stage.app.notice().unwrap().text.contains("varies"));
    assert_eq!(stage.app.open.document().text(), text);
}

#[test]
fn with_several_flows_a_size_knob_names_its_flow() {
    let text = UDP_64.to_owned()
        + "\n[[flow]]\nname = \"b\"\nsize = 124\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n";
    let mut stage = Stage::with(&text, Some(place(PlaceKind::Lab)));
    let labels: Vec<String> =
        stage.app.knobs().iter().map(|knob| knob.label(stage.app.open.document().profile())).collect();
    assert_eq!(labels, ["burst", "clone", "rate", "size udp", "size b"]);
    stage.keys("j j j j l");
    let flows = &stage.app.open.document().profile().flows;
    assert_eq!((flows[0].size.min(), flows[1].size.min()), (60, 252));
}

#[test]
fn a_refused_retune_is_named_as_the_last_good_plan() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5);
    stage.refuses_retune = true;
    stage.keys("l").ticks(1);
    assert!(stage.app.run.is_last_good);
    assert_eq!(sent_burst(&stage), 32);
    stage.keys("l").ticks(1);
    assert!(!stage.app.run.is_last_good);
    assert_eq!(sent_burst(&stage), 128);
}

#[test]
fn a_change_is_judged_from_settled_samples() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(30).keys("3 2 enter").ticks(1);
    let waiting = stage.app.live.verdict.clone().unwrap();
    assert_eq!((waiting.change.from.as_str(), waiting.change.to.as_str()), ("1", "32"));
    assert_eq!(waiting.finding, Finding::Waiting);
    stage.ticks(30);
    let Finding::Judged { cost_ns, left_pps } = stage.app.live.verdict.clone().unwrap().finding else { panic!() };
    assert!((cost_ns.before - 1568.0).abs() < 2.0 && (cost_ns.after - 890.0).abs() < 2.0, "{cost_ns:?}");
    assert!(!cost_ns.is_noise() && cost_ns.half < 5.0);
    assert!(left_pps.unwrap().percent().unwrap() > 70.0);
    // A knob that changes nothing measurable.
    stage.keys("j l").ticks(30);
    let Finding::Judged { cost_ns, .. } = stage.app.live.verdict.clone().unwrap().finding else { panic!() };
    assert!(cost_ns.is_noise(), "{cost_ns:?}");
}

#[test]
fn a_change_right_after_the_start_has_nothing_to_compare_with() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(3).keys("l").ticks(30);
    assert_eq!(stage.app.live.verdict.clone().unwrap().finding, Finding::NoBefore);
}

#[test]
fn a_baseline_stays_the_other_side_of_later_changes() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(30).keys("b").ticks(1).keys("2 enter").ticks(30).keys("3 2 enter").ticks(30);
    let verdict = stage.app.live.verdict.clone().unwrap();
    let Finding::Judged { cost_ns, .. } = verdict.finding else { panic!() };
    assert!((cost_ns.before - 1568.0).abs() < 2.0, "against burst 1, not 2: {cost_ns:?}");
    assert!(verdict.against.unwrap().contains("burst 1"));
}

#[test]
fn frozen_figures_stand_still_and_a_turn_says_so() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20).keys("f").ticks(1);
    let before = stage.app.live.shown().figures.ledger;
    stage.keys("l").ticks(20);
    assert_eq!(stage.app.live.shown().figures.ledger, before);
    assert_ne!(stage.app.live.board().figures.ledger, before);
    assert!(stage.app.live.unseen.is_some());
    stage.keys("f");
    assert!(stage.app.live.unseen.is_none());
    assert_ne!(stage.app.live.shown().figures.ledger, before);
}

#[test]
fn saving_a_shipped_profile_proposes_a_free_name() {
    let mut stage = Stage::lab();
    stage.keys("l w");
    let Overlay::Text(prompt) = &stage.app.overlay else { panic!("no field") };
    assert_eq!(prompt.text(), "udp-64-2");
    stage.keys("enter");
    assert_eq!(stage.saved[0].0, "udp-64-2");
    assert!(stage.saved[0].1.contains("burst = 64      # frames per doorbell"), "comments are kept");
    assert!(!stage.app.open.is_unsaved());
    assert_eq!(stage.app.open.name, "udp-64-2");
}

#[test]
fn quitting_drains_first_then_asks_and_cancel_is_the_default() {
    let mut stage = Stage::lab();
    stage.drain_ticks = 2;
    stage.keys("space").ticks(5).keys("l").ticks(1).keys("q");
    assert_eq!((stage.app.run.phase, stage.quit), (Phase::Draining, None));
    stage.ticks(5);
    let Overlay::Ask(ask) = &stage.app.overlay else { panic!("no question") };
    assert_eq!(ask.answers[ask.selected], Answer::Cancel);
    stage.keys("enter");
    assert_eq!((stage.quit, stage.app.overlay.clone()), (None, Overlay::None));
    stage.keys("q d");
    assert_eq!(stage.quit, Some(0));
}

#[test]
fn quitting_with_save_saves_then_quits() {
    let mut stage = Stage::lab();
    stage.keys("l q s");
    assert_eq!(stage.quit, None, "a shipped name needs another one first");
    stage.keys("enter");
    assert_eq!((stage.saved.len(), stage.quit), (1, Some(0)));
}

#[test]
fn nothing_changed_quits_without_a_question() {
    let mut stage = Stage::lab();
    stage.keys("l u q");
    assert_eq!(stage.quit, Some(0));
}

#[test]
fn a_signal_stops_drains_and_leaves_with_its_code() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5).keys("l W");
    stage.feed(Event::Terminate { code: 143 });
    assert_eq!((stage.app.run.phase, stage.quit), (Phase::Draining, None));
    stage.ticks(2);
    assert_eq!(stage.quit, Some(143));
}

#[test]
fn ctrl_z_stops_then_suspends_and_comes_back_stopped() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5).keys("^Z");
    assert_eq!(stage.count("Suspend"), 0);
    stage.ticks(2);
    assert_eq!((stage.count("Suspend"), stage.app.run.phase), (1, Phase::Idle));
}

#[test]
fn opening_over_unsaved_changes_asks_and_while_sending_is_refused() {
    let mut stage = Stage::lab();
    stage.keys("l o down down down enter");
    assert!(matches!(stage.app.overlay, Overlay::Ask(_)));
    stage.keys("enter");
    assert_eq!(stage.count("Load"), 0);
    stage.keys("enter d");
    assert_eq!((stage.count("Load"), burst(&stage)), (1, 32));
    stage.keys("space").ticks(3).keys("o enter");
    assert_eq!(stage.count("Load"), 1);
}

#[test]
fn c96_c97_bits_are_eight_times_the_bytes_of_layer_2_without_fcs() {
    for (bytes, text) in [(60, "480.0 kbit/s L2"), (508, "4.064 Mbit/s L2"), (1000, "8.000 Mbit/s L2")] {
        let profile = UDP_64.replace("size = 60", &format!("size = {bytes}")).replace("rate = \"max\"", "rate = 1000");
        let mut stage = Stage::with(&profile, Some(place(PlaceKind::Lab)));
        stage.keys("v space").ticks(30);
        let picture = text_of(&stage);
        assert!(picture.lines().nth(1).unwrap().trim_start().starts_with(text), "{bytes}: {picture}");
    }
}

#[test]
fn c98_no_rate_stays_on_the_screen_after_a_stop() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(30);
    assert!(text_of(&stage).contains("1.124 Mpps left device"));
    stage.keys("space").ticks(2);
    let picture = text_of(&stage);
    assert_eq!(picture.lines().nth(1).unwrap().trim(), "– pps left device   – ns cost   – ns gap");
    assert!(picture.contains("submitted     3"), "the ledger stays: {picture}");
}

#[test]
fn c103_a_start_after_a_failed_start_works() {
    let mut stage = Stage::lab();
    stage.refuses_start = true;
    stage.keys("space");
    assert_eq!((stage.app.run.phase, stage.app.notice().unwrap().tone), (Phase::Idle, Tone::Bad));
    stage.keys("q");
    assert_eq!(stage.quit, Some(0), "leaving works");
    stage.keys("space").ticks(3);
    assert_eq!(stage.app.run.phase, Phase::Sending);
}

#[test]
fn c85_text_that_is_typed_survives_every_size() {
    let mut stage = Stage::lab();
    stage.keys("W ^U m i n e");
    for (width, height) in [(200, 60), (80, 24), (40, 10), (10, 3), (1, 1), (120, 40)] {
        stage.feed(Event::Resize);
        stage.picture(width, height, &Look::default());
    }
    stage.keys("2 enter");
    assert_eq!(stage.saved[0].0, "mine2");
}

fn text_of(stage: &Stage) -> String {
    text(&stage.picture(80, 24, &Look::default()))
}

#[test]
fn the_farewell_tells_what_left_and_how_to_repeat_it() {
    let mut stage = Stage::lab();
    assert_eq!(stage.app.farewell(), "");
    stage.keys("space").ticks(20).keys("l").ticks(10).keys("space").ticks(10);
    let farewell = stage.app.farewell();
    assert!(farewell.contains("left device"), "{farewell}");
    assert!(farewell.contains("txdeck run udp-64 --lab -s burst=64"), "{farewell}");
    assert!(farewell.contains("Not saved"), "{farewell}");
    stage.keys("w enter");
    assert!(stage.app.farewell().contains("Saved: /home/me/.config/txdeck/profiles/udp-64-2.toml"));
}
