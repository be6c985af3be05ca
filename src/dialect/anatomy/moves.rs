//! What moves in a frame: single moves of other tools, put together into the one value form of a field.

use crate::profile::{Value, kind::Kind};

/// A run of bits that takes other values from packet to packet.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// First bit, counted from the start of the frame.
    pub bit: usize,
    /// How many bits, 1 to 128.
    pub bits: usize,
    pub value: Value,
    pub line: usize,
    /// As the file has it, for the report.
    pub text: String,
}

impl Move {
    pub fn end(&self) -> usize {
        self.bit + self.bits
    }

    /// Of `value`, only the low bits that really change; the others belong to the bytes.
    pub(super) fn narrowed(&self) -> Move {
        let (low, high) = (self.value.min(), self.value.max());
        let varying = match &self.value {
            Value::Fixed(_) => 0,
            Value::List { values, .. } => values.iter().fold(0, |all, value| all | (value ^ low)),
            _ => low ^ high,
        };
        let bits = (128 - varying.leading_zeros() as usize).clamp(1, self.bits);
        let mask = ones(bits);
        let value = match &self.value {
            Value::Fixed(value) => Value::Fixed(value & mask),
            // A sweep may stop short of its `to`.
            Value::Sweep { from, step, every, .. } => {
                Value::Sweep { from: from & mask, to: high & mask, step: *step, every: *every }
            }
            Value::Random { low, high, every } => Value::Random { low: low & mask, high: high & mask, every: *every },
            Value::List { values, every } => {
                Value::List { values: values.iter().map(|value| value & mask).collect(), every: *every }
            }
            Value::Masked { .. } | Value::Imix { .. } => return self.clone(),
        };
        Move { bit: self.end() - bits, bits, value, ..self.clone() }
    }
}

pub(super) fn ones(bits: usize) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// Longer cycles are not written out as lists.
const LONGEST_LIST: u128 = 1024;

/// One field's value out of the moves inside it. `base` is the field with all moving bits at their first values.
/// The second part is what had to give way, in words.
pub(super) fn together(bit: usize, bits: usize, base: u128, moves: &[Move]) -> (Value, Option<&'static str>) {
    let still = moves.iter().fold(base, |base, one| base & !(ones(one.bits) << shift(bit, bits, one)));
    match moves {
        [] => (Value::Fixed(base), None),
        [one] => single(still, shift(bit, bits, one), &one.value),
        many => several(bit, bits, still, many),
    }
}

/// How far above the field's lowest bit a move ends.
fn shift(bit: usize, bits: usize, one: &Move) -> usize {
    (bit + bits).saturating_sub(one.end()).min(127)
}

fn single(still: u128, shift: usize, value: &Value) -> (Value, Option<&'static str>) {
    let place = |part: &u128| still | part << shift;
    let value = match value {
        Value::Fixed(part) => Value::Fixed(place(part)),
        Value::Sweep { from, to, step, every } => {
            Value::Sweep { from: place(from), to: place(to), step: step << shift, every: *every }
        }
        Value::List { values, every } => Value::List { values: values.iter().map(place).collect(), every: *every },
        Value::Random { low, high, every } if shift == 0 => {
            Value::Random { low: place(low), high: place(high), every: *every }
        }
        Value::Random { low: 0, high, every } if high & (high + 1) == 0 => {
            Value::Masked { base: still, mask: high << shift, every: *every }
        }
        Value::Masked { base, mask, every } => Value::Masked { base: place(base), mask: mask << shift, every: *every },
        Value::Imix { .. } => return (Value::Fixed(still), Some("a mix of values is for sizes only")),
        Value::Random { low, high, every } => {
            let sweep = Value::Sweep { from: place(low), to: place(high), step: 1 << shift, every: *every };
            return (sweep, Some("only the upper bits of the field are random: it takes the same values in turn"));
        }
    };
    (value, None)
}

fn several(bit: usize, bits: usize, still: u128, moves: &[Move]) -> (Value, Option<&'static str>) {
    let mut moves = moves.to_vec();
    moves.sort_by_key(|one| one.bit);
    if let Some(random) = all_random(bit, bits, still, &moves).or_else(|| masked(bit, bits, still, &moves)) {
        return (random, None);
    }
    if let Some(list) = short_cycle(bit, bits, still, &moves) {
        return (list, None);
    }
    let kept = moves.last().map(|one| single(still, shift(bit, bits, one), &one.value).0);
    let rest = moves.iter().rev().skip(1);
    let held = rest.fold(0, |held, one| held | super::first(&one.value) << shift(bit, bits, one));
    let value = match kept {
        Some(Value::Sweep { from, to, step, every }) => Value::Sweep { from: from | held, to: to | held, step, every },
        Some(Value::Random { low, high, every }) => Value::Random { low: low | held, high: high | held, every },
        Some(Value::List { values, every }) => {
            Value::List { values: values.iter().map(|value| value | held).collect(), every }
        }
        Some(Value::Masked { base, mask, every }) => Value::Masked { base: base | held, mask, every },
        Some(Value::Fixed(value)) => Value::Fixed(value | held),
        Some(Value::Imix { .. }) | None => Value::Fixed(still | held),
    };
    (value, Some("several parts of one field move, which is one field here: only the last part moves"))
}

/// Neighbouring random parts, all but the uppermost over their whole width, are one random number.
fn all_random(bit: usize, bits: usize, still: u128, moves: &[Move]) -> Option<Value> {
    let last = moves.last()?;
    let adjacent = moves.windows(2).all(|pair| pair[0].end() == pair[1].bit);
    if !adjacent || last.end() != bit + bits {
        return None;
    }
    let (mut low, mut high) = (still, still);
    for (number, one) in moves.iter().enumerate() {
        let Value::Random { low: from, high: to, every: 1 } = &one.value else { return None };
        if number > 0 && (*from, *to) != (0, ones(one.bits)) {
            return None;
        }
        let shift = shift(bit, bits, one);
        low |= from << shift;
        high |= to << shift;
    }
    Some(Value::Random { low, high, every: 1 })
}

/// Parts that are random over their whole width, with gaps between them: random under a mask.
fn masked(bit: usize, bits: usize, still: u128, moves: &[Move]) -> Option<Value> {
    let mask = moves.iter().try_fold(0, |mask, one| match one.value {
        Value::Random { low: 0, high, every: 1 } if high == ones(one.bits) => {
            Some(mask | high << shift(bit, bits, one))
        }
        _ => None,
    })?;
    Some(Value::Masked { base: still & !mask, mask, every: 1 })
}

fn short_cycle(bit: usize, bits: usize, still: u128, moves: &[Move]) -> Option<Value> {
    let period = moves.iter().try_fold(1u128, |all, one| lcm(all, period(&one.value)?))?;
    let values =
        (0..period).map(|k| moves.iter().fold(still, |value, one| value | at(&one.value, k) << shift(bit, bits, one)));
    Some(Value::List { values: values.collect(), every: 1 })
}

fn period(value: &Value) -> Option<u128> {
    let period = value.positions().checked_mul(u128::from(value.every().max(1)))?;
    (period <= LONGEST_LIST && !matches!(value, Value::Random { .. } | Value::Masked { .. } | Value::Imix { .. }))
        .then_some(period)
}

fn lcm(a: u128, b: u128) -> Option<u128> {
    let all = a / gcd(a, b) * b;
    (all <= LONGEST_LIST).then_some(all)
}

pub(super) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// The value in build `k` of anything that is not random.
fn at(value: &Value, k: u128) -> u128 {
    let position = k / u128::from(value.every().max(1)) % value.positions().max(1);
    match value {
        Value::Fixed(value) => *value,
        Value::Sweep { from, step, .. } => from + step * position,
        Value::Random { low, .. } => *low,
        Value::List { values, .. } => values.get(position as usize).copied().unwrap_or(0),
        Value::Masked { base, .. } => *base,
        Value::Imix { .. } => value.min(),
    }
}

/// Counters that wrap by the width of their range, as trafgen's: a sweep where the step divides the range, else a
/// list, else the nearest sweep and `false`.
pub fn modular(low: u128, high: u128, step: u128, from: u128, downwards: bool) -> (Value, bool) {
    let (low, high) = (low.min(high), low.max(high));
    let range = (high - low).saturating_add(1);
    let step = step % range;
    if step == 0 || range == 1 {
        return (Value::Fixed(from.clamp(low, high)), true);
    }
    if !downwards && range % step == 0 && from == low {
        return (Value::Sweep { from: low, to: low + (range / step - 1) * step, step, every: 1 }, true);
    }
    let period = range / gcd(range, step);
    if period > LONGEST_LIST {
        return (Value::Sweep { from: low, to: high, step, every: 1 }, false);
    }
    let start = from.clamp(low, high) - low;
    let step = if downwards { range - step } else { step };
    let values = (0..period).map(|k| low + (start + k * step) % range).collect();
    (Value::List { values, every: 1 }, true)
}

/// A value form as a profile's file writes it, shortest way.
pub fn toml(kind: &Kind, value: &Value) -> String {
    let show = |number: &u128| kind.show_toml(*number);
    let every = |every: &u64| if *every == 1 { String::new() } else { format!(", every = {every}") };
    match value {
        Value::Fixed(number) => show(number),
        Value::Sweep { from, to, step: 1, every: n } => {
            format!("{{ from = {}, to = {}{} }}", show(from), show(to), every(n))
        }
        Value::Sweep { from, to, step, every: n } => {
            format!("{{ from = {}, to = {}, step = {step}{} }}", show(from), show(to), every(n))
        }
        Value::Random { low, high, every: n } => format!("{{ random = [{}, {}]{} }}", show(low), show(high), every(n)),
        Value::List { values, every: n } => {
            let values: Vec<String> = values.iter().map(show).collect();
            format!("{{ list = [{}]{} }}", values.join(", "), every(n))
        }
        Value::Masked { base, mask, every: n } => {
            format!("{{ random = {}, mask = {}{} }}", show(base), show(mask), every(n))
        }
        Value::Imix { shares, every: n } => {
            let shares: Vec<String> =
                shares.iter().map(|share| format!("[{}, {}]", show(&share.value), share.weight)).collect();
            format!("{{ imix = [{}]{} }}", shares.join(", "), every(n))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(bit: usize, bits: usize, value: Value) -> Move {
        Move { bit, bits, value, line: 1, text: String::new() }
    }

    const BYTE: Value = Value::Random { low: 0, high: 255, every: 1 };

    #[test]
    fn random_bytes_beside_each_other_are_one_random_number() {
        let moves = [one(24, 8, BYTE), one(16, 8, BYTE)];
        assert_eq!(together(16, 16, 0, &moves), (Value::Random { low: 0, high: 0xffff, every: 1 }, None));
        let last = [one(24, 8, BYTE)];
        let value = Value::Random { low: 0xc612_3300, high: 0xc612_33ff, every: 1 };
        assert_eq!(together(0, 32, 0xc612_3300, &last), (value, None));
    }

    #[test]
    fn a_sweep_in_the_middle_of_a_field_takes_larger_steps() {
        let sweep = Value::Sweep { from: 1, to: 3, step: 1, every: 1 };
        let value = Value::Sweep { from: 0x0a00_0105, to: 0x0a00_0305, step: 0x100, every: 1 };
        assert_eq!(together(0, 32, 0x0a00_0105, &[one(16, 8, sweep)]), (value, None));
    }

    #[test]
    fn two_short_sweeps_in_one_field_are_a_list() {
        let sweep = |to| Value::Sweep { from: 0, to, step: 1, every: 1 };
        let (value, lost) = together(0, 16, 0, &[one(0, 8, sweep(1)), one(8, 8, sweep(2))]);
        assert_eq!(value, Value::List { values: vec![0, 0x101, 2, 0x100, 1, 0x102], every: 1 });
        assert_eq!(lost, None);
        let (value, lost) = together(0, 24, 0x300, &[one(0, 8, BYTE), one(16, 8, BYTE)]);
        assert_eq!((value, lost), (Value::Masked { base: 0x300, mask: 0xff_00ff, every: 1 }, None));
        let (_, lost) = together(0, 16, 0, &[one(0, 8, BYTE), one(8, 8, sweep(2))]);
        assert!(lost.is_some());
    }

    #[test]
    fn counters_wrap_by_their_range() {
        assert_eq!(modular(0, 255, 1, 0, false).0, Value::Sweep { from: 0, to: 255, step: 1, every: 1 });
        assert_eq!(modular(0, 4, 2, 0, false).0, Value::List { values: vec![0, 2, 4, 1, 3], every: 1 });
        assert_eq!(modular(1, 3, 1, 3, true).0, Value::List { values: vec![3, 2, 1], every: 1 });
        assert_eq!(modular(5, 5, 1, 5, false).0, Value::Fixed(5));
        assert!(!modular(0, 0xffff, 3, 1, false).1, "65536 positions are no list");
    }

    #[test]
    fn a_wide_move_is_narrowed_to_the_bits_that_change() {
        let wide = one(0, 32, Value::Sweep { from: 0x0a00_0001, to: 0x0a00_00fe, step: 1, every: 1 });
        let narrow = wide.narrowed();
        assert_eq!((narrow.bit, narrow.bits), (24, 8));
        assert_eq!(narrow.value, Value::Sweep { from: 1, to: 254, step: 1, every: 1 });
    }
}
