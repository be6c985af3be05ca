//! The real binary: the `:` line, the lists, the log and their files; bad starts and what comes after them.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use super::{Console, PATIENCE, Reader, has_lab};

/// A start answers within this, whatever the answer.
const ANSWER: Duration = Duration::from_secs(2);

impl Console {
    pub(super) fn line(&mut self, line: &str) {
        self.type_keys(":");
        self.wait_for("command: enter does it");
        self.type_keys(line);
        self.type_keys("\r");
    }

    /// The screen as one running text: messages break where the screen does.
    fn running(&self) -> String {
        self.text().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn wait_for_words(&self, words: &str) {
        self.wait(words, |screen| screen.split_whitespace().collect::<Vec<_>>().join(" ").contains(words));
    }

    /// Esc, which a terminal tells from alt only by what does not follow.
    pub(super) fn esc_from(&mut self, what: &str) {
        self.type_keys("\x1b");
        self.wait("esc", |screen| !screen.contains(what));
    }

    /// Space, and an answer in time. Nothing starts within half a second of a stop, so that is let pass first.
    fn start_answers(&mut self, words: &str) {
        let until = Instant::now() + Duration::from_millis(600);
        while Instant::now() < until {
            self.news.recv_timeout(Duration::from_millis(50)).ok();
        }
        let asked = Instant::now();
        self.type_keys(" ");
        self.wait_for_words(words);
        assert!(asked.elapsed() < ANSWER, "{words} came after {:?}", asked.elapsed());
    }

    pub(super) fn state(&self, name: &str) -> String {
        fs::read_to_string(self.home.path().join("state/txdeck").join(name)).unwrap_or_default()
    }

    /// Nothing but what is drawn: no library ever wrote a line of its own.
    pub(super) fn assert_clean(&self) {
        let raw = String::from_utf8_lossy(&self.raw.lock().unwrap()).into_owned();
        assert!(!raw.contains("\nlib"), "a library printed onto the screen");
    }
}

#[test]
fn the_screens_the_line_and_its_files() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends udp-64 on sim");
    console.type_keys("d");
    console.wait_for("devices: enter sends there");
    console.wait_for("the simulated nic");
    console.type_keys("?");
    console.wait_for("on every screen");
    console.type_keys("/log");
    console.wait_for("what happened this session");
    console.type_keys("\r");
    console.esc_from("search: log");
    console.wait_for("/ searches these keys");
    console.esc_from("/ searches these keys");
    console.wait_for("space sends");
    console.line("brst=64");
    console.wait_for("tx.brst: no such key. Did you mean tx.burst?");
    console.type_keys("\x15bur\t");
    console.wait_for(":burst=");
    console.type_keys("64\r");
    console.wait_for("burst = 64");
    console.type_keys("D");
    console.wait_for("+burst = 64");
    console.esc_from("+burst = 64");
    console.line("w mine");
    console.wait_for("saved:");
    console.type_keys("D");
    console.wait_for("nothing differs: mine is as saved");
    console.type_keys("q");
    console.line("o steady-1k");
    console.wait_for("opened steady-1k");
    console.type_keys("o");
    console.wait_for("yours");
    console.type_keys("min");
    console.wait_for("search: min");
    console.type_keys("\r");
    console.wait_for("opened mine");
    console.type_keys(":\x1b[A\x1b[A");
    console.wait_for(":w mine");
    console.esc_from("command: enter does it");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.type_keys(" ");
    console.wait_for("STOPPED");
    console.type_keys("g");
    console.wait_for("started mine on sim");
    console.wait_for("stopped: submitted");
    console.line("q");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_restored();
    let shipped = include_str!("../../profiles/udp-64.toml");
    assert_eq!(
        fs::read_to_string(console.profile("mine")).unwrap(),
        shipped.replace("burst = 32 ", "burst = 64 "),
        "one value, and nothing else"
    );
    assert_eq!(console.state("history"), "burst=64\nw mine\no steady-1k\nq\n");
    let log = console.state("log");
    assert!(log.contains(" info  txdeck: started mine on sim") && log.contains("Z info  txdeck: saved:"), "{log}");
}

/// What was saved in one process is the same in the next, and saving it again changes nothing.
#[test]
fn c69_saved_in_one_session_the_same_in_the_next() {
    let all = include_str!("../../profiles/vlan-qinq.toml");
    let mut console = Console::open(&["vlan-qinq", "--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.line("w first.toml");
    console.wait_for("saved:");
    console.line("o first.toml");
    console.wait_for("opened first.toml");
    console.type_keys("D");
    console.wait_for_words("nothing differs");
    console.type_keys("q");
    console.line("w second");
    console.wait_for("second.toml");
    console.line("q");
    assert_eq!(console.end(PATIENCE), 0);
    assert_eq!(fs::read_to_string(console.home.path().join("first.toml")).unwrap(), all);
    assert_eq!(fs::read_to_string(console.profile("second")).unwrap(), all);
}

#[test]
fn an_output_file_is_refused_by_the_console() {
    for args in [&["-o", "x.txt", "--device", "sim"][..], &["lab", "-o", "x.txt"]] {
        let mut console = Console::open(args, Reader::Reads);
        assert_eq!(console.end(PATIENCE), 2);
        assert!(console.running().contains("-o x.txt: the console writes no output"), "{}", console.text());
    }
}

/// veth has no zero-copy: said at once, copy offered; the second start works and says which mode it got.
#[test]
fn c57_c103_forced_zero_copy_is_refused_and_the_next_start_works() {
    if !has_lab() {
        return;
    }
    let mut console = Console::open(&["lab", "-s", "mode=zero-copy", "-vv"], Reader::Reads);
    console.wait_for("space sends");
    console.start_answers("zero-copy");
    let refused = console.running();
    assert!(refused.contains("STOPPED") && refused.contains("copy"), "{refused}");
    console.line("mode=auto");
    console.wait_for("mode = auto");
    console.start_answers("SENDING");
    console.wait_for("copy 1q");
    console.type_keys(" ");
    console.wait_for("STOPPED");
    console.type_keys("g");
    console.wait_for_words("started udp-64 on deck0, copy 1q");
    console.line("q!");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_clean();
}

#[test]
fn c101_c103_more_queues_than_the_device_has() {
    if !has_lab() {
        return;
    }
    let mut console = Console::open(&["lab"], Reader::Reads);
    console.wait_for("space sends");
    console.line("queues=0,0");
    console.wait_for("Nothing was changed.");
    console.esc_from("Nothing was changed.");
    console.line("queues=0,1");
    console.wait_for("queues = 0,1");
    console.start_answers("deck0 queue 1: this device has 1 queue: 0");
    console.line("queues=0");
    console.wait_for("queues = 0");
    console.start_answers("SENDING");
    console.line("q!");
    assert_eq!(console.end(PATIENCE), 0);
}

/// The other program's noise and a queue that is taken: the screen stays clean, the log has the words.
#[test]
fn c92_a_busy_queue_leaves_the_screen_clean() {
    if !has_lab() {
        return;
    }
    let mut console = Console::open(&["lab", "-vv"], Reader::Reads);
    console.wait_for("space sends");
    let (pid, txdeck) = (console.pid().to_string(), env!("CARGO_BIN_EXE_txdeck"));
    let run = "run udp-64 -i deck0 -s rate=1000 --interval 100ms --json";
    let words = ["lab", "--enter", "--pid", &pid, "--", txdeck];
    let mut other = Command::new(txdeck)
        .args(words.into_iter().chain(run.split(' ')))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(other.stdout.as_mut().unwrap(), &mut first).unwrap();
    console.start_answers("deck0 queue 0");
    other.kill().ok();
    other.wait().ok();
    // The queue is free again within a second of its owner's end.
    console.start_answers("SENDING");
    console.line("q");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_clean();
    assert!(console.state("log").contains("error txdeck: deck0 queue 0"), "{}", console.state("log"));
}

fn can(program: &str, args: &[&str]) -> bool {
    let is_required = std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1");
    let works = Command::new(program).args(args).status().is_ok_and(|status| status.success());
    assert!(works || !is_required, "{program} {args:?} does not work here");
    if !works {
        println!("SKIPPED: {program} does not work here");
    }
    works
}

/// A namespace without a /sys of its own: the devices are its own all the same.
#[test]
fn c65_c67_a_device_of_this_namespace_renamed_while_it_sends() {
    if !can("unshare", &["-n", "ip", "link"]) {
        return;
    }
    let script = "ip link add a0 mtu 1400 type veth peer name b0; \
                  ip link set a0 address 02:00:00:00:0a:01; ip link set a0 up; ip link set b0 up; exec \"$0\" \"$@\"";
    let wrapper = ["unshare", "-n", "sh", "-c", script];
    let mut console = Console::open_through(&wrapper, &["-i", "a0"], Reader::Reads, &[], "");
    console.wait_for("space sends udp-64 on a0");
    console.type_keys("d");
    console.wait_for("02:00:00:00:0a:01");
    let devices = console.text();
    let names: Vec<&str> = devices.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert!(devices.contains("mtu 1400") && names.contains(&"b0"), "{devices}");
    assert!(!devices.contains("eth0"), "a device of another namespace: {devices}");
    console.type_keys("\x1b");
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("Send udp-64 on a0?");
    console.type_keys("\r");
    console.wait_for("SENDING");
    let pid = console.pid().to_string();
    let renamed = Command::new("nsenter").args(["-t", &pid, "-n", "ip", "link", "set", "a0", "name", "a0new"]).status();
    assert!(renamed.unwrap().success());
    console.wait("the new name", |screen| screen.lines().next().is_some_and(|line| line.contains("a0new")));
    assert!(console.text().contains("SENDING"), "traffic goes on: {}", console.text());
    console.type_keys(" ");
    console.wait_for("STOPPED");
    console.start_answers("SENDING");
    console.line("q");
    assert_eq!(console.end(PATIENCE), 0);
    assert!(console.running().contains("-i a0new"), "{}", console.text());
}

#[test]
fn c103_without_the_right_the_start_says_so_in_time() {
    let wrapper = ["unshare", "-n", "setpriv", "--bounding-set=-all", "--inh-caps=-all"];
    if !can("unshare", &["-n", "setpriv", "--bounding-set=-all", "--inh-caps=-all", "true"]) {
        return;
    }
    let mut console = Console::open_through(&wrapper, &["-i", "lo"], Reader::Reads, &[], "");
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("Send udp-64 on lo?");
    let asked = Instant::now();
    console.type_keys("\r");
    console.wait_for_words("CAP_NET_RAW is missing");
    assert!(asked.elapsed() < ANSWER, "{:?}", asked.elapsed());
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}

/// A device that is deleted, one that comes back under its name, and one without carrier.
#[test]
fn c103_a_start_on_a_device_that_went_away() {
    if !can("unshare", &["-n", "true"]) {
        return;
    }
    let make = "ip link add a0 type veth peer name b0 && ip link set a0 up && ip link set b0 up";
    let script = format!("{make} && exec \"$0\" \"$@\"");
    let mut console =
        Console::open_through(&["unshare", "-n", "sh", "-c", &script], &["-i", "a0"], Reader::Reads, &[], "");
    console.wait_for("space sends udp-64 on a0");
    let pid = console.pid().to_string();
    let inside = |script: &str| {
        let done = Command::new("nsenter").args(["-t", &pid, "-n", "sh", "-c", script]).status();
        assert!(done.unwrap().success(), "{script}");
    };
    inside("ip link del a0");
    console.type_keys(" ");
    console.wait_for("Send udp-64 on a0?");
    let asked = Instant::now();
    console.type_keys("\r");
    console.wait_for_words("a0: there is no such device here");
    assert!(asked.elapsed() < ANSWER, "{:?}", asked.elapsed());
    inside(make);
    console.start_answers("SENDING");
    console.type_keys(" ");
    console.wait_for("STOPPED");
    inside("ip link set b0 down");
    console.start_answers("SENDING");
    console.line("q!");
    assert_eq!(console.end(PATIENCE), 0);
}
