//! On which CPUs senders sit.

use crate::{
    nic::{cpus, numa},
    shell::failure::Failure,
};

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

/// What this machine is made of, as far as seats care.
pub struct Layout {
    /// The memory node that the device hangs on.
    pub device: Option<(String, u32)>,
    pub node_of: fn(u32) -> Option<u32>,
    pub cpus_of: fn(u32) -> Vec<u32>,
    pub siblings: fn(u32) -> Vec<u32>,
}

impl Layout {
    /// This machine's own; `device` with the node it hangs on.
    pub fn of_this_machine(device: Option<(String, u32)>) -> Layout {
        Layout { device, node_of: numa::node_of_cpu, cpus_of: numa::cpus_of, siblings: cpus::siblings }
    }
}

/// What is worth saying of such seats before a start, in whole sentences.
pub fn warnings(chosen: &[Option<u32>], allowed: &[u32], priority: u32, layout: &Layout) -> Vec<String> {
    let seats: Vec<u32> = chosen.iter().flatten().copied().collect();
    [too_few(chosen), far_away(&seats, layout), one_core(&seats, layout), nothing_left(&seats, allowed, priority)]
        .into_iter()
        .flatten()
        .collect()
}

/// Senders on another memory node than their device: each packet and each descriptor crosses between them.
fn far_away(seats: &[u32], layout: &Layout) -> Option<String> {
    let (device, home) = layout.device.as_ref()?;
    let cpu = *seats.iter().find(|cpu| (layout.node_of)(**cpu).is_some_and(|node| node != *home))?;
    let node = (layout.node_of)(cpu)?;
    let near = list(&(layout.cpus_of)(*home));
    Some(format!(
        "CPU {cpu} is on NUMA node {node}, {device} on node {home}: every packet crosses. Near it are CPUs {near} (tx.cpus)"
    ))
}

/// Two senders on two hardware threads of one core.
fn one_core(seats: &[u32], layout: &Layout) -> Option<String> {
    let pair = |at: usize, cpu: u32| {
        let threads = (layout.siblings)(cpu);
        seats[at + 1..].iter().copied().find(|other| *other != cpu && threads.contains(other)).map(|other| (cpu, other))
    };
    let (one, other) = seats.iter().enumerate().find_map(|(at, cpu)| pair(at, *cpu))?;
    Some(format!("CPUs {one} and {other} are two threads of one core: their senders slow each other"))
}

/// Real-time senders everywhere: the rest of the machine lives on what the kernel throttles them by.
fn nothing_left(seats: &[u32], allowed: &[u32], priority: u32) -> Option<String> {
    let is_full = priority > 0 && !allowed.is_empty() && allowed.iter().all(|cpu| seats.contains(cpu));
    is_full.then(|| {
        "tx.priority: real-time senders take every CPU allowed here, and everything else gets what the kernel throttles \
         them by (kernel.sched_rt_runtime_us): a screen may answer late"
            .into()
    })
}

/// `0-3,8`.
fn list(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
            _ => ranges.push((*cpu, *cpu)),
        }
    }
    let show = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(show).collect::<Vec<_>>().join(",")
}

fn too_few(chosen: &[Option<u32>]) -> Option<String> {
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
        let told = too_few(&chosen).unwrap();
        assert_eq!(told, "4 senders share 2 CPUs: they take turns, and none is at full speed");
        assert_eq!(too_few(&choose(&[], 2, &[0, 1]).unwrap()), None);
    }

    /// Two nodes of four CPUs; n and n + 4 are threads of one core.
    fn layout(home: Option<u32>) -> Layout {
        Layout {
            device: home.map(|home| ("eth1".into(), home)),
            node_of: |cpu| Some(cpu / 4),
            cpus_of: |node| (4 * node..4 * node + 4).collect(),
            siblings: |cpu| vec![cpu % 4, cpu % 4 + 4],
        }
    }

    fn told(seats: &[u32], priority: u32, home: Option<u32>) -> Vec<String> {
        let chosen: Vec<_> = seats.iter().copied().map(Some).collect();
        warnings(&chosen, &[0, 1, 2, 3, 4, 5, 6, 7], priority, &layout(home))
    }

    #[test]
    fn seats_that_cost_are_told() {
        let far = "CPU 5 is on NUMA node 1, eth1 on node 0: every packet crosses. Near it are CPUs 0-3 (tx.cpus)";
        assert_eq!(told(&[0, 5], 0, Some(0)), [far]);
        assert_eq!(told(&[5, 6], 0, Some(1)), [""; 0]);
        assert_eq!(told(&[5, 6], 99, None), [""; 0]);
        assert_eq!(told(&[1, 5], 0, None), ["CPUs 1 and 5 are two threads of one core: their senders slow each other"]);
        let full = warnings(&[Some(0), Some(1)], &[0, 1], 1, &layout(None));
        assert!(full.len() == 1 && full[0].starts_with("tx.priority: real-time senders"), "{full:?}");
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
    }

    #[test]
    fn a_cpu_that_may_not_be_used_is_named_with_those_that_may() {
        let refused = choose(&[9], 1, &[0, 1]).unwrap_err();
        assert_eq!(refused.message, "tx.cpus: CPU 9 is not one this process may use. Allowed: 0,1");
    }
}
