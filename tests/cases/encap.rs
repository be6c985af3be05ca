//! ENCAP and VARY as a capture shows them.

use std::collections::BTreeSet;

use crate::bench::{link, on_a_pair};
use crate::capture::{Capture, Frame};
use crate::deck::{balances, run, run_profile};

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
