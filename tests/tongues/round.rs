//! For every shipped profile: export, import, and the same frames, or the report says why not.

use txdeck::{
    dialect::{Dialect, Given, export, import},
    profile::shipped,
};

use crate::{document, frames, plan};

/// Dialects with both directions that this file is about.
const BOTH: [Dialect; 2] = [Dialect::Trafgen, Dialect::TrexPython];

#[test]
fn every_shipped_profile_comes_back_as_it_was() {
    for dialect in BOTH {
        for (name, text) in shipped() {
            let original = document(text);
            let out = export(dialect, &original).expect(name);
            let back = import(dialect, name, out.text.as_bytes(), &Given::default());
            let back = back.unwrap_or_else(|refused| panic!("{name}: {refused}\n{}", out.text));
            assert!(back.report.is_empty(), "{name} in {}:\n{:?}\n{}", dialect.name(), back.report, out.text);
            assert_eq!(document(&back.text).profile(), original.profile(), "{name}:\n{}", out.text);
        }
    }
}

#[test]
fn without_what_rides_in_comments_an_empty_report_still_means_the_same_frames() {
    for dialect in BOTH {
        let mut empty = Vec::new();
        for (name, text) in shipped() {
            let original = document(text);
            let out = export(dialect, &original).expect(name);
            if !out.report.is_empty() {
                continue;
            }
            let plain: String =
                out.text.lines().filter(|line| !line.contains("txdeck: ")).map(|line| format!("{line}\n")).collect();
            let back = import(dialect, name, plain.as_bytes(), &Given::default()).expect(name);
            let (ours, theirs) = (plan(text), plan(&back.text));
            assert_eq!(ours.flows.len(), theirs.flows.len(), "{name}");
            for flow in 0..ours.flows.len() {
                assert_eq!(ours.flows[flow].name, theirs.flows[flow].name);
                assert!(frames(&ours, flow, 1000) == frames(&theirs, flow, 1000), "{name}:\n{plain}\n{}", back.text);
            }
            empty.push(*name);
        }
        assert!(empty.contains(&"udp-64") && empty.len() >= 4, "{}: {empty:?}", dialect.name());
    }
}
