//! XSK-BIND: a queue is never "busy" to a user who runs one program after another, and the mode got is told.

use crate::bench::{ip, on_a_pair, with_queues};
use crate::deck::{Running, balances, run};

/// Counted runs and stopped ones in turn, each with other rings than the one before.
#[test]
fn c55_fifty_starts_and_stops_are_never_busy() {
    on_a_pair("bind::c55_fifty_starts_and_stops_are_never_busy", |_| {
        for turn in 0..50 {
            let ring = format!("ring={}", 64 << (turn % 6));
            if turn % 2 == 0 {
                balances(&run(&["udp-64", "-i", "a0", "-n", "33", "-s", &ring]), 33);
                continue;
            }
            let mut running =
                Running::start(&["udp-64", "-i", "a0", "-s", &ring, "-s", "rate=1000", "--interval", "100ms"]);
            running.sample();
            running.signal("INT");
            let done = running.finish();
            assert_eq!(done.code, 130, "{}", done.brief());
            assert!(!done.stderr.contains("busy"), "{}", done.stderr);
        }
    });
}

#[test]
fn c55_a_killed_run_leaves_its_queue_free_and_no_program() {
    on_a_pair("bind::c55_a_killed_run_leaves_its_queue_free_and_no_program", |_| {
        for _ in 0..5 {
            let mut running = Running::start(&["udp-64", "-i", "a0", "--interval", "100ms"]);
            running.sample();
            running.signal("KILL");
            running.finish();
            balances(&run(&["udp-64", "-i", "a0", "-n", "179"]), 179);
        }
        no_program_is_loaded();
    });
}

fn no_program_is_loaded() {
    let shown = std::process::Command::new("ip").args(["-d", "link", "show"]).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("a0") && !text.contains("xdp"), "{text}");
}

#[test]
fn c57_the_mode_got_is_in_the_result_and_zero_copy_is_refused_by_driver() {
    on_a_pair("bind::c57_the_mode_got_is_in_the_result_and_zero_copy_is_refused_by_driver", |_| {
        for mode in ["mode=auto", "mode=copy"] {
            for wakeup in ["need_wakeup=true", "need_wakeup=false"] {
                let done = run(&["udp-64", "-i", "a0", "-n", "100", "-s", mode, "-s", wakeup]);
                balances(&done, 100);
                let got = &done.result()["mode"];
                assert_eq!((&got["copy"], &got["zero_copy"]), (&true.into(), &false.into()), "{got}");
                assert_eq!(got["need_wakeup"].to_string(), wakeup.split_once('=').unwrap().1);
            }
        }
        let refused = run(&["udp-64", "-i", "a0", "-n", "100", "-s", "mode=zero-copy"]);
        assert_eq!((refused.code, &refused.result()["code"]), (2, &"no_zero_copy".into()), "{}", refused.brief());
        let text = refused.result().to_string();
        assert!(text.contains("veth") && text.contains("copy"), "{text}");
    });
}

#[test]
fn c60_c61_any_mtu_sends_and_no_program_is_loaded() {
    on_a_pair("bind::c60_c61_any_mtu_sends_and_no_program_is_loaded", |pair| {
        with_queues(pair, 2);
        for mtu in [1500, 3500, 3520, 3521, 8901, 9000] {
            pair.mtu("a0", mtu);
            pair.mtu("b0", mtu);
            let mut running = Running::start(&[
                "udp-64",
                "-i",
                "a0",
                "-n",
                "1000",
                "-s",
                "flow.udp.size=64",
                "-s",
                "rate=5000",
                "--interval",
                "100ms",
            ]);
            running.sample();
            no_program_is_loaded();
            let done = running.finish();
            assert_eq!((done.code, done.packets("left") + done.packets("shortfall")), (0, 1000), "{}", done.brief());
        }
        ip("link set a0 down");
    });
}
