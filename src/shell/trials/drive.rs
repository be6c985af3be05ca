//! Slices, one after another: what a sweep and a comparison measure with.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::{
    nic::{ModeGot, caps},
    profile::Document,
    shell::{
        failure::Failure,
        session::{Reading, Retuned, Session},
        signals::{Signal, Signals},
        site::Site,
    },
    stats::LeftSource,
    trial::{Mark, Slice, Timing},
};

use super::arms::Arms;

/// From a new plan to the first reading that counts: the sender takes it within a doorbell, and what the plan before left
/// in the rings has completed.
const SETTLE: Duration = Duration::from_millis(100);
/// Whether a session that was told to stop has drained is looked at this often.
const LOOK: Duration = Duration::from_millis(5);
/// Opening a queue and waking its sender, and draining it until the device has told all, over veth.
const OPEN: Duration = Duration::from_millis(40);
const DRAIN: Duration = Duration::from_millis(100);

/// How long slices are.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    pub warm_up: Duration,
    pub slice: Duration,
}

impl Lengths {
    /// How long `slices` will take, with queues opened once or for each slice anew.
    pub fn predicted(self, slices: usize, is_live: bool) -> Duration {
        let timing = Timing {
            open_ns: OPEN.as_nanos() as u64,
            warm_up_ns: self.warm_up.as_nanos() as u64,
            settle_ns: SETTLE.as_nanos() as u64,
            slice_ns: self.slice.as_nanos() as u64,
            drain_ns: DRAIN.as_nanos() as u64,
        };
        let ns =
            if is_live { timing.predicted_ns(slices) } else { timing.predicted_ns(1).saturating_mul(slices as u64) };
        Duration::from_nanos(ns)
    }
}

/// Why a trial ended before its last slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    Signal(Signal),
    /// A sender died or stopped, or a queue did not open again: why.
    Ended(String),
}

/// What came of the slices, over all sessions.
#[derive(Default)]
pub struct Measured {
    pub slices: Vec<Slice>,
    pub mode: ModeGot,
    /// Packets that nobody can explain.
    pub unexplained: u64,
    /// These, and all that did not leave or did not arrive.
    pub losses: u64,
    /// The device did not confirm that what completed left.
    pub unconfirmed: bool,
    pub notices: Vec<String>,
    pub cut: Option<Cut>,
}

/// Measures slices on a site.
pub struct Drive<'a> {
    pub site: &'a mut Site,
    pub signals: &'a mut Signals,
    pub lengths: Lengths,
    pub measured: Measured,
}

impl Drive<'_> {
    /// Runs slices in `order`, which names settings by their place in `arms`. Where every setting acts at the next burst
    /// the queues are opened once for all, else for each slice. `told` hears how many slices are done.
    ///
    /// # Errors
    /// What does not compile or did not open before the first slice, and senders that ended within it. Later the slices
    /// measured so far are kept, and [`Measured::cut`] says why there are no more.
    pub async fn run(mut self, arms: &Arms, order: &[usize], mut told: impl FnMut(usize)) -> Result<Measured, Failure> {
        let longest = self.longest(arms)?;
        let widest = if arms.is_live { Some(arms.widest(&arms.arms[longest])?) } else { None };
        let mut open: Option<Session> = None;
        for (done, &arm) in order.iter().enumerate() {
            told(done);
            let document = &arms.arms[arm].document;
            let is_fresh = open.is_none();
            let opened = match open.take() {
                Some(session) => Ok(session),
                None => self.start(widest.as_ref().unwrap_or(document), widest.is_some()),
            };
            match opened {
                Ok(mut session) => {
                    self.slice(&mut session, document, arm, is_fresh).await?;
                    open = Some(session);
                }
                Err(why) if done == 0 => return Err(why),
                Err(why) => self.measured.cut = Some(Cut::Ended(why.for_people())),
            }
            let is_last = done + 1 == order.len() || self.measured.cut.is_some();
            if let Some(session) = open.take_if(|_| is_last || widest.is_none()) {
                self.end(session).await;
            }
            if self.measured.cut.is_some() {
                break;
            }
        }
        match &self.measured.cut {
            Some(Cut::Ended(why)) if self.measured.slices.is_empty() => Err(Failure::new("ended", why.clone())),
            _ => Ok(self.measured),
        }
    }

    /// Compiles all before anything is sent; answers which setting has the longest packets.
    fn longest(&mut self, arms: &Arms) -> Result<usize, Failure> {
        let lengths = arms.arms.iter().map(|arm| Ok(self.site.compile(arm.document.profile())?.max_len()));
        let lengths = lengths.collect::<Result<Vec<usize>, Failure>>()?;
        Ok((0..lengths.len()).max_by_key(|at| lengths[*at]).unwrap_or(0))
    }

    fn start(&mut self, document: &Document, is_once: bool) -> Result<Session, Failure> {
        let mut session = Session::start(self.site, document.profile())?;
        let given_up =
            if is_once { caps::drop_all_for_this_thread() } else { caps::keep_sending_rights_for_this_thread() };
        given_up.map_err(|why| Failure::new("caps", format!("giving up capabilities failed: {why}")))?;
        self.measured.mode = session.mode;
        for notice in session.notices() {
            if !self.measured.notices.contains(notice) {
                self.measured.notices.push(notice.clone());
            }
        }
        session.release(self.site)?;
        Ok(session)
    }

    /// One slice, or what cut it.
    async fn slice(
        &mut self,
        session: &mut Session,
        document: &Document,
        arm: usize,
        is_fresh: bool,
    ) -> Result<(), Failure> {
        if session.retune(self.site.compile(document.profile())?) == Retuned::NeedsRestart {
            self.measured.cut = Some(Cut::Ended("a setting needs other queues than those that were opened".into()));
            return Ok(());
        }
        let settle = if is_fresh { self.lengths.warm_up + SETTLE } else { SETTLE };
        let mut signal = self.pause(settle).await;
        let before = session.sample(self.site);
        if signal.is_none() {
            signal = self.pause(self.lengths.slice).await;
        }
        let after = session.sample(self.site);
        let cut = signal.map(Cut::Signal).or_else(|| ended(&after, session.is_over()));
        match cut {
            None => self.measured.slices.push(mark(&before).slice_to(&mark(&after), arm)),
            cut => self.measured.cut = cut,
        }
        Ok(())
    }

    async fn pause(&mut self, length: Duration) -> Option<Signal> {
        tokio::select! {
            () = sleep_until(Instant::now() + length) => None,
            signal = self.signals.next() => Some(signal),
        }
    }

    /// Stops, drains and draws the line under the session's ledger. A signal after the first does not wait for late
    /// counters.
    async fn end(&mut self, mut session: Session) {
        let mut hurry = false;
        session.stop();
        loop {
            let reading = session.sample(self.site);
            if session.is_over() && (hurry || session.is_settled(&reading)) {
                break;
            }
            if let Some(signal) = self.pause(LOOK).await {
                hurry = self.measured.cut.is_some();
                self.measured.cut.get_or_insert(Cut::Signal(signal));
            }
        }
        let ledger = session.finish(self.site).reading.ledger;
        let lost = ledger.received.map_or(0, |received| ledger.left.saturating_sub(received));
        self.measured.unexplained += ledger.unexplained;
        self.measured.losses += ledger.losses() + lost;
        self.measured.unconfirmed |= ledger.source == LeftSource::Completions || ledger.unexplained > 0;
    }
}

fn mark(reading: &Reading) -> Mark {
    Mark { at_ns: reading.snapshot.at_ns, total: reading.total, dropped: reading.ledger.dropped }
}

/// One dead sender is enough: what is left of the rate is nobody's setting.
fn ended(last: &Reading, is_over: bool) -> Option<Cut> {
    let dead = last.snapshot.senders.iter().find_map(|sender| Some((sender.queue, sender.reason.as_ref()?)));
    let told = match dead {
        Some((queue, why)) => format!("queue {queue} ended in the middle of a slice: {why}"),
        None if is_over => "the senders ended in the middle of a slice: the flows' own counts were reached. \
            Lift them: -s flow.NAME.count=0"
            .to_owned(),
        None => return None,
    };
    Some(Cut::Ended(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_counts_every_slice_and_opens_once_or_each_time() {
        let lengths = Lengths { warm_up: Duration::from_millis(500), slice: Duration::from_millis(500) };
        assert_eq!(lengths.predicted(18, true), Duration::from_millis(18 * 600 + 500 + 140));
        assert_eq!(lengths.predicted(18, false), Duration::from_millis(18 * (600 + 500 + 140)));
    }
}
