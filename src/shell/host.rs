//! What the machine is, for those who must repeat a measurement. Anything may be unknown.

use std::fs;

use crate::{nic::link::Link, shell::result::Host};

/// Facts of this machine and of the device that sends.
pub fn facts(link: Option<&Link>) -> Host {
    let text = |path: &str| fs::read_to_string(path).ok();
    Host {
        kernel: Some(kernel()),
        driver: link.and_then(|link| link.driver.clone()),
        cpu: text("/proc/cpuinfo").as_deref().and_then(cpu_model),
        governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").map(|name| name.trim().to_owned()),
        mitigations: mitigations(&text("/proc/cmdline").unwrap_or_default(), &vulnerabilities()),
        link: link.map(link_words),
    }
}

/// As `uname -r` says.
pub fn kernel() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// "model name" of the first CPU on x86, the implementer and part numbers on aarch64.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    let arm = || Some(format!("implementer {} part {}", field("CPU implementer")?, field("CPU part")?));
    field("model name").or_else(arm)
}

/// (name, what the kernel does about it).
fn vulnerabilities() -> Vec<(String, String)> {
    let Ok(folder) = fs::read_dir("/sys/devices/system/cpu/vulnerabilities") else { return Vec::new() };
    let mut found: Vec<(String, String)> = folder
        .flatten()
        .filter_map(|entry| {
            let state = fs::read_to_string(entry.path()).ok()?;
            Some((entry.file_name().to_string_lossy().into_owned(), state.trim().to_owned()))
        })
        .collect();
    found.sort();
    found
}

/// `off` when switched off at boot, else the ones in force; they cost nanoseconds in every system call.
fn mitigations(cmdline: &str, vulnerabilities: &[(String, String)]) -> Option<String> {
    if cmdline.split_whitespace().any(|word| word == "mitigations=off") {
        return Some("off".into());
    }
    if vulnerabilities.is_empty() {
        return None;
    }
    let in_force = |(name, state): &(String, String)| {
        let what = state.strip_prefix("Mitigation: ")?;
        Some(format!("{name}: {}", what.split([';', ',']).next().unwrap_or(what).trim()))
    };
    let words: Vec<String> = vulnerabilities.iter().filter_map(in_force).collect();
    Some(if words.is_empty() { "none needed".into() } else { words.join("; ") })
}

fn link_words(link: &Link) -> String {
    let state = match (link.up, link.carrier) {
        (false, _) => "down",
        (true, false) => "up, no carrier",
        (true, true) => "up",
    };
    format!("{state}, MTU {}", link.mtu)
}

/// Every fact that differs, as (name, then, now).
pub fn differences(then: &Host, now: &Host) -> Vec<(&'static str, String, String)> {
    let rows = [
        ("kernel", &then.kernel, &now.kernel),
        ("driver", &then.driver, &now.driver),
        ("cpu", &then.cpu, &now.cpu),
        ("governor", &then.governor, &now.governor),
        ("mitigations", &then.mitigations, &now.mitigations),
        ("link", &then.link, &now.link),
    ];
    let word = |fact: &Option<String>| fact.clone().unwrap_or_else(|| "unknown".into());
    rows.into_iter().filter(|(_, a, b)| a != b).map(|(name, a, b)| (name, word(a), word(b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_named_on_both_architectures() {
        assert_eq!(cpu_model("processor : 0\nmodel name\t: Some CPU @ 2GHz\n").as_deref(), Some("Some CPU @ 2GHz"));
        let arm = "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_model(arm).as_deref(), Some("implementer 0x41 part 0xd0c"));
        assert_eq!(cpu_model(""), None);
    }

    #[test]
    fn mitigations_are_off_or_listed() {
        let found = [
            ("meltdown".to_owned(), "Mitigation: PTI".to_owned()),
            ("mds".to_owned(), "Not affected".to_owned()),
            ("spectre_v2".to_owned(), "Mitigation: Retpolines; IBPB: conditional".to_owned()),
        ];
        assert_eq!(mitigations("quiet", &found).as_deref(), Some("meltdown: PTI; spectre_v2: Retpolines"));
        assert_eq!(mitigations("mitigations=off quiet", &found).as_deref(), Some("off"));
        assert_eq!(mitigations("", &[]), None);
    }

    #[test]
    fn only_what_differs_is_listed() {
        let then = Host { kernel: Some("6.1".into()), driver: Some("veth".into()), ..Host::default() };
        let now = Host { kernel: Some("6.18".into()), ..then.clone() };
        assert_eq!(differences(&then, &now), [("kernel", "6.1".into(), "6.18".into())]);
    }
}
