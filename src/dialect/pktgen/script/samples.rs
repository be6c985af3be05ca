//! The functions that pktgen scripts share: those of the kernel's samples (functions.sh, parameters.sh) and of the
//! older collections they come from. A script only calls them, so what they do is known here.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{
    UNKNOWN,
    run::{Ran, Shell, Stop},
    test::Status,
};

/// CPUs that a NUMA node is taken to have.
const CPUS: usize = 64;

/// Runs one of them, or leaves it (`None`) to the script's own functions.
pub(super) fn call(shell: &mut Shell<'_>, name: &str, arguments: &[String]) -> Option<Ran> {
    let argument = |at: usize| arguments.get(at).cloned().unwrap_or_default();
    let rest = |from: usize| arguments.get(from..).unwrap_or_default().join(" ");
    // A script's own helper of one of these names is followed as it is written.
    if shell.has_function(name) {
        return None;
    }
    match name {
        "pg_ctrl" => shell.write("pgctrl", &rest(0)),
        "pg_thread" => shell.write(&format!("kpktgend_{}", argument(0)), &rest(1)),
        "pg_set" => shell.write(&argument(0), &rest(1)),
        "proc_cmd" => shell.write(&argument(0), &rest(1)),
        "pgset" => pgset(shell, &argument(0)),
        "info" | "warn" | "usage" | "trap_exit" | "root_check_run_with_sudo" | "print_result" | "lsmod" => {}
        "err" => return Some(Err(err(shell, &rest(1)))),
        "validate_addr" | "validate_addr6" => {}
        "validate_ports" => {
            let ports = [argument(0), argument(1)].map(|port| port.parse::<u32>().unwrap_or(0));
            if !(1 <= ports[0] && ports[0] <= ports[1] && ports[1] <= 65535) {
                return Some(Err(err(shell, &format!("Invalid port(s): {}-{}", argument(0), argument(1)))));
            }
        }
        "parse_addr" | "parse_addr6" => shell.put(&addresses(&argument(0), name.ends_with('6'))),
        "parse_ports" => {
            let ports = argument(0);
            let (min, max) = ports.split_once('-').unwrap_or((&ports, &ports));
            shell.put(&format!("{min} {max}"));
        }
        "get_iface_node" => shell.put("0"),
        "get_iface_irqs" | "get_node_cpus" => {
            let line = shell.source(shell.line).to_owned();
            let sentence =
                format!("the CPUs and interrupts of the machine are not known here: 0 to {} are taken", CPUS - 1);
            shell.report.assumed(shell.line, &line, sentence);
            let all: Vec<String> = (0..CPUS).map(|cpu| cpu.to_string()).collect();
            shell.put(&all.join(" "));
        }
        "read" => return Some(Ok(read(shell, arguments))),
        "getopts" => return Some(Ok(getopts(shell, &argument(0), &argument(1)))),
        "remove_threads" | "create_threads" => threads(shell, name, &argument(0), &argument(1)),
        "base_config" => base_config(shell),
        "set_dst_ip" => pgset(shell, &format!("dst {}", argument(0))),
        "set_dst_mac" => pgset(shell, &format!("dst_mac {}", argument(0))),
        "set_udp_src_range" | "set_udp_dst_range" => {
            let side = &name[4..11];
            pgset(shell, &format!("flag {}_RND", side.replace('_', "").to_uppercase()));
            pgset(shell, &format!("{side}_min {}", argument(0)));
            pgset(shell, &format!("{side}_max {}", argument(1)));
        }
        "start_run" => shell.write("pgctrl", "start"),
        _ => return None,
    }
    Some(Ok(Status::True))
}

/// The old helper: what it writes to stands in PGDEV.
fn pgset(shell: &mut Shell<'_>, text: &str) {
    let target = shell.variable("PGDEV").unwrap_or_else(|| UNKNOWN.into());
    let name = target.rsplit('/').next().unwrap_or_default().to_owned();
    shell.write(&name, text);
}

fn err(shell: &mut Shell<'_>, message: &str) -> Stop {
    let shown: String = message.chars().filter(|c| *c != UNKNOWN).take(200).collect();
    Stop::Failed(shell.line, format!("the script itself refuses to go on: {shown}"))
}

/// `source …/functions.sh` and `…/parameters.sh`; false for other files.
pub(super) fn source(shell: &mut Shell<'_>, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    match name {
        "functions.sh" | "config.sh" => true,
        "parameters.sh" => {
            parameters(shell);
            true
        }
        _ => false,
    }
}

/// Options of parameters.sh with the variable each sets; those of the last column take no value.
const OPTIONS: [(char, &str, Option<&str>); 14] = [
    ('i', "DEV", None),
    ('s', "PKT_SIZE", None),
    ('d', "DEST_IP", None),
    ('m', "DST_MAC", None),
    ('p', "DST_PORT", None),
    ('f', "F_THREAD", None),
    ('t', "THREADS", None),
    ('c', "CLONE_SKB", None),
    ('n', "COUNT", None),
    ('b', "BURST", None),
    ('w', "DELAY", None),
    ('v', "VERBOSE", Some("yes")),
    ('x', "DEBUG", Some("yes")),
    ('a', "APPEND", Some("yes")),
];

fn parameters(shell: &mut Shell<'_>) {
    let given = shell.given().to_vec();
    let mut words = given.iter();
    while let Some(word) = words.next() {
        let Some(mut letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()).map(str::chars) else { break };
        while let Some(letter) = letters.next() {
            if letter == '6' {
                shell.assign("IP6", vec!["6".into()]);
                continue;
            }
            let Some((_, name, fixed)) = OPTIONS.iter().find(|(known, ..)| *known == letter) else {
                let (line, shown) = (shell.line, format!("-{letter}"));
                shell.report.dropped(
                    line,
                    &shown,
                    "no option of the pktgen samples (-i -s -d -m -p -t -f -c -n -b -w -6 -a -v -x)",
                );
                continue;
            };
            if let Some(value) = fixed {
                shell.assign(name, vec![(*value).into()]);
                continue;
            }
            let attached: String = letters.by_ref().collect();
            let value = if attached.is_empty() { words.next().cloned().unwrap_or_default() } else { attached };
            // Older collections call the same thing by other names.
            if letter == 't' {
                shell.assign("NUM_THREADS", vec![value.clone()]);
            }
            shell.assign(name, vec![value]);
        }
    }
    defaults(shell);
}

fn defaults(shell: &mut Shell<'_>) {
    // 60: the device adds the 4 bytes of the FCS.
    for (name, value) in [("PKT_SIZE", "60"), ("F_THREAD", "0"), ("THREADS", "1"), ("NUM_THREADS", "0"), ("DELAY", "0")]
    {
        if shell.is_unset(name) {
            shell.assign(name, vec![value.into()]);
        }
    }
    let last = shell.sum("THREADS + F_THREAD - 1").map_or(UNKNOWN.to_string(), |last| last.to_string());
    shell.assign("L_THREAD", vec![last]);
    if shell.is_unset("DEV") {
        shell.missing("DEV");
    }
}

/// `read -r A B <<< words`; from anywhere else there is nothing to read.
fn read(shell: &mut Shell<'_>, arguments: &[String]) -> Status {
    let Some(text) = shell.variable("<<<") else { return Status::Unknown };
    let separator = shell.variable("IFS").filter(|signs| !signs.is_empty() && signs.chars().count() == 1);
    let is_list = arguments.iter().any(|word| word.starts_with('-') && word.contains('a'));
    let names: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let pieces: Vec<String> = match &separator {
        Some(sign) => text.split(sign.as_str()).map(str::to_owned).collect(),
        None => text.split_whitespace().map(str::to_owned).collect(),
    };
    if is_list {
        if let Some(name) = names.first() {
            shell.assign(name, pieces);
        }
        return Status::True;
    }
    for (at, name) in names.iter().enumerate() {
        let is_last = at + 1 == names.len();
        let value = match (text.contains(UNKNOWN), is_last) {
            (true, _) => UNKNOWN.to_string(),
            (false, true) => pieces.get(at..).unwrap_or_default().join(" "),
            (false, false) => pieces.get(at).cloned().unwrap_or_default(),
        };
        shell.assign(name, vec![value]);
    }
    Status::True
}

/// A script with options of its own.
fn getopts(shell: &mut Shell<'_>, known: &str, name: &str) -> Status {
    let given = shell.given().to_vec();
    let at: usize = shell.variable("OPTIND").and_then(|at| at.parse().ok()).unwrap_or(1);
    let Some(word) = given.get(at.saturating_sub(1)) else { return Status::False };
    let Some(letter) = word.strip_prefix('-').and_then(|rest| rest.chars().next()) else { return Status::False };
    let takes_value = known.contains(&format!("{letter}:"));
    let attached: String = word.chars().skip(2).collect();
    let (value, used) = match (takes_value, attached.is_empty()) {
        (true, true) => (given.get(at).cloned().unwrap_or_default(), 2),
        _ => (attached, 1),
    };
    shell.assign("OPTARG", vec![value]);
    shell.assign("OPTIND", vec![(at + used).to_string()]);
    shell.assign(name, vec![if known.contains(letter) { letter.to_string() } else { "?".into() }]);
    Status::True
}

/// Addresses of `198.18.0.0/15` or of one address: the first and the last.
fn addresses(text: &str, is_v6: bool) -> String {
    let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
    let prefix = prefix.map(|prefix| prefix.parse::<u32>().ok());
    let range = match (is_v6, prefix) {
        (_, Some(None)) => None,
        (false, prefix) => address.parse::<Ipv4Addr>().ok().and_then(|address| {
            let host = u32::MAX.checked_shr(prefix.flatten().unwrap_or(32)).unwrap_or(0);
            let (first, last) = (address.to_bits() & !host, address.to_bits() | host);
            (prefix.flatten().unwrap_or(32) <= 32)
                .then(|| format!("{} {}", Ipv4Addr::from_bits(first), Ipv4Addr::from_bits(last)))
        }),
        (true, prefix) => address.parse::<Ipv6Addr>().ok().and_then(|address| {
            let host = u128::MAX.checked_shr(prefix.flatten().unwrap_or(128)).unwrap_or(0);
            let (first, last) = (address.to_bits() & !host, address.to_bits() | host);
            (prefix.flatten().unwrap_or(128) <= 128)
                .then(|| format!("{} {}", Ipv6Addr::from_bits(first), Ipv6Addr::from_bits(last)))
        }),
    };
    range.unwrap_or_else(|| format!("{text} {text}"))
}

/// Devices `DEV@N` on threads `from` to `to`, or threads emptied.
fn threads(shell: &mut Shell<'_>, name: &str, from: &str, to: &str) {
    let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else {
        let line = shell.source(shell.line).to_owned();
        shell.report.dropped(shell.line, &line, "how many threads is not known: say so with -t behind --");
        return;
    };
    let device = shell.variable("DEV").unwrap_or_default();
    for thread in from..=to.min(from.saturating_add(1023)) {
        match name {
            "create_threads" => shell.write(&format!("kpktgend_{thread}"), &format!("add_device {device}@{thread}")),
            _ => shell.write(&format!("kpktgend_{thread}"), "rem_device_all"),
        }
    }
}

/// What the older collection sets on every device.
fn base_config(shell: &mut Shell<'_>) {
    pgset(shell, "flag QUEUE_MAP_CPU");
    for (parameter, name) in [
        ("count", "COUNT"),
        ("clone_skb", "CLONE_SKB"),
        ("pkt_size", "PKT_SIZE"),
        ("delay", "DELAY"),
        ("dst_mac", "DST_MAC"),
    ] {
        if let Some(value) = shell.variable(name).filter(|value| !value.is_empty()) {
            pgset(shell, &format!("{parameter} {value}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_prefix_is_a_range() {
        assert_eq!(addresses("198.18.0.0/15", false), "198.18.0.0 198.19.255.255");
        assert_eq!(addresses("198.18.0.42", false), "198.18.0.42 198.18.0.42");
        assert_eq!(addresses("10.1.2.3/0", false), "0.0.0.0 255.255.255.255");
        assert_eq!(addresses("fd00::1/120", true), "fd00:: fd00::ff");
        assert_eq!(addresses("fd00::1", true), "fd00::1 fd00::1");
        for odd in ["10.1.2.3/33", "x", "10.1.2.3/x", "10.0.0/8"] {
            assert_eq!(addresses(odd, false), format!("{odd} {odd}"));
        }
    }
}
