//! The header functions of trafgen: their names, fields and defaults.

/// How a field's value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Number,
    Mac,
    Ipv4,
    Ipv6,
    /// Stands alone and sets this.
    Word(u128),
}

/// A field of a header: all its spellings, first bit, bits.
pub struct Field {
    pub names: &'static [&'static str],
    pub bit: usize,
    pub bits: usize,
    pub form: Form,
}

pub struct Header {
    pub names: &'static [&'static str],
    pub kind: Kind,
    pub fields: &'static [Field],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Eth,
    Vlan,
    Mpls,
    Arp,
    Ipv4,
    Ipv6,
    Icmp4,
    Icmp6,
    Udp,
    Tcp,
}

impl Kind {
    /// The header that trafgen puts below when none is there.
    pub fn below(self) -> Option<Kind> {
        match self {
            Kind::Eth => None,
            Kind::Vlan | Kind::Mpls | Kind::Arp | Kind::Ipv4 | Kind::Ipv6 => Some(Kind::Eth),
            Kind::Icmp4 | Kind::Udp | Kind::Tcp => Some(Kind::Ipv4),
            Kind::Icmp6 => Some(Kind::Ipv6),
        }
    }

    pub fn layer(self) -> u8 {
        match self {
            Kind::Eth | Kind::Vlan | Kind::Mpls => 2,
            Kind::Arp | Kind::Ipv4 | Kind::Ipv6 => 3,
            Kind::Icmp4 | Kind::Icmp6 | Kind::Udp | Kind::Tcp => 4,
        }
    }

    /// The bytes with trafgen's defaults; a VLAN tag is the number and the ethertype behind it.
    pub fn blank(self) -> Vec<u8> {
        let (len, set): (usize, &[(usize, u8)]) = match self {
            Kind::Eth => (14, &[]),
            Kind::Vlan | Kind::Mpls => (4, &[]),
            Kind::Arp => (28, &[(1, 1), (2, 8), (4, 6), (5, 4), (7, 1)]),
            Kind::Ipv4 => (20, &[(0, 0x45), (8, 64)]),
            Kind::Ipv6 => (40, &[(0, 0x60), (7, 64)]),
            Kind::Icmp4 => (8, &[(0, 8)]),
            Kind::Icmp6 => (8, &[(0, 128)]),
            Kind::Udp => (8, &[]),
            Kind::Tcp => (20, &[(12, 0x50)]),
        };
        let mut bytes = vec![0; len];
        for (at, value) in set {
            bytes[*at] = *value;
        }
        bytes
    }

    pub fn ethertype(self) -> Option<u128> {
        Some(match self {
            Kind::Vlan => 0x8100,
            Kind::Mpls => 0x8847,
            Kind::Arp => 0x0806,
            Kind::Ipv4 => 0x0800,
            Kind::Ipv6 => 0x86dd,
            _ => return None,
        })
    }

    pub fn protocol(self) -> Option<u128> {
        Some(match self {
            Kind::Icmp4 => 1,
            Kind::Tcp => 6,
            Kind::Udp => 17,
            Kind::Icmp6 => 58,
            _ => return None,
        })
    }

    /// Where the ethertype or protocol of what follows stands, and how many bits it has.
    pub fn next(self) -> Option<(usize, usize)> {
        Some(match self {
            Kind::Eth => (96, 16),
            Kind::Vlan => (16, 16),
            Kind::Ipv4 => (72, 8),
            Kind::Ipv6 => (48, 8),
            _ => return None,
        })
    }

    /// Where a length stands, and how many bytes of the header it leaves out.
    pub fn length(self) -> Option<(usize, usize)> {
        Some(match self {
            Kind::Ipv4 => (16, 0),
            Kind::Ipv6 => (32, 40),
            Kind::Udp => (32, 0),
            _ => return None,
        })
    }

    /// Where the checksum stands, in bits.
    pub fn sum(self) -> Option<usize> {
        Some(match self {
            Kind::Ipv4 => 80,
            Kind::Udp => 48,
            Kind::Tcp => 128,
            Kind::Icmp4 | Kind::Icmp6 => 16,
            _ => return None,
        })
    }
}

const fn number(names: &'static [&'static str], bit: usize, bits: usize) -> Field {
    Field { names, bit, bits, form: Form::Number }
}

const fn as_(form: Form, field: Field) -> Field {
    Field { form, ..field }
}

const fn word(names: &'static [&'static str], bit: usize, bits: usize, value: u128) -> Field {
    Field { names, bit, bits, form: Form::Word(value) }
}

/// Not bits of the tag itself: the ethertype in front of it, which the header below holds.
pub const TPID: usize = usize::MAX;

pub static HEADERS: &[Header] = &[
    Header {
        names: &["eth"],
        kind: Kind::Eth,
        fields: &[
            as_(Form::Mac, number(&["da", "daddr"], 0, 48)),
            as_(Form::Mac, number(&["sa", "saddr"], 48, 48)),
            number(&["type", "etype", "prot", "proto"], 96, 16),
        ],
    },
    Header {
        names: &["vlan"],
        kind: Kind::Vlan,
        fields: &[
            number(&["tpid"], TPID, 16),
            word(&["1q"], TPID, 16, 0x8100),
            word(&["1ad"], TPID, 16, 0x88a8),
            number(&["tci"], 0, 16),
            number(&["pcp"], 0, 3),
            number(&["dei", "cfi"], 3, 1),
            number(&["id"], 4, 12),
            number(&["type", "etype", "prot", "proto"], 16, 16),
        ],
    },
    Header {
        names: &["mpls"],
        kind: Kind::Mpls,
        fields: &[
            number(&["label"], 0, 20),
            number(&["tc", "tclass", "exp"], 20, 3),
            number(&["last", "s"], 23, 1),
            number(&["ttl"], 24, 8),
        ],
    },
    Header {
        names: &["arp"],
        kind: Kind::Arp,
        fields: &[
            number(&["htype"], 0, 16),
            number(&["ptype"], 16, 16),
            number(&["op", "oper"], 48, 16),
            word(&["req", "request"], 48, 16, 1),
            word(&["reply"], 48, 16, 2),
            as_(Form::Mac, number(&["sha", "smac"], 64, 48)),
            as_(Form::Ipv4, number(&["spa", "sip"], 112, 32)),
            as_(Form::Mac, number(&["tha", "tmac"], 144, 48)),
            as_(Form::Ipv4, number(&["tpa", "tip"], 192, 32)),
        ],
    },
    Header {
        names: &["ipv4", "ip4"],
        kind: Kind::Ipv4,
        fields: &[
            number(&["ver", "version"], 0, 4),
            number(&["ihl"], 4, 4),
            number(&["tos"], 8, 8),
            number(&["dscp"], 8, 6),
            number(&["ecn"], 14, 2),
            number(&["len", "length"], 16, 16),
            number(&["id"], 32, 16),
            number(&["flags"], 48, 3),
            word(&["df"], 49, 1, 1),
            word(&["mf"], 50, 1, 1),
            number(&["frag"], 51, 13),
            number(&["ttl"], 64, 8),
            number(&["prot", "proto"], 72, 8),
            number(&["csum"], 80, 16),
            as_(Form::Ipv4, number(&["sa", "saddr"], 96, 32)),
            as_(Form::Ipv4, number(&["da", "daddr"], 128, 32)),
        ],
    },
    Header {
        names: &["ipv6", "ip6"],
        kind: Kind::Ipv6,
        fields: &[
            number(&["ver", "version"], 0, 4),
            number(&["class", "tclass", "tc"], 4, 8),
            number(&["dscp"], 4, 6),
            number(&["ecn"], 10, 2),
            number(&["fl", "flow"], 12, 20),
            number(&["len", "length"], 32, 16),
            number(&["nh", "nexthdr", "next"], 48, 8),
            number(&["hl", "hoplimit", "ttl"], 56, 8),
            as_(Form::Ipv6, number(&["sa", "saddr"], 64, 128)),
            as_(Form::Ipv6, number(&["da", "daddr"], 192, 128)),
        ],
    },
    Header {
        names: &["icmp4", "icmpv4"],
        kind: Kind::Icmp4,
        fields: &[
            number(&["type"], 0, 8),
            word(&["echorequest"], 0, 8, 8),
            word(&["echoreply"], 0, 8, 0),
            number(&["code"], 8, 8),
            number(&["csum"], 16, 16),
            number(&["id"], 32, 16),
            number(&["seq"], 48, 16),
            number(&["mtu"], 48, 16),
            as_(Form::Ipv4, number(&["addr"], 32, 32)),
        ],
    },
    Header {
        names: &["icmp6", "icmpv6"],
        kind: Kind::Icmp6,
        fields: &[
            number(&["type"], 0, 8),
            word(&["echorequest"], 0, 8, 128),
            word(&["echoreply"], 0, 8, 129),
            number(&["code"], 8, 8),
            number(&["csum"], 16, 16),
            number(&["id"], 32, 16),
            number(&["seq"], 48, 16),
        ],
    },
    Header {
        names: &["udp"],
        kind: Kind::Udp,
        fields: &[
            number(&["sp", "sport"], 0, 16),
            number(&["dp", "dport"], 16, 16),
            number(&["len", "length"], 32, 16),
            number(&["csum"], 48, 16),
        ],
    },
    Header {
        names: &["tcp"],
        kind: Kind::Tcp,
        fields: &[
            number(&["sp", "sport"], 0, 16),
            number(&["dp", "dport"], 16, 16),
            number(&["seq"], 32, 32),
            number(&["aseq", "ackseq"], 64, 32),
            number(&["doff", "hlen"], 96, 4),
            word(&["cwr"], 104, 1, 1),
            word(&["ece", "ecn"], 105, 1, 1),
            word(&["urg"], 106, 1, 1),
            word(&["ack"], 107, 1, 1),
            word(&["psh"], 108, 1, 1),
            word(&["rst"], 109, 1, 1),
            word(&["syn"], 110, 1, 1),
            word(&["fin"], 111, 1, 1),
            number(&["win", "window"], 112, 16),
            number(&["csum"], 128, 16),
            number(&["urgptr"], 144, 16),
        ],
    },
];

/// trafgen's words know no case.
pub fn header(name: &str) -> Option<&'static Header> {
    HEADERS.iter().find(|header| header.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

impl Header {
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }
}
