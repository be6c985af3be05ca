//! COUNT: what is asked for, what left and what arrived are one number.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::MutexGuard;

use crate::bench::{counters, link, on_a_pair, turn, with_queues};
use crate::capture::Capture;
use crate::deck::{Done, Running, balances, run, run_profile};
use crate::nic_lab::Far;

/// A run on `a0` whose every packet the device and the far end saw, and nobody anything else.
#[track_caller]
fn delivers(far: &Far, args: &[&str], wanted: u64) -> Done {
    let (near_before, far_before) = (counters("a0").tx_packets, far_rx("b0"));
    far.count();
    let done = run(&[&["udp-64", "-i", "a0"], args].concat());
    balances(&done, wanted);
    assert_eq!(counters("a0").tx_packets - near_before, wanted, "the device agrees");
    assert_eq!(far_rx("b0") - far_before, wanted, "so does the far end's device");
    assert_eq!(u64::from(far.count()), wanted, "and its packet socket");
    done
}

fn far_rx(name: &str) -> u64 {
    let all = std::fs::read_to_string("/proc/thread-self/net/dev").unwrap();
    let line = all.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{name}:")));
    line.unwrap().split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn c01_what_the_result_says_is_what_both_devices_counted() {
    on_a_pair("count::c01_what_the_result_says_is_what_both_devices_counted", |pair| {
        let far = Far::on(pair, "b0");
        for count in ["179", "1790", "17900"] {
            delivers(&far, &["-n", count, "-s", "burst=64"], count.parse().unwrap());
        }
    });
}

#[test]
fn c02_partial_last_bursts_cost_nothing_run_after_run() {
    on_a_pair("count::c02_partial_last_bursts_cost_nothing_run_after_run", |pair| {
        let far = Far::on(pair, "b0");
        for burst in ["burst=1", "burst=8", "burst=63", "burst=64", "burst=256"] {
            for _ in 0..8 {
                let done = delivers(&far, &["-n", "179", "-s", burst], 179);
                assert_eq!(done.result()["frames"]["total"], 512);
            }
        }
    });
}

#[test]
fn c03_ten_runs_over_four_queues_are_exact_each_time() {
    on_a_pair("count::c03_ten_runs_over_four_queues_are_exact_each_time", |pair| {
        with_queues(pair, 4);
        let far = Far::on(pair, "b0");
        for _ in 0..10 {
            let done = delivers(&far, &["-n", "20003", "--queues", "0..3"], 20_003);
            let senders = done.result()["senders"].as_array().unwrap();
            let shares: Vec<_> = senders.iter().map(|sender| sender["left"].as_u64().unwrap()).collect();
            assert_eq!(shares, [5003, 5000, 5000, 5000]);
        }
    });
}

/// Sixteen packets of two flows, as often as the count asks for.
fn sixteen(count: u32) -> String {
    let flow = |name: &str, dst: u32| {
        format!(
            "[[flow]]\nname = \"{name}\"\neth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\n\
             udp = {{ src = {{ from = 1, to = 8 }}, dst = {dst} }}\npayload = {{ kind = \"zero\" }}\n"
        )
    };
    format!("version = 1\nname = \"sixteen\"\n[tx]\ncount = {count}\n{}{}", flow("a", 1000), flow("b", 2000))
}

/// A repeated recording waits for import; a profile that comes round again has the same duty.
#[test]
fn c05_going_round_again_multiplies_packets_and_nothing_else() {
    on_a_pair("count::c05_going_round_again_multiplies_packets_and_nothing_else", |_| {
        for rounds in [1, 10] {
            let capture = Capture::on(link("b0").index, 1000);
            let done = run_profile(&sixteen(16 * rounds), &["-i", "a0"]);
            balances(&done, u64::from(16 * rounds));
            assert_eq!(done.result()["left"]["bytes"], 16 * 60 * rounds);
            assert_eq!(done.result()["flows"].as_array().unwrap().len(), 2);
            let frames: Vec<Vec<u8>> = capture.frames().into_iter().map(|frame| frame.bytes).collect();
            assert_eq!(frames.len(), 16 * rounds as usize);
            assert_eq!(frames.iter().collect::<BTreeSet<_>>().len(), 16, "packets that differ");
            assert!(frames.chunks(16).all(|round| round == &frames[..16]), "every round is the first one again");
        }
    });
}

const LIST: [(&[&str], u64); 9] = [
    (&["-n", "1"], 1),
    (&["-n", "31"], 31),
    (&["-n", "32"], 32),
    (&["-n", "33"], 33),
    (&["-n", "179"], 179),
    (&["-n", "17900"], 17_900),
    (&["-n", "995", "-s", "clone=10"], 995),
    (&["-n", "1000003", "--lab-queues", "4"], 1_000_003),
    (&["-n", "179", "--deliver"], 179),
];

/// The present user's turn is in run_json; this one is an ordinary user's even where root tests.
#[test]
fn c01_nobody_sends_in_a_lab_and_every_count_is_exact() {
    let Some(nobody) = Nobody::here() else { return };
    for (args, wanted) in LIST {
        let all = [&["run", "udp-64", "--lab", "--json"], args].concat();
        let done = Running::of(nobody.runs(&all), "").finish();
        balances(&done, wanted);
        assert_eq!(done.packets("received"), wanted, "{}", done.brief());
    }
}

#[test]
fn c55_fifty_labs_of_nobody_in_a_row_are_never_busy() {
    let Some(nobody) = Nobody::here() else { return };
    for _ in 0..50 {
        let done = Running::of(nobody.runs(&["run", "udp-64", "--lab", "-n", "179", "--json"]), "").finish();
        balances(&done, 179);
        assert!(!done.stderr.contains("busy"), "{}", done.stderr);
    }
}

/// An ordinary user with a copy of the binary that they may read: the build folder may be root's alone.
struct Nobody {
    folder: tempfile::TempDir,
    user: Option<u32>,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Nobody {
    /// `None`, said aloud, where such a user can make no lab.
    fn here() -> Option<Nobody> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_txdeck"), folder.path().join("txdeck")).unwrap();
        open_to_all(folder.path());
        let user = rustix::process::geteuid().is_root().then_some(65534);
        let nobody = Nobody { folder, user, _turn: turn() };
        let tried = nobody.runs(&["lab", "--try"]).output().unwrap();
        if tried.status.success() {
            return Some(nobody);
        }
        let why = String::from_utf8_lossy(&tried.stderr).into_owned();
        assert!(!std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1"), "REQUIRE_WIRE=1, but: {why}");
        eprintln!("SKIPPED: {why}");
        None
    }

    fn runs(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.folder.path().join("txdeck"));
        command.args(args).env("HOME", self.folder.path()).env_remove("XDG_CONFIG_HOME");
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }
}

fn open_to_all(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    for path in [folder.to_owned(), folder.join("txdeck")] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
