//! The profiles that come with the program, embedded in it, in the order in which they teach.

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../profiles/", $name, ".toml")))),*]
    };
}

static SHIPPED: &[(&str, &str)] = embedded![
    "udp-64",
    "udp-64-clone",
    "doorbell",
    "steady-1k",
    "trickle",
    "line-rate",
    "sizes",
    "imix",
    "sweep-ports",
    "many-flows",
    "conversations",
    "weights",
    "vlan-qinq",
    "ipv6-udp",
    "mpls",
    "tcp-syn",
    "ping",
    "arp",
];

/// Name and text of every shipped profile.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    SHIPPED
}
