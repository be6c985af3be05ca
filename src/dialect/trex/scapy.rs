//! Stacks of scapy layers with literal fields, as bytes.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    rc::Rc,
};

use crate::{dialect::anatomy::Sample, profile::kind::parse_mac};

use super::{
    lex::{Place, Wrong},
    value::{Object, Value},
};

/// A field that a layer's keyword sets.
pub struct Field {
    pub name: &'static str,
    pub bit: usize,
    pub bits: usize,
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Number,
    Mac,
    Ipv4,
    Ipv6,
    TcpFlags,
    IpFlags,
    /// Worked out when nothing is said.
    Computed,
}

pub struct Layer {
    pub names: &'static [&'static str],
    pub blank: &'static [u8],
    pub fields: &'static [Field],
    /// Ethertype or protocol number that announces it.
    pub ethertype: u128,
    pub protocol: u128,
    /// Where what follows is announced: bit and bits.
    pub next: Option<(usize, usize)>,
    /// Where a length stands, and how many bytes it leaves out.
    pub length: Option<(usize, usize)>,
    pub sum: Option<usize>,
}

const fn field(name: &'static str, bit: usize, bits: usize, form: Form) -> Field {
    Field { name, bit, bits, form }
}

use Form::{Computed, IpFlags, Mac, Number, TcpFlags};

pub static LAYERS: &[Layer] = &[
    Layer {
        names: &["Ether"],
        blank: &[0; 14],
        fields: &[field("dst", 0, 48, Mac), field("src", 48, 48, Mac), field("type", 96, 16, Computed)],
        ethertype: 0,
        protocol: 0,
        next: Some((96, 16)),
        length: None,
        sum: None,
    },
    Layer {
        names: &["Dot1Q", "Dot1AD"],
        blank: &[0, 1, 0, 0],
        fields: &[
            field("prio", 0, 3, Number),
            field("id", 3, 1, Number),
            field("dei", 3, 1, Number),
            field("vlan", 4, 12, Number),
            field("type", 16, 16, Computed),
        ],
        ethertype: 0x8100,
        protocol: 0,
        next: Some((16, 16)),
        length: None,
        sum: None,
    },
    Layer {
        names: &["MPLS"],
        blank: &[0, 0, 0x31, 0],
        fields: &[
            field("label", 0, 20, Number),
            field("cos", 20, 3, Number),
            field("tc", 20, 3, Number),
            field("s", 23, 1, Number),
            field("ttl", 24, 8, Number),
        ],
        ethertype: 0x8847,
        protocol: 0,
        next: None,
        length: None,
        sum: None,
    },
    Layer {
        names: &["ARP"],
        blank: &[0, 1, 8, 0, 6, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        fields: &[
            field("hwtype", 0, 16, Number),
            field("ptype", 16, 16, Number),
            field("op", 48, 16, Number),
            field("hwsrc", 64, 48, Mac),
            field("psrc", 112, 32, Form::Ipv4),
            field("hwdst", 144, 48, Mac),
            field("pdst", 192, 32, Form::Ipv4),
        ],
        ethertype: 0x0806,
        protocol: 0,
        next: None,
        length: None,
        sum: None,
    },
    Layer {
        names: &["IP"],
        blank: &[0x45, 0, 0, 0, 0, 1, 0, 0, 64, 0, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1],
        fields: &[
            field("version", 0, 4, Number),
            field("ihl", 4, 4, Number),
            field("tos", 8, 8, Number),
            field("len", 16, 16, Computed),
            field("id", 32, 16, Number),
            field("flags", 48, 3, IpFlags),
            field("frag", 51, 13, Number),
            field("ttl", 64, 8, Number),
            field("proto", 72, 8, Computed),
            field("chksum", 80, 16, Computed),
            field("src", 96, 32, Form::Ipv4),
            field("dst", 128, 32, Form::Ipv4),
        ],
        ethertype: 0x0800,
        protocol: 4,
        next: Some((72, 8)),
        length: Some((16, 0)),
        sum: Some(80),
    },
    Layer {
        names: &["IPv6"],
        blank: &[
            0x60, 0, 0, 0, 0, 0, 59, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 1,
        ],
        fields: &[
            field("version", 0, 4, Number),
            field("tc", 4, 8, Number),
            field("fl", 12, 20, Number),
            field("plen", 32, 16, Computed),
            field("nh", 48, 8, Computed),
            field("hlim", 56, 8, Number),
            field("src", 64, 128, Form::Ipv6),
            field("dst", 192, 128, Form::Ipv6),
        ],
        ethertype: 0x86dd,
        protocol: 41,
        next: Some((48, 8)),
        length: Some((32, 40)),
        sum: None,
    },
    Layer {
        names: &["UDP"],
        blank: &[0, 53, 0, 53, 0, 0, 0, 0],
        fields: &[
            field("sport", 0, 16, Number),
            field("dport", 16, 16, Number),
            field("len", 32, 16, Computed),
            field("chksum", 48, 16, Computed),
        ],
        ethertype: 0,
        protocol: 17,
        next: None,
        length: Some((32, 0)),
        sum: Some(48),
    },
    Layer {
        names: &["TCP"],
        blank: &[0, 20, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2, 0x20, 0, 0, 0, 0, 0],
        fields: &[
            field("sport", 0, 16, Number),
            field("dport", 16, 16, Number),
            field("seq", 32, 32, Number),
            field("ack", 64, 32, Number),
            field("dataofs", 96, 4, Number),
            field("flags", 103, 9, TcpFlags),
            field("window", 112, 16, Number),
            field("chksum", 128, 16, Computed),
            field("urgptr", 144, 16, Number),
        ],
        ethertype: 0,
        protocol: 6,
        next: None,
        length: None,
        sum: Some(128),
    },
    Layer {
        names: &["ICMP"],
        blank: &[8, 0, 0, 0, 0, 0, 0, 0],
        fields: &[
            field("type", 0, 8, Number),
            field("code", 8, 8, Number),
            field("chksum", 16, 16, Computed),
            field("id", 32, 16, Number),
            field("seq", 48, 16, Number),
        ],
        ethertype: 0,
        protocol: 1,
        next: None,
        length: None,
        sum: Some(16),
    },
    Layer {
        names: &["ICMPv6EchoRequest"],
        blank: &[128, 0, 0, 0, 0, 0, 0, 0],
        fields: &[
            field("type", 0, 8, Number),
            field("code", 8, 8, Number),
            field("cksum", 16, 16, Computed),
            field("id", 32, 16, Number),
            field("seq", 48, 16, Number),
        ],
        ethertype: 0,
        protocol: 58,
        next: None,
        length: None,
        sum: Some(16),
    },
];

/// A layer within the packet.
pub struct Placed {
    pub name: String,
    pub layer: &'static Layer,
    /// Bytes from the start.
    pub at: usize,
    set: Vec<usize>,
}

/// A built stack.
pub struct Stack {
    pub sample: Sample,
    pub layers: Vec<Placed>,
    /// Fields left at scapy's defaults that nobody means: layer and field.
    pub open: Vec<(String, &'static str, usize)>,
}

/// `a / b`.
pub fn stack(left: &Value, right: &Value, place: Place) -> Result<Value, Wrong> {
    let mut all = parts(left);
    all.extend(parts(right));
    if all.len() > 64 {
        return Err(Wrong::new(place, "more than 64 layers"));
    }
    Ok(Value::object("/", all, Vec::new(), place))
}

fn parts(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(object) if &*object.class == "/" => object.unnamed.borrow().clone(),
        other => vec![other.clone()],
    }
}

/// Bytes of a packet; `None` for what is none.
pub fn length(value: &Value) -> Option<usize> {
    build(value).ok().map(|stack| stack.sample.bytes.len())
}

/// # Errors
/// The layer or field that is not known, with its place.
pub fn build(value: &Value) -> Result<Stack, Wrong> {
    let mut stack = Stack { sample: Sample::default(), layers: Vec::new(), open: Vec::new() };
    for part in parts(value) {
        match &part {
            Value::Text(bytes) => stack.sample.bytes.extend(bytes.iter()),
            Value::Object(object) => stack.push(object)?,
            other => return Err(Wrong::new(Place { line: 1, column: 1 }, format!("{} is no layer", other.shown()))),
        }
    }
    stack.finish();
    Ok(stack)
}

impl Stack {
    fn push(&mut self, object: &Rc<Object>) -> Result<(), Wrong> {
        let name = object.class.rsplit('.').next().unwrap_or("");
        if matches!(name, "Raw" | "Padding" | "raw") {
            let load = object.argument("load", 0);
            return match load {
                Some(Value::Text(bytes)) => {
                    self.sample.bytes.extend(bytes.iter());
                    Ok(())
                }
                None => Ok(()),
                Some(other) => Err(Wrong::new(object.place, format!("Raw({}) is not read", other.shown()))),
            };
        }
        let Some(layer) = LAYERS.iter().find(|layer| layer.names.contains(&name)) else {
            let known: Vec<&str> = LAYERS.iter().map(|layer| layer.names[0]).collect();
            return Err(Wrong::new(
                object.place,
                format!("{name}() is no layer known here ({}, Raw)", known.join(", ")),
            ));
        };
        let at = self.sample.bytes.len();
        self.sample.bytes.extend(layer.blank);
        let mut placed = Placed { name: name.into(), layer, at, set: Vec::new() };
        for (key, value) in object.named.borrow().iter() {
            let Some(field) = layer.fields.iter().find(|field| field.name == key) else {
                let known: Vec<&str> = layer.fields.iter().map(|field| field.name).collect();
                return Err(Wrong::new(
                    object.place,
                    format!("{name}() has no field \"{key}\" here ({})", known.join(", ")),
                ));
            };
            if matches!(value, Value::None) {
                continue;
            }
            let number = number(field, value).ok_or_else(|| {
                Wrong::new(object.place, format!("{name}({key} = {}): not a value for this field", value.shown()))
            })?;
            placed.set.push(field.bit);
            self.sample.put_bits(8 * at + field.bit, field.bits, number);
        }
        for (key, field) in [("src", 48), ("src", 96), ("dst", 128), ("src", 64), ("dst", 192)] {
            let is_address =
                layer.fields.iter().any(|known| known.name == key && known.bit == field && known.bits > 16);
            if is_address && !placed.set.contains(&field) && name != "Ether" {
                self.open.push((name.into(), key, 8 * at + field));
            }
        }
        if name == "Ether" && at == 0 && !placed.set.contains(&48) {
            self.sample.src_is_device = true;
        }
        self.layers.push(placed);
        Ok(())
    }

    fn finish(&mut self) {
        let length = self.sample.bytes.len();
        for number in 0..self.layers.len() {
            let (at, layer) = (self.layers[number].at, self.layers[number].layer);
            let is_set = |bit: usize| self.layers[number].set.contains(&bit);
            let next = self.layers.get(number + 1);
            let mut puts = Vec::new();
            if let (Some((bit, bits)), Some(next)) = (layer.next, next)
                && !is_set(bit)
            {
                let tag = if next.name == "Dot1AD" { 0x88a8 } else { next.layer.ethertype };
                puts.push((bit, bits, if bits == 16 { tag } else { next.layer.protocol }));
            }
            // The last of a stack of labels ends it, unless the file says so itself.
            if layer.names[0] == "MPLS" && !is_set(23) {
                puts.push((23, 1, u128::from(next.is_none_or(|next| next.layer.names[0] != "MPLS"))));
            }
            if let Some((bit, without)) = layer.length
                && !is_set(bit)
            {
                puts.push((bit, 16, length.saturating_sub(at + without) as u128));
            }
            if let Some(bit) = layer.sum
                && !is_set(bit)
            {
                self.sample.sums.push(at + bit / 8);
            }
            for (bit, bits, value) in puts {
                self.sample.put_bits(8 * at + bit, bits, value);
            }
        }
    }

    /// First bit and bits of `IP.src`, `IP:1.src`, `UDP` (its start, no bits).
    pub fn find(&self, name: &str) -> Option<(usize, usize)> {
        let (layer, field) = name.split_once('.').unwrap_or((name, ""));
        let (layer, number) = layer.split_once(':').unwrap_or((layer, "0"));
        let placed = self.layers.iter().filter(|placed| placed.name == layer).nth(number.parse().ok()?)?;
        if field.is_empty() {
            return Some((8 * placed.at, 0));
        }
        let field = placed.layer.fields.iter().find(|known| known.name == field)?;
        Some((8 * placed.at + field.bit, field.bits))
    }
}

fn number(field: &Field, value: &Value) -> Option<u128> {
    let text = value.as_text();
    let text = text.as_deref();
    let plain = value.as_int().and_then(|int| u128::try_from(int).ok());
    let number = match (field.form, text) {
        (Form::Mac, Some(text)) => u128::from(parse_mac(text)?),
        (Form::Ipv4, Some(text)) => u128::from(text.parse::<Ipv4Addr>().ok()?.to_bits()),
        (Form::Ipv6, Some(text)) => text.parse::<Ipv6Addr>().ok()?.to_bits(),
        (Form::TcpFlags, Some(text)) => text.chars().try_fold(0, |all, c| Some(all | 1 << "FSRPAUECN".find(c)?))?,
        (Form::IpFlags, Some(text)) => text.split('+').try_fold(0, |all, word| {
            Some(
                all | match word {
                    "" => 0,
                    "MF" => 1,
                    "DF" => 2,
                    "evil" => 4,
                    _ => return None,
                },
            )
        })?,
        (_, Some("who-has")) => 1,
        (_, Some("is-at")) => 2,
        (_, Some("echo-request")) => 8,
        (_, Some("echo-reply")) => 0,
        (_, Some(_)) => return None,
        (_, None) => plain?,
    };
    (field.bits >= 128 || number >> field.bits == 0).then_some(number)
}
