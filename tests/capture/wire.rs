//! Replays over AF_XDP on a real veth pair: what a packet socket at the far end receives is the file, byte for byte.

use std::{sync::Arc, time::Instant};

use txdeck::{
    engine::{Desk, Sender, Turn},
    nic::{Clock, XdpNic, xdp::XdpConfig},
};

use crate::{
    nic_lab::{DEADLINE, Far, Pair, RealClock, on_a_veth_pair},
    odd::plan,
    write::{MICRO, Packet, frame, pcap},
};

const CHUNK_BYTES: u32 = 2048;
const HEADROOM_BYTES: usize = 256;

/// Everything that arrived at the far end of one replay, in order.
fn received(pair: &Pair, file: &[u8], tx: &str, replay: &str, wanted: usize) -> Vec<Vec<u8>> {
    let far = Far::on(pair, "b0");
    let plan = Arc::new(plan(file, tx, "", replay).expect("a plan"));
    let parts = (plan.max_len() + HEADROOM_BYTES).div_ceil(CHUNK_BYTES as usize) as u32;
    let config = XdpConfig {
        driver: Some("veth".into()),
        queues: Some(1),
        chunks: 512.max(2 * plan.burst * parts),
        chunk_bytes: CHUNK_BYTES,
        parts,
        ..XdpConfig::new("a0", 0)
    };
    let desk = Desk::new(Arc::clone(&plan));
    let mut sender = Sender::new(XdpNic::open(&config).expect("the queue opens"), 0, desk.line(0), 0);
    let (clock, until, mut frames) = (RealClock::new(), Instant::now() + DEADLINE, Vec::new());
    desk.release(clock.now_ns().max(1));
    // The socket of an ordinary user holds few packets: it is emptied after each turn.
    while !matches!(sender.turn(&clock), Turn::Over) {
        assert!(Instant::now() < until, "{} of {wanted} within {DEADLINE:?}", frames.len());
        frames.extend(far.frames());
    }
    while frames.len() < wanted && Instant::now() < until {
        frames.extend(far.frames());
    }
    frames.extend(far.frames());
    frames
}

/// Frames of many lengths, `gap_ns` apart, and the file that holds them.
fn capture(records: usize, gap_ns: u64) -> (Vec<u8>, Vec<Vec<u8>>) {
    let frames: Vec<Vec<u8>> = (0..records).map(|number| frame(60 + 29 * (number % 50), number as u32)).collect();
    let packets: Vec<Packet> =
        (0..).zip(&frames).map(|(number, bytes)| Packet::new(number * gap_ns, bytes.clone())).collect();
    (pcap(MICRO, &packets), frames)
}

/// Says the first difference: the frames themselves would fill the screen.
fn assert_same(received: &[Vec<u8>], sent: &[Vec<u8>], what: &str) {
    let first = received.iter().zip(sent).position(|(received, sent)| received != sent);
    assert_eq!((received.len(), first), (sent.len(), None), "{what}: number, first difference");
}

#[test]
fn c81_the_wire_has_exactly_n_and_three_times_n_in_the_order_of_the_file() {
    on_a_veth_pair("wire::c81_the_wire_has_exactly_n_and_three_times_n_in_the_order_of_the_file", |pair| {
        for records in [1, 2540, 10_007] {
            let (file, frames) = capture(records, 2_000);
            for passes in [1, 3] {
                // The only record of a capture comes again after a second.
                let timings: &[&str] = if records == 1 && passes > 1 { &["rate"] } else { &["original", "rate"] };
                for timing in timings {
                    let replay = format!(", loops = {passes}, timing = \"{timing}\"");
                    let sent = vec![frames.clone(); passes].concat();
                    let received = received(pair, &file, "", &replay, sent.len());
                    assert_same(&received, &sent, &format!("{records} records, {passes} passes, timing {timing}"));
                }
            }
        }
    });
}

#[test]
fn c79_records_of_several_chunks_arrive_whole() {
    on_a_veth_pair("wire::c79_records_of_several_chunks_arrive_whole", |pair| {
        pair.mtu("a0", 65_535);
        pair.mtu("b0", 65_535);
        let lens = [60, 1792, 1793, 3840, 9014, 60, 36_608];
        let frames: Vec<Vec<u8>> = (0..).zip(lens).map(|(number, len)| frame(len, number)).collect();
        let packets: Vec<Packet> = frames.iter().map(|bytes| Packet::new(0, bytes.clone())).collect();
        let sent = vec![frames.clone(); 20].concat();
        let replay = ", loops = 20, timing = \"rate\"";
        assert_same(&received(pair, &pcap(MICRO, &packets), "burst = 1", replay, sent.len()), &sent, "long records");
    });
}
