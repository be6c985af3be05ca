//! What a profile says about its sender, and the defaults it leaves open, have no place in most dialects and are no
//! loss there. They ride along in comments (`# txdeck: KEY = VALUE`) so that the way back leads to the same profile.

use crate::profile::{
    Document,
    field::{self, FIELDS, Shape},
};

use super::report::Report;

/// What stands between a comment's sign and the setting.
const MARK: &str = "txdeck:";

/// The settings that turn `back` (what an import makes of the exported text) into `original`: `KEY`, `VALUE`, in the
/// order of the table. What no setting mends (another number of flows) stays as it is.
pub fn settings(original: &Document, back: &Document) -> Vec<(String, String)> {
    let mut back = back.clone();
    let mut carried = Vec::new();
    // Some settings fit only when others stand already: a size beside a rate.
    for key in keys(original).into_iter().cycle().take(PASSES * keys(original).len()) {
        let Some(value) = original.get(&key).filter(|value| back.get(&key).as_ref() != Some(value)) else { continue };
        let before = back.profile().clone();
        // Two spellings of one value are no difference.
        if back.set(&key, &value).is_ok() && *back.profile() != before {
            carried.push((key, value));
        }
    }
    carried
}

const PASSES: usize = 3;

/// Every key that a document could answer, headers in lists by their numbers.
pub fn keys(document: &Document) -> Vec<String> {
    let mut all = Vec::new();
    for field in FIELDS.iter().filter(|field| field.key != "version") {
        let Some(rest) = field.key.strip_prefix("flow.") else {
            all.push(field.key.to_owned());
            continue;
        };
        for flow in &document.profile().flows {
            let name = &flow.name;
            let many = rest.split_once('.').filter(|(header, _)| is_many(header));
            match many {
                None => all.push(format!("flow.{name}.{rest}")),
                Some((header, rest)) => {
                    let numbered = (0..).map(|n| format!("flow.{name}.{header}.{n}.{rest}"));
                    all.extend(numbered.take_while(|key| document.get(key).is_some()));
                }
            }
        }
    }
    all
}

fn is_many(header: &str) -> bool {
    field::group(&format!("flow.{header}")).is_some_and(|group| group.shape == Shape::Many)
}

/// A comment line that carries one setting.
pub fn comment(sign: &str, key: &str, value: &str) -> String {
    format!("{sign} {MARK} {key} = {value}\n")
}

/// The settings in a text's comments, with their lines.
pub fn carried<'t>(text: &'t str, sign: &'t str) -> impl Iterator<Item = (usize, &'t str, &'t str)> {
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let (key, value) = line.trim().strip_prefix(sign)?.trim_start().strip_prefix(MARK)?.split_once('=')?;
        Some((number, key.trim(), value.trim()))
    })
}

/// Applies what rides along in the comments; what the document refuses becomes a note.
pub fn restore(document: &mut Document, text: &str, sign: &str, report: &mut Report) {
    let found: Vec<(usize, &str, &str)> = carried(text, sign).collect();
    let together: Vec<(&str, &str)> = found.iter().map(|(_, key, value)| (*key, *value)).collect();
    if together.is_empty() || document.set_together(&together).is_ok() {
        return;
    }
    for (line, key, value) in found {
        if let Err(problems) = document.set(key, value) {
            report.dropped(line, &format!("{key} = {value}"), problems.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "version = 1\n[tx]\nburst = 8\n[[flow]]\nname = \"a\"\nsize = 68\n\
        eth = { dst = \"02:00:00:00:00:02\" }\nvlan = [{ id = 7 }]\nipv4 = { ttl = 0x20 }\nudp = {}\n";

    #[test]
    fn what_differs_rides_along_and_comes_back() {
        let original = Document::parse("", HERE).expect("valid");
        let text = HERE.replace("burst = 8\n", "").replace("id = 7", "id = 8").replace("0x20", "32");
        let mut back = Document::parse("", &text).expect("valid");
        let carried = settings(&original, &back);
        let pairs: Vec<(&str, &str)> = carried.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("tx.burst", "8"), ("flow.a.vlan.0.id", "7")]);
        let comments: String = pairs.iter().map(|(key, value)| comment("#", key, value)).collect();
        let mut report = Report::default();
        restore(&mut back, &comments, "#", &mut report);
        assert_eq!((back.profile(), report.is_empty()), (original.profile(), true));
    }

    #[test]
    fn a_comment_that_does_not_fit_is_named() {
        let mut document = Document::parse("", HERE).expect("valid");
        let mut report = Report::default();
        restore(&mut document, "x\n# txdeck: flow.b.size = 60\n#txdeck: burst=4\n", "#", &mut report);
        assert_eq!((report.notes.len(), report.notes[0].line), (1, 2));
        assert_eq!(document.profile().tx.burst, 4);
    }
}
