//! What the cases share: the pair's further forms, iproute2, and a look at a device's counters.

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use txdeck::nic::link::{Link, LinkCounters, Links};

use crate::nic_lab::{Pair, on_a_veth_pair, wait_until};

/// All queues of an ordinary user share one limit of locked memory, 8 MiB by default, and some cases take half of
/// it: they run one after the other. Root has no such limit.
pub fn turn() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    (!rustix::process::geteuid().is_root()).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// [`on_a_veth_pair`], in turn.
pub fn on_a_pair(test: &str, body: impl FnOnce(&mut Pair)) {
    let _turn = turn();
    on_a_veth_pair(test, body);
}

/// Runs iproute2's `ip` in this process's namespace.
#[track_caller]
pub fn ip(words: &str) {
    let done = Command::new("ip").args(words.split_ascii_whitespace()).output().expect("ip (iproute2) is there");
    assert!(done.status.success(), "ip {words}: {}", String::from_utf8_lossy(&done.stderr));
}

/// The pair anew, with this many queues at both ends.
pub fn with_queues(pair: &Pair, queues: u32) {
    pair.delete("a0");
    let end = |name: &str, last: u32| {
        format!("{name} address 02:00:00:00:00:{last:02x} numtxqueues {queues} numrxqueues {queues}")
    };
    ip(&format!("link add {} type veth peer name {}", end("a0", 1), end("b0", 0x12)));
    pair.up("a0");
    pair.up("b0");
}

pub fn link(name: &str) -> Link {
    Links::open().unwrap().by_name(name).unwrap().unwrap_or_else(|| panic!("{name} is there"))
}

pub fn counters(name: &str) -> LinkCounters {
    let index = link(name).index;
    Links::open().unwrap().counters(index).unwrap().expect("it has counters")
}

/// The kernel takes a carrier note of in a worker of its own.
pub fn wait_for_carrier(name: &str) {
    wait_until("carrier", || link(name).operational);
}
