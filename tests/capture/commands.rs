//! `import`, `check`, `show` and `export` of captures, as scripts meet them. Nothing here sends a packet.

use std::{
    fs,
    io::{BufWriter, Write},
    process::Command,
};

use assert_cmd::Command as Cmd;
use tempfile::TempDir;

use crate::write::{MICRO, Packet, frame, gzip, pcap};

fn txdeck(home: &TempDir, args: &[&str]) -> (Vec<u8>, String, i32) {
    let mut command = Cmd::from_std(Command::new(env!("CARGO_BIN_EXE_txdeck")));
    command.env("XDG_CONFIG_HOME", home.path()).env("XDG_STATE_HOME", home.path()).env_remove("TXDECK_LOG");
    let output = command.current_dir(home.path()).args(args).output().expect("runs");
    (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code().unwrap_or(-1))
}

fn three() -> Vec<Packet> {
    (0..3).map(|number| Packet::new(number * 1_000_000, frame(60 + number as usize, number as u32))).collect()
}

#[test]
fn c80_a_capture_goes_in_and_comes_out_the_same() {
    let home = tempfile::tempdir().expect("a folder");
    fs::create_dir(home.path().join("p")).expect("a folder");
    for (name, file) in [("x.pcap", pcap(MICRO, &three())), ("x.pcap.gz", gzip(&pcap(MICRO, &three())))] {
        fs::write(home.path().join(name), file).expect("written");
        // What it is tells its content; the profile finds it from its own folder.
        let (_, told, code) = txdeck(&home, &["import", name, "-o", "p/x.toml"]);
        assert_eq!((told.as_str(), code), ("", 0));
        let (_, told, code) = txdeck(&home, &["check", "p/x.toml"]);
        assert_eq!((told.as_str(), code), ("", 0));
        let (out, told, code) = txdeck(&home, &["export", "--to", "pcap", "p/x.toml", "-n", "10"]);
        assert_eq!(code, 0, "{told}");
        // Of this program's own capture the frames stand behind 24 bytes, each behind 16.
        let mut at = 24;
        for packet in three() {
            assert_eq!(out[at + 16..at + 16 + packet.bytes.len()], packet.bytes);
            at += 16 + packet.bytes.len();
        }
        assert_eq!(out.len(), at, "once, for an import makes one pass");
        let (out, _, _) = txdeck(&home, &["show", "p/x.toml", "-n", "1"]);
        let shown = String::from_utf8_lossy(&out).into_owned();
        assert!(shown.contains("flow x  60 bytes") && shown.contains("type 0x88b5"), "{shown}");
    }
}

#[test]
fn c79_check_and_run_refuse_odd_records_by_their_numbers() {
    let home = tempfile::tempdir().expect("a folder");
    let file = pcap(MICRO, &[Packet::new(0, frame(10, 1)), Packet { wire: 90, ..Packet::new(0, frame(70, 2)) }]);
    fs::write(home.path().join("odd.pcap"), file).expect("written");
    fs::write(home.path().join("odd.toml"), "version = 1\n[[flow]]\nreplay = { file = \"odd.pcap\" }\n")
        .expect("written");
    let (out, _, code) = txdeck(&home, &["check", "odd.toml"]);
    let told = String::from_utf8_lossy(&out).into_owned();
    assert_eq!(code, 2);
    assert!(told.contains("flow.flow-1.replay.odd: record 1: 10 bytes are less than an Ethernet header"), "{told}");
    assert!(told.contains("flow.flow-1.replay.odd: record 2: 70 of its 90 bytes were captured"), "{told}");
    let (_, told, code) = txdeck(&home, &["run", "odd.toml", "-i", "sim"]);
    assert_eq!(code, 2);
    assert!(told.contains("2 of 2 records are odd, the first is record 1"), "{told}");
    fs::write(home.path().join("none.toml"), "version = 1\n[[flow]]\nreplay = { file = \"none.pcap\" }\n")
        .expect("written");
    let (_, told, code) = txdeck(&home, &["run", "none.toml", "-i", "sim"]);
    assert_eq!(code, 2);
    assert!(told.contains("flow.flow-1.replay.file: none.pcap: there is no such file"), "{told}");
    let (_, told, code) = txdeck(&home, &["import", "--from", "pcap", "odd.toml"]);
    assert_eq!(code, 2);
    assert!(told.contains("odd.toml: is no capture: it begins with 76 65 72 73"), "{told}");
}

/// Peak memory of a command in KiB, as the kernel last told it while it ran.
fn peak_kib(home: &TempDir, args: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_txdeck"))
        .args(args)
        .current_dir(home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("runs");
    let mut peak = 0;
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0).max(peak);
        if let Some(ended) = child.try_wait().expect("a child") {
            assert!(ended.success(), "{args:?}");
            return peak;
        }
        std::thread::yield_now();
    }
}

/// `CAPTURE_MIB=500` makes it the capture of the requirement; as a test it is 80 MiB, more than is kept for a look.
#[test]
fn a_big_capture_is_imported_and_checked_in_bounded_memory() {
    let home = tempfile::tempdir().expect("a folder");
    let mib: u64 = std::env::var("CAPTURE_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(80);
    let mut file = BufWriter::new(fs::File::create(home.path().join("big.pcap")).expect("a file"));
    let packets: Vec<Packet> = (0..1000).map(|number| Packet::new(number * 1000, frame(1000, number as u32))).collect();
    let block = pcap(MICRO, &packets);
    file.write_all(&block[..24]).expect("written");
    for _ in 0..(mib << 20) / (block.len() as u64) + 1 {
        file.write_all(&block[24..]).expect("written");
    }
    drop(file);
    let import = peak_kib(&home, &["import", "big.pcap", "-o", "big.toml"]);
    let check = peak_kib(&home, &["check", "big.toml"]);
    println!("{mib} MiB: import {import} KiB, check {check} KiB");
    assert!(import < 64 << 10 && check < 64 << 10, "import {import} KiB, check {check} KiB");
}

/// A million frames as they go into a capture, and as many as words take the same time. Kept, either would be above
/// the bound: 60 bytes and more a frame, and about 400 of words.
#[test]
fn a_long_show_takes_bounded_memory() {
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("x.toml"), "version = 1\n[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\n")
        .expect("written");
    let capture = peak_kib(&home, &["show", "x.toml", "-n", "1000000", "--pcap", "/dev/null"]);
    let words = peak_kib(&home, &["show", "x.toml", "-n", "150000"]);
    println!("a million in a capture {capture} KiB, 150 000 in words {words} KiB");
    assert!(capture < 40 << 10 && words < 40 << 10, "capture {capture} KiB, words {words} KiB");
}

/// Told by the length alone: the file is sparse, and nothing of it is read into memory.
#[test]
fn a_capture_too_long_for_memory_is_refused_before_any_is_taken() {
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("long.pcap"), pcap(MICRO, &three())).expect("written");
    let file = fs::OpenOptions::new().write(true).open(home.path().join("long.pcap")).expect("opened");
    file.set_len((1 << 30) + 1).expect("a sparse file");
    fs::write(home.path().join("x.toml"), "version = 1\n[[flow]]\nreplay = { file = \"long.pcap\" }\n")
        .expect("written");
    for args in [&["check", "x.toml"][..], &["run", "x.toml", "-i", "sim"], &["show", "x.toml"]] {
        let (out, told, code) = txdeck(&home, args);
        let told = String::from_utf8_lossy(&out).into_owned() + &told;
        assert_eq!(code, 2, "{args:?}: {told}");
        assert!(told.contains("is 1024 MiB long, and a replay keeps at most 1024 MiB in memory: split it"), "{told}");
    }
}

#[test]
fn c79_queues_are_opened_for_the_longest_record() {
    let home = tempfile::tempdir().expect("a folder");
    let packets: Vec<Packet> = [60, 9014, 36_608].map(|len| Packet::new(0, frame(len, 1))).into();
    fs::write(home.path().join("x.pcap"), pcap(MICRO, &packets)).expect("written");
    let text = "version = 1\n[[flow]]\nreplay = { file = \"x.pcap\", loops = 2 }\n";
    fs::write(home.path().join("x.toml"), text).expect("written");
    let (out, told, code) = txdeck(&home, &["run", "x.toml", "-i", "sim", "--json"]);
    let out = String::from_utf8_lossy(&out);
    assert_eq!(code, 0, "{told}");
    let bytes = 2 * (60 + 9014 + 36_608);
    assert!(out.contains(&bytes.to_string()), "{bytes} bytes in {out}");
}
