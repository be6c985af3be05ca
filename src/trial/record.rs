//! A trial with what reproduces it: what was asked, of what, and what came out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Comparison, Fit};

/// The form of a trial that this release writes.
pub const RECORD_VERSION: u32 = 1;

/// One trial with all that reproduces it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    pub version: u32,
    /// RFC 3339, UTC.
    pub started: String,
    pub question: Question,
    /// The line that asks again.
    pub command: String,
    pub profile: String,
    /// SHA-256 of `effective`, lower-case hex.
    pub profile_sha256: String,
    /// The profile with every default written out, before what the rows set.
    pub effective: String,
    /// Of the order of the slices.
    pub seed: u64,
    pub device: String,
    pub place: Where,
    /// `zero-copy`, `copy` or `simulated`.
    pub mode: String,
    /// Facts of the machine and of the device, by name: kernel, driver, cpu, governor, mitigations, link, …
    pub host: BTreeMap<String, String>,
    /// The row that the others are held against besides the one above; none: the first.
    pub baseline: Option<usize>,
    /// The device did not confirm that what completed left: every rate is one of completions.
    pub unconfirmed: bool,
    pub rows: Vec<Row>,
    pub fit: Option<Fit>,
    pub comparison: Option<Comparison>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    Sweep,
    Compare,
    Tune,
}

/// Where the packets went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    Lab,
    Device,
    Sim,
}

/// One setting and its figures over all its slices. A figure that does not exist is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Row {
    /// What this row sets, in the order of the axes.
    pub set: Vec<Set>,
    /// Left, by the senders' own account; see `unconfirmed`.
    pub pps: Option<f64>,
    /// The senders' own time per completed packet.
    pub cost_ns: Option<f64>,
    /// 1e9 / pps.
    pub gap_ns: Option<f64>,
    /// Half of the 95 % interval of `cost_ns`; none with too few slices.
    pub spread_ns: Option<f64>,
    /// Slices that count, and those that were dropped as outliers.
    pub slices: usize,
    pub outliers: usize,
    pub left: u64,
    pub dropped: Option<u64>,
}

/// A key and its value as the command line has them: `tx.burst` and `32`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Set {
    pub key: String,
    pub value: String,
}
