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
    stats::cost_ns,
    trial::{Slice, Timing},
};

/// From a new plan to the first reading that counts: the sender takes it within a doorbell, and what the plan before left
/// in the rings has completed.
const SETTLE: Duration = Duration::from_millis(100);
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

/// What came of the slices.
#[derive(Default)]
pub struct Measured {
    pub slices: Vec<Slice>,
    pub mode: ModeGot,
    /// Packets that nobody can explain, over all sessions.
    pub unexplained: u64,
    pub notices: Vec<String>,
    /// It ended early.
    pub signal: Option<Signal>,
}

/// Runs slices in `order`, which names settings by their place in `documents`. `widest` opens the queues once for all;
/// without it they are opened for each slice. `told` hears how many slices are done.
///
/// # Errors
/// What did not open, and senders that ended of themselves.
pub async fn run(
    site: &mut Site,
    documents: &[&Document],
    widest: Option<&Document>,
    order: &[usize],
    lengths: Lengths,
    signals: &mut Signals,
    mut told: impl FnMut(usize),
) -> Result<Measured, Failure> {
    let mut measured = Measured::default();
    // What cannot be compiled is told before anything is sent.
    documents.iter().try_for_each(|document| site.compile(document.profile()).map(drop))?;
    let mut open: Option<Session> = None;
    for (done, &arm) in order.iter().enumerate() {
        told(done);
        let document = documents[arm];
        let mut session = match open.take() {
            Some(session) => session,
            None => start(site, widest.unwrap_or(document), &mut measured, widest.is_some())?,
        };
        let is_fresh = done == 0 || widest.is_none();
        if widest.is_some() && session.retune(site.compile(document.profile())?) == Retuned::NeedsRestart {
            return Err(Failure::new("restart", "a setting needs other queues than the first one"));
        }
        let settle = if is_fresh { lengths.warm_up + SETTLE } else { SETTLE };
        let slice = slice(site, &mut session, arm, settle, lengths.slice, signals).await?;
        match slice {
            Ok(slice) => measured.slices.push(slice),
            Err(signal) => measured.signal = Some(signal),
        }
        let is_last = done + 1 == order.len() || measured.signal.is_some();
        if is_last || widest.is_none() {
            measured.unexplained += end(site, session).await;
        } else {
            open = Some(session);
        }
        if measured.signal.is_some() {
            break;
        }
    }
    Ok(measured)
}

fn start(site: &mut Site, document: &Document, measured: &mut Measured, is_once: bool) -> Result<Session, Failure> {
    let mut session = Session::start(site, document.profile())?;
    let given_up = if is_once { caps::drop_all_for_this_thread() } else { caps::keep_sending_rights_for_this_thread() };
    given_up.map_err(|why| Failure::new("caps", format!("giving up capabilities failed: {why}")))?;
    measured.mode = session.mode;
    for notice in session.notices() {
        if !measured.notices.contains(notice) {
            measured.notices.push(notice.clone());
        }
    }
    session.release(site)?;
    Ok(session)
}

/// One slice, or the signal that ended it.
async fn slice(
    site: &mut Site,
    session: &mut Session,
    arm: usize,
    settle: Duration,
    length: Duration,
    signals: &mut Signals,
) -> Result<Result<Slice, Signal>, Failure> {
    if let Some(signal) = pause(settle, signals).await {
        return Ok(Err(signal));
    }
    let before = session.sample(site);
    if let Some(signal) = pause(length, signals).await {
        return Ok(Err(signal));
    }
    let after = session.sample(site);
    if session.is_over() {
        return Err(ended(&after));
    }
    Ok(Ok(between(arm, &before, &after)))
}

async fn pause(length: Duration, signals: &mut Signals) -> Option<Signal> {
    tokio::select! {
        () = sleep_until(Instant::now() + length) => None,
        signal = signals.next() => Some(signal),
    }
}

/// Left is the senders' own sum here: a device that tells its counters late would lend one slice's packets to the next.
/// That the device agrees is seen at the end, in what is unexplained.
fn between(arm: usize, before: &Reading, after: &Reading) -> Slice {
    let left = |reading: &Reading| {
        let total = &reading.total;
        total.completed.saturating_sub(total.invalid + reading.ledger.dropped.unwrap_or(0))
    };
    Slice {
        arm,
        elapsed_ns: after.snapshot.at_ns.saturating_sub(before.snapshot.at_ns),
        left: left(after).saturating_sub(left(before)),
        dropped: after.ledger.dropped.zip(before.ledger.dropped).map(|(after, before)| after.saturating_sub(before)),
        cost_ns: cost_ns(&before.total, &after.total),
    }
}

fn ended(last: &Reading) -> Failure {
    let dead = last.snapshot.senders.iter().find_map(|sender| Some((sender.queue, sender.reason.as_ref()?)));
    match dead {
        Some((queue, why)) => Failure::new("ended", format!("queue {queue} ended in the middle of a slice: {why}")),
        None => Failure::new("ended", "the senders ended in the middle of a slice: the flows' own counts were reached")
            .with_fix("Lift them: -s flow.NAME.count=0"),
    }
}

/// Stops and drains; answers what nobody can explain.
async fn end(site: &mut Site, mut session: Session) -> u64 {
    const LOOK: Duration = Duration::from_millis(5);
    session.stop();
    loop {
        let reading = session.sample(site);
        if session.is_over() && session.is_settled(&reading) {
            break;
        }
        sleep_until(Instant::now() + LOOK).await;
    }
    session.finish(site).reading.ledger.unexplained
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
