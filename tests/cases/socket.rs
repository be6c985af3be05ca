//! CSUM and MAC as a real receiver judges them: the kernel's own UDP stack, with a socket at the far end.

use std::collections::BTreeSet;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::time::Duration;

use crate::bench::{ip, on_a_pair, wait_for_carrier};
use crate::deck::{balances, run_profile};
use crate::nic_lab::{DEADLINE, Pair};

/// One UDP counter of this namespace, as the kernel names it.
fn snmp(family: &str, name: &str) -> u64 {
    if family == "Udp6" {
        let all = std::fs::read_to_string("/proc/thread-self/net/snmp6").unwrap();
        let value = all.lines().find_map(|line| line.strip_prefix(&format!("Udp6{name} ")));
        return value.unwrap().trim().parse().unwrap();
    }
    let all = std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap();
    let mut rows = all.lines().filter(|line| line.starts_with("Udp:")).map(str::split_ascii_whitespace);
    let (mut names, mut values) = (rows.next().unwrap(), rows.next().unwrap());
    let at = names.position(|known| known == name).unwrap();
    values.nth(at).unwrap().parse().unwrap()
}

/// The kernel checks a datagram's sum when a filter looks at it: at once, read or not. This one lets all pass.
fn check_at_once(socket: &UdpSocket) {
    let mut pass = [libc::sock_filter { code: 6, jt: 0, jf: 0, k: u32::MAX }];
    let program = libc::sock_fprog { len: 1, filter: pass.as_mut_ptr() };
    let size = size_of_val(&program) as u32;
    // SAFETY: the program lives through the call, and its size is told.
    let set = unsafe {
        let program = (&raw const program).cast();
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, program, size)
    };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
}

/// Reads until `wanted` datagrams were received or did not fit into the socket; returns the source ports seen.
fn receive(socket: &UdpSocket, family: &str, wanted: u64) -> (BTreeSet<u16>, u64) {
    socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let end = std::time::Instant::now() + DEADLINE;
    let (mut ports, mut read) = (BTreeSet::new(), 0);
    while read + snmp(family, "RcvbufErrors") < wanted {
        assert!(std::time::Instant::now() < end, "{read} read, {} did not fit", snmp(family, "RcvbufErrors"));
        for _ in 0..1000 {
            let Ok((_, from)) = socket.recv_from(&mut [0; 2048]) else { break };
            ports.insert(from.port());
            read += 1;
        }
    }
    (ports, read)
}

fn every_source_port(network: &str, count: u32) -> String {
    format!(
        "version = 1\nname = \"ports\"\n[tx]\ncount = {count}\nrate = 20000\n[[flow]]\nname = \"a\"\nsize = 100\n\
         eth = {{ dst = \"02:00:00:00:00:12\" }}\n{network}\nudp = {{ src = {{ from = 0, to = 65535 }}, dst = 4791 }}\n"
    )
}

/// Of 65536 source ports one or two sum to zero: those datagrams must arrive like all others.
fn every_port_arrives(socket: &UdpSocket, family: &'static str, network: &str) {
    check_at_once(socket);
    let far = socket.try_clone().unwrap();
    let reader = std::thread::spawn(move || receive(&far, family, 65_536));
    balances(&run_profile(&every_source_port(network, 65_536), &["-i", "a0"]), 65_536);
    let (ports, read) = reader.join().unwrap();
    assert_eq!(snmp(family, "InCsumErrors"), 0, "the receiver found no bad sum");
    assert_eq!((ports.len() as u64, snmp(family, "InErrors")), (read, snmp(family, "RcvbufErrors")), "each once");
}

fn address_the_far_end(_: &Pair, address: &str) {
    wait_for_carrier("b0");
    ip(&format!("addr add {address} dev b0"));
    ip("link set lo up");
}

#[test]
fn c23_a_udp_socket_receives_every_source_port_over_ipv4() {
    on_a_pair("socket::c23_a_udp_socket_receives_every_source_port_over_ipv4", |pair| {
        address_the_far_end(pair, "198.18.0.2/24");
        let socket = UdpSocket::bind("198.18.0.2:4791").unwrap();
        every_port_arrives(&socket, "Udp", "ipv4 = { src = \"198.18.0.1\", dst = \"198.18.0.2\" }");
    });
}

#[test]
fn c23_a_udp_socket_receives_every_source_port_over_ipv6() {
    on_a_pair("socket::c23_a_udp_socket_receives_every_source_port_over_ipv6", |pair| {
        std::fs::write("/proc/sys/net/ipv6/conf/b0/disable_ipv6", "0").unwrap();
        address_the_far_end(pair, "2001:db8::2/64 nodad");
        let socket = UdpSocket::bind("[2001:db8::2]:4791").unwrap();
        every_port_arrives(&socket, "Udp6", "ipv6 = { src = \"2001:db8::1\", dst = \"2001:db8::2\" }");
    });
}

#[test]
fn c40_an_unknown_neighbour_is_refused_and_a_known_one_receives() {
    on_a_pair("socket::c40_an_unknown_neighbour_is_refused_and_a_known_one_receives", |pair| {
        address_the_far_end(pair, "198.18.0.2/32");
        let socket = UdpSocket::bind("198.18.0.2:9").unwrap();
        let text = "version = 1\nname = \"n\"\n[tx]\ncount = 100\nrate = 10000\n[[flow]]\neth = { dst = \"neighbour\" }\n\
                    ipv4 = { src = \"198.18.0.1\", dst = \"198.18.0.2\" }\nudp = { dst = 9 }\n";
        let refused = run_profile(text, &["-i", "a0"]);
        assert_eq!((refused.code, &refused.result()["code"]), (2, &"no_neighbour".into()), "{}", refused.brief());
        assert!(refused.stderr.contains("198.18.0.2"), "{}", refused.stderr);
        ip("neigh add 198.18.0.2 lladdr 02:00:00:00:00:12 dev a0 nud permanent");
        balances(&run_profile(text, &["-i", "a0"]), 100);
        assert_eq!(receive(&socket, "Udp", 100).1 + snmp("Udp", "RcvbufErrors"), 100);
    });
}

#[test]
fn c40_behind_a_gateway_the_gateway_takes_the_frame() {
    on_a_pair("socket::c40_behind_a_gateway_the_gateway_takes_the_frame", |_| {
        ip("addr add 198.18.0.1/24 dev a0");
        ip("route add 203.0.113.0/24 via 198.18.0.254");
        let text = "version = 1\nname = \"n\"\n[[flow]]\neth = { dst = \"neighbour\" }\n\
                    ipv4 = { src = \"198.18.0.1\", dst = \"203.0.113.5\" }\nudp = { dst = 9 }\n";
        assert_eq!(run_profile(text, &["-i", "a0"]).result()["code"], "no_neighbour");
        ip("neigh add 198.18.0.254 lladdr 02:00:00:00:00:fe dev a0 nud permanent");
        let done = run_profile(text, &["-i", "a0", "-n", "10"]);
        balances(&done, 10);
    });
}
