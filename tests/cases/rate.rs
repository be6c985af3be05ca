//! RATE: the average holds at every burst, and so does the spacing. The ten-second forms run on virtual time in
//! tests/engine and, on a wire, in tests/bench/rates.sh.

use crate::bench::{link, on_a_pair};
use crate::capture::Capture;
use crate::deck::{Done, Running, adds_up, number, run, was_due};

/// Two seconds of a rate: exact to one packet (or 0.1 %), what a busy machine made us forgive included.
#[track_caller]
fn held_its_rate(done: &Done, rate: f64) {
    assert_eq!(done.code, 0, "{}", done.brief());
    adds_up(done);
    was_due(done, (rate * 2.0).round() as u64);
    assert_eq!(done.packets("left"), done.packets("submitted"), "{}", done.brief());
    // Debt of up to 100 ms is repaid after the end, on a machine with no time to spare as fast as it goes.
    assert!((2.0..3.0).contains(&number(done.result(), "elapsed_s")), "{}", done.brief());
}

#[test]
fn c08_rates_hold_on_a_wire_for_every_burst() {
    on_a_pair("rate::c08_rates_hold_on_a_wire_for_every_burst", |_| {
        let rates = [("0.5", 0.5), ("10", 10.0), ("1000", 1000.0), ("50000", 50_000.0), ("8 Mbit/s", 50_000.0 / 3.0)];
        for burst in ["burst=1", "burst=32", "burst=256"] {
            for (text, rate) in rates {
                let done = run(&["udp-64", "-i", "a0", "-s", &format!("rate={text}"), "-s", burst, "--duration", "2s"]);
                held_its_rate(&done, rate);
            }
        }
    });
}

#[test]
fn c08_a_burst_of_256_at_10_pps_still_leaves_every_100_ms() {
    on_a_pair("rate::c08_a_burst_of_256_at_10_pps_still_leaves_every_100_ms", |_| {
        let capture = Capture::on(link("b0").index, 100);
        let done = run(&["udp-64", "-i", "a0", "-s", "rate=10", "-s", "burst=256", "-n", "21"]);
        assert_eq!((done.code, done.packets("left")), (0, 21), "{}", done.brief());
        let at_ns: Vec<u64> = capture.frames().iter().map(|frame| frame.at_ns).collect();
        assert_eq!(at_ns.len(), 21);
        // Waiting for company would make gaps of 0 and of 25 s. On an idle machine all are within 0.2 ms; one that has
        // other work wakes the sender late, and then two gaps are wrong.
        let mut off_ns: Vec<u64> = at_ns.windows(2).map(|pair| (pair[1] - pair[0]).abs_diff(100_000_000)).collect();
        off_ns.sort_unstable();
        assert!(off_ns[10] < 5_000_000, "the median gap is 100 ± 5 ms: {at_ns:?}");
        assert!(off_ns[19] < 90_000_000, "every gap is one of single packets: {at_ns:?}");
        assert!((at_ns[20] - at_ns[0]).abs_diff(2_000_000_000) < 90_000_000, "{at_ns:?}");
    });
}

#[test]
fn c15_a_stop_is_obeyed_within_half_a_second_at_half_a_packet_a_second() {
    on_a_pair("rate::c15_a_stop_is_obeyed_within_half_a_second_at_half_a_packet_a_second", |_| {
        let mut run = Running::start(&["udp-64", "-i", "a0", "-s", "rate=0.5", "--interval", "100ms"]);
        let before_s = number(&run.at(0.3), "elapsed_s");
        run.signal("TERM");
        let done = run.finish();
        assert_eq!((done.code, &done.result()["ended_by"]), (143, &"signal".into()), "{}", done.brief());
        assert!(number(done.result(), "elapsed_s") - before_s < 0.5, "{}", done.brief());
        assert_eq!(done.packets("left"), 1, "the first is due at once, the next after two seconds");
    });
}
