//! Where a field lies in a frame, and which checksums its bytes belong to.

use crate::profile::Value;

/// The bytes a field is stored with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Byte,
    Half,
    Word,
    Mac,
    /// The low half of an IPv6 address.
    Long,
    Wide,
}

impl Unit {
    pub(super) fn bytes(self) -> usize {
        match self {
            Unit::Byte => 1,
            Unit::Half => 2,
            Unit::Word => 4,
            Unit::Mac => 6,
            Unit::Long => 8,
            Unit::Wide => 16,
        }
    }
}

/// `bits` bits of the unit at byte `at`, `shift` bits above its lowest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub at: usize,
    pub unit: Unit,
    pub shift: u32,
    pub bits: u32,
}

impl Place {
    pub(super) fn whole(at: usize, unit: Unit) -> Place {
        Place { at, unit, shift: 0, bits: unit.bytes() as u32 * 8 }
    }

    pub(super) fn part(at: usize, unit: Unit, shift: u32, bits: u32) -> Place {
        Place { at, unit, shift, bits }
    }

    /// The largest number that fits.
    pub(super) fn most(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    /// Bits of the unit that belong to others; units above 32 bits are never shared.
    pub(super) fn others(&self) -> u32 {
        match self.unit {
            Unit::Byte | Unit::Half | Unit::Word => !((self.most() as u32) << self.shift),
            Unit::Mac | Unit::Long | Unit::Wide => 0,
        }
    }

    /// Stores a number of any width.
    pub(super) fn put(&self, out: &mut [u8], number: u128) {
        match self.unit {
            Unit::Wide => out[self.at..self.at + 16].copy_from_slice(&number.to_be_bytes()),
            _ => store(out, self.at, self.unit, self.others(), (number as u64) << self.shift),
        }
    }
}

/// Stores a shifted number of up to 64 bits; the bits of `others` stay as they are.
#[inline]
pub(super) fn store(out: &mut [u8], at: usize, unit: Unit, others: u32, number: u64) {
    match unit {
        Unit::Byte => out[at] = out[at] & others as u8 | number as u8,
        Unit::Half => {
            let bytes = &mut out[at..at + 2];
            let kept = u16::from_be_bytes([bytes[0], bytes[1]]) & others as u16;
            bytes.copy_from_slice(&(kept | number as u16).to_be_bytes());
        }
        Unit::Word => {
            let bytes = &mut out[at..at + 4];
            let kept = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) & others;
            bytes.copy_from_slice(&(kept | number as u32).to_be_bytes());
        }
        Unit::Mac => out[at..at + 6].copy_from_slice(&number.to_be_bytes()[2..]),
        Unit::Long => out[at..at + 8].copy_from_slice(&number.to_be_bytes()),
        Unit::Wide => out[at..at + 16].copy_from_slice(&u128::from(number).to_be_bytes()),
    }
}

/// The checksums whose sum a field's bytes are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Weighs {
    pub ip: bool,
    /// The checksum of the header behind IP; UDP's, mostly.
    pub udp: bool,
}

impl Weighs {
    pub(super) const NOTHING: Weighs = Weighs { ip: false, udp: false };
    pub(super) const IP: Weighs = Weighs { ip: true, udp: false };
    pub(super) const UDP: Weighs = Weighs { ip: false, udp: true };
    pub(super) const BOTH: Weighs = Weighs { ip: true, udp: true };
}

/// The two running sums of a build. Add to them with [`checksum::plus`](super::checksum::plus): they use all 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sums {
    pub ip: u64,
    /// Of the header behind IP, whichever it is.
    pub udp: u64,
}

impl Unit {
    /// `None`: nothing is stored with so many bytes.
    pub(super) fn of(bytes: u32) -> Option<Unit> {
        Some(match bytes {
            1 => Unit::Byte,
            2 => Unit::Half,
            4 => Unit::Word,
            6 => Unit::Mac,
            8 => Unit::Long,
            16 => Unit::Wide,
            _ => return None,
        })
    }
}

/// One field of a flow: its dotted name, what the profile says of it, where it goes.
#[derive(Debug, Clone)]
pub(super) struct Site<'a> {
    pub name: String,
    pub value: &'a Value,
    pub place: Place,
    pub weighs: Weighs,
}
