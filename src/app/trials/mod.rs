//! Trials in the console: settings in interleaved slices on the senders that stand open, driven by the readings that come
//! anyway. The open profile is untouched meanwhile; whoever edits it ends the trial.

mod told;
mod wish;

pub use wish::Wish;

use crate::{
    profile::Document,
    stats::LeftSource,
    trial::{Mark, Question, Record, Slice},
};

use super::{App, Effect, Phase, PlaceKind, Reading, Tone, pending};
use wish::SETTLE_NS;

/// Readings come this far apart.
const TICK_NS: u64 = 100_000_000;
/// The first slice waits longer: senders that just began fill their caches.
const WARM_UP_NS: u64 = 5 * TICK_NS;

/// The trial that runs, and the last one's figures.
#[derive(Debug, Default)]
pub struct Trials {
    running: Option<Running>,
    /// What the senders worked with before a trial that opened their queues anew.
    return_to: Option<Box<Document>>,
    /// What they worked with before any trial: the mark of the change that follows begins there.
    turned_from: Option<Box<Document>>,
    /// The facts of the host and the hour are not in it: only the shell knows them.
    pub last: Option<Record>,
}

#[derive(Debug)]
struct Running {
    wish: Wish,
    stage: Stage,
    slices: Vec<Slice>,
    /// The senders were started for it, and stop with it.
    is_own_start: bool,
    before: Option<Box<Document>>,
    /// Some reading said that the device does not confirm what left.
    unconfirmed: bool,
    /// Why it ends at the next reading.
    cut: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    /// The next setting has not been asked for.
    Next,
    Asked,
    Settling {
        until_ns: u64,
    },
    Measuring {
        from: Mark,
    },
}

fn mark(reading: &Reading) -> Mark {
    Mark { at_ns: reading.at_ns, total: reading.snapshot.total(), dropped: reading.ledger.dropped }
}

impl Trials {
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }
}

impl App {
    /// `s`: the line with a sweep to begin from; what it will take stands under it as it is typed.
    pub(super) fn open_sweep(&mut self, effects: &mut Vec<Effect>) {
        let text = match &self.trials.last {
            Some(last) if last.question == Question::Sweep => last.command.clone(),
            _ => "sweep burst=1,2,4,8,16,32 slice=500ms repeat=3".into(),
        };
        self.open_line(&text, effects);
    }

    /// `:sweep …`
    pub(super) fn sweep(&mut self, text: &str, effects: &mut Vec<Effect>) -> Result<(), String> {
        self.begin_trial(Wish::sweep(&self.trial_base(), text)?, effects)
    }

    /// What the settings are set upon: while packets flow, what waits for a restart is not part of it.
    fn trial_base(&self) -> Document {
        let open = self.open.document();
        let sent = self.run.sent.as_ref().filter(|_| self.run.phase == Phase::Sending);
        sent.and_then(|sent| pending::for_the_next_burst(open, sent).ok()).unwrap_or_else(|| open.clone())
    }

    /// What the line says of a sweep while it is typed.
    pub(super) fn sweep_hint(&self, text: &str) -> String {
        match Wish::sweep(&self.trial_base(), text) {
            Ok(wish) => format!("{}; enter starts, esc stops", wish.forecast()),
            Err(why) => why,
        }
    }

    /// `T`, `:tune`
    pub(super) fn tune(&mut self, effects: &mut Vec<Effect>) -> Result<(), String> {
        let Some(sent) = self.run.sent.as_ref().filter(|_| self.run.phase == Phase::Sending) else {
            return Err("a burst is tuned while packets flow: start first".into());
        };
        let wish = Wish::tune(&self.trial_base(), sent)?;
        self.begin_trial(wish, effects)
    }

    fn begin_trial(&mut self, wish: Wish, effects: &mut Vec<Effect>) -> Result<(), String> {
        if self.trials.is_running() {
            return Err("a trial runs already; esc stops it".into());
        }
        let is_own_start = match self.run.phase {
            Phase::Sending => false,
            Phase::Starting | Phase::Draining => return Err("queues are being opened or drained: in a moment".into()),
            Phase::Idle => true,
        };
        if is_own_start {
            self.may_start_for_a_trial()?;
            let first = wish.order.first().and_then(|arm| wish.arms.arms.get(*arm));
            let document = first.map(|arm| arm.document.clone()).ok_or("nothing varies")?;
            self.start_with(Box::new(document), effects);
        }
        self.say(Tone::Plain, format!("{}: {}; esc stops", wish.name(), wish.forecast()));
        let before = self.run.sent.clone().filter(|_| !is_own_start);
        self.trials.running = Some(Running {
            wish,
            stage: Stage::Next,
            slices: Vec::new(),
            is_own_start,
            before,
            unconfirmed: false,
            cut: None,
        });
        Ok(())
    }

    fn may_start_for_a_trial(&self) -> Result<(), String> {
        let Some(place) = &self.place else { return Err("choose where to send first: d lists devices".into()) };
        if place.kind == PlaceKind::Real && !self.run.is_confirmed() {
            return Err(format!("start once on {} by hand first: it is named before the first packet", place.device));
        }
        match self.calibration.is_running {
            true => Err("this CPU is being measured: in two or three seconds".into()),
            false => Ok(()),
        }
    }

    /// One reading further.
    pub(super) fn trial_tick(&mut self, reading: &Reading, effects: &mut Vec<Effect>) {
        if self.run.phase != Phase::Sending {
            return;
        }
        let Some(running) = &mut self.trials.running else { return self.return_from_trial(effects) };
        let ledger = &reading.ledger;
        running.unconfirmed |= ledger.source == LeftSource::Completions || ledger.unexplained > 0;
        if let Some(why) = running.cut {
            return self.finish_trial(Some(why.into()), effects);
        }
        match running.stage {
            Stage::Next => self.ask_for_setting(effects),
            Stage::Asked => {}
            Stage::Settling { until_ns } if reading.at_ns <= until_ns => {}
            Stage::Settling { .. } => running.stage = Stage::Measuring { from: mark(reading) },
            // Readings come a little early or late; half a tick is nobody's slice.
            Stage::Measuring { from } if reading.at_ns + TICK_NS / 2 < from.at_ns + running.wish.slice_ns => {}
            Stage::Measuring { from } => {
                let arm = running.wish.order.get(running.slices.len()).copied().unwrap_or(0);
                running.slices.push(from.slice_to(&mark(reading), arm));
                running.stage = Stage::Next;
                match running.slices.len() >= running.wish.order.len() {
                    true => self.finish_trial(None, effects),
                    false => {
                        self.tell_progress();
                        self.ask_for_setting(effects);
                    }
                }
            }
        }
    }

    /// Asks the senders for the next setting, unless they have not answered yet.
    fn ask_for_setting(&mut self, effects: &mut Vec<Effect>) {
        if self.run.asked.is_some() {
            return;
        }
        let now_ns = self.now_ns;
        let Some(running) = &mut self.trials.running else { return };
        let arm = running.wish.order.get(running.slices.len()).and_then(|arm| running.wish.arms.arms.get(*arm));
        let Some(document) = arm.map(|arm| Box::new(arm.document.clone())) else { return };
        let settle_ns = if running.slices.is_empty() { WARM_UP_NS } else { SETTLE_NS };
        let stage = match self.ask_senders(document, effects) {
            true => Stage::Asked,
            false => Stage::Settling { until_ns: now_ns + settle_ns },
        };
        if let Some(running) = &mut self.trials.running {
            running.stage = stage;
        }
    }

    /// The profile whose difference to the next one is a change of the user's.
    pub(super) fn turned_from(&mut self) -> Option<Box<Document>> {
        self.trials.turned_from.take()
    }

    /// Whether there is anything to ask: senders that work with it already need no order.
    fn ask_senders(&mut self, document: Box<Document>, effects: &mut Vec<Effect>) -> bool {
        let Some(sent) = &self.run.sent else { return false };
        if sent.text() == document.text() {
            return false;
        }
        let is_live = pending::waiting(&document, sent).is_empty();
        self.run.asked = Some(document.clone());
        effects.push(if is_live { Effect::Retune(document) } else { Effect::Restart(document) });
        true
    }

    /// The senders took a setting; says whether a trial had asked for it.
    pub(super) fn trial_turned(&mut self) -> bool {
        let until_ns = self.now_ns + SETTLE_NS;
        let Some(running) = &mut self.trials.running else { return false };
        if matches!(running.stage, Stage::Asked) {
            running.stage = Stage::Settling { until_ns };
        }
        true
    }

    /// The open profile changed, or the senders did not take a setting: the trial ends at the next reading.
    pub(super) fn cut_trial(&mut self, why: &'static str) {
        if let Some(running) = &mut self.trials.running {
            running.cut.get_or_insert(why);
        }
    }

    /// Esc: says whether there was a trial to end.
    pub(super) fn stop_trial(&mut self, effects: &mut Vec<Effect>) -> bool {
        let is_running = self.trials.is_running();
        if is_running {
            self.finish_trial(Some("stopped".into()), effects);
        }
        is_running
    }

    /// Shows what was measured and gives the senders back, or stops them if they were started for it.
    fn finish_trial(&mut self, why: Option<String>, effects: &mut Vec<Effect>) {
        let Some(running) = self.end_trial(why) else { return };
        if running.is_own_start {
            return self.stop(effects);
        }
        self.return_from_trial(effects);
    }

    /// As [`Self::finish_trial`] where the senders stop anyway.
    pub(super) fn drop_trial(&mut self, why: &str) {
        self.end_trial(Some(why.to_owned()));
        (self.trials.return_to, self.trials.turned_from) = (None, None);
    }

    fn end_trial(&mut self, why: Option<String>) -> Option<Running> {
        let mut running = self.trials.running.take()?;
        self.tell_trial(&running, why);
        self.live.begin_anew(self.now_ns);
        self.trials.turned_from = running.before.clone();
        self.trials.return_to = running.before.take().filter(|_| !running.wish.arms.is_live);
        self.retune_soon();
        Some(running)
    }

    /// Queues that a trial opened anew are opened as they were; everything else goes by the usual retune.
    fn return_from_trial(&mut self, effects: &mut Vec<Effect>) {
        if self.run.asked.is_none()
            && let Some(before) = self.trials.return_to.take()
        {
            self.ask_senders(before, effects);
        }
    }

    fn tell_progress(&mut self) {
        let Some(running) = &self.trials.running else { return };
        let (done, all) = (running.slices.len(), running.wish.order.len());
        let left_ns = running.wish.predicted_ns() / all.max(1) as u64 * (all - done) as u64;
        let text =
            format!("{}: {done} of {all} slices, {:.0} s to go; esc stops", running.wish.name(), left_ns as f64 / 1e9);
        self.put_up(Tone::Plain, &text);
    }
}
