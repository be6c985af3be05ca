//! `--set`, the short forms, and every change of a text in place: a refused change changes nothing, a taken one reads back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use txdeck::profile::{Document, shipped};

/// Lines of one input that are carried out.
const LINES: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let profiles = shipped();
    let (name, start) = profiles[usize::from(*which) % profiles.len()];
    let mut document = Document::parse(name, start).expect("shipped profiles are valid");
    for line in text.lines().take(LINES) {
        let before = document.clone();
        let taken = change(&mut document, line);
        match taken {
            Ok(()) => read_back(&document, line),
            Err(problems) => {
                assert!(!problems.to_string().is_empty());
                assert_eq!((document.text(), document.profile()), (before.text(), before.profile()), "{line}");
            }
        }
    }
    txdeck_fuzz::document(&document);
});

type Taken = Result<(), txdeck::profile::Problems>;

fn change(document: &mut Document, line: &str) -> Taken {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["+", name] => document.add_flow(name),
        ["=", from, name] => document.copy_flow(from, name),
        ["-", name] => document.remove_flow(name),
        [">", name, to] => document.move_flow(name, to.parse().unwrap_or(0)),
        _ => {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            document.set(key, value)
        }
    }
}

/// The text holds what the profile says; a field's value as `get` shows it is taken back and means the same.
fn read_back(document: &Document, line: &str) {
    let again = Document::parse("again", document.text()).unwrap_or_else(|why| panic!("{line}: {why}"));
    assert_eq!(again.profile().flows, document.profile().flows, "{line}");
    let Some((key, _)) = line.split_once('=') else { return };
    let Some(shown) = document.get(key) else { return };
    let mut same = document.clone();
    same.set(key, &shown).unwrap_or_else(|why| panic!("{key} = {shown}: {why}"));
    // A new name is another flow's.
    if !key.ends_with("name") {
        assert_eq!(same.profile(), document.profile(), "{key} = {shown}");
    }
}
