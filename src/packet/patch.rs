//! A patch writes one varying field into a frame and adds it to the checksums it belongs to.

use super::{
    checksum,
    field::{Place, Site, Sums, Unit, store},
    vary::{Form, Motion, Narrow, Wide},
};

/// A varying field of up to 64 bits.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    vary: Narrow,
    at: usize,
    unit: Unit,
    shift: u32,
    others: u32,
    sum_shift: u32,
    ip_mask: u64,
    udp_mask: u64,
}

impl Patch {
    #[inline]
    pub(super) fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        let number = self.vary.at(k);
        store(out, self.at, self.unit, self.others, number << self.shift);
        sums.add(number << self.sum_shift, self.ip_mask, self.udp_mask);
    }
}

/// A varying IPv6 address that varies above its low 64 bits.
#[derive(Debug, Clone)]
pub(super) struct WidePatch {
    vary: Wide,
    at: usize,
    udp_mask: u64,
}

impl WidePatch {
    pub(super) fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        let number = self.vary.at(k);
        out[self.at..self.at + 16].copy_from_slice(&number.to_be_bytes());
        let weight = checksum::weigh((number >> 64) as u64) + checksum::weigh(number as u64);
        sums.udp += weight & self.udp_mask;
    }
}

/// All patches of a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct Patches {
    narrow: Vec<Patch>,
    wide: Vec<WidePatch>,
}

impl Patches {
    /// Adds the patch of one varying site; `form` is that of its value. Bits that never change go into `template`.
    pub(super) fn add(&mut self, site: &Site, form: &Form, motion: &Motion, key: u64, template: &mut [u8]) -> Place {
        let ones = |yes: bool| if yes { u64::MAX } else { 0 };
        let high = form.min() >> 64;
        if site.place.unit == Unit::Wide && high != form.max() >> 64 {
            self.wide.push(WidePatch { vary: motion.wide(key), at: site.place.at, udp_mask: ones(site.weighs.udp) });
            return site.place;
        }
        let mut place = site.place;
        if place.unit == Unit::Wide {
            // The usual range of IPv6 addresses varies in the low half only: a 64-bit patch does.
            place.put(template, high << 64);
            place = Place::whole(place.at + 8, Unit::Long);
        }
        self.narrow.push(Patch {
            vary: motion.narrow(key),
            at: place.at,
            unit: place.unit,
            shift: place.shift,
            others: place.others(),
            sum_shift: place.sum_shift(),
            ip_mask: ones(site.weighs.ip),
            udp_mask: ones(site.weighs.udp),
        });
        place
    }

    #[inline]
    pub(super) fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        for patch in &self.narrow {
            patch.apply(out, k, sums);
        }
        for patch in &self.wide {
            patch.apply(out, k, sums);
        }
    }

    pub(super) fn weigh_ip(&self) -> bool {
        self.narrow.iter().any(|patch| patch.ip_mask != 0)
    }

    pub(super) fn weigh_udp(&self) -> bool {
        self.narrow.iter().any(|patch| patch.udp_mask != 0) || self.wide.iter().any(|patch| patch.udp_mask != 0)
    }
}
