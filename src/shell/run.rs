//! The headless twin: the same engine without a terminal. Progress goes to stderr, the result to stdout.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::{
    nic::{Clock, caps},
    profile::Document,
    shell::{
        args::{Common, Format, RunArgs},
        clock::{self, MonotonicClock},
        failure::Failure,
        host, load, lookup,
        output::{Ending, Output, say},
        paths::Paths,
        report::{self, Stuck},
        result::RunResult,
        session::{Finished, Reading, Session},
        signals::{Signal, Signals},
        site::Site,
        tally,
    },
};

/// Device counters and far end are read this often.
const SAMPLE_NS: u64 = 100_000_000;
/// An end is noticed this soon.
const LOOK: Duration = Duration::from_millis(10);
/// Progress without `--interval`.
const PROGRESS: Duration = Duration::from_secs(1);

/// Runs and reports; the exit code, where a run took place at all.
pub fn run(args: &RunArgs, common: &Common) -> Result<u8, Ending> {
    check_expectations(args)?;
    let source = lookup::find(&args.profile, &Paths::of_this_user()?)?;
    let document = load::document(&source, &args.settings, args.place.shape.lab_queues)?;
    let place = load::place(args.place.lab, args.place.device.as_deref(), document.profile())?;
    let output = Output::open(common.output.as_deref())?;
    // The lab is entered before the runtime exists: namespaces are for whole processes.
    let mut site = load::site(place, &args.place.shape)?;
    site.check_guard(args.place.arm.as_deref())?;
    site.shelf.tells = !common.quiet;
    let mut telling = Telling { args, quiet: common.quiet, output, shown: None, closed: false };
    telling.before(&site, &document);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Failure::new("no_runtime", format!("the event loop did not start: {why}")))?;
    let (result, signal) = runtime.block_on(drive(&mut telling, &mut site, &document))?;
    telling.after(&result, source.earlier.as_deref())?;
    Ok(exit_code(&result, args, signal))
}

/// A misspelt expectation is told before anything is sent.
fn check_expectations(args: &RunArgs) -> Result<(), Failure> {
    let example = serde_json::to_value(RunResult::blank()).unwrap_or_default();
    let checked = args.expect.iter().try_for_each(|expect| expect.check_key(&example));
    checked.map_err(|why| Failure::new("bad_expect", why.to_string()))
}

async fn drive(
    telling: &mut Telling<'_>,
    site: &mut Site,
    document: &Document,
) -> Result<(RunResult, Option<Signal>), Ending> {
    let mut signals = Signals::listen()?;
    let mut session = Session::start(site, document.profile())?;
    // Everything is open: queues, netlink, the far end's socket. The senders gave theirs up themselves.
    let dropped = caps::drop_all_for_this_thread();
    dropped.map_err(|why| Failure::new("caps", format!("giving up capabilities failed: {why}")))?;
    telling.opened(&session, document);
    let facts = tally::Setting::new(document, &site.device, host::facts(site.link()), clock::now_utc());
    session.release(site)?;
    let signal = watch(telling, site, &mut session, &mut signals).await?;
    let finished = session.finish(site);
    telling.last_interval(&finished)?;
    Ok((tally::result(facts, &finished), signal))
}

/// Follows a session until it is over and its device has told what it knows.
async fn watch(
    telling: &mut Telling<'_>,
    site: &mut Site,
    session: &mut Session,
    signals: &mut Signals,
) -> Result<Option<Signal>, Ending> {
    let (clock, mut caught, mut hurry) = (MonotonicClock, None, false);
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let started_ns = clock.now_ns();
    let (mut sample_ns, mut show_ns) = (started_ns + SAMPLE_NS, started_ns + telling.interval_ns());
    loop {
        tokio::select! {
            _ = look.tick() => {}
            signal = signals.next() => {
                // A second one does not wait for late counters.
                hurry = caught.is_some();
                caught = caught.or(Some(signal));
                session.stop();
            }
        }
        let (over, now_ns) = (session.is_over(), clock.now_ns());
        if !over && now_ns < sample_ns.min(show_ns) {
            continue;
        }
        let reading = session.sample(site);
        sample_ns = now_ns + SAMPLE_NS;
        if over && (hurry || session.is_settled(&reading)) {
            return Ok(caught);
        }
        if !over && now_ns >= show_ns {
            // Missed intervals are folded into one; the grid stays.
            show_ns += telling.interval_ns() * ((now_ns - show_ns) / telling.interval_ns() + 1);
            if telling.interval(reading, site)? == Reader::Gone {
                session.stop();
            }
        }
    }
}

/// Why nothing left since the reading before; nothing to say while packets leave.
fn stuck(before: Option<&Reading>, now: &Reading, site: &mut Site) -> Stuck {
    if now.ledger.left > before.map_or(0, |before| before.ledger.left) {
        return Stuck::default();
    }
    let blocked = |reading: &Reading| reading.total.ring_full + reading.total.no_frames;
    let is_full = blocked(now) > before.map_or(0, blocked);
    Stuck {
        link: site.dead_link_now(),
        is_full,
        waiting: now.total.in_flight(),
        errnos: tally::errnos_since(before, now),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

/// What is said before, during and after a run, and where.
struct Telling<'a> {
    args: &'a RunArgs,
    quiet: bool,
    output: Output,
    /// The reading that was shown last.
    shown: Option<Reading>,
    /// Nobody reads stdout any more.
    closed: bool,
}

impl Telling<'_> {
    fn is_json(&self) -> bool {
        self.args.format.chosen() == Format::Json
    }

    fn interval_ns(&self) -> u64 {
        self.args.interval.unwrap_or(PROGRESS).as_nanos() as u64
    }

    fn before(&self, site: &Site, document: &Document) {
        for warning in load::warnings(site, document.profile()) {
            say(&format!("txdeck: warning: {warning}"));
        }
    }

    /// Said only when everything is open: in front of a failed start it would be the wrong news.
    fn opened(&self, session: &Session, document: &Document) {
        session.notices().iter().for_each(|notice| say(&format!("txdeck: {notice}")));
        if load::is_unlimited(document.profile()) {
            say("txdeck: no limit: this sends until Ctrl-C. Limits: -n COUNT, --duration TIME");
        }
    }

    fn interval(&mut self, reading: Reading, site: &mut Site) -> Result<Reader, Ending> {
        let sample = tally::sample(self.shown.as_ref(), &reading);
        if self.is_json() && self.args.interval.is_some() {
            match self.output.line(&sample.to_line()) {
                Err(Ending::Closed) => self.closed = true,
                other => other?,
            }
        } else if !self.quiet {
            say(&report::progress(&sample, &stuck(self.shown.as_ref(), &reading, site)));
        }
        self.shown = Some(reading);
        Ok(if self.closed { Reader::Gone } else { Reader::There })
    }

    /// What the shown intervals lack, so that their deltas add up to the result.
    fn last_interval(&mut self, finished: &Finished) -> Result<(), Ending> {
        if self.is_json() && self.args.interval.is_some() && !self.closed {
            self.output.line(&tally::sample(self.shown.as_ref(), &finished.reading).to_line())?;
        }
        Ok(())
    }

    fn after(&mut self, result: &RunResult, earlier: Option<&RunResult>) -> Result<(), Ending> {
        if self.closed {
            return Err(Ending::Closed);
        }
        if self.is_json() {
            self.output.line(&result.to_line())?;
        } else {
            self.output.text(&report::text(result))?;
            if let Some(earlier) = earlier {
                self.output.text("\n")?;
                self.output.text(&report::comparison(earlier, result))?;
            }
            self.output.flush()?;
        }
        for unmet in unmet(result, self.args) {
            say(&format!("txdeck: {unmet}"));
        }
        Ok(())
    }
}

fn unmet(result: &RunResult, args: &RunArgs) -> Vec<String> {
    let value = serde_json::to_value(result).unwrap_or_default();
    args.expect.iter().filter_map(|expect| expect.check(&value).err()).map(|unmet| unmet.to_string()).collect()
}

/// A signal wins; then what was expected; then whether everything left and arrived.
fn exit_code(result: &RunResult, args: &RunArgs, signal: Option<Signal>) -> u8 {
    match signal {
        Some(signal) => signal.exit_code(),
        None if !unmet(result, args).is_empty() => 3,
        None if !result.is_clean() => 1,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::args::{Cli, Command};
    use clap::Parser;

    fn args(line: &str) -> RunArgs {
        match Cli::try_parse_from(line.split_whitespace()).unwrap().command {
            Some(Command::Run(args)) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_signal_wins_over_an_expectation_and_that_over_loss() {
        let args = args("txdeck run a --expect pps>=1");
        let mut result = RunResult { pps: Some(2.0), ..RunResult::blank() };
        assert_eq!(exit_code(&result, &args, None), 0);
        result.dropped.packets = Some(1);
        assert_eq!(exit_code(&result, &args, None), 1);
        result.pps = None;
        assert_eq!(exit_code(&result, &args, None), 3);
        assert_eq!(exit_code(&result, &args, Some(Signal::Terminate)), 143);
    }
}
