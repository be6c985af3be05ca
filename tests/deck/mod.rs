//! The real binary as a script drives it: started, watched line by line, told to stop, its result read.
//! Nothing here can wait for ever: a run that outlives the deadline is ended, and its test fails.
#![allow(dead_code)] // each test binary uses its part

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A run that takes longer has hung.
const DEADLINE: Duration = Duration::from_secs(60);

pub fn txdeck(args: &[&str]) -> Command {
    through(&[], args)
}

/// `txdeck` started by another program, such as setpriv or nsenter.
pub fn through(wrapper: &[&str], args: &[&str]) -> Command {
    let words: Vec<&str> = [wrapper, &[env!("CARGO_BIN_EXE_txdeck")], args].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    heeds_signals(&mut command);
    command
}

/// A shell's background job is born ignoring SIGINT, one under nohup SIGHUP, and txdeck rightly goes on ignoring them.
fn heeds_signals(command: &mut Command) {
    // SAFETY: signal() is async-signal-safe, and the default action needs no handler.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            Ok(())
        });
    }
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    /// The lines of stdout: samples, then the result or the error.
    pub lines: Vec<Value>,
    pub stderr: String,
}

impl Done {
    pub fn result(&self) -> &Value {
        self.lines.last().unwrap_or_else(|| panic!("nothing on stdout; stderr: {}", self.stderr))
    }

    /// One figure of the result in packets.
    pub fn packets(&self, figure: &str) -> u64 {
        packets(self.result(), figure)
    }

    pub fn samples(&self) -> &[Value] {
        &self.lines[..self.lines.len().saturating_sub(1)]
    }

    /// The result's text for messages: without the profile, which is long.
    pub fn brief(&self) -> String {
        let mut result = self.result().clone();
        if let Some(keys) = result.as_object_mut() {
            keys.remove("effective");
        }
        format!("exit {}: {result}\n{}", self.code, self.stderr)
    }
}

/// `left` may be an object with packets or a plain number.
#[track_caller]
pub fn packets(line: &Value, figure: &str) -> u64 {
    let value = &line[figure];
    let value = if value.is_object() { &value["packets"] } else { value };
    value.as_u64().unwrap_or_else(|| panic!("{figure} is {value}"))
}

#[track_caller]
pub fn number(line: &Value, figure: &str) -> f64 {
    line[figure].as_f64().unwrap_or_else(|| panic!("{figure} is {}", line[figure]))
}

pub fn run(args: &[&str]) -> Done {
    Running::start(args).finish()
}

pub fn run_profile(text: &str, args: &[&str]) -> Done {
    let all = [&["run", "-"], args, &["--json", "-q"]].concat();
    Running::of(txdeck(&all), text).finish()
}

/// A run under way.
pub struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    lines: Vec<Value>,
    stderr: std::thread::JoinHandle<String>,
    over: Sender<()>,
}

impl Running {
    /// `txdeck run ARGS --json`, without progress: what stays on stderr are warnings.
    pub fn start(args: &[&str]) -> Running {
        Running::of(txdeck(&[&["run"], args, &["--json", "-q"]].concat()), "")
    }

    /// Any command that prints JSON lines, with `input` on its stdin.
    pub fn of(mut command: Command, input: &str) -> Running {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().unwrap();
        // One that has already failed does not read its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let mut pipe = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = pipe.read_to_string(&mut text);
            text
        });
        let (over, ended) = channel();
        let id = child.id();
        std::thread::spawn(move || {
            if ended.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
                signal(id, "KILL");
            }
        });
        Running { stdout: BufReader::new(child.stdout.take().unwrap()), child, lines: Vec::new(), stderr, over }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Waits for the next line; `None` at the end of the output.
    fn line(&mut self) -> Option<&Value> {
        let mut text = String::new();
        self.stdout.read_line(&mut text).unwrap();
        if text.is_empty() {
            return None;
        }
        self.lines.push(serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}")));
        self.lines.last()
    }

    /// Waits for the next sample.
    pub fn sample(&mut self) -> Value {
        self.line().cloned().unwrap_or_else(|| panic!("no sample"))
    }

    /// Waits until a sweep has said how long it will take: from then on it hears signals.
    pub fn prediction(&mut self) {
        let line = self.line().unwrap_or_else(|| panic!("no prediction"));
        assert_eq!(line["type"], "prediction", "{line}");
    }

    /// Waits until a sample satisfies, and returns it.
    pub fn until(&mut self, what: &str, satisfies: impl Fn(&Value) -> bool) -> Value {
        loop {
            let sample = self.line().unwrap_or_else(|| panic!("{what}: not before the end"));
            assert_eq!(sample["type"], "sample", "{what}: not before the end: {sample}");
            if satisfies(sample) {
                return sample.clone();
            }
        }
    }

    /// Waits until the run has lasted this long.
    pub fn at(&mut self, elapsed_s: f64) -> Value {
        self.until("time", |sample| number(sample, "elapsed_s") >= elapsed_s)
    }

    pub fn finish(mut self) -> Done {
        while self.line().is_some() {}
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        drop(self.over);
        Done { code, lines: self.lines, stderr: self.stderr.join().unwrap() }
    }
}

pub fn signal(id: u32, name: &str) {
    let signal = match name {
        "INT" => Signal::INT,
        "TERM" => Signal::TERM,
        "HUP" => Signal::HUP,
        "KILL" => Signal::KILL,
        other => panic!("signal {other}"),
    };
    let id = Pid::from_raw(id.cast_signed()).expect("a process has a number");
    kill_process(id, signal).expect("a child that was not waited for can be told");
}

/// Exit 0, everything left, nothing is out, every memory is free again.
#[track_caller]
pub fn balances(done: &Done, wanted: u64) {
    assert_eq!(done.code, 0, "{}", done.brief());
    for figure in ["submitted", "completed", "left"] {
        assert_eq!(done.packets(figure), wanted, "{figure}: {}", done.brief());
    }
    adds_up(done);
    for figure in ["unexplained", "abandoned", "invalid", "dropped"] {
        assert_eq!(done.packets(figure), 0, "{figure}: {}", done.brief());
    }
}

/// What holds of every run that ended, whatever became of its packets.
#[track_caller]
pub fn adds_up(done: &Done) {
    let result = done.result();
    let of = |figure| done.packets(figure);
    assert_eq!(result["type"], "result", "{}", done.brief());
    assert_eq!(of("submitted"), of("completed") + of("in_flight") + of("abandoned"), "{}", done.brief());
    let explained = of("left") + of("dropped") + of("invalid") + of("unexplained");
    assert_eq!(of("completed"), explained, "{}", done.brief());
    assert_eq!(of("in_flight"), 0, "{}", done.brief());
    assert_eq!(result["frames"]["free"], result["frames"]["total"], "{}", done.brief());
    let sum =
        |parts: &str| -> u64 { result[parts].as_array().unwrap().iter().map(|one| packets(one, "submitted")).sum() };
    assert_eq!((sum("flows"), sum("senders")), (of("submitted"), of("submitted")), "{}", done.brief());
}

/// Packets that were due: those forgiven on a busy machine, too. Exact to one packet.
#[track_caller]
pub fn was_due(done: &Done, wanted: u64) {
    let due = done.packets("submitted") + done.packets("shortfall");
    assert!(due.abs_diff(wanted) <= 1, "{due} instead of {wanted}: {}", done.brief());
}
