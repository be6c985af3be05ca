//! Out and back again: every shipped profile, frame by frame.

use txdeck::{
    dialect::{Dialect, Exported, Given, Imported, export, import},
    profile::{Document, shipped},
};

use crate::{checker, frames::frames};

fn there_and_back(dialect: Dialect, document: &Document) -> (Exported, Imported) {
    let exported = export(dialect, document).unwrap_or_else(|why| panic!("{why}"));
    let back = import(dialect, "back", exported.text.as_bytes(), &Given::default());
    let back = back.unwrap_or_else(|why| panic!("{why}\n{}", exported.text));
    (exported, back)
}

fn parse(name: &str, text: &str) -> Document {
    Document::parse(name, text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// Those that pktgen can say whole.
const WHOLE: [&str; 4] = ["udp-64", "udp-64-clone", "doorbell", "trickle"];

/// Flows of other headers than pktgen's cannot be said at all: a file without any other is refused, naming each.
fn is_refused(document: &Document) -> bool {
    match export(Dialect::Pktgen, document) {
        Ok(_) => false,
        Err(why) => {
            let names = document.profile().flows.iter().map(|flow| format!("flow.{}: pktgen", flow.name));
            assert!(names.into_iter().all(|name| why.to_string().contains(&name)), "{why}");
            true
        }
    }
}

#[test]
fn every_shipped_profile_comes_back_with_the_same_frames() {
    let mut refused = 0;
    for (name, text) in shipped() {
        let document = parse(name, text);
        for dialect in [Dialect::Pktgen, Dialect::Command] {
            if dialect == Dialect::Pktgen && is_refused(&document) {
                refused += 1;
                continue;
            }
            let (exported, imported) = there_and_back(dialect, &document);
            let back = parse("back", &imported.text);
            let left_out = |flow: &str| exported.report.notes.iter().any(|note| note.text == format!("flow.{flow}"));
            let wanted: Vec<_> = frames(&document, 1000).into_iter().filter(|(flow, _)| !left_out(flow)).collect();
            let whole = wanted.len() == document.profile().flows.len();
            assert_eq!(frames(&back, 1000), wanted, "{name} through {}", dialect.name());
            assert!(!whole || back.profile() == document.profile(), "{name} through {}", dialect.name());
            assert!(imported.report.is_empty(), "{name}: {:?}", imported.report);
            if dialect == Dialect::Command || WHOLE.contains(name) {
                assert!(exported.report.is_empty(), "{name}: {:?}", exported.report);
            } else {
                assert!(!exported.report.is_empty(), "{name}: pktgen cannot say all of it");
            }
        }
    }
    assert!(shipped().len() - refused >= 12, "{refused} of {} refused", shipped().len());
}

#[test]
fn every_exported_script_passes_the_checker() {
    for (name, text) in shipped() {
        let document = parse(name, text);
        if is_refused(&document) {
            continue;
        }
        let exported = export(Dialect::Pktgen, &document).unwrap_or_else(|why| panic!("{why}"));
        let kernel = checker::check(&exported.text);
        let left_out = exported.report.notes.iter().filter(|note| note.sentence.contains("left out")).count();
        assert_eq!(kernel.devices.len() + left_out, document.profile().flows.len(), "{name}");
        for flow in &document.profile().flows {
            let Some(device) = kernel.devices.get(&format!("eth1@{}", flow.name)) else { continue };
            let copies = u64::from(flow.clone.unwrap_or(document.profile().tx.clone).max(1));
            assert_eq!(device.copies(), copies, "{name}");
            assert_eq!(device.flags.contains("UDPCSUM"), flow.udp.as_ref().is_some_and(|udp| udp.checksum), "{name}");
        }
    }
}

/// A flow with these lines, as a profile.
fn profile(lines: &str) -> Document {
    let text = format!("version = 1\n[[flow]]\nname = \"a\"\neth = {{ dst = \"02:00:00:00:00:05\" }}\n{lines}\n");
    parse("t", &text)
}

#[test]
fn c84_what_pktgen_can_say_it_says_and_the_rest_is_listed() {
    let v4 = "ipv4 = { ttl = 32, id = { from = 0, to = 65535 }";
    let whole = [
        format!("size = 128\n{v4} }}\nudp = {{ src = {{ from = 9, to = 108 }} }}"),
        format!("size = 128\n{v4} }}\nudp = {{ src = {{ random = [9, 108] }}, dst = {{ random = [5, 6] }} }}"),
        format!("size = 128\n{v4}, src = {{ random = [\"198.18.0.0\", \"198.18.0.9\"] }} }}\nudp = {{}}"),
        format!("size = 128\n{v4}, dst = {{ from = \"198.18.0.0\", to = \"198.18.0.9\" }}, dscp = 46, ecn = 1 }}\nudp = {{}}"),
        format!("size = {{ from = 80, to = 1514 }}\n{v4} }}\nudp = {{ checksum = false }}"),
        format!("size = {{ random = [80, 1514] }}\n{v4} }}\nudp = {{}}"),
        format!("size = 128\nvlan = [{{ id = 5, pcp = 3, dei = true }}]\n{v4} }}\nudp = {{}}"),
        format!("size = 128\nvlan = [{{ id = {{ random = [0, 4095] }} }}, {{ id = 7 }}]\n{v4} }}\nudp = {{}}"),
        format!("size = 128\nmpls = [{{ label = 16, ttl = 9 }}, {{ label = {{ random = [0, 1048575] }}, tc = 3 }}]\n{v4} }}\nudp = {{}}"),
        "size = 128\nipv6 = { hop_limit = 32, dst = { random = [\"2001:db8::\", \"2001:db8::ffff\"] } }\nudp = {}".into(),
        "size = 128\nipv6 = { hop_limit = 32, dscp = 8, dst = { random = \"2001:db8::1\", mask = \"::f0f0\" } }\nudp = {}".into(),
    ];
    for lines in whole {
        let document = profile(&lines);
        let (exported, imported) = there_and_back(Dialect::Pktgen, &document);
        assert!(exported.report.is_empty(), "{lines}: {:?}", exported.report);
        // Nothing of the packets rides along in comments: the commands say it all.
        let carried = exported.text.lines().filter(|line| line.starts_with("# txdeck: flow.a."));
        let carried: Vec<&str> = carried.filter(|line| !line.contains(".order")).collect();
        assert!(carried.is_empty(), "{lines}: {carried:?}");
        let back = parse("back", &imported.text);
        assert_eq!(frames(&back, 1000), frames(&document, 1000), "{lines}\n{}", exported.text);
        checker::check(&exported.text);
    }
    for (lines, key) in [
        ("size = 128\nipv4 = { ttl = 9 }\nudp = {}", "ipv4.ttl = 9"),
        ("size = { from = 80, to = 1000, step = 7 }\nipv4 = {}\nudp = {}", "size"),
        ("size = 128\nipv4 = {}\nudp = { dst = { random = [1024, 65535] } }", "udp.dst"),
        ("size = 128\nipv4 = {}\nudp = { dst = { list = [53, 123] } }", "udp.dst"),
        ("size = 128\nipv4 = { dscp = { from = 0, to = 7 } }\nudp = {}", "ipv4.dscp"),
        ("size = 128\nvlan = [{ tpid = 0x88a8 }]\nipv4 = {}\nudp = {}", "vlan.0.tpid"),
        ("size = 128\nipv4 = {}\nudp = {}\npayload = { kind = \"zero\" }", "payload.kind"),
        ("size = 128\nipv4 = {}\nudp = {}\npayload = { kind = \"hex\", bytes = \"01 02\" }", "payload.bytes"),
        ("size = 128\nstart = \"1s\"\nipv4 = {}\nudp = {}", "start"),
        ("size = 128\nipv6 = { flow_label = 5 }\nudp = {}", "ipv6.flow_label"),
        ("size = 128\nipv6 = { dst = { from = \"2001:db8::1\", to = \"2001:db8::5\" } }\nudp = {}", "ipv6.dst"),
    ] {
        let document = profile(lines);
        let (exported, imported) = there_and_back(Dialect::Pktgen, &document);
        let told = exported.report.notes.iter().any(|note| note.text.contains(key));
        assert!(told, "{lines}: {key} is not named: {:?}", exported.report);
        assert_eq!(parse("back", &imported.text).profile(), document.profile(), "{lines}");
        checker::check(&exported.text);
    }
}

#[test]
fn what_is_no_udp_is_left_out_and_alone_it_is_refused() {
    for lines in ["ipv4 = {}", "ipv4 = {}\ntcp = {}", "vlan = [{}, {}, {}]\nsize = 80\nipv4 = {}\nudp = {}", "arp = {}"]
    {
        let why = export(Dialect::Pktgen, &profile(lines)).expect_err(lines);
        assert!(why.to_string().contains("flow.a: pktgen"), "{why}");
    }
    let two = "ipv4 = {}\nudp = {}\n[[flow]]\nname = \"b\"\neth = { dst = \"02:00:00:00:00:05\" }\nipv4 = {}\ntcp = {}";
    let exported = export(Dialect::Pktgen, &profile(two)).expect("one of them");
    assert_eq!(exported.report.notes[0].text, "flow.b");
    assert_eq!(checker::check(&exported.text).devices.len(), 1);
}

#[test]
fn rates_are_said_exactly_or_the_rounding_is_told() {
    for (rate, command, exact) in [
        ("1k", "ratep 1000", true),
        ("every 5 us", "delay 5000", true),
        ("100 Mbit/s", "rate 100", true),
        ("14.88M", "delay 67", false),
        ("30M", "delay 33", false),
        ("1 Gbit/s L1", "delay 1216", false),
        ("333 Mbit/s", "delay 3075", false),
    ] {
        let mut document = profile("size = 128\nipv4 = { ttl = 32, id = { from = 0, to = 65535 } }\nudp = {}");
        document.set("rate", rate).unwrap_or_else(|why| panic!("{why}"));
        let exported = export(Dialect::Pktgen, &document).unwrap_or_else(|why| panic!("{why}"));
        assert!(exported.text.contains(&format!("\"{command}\"")), "{rate}\n{}", exported.text);
        assert_eq!(exported.report.is_empty(), exact, "{rate}: {:?}", exported.report);
        checker::check(&exported.text);
    }
}

#[test]
fn a_long_name_and_a_number_come_back() {
    for name in ["a-name-that-is-longer-than-a-device-may-be", "0"] {
        let text =
            profile("ipv4 = {}\nudp = { src = { random = [1, 9] } }").text().replace("\"a\"", &format!("\"{name}\""));
        let document = parse("t", &text);
        let (exported, imported) = there_and_back(Dialect::Pktgen, &document);
        assert_eq!(parse("back", &imported.text).profile(), document.profile(), "{}", exported.text);
        checker::check(&exported.text);
    }
}

#[test]
fn a_command_line_holds_settings_or_a_whole_profile() {
    let document = parse("t", shipped()[0].1);
    let mut other = document.clone();
    other.set("burst", "64").unwrap();
    other.set("flow.udp.udp.src", "random 1024..2048").unwrap();
    other.set("flow.udp.name", "web").unwrap();
    let (exported, imported) = there_and_back(Dialect::Command, &other);
    assert_eq!(
        exported.text,
        "txdeck run udp-64 -s flow.udp.name=web -s tx.burst=64 -s 'flow.web.udp.src=random 1024..2048'\n"
    );
    assert_eq!(frames(&parse("back", &imported.text), 100), frames(&other, 100));
    // Bytes and patches that no shipped profile is near to.
    let raw = parse(
        "t",
        "version = 1\n[[flow]]\nname = \"a\"\nsize = 64\nraw = { bytes = \"02 00 00 00 00 05 02 00 00 00 00 01 08 06\" }\n",
    );
    let (exported, imported) = there_and_back(Dialect::Command, &raw);
    assert!(exported.text.starts_with("txdeck run - <<'TXDECK'\n"), "{}", exported.text);
    assert_eq!(parse("back", &imported.text).profile(), raw.profile());
}
