//! LINK: devices that go down, come up, change their name or vanish while packets flow.

use crate::bench::{counters, ip, link, on_a_pair, wait_for_carrier};
use crate::deck::{Done, Running, adds_up, balances, number, packets, run, run_profile, txdeck, was_due};
use crate::nic_lab::Far;

fn at_1000(args: &[&str]) -> Running {
    Running::start(&[&["udp-64", "-i", "a0", "-s", "rate=1000", "--interval", "100ms"], args].concat())
}

/// What the ledger says left is what the device and the far end saw.
#[track_caller]
fn agree(done: &Done, far: &Far, before: u64) {
    adds_up(done);
    let left = done.packets("left");
    assert_eq!((counters("a0").tx_packets - before, u64::from(far.count())), (left, left), "{}", done.brief());
}

#[test]
fn c62_without_carrier_nothing_left_and_the_rate_returns_by_itself() {
    on_a_pair("link::c62_without_carrier_nothing_left_and_the_rate_returns_by_itself", |pair| {
        let (far, before) = (Far::on(pair, "b0"), counters("a0").tx_packets);
        pair.down("b0");
        let mut running = at_1000(&["--duration", "3s"]);
        let dead = |sample: &serde_json::Value| packets(sample, "left") == 0 && packets(sample, "dropped") > 0;
        let alive = |sample: &serde_json::Value| packets(sample, "left") > 0 && packets(sample, "dropped") == 0;
        let sample = running.until("dead from the start", dead);
        assert_eq!(number(&sample, "pps"), 0.0);
        running.at(1.0);
        pair.up("b0");
        let up_s = number(&running.until("alive", alive), "elapsed_s");
        assert!(up_s < 2.0, "seen at {up_s} s");
        running.at(2.0);
        pair.down("b0");
        let down_s = number(&running.until("dead again", dead), "elapsed_s");
        assert!(down_s < 3.0, "seen at {down_s} s");
        let done = running.finish();
        assert_eq!(done.code, 1, "{}", done.brief());
        assert!(done.stderr.contains("a0: no carrier"), "said before the start: {}", done.stderr);
        was_due(&done, 3000);
        assert!(done.packets("left").abs_diff(1000) < 250, "about one second of three: {}", done.brief());
        agree(&done, &far, before);
        assert_eq!(done.result()["errno"]["EBUSY"].as_u64(), Some(done.packets("dropped")));
    });
}

/// User and system time of a process so far.
fn cpu_s(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    ticks as f64 / 100.0
}

#[test]
fn c64_a_device_that_goes_down_costs_nothing_and_goes_on() {
    on_a_pair("link::c64_a_device_that_goes_down_costs_nothing_and_goes_on", |pair| {
        let (far, before) = (Far::on(pair, "b0"), counters("a0").tx_packets);
        let mut running = at_1000(&["--duration", "4s"]);
        for from_s in [0.3, 1.5, 2.7] {
            running.at(from_s);
            pair.down("a0");
            let down = running.until("nothing leaves", |sample| packets(sample, "left") == 0);
            assert_eq!((number(&down, "pps"), packets(&down, "dropped")), (0.0, 0));
            let (before_s, until_s) = (cpu_s(running.id()), number(&down, "elapsed_s") + 0.5);
            running.at(until_s);
            assert!(cpu_s(running.id()) - before_s < 0.25, "a dead link costs less than half a CPU");
            pair.up("a0");
            running.until("it goes on", |sample| packets(sample, "left") > 0);
        }
        let done = running.finish();
        assert!(done.result()["errno"]["ENETDOWN"].as_u64().unwrap() > 0, "{}", done.brief());
        assert_eq!((done.packets("abandoned"), done.packets("invalid")), (0, 0), "{}", done.brief());
        was_due(&done, 4000);
        // Coming up takes a moment in which the kernel may still refuse: refused is counted, never lost twice.
        agree(&done, &far, before);
        assert_eq!(done.packets("unexplained"), 0, "{}", done.brief());
    });
}

#[test]
fn c64_a_device_that_stays_down_gives_its_packets_back() {
    on_a_pair("link::c64_a_device_that_stays_down_gives_its_packets_back", |pair| {
        pair.down("a0");
        let done = Running::of(txdeck(&["run", "udp-64", "-i", "a0", "-n", "100", "--json"]), "").finish();
        assert_eq!((done.code, &done.result()["ended_by"]), (1, &"count".into()), "{}", done.brief());
        assert_eq!((done.packets("left"), done.packets("abandoned")), (0, 100), "{}", done.brief());
        assert!(done.stderr.contains("a0: down"), "said before the start: {}", done.stderr);
        let why = "(the device is down, 100 waiting, ENETDOWN ";
        assert!(done.stderr.contains(why), "said while nothing leaves: {}", done.stderr);
        adds_up(&done);
        pair.up("a0");
        wait_for_carrier("a0");
        balances(&run(&["udp-64", "-i", "a0", "-n", "100"]), 100);
    });
}

#[test]
fn c65_a_rename_while_running_does_not_disturb() {
    on_a_pair("link::c65_a_rename_while_running_does_not_disturb", |pair| {
        let far = Far::on(pair, "b0");
        let mut running = at_1000(&["--duration", "1s"]);
        running.at(0.3);
        pair.rename("a0", "a0.new-1");
        let done = running.finish();
        assert_eq!((done.code, u64::from(far.count())), (0, done.packets("left")), "{}", done.brief());
        was_due(&done, 1000);
        let gone = run(&["udp-64", "-i", "a0", "-n", "5"]);
        assert_eq!((gone.code, &gone.result()["code"]), (2, &"no_device".into()), "{}", gone.brief());
        balances(&run(&["udp-64", "-i", "a0.new-1", "-n", "5"]), 5);
    });
}

#[test]
fn c65_alternative_names_lead_to_the_device_and_too_long_ones_are_refused() {
    on_a_pair("link::c65_alternative_names_lead_to_the_device_and_too_long_ones_are_refused", |_| {
        ip("link property add dev a0 altname lab-port.1");
        ip("link property add dev a0 altname a-name-of-far-more-than-fifteen-bytes");
        let named = |name: &str| {
            let text = format!(
                "version = 1\nname = \"alt\"\n[tx]\ndevice = \"{name}\"\ncount = 7\n[[flow]]\n\
                 eth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\nudp = {{}}\n"
            );
            run_profile(&text, &[])
        };
        for done in [named("lab-port.1"), run(&["udp-64", "-i", "a-name-of-far-more-than-fifteen-bytes", "-n", "7"])] {
            balances(&done, 7);
            assert_eq!(done.result()["device"], "a0", "the real name is told");
        }
        let refused = named("a-name-of-16-byt");
        assert_eq!((refused.code, &refused.result()["code"]), (2, &"bad_profile".into()), "{}", refused.brief());
    });
}

#[test]
fn c66_what_a_late_link_swallowed_is_dropped_never_sent() {
    on_a_pair("link::c66_what_a_late_link_swallowed_is_dropped_never_sent", |pair| {
        for limit in [["--duration", "2s"], ["-n", "2000"]] {
            pair.down("b0");
            let (far, before) = (Far::on(pair, "b0"), counters("a0").tx_packets);
            let mut running = at_1000(&limit);
            running.at(0.8);
            pair.up("b0");
            let done = running.finish();
            assert_eq!(done.code, 1, "{}", done.brief());
            was_due(&done, 2000);
            assert!(done.packets("dropped").abs_diff(900) < 250, "{}", done.brief());
            agree(&done, &far, before);
        }
    });
}

#[test]
fn a_device_that_vanishes_ends_the_run_and_every_memory_is_back() {
    on_a_pair("link::a_device_that_vanishes_ends_the_run_and_every_memory_is_back", |pair| {
        let mut running = at_1000(&["--duration", "30s"]);
        let last_s = number(&running.at(0.3), "elapsed_s");
        pair.delete("a0");
        let done = running.finish();
        assert_eq!((done.code, &done.result()["ended_by"]), (1, &"link".into()), "{}", done.brief());
        assert!(number(done.result(), "elapsed_s") - last_s < 1.0, "{}", done.brief());
        assert!(done.result()["senders"][0]["reason"].as_str().unwrap().contains("gone"), "{}", done.brief());
        adds_up(&done);
    });
}

/// Three ways into a namespace; the third by being born there. Everything is made under a /run of the test's own.
const THREE_WAYS: &str = r#"
set -e
mount -t tmpfs none /run
mkdir -p /run/netns
for net in other tx; do ip netns add $net; done
make() { ip $1 link add a0 mtu $2 address $3 numtxqueues $4 numrxqueues $4 type veth peer name b0
         ip $1 link set a0 up; ip $1 link set b0 mtu $2 up; }
make "-n other" 1400 02:00:00:00:00:0f 1
make "-n tx" 1300 02:00:00:00:00:0a 3
look() { "$@" "$TXDECK" devices --json; "$@" "$TXDECK" run udp-64 -i a0 --queues 2 -n 100 --json -q; }
look ip netns exec tx
look nsenter --net=/run/netns/tx
export TXDECK
unshare -n sh -ec 'ip link add a0 mtu 1300 address 02:00:00:00:00:0a numtxqueues 3 numrxqueues 3 type veth peer name b0
  ip link set a0 up; ip link set b0 mtu 1300 up
  "$TXDECK" devices --json; "$TXDECK" run udp-64 -i a0 --queues 2 -n 100 --json -q'
"#;

#[test]
fn c67_the_present_namespace_counts_however_it_was_entered() {
    on_a_pair("link::c67_the_present_namespace_counts_however_it_was_entered", |_| {
        assert_eq!(link("a0").mtu, 1500, "a third a0 of the same index is here");
        let mut command = std::process::Command::new("unshare");
        command.args(["--mount", "sh", "-c", THREE_WAYS]).env("TXDECK", env!("CARGO_BIN_EXE_txdeck"));
        let done = Running::of(command, "").finish();
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{:?}", done.lines);
        let results: Vec<_> = done.lines.iter().filter(|line| line["type"] == "result").collect();
        assert_eq!(results.len(), 3, "{:?}", done.lines);
        assert!(results.iter().all(|result| packets(result, "left") == 100 && result["host"]["driver"] == "veth"));
        let seen: Vec<_> = done.lines.iter().filter(|line| line["name"] == "a0").collect();
        assert_eq!(seen.len(), 3, "{:?}", done.lines);
        for device in seen {
            assert_eq!((&device["mtu"], &device["mac"]), (&1300.into(), &"02:00:00:00:00:0a".into()), "{device}");
            assert_eq!(device["queues"], 3, "{device}");
        }
    });
}
