//! The commands of the kernel's own test of pktgen's files, with the answers it expects; rebuilt from what the test is
//! known to ask, and put both to the checker and to the importer.

use txdeck::dialect::{Dialect, Given, import};

use crate::checker::{
    Answer::{self, Complains, Done, Fails},
    Pktgen,
};

/// On `lo`, whose packets are never shared.
fn kernel() -> Pktgen {
    let mut kernel = Pktgen::new(false);
    assert_eq!(kernel.write("kpktgend_0", "add_device lo@0\0"), Done);
    kernel
}

fn weights(count: u32) -> String {
    let pairs: Vec<String> = (1..=count).map(|n| format!("{},{n}", 100 + n)).collect();
    format!("imix_weights {}", pairs.join(" "))
}

fn labels(count: u32) -> String {
    let entries: Vec<String> = (0..count).map(|n| format!("{:08x}", 0xf00 + n)).collect();
    format!("mpls {}", entries.join(","))
}

/// Each command with its answer, to a device that has seen the ones of its own row only.
fn rows() -> Vec<(Vec<String>, Answer)> {
    let one = |text: &str, answer: Answer| (vec![text.to_owned()], answer);
    let mut rows: Vec<(Vec<String>, Answer)> = [
        "min_pkt_size",
        "min_pkt_size ",
        "min_pkt_size 0",
        "min_pkt_size 1",
        "min_pkt_size 100",
        "min_pkt_size=1001",
        "min_pkt_size =2002",
        "min_pkt_size= 3003",
        "min_pkt_size = 4004",
        "max_pkt_size 200",
        "pkt_size 300",
        "imix_weights 0,7 576,4 1500,1",
        "debug 1",
        "debug 0",
        "frags 100",
        "delay 100",
        "delay 2147483647",
        "rate 100",
        "ratep 200",
        "udp_src_min 1",
        "udp_dst_min 2",
        "udp_src_max 3",
        "udp_dst_max 4",
        "clone_skb 0",
        "count 100",
        "src_mac_count 100",
        "dst_mac_count 100",
        "burst 0",
        "node 100",
        "xmit_mode start_xmit",
        "xmit_mode netif_receive",
        "xmit_mode queue_xmit",
        "flag UDPCSUM",
        "flag !UDPCSUM",
        "dst_min 101.102.103.104",
        "dst 101.102.103.104",
        "dst_max 201.202.203.204",
        "dst6 2001:db38:1234:0000:0000:0000:0000:0000",
        "dst6_min 2001:db8:1234:0000:0000:0000:0000:0000",
        "dst6_max 2001:db8:1234:0000:0000:0000:0000:0000",
        "src6 2001:db38:1234:0000:0000:0000:0000:0000",
        "src_min 101.102.103.104",
        "src_max 201.202.203.204",
        "dst_mac 01:02:03:04:05:06",
        "src_mac 11:12:13:14:15:16",
        "clear_counters",
        "flows 100",
        "spi 100",
        "flowlen 100",
        "queue_map_min 1",
        "queue_map_max 2",
        "mpls 00000001",
        "mpls 00000001,000000f2",
        "vlan_id 1",
        "vlan_id 4096",
        "svlan_id 4096",
        "tos 0f",
        "traffic_class f0",
        "skb_priority 999",
    ]
    .iter()
    .map(|text| one(text, Done))
    .collect();
    rows.extend([
        one(&weights(20), Done),
        one(&weights(21), Fails("E2BIG")),
        one(&labels(16), Done),
        one(&labels(17), Fails("E2BIG")),
        one("rate 0", Fails("EINVAL")),
        one("ratep 0", Fails("EINVAL")),
        one("clone_skb 1", Fails("EOPNOTSUPP")),
        one("forsurewrongcommand", Fails("EINVAL")),
        // Taken by write(2), with an error in the Result line.
        one("xmit_mode nonsense", Complains("unknown xmit_mode")),
        one("flag nonsense", Complains("unknown flag")),
        one("tos 0", Complains("must be 00-ff")),
        one("tos 0ff", Complains("must be 00-ff")),
        one("vlan_p 1", Complains("needs vlan_id")),
        one("vlan_cfi 1", Complains("needs vlan_id")),
        one("svlan_id 1", Complains("svlan_id needs vlan_id")),
    ]);
    for (last, answer) in
        [("vlan_p 1", Done), ("vlan_cfi 1", Done), ("svlan_id 1", Done), ("vlan_p 8", Complains("must be 0-7"))]
    {
        rows.push((vec!["vlan_id 1".into(), last.into()], answer));
    }
    for last in ["svlan_p 1", "svlan_cfi 1"] {
        rows.push((vec!["vlan_id 1".into(), "svlan_id 1".into(), last.into()], Done));
    }
    rows
}

#[test]
fn the_checker_answers_as_the_kernel_does() {
    let rows = rows();
    assert!(rows.len() >= 75, "{}", rows.len());
    for (commands, expected) in rows {
        let mut kernel = kernel();
        let answers: Vec<Answer> = commands.iter().map(|text| kernel.write("lo@0", &format!("{text}\0"))).collect();
        assert_eq!(answers.last(), Some(&expected), "{commands:?}");
        assert!(answers[..answers.len() - 1].iter().all(|answer| *answer == Done), "{commands:?}");
    }
}

#[test]
fn parts_of_a_wrong_command_are_wrong_and_the_obsolete_one_is_taken_whole() {
    let mut kernel = kernel();
    let wrong = "forsureawrongcommand";
    for length in 0..=wrong.len() {
        for file in ["pgctrl", "kpktgend_0", "lo@0"] {
            assert_eq!(kernel.write(file, &wrong[..length]), Fails("EINVAL"), "{length} letters > {file}");
        }
    }
    let legacy = "max_before_softirq";
    for length in 0..=legacy.len() {
        let expected = if length == legacy.len() { Done } else { Fails("EINVAL") };
        assert_eq!(kernel.write("kpktgend_0", &legacy[..length]), expected);
    }
    for command in ["stop", "start", "reset", "stop\0"] {
        assert_eq!(kernel.write("pgctrl", command), Done, "{command}");
    }
    assert_eq!(kernel.write("kpktgend_0", "rem_device_all\0"), Done);
    assert_eq!(kernel.write("lo@0", "count 1"), Fails("ENOENT"));
}

/// The importer never takes what the kernel does not, whatever the driver, and says so at the line.
#[test]
fn the_importer_drops_what_the_kernel_does_not_take() {
    for (commands, expected) in rows() {
        let driver = matches!(expected, Fails("EOPNOTSUPP"));
        let lines: String =
            commands.iter().map(|text| format!("echo \"{text}\" > /proc/net/pktgen/eth1@0\n")).collect();
        let script = format!(
            "echo add_device eth1@0 > /proc/net/pktgen/kpktgend_0\necho dst_mac 02:00:00:00:00:02 > /proc/net/pktgen/eth1@0\n{lines}"
        );
        let imported = match import(Dialect::Pktgen, "t.sh", script.as_bytes(), &Given::default()) {
            Ok(imported) => imported,
            // Taken by the kernel, and longer than a frame here may be.
            Err(why) => {
                assert!(why.to_string().contains("4004 does not fit"), "{commands:?}: {why}");
                continue;
            }
        };
        let line = 2 + commands.len();
        let dropped = imported.report.notes.iter().any(|note| note.line == line && note.kind.word() == "dropped");
        // An outer tag without an inner one is kept in mind, and not sent.
        let told = dropped || commands.last().is_some_and(|last| last.starts_with("svlan_id 1"));
        if expected != Done && !driver {
            assert!(told, "{commands:?}: {:?}", imported.report);
        }
    }
}
