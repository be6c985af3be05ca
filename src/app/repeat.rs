//! The command that repeats what the console did: `txdeck run …` with the place and every field that differs from what
//! is on disk.

use std::fmt::Write;

use crate::profile::{
    Document,
    field::{self, FIELDS, Field, Shape},
};

use super::App;

impl App {
    /// One line for a shell. Changes that no setting can express are named, and want the profile saved first.
    pub fn command(&self) -> String {
        let mut command = format!("txdeck run {}", quoted(&self.open.name));
        if let Some(place) = &self.place {
            let _ = write!(command, " {}", place.option);
        }
        let (now, saved) = (self.open.document(), self.open.saved());
        let settings = settings(saved, now);
        let is_whole = is_repeated(saved, now, &settings);
        for (key, value) in settings {
            let key = key.strip_prefix("tx.").unwrap_or(&key).to_owned();
            let _ = write!(command, " -s {}", quoted(&format!("{key}={value}")));
        }
        if self.open.is_imported() {
            command += "   # once it is saved";
        } else if !is_whole {
            command += "   # and what was not saved: flows or headers that differ";
        }
        command
    }
}

/// Fields that both have and that differ, as `--set` takes them.
fn settings(saved: &Document, now: &Document) -> Vec<(String, String)> {
    let keys = FIELDS.iter().flat_map(|field| keys(field, now));
    let differing = keys.filter_map(|key| {
        let value = now.get(&key).filter(|value| saved.get(&key).as_ref() != Some(value))?;
        Some((key, value.trim_matches('"').to_owned()))
    });
    differing.collect()
}

/// A row of the table as the keys it has in this profile: one for each flow and VLAN tag.
fn keys(field: &Field, document: &Document) -> Vec<String> {
    let Some(rest) = field.key.strip_prefix("flow.") else { return vec![field.key.to_owned()] };
    let flows = document.profile().flows.iter();
    let is_many = field::group(field::parent(field.key)).is_some_and(|group| group.shape == Shape::Many);
    match rest.split_once('.').filter(|(_, name)| is_many && !name.contains('.')) {
        None => flows.map(|flow| format!("flow.{}.{rest}", flow.name)).collect(),
        Some((header, rest)) => flows
            .flat_map(|flow| {
                (0..flow.count_of(header)).map(move |at| format!("flow.{}.{header}.{at}.{rest}", flow.name))
            })
            .collect(),
    }
}

/// Whether the settings make the one profile out of the other.
fn is_repeated(saved: &Document, now: &Document, settings: &[(String, String)]) -> bool {
    let mut again = saved.clone();
    // One after the other, as the command line does.
    let taken = settings.iter().try_for_each(|(key, value)| again.set(key, value));
    taken.is_ok() && again.profile() == now.profile()
}

/// As one word of a shell.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "=._:/,-+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(changes: &[(&str, &str)]) -> (Document, Document) {
        let text = crate::profile::shipped().iter().find(|(name, _)| *name == "vlan-qinq").unwrap().1;
        let saved = Document::parse("p", text).unwrap();
        let mut now = saved.clone();
        changes.iter().for_each(|(key, value)| now.set(key, value).unwrap());
        (saved, now)
    }

    #[test]
    fn every_field_that_differs_is_set() {
        let name = document(&[]).0.profile().flows[0].name.clone();
        let (ttl, pcp, port) =
            (format!("flow.{name}.ipv4.ttl"), format!("flow.{name}.vlan.1.pcp"), format!("flow.{name}.udp.dst"));
        let changes = [("tx.rate", "10 Gbit/s"), (&ttl, "1..9"), (&pcp, "5"), (&port, "9,53"), ("tx.mode", "copy")];
        let (saved, now) = document(&changes.map(|(key, value)| (key as &str, value)));
        let settings = settings(&saved, &now);
        assert_eq!(settings.len(), 5, "{settings:?}");
        assert!(is_repeated(&saved, &now, &settings), "{settings:?}");
    }

    #[test]
    fn what_no_setting_expresses_is_not_passed_over() {
        let (saved, mut now) = document(&[]);
        now.add_flow("another").unwrap();
        assert!(!is_repeated(&saved, &now, &settings(&saved, &now)));
    }

    #[test]
    fn words_of_a_shell_are_one_word() {
        assert_eq!(quoted("burst=64"), "burst=64");
        assert_eq!(quoted("rate=10 Gbit/s"), "'rate=10 Gbit/s'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
