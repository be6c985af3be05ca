//! Linux kernel pktgen, both ways: its scripts, the text its files give back, and a script for every profile that it
//! can say.

mod device;
mod export;
mod flow;
mod machine;
mod readback;
mod script;
pub mod table;
mod words;

pub use export::export;

use crate::{
    dialect::{Draft, Given, Imported, Kind, Refused, Report, carry, draft::quoted},
    profile::Document,
};

use device::{Device, NEVER_NS, Pace};
use flow::Told;

/// Stands in the first lines of every script that comes out of an export.
const OWN: &str = "Written by txdeck export";
/// In front of a short name and the whole one.
const OWN_NAME: &str = "# txdeck-name: ";
/// Sizes above these need a greater chunk.
const SMALL_CHUNK_ROOM: u32 = 1792;
const MOST_BURST: u32 = 16384;
const MOST_COPIES: u64 = 1_000_000_000;

pub fn import(file: &str, text: &str, given: &Given) -> Result<Imported, Refused> {
    let mut report = Report::default();
    let (document, text) = (read(file, text, given, &mut report)?, text);
    let mut document = document;
    carry::restore(&mut document, text, "#", &mut report);
    report.sort();
    Ok(Imported { text: document.text().to_owned(), report })
}

/// The profile that the commands alone make, without what rides along in comments.
fn read(file: &str, text: &str, given: &Given, report: &mut Report) -> Result<Document, Refused> {
    let is_own = text.lines().take(5).any(|line| line.contains(OWN));
    let (devices, missing) = match readback::devices(text, report) {
        Some(devices) => (devices, false),
        None => {
            let outcome = script::evaluate(file, text, given, report)?;
            (machine::devices(&outcome.writes, report), !outcome.missing.is_empty())
        }
    };
    if devices.is_empty() {
        return Err(Refused::whole(
            file,
            "no pktgen device is set up in it: no add_device, and nothing is written to one",
        ));
    }
    let name = file.rsplit('/').next().unwrap_or(file).split('.').next().unwrap_or_default();
    let mut draft = Draft::default();
    // An export carries its own name, if it has one.
    if !is_own {
        draft.name = name.trim_matches(['<', '>']).into();
        draft.head.push(format!("Imported from {file}"));
    }
    let mut told = Told { report, is_own };
    let names = own_names(text);
    place(&devices, missing, &names, &mut draft, &mut told);
    pace(&devices, &mut draft, &mut told);
    finish(draft, file, told.report)
}

/// Names too long for a device, which an export wrote beside their short ones.
fn own_names(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(OWN_NAME)?.split_once(" = "));
    lines.map(|(short, name)| (short.trim(), name.trim())).collect()
}

/// Flows with their names, queues and the device they share.
fn place(devices: &[Device], missing: bool, names: &[(&str, &str)], draft: &mut Draft, told: &mut Told<'_>) {
    let interface = |device: &Device| device.name.split('@').next().unwrap_or_default().to_owned();
    let first = interface(&devices[0]);
    match first.is_empty() || missing {
        true => told.assume(&devices[0], "", "no device is named: give it behind -- as -i DEVICE, or when sending"),
        false if is_device_name(&first) => draft.tx("device", quoted(&first)),
        false => told.note(Kind::Dropped, &devices[0], "", format!("{first} is no name of a network device")),
    }
    let mut all: Vec<u32> = Vec::new();
    let mut own_queues = Vec::new();
    for device in devices {
        let other = interface(device);
        if other != first {
            told.note(
                Kind::Converted,
                device,
                "",
                format!("a profile sends on one device: this flow leaves {other} for {first}"),
            );
        }
        let mut flow = flow::flow(device, &unused_name(device, names, draft, told.is_own), told);
        if device.delay_ns == NEVER_NS {
            flow.set("enabled", "false");
            told.explain(device, "delay", "2147483647 means never: the flow is disabled");
        }
        let queues = queues(device, told);
        all.extend(&queues);
        own_queues.push(queues);
        draft.flows.push(flow);
    }
    all.sort_unstable();
    all.dedup();
    draft.tx("queues", format!("{all:?}"));
    for (flow, queues) in draft.flows.iter_mut().zip(own_queues).filter(|(_, queues)| *queues != all) {
        flow.set("queues", format!("{queues:?}"));
    }
    if devices.len() > all.len() && !told.is_own {
        let sentence =
            format!("{} devices share {} queue(s) here: one sender takes them in turn", devices.len(), all.len());
        told.note(Kind::Converted, &devices[0], "", sentence);
    }
}

fn is_device_name(text: &str) -> bool {
    let usable = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '/' | ':');
    (1..=15).contains(&text.len()) && !matches!(text, "." | "..") && text.chars().all(usable)
}

/// `eth1@2` is `eth1-2`, `eth1@web` is `web`.
fn unused_name(device: &Device, names: &[(&str, &str)], draft: &Draft, is_own: bool) -> String {
    let (interface, suffix) = device.name.split_once('@').unwrap_or((&device.name, ""));
    let suffix = names.iter().find(|(short, _)| *short == suffix).map_or(suffix, |(_, name)| name);
    let wanted = match suffix {
        "" => interface.to_owned(),
        number if !is_own && number.bytes().all(|b| b.is_ascii_digit()) => {
            let dash = if interface.is_empty() { "flow-" } else { "-" };
            format!("{interface}{dash}{number}")
        }
        name => name.to_owned(),
    };
    let wanted = crate::dialect::FlowDraft::new(&wanted).name;
    let wanted = if wanted.is_empty() { "flow".to_owned() } else { wanted };
    let taken = |name: &str| draft.flows.iter().any(|flow| flow.name == name);
    let numbered = (2..).map(|n| format!("{}-{n}", wanted.chars().take(56).collect::<String>()));
    std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(wanted)
}

const MOST_QUEUE: u32 = 1023;

fn queues(device: &Device, told: &mut Told<'_>) -> Vec<u32> {
    if device.has("QUEUE_MAP_CPU") {
        return vec![device.thread.min(MOST_QUEUE)];
    }
    let [min, max] = device.queue_map.map(|queue| queue.min(MOST_QUEUE));
    if device.has("QUEUE_MAP_RND") && min < max {
        told.note(Kind::Converted, device, "QUEUE_MAP_RND", "queues are taken in turn here, not at random");
    }
    if min < max {
        let sentence =
            format!("queues {min} to {max} have a sender each here; the packets are built in turn as before");
        told.explain(device, "queue_map_max", sentence);
    }
    (min..=max.max(min)).collect()
}

/// Counts, copies, bursts and rates: the profile's own where one device says them, each flow's where several do.
fn pace(devices: &[Device], draft: &mut Draft, told: &mut Told<'_>) {
    let alone = devices.len() == 1;
    let burst = devices.iter().map(|device| device.burst).max().unwrap_or(1);
    let burst = burst.min(MOST_BURST);
    draft.tx("burst", burst.to_string());
    if burst > 1024 {
        draft.tx("ring", (2 * burst).next_power_of_two().to_string());
    }
    for (at, device) in devices.iter().enumerate() {
        if device.burst > MOST_BURST {
            told.note(Kind::Converted, device, "burst", format!("a doorbell takes {MOST_BURST} packets at most here"));
        }
        let copies = copies(device, told);
        let rate = rate(device, told);
        count_note(device, told);
        if !device.said.contains_key("count") {
            told.assume(device, "count", "no count is set: pktgen sends 1000");
        }
        let copies = if copies > 1 { copies.to_string() } else { "0".into() };
        match alone {
            true => {
                draft.tx("count", device.count.to_string());
                draft.tx("clone", copies);
                rate.into_iter().for_each(|rate| draft.tx("rate", quoted(&rate)));
            }
            false => {
                draft.flows[at].set("count", device.count.to_string());
                draft.flows[at].set("clone", copies);
                rate.into_iter().for_each(|rate| draft.flows[at].set("rate", quoted(&rate)));
            }
        }
    }
    let longest = devices.iter().map(|device| {
        let mixed = device.imix.iter().map(|(size, _)| *size).max().unwrap_or(0);
        device.min_size.max(device.max_size).max(mixed)
    });
    if longest.max().unwrap_or(0) > SMALL_CHUNK_ROOM {
        draft.tx("chunk_bytes", "4096");
    }
}

fn copies(device: &Device, told: &mut Told<'_>) -> u64 {
    let copies = device.copies();
    let (clones, burst) = (device.clone_skb.max(1), device.burst);
    if burst > 1 {
        let sentence = match clones {
            1 => format!(
                "pktgen sends each built packet {burst} times, the same bytes: clone = {copies} does that; burst is packets per doorbell here"
            ),
            _ => format!(
                "pktgen sends each built packet {clones} x {burst} = {copies} times, the same bytes: clone = {copies} does that"
            ),
        };
        told.explain(device, "burst", sentence);
    }
    if copies > MOST_COPIES {
        told.note(
            Kind::Converted,
            device,
            "clone_skb",
            format!("{copies} copies are more than clone takes: {MOST_COPIES}"),
        );
    }
    copies.min(MOST_COPIES)
}

fn count_note(device: &Device, told: &mut Told<'_>) {
    let burst = u64::from(device.burst);
    let over = device.count % burst;
    if over != 0 {
        let sent = device.count - over + burst;
        let sentence =
            format!("pktgen looks at the count only after a burst of {burst} and sends {sent}; here it is exact");
        told.explain(device, "count", sentence);
    }
}

/// As a profile writes it; `None` is as fast as it goes.
fn rate(device: &Device, told: &mut Told<'_>) -> Option<String> {
    let (delay, burst) = (device.delay_ns, u64::from(device.burst));
    let parameter = match device.pace {
        Some(Pace::Mbit { .. }) => "rate",
        Some(Pace::Packets(_)) => "ratep",
        _ => "delay",
    };
    if delay == 0 || delay == NEVER_NS {
        if let Some(Pace::Mbit { size: 0, .. }) = device.pace {
            told.explain(device, "rate", "the size was not set yet, so pktgen works out a delay of 0: no limit at all");
        } else if let Some(Pace::Mbit { .. } | Pace::Packets(_)) = device.pace {
            told.explain(device, parameter, "this makes a delay of 0 ns: no limit at all");
        }
        return None;
    }
    let exact = match device.pace {
        Some(Pace::Mbit { rate, size })
            if size == device.min_size && device.max_size <= size && device.imix.is_empty() =>
        {
            (u64::from(size) * 8000 == delay * rate && flow::floor(device) <= size).then(|| format!("{rate} Mbit/s"))
        }
        Some(Pace::Packets(rate)) => (delay * rate == 1_000_000_000).then(|| format!("{rate} pps")),
        _ => Some(every(delay)),
    };
    match exact {
        Some(rate) if burst == 1 => Some(rate),
        _ => {
            let rate = if delay % burst == 0 { every(delay / burst) } else { pps(burst as f64 * 1e9 / delay as f64) };
            let what = if burst == 1 { "packet".to_owned() } else { format!("burst of {burst}") };
            told.explain(device, parameter, format!("for pktgen this is one {what} every {delay} ns: {rate}"));
            Some(rate)
        }
    }
}

fn every(ns: u64) -> String {
    let (number, unit) = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us"), (1, "ns")]
        .into_iter()
        .find(|(size, _)| ns.is_multiple_of(*size))
        .map_or((ns, "ns"), |(size, unit)| (ns / size, unit));
    format!("every {number} {unit}")
}

fn pps(pps: f64) -> String {
    format!("{} pps", pps.clamp(0.001, 1e9))
}

/// Conversations that the addresses and ports cannot make are left out; all else must be a valid profile.
fn finish(mut draft: Draft, file: &str, report: &mut Report) -> Result<Document, Refused> {
    loop {
        let problems = match draft.document("") {
            Ok(document) => return Ok(document),
            Err(problems) => problems,
        };
        let too_many = problems.0.iter().find_map(|problem| {
            let name = problem.key.strip_prefix("flow.")?.strip_suffix(".flows.count")?;
            Some((name.to_owned(), problem.message.clone()))
        });
        let flow = too_many.and_then(|(name, message)| {
            let flow = draft.flows.iter_mut().find(|flow| flow.name == name)?;
            flow.remove("flows").then_some((name, message))
        });
        let Some((name, message)) = flow else {
            let all = problems.0.iter().map(|problem| format!("{}: {}", problem.key, problem.message));
            return Err(Refused::whole(file, format!("this cannot be sent: {}", all.collect::<Vec<_>>().join("; "))));
        };
        report.dropped(0, &format!("flow.{name}.flows"), message);
    }
}
