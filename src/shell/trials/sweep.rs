//! `txdeck sweep`: a grid of settings, measured in interleaved slices, as a table of nanoseconds a packet.

use serde::Serialize;

use crate::{
    shell::{
        args::{Common, SweepArgs, TableFormat},
        clock,
        failure::Failure,
        load, lookup,
        output::{Ending, Output},
        paths::Paths,
        settings::Settings,
    },
    trial::{Axis, Question, Record, Row, Set, fit, rounds, rows},
};

use super::{
    again::Again,
    arms::{Arms, points},
    conduct::{self, Course, doubts, exit_code},
    drive::{Lengths, Measured},
    record, table,
};

pub fn run(args: &SweepArgs, common: &Common) -> Result<u8, Ending> {
    let source = lookup::find(&args.profile, &Paths::of_this_user()?)?;
    let document = load::document(&source, &settings(args)?, args.place.shape.lab_queues)?;
    let arms = Arms::of(&document, axes(args)?)?;
    let baseline = baseline(args.baseline, arms.arms.len())?;
    let mut output = Output::open(common.output.as_deref())?;
    let mut site = conduct::open(&args.place, &document, common.quiet)?;
    let started = clock::now_utc();
    let (settings, slice) = (arms.arms.len(), args.slice);
    let course = Course {
        name: "sweep",
        arms: &arms,
        order: rounds(settings, args.repeat as usize, args.seed).concat(),
        lengths: Lengths { warm_up: args.warm_up, slice },
        words: format!("{settings} settings x {} slices of {slice:?}", args.repeat),
        is_json: args.format.chosen() == TableFormat::Json,
        quiet: common.quiet,
    };
    let measured = course.run(&mut site, &mut output)?;
    let sets: Vec<Vec<Set>> = arms.arms.iter().map(|arm| arm.set.clone()).collect();
    let rows = rows(&sets, &measured.slices);
    let about = record::About { question: Question::Sweep, started, seed: args.seed, command: command(args) };
    let record = Record {
        baseline,
        unconfirmed: measured.unconfirmed,
        fit: fit(&points(&rows, &document)),
        rows,
        ..record::blank(about, &document, &site, measured.mode)
    };
    tell(&record, &measured, args, &mut output)?;
    Ok(exit_code(&measured))
}

fn settings(args: &SweepArgs) -> Result<Settings, Failure> {
    let queues = args.queues.iter().map(|list| format!("queues={list}"));
    let pairs: Vec<String> = queues.chain(args.set.iter().cloned()).collect();
    Settings::from_pairs(pairs.iter().map(String::as_str)).map_err(|why| Failure::new("bad_setting", why))
}

/// Burst first, then clone, then the others as they were written.
fn axes(args: &SweepArgs) -> Result<Vec<Axis>, Failure> {
    let bad = |key: &str, why: String| Failure::new("bad_axis", format!("{key}: {why}"));
    let own = [("tx.burst", &args.burst), ("tx.clone", &args.clone)];
    let own = own.into_iter().filter_map(|(key, list)| Some((key, list.as_deref()?)));
    let mut pairs: Vec<(&str, &str)> = own.collect();
    for axis in &args.axis {
        let pair = axis.split_once('=').map(|(key, list)| (key.trim(), list));
        pairs.push(
            pair.ok_or_else(|| bad(axis, "KEY=LIST is wanted, as rate=10k,100k or flow.udp.size=60,1514".into()))?,
        );
    }
    pairs.into_iter().map(|(key, list)| Axis::parse(key, list).map_err(|why| bad(key, why))).collect()
}

/// Rows are numbered from 1 on the command line.
fn baseline(wanted: Option<usize>, rows: usize) -> Result<Option<usize>, Failure> {
    match wanted {
        Some(row) if row == 0 || row > rows => {
            Err(Failure::new("bad_baseline", format!("--baseline {row}: this sweep has the rows 1..{rows}")))
        }
        wanted => Ok(wanted.map(|row| row - 1)),
    }
}

/// The line that sweeps again.
fn command(args: &SweepArgs) -> String {
    let baseline = args.baseline.map(|row| row.to_string());
    Again::new("sweep", &[&args.profile])
        .place(&args.place)
        .all("--queues", &args.queues)
        .all("--burst", &args.burst)
        .all("--clone", &args.clone)
        .all("--axis", &args.axis)
        .all("-s", &args.set)
        .one("--slice", &format!("{:?}", args.slice))
        .one("--repeat", &args.repeat.to_string())
        .one("--warm-up", &format!("{:?}", args.warm_up))
        .one("--seed", &args.seed.to_string())
        .all("--baseline", &baseline)
        .line()
}

#[derive(Serialize)]
struct RowLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    row: usize,
    #[serde(flatten)]
    figures: &'a Row,
}

#[derive(Serialize)]
struct SweepLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    txdeck: &'static str,
    unexplained: u64,
    #[serde(flatten)]
    record: &'a Record,
}

fn tell(record: &Record, measured: &Measured, args: &SweepArgs, output: &mut Output) -> Result<(), Ending> {
    match args.format.chosen() {
        TableFormat::Json => {
            for (at, figures) in record.rows.iter().enumerate() {
                let line = RowLine { kind: "row", version: 1, row: at + 1, figures };
                output.line(&serde_json::to_string(&line).unwrap_or_default())?;
            }
            let line = SweepLine {
                kind: "sweep",
                txdeck: env!("CARGO_PKG_VERSION"),
                unexplained: measured.unexplained,
                record,
            };
            output.line(&serde_json::to_string(&line).unwrap_or_default())?;
        }
        TableFormat::Csv => output.text(&table::csv(record))?,
        TableFormat::Md => output.text(&(table::markdown(record) + "\n" + &remarks(record, measured)))?,
        TableFormat::Text => output.text(&text(record, measured))?,
    }
    output.flush()
}

fn text(record: &Record, measured: &Measured) -> String {
    let mut parts = vec![format!("{} on {}, {}\n", record.profile, record.device, record.mode), table::text(record)];
    parts.extend(table::heat_map(record));
    parts.push(remarks(record, measured));
    parts.join("\n")
}

/// The fit, the outliers, and what must not be believed.
fn remarks(record: &Record, measured: &Measured) -> String {
    let mut lines: Vec<String> = table::fitted(record).into_iter().collect();
    lines.push(table::outliers(record));
    lines.extend(doubts(measured));
    lines.join("\n") + "\n"
}
