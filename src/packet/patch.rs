//! A patch writes one varying field into a frame and adds it to the checksums it belongs to.
//!
//! Most patches write a *window*: the 8 bytes from the even offset at or before the field. A window is one store of
//! known bits and the field's, without reading what is there, whatever the field's width; as four 16-bit words at an
//! even offset it also is just what the field adds to a sum. A window wipes what lies around the field, so it must
//! not touch a field written before it, and length fields, pktgen header and checksums are written after all patches.

use super::{
    checksum,
    field::{Place, Site, Sums, Unit, store},
    vary::{Draw, Form, March, Motion, Narrow, Vary, Wide},
};

/// Bytes of a window.
const WINDOW: usize = 8;

/// A varying field of up to 64 bits.
#[derive(Debug, Clone)]
struct Patch<V> {
    /// Shifted to the field's place in the window.
    vary: V,
    window: usize,
    /// All other bits of the window.
    rest: u64,
    lanes: u64,
}

/// The two sums side by side in one number, 32 bits each: kept apart, the compiler makes vectors of them, and the way
/// there and back costs 0.4 ns a patch. A patch adds less than 2^18 to a lane, and no flow has 2^14 fields.
const IP_LANE: u64 = 1;
const UDP_LANE: u64 = 1 << 32;

impl<V: Vary> Patch<V> {
    /// Writes the field; returns what it adds to both lanes.
    #[inline]
    fn apply(&self, out: &mut [u8], k: u64) -> u64 {
        let bits = self.vary.at(k);
        out[self.window..self.window + WINDOW].copy_from_slice(&(bits | self.rest).to_be_bytes());
        self.weigh(bits)
    }

    #[inline]
    fn weigh(&self, bits: u64) -> u64 {
        let weight = checksum::weigh(bits);
        ((weight & 0xffff) + (weight >> 16)) * self.lanes
    }

    fn with<W>(&self, vary: W) -> Patch<W> {
        let Patch { window, rest, lanes, .. } = *self;
        Patch { vary, window, rest, lanes }
    }
}

/// A patch of any kind, in any place.
#[derive(Debug, Clone)]
struct Other {
    patch: Patch<Narrow>,
    place: Place,
    /// The window would wipe a field or end behind the frame: store the field's own bytes only.
    careful: bool,
}

impl Other {
    fn apply(&self, out: &mut [u8], k: u64) -> u64 {
        if !self.careful {
            return self.patch.apply(out, k);
        }
        let bits = self.patch.vary.at(k);
        store(out, self.place.at, self.place.unit, self.place.others(), bits >> down(&self.place));
        self.patch.weigh(bits)
    }

    /// Whether this window touches the bytes of another field.
    fn wipes(&self, other: &Place) -> bool {
        self.patch.window < other.at + other.unit.bytes() && other.at < self.patch.window + WINDOW
    }
}

/// From a window's lowest bit to the lowest bit of the bytes that hold the field. Eight bytes at an odd place, which raw
/// frames alone may have, fit no window: they are stored with care, and weigh nothing.
fn down(place: &Place) -> u32 {
    (WINDOW - place.at % 2).saturating_sub(place.unit.bytes()) as u32 * 8
}

/// A varying IPv6 address that varies above its low 64 bits.
#[derive(Debug, Clone)]
struct WidePatch {
    vary: Wide,
    at: usize,
}

impl WidePatch {
    fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        let number = self.vary.at(k);
        out[self.at..self.at + 16].copy_from_slice(&number.to_be_bytes());
        sums.udp += checksum::weigh((number >> 64) as u64) + checksum::weigh(number as u64);
    }
}

/// All patches of a frame. The two commonest kinds have loops of their own, without a branch on the kind; all others
/// wait in `others`, where [`Patches::add`] puts every patch before [`Patches::settle`] sorts them.
#[derive(Debug, Clone, Default)]
pub(super) struct Patches {
    marches: Vec<Patch<March>>,
    draws: Vec<Patch<Draw>>,
    others: Vec<Other>,
    wide: Vec<WidePatch>,
}

impl Patches {
    /// Adds the patch of one varying site; `form` is that of its value. Bits that never change go into `template`.
    /// Returns the bytes that vary.
    pub(super) fn add(&mut self, site: &Site, form: &Form, motion: &Motion, key: u64, template: &mut [u8]) -> Place {
        let high = form.min() >> 64;
        if site.place.unit == Unit::Wide && high != form.max() >> 64 {
            self.wide.push(WidePatch { vary: motion.wide(key), at: site.place.at });
            return site.place;
        }
        let mut place = site.place;
        if place.unit == Unit::Wide {
            // The usual range of IPv6 addresses varies in the low half only: a 64-bit patch does.
            place.put(template, high << 64);
            place = Place::whole(place.at + 8, Unit::Long);
        }
        let patch = Patch {
            vary: motion.narrow(key, down(&place) + place.shift),
            window: place.at - place.at % 2,
            rest: 0,
            lanes: if site.weighs.ip { IP_LANE } else { 0 } | if site.weighs.udp { UDP_LANE } else { 0 },
        };
        self.others.push(Other { patch, place, careful: false });
        place
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marches.is_empty() && self.draws.is_empty() && self.others.is_empty() && self.wide.is_empty()
    }

    pub(super) fn weigh_ip(&self) -> bool {
        self.others.iter().any(|other| other.patch.lanes & IP_LANE != 0)
    }

    pub(super) fn weigh_udp(&self) -> bool {
        !self.wide.is_empty() || self.others.iter().any(|other| other.patch.lanes & UDP_LANE != 0)
    }

    /// Sorts the patches into their loops and takes over the bits around them, once the template is complete.
    pub(super) fn settle(&mut self, template: &[u8], shortest: usize) {
        let mut waiting = std::mem::take(&mut self.others);
        // Within a loop ascending: then a window mostly wipes what is written later anyway, and few need care.
        waiting.sort_by_key(|other| (turn(&other.patch.vary), other.place.at));
        let mut written: Vec<Place> = Vec::new();
        for mut other in waiting {
            let window = template.get(other.patch.window..).and_then(|bytes| bytes.first_chunk::<WINDOW>());
            let wipes = written.iter().any(|place| other.wipes(place));
            let fits = other.place.at + other.place.unit.bytes() <= other.patch.window + WINDOW;
            other.careful = wipes || !fits || window.is_none() || other.patch.window + WINDOW > shortest;
            other.patch.rest = window.map_or(0, |bytes| u64::from_be_bytes(*bytes));
            written.push(other.place);
            self.sort_in(other);
        }
    }

    fn sort_in(&mut self, other: Other) {
        match &other.patch.vary {
            Narrow::March(march) if !other.careful => self.marches.push(other.patch.with(march.clone())),
            Narrow::Draw(draw) if !other.careful => self.draws.push(other.patch.with(draw.clone())),
            _ => self.others.push(other),
        }
    }

    /// Whether the two loops of [`Patches::apply_common`] are all.
    pub(super) fn are_common(&self) -> bool {
        self.others.is_empty() && self.wide.is_empty()
    }

    #[inline(always)]
    fn common(&self, out: &mut [u8], k: u64) -> u64 {
        let mut lanes = 0;
        for patch in &self.marches {
            lanes += patch.apply(out, k);
        }
        for patch in &self.draws {
            lanes += patch.apply(out, k);
        }
        lanes
    }

    /// As [`Patches::apply`], where [`Patches::are_common`].
    #[inline(always)]
    pub(super) fn apply_common(&self, out: &mut [u8], k: u64, sums: Sums) -> Sums {
        sums.plus(self.common(out, k))
    }

    pub(super) fn apply(&self, out: &mut [u8], k: u64, sums: Sums) -> Sums {
        let mut lanes = self.common(out, k);
        for other in &self.others {
            lanes += other.apply(out, k);
        }
        let mut sums = sums.plus(lanes);
        for patch in &self.wide {
            patch.apply(out, k, &mut sums);
        }
        sums
    }
}

impl Sums {
    #[inline]
    fn plus(self, lanes: u64) -> Self {
        Self { ip: self.ip + (lanes & (UDP_LANE - 1)), udp: self.udp + (lanes >> 32) }
    }
}

/// In which loop, first to last, a patch of this kind runs.
fn turn(vary: &Narrow) -> u8 {
    match vary {
        Narrow::March(_) => 0,
        Narrow::Draw(_) => 1,
        _ => 2,
    }
}
