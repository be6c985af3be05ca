//! Facts about the machine that a figure depends on, read out of the kernel's own texts. Pure: whoever asks
//! brings the text of the file named.

/// The processor's name from `/proc/cpuinfo`: "model name" on x86, else what arm64 says of its parts.
pub fn cpu_model(cpuinfo: &str) -> Option<String> {
    let value = |key: &str| {
        let entries = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        entries.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim()).find(|value| !value.is_empty())
    };
    if let Some(model) = value("model name").or_else(|| value("Model")) {
        return Some(model.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
    }
    Some(format!("arm64 implementer {} part {}", value("CPU implementer")?, value("CPU part")?))
}

/// Whether `/proc/cpuinfo` tells of a hypervisor below: others may use this CPU unseen. Only x86 says so.
pub fn is_virtual(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim() == "flags");
    flags.is_some_and(|(_, flags)| flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"))
}

/// One word for all CPUs from their `cpufreq/scaling_governor` texts: the governor, or all that differ, joined
/// by "+". `None` where there is no frequency scaling.
pub fn governor<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut names: Vec<&str> = texts.into_iter().map(str::trim).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| names.join("+"))
}

/// The mitigations in force, from (file name, text) of `/sys/devices/system/cpu/vulnerabilities`, as
/// "spectre_v2: Retpolines; mds: Clear CPU buffers". "off" on the kernel's command line is said first.
pub fn mitigations<'a>(command_line: &str, texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let off = command_line.split_ascii_whitespace().any(|word| word == "mitigations=off");
    let mut active: Vec<String> = texts
        .into_iter()
        .filter_map(|(name, text)| Some(format!("{name}: {}", text.trim().strip_prefix("Mitigation: ")?)))
        .collect();
    active.sort_unstable();
    match (off, active.is_empty()) {
        (true, true) => "off".to_owned(),
        (true, false) => format!("off; {}", active.join("; ")),
        (false, true) => "none".to_owned(),
        (false, false) => active.join("; "),
    }
}

/// The running kernel's release, such as "6.12.5-amd64".
pub fn kernel_release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_named_on_both_architectures() {
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Some(R)  CPU @ 2.60GHz\n";
        assert_eq!(cpu_model(x86).as_deref(), Some("Some(R) CPU @ 2.60GHz"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_model(arm).as_deref(), Some("arm64 implementer 0x41 part 0xd0c"));
        assert_eq!(cpu_model("model name\t:\n"), None);
        assert_eq!(cpu_model(""), None);
    }

    #[test]
    fn a_hypervisor_below_is_seen() {
        assert!(is_virtual("processor : 0\nflags\t\t: fpu hypervisor lahf_lm\n"));
        assert!(!is_virtual("flags\t\t: fpu hypervisors\nmodel name : hypervisor\n"));
        assert!(!is_virtual(""));
    }

    #[test]
    fn governors_that_differ_are_all_named() {
        assert_eq!(governor(["performance\n", "performance\n"]).as_deref(), Some("performance"));
        assert_eq!(governor(["powersave\n", "performance\n"]).as_deref(), Some("performance+powersave"));
        assert_eq!(governor([]), None);
    }

    #[test]
    fn only_mitigations_in_force_are_listed() {
        let texts = [
            ("spectre_v2", "Mitigation: Retpolines; IBPB: conditional\n"),
            ("meltdown", "Not affected\n"),
            ("mds", "Vulnerable\n"),
        ];
        assert_eq!(mitigations("quiet", texts), "spectre_v2: Retpolines; IBPB: conditional");
        assert_eq!(mitigations("quiet mitigations=off", [("mds", "Vulnerable\n")]), "off");
        assert_eq!(mitigations("", []), "none");
    }
}
