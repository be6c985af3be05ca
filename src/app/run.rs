//! Starting and stopping. Every rule here moves towards off: a doubled key never restarts traffic, Ctrl-C only
//! stops or leaves, and a real device is named before the first packet.

use crate::profile::{Document, Profile};

use super::{App, Ask, Effect, Overlay, PlaceKind, Reading, Screen, Tone, pending};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    #[default]
    Idle,
    /// Asked for, not yet answered.
    Starting,
    Sending,
    Draining,
}

/// What is to happen once nothing sends any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Then {
    #[default]
    Stay,
    Suspend,
    Quit,
    /// Without asking about changes.
    Abandon,
    Leave(u8),
}

/// How the senders stand.
#[derive(Debug, Default)]
pub struct Run {
    pub phase: Phase,
    /// The last start.
    pub since_ns: u64,
    /// The mode got, `copy 1q`; kept after the end.
    pub mode: Option<String>,
    /// The senders keep an older plan: they refused the present profile, or it is only valid after a restart.
    pub is_last_good: bool,
    then: Then,
    /// Space starts nothing before this instant.
    quiet_until_ns: u64,
    /// What the senders work with.
    pub(super) sent: Option<Box<Document>>,
    /// What they were asked to work with, unanswered.
    pub(super) asked: Option<Box<Document>>,
    pub(super) is_retune_due: bool,
    is_confirmed: bool,
}

impl Run {
    pub fn is_on(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// The profile that the senders of the present or last run work with.
    pub fn sent(&self) -> Option<&Profile> {
        self.sent.as_ref().map(|document| document.profile())
    }

    /// Whether a start needs no question any more.
    pub(super) fn is_confirmed(&self) -> bool {
        self.is_confirmed
    }

    /// Whether the console is on its way out by Ctrl-C or a signal: late figures are not waited for.
    pub fn is_leaving(&self) -> bool {
        matches!(self.then, Then::Leave(_))
    }
}

/// Whether senders would see no difference.
fn says_the_same(a: &Profile, b: &Profile) -> bool {
    a.tx == b.tx && a.flows == b.flows
}

/// A doubled key over a slow line arrives within this time.
const QUIET_NS: u64 = 500_000_000;

impl App {
    pub(super) fn start_or_stop(&mut self, effects: &mut Vec<Effect>) {
        match self.run.phase {
            Phase::Starting | Phase::Sending => self.stop(effects),
            Phase::Draining => self.hush(),
            Phase::Idle if self.now_ns < self.run.quiet_until_ns => self.hush(),
            Phase::Idle => self.start(effects),
        }
    }

    /// Twenty fast spaces are one stop: each one that is ignored keeps the next one ignored too.
    fn hush(&mut self) {
        self.run.quiet_until_ns = self.now_ns + QUIET_NS;
    }

    pub(super) fn start(&mut self, effects: &mut Vec<Effect>) {
        if self.run.is_on() {
            return;
        }
        if self.calibration.is_running {
            return self.say(Tone::Warn, "this CPU is being measured: packets may flow again in two or three seconds");
        }
        let Some(place) = &self.place else {
            self.say(Tone::Plain, "choose where to send first; nothing is guessed");
            return self.show(Screen::Devices, effects);
        };
        if place.kind == PlaceKind::Real && !self.run.is_confirmed {
            let tx = &self.open.document().profile().tx;
            let lines = vec![
                format!("Send {} on {}?", self.open.name, place.device),
                place.facts.clone(),
                format!("burst {}, clone {}, rate {}, {} queue(s)", tx.burst, tx.clone, tx.rate, tx.queues.len()),
            ];
            self.overlay = Overlay::Ask(Ask::first_start(lines));
            return;
        }
        self.start_confirmed(effects);
    }

    pub(super) fn start_confirmed(&mut self, effects: &mut Vec<Effect>) {
        self.start_with(Box::new(self.open.document().clone()), effects);
    }

    pub(super) fn start_with(&mut self, document: Box<Document>, effects: &mut Vec<Effect>) {
        self.run.phase = Phase::Starting;
        self.run.is_confirmed = true;
        self.run.sent = Some(document.clone());
        self.run.asked = None;
        self.run.is_last_good = false;
        self.run.is_retune_due = false;
        effects.push(Effect::Start(document));
    }

    pub(super) fn stop(&mut self, effects: &mut Vec<Effect>) {
        self.drop_trial("stopped");
        self.hush();
        self.run.phase = Phase::Draining;
        self.run.is_retune_due = false;
        effects.push(Effect::Stop);
    }

    /// Ctrl-C: stops what sends and stays; leaves when nothing sends; while draining, leaves after the drain, then now.
    pub(super) fn stop_or_leave(&mut self, effects: &mut Vec<Effect>) {
        match (self.run.phase, self.run.then) {
            (Phase::Starting | Phase::Sending, _) => self.stop(effects),
            (Phase::Draining, Then::Leave(_)) | (Phase::Idle, _) => effects.push(Effect::Quit { code: 130 }),
            (Phase::Draining, _) => self.run.then = Then::Leave(130),
        }
    }

    /// `q`: drains first; unsaved changes are asked about.
    pub(super) fn quit(&mut self, effects: &mut Vec<Effect>) {
        if self.screen != Screen::Live {
            self.screen = Screen::Live;
            return;
        }
        self.after_drain(Then::Quit, effects);
    }

    /// `:q` from whatever screen; `:q!` throws unsaved changes away.
    pub(super) fn quit_now(&mut self, discard: bool, effects: &mut Vec<Effect>) {
        self.after_drain(if discard { Then::Abandon } else { Then::Quit }, effects);
    }

    /// A signal came.
    pub(super) fn leave(&mut self, code: u8, effects: &mut Vec<Effect>) {
        self.after_drain(Then::Leave(code), effects);
    }

    pub(super) fn suspend(&mut self, effects: &mut Vec<Effect>) {
        self.after_drain(Then::Suspend, effects);
    }

    fn after_drain(&mut self, then: Then, effects: &mut Vec<Effect>) {
        self.run.then = then;
        match self.run.phase {
            Phase::Starting | Phase::Sending => self.stop(effects),
            Phase::Draining => {}
            Phase::Idle => self.carry_on(effects),
        }
    }

    /// Nothing sends: does what waited for that.
    fn carry_on(&mut self, effects: &mut Vec<Effect>) {
        match std::mem::take(&mut self.run.then) {
            Then::Stay => {}
            Then::Suspend => effects.push(Effect::Suspend),
            Then::Leave(code) => effects.push(Effect::Quit { code }),
            Then::Quit if self.open.is_unsaved() => self.overlay = Overlay::Ask(Ask::quit(&self.open.name)),
            Then::Quit | Then::Abandon => effects.push(Effect::Quit { code: 0 }),
        }
    }

    pub(super) fn started(&mut self, mode: String, notes: Vec<String>) {
        if self.run.phase == Phase::Starting {
            self.run.phase = Phase::Sending;
        }
        self.note_started(&mode);
        self.run.mode = Some(mode);
        self.run.since_ns = self.now_ns;
        self.live.begin(self.now_ns);
        self.edit.progress.reset();
        if !notes.is_empty() {
            self.say(Tone::Warn, notes.join("\n"));
        }
    }

    pub(super) fn not_started(&mut self, why: String, effects: &mut Vec<Effect>) {
        self.run.phase = Phase::Idle;
        self.drop_trial("the start failed");
        self.say(Tone::Bad, why);
        self.carry_on(effects);
    }

    pub(super) fn over(&mut self, last: Option<Reading>, why: Option<String>, effects: &mut Vec<Effect>) {
        self.note_over(last.as_ref());
        if let Some(last) = last {
            self.totals.add(&last);
            self.live.take(last);
        }
        self.live.end();
        self.drop_trial("the senders ended");
        if self.run.phase == Phase::Sending {
            // A run that ends by itself just under a finger on its way to space must not start again.
            self.hush();
        }
        self.run.phase = Phase::Idle;
        self.run.is_last_good = false;
        self.run.asked = None;
        if let Some(why) = why {
            self.say(Tone::Warn, why);
        }
        self.carry_on(effects);
    }

    /// The profile changed: the senders hear of it at the next tick.
    pub(super) fn retune_soon(&mut self) {
        self.cut_trial("the profile was changed");
        self.run.is_retune_due = matches!(self.run.phase, Phase::Starting | Phase::Sending);
    }

    /// At most one retune a tick, and one unanswered at a time. What was fixed at open stays as it is.
    pub(super) fn retune(&mut self, effects: &mut Vec<Effect>) {
        if self.trials.is_running()
            || !self.run.is_retune_due
            || self.run.phase != Phase::Sending
            || self.run.asked.is_some()
        {
            return;
        }
        self.run.is_retune_due = false;
        let Some(sent) = &self.run.sent else { return };
        match pending::for_the_next_burst(self.open.document(), sent) {
            // Names and restart fields are nothing to the senders.
            Ok(document) if says_the_same(document.profile(), sent.profile()) => {
                self.run.is_last_good = false;
                self.turned_from();
            }
            Ok(document) => {
                let document = Box::new(document);
                self.run.asked = Some(document.clone());
                effects.push(Effect::Retune(document));
            }
            Err(problems) => {
                self.run.is_last_good = true;
                let why = problems.0.first().map(|problem| problem.to_string()).unwrap_or_default();
                self.say(Tone::Warn, format!("only after a restart (R): {why}"));
            }
        }
    }

    pub(super) fn retuned(&mut self) {
        self.run.is_last_good = false;
        let Some(asked) = self.run.asked.take() else { return };
        if self.trial_turned() {
            self.run.sent = Some(asked);
            return;
        }
        self.note_verdict();
        if let Some(sent) = self.turned_from().as_ref().or(self.run.sent.as_ref()) {
            self.live.changed(self.now_ns, sent.profile(), asked.profile());
        }
        self.run.sent = Some(asked);
    }

    pub(super) fn reopened(&mut self, last: Reading, mode: String) {
        self.totals.add(&last);
        self.live.reopen();
        self.edit.progress.reset();
        self.run.mode = Some(mode);
        self.retuned();
        if self.trials.is_running() {
            return;
        }
        self.say(Tone::Good, "the queues were opened again; counts begin anew");
    }

    pub(super) fn retune_refused(&mut self, why: String) {
        self.run.asked = None;
        self.run.is_last_good = true;
        self.cut_trial("the senders refused a setting");
        self.say(Tone::Bad, why);
    }

    /// Whether the senders go on with an older plan than what stands on the screen, a refused field included.
    pub fn is_last_good(&self) -> bool {
        let is_refused = matches!(&self.overlay, Overlay::Text(prompt) if prompt.is_refused && prompt.is_of_profile());
        self.run.is_on() && (self.run.is_last_good || is_refused)
    }

    /// Another device has to be confirmed again.
    pub(super) fn forget_confirmation(&mut self) {
        self.run.is_confirmed = false;
    }
}
