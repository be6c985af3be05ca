//! The profiles that come with the program, embedded in it.

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../profiles/", $name, ".toml")))),*]
    };
}

static SHIPPED: &[(&str, &str)] = embedded![
    "udp-64",
    "udp-64-clone",
    "doorbell",
    "many-flows",
    "sweep-ports",
    "sizes",
    "vlan-qinq",
    "ipv6-udp",
    "steady-1k",
    "weights",
    "trickle",
    "line-rate",
];

/// Name and text of every shipped profile, in teaching order.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    SHIPPED
}
