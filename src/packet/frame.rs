//! A compiled flow's frames: a template, the patches that turn it into build `k`, and the checksums over both.

use std::ops::Range;

use super::{
    capture::Reel,
    carried::Carried,
    checksum,
    distinct::Variety,
    field::Sums,
    filler::Filler,
    patch::Patches,
    pktgen,
    row::Swift,
    size::{Lengths, Size},
};

/// How one flow's frames are made.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Never 0 and never given twice in a process; with a length it makes the mark of [`Frame::write`].
    pub(super) id: u64,
    /// The longest frame, with zeros where patches write.
    pub(super) template: Box<[u8]>,
    pub(super) patches: Patches,
    pub(super) size: Size,
    /// `Some` when the size varies; else the template holds the lengths already.
    pub(super) lengths: Option<Lengths>,
    /// Where a pktgen header goes.
    pub(super) pktgen: Option<usize>,
    /// Sums of all that never changes.
    pub(super) sums: Sums,
    /// Where checksums go that differ from build to build; the others are in the template.
    pub(super) ip_checksum: Option<usize>,
    pub(super) udp_checksum: Option<usize>,
    /// A header behind IP other than UDP, whose checksum differs from build to build.
    pub(super) carried: Option<Carried>,
    /// A payload of random bytes.
    pub(super) filler: Option<Filler>,
    pub(super) varying: Box<[Range<usize>]>,
    /// Of whole frames, of 5-tuples; boxed, for nothing that is built looks at them.
    pub(super) varieties: Box<[Variety; 2]>,
    pub(super) paces: Box<[Pace]>,
    pub(super) swift: Option<Swift>,
}

/// A field that does not stay as it is, and how long it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// Its dotted name within the flow.
    pub field: String,
    /// Builds; `u64::MAX`: it never moves.
    pub hold: u64,
}

/// What differs from one build to the next without being a field of the profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stamp {
    /// Number of the build within the flow, over all queues.
    pub k: u64,
    /// Packets of this stream submitted before, plus 1.
    pub seq: u32,
    /// One per flow and queue.
    pub stream: u16,
    /// When it was built.
    pub time: StampTime,
}

/// CLOCK_REALTIME as the pktgen header says it: seconds and microseconds, worked out once for all packets of a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StampTime(pub(super) u64);

impl StampTime {
    #[inline]
    pub fn from_wall_ns(wall_ns: u64) -> Self {
        let seconds = wall_ns / 1_000_000_000;
        let micros = (wall_ns - seconds * 1_000_000_000) / 1000;
        // Seconds wrap in 2106, as in pktgen.
        Self(seconds << 32 | micros)
    }
}

/// Bits of a mark that hold the length; frames are at most 65535 bytes long.
pub(super) const LEN_BITS: u32 = 16;

impl Frame {
    /// Bytes of build `k`.
    #[inline]
    pub fn len(&self, k: u64) -> usize {
        self.size.at(k)
    }

    /// Never: a frame has at least an Ethernet header.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn max_len(&self) -> usize {
        self.size.longest()
    }

    /// `Some(len)` when every frame has the same length, which is not asked of a capture.
    pub fn fixed_len(&self) -> Option<usize> {
        match self.size {
            Size::Fixed(len) => Some(len),
            Size::Varies { .. } | Size::Recorded(_) => None,
        }
    }

    /// The capture that is replayed.
    #[inline]
    pub fn reel(&self) -> Option<&Reel> {
        match &self.size {
            Size::Recorded(reel) => Some(reel),
            _ => None,
        }
    }

    /// Bytes on average, where that is certain: of one length, of a mix, whose shares are exact, or of a capture.
    pub fn mean_len(&self) -> Option<f64> {
        match self.size {
            Size::Fixed(len) => Some(len as f64),
            Size::Varies { mean, .. } => mean,
            Size::Recorded(ref reel) => Some(reel.mean()),
        }
    }

    /// The bytes that may differ from one frame to the next, ascending, none touching; a size that varies also
    /// cuts the frame off at different lengths.
    pub fn varying(&self) -> &[Range<usize>] {
        &self.varying
    }

    /// How many different frames the flow makes at most before one comes again, pktgen header left aside; exact
    /// unless fields are random or move at different paces. `None`: 2^64 or more.
    pub fn distinct_builds(&self) -> Option<u64> {
        self.packets().distinct
    }

    /// Every field that may vary, in the order in which an odometer turns.
    pub fn paces(&self) -> &[Pace] {
        &self.paces
    }

    /// How much whole frames differ, pktgen header left aside.
    pub fn packets(&self) -> Variety {
        self.varieties[0]
    }

    /// How much addresses and ports differ: the conversations a receiver sees.
    pub fn five_tuples(&self) -> Variety {
        self.varieties[1]
    }

    /// Writes build `stamp.k` into `out[..len(k)]`. `held` is what this memory was last told to remember
    /// (0 at first): when it is this frame's own mark the template need not be copied again.
    ///
    /// # Panics
    /// When `out` is shorter than `len(k)`.
    pub fn write(&self, out: &mut [u8], held: &mut u64, stamp: &Stamp) {
        let len = self.len(stamp.k);
        let out = &mut out[..len];
        if let Size::Recorded(reel) = &self.size {
            *held = 0;
            return reel.write(out, stamp.k);
        }
        self.restore(out, held);
        let mut sums = self.sums;
        self.patches.apply(out, stamp.k, &mut sums);
        if let Some(lengths) = &self.lengths {
            lengths.apply(out, &mut sums);
        }
        if let Some(at) = self.pktgen {
            sums.udp = checksum::plus(sums.udp, pktgen::write(&mut out[at..], stamp));
        }
        if let Some(filler) = &self.filler {
            sums.udp = checksum::plus(sums.udp, filler.write(out, stamp.k));
        }
        if let Some(at) = self.ip_checksum {
            out[at..at + 2].copy_from_slice(&checksum::finish(sums.ip).to_be_bytes());
        }
        if let Some(at) = self.udp_checksum {
            out[at..at + 2].copy_from_slice(&checksum::finish_udp(sums.udp).to_be_bytes());
        }
        if let Some(carried) = &self.carried {
            let at = carried.checksum_at();
            out[at..at + 2].copy_from_slice(&carried.finish(sums.udp).to_be_bytes());
        }
    }

    /// Copies what the memory does not hold of the template yet. A shorter frame leaves the longer one's tail
    /// in place, so after the longest build of a size sweep nothing is copied any more.
    pub(super) fn restore(&self, out: &mut [u8], held: &mut u64) {
        let known = if *held >> LEN_BITS == self.id { *held as usize & ((1 << LEN_BITS) - 1) } else { 0 };
        if known < out.len() {
            let len = out.len();
            out[known..].copy_from_slice(&self.template[known..len]);
            *held = self.id << LEN_BITS | out.len() as u64;
        }
    }
}
