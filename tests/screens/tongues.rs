//! `:import` and `:export`: another generator's file opens as an unsaved profile, with its report to read, and back.

use txdeck::{
    app::{About, Event, Level, Opening, Origin, Overlay, Reply, Screen, Tone},
    ui::Look,
};

use crate::stage::{Stage, UDP_64, text};

const SIZES: [(u16, u16); 5] = [(80, 22), (80, 24), (100, 29), (120, 36), (200, 60)];

/// Two flows, a burst to convert, and lines that are no part of a profile.
const SCRIPT: &str = "\
#!/bin/bash
PGDEV=/proc/net/pktgen/eth1
echo \"rem_device_all\" > /proc/net/pktgen/kpktgend_0
echo \"add_device eth1\" > /proc/net/pktgen/kpktgend_0
echo \"count 1000\" > $PGDEV
echo \"clone_skb 10\" > $PGDEV
echo \"burst 8\" > $PGDEV
echo \"pkt_size 60\" > $PGDEV
echo \"delay 1000\" > $PGDEV
echo \"spi 5\" > $PGDEV
echo \"flag IPSEC\" > $PGDEV
echo \"udp_src_min 9\" > $PGDEV
echo \"udp_src_max 109\" > $PGDEV
echo \"dst_mac 02:00:00:00:00:02\" > $PGDEV
echo \"dst 198.18.0.2\" > $PGDEV
echo \"start\" > /proc/net/pktgen/pgctrl
";

fn stage() -> Stage {
    let mut stage = Stage::lab();
    stage.files = vec![("old.sh".into(), SCRIPT.into()), ("lost.sh".into(), "hello\n".into())];
    stage
}

fn type_text<'a>(stage: &'a mut Stage, typed: &str) -> &'a mut Stage {
    for c in typed.chars() {
        stage.feed(Event::Key(txdeck::app::Chord::char(c)));
    }
    stage
}

fn run<'a>(stage: &'a mut Stage, line: &str) -> &'a mut Stage {
    stage.keys(":");
    type_text(stage, line).keys("enter")
}

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in SIZES {
        let picture = stage.picture(width, height, &Look::default());
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/tongues" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&picture));
        });
    }
}

fn sheet(stage: &Stage) -> String {
    match &stage.app.overlay {
        Overlay::Sheet(sheet) => sheet.lines.iter().map(|(_, line)| format!("{line}\n")).collect(),
        other => panic!("no sheet: {other:?}"),
    }
}

fn line_text(stage: &Stage) -> String {
    match &stage.app.overlay {
        Overlay::Line(line) => line.prompt.text(),
        other => panic!("the line is not open: {other:?}"),
    }
}

fn refusal(stage: &Stage) -> String {
    match &stage.app.overlay {
        Overlay::Line(line) if line.prompt.is_refused => line.prompt.hint.clone(),
        other => panic!("nothing was refused: {other:?}"),
    }
}

fn notice(stage: &Stage) -> (Tone, String) {
    stage.app.notice().map(|notice| (notice.tone, notice.text.clone())).expect("a message")
}

fn logged(stage: &Stage, level: Level, words: &str) -> bool {
    stage.app.log.in_sight().iter().any(|entry| entry.level == level && entry.text.contains(words))
}

#[test]
fn a_script_opens_unsaved_with_its_report() {
    let mut stage = stage();
    run(&mut stage, "import old.sh");
    let report = sheet(&stage);
    assert!(report.contains("not carried over as it stands in the file:"), "{report}");
    assert!(report.contains("old.sh:10: dropped: ") && report.contains("converted: "), "{report}");
    assert!(logged(&stage, Level::Warn, "old.sh:10: dropped: "), "in the log too");
    assert!(logged(&stage, Level::Info, "converted: "));
    let open = &stage.app.open;
    assert_eq!((open.name.as_str(), &open.origin), ("old", &Origin::Imported("old.sh".into())));
    assert_eq!(open.document().get("count").as_deref(), Some("1000"));
    assert!(open.is_unsaved(), "no profile on disk stands behind it");
    assert!(notice(&stage).1.starts_with("pktgen: old.sh is old now, not saved yet, "), "{:?}", notice(&stage));
    snapshot("imported", &stage);
    stage.keys("j j");
    assert!(matches!(&stage.app.overlay, Overlay::Sheet(sheet) if sheet.top == 2), "it scrolls");
    stage.keys("esc Y");
    assert!(stage.copied.ends_with("# once it is saved"), "{}", stage.copied);
    stage.keys("D");
    assert!(sheet(&stage).contains("old is as it came out of old.sh"), "{}", sheet(&stage));
    stage.keys("esc w");
    assert_eq!((stage.saved[0].0.as_str(), stage.app.open.is_unsaved()), ("old", false));
    stage.keys("Y");
    assert_eq!(stage.copied, "txdeck run old --lab");
    stage.keys("space").ticks(3);
    assert_eq!(stage.sent.as_ref().unwrap().profile().name, "old", "and it can be sent");
}

#[test]
fn unsaved_changes_are_asked_about_before_an_import() {
    let mut stage = stage();
    run(&mut stage, "burst=64");
    run(&mut stage, "import old.sh pktgen");
    let opening = Opening::Foreign { file: "old.sh".into(), dialect: Some("pktgen".into()) };
    assert!(matches!(&stage.app.overlay, Overlay::Ask(ask) if ask.about == About::OpenOver(opening)));
    snapshot("import-over", &stage);
    stage.keys("enter");
    assert_eq!((stage.app.open.name.as_str(), stage.count("Import")), ("udp-64", 0), "cancel is the default");
    run(&mut stage, "import old.sh pktgen").keys("d");
    assert_eq!(stage.app.open.name, "old", "discarded");
    // An imported profile is unsaved, and saved before the next one on request.
    run(&mut stage, "import old.sh").keys("esc s esc");
    assert!(stage.saved.is_empty() || stage.app.open.name == "old");
    run(&mut stage, "import old.sh").keys("s");
    assert_eq!(stage.saved.last().unwrap().0, "old");
    assert!(stage.app.open.is_unsaved() && stage.count("Import") == 2, "saved, then read again");
}

#[test]
fn an_import_waits_for_the_senders_to_stop() {
    let mut stage = stage();
    stage.keys("space").ticks(5);
    run(&mut stage, "import old.sh");
    assert_eq!((notice(&stage).0, stage.count("Import")), (Tone::Warn, 0));
    assert!(notice(&stage).1.starts_with("stop first"), "{:?}", notice(&stage));
    stage.keys("space").ticks(3);
    stage.holds_imports = true;
    run(&mut stage, "import old.sh").wait_ms(600).keys("space").ticks(3);
    let late = stage.import("old.sh".into(), None);
    stage.feed(Event::Reply(late));
    assert_eq!(stage.app.open.name, "udp-64", "packets flow: nothing is replaced under them");
}

#[test]
fn a_late_answer_throws_no_edit_away() {
    let mut stage = stage();
    stage.holds_imports = true;
    run(&mut stage, "import old.sh");
    run(&mut stage, "burst=64");
    let late = stage.import("old.sh".into(), None);
    stage.feed(Event::Reply(late));
    assert_eq!(stage.app.open.document().get("burst").as_deref(), Some("64"));
    assert!(notice(&stage).1.contains("changed meanwhile, import again"), "{:?}", notice(&stage));
}

#[test]
fn what_is_wrong_is_one_sentence_and_changes_nothing() {
    let mut stage = stage();
    for (line, wanted) in [
        ("import", "import FILE [DIALECT]: open another generator's file as a profile, unsaved"),
        ("import old.sh pktgn", "pktgn: no such dialect. Did you mean pktgen?"),
        ("export", "export DIALECT [FILE]: write the profile"),
        ("export tex a.py", "tex: no dialect that is written. Did you mean trex?"),
        ("export dpdk a.pkt", "dpdk: no dialect that is written. "),
        ("imprt a", "Did you mean import?"),
    ] {
        run(&mut stage, line);
        assert!(refusal(&stage).contains(wanted), "{line}: {}", refusal(&stage));
        assert_eq!(line_text(&stage), line);
        stage.keys("esc");
    }
    run(&mut stage, "import gone.sh");
    assert_eq!(notice(&stage), (Tone::Bad, "gone.sh: reading failed: No such file or directory".into()));
    run(&mut stage, "import lost.sh pktgen");
    assert!(notice(&stage).1.starts_with("lost.sh: "), "{:?}", notice(&stage));
    assert!(!notice(&stage).1.contains('\n'));
    run(&mut stage, "import a file of mine");
    assert!(
        notice(&stage).1.starts_with("a file of mine: reading failed"),
        "blanks belong to it: {:?}",
        notice(&stage)
    );
    assert_eq!((stage.app.open.document().text(), stage.app.open.is_unsaved()), (UDP_64, false));
}

#[test]
fn the_profile_is_written_in_another_language() {
    let mut stage = stage();
    run(&mut stage, "burst=64");
    run(&mut stage, "export pktgen new.sh");
    let script = stage.files.iter().find(|(name, _)| name == "new.sh").unwrap().1.clone();
    assert!(script.contains("198.18.0.2") && script.contains("64"), "{script}");
    assert!(notice(&stage).1.starts_with("pktgen: udp-64 in new.sh, "), "{:?}", notice(&stage));
    stage.keys("esc");
    run(&mut stage, "export trex new.sh");
    assert!(matches!(&stage.app.overlay, Overlay::Ask(ask) if matches!(ask.about, About::ExportOver { .. })));
    snapshot("export-over", &stage);
    stage.keys("enter");
    assert_eq!(stage.files.iter().find(|(name, _)| name == "new.sh").unwrap().1, script, "cancel is the default");
    run(&mut stage, "export trex new.sh").keys("o");
    assert!(stage.files.iter().any(|(name, text)| name == "new.sh" && text.contains("trex")));
    stage.keys("esc");
    assert!(stage.app.open.is_unsaved(), "an export saves nothing");
    run(&mut stage, "import new.sh").keys("d esc");
    assert_eq!(stage.app.open.document().get("burst").as_deref(), Some("64"), "and what rides along comes back");
}

#[test]
fn without_a_file_the_text_is_copied() {
    let mut stage = stage();
    run(&mut stage, "burst=64");
    run(&mut stage, "export command");
    assert_eq!(stage.copied, "txdeck run udp-64 -s tx.burst=64\n");
    assert!(logged(&stage, Level::Info, "command: udp-64 in the clipboard, nothing was lost"));
    assert!(matches!(stage.app.overlay, Overlay::None), "nothing to read");
    run(&mut stage, "export trafgen");
    assert!(stage.copied.contains('{'), "{}", stage.copied);
}

#[test]
fn an_export_says_what_the_other_language_cannot() {
    let mut stage = stage();
    run(&mut stage, "flow.udp.ipv4.ttl=9..12:1");
    run(&mut stage, "export pktgen new.sh");
    let report = sheet(&stage);
    assert!(report.contains("ttl"), "{report}");
    assert!(logged(&stage, Level::Warn, "ttl") || logged(&stage, Level::Info, "ttl"));
    snapshot("exported", &stage);
    // While packets flow too: it only reads.
    stage.keys("esc space").ticks(5);
    run(&mut stage, "export command now.txt").ticks(2);
    assert!(stage.files.iter().any(|(name, _)| name == "now.txt"));
    assert!(stage.app.run.is_on());
}

#[test]
fn a_question_that_comes_late_disturbs_no_other_dialog() {
    let mut stage = stage();
    stage.keys(":");
    type_text(&mut stage, "bur");
    stage.feed(Event::Reply(Reply::ExportRefused { dialect: "trex".into(), file: "old.sh".into() }));
    assert_eq!(line_text(&stage), "bur");
    assert!(notice(&stage).1.contains("old.sh exists; nothing was written"));
}

#[test]
fn tab_completes_files_and_dialects() {
    let mut stage = stage();
    stage.files.push(("scripts/deep.pkt".into(), String::new()));
    stage.keys(":");
    type_text(&mut stage, "im").keys("tab");
    assert_eq!(line_text(&stage), "import ");
    type_text(&mut stage, "o").keys("tab");
    assert_eq!(line_text(&stage), "import old.sh");
    type_text(&mut stage, " pk").keys("tab");
    assert_eq!(line_text(&stage), "import old.sh pktgen");
    snapshot("import-line", &stage);
    stage.keys("^U");
    type_text(&mut stage, "import scripts/").keys("tab");
    assert_eq!(line_text(&stage), "import scripts/deep.pkt");
    stage.keys("^U");
    type_text(&mut stage, "export ");
    snapshot("export-line", &stage);
    type_text(&mut stage, "traf").keys("tab");
    assert_eq!(line_text(&stage), "export trafgen ");
    type_text(&mut stage, "lo").keys("tab");
    assert_eq!(line_text(&stage), "export trafgen lost.sh");
    stage.keys("^U");
    type_text(&mut stage, "help import").keys("enter");
    assert!(sheet(&stage).contains("Dialects: pktgen, trafgen, trex-yaml, trex, dpdk, "), "{}", sheet(&stage));
    stage.keys("esc / i m p o r t enter");
    assert_eq!(line_text(&stage), "import ", "found by its name");
    assert_eq!(stage.app.screen, Screen::Live);
}

#[test]
fn how_far_an_import_is_is_shown_and_not_kept_in_the_log() {
    let mut stage = stage();
    stage.feed(Event::Reply(Reply::Progress("big.pcap: 34 %, 210 MiB/s, 2 s left".into())));
    assert_eq!(notice(&stage), (Tone::Plain, "big.pcap: 34 %, 210 MiB/s, 2 s left".to_owned()));
    assert!(!logged(&stage, Level::Info, "big.pcap"));
}
