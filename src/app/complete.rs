//! What Tab offers on the `:` line: commands, keys of the open profile, the values a field takes, and names.

use crate::profile::{
    Document,
    field::{self, FIELDS, Field, Shape, field},
    kind::Kind,
};

use super::{
    command::{Argument, COMMANDS, command_row},
    tongues::{Folder, Tongues},
};

/// What the names of things come from.
pub(super) struct Names<'a> {
    pub document: &'a Document,
    pub own_profiles: Vec<&'a str>,
    pub profiles: Vec<&'a str>,
    pub themes: &'a [String],
    pub tongues: &'a Tongues,
    pub files: Option<&'a Folder>,
    pub devices: Vec<&'a str>,
}

/// Every continuation of what stands before the cursor, each as the whole text it leads to. Those that begin with
/// what was typed come alone; else those that hold it.
pub(super) fn candidates(before: &str, names: &Names) -> Vec<String> {
    let (lead, word, all) = offered(before, names);
    let begins: Vec<&String> = all.iter().filter(|one| one.starts_with(word)).collect();
    let found = match begins.is_empty() {
        false => begins,
        true => all.iter().filter(|one| one.contains(word)).collect(),
    };
    let mut found: Vec<String> = found.into_iter().map(|one| format!("{lead}{one}")).collect();
    let mut seen = std::collections::HashSet::new();
    found.retain(|one| seen.insert(one.clone()));
    found
}

/// What stays, the word to continue, and everything that could stand in its place.
fn offered<'a>(before: &'a str, names: &Names) -> (&'a str, &'a str, Vec<String>) {
    if let Some(at) = before.find('=')
        && !before[..at].trim().contains(char::is_whitespace)
    {
        let (lead, word) = before.split_at(at + 1);
        return (lead, word, values(before[..at].trim().trim_start_matches(':'), names));
    }
    let start = before.len() - before.trim_start_matches([' ', ':']).len();
    match before[start..].find(' ') {
        None => (&before[..start], &before[start..], first_words(&before[start..], names.document)),
        Some(space) => {
            let row = command_row(&before[start..start + space]);
            let rest = start + space;
            let word_at = rest + (before[rest..].len() - before[rest..].trim_start().len());
            let (lead, word) = before.split_at(word_at);
            match (row.map(|row| row.argument), word.rfind(char::is_whitespace)) {
                (Some(argument @ (Argument::Foreign | Argument::Tongue)), Some(blank)) => {
                    let (lead, word) = before.split_at(word_at + blank + 1);
                    (lead, word, second(argument, names))
                }
                (argument, _) => (lead, word, argument.map_or_else(Vec::new, |argument| arguments(argument, names))),
            }
        }
    }
}

fn first_words(word: &str, document: &Document) -> Vec<String> {
    let mut all: Vec<String> = COMMANDS
        .iter()
        .map(|row| match row.argument {
            Argument::Nothing => row.name.to_owned(),
            _ => format!("{} ", row.name),
        })
        .collect();
    let keys = || keys(document).into_iter().map(|key| format!("{key}="));
    if word.contains('.') {
        return steps(word, keys());
    }
    all.extend(keys().filter_map(|key| key.strip_prefix("tx.").map(str::to_owned)));
    all.extend(["name=".into(), "note=".into(), "tx.".into(), "flow.".into()]);
    // What stands inside a flow is found by its own name, too.
    if word.len() >= 2 && !all.iter().any(|one| one.contains(word)) {
        all.extend(keys().filter(|key| key.contains(word)));
    }
    all
}

/// Keys up to the next dot behind what was typed: a profile of many flows is walked, not listed.
fn steps(word: &str, keys: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for key in keys {
        let step = match key.strip_prefix(word).and_then(|rest| rest.find('.')) {
            Some(dot) => key[..=word.len() + dot].to_owned(),
            None => key,
        };
        if found.last() != Some(&step) {
            found.push(step);
        }
    }
    found
}

/// Every key that can be set now, in the order of the profile; those that would add a header come last in their flow.
pub(super) fn keys(document: &Document) -> Vec<String> {
    let top = FIELDS.iter().filter(|field| field.key != "version" && !field.key.starts_with("flow."));
    let mut all: Vec<String> = top.map(|field| field.key.to_owned()).collect();
    for flow in &document.profile().flows {
        let mut adding = Vec::new();
        for key in FIELDS.iter().filter_map(|field| field.key.strip_prefix("flow.")) {
            let Some((header, name)) = key.split_once('.') else {
                all.push(format!("flow.{}.{key}", flow.name));
                continue;
            };
            // What cannot stand beside the headers that are there is not offered.
            if !flow.takes(header) {
                continue;
            }
            let is_many = field::group(&format!("flow.{header}")).is_some_and(|group| group.shape == Shape::Many);
            let count = flow.count_of(header);
            let numbered = |n: usize| format!("flow.{}.{header}.{n}.{name}", flow.name);
            match is_many {
                true => {
                    all.extend((0..count).map(numbered));
                    adding.push(numbered(count));
                }
                false if count > 0 => all.push(format!("flow.{}.{key}", flow.name)),
                false => adding.push(format!("flow.{}.{key}", flow.name)),
            }
        }
        all.extend(adding);
    }
    all
}

/// The row of the table behind a key as it is written: `burst`, `tx.burst`, `flow.NAME.vlan.0.id`, `flow.udp.dst`.
pub(super) fn field_of(key: &str) -> Option<&'static Field> {
    if !key.contains('.') {
        return field(&format!("tx.{key}")).or_else(|| field(key)).filter(|field| field.key != "version");
    }
    if let Some(found) = field(key) {
        return Some(found);
    }
    let (_, rest) = key.strip_prefix("flow.")?.split_once('.')?;
    let parts: Vec<&str> = rest.split('.').filter(|part| part.parse::<u32>().is_err()).collect();
    field(&format!("flow.{}", parts.join(".")))
}

/// The present value first, so that Tab brings it for editing; then the words of the field.
fn values(key: &str, names: &Names) -> Vec<String> {
    let Some(field) = field_of(key) else { return Vec::new() };
    let mut all: Vec<String> = names.document.get(key).filter(|value| !value.is_empty()).into_iter().collect();
    let series = |from: u64, to: u64| {
        let powers = std::iter::successors(Some(from.max(1)), |n| n.checked_mul(2)).take_while(move |n| *n <= to);
        powers.map(|n| n.to_string())
    };
    let tx = &names.document.profile().tx;
    match (field.key, field.kind) {
        ("tx.burst", _) => all.extend(series(1, u64::from(tx.ring / 2))),
        ("tx.device", _) => all.extend(names.devices.iter().map(|name| (*name).to_owned())),
        ("flow.size", _) => {
            all.extend(["60", "124", "252", "508", "1020", "1276", "1514", "imix 60:7,590:4,1514:1"].map(str::to_owned))
        }
        (_, Kind::Choice(words) | Kind::Words(words)) => all.extend(words.iter().map(|word| (*word).to_owned())),
        (_, Kind::Flags(names)) => all.extend(names.iter().map(|name| (*name).to_owned())),
        (_, Kind::Switch) => all.extend(["true", "false"].map(str::to_owned)),
        (_, Kind::OneOf(numbers)) => all.extend(numbers.iter().map(u64::to_string)),
        (_, Kind::PowerOfTwo { min, max }) => all.extend(series(min, max)),
        (_, Kind::Rate) => {
            all.extend(["max", "1k", "10k", "100k", "1M", "1 Gbit/s", "10 Gbit/s L1"].map(str::to_owned))
        }
        (_, Kind::Duration) => all.extend(["0s", "1s", "10s", "1m"].map(str::to_owned)),
        (_, Kind::Mac { word }) => all.push(word.to_owned()),
        _ => {}
    }
    all
}

fn arguments(argument: Argument, names: &Names) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    match argument {
        Argument::Nothing | Argument::Axes => Vec::new(),
        Argument::OwnProfile => owned(&names.own_profiles),
        Argument::Profile => owned(&names.profiles),
        Argument::Theme => names.themes.to_vec(),
        Argument::Foreign => files(names),
        Argument::Tongue => names.tongues.written.iter().map(|name| format!("{name} ")).collect(),
        Argument::Picture => vec!["txdeck.svg".into(), "txdeck.txt".into()],
        Argument::Topic => {
            let keys = FIELDS.iter().map(|field| field.key.strip_prefix("tx.").unwrap_or(field.key).to_owned());
            keys.chain(COMMANDS.iter().map(|row| row.name.to_owned())).collect()
        }
    }
}

/// What may stand behind the first argument of a command that takes two.
fn second(argument: Argument, names: &Names) -> Vec<String> {
    match argument {
        Argument::Foreign => names.tongues.read.clone(),
        _ => files(names),
    }
}

fn files(names: &Names) -> Vec<String> {
    let Some(folder) = names.files else { return Vec::new() };
    folder.names.iter().map(|name| format!("{}{name}", folder.path)).collect()
}

/// The folder whose files may be continued here, as it is typed; `None`: no file is typed.
pub(super) fn folder_of(before: &str) -> Option<&str> {
    let (command, rest) = before.trim_start_matches([' ', ':']).split_once(' ')?;
    let typed = match command_row(command)?.argument {
        Argument::Foreign => rest.trim_start(),
        Argument::Tongue => rest.trim_start().split_once(' ')?.1.trim_start(),
        _ => return None,
    };
    Some(typed.rfind('/').map_or("", |slash| &typed[..=slash]))
}

/// The longest text that all candidates begin with.
pub(super) fn common(candidates: &[String]) -> String {
    let Some((first, rest)) = candidates.split_first() else { return String::new() };
    let mut end = first.len();
    for other in rest {
        let same = first.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        end = end.min(same);
    }
    first[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::shipped;

    fn complete(before: &str) -> Vec<String> {
        let text = shipped().iter().find(|(name, _)| *name == "vlan-qinq").unwrap().1;
        let document = Document::parse("", text).unwrap();
        let themes = ["dark".to_owned(), "light".to_owned()];
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let tongues = Tongues { read: owned(&["pktgen", "dpdk"]), written: owned(&["pktgen", "trex"]) };
        let folder = Folder { path: "old/".into(), names: owned(&["a.sh", "b c.pkt", "deep/"]) };
        let names = Names {
            document: &document,
            own_profiles: vec!["mine"],
            profiles: vec!["mine", "udp-64", "udp-64-clone"],
            themes: &themes,
            devices: vec!["eth1", "sim"],
            tongues: &tongues,
            files: Some(&folder),
        };
        candidates(before, &names)
    }

    #[test]
    fn commands_and_keys_are_offered_together() {
        assert_eq!(complete("b"), ["busy_poll=", "burst="]);
        assert_eq!(complete("st"), ["start", "stop"]);
        assert_eq!(complete(":bur"), [":burst="]);
        assert!(complete("").len() > COMMANDS.len());
        assert!(complete("ttl").iter().all(|one| one.ends_with(".ttl=")), "{:?}", complete("ttl"));
    }

    #[test]
    fn keys_are_walked_step_by_step() {
        let flow = complete("flow.");
        assert_eq!(flow.len(), 1, "{flow:?}");
        let udp = complete(&format!("{}u", flow[0]));
        assert_eq!(udp, [format!("{}udp.", flow[0])]);
        let ports = complete(&udp[0]);
        assert!(ports.iter().any(|key| key.ends_with(".udp.dst=")), "{ports:?}");
        assert!(complete(&format!("{}ipv6", flow[0])).is_empty(), "the flow is IPv4");
        let tags = complete(&format!("{}vlan.", flow[0]));
        assert_eq!(tags.len(), 3, "two tags and one to add: {tags:?}");
    }

    #[test]
    fn headers_are_offered_where_they_may_stand() {
        let of = |headers: &str, before: &str| {
            let eth = if headers.contains("raw") { "" } else { "eth = { dst = \"02:00:00:00:00:02\" }\n" };
            let text = format!("version = 1\n[[flow]]\nname = \"a\"\nsize = 200\n{eth}{headers}\n");
            let document = Document::parse("", &text).unwrap();
            let names = Names {
                document: &document,
                own_profiles: vec![],
                profiles: vec![],
                themes: &[],
                tongues: &Tongues::default(),
                files: None,
                devices: vec![],
            };
            candidates(before, &names)
        };
        assert_eq!(of("ipv4 = {}", "flow.a.i"), ["flow.a.ipv4.", "flow.a.icmp."]);
        assert_eq!(of("ipv6 = {}\nudp = {}", "flow.a.i"), ["flow.a.ipv6."]);
        assert_eq!(of("mpls = [{}]\nipv6 = {}", "flow.a.mpls."), ["flow.a.mpls.0.", "flow.a.mpls.1."]);
        assert_eq!(of("arp = {}", "flow.a.arp.s"), ["flow.a.arp.sha=", "flow.a.arp.spa="]);
        assert!(of("arp = {}", "flow.a.ipv4").is_empty() && of("ipv4 = {}", "flow.a.patch").is_empty());
        let raw = "raw = { bytes = \"02 00 00 00 00 02 02 00 00 00 00 01 88 b5\" }";
        assert_eq!(of(raw, "flow.a.patch.0.v"), ["flow.a.patch.0.value="]);
        assert!(of(raw, "flow.a.eth").is_empty());
        let flags = of("ipv4 = {}\ntcp = {}", "flow.a.tcp.flags=");
        assert_eq!(
            (flags[0].as_str(), flags.len()),
            ("flow.a.tcp.flags=syn", 9),
            "the present one, then all: {flags:?}"
        );
    }

    #[test]
    fn values_begin_with_the_present_one() {
        assert_eq!(complete("mode="), ["mode=auto", "mode=copy", "mode=zero-copy"]);
        assert_eq!(complete("mode=z"), ["mode=zero-copy"]);
        assert_eq!(complete("burst=")[0], "burst=32");
        assert_eq!(complete("need_wakeup=")[..2], ["need_wakeup=true", "need_wakeup=false"]);
        assert!(complete("device=").contains(&"device=eth1".into()));
        assert!(complete("nonsense=").is_empty());
    }

    #[test]
    fn names_are_offered_behind_their_commands() {
        assert_eq!(complete("o udp"), ["o udp-64", "o udp-64-clone"]);
        assert_eq!(common(&complete("o udp")), "o udp-64");
        assert_eq!(complete("theme l"), ["theme light"]);
        assert_eq!(complete("w "), ["w mine"]);
        assert_eq!(complete("help udp.c"), ["help flow.udp.checksum"]);
        assert!(complete("start ").is_empty() && complete("nonsense ").is_empty());
    }

    #[test]
    fn files_and_dialects_are_offered_in_their_order() {
        assert_eq!(complete("import old/"), ["import old/a.sh", "import old/b c.pkt", "import old/deep/"]);
        assert_eq!(complete("import old/a.sh d"), ["import old/a.sh dpdk"]);
        assert_eq!(complete("export t"), ["export trex "]);
        assert_eq!(complete(":export trex old/d"), [":export trex old/deep/"]);
        for (before, folder) in [
            ("import ", Some("")),
            (":import /etc/pk", Some("/etc/")),
            ("export pktgen", None),
            ("export pktgen a/b", Some("a/")),
            ("w a/b", None),
            ("import", None),
        ] {
            assert_eq!(folder_of(before), folder, "{before}");
        }
    }

    #[test]
    fn every_offered_key_can_be_read_and_has_its_row() {
        for (_, text) in shipped() {
            let document = Document::parse("", text).unwrap();
            for key in keys(&document) {
                assert!(field_of(&key).is_some(), "{key} has no row");
            }
        }
        assert_eq!(field_of("size").map(|field| field.key), None);
        assert_eq!(field_of("flow.a.vlan.0.id").map(|field| field.key), Some("flow.vlan.id"));
    }
}
