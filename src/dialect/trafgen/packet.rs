//! One packet in the making: bytes, moves, checksums and header functions, finished as trafgen finishes them.

use crate::{
    dialect::anatomy::{MOST_BYTES, Move, Sample},
    profile::Value,
};

use super::{
    fields::{Form, Kind},
    lex::Place,
};

/// A header function's header within the packet.
#[derive(Debug, Clone)]
pub struct Placed {
    pub kind: Kind,
    /// Bytes from the start of the packet.
    pub at: usize,
    /// Fields that the file sets, by their first bit within the header.
    pub set: Vec<usize>,
    pub place: Place,
}

/// A checksum function: which bytes it covers is worked out at the end of the packet.
#[derive(Debug, Clone)]
pub struct Sum {
    pub at: usize,
    /// Both inclusive, as trafgen counts.
    pub covers: (usize, usize),
    pub kind: SumKind,
    pub place: Place,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumKind {
    /// Over the bytes from and to.
    Plain,
    /// With a pseudo header: offsets of IP and of the header.
    Pseudo,
}

#[derive(Debug, Clone, Default)]
pub struct Packet {
    pub sample: Sample,
    pub headers: Vec<Placed>,
    pub sums: Vec<Sum>,
    /// First and last CPU.
    pub cpus: Option<(u32, u32)>,
    pub name: Option<String>,
    pub place: Place,
    /// What was chosen or changed, with its place and text.
    pub remarks: Vec<(Place, String, String)>,
}

impl Packet {
    pub fn len(&self) -> usize {
        self.sample.bytes.len()
    }

    /// `false` when the packet would become longer than any frame.
    pub fn push(&mut self, bytes: impl IntoIterator<Item = u8>) -> bool {
        let room = MOST_BYTES.saturating_sub(self.len());
        let mut bytes = bytes.into_iter();
        self.sample.bytes.extend(bytes.by_ref().take(room));
        bytes.next().is_none()
    }

    /// A byte that moves.
    pub fn push_move(&mut self, value: Value, place: Place, text: &str) -> bool {
        let bit = 8 * self.len();
        let fits = self.push([0]);
        if fits {
            self.sample.add(Move { bit, bits: 8, value, line: place.line, text: text.into() });
        }
        fits
    }

    /// Adds a header, and below it what trafgen adds by itself.
    pub fn push_header(&mut self, kind: Kind, place: Place) -> bool {
        let current = self.headers.last().map(|last| last.kind);
        if let Some(below) = kind.below()
            && current.is_none_or(|current| current.layer() < below.layer())
            && self.len() == self.headers.last().map_or(0, |last| last.at + last.kind.blank().len())
        {
            self.push_header(below, place);
        }
        self.headers.push(Placed { kind, at: self.len(), set: Vec::new(), place });
        self.push(kind.blank())
    }

    /// The header that the last one stands on, and its number.
    pub fn below_last(&self) -> Option<usize> {
        self.headers.len().checked_sub(2)
    }

    pub fn put(&mut self, at_bit: usize, bits: usize, number: u128) {
        self.sample.put_bits(at_bit, bits, number);
    }

    /// Fills in what trafgen works out: ethertypes, protocols, lengths, checksums.
    pub fn finish(&mut self) {
        for number in 0..self.headers.len() {
            self.finish_header(number);
        }
        for number in 0..self.headers.len() {
            let header = &self.headers[number];
            if let Some(bit) = header.kind.sum()
                && !header.set.contains(&bit)
            {
                self.sample.sums.push(header.at + bit / 8);
            }
        }
        let sums = std::mem::take(&mut self.sums);
        for sum in &sums {
            self.sample.sums.push(sum.at);
        }
        self.sums = sums;
        self.sample.line = self.place.line;
        self.sample.sums.sort_unstable();
        self.sample.sums.dedup();
    }

    fn finish_header(&mut self, number: usize) {
        let (kind, at) = (self.headers[number].kind, self.headers[number].at);
        let set = self.headers[number].set.clone();
        let next = self.headers.get(number + 1).map(|next| next.kind);
        if let (Some((bit, bits)), Some(next)) = (kind.next(), next)
            && !set.contains(&bit)
        {
            let what = if bits == 16 { next.ethertype() } else { next.protocol() };
            self.put(8 * at + bit, bits, what.unwrap_or(0));
        }
        if kind == Kind::Mpls && !set.contains(&23) && next != Some(Kind::Mpls) {
            self.put(8 * at + 23, 1, 1);
        }
        if let Some((bit, without)) = kind.length()
            && !set.contains(&bit)
        {
            self.put(8 * at + bit, 16, (self.len() - at - without) as u128);
        }
        self.defaults(kind, at, &set, number);
    }

    fn defaults(&mut self, kind: Kind, at: usize, set: &[usize], number: usize) {
        let place = self.headers[number].place;
        let mut assume = |text: &str, sentence: &str| self.remarks.push((place, text.into(), sentence.into()));
        match kind {
            Kind::Eth if !set.contains(&48) => self.sample.src_is_device |= at == 0,
            Kind::Ipv4 => {
                if !set.contains(&96) {
                    assume("ipv4()", "no source address: trafgen takes the device's own, here it is 198.18.0.1");
                    self.put(8 * at + 96, 32, 0xc612_0001);
                }
                if !set.contains(&64) {
                    self.remarks.push((place, "ipv4()".into(), "no ttl: 64 is taken".into()));
                }
            }
            Kind::Ipv6 if !set.contains(&64) => {
                assume("ipv6()", "no source address: trafgen takes the device's own, here it is 2001:db8::1");
                self.put(8 * at + 64, 128, 0x2001_0db8_0000_0000_0000_0000_0000_0001);
            }
            _ => {}
        }
    }
}

/// Range of a number field, for messages.
pub fn fits(number: i128, bits: usize) -> bool {
    number >= 0 && (bits >= 127 || number >> bits == 0)
}

/// What a field wants to see, in words.
pub fn wanted(form: Form) -> &'static str {
    match form {
        Form::Mac => "a MAC address",
        Form::Ipv4 => "an IPv4 address",
        Form::Ipv6 => "an IPv6 address",
        Form::Number | Form::Word(_) => "a number",
    }
}
