//! A frame's size and the length fields that follow it.

use std::sync::Arc;

use super::{
    capture::Reel,
    carried::Carried,
    checksum,
    field::Sums,
    header::{Headers, IpAt},
    vary::{Narrow, Vary},
};

/// Longest frame a profile may ask for: the length fields of IP and UDP hold 16 bits.
pub(super) const LONGEST: usize = 65535;

/// Bytes of a frame without FCS.
#[derive(Debug, Clone)]
pub(super) enum Size {
    Fixed(usize),
    /// `mean` where it is exact over a few builds, as of a mix.
    Varies {
        bytes: Narrow,
        shortest: usize,
        longest: usize,
        mean: Option<f64>,
    },
    /// As captured.
    Recorded(Arc<Reel>),
}

impl Size {
    #[inline]
    pub(super) fn at(&self, k: u64) -> usize {
        match self {
            Size::Fixed(bytes) => *bytes,
            Size::Varies { bytes, .. } => bytes.at(k) as usize,
            Size::Recorded(reel) => reel.len(k),
        }
    }

    pub(super) fn shortest(&self) -> usize {
        match self {
            Size::Fixed(bytes) => *bytes,
            Size::Varies { shortest, .. } => *shortest,
            Size::Recorded(reel) => reel.shortest(),
        }
    }

    pub(super) fn longest(&self) -> usize {
        match self {
            Size::Fixed(bytes) => *bytes,
            Size::Varies { longest, .. } => *longest,
            Size::Recorded(reel) => reel.longest(),
        }
    }
}

/// What must be written and summed anew when the size changes.
#[derive(Debug, Clone)]
pub(super) struct Lengths {
    ip: Option<IpAt>,
    carried: Option<Carried>,
    payload: usize,
    /// Sum of the first n payload bytes, for every n; empty when the constant payload is all zeros.
    payload_sums: Box<[u32]>,
}

impl Lengths {
    pub(super) fn of(headers: &Headers, payload: &[u8]) -> Lengths {
        let zeros = payload.iter().all(|byte| *byte == 0);
        Lengths {
            ip: headers.ip,
            carried: headers.carried,
            payload: headers.bytes.len(),
            payload_sums: if zeros { Box::default() } else { prefix_sums(payload) },
        }
    }

    /// Writes the length fields of a frame of `out.len()` bytes and adds what the size adds to the sums: the IPv4
    /// length, that of the header behind and the constant payload.
    #[inline]
    pub(super) fn apply(&self, out: &mut [u8], sums: &mut Sums) {
        let len = out.len();
        match self.ip {
            Some(IpAt::V4(at)) => {
                let total = (len - at) as u16;
                out[at + 2..at + 4].copy_from_slice(&total.to_be_bytes());
                sums.ip = checksum::plus(sums.ip, u64::from(total));
            }
            Some(IpAt::V6(at)) => out[at + 4..at + 6].copy_from_slice(&((len - at - 40) as u16).to_be_bytes()),
            None => {}
        }
        if let Some(carried) = &self.carried {
            sums.udp = checksum::plus(sums.udp, carried.put_length(out));
        }
        sums.udp = checksum::plus(sums.udp, u64::from(self.payload_sums.get(len - self.payload).copied().unwrap_or(0)));
    }

    /// Where the length fields lie.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        let ip = self.ip.map(|ip| match ip {
            IpAt::V4(at) => at + 2,
            IpAt::V6(at) => at + 4,
        });
        ip.into_iter().chain(self.carried.and_then(|carried| carried.length_at()))
    }
}

fn prefix_sums(payload: &[u8]) -> Box<[u32]> {
    let mut sum = 0;
    let sums = payload.iter().enumerate().map(|(i, byte)| {
        sum += if i % 2 == 0 { u32::from(*byte) << 8 } else { u32::from(*byte) };
        sum
    });
    std::iter::once(0).chain(sums).collect()
}

#[cfg(test)]
mod tests {
    use super::prefix_sums;
    use crate::packet::checksum::sum;

    #[test]
    fn a_prefix_sum_is_the_sum_of_the_prefix() {
        let payload: Vec<u8> = (0..=255).rev().collect();
        let sums = prefix_sums(&payload);
        for n in 0..=payload.len() {
            assert_eq!(u64::from(sums[n]), sum(&payload[..n]), "{n} bytes");
        }
    }
}
