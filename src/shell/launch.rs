//! From the command line to the console: what to open, where, and how it is to look.

use crate::nic::caps;
use crate::shell::{
    args::{Cli, Common, Console, LabArgs, LabShape},
    console::{self, DEFAULT_PROFILE, Setup},
    failure::Failure,
    load, log, lookup,
    output::Ending,
    paths::Paths,
    settings::Settings,
    site::{Place, Site},
};

/// `txdeck [PROFILE] [-i IF]`
pub fn console(cli: &Cli) -> Result<u8, Ending> {
    refuse_output(&cli.common)?;
    open(&cli.console, None, cli.device.as_deref(), cli.arm.as_deref(), false, &cli.common)
}

/// `txdeck lab [PROFILE]`
pub fn lab(args: &LabArgs, common: &Common) -> Result<u8, Ending> {
    refuse_output(common)?;
    open(&args.console, Some(&args.shape), None, None, args.start, common)
}

/// A screen writes no output: silence would be taken for a file.
fn refuse_output(common: &Common) -> Result<(), Failure> {
    match &common.output {
        None => Ok(()),
        Some(file) => {
            let message = format!("-o {}: the console writes no output", file.display());
            Err(Failure::new("usage", message)
                .with_fix("-o belongs to a command, as in: txdeck run PROFILE --lab -o FILE"))
        }
    }
}

fn open(
    args: &Console,
    lab: Option<&LabShape>,
    device: Option<&str>,
    arm: Option<&str>,
    start: bool,
    common: &Common,
) -> Result<u8, Ending> {
    console::check_terminal()?;
    let paths = Paths::of_this_user()?;
    let source = lookup::find(args.profile.as_deref().unwrap_or(DEFAULT_PROFILE), &paths)?;
    let lab_queues = lab.and_then(|shape| shape.lab_queues);
    // Settings of the command line are changes like any other: marked unsaved, and part of the command to repeat.
    let saved = load::document(&source, &Settings::default(), lab_queues)?;
    let document = load::document(&source, &args.settings, lab_queues)?;
    let named = device.is_some() || document.profile().tx.device.is_some();
    // The lab is entered before any thread exists: namespaces are for whole processes.
    let site = match lab {
        Some(shape) => Some(load::site(Place::Lab, shape)?),
        None if named => {
            let mut site = Site::open(load::place(false, device, document.profile())?, None)?;
            site.check_guard(arm)?;
            Some(site)
        }
        None => None,
    };
    if lab.is_none() {
        // The console opens queues again and again; a lab besides enters its far end at every start.
        let kept = caps::keep_sending_rights_for_this_thread();
        kept.map_err(|why| Failure::new("caps", format!("giving up capabilities failed: {why}")))?;
    }
    let arm = arm.map(str::to_owned);
    Ok(console::run(Setup {
        args,
        source,
        saved,
        document,
        site,
        arm,
        start,
        color: common.color,
        paths,
        log_level: log::level(common),
    })?)
}
