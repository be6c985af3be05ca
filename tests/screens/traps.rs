//! What surprises whoever comes from kernel pktgen, told at its field in Edit; fields found by name, frames by number,
//! and the knobs of several flows under each other.

use txdeck::{
    app::{Event, Focus, Overlay, PlaceKind},
    ui::Look,
};

use crate::stage::{Stage, UDP_64, place, text};

const SIZES: [(u16, u16); 4] = [(80, 22), (80, 24), (120, 36), (200, 60)];
const TO: &str = "eth = { dst = \"02:00:00:00:00:02\" }";

fn edit(text: &str) -> Stage {
    let mut stage = Stage::with(text, Some(place(PlaceKind::Lab)));
    stage.keys("e");
    stage
}

fn shown(stage: &Stage, (width, height): (u16, u16)) -> String {
    text(&stage.picture(width, height, &Look::default()))
}

fn running(picture: &str) -> String {
    picture.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in SIZES {
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/traps" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), shown(stage, (width, height)));
        });
    }
}

/// `/`, the words, Enter.
fn find<'a>(stage: &'a mut Stage, typed: &str) -> &'a mut Stage {
    stage.keys("/");
    stage.feed(Event::Paste(typed.to_owned()));
    stage.keys("enter")
}

fn picked(stage: &Stage) -> &str {
    let row = stage.app.edit.picked_row().expect("a row");
    assert_eq!(stage.app.edit.focus, Focus::Fields);
    &row.key
}

/// The note of a field, as the form holds it, and on the screen as soon as the field is picked.
fn told(stage: &mut Stage, key: &str) -> String {
    find(stage, key);
    assert_eq!(picked(stage), key);
    let note = stage.app.edit.picked_row().and_then(|row| row.note.clone()).unwrap_or_default();
    let beginning: String = note.chars().take(50).collect();
    for size in SIZES {
        let picture = shown(stage, size);
        assert!(running(&picture).contains(beginning.trim()), "{key} at {size:?}: {picture}");
    }
    note
}

/// Every trap of kernel pktgen's at the field where a person meets it.
#[test]
fn c30_c35_c41_traps_stand_at_their_fields() {
    let flow = |head: &str, fields: &str| format!("version = 1\n{head}\n[[flow]]\nname = \"a\"\n{TO}\n{fields}\n");
    for (head, fields, key, wanted) in [
        (
            "",
            "ipv4 = {}\nudp = { dst = { from = 9, to = 109 } }",
            "flow.a.udp.dst",
            "kernel pktgen's max is exclusive: 100, up to 108",
        ),
        (
            "",
            "ipv4 = {}\ntcp = { src = { random = [9, 109] } }",
            "flow.a.tcp.src",
            "kernel pktgen's max is exclusive: 100, up to 108",
        ),
        (
            "[tx]\nclone = 10",
            "ipv4 = {}\nudp = { src = { from = 1, to = 9 } }",
            "flow.a.udp.src",
            "each packet is repeated 10 times (clone)",
        ),
        (
            "[tx]\nclone = 10",
            "ipv4 = {}\nudp = { src = { from = 1, to = 9 } }",
            "flow.a.clone",
            "clone sends each 10 times",
        ),
        (
            "",
            "size = { imix = [[60, 7], [590, 4], [1514, 1]] }\nipv4 = {}\nudp = {}",
            "flow.a.size",
            "kernel pktgen rounds shares to whole percents",
        ),
        (
            "",
            "size = { imix = [[60, 249], [1514, 1]] }\nipv4 = {}\nudp = {}",
            "flow.a.size",
            "would leave out a share below 1 %",
        ),
        (
            "",
            "size = 60\nvlan = [{ id = 5 }]\nipv4 = {}\nudp = {}",
            "flow.a.size",
            "kernel pktgen lengthens such frames to that unasked",
        ),
        (
            "",
            "size = 50\nrunt = true\nipv4 = {}\nudp = {}",
            "flow.a.size",
            "size 58 holds it (kernel pktgen lengthens such frames",
        ),
        ("[tx]\nrate = \"1G\"", "ipv4 = {}\nudp = {}", "tx.rate", "in kernel pktgen rate 1G is 1 Mbit/s"),
        ("", "rate = \"1G\"\nipv4 = {}\nudp = {}", "flow.a.rate", "in kernel pktgen rate 1G is 1 Mbit/s"),
    ] {
        let mut stage = edit(&flow(head, fields));
        let note = told(&mut stage, key);
        assert!(note.contains(wanted), "{key}: {note}");
    }
    // Burst repeats nothing here, which the field itself says.
    let mut stage = edit(UDP_64);
    find(&mut stage, "tx.burst");
    assert!(running(&shown(&stage, (80, 22))).contains("kernel pktgen's burst repeats one"));
}

#[test]
fn several_notes_of_a_field_are_all_told_and_to_be_read_whole() {
    let text = format!(
        "version = 1\n[[flow]]\nname = \"a\"\n{TO}\nsize = {{ imix = [[60, 7], [1518, 1]] }}\nvlan = [{{ id = 5 }}]\nipv4 = {{}}\nudp = {{}}\n"
    );
    let mut stage = edit(&text);
    let note = told(&mut stage, "flow.a.size");
    assert!(note.contains("whole percents") && note.contains("the pktgen header does not fit"), "{note}");
    snapshot("notes", &stage);
    stage.keys(":");
    stage.feed(Event::Paste("flow.a.size".into()));
    stage.keys("enter");
    let Overlay::Sheet(sheet) = &stage.app.overlay else { panic!("no sheet") };
    let lines: String = sheet.lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    assert!(lines.contains("flow.a.size: ") && lines.contains("whole percents"), "{lines}");
    assert!(lines.contains("the pktgen header does not fit"), "{lines}");
}

#[test]
fn the_finder_jumps_to_a_field_by_its_name() {
    let mut stage = edit(include_str!("../../profiles/vlan-qinq.toml"));
    let flow = stage.app.open.document().profile().flows[0].name.clone();
    for (typed, key) in [
        ("udp.dst", format!("flow.{flow}.udp.dst")),
        ("ttl", format!("flow.{flow}.ipv4.ttl")),
        ("vlan.1.pcp", format!("flow.{flow}.vlan.1.pcp")),
        // What is not in the packet is found at the row that brings it.
        ("mpls.0.label", format!("flow.{flow}.mpls")),
        ("ring", "tx.ring".into()),
        ("tx.seed", "tx.seed".into()),
    ] {
        find(&mut stage, typed);
        assert_eq!(picked(&stage), key, "{typed}");
        stage.keys("esc j");
    }
    // Nothing was typed into anything, and elsewhere the line opens as ever.
    assert!(!stage.app.open.is_unsaved());
    stage.keys("esc");
    find(&mut stage, "tx.seed");
    assert!(matches!(&stage.app.overlay, Overlay::None | Overlay::Line(_)));
}

#[test]
fn the_flow_that_is_picked_is_searched_first() {
    let mut stage = edit(include_str!("../../profiles/weights.toml"));
    let second = stage.app.open.document().profile().flows[1].name.clone();
    stage.keys("j");
    find(&mut stage, "size");
    assert_eq!(picked(&stage), format!("flow.{second}.size"));
}

#[test]
fn a_frame_is_shown_by_its_number() {
    let sweep = UDP_64.replace("udp = {}", "udp = { src = { from = 1000, to = 64999 } }");
    let mut stage = edit(&sweep);
    // Among the flows a digit begins the number.
    stage.keys("2 5 0 enter");
    let picture = shown(&stage, (80, 24));
    assert!(picture.contains("frames of udp: build 250, seq 251,") && !picture.contains("next frames"), "{picture}");
    assert!(picture.contains("[04 e2]"), "1250: {picture}");
    stage.keys("] ]");
    assert!(shown(&stage, (80, 24)).contains("build 252, "));
    // In the fields a digit is a value, and # asks.
    stage.keys("enter #");
    stage.feed(Event::Paste("1_000_000".into()));
    snapshot("show-frame", &stage);
    stage.keys("enter");
    assert!(shown(&stage, (80, 24)).contains("build 1000000, "));
    stage.keys("# x enter");
    assert!(shown(&stage, (80, 24)).contains("x is no number of a build: 0..18446744073709551615"));
    stage.keys("esc #");
    stage.feed(Event::Paste(u64::MAX.to_string()));
    stage.keys("enter ] ]");
    assert!(shown(&stage, (80, 24)).contains("build 18446744073709551615, "));
    // While packets flow a named frame stands still.
    stage.keys("# 7 enter esc esc space").ticks(20).keys("e");
    assert!(shown(&stage, (80, 24)).contains("build 7, seq 8,"), "{}", shown(&stage, (80, 24)));
    stage.keys("# enter");
    assert!(shown(&stage, (80, 24)).contains("next frames of udp: build "));
    assert!(!shown(&stage, (80, 24)).contains("build 7, "));
}

#[test]
fn knobs_of_several_flows_stand_under_each_other() {
    let flow = |name: &str| format!("[[flow]]\nname = \"{name}\"\n{TO}\nipv4 = {{}}\nudp = {{}}\n");
    let names = ["udp", "flow-2", "a-name-that-is-much-longer-than-the-box"];
    let text = format!("version = 1\n{}", names.map(flow).concat());
    let mut stage = Stage::with(&text, Some(place(PlaceKind::Lab)));
    // Where the values of these rows end.
    let ends = |stage: &Stage, size, rows: &[(&str, &str)]| {
        let picture = shown(stage, size);
        let end = |(row, value): &(&str, &str)| {
            let line = picture.lines().find(|line| line.contains(row)).unwrap_or_else(|| panic!("{row}: {picture}"));
            let from = line.find(row).unwrap() + row.len();
            let at = from + line[from..].find(value).unwrap() + value.len();
            line[..at].chars().count()
        };
        rows.iter().map(end).collect::<Vec<_>>()
    };
    for size in SIZES {
        let ends = ends(&stage, size, &[("burst", "32"), ("clone", "0"), ("rate", "max"), ("size udp", "60")]);
        assert!(ends.iter().all(|end| *end == ends[0]), "{size:?}: {ends:?}");
    }
    let wide = ends(&stage, (120, 36), &[("burst", "32"), ("size udp", "60"), ("size flow-2", "60")]);
    assert!(wide.iter().all(|end| *end == wide[0]), "{wide:?}");
    stage.keys("end");
    let picture = shown(&stage, (80, 24));
    assert!(picture.lines().any(|line| line.contains("size a-name-") && line.contains("<  60>")), "{picture}");
    snapshot("knobs", &stage);
}
