//! Rates as people write them: `max`, `1.5M`, `0.5 pps`, `2.5 Gbit/s`, `10 Gbit/s L1`, `every 5 us`.

use std::{fmt, str::FromStr};

/// A target rate; a total over all queues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    Max,
    Pps(f64),
    /// One packet each this many nanoseconds.
    EveryNs(f64),
    /// Layer 2 without FCS, bits a second.
    Bits(f64),
    /// On the wire: every frame is charged 24 bytes more (FCS, preamble, gap).
    WireBits(f64),
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct RateError(pub String);

impl FromStr for Rate {
    type Err = RateError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Err(RateError(format!("{text}: not yet")))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
