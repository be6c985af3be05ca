//! Out and back again: every shipped profile through every dialect.

use txdeck::{
    dialect::{Dialect, Exported, Given, Imported, export, import},
    profile::{Document, shipped},
};

fn there_and_back(dialect: Dialect, document: &Document) -> (Exported, Imported) {
    let exported = export(dialect, document).unwrap_or_else(|why| panic!("{why}"));
    let back = import(dialect, "back", exported.text.as_bytes(), &Given::default());
    (exported.clone(), back.unwrap_or_else(|why| panic!("{why}\n{}", exported.text)))
}

#[test]
fn look() {
    for (name, text) in shipped() {
        let document = Document::parse(name, text).unwrap();
        let (exported, imported) = there_and_back(Dialect::Pktgen, &document);
        println!(
            "=== {name}\n{}\n--- {}\n--- back {}",
            exported.text,
            exported.report.lines("").collect::<Vec<_>>().join("\n"),
            imported.report.lines("").collect::<Vec<_>>().join("\n")
        );
        let back = Document::parse("back", &imported.text).unwrap();
        println!("{}", if back.profile() == document.profile() { "SAME" } else { "DIFFERENT" });
        if back.profile() != document.profile() {
            println!("{}", imported.text);
        }
        let (exported, _) = there_and_back(Dialect::Command, &document);
        println!("{}", exported.text);
    }
}
