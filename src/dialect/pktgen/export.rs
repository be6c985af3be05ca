//! A profile becomes a shell script that the kernel's pktgen accepts, with a report of what cannot be said to it.

use std::collections::BTreeSet;

use crate::{
    dialect::{
        Exported, Given, Refused, Report, carry,
        moving::{is_random, settled, varies, walking},
    },
    profile::{Document, Profile},
};

use super::{OWN, OWN_NAME, read, words};

/// A device's whole name, `eth1@web`: the kernel reads 31 letters of it, 15 of them the interface's.
const MOST_SUFFIX: usize = 15;

/// What is said to one device, and what that leaves open.
pub struct Said {
    pub commands: Vec<String>,
    /// Keys of the profile (without `flow.NAME.`, or `tx.KEY`) that are expressed, if in other words.
    pub keys: BTreeSet<String>,
}

impl Said {
    pub fn say(&mut self, command: impl Into<String>) {
        self.commands.push(command.into());
    }

    pub fn covers(&mut self, keys: &[&str]) {
        self.keys.extend(keys.iter().map(|key| (*key).to_owned()));
    }
}

pub fn export(document: &Document) -> Result<Exported, Refused> {
    let profile = &settled(document.profile());
    let mut report = Report::default();
    let mut body = String::new();
    let mut covered = BTreeSet::new();
    let (mut devices, mut names) = (Vec::new(), Vec::new());
    for (number, flow) in profile.flows.iter().enumerate() {
        let key = format!("flow.{}", flow.name);
        if let Some(why) = words::unsayable(flow) {
            report.dropped(0, &key, why);
            continue;
        }
        let suffix = if flow.name.len() <= MOST_SUFFIX { flow.name.clone() } else { format!("f{}", number + 1) };
        if suffix != flow.name {
            names.push(format!("{OWN_NAME}{suffix} = {}\n", flow.name));
        }
        let said = words::flow(profile, flow, &mut report);
        covered.extend(said.keys.iter().map(|own| match own.starts_with("tx.") {
            true => own.clone(),
            false => format!("{key}.{own}"),
        }));
        body.push_str(&commands(&suffix, &said.commands));
        devices.push(suffix);
    }
    if devices.is_empty() {
        let reasons = report.notes.iter().map(|note| (0, format!("{}: {}", note.text, note.sentence))).collect();
        return Err(Refused { file: String::new(), reasons });
    }
    let script = script(profile, &names.concat(), &devices, &body);
    let mut back = read("", &script, &Given::default(), &mut Report::default())?;
    let carried = carried(document, &back);
    for (key, value) in &carried {
        let before = settled(back.profile());
        // A setting that fits only together with others is none of the still ones.
        let changes = back.set(key, value).is_err() || settled(back.profile()) != before;
        if changes && !covered.contains(key) && !is_silent(document, profile, key) {
            report.dropped(0, &format!("{key} = {value}"), why(key));
        }
    }
    let comments: String = carried.iter().map(|(key, value)| carry::comment("#", key, value)).collect();
    Ok(Exported { text: script.replacen("\nset -e\n", &format!("\n{comments}set -e\n"), 1), report })
}

/// The settings that the commands alone do not bring back.
fn carried(document: &Document, back: &Document) -> Vec<(String, String)> {
    carry::settings(document, back).into_iter().filter(|(_, value)| !value.contains('\n')).collect()
}

fn script(profile: &Profile, names: &str, devices: &[String], body: &str) -> String {
    let title = if profile.name.is_empty() { "a profile without a name" } else { &profile.name };
    let plain = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
    let device = match &profile.tx.device {
        Some(device) => format!("DEV=${{1:-{device}}}"),
        None => "DEV=${1:?name the device to send on}".to_owned(),
    };
    let thread = profile.tx.cpus.first().copied().unwrap_or(0);
    let add: String = devices.iter().map(|name| format!("pg kpktgend_{thread} \"add_device $DEV@{name}\"\n")).collect();
    let show: String = devices.iter().map(|name| format!("cat \"/proc/net/pktgen/$DEV@{name}\"\n")).collect();
    format!(
        "#!/bin/sh\n# {OWN}: {}\n# Run it as root: sh FILE [DEVICE]. It sends until count is reached, or until Ctrl-C.\n\
         # pktgen's own: TTL 32, an IPv4 id that counts, a 16-byte header (magic, sequence number, time) and zeros.\n\
         # A burst of pktgen repeats one packet, so bursts of different packets are sent one by one.\n\
         # Lines with \"txdeck\" say what pktgen has no words for; they are for \"txdeck import\".\n{names}\
         set -e\n{device}\n[ -d /proc/net/pktgen ] || modprobe pktgen\n\
         pg() {{ echo \"$2\" > \"/proc/net/pktgen/$1\"; }}\n\npg pgctrl \"reset\"\n{add}{body}\npg pgctrl \"start\"\n{show}",
        plain(title)
    )
}

fn commands(suffix: &str, commands: &[String]) -> String {
    let lines = commands.iter().map(|command| format!("pg \"$DEV@{suffix}\" \"{command}\"\n"));
    format!("\n{}", lines.collect::<String>())
}

/// How the sender works, and names: they change no packet, and ride along in comments.
const SENDER: [&str; 16] = [
    "name",
    "note",
    "tx.device",
    "tx.mode",
    "tx.need_wakeup",
    "tx.busy_poll",
    "tx.skb_budget",
    "tx.priority",
    "tx.cost",
    "tx.ring",
    "tx.chunks",
    "tx.chunk_bytes",
    "tx.huge_pages",
    "tx.burst",
    "tx.cpus",
    "tx.queues",
];
/// What pktgen fixes and a profile leaves open unless it is written: no wish is lost.
const OPEN: [&str; 3] = ["ipv4.ttl", "ipv6.hop_limit", "ipv4.id"];

fn is_silent(document: &Document, profile: &Profile, key: &str) -> bool {
    let (flow, own) = match key.strip_prefix("flow.").and_then(|rest| rest.split_once('.')) {
        Some((name, own)) => (profile.flows.iter().find(|flow| flow.name == name), own),
        None => (None, key),
    };
    match own {
        "runt" => true,
        "weight" => profile.flows.len() == 1,
        "order" => flow.is_some_and(|flow| walking(flow) < 2),
        "flows.count" | "flows.length" | "flows.order" => flow.is_some_and(|flow| !varies(flow)),
        "tx.seed" => !profile.flows.iter().any(is_random),
        _ => SENDER.contains(&own) || OPEN.contains(&own) && !document.is_written(key),
    }
}

/// Why pktgen has no words for a key.
fn why(key: &str) -> &'static str {
    let own = key.strip_prefix("flow.").and_then(|rest| rest.split_once('.')).map_or(key, |(_, own)| own);
    let last = own.rsplit('.').next().unwrap_or(own);
    match own {
        "ipv4.ttl" | "ipv6.hop_limit" => "pktgen always sends 32",
        "ipv4.id" => "pktgen's id counts up from 0",
        "ipv4.df" | "ipv4.mf" | "ipv4.fragment_offset" => "pktgen's packets are no fragments and may be fragmented",
        "ipv6.flow_label" => "pktgen always sends 0",
        "size" => {
            "pktgen knows one size, a range in steps of 1, a random range and a mix of up to 20 sizes, none below its own header"
        }
        "order" => "pktgen's ranges all move at once",
        "weight" => "pktgen's devices share a thread equally",
        "start" => "pktgen starts all devices at once",
        "payload.kind" | "payload.bytes" | "payload.text" => "pktgen always sends its own header and zeros",
        "eth.dst" => "pktgen asks nobody for a MAC address and walks a range only one by one: write the address",
        "eth.src" => "pktgen walks a range of addresses only one by one",
        "udp.src" | "udp.dst" => "pktgen knows one port, or a range in steps of 1 below 65535",
        "ipv4.src" | "ipv4.dst" | "ipv6.dst" => "pktgen knows one address, or a range in steps of 1 (IPv6: at random)",
        "ipv6.src" => "pktgen knows one IPv6 source",
        "ipv4.dscp" | "ipv4.ecn" | "ipv6.dscp" | "ipv6.ecn" => "pktgen knows one value",
        "tx.rate" => "pktgen paces each device for itself",
        "tx.count" => "pktgen counts each device for itself",
        "tx.duration" => "pktgen has no duration: stop it with Ctrl-C, or give a count",
        "tx.seed" => "pktgen's random numbers have no seed: each run draws others",
        _ if own.starts_with("flows.") => "pktgen shuffles or goes in sequence, over at most 65536 flows",
        _ if own.starts_with("mpls.") => "pktgen knows fixed labels and wholly random ones",
        _ if last == "tpid" => "pktgen's tags are all 0x8100",
        _ if own.starts_with("vlan.") => "pktgen knows fixed tags and wholly random ids",
        _ => "pktgen has no word for it",
    }
}
