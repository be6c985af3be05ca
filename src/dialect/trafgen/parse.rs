//! The packets of a trafgen file, element by element.

use crate::{
    dialect::anatomy::{MOST_BYTES, Move, modular},
    profile::Value,
};

use super::{
    cursor::{Cursor, plain},
    expand::Expanded,
    fields::{self, Field, Form, Header, Kind, TPID},
    lex::{Place, Word, Wrong},
    packet::{Packet, Sum, SumKind, fits, wanted},
};

/// More packets than a profile has flows.
pub const MOST_PACKETS: usize = 1024;

pub struct Parsed {
    pub packets: Vec<Packet>,
    /// Packets left out, each with why.
    pub wrong: Vec<Wrong>,
}

/// Every packet that could be read; what could not is named with its place.
pub fn packets(expanded: &Expanded) -> Parsed {
    let mut parsed = Parsed { packets: Vec::new(), wrong: Vec::new() };
    let mut cursor = Cursor::new(&expanded.tokens);
    while cursor.peek().is_some() {
        if parsed.packets.len() + parsed.wrong.len() >= MOST_PACKETS {
            parsed.wrong.push((cursor.place(), format!("more than {MOST_PACKETS} packets: the rest is left out")));
            break;
        }
        let start = cursor.position();
        match one(&mut cursor, expanded) {
            Ok(packet) => parsed.packets.push(packet),
            Err(wrong) => {
                parsed.wrong.push(wrong);
                cursor.jump(start);
                skip(&mut cursor);
            }
        }
    }
    parsed
}

/// To behind the packet's closing brace.
fn skip(cursor: &mut Cursor<'_>) {
    while let Some(word) = cursor.next() {
        if *word == Word::Sign('}') {
            return;
        }
    }
}

fn one(cursor: &mut Cursor<'_>, expanded: &Expanded) -> Result<Packet, Wrong> {
    let place = cursor.place();
    let mut packet = Packet { place, name: name(expanded, cursor.position()), ..Packet::default() };
    if matches!(cursor.peek(), Some(Word::Name(name)) if name.eq_ignore_ascii_case("cpu")) {
        cursor.next();
        packet.cpus = Some(cpus(cursor)?);
    }
    cursor.expect('{')?;
    let mut elements = Elements { cursor, packet };
    while !elements.cursor.is('}') {
        if elements.cursor.take(',') {
            continue;
        }
        elements.element()?;
    }
    elements.cursor.next();
    let Elements { cursor, mut packet } = elements;
    for (place, value, c) in cursor.surprises.drain(..) {
        let sentence = format!("trafgen works from left to right and gets {value}, where C would get {c}");
        packet.remarks.push((place, "arithmetic".into(), sentence));
    }
    packet.finish();
    if packet.len() < 14 {
        return Err((place, format!("{} bytes are no Ethernet frame (14 at least)", packet.len())));
    }
    Ok(packet)
}

/// `/* flow NAME */` directly before the packet.
fn name(expanded: &Expanded, at: usize) -> Option<String> {
    let before = expanded.comments.iter().rev().find(|(number, ..)| *number == at)?;
    let name = before.2.trim().strip_prefix("flow ")?.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (!name.is_empty() && name.len() <= 64 && name.chars().all(plain)).then(|| name.to_string())
}

/// `(1)`, `(2-3)` or `(2:3)`, then a colon.
fn cpus(cursor: &mut Cursor<'_>) -> Result<(u32, u32), Wrong> {
    let cpu = |cursor: &mut Cursor<'_>| {
        let place = cursor.place();
        let number = cursor.next().and_then(plain).filter(|number| (0..1024).contains(number));
        number.map(|number| number as u32).ok_or((place, "a CPU is a number, 0 to 1023".to_string()))
    };
    cursor.expect('(')?;
    let first = cpu(cursor)?;
    let last = if cursor.take('-') || cursor.take(':') { cpu(cursor)? } else { first };
    cursor.expect(')')?;
    cursor.expect(':')?;
    Ok((first.min(last), first.max(last)))
}

struct Elements<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    packet: Packet,
}

impl Elements<'_, '_> {
    fn element(&mut self) -> Result<(), Wrong> {
        let place = self.cursor.place();
        let called = self.cursor.peek_behind() == Some(&Word::Sign('('));
        let fitted = match self.cursor.peek() {
            None => return Err((place, "the packet has no end: } is missing".into())),
            Some(Word::Name(name)) if called => return self.function(&name.to_ascii_lowercase(), place),
            Some(Word::Bytes(bytes)) => {
                self.cursor.next();
                self.packet.push(bytes.iter().copied())
            }
            Some(word) => {
                let number = plain(word).ok_or_else(|| (place, unknown(&self.cursor.shown())))?;
                self.cursor.next();
                if !fits(number, 8) {
                    let sentence = format!("{number} is more than a byte: its last 8 bits are sent, as trafgen does");
                    self.packet.remarks.push((place, number.to_string(), sentence));
                }
                self.packet.push([number as u8])
            }
        };
        if fitted { Ok(()) } else { Err(too_long(place)) }
    }

    fn function(&mut self, name: &str, place: Place) -> Result<(), Wrong> {
        if let Some(header) = fields::header(name) {
            self.cursor.next();
            return self.header(header, place);
        }
        self.cursor.next();
        self.cursor.expect('(')?;
        let mut numbers = Vec::new();
        while !self.cursor.is(')') {
            if self.cursor.take(',') {
                continue;
            }
            if self.cursor.peek().is_none() || numbers.len() > 4 {
                return Err((self.cursor.place(), format!("{name}(): the bracket does not close")));
            }
            numbers.push(self.cursor.expression()?);
        }
        self.cursor.next();
        let numbers = Numbers { name, place, numbers };
        if self.call(&numbers)? { Ok(()) } else { Err(too_long(place)) }
    }

    /// `false`: the packet would be too long.
    fn call(&mut self, given: &Numbers<'_>) -> Result<bool, Wrong> {
        let text = given.text();
        Ok(match given.name {
            "fill" => {
                let (byte, count) = (given.byte(0)?, given.count(1)?);
                self.packet.push(std::iter::repeat_n(byte, count))
            }
            "const8" | "c8" => self.packet.push([given.at(0)? as u8]),
            "const16" | "c16" => self.packet.push((given.at(0)? as u16).to_be_bytes()),
            "const32" | "c32" => self.packet.push((given.at(0)? as u32).to_be_bytes()),
            "const64" | "c64" => self.packet.push((given.at(0)? as u64).to_be_bytes()),
            "seqinc" | "seqdec" => self.sequence(given)?,
            "rnd" => self.random_once(given)?,
            "drnd" => {
                let count = if given.numbers.is_empty() { 1 } else { given.count(0)? };
                let byte = Value::Random { low: 0, high: 255, every: 1 };
                let mut whole = true;
                for _ in 0..count.min(MOST_BYTES + 1) {
                    whole = whole && self.packet.push_move(byte.clone(), given.place, &text);
                }
                whole
            }
            "dinc" | "ddec" => {
                let (low, high) = (given.byte(0)?, given.byte(1)?);
                let step = if given.numbers.len() > 2 { given.byte(2)? } else { 1 };
                let value = self.counter(given, (low.into(), high.into(), step.into()));
                self.packet.push_move(value, given.place, &text)
            }
            "csumip" | "csumip4" | "csum16" | "csumicmp" | "csumicmp4" => self.sum(given, SumKind::Plain)?,
            "csumudp" | "csumtcp" | "csumudp6" | "csumtcp6" | "csumicmp6" => self.sum(given, SumKind::Pseudo)?,
            other => return Err((given.place, unknown(&format!("\"{other}\"")))),
        })
    }

    fn counter(&mut self, given: &Numbers<'_>, (low, high, step): (u128, u128, u128)) -> Value {
        let down = given.name == "ddec";
        let (value, exact) = modular(low, high, step, if down { high } else { low }, down);
        if !exact {
            let sentence = "the counter wraps by its range there, and begins again at its lower end here";
            self.packet.remarks.push((given.place, given.text(), sentence.into()));
        }
        value
    }

    fn sequence(&mut self, given: &Numbers<'_>) -> Result<bool, Wrong> {
        let (start, count) = (given.byte(0)?, given.count(1)?);
        let step = if given.numbers.len() > 2 { given.byte(2)? } else { 1 };
        let step = if given.name == "seqinc" { step } else { step.wrapping_neg() };
        let mut byte = start.wrapping_sub(step);
        let bytes = std::iter::repeat_with(|| {
            byte = byte.wrapping_add(step);
            byte
        });
        Ok(self.packet.push(bytes.take(count)))
    }

    /// Drawn once when trafgen starts; drawn here once and for all, from the place in the packet.
    fn random_once(&mut self, given: &Numbers<'_>) -> Result<bool, Wrong> {
        let count = if given.numbers.is_empty() { 1 } else { given.count(0)? };
        let mut state = 0x9e37_79b9_7f4a_7c15 ^ (self.packet.len() as u64 + 1);
        let bytes = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        });
        let sentence = "these bytes are drawn anew at every start there; here they are drawn, and stay";
        self.packet.remarks.push((given.place, given.text(), sentence.into()));
        Ok(self.packet.push(bytes.take(count)))
    }

    fn sum(&mut self, given: &Numbers<'_>, kind: SumKind) -> Result<bool, Wrong> {
        let (from, to) = (given.count(0)?, given.count(1)?);
        let at = self.packet.len();
        let (place, text) = (given.place, given.text());
        self.packet.sums.push(Sum { at, covers: (from.min(to), from.max(to)), kind, place, text });
        Ok(self.packet.push([0, 0]))
    }

    fn header(&mut self, header: &Header, place: Place) -> Result<(), Wrong> {
        if self.packet.headers.len() >= 24 {
            return Err((place, "more than 24 header functions in one packet".into()));
        }
        if !self.packet.push_header(header.kind, place) {
            return Err(too_long(place));
        }
        self.cursor.expect('(')?;
        while !self.cursor.take(')') {
            if self.cursor.take(',') {
                continue;
            }
            self.assignment(header)?;
        }
        Ok(())
    }

    fn assignment(&mut self, header: &Header) -> Result<(), Wrong> {
        let place = self.cursor.place();
        let name = match self.cursor.next() {
            Some(Word::Name(name)) => name.clone(),
            // 1q and 1ad begin with a digit.
            Some(Word::Number(_)) | None => String::new(),
            Some(other) => format!("{other:?}"),
        };
        let field = header.field(&name).ok_or_else(|| {
            let known: Vec<&str> = header.fields.iter().map(|field| field.names[0]).collect();
            (place, format!("{}() has no field \"{name}\" (known: {})", header.names[0], known.join(", ")))
        })?;
        let mut part = (field.bit, field.bits);
        if self.cursor.take('[') {
            part = self.part(field)?;
            self.cursor.expect(']')?;
        }
        let number = match field.form {
            Form::Word(value) => Some(value),
            _ if self.cursor.take('=') => self.value(header, field, part, place)?,
            _ => return Err((self.cursor.place(), format!("{name} = … is expected, {}", wanted(field.form)))),
        };
        self.store(header.kind, field, part, number);
        Ok(())
    }

    /// `[first]` or `[first:bytes]` of a field.
    fn part(&mut self, field: &Field) -> Result<(usize, usize), Wrong> {
        let place = self.cursor.place();
        let first = self.cursor.next().and_then(plain);
        let length = if self.cursor.take(':') { self.cursor.next().and_then(plain) } else { Some(1) };
        let bytes = (field.bits / 8) as i128;
        match (first, length) {
            (Some(first), Some(length)) if first >= 0 && length >= 1 && first + length <= bytes => {
                Ok((field.bit + 8 * first as usize, 8 * length as usize))
            }
            _ => Err((place, format!("the field has the bytes 0 to {}", bytes - 1))),
        }
    }

    /// A fixed value, or `None` when a move was added.
    fn value(
        &mut self,
        header: &Header,
        field: &Field,
        part: (usize, usize),
        place: Place,
    ) -> Result<Option<u128>, Wrong> {
        let here = self.cursor.place();
        let word = self.cursor.peek().cloned();
        match word {
            Some(Word::Mac(mac)) if field.form == Form::Mac => {
                self.cursor.next();
                Ok(Some(mac.into()))
            }
            Some(Word::Ipv4(ip)) if field.form == Form::Ipv4 => {
                self.cursor.next();
                Ok(Some(ip.into()))
            }
            Some(Word::Ipv6(ip)) if field.form == Form::Ipv6 => {
                self.cursor.next();
                Ok(Some(ip))
            }
            Some(Word::Name(name))
                if field.form == Form::Number && matches!(&*name.to_ascii_lowercase(), "request" | "req" | "reply") =>
            {
                self.cursor.next();
                Ok(Some(if name.eq_ignore_ascii_case("reply") { 2 } else { 1 }))
            }
            Some(Word::Name(name)) if matches!(&*name.to_ascii_lowercase(), "dinc" | "ddec" | "drnd") => {
                self.cursor.next();
                self.moving(&name.to_ascii_lowercase(), header, part, place)?;
                Ok(None)
            }
            Some(Word::Name(name)) if name.to_ascii_lowercase().starts_with("csum") => {
                while !self.cursor.take(')') {
                    if self.cursor.next().is_none() {
                        return Err((here, "the bracket does not close".into()));
                    }
                }
                Ok(None)
            }
            Some(Word::Mac(_) | Word::Ipv4(_) | Word::Ipv6(_)) => {
                Err((here, format!("{} where {} is expected", self.cursor.shown(), wanted(field.form))))
            }
            _ => {
                let number = self.cursor.expression()?;
                if !fits(number, part.1) {
                    let most = if part.1 >= 127 { u128::MAX } else { (1 << part.1) - 1 };
                    return Err((here, format!("{number} is out of range for {} (0..{most})", field.names[0])));
                }
                Ok(Some(number as u128))
            }
        }
    }

    /// `dinc()`, `dinc(step)`, `dinc(min, max)`, `dinc(min, max, step)`, `ddec` alike; `drnd()`, `drnd(min, max)`.
    fn moving(&mut self, name: &str, header: &Header, part: (usize, usize), place: Place) -> Result<(), Wrong> {
        let mut numbers = Vec::new();
        if self.cursor.take('(') {
            while !self.cursor.take(')') {
                if self.cursor.take(',') {
                    continue;
                }
                let address = match self.cursor.peek() {
                    Some(Word::Ipv4(ip)) => Some(i128::from(*ip)),
                    Some(Word::Mac(mac)) => Some(i128::from(*mac)),
                    None => return Err((place, format!("{name}(): the bracket does not close"))),
                    _ => None,
                };
                match address {
                    Some(address) => {
                        self.cursor.next();
                        numbers.push(address);
                    }
                    None => numbers.push(self.cursor.expression()?),
                }
            }
        }
        if part.0 == TPID {
            return Err((place, "a tag's tpid cannot move".into()));
        }
        let most = if part.1 >= 127 { i128::MAX } else { (1i128 << part.1) - 1 };
        let given = Numbers { name, place, numbers };
        if let Some(bad) = given.numbers.iter().find(|number| **number < 0 || **number > most) {
            return Err((place, format!("{bad} is out of range (0..{most})")));
        }
        let numbers: Vec<u128> = given.numbers.iter().map(|number| *number as u128).collect();
        let (low, high, step) = match numbers[..] {
            [] => (0, most as u128, 1),
            [step] => (0, most as u128, step),
            [low, high] => (low, high, 1),
            [low, high, step, ..] => (low, high, step),
        };
        if low > high {
            return Err((place, format!("{}: {low} is above {high}", given.text())));
        }
        let value = match name {
            "drnd" => Value::Random { low, high, every: 1 },
            _ => self.counter(&given, (low, high, step)),
        };
        let at = self.packet.headers.last().map_or(0, |last| last.at);
        let text = format!("{}({}…)", header.names[0], given.text());
        let one = Move { bit: 8 * at + part.0, bits: part.1, value, line: place.line, text };
        self.packet.sample.add(one);
        Ok(())
    }

    fn store(&mut self, kind: Kind, field: &Field, part: (usize, usize), number: Option<u128>) {
        if field.bit == TPID {
            let below = self.packet.below_last().map(|below| (below, self.packet.headers[below].kind.next()));
            if let (Some((below, Some((bit, bits)))), Some(number)) = (below, number) {
                let at = self.packet.headers[below].at;
                self.packet.headers[below].set.push(bit);
                self.packet.put(8 * at + bit, bits, number);
            }
            return;
        }
        let Some(last) = self.packet.headers.last_mut() else { return };
        debug_assert_eq!(last.kind, kind);
        let at = last.at;
        // csum=csumip(…) is what happens anyway.
        let is_sum = number.is_none() && kind.sum() == Some(field.bit);
        if !is_sum {
            last.set.push(field.bit);
        }
        if let Some(number) = number {
            self.packet.put(8 * at + part.0, part.1, number);
        }
    }
}

fn too_long(place: Place) -> Wrong {
    (place, format!("the packet grows beyond {MOST_BYTES} bytes"))
}

fn unknown(what: &str) -> String {
    format!("{what} is no word of trafgen's language: its packet is left out")
}

/// A function with its arguments.
struct Numbers<'n> {
    name: &'n str,
    place: Place,
    numbers: Vec<i128>,
}

impl Numbers<'_> {
    fn text(&self) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(i128::to_string).collect();
        format!("{}({})", self.name, numbers.join(", "))
    }

    fn at(&self, number: usize) -> Result<i128, Wrong> {
        let missing = || (self.place, format!("{}: argument {} is missing", self.text(), number + 1));
        self.numbers.get(number).copied().ok_or_else(missing)
    }

    fn byte(&self, number: usize) -> Result<u8, Wrong> {
        let value = self.at(number)?;
        u8::try_from(value).map_err(|_| (self.place, format!("{}: {value} is out of range (0..255)", self.text())))
    }

    fn count(&self, number: usize) -> Result<usize, Wrong> {
        let value = self.at(number)?;
        let out = || (self.place, format!("{}: {value} is out of range (0..{MOST_BYTES})", self.text()));
        usize::try_from(value).ok().filter(|count| *count <= MOST_BYTES).ok_or_else(out)
    }
}
