//! What the app itself writes into the log: starts, stops, changes with their verdicts, senders that died.

use crate::stats::{State, si, thousands};

use super::{App, Comparison, Finding, Level, Reading, Tone, Verdict};

/// A verdict is final once its window is full: half a second to settle, ten seconds of samples, and a tick.
const FINAL_NS: u64 = 10_700_000_000;

/// What has been written of the present run.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Queues whose sender was told dead.
    dead: Vec<u32>,
    /// The instant of the change whose verdict was told.
    verdict_of_ns: Option<u64>,
}

impl App {
    pub(super) fn note(&mut self, level: Level, text: &str) {
        self.log.write(self.now_ns, level, "txdeck", text);
    }

    pub(super) fn note_notice(&mut self, tone: Tone, text: &str) {
        let level = match tone {
            Tone::Plain | Tone::Good => Level::Info,
            Tone::Warn => Level::Warn,
            Tone::Bad => Level::Error,
        };
        self.note(level, text);
    }

    pub(super) fn note_started(&mut self, mode: &str) {
        self.told = Told::default();
        let device = self.place.as_ref().map_or("", |place| place.device.as_str()).to_owned();
        let tx = &self.open.document().profile().tx;
        let knobs = format!("burst {}, clone {}, rate {}", tx.burst, tx.clone, tx.rate);
        self.note(Level::Info, &format!("started {} on {device}, {mode}: {knobs}", self.open.name));
    }

    pub(super) fn note_over(&mut self, last: Option<&Reading>) {
        self.note_verdict();
        let Some(last) = last else { return };
        self.note_dead(last);
        let ledger = &last.ledger;
        let text = format!(
            "stopped: submitted {}, {} {}, lost {}",
            thousands(ledger.submitted),
            self.left_words(),
            thousands(ledger.left),
            thousands(ledger.losses())
        );
        self.note(Level::Info, &text);
    }

    /// At every reading: senders that died since the last one, and a verdict that is final now.
    pub(super) fn note_reading(&mut self, reading: &Reading) {
        self.note_dead(reading);
        let is_final = |verdict: &Verdict| reading.at_ns.saturating_sub(verdict.change.at_ns) >= FINAL_NS;
        if self.live.verdict.as_ref().is_some_and(is_final) {
            self.note_verdict();
        }
    }

    fn note_dead(&mut self, reading: &Reading) {
        for sender in reading.snapshot.senders.iter().filter(|sender| sender.state == State::Failed) {
            if self.told.dead.contains(&sender.queue) {
                continue;
            }
            self.told.dead.push(sender.queue);
            let why = sender.reason.as_deref().unwrap_or("no reason is known");
            self.note(Level::Error, &format!("the sender of queue {} died: {why}", sender.queue));
        }
    }

    /// The change that was judged last, once; call before another one takes its place.
    pub(super) fn note_verdict(&mut self) {
        let Some(verdict) = &self.live.verdict else { return };
        if self.told.verdict_of_ns == Some(verdict.change.at_ns) {
            return;
        }
        self.told.verdict_of_ns = Some(verdict.change.at_ns);
        let text = judged(verdict);
        self.note(Level::Info, &text);
    }
}

/// `burst 1 > 32: 1590 > 890 ns, -700 +- 12`
fn judged(verdict: &Verdict) -> String {
    let change = &verdict.change;
    let what = format!("{} {} > {}", change.label, change.from, change.to);
    match &verdict.finding {
        Finding::Judged { cost_ns, left_pps } => {
            let rate = left_pps.as_ref().map(rate).unwrap_or_default();
            let against = verdict.against.as_ref().map(|name| format!(" (base: {name})")).unwrap_or_default();
            format!("{what}{against}: {}{rate}", cost(cost_ns))
        }
        Finding::Waiting | Finding::NoBefore => format!("{what}: not judged, too few settled samples"),
    }
}

fn cost(cost: &Comparison) -> String {
    let decimals = usize::from(cost.before.abs() < 100.0);
    let (before, after) = (cost.before, cost.after);
    match cost.is_noise() {
        true => format!("{before:.decimals$} > {after:.decimals$} ns, within noise (+- {:.decimals$})", cost.half),
        false => format!(
            "{before:.decimals$} > {after:.decimals$} ns, {:+.decimals$} +- {:.decimals$}",
            cost.difference(),
            cost.half
        ),
    }
}

fn rate(rate: &Comparison) -> String {
    if rate.is_noise() {
        return "; packets/s within noise".into();
    }
    format!("; {} > {} packets/s", si(rate.before), si(rate.after))
}
