//! From counters to a result: what a finished run comes to, and what each interval adds to it.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use sha2::{Digest, Sha256};

use crate::{
    engine::SenderEnd,
    packet::Plan,
    profile::{Document, Rate},
    shell::{
        errno,
        result::{
            Amount, BurstCost, CostParts, Delta, DeltaAmount, FlowPart, Frames, Host, Left, MaybeDelta, MaybePackets,
            ModeFacts, Packets, RunResult, Sample, SampleKind, SenderPart, gap_ns, per_second,
        },
        session::{Finished, Reading},
    },
    stats::{Counts, SenderSnapshot, cost_ns},
};

/// What a result says besides the counters.
pub struct Setting {
    pub started: String,
    pub profile: String,
    pub effective: String,
    pub device: String,
    pub host: Host,
    pub clone: u32,
}

impl Setting {
    pub fn new(document: &Document, device: &str, host: Host, started: String) -> Setting {
        let profile = document.profile();
        Setting {
            started,
            profile: profile.name.clone(),
            effective: document.effective(),
            device: device.to_owned(),
            host,
            clone: profile.tx.clone,
        }
    }
}

/// The result of a finished run.
pub fn result(setting: Setting, run: &Finished) -> RunResult {
    let (ledger, total, plan) = (&run.reading.ledger, &run.reading.total, &*run.plan);
    let bytes_of = |packets: u64| bytes(packets, total, plan);
    let pps = per_second(ledger.left, run.elapsed_s);
    let left_bytes = bytes_of(ledger.left);
    let fresh = Counts::default();
    RunResult {
        started: setting.started,
        profile: setting.profile,
        profile_sha256: sha256(&setting.effective),
        effective: setting.effective,
        device: setting.device,
        host: setting.host,
        mode: ModeFacts {
            copy: run.mode.copy,
            zero_copy: run.mode.zero_copy,
            need_wakeup: run.mode.need_wakeup,
            ring: run.mode.ring,
        },
        seed: plan.seed,
        target_pps: target_pps(plan),
        elapsed_s: run.elapsed_s,
        ended_by: run.ended_by,
        burst: plan.burst,
        clone: setting.clone,
        submitted: Amount { packets: total.submitted, bytes: Some(total.submitted_bytes) },
        completed: Packets { packets: total.completed },
        left: Left { packets: ledger.left, bytes: left_bytes, source: ledger.source.name().into() },
        dropped: MaybePackets { packets: ledger.dropped },
        invalid: ledger.invalid,
        in_flight: ledger.in_flight,
        abandoned: ledger.abandoned,
        received: ledger.received.map(|packets| Amount { packets, bytes: bytes_of(packets) }),
        unexplained: ledger.unexplained,
        shortfall: ledger.shortfall,
        pps,
        bps: left_bytes.and_then(|bytes| per_second(bytes, run.elapsed_s)).map(|bytes| bytes * 8.0),
        gap_ns: gap_ns(pps),
        cost_ns: cost_ns(&fresh, total),
        cost: run
            .reading
            .snapshot
            .split_since(None)
            .and_then(|split| split.per_packet(total.completed))
            .map(CostParts::of),
        burst_cost_ns: burst_cost(&run.ends),
        bursts: total.bursts,
        kicks: total.kicks,
        errno: errnos(&run.reading.snapshot.senders),
        frames: frames(&run.ends),
        flows: run.reading.snapshot.flows.iter().map(flow_part).collect(),
        senders: run.reading.snapshot.senders.iter().map(|sender| sender_part(sender, run.elapsed_s)).collect(),
        ..RunResult::blank()
    }
}

/// Bytes of `packets` of this run: exact, or `None` where nobody knows which packets they were.
fn bytes(packets: u64, total: &Counts, plan: &Plan) -> Option<u64> {
    if packets == total.submitted {
        return Some(total.submitted_bytes);
    }
    let mut lengths = plan.flows.iter().map(|flow| flow.frame.fixed_len());
    let first = lengths.next()??;
    // A live change of size leaves packets of another length behind.
    let one_length = lengths.all(|len| len == Some(first)) && total.submitted_bytes == total.submitted * first as u64;
    one_length.then_some(packets * first as u64)
}

/// The rate that the plan asks for, in packets a second; `None` where there is none, or none in packets.
fn target_pps(plan: &Plan) -> Option<f64> {
    let own = || plan.flows.iter().map(|flow| pps_of(flow.rate?, flow.frame.mean_len())).sum::<Option<f64>>();
    let mut lengths = plan.flows.iter().map(|flow| flow.frame.mean_len());
    let first = lengths.next()?;
    let one_length = if lengths.all(|len| len == first) { first } else { None };
    match plan.rate {
        Rate::Max => own(),
        // Flows that all have rates of their own never add to more than the cap.
        rate if plan.flows.iter().all(|flow| flow.rate.is_some_and(|own| own != Rate::Max)) => {
            own().or(pps_of(rate, one_length))
        }
        rate => pps_of(rate, one_length),
    }
}

fn pps_of(rate: Rate, len: Option<f64>) -> Option<f64> {
    let pps = match rate {
        Rate::Max => return None,
        Rate::Pps(pps) => pps,
        Rate::EveryNs(gap_ns) => 1e9 / gap_ns,
        Rate::Bits(bits) => bits / (8.0 * len?),
        Rate::WireBits(bits) => bits / (8.0 * (len? + 24.0)),
    };
    Some(pps).filter(|pps| pps.is_finite())
}

/// Lower-case hex.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn burst_cost(ends: &[SenderEnd]) -> Option<BurstCost> {
    let mut all: Option<Histogram<u64>> = None;
    for histogram in ends.iter().filter_map(|end| end.burst_cost_ns.as_ref()) {
        match &mut all {
            None => all = Some(histogram.clone()),
            // Same bounds in every sender, so adding cannot fail; a sender left out would be worse than none.
            Some(sum) => sum.add(histogram).ok()?,
        }
    }
    let all = all.filter(|histogram| !histogram.is_empty())?;
    let at = |quantile: f64| all.value_at_quantile(quantile);
    Some(BurstCost { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: all.max() })
}

fn errnos(senders: &[SenderSnapshot]) -> BTreeMap<String, u64> {
    // These two are always there: scripts look for them.
    let mut met: BTreeMap<String, u64> = [("EAGAIN".to_owned(), 0), ("EBUSY".to_owned(), 0)].into();
    for (number, times) in senders.iter().flat_map(|sender| &sender.errnos) {
        *met.entry(errno::name(*number)).or_default() += times;
    }
    met
}

/// Errnos met since an earlier reading (`None`: since the start), by name.
pub fn errnos_since(before: Option<&Reading>, now: &Reading) -> BTreeMap<String, u64> {
    let old = before.map(|before| errnos(&before.snapshot.senders)).unwrap_or_default();
    let new = errnos(&now.snapshot.senders).into_iter();
    let new = new.map(|(name, times)| (times.saturating_sub(old.get(&name).copied().unwrap_or(0)), name));
    new.filter(|(times, _)| *times > 0).map(|(times, name)| (name, times)).collect()
}

fn frames(ends: &[SenderEnd]) -> Frames {
    ends.iter()
        .fold(Frames::default(), |sum, end| Frames { total: sum.total + end.frames.0, free: sum.free + end.frames.1 })
}

fn flow_part(flow: &crate::stats::FlowSnapshot) -> FlowPart {
    FlowPart { name: flow.name.to_string(), submitted: flow.submitted }
}

fn sender_part(sender: &SenderSnapshot, elapsed_s: f64) -> SenderPart {
    let counts = &sender.counts;
    SenderPart {
        queue: sender.queue,
        cpu: sender.cpu,
        submitted: counts.submitted,
        completed: counts.completed,
        dropped: sender.counts_drops.then_some(counts.dropped),
        left: counts.left(),
        pps: per_second(counts.left(), elapsed_s),
        cost_ns: cost_ns(&Counts::default(), counts),
        reason: sender.reason.clone(),
    }
}

/// What was added between two readings (`None`: since the start).
pub fn sample(before: Option<&Reading>, now: &Reading) -> Sample {
    let started_ns = now.total.started_ns;
    let since_ns = before.map_or(started_ns, |before| before.snapshot.at_ns.max(started_ns));
    let seconds = |to_ns: u64, from_ns: u64| to_ns.saturating_sub(from_ns) as f64 / 1e9;
    let interval_s = if started_ns == 0 { 0.0 } else { seconds(now.snapshot.at_ns, since_ns) };
    let elapsed_s = if started_ns == 0 { 0.0 } else { seconds(now.snapshot.at_ns, started_ns) };
    let nothing = Counts::default();
    let old = before.map_or(&nothing, |before| &before.total);
    let step = |now: u64, old: u64| now.wrapping_sub(old) as i64;
    let old_ledger = before.map(|before| &before.ledger);
    let left = step(now.ledger.left, old_ledger.map_or(0, |ledger| ledger.left));
    let optional = |now: Option<u64>, old: Option<u64>| now.map(|now| step(now, old.unwrap_or(0)));
    Sample {
        kind: SampleKind::Sample,
        version: 1,
        elapsed_s,
        interval_s,
        submitted: DeltaAmount {
            packets: step(now.total.submitted, old.submitted),
            bytes: step(now.total.submitted_bytes, old.submitted_bytes),
        },
        completed: Delta { packets: step(now.total.completed, old.completed) },
        left: Delta { packets: left },
        dropped: MaybeDelta { packets: optional(now.ledger.dropped, old_ledger.and_then(|ledger| ledger.dropped)) },
        invalid: step(now.total.invalid, old.invalid),
        abandoned: step(now.total.abandoned, old.abandoned),
        received: optional(now.ledger.received, old_ledger.and_then(|ledger| ledger.received))
            .map(|packets| Delta { packets }),
        shortfall: step(now.total.shortfall, old.shortfall),
        pps: u64::try_from(left).ok().and_then(|left| per_second(left, interval_s)),
        cost_ns: cost_ns(old, &now.total),
        bursts: step(now.total.bursts, old.bursts),
        kicks: step(now.total.kicks, old.kicks),
    }
}
