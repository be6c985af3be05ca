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
    let frames = frames.take(usize::try_from(args.frames).unwrap_or(usize::MAX));
    match &args.pcap {
        Some(path) => capture(frames, &mut Output::open(Some(path))?),
        None => words(frames, &plan, &mut Output::open(common.output.as_deref())?),
    }
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
