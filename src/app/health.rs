//! One line on how the run does: the worst thing first, by word.

use crate::stats::{Ledger, State, thousands};

use super::board::Figures;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Warn,
    Bad,
}

/// Waiting this share of the time for a full ring is worth a word.
const RING_SHARE: f64 = 0.05;

/// The worst that can be said of these figures; `None` before anything was sent.
pub fn health(figures: &Figures) -> Option<(Tone, String)> {
    let ledger = figures.ledger?;
    let bad = dead(figures).or_else(|| no_carrier(figures)).or_else(|| lost(&ledger));
    if let Some(text) = bad {
        return Some((Tone::Bad, text));
    }
    if let Some(text) = late(figures, &ledger) {
        return Some((Tone::Warn, text));
    }
    let drops = if ledger.dropped.is_some() { "no drops" } else { "drops unknown (zero-copy)" };
    Some((Tone::Good, format!("healthy: left = completed, {}, {drops}", ring(figures))))
}

fn dead(figures: &Figures) -> Option<String> {
    let mut dead = figures.senders.iter().filter(|sender| sender.state == State::Failed);
    let first = dead.next()?;
    let reason = first.reason.as_deref().unwrap_or("no reason given");
    let others = match dead.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("queue {} died{others}: {reason}", first.queue))
}

/// Before the drops it causes.
fn no_carrier(figures: &Figures) -> Option<String> {
    (figures.carrier == Some(false)).then(|| "no carrier: the link is down, nothing can leave until it is up".into())
}

fn lost(ledger: &Ledger) -> Option<String> {
    let dropped = ledger.dropped.unwrap_or(0);
    if dropped > 0 {
        let share = dropped as f64 / ledger.submitted.max(1) as f64 * 100.0;
        let why = "far end down, frame too long, or its ring full";
        return Some(format!("dropped {} ({share:.1} %): {why}", thousands(dropped)));
    }
    let rest = [
        (ledger.invalid, "invalid", "the kernel refused these descriptors"),
        (ledger.abandoned, "abandoned", "never completed"),
        (ledger.unexplained, "unexplained", "completed, but the device did not count them"),
    ];
    let (packets, word, why) = rest.into_iter().find(|(packets, ..)| *packets > 0)?;
    Some(format!("{word} {}: {why}", thousands(packets)))
}

fn late(figures: &Figures, ledger: &Ledger) -> Option<String> {
    if ledger.submitted > 0 && figures.left_pps == Some(0.0) {
        return Some("nothing leaves: submitted packets do not complete".into());
    }
    if ledger.shortfall > 0 {
        let packets = thousands(ledger.shortfall);
        return Some(format!("shortfall {packets}: the rate asked for is more than this machine keeps"));
    }
    if figures.is_unconfirmed() {
        return Some("unconfirmed: this driver counts nothing, figures are made of completions".into());
    }
    None
}

/// A ring that is full is no fault: the device sets the pace then, not the sender.
fn ring(figures: &Figures) -> String {
    let greatest = figures.senders.iter().map(|sender| sender.ring_share).fold(0.0, f64::max);
    match greatest {
        share if share >= RING_SHARE => format!("ring full {:.0} % of the time", share * 100.0),
        share if share > 0.0 => "ring seldom full".into(),
        _ => "ring never full".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::SenderFigures, stats::LeftSource};

    fn fine() -> Figures {
        let ledger = Ledger {
            submitted: 1000,
            completed: 1000,
            left: 1000,
            source: LeftSource::Device,
            dropped: Some(0),
            invalid: 0,
            in_flight: 0,
            abandoned: 0,
            received: None,
            shortfall: 0,
            unexplained: 0,
        };
        let sender = SenderFigures {
            queue: 3,
            cpu: None,
            state: State::Sending,
            reason: None,
            left_pps: Some(1.0),
            cost_ns: None,
            ring_share: 0.0,
        };
        let left_pps = Some(1000.0);
        Figures { ledger: Some(ledger), senders: vec![sender], left_pps, carrier: Some(true), ..Figures::default() }
    }

    type Fault = (fn(&mut Figures, &mut Ledger), &'static str);

    /// Each worse than all behind it: with all of them present the first is named, and so on down the list.
    const FAULTS: [Fault; 9] = [
        (
            |f, _| (f.senders[0].state, f.senders[0].reason) = (State::Failed, Some("ENXIO".into())),
            "queue 3 died: ENXIO",
        ),
        (|f, _| f.carrier = Some(false), "no carrier"),
        (|_, l| l.dropped = Some(12), "dropped 12 (1.2 %)"),
        (|_, l| l.invalid = 5, "invalid 5"),
        (|_, l| l.abandoned = 6, "abandoned 6"),
        (|_, l| l.unexplained = 7, "unexplained 7"),
        (|f, _| f.left_pps = Some(0.0), "nothing leaves"),
        (|_, l| l.shortfall = 8, "shortfall 8"),
        (|_, l| l.source = LeftSource::Completions, "unconfirmed"),
    ];

    #[test]
    fn the_worst_is_named_first() {
        for first in 0..=FAULTS.len() {
            let mut figures = fine();
            let mut ledger = figures.ledger.unwrap();
            FAULTS[first..].iter().for_each(|(fault, _)| fault(&mut figures, &mut ledger));
            figures.ledger = Some(ledger);
            let wanted = FAULTS.get(first).map_or("healthy: left = completed, ring never full", |(_, text)| text);
            let (_, text) = health(&figures).unwrap();
            assert!(text.starts_with(wanted), "{text}");
        }
    }

    #[test]
    fn a_full_ring_is_told_as_a_share_and_is_no_fault() {
        for (share, text) in
            [(0.0, "ring never full"), (0.01, "ring seldom full"), (0.34, "ring full 34 % of the time")]
        {
            let mut figures = fine();
            figures.senders[0].ring_share = share;
            let (tone, told) = health(&figures).unwrap();
            assert!(told.contains(text) && tone == Tone::Good, "{told}");
        }
    }
}
