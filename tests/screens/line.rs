//! The `:` line, the finder, the open list, the difference, Devices, Log and Help: what they do and how they look.

use ratatui::style::Modifier;
use txdeck::{
    app::{Answer, Event, Level, Overlay, Phase, PlaceKind, Reading, Reply, Screen, Tone},
    stats::State,
    ui::{Glyphs, Look, Role, Theme},
};

use crate::stage::{Stage, UDP_64, place, text};

const SIZES: [(u16, u16); 5] = [(80, 22), (80, 24), (100, 29), (120, 36), (200, 60)];

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in SIZES {
        let picture = stage.picture(width, height, &Look::default());
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/line" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&picture));
        });
    }
}

/// Types a text into whatever field is open.
fn type_text<'a>(stage: &'a mut Stage, typed: &str) -> &'a mut Stage {
    for c in typed.chars() {
        stage.feed(Event::Key(txdeck::app::Chord::char(c)));
    }
    stage
}

/// `:`, the line, Enter.
fn run<'a>(stage: &'a mut Stage, line: &str) -> &'a mut Stage {
    stage.keys(":");
    type_text(stage, line).keys("enter")
}

fn line_text(stage: &Stage) -> String {
    match &stage.app.overlay {
        Overlay::Line(line) => line.prompt.text(),
        other => panic!("the line is not open: {other:?}"),
    }
}

/// What the open line refused with.
fn refusal(stage: &Stage) -> String {
    match &stage.app.overlay {
        Overlay::Line(line) if line.prompt.is_refused => line.prompt.hint.clone(),
        other => panic!("nothing was refused: {other:?}"),
    }
}

fn sheet(stage: &Stage) -> String {
    match &stage.app.overlay {
        Overlay::Sheet(sheet) => sheet.lines.iter().map(|(_, line)| format!("{line}\n")).collect(),
        other => panic!("no sheet: {other:?}"),
    }
}

fn screen(stage: &Stage) -> String {
    text(&stage.picture(80, 24, &Look::default()))
}

fn get(stage: &Stage, key: &str) -> String {
    stage.app.open.document().get(key).unwrap()
}

#[test]
fn a_line_sets_keys_and_the_senders_hear_of_them() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(5);
    run(&mut stage, "burst=64").ticks(1);
    assert_eq!((get(&stage, "burst"), stage.count("Retune")), ("64".into(), 1));
    assert_eq!(stage.sent.as_ref().unwrap().profile().tx.burst, 64);
    run(&mut stage, "flow.udp.size=128").ticks(1);
    assert_eq!((get(&stage, "flow.udp.size"), stage.count("Retune")), ("128".into(), 2));
    run(&mut stage, "flow.udp.udp.dst=1..9:2");
    assert_eq!(get(&stage, "flow.udp.udp.dst"), "1..9:2");
    assert!(stage.app.open.is_unsaved());
    stage.keys("u u u");
    assert_eq!(stage.app.open.document().text(), UDP_64, "each line is a step to undo");
}

#[test]
fn a_refused_line_says_why_and_changes_nothing() {
    let mut stage = Stage::lab();
    for (line, wanted) in [
        ("brst=64", "tx.brst: no such key. Did you mean tx.burst? Nothing was changed."),
        ("burst=2000", "Nothing was changed."),
        ("flow.udp.ipv4.dst=198.18.0.2540", "\"198.18.0.2540\" is not an IPv4 address (each part 0..255)"),
        ("flow.upd.size=60", "Did you mean udp?"),
        ("size=60", "size belongs to a flow: flow.udp.size"),
        ("strat", "Did you mean start?"),
        ("theme", "theme NAME"),
        ("shot x.png", "FILE.svg"),
        ("help brst", "Did you mean burst?"),
    ] {
        run(&mut stage, line);
        assert!(refusal(&stage).contains(wanted), "{line}: {}", refusal(&stage));
        assert_eq!(line_text(&stage), line, "the line stays as it was typed");
        stage.keys("esc");
    }
    assert_eq!(stage.app.open.document().text(), UDP_64);
    assert!(stage.app.history.lines().is_empty(), "what was refused is not kept");
}

#[test]
fn macs_are_read_in_all_three_forms() {
    for form in ["02:00:00:00:00:0a", "02-00-00-00-00-0a", "0200.0000.000a"] {
        let mut stage = Stage::lab();
        run(&mut stage, &format!("flow.udp.eth.dst={form}"));
        let document = stage.app.open.document();
        assert_eq!(document.profile().flows[0].eth.dst, txdeck_mac(0x0200_0000_000a), "{form}");
    }
}

fn txdeck_mac(mac: u128) -> txdeck::profile::Mac {
    txdeck::profile::Mac::Is(txdeck::profile::Value::Fixed(mac))
}

#[test]
fn tab_completes_commands_keys_values_and_names() {
    let mut stage = Stage::lab();
    stage.keys(":");
    type_text(&mut stage, "bur").keys("tab");
    assert_eq!(line_text(&stage), "burst=");
    stage.keys("tab");
    assert_eq!(line_text(&stage), "burst=32", "the present value first");
    stage.keys("tab shift-tab shift-tab");
    assert_eq!(line_text(&stage), "burst=1024", "back beyond the first is the last: half the ring");
    stage.keys("^U");
    type_text(&mut stage, "fl").keys("tab tab");
    assert_eq!(line_text(&stage), "flow.udp.");
    type_text(&mut stage, "t").keys("tab");
    assert_eq!(line_text(&stage), "flow.udp.t", "TCP cannot stand beside UDP");
    stage.keys("^U");
    type_text(&mut stage, "ch").keys("tab");
    assert_eq!(line_text(&stage), "chunk", "chunks and chunk_bytes agree so far");
    stage.keys("^U");
    type_text(&mut stage, "o st").keys("tab");
    assert_eq!(line_text(&stage), "o steady-1k");
    stage.keys("^U");
    type_text(&mut stage, "theme d").keys("tab enter");
    assert!(stage.asked.contains(&"UseTheme".into()));
    assert_eq!(stage.app.notice().unwrap().text, "theme dark");
}

#[test]
fn what_stands_behind_the_cursor_stays_when_tab_completes() {
    let mut stage = Stage::lab();
    stage.keys(":");
    type_text(&mut stage, "bur64").keys("left left tab");
    assert_eq!(line_text(&stage), "burst=64");
    stage.keys("enter");
    assert_eq!(get(&stage, "burst"), "64");
}

#[test]
fn up_and_down_bring_earlier_lines() {
    let mut stage = Stage::lab();
    run(&mut stage, "burst=64");
    run(&mut stage, "clone=5");
    assert_eq!(stage.count("Remember"), 2);
    stage.keys(": up up");
    assert_eq!(line_text(&stage), "burst=64");
    stage.keys("down down");
    assert_eq!(line_text(&stage), "");
    type_text(&mut stage, "cl").keys("up enter");
    assert_eq!(get(&stage, "clone"), "5");
    assert_eq!(stage.count("Remember"), 2, "a repeated line is not kept twice");
}

#[test]
fn one_line_of_a_paste_goes_into_the_line() {
    let mut stage = Stage::lab();
    stage.keys(":");
    stage.feed(Event::Paste("burst=64\nq!\n".into()));
    assert_eq!(line_text(&stage), "burst=64");
    assert_eq!(stage.quit, None);
    stage.keys("enter");
    assert_eq!(get(&stage, "burst"), "64");
}

#[test]
fn space_in_the_line_never_touches_traffic() {
    let mut stage = Stage::lab();
    stage.keys(": space space");
    assert_eq!((stage.count("Start"), line_text(&stage)), (0, "  ".into()));
    stage.keys("esc").keys("space").ticks(3).keys(": space");
    assert_eq!(stage.app.run.phase, Phase::Sending);
}

#[test]
fn start_and_stop_by_name() {
    let mut stage = Stage::lab();
    run(&mut stage, "start").ticks(5);
    assert_eq!(stage.app.run.phase, Phase::Sending);
    run(&mut stage, "start");
    assert_eq!(stage.app.run.phase, Phase::Sending, "start never stops");
    run(&mut stage, "stop").ticks(3);
    assert_eq!(stage.app.run.phase, Phase::Idle);
    run(&mut stage, "stop").ticks(10);
    assert_eq!((stage.app.run.phase, stage.count("Start")), (Phase::Idle, 1), "stop never starts");
    let mut real = Stage::with(UDP_64, Some(place(PlaceKind::Real)));
    run(&mut real, "start");
    assert!(matches!(real.app.overlay, Overlay::Ask(_)), "a real device is named first");
}

#[test]
fn quitting_by_name_asks_unless_forced() {
    let mut stage = Stage::lab();
    run(&mut stage, "burst=64");
    stage.keys("g");
    run(&mut stage, "q");
    let Overlay::Ask(ask) = &stage.app.overlay else { panic!("no question") };
    assert_eq!(ask.answers[ask.selected], Answer::Cancel);
    stage.keys("esc").keys("esc").keys("space").ticks(3);
    stage.drain_ticks = 2;
    run(&mut stage, "q!");
    assert_eq!((stage.app.run.phase, stage.quit), (Phase::Draining, None), "it drains first");
    stage.ticks(4);
    assert_eq!(stage.quit, Some(0));
}

#[test]
fn a_key_alone_and_help_tell_what_it_means() {
    let mut stage = Stage::lab();
    for line in ["burst", "help burst", "help tx.burst"] {
        run(&mut stage, line);
        let told = sheet(&stage);
        assert!(told.contains("1..16384") && told.contains("next burst"), "{told}");
        assert!(told.contains("tx.burst = 32"), "{told}");
        stage.keys("q");
    }
    run(&mut stage, "help flow.udp.udp.dst");
    assert!(sheet(&stage).contains("flow.udp.udp.dst = 9"), "{}", sheet(&stage));
    stage.keys("esc");
    run(&mut stage, "help w!");
    assert!(sheet(&stage).contains("shipped name"), "{}", sheet(&stage));
    stage.keys("esc");
    run(&mut stage, "help");
    assert_eq!(stage.app.screen, Screen::Help);
}

#[test]
fn saving_by_name() {
    let mut stage = Stage::lab();
    run(&mut stage, "burst=64");
    run(&mut stage, "w fast");
    assert_eq!((stage.saved[0].0.as_str(), stage.app.open.name.as_str()), ("fast", "fast"));
    assert!(!stage.app.open.is_unsaved());
    run(&mut stage, "clone=5");
    run(&mut stage, "w");
    assert_eq!(stage.saved.len(), 2, "its own file is written again without a question");
    run(&mut stage, "w mine");
    let Overlay::Ask(ask) = &stage.app.overlay else { panic!("an existing file is asked about") };
    assert_eq!(ask.answers[ask.selected], Answer::Cancel);
    stage.keys("o");
    assert_eq!((stage.saved.len(), stage.app.open.name.as_str()), (3, "mine"));
    run(&mut stage, "w! mine");
    assert_eq!(stage.saved.len(), 4);
}

#[test]
fn a_shipped_name_is_refused_with_another_one_proposed_and_can_be_forced() {
    for keys in ["W enter", ": w space u d p - 6 4 enter"] {
        let mut stage = Stage::lab();
        run(&mut stage, "burst=64");
        stage.keys(keys);
        let Overlay::Text(prompt) = &stage.app.overlay else { panic!("{keys}: {:?}", stage.app.overlay) };
        assert!(prompt.is_refused && prompt.hint.contains("shipped"), "{}", prompt.hint);
        assert_eq!((prompt.text().as_str(), stage.saved.len()), ("udp-64-2", 0));
        stage.keys("enter");
        assert_eq!(stage.saved[0].0, "udp-64-2");
    }
    let mut stage = Stage::lab();
    run(&mut stage, "w! udp-64");
    assert_eq!(stage.saved[0].0, "udp-64");
}

#[test]
fn the_list_searches_as_one_types_and_opens() {
    let mut stage = Stage::lab();
    stage.keys("o");
    type_text(&mut stage, "q?");
    assert_eq!(stage.app.screen, Screen::Help, "what is no letter keeps its meaning");
    stage.keys("o");
    type_text(&mut stage, "thousand");
    assert_eq!(stage.app.profiles.in_sight().len(), 1);
    stage.keys("enter");
    assert_eq!(
        (stage.app.screen, stage.app.open.name.as_str()),
        (Screen::Live, "steady-1k"),
        "{:?}",
        stage.app.overlay
    );
}

#[test]
fn shadowing_is_shown_and_a_hidden_shipped_one_can_be_opened() {
    let mut stage = Stage::lab();
    stage.keys("o");
    let picture = screen(&stage);
    assert!(picture.contains("sizes              yours, hides"), "{picture}");
    assert!(picture.contains("sizes              shipped, hidden"), "{picture}");
    type_text(&mut stage, "sizes shipped").keys("enter");
    assert_eq!(stage.app.open.name, "shipped:sizes");
}

#[test]
fn c71_a_broken_file_is_shown_with_its_first_message_and_not_opened() {
    let mut stage = Stage::lab();
    stage.keys("o");
    let picture = screen(&stage);
    assert!(picture.contains("broken             yours           BROKEN"), "{picture}");
    assert!(picture.contains("is not an IPv4 address") && picture.contains("(each part 0..255)"), "{picture}");
    stage.keys("enter");
    assert_eq!((stage.count("Load"), stage.app.notice().unwrap().tone), (0, Tone::Bad));
    stage.feed(Event::Reply(Reply::Failed("a.toml:1:1: one\na.toml:2:1: two\na.toml:3:1: three".into())));
    assert_eq!(stage.app.notice().unwrap().text, "a.toml:1:1: one (and 2 more, in the log)");
    assert!(stage.app.log.in_sight().iter().any(|entry| entry.text == "a.toml:3:1: three"));
}

#[test]
fn under_sudo_the_list_says_whose_folders_these_are() {
    let mut stage = Stage::lab();
    stage.keys("o");
    let list = txdeck::app::ProfileList {
        folder: "/root/.config/txdeck/profiles".into(),
        sudo_user: Some("me".into()),
        ..Default::default()
    };
    stage.feed(Event::Reply(Reply::Profiles(list)));
    let entry = txdeck::app::ProfileEntry { name: "udp-64".into(), is_shipped: true, ..Default::default() };
    let list = txdeck::app::ProfileList {
        entries: vec![entry],
        folder: "/root/.config/txdeck/profiles".into(),
        sudo_user: Some("me".into()),
    };
    stage.feed(Event::Reply(Reply::Profiles(list)));
    assert!(screen(&stage).contains("yours is root's under sudo, not me's: /root/.config/txdeck/profiles"));
}

#[test]
fn opening_over_changes_saves_discards_or_cancels() {
    let ask = |stage: &mut Stage| {
        run(stage, "burst=64");
        run(stage, "o steady-1k");
        assert!(matches!(stage.app.overlay, Overlay::Ask(_)));
    };
    let mut stage = Stage::lab();
    ask(&mut stage);
    stage.keys("enter");
    assert_eq!((stage.count("Load"), get(&stage, "burst")), (0, "64".into()), "cancel is the default");
    let mut stage = Stage::lab();
    ask(&mut stage);
    stage.keys("d");
    assert_eq!((stage.count("Load"), stage.saved.len()), (1, 0));
    let mut stage = Stage::lab();
    ask(&mut stage);
    stage.keys("s");
    assert_eq!(stage.count("Load"), 0, "a shipped name needs another one first");
    stage.keys("enter");
    assert_eq!((stage.saved[0].0.as_str(), stage.count("Load")), ("udp-64-2", 1));
    assert_eq!(stage.app.open.name, "steady-1k");
    let mut stage = Stage::lab();
    ask(&mut stage);
    stage.keys("s esc l w enter");
    assert_eq!(stage.count("Load"), 0, "a save that was cancelled opens nothing later");
}

#[test]
fn the_difference_to_what_is_saved() {
    let mut stage = Stage::lab();
    stage.keys("D");
    assert_eq!(sheet(&stage), "nothing differs: udp-64 is as saved\n");
    stage.keys("esc");
    run(&mut stage, "burst=64");
    stage.keys("D");
    let told = sheet(&stage);
    assert!(told.starts_with("--- udp-64 (shipped)\n+++ now\n@@ -"), "{told}");
    assert!(told.contains("\n-burst = 32 ") && told.contains("\n+burst = 64 "), "{told}");
    let look = Look::default();
    let picture = stage.picture(80, 24, &look);
    let style = |wanted: &str| {
        let rows = text(&picture);
        let (y, row) = rows.lines().enumerate().find(|(_, row)| row.contains(wanted)).expect(wanted);
        let x = row[..row.find(wanted).unwrap()].chars().count();
        picture[(x as u16, y as u16)].style().fg
    };
    assert_eq!(style("+burst = 64"), look.theme.style(Role::Good).fg);
    assert_eq!(style("-burst = 32"), look.theme.style(Role::Bad).fg);
    stage.keys("j j k end home pgdn q");
    assert_eq!(stage.app.overlay, Overlay::None);
}

#[test]
fn the_finder_finds_by_sentence_and_does_it() {
    let mut stage = Stage::lab();
    stage.keys("/");
    type_text(&mut stage, "hold graphs").keys("enter");
    assert!(stage.app.live.frozen_for_ns(stage.now_ns).is_some());
    stage.keys("g /");
    type_text(&mut stage, "compare every later").keys("enter");
    assert_eq!(stage.app.screen, Screen::Live, "the screen that knows the action is gone to");
    assert!(stage.app.notice().unwrap().text.contains("baseline"));
    stage.keys("/");
    type_text(&mut stage, "time to live").keys("enter");
    assert_eq!(line_text(&stage), "flow.udp.ipv4.ttl=64", "a key of the profile opens on the line");
    stage.keys("^W");
    type_text(&mut stage, "flow.udp.ipv4.ttl=7").keys("enter");
    assert_eq!(get(&stage, "flow.udp.ipv4.ttl"), "7");
    stage.keys("/");
    type_text(&mut stage, "zzz nothing zzz").keys("enter");
    assert_eq!(stage.app.overlay, Overlay::None);
}

#[test]
fn every_action_and_command_is_found() {
    let mut stage = Stage::lab();
    stage.keys("/");
    let Overlay::Find(finder) = &stage.app.overlay else { panic!("not open") };
    for sentence in ["start or stop all senders", "what happened this session", "discarded", "what differs"] {
        assert!(finder.hits.iter().any(|hit| hit.sentence.contains(sentence)), "{sentence}");
    }
    type_text(&mut stage, "burst");
    let Overlay::Find(finder) = &stage.app.overlay else { panic!("closed") };
    assert_eq!(finder.hits[0].name, "burst");
}

#[test]
fn devices_tell_everything_and_their_counters_move() {
    let mut stage = Stage::lab();
    stage.keys("d j");
    let before = screen(&stage);
    for told in ["8 of 63", "tx 512 of 4096", "rx adaptive", "NUMA node", "zero-copy", "10000 Mbit/s"] {
        assert!(before.contains(told), "{told}: {before}");
    }
    stage.ticks(25);
    let after = screen(&stage);
    assert!(after.contains("1.000 kpackets/s") || after.contains("1000 packets/s"), "{after}");
    assert!(stage.count("ReadCounters") >= 2 && stage.count("ListDevices") == 1);
    stage.ticks(60);
    assert_eq!(stage.app.devices.picked().unwrap().name, "enp3s0f0", "a newer list keeps the pick");
    assert!(stage.count("ListDevices") >= 2, "facts are asked again");
    let asked = stage.count("ReadCounters");
    stage.keys("esc").ticks(30);
    assert_eq!(stage.count("ReadCounters"), asked, "nobody looks, nobody asks");
}

#[test]
fn a_guarded_device_is_refused_with_its_reason() {
    let mut stage = Stage::lab();
    stage.keys("d");
    assert!(screen(&stage).contains("carries your ssh session (from 10.0.0.7)"), "{}", screen(&stage));
    stage.keys("enter");
    assert_eq!((stage.count("UseDevice"), stage.app.screen), (0, Screen::Devices));
    assert!(stage.app.notice().unwrap().text.contains("--arm eth0"));
}

#[test]
fn without_a_device_space_opens_devices_and_a_start_names_it() {
    let mut stage = Stage::with(UDP_64, None);
    stage.keys("space");
    assert_eq!((stage.app.screen, stage.count("ListDevices")), (Screen::Devices, 1));
    stage.keys("j enter space");
    let Overlay::Ask(ask) = &stage.app.overlay else { panic!("not named") };
    assert!(ask.lines[0].contains("enp3s0f0"));
    stage.keys("enter").ticks(2);
    assert_eq!(stage.app.run.phase, Phase::Sending);
    stage.keys("space").ticks(10).keys("d j enter").keys("space");
    assert_eq!(stage.count("Start"), 2, "the same device needs no second confirmation");
}

#[test]
fn c65_a_renamed_device_shows_its_new_name_and_stays_confirmed() {
    let mut stage = Stage::with(UDP_64, Some(place(PlaceKind::Real)));
    stage.keys("space enter").ticks(5);
    let renamed =
        txdeck::app::Place { device: "lab0new".into(), option: "-i lab0new".into(), ..place(PlaceKind::Real) };
    stage.feed(Event::Reply(Reply::PlaceChanged(renamed)));
    assert_eq!(stage.app.run.phase, Phase::Sending, "traffic goes on");
    let picture = screen(&stage);
    assert!(picture.lines().next().unwrap().contains("lab0new"), "{picture}");
    assert!(picture.contains("enp3s0f0 is called lab0new now"), "{picture}");
    stage.keys("space").ticks(10).keys("space").ticks(1);
    assert_eq!(stage.count("Start"), 2);
    assert!(stage.app.command().contains("-i lab0new"));
}

#[test]
fn the_log_tells_starts_changes_with_verdicts_stops_and_dead_senders() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(30).keys("3 2 enter").ticks(150);
    stage.twist = Some(|reading: &mut Reading| {
        reading.snapshot.senders[0].state = State::Failed;
        reading.snapshot.senders[0].reason = Some("ENXIO: the device is gone".into());
    });
    stage.ticks(3).keys("space").ticks(5);
    let texts: Vec<String> = stage.app.log.in_sight().iter().map(|entry| entry.text.clone()).collect();
    let at = |wanted: &str| {
        let found: Vec<usize> = (0..texts.len()).filter(|at| texts[*at].contains(wanted)).collect();
        assert_eq!(found.len(), 1, "{wanted}: {texts:#?}");
        found[0]
    };
    let started = at("started udp-64 on deck0, copy 1q: burst 1");
    let judged = at("burst 1 > 32: 1568 > 890 ns, -678 +- ");
    let died = at("the sender of queue 0 died: ENXIO: the device is gone");
    let stopped = at("stopped: submitted");
    assert!(started < judged && judged < died && died < stopped, "{texts:#?}");
}

#[test]
fn a_verdict_is_told_even_when_the_next_change_comes_early() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(30).keys("3 2 enter").ticks(25).keys("6 4 enter").ticks(2).keys("space").ticks(3);
    let texts: Vec<String> = stage.app.log.in_sight().iter().map(|entry| entry.text.clone()).collect();
    assert!(texts.iter().any(|text| text.starts_with("burst 1 > 32: 1568 > 890 ns")), "{texts:#?}");
    assert!(texts.iter().any(|text| text.starts_with("burst 32 > 64: not judged")), "{texts:#?}");
}

#[test]
fn c92_what_the_libraries_print_is_in_the_log_and_filtered_by_level() {
    let mut stage = Stage::lab();
    let heard = |level, text: &str| Event::Heard { level, source: "libxdp", text: text.into() };
    stage.feed(heard(Level::Warn, "Failed to attach\u{1b}[31m program\n"));
    stage.feed(heard(Level::Debug, "Checking for kernel frags support"));
    stage.keys("g");
    let picture = screen(&stage);
    assert!(picture.contains("warn  libxdp: Failed to attach"), "{picture}");
    assert!(!picture.contains("kernel frags") && !picture.contains('\u{1b}'), "{picture}");
    stage.keys("l");
    assert!(screen(&stage).contains("libxdp: Checking for kernel frags support"));
    stage.keys("h h h");
    assert!(!screen(&stage).contains("libxdp"), "{}", screen(&stage));
}

#[test]
fn the_log_scrolls_and_follows() {
    let mut stage = Stage::lab();
    for n in 0..100 {
        stage.feed(Event::Heard { level: Level::Info, source: "txdeck", text: format!("line {n} of many") });
    }
    stage.keys("g");
    assert!(screen(&stage).contains("line 99 of many"));
    stage.keys("pgup pgup");
    assert!(screen(&stage).contains("line 79 of many") && !screen(&stage).contains("line 80 of many"));
    stage.feed(Event::Heard { level: Level::Info, source: "txdeck", text: "one more".into() });
    assert!(screen(&stage).contains("line 79 of many") && screen(&stage).contains("21 newer below"));
    stage.keys("end");
    assert!(screen(&stage).contains("one more"));
    stage.keys("home");
    assert!(screen(&stage).contains("line 0 of many"));
}

#[test]
fn help_is_the_keymap_by_screen_and_searched() {
    let mut stage = Stage::lab();
    stage.keys("?");
    let lines = format!("{:?}", stage.app.help.lines(&stage.app.keymap));
    for row in stage.app.keymap.rows().iter().filter(|row| !row.keys.is_empty()) {
        assert!(lines.contains(&format!("{:?}", row.desc)), "{} is missing", row.desc);
    }
    for head in ["on every screen", "on live", "on edit", "on log", "on the : line"] {
        assert!(lines.contains(head), "{head}");
    }
    stage.keys("/");
    type_text(&mut stage, "undo q").keys("backspace backspace");
    let picture = screen(&stage);
    assert!(picture.contains("take the last change back") || picture.contains("taken back"), "{picture}");
    assert!(!picture.contains("show less time"), "{picture}");
    stage.keys("enter esc");
    assert!(screen(&stage).contains("on every screen") && stage.app.screen == Screen::Help, "esc clears first");
    stage.keys("esc");
    assert_eq!(stage.app.screen, Screen::Live);
}

#[test]
fn tab_goes_round_all_screens_in_the_order_of_the_tabs() {
    let mut stage = Stage::lab();
    for wanted in [Screen::Edit, Screen::Pick, Screen::Devices, Screen::Log, Screen::Help, Screen::Live] {
        stage.keys("tab");
        assert_eq!(stage.app.screen, wanted);
    }
    let header = screen(&stage).lines().next().unwrap().to_owned();
    assert!(header.ends_with("[live] edit open dev log ?"), "{header}");
}

#[test]
fn three_ctrl_c_end_every_new_dialog_and_screen() {
    for opening in [":", ": b u tab", "/", "/ x", "D", "g", "? /", "o x", "d", ": h e l p space b u r s t enter"] {
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
fn esc_in_every_new_dialog_only_goes_back() {
    let mut stage = Stage::lab();
    stage.keys(": esc / esc D esc g esc o x esc esc ? / x esc esc d esc");
    assert_eq!((stage.quit, stage.count("Start"), stage.app.screen), (None, 0, Screen::Live));
}

#[test]
fn a_long_message_is_shown_whole() {
    let mut stage = Stage::lab();
    let long = "lab: this kernel gave a user namespace without rights (AppArmor, the default on Ubuntu 24.04 and later). \
                Now: sudo txdeck lab. For good: txdeck lab --print-apparmor | sudo tee /etc/apparmor.d/txdeck && sudo \
                apparmor_parser -r /etc/apparmor.d/txdeck. Without rights: txdeck --device sim";
    stage.feed(Event::Reply(Reply::Failed(long.into())));
    for keys in ["", "g", "d"] {
        stage.keys(keys);
        let picture = screen(&stage);
        assert!(picture.contains("Without rights: txdeck --device sim"), "{picture}");
        assert!(picture.lines().last().unwrap().ends_with("^C leave"), "the stop key stays in sight: {picture}");
    }
}

#[test]
fn no_size_panics_with_any_of_them_open() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20).keys("l").ticks(20);
    for setting in [":", "tab tab", "esc /", "z", "esc D", "j", "esc g", "?", "/ b", "esc o", "u", "esc esc d"] {
        stage.keys(setting);
        for (width, height) in
            [(0, 0), (0, 5), (5, 0), (1, 1), (2, 2), (79, 22), (80, 21), (80, 22), (81, 23), (500, 200)]
        {
            stage.picture(width, height, &Look::default());
            stage.picture(width, height, &Look { glyphs: Glyphs::Ascii, ..Look::default() });
        }
    }
}

#[test]
fn ascii_and_no_colour_say_the_same() {
    let ascii = Look { glyphs: Glyphs::Ascii, ..Look::default() };
    let plain = Look { theme: Theme::shipped("none").unwrap(), ..Look::default() };
    let mut stage = Stage::lab();
    for keys in [":", "esc : b u r s t =", "esc /", "esc l D", "esc g", "o", "d", "?"] {
        stage.keys(keys).ticks(1);
        let picture = text(&stage.picture(80, 24, &ascii));
        assert!(picture.is_ascii(), "{keys}: {picture}");
        let picture = stage.picture(80, 24, &plain);
        assert!(picture.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset), "{keys}");
    }
    stage.keys("esc o");
    let picture = stage.picture(80, 24, &plain);
    assert!(picture.content.iter().any(|cell| cell.modifier.contains(Modifier::REVERSED)), "the pick is seen");
}

#[test]
fn pictures_of_the_line() {
    let mut stage = Stage::lab();
    stage.keys(":");
    type_text(&mut stage, "flow.udp.");
    snapshot("line", &stage);
    stage.keys("esc");
    run(&mut stage, "brst=64");
    snapshot("line-refused", &stage);
    stage.keys("esc :");
    type_text(&mut stage, "mode=").keys("tab tab");
    snapshot("line-values", &stage);
}

#[test]
fn pictures_of_finder_and_sheets() {
    let mut stage = Stage::lab();
    stage.keys("/");
    type_text(&mut stage, "time");
    snapshot("finder", &stage);
    stage.keys("esc l D");
    snapshot("diff", &stage);
    stage.keys("esc");
    run(&mut stage, "help flow.udp.udp.dst");
    snapshot("help-key", &stage);
}

#[test]
fn pictures_of_lists() {
    let mut stage = Stage::lab();
    stage.keys("o");
    snapshot("pick", &stage);
    type_text(&mut stage, "ship");
    snapshot("pick-search", &stage);
    stage.keys("esc esc d").ticks(12);
    snapshot("devices", &stage);
    stage.keys("j");
    snapshot("device", &stage);
}

#[test]
fn pictures_of_log_and_help() {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(30).keys("3 2 enter").ticks(130).keys("space").ticks(3);
    let long = "ens1f0 queue 3: another program sends on it already (EBUSY for 1 s). Use another queue with --queues, \
                or end the other program";
    stage.feed(Event::Reply(Reply::Failed(long.into())));
    stage.ticks(150);
    stage.feed(Event::Heard { level: Level::Warn, source: "libxdp", text: "Couldn't find an XDP program".into() });
    stage.keys("g");
    snapshot("log", &stage);
    stage.keys("?");
    snapshot("help", &stage);
    stage.keys("/");
    type_text(&mut stage, "save");
    snapshot("help-search", &stage);
}
