//! One sender: a plan, a queue, and what it does in one turn. A turn reads the clock once, queues at most one
//! burst, rings one doorbell and publishes its counters once. It takes no lock, allocates nothing, sends no
//! message and waits for nothing; plan swaps are a cold path of their own.

use std::sync::{Arc, atomic::AtomicU64};

use crossbeam_utils::CachePadded;
use hdrhistogram::Histogram;

use crate::{
    engine::{
        emit::{emit_once, open},
        lane::{Lane, share},
        look::Look,
        orders::{Line, Orders},
        pace::Pacer,
        schedule::{Next, Schedule},
    },
    nic::{Clock, Nic, NicError, Rung},
    packet::{Plan, StampTime},
    profile::{Cost, Rate},
    stats::{Counts, State},
};

/// What has not completed this long after the end is given up.
const DRAIN_NS: u64 = 2_000_000_000;
/// A sender that waits looks for new orders this often: a stop is noticed well within half a second.
const LOOK_NS: u64 = 10_000_000;
/// Bursts that nothing paces: a turn builds about so many packets and rings a doorbell for each burst of them. One clock
/// reading, one building and one publication serve them all; over veth they take some 60 µs, at burst 1 twice that. At burst
/// 32 two bursts a turn take 10 instructions a packet less than one. Two turns' work in one, each half reaped before the
/// next is built, takes 9 more than this and gains nothing from its warmer memories.
const VOLLEY_PACKETS: u32 = 64;
/// While packets are out, a waiting sender drives them on this often.
const REAP_NS: u64 = 1_000_000;
/// Pauses between fruitless turns double from here to [`REAP_NS`]: a dead link must not cost a core.
const FRUITLESS_NS: u64 = 1_000;

/// What the caller is to do after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Come again at once.
    Worked,
    /// Nothing to do before this instant; coming earlier does no harm.
    Wait(u64),
    /// It has ended; its counters are final.
    Over,
}

/// What the time since the last turn was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spent {
    Busy,
    /// Busy, and looked into.
    Looked,
    WaitPace,
    WaitRing,
    /// Before the common release and after the end.
    Nothing,
}

/// Why sending ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Count,
    Duration,
    Told,
}

pub struct Sender<N> {
    nic: N,
    line: Arc<Line>,
    /// Position of its queue in the plan.
    seat: usize,
    orders: Arc<Orders>,
    generation: u64,
    schedule: Schedule,
    burst: u32,
    /// Packets behind one doorbell: a burst, or one where each is to pay for its own.
    doorbell: u32,
    /// Written for nothing but a cost switch.
    own_line: CachePadded<AtomicU64>,
    max_in_flight: u32,
    /// Packets that may still be submitted, copies included.
    quota: u64,
    gate_ns: u64,
    end_ns: u64,
    /// The next group is due then.
    trigger: Next,
    state: State,
    drain_until_ns: u64,
    fruitless: u32,
    /// Doorbells a turn may ring where nothing paces them, and packets it may queue for that.
    volley: u32,
    volley_packets: u32,
    /// Doorbells the last turn rang.
    rung: u32,
    look: Look,
    spent: Spent,
    since_ns: u64,
    counts: Counts,
    burst_cost_ns: Histogram<u64>,
    wall_offset_ns: i64,
    gone: bool,
}

impl<N: Nic> Sender<N> {
    /// A sender that waits for the release on its line. `wall_offset_ns`: CLOCK_REALTIME minus its clock.
    pub fn new(nic: N, seat: usize, line: Arc<Line>, wall_offset_ns: i64) -> Self {
        let (orders, generation) = line.take();
        line.confirm(generation);
        let limits = nic.limits();
        let (total, free) = nic.frames();
        line.counters.set_frames(total, free);
        let mut sender = Self {
            burst: 1,
            doorbell: 1,
            own_line: CachePadded::default(),
            max_in_flight: limits.max_in_flight,
            nic,
            seat,
            orders,
            generation,
            schedule: Schedule::default(),
            quota: 0,
            gate_ns: 0,
            end_ns: u64::MAX,
            trigger: Next::Now,
            state: State::Ready,
            drain_until_ns: 0,
            fruitless: 0,
            volley: 1,
            volley_packets: VOLLEY_PACKETS,
            rung: 0,
            look: Look::new(),
            spent: Spent::Nothing,
            since_ns: 0,
            counts: Counts::default(),
            burst_cost_ns: burst_histogram(),
            wall_offset_ns,
            gone: false,
            line,
        };
        sender.schedule.lanes.reserve(sender.orders.plan.flows.len());
        sender
    }

    /// Never more than one doorbell a turn: for who wants to look between any two.
    pub fn one_by_one(self) -> Self {
        Self { volley_packets: 1, ..self }
    }

    /// One turn. Reads the clock once.
    #[inline]
    pub fn turn(&mut self, clock: &impl Clock) -> Turn {
        let now_ns = clock.now_ns();
        self.account(clock, now_ns);
        if self.line.generation() != self.generation {
            self.take_orders(now_ns);
        }
        match self.state {
            State::Sending if self.line.told_to_stop() => self.end(now_ns, End::Told),
            State::Sending => self.send(clock, now_ns),
            State::Ready => self.hold(clock, now_ns),
            State::Draining => self.drain(clock, now_ns),
            State::Done | State::Failed => Turn::Over,
        }
    }

    /// Books the time since the last turn under what that turn was.
    #[inline]
    fn account(&mut self, clock: &impl Clock, now_ns: u64) {
        let spent_ns = now_ns.saturating_sub(self.since_ns);
        self.since_ns = now_ns;
        match self.spent {
            Spent::Busy => self.account_busy(spent_ns),
            Spent::Looked => {
                self.account_busy(spent_ns);
                self.account_looked(clock, now_ns, spent_ns);
            }
            Spent::WaitPace => self.counts.wait_pace_ns += spent_ns,
            Spent::WaitRing => self.counts.wait_ring_ns += spent_ns,
            Spent::Nothing => {}
        }
    }

    #[inline]
    fn account_busy(&mut self, spent_ns: u64) {
        self.counts.busy_ns += spent_ns;
        let bursts = u64::from(self.rung.max(1));
        self.burst_cost_ns.saturating_record_n(spent_ns / bursts, bursts);
    }

    #[cold]
    #[inline(never)]
    fn account_looked(&mut self, clock: &impl Clock, now_ns: u64, spent_ns: u64) {
        if let Some(parts) = self.look.close(spent_ns, now_ns, &mut self.counts, clock) {
            self.line.counters.publish_parts(&parts);
        }
    }

    #[cold]
    #[inline(never)]
    fn hold(&mut self, clock: &impl Clock, now_ns: u64) -> Turn {
        if self.line.told_to_stop() {
            self.counts.last_ns = now_ns;
            return self.done(clock, now_ns);
        }
        let release_ns = self.line.release_ns();
        if release_ns == 0 {
            return Turn::Wait(now_ns + LOOK_NS);
        }
        if now_ns < release_ns {
            return Turn::Wait(release_ns);
        }
        self.gate_ns = release_ns;
        self.counts.started_ns = release_ns;
        self.set_state(State::Sending);
        self.line_up(release_ns);
        Turn::Worked
    }

    /// A new plan: every open clone group ends, and flows go on under their names.
    #[cold]
    #[inline(never)]
    fn take_orders(&mut self, now_ns: u64) {
        self.close_groups();
        let (orders, generation) = self.line.take();
        // The controller keeps the old orders until `confirm`, so this never frees them.
        self.orders = orders;
        self.generation = generation;
        self.line.confirm(generation);
        if self.state == State::Sending {
            self.line_up(now_ns);
        }
    }

    fn close_groups(&mut self) {
        for lane in &mut self.schedule.lanes {
            if let Some(packet) = lane.close() {
                self.nic.release(packet);
            }
            lane.keep(&self.orders.flows[lane.flow], self.orders.plan.seed);
        }
    }

    /// Sets up the lanes of the present plan.
    fn line_up(&mut self, now_ns: u64) {
        let orders = Arc::clone(&self.orders);
        let plan = &orders.plan;
        let cap = self.schedule.cap;
        self.schedule.lanes.clear();
        for (index, memory) in orders.flows.iter().enumerate() {
            let lane = Lane::new(plan, index, self.seat, memory, self.gate_ns, now_ns);
            self.schedule.lanes.extend(lane);
        }
        let (position, seats) = standing(plan, self.seat);
        self.burst = plan.burst.clamp(1, self.nic.limits().max_burst.max(1));
        self.doorbell = if plan.cost.has(Cost::KickEach) { 1 } else { self.burst };
        self.quota =
            position.map_or(0, |position| share(plan.count, position, seats).saturating_sub(self.counts.submitted));
        self.end_ns = match plan.duration_ns {
            0 => u64::MAX,
            duration_ns => self.gate_ns.saturating_add(duration_ns),
        };
        let most = self.volley_packets.min(self.max_in_flight).min(self.nic.frames().0 / 2);
        self.volley = (most / self.burst).max(1);
        self.schedule.cap = self.cap(plan.rate, position.unwrap_or(0), seats, now_ns, cap);
        self.trigger = self.next(now_ns);
    }

    /// When the next doorbell is to be rung.
    fn next(&mut self, now_ns: u64) -> Next {
        if self.quota == 0 { Next::Never } else { self.schedule.next(now_ns, self.group_limit()) }
    }

    /// The pacer of `tx.rate`: needed where some lane has no rate of its own.
    fn cap(&self, rate: Rate, position: usize, seats: usize, now_ns: u64, before: Option<Pacer>) -> Option<Pacer> {
        let open = self.schedule.lanes.iter().find(|lane| lane.pacer.is_none())?;
        let pacer = Pacer::new(rate, position, seats, now_ns, open.len)?;
        Some(match before {
            Some(before) if before.rate() == pacer.rate() => pacer.resumed(before.due_ns()),
            _ => pacer,
        })
    }

    /// Packets that may go behind the next doorbell.
    #[inline]
    fn group_limit(&self) -> u32 {
        self.burst.min(u32::try_from(self.quota).unwrap_or(u32::MAX))
    }

    /// Packets that one turn may queue.
    #[inline]
    fn turn_limit(&self) -> u32 {
        match self.trigger {
            Next::Now => (self.burst * self.volley).min(u32::try_from(self.quota).unwrap_or(u32::MAX)),
            _ => self.group_limit(),
        }
    }

    fn send(&mut self, clock: &impl Clock, now_ns: u64) -> Turn {
        match self.trigger {
            Next::Now if now_ns >= self.end_ns => return self.end(now_ns, End::Duration),
            Next::Now => {}
            Next::Never => return self.end(now_ns, End::Count),
            Next::At(due_ns) => {
                let due_ns = due_ns.min(self.end_ns);
                if now_ns < due_ns {
                    return self.wait_pace(clock, now_ns, due_ns);
                }
                self.counts.shortfall += self.schedule.forgive(now_ns.min(self.end_ns), &self.orders.plan);
            }
        }
        if self.nic.in_flight() + self.turn_limit() > self.max_in_flight {
            self.counts.ring_full += 1;
            return if now_ns < self.end_ns { self.ring(clock, now_ns, 0) } else { self.end(now_ns, End::Duration) };
        }
        // What is due at the end itself is not due before it.
        let queued = self.queue_burst(now_ns, now_ns.min(self.end_ns - 1));
        if queued == 0 && now_ns >= self.end_ns {
            return self.end(now_ns, End::Duration);
        }
        let cost = self.orders.plan.cost;
        if !cost.is_empty() {
            self.orders.toll.pay(cost, queued, &self.own_line, clock);
        }
        if self.look.is_due() {
            return self.ring_looking(clock, now_ns, queued);
        }
        self.ring(clock, now_ns, queued)
    }

    /// As [`Self::ring`], and looks at what its parts take.
    #[cold]
    #[inline(never)]
    fn ring_looking(&mut self, clock: &impl Clock, now_ns: u64, queued: u32) -> Turn {
        let watch = self.look.built(clock.now_ns().saturating_sub(now_ns));
        let rung = self.nic.ring_watched(self.doorbell, clock, watch);
        let turn = self.rang(clock, now_ns, queued, rung);
        if self.spent == Spent::Busy {
            self.spent = Spent::Looked;
        }
        turn
    }

    /// Queues what this turn sends; nothing leaves yet. A function of its own: what runs for every packet is here and in the
    /// nic's reap, and `tests/lean.rs` disassembles both.
    #[inline(never)]
    fn queue_burst(&mut self, now_ns: u64, limit_ns: u64) -> u32 {
        let most = self.turn_limit();
        let time = StampTime::from_wall_ns(now_ns.wrapping_add_signed(self.wall_offset_ns));
        let mut queued = 0;
        while queued < most {
            let Some(pick) = self.schedule.pick(limit_ns, most - queued) else { break };
            let len = self.schedule.lanes[pick.lane].len;
            let fitted = self.emit(pick.lane, pick.run, time);
            queued += fitted;
            if fitted < pick.run {
                break;
            }
            if !pick.plain {
                self.schedule.took(pick.lane, len, limit_ns);
            }
        }
        self.counts.submitted += u64::from(queued);
        self.quota -= u64::from(queued);
        queued
    }

    /// Queues `wanted` packets of one lane; returns how many could be.
    #[inline]
    fn emit(&mut self, lane: usize, wanted: u32, time: StampTime) -> u32 {
        let lane = &mut self.schedule.lanes[lane];
        let plan = &*self.orders.plan;
        if lane.copies == 1 {
            return emit_once(&mut self.nic, &mut self.counts, lane, plan, wanted, time);
        }
        let mut queued = 0;
        while queued < wanted {
            if lane.open.is_none() && !open(&mut self.nic, lane, &plan.flows[lane.flow].frame, time) {
                self.counts.no_frames += 1;
                break;
            }
            let Some(packet) = &lane.open else { break };
            let len = lane.len;
            let fitted = self.nic.queue(packet, lane.uses.min(wanted - queued));
            if fitted == 0 {
                break;
            }
            queued += fitted;
            self.counts.submitted_bytes += u64::from(fitted) * len as u64;
            if let Some(packet) = lane.used(fitted, plan) {
                self.counts.built += 1;
                self.nic.release(packet);
            }
        }
        queued
    }

    /// The doorbell, and what it answered.
    #[inline]
    fn ring(&mut self, clock: &impl Clock, now_ns: u64, queued: u32) -> Turn {
        let rung = self.nic.ring_each(self.doorbell, clock);
        self.rang(clock, now_ns, queued, rung)
    }

    #[inline]
    fn rang(&mut self, clock: &impl Clock, now_ns: u64, queued: u32, rung: Result<Rung, NicError>) -> Turn {
        let rung = match rung {
            Ok(rung) => rung,
            Err(error) => return self.fail(clock, now_ns, &error),
        };
        self.book(&rung);
        self.spent = if queued > 0 || rung.completed > 0 { Spent::Busy } else { Spent::WaitRing };
        if queued > 0 {
            self.counts.last_ns = now_ns;
            if self.quota == 0 || self.trigger != Next::Now || !self.schedule.stays_now() {
                self.trigger = self.next(now_ns);
            }
        }
        self.publish();
        self.pause(now_ns, &rung, queued)
    }

    /// After a fruitless turn: as long as the nic says that ringing is useless, else ever longer.
    #[inline]
    fn pause(&mut self, now_ns: u64, rung: &Rung, queued: u32) -> Turn {
        if queued > 0 || rung.completed > 0 {
            self.fruitless = 0;
            return Turn::Worked;
        }
        self.fruitless = (self.fruitless + 1).min(10);
        let again_ns = now_ns + (FRUITLESS_NS << self.fruitless);
        Turn::Wait(rung.retry_at_ns.unwrap_or(0).max(again_ns).min(now_ns + REAP_NS))
    }

    #[inline]
    fn book(&mut self, rung: &Rung) {
        self.rung = rung.doorbells;
        self.counts.bursts += u64::from(rung.doorbells);
        self.counts.completed += u64::from(rung.completed);
        self.counts.dropped += u64::from(rung.dropped.unwrap_or(0));
        self.counts.invalid += u64::from(rung.invalid);
        self.counts.kicks += u64::from(rung.kicks);
        if rung.errno != 0 {
            self.note_errnos();
        }
    }

    fn note_errnos(&self) {
        self.nic.errnos(|errno, times| self.line.counters.set_errno(errno, times));
    }

    #[inline]
    fn publish(&mut self) {
        for lane in &mut self.schedule.lanes {
            if lane.touched {
                lane.touched = false;
                self.orders.flows[lane.flow].submitted.set(lane.submitted);
            }
        }
        self.line.counters.publish(&self.counts);
    }

    /// Nothing is due. What is out is driven on meanwhile.
    #[cold]
    #[inline(never)]
    fn wait_pace(&mut self, clock: &impl Clock, now_ns: u64, due_ns: u64) -> Turn {
        self.spent = Spent::WaitPace;
        if self.nic.in_flight() == 0 {
            self.publish();
            return Turn::Wait(due_ns.min(now_ns + LOOK_NS));
        }
        match self.nic.ring_each(self.doorbell, clock) {
            Ok(rung) => self.book(&rung),
            Err(error) => return self.fail(clock, now_ns, &error),
        }
        self.publish();
        let again_ns = if self.nic.in_flight() == 0 { LOOK_NS } else { REAP_NS };
        Turn::Wait(due_ns.min(now_ns + again_ns))
    }

    /// Sending is over; what is out gets up to 2 s.
    #[cold]
    #[inline(never)]
    fn end(&mut self, now_ns: u64, why: End) -> Turn {
        if why == End::Duration {
            // Due before the end, but the ring took no more.
            self.counts.shortfall += self.schedule.owed(self.end_ns - 1, &self.orders.plan);
        }
        self.close_groups();
        self.schedule.lanes.clear();
        // A count is noticed in the turn after its last doorbell, so the time of that doorbell is in it.
        self.counts.last_ns = if why == End::Duration { self.end_ns.max(self.counts.last_ns) } else { now_ns };
        self.drain_until_ns = now_ns + DRAIN_NS;
        self.fruitless = 0;
        self.spent = Spent::WaitRing;
        self.set_state(State::Draining);
        self.publish();
        Turn::Worked
    }

    #[cold]
    #[inline(never)]
    fn drain(&mut self, clock: &impl Clock, now_ns: u64) -> Turn {
        let rung = match self.nic.ring_each(self.doorbell, clock) {
            Ok(rung) => rung,
            Err(error) => return self.fail(clock, now_ns, &error),
        };
        self.book(&rung);
        if self.nic.in_flight() == 0 {
            return self.done(clock, now_ns);
        }
        if now_ns >= self.drain_until_ns {
            self.counts.abandoned += u64::from(self.nic.abandon());
            return self.done(clock, now_ns);
        }
        self.publish();
        self.pause(now_ns, &rung, 0)
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, clock: &impl Clock, now_ns: u64, error: &NicError) -> Turn {
        self.gone = matches!(error, NicError::Gone { .. });
        self.close_groups();
        self.schedule.lanes.clear();
        self.counts.abandoned += u64::from(self.nic.abandon());
        self.counts.last_ns = if self.state == State::Sending { now_ns } else { self.counts.last_ns };
        self.settle(clock, now_ns);
        self.line.counters.fail(error.to_string());
        self.state = State::Failed;
        Turn::Over
    }

    fn done(&mut self, clock: &impl Clock, now_ns: u64) -> Turn {
        self.settle(clock, now_ns);
        self.set_state(State::Done);
        Turn::Over
    }

    /// The last word before the state says that it is the last.
    fn settle(&mut self, clock: &impl Clock, now_ns: u64) {
        self.spent = Spent::Nothing;
        let parts = self.look.settle(now_ns, &mut self.counts, clock);
        self.line.counters.publish_parts(&parts);
        let (total, free) = self.nic.frames();
        self.line.counters.set_frames(total, free);
        self.note_errnos();
        self.publish();
    }

    fn set_state(&mut self, state: State) {
        self.state = state;
        self.line.counters.set_state(state);
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    pub fn nic(&self) -> &N {
        &self.nic
    }

    /// The device disappeared under it.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    pub fn into_burst_cost_ns(self) -> Histogram<u64> {
        self.burst_cost_ns
    }
}

/// Where a seat stands among those that some flow sends from (`None`: not among them), and how many these are.
fn standing(plan: &Plan, seat: usize) -> (Option<usize>, usize) {
    let sends = |seat: usize| plan.flows.iter().any(|flow| flow.seats.contains(&seat));
    let before = (0..seat).filter(|other| sends(*other)).count();
    let all = (0..plan.queues.len()).filter(|other| sends(*other)).count();
    (sends(seat).then_some(before), all)
}

/// 1 ns to 10 s with two significant digits; fixed bounds, so recording never allocates.
fn burst_histogram() -> Histogram<u64> {
    match Histogram::new_with_bounds(1, 10_000_000_000, 2) {
        Ok(histogram) => histogram,
        Err(_) => unreachable!("constant bounds that hdrhistogram accepts"),
    }
}
