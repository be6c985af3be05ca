//! XSK-BIND, rights: what is missing is named with its remedy, and CAP_NET_RAW with enough locked memory is enough.

use crate::bench::on_a_pair;
use crate::deck::{Done, Running, balances, through};
use crate::nic_lab::Far;

/// No right at all, or CAP_NET_RAW alone, and so much memory that may be locked.
fn with_rights(rights: &str, memlock_bytes: &str, args: &[&str]) -> Done {
    let bounding = format!("--bounding-set={rights}");
    let limit = format!("--memlock={memlock_bytes}");
    let wrapper = ["prlimit", &limit, "setpriv", &bounding, "--inh-caps=-all", "--ambient-caps=-all"];
    Running::of(through(&wrapper, args), "").finish()
}

const SEND: [&str; 6] = ["run", "udp-64", "-i", "a0", "-n", "1000"];

fn send(rights: &str, memlock_bytes: &str) -> Done {
    with_rights(rights, memlock_bytes, &[&SEND[..], &["--json"]].concat())
}

#[test]
fn c59_without_any_right_the_capability_is_named() {
    on_a_pair("rights::c59_without_any_right_the_capability_is_named", |_| {
        let done = send("-all", "8388608");
        let error = done.result();
        assert_eq!((done.code, &error["code"]), (2, &"no_cap_net_raw".into()), "{error}");
        assert!(error["message"].as_str().unwrap().contains("CAP_NET_RAW"), "{error}");
        assert!(error["fix"].as_str().unwrap().contains("setcap cap_net_raw"), "{error}");
    });
}

#[test]
fn c59_what_needs_no_right_works_without() {
    on_a_pair("rights::c59_what_needs_no_right_works_without", |_| {
        balances(&with_rights("-all", "65536", &["run", "udp-64", "-i", "sim", "-n", "1000", "--json"]), 1000);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("frames.pcap");
        let path = file.to_str().unwrap();
        for args in [
            &["show", "udp-64", "--pcap", path][..],
            &["check", "udp-64", "-o", path],
            &["profiles", "udp-64", "--effective", "-o", path],
            &["devices", "--json", "-o", path],
        ] {
            let done = with_rights("-all", "65536", args);
            assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{args:?}");
            assert!(std::fs::metadata(&file).unwrap().len() > 0);
        }
    });
}

#[test]
fn c59_too_little_locked_memory_names_needed_and_allowed() {
    on_a_pair("rights::c59_too_little_locked_memory_names_needed_and_allowed", |_| {
        let done = send("-all,+net_raw", "65536");
        let error = done.result();
        assert_eq!((done.code, &error["code"]), (2, &"memlock".into()), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("1024 KiB") && message.contains("64 KiB"), "{error}");
        assert!(!error["fix"].as_str().unwrap().is_empty(), "{error}");
    });
}

#[test]
fn c59_cap_net_raw_and_the_default_limit_are_enough_for_four_queues() {
    on_a_pair("rights::c59_cap_net_raw_and_the_default_limit_are_enough_for_four_queues", |pair| {
        crate::bench::with_queues(pair, 4);
        let far = Far::on(pair, "b0");
        let all = [&SEND[..], &["--queues", "0..3", "--json"]].concat();
        balances(&with_rights("-all,+net_raw", "8388608", &all), 1000);
        assert_eq!(far.count(), 1000);
    });
}
