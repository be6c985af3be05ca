//! What the kernel's pktgen answers to each command, written down from its rules and not from the exporter: files and
//! threads, parameters with their units and limits, what excludes what. It knows nothing of profiles.

use std::collections::{BTreeMap, BTreeSet};

/// What a write gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Result: OK.
    Done,
    /// The write succeeds, and an error stands in the Result line: nothing was changed.
    Complains(&'static str),
    Fails(&'static str),
}

use Answer::{Complains, Done, Fails};

/// A kernel with devices; whether its drivers let packets be shared (TX_SKB_SHARING: real NICs do, lo does not).
pub struct Pktgen {
    pub devices: BTreeMap<String, Params>,
    pub threads: BTreeMap<String, u32>,
    pub shares: bool,
    pub starts: u32,
}

/// One device's settings, numbers by parameter.
#[derive(Debug, Clone, Default)]
pub struct Params {
    pub numbers: BTreeMap<String, u64>,
    pub texts: BTreeMap<String, String>,
    pub flags: BTreeSet<String>,
    pub labels: Vec<u32>,
    pub imix: Vec<(u64, u64)>,
}

impl Pktgen {
    pub fn new(shares: bool) -> Pktgen {
        Pktgen { devices: BTreeMap::new(), threads: BTreeMap::new(), shares, starts: 0 }
    }

    /// `echo text > /proc/net/pktgen/file`.
    pub fn write(&mut self, file: &str, text: &str) -> Answer {
        let text = text.trim_end_matches(['\0', '\n']);
        match file.strip_prefix("kpktgend_") {
            _ if file == "pgctrl" => self.control(text),
            Some(thread) => self.thread(thread, text),
            None => {
                let shares = self.shares;
                self.devices.get_mut(file).map_or(Fails("ENOENT"), |device| device.set(text, shares))
            }
        }
    }

    fn control(&mut self, text: &str) -> Answer {
        match text {
            "start" => self.starts += 1,
            "stop" => {}
            "reset" => {
                self.devices.clear();
                self.threads.clear();
            }
            _ => return Fails("EINVAL"),
        }
        Done
    }

    fn thread(&mut self, thread: &str, text: &str) -> Answer {
        let Ok(thread) = thread.parse::<u32>() else { return Fails("ENOENT") };
        let (command, name) = text.split_once(' ').unwrap_or((text, ""));
        match command {
            "add_device" => {
                // The kernel reads 31 letters of a name, the interface's own has at most 15.
                let interface = name.split('@').next().unwrap_or_default();
                if name.is_empty() || name.len() > 31 || interface.len() > 15 {
                    return Fails("EINVAL");
                }
                if self.devices.contains_key(name) {
                    return Fails("EBUSY");
                }
                let mut device = Params::default();
                device.flags.insert("SHARED".into());
                for (name, value) in [("count", 1000), ("burst", 1), ("udp_src_min", 9), ("udp_src_max", 9)] {
                    device.numbers.insert(name.into(), value);
                }
                self.threads.insert(name.into(), thread);
                self.devices.insert(name.into(), device);
                Done
            }
            "rem_device_all" => {
                let gone: Vec<String> =
                    self.threads.iter().filter(|(_, on)| **on == thread).map(|(name, _)| name.clone()).collect();
                for name in gone {
                    self.devices.remove(&name);
                    self.threads.remove(&name);
                }
                Done
            }
            "max_before_softirq" => Done,
            _ => Fails("EINVAL"),
        }
    }
}

/// Parameters that are a number, with the digits read at most.
const NUMBERS: &[&str] = &[
    "min_pkt_size",
    "max_pkt_size",
    "pkt_size",
    "debug",
    "frags",
    "delay",
    "rate",
    "ratep",
    "udp_src_min",
    "udp_src_max",
    "udp_dst_min",
    "udp_dst_max",
    "clone_skb",
    "count",
    "src_mac_count",
    "dst_mac_count",
    "burst",
    "node",
    "flows",
    "flowlen",
    "queue_map_min",
    "queue_map_max",
    "vlan_id",
    "vlan_p",
    "vlan_cfi",
    "svlan_id",
    "svlan_p",
    "svlan_cfi",
    "skb_priority",
    "spi",
    "clear_counters",
];
const FLAGS: &[&str] = &[
    "IPSRC_RND",
    "IPDST_RND",
    "UDPSRC_RND",
    "UDPDST_RND",
    "MACSRC_RND",
    "MACDST_RND",
    "TXSIZE_RND",
    "VID_RND",
    "SVID_RND",
    "MPLS_RND",
    "QUEUE_MAP_RND",
    "QUEUE_MAP_CPU",
    "FLOW_SEQ",
    "FLOW_RND",
    "IPSEC",
    "NODE",
    "NO_TIMESTAMP",
    "UDPCSUM",
    "SHARED",
];

impl Params {
    pub fn number(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    fn set(&mut self, text: &str, shares: bool) -> Answer {
        let apart = |c: char| c == ' ' || c == '=' || c == '\t';
        let (name, rest) = text.split_at(text.find(apart).unwrap_or(text.len()));
        let value = rest.trim_start_matches(apart);
        if NUMBERS.contains(&name) {
            let read: String = value.chars().take(10).take_while(char::is_ascii_digit).collect();
            return self.set_number(name, read.parse().unwrap_or(0), shares);
        }
        match name {
            "imix_weights" => self.set_imix(value),
            "mpls" => self.set_labels(value),
            "flag" => self.set_flag(value),
            "xmit_mode" => self.set_mode(value, shares),
            "tos" | "traffic_class" => match value.len() == 2 && value.bytes().all(|b| b.is_ascii_hexdigit()) {
                true => self.set_text(name, value),
                false => Complains("must be 00-ff"),
            },
            "dst" | "dst_min" | "dst_max" | "src_min" | "src_max" => match value.parse::<std::net::Ipv4Addr>() {
                Ok(_) => self.set_text(name, value),
                Err(_) => Fails("EINVAL"),
            },
            "dst6" | "dst6_min" | "dst6_max" | "src6" => match value.parse::<std::net::Ipv6Addr>() {
                Ok(_) => {
                    self.flags.insert("IPV6".into());
                    self.set_text(name, value)
                }
                Err(_) => Fails("EINVAL"),
            },
            "dst_mac" | "src_mac" => {
                let parts: Vec<&str> = value.split(':').collect();
                let is_pair = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
                match parts.len() == 6 && parts.iter().all(is_pair) {
                    true => self.set_text(name, value),
                    false => Fails("EINVAL"),
                }
            }
            _ => Fails("EINVAL"),
        }
    }

    fn set_text(&mut self, name: &str, value: &str) -> Answer {
        self.texts.insert(name.into(), value.into());
        Done
    }

    fn put(&mut self, name: &str, value: u64) -> Answer {
        self.numbers.insert(name.into(), value);
        Done
    }

    fn set_number(&mut self, name: &str, value: u64, shares: bool) -> Answer {
        match name {
            "rate" | "ratep" if value == 0 => Fails("EINVAL"),
            // Only once, out of the least size of this moment.
            "rate" => self.put("delay", self.number("min_pkt_size") * 8000 / value),
            "ratep" => self.put("delay", 1_000_000_000 / value),
            "min_pkt_size" | "max_pkt_size" => self.put(name, value.max(42)),
            "pkt_size" if value.max(42) != self.number("min_pkt_size") => {
                self.put("min_pkt_size", value.max(42));
                self.put("max_pkt_size", value.max(42))
            }
            "pkt_size" => Done,
            "clone_skb" if value > 0 && (!shares || self.mode() == "netif_receive") => Fails("EOPNOTSUPP"),
            "clone_skb" if value > 0 && (!self.imix.is_empty() || !self.flags.contains("SHARED")) => Fails("EINVAL"),
            "burst" if value > 1 && self.mode() == "queue_xmit" => Fails("EOPNOTSUPP"),
            "burst" if value > 1 && self.mode() == "start_xmit" && !shares => Fails("EOPNOTSUPP"),
            "burst" if value > 1 && !self.flags.contains("SHARED") => Fails("EINVAL"),
            "burst" => self.put(name, value.max(1)),
            "frags" => self.put(name, value.min(17)),
            "flows" => self.put(name, value.min(65536)),
            "udp_src_min" | "udp_src_max" | "udp_dst_min" | "udp_dst_max" => self.put(name, value & 0xffff),
            "vlan_id" | "svlan_id" if value > 4095 => {
                self.numbers.remove("vlan_id");
                self.numbers.remove("svlan_id");
                Done
            }
            "svlan_id" if !self.numbers.contains_key("vlan_id") => Complains("svlan_id needs vlan_id"),
            "vlan_id" | "svlan_id" => {
                self.labels.clear();
                self.put(name, value)
            }
            "vlan_p" | "vlan_cfi" if !self.numbers.contains_key("vlan_id") => Complains("needs vlan_id"),
            "svlan_p" | "svlan_cfi" if !self.numbers.contains_key("svlan_id") => Complains("needs svlan_id"),
            "vlan_p" | "svlan_p" if value > 7 => Complains("must be 0-7"),
            "vlan_cfi" | "svlan_cfi" if value > 1 => Complains("must be 0-1"),
            _ => self.put(name, value),
        }
    }

    pub fn mode(&self) -> &str {
        self.texts.get("xmit_mode").map_or("start_xmit", String::as_str)
    }

    fn set_mode(&mut self, value: &str, shares: bool) -> Answer {
        match value {
            "netif_receive" if self.number("clone_skb") > 0 => Fails("EOPNOTSUPP"),
            "start_xmit" | "netif_receive" | "queue_xmit" => {
                let _ = shares;
                self.set_text("xmit_mode", value)
            }
            _ => Complains("unknown xmit_mode"),
        }
    }

    fn set_imix(&mut self, value: &str) -> Answer {
        if self.number("clone_skb") > 0 {
            return Fails("EINVAL");
        }
        let entries: Vec<&str> = value.split(' ').filter(|entry| !entry.is_empty()).collect();
        if entries.len() > 20 {
            return Fails("E2BIG");
        }
        let mut found = Vec::new();
        for entry in entries {
            let Some((size, weight)) = entry.split_once(',') else { return Fails("EINVAL") };
            let (Ok(size), Ok(weight)) = (size.parse::<u64>(), weight.parse()) else { return Fails("EINVAL") };
            found.push((size.max(42), weight));
        }
        self.imix = found;
        Done
    }

    fn set_labels(&mut self, value: &str) -> Answer {
        self.labels.clear();
        let mut found = Vec::new();
        for entry in value.split(',') {
            if found.len() == 16 {
                return Fails("E2BIG");
            }
            let Ok(entry) = u32::from_str_radix(entry, 16) else { return Done };
            if entry == 0 {
                return Done;
            }
            if entry & 0x100 != 0 {
                self.flags.insert("MPLS_RND".into());
            }
            found.push(entry);
        }
        self.numbers.remove("vlan_id");
        self.numbers.remove("svlan_id");
        self.labels = found;
        Done
    }

    fn set_flag(&mut self, value: &str) -> Answer {
        let (name, clears) = value.strip_prefix('!').map_or((value, false), |name| (name, true));
        match name {
            "IPV6" if clears => _ = self.flags.remove(name),
            "SHARED" if clears && (self.number("clone_skb") > 0 || self.number("burst") > 1) => return Fails("EINVAL"),
            _ if !FLAGS.contains(&name) => return Complains("unknown flag"),
            _ if clears => _ = self.flags.remove(name),
            _ => _ = self.flags.insert(name.into()),
        }
        Done
    }

    /// Bytes that really leave at least: the payload is raised to 16.
    pub fn floor(&self) -> u64 {
        let tags = ["vlan_id", "svlan_id"].iter().filter(|name| self.numbers.contains_key(**name)).count();
        let ip = if self.flags.contains("IPV6") { 40 } else { 20 };
        14 + 4 * (tags + self.labels.len()) as u64 + ip + 8 + 16
    }

    /// Times each built packet leaves.
    pub fn copies(&self) -> u64 {
        self.number("clone_skb").max(1) * self.number("burst").max(1)
    }
}

/// What a script writes, in order, as the machine's own shell runs it: nothing reaches the real files.
pub fn written(script: &str, device: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let root = folder.path().join("pktgen");
    std::fs::create_dir(&root).expect("a folder");
    let helper = "pg() { echo \"$2\" > \"/proc/net/pktgen/$1\"; }\n";
    assert!(script.contains(helper) && !script.contains("modprobe pktgen;"), "{script}");
    // The folder exists, so that no module is loaded.
    let logging = format!(
        "pg() {{ printf '%s\\t%s\\n' \"$1\" \"$2\" >> '{}'; : > \"{}/$1\"; }}\n",
        log.display(),
        root.display()
    );
    let harmless = script.replace(helper, &logging).replace("/proc/net/pktgen", &root.display().to_string());
    let file = folder.path().join("script.sh");
    std::fs::write(&file, harmless).expect("a script");
    let output = std::process::Command::new("sh").arg(&file).arg(device).output().expect("sh");
    assert!(output.status.success(), "{}\n{script}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&log).expect("a log");
    text.lines().filter_map(|line| line.split_once('\t')).map(|(file, text)| (file.into(), text.into())).collect()
}

/// Runs an exported script against the checker: every command must be taken as it stands.
pub fn check(script: &str) -> Pktgen {
    let mut kernel = Pktgen::new(true);
    for (file, text) in written(script, "eth1") {
        let answer = kernel.write(&file, &text);
        assert_eq!(answer, Done, "{text} > {file}\n{script}");
    }
    assert_eq!(kernel.starts, 1, "{script}");
    assert!(!kernel.devices.is_empty());
    for (name, device) in &kernel.devices {
        assert!(device.texts.contains_key("dst_mac"), "{name}: frames to nobody");
        let least = device.imix.iter().map(|(size, _)| *size).min().unwrap_or(device.number("min_pkt_size"));
        assert!(least >= device.floor(), "{name}: {least} bytes would become {}", device.floor());
    }
    kernel
}
