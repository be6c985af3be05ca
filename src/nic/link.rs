//! What the kernel says of network devices, asked over netlink (never /sys, which may belong to another namespace).

use std::net::IpAddr;

/// One network device of the present namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    pub index: u32,
    pub name: String,
    pub alt_names: Vec<String>,
    pub mac: [u8; 6],
    pub mtu: u32,
    /// Administratively up, and carrier seen.
    pub up: bool,
    pub carrier: bool,
    pub driver: Option<String>,
    pub tx_queues: u32,
    pub rx_queues: u32,
    /// The NIC's own TX ring: (now, most), where the driver tells.
    pub tx_ring: Option<(u32, u32)>,
    /// From the netdev family's xdp-features, where the kernel tells.
    pub zero_copy: Option<bool>,
    /// Index of the device above (bond, bridge, team), and below (VLAN, macvlan).
    pub master: Option<u32>,
    pub lower: Option<u32>,
}

/// Why a device is guarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    DefaultRoute,
    /// An established inbound SSH connection, from this address.
    Ssh(IpAddr),
    /// Lies below a device that is guarded for that reason.
    Below {
        device: String,
        why: Box<Guard>,
    },
}

/// Transmit counters of a device at about one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkCounters {
    pub tx_packets: u64,
    pub tx_bytes: u64,
    pub tx_dropped: u64,
    pub tx_errors: u64,
    pub carrier: bool,
}
