//! Which headers may stand together in a frame, and how long they are.

use super::{Flow, Ip, Patch, field};

/// What to do instead, whatever was wrong with a stack.
const ALLOWED: &str = "a frame is eth, vlan tags, then arp, or mpls labels, ipv4 or ipv6, and one of udp, tcp, \
                       icmp (over ipv4), icmpv6 (over ipv6); or raw alone, or replay alone";

/// Headers of which a frame has one, or of which the one cannot carry the other.
const APART: &[(&str, &[&str])] = &[
    ("raw", &["eth", "vlan", "mpls", "arp", "ipv4", "ipv6", "udp", "tcp", "icmp", "icmpv6"]),
    ("replay", &["raw", "eth", "vlan", "mpls", "arp", "ipv4", "ipv6", "udp", "tcp", "icmp", "icmpv6"]),
    ("arp", &["mpls", "ipv4", "ipv6", "udp", "tcp", "icmp", "icmpv6"]),
    ("ipv4", &["ipv6", "icmpv6"]),
    ("ipv6", &["icmp"]),
    ("udp", &["tcp", "icmp", "icmpv6"]),
    ("tcp", &["icmp", "icmpv6"]),
    ("icmp", &["icmpv6"]),
];

const ETHERNET_BYTES: usize = 14;

/// A header, or a field of one, that does not fit where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Within the flow: `tcp`, `raw.bytes`, `patch.1.at`.
    pub key: String,
    pub message: String,
}

impl Misfit {
    fn of(key: impl Into<String>, message: impl Into<String>) -> Misfit {
        Misfit { key: key.into(), message: message.into() }
    }
}

impl Flow {
    /// Headers of a group that this flow has: `vlan` may have several, `udp` one. `eth` is there unless `raw` or `replay` is.
    pub fn count_of(&self, group: &str) -> usize {
        match field::last(group) {
            "eth" => usize::from(self.raw.is_none() && self.replay.is_none()),
            "replay" => usize::from(self.replay.is_some()),
            "flows" => usize::from(self.conversations.is_some()),
            "vlan" => self.vlan.len(),
            "mpls" => self.mpls.len(),
            "arp" => usize::from(self.arp.is_some()),
            "ipv4" => usize::from(matches!(self.ip, Some(Ip::V4(_)))),
            "ipv6" => usize::from(matches!(self.ip, Some(Ip::V6(_)))),
            "udp" => usize::from(self.udp.is_some()),
            "tcp" => usize::from(self.tcp.is_some()),
            "icmp" => usize::from(self.icmp.is_some()),
            "icmpv6" => usize::from(self.icmpv6.is_some()),
            "raw" => usize::from(self.raw.is_some()),
            "patch" => self.patch.len(),
            _ => 1,
        }
    }

    /// The headers of this flow beside which a header cannot stand, in the order of a frame.
    pub fn in_the_way_of(&self, header: &str) -> Vec<&'static str> {
        let headers = field::GROUPS.iter().map(|group| group.key).filter(|key| field::parent(key) == "flow");
        headers.map(field::last).filter(|other| self.count_of(other) > 0 && are_apart(other, header)).collect()
    }

    /// Whether a header stands in this flow, or could without another one being taken out.
    pub fn takes(&self, header: &str) -> bool {
        let raw_is_there = header != "patch" || self.raw.is_some();
        self.count_of(header) > 0 || raw_is_there && self.in_the_way_of(header).is_empty()
    }

    /// The first thing wrong with the headers taken together.
    pub fn misfit(&self) -> Option<Misfit> {
        let has = |header: &str| self.count_of(header) > 0;
        for (one, others) in APART.iter().filter(|(one, _)| has(one)) {
            if let Some(other) = others.iter().find(|other| has(other)) {
                return Some(Misfit::of(*other, format!("{other} cannot stand beside {one}: {ALLOWED}")));
            }
        }
        self.without_carrier().or_else(|| self.said_twice()).or_else(|| self.raw_misfit())
    }

    fn without_carrier(&self) -> Option<Misfit> {
        let needs = |header: &str, what: &str| Misfit::of(header, what);
        match &self.ip {
            None if self.udp.is_some() => Some(needs("udp", "UDP needs an IP header: add ipv4 = {} or ipv6 = {}")),
            None if self.tcp.is_some() => Some(needs("tcp", "TCP needs an IP header: add ipv4 = {} or ipv6 = {}")),
            None if self.icmp.is_some() => Some(needs("icmp", "ICMP needs an IPv4 header: add ipv4 = {}")),
            None if self.icmpv6.is_some() => Some(needs("icmpv6", "ICMPv6 needs an IPv6 header: add ipv6 = {}")),
            _ => None,
        }
    }

    /// What the packet carries is said by the header behind IP.
    fn said_twice(&self) -> Option<Misfit> {
        let key = match &self.ip {
            Some(Ip::V4(ip)) if ip.protocol.is_some() => "ipv4.protocol",
            Some(Ip::V6(ip)) if ip.next_header.is_some() => "ipv6.next_header",
            _ => return None,
        };
        let header = ["udp", "tcp", "icmp", "icmpv6"].into_iter().find(|header| self.count_of(header) > 0)?;
        Some(Misfit::of(key, format!("{header} behind it says it already: take one of the two out")))
    }

    fn raw_misfit(&self) -> Option<Misfit> {
        let Some(bytes) = &self.raw else {
            let message = "goes with raw only: the fields of headers vary by themselves";
            return (!self.patch.is_empty()).then(|| Misfit::of("patch", message));
        };
        if bytes.len() < ETHERNET_BYTES {
            let message = match bytes.len() {
                0 => "is missing: raw needs it, as in bytes = \"02 00 00 00 00 02 02 00 00 00 00 01 88 b5\"".into(),
                few => format!("{few} bytes are less than an Ethernet header (at least {ETHERNET_BYTES})"),
            };
            return Some(Misfit::of("raw.bytes", message));
        }
        (0..self.patch.len()).find_map(|number| self.patch_misfit(number, bytes.len()))
    }

    fn patch_misfit(&self, number: usize, len: usize) -> Option<Misfit> {
        let patch = &self.patch[number];
        let wrong = |field: &str, message: String| Some(Misfit::of(format!("patch.{number}.{field}"), message));
        let Patch { at, width, value } = patch;
        if !matches!(width, 1 | 2 | 4 | 6 | 8) {
            return wrong("width", format!("{width} is not allowed (1 or 2 or 4 or 6 or 8)"));
        }
        let end = u64::from(*at) + u64::from(*width);
        if end > len as u64 {
            let last = (len as u64).saturating_sub(u64::from(*width));
            return wrong("at", format!("{at} with a width of {width} ends behind the {len} bytes of raw (0..{last})"));
        }
        let most = u128::MAX >> (128 - 8 * width);
        if value.max() > most {
            return wrong("value", format!("{} does not fit a width of {width} (0..{most})", value.max()));
        }
        let touches =
            |other: &Patch| u64::from(other.at) < end && u64::from(*at) < u64::from(other.at) + u64::from(other.width);
        let first = self.patch[..number].iter().position(touches)?;
        wrong("at", format!("{at} with a width of {width} touches the bytes of patch.{first}"))
    }

    /// Bytes of all headers: the least a frame of this flow can have.
    pub fn header_bytes(&self) -> u32 {
        if let Some(bytes) = &self.raw {
            return bytes.len() as u32;
        }
        let ip = match &self.ip {
            Some(Ip::V4(_)) => 20,
            Some(Ip::V6(_)) => 40,
            None => 0,
        };
        let of = |header: &str, bytes: u32| bytes * self.count_of(header) as u32;
        let carried = of("udp", 8) + of("tcp", 20) + of("icmp", 8) + of("icmpv6", 8);
        ETHERNET_BYTES as u32 + of("vlan", 4) + of("mpls", 4) + of("arp", 28) + ip + carried
    }

    /// `Ethernet + 2 VLAN + IPv6 + UDP`.
    pub fn header_words(&self) -> String {
        if let Some(replay) = &self.replay {
            return format!("the packets of {}", replay.file);
        }
        if let Some(bytes) = &self.raw {
            return format!("{} raw bytes", bytes.len());
        }
        let mut words = vec!["Ethernet".to_string()];
        let names = [
            ("vlan", "VLAN"),
            ("mpls", "MPLS"),
            ("arp", "ARP"),
            ("ipv4", "IPv4"),
            ("ipv6", "IPv6"),
            ("udp", "UDP"),
            ("tcp", "TCP"),
            ("icmp", "ICMP"),
            ("icmpv6", "ICMPv6"),
        ];
        for (header, name) in names {
            match self.count_of(header) {
                0 => {}
                1 => words.push(name.into()),
                many => words.push(format!("{many} {name}")),
            }
        }
        words.join(" + ")
    }
}

fn are_apart(one: &str, two: &str) -> bool {
    APART
        .iter()
        .any(|(header, others)| *header == one && others.contains(&two) || *header == two && others.contains(&one))
}

#[cfg(test)]
mod tests {
    use crate::profile::{Document, Flow};

    fn flow(headers: &str) -> Flow {
        let text = format!(
            "version = 1\n[[flow]]\nname = \"a\"\nsize = 200\neth = {{ dst = \"02:00:00:00:00:02\" }}\n{headers}\n"
        );
        Document::parse("t", &text).expect("valid").profile().flows[0].clone()
    }

    #[test]
    fn c18_every_header_counts() {
        for (headers, bytes, words) in [
            (
                "vlan = [{}]\nmpls = [{}, {}, {}]\nipv4 = {}\ntcp = {}",
                14 + 4 + 12 + 40,
                "Ethernet + VLAN + 3 MPLS + IPv4 + TCP",
            ),
            ("arp = {}", 42, "Ethernet + ARP"),
            ("ipv4 = {}\nicmp = {}", 42, "Ethernet + IPv4 + ICMP"),
            ("ipv6 = {}\nicmpv6 = {}", 62, "Ethernet + IPv6 + ICMPv6"),
            ("mpls = [{}]", 18, "Ethernet + MPLS"),
        ] {
            let flow = flow(headers);
            assert_eq!((flow.header_bytes(), flow.header_words().as_str()), (bytes, words));
        }
    }

    #[test]
    fn a_header_names_those_it_cannot_stand_beside() {
        let udp = flow("vlan = [{}]\nmpls = [{}]\nipv4 = {}\nudp = {}");
        assert_eq!(udp.in_the_way_of("tcp"), ["udp"]);
        assert_eq!(udp.in_the_way_of("ipv6"), ["ipv4"]);
        assert_eq!(udp.in_the_way_of("icmpv6"), ["ipv4", "udp"]);
        assert_eq!(udp.in_the_way_of("arp"), ["mpls", "ipv4", "udp"]);
        assert_eq!(udp.in_the_way_of("raw"), ["eth", "vlan", "mpls", "ipv4", "udp"]);
        assert!(udp.takes("udp") && udp.takes("vlan") && !udp.takes("tcp") && !udp.takes("patch"));
        assert!(flow("ipv6 = {}").takes("icmpv6") && !flow("ipv6 = {}").takes("icmp"));
    }
}
