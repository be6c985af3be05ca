//! Other processes as /proc shows them: by name, what sockets and namespaces they hold.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags};

/// Processes whose main thread bears this name, ascending. A process that cannot be read is left out.
pub fn named(name: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found: Vec<u32> = numbers.filter(|pid| has_name(*pid, name)).collect();
    found.sort_unstable();
    found
}

fn has_name(pid: u32, name: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end_matches('\n') == name)
}

/// Inodes of the sockets a process holds; none if we may not know.
pub(crate) fn sockets_of(pid: u32) -> Vec<u64> {
    let inode = |target: String| target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    held_by(pid).into_iter().filter_map(|(_, target)| inode(target)).collect()
}

/// Network namespaces a process holds open by a file descriptor (not the one it is in).
pub fn held_network_namespaces(pid: u32) -> Vec<OwnedFd> {
    let held = held_by(pid).into_iter().filter(|(_, target)| target.starts_with("net:["));
    held.filter_map(|(path, _)| open_read_only(path)).collect()
}

/// The network and user namespaces a process is in; `None` if it is gone or not ours to see.
pub fn namespaces_of(pid: u32) -> Option<(OwnedFd, OwnedFd)> {
    let net = open_read_only(format!("/proc/{pid}/ns/net").into())?;
    let user = open_read_only(format!("/proc/{pid}/ns/user").into())?;
    Some((net, user))
}

fn open_read_only(path: PathBuf) -> Option<OwnedFd> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// (path under /proc, what it leads to) of each open file of a process.
fn held_by(pid: u32) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let with_target = entries.filter_map(|entry| {
        let target = fs::read_link(entry.path()).ok()?;
        Some((entry.path(), target.to_str()?.to_owned()))
    });
    with_target.collect()
}
