//! On which CPUs senders sit.

use crate::{nic::cpus, shell::failure::Failure};

/// CPUs this process may use, ascending. Empty when the kernel does not say.
pub fn allowed() -> Vec<u32> {
    cpus::allowed().unwrap_or_default()
}

/// One CPU for each of `queues` senders: those the profile names, else the allowed ones from the last downwards
/// (CPU 0 has the machine's interrupts), around again when there are more senders than CPUs.
pub fn choose(named: &[u32], queues: usize, allowed: &[u32]) -> Result<Vec<Option<u32>>, Failure> {
    choose_for("tx.cpus", named, queues, allowed)
}

/// The same of CPUs that were named by `option`.
pub fn choose_for(option: &str, named: &[u32], queues: usize, allowed: &[u32]) -> Result<Vec<Option<u32>>, Failure> {
    if let Some(cpu) = named.iter().find(|cpu| !allowed.is_empty() && !allowed.contains(cpu)) {
        let known = allowed.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let message = format!("{option}: CPU {cpu} is not one this process may use. Allowed: {known}");
        return Err(Failure::new("bad_cpu", message));
    }
    let source: Vec<u32> = if named.is_empty() { allowed.iter().rev().copied().collect() } else { named.to_vec() };
    if source.is_empty() {
        return Ok(vec![None; queues]);
    }
    Ok(source.iter().copied().cycle().take(queues).map(Some).collect())
}

/// What is worth saying of such seats before a start.
pub fn warning(chosen: &[Option<u32>]) -> Option<String> {
    let mut distinct: Vec<u32> = chosen.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let (senders, cpus) = (chosen.len(), distinct.len());
    let plural = if cpus == 1 { "" } else { "s" };
    (cpus > 0 && cpus < senders)
        .then(|| format!("{senders} senders share {cpus} CPU{plural}: they take turns, and none is at full speed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_cpus_are_the_allowed_ones_from_the_last_downwards() {
        assert_eq!(choose(&[], 2, &[0, 1, 5, 7]).unwrap(), [Some(7), Some(5)]);
        assert_eq!(choose(&[5, 1], 2, &[0, 1, 5, 7]).unwrap(), [Some(5), Some(1)]);
        assert_eq!(choose(&[], 1, &[]).unwrap(), [None]);
    }

    #[test]
    fn c101_more_senders_than_cpus_is_a_warning_not_a_hang() {
        let chosen = choose(&[], 4, &[0, 1]).unwrap();
        assert_eq!(chosen, [Some(1), Some(0), Some(1), Some(0)]);
        let told = warning(&chosen).unwrap();
        assert_eq!(told, "4 senders share 2 CPUs: they take turns, and none is at full speed");
        assert_eq!(warning(&choose(&[], 2, &[0, 1]).unwrap()), None);
    }

    #[test]
    fn a_cpu_that_may_not_be_used_is_named_with_those_that_may() {
        let refused = choose(&[9], 1, &[0, 1]).unwrap_err();
        assert_eq!(refused.message, "tx.cpus: CPU 9 is not one this process may use. Allowed: 0,1");
    }
}
