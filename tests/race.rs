//! The race: threads that add, remove, enable and edit flows and turn knobs as fast as they can, one that stops and starts,
//! and two that read every figure, all against running senders. After every stop all memories are back, nothing is lost,
//! and no reading was ever torn. `TXDECK_RACE_SECONDS` makes it longer or shorter.

mod nic_lab;

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nic_lab::on_a_veth_pair_of;
use txdeck::{
    engine::{Fleet, Seat, SenderEnd, Wait},
    nic::{
        Clock, Nic, SimNic, XdpNic,
        sim::{Character, SimConfig},
        xdp::XdpConfig,
    },
    packet::{Facts, Plan, compile},
    profile::Document,
    stats::{Counts, Snapshot},
};

const QUEUES: u32 = 2;
/// All flows have frames of this length, so bytes and packets belong together in every reading.
const LEN: u64 = 60;
/// A fleet is stopped when it has submitted so many.
const A_RUN: u64 = 20_000;
const DEADLINE: Duration = Duration::from_secs(10);

#[test]
fn the_race_on_the_simulated_nic() {
    let mut starts = 0;
    race(seconds(60), move |queue| {
        starts += 1;
        // Completions at once and late, by turns.
        let late = Character::ZeroCopy { clump: 40 };
        let character = if (starts / QUEUES).is_multiple_of(2) { Character::Copy { budget: 32 } } else { late };
        let config = SimConfig { queue, character, seed: u64::from(starts), ..SimConfig::default() };
        move || SimNic::open(config)
    });
}

#[test]
fn the_race_on_the_wire() {
    on_a_veth_pair_of(QUEUES, "the_race_on_the_wire", |_| {
        race(seconds(20), |queue| {
            let config = XdpConfig { driver: Some("veth".into()), queues: Some(QUEUES), ..XdpConfig::new("a0", queue) };
            move || XdpNic::open(&config)
        });
    });
}

fn seconds(usual: u64) -> Duration {
    let told = std::env::var("TXDECK_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(told.unwrap_or(usual))
}

/// The machine's time since the race began, from 1 ns on.
#[derive(Clone, Copy)]
struct RaceClock(Instant);

impl Clock for RaceClock {
    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64 + 1
    }
}

impl Wait for RaceClock {
    fn wait_until(&self, until_ns: u64) {
        while self.now_ns() < until_ns {
            thread::yield_now();
        }
    }

    fn wall_offset_ns(&self) -> i64 {
        0
    }
}

/// What the threads turn.
struct Desk {
    burst: u32,
    clone: u32,
    paced: bool,
    /// Whether each is enabled, and its destination port.
    flows: BTreeMap<u32, (bool, u16)>,
}

impl Desk {
    fn plan(&self) -> Arc<Plan> {
        let rate = if self.paced { "2M" } else { "max" };
        let mut text = format!(
            "version = 1\n[tx]\nqueues = [0, 1]\nburst = {}\nclone = {}\nrate = \"{rate}\"\n",
            self.burst, self.clone
        );
        for (number, (enabled, port)) in &self.flows {
            let _ = write!(
                text,
                "[[flow]]\nname = \"f{number}\"\nenabled = {enabled}\neth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\n\
                 udp = {{ src = {{ from = 1, to = 999 }}, dst = {port} }}\nweight = {}\n",
                1 + number % 3
            );
        }
        let document = Document::parse("race.toml", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        Arc::new(compile(document.profile(), &Facts::default()).unwrap_or_else(|why| panic!("{why}\n{text}")))
    }
}

struct Race {
    desk: Mutex<Desk>,
    fleet: RwLock<Option<Fleet>>,
    over: AtomicBool,
    edits: AtomicU64,
    readings: AtomicU64,
    clock: RaceClock,
}

fn race<N, O, E>(length: Duration, mut opener: impl FnMut(u32) -> O)
where
    N: Nic,
    O: FnOnce() -> Result<N, E> + Send + 'static,
    E: Send + std::fmt::Debug + 'static,
{
    let desk = Desk { burst: 32, clone: 0, paced: false, flows: BTreeMap::from([(0, (true, 9))]) };
    let race = Race {
        desk: Mutex::new(desk),
        fleet: RwLock::new(None),
        over: AtomicBool::new(false),
        edits: AtomicU64::new(0),
        readings: AtomicU64::new(0),
        clock: RaceClock(Instant::now()),
    };
    let (mut runs, mut sent) = (0, 0);
    thread::scope(|scope| {
        // Flow 0 stays and sends, so that there is always something to do.
        scope.spawn(|| race.edit(|desk, n| _ = desk.flows.insert(1 + n % 40, (n % 3 > 0, 9))));
        scope.spawn(|| race.edit(|desk, n| _ = desk.flows.remove(&(1 + n * 7 % 40))));
        scope.spawn(|| {
            race.edit(|desk, n| {
                desk.flows.entry(1 + n * 3 % 40).and_modify(|flow| *flow = (!flow.0, flow.1.wrapping_add(1)));
            });
        });
        scope.spawn(|| {
            race.edit(|desk, n| {
                desk.burst = [1, 2, 7, 32, 64, 256][n as usize % 6];
                desk.clone = [0, 10, 1, 3, 100][n as usize % 5];
                desk.paced = n % 9 == 0;
            });
        });
        scope.spawn(|| race.read());
        scope.spawn(|| race.read());
        let until = Instant::now() + length;
        while Instant::now() < until {
            let seats = (0..QUEUES).map(|queue| Seat { open: opener(queue), queue, cpu: None });
            let ends = race.run(seats.collect());
            sent += ends.iter().map(|end| end.counts.submitted).sum::<u64>();
            runs += 1;
        }
        race.over.store(true, Ordering::Relaxed);
    });
    let (edits, readings) = (race.edits.into_inner(), race.readings.into_inner());
    println!("{runs} runs, {sent} packets, {edits} edits, {readings} readings in {length:?}");
    assert!(runs > 0 && edits > 100 && readings > 100, "nothing raced");
}

impl Race {
    /// Starts a fleet, lets it be raced over, and stops it.
    fn run<N, O, E>(&self, seats: Vec<Seat<O>>) -> Vec<SenderEnd>
    where
        N: Nic,
        O: FnOnce() -> Result<N, E> + Send + 'static,
        E: Send + std::fmt::Debug + 'static,
    {
        // Whoever edits meanwhile waits for the new fleet, so that it does not miss the edit.
        let desk = self.desk.lock().unwrap();
        let Ok(fleet) = Fleet::start(seats, desk.plan(), self.clock) else { panic!("the queues do not open") };
        fleet.release(self.clock.now_ns());
        *self.fleet.write().unwrap() = Some(fleet);
        drop(desk);
        self.wait_for("packets", |fleet| fleet.snapshot(self.clock.now_ns()).total().submitted > A_RUN);
        self.with_fleet(Fleet::stop);
        self.wait_for("the end", Fleet::is_over);
        let fleet = self.fleet.write().unwrap().take().expect("it is here");
        let flows: u64 = fleet.snapshot(self.clock.now_ns()).flows.iter().map(|flow| flow.submitted).sum();
        let ends = fleet.finish();
        ends.iter().for_each(check_end);
        assert_eq!(flows, ends.iter().map(|end| end.counts.submitted).sum::<u64>(), "flows and senders");
        ends
    }

    fn wait_for(&self, what: &str, is_so: impl Fn(&Fleet) -> bool) {
        let until = Instant::now() + DEADLINE;
        while !self.with_fleet(&is_so) {
            assert!(Instant::now() < until, "no {what} within {DEADLINE:?}");
            thread::yield_now();
        }
    }

    fn with_fleet<R>(&self, work: impl FnOnce(&Fleet) -> R) -> R {
        work(self.fleet.read().unwrap().as_ref().expect("a fleet"))
    }

    /// Edits with ever new numbers until the race is over.
    fn edit(&self, change: impl Fn(&mut Desk, u32)) {
        for n in 0.. {
            if self.over.load(Ordering::Relaxed) {
                return;
            }
            let mut desk = self.desk.lock().unwrap();
            change(&mut desk, n);
            let plan = desk.plan();
            if let Some(fleet) = self.fleet.write().unwrap().as_mut() {
                fleet.retune(plan);
            }
            drop(desk);
            self.edits.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Reads every figure until the race is over.
    fn read(&self) {
        let mut before: Option<Snapshot> = None;
        while !self.over.load(Ordering::Relaxed) {
            let now = self.fleet.read().unwrap().as_ref().map(|fleet| fleet.snapshot(self.clock.now_ns()));
            let Some(now) = now else {
                before = None;
                thread::yield_now();
                continue;
            };
            now.senders.iter().for_each(|sender| check_reading(&sender.counts));
            if let Some(before) = before.filter(|before| is_same_fleet(before, &now)) {
                for (before, now) in before.senders.iter().zip(&now.senders) {
                    assert!(is_later(&before.counts, &now.counts), "{:?}\nthen {:?}", before.counts, now.counts);
                }
            }
            before = Some(now);
            self.readings.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Every sender is released at an instant of its own fleet.
fn is_same_fleet(before: &Snapshot, now: &Snapshot) -> bool {
    let started = |snapshot: &Snapshot| snapshot.senders.iter().map(|sender| sender.counts.started_ns).max();
    started(before) == started(now)
}

/// All in one reading belongs to one instant.
fn check_reading(counts: &Counts) {
    assert_eq!(counts.submitted_bytes, counts.submitted * LEN, "torn: {counts:?}");
    assert!(counts.completed <= counts.submitted, "torn: {counts:?}");
    assert!(counts.dropped + counts.invalid <= counts.completed, "torn: {counts:?}");
    assert!(counts.built <= counts.submitted && counts.bursts <= counts.submitted, "torn: {counts:?}");
}

fn is_later(before: &Counts, now: &Counts) -> bool {
    let grows = [
        (before.submitted, now.submitted),
        (before.completed, now.completed),
        (before.built, now.built),
        (before.bursts, now.bursts),
        (before.kicks, now.kicks),
        (before.busy_ns, now.busy_ns),
    ];
    grows.iter().all(|(before, now)| before <= now)
}

fn check_end(end: &SenderEnd) {
    assert_eq!(end.reason, None);
    check_reading(&end.counts);
    assert_eq!(end.counts.completed, end.counts.submitted, "lost: {end:?}");
    assert_eq!((end.counts.abandoned, end.counts.invalid), (0, 0));
    assert_eq!(end.frames.0, end.frames.1, "memories that did not come back");
}
