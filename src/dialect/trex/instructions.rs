//! The field engine: variables, and where they are written, as moves of a sample.

use std::net::Ipv4Addr;

use crate::{
    dialect::{
        Report,
        anatomy::{Move, Sample, modular},
    },
    profile::Value,
};

/// One instruction, whatever file it stood in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instruction {
    pub kind: String,
    pub name: String,
    pub op: String,
    pub init: Option<u128>,
    pub min: u128,
    pub max: u128,
    pub step: u128,
    /// Bytes of a variable, or of what a masked write writes.
    pub size: usize,
    /// First bit, when the place could be found.
    pub at: Option<usize>,
    pub offset_text: String,
    pub add: i128,
    pub mask: u128,
    pub shift: i128,
    pub is_little: bool,
    pub next: Option<String>,
    pub line: usize,
}

/// Numbers of a field engine are numbers or IPv4 addresses.
pub fn address_or_number(text: &str) -> Option<u128> {
    text.parse::<Ipv4Addr>().map(|ip| u128::from(ip.to_bits())).ok().or_else(|| text.parse().ok())
}

/// What the instructions do to the packets of a stream.
#[derive(Debug, Default)]
pub struct Done {
    /// A value form for the size, when packets are trimmed.
    pub size: Option<Value>,
    pub fixes_ipv4: bool,
    pub fixes_transport: bool,
}

struct Variable<'i> {
    from: &'i Instruction,
    value: Value,
}

/// Places whose bytes follow from the size: writing them is no change here.
pub fn apply(instructions: &[Instruction], sample: &mut Sample, lengths: &[usize], report: &mut Report) -> Done {
    let mut done = Done::default();
    let mut variables: Vec<Variable<'_>> = Vec::new();
    for one in instructions {
        match one.kind.as_str() {
            "flow_var" => {
                let value = variable(one, report);
                variables.push(Variable { from: one, value });
            }
            "tuple_flow_var" => tuple(one, &mut variables, report),
            "write_flow_var" | "write_mask_flow_var" => write(one, &variables, sample, lengths, report),
            "fix_checksum_ipv4" => done.fixes_ipv4 = true,
            "fix_checksum_hw" | "fix_checksum_icmpv6" => {
                done.fixes_ipv4 = true;
                done.fixes_transport = true;
            }
            "trim_pkt_size" => match variables.iter().find(|known| known.from.name == one.name) {
                Some(known) => done.size = Some(known.value.clone()),
                None => report.dropped(one.line, &one.name, "there is no such variable"),
            },
            other => report.dropped(one.line, other, "this instruction of the field engine is not known here"),
        }
    }
    done
}

fn variable(one: &Instruction, report: &mut Report) -> Value {
    if one.min > one.max {
        report.dropped(one.line, &one.name, format!("its minimum {} is above its maximum {}", one.min, one.max));
        return Value::Fixed(one.min);
    }
    let start = one.init.unwrap_or(if one.op == "dec" { one.max } else { one.min });
    match one.op.as_str() {
        "random" => Value::Random { low: one.min, high: one.max, every: 1 },
        "inc" | "dec" => {
            if one.op == "inc" && start == one.min {
                return Value::Sweep { from: one.min, to: one.max, step: one.step, every: 1 };
            }
            let (value, exact) = modular(one.min, one.max, one.step, start, one.op == "dec");
            if !exact {
                let sentence =
                    format!("it starts at {start} and wraps there; here it goes up from {} to {}", one.min, one.max);
                report.converted(one.line, &one.name, sentence);
            }
            value
        }
        other => {
            report.dropped(
                one.line,
                &one.name,
                format!("op \"{other}\" is not known (inc, dec, random): it stands still"),
            );
            Value::Fixed(one.min)
        }
    }
}

/// Addresses go round before the port moves on.
fn tuple<'i>(one: &'i Instruction, variables: &mut Vec<Variable<'i>>, report: &mut Report) {
    let clients = (one.max.saturating_sub(one.min)).saturating_add(1);
    let (low, high) = ((one.mask >> 16) & 0xffff, one.mask & 0xffff);
    let every = u64::try_from(clients).unwrap_or(u64::MAX).max(1);
    variables.push(Variable { from: one, value: Value::Sweep { from: one.min, to: one.max, step: 1, every: 1 } });
    variables.push(Variable { from: one, value: Value::Sweep { from: low, to: high.max(low), step: 1, every } });
    let all = clients.saturating_mul(high.saturating_sub(low) + 1);
    if one.init.is_some_and(|limit| limit > 0 && limit < all) {
        report.converted(one.line, &one.name, format!("the limit of flows is left out: all {all} pairs are walked"));
    }
}

fn write(one: &Instruction, variables: &[Variable<'_>], sample: &mut Sample, lengths: &[usize], report: &mut Report) {
    let (name, wants_port) = match one.name.rsplit_once('.') {
        Some((name, part)) => (name, part == "port"),
        None => (one.name.as_str(), false),
    };
    let mut found = variables.iter().filter(|known| known.from.name == name);
    let known = if wants_port { found.nth(1) } else { found.next() };
    let Some(known) = known else {
        return report.dropped(one.line, &one.name, "there is no such variable");
    };
    let Some(bit) = one.at else {
        return report.dropped(one.line, &one.offset_text, "there is no such place in the packet");
    };
    if lengths.contains(&bit) {
        return;
    }
    if one.is_little {
        return report.dropped(one.line, &one.name, "written with its lowest byte first: not known here");
    }
    let every = every(known, variables);
    let value = with_every(shifted(&known.value, one.add), every);
    let size = if wants_port {
        2
    } else if known.from.kind == "tuple_flow_var" {
        4
    } else {
        known.from.size
    };
    let text = format!("{} at {}", one.name, one.offset_text);
    let moved = match one.kind.as_str() {
        "write_mask_flow_var" => masked(one, bit, value),
        _ => Some((bit, 8 * size, value)),
    };
    let Some((bit, bits, value)) = moved else {
        return report.dropped(
            one.line,
            &text,
            "a mask with holes, or a shift that does not fit it, is not known here",
        );
    };
    if bit + bits > 8 * sample.bytes.len() {
        return report.dropped(one.line, &text, "it lies behind the end of the packet");
    }
    // The same place written twice: the later write counts.
    sample.moves.retain(|old| old.end() <= bit || old.bit >= bit + bits);
    sample.add(Move { bit, bits, value, line: one.line, text });
}

/// A variable that another one turns moves once a round of that one.
fn every(known: &Variable<'_>, variables: &[Variable<'_>]) -> u64 {
    let mut every = 1u64;
    let mut name = known.from.name.as_str();
    for _ in 0..variables.len() {
        let Some(driver) = variables.iter().find(|other| other.from.next.as_deref() == Some(name)) else { break };
        every = every.saturating_mul(u64::try_from(driver.value.positions()).unwrap_or(u64::MAX));
        name = driver.from.name.as_str();
    }
    every.clamp(1, i64::MAX as u64)
}

fn with_every(value: Value, more: u64) -> Value {
    match value {
        Value::Sweep { from, to, step, every } => Value::Sweep { from, to, step, every: every.saturating_mul(more) },
        Value::Random { low, high, every } => Value::Random { low, high, every: every.saturating_mul(more) },
        Value::List { values, every } => Value::List { values, every: every.saturating_mul(more) },
        other => other,
    }
}

fn shifted(value: &Value, add: i128) -> Value {
    let moved = |number: &u128| number.saturating_add_signed(add);
    match value {
        Value::Fixed(number) => Value::Fixed(moved(number)),
        Value::Sweep { from, to, step, every } => {
            Value::Sweep { from: moved(from), to: moved(to), step: *step, every: *every }
        }
        Value::Random { low, high, every } => Value::Random { low: moved(low), high: moved(high), every: *every },
        Value::List { values, every } => Value::List { values: values.iter().map(moved).collect(), every: *every },
        other => other.clone(),
    }
}

/// The run of bits under a mask; a shift to the left by where the mask begins puts the value there.
fn masked(one: &Instruction, bit: usize, value: Value) -> Option<(usize, usize, Value)> {
    let low = one.mask.trailing_zeros() as usize;
    let bits = one.mask.count_ones() as usize;
    let is_run = bits > 0 && one.mask >> low == (1u128 << bits) - 1;
    let fits = usize::try_from(one.shift).ok() == Some(low) || (one.shift == 0 && low == 0);
    let end = bit + 8 * one.size;
    (is_run && fits && low + bits <= 8 * one.size).then(|| (end - low - bits, bits, value))
}
