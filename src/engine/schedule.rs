//! Which flow next, packet by packet: rated flows by earliest due time (ties: file order); the others share the
//! rest by weight, in packets, exact over a cycle.

use crate::{
    engine::{
        lane::Lane,
        pace::{self, Pacer},
    },
    packet::Plan,
};

/// The lanes of one sender and the pacer over all of them.
#[derive(Default)]
pub struct Schedule {
    pub lanes: Vec<Lane>,
    /// `tx.rate`, where some lane has no rate of its own. Where all have one, their sum is below the cap anyway.
    pub cap: Option<Pacer>,
}

/// A lane and how many packets of it may go in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    pub lane: usize,
    pub run: u32,
    /// Nothing is to be booked with [`Schedule::took`].
    pub plain: bool,
}

/// When the next doorbell is to be rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing paces it.
    Now,
    At(u64),
    /// Every count is reached.
    Never,
}

impl Schedule {
    /// The packet that goes next among those due by `limit_ns`; at most `most` of its lane in a row.
    #[inline]
    pub fn pick(&mut self, limit_ns: u64, most: u32) -> Option<Pick> {
        if self.is_plain() {
            let lane = &self.lanes[0];
            let run = u32::try_from(lane.quota).unwrap_or(u32::MAX).min(most);
            return (run > 0 && lane.start_ns <= limit_ns).then_some(Pick { lane: 0, run, plain: true });
        }
        self.pick_one(limit_ns).map(|lane| Pick { lane, run: 1, plain: false })
    }

    fn pick_one(&mut self, limit_ns: u64) -> Option<usize> {
        let Some(cap) = self.cap else {
            return self.earliest_due(limit_ns).or_else(|| self.by_weight(limit_ns));
        };
        let place_ns = cap.due_ns();
        if place_ns > limit_ns {
            return None;
        }
        self.earliest_due(place_ns).or_else(|| self.by_weight(place_ns))
    }

    fn earliest_due(&self, limit_ns: u64) -> Option<usize> {
        let mut best = None;
        for (index, lane) in self.lanes.iter().enumerate() {
            let Some(pacer) = lane.pacer.filter(|_| !lane.is_exhausted()) else { continue };
            let due_ns = pacer.due_ns();
            if due_ns <= limit_ns && best.is_none_or(|(_, best_ns)| due_ns < best_ns) {
                best = Some((index, due_ns));
            }
        }
        best.map(|(index, _)| index)
    }

    /// Smooth weighted round robin: each turn every lane earns its weight, the richest sends and pays the sum.
    fn by_weight(&self, limit_ns: u64) -> Option<usize> {
        let mut best: Option<(usize, i64)> = None;
        for (index, lane) in self.lanes.iter().enumerate().filter(|(_, lane)| lane.is_open(limit_ns)) {
            let worth = lane.credit + lane.weight;
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((index, worth));
            }
        }
        best.map(|(index, _)| index)
    }

    /// One packet of `len` bytes of the lane picked for `limit_ns` was queued (of several lanes, or paced).
    pub fn took(&mut self, picked: usize, len: usize, limit_ns: u64) {
        let place_ns = self.cap.map_or(limit_ns, |cap| cap.due_ns());
        if let Some(cap) = &mut self.cap {
            cap.take(len);
        }
        if let Some(pacer) = &mut self.lanes[picked].pacer {
            pacer.take(len);
            return;
        }
        let mut sum = 0;
        for lane in self.lanes.iter_mut().filter(|lane| lane.is_open(place_ns)) {
            lane.credit += lane.weight;
            sum += lane.weight;
        }
        self.lanes[picked].credit -= sum;
    }

    /// One lane that nothing paces: whole runs may go at once.
    #[inline]
    fn is_plain(&self) -> bool {
        self.cap.is_none() && matches!(self.lanes.as_slice(), [lane] if lane.pacer.is_none())
    }

    /// Whether [`Next::Now`] holds until a count is reached, without looking.
    #[inline]
    pub fn stays_now(&self) -> bool {
        self.is_plain() && !self.lanes[0].is_exhausted()
    }

    /// When a group of up to `burst` packets is due, seen from `now_ns`.
    pub fn next(&mut self, now_ns: u64, burst: u32) -> Next {
        if self.lanes.iter().all(Lane::is_exhausted) {
            return Next::Never;
        }
        let open = self.lanes.iter().filter(|lane| lane.pacer.is_none() && !lane.is_exhausted());
        let first_open_ns = open.map(|lane| lane.start_ns).min();
        let first_rated_ns = self.group_due_ns(burst);
        if first_open_ns.is_none() {
            // What remains has rates of its own, and their sum is below the cap.
            self.cap = None;
        }
        match (&mut self.cap, first_open_ns) {
            (None, Some(start_ns)) if start_ns <= now_ns => Next::Now,
            (Some(cap), Some(start_ns)) => {
                let usable_ns = start_ns.min(first_rated_ns.unwrap_or(u64::MAX));
                let len = self.lanes.iter().filter(|lane| !lane.is_exhausted()).map(|lane| lane.len).max().unwrap_or(0);
                cap.skip_to(usable_ns, len);
                let group = cap.group(burst, len);
                Next::At(cap.due_after_ns(u64::from(group) - 1, len))
            }
            (_, start_ns) => Next::At(start_ns.unwrap_or(u64::MAX).min(first_rated_ns.unwrap_or(u64::MAX))),
        }
    }

    /// When the last of the next group of rated packets is due.
    fn group_due_ns(&self, burst: u32) -> Option<u64> {
        let rated =
            || self.lanes.iter().filter(|lane| !lane.is_exhausted()).filter_map(|lane| Some((lane, lane.pacer?)));
        let first_ns = rated().map(|(_, pacer)| pacer.due_ns()).min()?;
        // Packets with instants of their own are not grouped: each would be early or late by the others' gaps.
        if rated().any(|(_, pacer)| pacer.is_recorded()) {
            return Some(first_ns);
        }
        let rate: f64 = rated().map(|(lane, pacer)| 1.0 / pacer.gap_ns(lane.len)).sum();
        let left = rated().map(|(lane, _)| lane.quota).fold(0u64, u64::saturating_add);
        let group = u64::from(pace::group(burst, rate)).min(left);
        let mut only = rated();
        if let (Some((lane, pacer)), None) = (only.next(), only.next()) {
            return Some(pacer.due_after_ns(group - 1, lane.len));
        }
        // The smallest instant by which `group` packets are due, found by halving: none waits above 10 ms.
        let (mut low, mut high) = (first_ns, first_ns.saturating_add(pace::COMPANY_MAX_NS));
        while low < high {
            let middle = low + (high - low) / 2;
            let due: u64 = rated().map(|(lane, pacer)| pacer.due_by(middle, lane.len).min(lane.quota)).sum();
            if due >= group { high = middle } else { low = middle + 1 }
        }
        Some(low)
    }

    /// Paced packets due by `instant_ns` and not sent.
    pub fn owed(&self, instant_ns: u64, plan: &Plan) -> u64 {
        let lanes = self.lanes.iter().filter(|lane| !lane.is_exhausted());
        match (self.cap, lanes.clone().map(|lane| lane.len).max()) {
            (Some(cap), Some(len)) => cap.due_by(instant_ns, len),
            _ => lanes.map(|lane| lane.due_by(instant_ns, plan).min(lane.quota)).sum(),
        }
    }

    /// Forgives debt older than 100 ms; returns how many packets that were.
    pub fn forgive(&mut self, now_ns: u64, plan: &Plan) -> u64 {
        let mut packets = 0;
        for lane in self.lanes.iter_mut().filter(|lane| !lane.is_exhausted()) {
            packets += lane.forgive(now_ns, plan);
        }
        match &mut self.cap {
            // The cap's places held the rated packets too.
            Some(cap) => {
                let len = self.lanes.iter().map(|lane| lane.len).max().unwrap_or(0);
                cap.forgive(now_ns, len).max(packets)
            }
            None => packets,
        }
    }
}
