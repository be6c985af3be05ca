//! Sweeps as scripts meet them: rows, differences, what is refused, and what is left when one is stopped.

use serde_json::Value;

use crate::bench::on_a_pair;
use crate::deck::{Done, Running, number, txdeck};

fn sweep(args: &[&str]) -> Done {
    Running::of(txdeck(&[&["sweep"], args, &["--json", "-q"]].concat()), "").finish()
}

fn rows(done: &Done) -> Vec<&Value> {
    assert_eq!(done.result()["type"], "sweep", "{}", done.brief());
    done.samples().iter().filter(|line| line["type"] == "row").collect()
}

#[test]
fn a_burst_of_32_is_cheaper_than_one_and_the_table_says_by_how_much() {
    on_a_pair("trials::a_burst_of_32_is_cheaper_than_one_and_the_table_says_by_how_much", |_| {
        let done = sweep(&["udp-64", "-i", "a0", "--burst", "1,32", "--slice", "200ms", "--repeat", "4"]);
        assert_eq!(done.code, 0, "{}", done.brief());
        let rows = rows(&done);
        assert_eq!(rows.len(), 2);
        let cost = |row: &Value| number(row, "cost_ns");
        assert!(cost(rows[0]) > cost(rows[1]), "{} and {}", rows[0], rows[1]);
        assert_eq!(rows[0]["set"][0]["key"], "tx.burst");
        assert!(rows.iter().all(|row| number(row, "pps") > 0.0 && row["left"].as_u64().unwrap() > 0));
        let kept = done.result();
        assert_eq!(
            (&kept["mode"], &kept["place"], &kept["host"]["driver"]),
            (&"copy".into(), &"device".into(), &"veth".into())
        );
        assert!(number(&kept["fit"], "burst_ns") > 0.0 && kept["unexplained"] == 0, "{kept}");
    });
}

#[test]
fn queues_are_opened_anew_where_a_key_needs_that() {
    on_a_pair("trials::queues_are_opened_anew_where_a_key_needs_that", |_| {
        let done = sweep(&[
            "udp-64",
            "-i",
            "a0",
            "--axis",
            "ring=256,2048",
            "--slice",
            "100ms",
            "--warm-up",
            "100ms",
            "--repeat",
            "2",
        ]);
        assert_eq!((done.code, rows(&done).len()), (0, 2), "{}", done.brief());
        assert!(rows(&done).iter().all(|row| row["slices"] == 2), "{}", done.brief());
    });
}

#[test]
fn what_cannot_be_swept_is_refused_before_anything_is_sent() {
    for (args, code, words) in [
        (&["--burst", "1,,2"][..], "bad_axis", "empty"),
        (&[], "bad_axis", "nothing varies"),
        (&["--axis", "mode=auto,copy"], "bad_axis", "numbers"),
        (&["--axis", "brst=1,2"], "bad_setting", "Did you mean tx.burst?"),
        (&["--axis", "burst"], "bad_axis", "KEY=LIST"),
        (&["--burst", "1,4096"], "bad_setting", "above half of ring"),
        (&["--burst", "1..500", "--clone", "1..500"], "bad_axis", "1000"),
        (&["--burst", "1,2", "--baseline", "3"], "bad_baseline", "1..2"),
        (&["--burst", "1,2", "-s", "count="], "bad_setting", "empty"),
    ] {
        let done = sweep(&[&["udp-64", "-i", "sim"], args].concat());
        assert_eq!((done.code, &done.result()["code"]), (2, &code.into()), "{}", done.brief());
        assert!(done.result()["message"].as_str().unwrap().contains(words), "{}", done.brief());
    }
}

#[test]
fn a_signal_ends_a_sweep_with_what_was_measured() {
    let mut running = Running::of(
        txdeck(&["sweep", "udp-64", "-i", "sim", "--burst", "1,2", "--slice", "100ms", "--repeat", "1000", "--json"]),
        "",
    );
    running.prediction();
    running.signal("INT");
    let done = running.finish();
    assert_eq!(done.code, 130, "{}", done.brief());
    assert_eq!(rows(&done).len(), 2);
}

fn compare(args: &[&str]) -> Done {
    Running::of(txdeck(&[&["compare"], args, &["--json", "-q", "--slice", "100ms", "--warm-up", "100ms"]].concat()), "")
        .finish()
}

#[test]
fn a_comparison_finds_what_a_doorbell_costs() {
    on_a_pair("trials::a_comparison_finds_what_a_doorbell_costs", |_| {
        let done = compare(&["udp-64", "-i", "a0", "--a", "burst=1", "--b", "burst=32"]);
        assert_eq!((done.code, &done.result()["cheaper"]), (0, &"b".into()), "{}", done.brief());
        let found = &done.result()["comparison"];
        assert!(number(found, "least") < number(found, "change") && number(found, "change") < 0.0, "{found}");
        assert!(number(found, "most") < 0.0 && found["blocks_used"].as_u64().unwrap() >= 6, "{found}");
    });
}

#[test]
fn a_comparison_of_nothing_is_refused() {
    for (args, code) in [
        (&["udp-64"][..], "same"),
        (&["udp-64", "udp-64"], "same"),
        (&["udp-64", "no-such-profile"], "no_profile"),
        (&["udp-64", "--b", "brst=1"], "bad_setting"),
    ] {
        let done = compare(&[args, &["-i", "sim"]].concat());
        assert_eq!((done.code, &done.result()["code"]), (2, &code.into()), "{}", done.brief());
    }
}

#[test]
fn senders_that_end_early_leave_what_was_measured_before() {
    let flow_ends = ["-s", "rate=10k", "-s", "flow.udp.count=6000"];
    let few = ["--burst", "1,2", "--slice", "100ms", "--warm-up", "100ms", "--repeat", "50"];
    let done = sweep(&[&["udp-64", "-i", "sim"], &few[..], &flow_ends[..]].concat());
    assert_eq!((done.code, rows(&done).len()), (1, 2), "{}", done.brief());
    assert!(rows(&done).iter().all(|row| row["slices"].as_u64().unwrap() < 50), "{}", done.brief());
    let none = sweep(&["udp-64", "-i", "sim", "--burst", "1,2", "-s", "flow.udp.count=1"]);
    assert_eq!((none.code, &none.result()["code"]), (2, &"ended".into()), "{}", none.brief());
}

#[test]
fn the_second_side_may_have_the_longer_packets() {
    let done = compare(&["udp-64", "-i", "sim", "--b", "flow.udp.size=1514"]);
    assert_eq!((done.code, &done.result()["type"]), (0, &"comparison".into()), "{}", done.brief());
    let command = done.result()["command"].as_str().unwrap().to_owned();
    assert!(command.contains("--warm-up 100ms") && command.contains("-i sim"), "{command}");
}
