//! Finds inbound SSH connections from the kernel's TCP table: environment variables are stale in tmux and
//! gone under sudo.
//!
//! A connection counts when its local port is listened on and either that port is 22, or an SSH server holds
//! the listening socket or the connection itself. Which process holds a socket is readable for root only, so
//! an ordinary user's txdeck knows port 22 and nothing else; the guard of the default route stands behind it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::nic::processes;

const SSH_PORT: u16 = 22;
const SERVERS: [&str; 4] = ["sshd", "sshd-session", "sshd-auth", "dropbear"];
const ESTABLISHED: u8 = 1;
const LISTEN: u8 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TcpSocket {
    local: (IpAddr, u16),
    peer: (IpAddr, u16),
    state: u8,
    inode: u64,
}

/// (local address, peer address) of every inbound SSH connection of this thread's network namespace.
pub(crate) fn inbound_sessions() -> io::Result<Vec<(IpAddr, IpAddr)>> {
    let mut sockets = parse_table(&fs::read_to_string("/proc/thread-self/net/tcp")?);
    match fs::read_to_string("/proc/thread-self/net/tcp6") {
        Ok(table) => sockets.extend(parse_table(&table)),
        Err(absent) if absent.kind() == io::ErrorKind::NotFound => {} // a kernel without IPv6
        Err(error) => return Err(error),
    }
    let servers = SERVERS.iter().flat_map(|name| processes::named(name));
    let held: HashSet<u64> = servers.flat_map(processes::sockets_of).collect();
    Ok(sessions_among(&sockets, &held))
}

fn sessions_among(sockets: &[TcpSocket], held_by_servers: &HashSet<u64>) -> Vec<(IpAddr, IpAddr)> {
    let listening = || sockets.iter().filter(|socket| socket.state == LISTEN);
    let listened: HashSet<u16> = listening().map(|socket| socket.local.1).collect();
    let mut ssh_ports: HashSet<u16> =
        listening().filter(|socket| held_by_servers.contains(&socket.inode)).map(|socket| socket.local.1).collect();
    ssh_ports.insert(SSH_PORT);
    let is_ssh = |socket: &&TcpSocket| {
        let by_port = ssh_ports.contains(&socket.local.1);
        // An outbound connection of a server (a forwarded port) has a local port nobody listens on.
        let by_holder = held_by_servers.contains(&socket.inode) && listened.contains(&socket.local.1);
        socket.state == ESTABLISHED && (by_port || by_holder)
    };
    let mut found: Vec<_> = sockets.iter().filter(is_ssh).map(|socket| (socket.local.0, socket.peer.0)).collect();
    found.sort();
    found.dedup();
    found
}

/// Reads the kernel's `tcp` or `tcp6` table; lines that do not read are left out.
fn parse_table(table: &str) -> Vec<TcpSocket> {
    table.lines().skip(1).filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<TcpSocket> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    Some(TcpSocket {
        local: parse_end(fields.get(1)?)?,
        peer: parse_end(fields.get(2)?)?,
        state: u8::from_str_radix(fields.get(3)?, 16).ok()?,
        inode: fields.get(9)?.parse().ok()?,
    })
}

/// `0100007F:0016`: each 32-bit word of the address in the machine's byte order, the port as a number.
fn parse_end(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| u32::from_str_radix(address.get(at * 8..at * 8 + 8)?, 16).ok().map(u32::to_ne_bytes);
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let bytes = [word(0)?, word(1)?, word(2)?, word(3)?].concat();
            IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)).to_canonical()
        }
        _ => return None,
    };
    Some((address, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";

    fn table(lines: &[(&str, &str, &str, u64)]) -> Vec<TcpSocket> {
        let rows = lines.iter().enumerate().map(|(at, (local, peer, state, inode))| {
            format!("{at:4}: {local} {peer} {state} 00000000:00000000 00:00000000 00000000     0        0 {inode} 1 0")
        });
        let text = std::iter::once(HEADER.to_owned()).chain(rows).collect::<Vec<_>>().join("\n");
        parse_table(&text)
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_connection_to_port_22_is_a_session() {
        let sockets = table(&[
            ("00000000:0016", "00000000:0000", "0A", 1),
            ("0100000A:0016", "0700000A:C001", "01", 2),
            ("0100000A:C123", "0800000A:0016", "01", 3), // ours, outwards
            ("0100000A:0050", "0900000A:C001", "01", 4), // somebody's web page
        ]);
        assert_eq!(sockets.len(), 4);
        let expected = [("10.0.0.1".parse().unwrap(), "10.0.0.7".parse().unwrap())];
        assert_eq!(sessions_among(&sockets, &HashSet::new()), expected);
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn ipv4_inside_ipv6_is_ipv4() {
        let sockets =
            table(&[("0000000000000000FFFF00000100000A:0016", "0000000000000000FFFF00000700000A:C001", "01", 2)]);
        let expected = [("10.0.0.1".parse().unwrap(), "10.0.0.7".parse().unwrap())];
        assert_eq!(sessions_among(&sockets, &HashSet::new()), expected);
    }

    #[test]
    fn another_port_is_known_by_who_holds_it() {
        let sockets = table(&[
            ("00000000:08AE", "00000000:0000", "0A", 10),
            ("0100000A:08AE", "0700000A:C001", "01", 20),
            ("0100000A:D000", "0600000A:0050", "01", 30), // a forwarded port: outwards
        ]);
        assert_eq!(sessions_among(&sockets, &HashSet::new()), []);
        assert_eq!(sessions_among(&sockets, &HashSet::from([10])).len(), 1, "the server listens");
        assert_eq!(sessions_among(&sockets, &HashSet::from([20, 30])).len(), 1, "socket activation");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(?s).{0,200}") {
            parse_table(&text);
            let _ = parse_end(&text);
        }
    }
}
