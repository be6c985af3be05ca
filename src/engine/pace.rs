//! When the packets of a paced stream are due. Pure arithmetic on instants; nobody waits here.
//!
//! Packet `n` of the whole stream is due at start + n / rate, always reckoned from the start, so no error adds
//! up. With several queues, queue `i` of `q` takes packets `i`, `i + q`, …: the rate is a total, split evenly.

use crate::profile::Rate;

/// Debt up to this age is repaid after a stall; older debt is forgiven and counted.
pub const DEBT_NS: u64 = 100_000_000;
/// No packet waits longer than this for company.
pub const COMPANY_MAX_NS: u64 = 10_000_000;
/// Units are folded into the start before f64 could no longer tell them apart (2^53).
const FOLD_UNITS: u64 = 1 << 50;

/// One paced stream as one queue sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pacer {
    rate: Rate,
    start_ns: u64,
    /// Packets or bits scheduled before the next packet, all queues counted.
    units: u64,
    unit_ns: f64,
    queues: u64,
}

impl Pacer {
    /// Queue `seat` of `queues`; the stream starts at `start_ns` with a packet of `len` bytes. `None`: not paced.
    pub fn new(rate: Rate, seat: usize, queues: usize, start_ns: u64, len: usize) -> Option<Self> {
        let unit_ns = match rate {
            Rate::Max => return None,
            Rate::Pps(pps) => 1e9 / pps,
            Rate::EveryNs(ns) => ns,
            Rate::Bits(bits) | Rate::WireBits(bits) => 1e9 / bits,
        };
        let mut pacer = Self { rate, start_ns, units: 0, unit_ns, queues: queues.max(1) as u64 };
        pacer.units = pacer.charge(len) * seat as u64;
        Some(pacer)
    }

    /// Packets that are due at instants of their own, the next one at `due_ns`: [`Pacer::follow`] says when the one
    /// after it is.
    pub fn recorded(due_ns: u64) -> Self {
        Self { rate: Rate::Max, start_ns: due_ns, units: 0, unit_ns: 0.0, queues: 1 }
    }

    /// Whether nothing but the next instant is known.
    pub fn is_recorded(&self) -> bool {
        self.rate == Rate::Max
    }

    /// The next packet of [`Pacer::recorded`] is due then.
    pub fn follow(&mut self, due_ns: u64) {
        *self = Pacer::recorded(due_ns);
    }

    /// The same stream at the same rate goes on with its next packet due at `due_ns`.
    pub fn resumed(self, due_ns: u64) -> Self {
        Self { start_ns: due_ns, units: 0, ..self }
    }

    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// What one packet of `len` bytes costs of this stream: one packet, or its own bits.
    fn charge(&self, len: usize) -> u64 {
        match self.rate {
            Rate::Bits(_) => len as u64 * 8,
            // FCS, preamble and the gap between frames.
            Rate::WireBits(_) => (len as u64 + 24) * 8,
            _ => 1,
        }
    }

    fn instant_ns(&self, units: u64) -> u64 {
        self.start_ns.saturating_add((units as f64 * self.unit_ns) as u64)
    }

    /// When the next packet is due.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.instant_ns(self.units)
    }

    /// When the packet after `ahead` further packets of `len` bytes is due.
    pub fn due_after_ns(&self, ahead: u64, len: usize) -> u64 {
        self.instant_ns(self.units.saturating_add(self.charge(len) * self.queues * ahead))
    }

    /// A packet of `len` bytes takes the next place.
    #[inline]
    pub fn take(&mut self, len: usize) {
        self.units += self.charge(len) * self.queues;
        if self.units >= FOLD_UNITS {
            *self = self.resumed(self.due_ns());
        }
    }

    /// Nanoseconds from one packet of `len` bytes to this queue's next.
    pub fn gap_ns(&self, len: usize) -> f64 {
        (self.charge(len) * self.queues) as f64 * self.unit_ns
    }

    /// How many packets of `len` bytes are due by `instant_ns`.
    pub fn due_by(&self, instant_ns: u64, len: usize) -> u64 {
        match instant_ns.checked_sub(self.due_ns()) {
            None => 0,
            Some(past_ns) => (past_ns as f64 / self.gap_ns(len)) as u64 + 1,
        }
    }

    /// Leaves out the places before `instant_ns`: nobody could have used them, so they are no debt.
    pub fn skip_to(&mut self, instant_ns: u64, len: usize) {
        if let Some(past_ns) = instant_ns.checked_sub(self.due_ns()) {
            let places = (past_ns as f64 / self.gap_ns(len)).ceil() as u64;
            self.units += places * self.charge(len) * self.queues;
        }
    }

    /// How many packets leave together: at most `burst`, and none waits more than 10 ms for the last of them.
    pub fn group(&self, burst: u32, len: usize) -> u32 {
        group(burst, 1.0 / self.gap_ns(len))
    }

    /// Forgives what is older than 100 ms; returns how many packets of `len` bytes that were.
    pub fn forgive(&mut self, now_ns: u64, len: usize) -> u64 {
        let age_ns = now_ns.saturating_sub(self.due_ns());
        if age_ns <= DEBT_NS {
            return 0;
        }
        let packets = ((age_ns - DEBT_NS) as f64 / self.gap_ns(len)).floor() as u64;
        self.units += packets * self.charge(len) * self.queues;
        packets
    }
}

/// How many packets leave together at `rate` packets a nanosecond.
pub fn group(burst: u32, rate: f64) -> u32 {
    ((COMPANY_MAX_NS as f64 * rate + 1e-9).floor() as u32).clamp(1, burst.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn due_until(mut pacer: Pacer, end_ns: u64, len: usize) -> u64 {
        let mut packets = 0;
        while pacer.due_ns() < end_ns {
            pacer.take(len);
            packets += 1;
        }
        packets
    }

    #[test]
    fn every_way_to_state_a_rate_gives_its_packets() {
        let cases = [
            (Rate::Pps(0.5), 10, 60, 5),
            (Rate::Pps(1.0), 10, 60, 10),
            (Rate::Pps(50_000.0), 10, 60, 500_000),
            (Rate::EveryNs(5_000.0), 1, 60, 200_000),
            (Rate::Bits(8e6), 10, 1000, 10_000),
            (Rate::WireBits(1e9), 1, 60, 1_488_096),
        ];
        for (rate, seconds, len, packets) in cases {
            let pacer = Pacer::new(rate, 0, 1, SECOND, len).unwrap();
            assert_eq!(due_until(pacer, SECOND + seconds * SECOND, len), packets, "{rate:?}");
        }
    }

    #[test]
    fn queues_share_a_rate_without_gap_or_overlap() {
        let mut instants = Vec::new();
        for seat in 0..3 {
            let mut pacer = Pacer::new(Rate::Pps(10.0), seat, 3, 0, 60).unwrap();
            for _ in 0..4 {
                instants.push(pacer.due_ns());
                pacer.take(60);
            }
        }
        instants.sort_unstable();
        let wanted: Vec<u64> = (0..12).map(|n| n * SECOND / 10).collect();
        assert_eq!(instants, wanted);
    }

    #[test]
    fn no_drift_in_a_day() {
        let mut pacer = Pacer::new(Rate::Pps(3.0), 0, 1, 0, 60).unwrap();
        (0..3 * 86_400).for_each(|_| pacer.take(60));
        assert_eq!(pacer.due_ns(), 86_400 * SECOND);
    }

    #[test]
    fn a_group_never_waits_more_than_ten_milliseconds() {
        let cases = [(10.0, 256, 1), (1000.0, 256, 10), (50_000.0, 256, 256), (50_000.0, 32, 32), (99.0, 32, 1)];
        for (pps, burst, group) in cases {
            assert_eq!(
                Pacer::new(Rate::Pps(pps), 0, 1, 0, 60).unwrap().group(burst, 60),
                group,
                "{pps} pps burst {burst}"
            );
        }
    }

    #[test]
    fn debt_older_than_100_ms_is_forgiven_and_counted() {
        let mut pacer = Pacer::new(Rate::Pps(1000.0), 0, 1, 0, 60).unwrap();
        assert_eq!(pacer.forgive(100_000_000, 60), 0);
        assert_eq!(pacer.forgive(SECOND, 60), 900);
        assert_eq!(pacer.due_ns(), SECOND - DEBT_NS);
        assert_eq!(pacer.forgive(SECOND, 60), 0);
    }

    #[test]
    fn max_is_not_paced() {
        assert_eq!(Pacer::new(Rate::Max, 0, 1, 0, 60), None);
    }
}
