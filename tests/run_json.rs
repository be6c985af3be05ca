//! `txdeck run`: the figures of a run as scripts read them, on the simulated nic and in private labs.
//! Lab tests skip aloud where a lab cannot be made; with REQUIRE_WIRE=1 that is a failure.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A run that takes longer has hung.
const DEADLINE: Duration = Duration::from_secs(60);

fn txdeck(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_txdeck"));
    command.args(args).env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    // A shell's background job is born ignoring SIGINT, and txdeck rightly goes on ignoring it: it would never end.
    // SAFETY: signal() is async-signal-safe, and the default action needs no handler.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    command
}

fn start(args: &[&str]) -> Child {
    txdeck(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a run printed, with its result.
struct Done {
    code: i32,
    lines: Vec<Value>,
    stderr: String,
}

impl Done {
    fn result(&self) -> &Value {
        self.lines.last().unwrap_or_else(|| panic!("nothing on stdout; stderr: {}", self.stderr))
    }

    fn of(output: &Output) -> Done {
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")));
        Done {
            code: output.status.code().unwrap_or(-1),
            lines: lines.collect(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn run(args: &[&str]) -> Done {
    Done::of(&wait(start(&[&["run"], args, &["--json"]].concat())))
}

fn run_profile(text: &str, args: &[&str]) -> Done {
    let all = [&["run", "-"], args, &["--json"]].concat();
    let mut child = txdeck(&all).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Done::of(&wait(child))
}

/// Ends a run that hangs, so that the test fails instead of standing still.
fn wait(child: Child) -> Output {
    let (id, (done, over)) = (child.id(), std::sync::mpsc::channel::<()>());
    let watchdog = std::thread::spawn(move || {
        if over.recv_timeout(DEADLINE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            signal(id, "KILL");
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    watchdog.join().unwrap();
    output
}

fn signal(id: u32, name: &str) {
    let signal = match name {
        "INT" => Signal::INT,
        "TERM" => Signal::TERM,
        _ => Signal::KILL,
    };
    // Not the program kill: a bare machine has none.
    kill_process(Pid::from_raw(id.cast_signed()).unwrap(), signal).unwrap();
}

/// Whether a lab can be made here.
fn lab_works(test: &str) -> bool {
    let tried = txdeck(&["lab", "--try"]).output().unwrap();
    if tried.status.success() {
        return true;
    }
    let why = String::from_utf8_lossy(&tried.stderr).into_owned();
    assert!(!std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1"), "REQUIRE_WIRE=1, but: {why}");
    eprintln!("SKIPPED {test}: {why}");
    false
}

fn packets(result: &Value, figure: &str) -> u64 {
    let value = &result[figure];
    let value = if value.is_object() { &value["packets"] } else { value };
    value.as_u64().unwrap_or_else(|| panic!("{figure} is {value}"))
}

fn number(result: &Value, figure: &str) -> f64 {
    result[figure].as_f64().unwrap_or_else(|| panic!("{figure} is {}", result[figure]))
}

/// Everything left, nothing is out, every memory is free again.
#[track_caller]
fn balances(done: &Done, wanted: u64) {
    let result = done.result();
    assert_eq!(done.code, 0, "{result}\n{}", done.stderr);
    for figure in ["submitted", "completed", "left"] {
        assert_eq!(packets(result, figure), wanted, "{figure}: {result}");
    }
    for figure in ["unexplained", "in_flight", "abandoned", "invalid", "dropped"] {
        assert_eq!(packets(result, figure), 0, "{figure}: {result}");
    }
    assert_eq!(result["frames"]["free"], result["frames"]["total"], "{result}");
    let flows: u64 = result["flows"].as_array().unwrap().iter().map(|flow| packets(flow, "submitted")).sum();
    let senders: u64 = result["senders"].as_array().unwrap().iter().map(|sender| packets(sender, "left")).sum();
    assert_eq!((flows, senders), (wanted, wanted), "{result}");
}

/// A count that a rate asks for: what was forgiven on a busy machine was due, too.
#[track_caller]
fn paced(done: &Done, wanted: u64) {
    let result = done.result();
    assert_eq!(done.code, 0, "{result}\n{}", done.stderr);
    let due = packets(result, "submitted") + packets(result, "shortfall");
    assert!(due.abs_diff(wanted) <= 1, "{due} instead of {wanted}: {result}");
}

#[test]
fn counts_are_exact_on_the_simulated_nic() {
    for count in ["1", "31", "32", "33", "179", "17900"] {
        let done = run(&["udp-64", "-i", "sim", "-n", count]);
        balances(&done, count.parse().unwrap());
        assert_eq!((&done.result()["ended_by"], &done.result()["left"]["source"]), (&"count".into(), &"sim".into()));
        assert!(done.result()["received"].is_null());
        let mode = &done.result()["mode"];
        assert_eq!((&mode["copy"], &mode["zero_copy"]), (&false.into(), &false.into()), "a simulated nic is neither");
    }
    balances(&run(&["udp-64", "-i", "sim", "-n", "995", "-s", "clone=10"]), 995);
    balances(&run(&["udp-64", "-i", "sim", "-n", "1000003", "--queues", "0..3"]), 1_000_003);
}

#[test]
fn c01_what_is_counted_in_a_lab_left_and_arrived() {
    if !lab_works("c01") {
        return;
    }
    for (count, extra) in [
        ("1", ""),
        ("31", ""),
        ("32", ""),
        ("33", ""),
        ("179", "burst=64"),
        ("1790", "burst=64"),
        ("17900", "burst=64"),
        ("995", "clone=10"),
    ] {
        let mut args = vec!["udp-64", "--lab", "-n", count];
        args.extend(if extra.is_empty() { vec![] } else { vec!["-s", extra] });
        let done = run(&args);
        balances(&done, count.parse().unwrap());
        let result = done.result();
        assert_eq!(packets(result, "received").to_string(), count, "{result}");
        assert_eq!((&result["left"]["source"], &result["device"]), (&"device".into(), &"deck0".into()));
    }
}

#[test]
fn c03_a_count_is_a_total_over_all_queues() {
    if !lab_works("c03") {
        return;
    }
    let done = run(&["udp-64", "--lab", "--lab-queues", "4", "-n", "1000003"]);
    balances(&done, 1_000_003);
    assert_eq!(packets(done.result(), "received"), 1_000_003);
    let shares: Vec<u64> =
        done.result()["senders"].as_array().unwrap().iter().map(|sender| packets(sender, "submitted")).collect();
    assert_eq!(shares, [250_003, 250_000, 250_000, 250_000]);
}

#[test]
fn c04_the_first_limit_reached_ends_the_run_and_is_named() {
    let by_count = run(&["udp-64", "-i", "sim", "-n", "1000"]);
    assert_eq!(by_count.result()["ended_by"], "count");
    let by_time = run(&["udp-64", "-i", "sim", "-n", "1000", "--duration", "1s", "-s", "rate=100"]);
    paced(&by_time, 100);
    assert_eq!(by_time.result()["ended_by"], "duration");
    assert_eq!(number(by_time.result(), "elapsed_s"), 1.0);
    let endless = run(&["udp-64", "-i", "sim", "-n", "0", "--duration", "300ms"]);
    assert_eq!(endless.result()["ended_by"], "duration");
    assert_eq!(number(endless.result(), "elapsed_s"), 0.3);
}

#[test]
fn without_a_limit_that_is_said_and_a_signal_ends_it_with_a_result() {
    let mut child = start(&["run", "udp-64", "-i", "sim", "-s", "rate=1000", "--json", "--interval", "100ms"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut sample = String::new();
    stdout.read_line(&mut sample).unwrap();
    assert!(sample.contains("\"type\":\"sample\""), "{sample}");
    let told = Instant::now();
    signal(child.id(), "TERM");
    let rest: Vec<String> = stdout.lines().map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert!(told.elapsed() < Duration::from_secs(2), "{:?}", told.elapsed());
    assert_eq!(output.status.code(), Some(143));
    let result: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((&result["type"], &result["ended_by"]), (&"result".into(), &"signal".into()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no limit"));
}

#[test]
fn c07_one_packet_a_second_stays_one_packet_a_second() {
    let done = run(&["udp-64", "-i", "sim", "-s", "rate=1", "--duration", "3s", "-n", "0"]);
    paced(&done, 3);
    assert_eq!(number(done.result(), "target_pps"), 1.0);
}

#[test]
fn c08_a_rate_holds_at_every_burst() {
    for rate in [10u64, 1000, 50_000] {
        for burst in ["burst=1", "burst=32", "burst=256"] {
            let done = run(&["udp-64", "-i", "sim", "-s", &format!("rate={rate}"), "-s", burst, "--duration", "500ms"]);
            paced(&done, rate / 2);
        }
    }
}

const SLOW: &str = r#"
version = 1
name = "slow"
[tx]
rate = 100
duration = "500ms"
[[flow]]
name = "a"
size = 1000
eth = { dst = "02:00:00:00:00:02" }
ipv4 = {}
udp = {}
"#;

#[test]
fn c10_a_duration_written_in_the_profile_is_kept() {
    let done = run_profile(SLOW, &["-i", "sim"]);
    paced(&done, 50);
    assert_eq!((&done.result()["ended_by"], &done.result()["profile"]), (&"duration".into(), &"slow".into()));
}

#[test]
fn c13_a_bit_rate_and_its_packet_rate_are_the_same_at_every_burst() {
    for rate in ["rate=1 Mbit/s", "rate=125"] {
        for burst in ["burst=1", "burst=10", "burst=100"] {
            let done = run_profile(SLOW, &["-i", "sim", "-s", rate, "-s", burst, "--duration", "800ms"]);
            paced(&done, 100);
            assert_eq!(number(done.result(), "target_pps"), 125.0);
        }
    }
}

#[test]
fn c15_flows_keep_their_own_rates_and_a_stop_ends_them_all() {
    let flow = |name: &str, rate: u64| {
        format!(
            "[[flow]]\nname = \"{name}\"\nrate = {rate}\neth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\nudp = {{}}\n"
        )
    };
    let text = ["version = 1\nname = \"three\"\n".into(), flow("a", 50), flow("b", 20), flow("c", 1)].concat();
    let done = run_profile(&text, &["-i", "sim", "--duration", "1s"]);
    paced(&done, 71);
    let flows = done.result()["flows"].as_array().unwrap();
    for (flow, wanted) in flows.iter().zip([50u64, 20, 1]) {
        // A stall of this machine above 100 ms is forgiven and counted, whichever flow it met.
        let sent = packets(flow, "submitted");
        let forgiven = done.result()["shortfall"].as_u64().unwrap();
        assert!(sent <= wanted + 1 && sent + forgiven + 1 >= wanted, "{flow}, {forgiven} forgiven");
    }
    let mut child = txdeck(&["run", "-", "-i", "sim", "--json", "--interval", "100ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let told = Instant::now();
    signal(child.id(), "INT");
    let rest: Vec<String> = stdout.lines().map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(told.elapsed() < Duration::from_millis(1500) && rest.last().unwrap().contains("\"ended_by\":\"signal\""));
}

#[test]
fn c91_a_run_needs_no_terminal_and_writes_no_escapes_into_a_pipe() {
    let mut command = Command::new("setsid");
    command.args(["-w", env!("CARGO_BIN_EXE_txdeck"), "run", "udp-64", "-i", "sim", "--duration", "1200ms"]);
    let output = command.env_remove("TERM").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    assert!(!both.contains(&0x1b) && !both.contains(&b'\r'), "{}", String::from_utf8_lossy(&both));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("submitted") && text.contains("left sim"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("pps"), "progress goes to stderr");
}

#[test]
fn c96_bits_are_those_of_the_bytes_sent() {
    for size in [60u64, 252, 508, 1020, 1514] {
        let done = run(&["udp-64", "-i", "sim", "-n", "5000", "-s", &format!("flow.udp.size={size}")]);
        let result = done.result();
        assert_eq!(result["left"]["bytes"], 5000 * size);
        let expected = 8.0 * size as f64 * number(result, "pps");
        assert!((number(result, "bps") - expected).abs() <= expected * 1e-9, "{result}");
    }
}

#[test]
fn c96_bits_of_a_mix_are_those_of_the_bytes_sent() {
    let done = run(&["imix", "-i", "sim", "-n", "12000"]);
    let result = done.result();
    assert_eq!((&result["submitted"]["bytes"], &result["left"]["bytes"]), (&4_294_000.into(), &4_294_000.into()));
    let expected = 8.0 * 4_294_000.0 / 12_000.0 * number(result, "pps");
    assert!((number(result, "bps") - expected).abs() <= expected * 1e-9, "{result}");
    // 80 Mbit/s at 357.83 bytes on average.
    assert!((number(result, "target_pps") - 27_945.97).abs() < 0.01, "{result}");
}

#[test]
fn c41_a_mix_over_four_queues_is_exact_over_all_of_them() {
    let done = run(&["imix", "-i", "sim", "-n", "12000", "--queues", "0,1,2,3", "-s", "rate=max"]);
    assert_eq!(done.result()["left"]["bytes"], 4_294_000, "{}", done.result());
}

#[test]
fn c32_conversations_go_on_over_bursts_and_the_run_counts_them_as_packets() {
    let done = run(&["conversations", "-i", "sim", "-n", "80000", "-s", "burst=32"]);
    assert_eq!((packets(done.result(), "left"), done.code), (80_000, 0), "{}", done.result());
}

#[test]
fn c97_megabits_are_decimal_and_without_fcs_everywhere() {
    let args = ["-i", "sim", "-s", "rate=1000", "--duration", "500ms"];
    let done = run_profile(SLOW, &args);
    paced(&done, 500);
    let result = done.result();
    let expected = 8.0 * 1000.0 * packets(result, "left") as f64 / number(result, "elapsed_s");
    assert!((number(result, "bps") - expected).abs() < 1.0, "{result}");
}

#[test]
fn samples_add_up_to_the_result() {
    let done = run(&["udp-64", "-i", "sim", "--duration", "1s", "-s", "rate=20k", "--interval", "200ms"]);
    let (result, samples) = done.lines.split_last().unwrap();
    assert!(samples.len() >= 4, "{}", samples.len());
    for figure in ["submitted", "completed", "left", "dropped"] {
        let sum: i64 = samples.iter().map(|sample| sample[figure]["packets"].as_i64().unwrap()).sum();
        assert_eq!(sum, packets(result, figure) as i64, "{figure}");
    }
    for figure in ["bursts", "kicks", "shortfall", "invalid"] {
        let sum: i64 = samples.iter().map(|sample| sample[figure].as_i64().unwrap()).sum();
        assert_eq!(sum, result[figure].as_i64().unwrap(), "{figure}");
    }
    let bytes: i64 = samples.iter().map(|sample| sample["submitted"]["bytes"].as_i64().unwrap()).sum();
    assert_eq!(bytes, result["submitted"]["bytes"].as_i64().unwrap());
}

#[test]
fn expectations_that_do_not_hold_are_exit_3() {
    let args = ["udp-64", "-i", "sim", "-n", "1000", "--expect"];
    assert_eq!(run(&[&args[..], &["left=1000", "--expect", "unexplained=0"]].concat()).code, 0);
    let unmet = run(&[&args[..], &["left>=1001"]].concat());
    assert_eq!(unmet.code, 3);
    assert!(unmet.stderr.contains("expected left>=1001, got 1000"), "{}", unmet.stderr);
    assert_eq!(run(&[&args[..], &["received=1000"]].concat()).code, 3, "what does not exist holds nothing");
}

#[test]
fn the_result_of_a_run_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("then.json");
    let then = run(&["udp-64", "-i", "sim", "-n", "77", "-s", "burst=5", "-o", file.to_str().unwrap()]);
    assert_eq!((then.code, then.lines.len()), (0, 0));
    let now = run(&[file.to_str().unwrap(), "-i", "sim"]);
    balances(&now, 77);
    let then: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    for same in ["burst", "effective", "profile_sha256", "profile", "seed"] {
        assert_eq!(now.result()[same], then[same], "{same}");
    }
    let text = txdeck(&["run", file.to_str().unwrap(), "-i", "sim"]).output().unwrap();
    assert!(String::from_utf8_lossy(&text.stdout).contains("difference"));
}

#[test]
fn later_options_win_whatever_they_are_called() {
    balances(&run(&["udp-64", "-i", "sim", "-s", "count=5", "-n", "7"]), 7);
    balances(&run(&["udp-64", "-i", "sim", "-n", "7", "-s", "tx.count=5"]), 5);
}

#[test]
fn c19_frames_longer_than_the_device_takes_are_named_before_and_dropped_not_left() {
    if !lab_works("c19") {
        return;
    }
    let done = run(&["udp-64", "--lab", "-n", "100", "-s", "flow.udp.size=1519"]);
    let result = done.result();
    assert_eq!(done.code, 1, "{result}");
    assert!(done.stderr.contains("MTU 1500") && done.stderr.contains("flow udp"), "{}", done.stderr);
    assert_eq!((packets(result, "dropped"), packets(result, "left"), packets(result, "received")), (100, 0, 0));
    assert_eq!((packets(result, "unexplained"), result["errno"]["EBUSY"].as_u64()), (0, Some(100)));
    assert_eq!(result["pps"], 0.0);
    balances(&run(&["udp-64", "--lab", "-n", "100", "-s", "flow.udp.size=1514"]), 100);
}

#[test]
fn queues_that_are_not_there_are_refused_by_number() {
    if !lab_works("queues") {
        return;
    }
    let done = run(&["udp-64", "--lab", "--lab-queues", "2", "--queues", "0..2", "-n", "1"]);
    assert_eq!((done.code, &done.result()["code"]), (2, &"no_such_queue".into()));
    let message = done.result()["message"].as_str().unwrap();
    assert_eq!(message, "deck0 queue 2: this device has 2 queues: 0..1");
}

#[test]
fn fifty_labs_in_a_row_are_never_busy() {
    if !lab_works("fifty") {
        return;
    }
    for _ in 0..50 {
        balances(&run(&["udp-64", "--lab", "-n", "179"]), 179);
    }
}

/// Runs a command inside the lab of a running process, as soon as that lab is there.
fn inside_lab(pid: u32, options: &[&str], command: &[&str]) -> Output {
    let pid = pid.to_string();
    let args = [&["lab", "--enter", "--pid", &pid], options, &["--"], command].concat();
    let since = Instant::now();
    loop {
        let output = txdeck(&args).env(FAR_END_DOWN, "1").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(2) || !(told.contains("no lab of yours") || told.contains("no lab of process"))
        {
            return output;
        }
        assert!(since.elapsed() < DEADLINE, "{told}");
        std::thread::yield_now();
    }
}

const FAR_END_DOWN: &str = "TXDECK_TEST_FAR_END_DOWN";

/// Not a test of its own: what a case below runs at the far end of its lab.
#[test]
fn helper_takes_the_far_end_down() {
    if std::env::var_os(FAR_END_DOWN).is_some() {
        let mut links = txdeck::nic::link::Links::open().unwrap();
        let far = links.by_name("sink0").unwrap().expect("this is no far end");
        links.set_up(far.index, false).unwrap();
        assert!(!links.by_index(far.index).unwrap().unwrap().up);
    }
}

#[test]
fn a_far_end_that_is_down_takes_nothing_whatever_completes() {
    if !lab_works("far end down") {
        return;
    }
    let child = start(&["run", "udp-64", "--lab", "-n", "17900", "-s", "flow.udp.start=3s", "--json"]);
    let me = std::env::current_exe().unwrap();
    let taken_down =
        inside_lab(child.id(), &["--far"], &[me.to_str().unwrap(), "helper_takes_the_far_end_down", "--exact"]);
    assert!(taken_down.status.success(), "{}", String::from_utf8_lossy(&taken_down.stdout));
    let done = Done::of(&wait(child));
    let result = done.result();
    assert_eq!(done.code, 1, "{result}");
    assert_eq!((packets(result, "left"), packets(result, "dropped"), packets(result, "received")), (0, 17_900, 0));
    assert_eq!((packets(result, "completed"), packets(result, "unexplained")), (17_900, 0));
    assert_eq!((&result["pps"], &result["bps"], &result["gap_ns"]), (&0.0.into(), &0.0.into(), &Value::Null));
    assert_eq!(result["senders"][0]["pps"], 0.0);
}

#[test]
fn foreign_traffic_on_the_same_device_inflates_nothing() {
    if !lab_works("foreign traffic") {
        return;
    }
    let foreign = ["run", "udp-64", "--lab", "--lab-queues", "2", "--queues", "1", "--json", "--interval", "100ms"];
    let mut foreign = start(&foreign);
    let mut samples = BufReader::new(foreign.stdout.take().unwrap()).lines();
    let sending = |sample: String| {
        let sample: Value = serde_json::from_str(&sample).unwrap();
        sample["left"]["packets"].as_u64().is_some_and(|packets| packets > 0)
    };
    assert!(samples.by_ref().any(|sample| sending(sample.unwrap())), "the other program never sent");
    let ours = |extra: &[&str]| {
        let program = env!("CARGO_BIN_EXE_txdeck");
        let args = [&[program, "run", "udp-64", "-i", "deck0", "--queues", "0", "--json"], extra].concat();
        Done::of(&inside_lab(foreign.id(), &[], &args))
    };
    let too_long = ours(&["-n", "100000", "-s", "flow.udp.size=1519"]);
    let result = too_long.result();
    assert_eq!((packets(result, "left"), packets(result, "dropped")), (0, 100_000), "{result}");
    assert_eq!((too_long.code, &result["pps"], &result["received"]), (1, &0.0.into(), &Value::Null));
    balances(&ours(&["-n", "17900"]), 17_900);
    signal(foreign.id(), "TERM");
    let rest: Vec<String> = samples.map(Result::unwrap).collect();
    assert_eq!(foreign.wait().unwrap().code(), Some(143));
    let theirs: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    // Ours arrived at the same far end, and the other's figures do not count them either.
    assert_eq!(packets(&theirs, "left"), packets(&theirs, "submitted"), "{theirs}");
    assert!(packets(&theirs, "received") >= packets(&theirs, "left") + 17_900, "{theirs}");
}

#[test]
fn a_run_whose_reader_has_gone_ends_quietly() {
    let mut child = start(&["run", "udp-64", "-i", "sim", "-s", "rate=1000", "--json", "--interval", "100ms"]);
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("sample"));
    let output = wait(child);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "only that there is no limit");
}

#[test]
fn quiet_tells_no_progress_and_the_interval_is_kept_otherwise() {
    let progress = |extra: &[&str]| {
        let args = [&["run", "udp-64", "-i", "sim", "-s", "rate=1000", "--duration", "650ms"], extra].concat();
        let output = wait(start(&args));
        String::from_utf8_lossy(&output.stderr).lines().filter(|line| line.contains("pps")).count()
    };
    assert_eq!(progress(&["-q", "--interval", "200ms"]), 0);
    let lines = progress(&["--interval", "200ms"]);
    assert!((1..=3).contains(&lines), "{lines}");
}
