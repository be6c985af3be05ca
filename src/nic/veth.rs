//! Makes a pair of virtual Ethernet devices whose far end is born in another network namespace.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::nic::link::{Links, link_header};
use crate::nic::netlink::{Body, Want};

const RTM_NEWLINK: u16 = 16;
const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
const IFLA_LINKINFO: u16 = 18;
const IFLA_NET_NS_FD: u16 = 28;
const IFLA_NUM_TX_QUEUES: u16 = 31;
const IFLA_NUM_RX_QUEUES: u16 = 32;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;
const VETH_INFO_PEER: u16 = 1;

/// One end of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VethEnd<'a> {
    pub name: &'a str,
    pub mac: [u8; 6],
}

impl Links {
    /// Makes the pair, both ends down, with `queues` transmit and receive queues each. Needs CAP_NET_ADMIN in
    /// both namespaces. EOPNOTSUPP: the kernel has no veth.
    pub fn create_veth(&mut self, near: VethEnd, far: VethEnd, far_net: BorrowedFd, queues: u32) -> io::Result<()> {
        let mut body = Body::new(&link_header(0, 0, 0));
        put_end(&mut body, near, queues);
        body.nest(IFLA_LINKINFO, |info| {
            info.put_text(IFLA_INFO_KIND, "veth").nest(IFLA_INFO_DATA, |data| {
                data.nest(VETH_INFO_PEER, |peer| {
                    peer.raw(&link_header(0, 0, 0));
                    put_end(peer, far, queues);
                    peer.put_u32(IFLA_NET_NS_FD, far_net.as_raw_fd().cast_unsigned());
                });
            });
        });
        self.route.request(RTM_NEWLINK, Want::Create, &body).map(drop)
    }
}

fn put_end(body: &mut Body, end: VethEnd, queues: u32) {
    body.put_text(IFLA_IFNAME, end.name)
        .put(IFLA_ADDRESS, &end.mac)
        .put_u32(IFLA_NUM_TX_QUEUES, queues)
        .put_u32(IFLA_NUM_RX_QUEUES, queues);
}
