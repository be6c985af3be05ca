//! What it takes to bring a header into a packet: others that cannot stand beside it leave, raw bytes bring their own
//! Ethernet header.

use crate::profile::{Flow, kind::show_mac};

use super::step::Changes;

/// An Ethernet header to begin raw bytes with: to udp-64's destination, of the "local experimental" type.
const RAW: &str = "{ bytes = \"02 00 00 00 00 02 02 00 00 00 00 01 88 b5\" }";

/// The changes, and the headers that leave.
pub fn brought_in(flow: &Flow, header: &str) -> (Changes, Vec<&'static str>) {
    let leaving = flow.in_the_way_of(header);
    let key = |header: &str| format!("flow.{}.{header}", flow.name);
    let mut changes = match leaving.contains(&"raw") {
        true => raw_taken_out(flow),
        false => Vec::new(),
    };
    changes.extend(leaving.iter().filter(|other| **other != "raw").map(|other| (key(other), String::new())));
    let value = if header == "raw" { RAW } else { "{}" };
    changes.push((key(header), value.to_owned()));
    (changes, leaving)
}

/// Without raw bytes a flow needs an Ethernet header again: to where the bytes went.
pub fn raw_taken_out(flow: &Flow) -> Changes {
    let key = |header: &str| format!("flow.{}.{header}", flow.name);
    let dst = flow.raw.iter().flatten().take(6).fold(0, |mac, byte| mac << 8 | u64::from(*byte));
    let mut changes = vec![(key("raw"), String::new())];
    if !flow.patch.is_empty() {
        changes.push((key("patch"), String::new()));
    }
    changes.push((key("eth"), format!("{{ dst = \"{}\" }}", show_mac(dst))));
    changes
}
