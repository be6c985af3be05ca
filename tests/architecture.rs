//! The house rules, read from the source text: who may import whom, and what may appear where.
//! A text scan: it catches slips, not malice.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Room → rooms it may import. The same table stands in `src/ARCHITECTURE.md`.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("profile", &[]),
    ("packet", &["profile"]),
    ("dialect", &["profile", "packet"]),
    ("stats", &[]),
    ("trial", &["stats"]),
    ("nic", &[]),
    ("engine", &["packet", "stats", "nic", "profile"]),
    ("lab", &["nic"]),
    ("app", &["profile", "packet", "stats", "trial"]),
    ("ui", &["app", "profile", "packet", "stats", "trial"]),
    ("shell", &["profile", "packet", "dialect", "stats", "trial", "nic", "engine", "lab", "app", "ui"]),
];

/// What may appear only in some places: a text, the places (path beginnings), and the rule.
const ONLY_IN: &[(&str, &[&str], &str)] = &[
    ("unsafe ", &["nic/"], "`unsafe` lives in the nic room alone"),
    ("Instant::now", &["shell/"], "time is an argument; only the shell reads a clock"),
    ("SystemTime::now", &["shell/"], "time is an argument; only the shell reads a clock"),
    ("clock_gettime", &["shell/"], "time is an argument; only the shell reads a clock"),
    ("thread::sleep", &["shell/", "nic/", "lab/"], "nobody sleeps below the shell"),
    ("println!", &["shell/"], "only the shell prints"),
    ("print!", &["shell/"], "only the shell prints"),
    ("eprintln!", &["shell/"], "only the shell prints"),
    ("eprint!", &["shell/"], "only the shell prints"),
    ("dbg!", &[], "no debugging left behind"),
    ("ratatui", &["ui/", "shell/"], "only the face (and the shell that owns the terminal) knows ratatui"),
    ("crossterm", &["shell/"], "only the shell knows the terminal"),
    ("super::super", &[], "import by the room's name"),
    ("std::fs", &["shell/", "nic/", "lab/"], "files are the shell's"),
];

/// A file longer than this holds more than one idea.
const MAX_LINES: usize = 700;

struct Source {
    /// Relative to `src`.
    path: String,
    room: String,
    /// Without comments and without the tests at its foot.
    code: String,
    lines: usize,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.iter().map(|file| source(&root, file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

fn source(root: &Path, file: &Path) -> Source {
    let path = file.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = code.lines().filter(is_code).map(|line| line.split(" // ").next().unwrap_or_default());
    let room = path.split('/').next().unwrap_or_default().to_owned();
    Source { path: path.clone(), room, code: code.collect::<Vec<_>>().join("\n"), lines: text.lines().count() }
}

/// Rooms named after `crate::` in a text, grouped imports (`use crate::{a, b::c}`) included.
fn imported_rooms(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => rooms.extend(top_level_names(group)),
            None => rooms.push(leading_name(rest)),
        }
    }
    rooms
}

fn top_level_names(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut start) = (0, Vec::new(), 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(leading_name(&group[start..]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(leading_name(&group[start..]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn leading_name(text: &str) -> String {
    text.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

#[test]
fn imports_keep_their_direction() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.iter().copied().collect();
    let mut broken = Vec::new();
    for source in sources() {
        let Some(may) = allowed.get(source.room.as_str()) else { continue };
        for room in imported_rooms(&source.code) {
            if room != source.room && !may.contains(&room.as_str()) {
                broken.push(format!("src/{}: `{}` may not import `{room}`", source.path, source.room));
            }
        }
    }
    assert!(broken.is_empty(), "direction of imports (src/ARCHITECTURE.md):\n{}", broken.join("\n"));
}

#[test]
fn every_room_has_a_row() {
    for source in sources().iter().filter(|source| source.path.contains('/')) {
        assert!(MAY_IMPORT.iter().any(|(room, _)| *room == source.room), "src/{}: a room without a row", source.path);
    }
}

#[test]
fn things_stay_in_their_place() {
    let mut broken = Vec::new();
    for source in sources() {
        for (text, places, rule) in ONLY_IN {
            let names_itself = source.code.match_indices(text).any(|(at, _)| {
                let before = source.code[..at].chars().next_back();
                !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            });
            if names_itself && !places.iter().any(|place| source.path.starts_with(place)) {
                broken.push(format!("src/{}: `{}`: {rule}", source.path, text.trim()));
            }
        }
        if source.code.contains("::*;") && !source.path.starts_with("lib.rs") {
            broken.push(format!("src/{}: glob imports hide the direction", source.path));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn files_hold_one_idea_and_say_which() {
    let mut broken = Vec::new();
    for source in sources() {
        if source.lines > MAX_LINES {
            broken.push(format!("src/{}: {} lines (at most {MAX_LINES})", source.path, source.lines));
        }
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(&source.path)).unwrap();
        if !text.starts_with("//!") && source.path != "lib.rs" {
            broken.push(format!("src/{}: does not open with what it is (`//!`)", source.path));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_map_shows_the_same_table() {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ARCHITECTURE.md")).unwrap();
    for (room, may) in MAY_IMPORT {
        let row = if *room == "shell" {
            "| `shell` | everything; nobody imports it |".to_owned()
        } else if may.is_empty() {
            format!("| `{room}` | nothing of ours |")
        } else {
            format!("| `{room}` | {} |", may.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        };
        assert!(map.contains(&row), "src/ARCHITECTURE.md lacks the row\n{row}");
    }
}

/// Every shipped file is embedded by name somewhere in the source.
#[test]
fn shipped_files_are_embedded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code: String = sources().into_iter().map(|source| source.code).collect();
    let mut seen = 0;
    for folder in ["profiles", "themes"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let stem = name.trim_end_matches(".toml");
            let by_path = code.contains(&format!("{folder}/{name}"));
            assert!(by_path || code.contains(&format!("\"{stem}\"")), "{folder}/{name} is not embedded");
            seen += 1;
        }
    }
    assert!(seen >= 10, "only {seen} shipped files found");
}

#[test]
fn the_scan_sees_what_it_should() {
    let code = "use crate::{nic::Clock, packet::{Plan, Frame}, stats};\nfn f() { crate::ui::draw() }";
    assert_eq!(imported_rooms(code), ["nic", "packet", "stats", "ui"]);
}
