//! `txdeck compare A B`: two profiles or settings in turn, and whether one costs less.

use serde::Serialize;

use crate::{
    app::waiting,
    shell::{
        args::{Common, CompareArgs, Format},
        clock,
        failure::Failure,
        load, lookup,
        output::{Ending, Output},
        paths::Paths,
        settings::Settings,
    },
    trial::{Block, Comparison, Question, Record, Row, Set, Side, Slice, Verdict, blocks, compare, rows},
};

use super::{
    again::Again,
    arms::{Arm, Arms, unlimited},
    conduct::{self, Course, doubts, exit_code},
    drive::{Lengths, Measured},
    record,
};

pub fn run(args: &CompareArgs, common: &Common) -> Result<u8, Ending> {
    let paths = Paths::of_this_user()?;
    let side = |profile: &str, own: &[String]| {
        let source = lookup::find(profile, &paths)?;
        let document = load::document(&source, &settings(args, own)?, args.place.shape.lab_queues)?;
        Ok::<_, Failure>(Arm { set: sets(profile, own), document: unlimited(&document)? })
    };
    let a = side(&args.a, &args.set_a)?;
    let b = side(args.b.as_deref().unwrap_or(&args.a), &args.set_b)?;
    if a.document.profile() == b.document.profile() && !args.same {
        let message = "both sides are the same: name two profiles, or what differs as --b burst=64";
        return Err(Failure::new("same", message)
            .with_fix("To see how noisy this place is all the same: --same")
            .into());
    }
    let arms = Arms { is_live: waiting(&a.document, &b.document).is_empty(), arms: vec![a, b] };
    let mut output = Output::open(common.output.as_deref())?;
    let first = &arms.arms[0].document;
    let mut site = conduct::open(&args.place, first, common.quiet)?;
    let started = clock::now_utc();
    let blocks = blocks(args.blocks as usize, args.seed);
    let slice = args.slice;
    let course = Course {
        name: "compare",
        arms: &arms,
        order: blocks.iter().flatten().map(|side| usize::from(*side == Side::B)).collect(),
        lengths: Lengths { warm_up: args.warm_up, slice },
        words: format!("{} blocks of A, B, B, A or the other way round, slices of {slice:?}", args.blocks),
        is_json: args.format.chosen() == Format::Json,
        quiet: common.quiet,
    };
    let measured = course.run(&mut site, &mut output)?;
    let sets: Vec<Vec<Set>> = arms.arms.iter().map(|arm| arm.set.clone()).collect();
    let about = record::About { question: Question::Compare, started, seed: args.seed, command: command(args) };
    let record = Record {
        unconfirmed: measured.unconfirmed,
        rows: rows(&sets, &measured.slices),
        comparison: compare(&in_blocks(&blocks, &measured.slices)),
        ..record::blank(about, first, &site, measured.mode)
    };
    tell(&record, &measured, args, &mut output)?;
    Ok(exit_code(&measured))
}

/// What both sides are given, then their own.
fn settings(args: &CompareArgs, own: &[String]) -> Result<Settings, Failure> {
    let pairs = args.set.iter().chain(own).map(String::as_str);
    Settings::from_pairs(pairs).map_err(|why| Failure::new("bad_setting", why))
}

/// How a side is named in the record: its profile and its own settings.
fn sets(profile: &str, own: &[String]) -> Vec<Set> {
    let pair = |text: &String| {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        Set { key: key.trim().to_owned(), value: value.to_owned() }
    };
    std::iter::once(Set { key: "profile".into(), value: profile.into() }).chain(own.iter().map(pair)).collect()
}

/// The costs of whole blocks; one that a signal cut short says nothing.
fn in_blocks(blocks: &[Block], slices: &[Slice]) -> Vec<(Block, [f64; 4])> {
    let costs = slices.chunks_exact(4).map(|four| [0, 1, 2, 3].map(|at| four[at].cost_ns.unwrap_or(0.0)));
    blocks.iter().copied().zip(costs).collect()
}

/// The line that compares again.
fn command(args: &CompareArgs) -> String {
    let profiles: Vec<&str> = std::iter::once(&args.a).chain(&args.b).map(String::as_str).collect();
    Again::new("compare", &profiles)
        .place(&args.place)
        .all("-s", &args.set)
        .all("--a", &args.set_a)
        .all("--b", &args.set_b)
        .flag("--same", args.same)
        .one("--slice", &format!("{:?}", args.slice))
        .one("--blocks", &args.blocks.to_string())
        .one("--warm-up", &format!("{:?}", args.warm_up))
        .one("--seed", &args.seed.to_string())
        .line()
}

#[derive(Serialize)]
struct CompareLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    txdeck: &'static str,
    /// `a`, `b`: that side costs less; `none`: no difference; null: too few blocks.
    cheaper: Option<&'static str>,
    unexplained: u64,
    #[serde(flatten)]
    record: &'a Record,
}

fn tell(record: &Record, measured: &Measured, args: &CompareArgs, output: &mut Output) -> Result<(), Ending> {
    if args.format.chosen() == Format::Json {
        let cheaper = record.comparison.map(|comparison| match comparison.verdict() {
            Verdict::NoDifference => "none",
            Verdict::Cheaper(Side::A) => "a",
            Verdict::Cheaper(Side::B) => "b",
        });
        let (txdeck, unexplained) = (env!("CARGO_PKG_VERSION"), measured.unexplained);
        let line = CompareLine { kind: "comparison", txdeck, cheaper, unexplained, record };
        return output.line(&serde_json::to_string(&line).unwrap_or_default());
    }
    for (name, row) in ["A", "B"].into_iter().zip(&record.rows) {
        output.text(&format!("{name}  {}\n", side(row)))?;
    }
    output.text(&format!("{}\n", verdict(record.comparison.as_ref())))?;
    for doubt in doubts(measured) {
        output.text(&format!("{doubt}\n"))?;
    }
    output.flush()
}

/// `1 130 000 pps, 884.9 ns a packet: udp-64 burst=32`.
fn side(row: &Row) -> String {
    let words: Vec<String> = row.set.iter().skip(1).map(|set| format!("{}={}", set.key, set.value)).collect();
    let profile = row.set.first().map_or("", |set| &set.value);
    let figure = |figure: Option<f64>, digits: usize| figure.map_or_else(|| "–".into(), |n| format!("{n:.digits$}"));
    format!("{} pps, {} ns a packet: {profile} {}", figure(row.pps, 0), figure(row.cost_ns, 1), words.join(" "))
        .trim_end()
        .to_owned()
}

/// One sentence with the 95 % interval.
fn verdict(comparison: Option<&Comparison>) -> String {
    let Some(comparison) = comparison else {
        return "cannot tell: fewer than six blocks are usable (--blocks 8, a longer --slice)".into();
    };
    let percent = |share: f64| format!("{:+.1} %", share * 100.0);
    let interval = format!("{} to {}", percent(comparison.least), percent(comparison.most));
    let blocks = match comparison.blocks_dropped {
        0 => format!("{} blocks", comparison.blocks_used),
        dropped => format!("{} blocks, {dropped} left out", comparison.blocks_used),
    };
    let change = percent(comparison.change);
    match comparison.verdict() {
        Verdict::NoDifference => format!("no difference: B costs {change}, 95 % interval {interval}, {blocks}"),
        Verdict::Cheaper(Side::A) => format!("A is cheaper: B costs {change}, 95 % interval {interval}, {blocks}"),
        Verdict::Cheaper(Side::B) => format!("B is cheaper: it costs {change}, 95 % interval {interval}, {blocks}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_one_sentence_with_its_interval() {
        let comparison = |change, least, most| Comparison { change, least, most, blocks_used: 7, blocks_dropped: 1 };
        let told = |comparison: Comparison| verdict(Some(&comparison));
        assert_eq!(
            told(comparison(-0.452, -0.463, -0.441)),
            "B is cheaper: it costs -45.2 %, 95 % interval -46.3 % to -44.1 %, 7 blocks, 1 left out"
        );
        assert!(told(comparison(0.004, -0.01, 0.018)).starts_with("no difference: B costs +0.4 %"));
        assert!(told(comparison(0.05, 0.01, 0.09)).starts_with("A is cheaper"));
        assert!(verdict(None).starts_with("cannot tell"));
    }

    #[test]
    fn a_block_that_was_cut_short_is_left_out() {
        let slice = Slice { arm: 0, elapsed_ns: 1, left: 1, dropped: None, cost_ns: Some(5.0) };
        let measured = in_blocks(&blocks(8, 1), &[slice; 7]);
        assert_eq!(measured.len(), 1);
        assert_eq!(measured[0].1, [5.0; 4]);
    }
}
