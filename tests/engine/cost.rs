//! Cost switches: they take time and nothing else.

use crate::bench::{Bench, SECOND, START, one_flow, plan};

const WORDS: [&str; 6] = ["lock", "shared-line", "flow-lock", "barrier", "kick-each", "clock-each"];

fn text(cost: &str) -> String {
    one_flow(&format!("queues = [0, 1]\ncount = 1001\nclone = 3\ncost = [{cost}]"), "payload = { kind = \"zero\" }")
}

#[test]
fn the_same_packets_leave_whatever_they_cost() {
    let sent = |cost: &str| {
        let mut bench = Bench::new(&text(cost));
        bench.run();
        bench.assert_balanced();
        let bytes = |seat| bench.sent(seat).into_iter().map(|frame| frame.bytes).collect::<Vec<_>>();
        (bytes(0), bytes(1), bench.total().bursts)
    };
    let (first, second, bursts) = sent("");
    assert_eq!(first.len() + second.len(), 1001);
    let all = WORDS.map(|word| format!("\"{word}\"")).join(", ");
    for cost in WORDS.map(|word| format!("\"{word}\"")).into_iter().chain([all]) {
        let (one, two, rung) = sent(&cost);
        assert!(one == first && two == second, "{cost}: other bytes, or in another order");
        let wanted = if cost.contains("kick-each") { 1001 } else { bursts };
        assert_eq!(rung, wanted, "{cost}");
    }
}

#[test]
fn a_switch_is_turned_while_packets_flow() {
    let flowing = |cost: &str| one_flow(&format!("duration = \"3s\"\nrate = 10000\ncost = [{cost}]"), "");
    let mut bench = Bench::new(&flowing(""));
    bench.run_until(START + SECOND);
    let before = bench.total();
    bench.desk.retune(plan(&flowing("\"kick-each\"")));
    bench.run_until(START + 2 * SECOND);
    let with = bench.total();
    bench.desk.retune(plan(&flowing("")));
    bench.run();
    bench.assert_balanced();
    let after = bench.total();
    let share = |from: &txdeck::stats::Counts, to: &txdeck::stats::Counts| {
        (to.submitted - from.submitted) as f64 / (to.bursts - from.bursts) as f64
    };
    let packets_a_doorbell = [share(&Default::default(), &before), share(&before, &with), share(&with, &after)];
    assert!(packets_a_doorbell[0] > 20.0 && packets_a_doorbell[2] > 20.0, "{packets_a_doorbell:?}");
    assert!(packets_a_doorbell[1] < 1.2, "{packets_a_doorbell:?}");
}
