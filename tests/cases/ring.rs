//! XSK-RING: what the rings do is nobody's business but the nic's; every count is delivered in full.

use crate::bench::{link, on_a_pair};
use crate::capture::Capture;
use crate::deck::{Running, balances, number, packets, run, run_profile};
use crate::nic_lab::Far;

#[test]
fn c45_eagain_is_no_error() {
    on_a_pair("ring::c45_eagain_is_no_error", |pair| {
        let far = Far::on(pair, "b0");
        let done = run(&["udp-64", "-i", "a0", "-n", "200000", "-s", "burst=256"]);
        balances(&done, 200_000);
        assert!(done.result()["errno"]["EAGAIN"].as_u64().unwrap() > 0, "a burst of 256 needs more than one kick");
        assert_eq!((far.count(), done.stderr.as_str()), (200_000, ""));
    });
}

#[test]
fn c46_every_count_is_delivered_at_max_rate() {
    on_a_pair("ring::c46_every_count_is_delivered_at_max_rate", |pair| {
        let far = Far::on(pair, "b0");
        for need_wakeup in ["true", "false"] {
            for count in [1u32, 15, 16, 17, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049] {
                far.count();
                let wakeup = format!("need_wakeup={need_wakeup}");
                let done = run(&["udp-64", "-i", "a0", "-n", &count.to_string(), "-s", &wakeup]);
                balances(&done, count.into());
                assert_eq!(far.count(), count);
                assert!(number(done.result(), "elapsed_s") < 1.0, "{}", done.brief());
                assert_eq!(done.result()["mode"]["need_wakeup"].to_string(), need_wakeup);
            }
        }
    });
}

/// Each in a lab of its own, all at the same time: at 10 packets a second they do nearly nothing.
#[test]
fn c46_every_count_is_delivered_at_ten_a_second() {
    on_a_pair("ring::c46_every_count_is_delivered_at_ten_a_second", |_| {
        let start = |need_wakeup: &str, count: u32| {
            let wakeup = format!("need_wakeup={need_wakeup}");
            let count = count.to_string();
            Running::start(&["udp-64", "--lab", "-n", &count, "-s", "rate=10", "-s", "chunks=64", "-s", &wakeup])
        };
        let counts = [1, 15, 16, 17, 31, 32, 33];
        let all = ["true", "false"].iter().flat_map(|wakeup| counts.map(|count| (count, start(wakeup, count))));
        for (count, running) in all.collect::<Vec<_>>() {
            let done = running.finish();
            balances(&done, count.into());
            assert_eq!(packets(done.result(), "received"), u64::from(count));
            let late_s = number(done.result(), "elapsed_s") - f64::from(count - 1) / 10.0;
            assert!((-0.001..0.5).contains(&late_s), "the last is not held back: {}", done.brief());
        }
    });
}

#[test]
fn c53_no_descriptor_is_invalid_whatever_the_size() {
    on_a_pair("ring::c53_no_descriptor_is_invalid_whatever_the_size", |pair| {
        let text = "version = 1\nname = \"sizes\"\n[tx]\ncount = 100000\n[[flow]]\nname = \"a\"\n\
                    size = { from = 60, to = 1514 }\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n";
        let far = Far::on(pair, "b0");
        for knob in ["chunk_bytes=2048", "chunk_bytes=4096", "clone=7"] {
            far.count();
            balances(&run_profile(text, &["-i", "a0", "-s", knob]), 100_000);
            assert_eq!(far.count(), 100_000);
        }
        let capture = Capture::on(link("b0").index, 2000);
        balances(&run_profile(text, &["-i", "a0", "-n", "1455"]), 1455);
        let sizes: Vec<usize> = capture.frames().iter().map(|frame| frame.bytes.len()).collect();
        assert_eq!(sizes, (60..=1514).collect::<Vec<_>>());
    });
}

#[test]
fn c48_c49_a_bad_ring_or_chunk_is_refused_by_name() {
    for (knob, word) in [("ring=511", "a power of two"), ("ring=0", "64..32768"), ("chunk_bytes=1500", "2048")] {
        let done = run(&["udp-64", "-i", "sim", "-n", "1", "-s", knob]);
        assert_eq!((done.code, &done.result()["code"]), (2, &"bad_setting".into()), "{}", done.brief());
        let message = done.result()["message"].as_str().unwrap();
        assert!(message.contains(word) && message.contains(knob.split('=').next().unwrap()), "{message}");
    }
}

#[test]
fn c54_huge_pages_that_are_not_there_are_one_notice() {
    on_a_pair("ring::c54_huge_pages_that_are_not_there_are_one_notice", |_| {
        let done = run(&["udp-64", "-i", "a0", "-n", "1000", "-s", "huge_pages=true"]);
        balances(&done, 1000);
        assert!(done.stderr.lines().count() <= 1, "{}", done.stderr);
        let reserved = std::fs::read_to_string("/proc/sys/vm/nr_hugepages").unwrap();
        assert_eq!(reserved.trim() == "0", done.stderr.contains("huge page"), "{reserved}{}", done.stderr);
    });
}
