//! Pktgen-DPDK command files.

use txdeck::{
    dialect::{Dialect, Given, import},
    profile::{Ip, Value},
};

use crate::{document, frames, notes, plan, read};

#[test]
fn c16_size_64_counts_the_fcs() {
    let imported = read(
        Dialect::Dpdk,
        "a.pkt",
        "set 0 size 64\nset 0 proto udp\nset 0 dst mac 02:00:00:00:00:02\nset 0 count 1000\nstart 0\n",
    );
    let bytes = &frames(&plan(&imported.text), 0, 1)[0];
    assert_eq!(bytes.len(), 60);
    let notes = notes(&imported);
    assert!(notes.iter().any(|note| note.contains("64 bytes there count the FCS: 60 without it")), "{notes:?}");
    assert_eq!(document(&imported.text).profile().flows[0].count, 1000);
    // The letters fill the frame from its start; the first 42 bytes are headers.
    assert_eq!(&bytes[42..], b"klmnopqrstuvwxyz01");
}

#[test]
fn ranges_become_sweeps_and_percent_is_named() {
    let text = "set 0 rate 40\nset 0 proto udp\nrange 0 dst mac start 00:12:34:56:78:90\nrange 0 src ip 10.0.0.1 10.0.0.1 10.0.0.254 0.0.0.1\n\
                range 0 dst ip start 10.1.0.5\nrange 0 dst ip min 10.1.0.1\nrange 0 dst ip max 10.1.0.9\nrange 0 dst ip inc 0.0.0.2\n\
                range 0 size 64 64 1518 64\nrange 0 src port start 2000\nrange 0 dst port 1 1 10 1\nenable 0 range\n";
    let imported = read(Dialect::Dpdk, "r.pkt", text);
    let document = document(&imported.text);
    let flow = &document.profile().flows[0];
    let Some(Ip::V4(ip)) = &flow.ip else { panic!("IPv4") };
    assert_eq!(ip.src, Value::Sweep { from: 0x0a00_0001, to: 0x0a00_00fe, step: 1, every: 1 });
    assert_eq!(ip.dst, Value::Sweep { from: 0x0a01_0001, to: 0x0a01_0009, step: 2, every: 1 });
    assert_eq!(flow.size, Value::Sweep { from: 60, to: 1514, step: 64, every: 1 });
    let udp = flow.udp.as_ref().expect("UDP");
    assert_eq!((&udp.src, &udp.dst), (&Value::Fixed(2000), &Value::Sweep { from: 1, to: 10, step: 1, every: 1 }));
    let notes = notes(&imported);
    assert!(notes.iter().any(|note| note.starts_with("f:1: dropped: rate: 40 %")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("begins at min at once")), "{notes:?}");
}

#[test]
fn c36_a_vlan_that_is_not_enabled_is_said_to_be_off() {
    let base = "set 0 proto udp\nset 0 dst mac 02:00:00:00:00:02\nset 0 vlan 100\n";
    let off = read(Dialect::Dpdk, "v.pkt", base);
    assert!(notes(&off).iter().any(|note| note.starts_with("f:3: dropped: vlan") && note.contains("not enabled")));
    assert_eq!(&frames(&plan(&off.text), 0, 1)[0][12..14], [0x08, 0x00]);
    let on = read(Dialect::Dpdk, "v.pkt", &format!("{base}enable 0 vlan\n"));
    assert_eq!(&frames(&plan(&on.text), 0, 1)[0][12..16], [0x81, 0x00, 0x00, 0x64]);
}

#[test]
fn a_sequence_takes_turns() {
    let text = "seq 0 0 dst 02:00:00:00:00:02 src 02:00:00:00:00:01 dst 10.0.0.2 src 10.0.0.1 sport 5 dport 6 ipv4 udp vlan 1 size 128\n\
                sequence 1 0 02:00:00:00:00:02 02:00:00:00:00:01 10.0.0.3 10.0.0.1 7 8 ipv4 tcp 1 256\nset 0 seq_cnt 2\n";
    let imported = read(Dialect::Dpdk, "s.pkt", text);
    let document = document(&imported.text);
    let flows = &document.profile().flows;
    let shown: Vec<_> = flows.iter().map(|flow| (flow.size.clone(), flow.udp.is_some(), flow.tcp.is_some())).collect();
    assert_eq!(shown, [(Value::Fixed(124), true, false), (Value::Fixed(252), false, true)]);
}

#[test]
fn old_spellings_mean_the_same() {
    let old = "proto udp 0\nset mac 0 02:00:00:00:00:02\nset ip dst 0 10.0.0.9\nset 0 size 64\ndst.port start 0 7\nsrc.port start 0 8\ndst.ip start 0 10.0.0.9\nsrc.ip start 0 10.0.0.1\npkt.size start 0 64\nrange 0 on\n";
    let new = "set 0 proto udp\nset 0 dst mac 02:00:00:00:00:02\nset 0 dst ip 10.0.0.9\nset 0 size 64\nrange 0 dst port start 7\nrange 0 src port start 8\nrange 0 dst ip start 10.0.0.9\nrange 0 src ip start 10.0.0.1\nrange 0 size start 64\nenable 0 range\n";
    assert_eq!(read(Dialect::Dpdk, "x.pkt", old).text, read(Dialect::Dpdk, "x.pkt", new).text);
}

#[test]
fn lines_that_are_not_understood_are_listed() {
    let imported = read(Dialect::Dpdk, "x.pkt", "set 0 size 64\nwobble 3\nset 0 rnd 0 20 XX11\nset 0 sport 70000\n");
    let notes = notes(&imported);
    for (line, word) in [(2, "no command"), (3, "random bit masks"), (4, "out of range")] {
        assert!(
            notes.iter().any(|note| note.starts_with(&format!("f:{line}: dropped")) && note.contains(word)),
            "{notes:?}"
        );
    }
    let refused = import(Dialect::Dpdk, "x.pkt", b"hello\n", &Given::default()).expect_err("nothing set");
    assert!(refused.to_string().contains("x.pkt"), "{refused}");
}
