//! The command line as scripts meet it: what is printed where, and the exit codes. Nothing here sends a packet.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use assert_cmd::Command as Cmd;

/// The program with a home of its own, so that nobody's profiles matter.
fn txdeck(home: &tempfile::TempDir) -> Cmd {
    let mut command = Cmd::from_std(Command::new(env!("CARGO_BIN_EXE_txdeck")));
    command.env("XDG_CONFIG_HOME", home.path()).env("XDG_STATE_HOME", home.path()).env_remove("TXDECK_LOG");
    command
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn output(command: &mut Cmd) -> (String, String, i32) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap_or(-1))
}

#[test]
fn short_help_fits_a_screen_and_long_help_ends_with_two_examples() {
    let home = home();
    for command in [
        "",
        "lab",
        "run",
        "sweep",
        "compare",
        "check",
        "show",
        "import",
        "export",
        "calibrate",
        "devices",
        "profiles",
        "themes",
        "keys",
        "paths",
        "man",
    ] {
        let args: Vec<&str> = command.split_whitespace().collect();
        let (short, _, code) = output(txdeck(&home).args(&args).arg("-h"));
        assert_eq!(code, 0);
        assert!(short.lines().count() <= 24 && short.lines().all(|line| line.chars().count() <= 80), "{short}");
        let (long, _, _) = output(txdeck(&home).args(&args).arg("--help"));
        let (_, examples) = long.rsplit_once("Examples:").unwrap_or_else(|| panic!("{command}: no examples"));
        let examples: Vec<&str> = examples.lines().filter(|line| line.contains("txdeck")).collect();
        assert_eq!(examples.len(), 2, "{command}: {examples:?}");
        assert!(examples.iter().all(|line| line.trim_start().starts_with("txdeck") || line.contains("$(txdeck")));
        let bare = |line: &&str| line.trim_start().starts_with("[") && line.split_whitespace().count() < 2;
        assert_eq!(short.lines().find(bare), None, "an argument without a word of help: {short}");
    }
}

#[test]
fn what_is_no_command_and_no_profile_is_told_with_the_nearest() {
    let home = home();
    let (out, err, code) = output(txdeck(&home).args(["run", "udp64", "-i", "sim", "-n", "1"]));
    assert_eq!((out.as_str(), code), ("", 2));
    assert!(err.contains("udp64") && err.contains("Did you mean udp-64?"), "{err}");
    let (_, err, code) = output(txdeck(&home).args(["run", "--bogus"]));
    assert_eq!(code, 2);
    assert!(err.contains("--bogus"), "{err}");
}

#[test]
fn a_failed_start_is_an_object_under_json() {
    let home = home();
    let cases: [(&[&str], &str); 14] = [
        (&["run", "udp-64", "--json"], "no_device"),
        (&["run", "no-such-profile", "-i", "sim", "--json"], "no_profile"),
        (&["run", "udp-64", "-i", "no-such-dev0", "--json"], "no_device"),
        (&["run", "udp-64", "-i", "sim", "-s", "burst=0", "--format", "json"], "bad_setting"),
        (&["run", "udp-64", "-i", "sim", "--expect", "ppps>1", "--json"], "bad_expect"),
        (&["run", "udp-64", "-i", "sim", "--arm", "eth7", "--json"], "arm_mismatch"),
        (&["run", "--json", "--bogus"], "usage"),
        (&["run", "--json"], "usage"),
        (&["run", "udp-64", "-i", "sim", "--duration", "", "--json"], "usage"),
        (&["run", "udp-64", "-i", "sim", "-s", "count=", "--json"], "usage"),
        (&["run", "", "-i", "sim", "--json"], "no_profile"),
        (&["run", "udp-64", "-i", "", "--json"], "no_device"),
        (&["run", "udp-64", "-i", "sim", "-o", "/no/such/folder/x", "--json"], "file"),
        (&["run", "udp-64", "-i", "sim", "-s", "cpus=[4095]", "--json"], "bad_cpu"),
    ];
    for (args, wanted) in cases {
        let (out, err, code) = output(txdeck(&home).args(args));
        assert_eq!(code, 2, "{args:?}: {err}");
        assert_eq!(out.lines().count(), 1, "{args:?}: {out}");
        let object: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            (&object["type"], &object["version"], &object["code"]),
            (&"error".into(), &1.into(), &wanted.into())
        );
        let message = object["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty() && !message.starts_with(':'), "{out}");
        assert!(object.get("fix").is_some() && !err.is_empty());
        assert!(!err.contains("no limit: this sends"), "{args:?}: nothing was sent: {err}");
    }
    let (out, _, _) = output(txdeck(&home).args(["run", "--json"]));
    assert!(out.contains("<PROFILE>"), "what is missing is named: {out}");
}

#[test]
fn options_in_front_of_a_command_are_refused_not_lost() {
    let (_, err, code) = output(txdeck(&home()).args(["-i", "sim", "run", "udp-64", "-n", "1"]));
    assert_eq!(code, 2);
    assert!(err.contains("\"run\""), "{err}");
}

#[test]
fn listings_print_names_and_with_a_name_the_file_itself() {
    let home = home();
    let (list, _, code) = output(txdeck(&home).arg("profiles"));
    assert!(code == 0 && list.lines().count() >= 8, "{list}");
    let (text, _, _) = output(txdeck(&home).args(["profiles", "udp-64"]));
    assert_eq!(text, include_str!("../profiles/udp-64.toml"));
    let (effective, _, _) = output(txdeck(&home).args(["profiles", "udp-64", "--effective"]));
    assert!(effective.contains("ring = 2048") && effective.contains("seed = 7"), "{effective}");
    let (themes, _, _) = output(txdeck(&home).arg("themes"));
    let first = themes.split_whitespace().next().unwrap();
    let (theme, _, code) = output(txdeck(&home).args(["themes", first]));
    assert!(code == 0 && theme.contains("[roles]"), "{theme}");
    assert_eq!(output(txdeck(&home).args(["themes", "no-such"])).2, 2);
    let (help, _, _) = output(txdeck(&home).args(["themes", "--help"]));
    let example = help.rsplit("txdeck themes ").next().and_then(|rest| rest.split_whitespace().next()).unwrap();
    assert!(themes.contains(example), "{example} is in an example and not in:\n{themes}");
    let (keys, _, _) = output(txdeck(&home).arg("keys"));
    assert!(keys.contains("action = "), "{keys}");
}

#[test]
fn ones_own_profile_hides_the_shipped_one_and_shipped_names_it() {
    let home = home();
    let folder = home.path().join("txdeck/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    let mine = include_str!("../profiles/udp-64.toml").replace("version = 1", "# mine\nversion = 1");
    std::fs::write(folder.join("udp-64.toml"), &mine).unwrap();
    assert_eq!(output(txdeck(&home).args(["profiles", "udp-64"])).0, mine);
    assert_ne!(output(txdeck(&home).args(["profiles", "shipped:udp-64"])).0, mine);
    assert!(output(txdeck(&home).arg("profiles")).0.contains("shipped:udp-64"));
    let (stdin, _, _) = output(txdeck(&home).args(["profiles", "-"]).write_stdin("# from stdin\n"));
    assert_eq!(stdin, "# from stdin\n");
}

#[test]
fn paths_completions_manual_and_version_are_printed() {
    let home = home();
    let (paths, _, _) = output(txdeck(&home).arg("paths"));
    assert!(paths.contains(&home.path().join("txdeck/profiles").display().to_string()), "{paths}");
    for shell in ["bash", "zsh", "fish"] {
        let (text, _, code) = output(txdeck(&home).args(["completions", shell]));
        assert!(code == 0 && text.contains("txdeck"), "{shell}");
    }
    let (man, _, _) = output(txdeck(&home).arg("man"));
    assert!(man.contains(".TH txdeck 1") && man.contains("TXDECK RUN"));
    let (version, _, code) = output(txdeck(&home).arg("--version"));
    assert_eq!(code, 0);
    for word in ["txdeck 0.", "commit", "kernel", "libxdp", "AF_XDP", "lab"] {
        assert!(version.contains(word), "{version}");
    }
}

#[test]
fn output_goes_to_the_file_that_was_named() {
    let home = home();
    let file = home.path().join("list.txt");
    let (out, _, code) = output(txdeck(&home).args(["profiles", "-o"]).arg(&file));
    assert_eq!((out.as_str(), code), ("", 0));
    assert!(std::fs::read_to_string(&file).unwrap().contains("udp-64"));
    assert_eq!(output(txdeck(&home).args(["profiles", "-o", "/no/such/folder/x"])).2, 2);
}

#[test]
fn check_tells_every_error_of_every_file() {
    let home = home();
    let bad = home.path().join("bad.toml");
    std::fs::write(&bad, "version = 1\nname = \"bad\"\n[tx]\nbrst = 3\nclone = -1\n").unwrap();
    let (out, _, code) = output(txdeck(&home).args(["check", "udp-64"]).arg(&bad));
    assert_eq!(code, 2);
    assert!(out.contains("udp-64: ok") && out.contains("brst") && out.contains("clone"), "{out}");
    assert!(out.contains("bad.toml:4:"), "file, line and column: {out}");
    assert_eq!(output(txdeck(&home).args(["check", "udp-64"])).2, 0);
}

#[test]
fn check_explains_and_warns_without_failing() {
    let home = home();
    let (out, _, code) = output(txdeck(&home).args(["check", "imix", "conversations"]));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((code, lines.len()), (0, 3), "{out}");
    assert!(lines[0].starts_with("note: shipped:imix:") && lines[0].contains("exact in every 12 packets"), "{out}");
    assert!(lines[1].starts_with("imix: ok, ") && lines[1].contains("a second at 27.95 kpps: "), "{out}");
    assert_eq!(lines[2], "conversations: ok, 8000 packets, 8000 flows in this plan; a second: known once it sends");
    let (out, _, code) = output(txdeck(&home).args(["check", "-"]).write_stdin(
        "version = 1\n[tx]\nclone = 100\nrate = 47000\n[[flow]]\nname = \"a\"\nsize = 1600\n\
         eth = { dst = \"02:00:00:00:00:02\", src = \"01:00:00:00:00:01\" }\nipv4 = {}\n\
         udp = { src = { random = [9, 109] } }\n",
    ));
    assert_eq!(code, 0, "warnings are no errors: {out}");
    let told = [
        "of 47000 packets a second 100 differ, in 100 flows",
        "an MTU of 1500",
        "a multicast address as a source",
        "max is exclusive",
        "-: ok, 101 packets, 101 flows in this plan",
    ];
    for words in told {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn a_text_that_is_no_toml_is_not_answered_line_by_line() {
    let prose = "this is a line of prose, and no TOML\n".repeat(300);
    for args in [&["check", "-"][..], &["run", "-", "-i", "sim"]] {
        let (out, err, code) = output(txdeck(&home()).args(args).write_stdin(prose.clone()));
        let told = out + &err;
        assert_eq!((code, told.lines().count()), (2, 21), "{told}");
        assert!(told.contains("<stdin>:21:") && told.contains("and 280 more places that are not TOML"), "{told}");
    }
}

#[test]
fn a_field_of_a_flow_is_named_with_its_flow() {
    let (_, err, code) = output(txdeck(&home()).args(["run", "udp-64", "-i", "sim", "-s", "size=100"]));
    assert!(code == 2 && err.contains("Did you mean flow.udp.size?"), "{err}");
}

#[test]
fn c10_a_key_that_is_not_honoured_is_an_error_with_its_line() {
    let text = include_str!("../profiles/udp-64.toml").to_owned() + "\n[extra]\nduration_s = 3\n";
    let (out, _, code) = output(txdeck(&home()).args(["check", "-"]).write_stdin(text));
    assert_eq!(code, 2);
    assert!(out.contains("extra") && out.contains("<stdin>:"), "{out}");
}

#[test]
fn show_prints_frames_as_hex_with_words_or_as_a_capture() {
    let home = home();
    let (text, _, code) = output(txdeck(&home).args(["show", "udp-64", "-n", "2"]));
    assert_eq!(code, 0);
    assert!(text.contains("1  flow udp  60 bytes") && text.contains("2  flow udp  60 bytes"), "{text}");
    assert!(text.contains("02 00 00 00 00 02") && text.contains("seq 2"), "{text}");
    let capture = txdeck(&home).args(["show", "udp-64", "-n", "3", "--pcap", "-"]).output().unwrap().stdout;
    assert_eq!(capture.len(), 24 + 3 * (16 + 60));
    let (_, err, code) = output(txdeck(&home).args(["show", "udp-64", "--flow", "nobody"]));
    assert!(code == 2 && err.contains("Flows that send: udp"), "{err}");
}

#[test]
fn a_closed_stdout_ends_output_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_txdeck"))
        .args(["show", "udp-64", "-n", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, "1  flow udp  60 bytes\n");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn entering_a_lab_that_is_not_there_says_so() {
    let (_, err, code) = output(txdeck(&home()).args(["lab", "--enter", "--pid", "1", "--", "true"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("lab"), "{err}");
    let (apparmor, _, _) = output(txdeck(&home()).args(["lab", "--print-apparmor"]));
    assert!(apparmor.contains("userns,"), "{apparmor}");
}

#[test]
fn a_script_becomes_a_profile_and_what_is_lost_is_told_on_stderr() {
    let home = home();
    let script = "echo add_device eth1 > /proc/net/pktgen/kpktgend_0\necho dst_mac 02:00:00:00:00:05 > /proc/net/pktgen/eth1\n\
        echo pkt_size 128 > /proc/net/pktgen/eth1\necho node 1 > /proc/net/pktgen/eth1\n";
    let (out, err, code) = output(txdeck(&home).args(["import", "--from", "pktgen", "-"]).write_stdin(script));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("size = 128") && out.contains("device = \"eth1\""), "{out}");
    assert!(err.contains("<stdin>:4: dropped: node 1: "), "{err}");
    // What it is, its content tells; the profile runs as it stands.
    let file = home.path().join("mine.toml");
    let (out, _, code) = output(txdeck(&home).args(["import", "-q", "-", "-o"]).arg(&file).write_stdin(script));
    assert_eq!((out.as_str(), code), ("", 0));
    let (_, err, code) = output(txdeck(&home).arg("run").arg(&file).args(["-i", "sim", "-n", "10", "--json"]));
    assert_eq!(code, 0, "{err}");
    let (_, err, _) = output(txdeck(&home).args(["import", "-", "--json"]).write_stdin(script));
    let note: serde_json::Value = serde_json::from_str(err.lines().last().unwrap_or_default()).unwrap();
    assert_eq!((&note["type"], &note["line"], &note["kind"]), (&"note".into(), &4.into(), &"dropped".into()));
}

#[test]
fn what_cannot_be_imported_says_why_and_where() {
    let home = home();
    let cases: [(&[&str], &str, &str); 5] = [
        (&["import", "--from", "pktgen", "-", "--json"], "if x\n", "bad_import"),
        (&["import", "-", "--json"], "hello\n", "no_dialect"),
        (&["import", "/no/such/file.sh", "--json"], "", "file"),
        (&["import", "--from", "cobol", "-", "--json"], "", "usage"),
        (
            &["export", "--to", "pktgen", "-", "--json"],
            "version = 1\n[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\n",
            "bad_export",
        ),
    ];
    for (args, text, code) in cases {
        let (out, err, status) = output(txdeck(&home).args(args).write_stdin(text));
        assert_eq!(status, 2, "{args:?}: {err}");
        let object: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|why| panic!("{args:?}: {why}: {out}"));
        assert_eq!(object["code"], code, "{args:?}");
    }
}

#[test]
fn a_calibration_is_one_object_with_a_figure_or_a_reason_for_each() {
    let home = home();
    let (out, err, code) = output(txdeck(&home).args(["calibrate", "imix", "-s", "flow.mix.size=60", "--json"]));
    assert_eq!((out.lines().count(), code), (1, 0), "{err}");
    assert!(err.starts_with("measuring on CPU "), "{err}");
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&object["type"], &object["version"]), (&"calibration".into(), &1.into()));
    assert_eq!((&object["size_bytes"], &object["wire_bytes"]), (&60.0.into(), &84.0.into()));
    let rows = object["primitives"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["load_store", "locked_add", "contended_add", "barrier", "clock_read", "system_call", "kick"]);
    for row in rows {
        let figures = ["min_ns", "median_ns", "p90_ns"].map(|key| row[key].as_f64());
        match row["why"].as_str() {
            Some(why) => assert!(!why.is_empty() && figures == [None; 3], "{row}"),
            None => assert!(figures.is_sorted() && row["rounds"].as_u64() > Some(0), "{row}"),
        }
    }
    let ten = object["budget"].as_array().unwrap().iter().find(|row| row["link"] == "10G").unwrap();
    assert!((ten["gap_ns"].as_f64().unwrap() - 67.2).abs() < 1e-9, "{ten}");
}

#[test]
fn a_calibration_for_people_is_quiet_when_told_and_names_a_wrong_cpu() {
    let home = home();
    let (out, err, code) = output(txdeck(&home).args(["calibrate", "-q"]));
    assert_eq!((err.as_str(), code), ("", 0));
    assert!(out.contains("empty system call") && out.contains("10G      67.20   14.88"), "{out}");
    let (out, _, code) = output(txdeck(&home).args(["calibrate", "--cpu", "4095", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &object["code"]), (2, &"bad_cpu".into()));
    assert!(object["message"].as_str().unwrap().starts_with("--cpu: CPU 4095 is not one"), "{object}");
}

#[test]
fn exports_go_to_stdout_and_come_back_as_the_same_frames() {
    let home = home();
    let capture = |text: &[u8]| {
        let args = ["show", "-", "-n", "1000", "--pcap", "-"];
        txdeck(&home).args(args).write_stdin(text).output().unwrap().stdout
    };
    let shown = capture(include_bytes!("../profiles/udp-64.toml"));
    assert_eq!(shown.len(), 24 + 1000 * (16 + 60));
    for dialect in ["pktgen", "command"] {
        let exported = txdeck(&home).args(["export", "--to", dialect, "udp-64"]).output().unwrap();
        assert!(exported.stderr.is_empty(), "{}", String::from_utf8_lossy(&exported.stderr));
        let imported = txdeck(&home).args(["import", "-"]).write_stdin(exported.stdout).output().unwrap();
        assert!(imported.stderr.is_empty(), "{}", String::from_utf8_lossy(&imported.stderr));
        assert_eq!(capture(&imported.stdout), shown, "{dialect}");
    }
    let pcap = txdeck(&home).args(["export", "--to", "pcap", "udp-64"]).output().unwrap().stdout;
    assert_eq!(pcap, shown);
}
