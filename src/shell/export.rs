//! `txdeck export`: a profile in another generator's language, with a report of what cannot be said there.

use crate::{
    dialect::{self, Dialect},
    shell::{
        args::{Common, ExportArgs, ShowArgs},
        failure::Failure,
        listing, load, lookup,
        output::Ending,
        paths::Paths,
        settings::Settings,
        show, told,
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
