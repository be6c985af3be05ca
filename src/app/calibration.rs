//! The panel of what this CPU's primitives cost, beside the time that a packet of the open profile has.

use crate::{
    profile::budget::{BudgetFrame, budgets},
    stats::{Calibration, Primitive},
};

use super::{
    App, Effect, Overlay, Sheet, Tone,
    keys::{Chord, Code},
    sheet::Shade,
};

/// The last measuring of this session.
#[derive(Debug, Default)]
pub struct Bench {
    /// Asked for, not yet answered: nothing may send meanwhile.
    pub is_running: bool,
    last: Option<Result<Calibration, String>>,
}

const IDLE: &str = "Enter measures, for about two seconds: what an atomic add, a barrier, a contended line, a clock read, \
    a system call and a kick cost on the first sender's CPU. It keeps that CPU busy, and a second one in between.";
const RUNNING: &str = "Measuring, for about two seconds. Nothing sends meanwhile.";
const SENDING: &str =
    "Packets flow: measuring would slow them, and they would spoil the measuring. Stop them first, then enter.";

impl App {
    /// `C`
    pub(super) fn open_calibration(&mut self) {
        self.overlay = Overlay::Calibration { top: 0 };
    }

    /// Enter in the panel, `:calibrate`. While anything sends the panel says why not.
    pub(super) fn calibrate(&mut self, effects: &mut Vec<Effect>) {
        if self.run.is_on() || self.calibration.is_running {
            return;
        }
        self.calibration.is_running = true;
        effects.push(Effect::Calibrate { cpus: self.open.document().profile().tx.cpus.clone() });
    }

    pub(super) fn calibrated(&mut self, outcome: Result<Calibration, String>) {
        self.calibration.is_running = false;
        match &outcome {
            Ok(_) => self.say(Tone::Good, "this CPU is measured; the table stays for this session"),
            Err(why) => self.say(Tone::Bad, why.clone()),
        }
        self.calibration.last = Some(outcome);
    }

    pub(super) fn calibration_key(&mut self, chord: Chord, effects: &mut Vec<Effect>) {
        let Overlay::Calibration { top } = &self.overlay else { return };
        if chord.code == Code::Enter {
            return self.calibrate(effects);
        }
        let mut sheet = self.calibration_sheet(*top);
        match sheet.key(chord) {
            true => self.cancel(),
            false => self.overlay = Overlay::Calibration { top: sheet.top },
        }
    }

    /// The panel as things stand now, from line `top` on.
    pub fn calibration_sheet(&self, top: usize) -> Sheet {
        let mut lines = Vec::new();
        if self.run.is_on() {
            lines.push((Shade::Warning, SENDING.into()));
        } else if self.calibration.is_running {
            lines.push((Shade::Head, RUNNING.into()));
        }
        match &self.calibration.last {
            Some(Ok(calibration)) => {
                let table = calibration_lines(calibration, self.open.document().profile().budget_frame());
                lines.extend(table);
            }
            Some(Err(why)) => lines.push((Shade::Warning, format!("{why}. Nothing was measured."))),
            None if lines.is_empty() => lines.push((Shade::Plain, IDLE.into())),
            None => {}
        }
        let keys = "enter measures, jk scroll, esc closes";
        Sheet { keys, top, ..Sheet::new("calibration".into(), lines) }
    }
}

/// The table of primitives with the budget beside it, then what must be said of both. 74 cells wide at most, as a sheet on
/// the smallest screen is.
pub fn calibration_lines(calibration: &Calibration, frame: BudgetFrame) -> Vec<(Shade, String)> {
    let mut lines = vec![
        (Shade::Head, places(calibration)),
        (
            Shade::Head,
            format!("Time for a frame of {}{} at line rate, 24 B more on the wire", frame.word, bytes(frame)),
        ),
        (Shade::Plain, String::new()),
    ];
    lines.extend(rows(calibration, frame).into_iter().map(|row| (Shade::Plain, row)));
    lines.extend(remarks(calibration, frame));
    lines
}

fn places(calibration: &Calibration) -> String {
    let with = calibration.other_cpu.map(|cpu| format!("; the contended line is shared with CPU {cpu}"));
    format!("ns an operation on CPU {}{}", calibration.cpu, with.unwrap_or_default())
}

fn bytes(frame: BudgetFrame) -> String {
    if frame.bytes.fract() == 0.0 { format!("{:.0} B", frame.bytes) } else { format!("{:.1} B", frame.bytes) }
}

fn rows(calibration: &Calibration, frame: BudgetFrame) -> Vec<String> {
    let mut left = vec![format!("{:<24}{:>8}{:>8}{:>8}", "", "median", "least", "90 %")];
    left.extend(calibration.primitives.iter().map(cost));
    let mut right = vec![format!("{:<5}{:>9}{:>8}", "link", "ns/packet", "Mpps")];
    right.extend(budgets(frame.bytes).map(|budget| {
        format!("{:<5}{:>9}{:>8}", budget.link, nanoseconds(budget.gap_ns), format!("{:.2}", budget.pps / 1e6))
    }));
    let height = left.len().max(right.len());
    left.resize(height, String::new());
    right.resize(height, String::new());
    left.iter().zip(&right).map(|(left, right)| format!("{left:<48}   {right}").trim_end().to_owned()).collect()
}

fn cost(primitive: &Primitive) -> String {
    match primitive.cost {
        Ok(spread) => {
            let [median, least, p90] = [spread.median_ns, spread.least_ns, spread.p90_ns].map(nanoseconds);
            format!("{:<24}{median:>8}{least:>8}{p90:>8}", primitive.what)
        }
        Err(_) => format!("{:<24}{:>8}", primitive.what, "not here"),
    }
}

fn nanoseconds(ns: f64) -> String {
    match ns {
        ns if ns < 99.995 => format!("{ns:.2}"),
        ns if ns < 9999.5 => format!("{ns:.1}"),
        ns => format!("{ns:.0}"),
    }
}

/// What was not measured, how much of it a packet can bear, and what the figures are worth.
fn remarks(calibration: &Calibration, frame: BudgetFrame) -> Vec<(Shade, String)> {
    let mut told = vec![(Shade::Plain, String::new())];
    let not_here =
        calibration.primitives.iter().filter_map(|primitive| Some((primitive, primitive.cost.as_ref().err()?)));
    told.extend(not_here.map(|(primitive, why)| (Shade::Plain, format!("{}: {why}.", primitive.what))));
    let ten = budgets(frame.bytes).find(|budget| budget.link == "10G");
    if let (Some(budget), Some(add)) = (ten, calibration.primitives.iter().find(|p| p.name == "locked_add"))
        && let Ok(spread) = &add.cost
    {
        let share = 100.0 * spread.median_ns / budget.gap_ns;
        told.push((Shade::Plain, format!("One {} takes {share:.1} % of a packet's time at 10G.", add.what)));
    }
    let noisy = calibration.noisy();
    if !noisy.is_empty() {
        let text = format!("Noisy ({}): something else ran on this CPU. Trust the least more.", noisy.join(", "));
        told.push((Shade::Warning, text));
    }
    if calibration.is_virtual {
        let text = "A virtual machine: others may take this CPU away unseen.";
        told.push((Shade::Warning, text.into()));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Spread;

    fn calibration() -> Calibration {
        let primitive = |name, what, ns: f64| Primitive {
            name,
            what,
            cost: Ok(Spread { median_ns: ns, least_ns: 0.9 * ns, p90_ns: 1.1 * ns, rounds: 240 }),
        };
        let kick = Primitive { name: "kick", what: "kick of an empty queue", cost: Err("no lab".into()) };
        let primitives = vec![
            primitive("locked_add", "LOCK-prefixed add", 6.72),
            primitive("a", "a word of 23 characters", 12_345.6),
            kick,
        ];
        Calibration { cpu: 1, other_cpu: None, is_virtual: false, primitives }
    }

    #[test]
    fn the_table_is_narrow_enough_and_stands_in_columns() {
        let frame = BudgetFrame { bytes: 60.0, word: "" };
        let lines: Vec<String> = calibration_lines(&calibration(), frame).into_iter().map(|(_, line)| line).collect();
        assert!(lines[..8].iter().all(|line| line.chars().count() <= 74), "{lines:#?}");
        assert_eq!(lines[4], "LOCK-prefixed add           6.72    6.05    7.39   1G       672.0    1.49");
        assert_eq!(lines[5], "a word of 23 characters    12346   11111   13580   10G      67.20   14.88");
        assert!(
            lines[6].starts_with("kick of an empty queue  not here") && lines[6].ends_with("25G      26.88   37.20")
        );
        assert!(lines.contains(&"kick of an empty queue: no lab.".to_owned()));
        assert!(lines.contains(&"One LOCK-prefixed add takes 10.0 % of a packet's time at 10G.".to_owned()));
    }
}
