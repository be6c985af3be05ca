//! How a report of an import or export reaches people and scripts: a line a note, on stderr.

use serde_json::json;

use crate::{
    dialect::Report,
    shell::{args::Format, output::say},
};

/// Notes as sentences, or as objects. Without notes nothing is said.
pub fn tell(report: &Report, file: &str, format: Format) {
    match format {
        Format::Text => report.lines(file).for_each(|line| say(&line)),
        Format::Json => report.notes.iter().for_each(|note| {
            let object = json!({
                "type": "note", "version": 1, "file": file, "line": note.line, "kind": note.kind.word(),
                "text": note.text, "message": note.sentence,
            });
            say(&object.to_string());
        }),
    }
}
