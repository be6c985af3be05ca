//! The README keeps its word: generated parts are what the program says, commands are ones it understands, packages
//! are those that `.ci/run` installs. `README_WRITE=1 cargo test --test readme` writes the generated parts anew.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use txdeck::profile::{Document, reference, shipped};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn readme() -> String {
    fs::read_to_string(file("README.md")).expect("README.md")
}

/// What stands between `<!-- NAME… -->` and `<!-- /NAME -->`: its place in the text.
fn part(text: &str, name: &str) -> std::ops::Range<usize> {
    let opening = text.find(&format!("<!-- {name}")).unwrap_or_else(|| panic!("README.md has no <!-- {name} -->"));
    let start = opening + text[opening..].find("-->\n").expect("an ended comment") + 4;
    let end = start + text[start..].find(&format!("<!-- /{name} -->")).expect("the end of the part");
    start..end
}

/// Compares a generated part, or writes it where that is asked for.
fn keeps(name: &str, generated: &str) {
    let text = readme();
    let place = part(&text, name);
    if text[place.clone()] == *generated {
        return;
    }
    let asked = std::env::var("README_WRITE").is_ok_and(|value| value == "1");
    assert!(asked, "README.md: the part \"{name}\" is old. Run: README_WRITE=1 cargo test --test readme");
    let new = [&text[..place.start], generated, &text[place.end..]].concat();
    fs::write(file("README.md"), new).expect("README.md is written");
}

/// One test for all generated parts: two that write the same file at once would lose one of them.
#[test]
fn generated_parts_are_what_the_program_says() {
    // The page's own headings are one level above those of the reference.
    keeps("reference", &format!("\n{}\n", reference().replace("### ", "#### ").trim_end()));
    let notes = shipped().iter().map(|(name, text)| {
        let document = Document::parse(name, text).unwrap_or_else(|problems| panic!("{problems}"));
        format!("| `{name}` | {} |\n", document.profile().note)
    });
    keeps("pktgen", &format!("\n{}\n", txdeck::dialect::pktgen::table::reference().trim_end()));
    keeps("profiles", &format!("\n| name | what it is for |\n|---|---|\n{}\n", notes.collect::<String>()));
}

/// Lines behind `$ ` in the blocks marked as `console`.
fn command_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_console = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(language) => is_console = language == "console",
            None => lines.extend(line.strip_prefix("$ ").filter(|_| is_console).map(str::to_owned)),
        }
    }
    lines
}

/// Words as a shell reads them, as far as the README needs it: blanks part them, single quotes hold them together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (number, piece) in line.split('\'').enumerate() {
        let is_quoted = number % 2 == 1;
        for (place, text) in piece.split(|c| !is_quoted && c == ' ').enumerate() {
            if place > 0 {
                words.push(String::new());
            }
            words.last_mut().expect("there is always one").push_str(text);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The arguments that reach txdeck, or `None` for a command of somebody else.
fn arguments(line: &str) -> Option<Vec<String>> {
    let words = words(line);
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["txdeck", ..] => Some(words[1..].to_vec()),
        ["cargo", "run", "--release", "--", ..] => Some(words[4..].to_vec()),
        ["cargo", "test"] => None,
        other => panic!("README.md: {other:?} is neither txdeck nor cargo"),
    }
}

fn txdeck(arguments: &[String]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_txdeck"));
    command.args(arguments).env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.output().expect("the program runs")
}

#[test]
fn every_command_line_is_understood() {
    let lines = command_lines(&readme());
    assert!(lines.len() >= 15, "{lines:?}");
    for line in lines {
        let Some(mut arguments) = arguments(&line) else { continue };
        // Everything in front of --help is read before help is given; behind -- it would be somebody else's.
        let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        arguments.insert(end, "--help".into());
        let output = txdeck(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && told.is_empty(), "README.md: {line}\n{told}");
    }
}

#[test]
fn commands_that_send_nothing_run_as_they_stand() {
    let silent = ["show", "profiles", "themes", "keys", "paths", "man", "completions"];
    let lines = command_lines(&readme()).into_iter().filter_map(|line| arguments(&line));
    let lines: Vec<_> = lines.filter(|words| words.first().is_some_and(|word| silent.contains(&&**word))).collect();
    assert!(lines.len() >= 3, "{lines:?}");
    for mut arguments in lines {
        if let Some(at) = arguments.iter().position(|word| word == "--pcap") {
            arguments[at + 1] = "/dev/null".into();
        }
        let output = txdeck(&arguments);
        assert!(output.status.success(), "README.md: {arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Settings are read behind the options, so `--help` alone would not notice a wrong one.
#[test]
fn every_setting_fits_its_profile() {
    let lines = command_lines(&readme()).into_iter().filter_map(|line| arguments(&line));
    let sets = |word: &String| ["-s", "--set"].contains(&word.as_str());
    let mut checked = 0;
    for words in lines.map(|words| words.into_iter().take_while(|word| word != "--").collect::<Vec<_>>()) {
        if !words.iter().any(sets) {
            continue;
        }
        let name = &words[if words[0] == "run" { 1 } else { 0 }];
        let (_, text) = shipped().iter().find(|(shipped, _)| shipped == name).expect("a shipped profile");
        let mut document = Document::parse(name, text).expect("a valid profile");
        for (_, setting) in words.iter().zip(&words[1..]).filter(|(option, _)| sets(option)) {
            let (key, value) = setting.split_once('=').expect("KEY=VALUE");
            document.set(key, value).unwrap_or_else(|problems| panic!("README.md: {setting}: {problems}"));
            checked += 1;
        }
    }
    assert!(checked >= 3, "{checked} settings in README.md");
}

#[test]
fn the_example_profile_is_valid() {
    let text = readme();
    let start = text.find("```toml\n").expect("an example profile") + 8;
    let end = start + text[start..].find("```").expect("its end");
    let document = Document::parse("README.md", &text[start..end]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(document.notes(), []);
}

/// Whole files as they stand; lines of a flow among what else a flow needs.
#[test]
fn every_piece_of_a_profile_is_valid() {
    let readme = readme();
    let pieces: Vec<&str> = readme.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(pieces.len() >= 5, "{pieces:?}");
    for piece in pieces {
        let alone = if piece.contains("eth = ") || piece.contains("raw = ") {
            ""
        } else {
            "eth = { dst = \"02:00:00:00:00:02\" }\nipv4 = { src = { random = [\"10.0.0.1\", \"10.9.9.9\"] } }\nudp = {}\n"
        };
        let whole = match piece.starts_with("version") {
            true => piece.to_owned(),
            false => format!("version = 1\n[[flow]]\nname = \"piece\"\n{piece}{alone}"),
        };
        Document::parse("README.md", &whole).unwrap_or_else(|problems| panic!("{problems}\n{whole}"));
    }
}

#[test]
fn rates_and_durations_that_it_names_are_read() {
    let (_, text) = shipped().iter().find(|(name, _)| *name == "udp-64").expect("udp-64");
    let mut document = Document::parse("udp-64", text).expect("valid");
    let readme = readme();
    for (key, heading, most) in [("rate", "| rate | means |", 7), ("duration", "Durations are", 5)] {
        let from = readme.find(heading).unwrap_or_else(|| panic!("README.md has no {heading}"));
        let end = readme[from..].find("\n\n").map_or(readme.len(), |end| from + end);
        let spellings: Vec<&str> = readme[from..end].split('`').skip(1).step_by(2).collect();
        assert!(spellings.len() >= most, "{spellings:?}");
        for spelling in spellings {
            document.set(key, spelling).unwrap_or_else(|problems| panic!("README.md: {spelling}: {problems}"));
        }
    }
}

/// Packages behind `apt install`, wherever the README says so.
fn packages_named(text: &str) -> BTreeSet<&str> {
    let lists = text.split("apt install ").skip(1).filter_map(|rest| rest.split('`').next());
    lists.flat_map(str::split_ascii_whitespace).collect()
}

#[test]
fn packages_are_those_of_the_ci() {
    let ci = fs::read_to_string(file(".ci/run")).expect(".ci/run");
    let need = ci.split("need=(").nth(1).and_then(|rest| rest.split(')').next()).expect("need=(…)");
    assert_eq!(packages_named(&readme()), need.split_ascii_whitespace().collect());
}

#[test]
fn links_lead_somewhere() {
    let text = readme();
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let plain = line.trim_start_matches('#').trim().to_lowercase();
        plain.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).collect::<String>().replace(' ', "-")
    });
    let headings: BTreeSet<String> = headings.collect();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.starts_with("https://")) {
        match target.strip_prefix('#') {
            Some(heading) => assert!(headings.contains(heading), "README.md: no heading #{heading}"),
            None => assert!(file(target).exists(), "README.md: there is no {target}"),
        }
    }
}

/// Every `.rs` file below a folder, without its tests.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            found.push(text.split("\n#[cfg(test)]").next().unwrap_or_default().to_owned());
        }
    }
}

/// The first string literals behind each `marker`.
fn literals_behind<'t>(text: &'t str, marker: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(marker).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
}

/// A new way to fail needs its line under "Troubleshooting", and a line there needs its way to fail.
#[test]
fn every_code_of_a_failed_start_is_explained() {
    let mut texts = Vec::new();
    sources(&file("src"), &mut texts);
    let mut codes = BTreeSet::new();
    for text in &texts {
        codes.extend(literals_behind(text, "Failure::new("));
        codes.extend(literals_behind(text, "Failure::told("));
        for body in text.split("fn code(&self)").skip(1) {
            codes.extend(literals_behind(body.split("\n    }\n").next().unwrap_or_default(), "=>"));
        }
    }
    assert!(codes.len() >= 40, "{codes:?}");
    let readme = readme();
    let section = readme.split("\n## Troubleshooting").nth(1).and_then(|rest| rest.split("\n## ").next());
    let section = section.expect("a section on troubleshooting");
    let brackets = section.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let named = brackets.filter(|(_, behind)| !behind.starts_with('(')).flat_map(|(inside, _)| inside.split(", "));
    let named: BTreeSet<&str> = named.collect();
    let unexplained: Vec<_> = codes.difference(&named).collect();
    let unheard_of: Vec<_> = named.difference(&codes).collect();
    assert!(
        unexplained.is_empty() && unheard_of.is_empty(),
        "not in README.md: {unexplained:?}; only there: {unheard_of:?}"
    );
}
