//! The text that `cat /proc/net/pktgen/DEVICE` gives, of one device or of several in a row.

use crate::dialect::Report;

use super::device::Device;

/// The devices of such a text; `None` where it is none.
pub fn devices(text: &str, report: &mut Report) -> Option<Vec<Device>> {
    if !text.trim_start().starts_with("Params: count ") {
        return None;
    }
    let mut found: Vec<Device> = Vec::new();
    let mut is_running = false;
    for (line, number) in text.lines().zip(1..) {
        if let Some(rest) = line.trim_start().strip_prefix("Params:") {
            found.push(Device::new("", found.len() as u32, number));
            is_running = false;
            pairs(found.last_mut()?, number, rest, report);
            continue;
        }
        let device = found.last_mut()?;
        // Figures of the run follow: they are results, not settings.
        is_running |= line.trim_start().starts_with("Current:");
        if !is_running {
            settings(device, number, line, report);
        }
    }
    Some(found)
}

/// What a word of the text is set with; the others are facts that follow from the settings.
const WORDS: [(&str, &str); 26] = [
    ("count", "count"),
    ("min_pkt_size:", "min_pkt_size"),
    ("max_pkt_size:", "max_pkt_size"),
    ("frags:", ""),
    ("delay:", "delay"),
    ("clone_skb:", "clone_skb"),
    ("flows:", "flows"),
    ("flowlen:", "flowlen"),
    ("queue_map_min:", "queue_map_min"),
    ("queue_map_max:", "queue_map_max"),
    ("dst_min:", "dst_min"),
    ("dst_max:", "dst_max"),
    ("src_min:", "src_min"),
    ("src_max:", "src_max"),
    ("daddr:", "dst6"),
    ("min_daddr:", "dst6_min"),
    ("max_daddr:", "dst6_max"),
    ("saddr:", "src6"),
    ("src_mac:", "src_mac"),
    ("dst_mac:", "dst_mac"),
    ("udp_src_min:", "udp_src_min"),
    ("udp_src_max:", "udp_src_max"),
    ("udp_dst_min:", "udp_dst_min"),
    ("udp_dst_max:", "udp_dst_max"),
    ("src_mac_count:", "src_mac_count"),
    ("dst_mac_count:", "dst_mac_count"),
];

fn settings(device: &mut Device, number: usize, line: &str, report: &mut Report) {
    let line = line.trim();
    if let Some(flags) = line.strip_prefix("Flags:") {
        for flag in flags.split_whitespace() {
            // IPV6 came with the addresses; the kernel would refuse it here.
            if flag != "IPV6" {
                device.apply(number, &format!("flag {}", flag.trim_end_matches(',')));
            }
        }
    } else if let Some(weights) = line.strip_prefix("imix_weights:") {
        device.apply(number, &format!("imix_weights {}", weights.trim()));
    } else if let Some(mode) = line.strip_prefix("xmit_mode:") {
        let mode = mode.trim();
        let mode = if mode == "xmit_queue" { "queue_xmit" } else { mode };
        device.apply(number, &format!("xmit_mode {mode}"));
    } else if let Some(labels) = line.strip_prefix("mpls:") {
        device.apply(number, &format!("mpls {}", labels.replace(' ', "")));
    } else if let Some(burst) = line.strip_prefix("burst:") {
        device.apply(number, &format!("burst {}", burst.trim()));
    } else if line.starts_with("skb_priority:") || line.starts_with("node:") || line.starts_with("traffic_class:") {
        single(device, number, line, report);
    } else if line.starts_with("tos:") || line.starts_with("vlan_id:") || line.starts_with("svlan_id:") {
        tagged(device, number, line);
    } else {
        pairs(device, number, line, report);
    }
}

/// `name: value` of a parameter by that name.
fn single(device: &mut Device, number: usize, line: &str, report: &mut Report) {
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.split_whitespace().next().unwrap_or_default();
    if name == "traffic_class" {
        device.apply(number, &format!("traffic_class {}", value.trim_start_matches("0x")));
    } else {
        report.dropped(number, line, "AF_XDP has no queueing discipline and no memory nodes that would look at it");
    }
}

/// `vlan_id: 5  vlan_p: 3  vlan_cfi: 0`, `tos: 0xb8`.
fn tagged(device: &mut Device, number: usize, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.chunks(2) {
        if let [name, value] = pair {
            let value = if *name == "tos:" { value.trim_start_matches("0x") } else { value };
            device.apply(number, &format!("{} {value}", name.trim_end_matches(':')));
        }
    }
}

fn pairs(device: &mut Device, number: usize, line: &str, report: &mut Report) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut at = 0;
    while at < words.len() {
        let (word, value) = (words[at], words.get(at + 1).copied().unwrap_or_default());
        let value_is_word = value.ends_with(':') && !value.contains("::");
        let Some((_, name)) = WORDS.iter().find(|(known, _)| *known == word) else {
            // The device's own name stands in front of its queue: `ifname: eth1`.
            if word == "ifname:" {
                device.name = value.into();
            }
            at += 1;
            continue;
        };
        at += if value_is_word { 1 } else { 2 };
        if name.is_empty() || value_is_word || value == "::" || value.is_empty() {
            continue;
        }
        let is_default = matches!((*name, value), ("flowlen" | "flows", "0"));
        if !is_default && let super::device::Outcome::Refused(why) = device.apply(number, &format!("{name} {value}")) {
            report.dropped(number, line, format!("{name} {value}: {why}"));
        }
    }
}
