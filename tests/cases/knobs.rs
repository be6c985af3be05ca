//! Knobs that take a right or a kernel of their own: given, or refused by name; never passed over.

use crate::bench::on_a_pair;
use crate::deck::{Done, balances, run};
use crate::nic_lab::Far;

/// A run that took place, or the code and words of its refusal.
fn given_or_refused(done: &Done, count: u64, code: &str, words: &[&str]) {
    if done.code == 0 {
        return balances(done, count);
    }
    assert_eq!((done.code, &done.result()["code"]), (2, &code.into()), "{}", done.brief());
    let told = format!("{} {}", done.result()["message"], done.result()["fix"]);
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn a_larger_kick_takes_a_whole_burst() {
    on_a_pair("knobs::a_larger_kick_takes_a_whole_burst", |pair| {
        let far = Far::on(pair, "b0");
        let kicks = |budget: &str| {
            let done = run(&["udp-64", "-i", "a0", "-n", "102400", "-s", "burst=256", "-s", budget]);
            given_or_refused(&done, 102_400, "old_kernel", &["tx.skb_budget", "6.17"]);
            done.result()["kicks"].as_u64()
        };
        let (small, large) = (kicks("skb_budget=32"), kicks("skb_budget=256"));
        if let (Some(small), Some(large)) = (small, large) {
            assert!(large * 4 < small, "{small} kicks of 32, {large} of 256");
            assert_eq!(far.count(), 2 * 102_400);
        }
    });
}

#[test]
fn busy_polling_is_given_or_its_right_is_named() {
    on_a_pair("knobs::busy_polling_is_given_or_its_right_is_named", |_| {
        let done = run(&["udp-64", "-i", "a0", "-n", "1000", "-s", "busy_poll=20us"]);
        given_or_refused(&done, 1000, "no_cap_net_admin", &["tx.busy_poll", "CAP_NET_ADMIN", "setcap"]);
    });
}

#[test]
fn a_priority_is_given_or_its_right_is_named() {
    let done = run(&["udp-64", "-i", "sim", "-n", "1000", "-s", "priority=1"]);
    given_or_refused(&done, 1000, "no_cap_sys_nice", &["tx.priority", "CAP_SYS_NICE", "setcap"]);
}

#[test]
fn what_cannot_be_is_refused_before_anything_opens() {
    for (knob, words) in [
        ("skb_budget=4096", "above ring 2048 (32..2048)"),
        ("skb_budget=31", "32..32768"),
        ("busy_poll=500ns", "1us..1s"),
        ("busy_poll=2s", "1us..1s"),
        ("busy_poll=1500ns", "whole microseconds"),
        ("priority=100", "0..99"),
    ] {
        let done = run(&["udp-64", "-i", "sim", "-n", "1", "-s", knob]);
        assert_eq!((done.code, &done.result()["code"]), (2, &"bad_setting".into()), "{}", done.brief());
        let message = done.result()["message"].to_string();
        assert!(message.contains(words), "{knob}: {message}");
    }
}
