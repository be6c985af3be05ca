//! A result as people read it: the same figures as the JSON, none of its own.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    shell::{
        host,
        result::{CostParts, EndedBy, RunResult, Sample},
        site::DeadLink,
    },
    stats::{si, thousands},
};

/// The text form of a result.
pub fn text(result: &RunResult) -> String {
    let mut out = String::new();
    headline(&mut out, result);
    ledger(&mut out, result);
    cost(&mut out, result);
    if result.senders.len() > 1 || result.senders.iter().any(|sender| sender.reason.is_some()) {
        senders(&mut out, result);
    }
    if result.flows.len() > 1 {
        for flow in &result.flows {
            row(&mut out, &format!("flow {}", flow.name), &format!("{} submitted", thousands(flow.submitted)));
        }
    }
    out
}

fn row(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "{name:<14} {value}");
}

fn headline(out: &mut String, result: &RunResult) {
    let mode = result.mode.name();
    let queues = result.senders.len();
    let plural = if queues == 1 { "" } else { "s" };
    row(out, "profile", &format!("{} on {}, {mode}, {queues} queue{plural}", result.profile, result.device));
    let ended = match result.ended_by {
        EndedBy::Duration => "its duration",
        EndedBy::Count => "its count",
        EndedBy::Signal => "a signal",
        EndedBy::Error => "an error: every sender died",
        EndedBy::Link => "the device going away",
    };
    row(out, "ended by", &format!("{ended}, after {:.3} s", result.elapsed_s));
    let unconfirmed = if result.left.source == "completions" { ", unconfirmed: the driver counts nothing" } else { "" };
    let rate = format!("{} pps, {}{unconfirmed}", figure(result.pps), bits(result.bps));
    row(out, "left", &format!("{rate}, gap {}", time(result.gap_ns)));
}

/// `3560 ns`, `1.005 ms`: four figures in the unit that a person would use.
fn time(ns: Option<f64>) -> String {
    let Some(ns) = ns else { return "–".into() };
    let (scaled, unit) = match ns {
        n if n >= 1e9 => (n / 1e9, "s"),
        n if n >= 1e6 => (n / 1e6, "ms"),
        n if n >= 1e4 => (n / 1e3, "µs"),
        n => (n, "ns"),
    };
    format!("{} {unit}", si(scaled))
}

/// `8.00 Mbit/s`: decimal, layer 2 without FCS.
fn bits(bps: Option<f64>) -> String {
    let Some(bps) = bps else { return "– bit/s".into() };
    let (scaled, unit) = match bps {
        b if b >= 1e9 => (b / 1e9, "Gbit/s"),
        b if b >= 1e6 => (b / 1e6, "Mbit/s"),
        b if b >= 1e3 => (b / 1e3, "kbit/s"),
        b => (b, "bit/s"),
    };
    format!("{scaled:.2} {unit} (layer 2 without FCS)")
}

fn ledger(out: &mut String, result: &RunResult) {
    let mut count = |name: &str, packets: Option<u64>| {
        row(out, name, &packets.map_or_else(|| "–".to_owned(), |packets| format!("{:>15}", thousands(packets))));
    };
    count("submitted", Some(result.submitted.packets));
    count("completed", Some(result.completed.packets));
    let queues_left: u64 = result.senders.iter().map(|sender| sender.left).sum();
    if queues_left != result.left.packets && !result.senders.is_empty() {
        // The device counted fewer (or went away before it did): both are shown, and the smaller one is believed.
        count("queue sum", Some(queues_left));
    }
    count(&format!("left {}", result.left.source), Some(result.left.packets));
    if let Some(received) = &result.received {
        count("received", Some(received.packets));
    }
    count("dropped", result.dropped.packets);
    count("unexplained", Some(result.unexplained));
    let rare = [
        ("invalid", result.invalid),
        ("in flight", result.in_flight),
        ("abandoned", result.abandoned),
        ("lost", result.lost()),
        ("shortfall", result.shortfall),
    ];
    rare.iter().filter(|(_, packets)| *packets > 0).for_each(|(name, packets)| count(name, Some(*packets)));
}

/// What the cost is made of, and the senders' time beside it.
fn split(parts: &CostParts) -> String {
    let CostParts { build, ring, kick, reap, wait_pace, wait_ring, lost } = parts;
    format!(
        "build {build:.1} + ring {ring:.1} + kick {kick:.1} + reap {reap:.1} ns; \
         beside it waiting for the pace {wait_pace:.1}, for the ring {wait_ring:.1}, off the CPU {lost:.1}"
    )
}

fn cost(out: &mut String, result: &RunResult) {
    let mut text = format!(
        "{} ns a packet in the senders, burst {}, clone {}",
        figure(result.cost_ns),
        result.burst,
        result.clone
    );
    if let Some(burst) = &result.burst_cost_ns {
        let _ = write!(text, "; a burst p50 {} p99 {} max {} ns", burst.p50, burst.p99, burst.max);
    }
    row(out, "cost", &text);
    if let Some(parts) = &result.cost {
        row(out, "split", &split(parts));
    }
    let met = result.errno.iter().filter(|(_, times)| **times > 0);
    let met: Vec<String> = met.map(|(name, times)| format!("{name} {}", thousands(*times))).collect();
    if !met.is_empty() {
        row(out, "errno", &met.join(", "));
    }
}

fn senders(out: &mut String, result: &RunResult) {
    for sender in &result.senders {
        let cpu = sender.cpu.map_or_else(|| "any cpu".to_owned(), |cpu| format!("cpu {cpu}"));
        let figures =
            format!("{} left, {} pps, {} ns", thousands(sender.left), figure(sender.pps), figure(sender.cost_ns));
        let died = sender.reason.as_ref().map_or_else(String::new, |reason| format!(", died: {reason}"));
        row(out, &format!("queue {}", sender.queue), &format!("{cpu}: {figures}{died}"));
    }
}

/// Nothing sent: `–`, never 0, inf or NaN.
fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), si)
}

/// Why nothing leaves, as far as it can be told.
#[derive(Debug, Default)]
pub struct Stuck {
    pub link: Option<DeadLink>,
    /// Turns found no room in the ring (or no free packet memory) meanwhile.
    pub is_full: bool,
    /// Packets handed over that have not completed.
    pub waiting: u64,
    /// Errnos met meanwhile.
    pub errnos: BTreeMap<String, u64>,
}

impl Stuck {
    fn words(&self) -> Vec<String> {
        let link = self.link.map(|link| match link {
            DeadLink::Down => "the device is down".to_owned(),
            DeadLink::NoCarrier => "no carrier".to_owned(),
        });
        let (ring, waiting) = (if self.is_full { "ring full: " } else { "" }, thousands(self.waiting));
        let waiting = (self.waiting > 0).then(|| format!("{ring}{waiting} waiting"));
        let errnos = self.errnos.iter().map(|(name, times)| format!("{name} {}", thousands(*times)));
        link.into_iter().chain(waiting).chain(errnos).collect()
    }
}

/// One line of progress.
pub fn progress(sample: &Sample, stuck: &Stuck) -> String {
    let mut line =
        format!("{:8.1} s  left {} pps  {} ns a packet", sample.elapsed_s, figure(sample.pps), figure(sample.cost_ns));
    for (name, packets) in [("dropped", sample.dropped.packets.unwrap_or(0)), ("invalid", sample.invalid)] {
        if packets > 0 {
            let _ = write!(line, "  {name} {}", thousands(packets.unsigned_abs()));
        }
    }
    let why = stuck.words();
    if !why.is_empty() {
        let _ = write!(line, "  ({})", why.join(", "));
    }
    line
}

/// How a figure of a comparison is written.
type Shown = fn(Option<f64>) -> String;

/// Then, now and the difference of two results, with every host fact that differs.
pub fn comparison(then: &RunResult, now: &RunResult) -> String {
    let mut out = format!("{:<14} {:>14} {:>14} {:>14}\n", "", "then", "now", "difference");
    let count = |result: &RunResult| {
        [result.left.packets, result.dropped.packets.unwrap_or(0), result.unexplained]
            .map(|packets| Some(packets as f64))
    };
    let (then_counts, now_counts) = (count(then), count(now));
    let rows: [(&str, Shown, Option<f64>, Option<f64>); 6] = [
        ("pps", figure, then.pps, now.pps),
        ("gap", time, then.gap_ns, now.gap_ns),
        ("cost ns", figure, then.cost_ns, now.cost_ns),
        ("left", figure, then_counts[0], now_counts[0]),
        ("dropped", figure, then_counts[1], now_counts[1]),
        ("unexplained", figure, then_counts[2], now_counts[2]),
    ];
    for (name, shown, a, b) in rows {
        let _ = writeln!(out, "{name:<14} {:>14} {:>14} {:>14}", shown(a), shown(b), change(a, b));
    }
    let place = [("device", &then.device, &now.device), ("txdeck", &then.txdeck, &now.txdeck)];
    for (name, a, b) in place.into_iter().filter(|(_, a, b)| a != b) {
        let _ = writeln!(out, "differs: {name}: {a} > {b}");
    }
    for (name, a, b) in host::differences(&then.host, &now.host) {
        let _ = writeln!(out, "differs: {name}: {a} > {b}");
    }
    out
}

fn change(then: Option<f64>, now: Option<f64>) -> String {
    match (then, now) {
        (Some(then), Some(now)) if then != 0.0 => format!("{:+.2} %", (now - then) / then * 100.0),
        (Some(then), Some(now)) => format!("{:+}", now - then),
        _ => "–".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::result::{
        Amount, Delta, DeltaAmount, Left, MaybeDelta, ModeFacts, Sample, SampleKind, SenderPart,
    };

    fn result() -> RunResult {
        RunResult {
            profile: "udp-64".into(),
            device: "deck0".into(),
            elapsed_s: 2.0,
            submitted: Amount { packets: 2_000_000, bytes: Some(120_000_000) },
            left: Left { packets: 2_000_000, bytes: Some(120_000_000), source: "device".into() },
            received: Some(Amount { packets: 1_999_999, bytes: None }),
            pps: Some(1e6),
            bps: Some(480e6),
            gap_ns: Some(1000.0),
            cost_ns: Some(890.0),
            burst: 32,
            mode: ModeFacts { copy: true, zero_copy: false, need_wakeup: true, ring: 2048 },
            ..RunResult::blank()
        }
    }

    #[test]
    fn the_text_says_what_the_json_says() {
        let expected = "\
profile        udp-64 on deck0, copy, 0 queues
ended by       its count, after 2.000 s
left           1.000 M pps, 480.00 Mbit/s (layer 2 without FCS), gap 1000 ns
submitted            2 000 000
completed                    0
left device          2 000 000
received             1 999 999
dropped                      0
unexplained                  0
lost                         1
cost           890 ns a packet in the senders, burst 32, clone 0
";
        assert_eq!(text(&result()), expected);
    }

    #[test]
    fn nothing_sent_is_a_dash() {
        let text = text(&RunResult::blank());
        assert!(text.contains("left           – pps, – bit/s, gap –"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn unconfirmed_figures_and_dead_senders_say_so() {
        let dead = SenderPart {
            queue: 3,
            cpu: None,
            submitted: 0,
            completed: 0,
            dropped: Some(0),
            left: 0,
            pps: None,
            cost_ns: None,
            reason: Some("deck0 queue 3: the device is gone".into()),
        };
        let text = text(&RunResult {
            left: Left { source: "completions".into(), ..result().left },
            senders: vec![dead],
            ..result()
        });
        assert!(text.contains("unconfirmed: the driver counts nothing"), "{text}");
        assert!(text.contains("queue 3        any cpu: 0 left, – pps, – ns, died: deck0 queue 3: the device is gone"));
    }

    #[test]
    fn a_gap_is_told_in_the_unit_that_fits() {
        let cases = [
            (887.0, "887 ns"),
            (3560.0, "3560 ns"),
            (12_345.0, "12.35 µs"),
            (1_005_000.0, "1.005 ms"),
            (1e6, "1 ms"),
            (2e9, "2 s"),
        ];
        for (ns, told) in cases {
            assert_eq!(time(Some(ns)), told);
        }
        assert_eq!(time(None), "–");
    }

    #[test]
    fn a_device_that_counted_fewer_than_its_queues_is_shown_beside_their_sum() {
        let sender = SenderPart {
            queue: 0,
            cpu: Some(1),
            submitted: 362_048,
            completed: 362_048,
            dropped: Some(0),
            left: 362_048,
            pps: None,
            cost_ns: None,
            reason: None,
        };
        let left = Left { packets: 331_394, bytes: None, source: "device".into() };
        let fewer = RunResult { left, senders: vec![sender.clone()], ..result() };
        let told = text(&fewer);
        assert!(told.contains("queue sum              362 048\nleft device            331 394\n"), "{told}");
        let equal = RunResult { left: Left { packets: 362_048, ..fewer.left }, ..fewer };
        assert!(!text(&equal).contains("queue sum"));
    }

    fn sample(submitted: i64) -> Sample {
        Sample {
            kind: SampleKind::Sample,
            version: 1,
            elapsed_s: 2.0,
            interval_s: 1.0,
            submitted: DeltaAmount { packets: submitted, bytes: 60 * submitted },
            completed: Delta::default(),
            left: Delta::default(),
            dropped: MaybeDelta { packets: Some(0) },
            invalid: 0,
            abandoned: 0,
            received: None,
            shortfall: 0,
            pps: Some(0.0),
            cost_ns: None,
            bursts: 0,
            kicks: 0,
        }
    }

    #[test]
    fn c64_progress_says_why_nothing_leaves() {
        let line = |submitted, stuck: &Stuck| progress(&sample(submitted), stuck);
        let down = Stuck {
            link: Some(DeadLink::Down),
            is_full: true,
            waiting: 512,
            errnos: [("ENETDOWN".to_owned(), 1240)].into(),
        };
        let told =
            "     2.0 s  left 0 pps  – ns a packet  (the device is down, ring full: 512 waiting, ENETDOWN 1 240)";
        assert_eq!(line(0, &down), told);
        let no_carrier = Stuck { link: Some(DeadLink::NoCarrier), ..Stuck::default() };
        assert!(line(9, &no_carrier).ends_with("a packet  (no carrier)"), "{}", line(9, &no_carrier));
        assert!(line(9, &Stuck::default()).ends_with("a packet"));
    }

    #[test]
    fn c97_bit_rates_are_decimal_and_say_their_layer() {
        assert_eq!(bits(Some(8_000_000.0)), "8.00 Mbit/s (layer 2 without FCS)");
        assert_eq!(bits(Some(1_048_576.0)), "1.05 Mbit/s (layer 2 without FCS)");
    }

    #[test]
    fn an_earlier_result_is_compared_figure_by_figure() {
        let mut then = RunResult { pps: Some(8e5), cost_ns: None, ..result() };
        then.host.kernel = Some("6.1".into());
        let text = comparison(&then, &result());
        assert!(text.contains("pps                   800.0 k        1.000 M       +25.00 %"), "{text}");
        assert!(text.contains("cost ns                     –            890              –"), "{text}");
        assert!(text.contains("differs: kernel: 6.1 > unknown"), "{text}");
    }
}
