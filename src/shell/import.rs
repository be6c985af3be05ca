//! `txdeck import`: another generator's file becomes a profile. The file is read, never executed.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use crate::{
    dialect::{self, Dialect, Given},
    shell::{
        args::{Common, ImportArgs},
        failure::Failure,
        listing,
        output::Ending,
        told,
    },
};

/// Longer files are no scripts.
const MOST_BYTES: u64 = 64 << 20;

pub fn run(args: &ImportArgs, common: &Common) -> Result<u8, Ending> {
    let (label, bytes) = read(&args.file)?;
    let dialect = args.from.or_else(|| dialect::sniff(&label, &bytes)).ok_or_else(|| unknown(&label))?;
    let given = Given { arguments: args.given.clone() };
    let imported = dialect::import(dialect, &label, &bytes, &given);
    let imported = imported.map_err(|why| Failure::new("bad_import", why.to_string()))?;
    told::tell(&imported.report, &label, args.format.chosen());
    listing::put(&imported.text, common)
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
