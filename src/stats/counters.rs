//! What one sender counts, on cache lines of its own, published once per burst.

use std::sync::{
    OnceLock,
    atomic::{AtomicU8, AtomicU64, Ordering},
};

use crossbeam_utils::CachePadded;

use super::{Parts, published::Published};

/// Declares the counts once: the plain struct that the sender adds to, and its way to words and back.
macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What one sender has done since it was opened. Packets unless named otherwise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Counts { $($(#[$doc])* pub $name: u64,)* }

        const WORDS: usize = [$(stringify!($name)),*].len();

        impl Counts {
            #[inline]
            fn to_words(self) -> [u64; WORDS] { [$(self.$name),*] }

            fn from_words(words: [u64; WORDS]) -> Self {
                let [$($name),*] = words;
                Self { $($name),* }
            }

            /// Adds another sender's counts; the two clock readings keep the earliest start and the last end.
            pub fn add(&mut self, other: &Counts) {
                let (started, last) = (merge_start(self.started_ns, other.started_ns), self.last_ns.max(other.last_ns));
                $(self.$name = self.$name.wrapping_add(other.$name);)*
                (self.started_ns, self.last_ns) = (started, last);
            }
        }
    };
}

counts! {
    submitted,
    submitted_bytes,
    completed,
    /// Completed but known not to have left (copy mode: one EBUSY answer each).
    dropped,
    /// Completed although the kernel refused the descriptor.
    invalid,
    abandoned,
    /// Due times forgiven after a stall of more than 100 ms.
    shortfall,
    /// Clone groups built.
    built,
    /// Doorbells that handed packets over.
    bursts,
    /// System calls made.
    kicks,
    /// Turns that could queue nothing because the ring was full.
    ring_full,
    /// Turns that could build nothing because no packet memory was free.
    no_frames,
    busy_ns,
    wait_pace_ns,
    wait_ring_ns,
    /// Clock reading of the common release; 0 before.
    started_ns,
    /// Clock reading of the end of sending: the last packet queued when a count ended it, else the stop itself.
    /// While sending: the last packet queued so far; 0 before the first.
    last_ns,
}

fn merge_start(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        (a, b) => a.min(b),
    }
}

impl Counts {
    /// Packets handed over and not heard of again yet.
    pub fn in_flight(&self) -> u64 {
        self.submitted.saturating_sub(self.completed).saturating_sub(self.abandoned)
    }

    /// Completed, and neither refused nor dropped. Completions are not departures (a down peer completes everything).
    pub fn left(&self) -> u64 {
        self.completed.saturating_sub(self.invalid).saturating_sub(self.dropped)
    }
}

/// How a sender stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// Open, waiting for the common release.
    #[default]
    Ready,
    Sending,
    Draining,
    /// Over: its count or duration is reached, or it was told to stop.
    Done,
    /// Dead: [`Counters::reason`] says why.
    Failed,
}

const STATES: [State; 5] = [State::Ready, State::Sending, State::Draining, State::Done, State::Failed];

/// One sender's counters as its readers see them. The sender writes; everybody may read.
pub struct Counters {
    counts: CachePadded<Published<WORDS>>,
    /// Once a millisecond at most, so apart from the counts.
    parts: CachePadded<Published<{ Parts::WORDS }>>,
    state: AtomicU8,
    reason: OnceLock<String>,
    frames_total: AtomicU64,
    frames_free: AtomicU64,
    /// Indexed by errno; written only when one is met.
    errnos: Box<[AtomicU64; ERRNOS]>,
}

/// One above the highest errno of Linux (EHWPOISON, 133).
const ERRNOS: usize = 134;

impl Default for Counters {
    fn default() -> Self {
        Self {
            counts: CachePadded::new(Published::new()),
            parts: CachePadded::new(Published::new()),
            state: AtomicU8::new(0),
            reason: OnceLock::new(),
            frames_total: AtomicU64::new(0),
            frames_free: AtomicU64::new(0),
            errnos: Box::new(std::array::from_fn(|_| AtomicU64::new(0))),
        }
    }
}

impl Counters {
    /// Once per burst, by the sender alone.
    #[inline]
    pub fn publish(&self, counts: &Counts) {
        self.counts.publish(&counts.to_words());
    }

    /// By the sender alone.
    pub fn publish_parts(&self, parts: &Parts) {
        self.parts.publish(&parts.to_words());
    }

    pub fn set_state(&self, state: State) {
        self.state.store(state as u8, Ordering::Release);
    }

    /// Says once why the sender died.
    pub fn fail(&self, reason: String) {
        self.reason.get_or_init(|| reason);
        self.set_state(State::Failed);
    }

    pub fn set_frames(&self, total: u32, free: u32) {
        self.frames_total.store(u64::from(total), Ordering::Relaxed);
        self.frames_free.store(u64::from(free), Ordering::Relaxed);
    }

    pub fn set_errno(&self, errno: i32, times: u64) {
        if let Some(cell) = usize::try_from(errno).ok().and_then(|errno| self.errnos.get(errno)) {
            cell.store(times, Ordering::Relaxed);
        }
    }

    /// All counts of one moment. A publication takes some nanoseconds, so a reader that meets one is soon through.
    pub fn read(&self) -> Counts {
        Counts::from_words(words_of(&self.counts))
    }

    pub fn parts(&self) -> Parts {
        Parts::from_words(words_of(&self.parts))
    }

    pub fn state(&self) -> State {
        STATES[usize::from(self.state.load(Ordering::Acquire)).min(STATES.len() - 1)]
    }

    pub fn reason(&self) -> Option<&str> {
        self.reason.get().map(String::as_str)
    }

    /// Packet memories (total, free) when last published: at open, and after every stop.
    pub fn frames(&self) -> (u64, u64) {
        (self.frames_total.load(Ordering::Relaxed), self.frames_free.load(Ordering::Relaxed))
    }

    /// Every errno met, with its number of times.
    pub fn errnos(&self) -> Vec<(i32, u64)> {
        let met = |(errno, cell): (usize, &AtomicU64)| (errno as i32, cell.load(Ordering::Relaxed));
        self.errnos.iter().enumerate().map(met).filter(|(_, times)| *times > 0).collect()
    }
}

fn words_of<const N: usize>(published: &Published<N>) -> [u64; N] {
    loop {
        if let Some(words) = published.try_read() {
            return words;
        }
        std::hint::spin_loop();
    }
}

/// Packets of one flow submitted by one sender; on a line of its own, one writer.
#[derive(Default)]
pub struct FlowCounter(CachePadded<AtomicU64>);

impl FlowCounter {
    /// By the sender alone.
    #[inline]
    pub fn set(&self, submitted: u64) {
        self.0.store(submitted, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_counts_are_the_same_thing() {
        let counts = Counts { submitted: 1, last_ns: 17, started_ns: 16, shortfall: 7, ..Counts::default() };
        assert_eq!(Counts::from_words(counts.to_words()), counts);
    }

    #[test]
    fn adding_senders_keeps_the_earliest_start_and_the_last_end() {
        let mut sum = Counts { submitted: 5, started_ns: 0, last_ns: 9, ..Counts::default() };
        sum.add(&Counts { submitted: 7, started_ns: 3, last_ns: 4, ..Counts::default() });
        assert_eq!((sum.submitted, sum.started_ns, sum.last_ns), (12, 3, 9));
    }

    #[test]
    fn the_first_reason_of_a_death_stands() {
        let counters = Counters::default();
        counters.fail("first".into());
        counters.fail("second".into());
        assert_eq!((counters.state(), counters.reason()), (State::Failed, Some("first")));
    }
}
