//! Replays on the simulated nic: exact in bytes, in number and in virtual time.

use std::sync::Arc;

use txdeck::{
    engine::{Desk, Sender, Turn},
    nic::{
        Clock,
        sim::{Costs, Recording, SentFrame, SimConfig, SimNic, VirtualClock},
    },
};

use crate::{
    odd::plan,
    write::{MICRO, Packet, frame, pcap},
};

const SECOND: u64 = 1_000_000_000;
const START: u64 = SECOND;
/// What a doorbell of the simulated nic and the turns before it cost.
const LATE_NS: u64 = 100_000;

/// Everything that left, by queue, until all senders were over; `until_ns` ends a replay that has no end.
fn sent(file: &[u8], tx: &str, flow: &str, replay: &str, until_ns: u64) -> Vec<Vec<SentFrame>> {
    let plan = Arc::new(plan(file, tx, flow, replay).expect("a plan"));
    let clock = VirtualClock::new();
    let desk = Desk::new(Arc::clone(&plan));
    let (mut senders, mut recordings) = (Vec::new(), Vec::new());
    for (seat, queue) in plan.queues.iter().enumerate() {
        let recording = Recording::new();
        let costs = Costs { ring_ns: 10, kick_ns: 20, packet_ns: 10, ..Costs::default() };
        let config = SimConfig {
            queue: *queue,
            recording: Some(recording.clone()),
            costs,
            ..SimConfig::on_virtual_time(&clock)
        };
        senders.push(Sender::new(SimNic::open(config).expect("a nic"), seat, desk.line(seat), 0));
        recordings.push(recording);
    }
    desk.release(START);
    let mut over = false;
    while !over && clock.now_ns() < until_ns {
        let mut wake_ns = u64::MAX;
        over = true;
        for sender in &mut senders {
            match sender.turn(&clock) {
                Turn::Worked => (wake_ns, over) = (0, false),
                Turn::Wait(at_ns) => (wake_ns, over) = (wake_ns.min(at_ns), false),
                Turn::Over => {}
            }
        }
        if !over && wake_ns > clock.now_ns() {
            clock.advance_to(wake_ns.min(until_ns));
        }
    }
    recordings.into_iter().map(|recording| recording.take()).collect()
}

fn capture(gaps_ns: &[u64]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut at_ns = 1_700_000_000 * SECOND;
    let packets: Vec<Packet> = gaps_ns
        .iter()
        .enumerate()
        .map(|(number, gap_ns)| {
            at_ns += gap_ns;
            Packet::new(at_ns, frame(60 + 7 * (number % 50), number as u32))
        })
        .collect();
    (pcap(MICRO, &packets), packets.into_iter().map(|packet| packet.bytes).collect())
}

fn bytes(sent: &[SentFrame]) -> Vec<Vec<u8>> {
    sent.iter().map(|frame| frame.bytes.clone()).collect()
}

#[test]
fn c81_exactly_n_and_three_times_n_leave_in_the_order_of_the_file() {
    for records in [1usize, 2540, 10_007] {
        let (file, frames) = capture(&vec![1000; records]);
        for (passes, times) in [(1, 1), (3, 3)] {
            let expected: Vec<Vec<u8>> = (0..times).flat_map(|_| frames.clone()).collect();
            let loops = format!(", loops = {passes}");
            let original = sent(&file, "", "", &loops, u64::MAX);
            assert_eq!(bytes(&original[0]), expected, "{records} records, {passes} passes, original timing");
            let fast = sent(&file, "", "", &format!("{loops}, timing = \"rate\""), u64::MAX);
            assert_eq!(bytes(&fast[0]), expected, "{records} records, {passes} passes, as fast as it goes");
        }
        // The count of the senders, which is what `run -n` sets, ends it as well.
        let counted =
            sent(&file, &format!("count = {}\nrate = 1000", 3 * records), "", ", timing = \"rate\"", u64::MAX);
        assert_eq!(counted[0].len(), 3 * records);
    }
}

#[test]
fn c81_the_original_timing_is_kept_within_a_tenth_of_a_millisecond() {
    let gaps_ns = [0, 1_000_000, 10_000, 0, 0, 500_000_000, SECOND, 3_000, 20_000_000];
    let (file, frames) = capture(&gaps_ns);
    let left = &sent(&file, "", "", ", loops = 1", u64::MAX)[0];
    assert_eq!(bytes(left), frames);
    let mut due_ns = START;
    for (frame, gap_ns) in left.iter().zip(gaps_ns) {
        due_ns += gap_ns;
        assert!((due_ns..due_ns + LATE_NS).contains(&frame.at_ns), "due {due_ns}, left {}", frame.at_ns);
    }
}

#[test]
fn c81_speed_scales_and_a_pass_follows_after_the_mean_gap() {
    let (file, frames) = capture(&[0, 2_000_000, 4_000_000, 6_000_000]);
    for (speed, share) in [(1.0, 1.0), (2.0, 0.5), (0.1, 10.0)] {
        let left = &sent(&file, "", "", &format!(", loops = 2, speed = {speed:?}"), u64::MAX)[0];
        assert_eq!(bytes(left), [frames.clone(), frames.clone()].concat());
        // 12 ms from first to last, so 4 ms to the next pass.
        let due_ms = [0.0, 2.0, 6.0, 12.0, 16.0, 18.0, 22.0, 28.0];
        for (frame, due_ms) in left.iter().zip(due_ms) {
            let due_ns = START + (due_ms * share * 1e6) as u64;
            assert!(
                (due_ns..due_ns + LATE_NS).contains(&frame.at_ns),
                "speed {speed}: due {due_ns}, left {}",
                frame.at_ns
            );
        }
    }
}

#[test]
fn c81_gaps_of_years_are_an_hour() {
    let year_ns = 365 * 86_400 * SECOND;
    let (file, _) = capture(&[0, year_ns, 1_000_000]);
    let left = &sent(&file, "", "", ", loops = 1", u64::MAX)[0];
    let since: Vec<u64> = left.iter().map(|frame| frame.at_ns - START).collect();
    assert!(since[1] - 3600 * SECOND < LATE_NS && since[2] - 3600 * SECOND - 1_000_000 < LATE_NS, "{since:?}");
}

#[test]
fn a_capture_without_time_in_it_comes_again_each_second() {
    let (file, frames) = capture(&[0]);
    let left = &sent(&file, "duration = \"2.5s\"", "", "", u64::MAX)[0];
    assert_eq!(bytes(left), [frames.clone(), frames.clone(), frames].concat());
    let since: Vec<u64> = left.iter().map(|frame| (frame.at_ns - START) / 10_000_000).collect();
    assert_eq!(since, [0, 100, 200], "hundredths of a second");
}

#[test]
fn a_rate_paces_a_replay_as_it_does_any_flow() {
    let (file, frames) = capture(&[0, 5 * SECOND, SECOND]);
    let left = &sent(&file, "burst = 1", "rate = \"1k\"", ", loops = 2, timing = \"rate\"", u64::MAX)[0];
    assert_eq!(bytes(left), [frames.clone(), frames].concat());
    for (number, frame) in left.iter().enumerate() {
        let due_ns = START + number as u64 * 1_000_000;
        assert!((due_ns..due_ns + LATE_NS).contains(&frame.at_ns), "{number}: {}", frame.at_ns);
    }
}

#[test]
fn copies_leave_with_their_record_and_queues_share_the_records() {
    let (file, frames) = capture(&[0, 1_000_000, 1_000_000, 1_000_000]);
    let left = &sent(&file, "", "clone = 3", ", loops = 1", u64::MAX)[0];
    let thrice: Vec<Vec<u8>> = frames.iter().flat_map(|frame| vec![frame.clone(); 3]).collect();
    assert_eq!(bytes(left), thrice);
    for (number, frame) in left.iter().enumerate() {
        let due_ns = START + (number as u64 / 3) * 1_000_000;
        assert!((due_ns..due_ns + LATE_NS).contains(&frame.at_ns), "copy {number}: {}", frame.at_ns);
    }
    let queues = sent(&file, "queues = [0, 1]", "", ", loops = 2", u64::MAX);
    let of = |from: usize| (from..8).step_by(2).map(|k| frames[k % 4].clone()).collect::<Vec<_>>();
    assert_eq!((bytes(&queues[0]), bytes(&queues[1])), (of(0), of(1)));
    let seen: Vec<u64> = queues[1].iter().map(|frame| (frame.at_ns - START) / 1_000_000).collect();
    assert_eq!(seen, [1, 3, 5, 7]);
}

#[test]
fn a_replay_waits_for_its_start_and_other_flows_go_on_beside_it() {
    let (file, frames) = capture(&[0, 1_000_000]);
    let other = "start = \"10ms\"\nweight = 3";
    let left = &sent(&file, "", other, ", loops = 1", u64::MAX)[0];
    assert_eq!(bytes(left), frames);
    assert!(left[0].at_ns - START - 10_000_000 < LATE_NS, "{}", left[0].at_ns);
}
