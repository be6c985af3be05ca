//! A veth pair `a0`/`b0` in a fresh network namespace of the test's own, and a packet socket on the far end.
//! The test binary runs itself again inside the namespace: a user namespace needs a single-threaded process.
#![allow(dead_code)] // each test binary uses its part

pub mod send;

use futures_util::TryStreamExt;
use rtnetlink::packet_route::link::{LinkAttribute, LinkMessage};
use rtnetlink::{Handle, LinkMessageBuilder, LinkUnspec, LinkVeth};
use std::cell::RefCell;
use std::ffi::CString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};
use txdeck::nic::{Clock, Rung};

const INSIDE: &str = "TXDECK_TEST_INSIDE";
const CANNOT: i32 = 77;
/// A wait that takes longer than this has failed.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// Runs `body` on a veth pair in a namespace of its own; `test` is the full name of the calling test.
/// Skips aloud where namespaces are not allowed; with REQUIRE_WIRE=1 that is a failure.
pub fn on_a_veth_pair(test: &str, body: impl FnOnce(&mut Pair)) {
    on_a_veth_pair_of(1, test, body);
}

/// … whose near end has so many queues.
pub fn on_a_veth_pair_of(queues: u32, test: &str, body: impl FnOnce(&mut Pair)) {
    if std::env::var(INSIDE).is_ok_and(|inside| inside == test) {
        match Pair::new(queues) {
            Ok(mut pair) => return body(&mut pair),
            Err(why) => {
                println!("no veth pair: {why}");
                std::process::exit(CANNOT);
            }
        }
    }
    let mut command = Command::new(std::env::current_exe().expect("the test binary has a path"));
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(INSIDE, test);
    enter_namespaces(&mut command);
    let refusal = match command.output() {
        Err(why) => why.to_string(),
        Ok(output) => {
            let told =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            if output.status.code() != Some(CANNOT) {
                assert!(output.status.success() && told.contains("1 passed"), "inside the namespace:\n{told}");
                return println!("{told}");
            }
            told
        }
    };
    assert!(!std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1"), "REQUIRE_WIRE=1, but: {refusal}");
    eprintln!("SKIPPED {test}: no network namespace here: {refusal}");
}

/// Root takes a network namespace; anybody else a user namespace first, as its root.
fn enter_namespaces(command: &mut Command) {
    // SAFETY: both calls only read the process's ids.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    let maps = [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("0 {uid} 1")),
        ("/proc/self/gid_map", format!("0 {gid} 1")),
    ]
    .map(|(path, text)| (CString::new(path).expect("no NUL"), text));
    // SAFETY: between fork and exec only system calls are made; everything was allocated before.
    unsafe {
        command.pre_exec(move || {
            let user = if uid == 0 { 0 } else { libc::CLONE_NEWUSER };
            if libc::unshare(user | libc::CLONE_NEWNET) != 0 {
                return Err(io::Error::last_os_error());
            }
            for (path, text) in maps.iter().filter(|_| user != 0) {
                let fd = libc::open(path.as_ptr(), libc::O_WRONLY);
                if libc::write(fd, text.as_ptr().cast(), text.len()) < 0 {
                    return Err(io::Error::last_os_error());
                }
                libc::close(fd);
            }
            Ok(())
        });
    }
}

/// Both ends lie in this process's namespace: `a0` (02:…:01) sends, `b0` (02:…:12) receives.
pub struct Pair {
    runtime: tokio::runtime::Runtime,
    handle: Handle,
}

/// A device's own transmit counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    pub packets: u64,
    pub dropped: u64,
}

impl Pair {
    fn new(queues: u32) -> Result<Self, Box<dyn std::error::Error>> {
        // Neighbour discovery would add packets of its own.
        for whose in ["all", "default"] {
            let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{whose}/disable_ipv6"), "1");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.block_on(async {
            let (connection, handle, _) = rtnetlink::new_connection()?;
            tokio::spawn(connection);
            Ok::<_, io::Error>(handle)
        })?;
        let pair = Self { runtime, handle };
        let veth = LinkVeth::new("a0", "b0")
            .append_extra_attribute(LinkAttribute::NumTxQueues(queues))
            .append_extra_attribute(LinkAttribute::NumRxQueues(queues));
        pair.runtime.block_on(pair.handle.link().add(veth.build()).execute())?;
        pair.change("a0", |link| link.address(vec![2, 0, 0, 0, 0, 1]));
        pair.change("b0", |link| link.address(vec![2, 0, 0, 0, 0, 0x12]));
        pair.up("a0");
        pair.up("b0");
        Ok(pair)
    }

    fn link(&self, name: &str) -> LinkMessage {
        let mut found = self.handle.link().get().match_name(name.to_owned()).execute();
        self.runtime.block_on(found.try_next()).expect("netlink answers").expect("the device is there")
    }

    pub fn index(&self, name: &str) -> u32 {
        self.link(name).header.index
    }

    fn change(&self, name: &str, how: impl FnOnce(LinkMessageBuilder<LinkUnspec>) -> LinkMessageBuilder<LinkUnspec>) {
        let message = how(LinkUnspec::new_with_index(self.index(name))).build();
        self.runtime.block_on(self.handle.link().set(message).execute()).expect("the change is accepted");
    }

    pub fn up(&self, name: &str) {
        self.change(name, |link| link.up());
    }

    pub fn down(&self, name: &str) {
        self.change(name, |link| link.down());
    }

    pub fn mtu(&self, name: &str, mtu: u32) {
        self.change(name, |link| link.mtu(mtu));
    }

    pub fn rename(&self, name: &str, new: &str) {
        self.change(name, |link| link.name(new));
    }

    pub fn delete(&self, name: &str) {
        let index = self.index(name);
        self.runtime.block_on(self.handle.link().del(index).execute()).expect("the device can be deleted");
    }

    pub fn sent(&self, name: &str) -> Sent {
        let stats = self.link(name).attributes.into_iter().find_map(|attribute| match attribute {
            LinkAttribute::Stats64(stats) => Some(stats),
            _ => None,
        });
        let stats = stats.expect("the device has counters");
        Sent { packets: stats.tx_packets, dropped: stats.tx_dropped }
    }
}

/// A packet socket on one device, and what it received.
pub struct Far {
    fd: libc::c_int,
    received: RefCell<Vec<Vec<u8>>>,
}

impl Far {
    pub fn on(pair: &Pair, name: &str) -> Self {
        let protocol = (libc::ETH_P_ALL as u16).to_be();
        // SAFETY: all zero is a valid sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = pair.index(name) as i32;
        // SAFETY: all pointers are to living values of the sizes told.
        let fd = unsafe {
            let fd = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_NONBLOCK, 0);
            assert!(fd >= 0, "packet socket: {}", io::Error::last_os_error());
            let bound = libc::bind(fd, (&raw const address).cast(), size_of_val(&address) as u32);
            assert_eq!(bound, 0, "bind: {}", io::Error::last_os_error());
            fd
        };
        Self { fd, received: RefCell::default() }
    }

    /// … that puts VLAN tags back where the kernel takes the outermost one out of a frame.
    pub fn with_tags_on(pair: &Pair, name: &str) -> Self {
        let far = Self::on(pair, name);
        let on: libc::c_int = 1;
        // SAFETY: `on` is an int, and its size is told.
        let answer = unsafe {
            libc::setsockopt(
                far.fd,
                libc::SOL_PACKET,
                libc::PACKET_AUXDATA,
                (&raw const on).cast(),
                size_of_val(&on) as u32,
            )
        };
        assert_eq!(answer, 0, "PACKET_AUXDATA: {}", io::Error::last_os_error());
        far
    }

    /// Every frame received since the last call, in order.
    pub fn frames(&self) -> Vec<Vec<u8>> {
        self.pull();
        self.received.take()
    }

    /// Empties the socket, which an ordinary user cannot make large: to be called after each doorbell.
    fn pull(&self) {
        let mut frames = self.received.borrow_mut();
        let mut buffer = vec![0u8; 65536];
        loop {
            match self.receive(&mut buffer) {
                Ok(frame) => frames.push(frame),
                // The socket tells once that the device was down.
                Err(why) if why.raw_os_error() == Some(libc::ENETDOWN) => {}
                Err(_) => return,
            }
        }
    }

    fn receive(&self, buffer: &mut [u8]) -> io::Result<Vec<u8>> {
        let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        // As u64, so that it is aligned as a cmsghdr must be.
        let mut control = [0u64; 16];
        // SAFETY: all zero is a valid msghdr.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
        (message.msg_control, message.msg_controllen) = (control.as_mut_ptr().cast(), size_of_val(&control) as _);
        // SAFETY: all that the message points to lives, and is as long as told.
        let length = unsafe { libc::recvmsg(self.fd, &raw mut message, 0) };
        let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
        let mut frame = buffer[..length].to_vec();
        // SAFETY: the kernel has filled the control buffer; a PACKET_AUXDATA message holds a tpacket_auxdata.
        let aux: Option<libc::tpacket_auxdata> = unsafe {
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (!header.is_null()).then(|| libc::CMSG_DATA(header).cast::<libc::tpacket_auxdata>().read_unaligned())
        };
        if let Some(aux) = aux.filter(|aux| aux.tp_status & libc::TP_STATUS_VLAN_VALID != 0) {
            let (tpid, tci) = (aux.tp_vlan_tpid.to_be_bytes(), aux.tp_vlan_tci.to_be_bytes());
            frame.splice(12..12, [tpid[0], tpid[1], tci[0], tci[1]]);
        }
        Ok(frame)
    }

    /// Packets seen since the last call, read or not.
    pub fn count(&self) -> u32 {
        let mut stats = [0u32; 2];
        let mut len = size_of_val(&stats) as u32;
        // SAFETY: `stats` is a tpacket_stats (two u32), and `len` its size.
        let answer = unsafe {
            libc::getsockopt(
                self.fd,
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                stats.as_mut_ptr().cast(),
                &raw mut len,
            )
        };
        assert_eq!(answer, 0, "PACKET_STATISTICS: {}", io::Error::last_os_error());
        stats[0]
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours and used by nobody after this.
        unsafe { libc::close(self.fd) };
    }
}

/// A clock that can be waited for.
pub trait Wait: Clock {
    fn wait(&self, rung: &Rung);
}

/// Real time since it was made.
pub struct RealClock(Instant);

impl RealClock {
    pub fn new() -> Self {
        Self(Instant::now())
    }
}

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

impl Wait for RealClock {
    fn wait(&self, rung: &Rung) {
        while rung.retry_at_ns.is_some_and(|at_ns| self.now_ns() < at_ns) {
            std::thread::yield_now();
        }
    }
}

/// Real time, and a far end that is read after each doorbell.
pub struct Watched<'a>(pub RealClock, pub &'a Far);

impl Clock for Watched<'_> {
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }
}

impl Wait for Watched<'_> {
    fn wait(&self, rung: &Rung) {
        self.1.pull();
        self.0.wait(rung);
    }
}

impl Wait for txdeck::nic::VirtualClock {
    fn wait(&self, rung: &Rung) {
        self.advance_to(rung.retry_at_ns.unwrap_or(0));
    }
}

/// Waits until `done`, and fails after the deadline.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < DEADLINE, "still waiting for: {what}");
        std::thread::yield_now();
    }
}
