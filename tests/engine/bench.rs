//! One or more senders over simulated queues, driven turn by turn.

use std::sync::Arc;

use txdeck::{
    engine::{Desk, Sender, Turn},
    nic::{
        Clock,
        sim::{Costs, Event, Recording, SentFrame, SimConfig, SimNic, VirtualClock},
    },
    packet::{Facts, Plan, compile},
    profile::Document,
    stats::{Counts, State},
};

pub const SECOND: u64 = 1_000_000_000;
/// The common release of every run here.
pub const START: u64 = SECOND;

pub fn plan(text: &str) -> Arc<Plan> {
    let document = Document::parse("test.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
    let facts = Facts { device_mac: [2, 0, 0, 0, 0, 1], ..Facts::default() };
    Arc::new(compile(document.profile(), &facts).unwrap())
}

/// `[tx]` lines and one UDP flow named `a` with some more keys.
pub fn one_flow(tx: &str, flow: &str) -> String {
    format!(
        "version = 1\n[tx]\n{tx}\n[[flow]]\nname = \"a\"\neth = {{ dst = \"02:00:00:00:00:02\" }}\n\
         ipv4 = {{ }}\nudp = {{ src = {{ from = 1, to = 60000 }} }}\n{flow}\n"
    )
}

pub struct Bench {
    pub desk: Desk,
    pub clock: VirtualClock,
    pub senders: Vec<Sender<SimNic>>,
    recordings: Vec<Recording>,
}

impl Bench {
    pub fn new(text: &str) -> Self {
        Self::with(text, |config| config)
    }

    /// `adjust` may change how each queue is simulated.
    pub fn with(text: &str, adjust: impl Fn(SimConfig) -> SimConfig) -> Self {
        let plan = plan(text);
        let clock = VirtualClock::new();
        let desk = Desk::new(Arc::clone(&plan));
        let (mut senders, mut recordings) = (Vec::new(), Vec::new());
        for (seat, queue) in plan.queues.iter().enumerate() {
            let recording = Recording::new();
            // Costs are small, so that pacing is seen as it is meant.
            let costs = Costs { ring_ns: 10, kick_ns: 20, packet_ns: 10, ..Costs::default() };
            let config = SimConfig {
                queue: *queue,
                recording: Some(recording.clone()),
                costs,
                ..SimConfig::on_virtual_time(&clock)
            };
            let nic = SimNic::open(adjust(config)).unwrap();
            senders.push(Sender::new(nic, seat, desk.line(seat), 0));
            recordings.push(recording);
        }
        Self { desk, clock, senders, recordings }
    }

    /// Opens the gate and drives until everybody is over or the clock passes `until_ns`.
    pub fn run_until(&mut self, until_ns: u64) {
        self.desk.release(START);
        while self.clock.now_ns() < until_ns {
            let mut wake_ns = u64::MAX;
            let mut over = true;
            for sender in &mut self.senders {
                match sender.turn(&self.clock) {
                    Turn::Worked => (wake_ns, over) = (0, false),
                    Turn::Wait(at_ns) => (wake_ns, over) = (wake_ns.min(at_ns), false),
                    Turn::Over => {}
                }
            }
            if over {
                return;
            }
            // A turn costs at least a nanosecond, or a fruitless loop would stand still.
            self.clock.advance_to(wake_ns.min(until_ns).max(self.clock.now_ns() + 1));
        }
    }

    pub fn run(&mut self) {
        self.run_until(3_600 * SECOND);
        assert!(self.is_over(), "still running after an hour of virtual time");
    }

    pub fn is_over(&self) -> bool {
        let over = |seat| matches!(self.desk.line(seat).counters.state(), State::Done | State::Failed);
        (0..self.senders.len()).all(over)
    }

    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        (0..self.senders.len()).for_each(|seat| total.add(&self.desk.line(seat).counters.read()));
        total
    }

    /// Frames that left queue by queue, in order.
    pub fn sent(&self, seat: usize) -> Vec<SentFrame> {
        self.recordings[seat].take()
    }

    /// What must hold at every end, whatever happened: the counts add up and all memory is back.
    pub fn assert_balanced(&self) {
        for seat in 0..self.senders.len() {
            let counters = self.desk.line(seat);
            let counts = counters.counters.read();
            let (total, free) = counters.counters.frames();
            assert_eq!(counts.submitted, counts.completed + counts.abandoned, "seat {seat}: {counts:?}");
            assert_eq!(total, free, "seat {seat}: frames leaked");
            assert!(counts.dropped + counts.invalid <= counts.completed, "seat {seat}: {counts:?}");
        }
    }
}

/// UDP source port of a 60-byte frame, and its pktgen sequence number.
pub fn port(frame: &[u8]) -> u16 {
    u16::from_be_bytes([frame[34], frame[35]])
}

pub fn seq(frame: &[u8]) -> u32 {
    u32::from_be_bytes([frame[46], frame[47], frame[48], frame[49]])
}

pub fn script(events: &[Event]) -> impl Fn(SimConfig) -> SimConfig + '_ {
    |config| SimConfig { script: events.to_vec(), ..config }
}
