//! Namespaces: making them, moving into them, and the few settings that belong to one.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

use rustix::fs::{Mode, OFlags};
use rustix::process::DumpableBehavior;
use rustix::thread::{LinkNameSpaceType, UnshareFlags};

/// Threads of this process. A user namespace can only be made while there is one.
pub fn thread_count() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/task")?.count())
}

/// Moves this thread into a fresh network namespace.
pub fn unshare_net() -> io::Result<()> {
    unshare(UnshareFlags::NEWNET)
}

/// Moves this process into a fresh user namespace, in which it has every capability, and a fresh network
/// namespace owned by that.
pub fn unshare_user_and_net() -> io::Result<()> {
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET)
}

fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the danger of this call is CLONE_FILES (descriptors seen by some threads only); it is never given.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(io::Error::from)
}

/// Maps one user and one group, themselves to themselves: who the user is does not change, so files made in
/// the namespace are theirs outside, too. Programs started there keep their rights by ambient capabilities.
pub fn map_ids(uid: u32, gid: u32) -> io::Result<()> {
    // A binary with file capabilities, or one that changed its user, is not dumpable, and then its own
    // files under /proc are root's.
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// The effective (user, group).
pub fn own_ids() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}

/// This thread's network namespace. It lives at least as long as the descriptor.
pub fn present_net() -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(rustix::fs::open("/proc/thread-self/ns/net", flags, Mode::empty())?)
}

/// This process's user namespace.
pub fn present_user() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/proc/self/ns/user", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Moves this thread into a network namespace. Needs CAP_SYS_ADMIN.
pub fn enter_net(net: BorrowedFd<'_>) -> io::Result<()> {
    Ok(rustix::thread::move_into_link_name_space(net, Some(LinkNameSpaceType::Network))?)
}

/// Moves this process, which must have one thread, into a user namespace, with every capability there.
pub fn enter_user(user: BorrowedFd<'_>) -> io::Result<()> {
    Ok(rustix::thread::move_into_link_name_space(user, Some(LinkNameSpaceType::User))?)
}

/// Runs `work` in another network namespace, on a thread that lives only for this: the caller never moves.
pub fn in_net<T: Send>(net: BorrowedFd<'_>, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let visit = || enter_net(net).and_then(|()| work());
    thread::scope(|scope| {
        let visitor = thread::Builder::new().name("txdeck-visit".to_owned()).spawn_scoped(scope, visit)?;
        visitor.join().unwrap_or_else(|_| Err(io::Error::other("the visit to a network namespace panicked")))
    })
}

/// Tells namespaces apart: two descriptors are of one namespace when this is equal.
pub fn identity(namespace: impl AsFd) -> io::Result<u64> {
    Ok(rustix::fs::fstat(namespace)?.st_ino)
}

/// Devices made from now on in this thread's network namespace have no IPv6, so none of its stray packets.
/// A kernel without IPv6 is content already.
pub fn disable_ipv6() -> io::Result<()> {
    for scope in ["all", "default"] {
        match fs::write(format!("/proc/sys/net/ipv6/conf/{scope}/disable_ipv6"), "1") {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A kernel setting that is a number, such as `user/max_user_namespaces`; `None` where there is none.
pub fn setting(name: &str) -> Option<u64> {
    fs::read_to_string(format!("/proc/sys/{name}")).ok()?.trim().parse().ok()
}

/// Names this thread, as ps and /proc/PID/comm show it: at most 15 bytes, the rest is cut off.
pub fn name_this_thread(name: &str) -> io::Result<()> {
    Ok(rustix::thread::set_name(&CString::new(name)?)?)
}
