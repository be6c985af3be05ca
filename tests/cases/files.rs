//! PROFILE: what is written out is read again by another process and sends the same bytes.

use std::process::Command;

use crate::deck::{run_profile, txdeck};

fn stdout(mut command: Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn names() -> Vec<String> {
    let list = String::from_utf8(stdout(txdeck(&["profiles"]))).unwrap();
    let first_words = list.lines().filter_map(|line| line.split_ascii_whitespace().next());
    let names: Vec<String> = first_words.map(str::to_owned).filter(|name| is_profile(name)).collect();
    assert!(names.len() >= 8, "{list}");
    names
}

fn is_profile(name: &str) -> bool {
    txdeck(&["profiles", name]).output().unwrap().status.success()
}

/// Its first thousand frames, exactly as they leave.
fn frames(profile: &str) -> Vec<u8> {
    stdout(txdeck(&["show", profile, "-n", "1000", "--pcap", "-"]))
}

#[test]
fn c69_a_profile_written_with_every_default_sends_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("written.toml");
    let path = file.to_str().unwrap();
    for name in names() {
        let effective = stdout(txdeck(&["profiles", &name, "--effective"]));
        std::fs::write(&file, &effective).unwrap();
        assert_eq!(stdout(txdeck(&["profiles", path, "--effective"])), effective, "{name}: written twice");
        assert!(frames(path) == frames(&name), "{name}: other bytes");
    }
}

#[test]
fn c71_every_shipped_profile_loads_unchanged_and_bad_files_start_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in names() {
        let file = folder.path().join(format!("{name}.toml"));
        std::fs::write(&file, stdout(txdeck(&["profiles", &name]))).unwrap();
        stdout(txdeck(&["check", file.to_str().unwrap()]));
    }
    let good = String::from_utf8(stdout(txdeck(&["profiles", "udp-64"]))).unwrap();
    let bad = [
        (good.replace("version = 1", "version = 2"), "version"),
        (good.replace("version = 1", "version = \"one\""), "version"),
        (good.replace("version = 1", ""), "version"),
        (good.replace("[tx]", "[tx]\nbrust = 3"), "tx.burst"),
        (good.replace("[tx]", "[tx]\nmode = \"copi\""), "copy"),
        (good.replace("[tx]", "[tx]\nring = 64\nring = 64"), "ring"),
    ];
    for (text, word) in bad {
        assert_ne!(text, good);
        let done = run_profile(&text, &["-i", "sim", "-n", "1"]);
        let error = done.result();
        assert_eq!((done.code, &error["code"]), (2, &"bad_profile".into()), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("<stdin>:") && message.contains(word), "{message}");
    }
    for text in [format!("\u{feff}{good}"), good.replace('\n', "\r\n")] {
        assert_eq!(run_profile(&text, &["-i", "sim", "-n", "7"]).packets("left"), 7);
    }
}
