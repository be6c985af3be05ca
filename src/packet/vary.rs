//! How a field's value comes of the build number: fixed, walking, or drawn.

use crate::profile::{Share, Value, imix as shares_of};

use super::{
    conversation::{Dealt, Turns},
    draw,
    imix::{self, Round},
    mask::Mask,
    turn::{Divisor, Odometer, Turn},
};

/// Why a value has no form; the caller knows flow and field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadValue {
    Empty,
    Backwards { from: u128, to: u128 },
}

/// A value stripped of what does not matter: whatever can take one value only is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form<'a> {
    Fixed(u128),
    /// Position `i` of `0..=last` is `from + i * step`.
    Sweep {
        from: u128,
        step: u128,
        last: u128,
        every: u64,
    },
    List {
        values: &'a [u128],
        every: u64,
    },
    Random {
        low: u128,
        high: u128,
        every: u64,
    },
    /// Drawn in the bits of `mask`, which do not all lie together at the low end.
    Masked {
        base: u128,
        mask: u128,
        every: u64,
    },
    Imix {
        shares: &'a [Share],
        every: u64,
    },
}

impl<'a> Form<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Form<'a>, BadValue> {
        match value {
            Value::Fixed(value) => Ok(Form::Fixed(*value)),
            Value::Sweep { from, to, .. } | Value::Random { low: from, high: to, .. } if from > to => {
                Err(BadValue::Backwards { from: *from, to: *to })
            }
            Value::Sweep { from, to, step, every } => {
                let last = (to - from).checked_div(*step).unwrap_or(0);
                Ok(if last == 0 {
                    Form::Fixed(*from)
                } else {
                    Form::Sweep { from: *from, step: *step, last, every: *every }
                })
            }
            Value::Random { low, high, every } => {
                Ok(if low == high { Form::Fixed(*low) } else { Form::Random { low: *low, high: *high, every: *every } })
            }
            Value::List { values, every } => {
                let first = *values.first().ok_or(BadValue::Empty)?;
                let constant = values.iter().all(|value| *value == first);
                Ok(if constant { Form::Fixed(first) } else { Form::List { values, every: *every } })
            }
            Value::Masked { base, mask, every } => {
                let (base, mask, every) = (base & !mask, *mask, *every);
                Ok(match mask {
                    0 => Form::Fixed(base),
                    // The same draw, the short way.
                    _ if mask & mask.wrapping_add(1) == 0 => Form::Random { low: base, high: base | mask, every },
                    _ => Form::Masked { base, mask, every },
                })
            }
            Value::Imix { shares, every } => {
                let mut sent = shares_of::sent(shares);
                let first = sent.next().ok_or(BadValue::Empty)?.value;
                let constant = sent.all(|share| share.value == first);
                Ok(if constant { Form::Fixed(first) } else { Form::Imix { shares, every: *every } })
            }
        }
    }

    /// Drawn, not walked.
    pub(super) fn is_random(&self) -> bool {
        matches!(self, Form::Random { .. } | Form::Masked { .. })
    }

    /// Of what is drawn: how many values, less one.
    pub(super) fn last_drawn(&self) -> Option<u128> {
        match self {
            Form::Random { low, high, .. } => Some(high - low),
            Form::Masked { mask, .. } => Some(Mask::of(*mask).most()),
            _ => None,
        }
    }

    pub(super) fn min(&self) -> u128 {
        match *self {
            Form::Fixed(value) => value,
            Form::Sweep { from, .. } => from,
            Form::List { values, .. } => values.iter().copied().min().unwrap_or(0),
            Form::Random { low, .. } => low,
            Form::Masked { base, .. } => base,
            Form::Imix { shares, .. } => shares_of::sent(shares).map(|share| share.value).min().unwrap_or(0),
        }
    }

    /// The largest value really taken (a sweep may stop short of its `to`).
    pub(super) fn max(&self) -> u128 {
        match *self {
            Form::Fixed(value) => value,
            Form::Sweep { from, step, last, .. } => from + step * last,
            Form::List { values, .. } => values.iter().copied().max().unwrap_or(0),
            Form::Random { high, .. } => high,
            Form::Masked { base, mask, .. } => base | mask,
            Form::Imix { shares, .. } => shares_of::sent(shares).map(|share| share.value).max().unwrap_or(0),
        }
    }

    /// What the field is in build 0 when it walks; what it always is when fixed.
    pub(super) fn first(&self) -> u128 {
        match *self {
            Form::List { values, .. } => values.first().copied().unwrap_or(0),
            _ => self.min(),
        }
    }

    /// Takes this field's place in the odometer. A field below so many faster ones that it never moves is fixed.
    pub(super) fn set_going(self, odometer: &mut Odometer) -> Option<Motion<'a>> {
        let (every, positions) = match self {
            Form::Fixed(_) => return None,
            Form::Random { every, .. } | Form::Masked { every, .. } => return Some(Motion::of(self, every.max(1))),
            Form::Sweep { last, every, .. } => (every, last.saturating_add(1)),
            Form::List { values, every } => (every, values.len() as u128),
            Form::Imix { shares, every } => (every, u128::from(shares_of::cycle(shares))),
        };
        odometer.hold(every, positions).map(|hold| Motion::of(self, hold))
    }
}

/// A varying form and how many builds it stands still at each value.
#[derive(Debug, Clone)]
pub(super) struct Motion<'a> {
    form: Form<'a>,
    hold: u64,
    /// It varies with the number of the conversation, not of the build.
    turns: Option<Turns>,
    /// … and is drawn without repetition.
    dealt: Option<Dealt>,
}

impl<'a> Motion<'a> {
    fn of(form: Form<'a>, hold: u64) -> Motion<'a> {
        Motion { form, hold, turns: None, dealt: None }
    }

    /// From one conversation to the next.
    pub(super) fn by_turns(self, turns: Turns) -> Motion<'a> {
        Motion { turns: Some(turns), ..self }
    }

    pub(super) fn dealt(self, dealt: Dealt) -> Motion<'a> {
        Motion { dealt: Some(dealt), ..self }
    }

    /// Builds it stands still for at each value.
    pub(super) fn hold(&self) -> u64 {
        self.hold
    }

    pub(super) fn is_random(&self) -> bool {
        self.form.is_random()
    }

    /// The low 64 bits, shifted up; right as long as the bits above them are the same in every value.
    pub(super) fn narrow(&self, key: u64, shift: u32) -> Narrow {
        match (&self.dealt, self.turns) {
            (Some(dealt), _) => Narrow::Dealt(Box::new(self.hand(dealt)), shift),
            (None, Some(turns)) => Narrow::ByTurns(Box::new((turns, self.walk(key, shift)))),
            (None, None) => self.walk(key, shift),
        }
    }

    fn hand(&self, dealt: &Dealt) -> Hand {
        let mask = if let Form::Masked { mask, .. } = self.form { Some(Mask::of(mask)) } else { None };
        Hand { dealt: dealt.clone(), low: self.form.min(), mask }
    }

    fn walk(&self, key: u64, shift: u32) -> Narrow {
        let place = |value: u128| (value as u64) << shift;
        match self.form {
            Form::Fixed(value) => Narrow::List { values: Box::new([place(value)]), turn: Turn::new(self.hold, 1) },
            Form::Sweep { from, step, last, .. } => match u64::try_from(last.saturating_add(1)) {
                Ok(positions) if self.hold == 1 => {
                    Narrow::March(March { from: place(from), step: place(step), positions: Divisor::new(positions) })
                }
                _ => Narrow::Sweep {
                    from: place(from),
                    step: place(step),
                    turn: Turn::new(self.hold, last.saturating_add(1)),
                },
            },
            Form::List { values, .. } => Narrow::List {
                values: values.iter().map(|value| place(*value)).collect(),
                turn: Turn::new(self.hold, values.len() as u128),
            },
            Form::Random { low, high, .. } => {
                let values = ((high - low) as u64).wrapping_add(1);
                let draw = Draw { low: low as u64, values, key, shift };
                if self.hold == 1 && values > 0 {
                    Narrow::Draw(draw)
                } else {
                    Narrow::Slow(draw, Divisor::new(self.hold))
                }
            }
            Form::Masked { base, mask, .. } => Narrow::Masked(
                Box::new(Masked { base, mask: Mask::of(mask), key, hold: Divisor::new(self.hold) }),
                shift,
            ),
            Form::Imix { shares, .. } => {
                let values: Box<[u64]> = imix::cycle(shares).into_iter().map(place).collect();
                Narrow::Imix { round: Round::new(self.hold, values.len(), key), values }
            }
        }
    }

    pub(super) fn wide(&self, key: u64) -> Wide {
        match (&self.dealt, self.turns) {
            (Some(dealt), _) => Wide::Dealt(Box::new(self.hand(dealt))),
            (None, Some(turns)) => Wide::ByTurns(Box::new((turns, self.wide_walk(key)))),
            (None, None) => self.wide_walk(key),
        }
    }

    fn wide_walk(&self, key: u64) -> Wide {
        match self.form {
            Form::Fixed(value) => Wide::List { values: Box::new([value]), turn: Turn::new(self.hold, 1) },
            Form::Sweep { from, step, last, .. } => {
                Wide::Sweep { from, step, turn: Turn::new(self.hold, last.saturating_add(1)) }
            }
            Form::List { values, .. } => {
                Wide::List { values: values.into(), turn: Turn::new(self.hold, values.len() as u128) }
            }
            Form::Random { low, high, .. } => {
                Wide::Random { low, last: high - low, key, hold: Divisor::new(self.hold) }
            }
            Form::Masked { base, mask, .. } => {
                Wide::Masked(Box::new(Masked { base, mask: Mask::of(mask), key, hold: Divisor::new(self.hold) }))
            }
            Form::Imix { shares, .. } => {
                let values: Box<[u128]> = imix::cycle(shares).into();
                Wide::Imix { round: Round::new(self.hold, values.len(), key), values }
            }
        }
    }
}

/// Something that has a value in every build.
pub(super) trait Vary {
    /// The value in build `k`.
    fn at(&self, k: u64) -> u64;
}

/// … and is quicker to follow than to ask: each value is `base` and what a walk says more.
pub(super) trait Walk: Vary {
    fn base(&self) -> u64;

    /// What to add to `base` in build `k` and each `step`th after it, one a call.
    fn walk(&self, k: u64, step: u64) -> impl FnMut() -> u64;
}

/// The usual sweep: it moves at every build, and some build wraps.
#[derive(Debug, Clone, Copy)]
pub(super) struct March {
    from: u64,
    step: u64,
    positions: Divisor,
}

impl Vary for March {
    #[inline]
    fn at(&self, k: u64) -> u64 {
        self.from.wrapping_add(self.positions.rest(k).wrapping_mul(self.step))
    }
}

impl Walk for March {
    fn base(&self) -> u64 {
        self.from
    }

    /// Without a division for each.
    #[inline(always)]
    fn walk(&self, k: u64, step: u64) -> impl FnMut() -> u64 {
        let March { step: distance, positions, .. } = *self;
        let (first, stride) = (positions.rest(k), positions.rest(step));
        let (mut next, ahead) = (first.wrapping_mul(distance), stride.wrapping_mul(distance));
        // From here on the next value lies behind the end. The end itself may lie beyond 2^64.
        let behind = if stride == 0 { 0 } else { (positions.by() - stride).wrapping_mul(distance) };
        move || {
            let gone = next;
            let (round, borrow) = gone.overflowing_sub(behind);
            next = if borrow { gone.wrapping_add(ahead) } else { round };
            gone
        }
    }
}

/// The usual random field: drawn anew at every build, among fewer than 2^64 values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draw {
    low: u64,
    /// 0: all 2^64.
    values: u64,
    key: u64,
    shift: u32,
}

impl Vary for Draw {
    #[inline]
    fn at(&self, k: u64) -> u64 {
        self.low.wrapping_add(draw::below(self.key, k, self.values)) << self.shift
    }
}

impl Walk for Draw {
    fn base(&self) -> u64 {
        self.low << self.shift
    }

    /// With one addition instead of a multiplication for the place in the sequence.
    #[inline(always)]
    fn walk(&self, k: u64, step: u64) -> impl FnMut() -> u64 {
        let Draw { values, key, shift, .. } = *self;
        let mut words = draw::Words::new(key, k, step);
        move || words.below(values) << shift
    }
}

impl Draw {
    /// As `at`, among 2^64 values too.
    fn at_any(&self, k: u64) -> u64 {
        self.low.wrapping_add(draw::narrow(self.key, k, self.values.wrapping_sub(1))) << self.shift
    }
}

/// A varying number of up to 64 bits, shifted to where it is wanted.
#[derive(Debug, Clone)]
pub(super) enum Narrow {
    March(March),
    Sweep {
        from: u64,
        step: u64,
        turn: Turn,
    },
    List {
        values: Box<[u64]>,
        turn: Turn,
    },
    Draw(Draw),
    /// A draw that stands still for more than one build, or has 2^64 values.
    Slow(Draw, Divisor),
    Masked(Box<Masked>, u32),
    Imix {
        values: Box<[u64]>,
        round: Round,
    },
    ByTurns(Box<(Turns, Narrow)>),
    Dealt(Box<Hand>, u32),
}

impl Vary for Narrow {
    #[inline]
    fn at(&self, k: u64) -> u64 {
        match self {
            Narrow::March(march) => march.at(k),
            Narrow::Sweep { from, step, turn } => from.wrapping_add(turn.index(k).wrapping_mul(*step)),
            Narrow::List { values, turn } => values[turn.index(k) as usize],
            Narrow::Draw(draw) => draw.at(k),
            Narrow::Slow(draw, hold) => draw.at_any(hold.quotient(k)),
            rare => rare.rare(k),
        }
    }
}

impl Narrow {
    /// What takes longer anyway, out of the way of the others.
    #[inline(never)]
    fn rare(&self, k: u64) -> u64 {
        match self {
            Narrow::Masked(masked, shift) => (masked.at(k) as u64) << shift,
            Narrow::Imix { values, round } => values[round.index(k)],
            Narrow::ByTurns(by) => by.1.at(by.0.of(k)),
            Narrow::Dealt(hand, shift) => (hand.at(k) as u64) << shift,
            usual => usual.at(k),
        }
    }
}

/// Draws in the bits of a mask.
#[derive(Debug, Clone)]
pub(super) struct Masked {
    base: u128,
    mask: Mask,
    key: u64,
    hold: Divisor,
}

impl Masked {
    fn at(&self, k: u64) -> u128 {
        self.base | self.mask.spread(draw::wide(self.key, self.hold.quotient(k), self.mask.most()))
    }
}

/// A random field of a flow with conversations.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    dealt: Dealt,
    low: u128,
    mask: Option<Mask>,
}

impl Hand {
    fn at(&self, k: u64) -> u128 {
        let number = self.dealt.at(k);
        self.low + self.mask.as_ref().map_or(number, |mask| mask.spread(number))
    }
}

/// A varying number of up to 128 bits.
#[derive(Debug, Clone)]
pub(super) enum Wide {
    Sweep { from: u128, step: u128, turn: Turn },
    List { values: Box<[u128]>, turn: Turn },
    Random { low: u128, last: u128, key: u64, hold: Divisor },
    Masked(Box<Masked>),
    Imix { values: Box<[u128]>, round: Round },
    ByTurns(Box<(Turns, Wide)>),
    Dealt(Box<Hand>),
}

impl Wide {
    /// The value in build `k`.
    pub(super) fn at(&self, k: u64) -> u128 {
        match self {
            Wide::Sweep { from, step, turn } => from.wrapping_add(u128::from(turn.index(k)).wrapping_mul(*step)),
            Wide::List { values, turn } => values[turn.index(k) as usize],
            Wide::Random { low, last, key, hold } => low.wrapping_add(draw::wide(*key, hold.quotient(k), *last)),
            Wide::Masked(masked) => masked.at(k),
            Wide::Imix { values, round } => values[round.index(k)],
            Wide::ByTurns(by) => by.1.at(by.0.of(k)),
            Wide::Dealt(hand) => hand.at(k),
        }
    }
}
