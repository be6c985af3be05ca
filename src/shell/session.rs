//! One run of the fleet on a site, as console and headless twin share it: start, sample, retune, stop, settle, end.

use std::sync::Arc;

use crate::{
    engine::{Fleet, SenderEnd},
    nic::{Clock, ModeGot},
    packet::Plan,
    profile::Profile,
    shell::{clock::MonotonicClock, cpus, failure::Failure, gauge::Gauge, open, result::EndedBy, site::Site},
    stats::{Counts, Ledger, Meter, Snapshot},
};

/// The senders begin together this long after the order: time for every one of them to wake up.
const RELEASE_AHEAD_NS: u64 = 300_000;
/// A far end that still counts is waited for as long as its last change is younger.
const FAR_END_STILL_NS: u64 = 300_000_000;

/// A fleet that sends, or has sent.
pub struct Session {
    fleet: Fleet,
    clock: MonotonicClock,
    gauge: Gauge,
    meter: Meter,
    plan: Arc<Plan>,
    pub mode: ModeGot,
    notices: Vec<String>,
    max_len: usize,
    received: Option<u64>,
    received_changed_ns: u64,
    stop_asked: bool,
}

/// All figures of one instant.
#[derive(Debug, Clone)]
pub struct Reading {
    pub snapshot: Snapshot,
    pub total: Counts,
    pub ledger: Ledger,
    /// Whether the device has a carrier; `None`: simulated.
    pub carrier: Option<bool>,
}

/// What became of a change to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retuned {
    AtTheNextDoorbell,
    /// Other queues, or longer packets than the queues were opened for.
    NeedsRestart,
}

/// A run that is over.
pub struct Finished {
    pub reading: Reading,
    pub ends: Vec<SenderEnd>,
    pub ended_by: EndedBy,
    pub elapsed_s: f64,
    pub plan: Arc<Plan>,
    pub mode: ModeGot,
}

impl Session {
    /// Opens every queue and starts the senders; nothing leaves before [`Session::release`].
    pub fn start(site: &mut Site, profile: &Profile) -> Result<Session, Failure> {
        site.refresh()?;
        site.check_queues(&profile.tx.queues)?;
        let seats = cpus::choose(&profile.tx.cpus, profile.tx.queues.len(), &cpus::allowed())?;
        let plan = Arc::new(site.compile(profile)?);
        let clock = MonotonicClock;
        let gauge = Gauge::open(site)?;
        let open::Opened { fleet, limits, notices } = open::fleet(site, profile, Arc::clone(&plan), &seats)?;
        Ok(Session {
            fleet,
            clock,
            notices,
            meter: Meter::sim(),
            gauge,
            plan,
            mode: limits.mode,
            max_len: limits.max_len,
            received: None,
            received_changed_ns: 0,
            stop_asked: false,
        })
    }

    /// Fallbacks taken at open, in whole sentences.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Reads the baselines and opens the gate.
    pub fn release(&mut self, site: &mut Site) -> Result<(), Failure> {
        let now_ns = self.clock.now_ns();
        self.meter = self.gauge.meter(site, now_ns)?;
        self.received = self.gauge.received();
        self.received_changed_ns = now_ns;
        self.fleet.release(self.clock.now_ns() + RELEASE_AHEAD_NS);
        Ok(())
    }

    /// All figures of now.
    pub fn sample(&mut self, site: &mut Site) -> Reading {
        // From the far end to the senders' own device: no reading can claim more than the one after it.
        let received = self.gauge.received();
        let snapshot = self.fleet.snapshot(self.clock.now_ns());
        let total = snapshot.total();
        if let Some(device) = self.gauge.device(site, self.clock.now_ns()) {
            self.meter.observe(device, &total);
        }
        if received != self.received {
            self.received_changed_ns = snapshot.at_ns;
            self.received = received;
        }
        let ledger = self.meter.live(&total, counts_drops(&snapshot), received);
        Reading { snapshot, total, ledger, carrier: self.meter.carrier() }
    }

    /// Every sender takes the new plan at its next doorbell, where it can without opening its queue again.
    pub fn retune(&mut self, plan: Plan) -> Retuned {
        if plan.queues != self.plan.queues || plan.max_len() > self.max_len {
            return Retuned::NeedsRestart;
        }
        self.plan = Arc::new(plan);
        self.fleet.retune(Arc::clone(&self.plan));
        Retuned::AtTheNextDoorbell
    }

    /// Tells every sender to end; they drain for at most 2 s.
    pub fn stop(&mut self) {
        self.stop_asked = true;
        self.fleet.stop();
    }

    /// Whether every sender has ended.
    pub fn is_over(&self) -> bool {
        self.fleet.is_over()
    }

    /// Whether device and far end have had the time to tell what they know. Meaningful once over.
    pub fn is_settled(&self, reading: &Reading) -> bool {
        let now_ns = reading.snapshot.at_ns;
        let still_ns = now_ns.saturating_sub(self.received_changed_ns.max(reading.total.last_ns));
        let far_end =
            self.received.is_none_or(|packets| packets >= reading.ledger.left || still_ns >= FAR_END_STILL_NS);
        far_end && self.meter.is_settled(&reading.total, now_ns)
    }

    /// Joins the senders and draws the line under the ledger; call when over and settled.
    pub fn finish(mut self, site: &mut Site) -> Finished {
        let last = self.sample(site);
        let ledger = self.meter.settled(&last.total, counts_drops(&last.snapshot), self.received);
        let reading = Reading { ledger, ..last };
        let ends = self.fleet.finish();
        let elapsed_ns = match reading.total.started_ns {
            0 => 0,
            started_ns => reading.total.last_ns.saturating_sub(started_ns),
        };
        let ended_by = ended_by(&ends, &self.plan, elapsed_ns, self.stop_asked);
        let elapsed_s = elapsed_ns as f64 / 1e9;
        Finished { reading, ends, ended_by, elapsed_s, plan: self.plan, mode: self.mode }
    }
}

fn counts_drops(snapshot: &Snapshot) -> bool {
    snapshot.senders.iter().all(|sender| sender.counts_drops)
}

/// A vanished device is named first: it is why the senders died. Of two limits, the one that was reached.
fn ended_by(ends: &[SenderEnd], plan: &Plan, elapsed_ns: u64, stop_asked: bool) -> EndedBy {
    let all_died = !ends.is_empty() && ends.iter().all(|end| end.reason.is_some());
    match () {
        () if ends.iter().any(|end| end.gone) => EndedBy::Link,
        () if all_died => EndedBy::Error,
        () if stop_asked => EndedBy::Signal,
        () if plan.duration_ns > 0 && elapsed_ns >= plan.duration_ns => EndedBy::Duration,
        () => EndedBy::Count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Costs, Rate};

    fn plan(duration_ns: u64, count: u64) -> Plan {
        Plan {
            queues: vec![0],
            burst: 1,
            rate: Rate::Max,
            count,
            duration_ns,
            seed: 1,
            cost: Costs::default(),
            flows: Vec::new(),
        }
    }

    fn end(reason: Option<&str>, gone: bool) -> SenderEnd {
        SenderEnd {
            queue: 0,
            counts: Counts::default(),
            frames: (1, 1),
            burst_cost_ns: None,
            reason: reason.map(str::to_owned),
            gone,
        }
    }

    #[test]
    fn the_end_names_its_cause() {
        let fine = || vec![end(None, false), end(None, false)];
        assert_eq!(ended_by(&fine(), &plan(5, 0), 5, false), EndedBy::Duration);
        assert_eq!(ended_by(&fine(), &plan(5, 9), 4, false), EndedBy::Count);
        assert_eq!(ended_by(&fine(), &plan(0, 9), 4, false), EndedBy::Count);
        assert_eq!(ended_by(&fine(), &plan(5, 9), 4, true), EndedBy::Signal);
        assert_eq!(ended_by(&[end(Some("x"), false), end(None, false)], &plan(5, 0), 5, false), EndedBy::Duration);
        assert_eq!(ended_by(&[end(Some("x"), false)], &plan(5, 0), 1, true), EndedBy::Error);
        assert_eq!(ended_by(&[end(Some("x"), true)], &plan(5, 0), 1, false), EndedBy::Link);
    }
}
