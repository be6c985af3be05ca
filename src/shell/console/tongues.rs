//! Other generators' files for the `:` line: read into profiles, written from them, with their reports.

use std::{fs, path::Path};

use crate::{
    app::{Folder, Foreign, PlaceKind, Remark, Reply, Tongues, Written},
    dialect::{self, Dialect, Given, Imported, Kind, Report},
    profile::Document,
    shell::{
        captures, export,
        failure::Failure,
        import, save,
        site::{self, Site},
    },
};

/// A folder with more files than this is no place to walk through.
const MOST_FILES: usize = 2_000;

pub fn known() -> Tongues {
    let names = |can: fn(Dialect) -> bool| {
        Dialect::ALL.into_iter().filter(|dialect| can(*dialect)).map(|dialect| dialect.name().to_owned()).collect()
    };
    Tongues { read: names(Dialect::can_import), written: names(Dialect::can_export) }
}

/// `path` as typed: empty for the current folder. A folder that cannot be read holds nothing.
pub fn folder(path: String) -> Folder {
    let shown = if path.is_empty() { "." } else { &path };
    let entries = fs::read_dir(shown).into_iter().flatten().flatten().take(MOST_FILES);
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
            // Follows links, as opening does.
            let is_folder = fs::metadata(entry.path()).is_ok_and(|facts| facts.is_dir());
            Some(if is_folder { name + "/" } else { name })
        })
        .collect();
    names.sort();
    Folder { path, names }
}

/// `progress` is told how far a long file has been read.
pub fn import(file: String, dialect: Option<&str>, progress: impl Fn(String)) -> Reply {
    match foreign(file, dialect, progress) {
        Ok(foreign) => Reply::Imported(foreign),
        Err(failure) => Reply::Failed(failure.for_people()),
    }
}

fn foreign(file: String, dialect: Option<&str>, progress: impl Fn(String)) -> Result<Foreign, Failure> {
    check_regular(&file)?;
    let named = dialect.and_then(Dialect::named);
    let (dialect, imported) = match import::is_of_capture(named, &file) {
        true => (Dialect::Pcap, capture(&file, progress)?),
        false => script(&file, named)?,
    };
    let document = Document::parse(&file, &imported.text)
        .map_err(|problems| Failure::new("bad_import", problems.to_string().trim_end()))?;
    let name = plain_name(&document.profile().name);
    let remarks = remarks(&imported.report, short(&file));
    Ok(Foreign { name, file, dialect: dialect.name(), document: Box::new(document), remarks })
}

/// The profile is saved elsewhere, so it has to name the whole path of its capture.
fn capture(file: &str, progress: impl Fn(String)) -> Result<Imported, Failure> {
    let whole = fs::canonicalize(file).map_err(|why| Failure::file("reading", Path::new(file), &why))?;
    import::streamed(file, &whole.display().to_string(), |length| {
        let mut pace = captures::pace(file, length);
        move |offset| pace.at(offset).into_iter().for_each(&progress)
    })
}

fn script(file: &str, named: Option<Dialect>) -> Result<(Dialect, Imported), Failure> {
    let (label, bytes) = import::read(file)?;
    let dialect = named.or_else(|| dialect::sniff(&label, &bytes)).ok_or_else(|| {
        Failure::new("no_dialect", format!("{file}: nothing in it tells what it is"))
            .with_fix(format!("Say so behind it: {}", import::dialects(", ")))
    })?;
    let imported = dialect::import(dialect, &label, &bytes, &Given::default());
    Ok((dialect, imported.map_err(|why| Failure::new("bad_import", why.to_string()))?))
}

/// The console stays; a pipe or a device might never end.
fn check_regular(file: &str) -> Result<(), Failure> {
    let facts = fs::metadata(file).map_err(|why| Failure::file("reading", Path::new(file), &why))?;
    match facts.is_file() {
        true => Ok(()),
        false => Err(Failure::new("file", format!("{file}: only files are read here, no folders, pipes or devices"))),
    }
}

/// As a profile may be called in the user's folder.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "imported".into() } else { name.to_owned() }
}

/// A report names its file in every line.
fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn remarks(report: &Report, file: &str) -> Vec<Remark> {
    let losses = report.notes.iter().map(|note| note.kind == Kind::Dropped);
    report.lines(file).zip(losses).map(|(text, is_loss)| Remark { is_loss, text }).collect()
}

/// What an export is made of.
pub struct Wanted {
    pub dialect: String,
    pub file: Option<String>,
    pub document: Box<Document>,
    pub force: bool,
    /// Where packets go now: what another language wants to be told.
    pub device: Option<(PlaceKind, String)>,
}

pub fn export(wanted: Wanted) -> Reply {
    let Wanted { dialect, file, force, .. } = &wanted;
    if let Some(file) = file.as_ref().filter(|file| Path::new(file).exists()) {
        if let Err(failure) = check_regular(file) {
            return Reply::Failed(failure.for_people());
        }
        if !force {
            return Reply::ExportRefused { dialect: dialect.clone(), file: file.clone() };
        }
    }
    match written(wanted) {
        Ok(written) => Reply::Exported(written),
        Err(failure) => Reply::Failed(failure.for_people()),
    }
}

fn written(wanted: Wanted) -> Result<Written, Failure> {
    let Wanted { dialect, file, mut document, device, .. } = wanted;
    let dialect = Dialect::named(&dialect).ok_or_else(|| Failure::new("no_dialect", dialect))?;
    if dialect == Dialect::Pcap {
        let file = file.ok_or_else(|| {
            Failure::new("usage", "a capture is bytes and cannot be copied").with_fix("Name a file: :export pcap FILE")
        })?;
        let bytes = export::capture_bytes(&mut site(device)?, document.profile())?;
        save::save_bytes(Path::new(&file), &bytes)?;
        return Ok(Written { dialect: dialect.name(), target: Ok(file), remarks: Vec::new() });
    }
    if let Some((PlaceKind::Real, device)) = device.filter(|_| dialect != Dialect::Command) {
        // The console sends there whatever the profile names.
        document.set("device", &device).map_err(|why| Failure::new("bad_setting", why.to_string()))?;
    }
    let exported = dialect::export(dialect, &document);
    let exported = exported.map_err(|why| Failure::new("bad_export", why.to_string()))?;
    let target = match file {
        Some(file) => {
            save::save(Path::new(&file), &exported.text)?;
            Ok(file)
        }
        None => Err(exported.text.trim_end().to_owned()),
    };
    Ok(Written { dialect: dialect.name(), target, remarks: remarks(&exported.report, "") })
}

fn site(device: Option<(PlaceKind, String)>) -> Result<Site, Failure> {
    let place = match device {
        Some((PlaceKind::Real | PlaceKind::Lab, device)) => site::Place::Device(device),
        Some((PlaceKind::Sim, _)) | None => site::Place::Sim,
    };
    Site::open(place, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "echo \"add_device eth1\" > /proc/net/pktgen/kpktgend_0\n\
                          echo \"count 7\" > /proc/net/pktgen/eth1\necho \"spi 5\" > /proc/net/pktgen/eth1\n";

    fn refused(reply: Reply) -> String {
        match reply {
            Reply::Failed(why) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_becomes_a_profile_with_its_notes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my old.sh").display().to_string();
        fs::write(&file, SCRIPT).unwrap();
        let Reply::Imported(foreign) = import(file.clone(), None, |_| ()) else { panic!("not imported") };
        assert_eq!((foreign.name.as_str(), foreign.dialect), ("my-old", "pktgen"));
        assert_eq!(foreign.document.get("count").as_deref(), Some("7"));
        let loss = foreign.remarks.iter().find(|remark| remark.is_loss).expect("spi is no part of a profile");
        assert!(loss.text.starts_with("my old.sh:3: dropped:"), "{}", loss.text);
    }

    /// The profile will lie in the user's own folder, and a capture of any length is read as a stream.
    #[test]
    fn a_capture_is_named_by_its_whole_path_however_long_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.pcap");
        let header = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, 1].map(u32::to_le_bytes).concat();
        let record = [[0u32, 0, 60_000, 60_000].map(u32::to_le_bytes).concat(), vec![7; 60_000]].concat();
        // More than a script may have.
        fs::write(&file, [header, record.repeat(1200)].concat()).unwrap();
        let reply = import(file.display().to_string(), None, |_| ());
        let Reply::Imported(foreign) = reply else { panic!("{reply:?}") };
        let whole = file.canonicalize().unwrap().display().to_string();
        let replay = foreign.document.profile().flows[0].replay.as_ref().unwrap();
        assert_eq!((foreign.dialect, replay.path()), ("pcap", whole));
    }

    #[test]
    fn what_cannot_be_read_is_said_in_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("notes"), "hello\n").unwrap();
        fs::write(at("bytes.sh"), [0xff, 0xfe]).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe").as_str(), rustix::fs::Mode::RWXU).ok();
        for (name, dialect, wanted) in [
            ("notes", None, "nothing in it tells what it is. Say so behind it: pktgen, "),
            ("bytes.sh", Some("pktgen"), "not UTF-8 text"),
            ("gone", None, "reading failed: No such file"),
            (".", None, "only files are read here"),
            ("pipe", None, "only files are read here"),
        ] {
            let why = refused(import(at(name), dialect, |_| ()));
            assert!(why.contains(wanted), "{name}: {why}");
        }
    }

    #[test]
    fn an_export_never_replaces_a_file_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sh").display().to_string();
        let text = crate::profile::shipped().iter().find(|(name, _)| *name == "udp-64").unwrap().1;
        let wanted = |dialect: &str, file: Option<&str>, force| Wanted {
            dialect: dialect.into(),
            file: file.map(str::to_owned),
            document: Box::new(Document::parse("", text).unwrap()),
            force,
            device: Some((PlaceKind::Real, "eth7".into())),
        };
        let Reply::Exported(first) = export(wanted("pktgen", Some(&file), false)) else { panic!("not written") };
        assert_eq!(first.target.as_deref(), Ok(file.as_str()));
        let script = fs::read_to_string(&file).unwrap();
        assert!(script.contains("eth7"), "the console's own device: {script}");
        let again = export(wanted("trafgen", Some(&file), false));
        assert!(matches!(again, Reply::ExportRefused { .. }), "{again:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), script);
        assert!(matches!(export(wanted("trafgen", Some(&file), true)), Reply::Exported(_)));
        let Reply::Exported(copied) = export(wanted("command", None, false)) else { panic!("not told") };
        assert_eq!(copied.target.as_ref().unwrap_err(), "txdeck run udp-64");
        assert!(refused(export(wanted("pcap", None, false))).contains(":export pcap FILE"));
        let deep = refused(export(wanted("trex", Some(&format!("{file}/b")), false)));
        assert!(deep.contains("saving failed"), "{deep}");
    }

    #[test]
    fn a_capture_holds_the_frames_as_they_leave() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pcap").display().to_string();
        let text = crate::profile::shipped().iter().find(|(name, _)| *name == "udp-64").unwrap().1;
        let document = Box::new(Document::parse("", text).unwrap());
        let wanted = Wanted { dialect: "pcap".into(), file: Some(file.clone()), document, force: false, device: None };
        assert!(matches!(export(wanted), Reply::Exported(_)));
        assert_eq!(fs::metadata(&file).unwrap().len(), 24 + 1000 * (16 + 60));
    }

    #[test]
    fn a_folder_is_listed_as_it_is_typed() {
        let folder_of = tempfile::tempdir().unwrap();
        fs::create_dir(folder_of.path().join("deep")).unwrap();
        for name in ["b.sh", "a b.pkt", ".hidden"] {
            fs::write(folder_of.path().join(name), "").unwrap();
        }
        let path = format!("{}/", folder_of.path().display());
        assert_eq!(folder(path.clone()), Folder { path, names: vec!["a b.pkt".into(), "b.sh".into(), "deep/".into()] });
        assert!(folder("/nowhere/".into()).names.is_empty());
    }
}
