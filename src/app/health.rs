//! One line on how the run does: the worst thing first, by word.

use crate::stats::{State, thousands};

use super::board::Figures;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Warn,
    Bad,
}

/// The worst that can be said of these figures; `None` before anything was sent.
pub fn health(figures: &Figures) -> Option<(Tone, String)> {
    let ledger = figures.ledger?;
    let dead = figures.senders.iter().find(|sender| sender.state == State::Failed);
    if let Some(dead) = dead {
        let reason = dead.reason.as_deref().unwrap_or("no reason given");
        return Some((Tone::Bad, format!("queue {} died: {reason}", dead.queue)));
    }
    let bad = |text: String| Some((Tone::Bad, text));
    let warn = |text: String| Some((Tone::Warn, text));
    if let Some(dropped) = ledger.dropped.filter(|dropped| *dropped > 0) {
        let share = dropped as f64 / ledger.submitted.max(1) as f64 * 100.0;
        return bad(format!(
            "dropped {} ({share:.1} %): far end down, frame too long, or its ring full",
            thousands(dropped)
        ));
    }
    if ledger.invalid > 0 {
        return bad(format!("invalid {}: the kernel refused these descriptors", thousands(ledger.invalid)));
    }
    if ledger.abandoned > 0 {
        return bad(format!("abandoned {}: never completed", thousands(ledger.abandoned)));
    }
    if ledger.unexplained > 0 {
        return bad(format!(
            "unexplained {}: completed, but the device did not count them",
            thousands(ledger.unexplained)
        ));
    }
    if ledger.submitted > 0 && figures.left_pps == Some(0.0) {
        return warn("nothing leaves: submitted packets do not complete (link down?)".into());
    }
    if ledger.shortfall > 0 {
        return warn(format!(
            "shortfall {}: the rate asked for is more than this machine keeps",
            thousands(ledger.shortfall)
        ));
    }
    if figures.is_unconfirmed() {
        return warn("unconfirmed: this driver counts nothing, figures are made of completions".into());
    }
    let full: u64 = figures.senders.iter().map(|sender| sender.ring_full).sum();
    let ring =
        if full > 0 { format!("ring full {} times a second", thousands(full)) } else { "ring never full".into() };
    let drops = if ledger.dropped.is_some() { "no drops" } else { "drops unknown (zero-copy)" };
    Some((Tone::Good, format!("healthy: left = completed, {ring}, {drops}")))
}
