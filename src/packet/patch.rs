//! A patch writes one varying field into a frame and adds it to the checksums it belongs to.

use super::{
    checksum,
    field::{Place, Site, Sums, Unit, store},
    vary::{Form, Motion, Narrow, Wide},
};

/// A varying field of up to 64 bits, stored as part of a *window*: the 8 bytes from the even offset at or before it.
///
/// A window is one store of known bits and the field's, without reading what is there, whatever the field's width;
/// measured against a store of its own for each width, three fields cost 7 ns less a build. It wipes what follows
/// the field, so patches run in ascending order and length fields, pktgen header and checksums come after them. As
/// four 16-bit words at an even offset it also is just what the field adds to a sum.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    /// Shifted to the field's place in the window.
    vary: Narrow,
    window: usize,
    /// All other bits of the window.
    rest: u64,
    /// Where a window must not be used.
    careful: Option<Careful>,
    ip_mask: u64,
    udp_mask: u64,
    place: Place,
}

/// A store of the field's own bytes only: an earlier patch has bits in them, or the window ends behind the frame.
#[derive(Debug, Clone, Copy)]
struct Careful {
    others: u32,
    /// From the window's lowest bit to the lowest bit of the field's bytes.
    down: u32,
}

impl Patch {
    #[inline]
    fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        let bits = self.vary.at(k);
        match &self.careful {
            None => out[self.window..self.window + WINDOW].copy_from_slice(&(bits | self.rest).to_be_bytes()),
            Some(careful) => store(out, self.place.at, self.place.unit, careful.others, bits >> careful.down),
        }
        let weight = checksum::weigh(bits);
        sums.ip += weight & self.ip_mask;
        sums.udp += weight & self.udp_mask;
    }
}

/// Bytes of a window.
const WINDOW: usize = 8;

/// From a window's lowest bit to the lowest bit of the unit that holds the field.
fn down(place: &Place) -> u32 {
    (WINDOW - place.at % 2 - place.unit.bytes()) as u32 * 8
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
            vary: motion.narrow(key, down(&place) + place.shift),
            window: place.at - place.at % 2,
            rest: 0,
            careful: None,
            ip_mask: ones(site.weighs.ip),
            udp_mask: ones(site.weighs.udp),
            place,
        });
        place
    }

    /// Brings the patches into their order and takes over the bits around them, once the template is complete.
    pub(super) fn settle(&mut self, template: &[u8], shortest: usize) {
        self.narrow.sort_by_key(|patch| patch.place.at);
        for i in 0..self.narrow.len() {
            let shared = i > 0 && self.narrow[i - 1].place.at == self.narrow[i].place.at;
            let patch = &mut self.narrow[i];
            match template[patch.window..].first_chunk::<WINDOW>() {
                Some(bytes) if !shared && patch.window + WINDOW <= shortest => patch.rest = u64::from_be_bytes(*bytes),
                _ => patch.careful = Some(Careful { others: patch.place.others(), down: down(&patch.place) }),
            }
        }
    }

    #[inline]
    pub(super) fn apply(&self, out: &mut [u8], k: u64, mut sums: Sums) -> Sums {
        for patch in &self.narrow {
            patch.apply(out, k, &mut sums);
        }
        for patch in &self.wide {
            patch.apply(out, k, &mut sums);
        }
        sums
    }

    pub(super) fn weigh_ip(&self) -> bool {
        self.narrow.iter().any(|patch| patch.ip_mask != 0)
    }

    pub(super) fn weigh_udp(&self) -> bool {
        self.narrow.iter().any(|patch| patch.udp_mask != 0) || self.wide.iter().any(|patch| patch.udp_mask != 0)
    }
}
