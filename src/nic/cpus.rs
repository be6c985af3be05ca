//! The CPUs this process may use, and staying on one.

use std::{fs, io};

use rustix::thread::CpuSet;

/// Numbers of the CPUs this thread may run on, ascending (a cpuset or taskset may have left few).
pub fn allowed() -> io::Result<Vec<u32>> {
    let set = rustix::thread::sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect())
}

/// Pins this thread to one CPU. EINVAL: there is no such CPU, or it is not allowed.
pub fn pin_this_thread(cpu: u32) -> io::Result<()> {
    let number = usize::try_from(cpu).unwrap_or(usize::MAX);
    if number >= CpuSet::MAX_CPU {
        return Err(rustix::io::Errno::INVAL.into());
    }
    let mut set = CpuSet::new();
    set.set(number);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

/// Gives this thread the real-time priority `priority` (SCHED_FIFO, 1..=99), and to none that it starts. EPERM: neither
/// CAP_SYS_NICE nor `ulimit -r` allows it.
pub fn raise_this_thread(priority: u32) -> io::Result<()> {
    let priority = libc::c_int::try_from(priority).unwrap_or(libc::c_int::MAX);
    let wanted = libc::sched_param { sched_priority: priority };
    // SAFETY: the kernel reads `wanted`, which lives that long; 0 is the calling thread.
    let answer =
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &raw const wanted) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// CPUs that are threads of the same core as `cpu`, itself among them; empty where the kernel does not say.
pub fn siblings(cpu: u32) -> Vec<u32> {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    fs::read_to_string(file).map(|text| numbers(&text)).unwrap_or_default()
}

/// `0-2,8` as the numbers it names, at most 4096 of them.
pub(in crate::nic) fn numbers(list: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse::<u32>().ok()?)
    };
    list.split(',').filter_map(range).flatten().take(4096).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_pinned_thread_has_one_cpu_and_the_others_are_untouched() {
        let before = allowed().unwrap();
        let last = *before.last().unwrap();
        let pinned = thread::spawn(move || {
            pin_this_thread(last).unwrap();
            allowed().unwrap()
        });
        assert_eq!(pinned.join().unwrap(), [last]);
        assert_eq!(allowed().unwrap(), before);
    }

    #[test]
    fn lists_of_cpus_are_read_and_nonsense_is_passed_over() {
        assert_eq!(numbers("0-2,8\n"), [0, 1, 2, 8]);
        assert_eq!(numbers("5"), [5]);
        assert_eq!(numbers("\n"), [0; 0]);
        assert_eq!(numbers("a-b,3-1,7"), [7]);
        assert_eq!(numbers("0-4294967295").len(), 4096);
    }

    #[test]
    fn a_real_time_priority_is_given_or_refused_and_passes_to_no_child() {
        // SAFETY: it reads the policy of the calling thread and no memory.
        let policy = |_| unsafe { libc::sched_getscheduler(0) } & !libc::SCHED_RESET_ON_FORK;
        let raised = thread::spawn(move || {
            let answer = raise_this_thread(1);
            (answer.map_err(|why| why.raw_os_error()), policy(()), thread::spawn(move || policy(())).join().unwrap())
        });
        match raised.join().unwrap() {
            (Ok(()), own, child) => assert_eq!((own, child), (libc::SCHED_FIFO, libc::SCHED_OTHER)),
            (Err(errno), own, _) => assert_eq!((errno, own), (Some(libc::EPERM), libc::SCHED_OTHER)),
        }
        assert_eq!(raise_this_thread(100).unwrap_err().raw_os_error(), Some(libc::EINVAL));
    }

    #[test]
    fn a_cpu_that_is_not_there_is_refused() {
        for cpu in [1023, 1024, u32::MAX] {
            assert_eq!(pin_this_thread(cpu).unwrap_err().raw_os_error(), Some(libc::EINVAL), "{cpu}");
        }
    }
}
