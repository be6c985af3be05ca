//! The fleet: one pinned thread a queue, started together, retuned while they send, joined at the end.

use std::{
    collections::HashMap,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
};

use hdrhistogram::Histogram;

use crate::{
    engine::{
        orders::{FlowMemory, Line, Orders},
        sender::{Sender, Turn},
        toll::Toll,
    },
    nic::{Clock, Limits, Nic},
    packet::Plan,
    stats::{Counts, FlowSnapshot, SenderSnapshot, Snapshot, State},
};

/// A clock that can also wait.
pub trait Wait: Clock {
    /// Returns at `until_ns` or a little later. Above 100 µs it sleeps on an absolute timer, below it spins.
    fn wait_until(&self, until_ns: u64);
    /// CLOCK_REALTIME minus this clock, for time stamps in packets.
    fn wall_offset_ns(&self) -> i64;
    /// Runs in each sender's thread before anything else: pin, set the timer's slack. A refusal ends that sender
    /// with this reason.
    fn settle_in(&self, _cpu: Option<u32>) -> Result<(), String> {
        Ok(())
    }
    /// Runs there once the queue is open: give up what only opening needed. A refusal ends that sender.
    fn settle_down(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Where one sender sits.
pub struct Seat<O> {
    /// Opens its nic, in the sender's own thread.
    pub open: O,
    pub queue: u32,
    /// Pinned to it when given.
    pub cpu: Option<u32>,
}

/// Why a fleet did not start; what had opened is closed again.
#[derive(Debug)]
pub enum StartError<E> {
    /// A nic did not open.
    Open(E),
    /// A thread did not start.
    Thread(io::Error),
}

/// How one sender ended.
#[derive(Debug)]
pub struct SenderEnd {
    pub queue: u32,
    pub counts: Counts,
    /// Packet memories (total, free).
    pub frames: (u64, u64),
    /// Nanoseconds of each burst.
    pub burst_cost_ns: Option<Histogram<u64>>,
    /// Why it died, when it died.
    pub reason: Option<String>,
    /// The device disappeared.
    pub gone: bool,
}

/// The controller's side of all senders of one run, without their threads.
pub struct Desk {
    lines: Vec<Arc<Line>>,
    /// Per flow name and sender, for ever: a flow that comes back goes on.
    memories: HashMap<Arc<str>, Vec<Arc<FlowMemory>>>,
    plan: Arc<Plan>,
    toll: Arc<Toll>,
    /// Orders that some sender may still hold, with its seat and the generation that frees them.
    retired: Vec<(usize, u64, Arc<Orders>)>,
}

impl Desk {
    /// A desk for one sender a queue of `plan`.
    pub fn new(plan: Arc<Plan>) -> Self {
        let mut desk =
            Self { lines: Vec::new(), memories: HashMap::new(), plan, toll: Arc::default(), retired: Vec::new() };
        let seats = desk.plan.queues.len();
        let orders: Vec<_> = (0..seats).map(|seat| desk.orders(seat)).collect();
        desk.lines = orders.into_iter().map(|orders| Arc::new(Line::new(orders))).collect();
        desk
    }

    pub fn line(&self, seat: usize) -> Arc<Line> {
        Arc::clone(&self.lines[seat])
    }

    fn orders(&mut self, seat: usize) -> Arc<Orders> {
        let plan = Arc::clone(&self.plan);
        let flows = plan.flows.iter().map(|flow| self.memory(&flow.name, seat)).collect();
        Arc::new(Orders { plan, flows, toll: Arc::clone(&self.toll) })
    }

    fn memory(&mut self, name: &Arc<str>, seat: usize) -> Arc<FlowMemory> {
        let seats = self.plan.queues.len();
        let number = self.memories.len();
        let memories = self.memories.entry(Arc::clone(name)).or_insert_with(|| {
            (0..seats).map(|seat| Arc::new(FlowMemory::new((number * seats + seat) as u16))).collect()
        });
        Arc::clone(&memories[seat])
    }

    /// Every sender takes the plan at its next doorbell. The queues must be those of the start.
    pub fn retune(&mut self, plan: Arc<Plan>) {
        debug_assert_eq!(plan.queues.len(), self.lines.len());
        self.plan = plan;
        for seat in 0..self.lines.len() {
            let orders = self.orders(seat);
            let (old, generation) = self.lines[seat].give(orders);
            self.retired.push((seat, generation, old));
        }
        self.free_retired();
    }

    /// Frees the orders that no sender holds any more, here and never in a sender.
    fn free_retired(&mut self) {
        let lines = &self.lines;
        self.retired.retain(|(seat, generation, _)| {
            let line = &lines[*seat];
            let is_over = matches!(line.counters.state(), State::Done | State::Failed);
            line.taken() < *generation && !is_over
        });
    }

    pub fn release(&self, at_ns: u64) {
        self.lines.iter().for_each(|line| line.release(at_ns));
    }

    pub fn stop(&self) {
        self.lines.iter().for_each(|line| line.stop());
    }

    /// Packets of each flow submitted so far: the present plan's first, in its order, then those that are gone.
    pub fn flows(&self) -> Vec<FlowSnapshot> {
        let submitted = |memories: &Vec<Arc<FlowMemory>>| memories.iter().map(|memory| memory.submitted.get()).sum();
        let snapshot = |name: &Arc<str>| {
            Some(FlowSnapshot { name: Arc::clone(name), submitted: self.memories.get(name).map(submitted)? })
        };
        let mut flows: Vec<_> = self.plan.flows.iter().filter_map(|flow| snapshot(&flow.name)).collect();
        let mut gone: Vec<_> =
            self.memories.keys().filter(|name| flows.iter().all(|flow| flow.name != **name)).collect();
        gone.sort();
        flows.extend(gone.into_iter().filter_map(snapshot));
        flows
    }
}

/// All senders of one run.
pub struct Fleet {
    desk: Desk,
    posts: Vec<Post>,
    limits: Option<Limits>,
}

/// One sender's place and its thread.
struct Post {
    queue: u32,
    cpu: Option<u32>,
    counts_drops: bool,
    thread: thread::JoinHandle<Option<Yield>>,
}

/// What a sender leaves behind when it ends of itself.
struct Yield {
    burst_cost_ns: Histogram<u64>,
    gone: bool,
}

impl Fleet {
    /// Starts one thread a seat, in the order of `plan.queues`; each opens its nic, one after another. They wait; nothing
    /// leaves before [`Fleet::release`].
    ///
    /// # Errors
    /// The first nic that did not open, or thread that did not start.
    pub fn start<O, N, E, C>(seats: Vec<Seat<O>>, plan: Arc<Plan>, clock: C) -> Result<Fleet, StartError<E>>
    where
        O: FnOnce() -> Result<N, E> + Send + 'static,
        N: Nic,
        E: Send + 'static,
        C: Wait + Clone + Send + 'static,
    {
        let mut fleet = Fleet { desk: Desk::new(plan), posts: Vec::with_capacity(seats.len()), limits: None };
        for (index, seat) in seats.into_iter().enumerate() {
            if let Err(error) = fleet.seat(index, seat, clock.clone()) {
                fleet.stop();
                fleet.finish();
                return Err(error);
            }
        }
        Ok(fleet)
    }

    fn seat<O, N, E, C>(&mut self, index: usize, seat: Seat<O>, clock: C) -> Result<(), StartError<E>>
    where
        O: FnOnce() -> Result<N, E> + Send + 'static,
        N: Nic,
        E: Send + 'static,
        C: Wait + Send + 'static,
    {
        let Seat { open, queue, cpu } = seat;
        let (opened, outcome) = mpsc::sync_channel(1);
        let line = self.desk.line(index);
        let body = move || run(open, opened, index, cpu, line, clock);
        let thread = thread::Builder::new().name(format!("tx-{queue}")).spawn(body).map_err(StartError::Thread)?;
        match outcome.recv() {
            Ok(Ok(limits)) => {
                self.posts.push(Post { queue, cpu, counts_drops: limits.counts_drops, thread });
                self.limits.get_or_insert(limits);
                Ok(())
            }
            Ok(Err(error)) => {
                // Nothing is left of it but its thread's end.
                let _ = thread.join();
                Err(StartError::Open(error))
            }
            Err(mpsc::RecvError) => Err(StartError::Thread(io::Error::other("it ended before its queue was open"))),
        }
    }

    /// What the first sender's nic can do.
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_ref()
    }

    /// Opens the gate: all senders begin at `at_ns` on their clock.
    pub fn release(&self, at_ns: u64) {
        self.desk.release(at_ns);
        self.posts.iter().for_each(|post| post.thread.thread().unpark());
    }

    /// Every sender takes the new plan at its next doorbell. Flows are matched by name; queues cannot change.
    pub fn retune(&mut self, plan: Arc<Plan>) {
        self.desk.retune(plan);
    }

    /// Tells every sender to end; they drain for at most 2 s.
    pub fn stop(&self) {
        self.desk.stop();
        self.posts.iter().for_each(|post| post.thread.thread().unpark());
    }

    pub fn plan(&self) -> &Arc<Plan> {
        &self.desk.plan
    }

    /// All counters now; `at_ns` is the reading of the senders' clock that belongs to it.
    pub fn snapshot(&self, at_ns: u64) -> Snapshot {
        let senders = self.posts.iter().zip(&self.desk.lines);
        let senders = senders.map(|(post, line)| {
            let counters = &line.counters;
            // The state first: counts read after `Done` are final.
            let state = counters.state();
            SenderSnapshot {
                queue: post.queue,
                cpu: post.cpu,
                state,
                reason: counters.reason().map(str::to_owned),
                counts: counters.read(),
                parts: counters.parts(),
                frames: counters.frames(),
                errnos: counters.errnos(),
                counts_drops: post.counts_drops,
            }
        });
        Snapshot { at_ns, senders: senders.collect(), flows: self.desk.flows() }
    }

    /// Whether every sender has ended (drained, or dead).
    pub fn is_over(&self) -> bool {
        self.posts.iter().all(|post| post.thread.is_finished())
    }

    /// Joins the threads and closes the queues; call when [`Fleet::is_over`], else it waits for the drain.
    pub fn finish(self) -> Vec<SenderEnd> {
        let end = |(post, line): (Post, &Arc<Line>)| {
            let left = post.thread.join().ok().flatten();
            SenderEnd {
                queue: post.queue,
                counts: line.counters.read(),
                frames: line.counters.frames(),
                gone: left.as_ref().is_some_and(|left| left.gone),
                burst_cost_ns: left.map(|left| left.burst_cost_ns),
                reason: line.counters.reason().map(str::to_owned),
            }
        };
        self.posts.into_iter().zip(&self.desk.lines).map(end).collect()
    }
}

/// A sender's thread. `None`: it did not open, panicked or could not settle in; its line says why.
fn run<O, N, E, C>(
    open: O,
    opened: mpsc::SyncSender<Result<Limits, E>>,
    seat: usize,
    cpu: Option<u32>,
    line: Arc<Line>,
    clock: C,
) -> Option<Yield>
where
    O: FnOnce() -> Result<N, E>,
    N: Nic,
    C: Wait,
{
    let settled = clock.settle_in(cpu);
    let nic = match open() {
        Ok(nic) => nic,
        Err(error) => {
            // Whoever starts us waits for this.
            let _ = opened.send(Err(error));
            return None;
        }
    };
    let settled = settled.and_then(|()| clock.settle_down());
    let mut sender = Sender::new(nic, seat, Arc::clone(&line), clock.wall_offset_ns());
    let _ = opened.send(Ok(sender.nic().limits()));
    if let Err(reason) = settled {
        line.counters.fail(reason);
        return None;
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        loop {
            match sender.turn(&clock) {
                Turn::Worked => {}
                // Held at the gate there is nothing to be late for, and the release wakes it.
                Turn::Wait(_) if line.release_ns() == 0 && !line.told_to_stop() => thread::park(),
                Turn::Wait(until_ns) => clock.wait_until(until_ns),
                Turn::Over => return,
            }
        }
    }));
    if outcome.is_err() {
        line.counters.fail("the sender stopped on a bug of its own (see the log)".into());
        return None;
    }
    let gone = sender.is_gone();
    Some(Yield { burst_cost_ns: sender.into_burst_cost_ns(), gone })
}
