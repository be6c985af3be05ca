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

/// Each file's first lines (`# expect: …`) are exactly what it must give; `BLESS=1` prints what it gives.
#[test]
fn every_broken_profile_gives_its_message() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad/profiles");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of broken profiles")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    assert!(names.len() >= 30, "{} broken profiles", names.len());
    let mut wrong = String::new();
    for name in names {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("a readable file");
        let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# expect: ")).collect();
        let got = match Document::parse(&name, &text) {
            Ok(_) => "nothing wrong".to_string(),
            Err(problems) => problems.to_string(),
        };
        if expected.join("\n") != got {
            wrong.push_str(&format!("## {name}\n{got}\n"));
        }
    }
    assert!(wrong.is_empty(), "these give other messages:\n{wrong}");
}
