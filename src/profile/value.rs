//! A value that may vary from one built packet to the next. Numbers, MAC and IP addresses alike are
//! held as unsigned integers in network order, so one form serves every field.

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
        }
    }

    pub fn min(&self) -> u128 {
        match self {
            Value::Fixed(v) => *v,
            Value::Sweep { from, .. } => *from,
            Value::Random { low, .. } => *low,
            Value::List { values, .. } => values.iter().copied().min().unwrap_or(0),
        }
    }

    pub fn max(&self) -> u128 {
        match self {
            Value::Fixed(v) => *v,
            Value::Sweep { from, to, step, .. } if *step > 0 => from + (to - from) / step * step,
            Value::Sweep { from, .. } => *from,
            Value::Random { high, .. } => *high,
            Value::List { values, .. } => values.iter().copied().max().unwrap_or(0),
        }
    }

    /// Builds between two moves.
    pub fn every(&self) -> u64 {
        match self {
            Value::Fixed(_) => 1,
            Value::Sweep { every, .. } | Value::Random { every, .. } | Value::List { every, .. } => *every,
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
