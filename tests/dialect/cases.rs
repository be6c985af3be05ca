//! Cases of other programs' bug reports, as far as they are kernel pktgen's; the files are rebuilt by hand in small.

use txdeck::{
    dialect::{Dialect, Given, Imported, import},
    profile::Document,
};

use crate::frames::frames;

pub fn read(file: &str, text: &str, arguments: &str) -> (Document, Imported) {
    let given = Given { arguments: arguments.split_whitespace().map(str::to_owned).collect() };
    let imported = import(Dialect::Pktgen, file, text.as_bytes(), &given).unwrap_or_else(|why| panic!("{why}"));
    let document = Document::parse(file, &imported.text).unwrap_or_else(|why| panic!("{why}\n{}", imported.text));
    (document, imported)
}

fn refused(text: &str, arguments: &str) -> String {
    let given = Given { arguments: arguments.split_whitespace().map(str::to_owned).collect() };
    import(Dialect::Pktgen, "t.sh", text.as_bytes(), &given).expect_err(text).to_string()
}

/// Commands to one device, with what every one needs in front.
pub fn device(commands: &str) -> (Document, Imported) {
    let commands = format!("dst_mac 02:00:00:00:00:05; src_min 198.18.0.1; dst 198.18.0.2; count 0; {commands}");
    let lines = commands.split("; ").map(|text| format!("echo \"{text}\" > /proc/net/pktgen/eth1\n"));
    let script = "echo add_device eth1 > /proc/net/pktgen/kpktgend_0\n".to_owned() + &lines.collect::<String>();
    read("t.sh", &script, "")
}

pub fn get(document: &Document, key: &str) -> String {
    let flow = &document.profile().flows[0].name;
    let own = document.get(&format!("flow.{flow}.{key}")).filter(|value| !value.is_empty());
    own.or_else(|| document.get(key)).unwrap_or_default()
}

fn notes(imported: &Imported, kind: &str) -> Vec<(usize, String)> {
    let notes = imported.report.notes.iter().filter(|note| note.kind.word() == kind);
    notes.map(|note| (note.line, note.sentence.clone())).collect()
}

fn says(imported: &Imported, word: &str) -> bool {
    imported.report.notes.iter().any(|note| note.sentence.contains(word))
}

const D01: &str = include_str!("pktgen/d01-burst-single-flow.sh");
const D02: &str = include_str!("pktgen/d02-many-flows.sh");
const D03_FLOWS: &str = include_str!("pktgen/d03-flows.conf");
const D03_LINES: &str = include_str!("pktgen/d03-echo-lines.sh");
const D05_CLONES: &str = include_str!("pktgen/d05-burst-clones.sh");
const D05_GLOBALS: &str = include_str!("pktgen/d05-globals.sh");

#[test]
fn d01_the_sample_style_with_given_options() {
    let (document, imported) = read("d01.sh", D01, "-i eth1");
    let profile = document.profile();
    assert_eq!((profile.tx.device.as_deref(), profile.tx.burst, profile.tx.clone), (Some("eth1"), 32, 32));
    assert_eq!((get(&document, "size"), get(&document, "ipv4.dst")), ("60".into(), "198.18.0.77".into()));
    assert_eq!((get(&document, "eth.dst"), profile.tx.count), ("02:e2:ba:ff:ff:ff".into(), 0));
    let burst = D01.lines().position(|line| line.contains("\"burst ")).unwrap() + 1;
    assert!(notes(&imported, "converted").iter().any(|(line, why)| *line == burst && why.contains("clone = 32")));
    // IPv6 by ${IP6}, a range of ports at random, two threads from the third on.
    let (document, imported) = read("d01.sh", D01, "-i eth1 -6 -p 433-444 -t 2 -f 3 -b 0 -s 128 -n 5000 -w 1000");
    let profile = document.profile();
    assert_eq!(profile.tx.queues, [3, 4]);
    let names: Vec<&str> = profile.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["eth1-3", "eth1-4"]);
    assert_eq!((get(&document, "ipv6.dst"), get(&document, "udp.dst")), ("fd00::7".into(), "random 433..443".into()));
    assert_eq!(
        (get(&document, "rate"), get(&document, "count"), get(&document, "size")),
        ("every 1 us".into(), "5000".into(), "128".into())
    );
    assert!(says(&imported, "receivers would drop"), "C26: {:?}", imported.report);
    // A block of addresses.
    let (document, _) = read("d01.sh", D01, "-i eth1 -d 198.18.4.0/24");
    assert_eq!(get(&document, "ipv4.dst"), "198.18.4.0..198.18.4.255");
    let (document, _) = read("d01.sh", D01, "-i eth1 -6 -d fd00::/120");
    assert_eq!(get(&document, "ipv6.dst"), "random fd00::..fd00::ff");
}

#[test]
fn d02_c32_many_flows_of_ten_packets_back_to_back() {
    let (document, imported) = read("d02.sh", D02, "-i eth1");
    assert_eq!(get(&document, "flows.count"), "8000");
    assert_eq!((get(&document, "flows.length"), get(&document, "flows.order")), ("10".into(), "sequential".into()));
    assert_eq!(get(&document, "ipv4.src"), "random 198.18.0.0..198.19.255.254");
    assert!(says(&imported, "destination address only"), "{:?}", imported.report);
    let (_, frames) = frames(&document, 200).remove(0);
    let runs: Vec<&[u8]> = frames.chunks(10).map(|run| &run[0][26..38]).collect();
    assert!(frames.chunks(10).zip(&runs).all(|(run, first)| run.iter().all(|frame| frame[26..38] == **first)));
    assert!(runs.windows(2).all(|pair| pair[0] != pair[1]));
    // With a burst the script itself stops; txdeck says so in its words.
    let why = refused(D02, "-i eth1 -b 32");
    assert!(why.starts_with("t.sh:14:") && why.contains("Bursting not supported for this mode"), "{why}");
    // More than the kernel keeps.
    let many = D02.replace("\"8000\"", "\"70000\"");
    let (document, imported) = read("d02.sh", &many, "-i eth1");
    assert_eq!(get(&document, "flows.count"), "65536");
    assert!(says(&imported, "clipped to 65536"));
    let (document, _) = read("d02.sh", &D02.replace("\"8000\"", "\"0\""), "-i eth1");
    assert!(document.profile().flows[0].conversations.is_none());
}

#[test]
fn d03_c73_echo_lines_and_pgset_make_the_same_kind_of_flow() {
    let (document, imported) = read("d03.sh", D03_LINES, "");
    let profile = document.profile();
    assert_eq!((profile.tx.device.as_deref(), profile.tx.count), (Some("eth1"), 150_000));
    for (key, value) in [
        ("size", "1460"),
        ("udp.src", "5000"),
        ("udp.dst", "6000"),
        ("ipv4.dst", "random 198.18.1.1..198.18.1.199"),
        ("eth.src", "02:00:00:00:00:01"),
        ("eth.dst", "02:00:00:00:00:05"),
        ("ipv4.ttl", "32"),
    ] {
        assert_eq!(get(&document, key), value, "{key}");
    }
    let dropped = notes(&imported, "dropped");
    assert_eq!(dropped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [17], "{dropped:?}");
    let (document, imported) = read("d03.conf", D03_FLOWS, "");
    let profile = document.profile();
    assert_eq!((profile.tx.device.as_deref(), profile.tx.count, profile.tx.clone), (Some("eth1"), 10_000_000, 0));
    assert_eq!(get(&document, "eth.dst"), "00:04:23:08:91:dc", "two blanks in front");
    assert_eq!(get(&document, "ipv4.dst"), "random 10.0.0.0..10.255.255.254");
    assert_eq!((get(&document, "flows.count"), get(&document, "flows.order")), ("8192".into(), "random".into()));
    assert!(notes(&imported, "dropped").is_empty(), "{:?}", imported.report);
    // Notes stand at the command, not inside the helper.
    let line = D03_FLOWS.lines().position(|line| line.contains("dst_max")).unwrap() + 1;
    assert!(notes(&imported, "converted").iter().any(|(at, _)| *at == line), "{:?}", imported.report);
    // Without a device the question is asked, not answered.
    let (document, imported) = read("d01.sh", D01, "");
    assert!(document.profile().tx.device.is_none() && says(&imported, "no device is named"));
}

#[test]
fn d05_clones_times_burst_and_one_thread_more() {
    let (document, imported) = read("d05.sh", D05_CLONES, "-i eth1 -b 8 -t 2");
    let profile = document.profile();
    assert_eq!((profile.flows.len(), profile.tx.burst), (3, 8));
    assert!(profile.flows.iter().all(|flow| flow.clone == Some(800_000)), "{}", imported.text);
    assert_eq!(profile.tx.queues, [0, 1, 2]);
    assert!(says(&imported, "100000 x 8 = 800000 times"), "{:?}", imported.report);
    let (document, imported) = read("d05.sh", D05_GLOBALS, "-i eth1");
    assert_eq!((get(&document, "udp.src"), get(&document, "ipv4.dst")), ("random 9..108".into(), "10.10.10.1".into()));
    assert_eq!(document.profile().tx.clone, 64);
    assert!(says(&imported, "ports 9 to 108"));
}

#[test]
fn c74_devices_on_threads_are_flows_and_clone_0_builds_anew() {
    let text = include_str!("pktgen/sample02-multiqueue.sh");
    let (document, _) = read("sample02.sh", text, "-i eth1 -t 4");
    let profile = document.profile();
    let names: Vec<&str> = profile.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), &profile.tx.queues[..]),
        (&["eth1-0", "eth1-1", "eth1-2", "eth1-3"][..], &[0, 1, 2, 3][..])
    );
    assert!(profile.flows.iter().zip(0..).all(|(flow, queue)| flow.queues == Some(vec![queue])));
    // Append mode: nothing is reset and nothing started, twice.
    let both = format!("{text}\n{text}").replacen("${DEV}@", "${DEV}@a", 1).replace("# A queue", "#");
    let (document, _) = read("two.sh", &both, "-i eth1 -t 2 -a");
    assert_eq!(document.profile().flows.len(), 4);
    let text = include_str!("pktgen/sample05-flow-per-thread.sh");
    let (document, _) = read("sample05.sh", text, "-i eth1 -t 3 -f 1");
    let sources: Vec<String> = ["eth1-1", "eth1-2", "eth1-3"]
        .iter()
        .map(|name| document.get(&format!("flow.{name}.ipv4.src")).unwrap())
        .collect();
    assert_eq!(sources, ["198.18.2.1", "198.18.3.1", "198.18.4.1"]);
    let (document, imported) = read("sample06.sh", include_str!("pktgen/sample06-numa.sh"), "-i eth1 -t 2 -f 1");
    assert_eq!(document.profile().tx.queues, [0, 1]);
    assert!(!notes(&imported, "assumed").is_empty(), "CPUs and interrupts are the machine's");
    for (clone, expected) in [("0", 0), ("1", 0), ("64", 64)] {
        let (document, _) = device(&format!("clone_skb {clone}"));
        assert_eq!(document.profile().tx.clone, expected, "clone_skb {clone}");
    }
}

#[test]
fn c05_a_loop_repeats_lines_and_nothing_else() {
    let one = device("udp_src_min 1; udp_src_max 17").0;
    let text = "dev=/proc/net/pktgen/eth1\necho add_device eth1 > /proc/net/pktgen/kpktgend_0\nfor i in $(seq 1 10); do\n\
        for line in 'dst_mac 02:00:00:00:00:05' 'src_min 198.18.0.1' 'dst 198.18.0.2' 'count 0' 'udp_src_min 1' 'udp_src_max 17'; do\n\
        echo $line > $dev\ndone\ndone\n";
    let (ten, imported) = read("t.sh", text, "");
    assert_eq!(ten.profile().flows, one.profile().flows);
    assert_eq!(ten.profile().flows[0].udp.as_ref().map(|udp| udp.src.positions()), Some(16));
    let lines: Vec<usize> = imported.report.notes.iter().map(|note| note.line).collect();
    assert!(lines.len() <= 3, "said once, not ten times: {:?}", imported.report);
}

#[test]
fn c07_c12_delays_are_rates_exactly() {
    let rate = |commands: &str| get(&device(commands).0, "rate");
    assert_eq!(rate("delay 1000000000"), "every 1 s");
    assert_eq!(rate("delay 2000000000"), "every 2 s");
    assert_eq!(rate("ratep 1000"), "1000 pps");
    assert_eq!(rate("ratep 14880000"), "every 67 ns");
    assert_eq!(rate("pkt_size 60; rate 100"), "100 Mbit/s");
    assert_eq!(rate("delay 0"), "max");
    assert_eq!(rate("burst 32; delay 1000000"), "every 31250 ns");
    assert_eq!(rate("burst 3; delay 1000"), "3000000 pps");
    let (document, imported) = device("delay 2147483647");
    assert!(!document.profile().flows[0].enabled && says(&imported, "never"));
}

#[test]
fn the_traps_of_rates_are_told() {
    let (document, imported) = device("pkt_size 100; rate 1G");
    assert_eq!(get(&document, "rate"), "1 Mbit/s");
    assert!(says(&imported, "digits only, so \"1G\" is 1"), "{:?}", imported.report);
    let (document, imported) = device("rate 1000; pkt_size 100");
    assert_eq!(get(&document, "rate"), "max");
    assert!(says(&imported, "the size was not set yet"));
    let (document, imported) = device("pkt_size 100; rate 333");
    assert_eq!(get(&document, "rate"), "every 2402 ns");
    assert!(says(&imported, "every 2402 ns"));
    let (_, imported) = device("rate 0");
    assert!(notes(&imported, "dropped").iter().any(|(_, why)| why.contains("refused by the kernel")));
}

#[test]
fn c10_every_key_that_is_not_honoured_is_named_with_its_line() {
    let commands =
        ["frags 4", "skb_priority 3", "node 1", "spi 5", "clear_counters", "debug 1", "flag NODE", "nonsense 5"];
    let (_, imported) = device(&commands.join("; "));
    let dropped: Vec<usize> = notes(&imported, "dropped").into_iter().map(|(line, _)| line).collect();
    assert_eq!(dropped, (6..14).collect::<Vec<_>>(), "{:?}", imported.report);
}

#[test]
fn c16_a_size_is_without_fcs_on_both_sides() {
    let (document, imported) = device("flag UDPCSUM; pkt_size 60");
    assert_eq!(get(&document, "size"), "60");
    assert!(imported.report.is_empty(), "{:?}", imported.report);
    assert!(frames(&document, 3)[0].1.iter().all(|frame| frame.len() == 60));
}

#[test]
fn c22_the_floor_of_58_and_78_bytes() {
    for (commands, size) in [("pkt_size 42", "58"), ("pkt_size 57", "58"), ("pkt_size 59", "59"), ("pkt_size 0", "58")]
    {
        let (document, _) = device(commands);
        assert_eq!((get(&document, "size"), get(&document, "runt")), (size.into(), "true".into()), "{commands}");
    }
    let (document, imported) = device("dst6 2001:db8::2; flag UDPCSUM; pkt_size 60; vlan_id 3");
    assert_eq!(get(&document, "size"), "82");
    assert!(says(&imported, "82 are sent, not 60"), "{:?}", imported.report);
    let (document, _) = device("min_pkt_size 42; max_pkt_size 100");
    assert_eq!(get(&document, "size"), "58..100");
    // A greatest size that is not meant any more survives in the kernel.
    let (document, _) = device("pkt_size 300; max_pkt_size 400; pkt_size 300");
    assert_eq!(get(&document, "size"), "300..400");
    let (document, _) = device("pkt_size 124; max_pkt_size 100");
    assert_eq!(get(&document, "size"), "124");
}

#[test]
fn c26_without_udpcsum_ipv4_has_none_and_ipv6_is_told() {
    let (document, imported) = device("pkt_size 60");
    assert_eq!(get(&document, "udp.checksum"), "false");
    assert!(imported.report.is_empty());
    let (document, imported) = device("dst6 2001:db8::2; src6 2001:db8::1; pkt_size 80");
    assert_eq!(get(&document, "udp.checksum"), "true");
    assert!(says(&imported, "illegal over IPv6"));
}

#[test]
fn c34_ports_the_wrong_way_round() {
    let why = refused(D01, "-i eth1 -p 2000-1000");
    assert!(why.contains("Invalid port(s): 2000-1000"), "{why}");
    // The kernel itself takes a range that is none for its first value.
    assert_eq!(get(&device("udp_src_min 2000; udp_src_max 1000").0, "udp.src"), "2000");
    let (document, imported) = device("udp_dst_min 70000");
    assert_eq!(get(&document, "udp.dst"), "4464");
    assert!(says(&imported, "16 bits"));
}

#[test]
fn c35_the_greatest_port_is_exclusive_and_stays_so_on_every_way_round() {
    let (document, imported) = device("udp_src_min 9; udp_src_max 109; flag UDPSRC_RND; flag UDPCSUM");
    assert_eq!(get(&document, "udp.src"), "random 9..108");
    assert!(says(&imported, "ports 9 to 108"));
    let ports: std::collections::BTreeSet<u16> =
        frames(&document, 5000)[0].1.iter().map(|frame| u16::from_be_bytes([frame[34], frame[35]])).collect();
    assert_eq!((ports.len(), ports.first(), ports.last()), (100, Some(&9), Some(&108)));
    let mut text = imported.text;
    for _ in 0..3 {
        let document = Document::parse("t", &text).unwrap();
        let exported = txdeck::dialect::export(Dialect::Pktgen, &document).unwrap();
        assert!(exported.text.contains("udp_src_max 109"), "{}", exported.text);
        text = read("t.sh", &exported.text, "").1.text;
    }
    assert_eq!(get(&Document::parse("t", &text).unwrap(), "udp.src"), "random 9..108");
}

#[test]
fn c38_label_stacks() {
    let (document, imported) = device("mpls 0001000a,0002000a,0000000a; pkt_size 128; flag UDPCSUM");
    let frame = &frames(&document, 1)[0].1[0];
    assert_eq!(frame[12..26], [0x88, 0x47, 0, 1, 0, 10, 0, 2, 0, 10, 0, 0, 1, 10], "S on the last only");
    assert!(imported.report.is_empty());
    let list = |count: usize| vec!["0001000a"; count].join(",");
    assert_eq!(device(&format!("pkt_size 200; mpls {}", list(16))).0.profile().flows[0].mpls.len(), 16);
    let (document, imported) = device(&format!("pkt_size 200; mpls 0003000a; mpls {}", list(17)));
    assert_eq!(document.profile().flows[0].mpls.len(), 1, "nothing is half done");
    assert!(says(&imported, "label 17"), "{:?}", imported.report);
    let (document, imported) = device("pkt_size 128; mpls 0001000a,000200000");
    assert!(document.profile().flows[0].mpls.is_empty() && says(&imported, "label 2"));
    let (document, _) = device("pkt_size 128; mpls 0001010a,0002000a");
    assert_eq!(
        (get(&document, "mpls.0.label"), get(&document, "mpls.1.label")),
        ("random 0..1048575".into(), "32".into())
    );
    assert!(device("mpls 0001000a; mpls 0").0.profile().flows[0].mpls.is_empty());
}

#[test]
fn c41_c43_mixes() {
    let (document, imported) = device("imix_weights 60,7 590,4 1514,1; flag UDPCSUM");
    assert_eq!(get(&document, "size"), "imix 60:7,590:4,1514:1");
    assert!(says(&imported, "60: 58 %, 590: 33 %, 1514: 9 %"), "{:?}", imported.report);
    let frames = frames(&document, 1200).remove(0).1;
    let of = |size: usize| frames.iter().filter(|frame| frame.len() == size).count();
    assert_eq!((of(60), of(590), of(1514)), (700, 400, 100), "exact over the cycle");
    let twenty: Vec<String> = (0..20).map(|n| format!("{},1", 60 + n)).collect();
    assert_eq!(device(&format!("imix_weights {}", twenty.join(" "))).0.profile().flows[0].size.positions(), 20);
    let (document, imported) = device(&format!("pkt_size 99; imix_weights {} 90,1", twenty.join(" ")));
    assert_eq!(get(&document, "size"), "99");
    assert!(says(&imported, "more than 20 sizes"));
    let (document, imported) = device("imix_weights 60,0 590,0");
    assert_eq!(get(&document, "size"), "60");
    assert!(says(&imported, "all weights are 0"));
    let (_, imported) = device("clone_skb 5; imix_weights 60,1");
    assert!(says(&imported, "do not go with clone_skb"));
}

#[test]
fn what_a_device_reads_back_is_a_profile() {
    let (document, imported) = read("eth1@0", include_str!("pktgen/readback.txt"), "");
    assert_eq!(document.profile().tx.device.as_deref(), Some("eth1"));
    assert_eq!(document.profile().tx.count, 1000);
    for (key, value) in [
        ("size", "124"),
        ("rate", "every 2 us"),
        ("ipv4.dst", "198.18.0.2..198.18.0.9"),
        ("udp.src", "random 9..108"),
        ("udp.dst", "53"),
        ("udp.checksum", "true"),
        ("vlan.0.pcp", "3"),
        ("ipv4.dscp", "46"),
        ("eth.dst", "02:00:00:00:00:05"),
    ] {
        assert_eq!(get(&document, key), value, "{key}");
    }
    assert!(notes(&imported, "dropped").is_empty(), "{:?}", imported.report);
}

#[test]
fn nothing_of_a_script_is_executed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made");
    let path = file.display();
    let text =
        format!("touch {path}\n$(touch {path})\n`touch {path}`\necho x > {path}\nsh -c 'touch {path}'\n{D03_LINES}");
    let (document, imported) = read("t.sh", &text, "");
    assert!(!file.exists() && document.profile().tx.count == 150_000);
    assert!(notes(&imported, "dropped").len() >= 3, "{:?}", imported.report);
}

#[test]
fn shell_that_cannot_be_evaluated_is_named() {
    let text = "echo add_device eth1 > /proc/net/pktgen/kpktgend_0\nif [ -d /sys/class/net/eth1 ]; then\n\
        echo count 5 > /proc/net/pktgen/eth1\nfi\necho \"pkt_size $(cat size)\" > /proc/net/pktgen/eth1\n\
        while read x; do\necho \"$x\" > /proc/net/pktgen/eth1\ndone < list\nsource other.sh\n";
    let (_, imported) = read("t.sh", text, "");
    let lines: Vec<usize> = notes(&imported, "dropped").into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [2, 5, 6, 9], "{:?}", imported.report);
    for (text, line) in [("while true; do x=1; done\n", 1), ("a() { a; }\na\n", 1), ("if x\n", 1), ("echo \"\n", 1)] {
        let why = refused(text, "");
        assert!(why.starts_with(&format!("t.sh:{line}:")), "{why}");
    }
    assert!(refused("echo hello\n", "").contains("no pktgen device"));
}
