//! What the primitives of a sender's loop cost on this CPU: each one timed in many short batches, all of them in
//! turns, so that whatever disturbs the machine disturbs them alike. Rounds come out raw; judging them is not ours.

mod contended;
mod loops;

use std::{io, sync::atomic::AtomicU64, thread};

use crossbeam_utils::CachePadded;

use super::{Clock, XdpNic, cpus};
use loops::UNROLLED;

/// Where to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    pub cpu: u32,
    /// Whoever contends for a line sits here.
    pub other_cpu: Option<u32>,
}

/// One primitive: nanoseconds an operation, a figure for each round, or why it could not be measured here.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// For scripts: `locked_add`.
    pub name: &'static str,
    /// For people, at most 23 characters.
    pub what: &'static str,
    pub rounds_ns: Result<Vec<f64>, String>,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    #[error("measuring on CPU {cpu} failed: {why}")]
    Cpu { cpu: u32, why: io::Error },
    #[error("measuring was stopped")]
    Stopped,
    #[error("a bug of txdeck's own ended the measuring")]
    Bug,
}

/// A batch is long beside the clock's own cost and short beside a time slice, so that few are interrupted.
const BATCH_NS: u64 = 500_000;
const ROUNDS: u32 = 240;
/// Rounds before, for the CPU to reach its frequency.
const WARM_UP: u32 = 24;
const MOST_TURNS: u32 = 1 << 24;

const IS_X86: bool = cfg!(target_arch = "x86_64");
const LOCKED_ADD: &str = if IS_X86 { "LOCK-prefixed add" } else { "atomic add" };
const CONTENDED_ADD: &str = if IS_X86 { "contended LOCK add" } else { "contended atomic add" };

/// Measures for about two seconds, on a thread of its own; `keep_going` is asked several times in each of them.
/// `kick` is an open queue with nothing in it, or why there is none.
///
/// # Errors
/// [`CalibrateError`]: the CPU is not ours, or it was told to stop.
pub fn run<C: Clock + Sync>(
    clock: &C,
    seat: Seat,
    kick: Result<XdpNic, String>,
    keep_going: impl Fn() -> bool + Send,
) -> Result<Vec<Measured>, CalibrateError> {
    let measuring = move || {
        cpus::pin_this_thread(seat.cpu).map_err(|why| CalibrateError::Cpu { cpu: seat.cpu, why })?;
        let lines = Lines::default();
        in_turns(clock, probes(clock, seat, &lines, kick), keep_going)
    };
    // The caller keeps its own CPUs.
    thread::scope(|scope| scope.spawn(measuring).join().unwrap_or(Err(CalibrateError::Bug)))
}

/// The words that are added to, each on a cache line of its own.
#[derive(Default)]
struct Lines {
    own: CachePadded<AtomicU64>,
    shared: CachePadded<AtomicU64>,
}

/// How one batch of so many turns went.
type Batch<'a> = Box<dyn FnMut(u32) -> Taken + 'a>;

enum Taken {
    Ns(u64),
    /// Not what was meant to be measured; another one may be.
    Spoilt,
    NotHere(String),
}

/// A primitive that is being measured.
struct Probe<'a> {
    name: &'static str,
    what: &'static str,
    batch: Batch<'a>,
    turns: u32,
    rounds_ns: Vec<f64>,
    why_not: Option<String>,
}

impl<'a> Probe<'a> {
    fn new(name: &'static str, what: &'static str, batch: Batch<'a>) -> Self {
        Self { name, what, batch, turns: 1, rounds_ns: Vec::new(), why_not: None }
    }

    /// Finds how many turns make a batch.
    fn size(&mut self) {
        while self.why_not.is_none() && self.turns < MOST_TURNS {
            match (self.batch)(self.turns) {
                Taken::Ns(ns) if ns >= BATCH_NS => return,
                Taken::Ns(_) => self.turns *= 2,
                Taken::Spoilt => return,
                Taken::NotHere(why) => self.why_not = Some(why),
            }
        }
    }

    /// Nanoseconds an operation of one more batch.
    fn round(&mut self) -> Option<f64> {
        if self.why_not.is_some() {
            return None;
        }
        match (self.batch)(self.turns) {
            Taken::Ns(ns) => Some(ns as f64 / (f64::from(self.turns) * f64::from(UNROLLED))),
            Taken::Spoilt => None,
            Taken::NotHere(why) => {
                self.why_not = Some(why);
                None
            }
        }
    }

    /// The figures without what the loop itself took.
    fn measured(self, empty_ns: f64) -> Measured {
        let spoilt = || "the other CPU was busy with something else all the time".to_owned();
        let rounds_ns = match self.why_not {
            Some(why) => Err(why),
            None if self.rounds_ns.is_empty() => Err(spoilt()),
            None => Ok(self.rounds_ns.into_iter().map(|ns| (ns - empty_ns).max(0.0)).collect()),
        };
        Measured { name: self.name, what: self.what, rounds_ns }
    }
}

/// The table of primitives, in the order in which they are shown.
fn probes<'a, C: Clock>(clock: &'a C, seat: Seat, lines: &'a Lines, kick: Result<XdpNic, String>) -> Vec<Probe<'a>> {
    let timed = |work: fn(&AtomicU64, u32)| -> Batch<'a> {
        Box::new(move |turns| Taken::Ns(took(clock, || work(&lines.own, turns))))
    };
    let contended = move |turns| match seat.other_cpu {
        Some(cpu) => contended::batch(clock, &lines.shared, cpu, turns),
        None => Taken::NotHere("only one CPU may be used, so nobody can contend".into()),
    };
    let kicked = move |turns| match &kick {
        Ok(nic) => kicks(clock, nic, turns),
        Err(why) => Taken::NotHere(why.clone()),
    };
    vec![
        Probe::new("load_store", "plain load + store", timed(loops::load_store)),
        Probe::new("locked_add", LOCKED_ADD, timed(loops::locked_add)),
        Probe::new("contended_add", CONTENDED_ADD, Box::new(contended)),
        Probe::new("barrier", "store + full barrier", timed(loops::barrier)),
        Probe::new(
            "clock_read",
            "clock read",
            Box::new(move |turns| Taken::Ns(took(clock, || loops::clock_read(clock, turns)))),
        ),
        Probe::new("system_call", "empty system call", timed(|_, turns| loops::system_call(turns))),
        Probe::new("kick", "kick of an empty queue", Box::new(kicked)),
    ]
}

fn took(clock: &impl Clock, work: impl FnOnce()) -> u64 {
    let begin_ns = clock.now_ns();
    work();
    clock.now_ns().saturating_sub(begin_ns)
}

fn kicks(clock: &impl Clock, nic: &XdpNic, turns: u32) -> Taken {
    let mut errno = 0;
    let ns = took(clock, || errno = loops::kick(nic, turns));
    match errno {
        0 => Taken::Ns(ns),
        errno => Taken::NotHere(format!("the kernel refused an empty kick: {}", io::Error::from_raw_os_error(errno))),
    }
}

/// One batch of each a round; what the loop alone takes at least is taken off.
fn in_turns<'a>(
    clock: &'a impl Clock,
    mut probes: Vec<Probe<'a>>,
    keep_going: impl Fn() -> bool,
) -> Result<Vec<Measured>, CalibrateError> {
    let mut empty = Probe::new("", "", Box::new(|turns| Taken::Ns(took(clock, || loops::empty(turns)))));
    empty.size();
    probes.iter_mut().for_each(Probe::size);
    for round in 0..WARM_UP + ROUNDS {
        if !keep_going() {
            return Err(CalibrateError::Stopped);
        }
        for probe in probes.iter_mut().chain([&mut empty]) {
            let taken = probe.round().filter(|_| round >= WARM_UP);
            probe.rounds_ns.extend(taken);
        }
    }
    // A disturbance only ever adds, so the least is the loop's own.
    let empty_ns = empty.rounds_ns.into_iter().reduce(f64::min).unwrap_or(0.0);
    Ok(probes.into_iter().map(|probe| probe.measured(empty_ns)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Each look at it takes `step_ns`.
    struct Steps {
        now_ns: Cell<u64>,
        step_ns: u64,
    }

    impl Clock for Steps {
        fn now_ns(&self) -> u64 {
            self.now_ns.set(self.now_ns.get() + self.step_ns);
            self.now_ns.get()
        }
    }

    fn steps(step_ns: u64) -> Steps {
        Steps { now_ns: Cell::new(0), step_ns }
    }

    fn of(batch: impl FnMut(u32) -> Taken + 'static) -> Vec<Probe<'static>> {
        vec![Probe::new("a", "a thing", Box::new(batch))]
    }

    #[test]
    fn a_batch_grows_until_it_is_long_enough_and_the_empty_loop_is_taken_off() {
        // Any batch of the empty loop takes one step: 500 µs for one turn of 16.
        let clock = steps(BATCH_NS);
        let measured = in_turns(&clock, of(|turns| Taken::Ns(1_000_000 * u64::from(turns))), || true).unwrap();
        let rounds = measured[0].rounds_ns.as_ref().unwrap();
        assert_eq!(rounds.len(), ROUNDS as usize, "the warm-up is not among them");
        assert!(rounds.iter().all(|ns| (ns - 500_000.0 / 16.0).abs() < 1e-6), "{rounds:?}");
    }

    #[test]
    fn what_cannot_be_measured_says_why_and_spoilt_rounds_are_left_out() {
        let clock = steps(BATCH_NS);
        let why = in_turns(&clock, of(|_| Taken::NotHere("no such thing".into())), || true).unwrap();
        assert_eq!(why[0].rounds_ns, Err("no such thing".into()));
        let spoilt = in_turns(&clock, of(|_| Taken::Spoilt), || true).unwrap();
        assert!(spoilt[0].rounds_ns.is_err());
        let mut batches = 0;
        let half = move |turns| {
            batches += 1;
            if batches % 2 == 0 { Taken::Spoilt } else { Taken::Ns(BATCH_NS * u64::from(turns)) }
        };
        let half = in_turns(&clock, of(half), || true).unwrap();
        assert_eq!(half[0].rounds_ns.as_ref().unwrap().len(), ROUNDS as usize / 2);
    }

    #[test]
    fn it_stops_when_told_to_and_names_a_cpu_that_is_not_there() {
        let stopped = in_turns(&steps(BATCH_NS), of(|_| Taken::Spoilt), || false);
        assert!(matches!(stopped, Err(CalibrateError::Stopped)));
        struct Still;
        impl Clock for Still {
            fn now_ns(&self) -> u64 {
                0
            }
        }
        let seat = Seat { cpu: 4095, other_cpu: None };
        let refused = run(&Still, seat, Err(String::new()), || true).unwrap_err();
        assert!(refused.to_string().starts_with("measuring on CPU 4095 failed:"), "{refused}");
    }
}
