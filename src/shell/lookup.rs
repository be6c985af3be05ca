//! Which text a PROFILE on the command line means: a path, stdin, one's own, a shipped one, or an earlier result.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::shell::{args, failure::Failure, paths::Paths, result::RunResult, shipped};

/// A profile's text and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// As messages call it: the path, `<stdin>`, or `shipped:NAME`.
    pub label: String,
    pub text: String,
    /// Where a save goes without being told; `None` for stdin, shipped ones and results.
    pub file: Option<PathBuf>,
    /// The result whose `effective` text this is.
    pub earlier: Option<Box<RunResult>>,
}

/// What was written, before anything is read.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning<'a> {
    Stdin,
    Path(&'a Path),
    Shipped(&'a str),
    Name(&'a str),
}

/// Longer texts are no profiles; reading a device or a disk image by mistake must end.
const MOST_BYTES: u64 = 16 << 20;

fn meaning(written: &str) -> Meaning<'_> {
    if written == "-" {
        return Meaning::Stdin;
    }
    if let Some(name) = written.strip_prefix("shipped:") {
        return Meaning::Shipped(name);
    }
    let path = Path::new(written);
    if written.contains('/') || path.extension().is_some() { Meaning::Path(path) } else { Meaning::Name(written) }
}

/// Finds and reads a PROFILE.
pub fn find(written: &str, paths: &Paths) -> Result<Source, Failure> {
    match meaning(written) {
        Meaning::Stdin => take("<stdin>", &read_stdin()?, None),
        Meaning::Path(path) => take(written, &read(path)?, Some(path.to_owned())),
        Meaning::Shipped(name) => embedded(name).ok_or_else(|| unknown(name, paths)),
        Meaning::Name(name) => {
            let own = paths.profile(name);
            if own.exists() {
                return take(&own.display().to_string(), &read(&own)?, Some(own));
            }
            embedded(name).ok_or_else(|| unknown(name, paths))
        }
    }
}

fn embedded(name: &str) -> Option<Source> {
    let text = shipped::profile(name)?;
    Some(Source { label: format!("shipped:{name}"), text: text.to_owned(), file: None, earlier: None })
}

/// A result file stands for the profile that made it.
fn take(label: &str, text: &str, file: Option<PathBuf>) -> Result<Source, Failure> {
    if !text.trim_start().starts_with('{') {
        return Ok(Source { label: label.to_owned(), text: text.to_owned(), file, earlier: None });
    }
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // A result may also have been laid out over many lines by another tool.
    let parsed = serde_json::from_str::<RunResult>(last).or_else(|_| serde_json::from_str::<RunResult>(text));
    let earlier = parsed.map_err(|why| {
        let message =
            format!("{label}: looks like JSON, but its last line is no result of \"txdeck run --json\": {why}");
        Failure::new("bad_profile", message)
    })?;
    if earlier.version != 1 {
        let message = format!("{label}: a result of version {}; this txdeck reads version 1", earlier.version);
        return Err(Failure::new("bad_profile", message));
    }
    let label = format!("{label} (effective)");
    Ok(Source { label, text: earlier.effective.clone(), file: None, earlier: Some(Box::new(earlier)) })
}

fn read_stdin() -> Result<String, Failure> {
    read_whole(io::stdin().lock()).map_err(|why| Failure::file("reading", Path::new("<stdin>"), &why))
}

/// A file's text, of a sane length and in UTF-8.
pub fn read(path: &Path) -> Result<String, Failure> {
    let opened = fs::File::open(path).and_then(read_whole);
    opened.map_err(|why| {
        let code = if why.kind() == io::ErrorKind::NotFound { "no_profile" } else { "file" };
        Failure { code, ..Failure::file("reading", path, &why) }
    })
}

fn read_whole(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let length = from.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if length as u64 > MOST_BYTES {
        return Err(io::Error::other("longer than 16 MiB, which no profile is"));
    }
    Ok(text)
}

/// Reads a small file of the user's, `None` where there is none.
pub fn read_if_there(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(why),
    }
}

/// Names of a user's own profiles, sorted.
pub fn own_names(paths: &Paths) -> Vec<String> {
    names_in(&paths.profiles())
}

/// Names of the TOML files of a folder, sorted; none when there is no such folder.
pub fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |path: PathBuf| {
        let is_toml = path.extension().is_some_and(|ending| ending == "toml");
        is_toml.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).flatten()
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| name(entry.path())).collect();
    names.sort();
    names
}

fn unknown(name: &str, paths: &Paths) -> Failure {
    let mut known: Vec<String> = own_names(paths);
    known.extend(shipped::profiles().map(|(name, _)| name.to_owned()));
    let commands = args::command();
    let commands = commands.get_subcommands().map(|command| command.get_name().to_owned());
    let nearest = nearest(name, known.iter().cloned().chain(commands));
    let message = match name {
        "" => "an empty name (a shell variable that is not set?): a profile has a name or a path".to_owned(),
        name => format!("{name}: no profile or command has this name"),
    };
    let all = "All profiles: txdeck profiles. A path needs a / or an ending";
    let fix = match nearest {
        Some(nearest) => format!("Did you mean {nearest}? {all}"),
        None => all.to_owned(),
    };
    Failure::new("no_profile", message).with_fix(fix)
}

/// The known name most like `name`, when it is alike at all.
pub fn nearest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let scored = known.map(|candidate| (strsim::damerau_levenshtein(name, &candidate), candidate));
    let (distance, best) = scored.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= name.chars().count().max(3)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user() -> (tempfile::TempDir, Paths) {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path(), home.path());
        fs::create_dir_all(paths.profiles()).unwrap();
        (home, paths)
    }

    #[test]
    fn a_slash_or_an_ending_makes_a_path() {
        assert_eq!(meaning("a/b"), Meaning::Path(Path::new("a/b")));
        assert_eq!(meaning("b.toml"), Meaning::Path(Path::new("b.toml")));
        assert_eq!(meaning("./b"), Meaning::Path(Path::new("./b")));
        assert_eq!(meaning("udp-64"), Meaning::Name("udp-64"));
        assert_eq!(meaning("shipped:udp-64"), Meaning::Shipped("udp-64"));
        assert_eq!(meaning("-"), Meaning::Stdin);
    }

    #[test]
    fn the_users_own_profile_comes_first_and_shipped_is_always_the_embedded_one() {
        let (_home, paths) = user();
        assert_eq!(find("udp-64", &paths).unwrap().label, "shipped:udp-64");
        fs::write(paths.profile("udp-64"), "# mine").unwrap();
        let own = find("udp-64", &paths).unwrap();
        assert_eq!((own.text.as_str(), own.file), ("# mine", Some(paths.profile("udp-64"))));
        let embedded = find("shipped:udp-64", &paths).unwrap();
        assert_ne!(embedded.text, "# mine");
        assert_eq!(embedded.file, None);
        assert_eq!(own_names(&paths), ["udp-64"]);
    }

    #[test]
    fn a_result_file_stands_for_its_effective_text() {
        let (home, paths) = user();
        let mut result = RunResult::blank();
        result.effective = "version = 1\n".into();
        let file = home.path().join("then.json");
        fs::write(&file, format!("{{\"type\":\"sample\"}}\n{}\n", result.to_line())).unwrap();
        let source = find(file.to_str().unwrap(), &paths).unwrap();
        assert_eq!(source.text, "version = 1\n");
        assert_eq!((source.file, source.earlier.as_deref()), (None, Some(&result)));
        fs::write(&file, serde_json::to_string_pretty(&result).unwrap()).unwrap();
        assert_eq!(find(file.to_str().unwrap(), &paths).unwrap().text, "version = 1\n");
    }

    #[test]
    fn what_is_no_result_and_what_is_of_another_version_is_refused() {
        let (home, paths) = user();
        let file = home.path().join("odd.json");
        fs::write(&file, "{\"type\":\"error\"}").unwrap();
        assert!(find(file.to_str().unwrap(), &paths).unwrap_err().message.contains("no result"));
        fs::write(&file, RunResult { version: 2, ..RunResult::blank() }.to_line()).unwrap();
        assert!(find(file.to_str().unwrap(), &paths).unwrap_err().message.contains("version 2"));
    }

    #[test]
    fn unknown_names_get_the_nearest_profile_or_command() {
        let (_home, paths) = user();
        let fix = |name: &str| find(name, &paths).unwrap_err().fix.unwrap();
        assert!(fix("udp64").contains("Did you mean udp-64?"), "{}", fix("udp64"));
        assert!(fix("chekc").contains("Did you mean check?"));
        assert!(fix("something-else-entirely").starts_with("All profiles: txdeck profiles"));
        assert!(find("", &paths).unwrap_err().message.starts_with("an empty name"));
        assert_eq!(find("no/such.toml", &paths).unwrap_err().code, "no_profile");
    }

    #[test]
    fn text_that_is_not_utf8_or_endless_is_refused() {
        assert!(read_whole(&[0xff, 0xfe][..]).is_err());
        assert!(read_whole(io::repeat(b'a')).unwrap_err().to_string().contains("16 MiB"));
    }
}
