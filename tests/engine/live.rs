//! Live changes: they act at the next doorbell, end open clone groups, and flows go on under their names.

use crate::bench::{Bench, SECOND, START, one_flow, plan, port, seq};

/// Frames before and after a change at one second.
fn changed(before: &str, after: &str) -> (Bench, Vec<(u64, u16, u32)>) {
    let mut bench = Bench::new(before);
    bench.run_until(START + SECOND);
    bench.desk.retune(plan(after));
    bench.run();
    bench.assert_balanced();
    let frames = bench.sent(0).iter().map(|frame| (frame.at_ns, port(&frame.bytes), seq(&frame.bytes))).collect();
    (bench, frames)
}

#[test]
fn build_numbers_and_sequence_go_on_over_a_plan_swap() {
    let text = |burst| one_flow(&format!("rate = 1000\nburst = {burst}\nduration = \"2s\""), "");
    let (_, frames) = changed(&text(1), &text(8));
    let ports: Vec<u16> = frames.iter().map(|(_, port, _)| *port).collect();
    let seqs: Vec<u32> = frames.iter().map(|(_, _, seq)| *seq).collect();
    assert!(frames.len().abs_diff(2000) <= 1, "{}", frames.len());
    assert_eq!(ports, (1..=frames.len() as u16).collect::<Vec<_>>());
    assert_eq!(seqs, (1..=frames.len() as u32).collect::<Vec<_>>());
}

#[test]
fn a_change_of_burst_keeps_the_beat_of_an_unchanged_rate() {
    let text = |clone| one_flow(&format!("rate = 0.5\nclone = {clone}\nduration = \"10s\""), "");
    let (_, frames) = changed(&text(0), &text(2));
    let instants: Vec<u64> = frames.iter().map(|(at_ns, ..)| (at_ns - START + SECOND / 2) / SECOND).collect();
    assert_eq!(instants, [0, 2, 4, 6, 8]);
}

#[test]
fn an_open_clone_group_ends_at_the_change() {
    let text = |clone| one_flow(&format!("rate = 1000\nclone = {clone}\nduration = \"2s\""), "");
    let (_, frames) = changed(&text(1_000_000), &text(1_000));
    let (before, after): (Vec<_>, Vec<_>) = frames.into_iter().partition(|(_, port, _): &(u64, u16, u32)| *port == 1);
    assert!(before.len().abs_diff(1000) <= 11 && after.len().abs_diff(1000) <= 11, "{} {}", before.len(), after.len());
    assert_eq!(after[0].2, before.len() as u32 + 1, "the step tells how many copies were sent");
}

#[test]
fn a_new_seed_restarts_the_build_number() {
    let text = |seed| one_flow(&format!("rate = 1000\nseed = {seed}\nduration = \"2s\""), "");
    let (_, frames) = changed(&text(7), &text(8));
    let restart = frames.iter().skip(1).position(|(_, port, _)| *port == 1).map(|at| at + 1);
    assert!(restart.is_some_and(|at| at.abs_diff(1000) <= 11), "{restart:?}");
    assert_eq!(frames.last().unwrap().2, frames.len() as u32, "the sequence goes on");
}

#[test]
fn a_new_rate_holds_within_a_second() {
    let text = |rate| one_flow(&format!("rate = {rate}\nburst = 32\nduration = \"3s\""), "");
    let (_, frames) = changed(&text("1000"), &text("20000"));
    let late = frames.iter().filter(|(at_ns, ..)| *at_ns >= START + 2 * SECOND).count();
    assert!(late.abs_diff(20_000) <= 200, "{late}");
}

#[test]
fn a_flow_that_goes_and_comes_back_goes_on() {
    let both = "version = 1\n[tx]\nrate = 1000\n\
        [[flow]]\nname = \"a\"\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = { src = { from = 1, to = 60000 } }\n\
        [[flow]]\nname = \"b\"\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n";
    let without_a = both.replacen("name = \"a\"", "name = \"a\"\nenabled = false", 1);
    let mut bench = Bench::new(both);
    bench.run_until(START + SECOND);
    let before = bench.desk.flows()[0].submitted;
    assert!(before.abs_diff(500) <= 11, "{before}");
    bench.desk.retune(plan(&without_a));
    bench.run_until(START + 2 * SECOND);
    let names: Vec<String> = bench.desk.flows().iter().map(|flow| flow.name.to_string()).collect();
    assert_eq!(names, ["b", "a"], "what is gone stays in the account");
    bench.desk.retune(plan(both));
    bench.run_until(START + 3 * SECOND);
    bench.desk.stop();
    bench.run();
    bench.assert_balanced();
    let flow_a = bench.desk.flows()[0].submitted;
    assert!(flow_a.abs_diff(1000) <= 22, "{flow_a}");
    let ports: Vec<u16> = bench.sent(0).iter().map(|frame| port(&frame.bytes)).filter(|port| *port != 9).collect();
    let distinct: std::collections::BTreeSet<u16> = ports.iter().copied().collect();
    assert!(ports.len() - distinct.len() <= 1, "no build is sent again");
}

#[test]
fn stop_takes_effect_within_half_a_second_at_any_rate() {
    for rate in ["0.1", "1", "50000", "\"max\""] {
        let mut bench = Bench::new(&one_flow(&format!("rate = {rate}"), ""));
        bench.run_until(START + SECOND / 100);
        bench.desk.stop();
        let told_ns = START + SECOND / 100;
        bench.run();
        bench.assert_balanced();
        let total = bench.total();
        assert!(total.last_ns - told_ns < SECOND / 2, "{rate}: {} ns", total.last_ns - told_ns);
    }
}

#[test]
fn a_smaller_count_given_live_ends_the_run() {
    let text = |count| one_flow(&format!("rate = 1000\ncount = {count}"), "");
    let (bench, frames) = changed(&text(1_000_000), &text(10));
    assert!(frames.len() <= 1011, "{}", frames.len());
    assert!(bench.is_over());
}

#[test]
fn a_stop_before_the_release_sends_nothing() {
    let mut bench = Bench::new(&one_flow("", ""));
    bench.desk.stop();
    bench.run();
    bench.assert_balanced();
    assert_eq!(bench.total().submitted, 0);
}
