//! The Edit screen: what its keys do to the open profile, and what a person sees of it.

use txdeck::{
    app::{Event, Focus, Overlay, Phase, PlaceKind, RowKind, Screen},
    profile::{Document, Ip, Value, field::FIELDS},
    ui::{Glyphs, Look},
};

use crate::stage::{Stage, UDP_64, place, text};

const MANY_FLOWS: &str = include_str!("../../profiles/many-flows.toml");

fn shown(stage: &Stage, width: u16, height: u16) -> String {
    text(&stage.picture(width, height, &Look::default()))
}

/// In the fields of the first flow.
fn fields() -> Stage {
    of(UDP_64)
}

fn of(text: &str) -> Stage {
    let mut stage = Stage::with(text, Some(place(PlaceKind::Lab)));
    stage.keys("e enter");
    stage
}

fn with_flows(count: usize) -> String {
    let head = UDP_64.split("[[flow]]").next().unwrap();
    let flow = |n| {
        format!(
            "[[flow]]\nname = \"{n}\"\nsize = {}\neth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\nudp = {{}}\n\n",
            60 + n
        )
    };
    (0..count).fold(head.to_owned(), |text, n| text + &flow(n))
}

/// Picks the row of this place (`udp.dst`, `ring`) with the keys a person has.
fn pick<'a>(stage: &'a mut Stage, wanted: &str) -> &'a mut Stage {
    for _ in 0..8 {
        stage.keys("pgup");
    }
    for _ in 0..80 {
        if stage.app.edit.picked_row().is_some_and(|row| row.place() == wanted) {
            return stage;
        }
        stage.keys("j");
    }
    panic!("no row {wanted}; picked is {:?}", stage.app.edit.picked_row().map(|row| row.key.clone()));
}

fn typed<'a>(stage: &'a mut Stage, place: &str, value: &str) -> &'a mut Stage {
    pick(stage, place).keys("enter ^U");
    stage.feed(Event::Paste(value.to_owned()));
    stage.keys("enter")
}

fn hint(stage: &Stage) -> String {
    let Overlay::Text(prompt) = &stage.app.overlay else { panic!("no field is open") };
    prompt.hint.clone()
}

fn profile_text(stage: &Stage) -> String {
    stage.app.open.document().text().to_owned()
}

#[test]
fn every_field_of_the_table_is_a_row_with_its_meaning_range_and_effect() {
    let text =
        UDP_64.replace("ipv4 = {}", "vlan = [{ id = 5 }]\nmpls = [{}]\nipv4 = {}").replace("size = 60", "size = 80");
    let mut stage = of(&text);
    let mut seen: Vec<&str> = Vec::new();
    for slot in ["", "esc K k", "enter"] {
        stage.keys(slot);
        for row in stage.app.edit.rows() {
            if let RowKind::Field(field) = row.kind {
                assert!(
                    !row.meaning().is_empty() && row.takes().contains(&field.kind.allowed()) && row.effect().is_some()
                );
                seen.push(field.key);
            }
        }
    }
    stage.keys("esc j enter");
    // Each header takes out those that it cannot stand beside.
    for header in ["flows", "tcp", "icmp", "ipv6", "icmpv6", "arp", "raw", "replay"] {
        pick(&mut stage, header).keys("space");
        if header == "raw" {
            pick(&mut stage, "patch").keys("l");
            stage.feed(Event::Paste("6".to_owned()));
            stage.keys("enter");
        }
        seen.extend(stage.app.edit.rows().iter().filter_map(|row| match row.kind {
            RowKind::Field(field) => Some(field.key),
            _ => None,
        }));
    }
    for field in FIELDS.iter().filter(|field| field.key != "version") {
        assert!(seen.contains(&field.key), "{} has no row", field.key);
    }
}

#[test]
fn a_field_is_taken_when_accepted_with_its_short_form() {
    let mut stage = fields();
    typed(&mut stage, "udp.src", "random 1024..65535");
    let udp = stage.app.open.document().profile().flows[0].udp.clone().unwrap();
    assert_eq!(udp.src, Value::Random { low: 1024, high: 65535, every: 1 });
    assert!(profile_text(&stage).contains("random = [1024, 65535]"), "files keep the table forms");
    typed(&mut stage, "udp.dst", "53,67..70");
    assert!(hint(&stage).contains("udp.dst"));
    stage.keys("esc");
    typed(&mut stage, "ipv4.dst", "198.18.0.2..198.18.0.254:2");
    typed(&mut stage, "udp.dst", "53,67");
    let flow = &stage.app.open.document().profile().flows[0];
    assert_eq!(flow.udp.as_ref().unwrap().dst, Value::List { values: vec![53, 67], every: 1 });
    assert!(matches!(&flow.ip, Some(Ip::V4(ip)) if ip.dst.positions() == 127));
}

#[test]
fn an_error_states_place_range_forms_and_what_esc_keeps() {
    let mut stage = fields();
    typed(&mut stage, "ipv4.dst", "198.18.0.2540");
    assert_eq!(
        hint(&stage),
        "flow.udp.ipv4.dst: \"198.18.0.2540\" is not an IPv4 address (each part 0..255). Or A..B, \
         A..B:STEP, A,B,C, random A..B, A/BITS. Esc keeps 198.18.0.2."
    );
    let picture = shown(&stage, 80, 22);
    for words in ["is not an IPv4 address", "Or A..B, A..B:STEP, A,B,C, random A..B", "keeps 198.18.0.2."] {
        assert!(picture.contains(words), "{picture}");
    }
    stage.keys("esc");
    assert_eq!((profile_text(&stage), stage.app.overlay.clone()), (UDP_64.to_owned(), Overlay::None));
}

#[test]
fn c12_rates_are_echoed_as_typed_or_refused_at_the_field() {
    for rate in ["0.5", "0.1", "2.5", "1e3", "10k", "1.5M"] {
        let mut stage = fields();
        typed(&mut stage, "rate", rate);
        assert_eq!(stage.app.overlay, Overlay::None, "{rate}");
        let again = Document::parse("saved", &profile_text(&stage)).unwrap();
        assert_eq!(again.get("flow.udp.rate").as_deref(), Some(rate));
        assert!(shown(&stage, 80, 24).contains(rate));
    }
    for (rate, why) in [("-1", "0.001 to 1G"), ("abc", "is not a rate"), ("0", "0.001 to 1G"), ("1e12", "0.001 to 1G")]
    {
        let mut stage = fields();
        typed(&mut stage, "rate", "1000");
        let before = profile_text(&stage);
        typed(&mut stage, "rate", rate);
        let hint = hint(&stage);
        assert!(hint.contains(why) && hint.ends_with("Esc keeps 1000."), "{rate}: {hint}");
        assert_eq!(profile_text(&stage), before);
    }
}

#[test]
fn c21_editing_one_field_changes_no_other() {
    let mut stage = of(&UDP_64.replace("size = 60", "size = 768"));
    let lines_that_differ = |a: &str, b: &str| a.lines().zip(b.lines()).filter(|(a, b)| a != b).count();
    for (place, value) in [("udp.src", "1000..1999"), ("udp.src", "9"), ("size", "60..1514"), ("size", "768")] {
        let before = profile_text(&stage);
        typed(&mut stage, place, value);
        let after = profile_text(&stage);
        assert_eq!(before.lines().count(), after.lines().count());
        assert_eq!(lines_that_differ(&before, &after), 1, "{place} = {value}: {after}");
        if place == "udp.src" {
            assert_eq!(stage.app.open.document().profile().flows[0].size, Value::Fixed(768));
        }
    }
}

#[test]
fn c22_sizes_below_the_headers_are_refused_with_the_minimum() {
    for size in ["0", "1", "13", "14", "41"] {
        let mut stage = fields();
        typed(&mut stage, "size", size);
        assert!(hint(&stage).contains("is below 42, the least for Ethernet + IPv4 + UDP"), "{}", hint(&stage));
    }
    for size in ["42", "59"] {
        let mut stage = fields();
        typed(&mut stage, "size", size);
        assert!(hint(&stage).contains("runt = true sends it all the same"), "{}", hint(&stage));
        stage.keys("esc");
        pick(&mut stage, "runt").keys("space");
        typed(&mut stage, "size", size);
        assert_eq!(stage.app.overlay, Overlay::None);
    }
    let mut stage = of(&UDP_64.replace("size = 60", "size = 62").replace("ipv4 = {}", "ipv6 = {}"));
    typed(&mut stage, "size", "61");
    assert!(hint(&stage).contains("is below 62, the least for Ethernet + IPv6 + UDP"), "{}", hint(&stage));
}

#[test]
fn c34_ranges_that_make_no_sense_are_refused_or_said_to_stand_still() {
    for (place, value, why) in [
        ("udp.src", "2000..1000", "from 2000 is above to 1000"),
        ("udp.src", "0..70000", "70000 is out of range (0..65535)"),
        ("udp.src", "random 9..1", "9 is above 1"),
        ("ipv4.src", "10.0.0.9..10.0.0.1", "from 10.0.0.9 is above to 10.0.0.1"),
        ("eth.src", "02:00:00:00:00:09..02:00:00:00:00:01", "from 02:00:00:00:00:09 is above to 02:00:00:00:00:01"),
        ("udp.src", "70000", "70000 is out of range (0..65535)"),
    ] {
        let mut stage = fields();
        typed(&mut stage, place, value);
        let hint = hint(&stage);
        assert!(hint.contains(why) && hint.contains(&format!("flow.udp.{place}: ")), "{value}: {hint}");
        assert_eq!(profile_text(&stage), UDP_64);
    }
    for (value, note) in [("1..9:0", "step 0: the value stays at from"), ("1..10:60000", "is longer than the range")] {
        let mut stage = fields();
        typed(&mut stage, "udp.src", value);
        assert!(shown(&stage, 80, 24).contains(note), "{}", shown(&stage, 80, 24));
    }
}

#[test]
fn c30_clone_says_in_words_what_it_does_to_random_fields() {
    let mut stage = of(MANY_FLOWS);
    typed(&mut stage, "clone", "100");
    pick(&mut stage, "udp.src");
    let picture = shown(&stage, 100, 29);
    assert!(picture.contains("each packet is repeated 100 times (clone): this changes every 100 packets"), "{picture}");
    assert!(picture.contains("! random 1024..65535"), "{picture}");
    let before = picture.lines().find(|line| line.contains("distinct:")).unwrap().to_owned();
    assert!(before.contains("4.228 G packets, 4.228 G flows in this plan"), "{before}");
    stage.keys("esc k enter");
    typed(&mut stage, "tx.count", "10000");
    typed(&mut stage, "tx.rate", "10k");
    let line = shown(&stage, 100, 29).lines().find(|line| line.contains("distinct:")).unwrap().to_owned();
    assert!(
        line.contains("distinct: 100 packets, 100 flows in this plan; a second at 10.00 kpps: 100 packets"),
        "{line}"
    );
}

#[test]
fn diversity_follows_the_rate_that_really_leaves() {
    let mut stage = of(MANY_FLOWS);
    assert!(shown(&stage, 100, 29).contains("a second: known once it sends"));
    stage.keys("esc esc space").ticks(20).keys("e");
    let picture = shown(&stage, 100, 29);
    assert!(picture.contains("a second at 1.1") && picture.contains("Mpps: 1.1"), "{picture}");
}

#[test]
fn c36_setting_a_vlan_id_adds_the_tag_and_the_bytes_show_it() {
    let mut stage = of(&UDP_64.replace("size = 60", "size = 64"));
    pick(&mut stage, "vlan").keys("1 0 0 enter");
    assert_eq!(stage.app.open.document().profile().flows[0].vlan[0].id, Value::Fixed(100));
    let picture = shown(&stage, 80, 24);
    assert!(picture.contains("0000  02 00 00 00 00 02 02 00 00 00 00 01 81 00 00 64"), "{picture}");
    pick(&mut stage, "vlan").keys("l 7 enter");
    pick(&mut stage, "vlan.1").keys("x");
    pick(&mut stage, "vlan").keys("h");
    assert!(stage.app.open.document().profile().flows[0].vlan.is_empty());
    stage.keys("u u");
    assert_eq!(stage.app.open.document().profile().flows[0].vlan.len(), 2);
    pick(&mut stage, "vlan").keys("l 5 0 0 0 enter");
    assert!(hint(&stage).contains("5000 is out of range (0..4095)") && hint(&stage).ends_with("Esc adds nothing."));
}

#[test]
fn c40_a_zero_mac_is_refused_and_an_unknown_neighbour_is_said() {
    let mut stage = fields();
    typed(&mut stage, "eth.dst", "00:00:00:00:00:00");
    assert!(hint(&stage).contains("nobody's address"), "{}", hint(&stage));
    stage.keys("esc");
    typed(&mut stage, "eth.dst", "neighbour");
    let picture = shown(&stage, 80, 24);
    assert!(picture.contains("no neighbour entry for 198.18.0.2"), "{picture}");
    // The stage's neighbour table knows .9.
    typed(&mut stage, "ipv4.dst", "198.18.0.9");
    let picture = shown(&stage, 80, 24);
    assert!(picture.contains("0000  02 00 00 00 00 09 02 00 00 00 00 01 08 00"), "resolved: {picture}");
}

#[test]
fn macs_are_read_in_all_three_forms() {
    for mac in ["02:AA:bb:00:00:0f", "02-aa-bb-00-00-0f", "02aa.bb00.000f"] {
        let mut stage = fields();
        typed(&mut stage, "eth.dst", mac);
        assert_eq!(stage.app.overlay, Overlay::None, "{mac}");
        assert!(shown(&stage, 80, 24).contains("0000  02 aa bb 00 00 0f"), "{mac}");
    }
}

#[test]
fn switches_choices_and_numbers_go_by_step_keys() {
    let mut stage = fields();
    pick(&mut stage, "enabled").keys("l");
    assert!(!stage.app.open.document().profile().flows[0].enabled);
    stage.keys("space");
    pick(&mut stage, "order").keys("l");
    pick(&mut stage, "ipv4.ttl").keys("h");
    pick(&mut stage, "size").keys("l .");
    let flow = &stage.app.open.document().profile().flows[0];
    assert!(flow.enabled && flow.order == txdeck::profile::Order::Nested);
    assert_eq!(flow.size, Value::Fixed(125));
    assert!(matches!(&flow.ip, Some(Ip::V4(ip)) if ip.ttl == Value::Fixed(63)));
    pick(&mut stage, "payload.kind").keys("l");
    assert!(profile_text(&stage).contains("pattern"), "a pattern comes with its bytes");
    stage.keys("l");
    assert!(profile_text(&stage).contains("hex") && profile_text(&stage).contains("de ad be ef"));
    stage.keys("l");
    assert!(profile_text(&stage).contains("hello") && !profile_text(&stage).contains("de ad be ef"));
    typed(&mut stage, "payload.text", "a text");
    assert_eq!(stage.app.open.document().profile().flows[0].payload, txdeck::profile::Payload::Text("a text".into()));
    stage.keys("l");
    typed(&mut stage, "payload.bytes", "ca fe");
    assert_eq!(
        stage.app.open.document().profile().flows[0].payload,
        txdeck::profile::Payload::Pattern(vec![0xca, 0xfe])
    );
    // A digit begins a value, never flips a switch.
    pick(&mut stage, "enabled").keys("1 0");
    assert!(stage.app.open.document().profile().flows[0].enabled && stage.app.overlay == Overlay::None);
    pick(&mut stage, "udp.src").keys("x");
    assert!(stage.app.notice().unwrap().text.contains("default"));
}

#[test]
fn headers_come_and_go_and_one_ip_stands_in_for_the_other() {
    let mut stage = of(&UDP_64.replace("size = 60", "size = 80"));
    pick(&mut stage, "ipv6").keys("space");
    assert!(matches!(stage.app.open.document().profile().flows[0].ip, Some(Ip::V6(_))));
    assert!(stage.app.notice().unwrap().text.contains("ipv6 in place of ipv4 (u takes it back)"));
    assert_eq!(stage.app.edit.picked_row().unwrap().place(), "ipv6", "the same row stays picked");
    stage.keys("space");
    assert!(stage.app.notice().unwrap().text.contains("UDP needs an IP header"), "{:?}", stage.app.notice());
    pick(&mut stage, "udp").keys("h");
    pick(&mut stage, "ipv6").keys("x");
    let flow = &stage.app.open.document().profile().flows[0];
    assert!(flow.udp.is_none() && flow.ip.is_none());
    stage.keys("u u u");
    assert_eq!(profile_text(&stage), UDP_64.replace("size = 60", "size = 80"));
}

#[test]
fn a_header_takes_out_all_that_it_cannot_stand_beside() {
    let text = UDP_64.replace("size = 60", "size = 100");
    let mut stage = of(&text);
    let flow = |stage: &Stage| stage.app.open.document().profile().flows[0].clone();
    let says = |stage: &Stage| stage.app.notice().unwrap().text.clone();
    pick(&mut stage, "tcp").keys("space");
    assert!(flow(&stage).tcp.is_some() && flow(&stage).udp.is_none());
    assert!(says(&stage).contains("tcp in place of udp (u takes it back)"), "{}", says(&stage));
    typed(&mut stage, "tcp.flags", "syn+ack");
    assert_eq!(flow(&stage).tcp.unwrap().flags, Value::Fixed(0x12));
    pick(&mut stage, "mpls").keys("l");
    stage.feed(Event::Paste("random 16..1048575".to_owned()));
    stage.keys("enter");
    assert_eq!(flow(&stage).mpls[0].label, Value::Random { low: 16, high: 0xf_ffff, every: 1 });
    pick(&mut stage, "arp").keys("space");
    assert!(says(&stage).contains("arp in place of mpls, ipv4, tcp"), "{}", says(&stage));
    let arp = flow(&stage);
    assert!(arp.arp.is_some() && arp.ip.is_none() && arp.tcp.is_none() && arp.mpls.is_empty());
    stage.keys("u u u u");
    assert_eq!(profile_text(&stage), text);
}

#[test]
fn raw_bytes_come_with_their_own_ethernet_header_and_leave_one_behind() {
    let text = UDP_64.replace("size = 60", "size = 100");
    let mut stage = of(&text);
    pick(&mut stage, "raw").keys("space");
    assert!(stage.app.notice().unwrap().text.contains("raw in place of eth, ipv4, udp"));
    let document = stage.app.open.document();
    assert!(document.profile().flows[0].raw.is_some() && document.get("flow.udp.eth.dst").is_none());
    pick(&mut stage, "patch").keys("l");
    stage.feed(Event::Paste("12".to_owned()));
    stage.keys("enter");
    typed(&mut stage, "patch.0.value", "0x88b5,0x88b6");
    assert_eq!(stage.app.open.document().profile().flows[0].patch.len(), 1);
    assert!(shown(&stage, 120, 40).contains("[88 b5]"), "{}", shown(&stage, 120, 40));
    pick(&mut stage, "ipv4").keys("space");
    let flow = stage.app.open.document().profile().flows[0].clone();
    assert!(flow.raw.is_none() && flow.patch.is_empty() && matches!(flow.ip, Some(Ip::V4(_))));
    assert_eq!(stage.app.open.document().get("flow.udp.eth.dst").as_deref(), Some("02:00:00:00:00:02"));
    stage.keys("u u u u");
    assert_eq!(profile_text(&stage), text);
}

#[test]
fn flows_are_added_copied_moved_switched_and_deleted_each_with_undo() {
    let mut stage = Stage::lab();
    let names = |stage: &Stage| {
        let flows = &stage.app.open.document().profile().flows;
        flows.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>().join(" ")
    };
    stage.keys("e a").ticks(1);
    assert_eq!(names(&stage), "udp flow-2");
    stage.keys("c").ticks(1);
    assert_eq!(names(&stage), "udp flow-2 flow-3");
    stage.keys("K").ticks(1).keys("K").ticks(1);
    assert_eq!((names(&stage), stage.app.edit.slot()), ("flow-3 udp flow-2".into(), 1));
    stage.keys("space").ticks(1);
    assert!(!stage.app.open.document().profile().flows[0].enabled);
    assert!(shown(&stage, 80, 22).contains("> flow-3       off"), "{}", shown(&stage, 80, 22));
    stage.keys("j x").ticks(1);
    assert_eq!(names(&stage), "flow-3 flow-2");
    stage.keys("j x").ticks(1).keys("x");
    assert_eq!(names(&stage), "flow-3", "the last one stays");
    assert!(stage.app.notice().unwrap().text.contains("a profile needs one"));
    for _ in 0..7 {
        stage.keys("u");
    }
    assert_eq!((profile_text(&stage), stage.app.open.is_unsaved()), (UDP_64.to_owned(), false));
    stage.keys("^R ^R ^R ^R ^R ^R ^R");
    assert_eq!(names(&stage), "flow-3");
}

#[test]
fn undo_walks_over_knobs_and_fields_alike() {
    let mut stage = Stage::lab();
    stage.keys("l").ticks(1).keys("e enter");
    typed(&mut stage, "udp.dst", "53").ticks(1);
    stage.keys("esc esc j l").ticks(1);
    let changed = profile_text(&stage);
    stage.keys("u e u u");
    assert_eq!(profile_text(&stage), UDP_64);
    stage.keys("^R ^R esc ^R");
    assert_eq!((profile_text(&stage), stage.app.screen), (changed, Screen::Live));
}

#[test]
fn flows_may_be_called_by_numbers() {
    let mut stage = of(&with_flows(3));
    // Named 0, 1, 2: the second one.
    stage.keys("}");
    typed(&mut stage, "udp.dst", "53");
    let ports: Vec<_> =
        stage.app.open.document().profile().flows.iter().map(|flow| flow.udp.as_ref().unwrap().dst.min()).collect();
    assert_eq!(ports, [9, 53, 9]);
    assert_eq!(stage.app.edit.picked_row().unwrap().place(), "udp.dst");
    stage.keys("}");
    assert_eq!(stage.app.edit.picked_row().unwrap().key, "flow.2.udp.dst", "the same field of the next flow");
    typed(&mut stage, "name", "0");
    assert!(hint(&stage).contains("is the name of flow[0] already"), "{}", hint(&stage));
    stage.keys("esc");
    typed(&mut stage, "name", "renamed");
    assert_eq!(stage.app.edit.picked_row().unwrap().key, "flow.renamed.name");
    typed(&mut stage, "udp.src", "7");
    assert_eq!(stage.app.open.document().get("flow.renamed.udp.src").as_deref(), Some("7"));
}

#[test]
fn c87_every_flow_can_be_reached_with_a_position() {
    for count in [1, 5, 20, 200] {
        let mut stage = Stage::with(&with_flows(count), Some(place(PlaceKind::Lab)));
        stage.keys("space").ticks(20).keys("e");
        for at in 1..=count {
            let picture = shown(&stage, 80, 24);
            assert!(picture.contains(&format!("flows {at}/{count} ")), "{picture}");
            assert!(picture.contains(&format!("> {}", at - 1)), "{picture}");
            assert!(picture.contains("SENDING") && picture.contains("Mpps left, 890 ns"), "{picture}");
            assert!(picture.contains("submitted "), "{picture}");
            stage.keys("j");
            if at == 7 {
                // The far end in a few keys.
                for _ in 0..count / 10 {
                    stage.keys("pgdn");
                }
                stage.keys("j");
                assert!(shown(&stage, 80, 24).contains(&format!("flows {count}/{count} ")));
                break;
            }
        }
        let rows = |height| shown(&stage, 200, height).lines().filter(|line| line.starts_with("│ ")).count();
        assert!(count < 20 || rows(60) > rows(24) + 10, "larger windows show more");
    }
}

#[test]
fn the_next_frames_are_bytes_with_the_varying_ones_bracketed() {
    let mut stage = of(&UDP_64.replace("udp = {}", "udp = { src = { from = 1000, to = 1009 } }"));
    let picture = shown(&stage, 80, 24);
    assert!(picture.contains("next frames of udp: build 0, seq 1, 60 B (+4 FCS = 64)"), "{picture}");
    assert!(picture.contains("0020  00 02[03 e8]00 09 00 1a["), "{picture}");
    assert!(picture.contains("udp 1000 > 9"), "{picture}");
    stage.keys("] ] ]");
    assert!(shown(&stage, 80, 24).contains("0020  00 02[03 eb]00 09"), "three builds on");
    stage.keys("[ [ [ [ [");
    assert!(shown(&stage, 80, 24).contains("build 0, "));
    // A seed that changes shows at once.
    let mut random = of(MANY_FLOWS);
    let ports = |stage: &Stage| shown(stage, 80, 24).lines().find(|line| line.contains(" 0020  ")).unwrap().to_owned();
    let before = ports(&random);
    random.keys("esc k enter");
    typed(&mut random, "tx.seed", "8").keys("esc j");
    assert_ne!(ports(&random), before);
    // While it sends the next frame is the next one to leave.
    random.keys("esc space").ticks(20).keys("e");
    assert!(!shown(&random, 80, 24).contains("build 0, "), "{}", shown(&random, 80, 24));
}

#[test]
fn restart_fields_wait_marked_until_r() {
    let mut stage = fields();
    stage.keys("esc esc space").ticks(20).keys("e k enter");
    typed(&mut stage, "tx.ring", "4096").ticks(2);
    assert_eq!(stage.count("Retune"), 0, "nothing of it concerns the senders yet");
    assert_eq!(stage.sent.as_ref().unwrap().profile().tx.ring, 2048);
    let picture = shown(&stage, 80, 24);
    assert!(picture.contains("waits for R") && picture.lines().next().unwrap().contains("1 waits for R"), "{picture}");
    // Beyond half of the old ring: valid only with the new one.
    typed(&mut stage, "tx.burst", "2048").ticks(2);
    assert!(shown(&stage, 100, 29).lines().next().unwrap().contains("sending the last good plan"));
    assert_eq!((stage.count("Retune"), stage.sent.as_ref().unwrap().profile().tx.burst), (0, 32));
    stage.keys("R").ticks(5);
    let tx = &stage.sent.as_ref().unwrap().profile().tx;
    assert_eq!((stage.count("Restart"), tx.ring, tx.burst, stage.app.run.phase), (1, 4096, 2048, Phase::Sending));
    let header = shown(&stage, 100, 29).lines().next().unwrap().to_owned();
    assert!(!header.contains("wait") && !header.contains("last good"), "{header}");
    stage.keys("R");
    assert_eq!(stage.count("Restart"), 1, "nothing waits any more");
    assert!(stage.app.live.marks.iter().any(|mark| mark.to == "2048"), "the burst's change is marked");
}

#[test]
fn what_waits_rides_along_with_nothing_and_undo_takes_it_off() {
    let mut stage = fields();
    stage.keys("esc esc space").ticks(20).keys("e k enter");
    typed(&mut stage, "tx.cpus", "0").ticks(2);
    typed(&mut stage, "tx.clone", "5").ticks(2);
    let tx = &stage.sent.as_ref().unwrap().profile().tx;
    assert_eq!((tx.clone, tx.cpus.len(), stage.count("Retune")), (5, 0, 1));
    stage.keys("u u").ticks(2);
    assert!(stage.app.waiting().is_empty());
    assert_eq!((stage.count("Retune"), stage.sent.as_ref().unwrap().profile().tx.clone), (2, 0));
    stage.refuses_retune = true;
    typed(&mut stage, "tx.queues", "9").keys("R").ticks(2);
    assert_eq!((stage.app.run.phase, stage.app.waiting()), (Phase::Sending, vec!["tx.queues"]));
    assert!(shown(&stage, 120, 36).contains("this device has 1 queue"), "refused before anything stopped");
}

#[test]
fn a_size_beyond_what_was_fixed_at_open_needs_its_restart() {
    let mut stage = fields();
    stage.keys("esc esc space").ticks(20).keys("e enter");
    typed(&mut stage, "size", "40000");
    assert!(hint(&stage).contains("chunk_bytes = 4096 holds any"), "{}", hint(&stage));
    let header = shown(&stage, 100, 29).lines().next().unwrap().to_owned();
    assert!(header.contains("sending the last good plan"), "a refused field changes nothing: {header}");
    stage.keys("esc { ");
    typed(&mut stage, "tx.chunk_bytes", "4096");
    stage.keys("}");
    typed(&mut stage, "size", "40000").ticks(3);
    assert_eq!(stage.sent.as_ref().unwrap().profile().flows[0].size, Value::Fixed(60));
    stage.keys("R").ticks(3);
    assert_eq!(stage.sent.as_ref().unwrap().profile().flows[0].size, Value::Fixed(40000));
    assert!(stage.app.waiting().is_empty() && !stage.app.is_last_good());
}

#[test]
fn editing_costs_the_senders_one_retune_a_tick_at_most() {
    let mut stage = fields();
    stage.keys("esc esc space").ticks(20).keys("e enter");
    pick(&mut stage, "size");
    stage.keys(". . . . . . l h , , . .");
    assert_eq!(stage.count("Retune"), 0);
    stage.ticks(1);
    assert_eq!(stage.count("Retune"), 1);
    let asked = stage.count("Retune");
    stage.keys("j j k { } ] [ pgdn pgup esc enter ? e").ticks(20);
    assert_eq!(stage.count("Retune"), asked, "looking costs nothing");
    typed(&mut stage, "name", "other").ticks(2);
    assert_eq!(stage.count("Retune"), asked + 1, "a flow's name is part of its random draws");
}

#[test]
fn space_never_touches_traffic_in_edit() {
    let mut stage = Stage::lab();
    stage.keys("e space space j space enter space j j space enter space space esc K space");
    assert_eq!((stage.count("Start"), stage.app.run.phase), (0, Phase::Idle));
    stage.keys("esc esc esc u u u u u space").ticks(5).keys("e space j space enter space k space").ticks(5);
    assert_eq!((stage.count("Stop"), stage.app.run.phase), (0, Phase::Sending));
    stage.keys("esc esc");
    assert_eq!((stage.app.screen, stage.count("Stop")), (Screen::Live, 0));
}

#[test]
fn esc_goes_from_fields_to_flows_to_live_and_ctrl_c_ends_every_field() {
    let mut stage = fields();
    assert_eq!(stage.app.edit.focus, Focus::Fields);
    stage.keys("esc");
    assert_eq!((stage.app.screen, stage.app.edit.focus), (Screen::Edit, Focus::Flows));
    stage.keys("esc");
    assert_eq!(stage.app.screen, Screen::Live);
    for opening in ["e", "e enter", "e enter enter", "e enter j j enter 9 9 9 9 9 enter", "e k enter W"] {
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
fn c85_typed_text_and_traffic_survive_every_size() {
    for opening in
        ["e", "e enter", "e enter j j j j j j j enter", "e enter j j enter ^U 9 9 9 9 9 9 enter", "e k enter"]
    {
        let mut stage = Stage::with(MANY_FLOWS, Some(place(PlaceKind::Lab)));
        stage.keys("space").ticks(20).keys(opening);
        let before = shown(&stage, 120, 40);
        for (width, height) in [(200, 60), (80, 24), (40, 10), (10, 3), (1, 1), (0, 0), (79, 22), (80, 21), (80, 22)] {
            stage.feed(Event::Resize);
            stage.picture(width, height, &Look::default());
            stage.picture(width, height, &Look { glyphs: Glyphs::Ascii, ..Look::default() });
        }
        assert_eq!((shown(&stage, 120, 40), stage.app.run.phase), (before, Phase::Sending), "{opening}");
    }
}

#[test]
fn wide_and_combining_characters_stay_aligned() {
    let mut stage = fields();
    stage.keys("esc k enter");
    typed(&mut stage, "note", "漢字 e\u{301}tude 👋").keys("j");
    let picture = shown(&stage, 80, 24);
    let line = picture.lines().find(|line| line.contains("漢")).unwrap();
    // The picture has an empty cell behind every wide character; the border is where it always is.
    assert!(line.ends_with('│') && line.contains("next burst"), "{line}");
    pick(&mut stage, "note").keys("enter home right backspace end backspace");
    let Overlay::Text(prompt) = &stage.app.overlay else { panic!("closed") };
    assert_eq!(prompt.text(), "字 e\u{301}tude ");
}

#[test]
fn a_paste_into_a_field_is_one_line() {
    let mut stage = fields();
    pick(&mut stage, "udp.dst").keys("enter ^U");
    stage.feed(Event::Paste("53\nq\n".into()));
    stage.keys("enter");
    assert_eq!(stage.app.open.document().get("flow.udp.udp.dst").as_deref(), Some("53"));
    stage.feed(Event::Paste("a x q".into()));
    assert_eq!(stage.app.open.document().profile().flows.len(), 1, "outside a field a paste does nothing");
}

#[test]
fn rates_and_sizes_convert_in_the_field_while_they_are_typed() {
    let mut stage = fields();
    pick(&mut stage, "rate").keys("enter");
    stage.feed(Event::Paste("10 Gbit/s".into()));
    assert!(hint(&stage).starts_with("= 20.83 Mpps at 60 B: above 10G line rate, 14.88."), "{}", hint(&stage));
    stage.keys("esc");
    pick(&mut stage, "size").keys("enter ^U 1 2 4");
    assert!(hint(&stage).starts_with("B (+4 FCS = 128)."), "{}", hint(&stage));
}

#[test]
fn ascii_mode_is_all_ascii() {
    let mut stage = of(MANY_FLOWS);
    let look = Look { glyphs: Glyphs::Ascii, ..Look::default() };
    for keys in ["", "j j j enter", "esc esc", "k"] {
        stage.keys(keys);
        for (width, height) in [(80, 22), (120, 36), (200, 60)] {
            assert!(text(&stage.picture(width, height, &look)).is_ascii(), "{keys}");
        }
    }
}

/// 200 flows, a key and its picture.
#[test]
fn two_hundred_flows_are_no_burden() {
    let mut stage = Stage::with(&with_flows(200), Some(place(PlaceKind::Lab)));
    stage.keys("e");
    let mut busy = std::time::Duration::ZERO;
    for _ in 0..20 {
        let begun = std::time::Instant::now();
        stage.keys("j");
        stage.picture(200, 60, &Look::default());
        busy += begun.elapsed();
    }
    println!("{:?} a key and picture", busy / 20);
    assert!(busy / 20 < std::time::Duration::from_millis(250), "{:?}", busy / 20);
}

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in [(80, 22), (80, 24), (100, 29), (120, 36), (200, 60)] {
        let picture = text(&stage.picture(width, height, &Look::default()));
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots/edit" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), picture);
        });
    }
}

#[test]
fn pictures_of_every_state() {
    let mut stage = Stage::lab();
    stage.keys("e");
    snapshot("flows", &stage);
    stage.keys("k enter");
    snapshot("senders", &stage);
    let mut many = of(MANY_FLOWS);
    typed(&mut many, "clone", "100");
    pick(&mut many, "udp.src");
    snapshot("varied", &many);
    many.keys("enter");
    snapshot("field", &many);
    many.feed(Event::Paste("000".into()));
    many.keys("enter");
    snapshot("refused", &many);
    let qinq = of(include_str!("../../profiles/vlan-qinq.toml"));
    snapshot("tags", &qinq);
    let mut waiting = fields();
    waiting.keys("esc esc space").ticks(20).keys("e k enter");
    typed(&mut waiting, "tx.ring", "4096").ticks(2);
    typed(&mut waiting, "tx.burst", "2048").ticks(2);
    snapshot("waiting", &waiting);
    let mut crowd = Stage::with(&with_flows(200), Some(place(PlaceKind::Lab)));
    crowd.keys("space").ticks(20).keys("e pgdn pgdn");
    snapshot("crowd", &crowd);
}

#[test]
fn a_mix_is_typed_told_at_its_mean_and_not_nudged() {
    let mut stage = fields();
    typed(&mut stage, "size", "imix 60:7,590:4,1514:1");
    assert!(profile_text(&stage).contains("size = { imix = [[60, 7], [590, 4], [1514, 1]] }"), "files keep the form");
    let row = pick(&mut stage, "size").app.edit.picked_row().cloned().unwrap();
    assert_eq!(
        (row.value.as_str(), row.remark.as_str()),
        ("imix 60:7,590:4,1514:1", "mean 357.8 B (+4 FCS = 361.8), imix 60..1514")
    );
    assert!(row.note.is_some_and(|note| note.contains("exact in every 12 packets")), "the lint of `check`");
    let before = profile_text(&stage);
    stage.keys("l");
    assert_eq!(profile_text(&stage), before, "a size that varies cannot be nudged");
    assert!(stage.app.notice().is_some_and(|notice| notice.text.contains("varies, so it cannot be turned")));
    typed(&mut stage, "size", "imix 60:0");
    assert!(hint(&stage).contains("every weight is 0"), "{}", hint(&stage));
}

#[test]
fn c32_conversations_are_switched_on_and_refused_with_what_there_is() {
    let mut stage = fields();
    pick(&mut stage, "flows").keys("space");
    assert!(profile_text(&stage).contains("flows = {}"), "{}", profile_text(&stage));
    typed(&mut stage, "flows.count", "8000");
    assert!(
        hint(&stage).contains("8000 conversations, and the addresses and ports of this flow make one"),
        "{}",
        hint(&stage)
    );
    stage.keys("esc");
    typed(&mut stage, "ipv4.src", "random 198.18.0.0/15");
    assert!(profile_text(&stage).contains("src = { random = \"198.18.0.0/15\" }"), "{}", profile_text(&stage));
    for (refused, why) in [("0", "0 is out of range (1..16777216)"), ("200000", "make 131072")] {
        typed(&mut stage, "flows.count", refused);
        assert!(hint(&stage).contains(why), "{}", hint(&stage));
        stage.keys("esc");
    }
    typed(&mut stage, "flows.count", "65537");
    let row = pick(&mut stage, "flows.count").app.edit.picked_row().cloned().unwrap();
    assert!(row.note.is_some_and(|note| note.contains("kernel pktgen ends at 65536")));
    assert!(shown(&stage, 120, 36).contains("65.54 k flows in this plan"), "{}", shown(&stage, 120, 36));
}
