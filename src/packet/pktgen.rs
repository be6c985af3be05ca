//! The header kernel pktgen puts in front of its payload, so its receivers work unchanged:
//! magic, sequence, seconds, microseconds (big-endian, 4 bytes each), then our 2 bytes of stream number.

use super::{checksum, frame::Stamp};

pub(super) const MAGIC: u32 = 0xbe9b_e955;
/// Bytes of pktgen's own header.
pub(super) const HEADER: usize = 16;
/// With the stream number.
pub(super) const WITH_STREAM: usize = HEADER + 2;

/// Writes the header at the start of the payload as far as there is room: with the stream number from 18 bytes on,
/// without it from 16, zeros below. Every one of the first 18 bytes is overwritten. Returns its sum.
#[inline]
pub(super) fn write(payload: &mut [u8], stamp: &Stamp) -> u64 {
    if let Some(head) = payload.first_chunk_mut::<WITH_STREAM>() {
        let sum = write_header(head, stamp);
        head[HEADER..].copy_from_slice(&stamp.stream.to_be_bytes());
        return sum + u64::from(stamp.stream);
    }
    let sum = if payload.len() >= HEADER { write_header(payload, stamp) } else { 0 };
    let from = if payload.len() >= HEADER { HEADER } else { 0 };
    payload[from..].fill(0);
    sum
}

/// `head` has at least 16 bytes.
#[inline]
fn write_header(head: &mut [u8], stamp: &Stamp) -> u64 {
    let first = u64::from(MAGIC) << 32 | u64::from(stamp.seq);
    let second = stamp.time.0;
    head[..8].copy_from_slice(&first.to_be_bytes());
    head[8..16].copy_from_slice(&second.to_be_bytes());
    checksum::weigh(first) + checksum::weigh(second)
}

/// Whole headers in a row: all but the sequence number is worked out once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    seq: u32,
    time: [u8; 8],
    stream: [u8; 2],
    /// What time and stream number add to a sum in network order.
    pub rest_sum: u64,
}

impl Header {
    #[inline]
    pub(super) fn new(first: &Stamp) -> Header {
        Header {
            seq: first.seq,
            time: first.time.0.to_be_bytes(),
            stream: first.stream.to_be_bytes(),
            rest_sum: checksum::plus(first.time.0.to_be(), u64::from(first.stream.to_be())),
        }
    }

    /// Writes the header `nth` of the row; returns what magic and sequence number add to a sum in network order.
    #[inline(always)]
    pub(super) fn write(&self, head: &mut [u8; WITH_STREAM], nth: u32) -> u64 {
        let first = (u64::from(MAGIC) << 32 | u64::from(self.seq.wrapping_add(nth))).to_be();
        head[..8].copy_from_slice(&first.to_ne_bytes());
        head[8..16].copy_from_slice(&self.time);
        head[16..].copy_from_slice(&self.stream);
        first
    }
}
