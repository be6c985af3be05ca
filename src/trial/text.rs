//! A sweep's rows as text, Markdown and CSV: the same figures in each.

use std::{borrow::Cow, fmt::Write};

use crate::stats::{si, thousands};

use super::{Change, OUTLIER_MADS, Record, Row, change};

const NOTHING: &str = "–";

/// Aligned columns for a terminal.
pub fn text(record: &Record) -> String {
    let cells = cells(record);
    let widths: Vec<usize> = (0..cells[0].len())
        .map(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in &cells {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{}{cell}", " ".repeat(width - cell.chars().count())))
            .collect();
        let _ = writeln!(out, "{}", line.join("  ").trim_end());
    }
    out
}

pub fn markdown(record: &Record) -> String {
    let cells = cells(record);
    let mut out = String::new();
    for (at, row) in cells.iter().enumerate() {
        let _ = writeln!(out, "| {} |", row.join(" | "));
        if at == 0 {
            let _ = writeln!(out, "|{}", "---:|".repeat(row.len()));
        }
    }
    out
}

/// Plain numbers, base units, empty where there is none.
pub fn csv(record: &Record) -> String {
    let mut out = String::new();
    let figures = "pps,cost_ns,spread_ns,gap_ns,slices,outliers,left,dropped,from_above_ns,from_baseline_ns";
    let keys: Vec<Cow<str>> = keys(record).into_iter().map(csv_cell).collect();
    let _ = writeln!(out, "{},{figures}", keys.join(","));
    let number = |figure: Option<f64>| figure.map_or_else(String::new, |figure| figure.to_string());
    for (at, row) in record.rows.iter().enumerate() {
        let (above, base) = differences(record, at);
        let mut cells: Vec<String> = row.set.iter().map(|set| csv_cell(&set.value).into_owned()).collect();
        cells.extend([row.pps, row.cost_ns, row.spread_ns, row.gap_ns].map(number));
        cells.extend([row.slices.to_string(), row.outliers.to_string(), row.left.to_string()]);
        cells.push(row.dropped.map_or_else(String::new, |dropped| dropped.to_string()));
        cells.extend([above, base].map(|change| number(change.map(|change| change.ns))));
        let _ = writeln!(out, "{}", cells.join(","));
    }
    out
}

fn csv_cell(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")).into() } else { text.into() }
}

fn keys(record: &Record) -> Vec<&str> {
    let set = record.rows.first().map_or(&[][..], |row| &row.set);
    set.iter().map(|set| set.key.strip_prefix("tx.").unwrap_or(&set.key)).collect()
}

/// The heading, then a line a row.
fn cells(record: &Record) -> Vec<Vec<String>> {
    let base = record.baseline.unwrap_or(0);
    let against = if base == 0 { "from the first".into() } else { format!("from row {}", base + 1) };
    let mut heading: Vec<String> = keys(record).into_iter().map(str::to_owned).collect();
    let pps = if record.unconfirmed { "pps (completed)" } else { "pps (left)" };
    heading.extend([pps, "ns/packet", "±", "from above"].map(str::to_owned));
    heading.push(against);
    let loses = record.rows.iter().any(|row| row.dropped.is_some_and(|dropped| dropped > 0));
    if loses {
        heading.push("dropped".into());
    }
    let mut all = vec![heading];
    all.extend(record.rows.iter().enumerate().map(|(at, row)| line(record, at, row, loses)));
    all
}

fn line(record: &Record, at: usize, row: &Row, loses: bool) -> Vec<String> {
    let (above, base) = differences(record, at);
    let mut cells: Vec<String> = row.set.iter().map(|set| set.value.clone()).collect();
    cells.push(row.pps.map_or_else(|| NOTHING.into(), |pps| thousands(pps.round() as u64)));
    cells.push(nanoseconds(row.cost_ns));
    cells.push(nanoseconds(row.spread_ns));
    cells.push(words(above));
    cells.push(words(base));
    if loses {
        cells.push(row.dropped.map_or_else(|| NOTHING.into(), thousands));
    }
    cells
}

/// From the row above and from the baseline.
fn differences(record: &Record, at: usize) -> (Option<Change>, Option<Change>) {
    let rows = &record.rows;
    let above = at.checked_sub(1).and_then(|above| change(&rows[above], &rows[at]));
    let base = record.baseline.unwrap_or(0);
    let base = rows.get(base).filter(|_| base != at).and_then(|base| change(base, &rows[at]));
    (above, base)
}

fn nanoseconds(figure: Option<f64>) -> String {
    figure.map_or_else(|| NOTHING.into(), |ns| format!("{ns:.1}"))
}

/// `-746.2`, or that it is none.
fn words(change: Option<Change>) -> String {
    match change {
        None => NOTHING.into(),
        Some(change) if change.is_noise() => "within noise".into(),
        Some(change) => format!("{:+.1}", change.ns),
    }
}

/// Darker is dearer; a letter and the figure say the same without colour. `None` unless exactly two keys vary.
pub fn heat_map(record: &Record) -> Option<String> {
    const SHADES: [char; 5] = ['.', ':', '+', '#', '@'];
    let first = record.rows.first().filter(|row| row.set.len() == 2)?;
    let (down, across) = (&first.set[0].key, &first.set[1].key);
    let columns = record.rows.iter().take_while(|row| row.set[0].value == first.set[0].value).count();
    let costs: Vec<f64> = record.rows.iter().filter_map(|row| row.cost_ns).collect();
    let (least, most) =
        costs.iter().fold((f64::MAX, f64::MIN), |(least, most), cost| (least.min(*cost), most.max(*cost)));
    let shade = |cost: f64| SHADES[(((cost - least) / (most - least).max(1e-9)) * 4.0).round().min(4.0) as usize];
    let short = |key: &str| key.strip_prefix("tx.").unwrap_or(key).to_owned();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "ns/packet, {} down, {} across; {} least, {} most",
        short(down),
        short(across),
        SHADES[0],
        SHADES[4]
    );
    let heading: Vec<String> = record.rows.iter().take(columns).map(|row| format!("{:>9}", row.set[1].value)).collect();
    let _ = writeln!(out, "{:>9}{}", "", heading.concat());
    for line in record.rows.chunks(columns.max(1)) {
        let cell = |row: &Row| {
            row.cost_ns.map_or_else(|| format!("{NOTHING:>9}"), |cost| format!("{:>7} {}", si(cost), shade(cost)))
        };
        let _ = writeln!(out, "{:>9}{}", line[0].set[0].value, line.iter().map(cell).collect::<String>());
    }
    Some(out)
}

/// How many slices were left out, and what ± is.
pub fn outliers(record: &Record) -> String {
    let left_out: usize = record.rows.iter().map(|row| row.outliers).sum();
    let measured = left_out + record.rows.iter().map(|row| row.slices).sum::<usize>();
    let told = match left_out {
        0 => format!("no slice of {measured} was left out"),
        n => format!("{n} of {measured} slices left out, over {OUTLIER_MADS} scaled MADs from their setting's median"),
    };
    format!("{told}; ± is half of the 95 % interval")
}

/// `ns = 850.1 + 780.4/burst, R² 0.998; …`; `None` where neither burst nor clone varied.
pub fn fitted(record: &Record) -> Option<String> {
    let fit = record.fit?;
    let term = |share: Option<f64>, of: &str| {
        share.map_or_else(String::new, |ns| format!(" {} {:.1}/{of}", if ns < 0.0 { '-' } else { '+' }, ns.abs()))
    };
    let mut out = format!(
        "ns = {:.1}{}{}, R² {:.3}",
        fit.packet_ns,
        term(fit.burst_ns, "burst"),
        term(fit.clone_ns, "clone"),
        fit.r_squared
    );
    if fit.r_squared < 0.9 {
        out.push_str(": the model does not describe these figures well");
    } else if let Some(knee) = fit.knee(u32::MAX).filter(|_| fit.burst_ns.is_some_and(|ns| ns > 0.0)) {
        let _ = write!(out, "; from burst {knee} on a doorbell is less than 2 % of the rest");
    }
    Some(out)
}
