//! Profiles with MPLS, ARP, TCP, ICMP, raw bytes and payloads: set, unset, saved, and what is said of them.

use proptest::prelude::*;
use txdeck::profile::{Document, Flow, Ip, Mac, Payload, Value, field::FIELDS};

fn parse(text: &str) -> Document {
    Document::parse("t.toml", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// One flow `a` of 200 bytes with these lines.
fn flow(lines: &str) -> Document {
    let eth = if lines.contains("raw") { "" } else { "eth = { dst = \"02:00:00:00:00:02\" }\n" };
    parse(&format!("version = 1\n[[flow]]\nname = \"a\"\nsize = 200 # big\n{eth}{lines}\n"))
}

fn first(document: &Document) -> &Flow {
    &document.profile().flows[0]
}

fn notes(document: &Document) -> Vec<String> {
    document.notes().iter().map(|note| format!("{}: {}", note.key, note.message)).collect()
}

#[test]
fn c38_labels_are_set_one_by_one_and_sixteen_are_the_end() {
    let mut document = flow("ipv4 = {}\nudp = {}");
    for depth in 0..16 {
        document.set(&format!("flow.a.mpls.{depth}.label"), &(16 + depth).to_string()).expect("a label more");
    }
    assert_eq!(first(&document).mpls.len(), 16);
    let whole = document.text().to_owned();
    let refused = document.set("flow.a.mpls.16.label", "99").expect_err("the seventeenth").to_string();
    assert_eq!(refused, "flow.a.mpls: 17 of them are too many (at most 16)");
    assert!(document.set("flow.a.mpls.3.label", "0x100000").is_err(), "21 bits");
    assert_eq!(document.text(), whole, "an error never leaves half a stack");
    document.set("flow.a.mpls.1.label", "random 0..1048575").expect("a random label");
    assert_eq!(first(&document).mpls[1].label, Value::Random { low: 0, high: 0xf_ffff, every: 1 });
    document.unset("flow.a.mpls").expect("no labels");
    assert!(first(&document).mpls.is_empty());
}

#[test]
fn c26_tcp_and_udp_over_ipv6_are_refused_without_a_checksum() {
    let mut tcp = flow("ipv4 = {}\ntcp = {}");
    let refused = tcp.set("flow.a.tcp.checksum", "false").expect_err("TCP").to_string();
    assert_eq!(refused, "flow.a.tcp.checksum: false is refused: receivers drop TCP without a checksum");
    let mut v4 = flow("ipv4 = {}\nudp = {}");
    v4.set("flow.a.udp.checksum", "false").expect("UDP over IPv4 may");
    assert!(flow("ipv6 = {}\nudp = {}").set("flow.a.udp.checksum", "false").is_err());
}

#[test]
fn flags_are_set_by_name_or_number_and_come_back_by_name() {
    let mut document = flow("ipv4 = {}\ntcp = {}");
    for (typed, held, shown) in [
        ("syn+ack", Value::Fixed(0x12), "syn+ack"),
        ("FIN+psh", Value::Fixed(9), "FIN+psh"),
        ("18", Value::Fixed(18), "18"),
        ("none", Value::Fixed(0), "none"),
        ("syn,psh+ack,0", Value::List { values: vec![2, 0x18, 0], every: 1 }, "syn,psh+ack,none"),
        (
            "random 0..511",
            Value::Random { low: 0, high: 511, every: 1 },
            "random none..fin+syn+rst+psh+ack+urg+ece+cwr+ns",
        ),
    ] {
        document.set("flow.a.tcp.flags", typed).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(first(&document).tcp.as_ref().unwrap().flags, held, "{typed}");
        assert_eq!(document.get("flow.a.tcp.flags").as_deref(), Some(shown), "{typed}");
        let again = document.get("flow.a.tcp.flags").unwrap();
        document.set("flow.a.tcp.flags", &again).expect("what get says, set takes");
        assert_eq!(first(&document).tcp.as_ref().unwrap().flags, held, "{typed}");
        assert_eq!(parse(&document.effective()).profile(), document.profile());
    }
    assert!(document.set("flow.a.tcp.flags", "512").is_err() && document.set("flow.a.tcp.flags", "push").is_err());
}

#[test]
fn one_header_stands_in_for_another_in_one_step() {
    let mut document = flow("ipv4 = {} # where\nudp = {}");
    assert!(document.set("flow.a.tcp.dst", "80").is_err(), "udp is there");
    document.set_together(&[("flow.a.udp", ""), ("flow.a.tcp.dst", "80")]).expect("tcp in place of udp");
    assert_eq!(first(&document).tcp.as_ref().unwrap().dst, Value::Fixed(80));
    document.set_together(&[("flow.a.tcp", ""), ("flow.a.ipv4", ""), ("flow.a.arp.op", "2")]).expect("arp");
    let arp = first(&document).arp.as_ref().unwrap();
    assert_eq!((&arp.op, &arp.sha, &arp.tha), (&Value::Fixed(2), &Mac::Device, &Mac::Is(Value::Fixed(0))));
    assert!(document.text().contains("size = 200 # big"));
}

#[test]
fn a_protocol_may_be_said_where_no_header_says_it() {
    let mut document = flow("ipv4 = {}");
    assert_eq!(document.get("flow.a.ipv4.protocol").as_deref(), Some(""));
    document.set("flow.a.ipv4.protocol", "47,89").expect("GRE, OSPF");
    assert!(matches!(&first(&document).ip, Some(Ip::V4(ip)) if ip.protocol.is_some()));
    assert_eq!(document.get("flow.a.ipv4.protocol").as_deref(), Some("47,89"));
    let refused = document.set("flow.a.udp.dst", "53").expect_err("said twice").to_string();
    assert!(refused.contains("udp behind it says it already"), "{refused}");
    document.unset("flow.a.ipv4.protocol").expect("back");
    document.set("flow.a.udp.dst", "53").expect("udp says it");
}

#[test]
fn raw_bytes_and_their_patches_survive_saving() {
    let raw = "raw = { bytes = \"02:00:00:00:00:02 02 00 00 00 00 01 88b5 00 01\" } # by hand\n\
               patch = [{ at = 14, width = 2, value = { from = 1, to = 9, step = 2, every = 3 } }]";
    let mut document = flow(raw);
    let flow = first(&document);
    assert_eq!((flow.raw.as_ref().unwrap().len(), flow.patch[0].at, flow.patch[0].width), (16, 14, 2));
    assert_eq!(parse(&document.effective()).profile(), document.profile(), "{}", document.effective());
    assert!(!document.effective().contains("eth = "), "the bytes are all of it: {}", document.effective());
    document.set("flow.a.patch.0.value", "random 0..65535").expect("a value form");
    assert_eq!(document.get("flow.a.patch.0.value").as_deref(), Some("random 0..65535"));
    assert!(document.get("flow.a.eth.dst").is_none() && document.text().contains("# by hand"));
    assert!(document.set("flow.a.eth.dst", "02:00:00:00:00:09").is_err());
    let mut more = document.clone();
    more.add_flow("b").expect("a flow behind raw bytes");
    assert_eq!(more.get("flow.b.eth.dst").as_deref(), Some("02:00:00:00:00:02"));
    document.set("flow.a.patch.1.at", "0").expect("a second patch");
    let refused = document.set("flow.a.patch.1.width", "16").expect_err("no such width").to_string();
    assert_eq!(refused, "flow.a.patch.1.width: 16 is not allowed (1 or 2 or 4 or 6 or 8)");
}

#[test]
fn payload_kinds_and_what_goes_with_them_are_set_together() {
    let mut document = flow("ipv4 = {}\nudp = {}");
    assert!(document.set("flow.a.payload.kind", "text").is_err(), "a text without one");
    document.set_together(&[("flow.a.payload.kind", "text"), ("flow.a.payload.text", "Grüße, \"du\"")]).expect("text");
    assert_eq!(first(&document).payload, Payload::Text("Grüße, \"du\"".into()));
    assert_eq!(parse(document.text()).profile(), document.profile());
    assert_eq!(parse(&document.effective()).profile(), document.profile());
    let hex = [("flow.a.payload.text", ""), ("flow.a.payload.kind", "hex"), ("flow.a.payload.bytes", "00ff")];
    document.set_together(&hex).expect("hex");
    assert_eq!(first(&document).payload, Payload::Hex(vec![0, 0xff]));
    document.set_together(&[("flow.a.payload.bytes", ""), ("flow.a.payload.kind", "random")]).expect("random");
    assert_eq!(first(&document).payload, Payload::Random);
}

#[test]
fn what_may_surprise_of_the_new_headers_is_noted() {
    let fragment = flow("ipv4 = { mf = true }\nudp = {}");
    assert_eq!(
        notes(&fragment),
        ["flow.a.ipv4.mf: a fragment: length and checksum of udp are right for this frame alone"]
    );
    assert!(notes(&flow("ipv4 = { df = true, fragment_offset = 7 }")).is_empty(), "nothing behind it");
    let mut cut = flow("ipv4 = {}\nicmp = {}\npayload = { kind = \"text\", text = \"0123456789\" }");
    assert!(notes(&cut).is_empty());
    cut.set("flow.a.size", "45..100").expect_err("a runt");
    cut.set_together(&[("flow.a.size", "45..100"), ("flow.a.runt", "true")]).expect("runts");
    assert_eq!(
        notes(&cut),
        ["flow.a.payload.text: 10 bytes, of which 3 fit behind Ethernet + IPv4 + ICMP: size 52 holds all"]
    );
    let mut who = flow("arp = {}\npayload = { kind = \"zero\" }");
    who.set("flow.a.eth.dst", "ff:ff:ff:ff:ff:ff").expect("broadcast");
    assert!(notes(&who).is_empty(), "ARP asks everybody on purpose: {:?}", notes(&who));
    let whole = "size = 60\nraw = { bytes = \"".to_owned() + &"02".repeat(60) + "\" }";
    let whole = parse(&format!("version = 1\n[[flow]]\nname = \"a\"\n{whole}\n"));
    assert!(notes(&whole).is_empty(), "bytes that fill the frame are meant to: {:?}", notes(&whole));
    let syn = flow("ipv4 = {}\ntcp = {}").notes();
    assert!(syn.is_empty(), "{syn:?}");
}

/// A stack, and the header whose fields are set.
fn stack() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("mpls = [{}]\nipv4 = {}\ntcp = {}", "flow.mpls"),
        ("arp = {}", "flow.arp"),
        ("ipv4 = {}", "flow.ipv4"),
        ("ipv6 = {}", "flow.ipv6"),
        ("ipv6 = {}\ntcp = {}", "flow.tcp"),
        ("ipv4 = {}\nicmp = {}", "flow.icmp"),
        ("ipv6 = {}\nicmpv6 = {}", "flow.icmpv6"),
    ])
}

proptest! {
    #[test]
    fn every_new_field_takes_every_form_and_comes_back(
        (headers, group) in stack(), field in any::<prop::sample::Index>(), low in 0..8_u64, more in 0..3_u64,
        form in 0..4_usize, every in 1..5_u64,
    ) {
        let fields: Vec<_> = FIELDS.iter().filter(|field| txdeck::profile::field::parent(field.key) == group).collect();
        let field = fields[field.index(fields.len())];
        prop_assume!(field.form == txdeck::profile::field::Form::MayVary);
        let place = if group == "flow.mpls" { "mpls.0" } else { &group[5..] };
        let key = format!("flow.a.{place}.{}", txdeck::profile::field::last(field.key));
        let (low, high) = (low.min(3), (low + more).min(3));
        let (low, high) = (low.min(high), high.max(low));
        let show = |number: u64| field.kind.show_toml(number.into());
        let value = match form {
            0 => show(low),
            1 => format!("{{ from = {}, to = {}, every = {every} }}", show(low), show(high)),
            2 => format!("{{ random = [{}, {}], every = {every} }}", show(low), show(high)),
            _ => format!("{{ list = [{}, {}], every = {every} }}", show(low), show(high)),
        };
        let mut document = flow(headers);
        let before = document.profile().clone();
        document.set(&key, &value).map_err(|problems| TestCaseError::fail(format!("{key} = {value}: {problems}")))?;
        let again = parse(document.text());
        prop_assert_eq!(again.text(), document.text());
        prop_assert_eq!(again.profile(), document.profile());
        let effective = parse(&document.effective());
        prop_assert_eq!(effective.profile(), document.profile());
        let shown = document.get(&key).unwrap();
        let mut repeated = flow(headers);
        repeated.set(&key, &shown).map_err(|problems| TestCaseError::fail(format!("{key} = {shown}: {problems}")))?;
        prop_assert_eq!(repeated.profile(), document.profile());
        document.unset(&key).unwrap();
        prop_assert_eq!(document.profile(), &before);
    }
}
