//! One command a line, old and new spellings.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{dialect::Report, profile::kind::parse_mac};

use super::port::{Port, Ports, Said, Single};

/// Commands that start, stop or show, and change nothing of what is sent.
const NO_MATTER: [&str; 26] = [
    "start", "str", "stop", "stp", "clear", "clr", "page", "ppp", "screen", "on", "off", "theme", "cls", "reset",
    "rst", "save", "load", "help", "quit", "port", "ports", "delay", "sleep", "geometry", "prime", "dev.list",
];

pub fn line(text: &str, number: usize, ports: &mut Ports, report: &mut Report) {
    let text = text.split('#').next().unwrap_or("").trim().trim_end_matches(';');
    if text.is_empty() || text.starts_with("//") || text.starts_with("--") {
        return;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let command = modern(&words);
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    if NO_MATTER.contains(&words[0]) && !(words[0] == "prime" && words.len() > 2) {
        return;
    }
    let outcome = match words[0] {
        "set" => set(&words, number, ports),
        "range" => range(&words, number, ports),
        "sequence" | "seq" => sequence(&words, number, ports),
        "enable" | "disable" => switch(&words, number, ports),
        other if other.starts_with("pktgen.") || text.starts_with("package.") => {
            Err("Lua is a program: write the command itself (set 0 size 64)".into())
        }
        _ => Err("no command of Pktgen-DPDK that is known here".into()),
    };
    if let Err(why) = outcome {
        report.dropped(number, text, why);
    }
}

/// Older releases put the port last: `dst.ip start 0 10.0.0.1` is `range 0 dst ip start 10.0.0.1`.
fn modern(words: &[&str]) -> Vec<String> {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_string()).collect();
    match words {
        ["range", port, state @ ("on" | "off" | "enable" | "disable")] => {
            own(&[if matches!(*state, "on" | "enable") { "enable" } else { "disable" }, port, "range"])
        }
        [name @ ("src.ip" | "dst.ip" | "src.mac" | "dst.mac" | "src.port" | "dst.port"), what, port, value] => {
            let (side, field) = name.split_once('.').unwrap_or((name, ""));
            own(&["range", port, side, field, what, value])
        }
        ["vlan.id", what, port, value] => own(&["range", port, "vlan", what, value]),
        ["pkt.size", what, port, value] => own(&["range", port, "size", what, value]),
        ["proto", value, port] => own(&["set", port, "proto", value]),
        ["type", value, port] => own(&["set", port, "type", value]),
        ["set", "mac", port, value] => own(&["set", port, "dst", "mac", value]),
        ["set", "ip", side @ ("src" | "dst"), port, value] => own(&["set", port, side, "ip", value]),
        other => own(other),
    }
}

type Outcome = Result<(), String>;

fn each(ports: &mut Ports, list: &str, mut change: impl FnMut(&mut Port)) -> Outcome {
    let named = ports.named(list).ok_or_else(|| format!("\"{list}\" is no list of ports (0, 0,2,4-7, all)"))?;
    for port in named {
        change(ports.all.entry(port).or_default());
    }
    Ok(())
}

fn number(text: &str) -> Result<u128, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    number.filter(|number| *number <= u128::from(u64::MAX)).ok_or_else(|| format!("\"{text}\" is not a number"))
}

fn hex(text: &str) -> Result<u128, String> {
    let digits = text.trim_start_matches("0x");
    u128::from_str_radix(digits, 16)
        .ok()
        .filter(|number| *number <= 0xffff_ffff)
        .ok_or_else(|| format!("\"{text}\" is not hex"))
}

/// `00:11:22:33:44:55` or `0011:2233:4455`.
fn mac(text: &str) -> Result<u128, String> {
    let mac = parse_mac(text).or_else(|| parse_mac(&text.replace(':', ".")));
    mac.map(u128::from).ok_or_else(|| format!("\"{text}\" is not a MAC address"))
}

/// A mask behind the address says nothing of packets.
fn ip(text: &str) -> Result<(u128, bool), String> {
    let text = text.split('/').next().unwrap_or(text);
    let v4 = text.parse::<Ipv4Addr>().map(|ip| (u128::from(ip.to_bits()), false));
    v4.or_else(|_| text.parse::<Ipv6Addr>().map(|ip| (ip.to_bits(), true)))
        .map_err(|_| format!("\"{text}\" is not an IP address"))
}

fn within(value: u128, most: u128, name: &str) -> Result<u128, String> {
    if value <= most { Ok(value) } else { Err(format!("{name} {value} is out of range (0..{most})")) }
}

fn set(words: &[&str], line: usize, ports: &mut Ports) -> Outcome {
    let (list, rest) = match words {
        ["set", list, rest @ ..] if !rest.is_empty() => (*list, rest),
        _ => return Err("set needs a port, a name and a value".into()),
    };
    let field = |single: &mut Single, name: &'static str, value: u128| {
        single.fields.insert(name, Said { value, line });
        single.line = line;
    };
    let put = |ports: &mut Ports, name: &'static str, value: u128| {
        each(ports, list, |port| field(&mut port.single, name, value))
    };
    match rest {
        ["size", value] => put(ports, "size", within(number(value)?, 65_535, "size")?),
        ["count", value] => {
            let value = number(value)?;
            each(ports, list, |port| port.count = Some(Said { value, line }))
        }
        ["rate", value] => {
            let value: f64 = value
                .parse()
                .ok()
                .filter(|rate: &f64| (0.0..=100.0).contains(rate))
                .ok_or("rate is a percentage, 0 to 100")?;
            each(ports, list, |port| port.rate_percent = Some(Said { value, line }))
        }
        ["burst" | "txburst", value] => {
            let value = number(value)?;
            each(ports, list, |port| port.burst = Some(Said { value, line }))
        }
        ["sport", value] => put(ports, "sport", within(number(value)?, 65_535, "sport")?),
        ["dport", value] => put(ports, "dport", within(number(value)?, 65_535, "dport")?),
        ["ttl", value] => put(ports, "ttl", within(number(value)?, 255, "ttl")?),
        ["tos", value] => put(ports, "tos", within(number(value)?, 255, "tos")?),
        ["cos" | "prio", value] => put(ports, "cos", within(number(value)?, 7, "cos")?),
        ["vlan" | "vlanid", value] => put(ports, "vlan", within(number(value)?, 4095, "vlan")?),
        ["src", "mac", value] => put(ports, "smac", mac(value)?),
        ["dst", "mac", value] => put(ports, "dmac", mac(value)?),
        ["src", "ip", value] => put(ports, "sip", ip(value)?.0),
        ["dst", "ip", value] => put(ports, "dip", ip(value)?.0),
        ["proto", value @ ("udp" | "tcp" | "icmp")] => {
            each(ports, list, |port| port.single.proto = Some(Said { value: (*value).into(), line }))
        }
        ["type", value @ ("ipv4" | "ip4" | "ipv6" | "ip6" | "vlan" | "arp")] => each(ports, list, |port| {
            port.single.kind = Some(Said { value: value.replace("ip4", "ipv4").replace("ip6", "ipv6"), line })
        }),
        ["pattern", value @ ("abc" | "none" | "zero" | "user")] => {
            each(ports, list, |port| port.pattern = Some(Said { value: (*value).into(), line }))
        }
        ["user", "pattern", text @ ..] if !text.is_empty() => {
            let text = text.join(" ").trim_matches('"').chars().take(16).collect::<String>();
            each(ports, list, |port| port.user_pattern = Some(text.clone()))
        }
        ["qinqids", outer, inner] => {
            let ids = (within(number(outer)?, 4095, "vlan")?, within(number(inner)?, 4095, "vlan")?);
            each(ports, list, |port| port.qinq = Some(Said { value: ids, line }))
        }
        ["mpls", "entry", value] | ["mpls_entry", value] => {
            let value = hex(value)?;
            each(ports, list, |port| port.mpls = Some(Said { value, line }))
        }
        ["seq_cnt" | "seqCnt" | "seqcnt", value] => {
            let value = within(number(value)?, 16, "seq_cnt")?;
            each(ports, list, |port| port.sequence_count = Some(Said { value, line }))
        }
        ["tcp", "seq", value] => put(ports, "tcpseq", within(number(value)?, 0xffff_ffff, "tcp seq")?),
        ["tcp", "ack", value] => put(ports, "tcpack", within(number(value)?, 0xffff_ffff, "tcp ack")?),
        ["tcp", "flag" | "flags", state, name] => tcp_flag(list, state, name, line, ports),
        ["prime" | "dump" | "jitter" | "tx_cycles" | "rxburst" | "latency", ..] => {
            Err("has no counterpart: it changes nothing of the packets".into())
        }
        ["rnd", ..] => Err("random bit masks are not carried over: the bytes stand still".into()),
        [name, ..] => Err(format!("set {name}: not known here")),
        [] => Ok(()),
    }
}

fn tcp_flag(list: &str, state: &str, name: &str, line: usize, ports: &mut Ports) -> Outcome {
    let bit = ["fin", "syn", "rst", "psh", "ack", "urg"].iter().position(|known| known.eq_ignore_ascii_case(name));
    let bit = bit.ok_or_else(|| format!("{name} is no flag of TCP (fin, syn, rst, psh, ack, urg)"))?;
    let on = matches!(state, "set" | "on" | "enable");
    each(ports, list, |port| {
        let said = port.single.fields.entry("tcpflags").or_insert(Said { value: 0x10, line });
        said.value = if on { said.value | 1 << bit } else { said.value & !(1 << bit) };
    })
}

fn range(words: &[&str], line: usize, ports: &mut Ports) -> Outcome {
    let (list, rest) = match words {
        ["range", list, rest @ ..] if !rest.is_empty() => (*list, rest),
        _ => return Err("range needs a port, a field and values".into()),
    };
    type Read = fn(&str) -> Result<u128, String>;
    let address: Read = |text| ip(text).map(|(ip, _)| ip);
    let (name, read, most, values): (&'static str, Read, u128, &[&str]) = match rest {
        ["src", "mac", values @ ..] => ("smac", mac, 0xffff_ffff_ffff, values),
        ["dst", "mac", values @ ..] => ("dmac", mac, 0xffff_ffff_ffff, values),
        ["src", "ip", values @ ..] => ("sip", address, u128::MAX, values),
        ["dst", "ip", values @ ..] => ("dip", address, u128::MAX, values),
        ["src", "port", values @ ..] => ("sport", number, 65_535, values),
        ["dst", "port", values @ ..] => ("dport", number, 65_535, values),
        ["vlan", values @ ..] => ("vlan", number, 4095, values),
        ["size", values @ ..] => ("size", number, 65_535, values),
        ["ttl", values @ ..] => ("ttl", number, 255, values),
        ["cos", values @ ..] => ("cos", number, 7, values),
        ["tos", values @ ..] => ("tos", number, 255, values),
        ["proto", value] => {
            let said = Said { value: (*value).to_string(), line };
            return each(ports, list, |port| port.range_proto = Some(said.clone()));
        }
        ["mpls", "entry", value] => {
            let value = hex(value)?;
            return each(ports, list, |port| port.mpls = Some(Said { value, line }));
        }
        ["qinq", "index", outer, inner] => {
            let ids = (within(number(outer)?, 4095, "vlan")?, within(number(inner)?, 4095, "vlan")?);
            return each(ports, list, |port| port.qinq = Some(Said { value: ids, line }));
        }
        [name, ..] => return Err(format!("range {name}: not known here")),
        [] => return Ok(()),
    };
    let mut parts = [None; 4];
    match values {
        [what, value] => {
            let names = [["start", "start"], ["min", "minimum"], ["max", "maximum"], ["inc", "increment"]];
            let at = names
                .iter()
                .position(|names| names.contains(what))
                .ok_or_else(|| format!("{what}: start, min, max or inc"))?;
            parts[at] = Some(within(read(value)?, most, name)?);
        }
        [start, min, max, inc] => {
            for (part, text) in parts.iter_mut().zip([start, min, max, inc]) {
                *part = Some(within(read(text)?, most, name)?);
            }
        }
        _ => return Err("a range takes start, min, max or inc and a value, or all four values".into()),
    }
    each(ports, list, |port| {
        let range = port.ranges.entry(name).or_default();
        range.line = line;
        for (old, new) in range.parts.iter_mut().zip(parts) {
            *old = new.or(*old);
        }
    })
}

/// `sequence N PORTS dmac smac dip sip sport dport ipv4|ipv6 udp|tcp|icmp vlan size`, names between them allowed.
fn sequence(words: &[&str], line: usize, ports: &mut Ports) -> Outcome {
    let [_, slot, list, rest @ ..] = words else { return Err("sequence needs a number, a port and a packet".into()) };
    let slot = within(number(slot)?, 15, "sequence")? as u32;
    let values: Vec<&str> = rest
        .iter()
        .copied()
        .filter(|word| !["dst", "src", "sport", "dport", "vlan", "size", "teid"].contains(word))
        .collect();
    let [dmac, smac, dip, sip, sport, dport, kind, proto, vlan, size, ..] = values[..] else {
        return Err(
            "a packet of a sequence has two MACs, two IPs, two ports, ipv4|ipv6, udp|tcp|icmp, a VLAN and a size"
                .into(),
        );
    };
    let mut single = Single { line, ..Single::default() };
    let numbers = [
        ("dmac", mac(dmac)?),
        ("smac", mac(smac)?),
        ("dip", ip(dip)?.0),
        ("sip", ip(sip)?.0),
        ("sport", within(number(sport)?, 65_535, "sport")?),
        ("dport", within(number(dport)?, 65_535, "dport")?),
        ("vlan", within(number(vlan)?, 4095, "vlan")?),
        ("size", within(number(size)?, 65_535, "size")?),
    ];
    for (name, value) in numbers {
        single.fields.insert(name, Said { value, line });
    }
    single.kind = Some(Said { value: kind.replace("ip4", "ipv4").replace("ip6", "ipv6").replace("ipvv", "ipv"), line });
    single.proto = Some(Said { value: proto.into(), line });
    each(ports, list, |port| _ = port.sequence.insert(slot, single.clone()))
}

fn switch(words: &[&str], line: usize, ports: &mut Ports) -> Outcome {
    let on = words[0] == "enable";
    let (list, names) = match words {
        [_, list, names @ ..] if !names.is_empty() => (*list, names),
        // enable screen, enable mac_from_arp
        _ => return Ok(()),
    };
    for name in names {
        if ![
            "vlan",
            "mpls",
            "qinq",
            "range",
            "seq",
            "sequence",
            "icmp",
            "arp",
            "process",
            "promiscuous",
            "garp",
            "bonding",
            "capture",
        ]
        .contains(name)
        {
            return Err(format!("{} {name} is not carried over", words[0]));
        }
        each(ports, list, |port| _ = port.switches.insert((*name).into(), Said { value: on, line }))?;
    }
    Ok(())
}
