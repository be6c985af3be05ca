//! What only a device's driver knows, asked through the ethtool ioctl. Drivers may answer nothing.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType};

use crate::nic::netlink::text;

const SIOCETHTOOL: u32 = 0x8946;
const ETHTOOL_GSET: u32 = 0x01;
const ETHTOOL_GDRVINFO: u32 = 0x03;
const ETHTOOL_GCOALESCE: u32 = 0x0e;
const ETHTOOL_GRINGPARAM: u32 = 0x10;
const ETHTOOL_GCHANNELS: u32 = 0x3c;
const SPEED_UNKNOWN: u32 = u32::MAX;
/// IFNAMSIZ, closing zero included.
const NAME_BYTES: usize = 16;

/// Interrupt coalescing of a device; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coalescing {
    pub rx_usecs: u32,
    pub rx_frames: u32,
    pub tx_usecs: u32,
    pub tx_frames: u32,
    pub adaptive_rx: bool,
    pub adaptive_tx: bool,
}

/// `struct ifreq`: a name and a union of 24 bytes (16 on 32-bit machines), of which only the pointer is used.
#[repr(C)]
struct Request {
    name: [u8; NAME_BYTES],
    data: *mut c_void,
    rest_of_union: [usize; 2],
}

/// A socket to ask through; it belongs to the network namespace it was opened in.
pub(crate) struct Ethtool {
    socket: OwnedFd,
}

impl Ethtool {
    pub fn open() -> io::Result<Self> {
        let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
        Ok(Self { socket })
    }

    /// The driver's name, such as "veth".
    pub fn driver(&self, device: &str) -> Option<String> {
        // struct ethtool_drvinfo: command, driver[32], then 160 bytes of other facts.
        let answer = self.ask::<49>(device, ETHTOOL_GDRVINFO)?;
        let bytes: Vec<u8> = answer[1..9].iter().flat_map(|word| word.to_ne_bytes()).collect();
        Some(text(&bytes)).filter(|name| !name.is_empty())
    }

    /// The rings of the device itself, TX and RX: (now, most) descriptors.
    pub fn rings(&self, device: &str) -> [Option<(u32, u32)>; 2] {
        // struct ethtool_ringparam: command, four maxima (rx, mini, jumbo, tx), four present values.
        let Some(answer) = self.ask::<9>(device, ETHTOOL_GRINGPARAM) else { return [None; 2] };
        let ring = |now: usize, most: usize| Some((answer[now], answer[most])).filter(|&(_, most)| most > 0);
        [ring(8, 4), ring(5, 1)]
    }

    /// How long the device gathers packets before it interrupts.
    pub fn coalescing(&self, device: &str) -> Option<Coalescing> {
        // struct ethtool_coalesce: command, then 22 words, of which the first eleven are asked for most.
        let answer = self.ask::<23>(device, ETHTOOL_GCOALESCE)?;
        Some(Coalescing {
            rx_usecs: answer[1],
            rx_frames: answer[2],
            tx_usecs: answer[5],
            tx_frames: answer[6],
            adaptive_rx: answer[10] != 0,
            adaptive_tx: answer[11] != 0,
        })
    }

    /// Queues that can transmit: (now, most).
    pub fn channels(&self, device: &str) -> Option<(u32, u32)> {
        // struct ethtool_channels: command, four maxima (rx, tx, other, combined), four present values.
        let answer = self.ask::<9>(device, ETHTOOL_GCHANNELS)?;
        let now = answer[6].saturating_add(answer[8]);
        let most = answer[2].saturating_add(answer[4]);
        Some((now, most)).filter(|&(_, most)| most > 0)
    }

    /// Link speed in Mbit/s, while there is a link.
    pub fn speed_mbps(&self, device: &str) -> Option<u32> {
        // struct ethtool_cmd: the low 16 bits of the speed at byte 12, the high ones at byte 28. Kernels
        // since 4.6 translate it from the newer query, whose masks would take a second round.
        let answer = self.ask::<11>(device, ETHTOOL_GSET)?;
        let half = |word: u32, byte: usize| {
            u32::from(u16::from_ne_bytes([word.to_ne_bytes()[byte], word.to_ne_bytes()[byte + 1]]))
        };
        let speed = half(answer[7], 0) << 16 | half(answer[3], 0);
        Some(speed).filter(|&speed| speed != SPEED_UNKNOWN && speed != 0 && speed != u32::from(u16::MAX))
    }

    /// One question. `WORDS` is the length of the command's answer structure in 32-bit words.
    fn ask<const WORDS: usize>(&self, device: &str, command: u32) -> Option<[u32; WORDS]> {
        let mut name = [0; NAME_BYTES];
        if device.len() >= NAME_BYTES {
            return None;
        }
        name[..device.len()].copy_from_slice(device.as_bytes());
        let mut answer = [0u32; WORDS];
        answer[0] = command;
        let mut request = Request { name, data: answer.as_mut_ptr().cast(), rest_of_union: [0; 2] };
        // SAFETY: `request` has the layout and at least the size of `struct ifreq`; its pointer leads to
        // `WORDS` words that outlive the call, and each caller gives its command's exact structure length.
        let result = unsafe { libc::ioctl(self.socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) };
        (result == 0).then_some(answer)
    }
}
