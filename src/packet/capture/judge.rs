//! What a record becomes as a frame, and what is odd about it.

use std::fmt;

use crate::profile::Odd;

use super::reader::{MOST_KEPT, Record};

/// An Ethernet header; less is no frame.
const HEADER: usize = 14;
/// Without FCS.
pub(super) const SHORTEST: usize = 60;
const FCS: usize = 4;
const TAG_TYPES: [[u8; 2]; 3] = [[0x81, 0x00], [0x88, 0xa8], [0x91, 0x00]];
const MOST_TAGS: usize = 8;

/// On what terms records become frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub odd: Odd,
    /// Frames below 60 bytes are meant.
    pub runt: bool,
    /// A correct FCS at the end of a record is left out: the device adds its own.
    pub strip_fcs: bool,
    /// The longest frame that the profile's memories take side by side.
    pub room: usize,
    /// Of the device; `None`: not known.
    pub mtu: Option<u32>,
}

/// Why a record cannot be sent as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// The capture holds the beginning only.
    Cut {
        captured: u32,
        wire: u32,
    },
    /// More bytes than the packet had.
    Swollen {
        captured: u32,
        wire: u32,
    },
    /// Less than an Ethernet header.
    Headless {
        captured: u32,
    },
    Runt {
        bytes: u32,
    },
    Long {
        bytes: u32,
        most: u32,
    },
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Oddity::Cut { captured, wire } => write!(f, "{captured} of its {wire} bytes were captured"),
            Oddity::Swollen { captured, wire } => write!(f, "holds {captured} bytes of a packet of {wire}"),
            Oddity::Headless { captured } => write!(f, "{captured} bytes are less than an Ethernet header"),
            Oddity::Runt { bytes } => write!(f, "{bytes} bytes, below the 60 of the shortest frame"),
            Oddity::Long { bytes, most } => write!(f, "{bytes} bytes, and at most {most} can be sent"),
        }
    }
}

/// The frame that a record becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    /// Bytes of the record; zeros behind them up to `len`.
    pub stored: usize,
    pub len: usize,
}

/// What was found out about one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    pub oddity: Option<Oddity>,
    /// `None`: it is left out.
    pub fit: Option<Fit>,
    /// An FCS was left out.
    pub stripped: bool,
}

impl Terms {
    pub(super) fn judge(&self, record: &Record, has_fcs: bool) -> Verdict {
        let stripped = has_fcs && self.strip_fcs;
        let fcs = if stripped { FCS } else { 0 };
        let (captured, wire) = (record.captured as usize - fcs, (record.wire as usize).saturating_sub(fcs));
        let of = |oddity, fit| Verdict { oddity, fit, stripped };
        if captured < HEADER {
            return of(Some(Oddity::Headless { captured: record.captured }), None);
        }
        let (oddity, fit) = self.whole(captured, wire);
        let Some(fit) = fit.filter(|fit| fit.len >= HEADER) else { return of(oddity, None) };
        let most = self.most(record.bytes);
        if fit.len > most {
            let oddity = oddity.or(Some(Oddity::Long { bytes: fit.len as u32, most: most as u32 }));
            let cut = Fit { stored: fit.stored.min(most), len: most };
            return of(oddity, (self.odd == Odd::Cut).then_some(cut));
        }
        if fit.len < SHORTEST && !self.runt {
            let oddity = oddity.or(Some(Oddity::Runt { bytes: fit.len as u32 }));
            let padded = Fit { stored: fit.stored, len: SHORTEST.min(most) };
            return of(oddity, (self.odd == Odd::Pad).then_some(padded));
        }
        of(oddity, Some(fit))
    }

    /// Whether all of it was captured, and what to do if not.
    fn whole(&self, captured: usize, wire: usize) -> (Option<Oddity>, Option<Fit>) {
        let as_captured = Fit { stored: captured.min(MOST_KEPT), len: captured };
        let (told, of_wire) = (captured as u32, wire as u32);
        let oddity = match captured {
            _ if captured < wire => Oddity::Cut { captured: told, wire: of_wire },
            _ if captured > wire => Oddity::Swollen { captured: told, wire: of_wire },
            _ => return (None, Some(as_captured)),
        };
        let fit = match self.odd {
            Odd::Refuse | Odd::Skip => None,
            Odd::Pad => Some(Fit { len: captured.max(wire), ..as_captured }),
            Odd::Cut => Some(Fit { stored: captured.min(wire).min(MOST_KEPT), len: captured.min(wire) }),
        };
        (Some(oddity), fit)
    }

    /// The longest frame that leaves: MTU and header, and 4 bytes for each VLAN tag it begins with.
    fn most(&self, bytes: &[u8]) -> usize {
        let room = self.room.min(MOST_KEPT);
        let Some(mtu) = self.mtu else { return room };
        let is_tag = |at: &usize| bytes.get(*at..*at + 2).is_some_and(|two| TAG_TYPES.iter().any(|tag| tag == two));
        let tags = (0..MOST_TAGS).map(|tag| 12 + 4 * tag).take_while(is_tag).count();
        room.min(mtu as usize + HEADER + 4 * tags)
    }
}

/// Whether the last four bytes are the right FCS of those before: chance makes one in 4 294 967 296 such.
pub(super) fn has_fcs(record: &Record) -> bool {
    let all_there = record.bytes.len() == record.captured as usize && record.captured == record.wire;
    if !all_there || record.bytes.len() < HEADER + FCS {
        return false;
    }
    let (frame, fcs) = record.bytes.split_at(record.bytes.len() - FCS);
    crc32fast::hash(frame).to_le_bytes() == fcs
}
