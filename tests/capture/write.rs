//! Writes captures, by the descriptions of the formats and nothing of the program's own.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

/// One record to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    pub at_ns: u64,
    pub bytes: Vec<u8>,
    /// What the file says its length was.
    pub wire: u32,
}

impl Packet {
    pub fn new(at_ns: u64, bytes: Vec<u8>) -> Packet {
        let wire = bytes.len() as u32;
        Packet { at_ns, bytes, wire }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classic {
    pub big: bool,
    pub nano: bool,
    pub link: u32,
}

pub const MICRO: Classic = Classic { big: false, nano: false, link: 1 };

pub fn u16_of(big: bool, number: u16) -> [u8; 2] {
    if big { number.to_be_bytes() } else { number.to_le_bytes() }
}

pub fn u32_of(big: bool, number: u32) -> [u8; 4] {
    if big { number.to_be_bytes() } else { number.to_le_bytes() }
}

pub fn pcap(how: Classic, packets: &[Packet]) -> Vec<u8> {
    let Classic { big, nano, link } = how;
    let mut out = Vec::new();
    out.extend(u32_of(big, if nano { 0xa1b2_3c4d } else { 0xa1b2_c3d4 }));
    out.extend(u16_of(big, 2));
    out.extend(u16_of(big, 4));
    [0, 0, 262_144, link].iter().for_each(|word| out.extend(u32_of(big, *word)));
    for packet in packets {
        let part = (packet.at_ns % 1_000_000_000) as u32;
        let part = if nano { part } else { part / 1000 };
        let words = [(packet.at_ns / 1_000_000_000) as u32, part, packet.bytes.len() as u32, packet.wire];
        words.iter().for_each(|word| out.extend(u32_of(big, *word)));
        out.extend(&packet.bytes);
    }
    out
}

/// A block with its length before and behind.
pub fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let total = body.len().next_multiple_of(4) as u32 + 12;
    let mut out = Vec::new();
    out.extend(u32_of(big, kind));
    out.extend(u32_of(big, total));
    out.extend(body);
    out.resize(total as usize - 4, 0);
    out.extend(u32_of(big, total));
    out
}

pub fn section(big: bool) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(u32_of(big, 0x1a2b_3c4d));
    body.extend(u16_of(big, 1));
    body.extend(u16_of(big, 0));
    body.extend([0xff; 8]);
    block(big, 0x0a0d_0d0a, &body)
}

/// An interface whose clock has this resolution; with a name among its options.
pub fn interface(big: bool, link: u16, resolution: u8) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(u16_of(big, link));
    body.extend([0; 2]);
    body.extend(u32_of(big, 0));
    body.extend(u16_of(big, 2));
    body.extend(u16_of(big, 5));
    body.extend(b"eth0\0\0\0\0");
    body.extend(u16_of(big, 9));
    body.extend(u16_of(big, 1));
    body.extend([resolution, 0, 0, 0]);
    body.extend([0; 4]);
    block(big, 1, &body)
}

/// With a comment, as people write them.
pub fn enhanced(big: bool, interface: u32, ticks: u64, packet: &Packet) -> Vec<u8> {
    let mut body = Vec::new();
    let words = [interface, (ticks >> 32) as u32, ticks as u32, packet.bytes.len() as u32, packet.wire];
    words.iter().for_each(|word| body.extend(u32_of(big, *word)));
    body.extend(&packet.bytes);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(u16_of(big, 1));
    body.extend(u16_of(big, 3));
    body.extend(b"odd\0");
    body.extend([0; 4]);
    block(big, 6, &body)
}

/// Two interfaces with clocks of their own, packets in turn on either, other blocks between them.
pub fn pcapng(big: bool, packets: &[Packet]) -> Vec<u8> {
    let mut out = section(big);
    out.extend(interface(big, 1, 9));
    out.extend(interface(big, 1, 6));
    for (number, packet) in packets.iter().enumerate() {
        let (interface, ticks) = match number % 2 {
            0 => (0, packet.at_ns),
            _ => (1, packet.at_ns / 1000),
        };
        out.extend(enhanced(big, interface, ticks, packet));
        // Interface statistics, which nobody needs here.
        out.extend(block(big, 5, &[0; 12]));
    }
    out
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("in memory");
    out.finish().expect("in memory")
}

/// An Ethernet frame of `len` bytes that tells its number.
pub fn frame(len: usize, number: u32) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5];
    bytes.extend(number.to_be_bytes());
    bytes.extend((0..).map(|at: u32| (at ^ number) as u8).take(len.saturating_sub(18)));
    bytes.truncate(len);
    bytes
}

/// With the FCS that a capture of some cards has.
pub fn with_fcs(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in &bytes {
        crc ^= u32::from(*byte);
        (0..8).for_each(|_| crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 });
    }
    bytes.extend((!crc).to_le_bytes());
    bytes
}
