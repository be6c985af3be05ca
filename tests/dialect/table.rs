//! The table of pktgen's parameters and flags keeps its word, line by line.

use txdeck::dialect::{
    Dialect, export,
    pktgen::table::{AROUND, FLAGS, PARAMETERS, Row, Verdict},
};

use crate::{
    cases::{device, get},
    checker,
};

/// Every parameter and flag that the kernel knows, from its own documentation.
const KERNEL: &str = "count clone_skb burst delay rate ratep pkt_size min_pkt_size max_pkt_size imix_weights frags \
    xmit_mode dst dst_min dst_max src_min src_max dst6 dst6_min dst6_max src6 dst_mac src_mac src_mac_count \
    dst_mac_count udp_src_min udp_src_max udp_dst_min udp_dst_max flows flowlen queue_map_min queue_map_max \
    skb_priority tos traffic_class vlan_id vlan_p vlan_cfi svlan_id svlan_p svlan_cfi mpls node spi clear_counters debug";
const KERNEL_FLAGS: &str = "IPSRC_RND IPDST_RND UDPSRC_RND UDPDST_RND MACSRC_RND MACDST_RND TXSIZE_RND VID_RND SVID_RND \
    MPLS_RND IPV6 QUEUE_MAP_RND QUEUE_MAP_CPU FLOW_SEQ FLOW_RND IPSEC NODE NO_TIMESTAMP UDPCSUM SHARED";

#[test]
fn every_parameter_and_flag_of_the_kernel_has_a_row() {
    for name in KERNEL.split_whitespace() {
        assert!(PARAMETERS.iter().any(|row| row.name == name), "{name}");
    }
    for name in KERNEL_FLAGS.split_whitespace() {
        assert!(FLAGS.iter().any(|row| row.name == name), "flag {name}");
    }
    for row in PARAMETERS.iter().chain(FLAGS).chain(AROUND) {
        assert!(row.verdict == Verdict::Same || !row.how.is_empty(), "{}: how, or why", row.name);
    }
    for word in
        ["reset", "add_device", "rem_device_all", "start", "stop", "checksum offload", "launch time", "time stamp"]
    {
        assert!(AROUND.iter().any(|row| row.name.contains(word)), "{word}");
    }
}

/// The example's commands behind what every device needs; sizes that hold every stack.
fn commands(row: &Row) -> String {
    let size = if row.example.contains("pkt_size") || row.example.contains("imix") { "" } else { "pkt_size 200; " };
    format!("{size}{}", row.example)
}

#[test]
fn every_example_becomes_what_its_row_says() {
    let mut tried = 0;
    for row in PARAMETERS.iter().chain(FLAGS) {
        let (document, imported) = device(&commands(row));
        let last = imported.report.notes.iter().filter(|note| note.kind.word() == "dropped").count();
        match (row.verdict, row.gives.split_once(" = ")) {
            (Verdict::NotHere, None) => assert!(last > 0, "{}: left out and not told", row.name),
            (Verdict::Same | Verdict::Different, Some((key, value))) => {
                assert_eq!(get(&document, key), value, "{}: {}", row.name, row.example);
                assert_eq!(last, 0, "{}: {:?}", row.name, imported.report);
            }
            other => panic!("{}: {other:?}", row.name),
        }
        tried += 1;
    }
    assert!(tried >= 60, "{tried}");
}

/// What came of an example goes back into a script that means the same, which the kernel takes.
#[test]
fn every_example_goes_back_to_the_kernel() {
    for row in PARAMETERS.iter().chain(FLAGS).filter(|row| row.verdict != Verdict::NotHere) {
        let (mut document, _) = device(&commands(row));
        if !document.profile().flows[0].enabled {
            continue;
        }
        document.set("device", "eth1").unwrap();
        let exported = export(Dialect::Pktgen, &document).unwrap_or_else(|why| panic!("{}: {why}", row.name));
        checker::check(&exported.text);
        let dropped: Vec<_> = exported.report.notes.iter().filter(|note| note.kind.word() == "dropped").collect();
        // The payload, the TTL and all else came from pktgen, so nothing of it can be lost on the way back.
        assert!(dropped.is_empty(), "{}: {dropped:?}", row.name);
    }
}
