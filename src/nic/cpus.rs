//! The CPUs this process may use, and staying on one.

use std::io;

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
    fn a_cpu_that_is_not_there_is_refused() {
        for cpu in [1023, 1024, u32::MAX] {
            assert_eq!(pin_this_thread(cpu).unwrap_err().raw_os_error(), Some(libc::EINVAL), "{cpu}");
        }
    }
}
