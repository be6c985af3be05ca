//! STATS: the figures are those of the packets, live and at the end.

use serde_json::Value;

use crate::bench::{counters, on_a_pair};
use crate::deck::{Running, number, packets, run, was_due};

#[test]
fn c96_bits_are_those_the_device_counted() {
    on_a_pair("stats::c96_bits_are_those_the_device_counted", |_| {
        for size in [60u64, 252, 508, 1020, 1514] {
            let before = counters("a0").tx_bytes;
            let size_set = format!("flow.udp.size={size}");
            let done = run(&["udp-64", "-i", "a0", "-s", &size_set, "-s", "rate=10000", "--duration", "400ms"]);
            assert_eq!(done.code, 0, "{}", done.brief());
            was_due(&done, 4000);
            let bytes = counters("a0").tx_bytes - before;
            assert_eq!(done.result()["left"]["bytes"], bytes);
            let bps = 8.0 * bytes as f64 / number(done.result(), "elapsed_s");
            assert!((number(done.result(), "bps") / bps - 1.0).abs() < 1e-6, "{}", done.brief());
        }
    });
}

#[test]
fn c96_bits_of_a_mix_are_those_the_device_counted() {
    on_a_pair("stats::c96_bits_of_a_mix_are_those_the_device_counted", |_| {
        let before = counters("a0").tx_bytes;
        let done = run(&["imix", "-i", "a0", "-s", "rate=10000", "--duration", "480ms"]);
        assert_eq!(done.code, 0, "{}", done.brief());
        was_due(&done, 4800);
        let bytes = counters("a0").tx_bytes - before;
        assert_eq!(done.result()["left"]["bytes"], bytes);
        let bps = 8.0 * bytes as f64 / number(done.result(), "elapsed_s");
        assert!((number(done.result(), "bps") / bps - 1.0).abs() < 1e-6, "{}", done.brief());
    });
}

/// From the second sample on, what is said to have left is what the far end counted meanwhile, within 2 % or one
/// packet. Both are read one after the other: a sample during which this process lost its CPU may be off.
#[track_caller]
fn samples_agree(samples: &[Value], text: &str) {
    let whole: Vec<&Value> = samples.iter().filter(|sample| number(sample, "interval_s") > 0.5).collect();
    assert!(whole.len() >= 3, "{text}: {samples:?}");
    let off = |sample: &&&Value| {
        let (left, received) = (packets(sample, "left"), packets(sample, "received"));
        let rate = left as f64 / number(sample, "interval_s");
        assert!((number(sample, "pps") - rate).abs() <= rate * 1e-6, "{text}: {sample}");
        left.abs_diff(received) > (received / 50).max(1)
    };
    let wrong: Vec<_> = whole[1..].iter().filter(off).collect();
    assert!(wrong.len() <= 1, "{text}: {wrong:?}");
    let sum = |figure| samples.iter().map(|sample| packets(sample, figure)).sum::<u64>();
    assert_eq!(sum("left"), sum("received"), "{text}");
}

#[test]
fn c98_live_figures_are_those_of_the_far_end() {
    on_a_pair("stats::c98_live_figures_are_those_of_the_far_end", |_| {
        let start = |rate: &str| {
            let rate = format!("rate={rate}");
            Running::start(&["udp-64", "--lab", "-s", &rate, "--duration", "4s", "--interval", "1s"])
        };
        let slow = ["1", "100", "20000"].map(|rate| (rate, start(rate)));
        let finish = |rate: &str, running: Running| {
            let done = running.finish();
            assert_eq!(done.code, 0, "{}", done.brief());
            samples_agree(done.samples(), rate);
            done
        };
        slow.into_iter().for_each(|(rate, running)| drop(finish(rate, running)));
        let done = finish("max", start("max"));
        assert!(done.packets("left") > 10_000, "{}", done.brief());
    });
}

/// The other ends of the live figure, link loss and removal, are c62, c64 and c66 in `link`.
#[test]
fn c98_after_its_last_packet_the_live_figure_is_zero() {
    on_a_pair("stats::c98_after_its_last_packet_the_live_figure_is_zero", |pair| {
        // A device that is down holds the run in its drain of two seconds: time enough to look.
        let mut running = Running::start(&["udp-64", "-i", "a0", "-s", "rate=1000", "--interval", "100ms"]);
        running.until("it sends", |sample| packets(sample, "left") > 0);
        pair.down("a0");
        let down_s = number(&running.sample(), "elapsed_s");
        let zero = running.until("zero", |sample| number(sample, "pps") == 0.0);
        assert!(number(&zero, "elapsed_s") - down_s < 1.0);
        running.signal("INT");
        let rest = running.finish();
        let after = rest.samples().iter().skip_while(|sample| *sample != &zero);
        assert!(after.clone().count() > 5, "samples go on through the drain: {}", rest.brief());
        assert!(after.clone().all(|sample| sample["pps"].as_f64().is_none_or(|pps| pps == 0.0)), "{}", rest.brief());
    });
}
