//! Profiles from the outside: shipped ones, broken ones, editing, and round trips.

use proptest::prelude::*;
use txdeck::packet::{Facts, lint};
use txdeck::profile::{Document, Ip, Mac, Mode, Payload, Rate, Value, reference, shipped};

const HEAD: &str = "version = 1\n\n[tx]\nburst = 32      # frames per doorbell\n\n";
const FLOW_A: &str =
    "# the first flow\n[[flow]]\nname = \"a\"\neth = { dst = \"02:00:00:00:00:02\" }  # where\nipv4 = {}\nudp = {}\n";
const FLOW_B: &str = "# the second flow\n[[flow]]\nname = \"b\"\nsize = 80 # big\n[flow.eth]\ndst = \"02:00:00:00:00:03\"\n[flow.ipv6]\n[flow.udp]\ndst = 53\n";

fn parse(text: &str) -> Document {
    Document::parse("t.toml", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn two_flows() -> Document {
    parse(&format!("{HEAD}{FLOW_A}\n{FLOW_B}"))
}

/// Sets a field and returns the lines that changed, new ones with `+`, old ones with `-`.
fn change(document: &mut Document, key: &str, value: &str) -> String {
    let before = document.text().to_string();
    document.set(key, value).unwrap_or_else(|problems| panic!("{key}={value}: {problems}"));
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), document.text().lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("-{line}"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+{line}"));
    gone.chain(come).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_shipped_profile_is_valid_and_its_effective_text_means_the_same() {
    assert!(shipped().len() >= 8);
    for (name, text) in shipped() {
        let document = parse(text);
        assert_eq!(document.profile().name, *name);
        assert_eq!(document.text(), *text, "save, load, save: the same file");
        assert_eq!(document.notes().iter().filter(|note| note.key.ends_with("size")).count(), 0, "{name}");
        assert_eq!(parse(&document.effective()).profile(), document.profile(), "{}", document.effective());
        assert_eq!(parse(&document.effective()).effective(), document.effective());
    }
}

#[test]
fn every_file_of_the_profiles_folder_is_embedded() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/profiles");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of profiles")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    files.sort();
    let mut embedded: Vec<String> = shipped().iter().map(|(name, _)| format!("{name}.toml")).collect();
    embedded.sort();
    assert_eq!(files, embedded);
}

#[test]
fn udp_64_is_what_the_contract_fixes() {
    let (_, text) = shipped().iter().find(|(name, _)| *name == "udp-64").expect("udp-64");
    let document = parse(text);
    let profile = document.profile();
    assert_eq!((profile.tx.burst, profile.tx.clone, profile.tx.rate), (32, 0, Rate::Max));
    assert_eq!((profile.tx.count, profile.tx.duration_ns, profile.tx.seed, profile.tx.ring), (0, 0, 7, 2048));
    assert_eq!((profile.tx.queues.as_slice(), profile.tx.mode, profile.tx.need_wakeup), (&[0][..], Mode::Auto, true));
    let [flow] = profile.flows.as_slice() else { panic!("one flow") };
    assert_eq!((flow.name.as_str(), &flow.size, &flow.payload), ("udp", &Value::Fixed(60), &Payload::Pktgen));
    assert_eq!(flow.eth.dst, Mac::Is(Value::Fixed(0x0200_0000_0002)));
    assert_eq!(flow.eth.src, Mac::Device);
    let Some(Ip::V4(ip)) = &flow.ip else { panic!("IPv4") };
    assert_eq!(
        (&ip.src, &ip.dst, &ip.ttl),
        (&Value::Fixed(0xc612_0001), &Value::Fixed(0xc612_0002), &Value::Fixed(64))
    );
    let udp = flow.udp.as_ref().expect("UDP");
    assert_eq!((&udp.src, &udp.dst, udp.checksum), (&Value::Fixed(9), &Value::Fixed(9), true));
    assert_eq!(document.notes(), []);
}

/// Each file's first lines (`# expect: …`) are exactly what it must give.
#[test]
fn every_broken_profile_gives_its_message() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad/profiles");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of broken profiles")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    assert!(names.len() >= 30, "{} broken profiles", names.len());
    let mut wrong = String::new();
    for name in names {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("a readable file");
        let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# expect: ")).collect();
        let got = match Document::parse(&name, &text) {
            Ok(_) => "nothing wrong".to_string(),
            Err(problems) => problems.to_string(),
        };
        if expected.join("\n") != got {
            wrong.push_str(&format!("## {name}\n{got}\n"));
        }
    }
    assert!(wrong.is_empty(), "these give other messages:\n{wrong}");
}

#[test]
fn c71_bom_crlf_and_a_missing_last_line_end_are_kept() {
    let text = format!("\u{feff}{HEAD}{FLOW_A}").replace('\n', "\r\n");
    let text = text.trim_end();
    let mut document = parse(text);
    assert_eq!(document.text(), text);
    document.set("clone", "5").expect("clone");
    assert_eq!(document.text(), text.replace("doorbell\r\n", "doorbell\r\nclone = 5\r\n"));
    document.set("flow.a.size", "64").expect("size");
    assert!(document.text().ends_with("udp = {}\r\nsize = 64"), "{:?}", document.text());
    let problems = Document::parse("crlf.toml", &text.replace("burst = 32", "burst = 0")).expect_err("burst 0");
    assert_eq!(problems.to_string(), "crlf.toml:4:9: tx.burst: 0 is out of range (1..16384)");
}

#[test]
fn bytes_that_are_no_text_are_named_by_place() {
    let problems = Document::parse_bytes("x.toml", b"version = 1\nname = \"\xff\"\n").expect_err("binary");
    assert_eq!(problems.to_string(), "x.toml:2:9: not UTF-8 text (byte 20)");
    let long = " ".repeat(5 << 20);
    assert!(Document::parse("x.toml", &long).expect_err("long").to_string().contains("too long"));
}

#[test]
fn set_changes_one_value_and_keeps_the_line_s_comment() {
    let mut document = two_flows();
    assert_eq!(
        change(&mut document, "burst", "64"),
        "-burst = 32      # frames per doorbell\n+burst = 64      # frames per doorbell"
    );
    assert_eq!(change(&mut document, "tx.rate", "1.5M"), "+rate = \"1.5M\"");
    assert_eq!(document.get("rate").as_deref(), Some("1.5M"));
    assert_eq!(change(&mut document, "duration", "250ms"), "+duration = \"250ms\"");
    assert_eq!(change(&mut document, "queues", "0..3"), "+queues = [0, 1, 2, 3]");
    assert_eq!(change(&mut document, "queues", "2,3"), "-queues = [0, 1, 2, 3]\n+queues = [2, 3]");
    assert_eq!(change(&mut document, "device", "eth1"), "+device = \"eth1\"");
    assert_eq!(change(&mut document, "note", "42"), "+note = \"42\"");
    assert_eq!(change(&mut document, "flow.a.udp.dst", "53"), "-udp = {}\n+udp = { dst = 53 }");
    assert_eq!(
        change(&mut document, "flow.a.udp.src", "1..5:2"),
        "-udp = { dst = 53 }\n+udp = { dst = 53, src = { from = 1, to = 5, step = 2 } }"
    );
    assert_eq!(document.get("flow.a.udp.src").as_deref(), Some("1..5:2"));
    assert_eq!(
        change(&mut document, "flow.a.eth.src", "02-00-00-00-00-01..02-00-00-00-00-09:2"),
        "-eth = { dst = \"02:00:00:00:00:02\" }  # where\n+eth = { dst = \"02:00:00:00:00:02\", src = { from = \"02-00-00-00-00-01\", to = \"02-00-00-00-00-09\", step = 2 } }  # where"
    );
    assert_eq!(change(&mut document, "flow.b.udp.src", "random 1024..=2048"), "+src = { random = [1024, 2048] }");
    assert_eq!(
        change(&mut document, "flow.b.ipv6.dst", "2001:db8::1..2001:db8::ff"),
        "+dst = { from = \"2001:db8::1\", to = \"2001:db8::ff\" }"
    );
    assert_eq!(document.get("flow.b.ipv6.dst").as_deref(), Some("2001:db8::1..2001:db8::ff"));
    assert_eq!(change(&mut document, "flow.b.size", "80,90"), "-size = 80 # big\n+size = { list = [80, 90] } # big");
    assert_eq!(change(&mut document, "flow.a.vlan.0.id", "100"), "+vlan = [{ id = 100 }]");
    assert_eq!(
        change(&mut document, "flow.a.vlan.1.id", "7"),
        "-vlan = [{ id = 100 }]\n+vlan = [{ id = 100 }, { id = 7 }]"
    );
    assert_eq!(
        change(&mut document, "flow.a.vlan.1.pcp", "3"),
        "-vlan = [{ id = 100 }, { id = 7 }]\n+vlan = [{ id = 100 }, { id = 7, pcp = 3 }]"
    );
    assert_eq!(change(&mut document, "flow.a.payload.kind", "zero"), "+payload = { kind = \"zero\" }");
    assert_eq!(change(&mut document, "flow.a.name", "first"), "-name = \"a\"\n+name = \"first\"");
    assert_eq!(document.get("flow.first.enabled").as_deref(), Some("true"));
    assert_eq!(change(&mut document, "flow.first.enabled", "false"), "+enabled = false");
    for comment in ["# the first flow", "# the second flow", "# where", "# big", "# frames per doorbell"] {
        assert!(document.text().contains(comment), "{comment} is gone:\n{}", document.text());
    }
}

#[test]
fn set_adds_what_a_short_file_lacks() {
    let mut inline = parse("version = 1\nflow = [{ eth = { dst = \"02:00:00:00:00:02\" } }]");
    inline.set("burst", "8").expect("burst");
    inline.set("flow.flow-1.ipv4", "{}").expect("ipv4");
    inline.set("flow.flow-1.udp.dst", "53").expect("udp");
    let text = "version = 1\nflow = [{ eth = { dst = \"02:00:00:00:00:02\" }, ipv4 = {}, udp = { dst = 53 } }]\n\n[tx]\nburst = 8\n";
    assert_eq!(inline.text(), text);
    let mut dotted = parse("version = 1\ntx.burst = 4\n# mine\n[[flow]]\neth.dst = \"02:00:00:00:00:02\"\n");
    dotted.set("clone", "2").expect("clone");
    dotted.set("flow.flow-1.eth.src", "02:00:00:00:00:09").expect("src");
    let text = "version = 1\ntx.burst = 4\ntx.clone = 2\n# mine\n[[flow]]\neth.dst = \"02:00:00:00:00:02\"\neth.src = \"02:00:00:00:00:09\"\n";
    assert_eq!(dotted.text(), text);
    let mut bare = parse("version = 1\n# mine\n[[flow]]\neth.dst = \"02:00:00:00:00:02\"\n");
    bare.set("burst", "16").expect("burst");
    assert_eq!(bare.text(), "version = 1\n[tx]\nburst = 16\n\n# mine\n[[flow]]\neth.dst = \"02:00:00:00:00:02\"\n");
}

#[test]
fn c34_a_refused_set_changes_nothing_and_says_why() {
    let mut document = two_flows();
    let text = document.text().to_string();
    for (key, value, message) in [
        ("flow.a.udp.src", "2000..1000", "flow.a.udp.src: from 2000 is above to 1000: write the smaller one first"),
        ("flow.a.udp.src", "70000", "flow.a.udp.src: 70000 is out of range (0..65535)"),
        ("flow.a.udp.src", "abc", "flow.a.udp.src: \"abc\" is not a whole number (0..65535)"),
        (
            "flow.a.ipv4.dst",
            "10.0.0.9..10.0.0.1",
            "flow.a.ipv4.dst: from 10.0.0.9 is above to 10.0.0.1: write the smaller one first",
        ),
        ("burst", "2000", "tx.burst: 2000 is above half of ring 2048 (1..1024, or ring = 4096)"),
        ("ring", "32", "tx.ring: 32 is not allowed (a power of two, 64..32768)"),
        ("flow.b.size", "61", "flow.b.size: 61 is below 62, the least for Ethernet + IPv6 + UDP"),
        (
            "flow.b.udp.checksum",
            "false",
            "flow.b.udp.checksum: false is refused over IPv6: receivers drop UDP/IPv6 without a checksum",
        ),
        ("flow.a.name", "b", "flow[1].name: \"b\" is the name of flow[0] already: names must differ"),
        ("flow.a.udp.dts", "5", "flow.a.udp.dts: no such key. Did you mean flow.a.udp.dst?"),
        ("brust", "5", "tx.brust: no such key. Did you mean tx.burst?"),
        ("flow.aa.size", "64", "flow.aa: no such flow (flows: a, b). Did you mean a?"),
        ("flow.a.vlan.3.id", "5", "flow.a.vlan.3.id: there is none yet; begin with 0"),
        ("flow.a.ipv6", "{}", "flow.a.ipv6: this flow has ipv4 too; a packet has one of them"),
        ("flow.a.eth.dst", "", "flow.a.eth.dst: has no default: it needs a value"),
        ("version", "2", "version: always 1 in this release"),
        ("rate", "0", "tx.rate: 0 is out of range (0.001 to 1G pps, or max)"),
        ("burst", "1 # x\nclone = 5", "tx.burst: \"1 # x\\nclone = 5\" is not a whole number (1..16384)"),
    ] {
        let problems = document.set(key, value).expect_err(key);
        assert_eq!(problems.to_string(), message, "{key}={value}");
        assert_eq!(document.text(), text);
    }
}

#[test]
fn unset_takes_a_field_out_and_its_default_holds() {
    let mut document = two_flows();
    let text = document.text().to_string();
    for (key, value) in [
        ("clone", "5"),
        ("flow.a.udp.src", "random 1..5"),
        ("flow.a.eth.src", "02:00:00:00:00:01"),
        ("flow.a.vlan", "[{ id = 5 }]"),
        ("flow.b.ipv6.hop_limit", "9"),
        ("flow.a.vlan.0.id", "9"),
        ("flow.b.rate", "10 pps"),
    ] {
        document.set(key, value).unwrap_or_else(|problems| panic!("{key}: {problems}"));
        let header = if key == "flow.a.vlan.0.id" { "flow.a.vlan" } else { key };
        document.set(header, "").unwrap_or_else(|problems| panic!("{key}: {problems}"));
        assert_eq!(document.text().replace("udp = {  }", "udp = {}"), text, "{key}");
    }
    document.unset("flow.b.udp").expect("udp");
    document.unset("flow.b.ipv6").expect("ipv6");
    assert!(document.profile().flows[1].ip.is_none() && document.profile().flows[1].udp.is_none());
    assert!(document.text().contains("[flow.eth]"), "{}", document.text());
}

#[test]
fn flows_are_added_copied_moved_and_removed_with_their_comments() {
    let mut document = two_flows();
    document.copy_flow("b", "c").expect("copy");
    let names =
        |document: &Document| document.profile().flows.iter().map(|f| f.name.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&document), "a b c");
    assert_eq!(document.text(), format!("{HEAD}{FLOW_A}\n{FLOW_B}\n{}", FLOW_B.replace("\"b\"", "\"c\"")));
    document.move_flow("c", 0).expect("move");
    assert_eq!(document.text(), format!("{HEAD}{}\n{FLOW_A}\n{FLOW_B}", FLOW_B.replace("\"b\"", "\"c\"")));
    document.remove_flow("c").expect("remove");
    assert_eq!(document.text(), two_flows().text());
    document.move_flow("a", 9).expect("move");
    assert_eq!(document.text(), format!("{HEAD}{FLOW_B}\n{FLOW_A}"));
    document.remove_flow("a").expect("remove");
    assert_eq!(document.text(), format!("{HEAD}{FLOW_B}"));
    assert_eq!(
        document.remove_flow("b").expect_err("last").to_string(),
        "flow.b: the last flow stays: a profile needs one"
    );
    document.add_flow("new").expect("add");
    assert_eq!(names(&document), "b new");
    assert_eq!(document.profile().flows[1].eth.dst, document.profile().flows[0].eth.dst);
    let before = document.text().to_string();
    assert!(document.copy_flow("b", "new").is_err() && document.add_flow("no blank").is_err());
    assert_eq!(document.text(), before);
}

#[test]
fn a_flow_without_a_name_keeps_the_one_it_was_called_by() {
    let mut document = parse(&format!("{HEAD}[[flow]]\neth.dst = \"02:00:00:00:00:02\"\n\n{FLOW_A}"));
    document.move_flow("flow-1", 1).expect("move");
    let text = format!("{HEAD}{FLOW_A}\n[[flow]]\neth.dst = \"02:00:00:00:00:02\"\nname = \"flow-1\"\n");
    assert_eq!(document.text(), text);
}

#[test]
fn notes_name_what_may_surprise() {
    let text = "version = 1\n[tx]\nclone = 100\n[[flow]]\nname = \"a\"\nsize = 60\neth = { dst = \"ff:ff:ff:ff:ff:ff\" }\nvlan = [{ id = 5 }]\n\
        ipv4 = { ttl = { from = 5, to = 9, step = 0 }, id = { from = 1, to = 10, step = 1000000 } }\n\
        udp = { src = { random = [1024, 65535] }, checksum = false }\n";
    let notes: Vec<String> = parse(text).notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "t.toml:6:8: flow.a.size: the pktgen header does not fit: 14 bytes are left behind Ethernet + VLAN + IPv4 + UDP, it takes 16; size 62 holds it (kernel pktgen lengthens such frames to that unasked), 64 with the stream number",
            "t.toml:7:15: flow.a.eth.dst: the broadcast address: switches send it to every port",
            "t.toml:9:16: flow.a.ipv4.ttl: step 0: the value stays at from, it is constant",
            "t.toml:9:53: flow.a.ipv4.id: step 1000000 is longer than the range: the value stays at from",
            "t.toml:10:54: flow.a.udp.checksum: UDP leaves without a checksum (0 in the field)",
        ]
    );
}

#[test]
fn c30_clone_is_said_in_words_and_burst_is_not_blamed() {
    let (_, text) = shipped().iter().find(|(name, _)| *name == "many-flows").expect("many-flows");
    let mut document = parse(text);
    document.set("burst", "256").expect("burst");
    let told = |document: &Document| {
        lint(document, &Facts::default()).into_iter().map(|note| note.message).collect::<Vec<_>>()
    };
    assert_eq!(told(&document), [] as [&str; 0]);
    document.set("clone", "100").expect("clone");
    let repeated = "each packet is repeated 100 times (clone): this changes every 100 packets";
    let left = "of a million packets 10000 differ, in 10000 flows: clone sends each 100 times";
    assert_eq!(told(&document), [left, repeated, repeated]);
}

#[test]
fn c12_entered_rates_come_back_as_they_were_entered() {
    let mut document = two_flows();
    for entered in ["0.5", "0.1", "2.5", "1e3", "10k", "1.5M", "2.5 Gbit/s", "10 Gbit/s L1", "every 5 us", "max"] {
        document.set("rate", entered).expect(entered);
        let reloaded = parse(document.text());
        assert_eq!(reloaded.get("rate").as_deref(), Some(entered));
        assert_eq!(reloaded.text(), document.text());
    }
    for refused in ["-1", "abc", "0", "1e12"] {
        assert!(document.set("rate", refused).is_err(), "{refused}");
        assert_eq!(document.get("rate").as_deref(), Some("max"));
    }
}

/// Short forms, what the file says of them, and what `get` gives back.
#[test]
fn every_value_form_is_typed_stored_and_read_back() {
    let mut document = two_flows();
    for (key, typed, stored, shown) in [
        (
            "flow.a.size",
            "imix 60:7, 590:4, 1514",
            "size = { imix = [[60, 7], [590, 4], [1514, 1]] }",
            "imix 60:7,590:4,1514:1",
        ),
        ("flow.a.ipv4.src", "198.18.0.0/15", "src = \"198.18.0.0/15\"", "198.18.0.0/15"),
        (
            "flow.a.ipv4.dst",
            "random 198.18.0.0/15",
            "dst = { random = \"198.18.0.0/15\" }",
            "random 198.18.0.0..198.19.255.255",
        ),
        (
            "flow.a.ipv4.dst",
            "random 10.1.2.3 mask 0.255.0.240",
            "dst = { random = \"10.1.2.3\", mask = \"0.255.0.240\" }",
            "random 10.0.2.3 mask 0.255.0.240",
        ),
        (
            "flow.a.udp.src",
            "random 0x1000 mask 0x0fff",
            "src = { random = 0x1000, mask = 0x0fff }",
            "random 4096 mask 4095",
        ),
        ("flow.b.ipv6.dst", "2001:db8::/126", "dst = \"2001:db8::/126\"", "2001:db8::/126"),
        (
            "flow.a.eth.src",
            "02:00:00:00:00:01..02:00:00:00:00:ff:2",
            "src = { from = \"02:00:00:00:00:01\", to = \"02:00:00:00:00:ff\", step = 2 }",
            "02:00:00:00:00:01..02:00:00:00:00:ff:2",
        ),
        ("flow.a.eth.src", "02:00:00:00:00:00/40", "src = \"02:00:00:00:00:00/40\"", "02:00:00:00:00:00/40"),
        (
            "flow.a.eth.src",
            "random 02:00:00:00:00:00..02:00:00:00:ff:ff",
            "src = { random = [\"02:00:00:00:00:00\", \"02:00:00:00:ff:ff\"] }",
            "random 02:00:00:00:00:00..02:00:00:00:ff:ff",
        ),
        ("flow.a.flows.count", "200", "count = 200", "200"),
    ] {
        document.set(key, typed).unwrap_or_else(|problems| panic!("{key}={typed}: {problems}"));
        assert!(document.text().contains(stored), "{typed}: {}", document.text());
        assert_eq!(document.get(key).as_deref(), Some(shown), "{typed}");
        let reloaded = parse(document.text());
        assert_eq!((reloaded.text(), reloaded.profile()), (document.text(), document.profile()));
    }
    assert_eq!(parse(&document.effective()).profile(), document.profile());
}

#[test]
fn c22_runts_are_sent_only_when_meant() {
    let mut document = two_flows();
    assert!(document.set("flow.a.size", "42").is_err());
    document.set("flow.a.runt", "true").expect("runt");
    document.set("flow.a.size", "42").expect("42 bytes hold Ethernet, IPv4 and UDP");
    assert!(document.set("flow.a.size", "41").is_err());
}

#[test]
fn c21_a_range_set_and_taken_back_leaves_the_size_alone() {
    let mut document = two_flows();
    document.set("flow.a.size", "768").expect("size");
    document.set("flow.a.udp.src", "1000..1999").expect("range");
    assert_eq!(document.profile().flows[0].size, Value::Fixed(768));
    document.set("flow.a.udp.src", "").expect("unset");
    assert_eq!(document.profile().flows[0].size, Value::Fixed(768));
}

#[test]
fn c36_a_vlan_number_alone_makes_a_tag() {
    let mut document = two_flows();
    document.set("flow.a.vlan.0.id", "100").expect("vlan");
    let vlan = &document.profile().flows[0].vlan;
    assert_eq!((vlan.len(), &vlan[0].id, &vlan[0].tpid), (1, &Value::Fixed(100), &Value::Fixed(0x8100)));
}

#[test]
fn c28_the_whole_of_a_type_is_a_range() {
    let mut document = two_flows();
    for (key, value, positions) in [
        ("flow.a.udp.src", "0..65535", 65536),
        ("flow.a.udp.src", "0..65535:7", 9363),
        ("flow.a.ipv4.ttl", "0..255", 256),
        ("flow.a.ipv4.dscp", "0..63", 64),
        ("flow.a.vlan.0.id", "0..4094", 4095),
    ] {
        document.set(key, value).expect(key);
        assert_eq!(document.get(key).as_deref(), Some(value));
        let flow = &document.profile().flows[0];
        let Some(Ip::V4(ip)) = &flow.ip else { panic!("IPv4") };
        let held = match key.rsplit('.').next() {
            Some("src") => &flow.udp.as_ref().expect("UDP").src,
            Some("ttl") => &ip.ttl,
            Some("dscp") => &ip.dscp,
            _ => &flow.vlan[0].id,
        };
        assert_eq!(held.positions(), positions, "{key}");
    }
}

#[test]
fn c69_a_profile_that_uses_every_field_survives() {
    let document = parse(EVERYTHING);
    assert_eq!(document.text(), EVERYTHING);
    assert_eq!(parse(&document.effective()).profile(), document.profile());
    let keys: Vec<&str> = txdeck::profile::field::FIELDS.iter().map(|field| field.key).collect();
    for key in keys {
        let last = key.rsplit('.').next().unwrap_or(key);
        assert!(EVERYTHING.contains(&format!("{last} = ")), "{key} is not in the profile that uses every field");
    }
}

const EVERYTHING: &str = include_str!("golden/every-field.toml");

#[test]
fn the_reference_names_every_field() {
    let text = reference();
    for field in txdeck::profile::field::FIELDS {
        let last = field.key.rsplit('.').next().unwrap_or(field.key);
        assert!(text.contains(&format!("| `{last}` |")), "{}", field.key);
        assert!(text.contains(field.meaning), "{}", field.key);
    }
    insta::assert_snapshot!("profile_reference", text);
}

/// A literal or a form over `low..=high`, with how the command line writes it.
fn value_text(low: u64, high: u64) -> impl Strategy<Value = String> {
    let pair = (low..=high, low..=high, 0..1000u64).prop_map(|(a, b, step)| (a.min(b), a.max(b), step));
    prop_oneof![
        (low..=high).prop_map(|n| n.to_string()),
        pair.clone().prop_map(|(a, b, step)| format!("{a}..{b}:{step}")),
        pair.clone().prop_map(|(a, b, _)| format!("random {a}..{b}")),
        pair.clone().prop_map(|(a, b, _)| format!("{a},{b},{a}")),
        pair.prop_map(|(a, b, step)| format!("{{ from = {a}, to = {b}, step = {step}, every = 3 }}")),
        (low..=high).prop_map(|n| format!("random {n} mask 0")),
    ]
}

/// A key of the two-flow profile and a value that it takes.
fn setting() -> impl Strategy<Value = (&'static str, String)> {
    let octet = 0u8..=255;
    prop_oneof![
        (1u32..=1024).prop_map(|n| ("burst", n.to_string())),
        (0u32..=1000).prop_map(|n| ("tx.clone", n.to_string())),
        (0.001f64..1e9).prop_map(|n| ("rate", Rate::Pps(n).to_string())),
        (0u64..1 << 40).prop_map(|n| ("duration", format!("{n}us"))),
        "[ -~é\t\n]{0,30}".prop_filter("blank unsets", |t| !t.trim().is_empty()).prop_map(|t| ("note", t)),
        "[a-zA-Z0-9_.-]{3,15}".prop_map(|t| ("device", t)),
        value_text(60, 1514).prop_map(|v| ("flow.a.size", v)),
        prop::collection::vec((60u32..1515, 1u32..60), 1..9).prop_map(|shares| {
            let shares: Vec<String> = shares.iter().map(|(size, weight)| format!("{size}:{weight}")).collect();
            ("flow.a.size", format!("imix {}", shares.join(",")))
        }),
        (0u32..=65535, 0u32..=65535).prop_map(|(n, mask)| ("flow.a.udp.src", format!("random {n} mask {mask}"))),
        (8u32..=32).prop_map(|bits| ("flow.a.ipv4.src", format!("10.0.0.0/{bits}"))),
        (8u32..=32).prop_map(|bits| ("flow.a.ipv4.src", format!("random 10.0.0.0/{bits}"))),
        any::<u32>().prop_map(|mask| {
            ("flow.a.ipv4.src", format!("random 10.1.2.3 mask {}", std::net::Ipv4Addr::from_bits(mask)))
        }),
        value_text(0, 65535).prop_map(|v| ("flow.a.udp.src", v)),
        value_text(0, 65535).prop_map(|v| ("flow.b.udp.dst", v)),
        value_text(0, 63).prop_map(|v| ("flow.b.ipv6.dscp", v)),
        value_text(0, 4094).prop_map(|v| ("flow.a.vlan.0.id", v)),
        value_text(0x600, 65535).prop_map(|v| ("flow.b.vlan.0.tpid", v)),
        (octet.clone(), octet).prop_map(|(a, b)| ("flow.a.ipv4.dst", format!("10.0.0.{}..10.0.1.{}", a, b))),
        any::<bool>().prop_map(|b| ("flow.b.enabled", b.to_string())),
        value_text(0, 0xf_ffff).prop_map(|v| ("flow.a.mpls.0.label", v)),
        value_text(0, 255).prop_map(|v| ("flow.b.mpls.0.ttl", v)),
        value_text(0, 8191).prop_map(|v| ("flow.a.ipv4.fragment_offset", v)),
        prop::sample::select(vec!["pktgen", "random", "zero"]).prop_map(|w| ("flow.b.payload.kind", w.to_string())),
        prop::sample::select(vec!["auto", "copy", "zero-copy"]).prop_map(|w| ("mode", w.to_string())),
    ]
}

proptest! {
    /// What `get` gives, `set` takes back; the text only ever grows by what was set; saving changes nothing.
    #[test]
    fn set_get_save_and_load_agree(settings in prop::collection::vec(setting(), 1..12)) {
        let mut document = two_flows();
        for (key, value) in &settings {
            // A step of 0 and the like are fine; only a short size below the headers could be refused.
            document.set(key, value).map_err(|problems| TestCaseError::fail(format!("{key}={value}: {problems}")))?;
            let shown = document.get(key).ok_or_else(|| TestCaseError::fail("get"))?;
            let mut again = document.clone();
            again.set(key, &shown).map_err(|problems| TestCaseError::fail(format!("{key}={shown}: {problems}")))?;
            prop_assert_eq!(again.profile(), document.profile(), "{} = {}", key, shown);
            prop_assert_eq!(again.get(key), Some(shown));
        }
        let reloaded = parse(document.text());
        prop_assert_eq!(reloaded.text(), document.text());
        prop_assert_eq!(reloaded.profile(), document.profile());
        let effective = parse(&document.effective());
        prop_assert_eq!(effective.profile(), document.profile());
        for comment in ["# the first flow", "# the second flow", "# where", "# big", "# frames per doorbell"] {
            prop_assert!(document.text().contains(comment));
        }
    }

    /// Taking fields out again, in any order, leaves the flows' other fields as they were.
    #[test]
    fn unset_undoes_set(settings in prop::collection::vec(setting(), 1..8)) {
        let mut document = two_flows();
        for (key, value) in &settings {
            document.set(key, value).map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        }
        for (key, _) in &settings {
            document.unset(key).map_err(|problems| TestCaseError::fail(format!("{key}: {problems}\n{}", document.text())))?;
        }
        document.set("burst", "32").map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        for tags in ["flow.a.vlan", "flow.b.vlan", "flow.a.mpls", "flow.b.mpls"] {
            document.unset(tags).map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        }
        document.set("flow.b.size", "80").map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        document.set("flow.b.udp.dst", "53").map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        let fresh = two_flows();
        prop_assert_eq!(document.profile(), fresh.profile());
    }

    #[test]
    fn no_text_panics_the_parser(text in "\\PC{0,200}", binary in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::parse("x", &text);
        let _ = Document::parse("x", &format!("version = 1\n{text}\n{FLOW_A}"));
        let _ = Document::parse_bytes("x", &binary);
    }

    /// Valid profiles with pieces cut, doubled, swapped or replaced: never a panic, and problems have places.
    #[test]
    fn no_mutation_of_a_valid_profile_panics(
        which in 0..=shipped().len(), cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8), 1..6),
        key in "[a-z0-9._]{0,20}", value in "[ -~]{0,20}",
    ) {
        let mut text = shipped().get(which).map_or(EVERYTHING, |(_, text)| text).to_string();
        for (a, b, what) in cuts {
            let at: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (a, b) = (at[a.index(at.len())], at[b.index(at.len())]);
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40).min(text.len()));
            let b = (b..=text.len()).find(|b| text.is_char_boundary(*b)).unwrap_or(text.len());
            let piece = text[a..b].to_string();
            match what {
                0 => text.replace_range(a..b, ""),
                1 => text.insert_str(a, &piece),
                2 => text.push_str(&piece),
                _ => text.replace_range(a..b, &value),
            }
        }
        match Document::parse("x", &text) {
            Ok(mut document) => {
                prop_assert_eq!(document.text(), text.as_str());
                let _ = (document.notes(), document.get(&key));
                let effective = document.effective();
                let again = parse(&effective);
                prop_assert_eq!(again.profile(), document.profile());
                let _ = (document.set(&key, &value), document.unset(&key));
                let name = document.profile().flows[0].name.clone();
                let _ = (document.add_flow("fresh"), document.copy_flow(&name, "copy"), document.move_flow(&name, 1), document.remove_flow(&name));
            }
            Err(problems) => prop_assert!(!problems.0.is_empty() && problems.0.iter().all(|problem| problem.line > 0)),
        }
    }
}

#[test]
fn fields_that_are_only_valid_together_are_set_together() {
    let text = "version = 1\n[tx]\nring = 64 # small\n\n[[flow]]\nname = \"a\"\nsize = 80\n\
        eth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {} # the old one\nudp = {}\n";
    let mut document = Document::parse("t", text).unwrap();
    document.set_together(&[("tx.burst", "512"), ("tx.ring", "1024")]).unwrap();
    document.set_together(&[("flow.a.ipv4", ""), ("flow.a.ipv6", "{}")]).unwrap();
    document.set_together(&[("flow.a.payload.kind", "pattern"), ("flow.a.payload.bytes", "de ad")]).unwrap();
    assert!(matches!(document.profile().flows[0].ip, Some(txdeck::profile::Ip::V6(_))));
    assert!(document.text().contains("ring = 1024 # small"));
    assert!(document.is_written("tx.burst") && !document.is_written("tx.clone") && !document.is_written("flow.x.size"));
    let before = document.text().to_owned();
    let refused = document.set_together(&[("tx.clone", "5"), ("tx.ring", "64")]).unwrap_err();
    assert!(refused.to_string().contains("above half of ring 64"), "{refused}");
    assert_eq!(document.text(), before, "all or nothing");
}
