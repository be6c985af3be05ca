//! What the Live screen shows of the running senders: two graphs' memories, the numerals, and where they came from.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    profile::WIRE_OVERHEAD_BYTES,
    stats::{Counts, Ledger, LeftSource, Series, Snapshot, State, cost_ns},
};

/// Everything read at one tick while a run is on.
#[derive(Debug, Clone)]
pub struct Reading {
    pub at_ns: u64,
    pub snapshot: Snapshot,
    pub ledger: Ledger,
    /// Whether the device has a carrier; `None`: simulated, or the device is gone.
    pub carrier: Option<bool>,
}

/// Numerals as means over the last second.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// `None`: nothing was sent.
    pub left_pps: Option<f64>,
    /// Layer 2 without FCS.
    pub left_bps: Option<f64>,
    /// On the wire: 24 bytes a packet more.
    pub left_wire_bps: Option<f64>,
    /// Since when the device's counter has not moved.
    pub left_age_ns: u64,
    pub cost_ns: Option<f64>,
    pub ledger: Option<Ledger>,
    pub carrier: Option<bool>,
    pub total: Counts,
    pub senders: Vec<SenderFigures>,
    pub flows: Vec<FlowFigures>,
}

/// No device tells what left of one flow: these are submitted.
#[derive(Debug, Clone)]
pub struct FlowFigures {
    pub name: Arc<str>,
    pub submitted: u64,
    /// `None`: nothing of it in the last second.
    pub submitted_pps: Option<f64>,
}

#[derive(Debug, Clone)]
pub struct SenderFigures {
    pub queue: u32,
    pub cpu: Option<u32>,
    pub state: State,
    pub reason: Option<String>,
    pub left_pps: Option<f64>,
    pub cost_ns: Option<f64>,
    /// Share of the last second spent waiting for a full ring, 0 to 1.
    pub ring_share: f64,
}

impl Figures {
    /// Whether a driver that counts nothing is behind the figures.
    pub fn is_unconfirmed(&self) -> bool {
        self.ledger.is_some_and(|ledger| ledger.source == LeftSource::Completions)
    }
}

/// An hour of ticks.
const MEMORY: usize = 36_000;
const WIRE_OVERHEAD_BITS: f64 = 8.0 * WIRE_OVERHEAD_BYTES as f64;
const SECOND: u64 = 1_000_000_000;
/// Numerals change twice a second.
const SHOW_EVERY_NS: u64 = SECOND / 2;

#[derive(Debug, Clone)]
pub struct Board {
    /// Left device, packets a second.
    pub left_pps: Series,
    /// Left device, bits a second, layer 2 without FCS.
    pub left_bps: Series,
    /// Left device, bits a second on the wire.
    pub left_wire_bps: Series,
    pub cost_ns: Series,
    pub figures: Figures,
    /// The last instant the graphs know of.
    pub now_ns: u64,
    /// A little more than the last second, oldest first.
    recent: VecDeque<Reading>,
    rate: LeftRate,
    shown_ns: Option<u64>,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            left_pps: Series::new(MEMORY),
            left_bps: Series::new(MEMORY),
            left_wire_bps: Series::new(MEMORY),
            cost_ns: Series::new(MEMORY),
            figures: Figures::default(),
            now_ns: 0,
            recent: VecDeque::new(),
            rate: LeftRate::default(),
            shown_ns: None,
        }
    }
}

impl Board {
    /// A new run: its counters start at nothing, the graphs go on.
    pub fn begin(&mut self) {
        self.recent.clear();
        self.rate = LeftRate::default();
        self.figures = Figures::default();
        self.shown_ns = None;
    }

    pub fn take(&mut self, reading: Reading) {
        let total = reading.snapshot.total();
        let cost = self.recent.back().and_then(|before| cost_ns(&before.snapshot.total(), &total));
        if let Some(cost) = cost {
            self.cost_ns.push(reading.at_ns, cost);
        }
        if let Some(pps) = self.rate.next(reading.at_ns, reading.ledger.left) {
            self.left_pps.push(reading.at_ns, pps);
            let bits = self.mean_bits(&total);
            self.left_bps.push(reading.at_ns, pps * bits);
            self.left_wire_bps.push(reading.at_ns, pps * (bits + WIRE_OVERHEAD_BITS));
        }
        self.now_ns = reading.at_ns;
        self.recent.push_back(reading);
        while self.recent.get(1).is_some_and(|second| self.now_ns.saturating_sub(second.at_ns) >= SECOND) {
            self.recent.pop_front();
        }
        if self.shown_ns.is_none_or(|shown| self.now_ns.saturating_sub(shown) >= SHOW_EVERY_NS) {
            self.refresh();
        }
    }

    /// Brings the numerals up to the last reading.
    fn refresh(&mut self) {
        let (Some(old), Some(new)) = (self.recent.front(), self.recent.back()) else { return };
        let span_s = new.at_ns.saturating_sub(old.at_ns) as f64 / SECOND as f64;
        let senders = new.snapshot.senders.iter().map(|sender| {
            let before = old.snapshot.senders.iter().find(|s| s.queue == sender.queue).map(|s| s.counts);
            let before = before.unwrap_or_default();
            let left = sender.counts.left().saturating_sub(before.left());
            SenderFigures {
                queue: sender.queue,
                cpu: sender.cpu,
                state: sender.state,
                reason: sender.reason.clone(),
                left_pps: (left > 0 && span_s > 0.0).then(|| left as f64 / span_s),
                cost_ns: cost_ns(&before, &sender.counts),
                ring_share: share(sender.counts.wait_ring_ns.saturating_sub(before.wait_ring_ns), span_s),
            }
        });
        let last_second = |series: &Series| series.mean(new.at_ns, SECOND).filter(|_| new.ledger.left > 0);
        self.figures = Figures {
            senders: senders.collect(),
            flows: flow_figures(old, new, span_s),
            left_pps: last_second(&self.left_pps),
            left_bps: last_second(&self.left_bps),
            left_wire_bps: last_second(&self.left_wire_bps),
            left_age_ns: self.rate.age_ns(new.at_ns),
            cost_ns: cost_ns(&old.snapshot.total(), &new.snapshot.total()),
            ledger: Some(new.ledger),
            carrier: new.carrier,
            total: new.snapshot.total(),
        };
        self.shown_ns = Some(self.now_ns);
    }

    /// The run is over: counts stand, rates are no more. A last value that stays would be taken for traffic.
    pub fn end(&mut self) {
        self.refresh();
        let figures = &mut self.figures;
        (figures.left_pps, figures.left_bps, figures.left_wire_bps, figures.cost_ns) = (None, None, None, None);
        for sender in &mut figures.senders {
            (sender.left_pps, sender.cost_ns, sender.ring_share) = (None, None, 0.0);
        }
        figures.flows.iter_mut().for_each(|flow| flow.submitted_pps = None);
    }

    /// Bits of a packet, mean over the last second of what was submitted.
    fn mean_bits(&self, total: &Counts) -> f64 {
        let before = self.recent.front().map(|old| old.snapshot.total()).unwrap_or_default();
        let packets = total.submitted.saturating_sub(before.submitted);
        let bytes = total.submitted_bytes.saturating_sub(before.submitted_bytes);
        match packets {
            0 => 8.0 * total.submitted_bytes as f64 / total.submitted.max(1) as f64,
            packets => 8.0 * bytes as f64 / packets as f64,
        }
    }
}

fn flow_figures(old: &Reading, new: &Reading, span_s: f64) -> Vec<FlowFigures> {
    let before =
        |name: &str| old.snapshot.flows.iter().find(|flow| &*flow.name == name).map_or(0, |flow| flow.submitted);
    let figures = new.snapshot.flows.iter().map(|flow| {
        let submitted = flow.submitted.saturating_sub(before(&flow.name));
        FlowFigures {
            name: Arc::clone(&flow.name),
            submitted: flow.submitted,
            submitted_pps: (submitted > 0 && span_s > 0.0).then(|| submitted as f64 / span_s),
        }
    });
    figures.collect()
}

fn share(ns: u64, span_s: f64) -> f64 {
    if span_s > 0.0 { (ns as f64 / (span_s * SECOND as f64)).min(1.0) } else { 0.0 }
}

/// Makes a rate of a counter from change to change: some drivers fetch theirs once in 1–2 s, and a slow
/// flow moves it less often than a tick.
#[derive(Debug, Clone, Default)]
struct LeftRate {
    /// (instant, value) of the last change.
    changed: Option<(u64, u64)>,
    interval_ns: u64,
    pps: Option<f64>,
}

impl LeftRate {
    fn next(&mut self, at_ns: u64, left: u64) -> Option<f64> {
        let Some((since_ns, before)) = self.changed else {
            self.changed = Some((at_ns, left));
            return None;
        };
        let span_ns = at_ns.saturating_sub(since_ns);
        if left > before && span_ns > 0 {
            self.changed = Some((at_ns, left));
            self.interval_ns = span_ns;
            self.pps = Some((left - before) as f64 * SECOND as f64 / span_ns as f64);
        } else if span_ns > (3 * self.interval_ns).max(SECOND / 3) {
            // Three times as long as the last change took to come: it has stopped.
            self.pps = Some(0.0);
        }
        self.pps
    }

    fn age_ns(&self, at_ns: u64) -> u64 {
        self.changed.map_or(0, |(since, _)| at_ns.saturating_sub(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_refreshed_once_a_second_makes_a_steady_rate() {
        let mut rate = LeftRate::default();
        let rates: Vec<f64> = (0..=50u64).filter_map(|t| rate.next(t * SECOND / 10, t / 10 * 1000)).collect();
        assert!(rates.iter().skip(11).all(|pps| (*pps - 1000.0).abs() < 1e-6), "{rates:?}");
    }

    #[test]
    fn half_a_packet_a_second_is_half_a_packet_a_second() {
        let mut rate = LeftRate::default();
        let last = (0..=100u64).filter_map(|t| rate.next(t * SECOND / 10, t / 20)).last();
        assert_eq!(last, Some(0.5));
    }

    #[test]
    fn a_fast_counter_that_stops_shows_zero_soon() {
        let mut rate = LeftRate::default();
        for t in 0..10u64 {
            rate.next(t * SECOND / 10, t * 100);
        }
        assert_eq!(rate.next(13 * SECOND / 10, 900), Some(0.0));
    }
}
