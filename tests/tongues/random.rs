//! Random profiles out and back again. Whatever a dialect could not say is read without the comments that txdeck
//! writes for itself, so an empty report has to mean the same frames by the dialect's own words.

use txdeck::{
    dialect::{Dialect, Given, Imported, Report, carry, export, import},
    profile::Document,
};

use crate::{
    frames, hex, plan,
    random_profiles::{runner, sayable},
};

const PROFILES: u32 = 300;
const FRAMES: u64 = 100;
/// Of the profiles, in percent, that have to go through with nothing to report.
const LEAST_SHARE: u32 = 35;

/// Reasons that may stand beside the same frames: they are about more than the first frames and their bytes.
const JUDGED: [&str; 2] = [
    // Conversations may be as long as all that was compared.
    ".flows", // The packets that leave there have wrong checksums; they are right when they are read here.
    ".icmp",
];

/// The text without what rides along in comments, but for the sender's settings: with its seed random fields draw the
/// same numbers.
fn plain(text: &str) -> String {
    let is_sender = |key: &str| key.starts_with("tx.") || matches!(key, "name" | "note");
    let rides: Vec<usize> =
        carry::carried(text, "#").filter(|(_, key, _)| !is_sender(key)).map(|(line, ..)| line).collect();
    let lines = text.lines().zip(1..).filter(|(_, number)| !rides.contains(number));
    lines.map(|(line, _)| format!("{line}\n")).collect()
}

fn back(dialect: Dialect, original: &Document, text: &str) -> Imported {
    let imported = import(dialect, "back", text.as_bytes(), &Given::default());
    imported.unwrap_or_else(|refused| panic!("{refused}\n{}\n{text}", original.text()))
}

fn first_difference(ours: &Document, theirs: &str) -> Option<String> {
    let (ours, theirs) = (plan(ours.text()), plan(theirs));
    if ours.flows.len() != theirs.flows.len() {
        return Some("another number of flows".into());
    }
    (0..ours.flows.len()).find_map(|flow| {
        let (ours, theirs) = (frames(&ours, flow, FRAMES), frames(&theirs, flow, FRAMES));
        let at = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs)?;
        Some(format!("flow {flow}, frame {at}:\n{}\n{}", hex(&ours[at]), hex(&theirs[at])))
    })
}

/// Whether the dialect's own words say everything; what is wrong with the report else fails.
fn is_whole(dialect: Dialect, original: &Document, text: &str, report: &Report) -> bool {
    let words = plain(text);
    let theirs = back(dialect, original, &words);
    let difference = first_difference(original, &theirs.text);
    let shown = || format!("{}\n{words}\n{}\n{:?}\n{:?}", original.text(), theirs.text, report, theirs.report);
    if report.is_empty() {
        assert!(difference.is_none(), "not in the report: {}\n{}", difference.unwrap_or_default(), shown());
        assert!(theirs.report.is_empty(), "odd only on the way back\n{}", shown());
        return true;
    }
    // An odometer's slower fields may not have turned yet.
    let is_slow = original.text().contains("nested");
    let judged = is_slow || report.notes.iter().any(|note| JUDGED.iter().any(|key| note.text.ends_with(key)));
    assert!(difference.is_some() || judged, "in the report for nothing\n{}", shown());
    false
}

#[test]
fn an_empty_report_means_the_same_frames_and_a_reason_something_else() {
    for dialect in [Dialect::Trafgen, Dialect::TrexPython] {
        let mut runner = runner(dialect.name(), PROFILES);
        let mut whole = 0;
        for _ in 0..PROFILES {
            let original = sayable(&mut runner);
            let exported = export(dialect, &original).unwrap_or_else(|refused| panic!("{refused}"));
            let theirs = back(dialect, &original, &exported.text);
            let difference = first_difference(&original, &theirs.text);
            let is_told = difference.is_none() || !exported.report.is_empty();
            assert!(is_told, "{difference:?}\n{}\n{}\n{}", original.text(), exported.text, theirs.text);
            whole += u32::from(is_whole(dialect, &original, &exported.text, &exported.report));
        }
        println!("{}: {whole} of {PROFILES} with nothing to report", dialect.name());
        assert!(100 * whole >= LEAST_SHARE * PROFILES, "{}: {whole} of {PROFILES}", dialect.name());
    }
}

#[test]
fn a_command_line_says_every_profile() {
    let mut runner = runner("command", PROFILES);
    for _ in 0..PROFILES {
        let original = sayable(&mut runner);
        let exported = export(Dialect::Command, &original).unwrap_or_else(|refused| panic!("{refused}"));
        assert!(exported.report.is_empty(), "{:?}", exported.report);
        let theirs = back(Dialect::Command, &original, &exported.text);
        let difference = first_difference(&original, &theirs.text);
        assert!(difference.is_none(), "{difference:?}\n{}\n{}", original.text(), exported.text);
    }
}
