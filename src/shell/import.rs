//! `txdeck import`: another generator's file becomes a profile. The file is read, never executed.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use crate::{
    dialect::{self, Dialect, Given, Imported},
    packet::begins_like_a_capture,
    shell::{
        args::{Common, ImportArgs},
        captures,
        failure::Failure,
        listing,
        output::Ending,
        told,
    },
};

/// Longer files are no scripts.
const MOST_BYTES: u64 = 64 << 20;

pub fn run(args: &ImportArgs, common: &Common) -> Result<u8, Ending> {
    if is_of_capture(args.from, &args.file) {
        return capture(args, common);
    }
    let (label, bytes) = read(&args.file)?;
    let dialect = args.from.or_else(|| dialect::sniff(&label, &bytes)).ok_or_else(|| unknown(&label))?;
    let given = Given { arguments: args.given.clone() };
    let imported = dialect::import(dialect, &label, &bytes, &given);
    let imported = imported.map_err(|why| Failure::new("bad_import", why.to_string()))?;
    told::tell(&imported.report, &label, args.format.chosen());
    listing::put(&imported.text, common)
}

/// A capture is read as a stream, for it may be longer than memory, and stays where it is: the profile names it.
fn capture(args: &ImportArgs, common: &Common) -> Result<u8, Ending> {
    let file = &args.file;
    if file == "-" {
        let message = "a replay names its capture: stdin has no name";
        return Err(Failure::new("bad_import", message).with_fix("Write it to a file and give its path").into());
    }
    let written = named_from(file, common.output.as_deref());
    let imported = streamed(file, &written, |length| {
        let mut progress = captures::progress(file, length, !common.quiet);
        move |offset| progress.at(offset)
    })?;
    told::tell(&imported.report, file, args.format.chosen());
    listing::put(&imported.text, common)
}

/// `written` is how the profile calls the file; what `progress` makes of its length is told how far it has been read.
pub fn streamed<P: FnMut(u64)>(
    file: &str,
    written: &str,
    progress: impl FnOnce(u64) -> P,
) -> Result<Imported, Failure> {
    let opened = fs::File::open(file).map_err(|why| Failure::file("reading", Path::new(file), &why))?;
    let length = opened.metadata().map_or(0, |about| about.len());
    let imported = dialect::pcap::import(file, written, opened, progress(length));
    imported.map_err(|why| Failure::new("bad_import", why.to_string()))
}

/// How a profile at `profile` calls the file, for it looks beside itself; on stdout as it was written.
fn named_from(file: &str, profile: Option<&Path>) -> String {
    let Some(profile) = profile.filter(|profile| profile.as_os_str() != "-") else { return file.to_owned() };
    let folder = profile.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(folder), Ok(whole)) = (folder.canonicalize(), Path::new(file).canonicalize()) else {
        return file.to_owned();
    };
    whole.strip_prefix(&folder).unwrap_or(&whole).display().to_string()
}

/// Whether that is what a file is called, or what it looks like where it is called nothing.
pub fn is_of_capture(named: Option<Dialect>, file: &str) -> bool {
    named.map_or_else(|| is_capture(file), |dialect| dialect == Dialect::Pcap)
}

fn is_capture(file: &str) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    file != "-" && read.is_ok() && begins_like_a_capture(&head)
}

/// The file's name in messages, and what it holds.
pub fn read(file: &str) -> Result<(String, Vec<u8>), Failure> {
    let (label, path) = if file == "-" { ("<stdin>", None) } else { (file, Some(Path::new(file))) };
    let mut bytes = Vec::new();
    let done = match path {
        None => io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes),
        Some(path) => fs::File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)),
    };
    let done = done.and_then(|length| match length as u64 > MOST_BYTES {
        true => Err(io::Error::other("longer than 64 MiB, which no script is")),
        false => Ok(()),
    });
    done.map_err(|why| Failure::file("reading", Path::new(label), &why))?;
    Ok((label.to_owned(), bytes))
}

fn unknown(label: &str) -> Failure {
    Failure::new("no_dialect", format!("{label}: nothing in it tells what it is"))
        .with_fix(format!("Say so with --from {}", dialects(" | ")))
}

/// The names of all that can be read.
pub fn dialects(between: &str) -> String {
    let known = Dialect::ALL.into_iter().filter(|dialect| dialect.can_import());
    known.map(Dialect::name).collect::<Vec<_>>().join(between)
}
