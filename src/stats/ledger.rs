//! Where every packet went. Senders say what completed and what was refused; the device's own counters say
//! what left. The smaller of both is believed, so neither foreign traffic nor completions inflate a figure.

use super::Counts;

/// A device's own transmit counters at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceCounters {
    pub at_ns: u64,
    pub tx_packets: u64,
    pub tx_bytes: u64,
    pub tx_dropped: u64,
    pub tx_errors: u64,
    pub carrier: bool,
}

impl DeviceCounters {
    fn moved_since(&self, before: &DeviceCounters) -> bool {
        (self.tx_packets, self.tx_dropped, self.tx_errors) != (before.tx_packets, before.tx_dropped, before.tx_errors)
    }
}

/// Who vouches for `left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftSource {
    Device,
    /// The driver counts nothing: every figure made of it is unconfirmed.
    Completions,
    Sim,
}

impl LeftSource {
    pub fn name(self) -> &'static str {
        match self {
            LeftSource::Device => "device",
            LeftSource::Completions => "completions",
            LeftSource::Sim => "sim",
        }
    }
}

/// Where the packets of one run are. `submitted = completed + in_flight + abandoned` and
/// `completed = left + dropped + invalid + unexplained`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ledger {
    pub submitted: u64,
    pub completed: u64,
    pub left: u64,
    pub source: LeftSource,
    /// `None`: nobody can tell (zero-copy).
    pub dropped: Option<u64>,
    pub invalid: u64,
    pub in_flight: u64,
    pub abandoned: u64,
    /// `None`: no far end to read.
    pub received: Option<u64>,
    pub shortfall: u64,
    pub unexplained: u64,
}

impl Ledger {
    /// Packets that were submitted and are known or feared not to have left.
    pub fn losses(&self) -> u64 {
        self.dropped.unwrap_or(0) + self.invalid + self.abandoned + self.unexplained
    }
}

/// Watches a device's counters over one run and keeps the ledger.
#[derive(Debug, Clone)]
pub struct Meter {
    /// `None`: a simulated device; what completed left.
    baseline: Option<DeviceCounters>,
    last: DeviceCounters,
    changed_ns: u64,
    /// Since when the device has lagged behind the senders' sum.
    lagging_since_ns: Option<u64>,
    counts_nothing: bool,
}

/// Device counters may lag by 1–2 s (hardware statistics fetched by a timer); a difference counts after this.
const STANDING_NS: u64 = 3_000_000_000;
/// The end of a run waits this long after the last change of the device's counters.
const SETTLE_NS: u64 = 2_500_000_000;
/// A driver that moved no counter for [`STANDING_NS`] after this many completions counts nothing.
const SILENT_PACKETS: u64 = 1000;

impl Meter {
    /// A run on a device, with its counters just before the first packet.
    pub fn device(baseline: DeviceCounters) -> Self {
        Self {
            baseline: Some(baseline),
            last: baseline,
            changed_ns: baseline.at_ns,
            lagging_since_ns: None,
            counts_nothing: false,
        }
    }

    /// A run on the simulated nic.
    pub fn sim() -> Self {
        Self {
            baseline: None,
            last: DeviceCounters::default(),
            changed_ns: 0,
            lagging_since_ns: None,
            counts_nothing: false,
        }
    }

    /// Takes a new reading of the device together with the senders' sum of about the same instant.
    pub fn observe(&mut self, device: DeviceCounters, total: &Counts) {
        if device.moved_since(&self.last) {
            self.changed_ns = device.at_ns;
        }
        self.last = device;
        let still_ns = device.at_ns.saturating_sub(self.changed_ns);
        let never_moved = self.baseline.is_some_and(|baseline| !device.moved_since(&baseline));
        self.counts_nothing =
            never_moved && device.carrier && total.completed >= SILENT_PACKETS && still_ns >= STANDING_NS;
        self.lagging_since_ns = match self.lagging_since_ns {
            _ if self.device_left() >= total.left() => None,
            since => since.or(Some(device.at_ns)),
        };
    }

    /// The device's tx_packets since the start, whoever caused them.
    pub fn device_left(&self) -> u64 {
        let Some(baseline) = self.baseline else { return u64::MAX };
        self.last.tx_packets.saturating_sub(baseline.tx_packets)
    }

    /// Whether the device had a carrier when last read; `None`: simulated.
    pub fn carrier(&self) -> Option<bool> {
        self.baseline.map(|_| self.last.carrier)
    }

    /// When the device's counters last moved.
    pub fn changed_ns(&self) -> u64 {
        self.changed_ns
    }

    /// Whether the end of a run may be called: the device covers what the senders say, or has stood still too long.
    pub fn is_settled(&self, total: &Counts, now_ns: u64) -> bool {
        let wait_ns = if self.counts_nothing || total.completed < SILENT_PACKETS {
            SETTLE_NS
        } else {
            SETTLE_NS.max(STANDING_NS)
        };
        let since_ns = self.changed_ns.max(total.last_ns);
        self.device_left() >= total.left() || self.counts_nothing || now_ns.saturating_sub(since_ns) >= wait_ns
    }

    /// The ledger of this moment while the run goes on: a remainder shows only after standing for 3 s.
    pub fn live(&self, total: &Counts, counts_drops: bool, received: Option<u64>) -> Ledger {
        let stands = self.lagging_since_ns.is_some_and(|since| self.last.at_ns.saturating_sub(since) >= STANDING_NS);
        let ledger = self.settled(total, counts_drops, received);
        let unexplained = if stands { ledger.unexplained } else { 0 };
        Ledger { unexplained, ..ledger }
    }

    /// The ledger at the end of a run, when [`Meter::is_settled`].
    pub fn settled(&self, total: &Counts, counts_drops: bool, received: Option<u64>) -> Ledger {
        let (left, source) = match self.baseline {
            None => (total.left(), LeftSource::Sim),
            Some(_) if self.counts_nothing => (total.left(), LeftSource::Completions),
            Some(_) => (total.left().min(self.device_left()), LeftSource::Device),
        };
        Ledger {
            submitted: total.submitted,
            completed: total.completed,
            left,
            source,
            dropped: counts_drops.then_some(total.dropped),
            invalid: total.invalid,
            in_flight: total.in_flight(),
            abandoned: total.abandoned,
            received,
            shortfall: total.shortfall,
            unexplained: total.left() - left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn total(completed: u64, dropped: u64) -> Counts {
        Counts { submitted: completed, completed, dropped, ..Counts::default() }
    }

    fn device(at_s: u64, tx_packets: u64, tx_dropped: u64) -> DeviceCounters {
        DeviceCounters { at_ns: at_s * SECOND, tx_packets, tx_dropped, carrier: true, ..DeviceCounters::default() }
    }

    #[test]
    fn foreign_traffic_does_not_inflate_what_left() {
        let mut meter = Meter::device(device(0, 500, 0));
        let all_dropped = total(100_000, 100_000);
        meter.observe(device(1, 1_160_500, 100_000), &all_dropped);
        assert_eq!(meter.settled(&all_dropped, true, None).left, 0);
        let all_left = total(17_900, 0);
        meter.observe(device(2, 1_160_500, 100_000), &all_left);
        assert_eq!(meter.settled(&all_left, true, None).left, 17_900);
    }

    #[test]
    fn a_device_that_lags_is_believed_only_after_three_seconds() {
        let mut meter = Meter::device(device(0, 0, 0));
        let counts = total(1000, 0);
        meter.observe(device(1, 900, 0), &counts);
        assert_eq!(meter.live(&counts, true, None).unexplained, 0);
        assert!(!meter.is_settled(&counts, 2 * SECOND));
        meter.observe(device(4, 900, 0), &counts);
        assert_eq!(meter.live(&counts, true, None).unexplained, 100);
        assert!(meter.is_settled(&counts, 4 * SECOND));
    }

    #[test]
    fn a_driver_that_counts_nothing_is_named_as_such() {
        let mut meter = Meter::device(device(0, 0, 0));
        let counts = total(5000, 0);
        meter.observe(device(1, 0, 0), &counts);
        assert!(!meter.is_settled(&counts, SECOND));
        meter.observe(device(3, 0, 0), &counts);
        let ledger = meter.settled(&counts, false, None);
        assert_eq!((ledger.left, ledger.source, ledger.unexplained), (5000, LeftSource::Completions, 0));
    }

    #[test]
    fn a_dead_carrier_is_not_a_silent_driver() {
        let mut meter = Meter::device(device(0, 0, 0));
        let counts = total(5000, 0);
        meter.observe(DeviceCounters { carrier: false, ..device(4, 0, 0) }, &counts);
        let ledger = meter.settled(&counts, true, None);
        assert_eq!((ledger.left, ledger.source, ledger.unexplained), (0, LeftSource::Device, 5000));
    }

    #[test]
    fn the_ledger_adds_up() {
        let mut meter = Meter::device(device(0, 7, 0));
        let counts =
            Counts { submitted: 100, completed: 90, dropped: 5, invalid: 3, abandoned: 4, ..Counts::default() };
        meter.observe(device(9, 87, 5), &counts);
        let l = meter.settled(&counts, true, Some(80));
        assert_eq!(l.submitted, l.completed + l.in_flight + l.abandoned);
        assert_eq!(l.completed, l.left + l.dropped.unwrap() + l.invalid + l.unexplained);
        assert_eq!((l.left, l.unexplained), (80, 2));
    }
}
