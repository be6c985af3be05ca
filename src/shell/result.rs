//! The answer of a headless run, exactly as scripts read it. Keys and their order are part of the contract.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{nic::ModeGot, stats::Split};

/// The last line on stdout. Figures that do not exist are `None`, never 0, NaN or infinity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    #[serde(rename = "type")]
    pub kind: ResultKind,
    pub version: u32,
    pub txdeck: String,
    /// RFC 3339, UTC.
    pub started: String,
    pub profile: String,
    /// SHA-256 of `effective`, lower-case hex.
    pub profile_sha256: String,
    /// The profile with every default written out; runs again as it is.
    pub effective: String,
    pub device: String,
    pub host: Host,
    pub mode: ModeFacts,
    pub seed: u64,
    pub target_pps: Option<f64>,
    pub elapsed_s: f64,
    pub ended_by: EndedBy,
    pub burst: u32,
    pub clone: u32,
    pub submitted: Amount,
    pub completed: Packets,
    pub left: Left,
    pub dropped: MaybePackets,
    pub invalid: u64,
    pub in_flight: u64,
    pub abandoned: u64,
    /// `None`: no far end to read.
    pub received: Option<Amount>,
    pub unexplained: u64,
    pub shortfall: u64,
    /// Left.
    pub pps: Option<f64>,
    /// Left, layer 2 without FCS.
    pub bps: Option<f64>,
    pub gap_ns: Option<f64>,
    pub cost_ns: Option<f64>,
    pub cost: Option<CostParts>,
    pub burst_cost_ns: Option<BurstCost>,
    pub bursts: u64,
    pub kicks: u64,
    pub errno: BTreeMap<String, u64>,
    pub frames: Frames,
    pub flows: Vec<FlowPart>,
    pub senders: Vec<SenderPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultKind {
    Result,
}

/// What the machine was. Anything may be unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Host {
    pub kernel: Option<String>,
    pub driver: Option<String>,
    pub cpu: Option<String>,
    pub governor: Option<String>,
    pub mitigations: Option<String>,
    pub link: Option<String>,
}

impl Host {
    /// Every fact under its name.
    pub fn facts(&self) -> [(&'static str, &Option<String>); 6] {
        [
            ("kernel", &self.kernel),
            ("driver", &self.driver),
            ("cpu", &self.cpu),
            ("governor", &self.governor),
            ("mitigations", &self.mitigations),
            ("link", &self.link),
        ]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModeFacts {
    pub copy: bool,
    pub zero_copy: bool,
    pub need_wakeup: bool,
    pub ring: u32,
}

impl ModeFacts {
    /// `zero-copy`, `copy` or `simulated`.
    pub fn name(&self) -> &'static str {
        let Self { copy, zero_copy, .. } = *self;
        ModeGot { copy, zero_copy, ..ModeGot::default() }.name()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndedBy {
    Duration,
    Count,
    Signal,
    /// Every sender died.
    Error,
    /// The device is gone.
    Link,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Amount {
    pub packets: u64,
    pub bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Packets {
    pub packets: u64,
}

/// `None` in zero-copy: no driver tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MaybePackets {
    pub packets: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    pub packets: u64,
    pub bytes: Option<u64>,
    /// `device`, `completions` (unconfirmed) or `sim`.
    pub source: String,
}

/// Nanoseconds per completed packet. The first four add up to `cost_ns`, all to the senders' wall time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CostParts {
    pub build: f64,
    pub ring: f64,
    pub kick: f64,
    pub reap: f64,
    pub wait_pace: f64,
    pub wait_ring: f64,
    pub lost: f64,
}

impl CostParts {
    pub fn of(split: Split) -> CostParts {
        let Split { build, ring, kick, reap, wait_pace, wait_ring, lost } = split;
        CostParts { build, ring, kick, reap, wait_pace, wait_ring, lost }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BurstCost {
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
    pub p999: u64,
    pub max: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Frames {
    pub total: u64,
    pub free: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowPart {
    pub name: String,
    pub submitted: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SenderPart {
    pub queue: u32,
    pub cpu: Option<u32>,
    pub submitted: u64,
    pub completed: u64,
    pub dropped: Option<u64>,
    pub left: u64,
    pub pps: Option<f64>,
    pub cost_ns: Option<f64>,
    /// Why it died; absent for a sender that lived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One interval of a run; the deltas of all samples add up to the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    #[serde(rename = "type")]
    pub kind: SampleKind,
    pub version: u32,
    /// Since the common release, at the end of this interval.
    pub elapsed_s: f64,
    pub interval_s: f64,
    pub submitted: DeltaAmount,
    pub completed: Delta,
    pub left: Delta,
    pub dropped: MaybeDelta,
    pub invalid: i64,
    pub abandoned: i64,
    pub received: Option<Delta>,
    pub shortfall: i64,
    /// Left in this interval.
    pub pps: Option<f64>,
    pub cost_ns: Option<f64>,
    pub bursts: i64,
    pub kicks: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleKind {
    Sample,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeltaAmount {
    pub packets: i64,
    pub bytes: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delta {
    pub packets: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MaybeDelta {
    pub packets: Option<i64>,
}

impl RunResult {
    /// A result of nothing: what figures there are, and the shape for those who read one.
    pub fn blank() -> RunResult {
        RunResult {
            kind: ResultKind::Result,
            version: 1,
            txdeck: env!("CARGO_PKG_VERSION").into(),
            started: String::new(),
            profile: String::new(),
            profile_sha256: String::new(),
            effective: String::new(),
            device: String::new(),
            host: Host::default(),
            mode: ModeFacts::default(),
            seed: 0,
            target_pps: None,
            elapsed_s: 0.0,
            ended_by: EndedBy::Count,
            burst: 0,
            clone: 0,
            submitted: Amount { packets: 0, bytes: Some(0) },
            completed: Packets::default(),
            left: Left { packets: 0, bytes: Some(0), source: String::new() },
            dropped: MaybePackets { packets: Some(0) },
            invalid: 0,
            in_flight: 0,
            abandoned: 0,
            received: None,
            unexplained: 0,
            shortfall: 0,
            pps: None,
            bps: None,
            gap_ns: None,
            cost_ns: None,
            cost: None,
            burst_cost_ns: None,
            bursts: 0,
            kicks: 0,
            errno: BTreeMap::new(),
            frames: Frames::default(),
            flows: Vec::new(),
            senders: Vec::new(),
        }
    }

    /// As one line of JSON. A number that is not finite becomes null on the way.
    pub fn to_line(&self) -> String {
        line(self)
    }

    /// Packets lost between here and the far end, where one is read.
    pub fn lost(&self) -> u64 {
        self.received.map_or(0, |received| self.left.packets.saturating_sub(received.packets))
    }

    /// Whether every packet left, and arrived where that can be told.
    pub fn is_clean(&self) -> bool {
        let dropped = self.dropped.packets.unwrap_or(0);
        let dead = self.senders.iter().any(|sender| sender.reason.is_some());
        dropped + self.invalid + self.abandoned + self.unexplained + self.lost() == 0 && self.in_flight == 0 && !dead
    }
}

impl Sample {
    pub fn to_line(&self) -> String {
        line(self)
    }
}

/// These structs hold nothing that JSON cannot: no maps with odd keys, no failing serialisers.
fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|why| format!("{{\"type\":\"error\",\"message\":\"{why}\"}}"))
}

/// An amount over a time; `None` where there is none.
pub fn per_second(amount: u64, elapsed_s: f64) -> Option<f64> {
    Some(amount as f64 / elapsed_s).filter(|rate| rate.is_finite())
}

/// The time between two packets of this rate.
pub fn gap_ns(pps: Option<f64>) -> Option<f64> {
    pps.map(|pps| 1e9 / pps).filter(|gap| gap.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract's own example, key by key.
    const KEYS: &str = "type version txdeck started profile profile_sha256 effective device host mode seed target_pps \
        elapsed_s ended_by burst clone submitted completed left dropped invalid in_flight abandoned received \
        unexplained shortfall pps bps gap_ns cost_ns cost burst_cost_ns bursts kicks errno frames flows senders";

    fn full() -> RunResult {
        RunResult {
            started: "2026-01-31T12:00:00Z".into(),
            profile: "udp-64".into(),
            device: "deck0".into(),
            mode: ModeFacts { copy: true, zero_copy: false, need_wakeup: true, ring: 2048 },
            seed: 7,
            elapsed_s: 2.0,
            received: Some(Amount { packets: 0, bytes: None }),
            burst_cost_ns: Some(BurstCost { p50: 1, p90: 2, p99: 3, p999: 4, max: 5 }),
            errno: [("EAGAIN".to_owned(), 3)].into(),
            flows: vec![FlowPart { name: "udp".into(), submitted: 0 }],
            senders: vec![SenderPart {
                queue: 0,
                cpu: Some(1),
                submitted: 0,
                completed: 0,
                dropped: None,
                left: 0,
                pps: None,
                cost_ns: Some(f64::NAN),
                reason: None,
            }],
            ..RunResult::blank()
        }
    }

    #[test]
    fn keys_and_their_order_are_the_contracts() {
        let line = full().to_line();
        let top: Vec<&str> = KEYS.split_whitespace().collect();
        let mut from = 0;
        for key in &top {
            let at = line[from..].find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} not behind the others"));
            from += at;
        }
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value.as_object().unwrap().len(), top.len());
    }

    #[test]
    fn the_line_is_as_it_ever_was() {
        insta::assert_snapshot!(full().to_line());
    }

    #[test]
    fn what_does_not_exist_is_null() {
        let value: serde_json::Value = serde_json::from_str(&full().to_line()).unwrap();
        for figure in ["pps", "gap_ns", "cost_ns", "cost", "target_pps"] {
            assert!(value[figure].is_null(), "{figure}");
        }
        assert!(value["senders"][0]["cost_ns"].is_null(), "NaN is no figure");
        assert_eq!((per_second(0, 0.0), per_second(3, 0.0), gap_ns(Some(0.0))), (None, None, None));
        assert_eq!(gap_ns(per_second(10, 2.0)), Some(2e8));
    }

    #[test]
    fn a_result_reads_back() {
        let result = RunResult { burst_cost_ns: None, senders: Vec::new(), ..full() };
        assert_eq!(serde_json::from_str::<RunResult>(&result.to_line()).unwrap(), result);
    }

    #[test]
    fn anything_that_did_not_arrive_is_not_clean() {
        let sent = |change: fn(&mut RunResult)| {
            let mut result = RunResult::blank();
            result.left.packets = 10;
            result.received = Some(Amount { packets: 10, bytes: None });
            change(&mut result);
            result.is_clean()
        };
        assert!(sent(|_| ()));
        assert!(sent(|r| r.received = None));
        assert!(sent(|r| r.received = Some(Amount { packets: 11, bytes: None })), "foreign packets are no loss");
        assert!(!sent(|r| r.received = Some(Amount { packets: 9, bytes: None })));
        assert!(!sent(|r| r.dropped.packets = Some(1)));
        assert!(!sent(|r| r.invalid = 1));
        assert!(!sent(|r| r.abandoned = 1));
        assert!(!sent(|r| r.unexplained = 1));
    }
}
