//! A capture as a flow: which file, how fast, how often, and what becomes of records that cannot be sent as they are.

use super::{
    Flow, Profile, Rate,
    problem::{Flaw, Places},
};

/// `flow.replay`: the records of a capture in place of headers.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// As written; [`Replay::path`] says where it is.
    pub file: String,
    /// The folder of the profile's own file; empty where it has none.
    pub folder: String,
    pub timing: Timing,
    /// 2: twice as fast as it was captured.
    pub speed: f64,
    /// Passes over the capture; 0: no limit.
    pub loops: u32,
    pub odd: Odd,
    pub fcs: Fcs,
}

/// When records are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// As far apart as they were captured.
    Original,
    /// As any other flow's packets are.
    Rate,
}

/// What becomes of records that cannot be sent as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    Refuse,
    Skip,
    Pad,
    Cut,
}

/// What becomes of an FCS that was captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fcs {
    Strip,
    Keep,
}

pub(super) const TIMINGS: [Timing; 2] = [Timing::Original, Timing::Rate];
pub(super) const TIMING_WORDS: &[&str] = &["original", "rate"];
pub(super) const ODDS: [Odd; 4] = [Odd::Refuse, Odd::Skip, Odd::Pad, Odd::Cut];
pub(super) const ODD_WORDS: &[&str] = &["refuse", "skip", "pad", "cut"];
pub(super) const FCSES: [Fcs; 2] = [Fcs::Strip, Fcs::Keep];
pub(super) const FCS_WORDS: &[&str] = &["strip", "keep"];

impl Odd {
    pub fn word(self) -> &'static str {
        ODDS.iter().position(|odd| *odd == self).and_then(|at| ODD_WORDS.get(at)).copied().unwrap_or("refuse")
    }
}

impl Replay {
    /// Where the capture is: as written if that is absolute, else beside the profile's own file.
    pub fn path(&self) -> String {
        match self.folder.as_str() {
            "" => self.file.clone(),
            _ if self.file.starts_with('/') => self.file.clone(),
            folder => format!("{folder}/{}", self.file),
        }
    }

    pub fn is_timed(&self) -> bool {
        self.timing == Timing::Original
    }
}

/// The folder of a file as messages call it.
pub(super) fn folder(file: &str) -> &str {
    match file.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => "",
    }
}

/// What a replay leaves to the records, so that it cannot be set beside it.
const OF_THE_RECORDS: &[&str] = &["size", "order", "payload", "flows"];

pub(super) fn flaws(profile: &Profile, flow: &Flow, path: &str, places: &Places, out: &mut Vec<Flaw>) {
    let Some(replay) = &flow.replay else { return };
    for key in OF_THE_RECORDS {
        let key_path = format!("{path}.{key}");
        if places.get(&key_path).is_some() {
            let message = "stands beside replay, whose frames are as they were captured: take one of the two out";
            out.push(Flaw::of(&key_path, message));
        }
    }
    if replay.file.is_empty() {
        let message = "is missing: replay needs it, as in replay = { file = \"x.pcap\" }";
        out.push(Flaw::of(&format!("{path}.replay.file"), message));
    }
    if !replay.is_timed() {
        if replay.speed != 1.0 {
            let message = "goes with timing = \"original\" only; at a rate, the rate says how fast";
            out.push(Flaw::of(&format!("{path}.replay.speed"), message));
        }
        return;
    }
    let remedy = "timing = \"rate\" takes a rate, speed makes the original timing faster";
    if let Some(rate) = flow.rate {
        let message = format!("{rate} beside a replay with its original timing: {remedy}");
        out.push(Flaw::of(&format!("{path}.rate"), message));
    }
    if flow.enabled && profile.tx.rate != Rate::Max {
        let message = format!("{} beside flow {} with its original timing: {remedy}", profile.tx.rate, flow.name);
        out.push(Flaw::of("tx.rate", message));
    }
}
