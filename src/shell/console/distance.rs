//! Whether this terminal is at the other end of an ssh connection, where every redraw crosses the network.
//!
//! The process that holds the terminal tells: an SSH server among its ancestors. Under tmux and screen the ancestors
//! and the environment are those of whoever started the server, perhaps days ago from elsewhere, so the clients that
//! are attached now are asked instead.

use std::fs;

use crate::nic::processes;

const SERVERS: [&str; 4] = ["sshd", "sshd-session", "dropbear", "mosh-server"];
const CLIENTS: [&str; 2] = ["tmux: client", "screen"];
/// Longer chains of parents than this are loops of reused numbers.
const MOST_PARENTS: usize = 64;

pub fn is_far() -> bool {
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let in_multiplexer = has("TMUX") || has("STY");
    if in_multiplexer {
        return CLIENTS.iter().flat_map(|name| processes::named(name)).any(|pid| comes_over_ssh(pid, &stat));
    }
    // sudo hides the variables, a container hides the ancestors.
    comes_over_ssh(std::process::id(), &stat) || has("SSH_CONNECTION") || has("SSH_TTY")
}

/// Whether a process has an SSH server among its ancestors; `stat` answers /proc/PID/stat.
fn comes_over_ssh(pid: u32, stat: &impl Fn(u32) -> Option<String>) -> bool {
    let parent = |pid: &u32| parent(&stat(*pid)?).map(|(_, parent)| parent).filter(|parent| *parent > 0);
    let ancestors = std::iter::successors(Some(pid), parent).take(MOST_PARENTS);
    let mut names = ancestors.filter_map(|pid| parent_name(&stat(pid)?));
    names.any(|name| SERVERS.contains(&name.as_str()))
}

fn stat(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

fn parent_name(stat: &str) -> Option<String> {
    parent(stat).map(|(name, _)| name)
}

/// Name and parent out of `PID (NAME) STATE PARENT …`; a name may hold spaces and brackets.
fn parent(stat: &str) -> Option<(String, u32)> {
    let (head, tail) = stat.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let parent = tail.split_whitespace().nth(1)?.parse().ok()?;
    Some((name.to_owned(), parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(pid: u32) -> Option<String> {
        let line = match pid {
            1 => "1 (systemd) S 0 1 1",
            7 => "7 (sshd-session) S 1 7 7",
            8 => "8 (bash) S 7 8 8",
            9 => "9 (odd ) (name) S 8 9 9",
            20 => "20 (tmux: server) S 1 20 20",
            21 => "21 (bash) S 20 21 21",
            30 => "30 (loop) S 31 0 0",
            31 => "31 (loop) S 30 0 0",
            _ => return None,
        };
        Some(line.into())
    }

    #[test]
    fn ancestors_tell() {
        assert!(comes_over_ssh(9, &world));
        assert!(!comes_over_ssh(21, &world), "a tmux server's child does not know");
        assert!(!comes_over_ssh(30, &world) && !comes_over_ssh(99, &world));
    }
}
