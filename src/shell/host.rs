//! What the machine is, for those who must repeat a measurement. Anything may be unknown.

use std::fs;

use crate::{
    nic::{host, link::Link},
    shell::result::Host,
};

/// Facts of this machine and of the device that sends.
pub fn facts(link: Option<&Link>) -> Host {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let weak = files_in("/sys/devices/system/cpu/vulnerabilities");
    let weak = weak.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let governors = governors();
    Host {
        kernel: Some(host::kernel_release()),
        driver: link.and_then(|link| link.driver.clone()),
        cpu: host::cpu_model(&text("/proc/cpuinfo")),
        governor: host::governor(governors.iter().map(String::as_str)),
        mitigations: Some(host::mitigations(&text("/proc/cmdline"), weak)),
        link: link.map(link_words),
    }
}

fn governors() -> Vec<String> {
    let Ok(cpus) = fs::read_dir("/sys/devices/system/cpu") else { return Vec::new() };
    cpus.flatten().filter_map(|cpu| fs::read_to_string(cpu.path().join("cpufreq/scaling_governor")).ok()).collect()
}

/// (name, text) of every readable file of a folder.
fn files_in(folder: &str) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let read = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path()).ok()?;
        Some((entry.file_name().to_string_lossy().into_owned(), text))
    };
    entries.flatten().filter_map(read).collect()
}

fn link_words(link: &Link) -> String {
    let state = match (link.up, link.carrier) {
        (false, _) => "down",
        (true, false) => "up, no carrier",
        (true, true) => "up",
    };
    let speed = link.speed_mbps.map_or_else(String::new, |mbps| format!(", {mbps} Mbit/s"));
    format!("{state}{speed}, MTU {}", link.mtu)
}

/// Every fact that differs, as (name, then, now).
pub fn differences(then: &Host, now: &Host) -> Vec<(&'static str, String, String)> {
    let rows = then.facts().into_iter().zip(now.facts()).map(|((name, then), (_, now))| (name, then, now));
    let word = |fact: &Option<String>| fact.clone().unwrap_or_else(|| "unknown".into());
    rows.filter(|(_, a, b)| a != b).map(|(name, a, b)| (name, word(a), word(b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_listed() {
        let then = Host { kernel: Some("6.1".into()), driver: Some("veth".into()), ..Host::default() };
        let now = Host { kernel: Some("6.18".into()), ..then.clone() };
        assert_eq!(differences(&then, &now), [("kernel", "6.1".into(), "6.18".into())]);
    }

    #[test]
    fn this_machine_has_a_kernel() {
        assert!(facts(None).kernel.is_some_and(|kernel| !kernel.is_empty()));
    }
}
