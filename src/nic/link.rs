//! What the kernel says of network devices, asked over netlink (never /sys, which may belong to another namespace).

use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

use crate::nic::ethtool::Ethtool;
use crate::nic::netlink::{
    Answer, Body, Family, Netlink, Subscription, Want, attributes, text, u16_at, u32_at, u64_at,
};
use crate::nic::numa;

pub use crate::nic::ethtool::Coalescing;
pub use crate::nic::guard::Guard;

const RTM_NEWLINK: u16 = 16;
const RTM_DELLINK: u16 = 17;
const RTM_GETLINK: u16 = 18;
const RTM_GETNEIGH: u16 = 30;
const RTMGRP_LINK: u32 = 1;

const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_LINK: u16 = 5;
const IFLA_MASTER: u16 = 10;
const IFLA_OPERSTATE: u16 = 16;
const IFLA_LINKINFO: u16 = 18;
const IFLA_STATS64: u16 = 23;
const IFLA_AF_SPEC: u16 = 26;
const AF_INET6: u16 = 10;
const IFLA_INET6_ADDR_GEN_MODE: u16 = 8;
const ADDR_GEN_MODE_NONE: u8 = 1;
const IFLA_NUM_TX_QUEUES: u16 = 31;
const IFLA_NUM_RX_QUEUES: u16 = 32;
const IFLA_CARRIER: u16 = 33;
const IFLA_LINK_NETNSID: u16 = 37;
const IFLA_PROP_LIST: u16 = 52;
const IFLA_ALT_IFNAME: u16 = 53;
const IFLA_PARENT_DEV_NAME: u16 = 56;
const IFLA_PARENT_DEV_BUS_NAME: u16 = 57;
const IFLA_INFO_KIND: u16 = 1;
const IFF_UP: u32 = 1;
const OPER_UP: u8 = 6;

const NDA_DST: u16 = 1;
const NDA_LLADDR: u16 = 2;
/// REACHABLE, STALE, DELAY, PROBE, PERMANENT: the states in which the MAC address is believed.
const NEIGHBOUR_BELIEVED: u16 = 0x02 | 0x04 | 0x08 | 0x10 | 0x80;

const CTRL_FAMILY: u16 = 0x10;
const CTRL_GET_FAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
const NETDEV_DEV_GET: u8 = 1;
const NETDEV_IFINDEX: u16 = 1;
const NETDEV_XDP_FEATURES: u16 = 3;
const XDP_FEATURE_ZEROCOPY: u64 = 1 << 3;

/// One network device of the namespace that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    pub index: u32,
    pub name: String,
    pub alt_names: Vec<String>,
    /// The kind of a virtual device, such as "veth" or "bond".
    pub kind: Option<String>,
    /// Zero where the device has none of six bytes.
    pub mac: [u8; 6],
    pub mtu: u32,
    /// Administratively up.
    pub up: bool,
    /// Up, and carrier seen.
    pub carrier: bool,
    /// Up in every respect: carrier seen and acted upon (RFC 2863 "up").
    pub operational: bool,
    pub driver: Option<String>,
    /// Queues the kernel holds; the driver may serve fewer, see `channels`.
    pub tx_queues: u32,
    pub rx_queues: u32,
    /// Queues that can transmit: (now, most), where the driver tells.
    pub channels: Option<(u32, u32)>,
    /// The NIC's own TX ring: (now, most) descriptors, where the driver tells.
    pub tx_ring: Option<(u32, u32)>,
    /// And its RX ring.
    pub rx_ring: Option<(u32, u32)>,
    /// Where the driver tells.
    pub coalescing: Option<Coalescing>,
    /// Bus and name of the hardware behind it, such as ("pci", "0000:03:00.0").
    pub parent: Option<(String, String)>,
    /// Memory node of that hardware, on machines with several.
    pub numa_node: Option<u32>,
    /// Mbit/s, where the driver tells.
    pub speed_mbps: Option<u32>,
    /// From the netdev family's xdp-features, where the kernel tells (6.3 and later).
    pub zero_copy: Option<bool>,
    /// Index of the device above (bond, bridge, team), and below (VLAN, macvlan).
    pub master: Option<u32>,
    pub lower: Option<u32>,
}

/// Counters of a device at about one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkCounters {
    pub rx_packets: u64,
    pub rx_bytes: u64,
    pub rx_dropped: u64,
    pub rx_errors: u64,
    pub tx_packets: u64,
    pub tx_bytes: u64,
    pub tx_dropped: u64,
    pub tx_errors: u64,
    pub carrier: bool,
}

/// The devices of one network namespace: the one it was opened in, wherever the thread goes later.
/// Every call asks the kernel anew and may wait while another program reconfigures a device.
pub struct Links {
    pub(in crate::nic) route: Netlink,
    ethtool: Ethtool,
    netdev: Option<NetdevFamily>,
}

struct NetdevFamily {
    netlink: Netlink,
    id: u16,
}

impl Links {
    pub fn open() -> io::Result<Self> {
        Ok(Self { route: Netlink::open(Family::Route)?, ethtool: Ethtool::open()?, netdev: NetdevFamily::open() })
    }

    pub fn list(&mut self) -> io::Result<Vec<Link>> {
        let mut links = self.bare_list()?;
        for link in &mut links {
            self.ask_driver(link);
        }
        Ok(links)
    }

    /// By its name or one of its alternative names.
    pub fn by_name(&mut self, name: &str) -> io::Result<Option<Link>> {
        let mut links = self.bare_list()?;
        let found = links
            .iter()
            .position(|link| link.name == name)
            .or_else(|| links.iter().position(|link| link.alt_names.iter().any(|alt| alt == name)));
        Ok(found.map(|at| {
            let mut link = links.swap_remove(at);
            self.ask_driver(&mut link);
            link
        }))
    }

    /// By index, which a renamed device keeps. `None`: no such device (any more).
    pub fn by_index(&mut self, index: u32) -> io::Result<Option<Link>> {
        let answer = self.get_link(index)?;
        Ok(answer.as_deref().and_then(parse_link).map(|mut link| {
            self.ask_driver(&mut link);
            link
        }))
    }

    /// `None`: the device is gone.
    pub fn counters(&mut self, index: u32) -> io::Result<Option<LinkCounters>> {
        let answer = self.get_link(index)?;
        Ok(answer.as_deref().and_then(parse_counters))
    }

    /// Counters of all devices, by index.
    pub fn all_counters(&mut self) -> io::Result<Vec<(u32, LinkCounters)>> {
        let answers = self.route.request(RTM_GETLINK, Want::All, &Body::new(&link_header(0, 0, 0)))?;
        let read = |answer: &Answer| Some((u32_at(&answer.body, 4)?, parse_counters(&answer.body)?));
        Ok(answers.iter().filter_map(read).collect())
    }

    /// The present name of a device, which may have been renamed. `None`: it is gone.
    pub fn name_of(&mut self, index: u32) -> io::Result<Option<String>> {
        let answer = self.get_link(index)?;
        Ok(answer.as_deref().and_then(parse_link).map(|link| link.name))
    }

    /// The kernel's neighbour table of one device: addresses and MACs it believes in.
    pub fn neighbours(&mut self, index: u32) -> io::Result<Vec<(IpAddr, [u8; 6])>> {
        let answers = self.route.request(RTM_GETNEIGH, Want::All, &Body::new(&[0; 12]))?;
        Ok(answers.iter().filter_map(|answer| parse_neighbour(&answer.body, index)).collect())
    }

    /// Sets a device administratively up or down. Needs CAP_NET_ADMIN.
    pub fn set_up(&mut self, index: u32, up: bool) -> io::Result<()> {
        let header = link_header(index, if up { IFF_UP } else { 0 }, IFF_UP);
        self.route.request(RTM_NEWLINK, Want::Change, &Body::new(&header)).map(drop)
    }

    /// Needs CAP_NET_ADMIN.
    pub fn set_mtu(&mut self, index: u32, mtu: u32) -> io::Result<()> {
        let mut body = Body::new(&link_header(index, 0, 0));
        body.put_u32(IFLA_MTU, mtu);
        self.route.request(RTM_NEWLINK, Want::Change, &body).map(drop)
    }

    /// Keeps IPv6 silent on a device that is not yet up: no address, so nothing to announce. For where the
    /// setting that turns it off cannot be written. Needs CAP_NET_ADMIN.
    pub fn set_no_ipv6_address(&mut self, index: u32) -> io::Result<()> {
        let mut body = Body::new(&link_header(index, 0, 0));
        body.nest(IFLA_AF_SPEC, |families| {
            families.nest(AF_INET6, |inet6| {
                inet6.put(IFLA_INET6_ADDR_GEN_MODE, &[ADDR_GEN_MODE_NONE]);
            });
        });
        self.route.request(RTM_NEWLINK, Want::Change, &body).map(drop)
    }

    /// Devices without the facts that each take a further system call.
    pub(in crate::nic) fn bare_list(&mut self) -> io::Result<Vec<Link>> {
        let answers = self.route.request(RTM_GETLINK, Want::All, &Body::new(&link_header(0, 0, 0)))?;
        Ok(answers.iter().filter_map(|answer| parse_link(&answer.body)).collect())
    }

    fn get_link(&mut self, index: u32) -> io::Result<Option<Vec<u8>>> {
        match self.route.request(RTM_GETLINK, Want::One, &Body::new(&link_header(index, 0, 0))) {
            Ok(answers) => Ok(answers.into_iter().next().map(|answer| answer.body)),
            Err(gone) if gone.raw_os_error() == Some(libc::ENODEV) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn ask_driver(&mut self, link: &mut Link) {
        link.driver = self.ethtool.driver(&link.name);
        [link.tx_ring, link.rx_ring] = self.ethtool.rings(&link.name);
        link.coalescing = self.ethtool.coalescing(&link.name);
        link.numa_node = link.parent.as_ref().and_then(|(bus, name)| numa::node_of(bus, name));
        link.channels = self.ethtool.channels(&link.name);
        link.speed_mbps = self.ethtool.speed_mbps(&link.name);
        link.zero_copy = self.netdev.as_mut().and_then(|netdev| netdev.zero_copy(link.index));
    }
}

impl NetdevFamily {
    /// `None` before kernel 6.3, which has no such family.
    fn open() -> Option<Self> {
        let mut netlink = Netlink::open(Family::Generic).ok()?;
        let mut body = Body::new(&[CTRL_GET_FAMILY, 1, 0, 0]);
        body.put_text(CTRL_ATTR_FAMILY_NAME, "netdev");
        let answers = netlink.request(CTRL_FAMILY, Want::One, &body).ok()?;
        let family = answers.first()?.body.get(4..)?;
        let id = attributes(family).find(|&(kind, _)| kind == CTRL_ATTR_FAMILY_ID)?.1;
        Some(Self { netlink, id: u16_at(id, 0)? })
    }

    fn zero_copy(&mut self, index: u32) -> Option<bool> {
        let mut body = Body::new(&[NETDEV_DEV_GET, 1, 0, 0]);
        body.put_u32(NETDEV_IFINDEX, index);
        let answers = self.netlink.request(self.id, Want::One, &body).ok()?;
        let device = answers.first()?.body.get(4..)?;
        let features = attributes(device).find(|&(kind, _)| kind == NETDEV_XDP_FEATURES)?.1;
        Some(u64_at(features, 0)? & XDP_FEATURE_ZEROCOPY != 0)
    }
}

/// Something about a device changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEvent {
    Changed(u32),
    Gone(u32),
    /// Events were lost: ask for everything anew.
    Missed,
}

/// Hears of changes of devices in the namespace it was opened in. Readable (its fd) when there are some.
pub struct LinkEvents {
    subscription: Subscription,
}

impl LinkEvents {
    pub fn open() -> io::Result<Self> {
        Ok(Self { subscription: Subscription::open(RTMGRP_LINK)? })
    }

    /// What has been heard since the last call; never waits.
    pub fn pending(&mut self) -> io::Result<Vec<LinkEvent>> {
        match self.subscription.pending() {
            Ok(heard) => Ok(heard.iter().filter_map(link_event).collect()),
            Err(full) if full.raw_os_error() == Some(libc::ENOBUFS) => Ok(vec![LinkEvent::Missed]),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for LinkEvents {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.subscription.as_fd()
    }
}

fn link_event(answer: &Answer) -> Option<LinkEvent> {
    let index = u32_at(&answer.body, 4)?;
    match answer.kind {
        RTM_NEWLINK => Some(LinkEvent::Changed(index)),
        RTM_DELLINK => Some(LinkEvent::Gone(index)),
        _ => None,
    }
}

/// `struct ifinfomsg`: family, type, index, flags, and which flags are meant.
pub(in crate::nic) fn link_header(index: u32, flags: u32, meant: u32) -> [u8; 16] {
    let mut header = [0; 16];
    header[4..8].copy_from_slice(&index.to_ne_bytes());
    header[8..12].copy_from_slice(&flags.to_ne_bytes());
    header[12..16].copy_from_slice(&meant.to_ne_bytes());
    header
}

fn parse_link(body: &[u8]) -> Option<Link> {
    let up = u32_at(body, 8)? & IFF_UP != 0;
    let mut link = Link { index: u32_at(body, 4)?, up, ..Link::default() };
    let mut elsewhere = false;
    let (mut bus, mut parent) = (None, None);
    for (kind, value) in attributes(body.get(16..)?) {
        match kind {
            IFLA_IFNAME => link.name = text(value),
            IFLA_ADDRESS => link.mac = value.try_into().unwrap_or_default(),
            IFLA_MTU => link.mtu = u32_at(value, 0)?,
            IFLA_LINK => link.lower = u32_at(value, 0),
            IFLA_LINK_NETNSID => elsewhere = true,
            IFLA_MASTER => link.master = u32_at(value, 0),
            IFLA_OPERSTATE => link.operational = value.first() == Some(&OPER_UP),
            IFLA_CARRIER => link.carrier = up && value.first() == Some(&1),
            IFLA_NUM_TX_QUEUES => link.tx_queues = u32_at(value, 0)?,
            IFLA_NUM_RX_QUEUES => link.rx_queues = u32_at(value, 0)?,
            IFLA_LINKINFO => link.kind = find_text(value, IFLA_INFO_KIND),
            IFLA_PROP_LIST => link.alt_names = alt_names(value),
            IFLA_PARENT_DEV_BUS_NAME => bus = Some(text(value)),
            IFLA_PARENT_DEV_NAME => parent = Some(text(value)),
            _ => {}
        }
    }
    // A pair's other end is no lower device, and an index of another namespace means nothing here.
    let paired = matches!(link.kind.as_deref(), Some("veth" | "netkit" | "vxcan"));
    if elsewhere || paired || link.lower == Some(link.index) || link.lower == Some(0) {
        link.lower = None;
    }
    link.parent = bus.zip(parent);
    Some(link)
}

fn find_text(bytes: &[u8], wanted: u16) -> Option<String> {
    attributes(bytes).find(|&(kind, _)| kind == wanted).map(|(_, value)| text(value))
}

fn alt_names(bytes: &[u8]) -> Vec<String> {
    attributes(bytes).filter(|&(kind, _)| kind == IFLA_ALT_IFNAME).map(|(_, value)| text(value)).collect()
}

fn parse_counters(body: &[u8]) -> Option<LinkCounters> {
    let carrier = parse_link(body)?.carrier;
    let (_, stats) = attributes(body.get(16..)?).find(|&(kind, _)| kind == IFLA_STATS64)?;
    // struct rtnl_link_stats64: rx and tx alternate: packets, bytes, errors, dropped.
    let at = |field: usize| u64_at(stats, field * 8);
    Some(LinkCounters {
        rx_packets: at(0)?,
        tx_packets: at(1)?,
        rx_bytes: at(2)?,
        tx_bytes: at(3)?,
        rx_errors: at(4)?,
        tx_errors: at(5)?,
        rx_dropped: at(6)?,
        tx_dropped: at(7)?,
        carrier,
    })
}

fn parse_neighbour(body: &[u8], index: u32) -> Option<(IpAddr, [u8; 6])> {
    // struct ndmsg: family, padding, index at 4, state at 8.
    if u32_at(body, 4)? != index || u16_at(body, 8)? & NEIGHBOUR_BELIEVED == 0 {
        return None;
    }
    let mut address = None;
    let mut mac = None;
    for (kind, value) in attributes(body.get(12..)?) {
        match kind {
            NDA_DST => address = ip_address(value),
            NDA_LLADDR => mac = <[u8; 6]>::try_from(value).ok(),
            _ => {}
        }
    }
    Some((address?, mac?))
}

/// An address as netlink carries it: four or sixteen bytes in network order.
pub(in crate::nic) fn ip_address(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => Some(IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?)),
        16 => Some(IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?)),
        _ => None,
    }
}
