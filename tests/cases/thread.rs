//! THREAD: senders and queues belong together one to one, and every bad start answers at once.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{on_a_pair, wait_for_carrier, with_queues};
use crate::deck::{Done, Running, balances, number, packets, run, through};
use crate::nic_lab::Far;

fn sum(senders: &[Value], figure: &str) -> u64 {
    senders.iter().map(|sender| packets(sender, figure)).sum()
}

#[test]
fn c101_two_senders_on_one_queue_are_refused_with_the_reason() {
    on_a_pair("thread::c101_two_senders_on_one_queue_are_refused_with_the_reason", |_| {
        let done = run(&["udp-64", "-i", "a0", "--queues", "0,1", "-n", "10"]);
        assert_eq!((done.code, &done.result()["code"]), (2, &"no_such_queue".into()), "{}", done.brief());
        let message = done.result()["message"].as_str().unwrap();
        assert_eq!(message, "a0 queue 1: this device has 1 queue: 0");
        let twice = run(&["udp-64", "-i", "a0", "--queues", "0,0", "-n", "10"]);
        assert_eq!((twice.code, &twice.result()["code"]), (2, &"bad_setting".into()), "{}", twice.brief());
    });
}

#[test]
fn c101_totals_are_the_sum_of_the_senders_each_with_its_queue_and_cpu() {
    on_a_pair("thread::c101_totals_are_the_sum_of_the_senders_each_with_its_queue_and_cpu", |pair| {
        with_queues(pair, 4);
        let far = Far::on(pair, "b0");
        for (queues, wanted) in [("0", vec![0]), ("0,1", vec![0, 1]), ("3,1,2,0", vec![3, 1, 2, 0])] {
            far.count();
            let done = run(&["udp-64", "-i", "a0", "--queues", queues, "-n", "40001"]);
            balances(&done, 40_001);
            assert_eq!(far.count(), 40_001);
            let senders = done.result()["senders"].as_array().unwrap();
            assert_eq!(senders.iter().map(|sender| packets(sender, "queue")).collect::<Vec<_>>(), wanted);
            for figure in ["submitted", "completed", "left"] {
                assert_eq!(sum(senders, figure), 40_001, "{}", done.brief());
            }
            assert!(
                senders.iter().all(|sender| sender["cpu"].is_u64() && number(sender, "pps") > 0.0),
                "{}",
                done.brief()
            );
        }
    });
}

#[test]
fn c101_more_senders_than_cpus_are_warned_of_and_finish() {
    on_a_pair("thread::c101_more_senders_than_cpus_are_warned_of_and_finish", |pair| {
        with_queues(pair, 4);
        let cpu = one_cpu().to_string();
        let args = ["run", "udp-64", "-i", "a0", "--queues", "0..3", "-n", "4001", "--json"];
        let done = Running::of(through(&["taskset", "-c", &cpu], &args), "").finish();
        balances(&done, 4001);
        assert!(done.stderr.contains("4 senders share 1 CPU"), "{}", done.stderr);
    });
}

fn one_cpu() -> u32 {
    txdeck::nic::cpus::allowed().unwrap()[0]
}

/// A start says within 2 s what became of it: a busy queue takes 1.1 s, anything else a tenth. Twice that where
/// this machine has other work.
const ANSWER: Duration = Duration::from_secs(4);

#[track_caller]
fn refused_at_once(args: &[&str], code: &str) -> Done {
    let start = Instant::now();
    let done = run(args);
    assert!(start.elapsed() < ANSWER, "{:?}", start.elapsed());
    assert_eq!((done.code, done.result()["code"].as_str()), (2, Some(code)), "{}", done.brief());
    done
}

#[test]
fn c103_every_bad_start_answers_at_once_and_the_next_one_works() {
    on_a_pair("thread::c103_every_bad_start_answers_at_once_and_the_next_one_works", |pair| {
        let works = || balances(&run(&["udp-64", "-i", "a0", "-n", "100"]), 100);
        refused_at_once(&["udp-64", "-i", "a0", "-n", "1", "-s", "mode=zero-copy"], "no_zero_copy");
        works();
        refused_at_once(&["udp-64", "-i", "a0", "-n", "1", "--queues", "1"], "no_such_queue");
        works();
        refused_at_once(&["udp-64", "-i", "nosuch0", "-n", "1"], "no_device");
        let mut holder = Running::start(&["udp-64", "-i", "a0", "-s", "rate=10", "--interval", "100ms"]);
        holder.sample();
        refused_at_once(&["udp-64", "-i", "a0", "-n", "1"], "queue_busy");
        holder.signal("TERM");
        assert_eq!(holder.finish().code, 143);
        works();
        pair.down("b0");
        let done = run(&["udp-64", "-i", "a0", "-n", "100"]);
        assert_eq!((done.code, done.packets("dropped")), (1, 100), "{}", done.brief());
        pair.up("b0");
        wait_for_carrier("a0");
        works();
    });
}

#[test]
fn c103_a_signal_at_any_moment_of_a_start_ends_it() {
    on_a_pair("thread::c103_a_signal_at_any_moment_of_a_start_ends_it", |pair| {
        let told = |args: &[&str], signal: &str, code: i32| {
            let running = Running::start(args);
            let start = Instant::now();
            running.signal(signal);
            let done = running.finish();
            assert!(start.elapsed() < ANSWER, "{:?}", start.elapsed());
            // Before the program listens, the signal itself ends it; afterwards it says a result.
            assert!(done.code == code || done.code == -1, "{args:?}: exit {}", done.code);
        };
        pair.down("b0");
        told(&["udp-64", "-i", "a0"], "INT", 130);
        pair.up("b0");
        pair.down("a0");
        told(&["udp-64", "-i", "a0"], "TERM", 143);
        pair.up("a0");
        wait_for_carrier("a0");
        for _ in 0..10 {
            told(&["udp-64", "-i", "a0"], "INT", 130);
        }
        balances(&run(&["udp-64", "-i", "a0", "-n", "100"]), 100);
    });
}
