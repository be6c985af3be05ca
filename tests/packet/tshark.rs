//! The third opinion, where it is installed: what tshark says of frames.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use txdeck::packet::pcap;

/// Fails when tshark finds a checksum or length wrong or a frame malformed in any of them. Skips aloud without tshark.
pub fn finds_no_fault<'a>(frames: impl IntoIterator<Item = &'a [u8]>) {
    let wrong = "_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || tcp.checksum.status == 0 \
                 || icmp.checksum.status == 0 || icmpv6.checksum.status == 0 \
                 || _ws.expert.severity == error";
    let mut capture = pcap::header().to_vec();
    let mut count = 0;
    for frame in frames {
        capture.extend(pcap::record(frame, count * 1_000_000));
        capture.extend(frame);
        count += 1;
    }
    let Some(numbers) = tshark(&capture, wrong) else { return };
    assert!(numbers.is_empty(), "tshark finds fault with the frames numbered {}", numbers.replace('\n', " "));
    let all = tshark(&capture, "frame").unwrap_or_default();
    assert_eq!(all.lines().count() as u64, count, "tshark read every frame");
}

/// The numbers of the frames that a filter shows; `None`: there is no tshark.
fn tshark(capture: &[u8], filter: &str) -> Option<String> {
    let mut command = Command::new("tshark");
    command.args(["-r", "-", "-Y", filter, "-T", "fields", "-e", "frame.number"]);
    for protocol in ["ip", "udp", "tcp"] {
        command.args(["-o", &format!("{protocol}.check_checksum:TRUE")]);
    }
    // Flows of a generator are no conversations: sequence numbers out of order are meant.
    command.args(["-o", "tcp.analyze_sequence_numbers:FALSE", "-o", "ip.defragment:FALSE"]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(why) => {
            eprintln!("SKIPPED: no tshark here ({why})");
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(capture).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "tshark: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
