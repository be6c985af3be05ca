//! Rates: exact on average for every burst, spaced as promised, and honest about debt.

use txdeck::nic::sim::{Event, Fate, SentFrame, When};

use crate::bench::{Bench, SECOND, START, one_flow, script};

fn gaps_ns(frames: &[SentFrame]) -> Vec<u64> {
    frames.windows(2).map(|pair| pair[1].at_ns - pair[0].at_ns).collect()
}

#[test]
fn c08_every_rate_holds_for_every_burst() {
    for (rate, packets) in [("0.5", 5), ("10", 100), ("1000", 10_000), ("50000", 500_000), ("\"8 Mbit/s\"", 166_667)] {
        for burst in [1, 32, 256] {
            let mut bench = Bench::new(&one_flow(&format!("rate = {rate}\nburst = {burst}\nduration = \"10s\""), ""));
            bench.run();
            bench.assert_balanced();
            let total = bench.total();
            assert!(total.left().abs_diff(packets) <= 1, "{rate} burst {burst}: {}", total.left());
            assert_eq!((total.shortfall, total.last_ns - total.started_ns), (0, 10 * SECOND));
        }
    }
}

#[test]
fn c08_nobody_waits_more_than_ten_milliseconds_for_company() {
    let mut bench = Bench::new(&one_flow("rate = 10\nburst = 256\nduration = \"5s\"", ""));
    bench.run();
    let gaps = gaps_ns(&bench.sent(0));
    assert!(gaps.iter().all(|gap| gap.abs_diff(SECOND / 10) < 5_000_000), "{gaps:?}");
}

#[test]
fn c08_packets_of_a_group_leave_when_the_last_is_due() {
    let mut bench = Bench::new(&one_flow("rate = 1000\nburst = 256\ncount = 100", ""));
    bench.run();
    let frames = bench.sent(0);
    for (n, frame) in frames.iter().enumerate() {
        let group_end = (n as u64 / 10 * 10 + 9) * SECOND / 1000;
        let late_ns = frame.at_ns - START - group_end;
        assert!(late_ns < 20_000, "packet {n} left {late_ns} ns after its group was due");
    }
}

#[test]
fn c07_one_packet_a_second_stays_one_packet_a_second() {
    let mut bench = Bench::new(&one_flow("rate = 1\nburst = 32\nduration = \"10s\"", ""));
    bench.run();
    let frames = bench.sent(0);
    assert_eq!(frames.len(), 10);
    assert!(gaps_ns(&frames).iter().all(|gap| gap.abs_diff(SECOND) < 20_000_000));
}

#[test]
fn c13_a_bit_rate_charges_each_packets_own_bytes() {
    for burst in [1, 10, 100] {
        for rate in ["\"1 Mbit/s\"", "125"] {
            let tx = format!("rate = {rate}\nburst = {burst}\nduration = \"10s\"");
            let mut bench = Bench::new(&one_flow(&tx, "size = 1000"));
            bench.run();
            assert!(bench.total().left().abs_diff(1250) <= 1, "{rate} burst {burst}: {}", bench.total().left());
        }
    }
    let mut mixed =
        Bench::new(&one_flow("rate = \"8 Mbit/s\"\nduration = \"10s\"", "size = { list = [100, 1500, 500] }"));
    mixed.run();
    let bytes = mixed.total().submitted_bytes;
    assert!(bytes.abs_diff(10_000_000) <= 1500, "{bytes}");
}

#[test]
fn c15_rated_flows_keep_their_own_rates() {
    let flow = |name: &str, rate: u32| {
        format!(
            "[[flow]]\nname = \"{name}\"\nrate = {rate}\neth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\nudp = {{}}\n"
        )
    };
    let text = format!(
        "version = 1\n[tx]\nburst = 32\nduration = \"10s\"\n{}{}{}",
        flow("a", 50),
        flow("b", 20),
        flow("c", 1)
    );
    let mut bench = Bench::new(&text);
    bench.run();
    bench.assert_balanced();
    let flows: Vec<u64> = (0..3).map(|flow| submitted(&bench, flow)).collect();
    assert_eq!(flows, [500, 200, 10]);
    // Evenly spread: each second holds its share.
    let frames = bench.sent(0);
    for second in 0..10 {
        let range = START + second * SECOND..START + (second + 1) * SECOND;
        let n = frames.iter().filter(|frame| range.contains(&frame.at_ns)).count();
        assert!((70..=72).contains(&n), "second {second}: {n}");
    }
}

fn submitted(bench: &Bench, flow: usize) -> u64 {
    bench.desk.flows()[flow].submitted
}

#[test]
fn a_cap_leaves_rated_flows_their_rate_and_the_others_the_rest() {
    let text = "version = 1\n[tx]\nrate = 1000\nduration = \"10s\"\n\
        [[flow]]\nname = \"rated\"\nrate = 100\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n\
        [[flow]]\nname = \"three\"\nweight = 3\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n\
        [[flow]]\nname = \"one\"\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n";
    let mut bench = Bench::new(text);
    bench.run();
    let flows: Vec<u64> = (0..3).map(|flow| submitted(&bench, flow)).collect();
    assert!(flows[0].abs_diff(1000) <= 1, "{flows:?}");
    assert!(flows[1].abs_diff(6750) <= 3 && flows[2].abs_diff(2250) <= 3, "{flows:?}");
    assert_eq!(bench.total().left(), 10_000);
}

#[test]
fn a_rate_is_a_total_over_all_queues() {
    let mut bench = Bench::new(&one_flow("queues = [0, 1, 2]\nrate = 1000\nduration = \"3s\"", ""));
    bench.run();
    assert!(bench.total().left().abs_diff(3000) <= 1);
    let counts: Vec<u64> = bench.senders.iter().map(|sender| sender.counts().submitted).collect();
    assert_eq!(counts, [1000, 1000, 1000]);
}

#[test]
fn debt_up_to_100_ms_is_repaid_and_older_debt_is_named() {
    for (stall_ms, shortfall) in [(90, 0), (500, 400)] {
        let stall =
            Event { when: When::AtNs(START + SECOND), fate: Fate::Stall { ns: stall_ms * 1_000_000, errno: 11 } };
        let tx = "rate = 10000\nburst = 32\nring = 64\nduration = \"3s\"";
        let mut bench = Bench::with(&one_flow(tx, ""), |config| txdeck::nic::sim::SimConfig {
            ring: 64,
            ..script(&[stall])(config)
        });
        bench.run();
        bench.assert_balanced();
        let total = bench.total();
        assert_eq!(total.left() + total.shortfall, 30_000, "stall {stall_ms} ms: {total:?}");
        // 64 packets fit into the ring before it is full, and 10 packets a millisecond are due.
        assert!(total.shortfall.abs_diff(shortfall * 10) < 80, "stall {stall_ms} ms: {}", total.shortfall);
    }
}

#[test]
fn a_flow_that_starts_later_owes_nothing() {
    let mut bench = Bench::new(&one_flow("rate = 100\nduration = \"3s\"", "start = \"1s\""));
    bench.run();
    let total = bench.total();
    assert!(total.left().abs_diff(200) <= 1, "{}", total.left());
    assert_eq!(total.shortfall, 0);
    assert!(bench.sent(0)[0].at_ns >= START + SECOND);
}

#[test]
fn a_paced_count_flushes_its_last_partial_group() {
    let mut bench = Bench::new(&one_flow("rate = 50000\nburst = 256\ncount = 995", ""));
    bench.run();
    let frames = bench.sent(0);
    assert_eq!(frames.len(), 995);
    let last_ns = frames[994].at_ns - START;
    assert!(last_ns.abs_diff(994 * 20_000) < 50_000, "{last_ns}");
}
