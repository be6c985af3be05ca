//! For every shipped profile: export, import, and the same frames, or the report says why not.

use txdeck::{
    dialect::{Dialect, Given, export, import},
    profile::shipped,
};

use crate::{document, frames, plan};

/// Dialects with both directions that this file is about.
const BOTH: [Dialect; 2] = [Dialect::Trafgen, Dialect::TrexPython];

#[test]
fn every_shipped_profile_comes_back_as_it_was() {
    for dialect in BOTH {
        for (name, text) in shipped() {
            let original = document(text);
            let out = export(dialect, &original).expect(name);
            let back = import(dialect, name, out.text.as_bytes(), &Given::default());
            let back = back.unwrap_or_else(|refused| panic!("{name}: {refused}\n{}", out.text));
            let is_clean = back.report.is_empty() || !out.report.is_empty();
            assert!(is_clean, "{name} in {}:\n{:?}\n{}", dialect.name(), back.report, out.text);
            assert_eq!(document(&back.text).profile(), original.profile(), "{name}:\n{}", out.text);
        }
    }
}

#[test]
fn without_what_rides_in_comments_an_empty_report_still_means_the_same_frames() {
    for dialect in BOTH {
        let mut empty = Vec::new();
        for (name, text) in shipped() {
            let original = document(text);
            let out = export(dialect, &original).expect(name);
            if !out.report.is_empty() {
                continue;
            }
            let plain: String =
                out.text.lines().filter(|line| !line.contains("txdeck: ")).map(|line| format!("{line}\n")).collect();
            let back = import(dialect, name, plain.as_bytes(), &Given::default()).expect(name);
            let (ours, theirs) = (plan(text), plan(&back.text));
            assert_eq!(ours.flows.len(), theirs.flows.len(), "{name}");
            for flow in 0..ours.flows.len() {
                assert_eq!(ours.flows[flow].name, theirs.flows[flow].name);
                assert!(frames(&ours, flow, 1000) == frames(&theirs, flow, 1000), "{name}:\n{plain}\n{}", back.text);
            }
            empty.push(*name);
        }
        assert!(empty.contains(&"udp-64") && empty.len() >= 4, "{}: {empty:?}", dialect.name());
    }
}

const HEAD: &str = "version = 1\n[[flow]]\nname = \"a\"\n";
const ETH: &str = "eth = { dst = \"02:00:00:00:00:02\" }\n";

/// Flows beyond what the shipped profiles have (C84), and whether both dialects say them without a loss.
fn flows() -> Vec<(&'static str, String)> {
    let with = |rest: &str| format!("{HEAD}{ETH}{rest}");
    vec![
        ("vlan and ranges", with("size = 100\nvlan = [{ id = { from = 1, to = 4094 }, pcp = 5 }]\nipv4 = { src = { from = \"10.0.0.1\", to = \"10.0.3.255\" }, dst = { random = [\"10.1.0.0\", \"10.1.255.255\"] }, id = 7 }\nudp = { src = { from = 1000, to = 1999 }, dst = { random = [7, 9] } }\npayload = { kind = \"zero\" }\n")),
        ("labels over IPv6 and TCP", with("size = 200\nmpls = [{ label = 1000, tc = 3 }, { label = 17, ttl = 9 }]\nipv6 = { src = { from = \"2001:db8::1\", to = \"2001:db8::ff\" }, flow_label = { random = [1, 99] } }\ntcp = { flags = \"syn+ack\", seq = { random = [0, 4294967295] }, window = 512 }\npayload = { kind = \"pattern\", bytes = \"de ad be\" }\n")),
        ("a question of ARP", with("arp = { spa = \"198.18.0.9\", sha = \"02:00:00:00:00:09\", tpa = { from = \"198.18.0.1\", to = \"198.18.0.200\" } }\npayload = { kind = \"zero\" }\n")),
        ("pings", with("size = 98\nipv4 = {}\nicmp = { id = 42, seq = 7 }\npayload = { kind = \"hex\", bytes = \"01 02 03\" }\n")),
        ("pings of IPv6", with("size = 98\nipv6 = {}\nicmpv6 = { id = 42, seq = { from = 0, to = 65535 } }\npayload = { kind = \"text\", text = \"hello\" }\n")),
        ("no checksum", with("ipv4 = {}\nudp = { checksum = false, src = { from = 0, to = 65535 } }\n")),
        ("a sweep that never gets to its end", "version = 1\n[[flow]]\nname = \"a\"\neth = { dst = { from = \"02:00:00:00:00:f0\", to = \"02:00:00:00:01:05\", step = 64 } }\nipv4 = { dscp = { from = 1, to = 3, step = 9 } }\nudp = {}\n".into()),
        ("labels that vary, under no checksum", with("mpls = [{ ttl = { from = 1, to = 9 } }]\nipv4 = {}\nicmp = {}\n")),
        ("an IPv4 header that varies over a ping", with("ipv4 = { ttl = { from = 1, to = 9 } }\nicmp = {}\n")),
        ("nested with one field that varies", with("order = \"nested\"\nipv4 = {}\nudp = { dst = { from = 1, to = 9 } }\n")),
        ("no IP", with("size = 64\npayload = { kind = \"pattern\", bytes = \"5a\" }\n")),
        ("MACs", "version = 1\n[[flow]]\nname = \"a\"\neth = { dst = { from = \"02:00:00:00:00:02\", to = \"02:00:00:00:00:ff\" }, src = { random = [\"02:00:00:00:00:00\", \"02:00:00:ff:ff:ff\"] } }\nipv4 = {}\nudp = {}\n".into()),
    ]
}

#[test]
fn c84_what_both_sides_can_say_comes_back_without_comments() {
    for dialect in BOTH {
        for (name, text) in flows() {
            let original = document(&text);
            let out = export(dialect, &original).expect(name);
            assert!(out.report.is_empty(), "{name} in {}: {:?}", dialect.name(), out.report);
            let plain: String =
                out.text.lines().filter(|line| !line.contains("txdeck: ")).map(|line| format!("{line}\n")).collect();
            let back = import(dialect, "x", plain.as_bytes(), &Given::default());
            let back = back.unwrap_or_else(|refused| panic!("{name}: {refused}\n{plain}"));
            assert!(back.report.is_empty(), "{name} in {}: {:?}\n{plain}", dialect.name(), back.report);
            let (ours, theirs) = (plan(&text), plan(&back.text));
            let (ours, theirs) = (frames(&ours, 0, 1000), frames(&theirs, 0, 1000));
            let first = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            let shown = first.map(|at| (at, crate::hex(&ours[at]), crate::hex(&theirs[at])));
            assert!(shown.is_none(), "{name} in {}: {shown:?}\n{plain}\n{}", dialect.name(), back.text);
        }
    }
}

#[test]
fn c84_what_the_other_side_cannot_say_is_named_before_writing() {
    let with = |rest: &str| format!("{HEAD}{ETH}{rest}");
    let cases = [
        ("size", with("size = { imix = [[60, 7], [590, 4], [1514, 1]] }\nipv4 = {}\nudp = {}\n")),
        ("size", with("size = { from = 60, to = 1514 }\nipv4 = {}\nudp = {}\n")),
        ("udp.dst", with("ipv4 = {}\nudp = { dst = { list = [1, 5, 3] } }\n")),
        ("udp.dst", with("ipv4 = {}\nudp = { dst = { from = 1, to = 9, every = 3 } }\n")),
        ("clone", with("clone = 8\nipv4 = {}\nudp = {}\n")),
    ];
    for dialect in BOTH {
        for (key, text) in &cases {
            let out = export(dialect, &document(text)).expect(key);
            let named = out.report.notes.iter().any(|note| note.text == format!("flow.a.{key}"));
            assert!(named, "{key} in {}: {:?}", dialect.name(), out.report);
            let back = import(dialect, "x", out.text.as_bytes(), &Given::default()).expect("reads");
            assert_eq!(
                document(&back.text).profile(),
                document(text).profile(),
                "what rides in comments\n{}",
                out.text
            );
        }
    }
}

#[test]
fn raw_frames_go_both_ways() {
    let text = "version = 1\n[[flow]]\nname = \"a\"\nsize = 60\nraw = { bytes = \"01 80 c2 00 00 00 02 00 00 00 00 0a 00 26 42 42 03 00\" }\npatch = [{ at = 17, width = 1, value = { from = 0, to = 255 } }]\npayload = { kind = \"zero\" }\n";
    for dialect in BOTH {
        let out = export(dialect, &document(text)).expect("written");
        assert!(out.report.is_empty(), "{:?}", out.report);
        let back = import(dialect, "x", out.text.as_bytes(), &Given::default()).expect("read");
        assert!(back.report.is_empty(), "{:?}", back.report);
        assert_eq!(frames(&plan(&back.text), 0, 300), frames(&plan(text), 0, 300), "{}\n{}", out.text, back.text);
    }
}
