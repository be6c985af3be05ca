//! The profiles that are embedded in the program, in the order in which they teach.

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../profiles/", $name, ".toml")))),*]
    };
}

const PROFILES: [(&str, &str); 12] = shipped![
    "udp-64",
    "udp-64-clone",
    "doorbell",
    "steady-1k",
    "trickle",
    "line-rate",
    "sizes",
    "sweep-ports",
    "many-flows",
    "weights",
    "vlan-qinq",
    "ipv6-udp",
];

/// (name, text) of every shipped profile.
pub fn profiles() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROFILES.into_iter()
}

pub fn profile(name: &str) -> Option<&'static str> {
    profiles().find(|(known, _)| *known == name).map(|(_, text)| text)
}
