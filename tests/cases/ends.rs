//! How runs end: with the far end dead, beside a foreign sender, by signals, by what was expected of them.

use crate::bench::{counters, on_a_pair, with_queues};
use crate::deck::{Running, adds_up, balances, number, packets, run, through, txdeck};
use crate::nic_lab::{Far, Pair, wait_until};

#[test]
fn with_the_far_end_down_nothing_left_and_no_rate_is_shown() {
    on_a_pair("ends::with_the_far_end_down_nothing_left_and_no_rate_is_shown", |pair| {
        pair.down("b0");
        let before = counters("a0");
        let done = run(&["udp-64", "-i", "a0", "-n", "200000", "--interval", "100ms"]);
        assert_eq!(done.code, 1, "{}", done.brief());
        assert_eq!((done.packets("left"), done.packets("dropped")), (0, 200_000), "{}", done.brief());
        assert_eq!((number(done.result(), "pps"), number(done.result(), "bps")), (0.0, 0.0));
        assert!(done.result()["gap_ns"].is_null(), "{}", done.brief());
        assert!(done.samples().iter().all(|sample| sample["pps"].as_f64().is_none_or(|pps| pps == 0.0)));
        let after = counters("a0");
        assert_eq!((after.tx_packets, after.tx_dropped), (before.tx_packets, before.tx_dropped + 200_000));
        adds_up(&done);
    });
}

/// A second program that sends on queue 1 of the same device until it is told to stop.
fn foreign(pair: &Pair) -> Running {
    with_queues(pair, 2);
    let mut other = Running::start(&["udp-64", "-i", "a0", "--queues", "1", "--interval", "100ms"]);
    other.until("the other sends", |sample| packets(sample, "left") > 0);
    other
}

#[test]
fn a_foreign_sender_on_the_same_device_inflates_nothing() {
    on_a_pair("ends::a_foreign_sender_on_the_same_device_inflates_nothing", |pair| {
        let other = foreign(pair);
        let before = counters("a0").tx_packets;
        let too_long = run(&["udp-64", "-i", "a0", "-n", "50000", "-s", "flow.udp.size=1519"]);
        assert_eq!((too_long.code, too_long.packets("left")), (1, 0), "{}", too_long.brief());
        assert_eq!((too_long.packets("dropped"), number(too_long.result(), "pps")), (50_000, 0.0));
        adds_up(&too_long);
        balances(&run(&["udp-64", "-i", "a0", "-n", "17900"]), 17_900);
        assert!(counters("a0").tx_packets - before > 17_900 + 1000, "the other sent all the while");
        other.signal("TERM");
        let other = other.finish();
        assert_eq!((other.code, other.packets("left")), (143, other.packets("completed")), "{}", other.brief());
        adds_up(&other);
    });
}

#[test]
fn a_second_program_in_the_same_lab_inflates_nothing() {
    on_a_pair("ends::a_second_program_in_the_same_lab_inflates_nothing", |_| {
        let args = ["udp-64", "--lab", "--lab-queues", "2", "--queues", "1", "-s", "rate=20000", "--interval", "100ms"];
        let mut other = Running::start(&args);
        other.until("the other sends", |sample| packets(sample, "left") > 0);
        let pid = other.id().to_string();
        let inside = |args: &[&str]| {
            let enter = [env!("CARGO_BIN_EXE_txdeck"), "lab", "--enter", "--pid", &pid, "--"];
            Running::of(through(&enter, &[&["run", "udp-64", "-i", "deck0", "--json"], args].concat()), "").finish()
        };
        let too_long = inside(&["-n", "20000", "-s", "flow.udp.size=1519"]);
        assert_eq!((too_long.packets("left"), too_long.packets("dropped")), (0, 20_000), "{}", too_long.brief());
        balances(&inside(&["-n", "17900"]), 17_900);
        other.signal("TERM");
        let other = other.finish();
        assert_eq!(other.packets("received"), other.packets("left") + 17_900, "{}", other.brief());
    });
}

#[test]
fn a_signal_drains_and_prints_the_result() {
    on_a_pair("ends::a_signal_drains_and_prints_the_result", |pair| {
        let far = Far::on(pair, "b0");
        for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            far.count();
            let mut running = Running::start(&["udp-64", "-i", "a0", "--interval", "100ms", "--expect", "pps>=900M"]);
            running.until("it sends", |sample| packets(sample, "left") > 0);
            running.signal(signal);
            let done = running.finish();
            assert_eq!((done.code, &done.result()["ended_by"]), (code, &"signal".into()), "{}", done.brief());
            adds_up(&done);
            let of = |figure| done.packets(figure);
            assert_eq!((of("left"), of("abandoned")), (of("submitted"), 0), "{}", done.brief());
            assert_eq!(u64::from(far.count()), of("left"));
        }
    });
}

#[test]
fn exit_codes_say_how_it_went() {
    on_a_pair("ends::exit_codes_say_how_it_went", |pair| {
        let code = |args: &[&str]| run(&[&["udp-64", "-i", "a0", "-n", "100"], args].concat()).code;
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&["--expect", "left=100", "--expect", "dropped=0"]), 0);
        assert_eq!(code(&["--expect", "left>=101"]), 3);
        assert_eq!(code(&["-s", "flow.udp.size=1519"]), 1);
        assert_eq!(code(&["-s", "flow.udp.size=1519", "--expect", "left>0"]), 3, "an expectation wins over losses");
        assert_eq!(code(&["-s", "burst=0"]), 2);
        assert_eq!(code(&["--queues", "7"]), 2);
        pair.delete("a0");
        assert_eq!(code(&[]), 2);
    });
}

#[test]
fn the_text_form_is_printed_on_every_end_too() {
    on_a_pair("ends::the_text_form_is_printed_on_every_end_too", |pair| {
        let text = |args: &[&str]| {
            let output = txdeck(&[&["run", "udp-64", "-i", "a0", "-q"], args].concat()).output().unwrap();
            (String::from_utf8(output.stdout).unwrap(), output.status.code())
        };
        let (fine, code) = text(&["-n", "1234"]);
        assert!(code == Some(0) && fine.contains("1 234") && fine.contains("its count"), "{fine}");
        pair.down("b0");
        let (dropped, code) = text(&["-n", "1234"]);
        assert!(code == Some(1) && dropped.contains("dropped") && dropped.contains("1 234"), "{dropped}");
    });
}

/// Network namespaces that some process is in or holds open.
fn in_use(net: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes
        .filter_map(|process| std::fs::read_link(process.join("ns/net")).ok())
        .any(|link| link.to_str() == Some(net))
}

#[test]
fn a_killed_lab_leaves_nothing() {
    on_a_pair("ends::a_killed_lab_leaves_nothing", |_| {
        let mut running = Running::start(&["udp-64", "--lab", "--interval", "100ms"]);
        running.sample();
        let net = std::fs::read_link(format!("/proc/{}/ns/net", running.id())).unwrap();
        let net = net.to_str().unwrap().to_owned();
        assert!(in_use(&net));
        running.signal("KILL");
        running.finish();
        wait_until("the namespace is nobody's", || !in_use(&net));
    });
}
