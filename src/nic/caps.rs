//! Rights: which this thread has, and giving them up. Capabilities belong to a thread; threads started later
//! inherit those of the one that starts them.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets};

/// The right to send and to count: AF_XDP and packet sockets.
pub fn has_net_raw() -> bool {
    has(CapabilitySet::NET_RAW)
}

/// The rights to make a lab without a user namespace, and to work in it.
pub fn has_lab_rights() -> bool {
    has(CapabilitySet::SYS_ADMIN | CapabilitySet::NET_ADMIN | CapabilitySet::NET_RAW)
}

fn has(wanted: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(wanted))
}

/// This thread keeps no capability, and nothing it executes can gain one. For when everything is open.
pub fn drop_all_for_this_thread() -> io::Result<()> {
    keep_for_this_thread(CapabilitySet::empty())
}

/// This thread keeps what opening further queues takes as far as it has that (CAP_NET_RAW, CAP_IPC_LOCK; CAP_NET_ADMIN for
/// busy polling, CAP_SYS_NICE for a priority), and nothing it executes can gain more. For a console that will start senders again.
pub fn keep_sending_rights_for_this_thread() -> io::Result<()> {
    let knobs = CapabilitySet::NET_ADMIN | CapabilitySet::SYS_NICE;
    keep_for_this_thread(CapabilitySet::NET_RAW | CapabilitySet::IPC_LOCK | knobs)
}

fn keep_for_this_thread(wanted: CapabilitySet) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    rustix::thread::clear_ambient_capability_set()?;
    let have = rustix::thread::capabilities(None)?;
    let kept = have.permitted & wanted;
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// What this thread executes keeps this thread's rights, whatever user it runs as.
pub fn pass_on_when_executing() -> io::Result<()> {
    let have = rustix::thread::capabilities(None)?;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable: have.permitted, ..have })?;
    for one in have.permitted.iter() {
        rustix::thread::configure_capability_in_ambient_set(one, true)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn what_is_dropped_is_gone_for_this_thread_and_its_children_only() {
        let before = rustix::thread::capabilities(None).unwrap();
        let dropped = thread::spawn(|| {
            drop_all_for_this_thread().unwrap();
            let child = thread::spawn(|| rustix::thread::capabilities(None).unwrap()).join().unwrap();
            (rustix::thread::capabilities(None).unwrap(), child, rustix::thread::no_new_privs().unwrap())
        });
        let (own, child, locked) = dropped.join().unwrap();
        assert!(own.permitted.is_empty() && own.effective.is_empty() && own.inheritable.is_empty());
        assert!(child.permitted.is_empty() && locked);
        assert_eq!(rustix::thread::capabilities(None).unwrap(), before);
    }

    #[test]
    fn sending_rights_are_kept_as_far_as_there_were_any() {
        let had = has_net_raw();
        let kept = thread::spawn(|| {
            keep_sending_rights_for_this_thread().unwrap();
            (has_net_raw(), has_lab_rights())
        });
        assert_eq!(kept.join().unwrap(), (had, false));
    }
}
