//! A `txdeck run` command line: a shipped profile and the settings that make it another, or a whole profile behind it.

use crate::{
    dialect::{Exported, Given, Imported, Kind, Refused, Report, carry},
    profile::{Document, Flow, Ip, shipped},
};

/// More settings than this are no line any more.
const MOST_SETTINGS: usize = 40;
/// What begins and ends a profile behind the command.
const END: &str = "TXDECK";

/// The shipped profile that needs the fewest settings; where none can be made into this one, the profile itself.
pub fn export(document: &Document) -> Result<Exported, Refused> {
    let candidates = shipped().iter().filter_map(|(name, text)| {
        let settings = distance(document, &Document::parse(name, text).ok()?)?;
        Some((settings, *name))
    });
    let nearest =
        candidates.filter(|(settings, _)| settings.len() <= MOST_SETTINGS).min_by_key(|(settings, _)| settings.len());
    let text = match nearest {
        Some((settings, name)) => {
            let words = settings.iter().map(|(key, value)| format!(" -s {}", in_quotes(&format!("{key}={value}"))));
            format!("txdeck run {name}{}\n", words.collect::<String>())
        }
        None => format!("txdeck run - <<'{END}'\n{}\n{END}\n", document.text().trim_end()),
    };
    Ok(Exported { text, report: Report::default() })
}

/// Name and note are no part of what is sent.
fn is_title(key: &str) -> bool {
    key == "name" || key == "note"
}

/// The settings that lead from one to the other; `None` where none do.
fn distance(wanted: &Document, from: &Document) -> Option<Vec<(String, String)>> {
    let mut at = from.clone();
    let mut settings = Vec::new();
    let names = |document: &Document| document.profile().flows.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>();
    let mut flows = wanted.profile().flows.iter().zip(&from.profile().flows);
    if names(wanted).len() != names(from).len() || flows.any(|(wanted, from)| !has_headers_of(wanted, from)) {
        return None;
    }
    for (old, new) in names(from).into_iter().zip(names(wanted)).filter(|(old, new)| old != new) {
        let key = format!("flow.{old}.name");
        at.set(&key, &new).ok()?;
        settings.push((key, new));
    }
    for (key, value) in carry::settings(wanted, &at).into_iter().filter(|(key, _)| !is_title(key)) {
        // An empty value would take a field out, which a command line cannot say.
        if value.is_empty() || value.contains('\n') {
            return None;
        }
        at.set(&key, &value).ok()?;
        settings.push((key, value));
    }
    let mut profile = at.profile().clone();
    (profile.name, profile.note) = (wanted.profile().name.clone(), wanted.profile().note.clone());
    (profile == *wanted.profile()).then_some(settings)
}

/// No setting takes a header out.
fn has_headers_of(wanted: &Flow, from: &Flow) -> bool {
    let headers = |flow: &Flow| {
        [
            flow.raw.is_some(),
            flow.replay.is_some(),
            flow.arp.is_some(),
            matches!(flow.ip, Some(Ip::V4(_))),
            matches!(flow.ip, Some(Ip::V6(_))),
            flow.udp.is_some(),
            flow.tcp.is_some(),
            flow.icmp.is_some(),
            flow.icmpv6.is_some(),
        ]
    };
    let has_all = headers(wanted).into_iter().zip(headers(from)).all(|(wanted, from)| wanted || !from);
    has_all && wanted.vlan.len() >= from.vlan.len() && wanted.mpls.len() >= from.mpls.len()
}

fn in_quotes(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._=:-/,+@".contains(c);
    if text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Reads such a line back.
pub fn import(file: &str, text: &str, _: &Given) -> Result<Imported, Refused> {
    let mut report = Report::default();
    let mut lines = text.lines().zip(1..);
    let line = lines.by_ref().find(|(line, _)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let (line, number) = line.ok_or_else(|| Refused::whole(file, "there is no command in it"))?;
    let words = words(line).ok_or_else(|| Refused::at(file, number, "a quote is never closed"))?;
    let mut words = words.iter().map(String::as_str).peekable();
    if (words.next(), words.next()) != (Some("txdeck"), Some("run")) {
        return Err(Refused::at(file, number, "only \"txdeck run PROFILE …\" is read"));
    }
    let Some(base) = words.next() else {
        return Err(Refused::at(file, number, "no profile is named"));
    };
    let behind: Vec<&str> = lines.map(|(line, _)| line).take_while(|line| *line != END).collect();
    let behind = behind.join("\n") + "\n";
    let text = match shipped().iter().find(|(name, _)| *name == base.trim_start_matches("shipped:")) {
        Some((_, text)) => *text,
        None if base == "-" => &behind,
        None => return Err(Refused::at(file, number, format!("{base}: only shipped profiles and - are read here"))),
    };
    let mut document = Document::parse(file, text).map_err(|why| Refused::whole(file, why.to_string()))?;
    while let Some(word) = words.next() {
        let (option, attached) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        let key = match option {
            "-s" | "--set" => "",
            "-n" | "--count" => "count",
            "--duration" => "duration",
            "--queues" => "queues",
            "-i" | "--device" => "device",
            _ if option.starts_with("<<") => continue,
            _ => {
                report.add(Kind::Dropped, number, word, "an option of the run, which a profile does not keep");
                continue;
            }
        };
        let value = attached.filter(|_| option.starts_with("--")).or_else(|| words.next()).unwrap_or_default();
        let (key, value) = if key.is_empty() { value.split_once('=').unwrap_or((value, "")) } else { (key, value) };
        document.set(key, value).map_err(|why| Refused::at(file, number, why.to_string()))?;
    }
    Ok(Imported { text: document.text().to_owned(), report })
}

/// Words as a shell parts them: blanks, both kinds of quotes, backslashes.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut all, mut word, mut begun, mut quote) = (Vec::new(), String::new(), false, None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(sign), _) if letter == sign => quote = None,
            (Some('"') | None, '\\') => word.extend(letters.next()),
            (Some(_), _) => word.push(letter),
            (None, '\'' | '"') => (quote, begun) = (Some(letter), true),
            (None, _) if letter.is_whitespace() => {
                if begun || !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (None, _) => word.push(letter),
        }
    }
    if begun || !word.is_empty() {
        all.push(word);
    }
    quote.is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_parted_as_a_shell_does() {
        let parted = words("a 'b c'  \"d\\\"e\" f\\ g ''").expect("whole");
        assert_eq!(parted, ["a", "b c", "d\"e", "f g", ""]);
        assert_eq!(words("a 'b"), None);
        let odd = "x='y' z\"$";
        assert_eq!(words(&in_quotes(odd)).expect("whole"), [odd]);
    }

    #[test]
    fn a_shipped_profile_is_its_name() {
        for (name, text) in shipped() {
            let document = Document::parse(name, text).expect("valid");
            assert_eq!(export(&document).expect("always").text, format!("txdeck run {name}\n"));
        }
    }
}
