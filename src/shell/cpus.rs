//! On which CPUs senders sit.

/// CPUs this process may use, ascending. Empty when the kernel does not say.
pub fn allowed() -> Vec<u32> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else { return Vec::new() };
    let most = rustix::thread::CpuSet::MAX_CPU;
    (0..most).filter(|cpu| set.is_set(*cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect()
}

/// One CPU for each of `queues` senders: those the profile names, else the allowed ones from the last downwards
/// (CPU 0 has the machine's interrupts), around again when there are more senders than CPUs.
pub fn choose(named: &[u32], queues: usize, allowed: &[u32]) -> Vec<Option<u32>> {
    let source: Vec<u32> = if named.is_empty() { allowed.iter().rev().copied().collect() } else { named.to_vec() };
    if source.is_empty() {
        return vec![None; queues];
    }
    source.iter().copied().cycle().take(queues).map(Some).collect()
}

/// What is worth saying before such a start, if anything.
pub fn warning(chosen: &[Option<u32>], allowed: &[u32]) -> Option<String> {
    let mut distinct: Vec<u32> = chosen.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    if let Some(cpu) = distinct.iter().find(|cpu| !allowed.is_empty() && !allowed.contains(cpu)) {
        let known = allowed.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        return Some(format!("CPU {cpu} is not one this process may use ({known}); its sender will not be pinned there"));
    }
    (distinct.len() < chosen.len() && !distinct.is_empty()).then(|| {
        let (senders, cpus) = (chosen.len(), distinct.len());
        format!("{senders} senders share {cpus} CPU{}: they take turns, and none is at full speed", plural(cpus))
    })
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_cpus_are_the_allowed_ones_from_the_last_downwards() {
        assert_eq!(choose(&[], 2, &[0, 1, 5, 7]), [Some(7), Some(5)]);
        assert_eq!(choose(&[3, 1], 2, &[0, 1, 5, 7]), [Some(3), Some(1)]);
        assert_eq!(choose(&[], 1, &[]), [None]);
    }

    #[test]
    fn c101_more_senders_than_cpus_is_a_warning_not_a_hang() {
        let chosen = choose(&[], 4, &[0, 1]);
        assert_eq!(chosen, [Some(1), Some(0), Some(1), Some(0)]);
        let warning_text = warning(&chosen, &[0, 1]).unwrap();
        assert_eq!(warning_text, "4 senders share 2 CPUs: they take turns, and none is at full speed");
        assert_eq!(warning(&choose(&[], 2, &[0, 1]), &[0, 1]), None);
    }

    #[test]
    fn a_cpu_that_may_not_be_used_is_named() {
        assert!(warning(&[Some(9)], &[0, 1]).unwrap().starts_with("CPU 9 is not one"));
    }
}
