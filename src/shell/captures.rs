//! The captures that a profile names, read when they are first needed and again when their files have changed.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    sync::Arc,
    time::SystemTime,
};

use crate::{
    packet::{Capture, Captures, Facts, Held, MOST_CAPTURE_BYTES, Reader, Survey, terms},
    profile::Profile,
    shell::progress::{Pace, Progress, Unit},
};

/// Less than this is kept even for a mere look.
const BIG_BYTES: u64 = 64 << 20;

/// Which version of a file was read.
type Version = (u64, Option<SystemTime>);

/// What has been read so far.
#[derive(Default)]
pub struct Shelf {
    known: BTreeMap<String, (Version, Held)>,
    /// How far a file has been read is told on stderr.
    pub tells: bool,
}

impl Shelf {
    /// All captures of the enabled flows of a profile, and of those that are not, for a look at them.
    pub fn of(&mut self, profile: &Profile) -> Captures {
        let paths = profile.flows.iter().filter_map(|flow| flow.replay.as_ref()).map(|replay| replay.path());
        let held: BTreeMap<String, Held> = paths.map(|path| (path.clone(), self.held(&path))).collect();
        self.known.retain(|path, _| held.contains_key(path));
        Captures(held)
    }

    fn held(&mut self, path: &str) -> Held {
        let version = version(path);
        if let Some((_, held)) = self.known.get(path).filter(|(known, _)| *known == version) {
            return held.clone();
        }
        let read = fits(path, version.0).and_then(|()| open(path)).and_then(|mut reader| {
            let mut progress = progress(path, version.0, self.tells);
            Capture::read(&mut reader, |offset| progress.at(offset)).map_err(|why| why.to_string())
        });
        let held = read.map_or_else(Held::Not, |capture| Held::Whole(Arc::new(capture)));
        self.known.insert(path.to_owned(), (version, held.clone()));
        held
    }
}

fn version(path: &str) -> Version {
    let about = fs::metadata(path).ok();
    about.map_or((0, None), |about| (about.len(), about.modified().ok()))
}

/// A capture file, read as far as its first record.
pub fn open(path: &str) -> Result<Reader<File>, String> {
    let file = File::open(path).map_err(|why| match why.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => why.to_string(),
    })?;
    if file.metadata().is_ok_and(|about| about.is_dir()) {
        return Err("is a folder".into());
    }
    Reader::new(file).map_err(|why| why.to_string())
}

/// As [`Shelf::of`], for a look that must not take much memory: big captures are counted and not kept.
pub fn looked_at(profile: &Profile, facts: &Facts, tells: bool) -> Captures {
    let mut shelf = Shelf { tells, ..Shelf::default() };
    let mut held = BTreeMap::new();
    for flow in &profile.flows {
        let (Some(replay), Some(terms)) = (&flow.replay, terms(profile, flow, facts)) else { continue };
        let path = replay.path();
        let found = match version(&path) {
            (length, _) if length <= BIG_BYTES && !is_gzip(&path) => shelf.held(&path),
            (length, _) => {
                let survey = fits(&path, length).and_then(|()| open(&path)).and_then(|mut reader| {
                    let mut progress = progress(&path, length, tells);
                    Survey::of(&mut reader, &terms, |offset| progress.at(offset)).map_err(|why| why.to_string())
                });
                survey.map_or_else(Held::Not, |survey| Held::Surveyed(Arc::new(survey)))
            }
        };
        held.insert(path, found);
    }
    Captures(held)
}

/// Whether a file can be kept at all, as far as its length tells that before any memory is taken.
fn fits(path: &str, length: u64) -> Result<(), String> {
    let most = MOST_CAPTURE_BYTES as u64;
    if length <= most || is_gzip(path) {
        return Ok(());
    }
    Err(format!(
        "is {} MiB long, and a replay keeps at most {} MiB in memory: split it (editcap -c does that) and replay the parts",
        length >> 20,
        most >> 20
    ))
}

/// How much there is in it cannot be told by its length.
fn is_gzip(path: &str) -> bool {
    let mut head = [0; 2];
    let read = File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    read.is_ok() && head == [0x1f, 0x8b]
}

/// A line on stderr while a file is read.
pub fn progress(path: &str, length: u64, tells: bool) -> Progress {
    Progress::new(pace(path, length), tells)
}

/// Of the reading of a file, called as it is without its folders.
pub fn pace(path: &str, length: u64) -> Pace {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    Pace::new(&name, Unit::Bytes, length)
}
