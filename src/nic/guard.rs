//! Which devices must not be shot at without being armed: those that carry a default route or the present
//! SSH sessions, and whatever lies below them. The facts come from the kernel; the judgement is pure.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::IpAddr;

use crate::nic::link::{Link, Links};
use crate::nic::ssh;

/// Why a device is guarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    DefaultRoute,
    /// An established inbound SSH connection, from this address.
    Ssh(IpAddr),
    /// Lies below a device that is guarded for that reason.
    Below {
        device: String,
        why: Box<Guard>,
    },
}

impl Guard {
    /// The sentence for a user who named `device` without arming it.
    pub fn refusal(&self, device: &str) -> String {
        format!("{device} {self}. txdeck will not send there. To do it anyway: --arm {device}")
    }
}

/// What the device does, to be read after its name: "carries the default route".
impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guard::DefaultRoute => f.write_str("carries the default route"),
            Guard::Ssh(from) => write!(f, "carries your ssh session (from {from})"),
            Guard::Below { device, why } => write!(f, "lies below {device}, which {why}"),
        }
    }
}

/// An inbound SSH connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    pub local: IpAddr,
    pub peer: IpAddr,
    /// The device that packets to the peer leave by, where the kernel has a route. It need not be the one
    /// that holds the local address.
    pub leaves_by: Option<u32>,
}

/// What the judgement rests on. Devices are indexes.
#[derive(Debug, Clone, Default)]
pub struct GuardFacts {
    pub links: Vec<Link>,
    pub default_routes: Vec<u32>,
    pub addresses: Vec<(u32, IpAddr)>,
    pub sessions: Vec<Session>,
}

/// At most one reason a device; an SSH session is the stronger one, and a device's own reason comes before
/// that of a device above it.
pub fn guards_from(facts: &GuardFacts) -> Vec<(u32, Guard)> {
    let mut found: Vec<(u32, Guard)> = Vec::new();
    for session in &facts.sessions {
        let holders = facts.addresses.iter().filter(|(_, address)| *address == session.local).map(|&(index, _)| index);
        for index in holders.chain(session.leaves_by) {
            add(&mut found, index, Guard::Ssh(session.peer));
        }
    }
    for &index in &facts.default_routes {
        add(&mut found, index, Guard::DefaultRoute);
    }
    let mut above: VecDeque<u32> = found.iter().map(|&(index, _)| index).collect();
    while let Some(index) = above.pop_front() {
        for lower in devices_below(&facts.links, index) {
            let why = reason_below(&found, &facts.links, index);
            if let Some(why) = why
                && add(&mut found, lower, why)
            {
                above.push_back(lower);
            }
        }
    }
    found
}

fn add(found: &mut Vec<(u32, Guard)>, index: u32, guard: Guard) -> bool {
    let new = found.iter().all(|&(known, _)| known != index);
    if new {
        found.push((index, guard));
    }
    new
}

/// Members of a bond, bridge or team, and the device under a VLAN, macvlan or tunnel.
fn devices_below(links: &[Link], index: u32) -> Vec<u32> {
    let members = links.iter().filter(|link| link.master == Some(index)).map(|link| link.index);
    let under = links.iter().filter(|link| link.index == index).filter_map(|link| link.lower);
    members.chain(under).collect()
}

/// What is said of a device below `index`: the topmost guarded device and its own reason.
fn reason_below(found: &[(u32, Guard)], links: &[Link], index: u32) -> Option<Guard> {
    let (_, guard) = found.iter().find(|&&(known, _)| known == index)?;
    if let Guard::Below { .. } = guard {
        return Some(guard.clone());
    }
    let device = links.iter().find(|link| link.index == index)?.name.clone();
    Some(Guard::Below { device, why: Box::new(guard.clone()) })
}

impl Links {
    /// Guarded devices of this namespace, each with its reason. On an `Err` nothing is known: guard all.
    pub fn guards(&mut self) -> io::Result<Vec<(u32, Guard)>> {
        Ok(guards_from(&self.guard_facts()?))
    }

    fn guard_facts(&mut self) -> io::Result<GuardFacts> {
        let mut sessions = Vec::new();
        for (local, peer) in ssh::inbound_sessions()? {
            sessions.push(Session { local, peer, leaves_by: self.device_towards(peer) });
        }
        Ok(GuardFacts {
            links: self.bare_list()?,
            default_routes: self.default_routes()?,
            addresses: self.addresses()?,
            sessions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(index: u32, name: &str) -> Link {
        Link { index, name: name.to_owned(), ..Link::default() }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn session(leaves_by: Option<u32>) -> Session {
        Session { local: ip("10.0.0.1"), peer: ip("10.0.0.7"), leaves_by }
    }

    #[test]
    fn nothing_known_guards_nothing() {
        assert_eq!(guards_from(&GuardFacts { links: vec![link(2, "eth1")], ..GuardFacts::default() }), []);
    }

    #[test]
    fn a_session_outranks_the_default_route() {
        let facts = GuardFacts {
            links: vec![link(2, "eth0"), link(3, "eth1")],
            default_routes: vec![2, 3, 3],
            addresses: vec![(2, ip("10.0.0.1")), (3, ip("10.0.0.2"))],
            sessions: vec![session(None)],
        };
        assert_eq!(guards_from(&facts), [(2, Guard::Ssh(ip("10.0.0.7"))), (3, Guard::DefaultRoute)]);
    }

    #[test]
    fn a_session_that_leaves_by_another_device_guards_both() {
        let facts = GuardFacts {
            links: vec![link(1, "lo"), link(2, "eth0")],
            addresses: vec![(1, ip("10.0.0.1"))],
            sessions: vec![session(Some(2))],
            ..GuardFacts::default()
        };
        let guarded: Vec<u32> = guards_from(&facts).iter().map(|&(index, _)| index).collect();
        assert_eq!(guarded, [1, 2]);
    }

    #[test]
    fn everything_below_a_guarded_device_is_guarded() {
        // br0 over vlan10 over bond0 over eth0 and eth1; eth2 stands alone.
        let facts = GuardFacts {
            links: vec![
                Link { master: Some(4), ..link(2, "eth0") },
                Link { master: Some(4), ..link(3, "eth1") },
                link(4, "bond0"),
                Link { lower: Some(4), master: Some(6), ..link(5, "vlan10") },
                link(6, "br0"),
                link(7, "eth2"),
            ],
            addresses: vec![(6, ip("10.0.0.1"))],
            sessions: vec![session(Some(6))],
            ..GuardFacts::default()
        };
        let below = Guard::Below { device: "br0".to_owned(), why: Box::new(Guard::Ssh(ip("10.0.0.7"))) };
        let guards = guards_from(&facts);
        assert_eq!(guards[0], (6, Guard::Ssh(ip("10.0.0.7"))));
        for index in [2, 3, 4, 5] {
            assert!(guards.contains(&(index, below.clone())), "{index} in {guards:?}");
        }
        assert_eq!(guards.len(), 5);
    }

    #[test]
    fn a_circle_of_devices_ends() {
        let facts = GuardFacts {
            links: vec![Link { lower: Some(3), ..link(2, "a") }, Link { lower: Some(2), ..link(3, "b") }],
            default_routes: vec![2],
            ..GuardFacts::default()
        };
        assert_eq!(guards_from(&facts).len(), 2);
    }

    #[test]
    fn the_refusals_read_as_promised() {
        let ssh = Guard::Ssh(ip("10.0.0.7"));
        assert_eq!(
            ssh.refusal("eth0"),
            "eth0 carries your ssh session (from 10.0.0.7). txdeck will not send there. To do it anyway: --arm eth0"
        );
        let below = Guard::Below { device: "bond0".to_owned(), why: Box::new(Guard::DefaultRoute) };
        assert_eq!(
            below.refusal("eth1"),
            "eth1 lies below bond0, which carries the default route. \
             txdeck will not send there. To do it anyway: --arm eth1"
        );
    }
}
