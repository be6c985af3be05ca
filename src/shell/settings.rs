//! Changes to a profile from the command line, kept in the order in which they were written.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// `--set`, `--duration`, `--count` and `--queues`: all the same thing, applied left to right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(Vec<Setting>);

/// One change, as `Document::set` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub key: String,
    pub value: String,
}

/// The other names of `--set`: (id, key of the profile).
const ALIASES: [(&str, &str); 3] = [("duration", "duration"), ("count", "count"), ("queues", "queues")];

impl Settings {
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any of them sets this key of `tx`.
    pub fn names(&self, key: &str) -> bool {
        self.0.iter().any(|setting| setting.key.strip_prefix("tx.").unwrap_or(&setting.key) == key)
    }

    /// Settings from `KEY=VALUE` texts alone.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = &'a str>) -> Result<Settings, String> {
        pairs.into_iter().map(pair).collect::<Result<Vec<_>, _>>().map(Settings)
    }
}

impl Setting {
    pub fn new(key: &str, value: &str) -> Setting {
        let value = if key == "queues" || key == "tx.queues" { queue_list(value) } else { value.to_owned() };
        Setting { key: key.to_owned(), value }
    }
}

/// An empty value is an unset shell variable far more often than it is meant, and without its limit a run never ends.
fn written(option: &str, key: &str, value: &str) -> Result<Setting, String> {
    if !value.trim().is_empty() {
        return Ok(Setting::new(key, value.trim()));
    }
    let allowed = match key.strip_prefix("tx.").unwrap_or(key) {
        "count" | "duration" => "Give a number, 0 for no limit",
        _ => "Give a value",
    };
    Err(format!(
        "{option}: the value is empty (a shell variable that is not set?). {allowed}, or leave this option out"
    ))
}

fn pair(text: &str) -> Result<Setting, String> {
    match text.split_once('=').map(|(key, value)| (key.trim(), value)) {
        Some((key, value)) if !key.is_empty() => written(&format!("--set {key}="), key, value),
        _ => Err(format!("{text}: KEY=VALUE is wanted, as burst=64 or flow.a.udp.dst=53")),
    }
}

/// `0,2` and `0..3` as a TOML array; anything else goes on as it is, for the profile to judge.
fn queue_list(text: &str) -> String {
    let numbers = |text: &str| -> Option<Vec<u32>> { text.split(',').map(|part| part.trim().parse().ok()).collect() };
    let range = |text: &str| -> Option<Vec<u32>> {
        let (from, to) = text.split_once("..")?;
        let (from, to) = (from.trim().parse::<u32>().ok()?, to.trim_start_matches('=').trim().parse::<u32>().ok()?);
        (from <= to && to - from < 1024).then(|| (from..=to).collect())
    };
    numbers(text).or_else(|| range(text)).map_or_else(|| text.to_owned(), |queues| format!("{queues:?}"))
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        let arg = |id: &'static str, name: &'static str, help: &'static str| {
            Arg::new(id).long(id).value_name(name).help(help).action(ArgAction::Append).allow_hyphen_values(true)
        };
        command
            .arg(arg("queues", "LIST", "Queues to send on, one sender each: 0,2 or 0..3"))
            .arg(arg("duration", "TIME", "Stop after 1.5s, 250ms, 2m; 0 is no limit"))
            .arg(arg("count", "COUNT", "Stop after this many packets, copies included").short('n'))
            .arg(arg("set", "KEY=VALUE", "Change the profile: burst=64, flow.a.udp.dst=53").short('s'))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut found = Vec::new();
        for (id, key) in ALIASES {
            for (at, value) in placed(matches, id) {
                found.push((at, written(&format!("--{id}"), key, value).map_err(refused)?));
            }
        }
        for (at, text) in placed(matches, "set") {
            found.push((at, pair(text).map_err(refused)?));
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(Settings(found.into_iter().map(|(_, setting)| setting).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn refused(why: String) -> Error {
    Error::raw(clap::error::ErrorKind::ValueValidation, why)
}

/// The values of one option with their places on the command line.
fn placed<'a>(matches: &'a ArgMatches, id: &str) -> impl Iterator<Item = (usize, &'a String)> {
    let places = matches.indices_of(id).into_iter().flatten();
    places.zip(matches.get_many::<String>(id).into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        settings: Settings,
    }

    fn settings(line: &[&str]) -> Vec<(String, String)> {
        let line = Line::try_parse_from([&["txdeck"], line].concat()).unwrap();
        line.settings.iter().map(|setting| (setting.key.clone(), setting.value.clone())).collect()
    }

    fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()
    }

    #[test]
    fn options_apply_left_to_right_whatever_their_names() {
        let line = ["-s", "count=5", "--duration", "2s", "-n", "7", "--set", "duration=3s", "--queues", "0..2"];
        let expected =
            [("count", "5"), ("duration", "2s"), ("count", "7"), ("duration", "3s"), ("queues", "[0, 1, 2]")];
        assert_eq!(settings(&line), owned(&expected));
        let other_way = ["-n", "7", "-s", "count=5"];
        assert_eq!(settings(&other_way), owned(&[("count", "7"), ("count", "5")]));
    }

    #[test]
    fn only_the_first_equals_sign_divides() {
        assert_eq!(settings(&["-s", "flow.a.note=a=b"]), owned(&[("flow.a.note", "a=b")]));
        assert!(Line::try_parse_from(["txdeck", "-s", "burst"]).is_err());
        assert!(Line::try_parse_from(["txdeck", "-s", "=3"]).is_err());
    }

    #[test]
    fn an_empty_value_is_refused_and_never_means_no_limit() {
        let empty: [&[&str]; 7] = [
            &["--duration", ""],
            &["--count="],
            &["-n", " "],
            &["--queues", ""],
            &["-s", "duration="],
            &["-s", "tx.count= "],
            &["-s", "flow.a.size="],
        ];
        for line in empty {
            let refused = Line::try_parse_from([&["txdeck"], line].concat()).unwrap_err().to_string();
            assert!(refused.contains("the value is empty"), "{line:?}: {refused}");
        }
        assert!(Settings::from_pairs(["count="]).unwrap_err().contains("0 for no limit"));
        assert_eq!(settings(&["-s", "note=\"\"", "-n", "0"]), owned(&[("note", "\"\""), ("count", "0")]));
    }

    #[test]
    fn queues_are_lists_or_ranges_and_anything_else_is_left_to_the_profile() {
        for (text, list) in [("0", "[0]"), ("0,1", "[0, 1]"), ("0..3", "[0, 1, 2, 3]"), ("1..=2", "[1, 2]")] {
            assert_eq!(queue_list(text), list);
        }
        for odd in ["", "a", "3..1", "[0]", "0..4000000000"] {
            assert_eq!(queue_list(odd), odd);
        }
    }

    #[test]
    fn a_key_is_found_with_and_without_its_table() {
        let settings = Settings::from_pairs(["tx.queues=0,1", "burst=3"]).unwrap();
        assert!(settings.names("queues") && settings.names("burst") && !settings.names("clone"));
    }
}
