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
    let keys = keys(original);
    // Some settings fit only when others stand already: a size beside a rate.
    for _ in 0..PASSES {
        let found = carried.len();
        for key in &keys {
            let Some(setting) = difference(original, &back, key) else { continue };
            if take(&mut back, std::slice::from_ref(&setting)) {
                carried.push(setting);
                continue;
            }
            // Others are only valid together: a kind of payload and its bytes.
            let together = beside(original, &back, &keys, key);
            if together.len() > 1 && take(&mut back, &together) {
                carried.extend(together);
            }
        }
        if carried.len() == found {
            break;
        }
    }
    carried
}

const PASSES: usize = 3;

fn difference(original: &Document, back: &Document, key: &str) -> Option<(String, String)> {
    let value = original.get(key).filter(|value| back.get(key).as_ref() != Some(value))?;
    Some((key.to_owned(), value))
}

/// All that differs in the header of a key.
fn beside(original: &Document, back: &Document, keys: &[String], key: &str) -> Vec<(String, String)> {
    let header = |key: &str| key.rsplit_once('.').map(|(header, _)| header.to_owned());
    let beside = keys.iter().filter(|other| header(other) == header(key));
    beside.filter_map(|key| difference(original, back, key)).collect()
}

/// Whether the settings fit and change something: two spellings of one value are no difference.
fn take(back: &mut Document, settings: &[(String, String)]) -> bool {
    let before = back.profile().clone();
    let pairs: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    back.set_together(&pairs).is_ok() && *back.profile() != before
}

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
    fn what_is_only_valid_together_rides_along_too() {
        let text = format!("{HERE}payload = {{ kind = \"hex\", bytes = \"01 02\" }}\n");
        let original = Document::parse("", &text).expect("valid");
        let mut back = Document::parse("", HERE).expect("valid");
        let carried = settings(&original, &back);
        let keys: Vec<&str> = carried.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["flow.a.payload.kind", "flow.a.payload.bytes"]);
        let comments: String = carried.iter().map(|(key, value)| comment("#", key, value)).collect();
        restore(&mut back, &comments, "#", &mut Report::default());
        assert_eq!(back.profile(), original.profile());
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
