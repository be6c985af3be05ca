//! Which packet next: a sweep is walked once by the flow, weights are exact over a cycle, copies stay together.

use std::collections::BTreeMap;

use crate::bench::{Bench, one_flow, port};

#[test]
fn a_sweep_is_walked_once_by_the_flow_not_once_a_queue() {
    let mut bench = Bench::new(&one_flow("queues = [0, 1, 2]\ncount = 3000", ""));
    bench.run();
    let mut ports: Vec<u16> = (0..3).flat_map(|seat| bench.sent(seat)).map(|frame| port(&frame.bytes)).collect();
    ports.sort_unstable();
    assert_eq!(ports, (1..=3000).collect::<Vec<u16>>());
}

#[test]
fn order_holds_within_a_queue() {
    let mut bench = Bench::new(&one_flow("queues = [0, 1]\ncount = 1000", ""));
    bench.run();
    for seat in 0..2 {
        let ports: Vec<u16> = bench.sent(seat).iter().map(|frame| port(&frame.bytes)).collect();
        let wanted: Vec<u16> = (0..500).map(|n| 1 + seat as u16 + 2 * n).collect();
        assert_eq!(ports, wanted);
    }
}

fn weighted(weights: &[u32], tx: &str) -> String {
    let mut text = format!("version = 1\n[tx]\n{tx}\n");
    for (index, weight) in weights.iter().enumerate() {
        text += &format!(
            "[[flow]]\nname = \"f{index}\"\nweight = {weight}\neth = {{ dst = \"02:00:00:00:00:02\" }}\n\
             ipv4 = {{}}\nudp = {{ src = {} }}\n",
            index + 1
        );
    }
    text
}

#[test]
fn weights_are_exact_over_every_cycle() {
    for burst in [1, 7, 32] {
        let mut bench = Bench::new(&weighted(&[5, 1, 2], &format!("burst = {burst}\ncount = 800")));
        bench.run();
        bench.assert_balanced();
        let ports: Vec<u16> = bench.sent(0).iter().map(|frame| port(&frame.bytes)).collect();
        for cycle in ports.chunks_exact(8) {
            let mut share = BTreeMap::new();
            cycle.iter().for_each(|port| *share.entry(*port).or_insert(0) += 1);
            assert_eq!(share, BTreeMap::from([(1, 5), (2, 1), (3, 2)]), "burst {burst}");
        }
    }
}

#[test]
fn copies_are_consecutive_within_their_flow_and_count_for_weights() {
    let mut bench = Bench::new(&weighted(&[1, 1], "clone = 10\nburst = 7\ncount = 400"));
    bench.run();
    let ports: Vec<u16> = bench.sent(0).iter().map(|frame| port(&frame.bytes)).collect();
    assert_eq!(ports.iter().filter(|port| **port == 1).count(), 200);
}

#[test]
fn c30_burst_alone_does_not_reduce_variety() {
    for (burst, clone, distinct) in [(1, 0, 1000), (32, 0, 1000), (32, 1, 1000), (32, 100, 10)] {
        let mut bench = Bench::new(&one_flow(&format!("burst = {burst}\nclone = {clone}\ncount = 1000"), ""));
        bench.run();
        let mut ports: Vec<u16> = bench.sent(0).iter().map(|frame| port(&frame.bytes)).collect();
        ports.dedup();
        assert_eq!(ports.len(), distinct, "burst {burst} clone {clone}");
    }
}

#[test]
fn a_flow_may_keep_to_some_queues() {
    let text = one_flow("queues = [0, 1, 2]\ncount = 90", "queues = [1, 2]");
    let mut bench = Bench::new(&text);
    bench.run();
    bench.assert_balanced();
    let counts: Vec<u64> = bench.senders.iter().map(|sender| sender.counts().submitted).collect();
    assert_eq!(counts, [0, 45, 45]);
}
