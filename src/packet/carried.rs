//! What stands behind an IP header: which protocol it is, and which rules its checksum and length follow.

use super::checksum;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Udp,
    Tcp,
    Icmp,
    Icmpv6,
}

impl Protocol {
    /// As IP says it.
    pub(super) fn number(self) -> u8 {
        match self {
            Protocol::Udp => 17,
            Protocol::Tcp => 6,
            Protocol::Icmp => 1,
            Protocol::Icmpv6 => 58,
        }
    }

    /// Bytes in front of the checksum.
    fn checksum_at(self) -> usize {
        match self {
            Protocol::Udp => 6,
            Protocol::Tcp => 16,
            Protocol::Icmp | Protocol::Icmpv6 => 2,
        }
    }

    /// Whether addresses, length and protocol are summed too; ICMP (RFC 792) alone sums itself only.
    pub(super) fn has_pseudo_header(self) -> bool {
        self != Protocol::Icmp
    }
}

/// Where that header lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Carried {
    pub protocol: Protocol,
    pub at: usize,
}

impl Carried {
    pub(super) fn checksum_at(&self) -> usize {
        self.at + self.protocol.checksum_at()
    }

    /// UDP alone has a length of its own.
    pub(super) fn length_at(&self) -> Option<usize> {
        (self.protocol == Protocol::Udp).then_some(self.at + 4)
    }

    /// Writes the length of a frame of `out.len()` bytes; returns what it adds to the checksum: it stands in the pseudo
    /// header, and in UDP's own too.
    pub(super) fn put_length(&self, out: &mut [u8]) -> u64 {
        let length = (out.len() - self.at) as u16;
        if let Some(at) = self.length_at() {
            out[at..at + 2].copy_from_slice(&length.to_be_bytes());
            return 2 * u64::from(length);
        }
        if self.protocol.has_pseudo_header() { u64::from(length) } else { 0 }
    }

    /// The checksum that belongs to a sum.
    pub(super) fn finish(&self, sum: u64) -> u16 {
        match self.protocol {
            Protocol::Udp => checksum::finish_udp(sum),
            _ => checksum::finish(sum),
        }
    }
}
