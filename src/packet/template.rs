//! Turns one flow into a [`Frame`]: fixed fields into the template, varying ones into patches, sums over the rest.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::profile::{
    Flow, Ip, Misfit, Order, Payload, Value,
    conversations::{FIVE_TUPLE, Tuples},
    sizes,
};

use super::{
    capture::Reel,
    carried::Protocol,
    checksum,
    conversation::{Dealer, Turns},
    distinct::Distinct,
    draw,
    error::CompileError,
    field::{Place, Site, Sums},
    filler::Filler,
    frame::{Frame, Pace},
    header::{Headers, IpAt, Macs},
    patch::Patches,
    pktgen,
    row::Swift,
    size::{LONGEST, Lengths, Size},
    turn::Odometer,
    vary::{BadValue, Form, Motion},
};

/// Ids start at 1: a mark of 0 is memory that holds nothing.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Of a capture: nothing is made, records are copied.
pub(super) fn recorded(reel: Arc<Reel>) -> Frame {
    let mut frames = Distinct::new(Order::Together);
    if reel.frames() > 1 {
        frames.add(&Form::Sweep { from: 0, step: 1, last: u128::from(reel.frames() - 1), every: 1 });
        frames.moves(1, false);
    }
    Frame {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        template: Box::default(),
        ip_checksum: None,
        udp_checksum: None,
        carried: None,
        filler: None,
        sums: Sums { ip: 0, udp: 0 },
        lengths: None,
        pktgen: None,
        paces: Box::default(),
        varieties: Box::new([frames.variety(), frames.variety()]),
        varying: merged(reel.varying()),
        size: Size::Recorded(reel),
        patches: Patches::default(),
        swift: None,
    }
}

pub(super) fn frame(flow: &Flow, macs: &Macs, seed: u64) -> Result<Frame, CompileError> {
    if let Some(Misfit { key, message }) = flow.misfit() {
        return Err(CompileError::Misfit { flow: flow.name.clone(), field: key, message });
    }
    let mut headers = Headers::of(flow, macs);
    let mut draft = Draft {
        flow: &flow.name,
        seed,
        odometer: Odometer::new(flow.order),
        distinct: Distinct::new(flow.order),
        tuples: Distinct::new(flow.order),
        patches: Patches::default(),
        varying: Vec::new(),
        talk: talk(flow, &headers.sites, seed)?,
        paces: Vec::new(),
    };
    if let Some(of) = &flow.conversations {
        draft.distinct.converse(of);
        draft.tuples.converse(of);
    }
    // The order of an odometer is that of the table of profile fields: the size comes first.
    let size = draft.size(&flow.size, headers.bytes.len())?;
    for site in std::mem::take(&mut headers.sites) {
        draft.field(&site, &mut headers.bytes)?;
    }
    Ok(draft.finish(flow, &headers, size))
}

/// A frame in the making.
struct Draft<'a> {
    flow: &'a str,
    seed: u64,
    odometer: Odometer,
    distinct: Distinct,
    /// Of addresses and ports alone.
    tuples: Distinct,
    patches: Patches,
    varying: Vec<Range<usize>>,
    /// `None`: addresses and ports vary as all other fields do.
    talk: Option<Talk>,
    paces: Vec<Pace>,
}

/// How addresses and ports follow the conversations of a flow.
struct Talk {
    turns: Turns,
    odometer: Odometer,
    dealer: Dealer,
}

/// Counts first what the addresses and ports can make.
fn talk(flow: &Flow, sites: &[Site], seed: u64) -> Result<Option<Talk>, CompileError> {
    let Some(of) = &flow.conversations else { return Ok(None) };
    let members = || sites.iter().filter(|site| FIVE_TUPLE.contains(&site.name.as_str()));
    // What is wrong with a value is told by its field.
    if members().any(|site| Form::of(site.value).is_err()) {
        return Ok(None);
    }
    let tuples = members().fold(Tuples::default(), |tuples, site| tuples.with(site.value, flow.order));
    if tuples.all() < u128::from(of.count) {
        return Err(CompileError::TooFewTuples { flow: flow.name.clone(), count: of.count, most: tuples.all() });
    }
    let ranges: Vec<u128> = members().filter_map(|site| Form::of(site.value).ok()?.last_drawn()).collect();
    let key = |name: &str| draw::key(seed, &flow.name, name);
    let turns = Turns::new(of, key("flows"));
    let dealer = Dealer::new(turns, tuples.walked, &ranges, key("flows.hand"));
    Ok(Some(Talk { turns, odometer: Odometer::new(flow.order), dealer }))
}

impl Talk {
    /// An address or port that varies from one conversation to the next.
    fn motion<'f>(&mut self, form: &Form<'f>, key: u64) -> Option<Motion<'f>> {
        let motion = form.set_going(&mut self.odometer)?.by_turns(self.turns);
        Some(match form.last_drawn() {
            Some(last) => motion.dealt(self.dealer.deal(last, key)),
            None => motion,
        })
    }
}

impl Draft<'_> {
    fn field(&mut self, site: &Site, template: &mut [u8]) -> Result<(), CompileError> {
        let form = self.form(&site.name, site.value, site.place.most())?;
        let key = draw::key(self.seed, self.flow, &site.name);
        let motion = match &mut self.talk {
            Some(talk) if FIVE_TUPLE.contains(&site.name.as_str()) => talk.motion(&form, key),
            _ => form.set_going(&mut self.odometer),
        };
        match motion {
            None => {
                self.stands(&site.name, &form);
                site.place.put(template, form.first());
            }
            Some(motion) => {
                self.moves(&site.name, &motion);
                let Place { at, unit, .. } = self.patches.add(site, &form, &motion, key, template);
                self.varying.push(at..at + unit.bytes());
            }
        }
        Ok(())
    }

    fn size(&mut self, value: &Value, least: usize) -> Result<Size, CompileError> {
        let form = self.form("size", value, LONGEST as u128)?;
        if form.min() < least as u128 {
            return Err(CompileError::TooSmall { flow: self.flow.to_owned(), size: form.min(), least });
        }
        Ok(match form.set_going(&mut self.odometer) {
            None => {
                self.stands("size", &form);
                Size::Fixed(form.first() as usize)
            }
            Some(motion) => {
                self.moves("size", &motion);
                Size::Varies {
                    bytes: motion.narrow(draw::key(self.seed, self.flow, "size"), 0),
                    shortest: form.min() as usize,
                    longest: form.max() as usize,
                    mean: sizes::sure_mean(value),
                }
            }
        })
    }

    /// Whether the conversations stand for this field.
    fn is_told(&self, field: &str) -> bool {
        self.talk.is_some() && FIVE_TUPLE.contains(&field)
    }

    /// So many faster fields turn below this one that it never moves.
    fn stands(&mut self, field: &str, form: &Form) {
        if !matches!(form, Form::Fixed(_)) {
            self.paces.push(Pace { field: field.to_owned(), hold: u64::MAX });
        }
    }

    fn moves(&mut self, field: &str, motion: &Motion) {
        let builds = match &self.talk {
            Some(talk) if FIVE_TUPLE.contains(&field) => talk.turns.hold(),
            _ => 1,
        };
        self.paces.push(Pace { field: field.to_owned(), hold: motion.hold().saturating_mul(builds) });
        if self.is_told(field) {
            return;
        }
        self.distinct.moves(motion.hold(), motion.is_random());
        if FIVE_TUPLE.contains(&field) {
            self.tuples.moves(motion.hold(), motion.is_random());
        }
    }

    fn form<'v>(&mut self, field: &str, value: &'v Value, most: u128) -> Result<Form<'v>, CompileError> {
        let is_tuple = FIVE_TUPLE.contains(&field);
        let (flow, field) = (self.flow.to_owned(), field.to_owned());
        match Form::of(value) {
            Err(BadValue::Empty) => Err(CompileError::EmptyList { flow, field }),
            Err(BadValue::Backwards { from, to }) => Err(CompileError::Backwards { flow, field, from, to }),
            Ok(form) if form.max() > most => Err(CompileError::TooLarge { flow, field, value: form.max(), most }),
            Ok(form) if self.is_told(&field) => Ok(form),
            Ok(form) => {
                self.distinct.add(&form);
                if is_tuple {
                    self.tuples.add(&form);
                }
                Ok(form)
            }
        }
    }

    fn finish(mut self, flow: &Flow, headers: &Headers, size: Size) -> Frame {
        let at = headers.bytes.len();
        let longest = size.longest();
        let mut template = headers.bytes.clone();
        template.extend(constant_payload(&flow.payload, longest - at));
        let lengths = Lengths::of(headers, &template[at..]);
        let mut sums = base_sums(headers, &template);
        let varies = matches!(size, Size::Varies { .. });
        if varies {
            self.varying.extend(lengths.places().map(|at| at..at + 2));
        } else {
            lengths.apply(&mut template, &mut sums);
        }
        let pktgen = (flow.payload == Payload::Pktgen && longest - at >= pktgen::HEADER).then_some(at);
        if let Some(at) = pktgen {
            // The magic stays unless it is missing in the shortest frames; sequence, time and stream number move.
            let magic = if size.shortest() - at < pktgen::HEADER { 0 } else { 4 };
            self.varying.push(at + magic..longest.min(at + pktgen::WITH_STREAM));
        }
        let filler = self.filler(flow, at, longest);
        let mut frame = Frame {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            template: Box::default(),
            ip_checksum: None,
            udp_checksum: None,
            carried: None,
            filler,
            sums,
            size,
            lengths: varies.then_some(lengths),
            pktgen,
            paces: self.paces.into(),
            varieties: Box::new([self.distinct.variety(), self.tuples.variety()]),
            varying: Box::default(),
            patches: self.patches,
            swift: None,
        };
        place_ip_checksum(&mut frame, headers, &mut template);
        place_carried_checksum(&mut frame, flow, headers, &mut template);
        let carried = frame.carried.map(|carried| carried.checksum_at());
        let checksums = frame.ip_checksum.into_iter().chain(frame.udp_checksum).chain(carried);
        self.varying.extend(checksums.map(|at| at..at + 2));
        frame.varying = merged(self.varying);
        frame.patches.settle(&template, frame.size.shortest());
        frame.template = template.into();
        frame.swift = Swift::of(&frame);
        frame
    }

    /// Random bytes behind the headers, where there is room for any.
    fn filler(&mut self, flow: &Flow, at: usize, longest: usize) -> Option<Filler> {
        if flow.payload != Payload::Random || longest == at {
            return None;
        }
        let bytes = (longest - at).min(16) as u32;
        self.distinct.add(&Form::Random { low: 0, high: u128::MAX >> (128 - 8 * bytes), every: 1 });
        self.distinct.moves(1, true);
        self.varying.push(at..longest);
        Some(Filler { at, key: draw::key(self.seed, self.flow, "payload") })
    }
}

fn constant_payload(payload: &Payload, len: usize) -> Vec<u8> {
    match payload {
        Payload::Pattern(bytes) if !bytes.is_empty() => bytes.iter().copied().cycle().take(len).collect(),
        Payload::Hex(bytes) => once(bytes, len),
        Payload::Text(text) => once(text.as_bytes(), len),
        Payload::Pattern(_) | Payload::Pktgen | Payload::Random | Payload::Zero => vec![0; len],
    }
}

/// As many of the bytes as there is room for, zeros behind.
fn once(bytes: &[u8], len: usize) -> Vec<u8> {
    bytes.iter().copied().chain(std::iter::repeat(0)).take(len).collect()
}

/// Sums over the fixed bytes of the headers, lengths and payload not yet included.
fn base_sums(headers: &Headers, template: &[u8]) -> Sums {
    let (ip, addresses) = match headers.ip {
        None => (0, 0),
        Some(IpAt::V4(at)) => (checksum::sum(&template[at..at + 20]), checksum::sum(&template[at + 12..at + 20])),
        Some(IpAt::V6(at)) => (0, checksum::sum(&template[at + 8..at + 40])),
    };
    let udp = headers.carried.map_or(0, |carried| {
        let protocol = u64::from(carried.protocol.number());
        let pseudo = if carried.protocol.has_pseudo_header() { addresses + protocol } else { 0 };
        pseudo + checksum::sum(&template[carried.at..headers.bytes.len()])
    });
    Sums { ip, udp }
}

fn place_ip_checksum(frame: &mut Frame, headers: &Headers, template: &mut [u8]) {
    let Some(IpAt::V4(ip)) = headers.ip else { return };
    if frame.lengths.is_some() || frame.patches.weigh_ip() {
        frame.ip_checksum = Some(ip + 10);
    } else {
        template[ip + 10..ip + 12].copy_from_slice(&checksum::finish(frame.sums.ip).to_be_bytes());
    }
}

fn place_carried_checksum(frame: &mut Frame, flow: &Flow, headers: &Headers, template: &mut [u8]) {
    let Some(carried) = headers.carried else { return };
    // IPv6 receivers drop UDP without a checksum, so there it is not a choice.
    let is_left_out = flow.udp.as_ref().is_some_and(|udp| !udp.checksum) && matches!(flow.ip, Some(Ip::V4(_)));
    if is_left_out {
        return;
    }
    let at = carried.checksum_at();
    let payload_moves = frame.pktgen.is_some() || frame.filler.is_some();
    if frame.lengths.is_none() && !payload_moves && !frame.patches.weigh_udp() {
        template[at..at + 2].copy_from_slice(&carried.finish(frame.sums.udp).to_be_bytes());
    } else if carried.protocol == Protocol::Udp {
        frame.udp_checksum = Some(at);
    } else {
        frame.carried = Some(carried);
    }
}

/// Ascending, with overlapping and touching ranges joined.
fn merged(mut ranges: Vec<Range<usize>>) -> Box<[Range<usize>]> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged.into()
}
