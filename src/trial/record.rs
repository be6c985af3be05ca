//! A trial as it is kept: what was asked, of what, and what came out. One line of JSON in the notebook.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Comparison, Fit};

/// The newest form of a kept trial that this release writes and reads.
pub const RECORD_VERSION: u32 = 1;

/// One trial with all that reproduces it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub version: u32,
    /// Its number in the notebook, from 1; 0: not kept yet.
    pub id: u64,
    /// RFC 3339, UTC.
    pub started: String,
    pub question: Question,
    /// The line that asks again.
    pub command: String,
    /// What its owner wrote beside it.
    #[serde(default)]
    pub note: String,
    pub profile: String,
    /// SHA-256 of `effective`, lower-case hex.
    pub profile_sha256: String,
    /// The profile with every default written out, before what the rows set.
    pub effective: String,
    /// Of the order of the slices; 0 for a run.
    pub seed: u64,
    pub device: String,
    pub place: Where,
    /// `zero-copy`, `copy` or `simulated`.
    pub mode: String,
    /// Facts of the machine and of the device, by name: kernel, driver, cpu, governor, mitigations, link, …
    pub host: BTreeMap<String, String>,
    /// The row that the others are held against besides the one above; none: the first.
    #[serde(default)]
    pub baseline: Option<usize>,
    pub rows: Vec<Row>,
    #[serde(default)]
    pub fit: Option<Fit>,
    #[serde(default)]
    pub comparison: Option<Comparison>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    Run,
    Sweep,
    Compare,
    Tune,
}

/// Where the packets went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    Lab,
    Device,
    Sim,
}

/// One setting and its figures over all its slices. A figure that does not exist is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// What this row sets, in the order of the axes.
    pub set: Vec<Set>,
    /// Left.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    pub key: String,
    pub value: String,
}
