//! What shall go wrong, and when.

/// When a fate begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At the first kick at or after this instant.
    AtNs(u64),
    /// When so many packets were taken from the ring (left, dropped or invalid).
    After(u64),
}

/// What then happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The next `packets` do not leave; in copy mode each answers EBUSY and ends its kick.
    Busy { packets: u32 },
    /// The descriptors of the next `packets` are refused: each ends its kick with 0 and completes.
    Invalid { packets: u32 },
    /// Nothing is taken and nothing completes for so long; every kick answers `errno`
    /// (0, EAGAIN: the receiver holds on to packets; ENETDOWN: the own link is down).
    Stall { ns: u64, errno: i32 },
    /// The next `kicks` answer `errno` and do nothing.
    Errno { errno: i32, kicks: u32 },
    /// The queue fails for ever with this errno.
    Fail { errno: i32 },
    /// The device is deleted.
    Gone,
}

/// One line of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub when: When,
    pub fate: Fate,
}

/// The script, and the fates that hold now.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// (instant, fate), earliest last.
    timed: Vec<(u64, Fate)>,
    /// (packets, fate), earliest last.
    counted: Vec<(u64, Fate)>,
    busy: u32,
    invalid: u32,
    stalled_until_ns: u64,
    stall_errno: i32,
    errno: i32,
    errno_kicks: u32,
    end: i32,
}

/// What becomes of the next packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Leaves,
    Dropped,
    Invalid,
    /// The kick ends with this answer and the packet stays.
    Stays(i32),
}

impl Script {
    pub fn new(events: &[Event]) -> Self {
        let mut script = Self::default();
        for event in events.iter().rev() {
            match event.when {
                When::AtNs(ns) => script.timed.push((ns, event.fate)),
                When::After(packets) => script.counted.push((packets, event.fate)),
            }
        }
        script.timed.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        script.counted.sort_by_key(|(packets, _)| std::cmp::Reverse(*packets));
        script
    }

    /// Lets the fates begin that are due.
    fn wake(&mut self, now_ns: u64, taken: u64) {
        while let Some((at_ns, fate)) = self.timed.pop_if(|(at_ns, _)| *at_ns <= now_ns) {
            self.begin(fate, at_ns);
        }
        while let Some((_, fate)) = self.counted.pop_if(|(packets, _)| *packets <= taken) {
            self.begin(fate, now_ns);
        }
    }

    fn begin(&mut self, fate: Fate, at_ns: u64) {
        match fate {
            Fate::Busy { packets } => self.busy = self.busy.saturating_add(packets),
            Fate::Invalid { packets } => self.invalid = self.invalid.saturating_add(packets),
            Fate::Stall { ns, errno } => {
                self.stalled_until_ns = self.stalled_until_ns.max(at_ns.saturating_add(ns));
                self.stall_errno = errno;
            }
            Fate::Errno { errno, kicks } => {
                self.errno = errno;
                self.errno_kicks = kicks;
            }
            Fate::Fail { errno } => self.end = errno,
            Fate::Gone => self.end = libc::ENXIO,
        }
    }

    /// Whether a kick may do anything at all: `Err` is its answer when not.
    pub fn kick(&mut self, now_ns: u64, taken: u64) -> Result<(), i32> {
        self.wake(now_ns, taken);
        if self.end != 0 {
            return Err(self.end);
        }
        if now_ns < self.stalled_until_ns {
            return Err(self.stall_errno);
        }
        if self.errno_kicks > 0 {
            self.errno_kicks -= 1;
            return Err(self.errno);
        }
        Ok(())
    }

    /// What becomes of the next packet of this kick.
    pub fn next(&mut self, now_ns: u64, taken: u64) -> Next {
        self.wake(now_ns, taken);
        if self.end != 0 {
            return Next::Stays(self.end);
        }
        if now_ns < self.stalled_until_ns {
            return Next::Stays(self.stall_errno);
        }
        if self.invalid > 0 {
            self.invalid -= 1;
            return Next::Invalid;
        }
        if self.busy > 0 {
            self.busy -= 1;
            return Next::Dropped;
        }
        Next::Leaves
    }
}
