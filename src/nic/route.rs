//! Addresses and routes of a namespace: which device leads where, and by whose MAC address.

use std::io;
use std::net::IpAddr;

use crate::nic::link::{Links, ip_address};
use crate::nic::netlink::{Body, Want, attributes, u32_at};

const RTM_GETADDR: u16 = 22;
const RTM_GETROUTE: u16 = 26;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const RTA_DST: u16 = 1;
const RTA_OIF: u16 = 4;
const RTA_GATEWAY: u16 = 5;
const RTA_MULTIPATH: u16 = 9;
const RTN_UNICAST: u8 = 1;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;

impl Links {
    /// Devices that any default route leaves by, of either IP version.
    pub(in crate::nic) fn default_routes(&mut self) -> io::Result<Vec<u32>> {
        let mut devices = Vec::new();
        for family in [AF_INET, AF_INET6] {
            let answers = match self.route.request(RTM_GETROUTE, Want::All, &Body::new(&route_header(family, 0))) {
                Ok(answers) => answers,
                // A kernel without IPv6.
                Err(absent) if family == AF_INET6 && absent.raw_os_error() == Some(libc::EOPNOTSUPP) => continue,
                Err(error) => return Err(error),
            };
            devices.extend(answers.iter().flat_map(|answer| default_route_devices(&answer.body)));
        }
        Ok(devices)
    }

    /// (device, address) of every address of the namespace.
    pub(in crate::nic) fn addresses(&mut self) -> io::Result<Vec<(u32, IpAddr)>> {
        let answers = self.route.request(RTM_GETADDR, Want::All, &Body::new(&[0; 8]))?;
        Ok(answers.iter().filter_map(|answer| parse_address(&answer.body)).collect())
    }

    /// The device by which the kernel would send to `peer`; `None` without a route.
    pub fn device_towards(&mut self, peer: IpAddr) -> Option<u32> {
        route_devices(self.route_to(peer, None)?.get(12..)?).first().copied()
    }

    /// Whose MAC address a packet to `peer` bears when it leaves by `device`: the gateway's, else the peer's
    /// own. Without a route that way the peer is taken to be on the link, as the kernel does.
    pub fn next_hop(&mut self, peer: IpAddr, device: u32) -> IpAddr {
        let gateway = |route: Vec<u8>| {
            let (_, value) = attributes(route.get(12..)?).find(|&(kind, _)| kind == RTA_GATEWAY)?;
            ip_address(value)
        };
        self.route_to(peer, Some(device)).and_then(gateway).unwrap_or(peer)
    }

    fn route_to(&mut self, peer: IpAddr, device: Option<u32>) -> Option<Vec<u8>> {
        let (family, bits, bytes) = match peer {
            IpAddr::V4(address) => (AF_INET, 32, address.octets().to_vec()),
            IpAddr::V6(address) => (AF_INET6, 128, address.octets().to_vec()),
        };
        let mut body = Body::new(&route_header(family, bits));
        body.put(RTA_DST, &bytes);
        if let Some(device) = device {
            body.put_u32(RTA_OIF, device);
        }
        let answers = self.route.request(RTM_GETROUTE, Want::One, &body).ok()?;
        answers.into_iter().next().map(|answer| answer.body)
    }
}

/// `struct rtmsg` with the family and the length of the destination prefix.
fn route_header(family: u8, prefix_bits: u8) -> [u8; 12] {
    let mut header = [0; 12];
    header[0] = family;
    header[1] = prefix_bits;
    header
}

/// The devices of a default route of any table. A prefix of one bit counts too: VPNs cover the default route
/// with a pair of halves instead of replacing it.
fn default_route_devices(body: &[u8]) -> Vec<u32> {
    let (Some(&prefix_bits), Some(&kind), Some(rest)) = (body.get(1), body.get(7), body.get(12..)) else {
        return Vec::new();
    };
    if prefix_bits > 1 || kind != RTN_UNICAST { Vec::new() } else { route_devices(rest) }
}

/// The devices a route leaves by: its own, and those of its several next hops.
fn route_devices(bytes: &[u8]) -> Vec<u32> {
    let mut devices = Vec::new();
    for (kind, value) in attributes(bytes) {
        match kind {
            RTA_OIF => devices.extend(u32_at(value, 0)),
            RTA_MULTIPATH => devices.extend(next_hop_devices(value)),
            _ => {}
        }
    }
    devices
}

/// `struct rtnexthop`, repeated: length (16 bits), flags, hops, device.
fn next_hop_devices(mut bytes: &[u8]) -> Vec<u32> {
    let mut devices = Vec::new();
    while let (Some(device), Some(&[low, high])) = (u32_at(bytes, 4), bytes.first_chunk::<2>()) {
        devices.push(device);
        let length = usize::from(u16::from_ne_bytes([low, high])).max(8).next_multiple_of(4);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    devices
}

fn parse_address(body: &[u8]) -> Option<(u32, IpAddr)> {
    // struct ifaddrmsg: family, prefix, flags, scope, device. On a point-to-point device ADDRESS is the peer's.
    let device = u32_at(body, 4)?;
    let given: Vec<_> = attributes(body.get(8..)?).collect();
    let wanted = |kind: u16| given.iter().find(|&&(is, _)| is == kind).and_then(|(_, value)| ip_address(value));
    Some((device, wanted(IFA_LOCAL).or_else(|| wanted(IFA_ADDRESS))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_hops_are_walked_and_a_length_of_zero_ends() {
        let mut hops = Vec::new();
        for device in [5u32, 9] {
            hops.extend_from_slice(&16u16.to_ne_bytes());
            hops.extend_from_slice(&[0, 0]);
            hops.extend_from_slice(&device.to_ne_bytes());
            hops.extend_from_slice(&[0; 8]);
        }
        assert_eq!(next_hop_devices(&hops), [5, 9]);
        assert_eq!(next_hop_devices(&[0; 16]), [0, 0]);
    }
}
