//! `txdeck export`: a profile in another generator's language, with a report of what cannot be said there.

use crate::{
    dialect::{self, Dialect},
    packet::pcap,
    profile::Profile,
    shell::{
        args::{Common, ExportArgs, ShowArgs},
        failure::Failure,
        listing, load, lookup,
        output::Ending,
        paths::Paths,
        replay::Replay,
        settings::Settings,
        show,
        site::Site,
        told,
    },
};

pub fn run(args: &ExportArgs, common: &Common) -> Result<u8, Ending> {
    if args.to == Dialect::Pcap {
        return capture(args, common);
    }
    let source = lookup::find(&args.profile, &Paths::of_this_user()?)?;
    let settings = Settings::from_pairs(args.set.iter().map(String::as_str));
    let settings = settings.map_err(|why| Failure::new("bad_setting", why))?;
    let mut document = load::document(&source, &settings, None)?;
    if let Some(device) = &args.device {
        document.set("device", device).map_err(|why| Failure::new("bad_setting", why.to_string()))?;
    }
    let exported = dialect::export(args.to, &document);
    let exported = exported.map_err(|why| Failure::new("bad_export", why.to_string()))?;
    told::tell(&exported.report, &source.label, args.format.chosen());
    listing::put(&exported.text, common)
}

/// Frames of a capture when nobody says how many.
pub const FRAMES: u64 = 1000;

/// A capture of the first frames, as `txdeck export --to pcap` writes it.
pub fn capture_bytes(site: &mut Site, profile: &Profile) -> Result<Vec<u8>, Failure> {
    let plan = site.compile(profile)?;
    let mut bytes = pcap::header().to_vec();
    for shown in Replay::new(&plan)?.take(FRAMES as usize) {
        bytes.extend(pcap::record(&shown.bytes, shown.at_ns));
        bytes.extend(shown.bytes);
    }
    Ok(bytes)
}

/// The order of frames is the engine's, so a capture is what `show` would write.
fn capture(args: &ExportArgs, common: &Common) -> Result<u8, Ending> {
    let shown = ShowArgs {
        profile: args.profile.clone(),
        frames: args.frames,
        flow: None,
        pcap: Some(common.output.clone().unwrap_or_else(|| "-".into())),
        device: args.device.clone(),
        set: args.set.clone(),
    };
    show::run(&shown, common)
}
