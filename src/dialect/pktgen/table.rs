//! The one table of pktgen's parameters and flags: what each is here, with an example that a test tries.

/// How a parameter of pktgen fares here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Same,
    Different,
    NotHere,
}

/// One parameter, flag or command.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub verdict: Verdict,
    /// How it is different, or why it is not here; what stands for it otherwise.
    pub how: &'static str,
    /// Commands to a device, `; ` between them, that show it.
    pub example: &'static str,
    /// `KEY = VALUE` of the profile that comes of them, below `[tx]` or the flow; empty where nothing does.
    pub gives: &'static str,
}

const fn same(name: &'static str, how: &'static str, example: &'static str, gives: &'static str) -> Row {
    Row { name, verdict: Verdict::Same, how, example, gives }
}

const fn different(name: &'static str, how: &'static str, example: &'static str, gives: &'static str) -> Row {
    Row { name, verdict: Verdict::Different, how, example, gives }
}

const fn not_here(name: &'static str, how: &'static str, example: &'static str) -> Row {
    Row { name, verdict: Verdict::NotHere, how, example, gives: "" }
}

#[rustfmt::skip]
pub static PARAMETERS: &[Row] = &[
    different("count", "exact; pktgen looks only after a burst and may send up to burst - 1 more. `tx.count`, or the flow's where there are several devices. pktgen's default of 1000 is written out", "count 64", "tx.count = 64"),
    different("clone_skb", "0 and 1 both build every packet anew. Copies here are one number, `clone` = max(1, clone_skb) x burst", "clone_skb 64", "clone = 64"),
    different("burst", "pktgen sends one packet `burst` times; here `burst` is packets per doorbell and repeats nothing. Import puts the repetition into `clone`", "burst 32", "clone = 32"),
    different("delay", "ns between calls of the driver, so between bursts; here a rate is of packets: `every N ns`, times burst. 2147483647 (never) is `enabled = false`", "delay 1000", "rate = every 1 us"),
    different("rate", "Mbit/s, digits only: `1G` is 1. pktgen turns it into a delay once, out of the least size at that moment, whole nanoseconds, and forgets the burst; here `100 Mbit/s` holds whatever changes", "pkt_size 100; rate 100", "rate = 100 Mbit/s"),
    different("ratep", "packets a second, which pktgen rounds to whole nanoseconds (14.88 Mpps becomes 14.925)", "ratep 1000", "rate = 1000 pps"),
    different("pkt_size", "without FCS on both sides. pktgen raises the payload to 16 bytes, so 42 sends 58 (IPv4) or 78 (IPv6); here a size is what is sent, and below 60 it needs `runt = true`", "pkt_size 124", "size = 124"),
    same("min_pkt_size", "both ends inclusive, one byte more every built packet", "min_pkt_size 60; max_pkt_size 124", "size = 60..124"),
    different("max_pkt_size", "exclusive with TXSIZE_RND in pktgen; inclusive here always", "min_pkt_size 60; max_pkt_size 124; flag TXSIZE_RND", "size = random 60..123"),
    different("imix_weights", "pktgen draws from 100 slots (whole percents, small weights can vanish); here shares are exact over a fixed cycle, and all figures count true bytes", "imix_weights 60,7 590,4 1514,1", "size = imix 60:7,590:4,1514:1"),
    not_here("frags", "parts of one packet in memory: the bytes on the wire are the same. Frames above a chunk are split by themselves", "frags 4"),
    different("xmit_mode", "start_xmit is what AF_XDP does. No queueing discipline lies in front of it (queue_xmit), and nothing is fed into the machine's own stack (netif_receive)", "xmit_mode start_xmit", "enabled = true"),
    same("dst", "the same as dst_min", "dst 198.18.0.9", "ipv4.dst = 198.18.0.9"),
    same("dst_min", "with dst_max a range, inclusive", "dst_min 198.18.0.1; dst_max 198.18.0.9", "ipv4.dst = 198.18.0.1..198.18.0.9"),
    different("dst_max", "exclusive with IPDST_RND in pktgen, which also leaves out loopback, multicast and broadcast", "dst_min 198.18.0.1; dst_max 198.18.0.9; flag IPDST_RND", "ipv4.dst = random 198.18.0.1..198.18.0.8"),
    different("src_min", "not set it is the device's own address there, 198.18.0.1 here", "src_min 198.18.0.7", "ipv4.src = 198.18.0.7"),
    different("src_max", "exclusive with IPSRC_RND in pktgen", "src_min 198.18.0.1; src_max 198.18.0.9; flag IPSRC_RND", "ipv4.src = random 198.18.0.1..198.18.0.8"),
    same("dst6", "makes the packets IPv6", "dst6 2001:db8::9; flag UDPCSUM", "ipv6.dst = 2001:db8::9"),
    same("dst6_min", "with dst6_max random bits, (random OR min) AND max; a block of addresses is a range here", "dst6_min 2001:db8::; dst6_max 2001:db8::ff; flag UDPCSUM", "ipv6.dst = random 2001:db8::..2001:db8::ff"),
    same("dst6_max", "any other pair is a mask", "dst6_min 2001:db8::1; dst6_max 2001:db8::f0f1; flag UDPCSUM", "ipv6.dst = { random = \"2001:db8::1\", mask = \"::f0f0\", every = 1 }"),
    different("src6", "not set it is the device's link-local address there, 2001:db8::1 here", "dst6 2001:db8::9; src6 2001:db8::5; flag UDPCSUM", "ipv6.src = 2001:db8::5"),
    different("dst_mac", "not set it is 00:00:00:00:00:00 there, which is refused here", "dst_mac 02:00:00:00:00:05", "eth.dst = 02:00:00:00:00:05"),
    same("src_mac", "not set it is the device's", "src_mac 02:00:00:00:00:05", "eth.src = 02:00:00:00:00:05"),
    same("src_mac_count", "a sweep over so many addresses; the first must be known (src_mac)", "src_mac 02:00:00:00:00:05; src_mac_count 4", "eth.src = 02:00:00:00:00:05..02:00:00:00:00:08"),
    same("dst_mac_count", "a sweep over so many addresses", "dst_mac 02:00:00:00:00:05; dst_mac_count 4", "eth.dst = 02:00:00:00:00:05..02:00:00:00:00:08"),
    same("udp_src_min", "9 where it is not set", "udp_src_min 1024; udp_src_max 1024", "udp.src = 1024"),
    different("udp_src_max", "exclusive in pktgen, in order and at random alike: 9 to 109 are the ports 9..108. Port 65535 cannot be reached there", "udp_src_min 9; udp_src_max 109", "udp.src = 9..108"),
    same("udp_dst_min", "9 where it is not set", "udp_dst_min 53; udp_dst_max 53", "udp.dst = 53"),
    different("udp_dst_max", "exclusive in pktgen, as udp_src_max", "udp_dst_min 9; udp_dst_max 109; flag UDPDST_RND", "udp.dst = random 9..108"),
    different("flows", "a flow of pktgen keeps only its destination address, and at most 65536 are kept; here a conversation keeps addresses and ports", "udp_src_min 1000; udp_src_max 1100; flows 100; flowlen 10; flag FLOW_SEQ", "flows.count = 100"),
    same("flowlen", "built packets of each, so copies multiply it", "udp_src_min 1000; udp_src_max 1100; flows 100; flowlen 10; flag FLOW_SEQ", "flows.length = 10"),
    different("queue_map_min", "one sender a queue here: a range of queues is as many senders, which build in turn as pktgen's one thread does", "queue_map_min 2; queue_map_max 2", "tx.queues = 2"),
    different("queue_map_max", "as queue_map_min; pktgen takes it modulo the queues there are, here a queue that is not there is an error", "queue_map_min 0; queue_map_max 3", "tx.queues = 0,1,2,3"),
    not_here("skb_priority", "AF_XDP has no queueing discipline that would look at it. For priority on the wire: `vlan.pcp`, `ipv4.dscp`", "skb_priority 5"),
    same("tos", "DSCP and ECN in two fields here", "tos b8", "ipv4.dscp = 46"),
    same("traffic_class", "DSCP and ECN in two fields here", "dst6 2001:db8::9; flag UDPCSUM; traffic_class b8", "ipv6.dscp = 46"),
    same("vlan_id", "TPID 0x8100; above 4095 takes the tags out", "vlan_id 100", "vlan.0.id = 100"),
    same("vlan_p", "", "vlan_id 100; vlan_p 5", "vlan.0.pcp = 5"),
    same("vlan_cfi", "called DEI today", "vlan_id 100; vlan_cfi 1", "vlan.0.dei = true"),
    same("svlan_id", "the outer tag; its TPID is 0x8100 in pktgen too, `tpid = 0x88a8` here is 802.1ad", "vlan_id 100; svlan_id 200", "vlan.0.id = 200"),
    same("svlan_p", "", "vlan_id 100; svlan_id 200; svlan_p 3", "vlan.0.pcp = 3"),
    same("svlan_cfi", "", "vlan_id 100; svlan_id 200; svlan_cfi 1", "vlan.0.dei = true"),
    same("mpls", "up to 16 entries in hex; the S bit of the last is set for you, and one you set makes that label random. 0 takes them out", "mpls 0001000a,0002000a", "mpls.1.label = 32"),
    not_here("node", "packet memory is where the kernel gives it; pin the sender with `cpus`", "node 0"),
    not_here("spi", "no IPsec", "spi 5"),
    not_here("clear_counters", "nothing resets a counter here; every run begins at 0", "clear_counters"),
    not_here("debug", "a switch of the kernel module", "debug 1"),
    different("flag", "see the flags", "flag UDPCSUM", "udp.checksum = true"),
];

#[rustfmt::skip]
pub static FLAGS: &[Row] = &[
    different("IPSRC_RND", "random here includes both ends: the last address is one less", "src_min 198.18.0.1; src_max 198.18.0.9; flag IPSRC_RND", "ipv4.src = random 198.18.0.1..198.18.0.8"),
    different("IPDST_RND", "as IPSRC_RND; IPv6 destinations are random without it", "dst_min 198.18.0.1; dst_max 198.18.0.9; flag IPDST_RND", "ipv4.dst = random 198.18.0.1..198.18.0.8"),
    different("TXSIZE_RND", "both ends included here", "min_pkt_size 60; max_pkt_size 124; flag TXSIZE_RND", "size = random 60..123"),
    same("UDPSRC_RND", "seeded here", "udp_src_min 9; udp_src_max 109; flag UDPSRC_RND", "udp.src = random 9..108"),
    same("UDPDST_RND", "seeded here", "udp_dst_min 9; udp_dst_max 109; flag UDPDST_RND", "udp.dst = random 9..108"),
    different("UDPCSUM", "computed in software, never by the device; on by default here. Without it UDP over IPv6 is illegal and dropped by receivers, so there it is always on", "flag UDPCSUM", "udp.checksum = true"),
    same("MACSRC_RND", "random over src_mac_count addresses", "src_mac 02:00:00:00:00:05; src_mac_count 4; flag MACSRC_RND", "eth.src = random 02:00:00:00:00:05..02:00:00:00:00:08"),
    same("MACDST_RND", "random over dst_mac_count addresses", "dst_mac 02:00:00:00:00:05; dst_mac_count 4; flag MACDST_RND", "eth.dst = random 02:00:00:00:00:05..02:00:00:00:00:08"),
    same("VID_RND", "0 to 4095", "vlan_id 1; flag VID_RND", "vlan.0.id = random 0..4095"),
    same("SVID_RND", "0 to 4095", "vlan_id 1; svlan_id 2; flag SVID_RND", "vlan.0.id = random 0..4095"),
    same("MPLS_RND", "labels whose S bit was set; turned on by it", "mpls 00010100,0002000a; flag MPLS_RND", "mpls.0.label = random 0..1048575"),
    different("QUEUE_MAP_RND", "in turn here", "queue_map_min 0; queue_map_max 3; flag QUEUE_MAP_RND", "tx.queues = 0,1,2,3"),
    same("QUEUE_MAP_CPU", "the queue of the thread's number; `cpus` pins senders", "flag QUEUE_MAP_CPU", "tx.queues = 0"),
    same("FLOW_SEQ", "", "udp_src_min 1000; udp_src_max 1100; flows 100; flowlen 10; flag FLOW_SEQ", "flows.order = sequential"),
    different("FLOW_RND", "the same as !FLOW_SEQ: each of a round's packets comes exactly once here, shuffled", "udp_src_min 1000; udp_src_max 1100; flows 100; flowlen 10; flag FLOW_RND", "flows.order = random"),
    not_here("IPSEC", "no IPsec", "flag IPSEC"),
    not_here("NODE", "see node", "flag NODE"),
    different("NO_TIMESTAMP", "the time is always written; the clock is read once a burst, so it costs next to nothing. `payload.kind = \"zero\"` has no header at all", "flag NO_TIMESTAMP", "payload.kind = pktgen"),
    same("IPV6", "can only be cleared; dst6 and src6 set it", "dst6 2001:db8::9; flag !IPV6", "ipv4.ttl = 32"),
    not_here("SHARED", "how the kernel keeps a packet; cleared it forbids clones and bursts. Packets in flight are never rewritten here", "flag !SHARED"),
];

/// Files and commands around the devices, and what modern devices offer beside pktgen.
#[rustfmt::skip]
pub static AROUND: &[Row] = &[
    different("add_device", "`DEV@NAME` on thread N is a flow called NAME (DEV-N for a number); a profile sends on one device", "", ""),
    same("rem_device_all", "followed on import, so that what was there before is gone", "", ""),
    not_here("max_before_softirq", "obsolete in the kernel too: accepted and ignored", "", ),
    different("start", "`txdeck run`, or the start key. Import takes what stands at the first start", "", ""),
    different("stop", "the stop key, a signal, `count` or `duration`; pktgen has no duration", "", ""),
    same("reset", "followed on import", "", ""),
    different("pg_count_d, pg_delay_d, pg_clone_skb_d", "the module's own defaults are not known to an import: 1000, 0 and 0 are taken", "", ""),
    different("TTL, hop limit", "32 in pktgen; 64 here unless set. Import sets 32", "", ""),
    different("IPv4 id", "counts up in pktgen; 0 here unless set. Import sets a sweep", "", ""),
    different("pktgen header", "magic, sequence number and time in 16 bytes on both sides; here 2 bytes of stream number follow where room is left", "", ""),
    not_here("TX metadata: checksum offload", "checksums are computed in software, from what changed only; the bytes are right on every device, and in preview", ""),
    not_here("TX metadata: time stamp", "a device's own send time is not asked for; the time in the packet is the machine's clock", ""),
    not_here("TX metadata: launch time", "packets leave when they are due by the machine's clock, see rates", ""),
];

pub fn parameter(name: &str) -> Option<&'static Row> {
    PARAMETERS.iter().find(|row| row.name == name)
}

/// Markdown, for the reference.
pub fn reference() -> String {
    let mut out = String::new();
    for (heading, rows) in [("parameter", PARAMETERS), ("flag", FLAGS), ("around", AROUND)] {
        out.push_str(&format!("| {heading} | here | how | becomes |\n|---|---|---|---|\n"));
        for row in rows {
            let verdict = match row.verdict {
                Verdict::Same => "same",
                Verdict::Different => "different",
                Verdict::NotHere => "not here",
            };
            let becomes = if row.gives.is_empty() { String::new() } else { format!("`{}`", row.gives) };
            let becomes = becomes.replace('|', "\\|");
            out.push_str(&format!("| `{}` | {verdict} | {} | {becomes} |\n", row.name, row.how.replace('|', "\\|")));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::dialect::pktgen::device;

    #[test]
    fn every_parameter_and_flag_stands_once() {
        let names: Vec<&str> = PARAMETERS.iter().chain(FLAGS).map(|row| row.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let mut flags: Vec<&str> = FLAGS.iter().map(|row| row.name).collect();
        let mut known = device::FLAGS.to_vec();
        flags.sort_unstable();
        known.sort_unstable();
        assert_eq!(flags, known);
        assert!(PARAMETERS.iter().all(|row| row.example.contains(row.name)));
    }
}
