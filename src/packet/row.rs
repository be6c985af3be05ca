//! Builds in a row: what is the same for a whole burst is worked out once, and a packet costs what differs.
//!
//! A row knows frames of one length with the two commonest kinds of patches at most. Everything else goes the long way,
//! [`Frame::write`].

use super::{
    checksum,
    field::Sums,
    frame::{Frame, LEN_BITS, Stamp},
    pktgen::{self, Header},
};

/// What a row needs of a frame, found out when it is compiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swift {
    /// What the memory must hold.
    mark: u64,
    /// Where a whole pktgen header goes.
    header: Option<u8>,
    ip_checksum: Option<u8>,
    udp_checksum: Option<u8>,
    /// Of all that is the same in every build, in network order.
    sums: Sums,
}

impl Swift {
    /// `None` where the long way is needed.
    pub(super) fn of(frame: &Frame) -> Option<Self> {
        let len = frame.fixed_len()?;
        let whole = frame.pktgen.is_none_or(|at| len - at >= pktgen::WITH_STREAM);
        // Other checksums than UDP's and payloads of random bytes are the long way's.
        let common = frame.lengths.is_none() && frame.carried.is_none() && frame.filler.is_none();
        let near = |at: Option<usize>| at.map(u8::try_from).transpose().ok();
        let Sums { ip, udp } = frame.sums;
        let mut sums = Sums { ip: checksum::in_network_order(ip), udp: checksum::in_network_order(udp) };
        frame.patches.weigh_common(&mut sums);
        (whole && common && frame.patches.are_common()).then_some(Self {
            mark: frame.id << LEN_BITS | len as u64,
            header: near(frame.pktgen)?,
            ip_checksum: near(frame.ip_checksum)?,
            udp_checksum: near(frame.udp_checksum)?,
            sums,
        })
    }
}

/// The beginning of a packet's memory: whatever begins at an offset of one byte and is no longer than a pktgen header lies
/// in it. The compiler sees that and checks no bound (30 instructions a packet of four fields).
pub type Head = [u8; 256 + pktgen::WITH_STREAM];

/// How many builds are finished together: the usual burst.
const TOGETHER: usize = 32;

/// The running sums of the builds that are finished together, one beside the other, in network order.
pub(super) struct Columns {
    pub ip: [u64; TOGETHER],
    pub udp: [u64; TOGETHER],
}

/// Builds `first.k`, `first.k + step`, … of one frame, each sent once.
///
/// Column by column: each patch goes over all packets of a burst before the next one does, so what it needs stays in
/// registers (143 instead of 224 instructions a packet with three fields and two checksums).
pub struct Row<'a> {
    swift: Swift,
    frame: &'a Frame,
    header: Header,
    k: u64,
    step: u64,
}

impl Frame {
    /// `None` where the long way is needed.
    #[inline]
    pub fn row(&self, first: &Stamp, step: u64) -> Option<Row<'_>> {
        let swift = self.swift?;
        Some(Row { swift, frame: self, header: Header::new(first), k: first.k, step })
    }
}

impl Row<'_> {
    /// Makes the memory hold the template; `held` is what it remembers. Then [`Row::finish`] makes a build of it.
    #[inline(always)]
    pub fn begin(&self, memory: &mut [u8], held: &mut u64) {
        if *held != self.swift.mark {
            self.frame.restore(memory, held);
        }
    }

    /// Makes the builds `first`, `first + 1`, … of the row of memories that hold the template.
    #[inline]
    pub fn finish(&self, first: u32, heads: &mut [&mut Head]) {
        for (part, heads) in heads.chunks_mut(TOGETHER).enumerate() {
            self.finish_part(first + (part * TOGETHER) as u32, heads);
        }
    }

    #[inline(always)]
    fn finish_part(&self, first: u32, heads: &mut [&mut Head]) {
        if self.frame.patches.is_empty() && self.swift.udp_checksum.is_none() {
            return self.put_headers(first, heads);
        }
        let Sums { ip, udp } = self.swift.sums;
        let udp = if self.swift.header.is_some() { checksum::plus(udp, self.header.rest_sum) } else { udp };
        let mut sums = Columns { ip: [ip; TOGETHER], udp: [udp; TOGETHER] };
        let k = self.k.wrapping_add(u64::from(first).wrapping_mul(self.step));
        self.frame.patches.apply_common(heads, k, self.step, &mut sums);
        let sums = sums.ip.iter().zip(&sums.udp);
        // A loop for each of the usual cases, without a branch on what there is to write.
        match self.swift {
            Swift { ip_checksum: None, udp_checksum: None, .. } => self.put_headers(first, heads),
            Swift { header: Some(header), ip_checksum: Some(ip), udp_checksum: Some(udp), .. } => {
                heads.iter_mut().zip(sums).zip(first..).for_each(|((head, sums), nth)| {
                    let sum = checksum::plus(*sums.1, self.header.write(from(head, header), nth));
                    put(head, ip, checksum::finish(*sums.0));
                    put(head, udp, checksum::finish_udp(sum));
                });
            }
            Swift { header, ip_checksum, udp_checksum, .. } => {
                heads.iter_mut().zip(sums).zip(first..).for_each(|((head, sums), nth)| {
                    let more = header.map_or(0, |at| self.header.write(from(head, at), nth));
                    ip_checksum.into_iter().for_each(|at| put(head, at, checksum::finish(*sums.0)));
                    let sum = checksum::plus(*sums.1, more);
                    udp_checksum.into_iter().for_each(|at| put(head, at, checksum::finish_udp(sum)));
                });
            }
        }
    }

    /// Where no checksum differs.
    #[inline(always)]
    fn put_headers(&self, first: u32, heads: &mut [&mut Head]) {
        if let Some(at) = self.swift.header {
            heads.iter_mut().zip(first..).for_each(|(head, nth)| _ = self.header.write(from(head, at), nth));
        }
    }
}

#[inline(always)]
fn from<const N: usize>(head: &mut Head, at: u8) -> &mut [u8; N] {
    const { assert!(N <= pktgen::WITH_STREAM) };
    let Some(bytes) = head[usize::from(at)..].first_chunk_mut() else {
        unreachable!("a byte's offset and N bytes more")
    };
    bytes
}

#[inline(always)]
fn put(head: &mut Head, at: u8, checksum: u16) {
    *from(head, at) = checksum.to_ne_bytes();
}
