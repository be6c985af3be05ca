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
    header: Option<usize>,
    ip_checksum: Option<usize>,
    udp_checksum: Option<usize>,
    sums: Sums,
}

impl Swift {
    /// `None` where the long way is needed.
    pub(super) fn of(frame: &Frame) -> Option<Self> {
        let len = frame.fixed_len()?;
        let whole = frame.pktgen.is_none_or(|at| len - at >= pktgen::WITH_STREAM);
        // Other checksums than UDP's and payloads of random bytes are the long way's.
        let common = frame.lengths.is_none() && frame.carried.is_none() && frame.filler.is_none();
        (whole && common && frame.patches.are_common()).then_some(Self {
            mark: frame.id << LEN_BITS | len as u64,
            header: frame.pktgen,
            ip_checksum: frame.ip_checksum,
            udp_checksum: frame.udp_checksum,
            sums: frame.sums,
        })
    }
}

/// How many builds are finished together: the usual burst.
const TOGETHER: usize = 32;

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
    ///
    /// # Panics
    /// When a memory is not as long as the frame.
    #[inline]
    pub fn finish(&self, first: u32, memories: &mut [&mut [u8]]) {
        if self.frame.patches.is_empty() {
            return self.finish_still(first, memories);
        }
        for (part, memories) in memories.chunks_mut(TOGETHER).enumerate() {
            self.finish_patched(first + (part * TOGETHER) as u32, memories);
        }
    }

    /// Where no field varies, nothing is left but the header.
    #[inline]
    fn finish_still(&self, first: u32, memories: &mut [&mut [u8]]) {
        let Some(at) = self.swift.header else { return };
        for (memory, nth) in memories.iter_mut().zip(first..) {
            let sum = self.header.write(head(memory, at), nth);
            if let Some(at) = self.swift.udp_checksum {
                let sum = checksum::plus(checksum::plus(self.swift.sums.udp, sum), self.header.rest_sum);
                put(memory, at, checksum::finish_udp(sum));
            }
        }
    }

    #[inline]
    fn finish_patched(&self, first: u32, memories: &mut [&mut [u8]]) {
        let mut sums = [self.swift.sums; TOGETHER];
        let k = self.k.wrapping_add(u64::from(first).wrapping_mul(self.step));
        self.frame.patches.apply_common(memories, k, self.step, &mut sums);
        let Swift { header, ip_checksum, udp_checksum, .. } = self.swift;
        for ((memory, sums), nth) in memories.iter_mut().zip(&sums).zip(first..) {
            let mut sum = sums.udp;
            if let Some(at) = header {
                let first = self.header.write(head(memory, at), nth);
                sum = checksum::plus(checksum::plus(sum, first), self.header.rest_sum);
            }
            if let Some(at) = ip_checksum {
                put(memory, at, checksum::finish(sums.ip));
            }
            if let Some(at) = udp_checksum {
                put(memory, at, checksum::finish_udp(sum));
            }
        }
    }
}

#[inline(always)]
fn head(memory: &mut [u8], at: usize) -> &mut [u8; pktgen::WITH_STREAM] {
    match memory[at..].first_chunk_mut() {
        Some(head) => head,
        None => panic!("a memory shorter than its frame"),
    }
}

#[inline(always)]
fn put(memory: &mut [u8], at: usize, checksum: u16) {
    memory[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}
