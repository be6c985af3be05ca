//! Profiles from the outside: shipped ones, broken ones, editing, and round trips.

use txdeck::profile::{Document, shipped};

fn parse(text: &str) -> Document {
    Document::parse("t.toml", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

#[test]
fn every_shipped_profile_is_valid_and_its_effective_text_means_the_same() {
    assert!(shipped().len() >= 8);
    for (name, text) in shipped() {
        let document = parse(text);
        assert_eq!(document.profile().name, *name);
        assert_eq!(document.text(), *text);
        assert_eq!(parse(&document.effective()).profile(), document.profile(), "{}", document.effective());
        println!("{}", document.effective());
        for n in document.notes() {
            println!("{n}");
        }
    }
}
