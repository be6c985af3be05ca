//! ENCAP and VARY as a capture shows them.

use std::collections::BTreeSet;

use crate::bench::{ip, link, on_a_pair};
use crate::capture::{Capture, Frame};
use crate::deck::{balances, run, run_profile};
use crate::nic_lab::wait_until;
use crate::seen::see;
use crate::tshark;

#[test]
fn c36_a_vlan_number_alone_tags_every_frame_that_leaves() {
    on_a_pair("encap::c36_a_vlan_number_alone_tags_every_frame_that_leaves", |_| {
        let capture = Capture::on(link("b0").index, 100);
        let tag = ["-s", "flow.udp.size=64", "-s", "flow.udp.vlan=[{ id = 100 }]"];
        let done = run(&[&["udp-64", "-i", "a0", "-n", "20"], &tag[..]].concat());
        balances(&done, 20);
        let frames = capture.frames();
        assert_eq!(frames.len(), 20);
        for frame in frames {
            assert_eq!((frame.vlan, &frame.bytes[12..14]), (Some((0x8100, 100)), &[8, 0][..]));
            assert_eq!(frame.bytes.len(), 60, "64 bytes with the tag");
        }
    });
}

const RANDOM_PORTS: &str = "version = 1\nname = \"random\"\n[tx]\ncount = 10000\n[[flow]]\nname = \"a\"\n\
    eth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = { src = { random = [1024, 65535] } }\n";

fn ports(frames: &[Frame]) -> Vec<u16> {
    frames.iter().map(|frame| u16::from_be_bytes([frame.bytes[34], frame.bytes[35]])).collect()
}

#[test]
fn c30_clone_repeats_packets_and_burst_does_not() {
    on_a_pair("encap::c30_clone_repeats_packets_and_burst_does_not", |_| {
        let sent = |knobs: [&str; 2]| {
            let capture = Capture::on(link("b0").index, 10_100);
            balances(&run_profile(RANDOM_PORTS, &["-i", "a0", "-s", knobs[0], "-s", knobs[1]]), 10_000);
            let ports = ports(&capture.frames());
            assert_eq!(ports.len(), 10_000);
            assert!(ports.iter().all(|port| *port >= 1024));
            ports
        };
        let fresh = sent(["burst=32", "clone=0"]);
        // 64512 × (1 − e^(−10000/64512)) = 9263 are to be expected; the deviation is about 25.
        let distinct = fresh.iter().collect::<BTreeSet<_>>().len();
        assert!(distinct.abs_diff(9263) < 130, "{distinct}");
        assert_eq!(sent(["burst=1", "clone=0"]), fresh);
        assert_eq!(sent(["burst=256", "clone=1"]), fresh);
        let cloned = sent(["burst=32", "clone=100"]);
        let copies = |port: &u16| std::iter::repeat_n(*port, 100);
        assert_eq!(cloned, fresh[..100].iter().flat_map(copies).collect::<Vec<_>>());
    });
}

/// Tags and labels, IP, transport and size in every combination, one flow each: 48 flows.
fn combinations() -> String {
    let tag = "{ id = { random = [1, 4094] } }";
    let label = "{ label = { random = [16, 1048575] }, tc = 5 }";
    let links = [
        String::new(),
        format!("vlan = [{tag}]\n"),
        format!("vlan = [{{ id = 100, tpid = 0x88a8 }}, {tag}]\n"),
        format!("mpls = [{label}]\n"),
        format!("mpls = [{{}}, {label}, {{ label = 0 }}]\n"),
        format!("vlan = [{tag}]\nmpls = [{label}, {{}}]\n"),
    ];
    let ips = [
        "ipv4 = { src = { random = [\"198.18.0.1\", \"198.18.255.254\"] } }\n",
        "ipv6 = { dst = { from = \"2001:db8::\", to = \"2001:db8:ffff:ffff::\", step = 65537 } }\n",
    ];
    let transports = [
        "udp = { src = { random = [40000, 50000] } }\n",
        "tcp = { src = { random = [40000, 50000] }, seq = { random = [0, 4294967295] }, flags = \"ack\" }\n",
    ];
    let mut text = String::from("version = 1\nname = \"combinations\"\n");
    for link in &links {
        for ip in ips {
            for transport in transports {
                for size in ["size = 130\n", "size = { from = 118, to = 260 }\n"] {
                    text += "[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\n";
                    text += &[size, link, ip, transport].concat();
                }
            }
        }
    }
    text
}

/// As it left: with the tag that the kernel took out.
fn as_it_left(frame: &Frame) -> Vec<u8> {
    let Some((protocol, control)) = frame.vlan else { return frame.bytes.clone() };
    let tag = [protocol.to_be_bytes(), control.to_be_bytes()].concat();
    [&frame.bytes[..12], &tag, &frame.bytes[12..]].concat()
}

#[test]
fn c25_every_stack_of_headers_arrives_with_right_lengths_and_checksums() {
    on_a_pair("encap::c25_every_stack_of_headers_arrives_with_right_lengths_and_checksums", |_| {
        let capture = Capture::on(link("b0").index, 1000);
        balances(&run_profile(&combinations(), &["-i", "a0", "-n", "960"]), 960);
        let frames: Vec<Vec<u8>> = capture.frames().iter().map(as_it_left).collect();
        assert_eq!(frames.len(), 960);
        let (mut sizes, mut stacks) = (BTreeSet::new(), BTreeSet::new());
        for frame in &frames {
            let seen = see(frame);
            let has = |field: &str| seen.contains_key(field);
            stacks.insert((
                has("vlan.0.id"),
                has("vlan.1.id"),
                seen.get("mpls").copied(),
                has("ipv6.src"),
                has("tcp.src"),
            ));
            sizes.insert(seen["size"]);
        }
        assert_eq!(stacks.len(), 24, "six links, two versions of IP, two transports");
        assert!(sizes.len() > 15, "{sizes:?}");
        tshark::finds_no_fault(frames.iter().map(Vec::as_slice));
    });
}

#[test]
fn c38_labels_leave_as_pktgen_writes_them() {
    on_a_pair("encap::c38_labels_leave_as_pktgen_writes_them", |_| {
        let capture = Capture::on(link("b0").index, 100);
        // pktgen: mpls 0001000a,0002000a,0000000a
        let labels = "flow.udp.mpls=[{ label = 16, ttl = 10 }, { label = 32, ttl = 10 }, { label = 0, ttl = 10 }]";
        balances(&run(&["udp-64", "-i", "a0", "-n", "20", "-s", "flow.udp.size=72", "-s", labels]), 20);
        let frames = capture.frames();
        assert_eq!(frames.len(), 20);
        for frame in frames {
            assert_eq!(frame.bytes[12..26], [0x88, 0x47, 0, 1, 0, 10, 0, 2, 0, 10, 0, 0, 1, 10]);
            assert_eq!(see(&frame.bytes)["mpls"], 3);
        }
    });
}

/// A question, an echo request and a connection request to the far end, three of each.
const QUESTIONS: &str = "version = 1\nname = \"questions\"\n[tx]\nrate = 1000\ncount = 9\n\
    [[flow]]\nname = \"who-has\"\neth = { dst = \"ff:ff:ff:ff:ff:ff\" }\narp = {}\npayload = { kind = \"zero\" }\n\
    [[flow]]\nname = \"echo\"\nsize = 98\neth = { dst = \"02:00:00:00:00:12\" }\nipv4 = {}\n\
    icmp = { id = 7, seq = { from = 1, to = 9 } }\npayload = { kind = \"random\" }\n\
    [[flow]]\nname = \"syn\"\nsize = 60\neth = { dst = \"02:00:00:00:00:12\" }\nipv4 = {}\n\
    tcp = { src = { from = 40001, to = 40009 }, dst = 9, seq = { random = [0, 4294967295] } }\npayload = { kind = \"zero\" }\n";

#[test]
fn c26_the_kernel_answers_questions_echoes_and_connections() {
    on_a_pair("encap::c26_the_kernel_answers_questions_echoes_and_connections", |_| {
        ip("address add 198.18.0.2/24 dev b0");
        let answers = Capture::on(link("a0").index, 100);
        balances(&run_profile(QUESTIONS, &["-i", "a0"]), 9);
        let from_b0 = |frame: &Frame| frame.bytes[6..12] == [2, 0, 0, 0, 0, 0x12];
        let seen = || answers.frames().into_iter().filter(from_b0).map(|frame| see(&frame.bytes)).collect::<Vec<_>>();
        let count = |field: &str, value: u128| seen().iter().filter(|seen| seen.get(field) == Some(&value)).count();
        wait_until("an answer to each", || {
            (count("arp.op", 2), count("icmp.type", 0), count("tcp.flags", 0x14)) == (3, 3, 3)
        });
        let echoes: Vec<u128> = seen().iter().filter_map(|seen| seen.get("icmp.seq").copied()).collect();
        assert_eq!(echoes, [1, 2, 3], "a checksum that is wrong gets no answer");
    });
}
