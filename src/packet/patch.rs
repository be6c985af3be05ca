//! A patch writes one varying field into a frame and adds it to the checksums it belongs to.
//!
//! Most patches write a *window*: the 8 bytes from the even offset at or before the field. A window is one store of
//! known bits and the field's, without reading what is there, whatever the field's width; as four 16-bit words at an
//! even offset it also is just what the field adds to a sum. A window wipes what lies around the field, so it must
//! not touch a field written before it, and length fields, pktgen header and checksums are written after all patches.

use super::{
    checksum,
    field::{Place, Site, Sums, Unit, store},
    row::{Columns, Head},
    vary::{Draw, Form, March, Motion, Narrow, Vary, Walk, Wide},
};

/// Bytes of a window.
const WINDOW: usize = 8;

/// A varying field of up to 64 bits.
#[derive(Debug, Clone)]
struct Patch<V> {
    /// Shifted to the field's place in the window.
    vary: V,
    /// All other bits of the window.
    rest: u64,
    /// What of it the UDP sum takes: everything or nothing.
    udp_mask: u64,
    /// 16 bits are enough for any frame, and no sum of two can overflow.
    window: u16,
    weighs_ip: bool,
}

impl<V: Vary> Patch<V> {
    /// Writes the field and adds it to the sums.
    #[inline(always)]
    fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        let bits = self.vary.at(k);
        out[usize::from(self.window)..usize::from(self.window) + WINDOW]
            .copy_from_slice(&(bits | self.rest).to_be_bytes());
        self.weigh(bits, sums);
    }

    /// A window begins at an even offset, so it is four words of the sum.
    #[inline(always)]
    fn weigh(&self, bits: u64, sums: &mut Sums) {
        sums.udp = checksum::plus(sums.udp, bits & self.udp_mask);
        if self.weighs_ip {
            sums.ip = checksum::plus(sums.ip, bits);
        }
    }

    fn with<W>(&self, vary: W) -> Patch<W> {
        let Patch { window, rest, udp_mask, weighs_ip, .. } = *self;
        Patch { vary, rest, udp_mask, window, weighs_ip }
    }
}

impl<V: Walk> Patch<V> {
    /// Takes off the sums, which are in network order, what each build's window holds besides the field.
    fn weigh_rest(&self, sums: &mut Sums) {
        let rest = checksum::less(self.rest.to_be());
        sums.udp = if self.udp_mask == 0 { sums.udp } else { checksum::plus(sums.udp, rest) };
        sums.ip = if self.weighs_ip { checksum::plus(sums.ip, rest) } else { sums.ip };
    }

    /// Writes the window into build `k` and each `step`th after it, and adds it to the sums of each, in network order.
    #[inline(always)]
    fn apply_all(&self, heads: &mut [&mut Head], k: u64, step: u64, sums: &mut Columns) {
        // A loop for each case: what a field does not weigh in costs nothing (19 instructions a packet of three fields).
        let add = |sum: &mut u64, window| *sum = checksum::plus(*sum, window);
        match (self.weighs_ip, self.udp_mask) {
            (false, 0) => self.each(heads.iter_mut().map(|head| (head, ())), k, step, |(), _| ()),
            (true, 0) => self.each(heads.iter_mut().zip(&mut sums.ip), k, step, add),
            (false, _) => self.each(heads.iter_mut().zip(&mut sums.udp), k, step, add),
            (true, _) => {
                let both = sums.ip.iter_mut().zip(&mut sums.udp);
                self.each(heads.iter_mut().zip(both), k, step, |(ip, udp), window| {
                    add(ip, window);
                    add(udp, window);
                });
            }
        }
    }

    #[inline(always)]
    fn each<'a, 'h: 'a, S>(
        &self,
        builds: impl Iterator<Item = (&'a mut &'h mut Head, S)>,
        k: u64,
        step: u64,
        weigh: impl Fn(S, u64),
    ) {
        // No bit is in both.
        let still = self.vary.base() | self.rest;
        let begin = usize::from(self.window as u8);
        let mut next = self.vary.walk(k, step);
        for (head, sums) in builds {
            let window = next().wrapping_add(still).to_be();
            head[begin..begin + WINDOW].copy_from_slice(&window.to_ne_bytes());
            weigh(sums, window);
        }
    }

    /// Near enough for [`Patch::each`].
    fn is_near(&self) -> bool {
        u8::try_from(self.window).is_ok()
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
    fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        if !self.careful {
            return self.patch.apply(out, k, sums);
        }
        let bits = self.patch.vary.at(k);
        store(out, self.place.at, self.place.unit, self.place.others(), bits >> down(&self.place));
        self.patch.weigh(bits, sums);
    }

    fn window(&self) -> usize {
        self.patch.window.into()
    }

    /// Whether this window touches the bytes of another field.
    fn wipes(&self, other: &Place) -> bool {
        self.window() < other.at + other.unit.bytes() && other.at < self.window() + WINDOW
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
        sums.udp = checksum::plus(checksum::plus(sums.udp, (number >> 64) as u64), number as u64);
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
            rest: 0,
            udp_mask: if site.weighs.udp { u64::MAX } else { 0 },
            window: (place.at - place.at % 2) as u16,
            weighs_ip: site.weighs.ip,
        };
        self.others.push(Other { patch, place, careful: false });
        place
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marches.is_empty() && self.draws.is_empty() && self.others.is_empty() && self.wide.is_empty()
    }

    pub(super) fn weigh_ip(&self) -> bool {
        self.others.iter().any(|other| other.patch.weighs_ip)
    }

    pub(super) fn weigh_udp(&self) -> bool {
        !self.wide.is_empty() || self.others.iter().any(|other| other.patch.udp_mask != 0)
    }

    /// Sorts the patches into their loops and takes over the bits around them, once the template is complete.
    pub(super) fn settle(&mut self, template: &[u8], shortest: usize) {
        let mut waiting = std::mem::take(&mut self.others);
        // Within a loop ascending: then a window mostly wipes what is written later anyway, and few need care.
        waiting.sort_by_key(|other| (turn(&other.patch.vary), other.place.at));
        let mut written: Vec<Place> = Vec::new();
        for mut other in waiting {
            let window = template.get(other.window()..).and_then(|bytes| bytes.first_chunk::<WINDOW>());
            let wipes = written.iter().any(|place| other.wipes(place));
            let fits = other.place.at + other.place.unit.bytes() <= other.window() + WINDOW;
            other.careful = wipes || !fits || window.is_none() || other.window() + WINDOW > shortest;
            other.patch.rest = window.map_or(0, |bytes| u64::from_be_bytes(*bytes));
            written.push(other.place);
            self.sort_in(other);
        }
    }

    fn sort_in(&mut self, other: Other) {
        match &other.patch.vary {
            Narrow::March(march) if !other.careful => self.marches.push(other.patch.with(*march)),
            Narrow::Draw(draw) if !other.careful => self.draws.push(other.patch.with(*draw)),
            _ => self.others.push(other),
        }
    }

    /// Whether the two loops of [`Patches::apply_common`] are all.
    pub(super) fn are_common(&self) -> bool {
        let near = self.marches.iter().all(Patch::is_near) && self.draws.iter().all(Patch::is_near);
        near && self.others.is_empty() && self.wide.is_empty()
    }

    /// Takes off the sums what [`Patches::apply_common`] adds too much.
    pub(super) fn weigh_common(&self, sums: &mut Sums) {
        self.marches.iter().for_each(|patch| patch.weigh_rest(sums));
        self.draws.iter().for_each(|patch| patch.weigh_rest(sums));
    }

    /// Build `k` and each `step`th after it, where [`Patches::are_common`].
    #[inline(always)]
    pub(super) fn apply_common(&self, heads: &mut [&mut Head], k: u64, step: u64, sums: &mut Columns) {
        for patch in &self.marches {
            patch.apply_all(heads, k, step, sums);
        }
        for patch in &self.draws {
            patch.apply_all(heads, k, step, sums);
        }
    }

    pub(super) fn apply(&self, out: &mut [u8], k: u64, sums: &mut Sums) {
        for patch in &self.marches {
            patch.apply(out, k, sums);
        }
        for patch in &self.draws {
            patch.apply(out, k, sums);
        }
        for other in &self.others {
            other.apply(out, k, sums);
        }
        for patch in &self.wide {
            patch.apply(out, k, sums);
        }
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
