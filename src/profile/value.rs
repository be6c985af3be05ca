//! A value that may vary from one built packet to the next. Numbers, MAC and IP addresses alike are
//! held as unsigned integers in network order, so one form serves every field.

use super::imix;

/// What a field holds. Build `k` of a flow is a pure function of (seed, flow, field, k).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Fixed(u128),
    /// `from`, `from + step`, … while ≤ `to`, then `from` again. Moves every `every` builds.
    Sweep {
        from: u128,
        to: u128,
        step: u128,
        every: u64,
    },
    /// Uniform in `low..=high`, seeded.
    Random {
        low: u128,
        high: u128,
        every: u64,
    },
    List {
        values: Vec<u128>,
        every: u64,
    },
    /// Uniform, seeded, in the bits of `mask`; the others are those of `base`, which has none of the mask's.
    Masked {
        base: u128,
        mask: u128,
        every: u64,
    },
    /// Values by weight, each with its exact share over a cycle; see `imix`.
    Imix {
        shares: Vec<Share>,
        every: u64,
    },
}

/// One value of a mix and its weight; 0 leaves the value out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub value: u128,
    pub weight: u32,
}

impl Value {
    /// How many distinct positions a walk of this value has; 1 when it does not walk.
    pub fn positions(&self) -> u128 {
        match self {
            Value::Fixed(_) => 1,
            Value::Sweep { from, to, step, .. } if *step > 0 => ((to - from) / step).saturating_add(1),
            Value::Sweep { .. } => 1,
            Value::Random { low, high, .. } => (high - low).saturating_add(1),
            Value::List { values, .. } => values.len() as u128,
            Value::Masked { mask, .. } => 1_u128.checked_shl(mask.count_ones()).unwrap_or(u128::MAX),
            Value::Imix { shares, .. } => u128::from(imix::cycle(shares)),
        }
    }

    pub fn min(&self) -> u128 {
        match self {
            Value::Fixed(v) => *v,
            Value::Sweep { from, .. } => *from,
            Value::Random { low, .. } => *low,
            Value::List { values, .. } => values.iter().copied().min().unwrap_or(0),
            Value::Masked { base, .. } => *base,
            Value::Imix { shares, .. } => imix::sent(shares).map(|share| share.value).min().unwrap_or(0),
        }
    }

    pub fn max(&self) -> u128 {
        match self {
            Value::Fixed(v) => *v,
            Value::Sweep { from, to, step, .. } if *step > 0 => from + (to - from) / step * step,
            Value::Sweep { from, .. } => *from,
            Value::Random { high, .. } => *high,
            Value::List { values, .. } => values.iter().copied().max().unwrap_or(0),
            Value::Masked { base, mask, .. } => base | mask,
            Value::Imix { shares, .. } => imix::sent(shares).map(|share| share.value).max().unwrap_or(0),
        }
    }

    /// Builds between two moves.
    pub fn every(&self) -> u64 {
        match self {
            Value::Fixed(_) => 1,
            Value::Sweep { every, .. }
            | Value::Random { every, .. }
            | Value::List { every, .. }
            | Value::Masked { every, .. }
            | Value::Imix { every, .. } => *every,
        }
    }

    pub fn is_fixed(&self) -> bool {
        matches!(self, Value::Fixed(_))
    }
}

/// How several varying fields of one flow advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All at every build.
    Together,
    /// As an odometer: the first varying field (in the order of the table of fields) turns fastest.
    Nested,
}
