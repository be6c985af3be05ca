//! A result as people read it: the same figures as the JSON, none of its own.

use std::fmt::Write;

use crate::{
    shell::{
        host,
        result::{EndedBy, RunResult, Sample},
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
    let mode = match (result.mode.zero_copy, result.left.source.as_str()) {
        (_, "sim") => "simulated",
        (true, _) => "zero-copy",
        (false, _) => "copy",
    };
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
    row(out, "left", &format!("{rate}, gap {} ns", figure(result.gap_ns)));
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

/// One line of progress.
pub fn progress(sample: &Sample) -> String {
    let mut line =
        format!("{:8.1} s  left {} pps  {} ns a packet", sample.elapsed_s, figure(sample.pps), figure(sample.cost_ns));
    for (name, packets) in [("dropped", sample.dropped.packets.unwrap_or(0)), ("invalid", sample.invalid)] {
        if packets > 0 {
            let _ = write!(line, "  {name} {}", thousands(packets.unsigned_abs()));
        }
    }
    line
}

/// Then, now and the difference of two results, with every host fact that differs.
pub fn comparison(then: &RunResult, now: &RunResult) -> String {
    let mut out = format!("{:<14} {:>14} {:>14} {:>14}\n", "", "then", "now", "difference");
    let count = |result: &RunResult| {
        [result.left.packets, result.dropped.packets.unwrap_or(0), result.unexplained]
            .map(|packets| Some(packets as f64))
    };
    let (then_counts, now_counts) = (count(then), count(now));
    let rows = [
        ("pps", then.pps, now.pps),
        ("gap ns", then.gap_ns, now.gap_ns),
        ("cost ns", then.cost_ns, now.cost_ns),
        ("left", then_counts[0], now_counts[0]),
        ("dropped", then_counts[1], now_counts[1]),
        ("unexplained", then_counts[2], now_counts[2]),
    ];
    for (name, a, b) in rows {
        let _ = writeln!(out, "{name:<14} {:>14} {:>14} {:>14}", figure(a), figure(b), change(a, b));
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
    use crate::shell::result::{Amount, Left, SenderPart};

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
        assert!(text.contains("left           – pps, – bit/s, gap – ns"), "{text}");
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
