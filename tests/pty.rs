//! The real binary in a pseudo-terminal: start, raise the burst, stop, save, quit; a terminal that is always given
//! back; and one that nobody reads.

#[path = "pty/edit.rs"]
mod edit;

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    path::PathBuf,
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

#[path = "pty/lesson.rs"]
mod lesson;
#[path = "pty/line.rs"]
mod line;
#[path = "pty/progress.rs"]
mod progress;
#[path = "pty/resize.rs"]
mod resize;
#[path = "pty/tongues.rs"]
mod tongues;
#[path = "pty/trials.rs"]
mod trials;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Nothing here takes longer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct Console {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    /// One message for each piece of output.
    news: mpsc::Receiver<()>,
    /// Kept, so that waiting for news waits even where nobody reads.
    _tell: mpsc::Sender<()>,
    raw: Arc<Mutex<Vec<u8>>>,
    home: tempfile::TempDir,
}

fn cells(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Reads,
    Never,
}

impl Console {
    fn open(args: &[&str], reader: Reader) -> Self {
        Self::open_with(args, reader, &[], "")
    }

    /// With these variables, and this config.toml.
    fn open_with(args: &[&str], reader: Reader, variables: &[(&str, &str)], config: &str) -> Self {
        Self::open_through(&[], args, reader, variables, config)
    }

    /// Started by another program, such as unshare.
    fn open_through(wrapper: &[&str], args: &[&str], reader: Reader, variables: &[(&str, &str)], config: &str) -> Self {
        let (rows, cols) = (24, 80);
        let pty = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let home = tempfile::tempdir().unwrap();
        let words = [wrapper, &[env!("CARGO_BIN_EXE_txdeck")], args].concat();
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("HOME", home.path());
        command.env("XDG_CONFIG_HOME", home.path().join("config"));
        command.env("XDG_STATE_HOME", home.path().join("state"));
        for name in ["SSH_CONNECTION", "SSH_TTY", "TMUX", "STY", "NO_COLOR", "COLORTERM"] {
            command.env_remove(name);
        }
        command.cwd(home.path());
        variables.iter().for_each(|(name, value)| command.env(name, value));
        if !config.is_empty() {
            std::fs::create_dir_all(home.path().join("config/txdeck")).unwrap();
            std::fs::write(home.path().join("config/txdeck/config.toml"), config).unwrap();
        }
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let keys = pty.master.take_writer().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(cols), 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let (tell, news) = mpsc::channel();
        if reader == Reader::Reads {
            let mut output = pty.master.try_clone_reader().unwrap();
            let (screen, raw, tell) = (Arc::clone(&screen), Arc::clone(&raw), tell.clone());
            std::thread::spawn(move || {
                let mut piece = [0; 4096];
                while let Ok(n @ 1..) = output.read(&mut piece) {
                    screen.lock().unwrap().process(&piece[..n]);
                    raw.lock().unwrap().extend_from_slice(&piece[..n]);
                    tell.send(()).ok();
                }
            });
        }
        Self { child, master: pty.master, keys, screen, news, _tell: tell, raw, home }
    }

    fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen is as wanted.
    fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_there(&self.text()) {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} never came; the screen:\n{}", self.text());
            self.news.recv_timeout(left.min(Duration::from_millis(50))).ok();
        }
    }

    fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    /// Waits for the end; the exit code.
    fn end(&mut self, within: Duration) -> u32 {
        let until = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What was written last is still on its way.
                while self.news.recv_timeout(Duration::from_millis(100)).is_ok() {}
                assert!(status.signal().is_none(), "killed: {status:?}");
                return status.exit_code();
            }
            assert!(Instant::now() < until, "still running; the screen:\n{}", self.text());
            self.news.recv_timeout(Duration::from_millis(10)).ok();
        }
    }

    fn profile(&self, name: &str) -> PathBuf {
        self.home.path().join(format!("config/txdeck/profiles/{name}.toml"))
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = self.child.process_id().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
    }

    /// The alternate screen is left and the terminal cooks lines again.
    fn assert_restored(&self) {
        assert!(!self.screen.lock().unwrap().screen().alternate_screen(), "still on the alternate screen");
        assert!(!self.screen.lock().unwrap().screen().hide_cursor(), "the cursor is hidden");
        let raw = String::from_utf8_lossy(&self.raw.lock().unwrap()).into_owned();
        assert!(raw.contains("\x1b[?2004l"), "bracketed paste is still on");
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn start_raise_burst_stop_save_quit() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends udp-64 on sim");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.wait("figures", |screen| screen.lines().nth(1).is_some_and(|line| !line.trim_start().starts_with('–')));
    console.type_keys("l");
    console.wait_for("udp-64*");
    console.wait_for("B32>64");
    console.type_keys(" ");
    console.wait_for("STOPPED");
    console.type_keys("w");
    console.wait_for("udp-64-2");
    console.type_keys("\r");
    console.wait_for("saved:");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_restored();
    let saved = std::fs::read_to_string(console.profile("udp-64-2")).unwrap();
    let shipped = include_str!("../profiles/udp-64.toml");
    assert_eq!(saved, shipped.replace("burst = 32 ", "burst = 64 "), "one value, and nothing else");
    let left = console.text();
    assert!(left.contains("left sim") && left.contains("txdeck run udp-64-2 -i sim"), "{left}");
}

#[test]
fn ctrl_c_stops_and_stays_then_leaves_with_130() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.type_keys("\x03");
    console.wait_for("STOPPED");
    console.type_keys("\x03");
    assert_eq!(console.end(PATIENCE), 130);
    console.assert_restored();
}

#[test]
fn sigterm_drains_restores_and_leaves_with_143() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.signal(rustix::process::Signal::TERM);
    assert_eq!(console.end(PATIENCE), 143);
    console.assert_restored();
}

/// Raw mode, echo, flow control: as they were, however the console ended.
#[test]
fn c91_the_terminals_settings_are_given_back() {
    for ending in ["q", "\x03", " \x03\x03\x03"] {
        let mut console = Console::open(&["--device", "sim"], Reader::Reads);
        // The slave is held open here: settings live as long as somebody holds it.
        let name = console.master.tty_name().unwrap();
        let slave = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
        console.wait_for("space sends");
        let raw = rustix::termios::tcgetattr(&slave).unwrap();
        assert!(!raw.local_modes.contains(rustix::termios::LocalModes::ECHO), "never was raw");
        console.type_keys(ending);
        console.end(PATIENCE);
        let after = rustix::termios::tcgetattr(&slave).unwrap();
        let cooked = rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON;
        assert!(after.local_modes.contains(cooked | rustix::termios::LocalModes::ISIG), "{ending:?}: {after:?}");
        assert!(after.input_modes.contains(rustix::termios::InputModes::ICRNL), "{ending:?}");
    }
}

#[test]
fn c89_a_closed_terminal_ends_the_process() {
    let mut console = Console::open(&["--device", "sim"], Reader::Never);
    console.type_keys(" ");
    console.news.recv_timeout(Duration::from_millis(500)).ok();
    let nothing: Box<dyn Write + Send> = Box::new(std::io::sink());
    drop(std::mem::replace(&mut console.keys, nothing));
    let other = native_pty_system().openpty(PtySize::default()).unwrap();
    drop(std::mem::replace(&mut console.master, other.master));
    let closed = Instant::now();
    while console.child.try_wait().unwrap().is_none() {
        assert!(closed.elapsed() < Duration::from_secs(2), "it lives on without a terminal");
        console.news.recv_timeout(Duration::from_millis(10)).ok();
    }
}

#[test]
fn a_paste_on_live_does_nothing() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys("\x1b[200~ q lll\x1b[201~");
    console.type_keys("?");
    console.wait_for("on every screen");
    console.type_keys("\x1b");
    // A frame comes in pieces: what lies below may be of the one before.
    console.wait_for("[live]");
    console.wait_for("space sends");
    let screen = console.text();
    assert!(screen.contains("STOPPED") && !screen.contains("udp-64*"), "{screen}");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}

#[test]
fn a_smaller_window_is_one_line_and_a_larger_one_the_whole_again() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    let resize = |console: &Console, rows: u16, cols: u16| {
        console.screen.lock().unwrap().set_size(cells(rows), cells(cols));
        console.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    };
    resize(&console, 5, 40);
    console.wait("one line", |screen| screen.trim().lines().count() == 1 && screen.contains("^C leave"));
    resize(&console, 30, 100);
    console.wait_for("space sends");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}

/// A terminal whose master never reads: once the kernel's few KiB are full every write would block.
#[test]
fn a_stalled_terminal_delays_no_signal() {
    let mut console = Console::open(&["--device", "sim", "--fps", "30"], Reader::Never);
    console.type_keys(" ");
    // Nothing can be seen. Whole redraws of some 3 KiB each, sixty a second, fill the buffer within a second.
    for _ in 0..80 {
        assert!(console.child.try_wait().unwrap().is_none(), "it ended by itself");
        console.type_keys("\x0c");
        console.news.recv_timeout(Duration::from_millis(25)).ok();
    }
    console.signal(rustix::process::Signal::TERM);
    let asked = Instant::now();
    assert_eq!(console.end(PATIENCE), 143);
    assert!(asked.elapsed() < Duration::from_secs(2), "gone only after {:?}", asked.elapsed());
    let mut written = Vec::new();
    // What lies in the buffer can still be read; then the end is an error on a pseudo-terminal.
    console.master.try_clone_reader().unwrap().read_to_end(&mut written).ok();
    let leaves = written.windows(8).any(|bytes| bytes == b"\x1b[?1049l");
    assert!(!leaves, "the terminal took everything ({} bytes), so it never stalled", written.len());
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_txdeck"))
        .args(["--device", "sim"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("txdeck run"));
}

impl Console {
    fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Names of the process's threads.
    fn threads(&self) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid())).into_iter().flatten().flatten();
        tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok()).collect()
    }

    fn has_senders(&self) -> bool {
        self.threads().iter().any(|name| name.starts_with("tx-"))
    }

    /// Waits without a screen to look at.
    fn wait_until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(Instant::now() < until, "{what} never came");
            self.news.recv_timeout(Duration::from_millis(5)).ok();
        }
    }

    /// Keys that redraw the whole screen until the terminal takes no more.
    fn stall(&mut self) {
        for _ in 0..80 {
            self.type_keys("\x0c");
            self.news.recv_timeout(Duration::from_millis(25)).ok();
        }
    }
}

/// Nobody reads the terminal; the senders end when their duration says so, and a new start works.
#[test]
fn a_stalled_terminal_delays_no_duration() {
    let args = ["--device", "sim", "--fps", "30", "--duration", "1s"];
    let mut console = Console::open(&args, Reader::Never);
    console.stall();
    console.type_keys(" ");
    console.wait_until("a sender", Console::has_senders);
    let began = Instant::now();
    console.wait_until("the end of the duration", |console| !console.has_senders());
    let took = began.elapsed();
    assert!(took > Duration::from_millis(700) && took < Duration::from_millis(1600), "{took:?}");
    console.signal(rustix::process::Signal::TERM);
    assert_eq!(console.end(PATIENCE), 143);
}

/// The same for a count: at 1000 a second a thousand take a second, whoever looks on.
#[test]
fn a_stalled_terminal_delays_no_count() {
    let args = ["--device", "sim", "--fps", "30", "--count", "1000", "-s", "rate=1000"];
    let mut console = Console::open(&args, Reader::Never);
    console.stall();
    console.type_keys(" ");
    console.wait_until("a sender", Console::has_senders);
    let began = Instant::now();
    console.wait_until("the end of the count", |console| !console.has_senders());
    let took = began.elapsed();
    assert!(took > Duration::from_millis(700) && took < Duration::from_millis(1600), "{took:?}");
    console.signal(rustix::process::Signal::TERM);
    assert_eq!(console.end(PATIENCE), 143);
}

#[test]
fn twenty_fast_spaces_end_stopped() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("SENDING");
    for _ in 0..20 {
        console.type_keys(" ");
        console.news.recv_timeout(Duration::from_millis(20)).ok();
    }
    console.wait_for("STOPPED");
    console.wait_until("the senders' end", |console| !console.has_senders());
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}

#[test]
fn three_ctrl_c_end_the_process_in_every_dialog() {
    for opening in ["5", "W", "lq", "d", "o", "?", "z", " W"] {
        let mut console = Console::open(&["--device", "sim"], Reader::Reads);
        console.wait_for("space sends");
        console.type_keys(opening);
        console.type_keys("\x03\x03\x03");
        assert_eq!(console.end(PATIENCE), 130, "{opening:?}");
        console.assert_restored();
    }
}

/// Random bytes, then a signal: the terminal is given back whatever was open. The seed is printed.
#[test]
fn random_bytes_leave_the_terminal_restored() {
    let seed: u64 = std::env::var("TXDECK_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0x7d_eced);
    println!("TXDECK_FUZZ_SEED={seed}");
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    };
    for _ in 0..3 {
        let mut console = Console::open(&["--device", "sim"], Reader::Reads);
        console.wait_for("space sends");
        for _ in 0..40 {
            // Neither Ctrl-C, Ctrl-Z nor q: this one is to end by the signal.
            let bytes: Vec<u8> = (0..16).map(|_| random()).filter(|byte| ![3, 26, b'q', b'p'].contains(byte)).collect();
            if console.keys.write_all(&bytes).is_err() {
                break;
            }
            console.news.recv_timeout(Duration::from_millis(5)).ok();
        }
        let until = Instant::now() + Duration::from_secs(2);
        console.signal(rustix::process::Signal::TERM);
        assert_eq!(console.end(PATIENCE), 143);
        assert!(Instant::now() < until, "gone within 2 s");
        console.assert_restored();
    }
}

#[test]
fn a_theme_chosen_live_is_remembered_with_its_comments() {
    let config = "# mine\nunit = 'L2' # of the switch\n";
    let mut console = Console::open_with(&["--device", "sim"], Reader::Reads, &[("COLORTERM", "truecolor")], config);
    console.wait_for("bit/s L2");
    console.type_keys("t");
    console.wait_for("theme dark");
    console.type_keys("t");
    console.wait_for("theme light");
    let paper = "48;2;255;255;255";
    assert!(String::from_utf8_lossy(&console.raw.lock().unwrap()).contains(paper), "the light theme paints its paper");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
    let saved = std::fs::read_to_string(console.home.path().join("config/txdeck/config.toml")).unwrap();
    assert_eq!(saved, format!("{config}theme = \"light\"\n"));
}

#[test]
fn a_broken_config_is_told_and_the_defaults_stay() {
    let mut console = Console::open_with(&["--device", "sim"], Reader::Reads, &[], "theme = \"light\"\nfps = 99\n");
    console.wait_for("config.toml:2:7: fps: 99 is outside 1..30");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
    assert!(!String::from_utf8_lossy(&console.raw.lock().unwrap()).contains("48;2;"), "nothing of it was taken");
}

/// Select-and-copy stays the terminal's own unless a person asks for the wheel.
#[test]
fn c94_the_mouse_is_off_unless_configured() {
    let mut plain = Console::open(&["--device", "sim"], Reader::Reads);
    plain.wait_for("space sends");
    plain.type_keys("q");
    assert_eq!(plain.end(PATIENCE), 0);
    let raw = |console: &Console| String::from_utf8_lossy(&console.raw.lock().unwrap()).into_owned();
    assert!(!raw(&plain).contains("\x1b[?1000h") && !raw(&plain).contains("\x1b[?1003h"));
    let mut asked = Console::open_with(&["--device", "sim"], Reader::Reads, &[], "mouse = true\n");
    asked.wait_for("*burst");
    asked.type_keys("\x1b[<65;10;10M");
    asked.wait_for("*clone");
    asked.type_keys("q");
    assert_eq!(asked.end(PATIENCE), 0);
    assert!(raw(&asked).contains("\x1b[?1000h") && raw(&asked).contains("\x1b[?1000l"));
}

#[test]
fn c94_figures_are_copied_without_a_mouse() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys("Y");
    console.wait_for("copied");
    // base64 of "txdeck run udp-64 -i sim".
    let wanted = "\x1b]52;c;dHhkZWNrIHJ1biB1ZHAtNjQgLWkgc2lt\x07";
    assert!(String::from_utf8_lossy(&console.raw.lock().unwrap()).contains(wanted));
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}

#[test]
fn c93_no_color_and_a_bare_terminal_are_honoured() {
    for (variables, ascii) in [
        (&[("NO_COLOR", "1")][..], false),
        (&[("TERM", "linux")], true),
        (&[("TERM", "vt100")], false),
        (&[("LC_ALL", "C")], true),
    ] {
        let mut console = Console::open_with(&["--device", "sim"], Reader::Reads, variables, "");
        console.wait_for("space sends");
        let screen = console.text();
        assert_eq!(screen.is_ascii(), ascii, "{variables:?}: {screen}");
        console.type_keys("q");
        assert_eq!(console.end(PATIENCE), 0);
        let raw = String::from_utf8_lossy(&console.raw.lock().unwrap()).into_owned();
        let coloured = ["\x1b[38;5;", "\x1b[38;2;", "\x1b[48;"].iter().any(|start| raw.contains(start));
        assert_eq!(coloured, ascii, "{variables:?}");
    }
}

#[test]
fn a_picture_of_the_screen_is_taken_by_a_key() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys("p");
    console.wait_for("picture: txdeck-1.svg");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
    let picture = std::fs::read_to_string(console.home.path().join("txdeck-1.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("space sends udp-64 on sim"), "{picture}");
}

/// Nothing changes on a stopped screen, so nothing is done. 100 ticks a second is the kernel's unit here.
#[test]
fn a_stopped_console_does_nothing() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    let written = || console.raw.lock().unwrap().len();
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", console.pid())).unwrap();
        let fields: Vec<u64> =
            stat.rsplit_once(')').unwrap().1.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        fields[11] + fields[12]
    };
    // The first redraw may still be on its way.
    while console.news.recv_timeout(Duration::from_millis(500)).is_ok() {}
    let (bytes, ticks) = (written(), used());
    // No condition to wait for: that nothing happens is what is measured.
    assert!(console.news.recv_timeout(Duration::from_secs(4)).is_err(), "something was drawn");
    assert_eq!(written(), bytes);
    let spent = used() - ticks;
    assert!(spent <= 2, "{spent} hundredths of a second in 4 s");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}

/// Whether a lab can be made here; with REQUIRE_WIRE=1 it must.
fn has_lab() -> bool {
    let tried = std::process::Command::new(env!("CARGO_BIN_EXE_txdeck")).args(["lab", "--try"]).output().unwrap();
    let is_required = std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1");
    assert!(tried.status.success() || !is_required, "no lab: {}", String::from_utf8_lossy(&tried.stderr));
    if !tried.status.success() {
        println!("SKIPPED: no lab can be made here");
    }
    tried.status.success()
}

/// Another program holds the queue: opening it is tried for a second. Meanwhile keys are answered and SIGTERM is obeyed.
#[test]
fn c103_a_slow_start_delays_neither_keys_nor_signals() {
    if !has_lab() {
        return;
    }
    let mut console = Console::open(&["lab"], Reader::Reads);
    console.wait_for("space sends");
    let pid = console.pid().to_string();
    let txdeck = env!("CARGO_BIN_EXE_txdeck");
    let mut other = std::process::Command::new(txdeck)
        .args([
            "lab",
            "--enter",
            "--pid",
            &pid,
            "--",
            txdeck,
            "run",
            "udp-64",
            "-i",
            "deck0",
            "-s",
            "rate=1000",
            "--interval",
            "100ms",
            "--json",
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Its first sample says that it holds the queue.
    let mut first = [0; 1];
    other.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    console.type_keys(" ?");
    console.wait_for("on every screen");
    let screen = console.text();
    assert!(screen.contains("STARTING"), "help came while the queue was still being opened: {screen}");
    console.signal(rustix::process::Signal::TERM);
    let asked = Instant::now();
    assert_eq!(console.end(PATIENCE), 143);
    assert!(asked.elapsed() < Duration::from_secs(2), "gone only after {:?}", asked.elapsed());
    console.assert_restored();
    other.kill().ok();
    other.wait().ok();
}

/// The rest of a key's sequence may be long on its way; nothing else waits for it.
#[test]
fn half_an_escape_sequence_delays_no_signal() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.type_keys("\x1b[1;");
    console.wait_for("00:01");
    console.signal(rustix::process::Signal::TERM);
    let asked = Instant::now();
    assert_eq!(console.end(PATIENCE), 143);
    assert!(asked.elapsed() < Duration::from_secs(2), "gone only after {:?}", asked.elapsed());
    console.assert_restored();
}
