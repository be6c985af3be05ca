//! What it takes to bring a header into a packet: others that cannot stand beside it leave, raw bytes bring their own
//! Ethernet header.

use crate::profile::{Flow, kind::show_mac};

use super::step::Changes;

/// An Ethernet header to begin raw bytes with: to udp-64's destination, of the "local experimental" type.
const RAW: &str = "{ bytes = \"02 00 00 00 00 02 02 00 00 00 00 01 88 b5\" }";

/// Where udp-64 sends.
const ELSEWHERE: u64 = 0x0200_0000_0002;
/// Which capture is to be replayed nobody knows yet: its name is the next thing to write.
const REPLAY: &str = "{ file = \"capture.pcap\" }";
/// Fields of a flow that a replay leaves to its records.
const OF_THE_RECORDS: [&str; 4] = ["size", "order", "payload", "flows"];

/// The changes, and the headers that leave.
pub fn brought_in(flow: &Flow, header: &str) -> (Changes, Vec<&'static str>) {
    let leaving = flow.in_the_way_of(header);
    let key = |header: &str| format!("flow.{}.{header}", flow.name);
    let mut changes = match leaving.iter().any(|other| is_whole(other)) {
        true => whole_taken_out(flow),
        false => Vec::new(),
    };
    if is_whole(header) {
        changes.retain(|(written, _)| *written != key("eth"));
    }
    if header == "replay" {
        changes.extend(OF_THE_RECORDS.map(|field| (key(field), String::new())));
    }
    changes.extend(leaving.iter().filter(|other| !is_whole(other)).map(|other| (key(other), String::new())));
    let value = match header {
        "raw" => RAW,
        "replay" => REPLAY,
        _ => "{}",
    };
    changes.push((key(header), value.to_owned()));
    (changes, leaving)
}

/// What a frame consists of as a whole, without headers beside it.
pub fn is_whole(header: &str) -> bool {
    matches!(header, "raw" | "replay")
}

/// Without raw bytes or a capture a flow needs an Ethernet header again: to where the bytes went.
pub fn whole_taken_out(flow: &Flow) -> Changes {
    let key = |header: &str| format!("flow.{}.{header}", flow.name);
    let raw = flow.raw.iter().flatten().take(6).fold(0, |mac, byte| mac << 8 | u64::from(*byte));
    let (dst, leaving) = if flow.replay.is_some() { (ELSEWHERE, "replay") } else { (raw, "raw") };
    let mut changes = vec![(key(leaving), String::new())];
    if !flow.patch.is_empty() {
        changes.push((key("patch"), String::new()));
    }
    changes.push((key("eth"), format!("{{ dst = \"{}\" }}", show_mac(dst))));
    changes
}
