//! Which memory node a device hangs on. The bus's own folder in /sys, unlike /sys/class/net, is the same in every
//! network namespace.

use std::{fs, path::Path};

use super::cpus;

/// `None`: the machine has one node, or the device says nothing.
pub(in crate::nic) fn node_of(bus: &str, device: &str) -> Option<u32> {
    let is_name = |text: &str| !text.is_empty() && !text.contains('/') && !text.starts_with('.');
    if !is_name(bus) || !is_name(device) {
        return None;
    }
    let file = Path::new("/sys/bus").join(bus).join("devices").join(device).join("numa_node");
    // -1 where the firmware does not tell.
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The node a CPU belongs to; `None`: the kernel does not say.
pub fn node_of_cpu(cpu: u32) -> Option<u32> {
    let entries = fs::read_dir(format!("/sys/devices/system/cpu/cpu{cpu}")).ok()?;
    let node = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_prefix("node")?.parse().ok();
    entries.flatten().find_map(node)
}

/// The CPUs of a node, ascending; empty where the kernel does not say.
pub fn cpus_of(node: u32) -> Vec<u32> {
    let file = format!("/sys/devices/system/node/node{node}/cpulist");
    fs::read_to_string(file).map(|text| cpus::numbers(&text)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_asked_for() {
        for (bus, device) in
            [("", "x"), ("pci", ""), ("../..", "x"), ("pci", "../../../etc"), ("pci", "no-such-device")]
        {
            assert_eq!(node_of(bus, device), None);
        }
    }
}
