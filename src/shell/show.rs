//! `txdeck show`: the first frames exactly as they will leave, as hex with words or as a capture.

use std::fmt::Write;

use crate::{
    packet::{Plan, annotate_bytes, pcap},
    profile::Profile,
    shell::{
        args::{Common, ShowArgs},
        failure::Failure,
        load, lookup,
        output::{Ending, Output},
        paths::Paths,
        progress::{Pace, Progress, Unit, stdout_is_unseen},
        replay::{Replay, Shown},
        settings::Settings,
        site::{Place, Site},
    },
};

pub fn run(args: &ShowArgs, common: &Common) -> Result<u8, Ending> {
    let source = lookup::find(&args.profile, &Paths::of_this_user()?)?;
    let settings = Settings::from_pairs(args.set.iter().map(String::as_str));
    let settings = settings.map_err(|why| Failure::new("bad_setting", why))?;
    let document = load::document(&source, &settings, None)?;
    let profile = document.profile();
    let mut site = site(args, profile)?;
    site.shelf.tells = !common.quiet;
    let plan = site.compile(profile)?;
    let wanted = wanted_flow(args.flow.as_deref(), profile, &plan)?;
    let frames = Replay::new(&plan)?.filter(|shown| wanted.is_none_or(|flow| flow == shown.flow));
    let path = args.pcap.as_deref().or(common.output.as_deref());
    let mut output = Output::open(path)?;
    let is_unseen = !output.is_stdout() || stdout_is_unseen();
    let pace = Pace::new("show", Unit::Frames, most(args.frames, &plan));
    let mut progress = Progress::new(pace, !common.quiet && is_unseen);
    let frames = frames.take(usize::try_from(args.frames).unwrap_or(usize::MAX));
    let frames = (1..).zip(frames).map(|(number, shown)| {
        progress.at(number);
        shown
    });
    match &args.pcap {
        Some(_) => capture(frames, &mut output),
        None => words(frames, &plan, &mut output),
    }
}

/// How many frames there will be, as far as that can be said.
fn most(wanted: u64, plan: &Plan) -> u64 {
    if plan.count == 0 { wanted } else { wanted.min(plan.count) }
}

/// MAC and neighbours of the device that was named, or a lab's when none is here.
fn site(args: &ShowArgs, profile: &Profile) -> Result<Site, Failure> {
    if let Some(device) = &args.device {
        return Site::open(Place::named(Some(device), profile)?, None);
    }
    let own = profile.tx.device.as_deref().filter(|device| *device != "sim");
    let own = own.and_then(|device| Site::open(Place::Device(device.to_owned()), None).ok());
    own.map_or_else(|| Site::open(Place::Sim, None), Ok)
}

fn wanted_flow(name: Option<&str>, profile: &Profile, plan: &Plan) -> Result<Option<usize>, Failure> {
    let Some(name) = name else { return Ok(None) };
    if let Some(at) = plan.flows.iter().position(|flow| &*flow.name == name) {
        return Ok(Some(at));
    }
    let disabled = profile.flows.iter().any(|flow| flow.name == name);
    let why = if disabled { "is not enabled" } else { "does not exist" };
    let known = plan.flows.iter().map(|flow| &*flow.name).collect::<Vec<_>>().join(", ");
    Err(Failure::new("no_flow", format!("--flow {name}: this flow {why}. Flows that send: {known}")))
}

fn words(frames: impl Iterator<Item = Shown>, plan: &Plan, output: &mut Output) -> Result<u8, Ending> {
    let many_queues = plan.queues.len() > 1;
    for (number, shown) in (1u64..).zip(frames) {
        let Some(flow) = plan.flows.get(shown.flow) else { continue };
        let mut text = format!("{number}  flow {}  {} bytes", flow.name, shown.bytes.len());
        if many_queues {
            let _ = write!(text, "  queue {}", shown.queue);
        }
        let _ = write!(text, "\n{}\n", annotate_bytes(&shown.bytes, flow.frame.varying()));
        output.text(&text)?;
    }
    output.flush()?;
    Ok(0)
}

fn capture(frames: impl Iterator<Item = Shown>, output: &mut Output) -> Result<u8, Ending> {
    output.bytes(&pcap::header())?;
    for shown in frames {
        output.bytes(&pcap::record(&shown.bytes, shown.at_ns))?;
        output.bytes(&shown.bytes)?;
    }
    output.flush()?;
    Ok(0)
}
