//! Random profiles as pktgen scripts: the kernel takes every command, and what is not said stands in the report.

use txdeck::{
    dialect::{Dialect, Exported, Given, carry, export, import},
    profile::Document,
};

use crate::{
    checker,
    frames::frames,
    random_profiles::{runner, sayable},
};

/// Of those that pktgen can say at all: UDP, and no tags beside labels.
const PROFILES: u32 = 300;
const FRAMES: u64 = 100;
/// Of them, in percent, that have to go through with nothing to report.
const LEAST_SHARE: u32 = 10;
/// Reasons that may stand beside the same first frames: the kernel draws others and sizes from slots, its random
/// destinations have holes, and conversations may be as long as all that was compared.
const JUDGED: [&str; 4] = ["tx.seed", "100 slots", "random destinations leave out", ".flows"];

/// What no wish is lost with: settings of the sender, and what a profile leaves open and pktgen fixes.
fn is_open(original: &Document, key: &str) -> bool {
    let is_fixed = [".ttl", ".hop_limit", ".id"].iter().any(|name| key.ends_with(name)) && key.contains(".ipv");
    let is_sender = key.starts_with("tx.") || ["name", "note"].contains(&key);
    is_sender || key.ends_with(".runt") || is_fixed && !original.is_written(key)
}

/// The script without the comments that say what its commands do not.
fn plain(original: &Document, script: &str) -> String {
    let rides = carry::carried(script, "#").filter(|(_, key, _)| !is_open(original, key));
    let rides: Vec<usize> = rides.map(|(line, ..)| line).collect();
    let lines = script.lines().zip(1..).filter(|(_, number)| !rides.contains(number));
    lines.map(|(line, _)| format!("{line}\n")).collect()
}

fn comes_back(original: &Document, script: &str) -> bool {
    let back = import(Dialect::Pktgen, "back", script.as_bytes(), &Given::default());
    let back = back.unwrap_or_else(|why| panic!("{why}\n{script}"));
    let back = Document::parse("back", &back.text).unwrap_or_else(|why| panic!("{why}\n{}", back.text));
    frames(&back, FRAMES) == frames(original, FRAMES)
}

#[test]
fn every_script_is_taken_and_an_empty_report_means_the_same_frames() {
    let mut runner = runner("pktgen", PROFILES);
    let (mut said, mut whole) = (0, 0);
    while said < PROFILES {
        let original = sayable(&mut runner);
        let Exported { text: script, report } = match export(Dialect::Pktgen, &original) {
            Ok(exported) => exported,
            Err(why) => {
                assert!(why.to_string().starts_with("flow.f0: pktgen"), "{why}");
                continue;
            }
        };
        said += 1;
        checker::check(&script);
        let shown = || format!("{:?}\n{}\n{script}", report, original.text());
        assert!(comes_back(&original, &script), "not even with what rides along: {}", shown());
        let by_commands = comes_back(&original, &plain(&original, &script));
        // An odometer's slower fields may not have turned yet.
        let is_slow = original.text().contains("nested");
        let judged = is_slow || report.notes.iter().any(|note| JUDGED.iter().any(|why| note.to_string().contains(why)));
        assert!(by_commands || !report.is_empty(), "not in the report: {}", shown());
        assert!(!by_commands || report.is_empty() || judged, "in the report for nothing: {}", shown());
        whole += u32::from(report.is_empty());
    }
    println!("pktgen: {whole} of {PROFILES} with nothing to report");
    assert!(100 * whole >= LEAST_SHARE * PROFILES, "{whole} of {PROFILES}");
}
