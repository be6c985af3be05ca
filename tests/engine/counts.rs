//! Counts and durations: exact, whatever burst, clone and queues say.

use txdeck::nic::sim::{Character, SimConfig};

use crate::bench::{Bench, SECOND, one_flow, seq};

#[test]
fn c02_every_count_is_exact_for_every_burst_and_clone() {
    for burst in [1, 8, 63, 64, 256] {
        for clone in [0, 1, 7, 10, 1000] {
            for count in [1, 31, 32, 33, 179, 995, 1790] {
                let mut bench =
                    Bench::new(&one_flow(&format!("burst = {burst}\nclone = {clone}\ncount = {count}"), ""));
                bench.run();
                bench.assert_balanced();
                let total = bench.total();
                assert_eq!((total.submitted, total.left()), (count, count), "burst {burst} clone {clone}");
                assert_eq!(bench.sent(0).len() as u64, count);
                assert_eq!(total.submitted_bytes, count * 60);
            }
        }
    }
}

#[test]
fn c03_a_count_over_four_queues_is_exact() {
    let mut bench = Bench::new(&one_flow("queues = [0, 1, 2, 3]\ncount = 1000003", ""));
    bench.run();
    bench.assert_balanced();
    assert_eq!(bench.total().left(), 1_000_003);
    let queues: Vec<u64> = bench.senders.iter().map(|sender| sender.counts().submitted).collect();
    assert_eq!(queues, [250_003, 250_000, 250_000, 250_000]);
}

#[test]
fn c04_the_first_limit_reached_wins() {
    let mut by_count = Bench::new(&one_flow("rate = 100\ncount = 100\nduration = \"3s\"", ""));
    by_count.run();
    let total = by_count.total();
    assert_eq!(total.left(), 100);
    assert!(total.last_ns - total.started_ns < SECOND);

    let mut by_duration = Bench::new(&one_flow("rate = 100\ncount = 1000\nduration = \"3s\"", ""));
    by_duration.run();
    let total = by_duration.total();
    assert_eq!(total.left(), 300);
    assert_eq!(total.last_ns - total.started_ns, 3 * SECOND);
}

#[test]
fn c04_a_duration_alone_ends_an_endless_count() {
    let mut bench = Bench::new(&one_flow("duration = \"2ms\"", ""));
    bench.run();
    bench.assert_balanced();
    let total = bench.total();
    assert!(total.left() > 1000);
    let elapsed_ns = total.last_ns - total.started_ns;
    assert!((2_000_000..2_100_000).contains(&elapsed_ns), "{elapsed_ns}");
}

#[test]
fn a_late_nic_gets_everything_out_too() {
    for clump in [1, 7, 64] {
        let late = |config| SimConfig { character: Character::ZeroCopy { clump }, ..config };
        let mut bench = Bench::with(&one_flow("count = 5000\nclone = 10\nburst = 32", ""), late);
        bench.run();
        bench.assert_balanced();
        assert_eq!(bench.total().left(), 5000, "clump {clump}");
    }
}

#[test]
fn c02_two_hundred_runs_leak_nothing() {
    for run in 0..200 {
        let mut bench = Bench::new(&one_flow("burst = 64\ncount = 179", ""));
        bench.run();
        bench.assert_balanced();
        assert_eq!(bench.total().left(), 179, "run {run}");
    }
}

#[test]
fn c51_indices_wrap_at_2_to_the_32() {
    let near = |config| SimConfig { start_index: u32::MAX - 100, ..config };
    let mut bench = Bench::with(&one_flow("count = 100000", ""), near);
    bench.run();
    bench.assert_balanced();
    assert_eq!(bench.total().left(), 100_000);
}

#[test]
fn a_flow_has_a_count_of_its_own() {
    let text = "version = 1\n[tx]\nburst = 16\n\
        [[flow]]\nname = \"a\"\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\ncount = 100\n\
        [[flow]]\nname = \"b\"\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\ncount = 7\n";
    let mut bench = Bench::new(text);
    bench.run();
    bench.assert_balanced();
    assert_eq!(bench.total().left(), 107);
}

#[test]
fn sequence_numbers_count_packets_of_the_stream_from_one() {
    let mut bench = Bench::new(&one_flow("count = 25\nclone = 10\nburst = 4", ""));
    bench.run();
    let seqs: Vec<u32> = bench.sent(0).iter().map(|frame| seq(&frame.bytes)).collect();
    let wanted: Vec<u32> = (0..25).map(|n| n / 10 * 10 + 1).collect();
    assert_eq!(seqs, wanted, "the step to the next build tells how many copies were sent");
}
