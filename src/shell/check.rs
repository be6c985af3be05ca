//! `txdeck check`: every error of every file, profiles, themes, keymaps and config.toml alike.

use std::path::Path;

use crate::{
    app::{Keymap, variety},
    packet::{Diversity, Facts, compile, lint, unplayable},
    profile::{Document, Profile},
    shell::{
        args::{CheckArgs, Common},
        captures,
        config::Config,
        lookup,
        output::{Ending, Output},
        paths::Paths,
        site::{Place, Site},
    },
    ui::Theme,
};

/// What a file is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Profile,
    Theme,
    Keymap,
    Config,
}

pub fn run(args: &CheckArgs, common: &Common) -> Result<u8, Ending> {
    let mut output = Output::open(common.output.as_deref())?;
    let paths = Paths::of_this_user()?;
    let mut bad = false;
    for file in &args.files {
        let told = check(file, &paths, common.quiet);
        bad |= told.is_err();
        let lines = match told {
            Ok(Fine { mut notes, makes }) => {
                notes.push(format!("{file}: ok{}", makes.map(|makes| format!(", {makes}")).unwrap_or_default()));
                notes
            }
            Err(errors) => errors,
        };
        lines.iter().try_for_each(|line| output.line(line))?;
    }
    Ok(if bad { 2 } else { 0 })
}

/// What is said of a file in which nothing is wrong.
#[derive(Default)]
struct Fine {
    notes: Vec<String>,
    /// How different the packets of a profile are.
    makes: Option<String>,
}

/// Notes of a valid file, or all errors of another.
fn check(file: &str, paths: &Paths, quiet: bool) -> Result<Fine, Vec<String>> {
    let source = lookup::find(file, paths).map_err(|why| vec![why.for_people()])?;
    match kind(file, &source.text) {
        Kind::Profile => {
            let document = Document::parse(&source.label, &source.text);
            let document =
                document.map_err(|problems| problems.0.iter().map(ToString::to_string).collect::<Vec<_>>())?;
            profile(&document, quiet)
        }
        Kind::Theme => Theme::parse(&source.label, &source.text).map(|_| Fine::default()),
        Kind::Keymap => Keymap::shipped().overlay(&source.label, &source.text).map(|()| Fine::default()),
        Kind::Config => Config::parse(&source.label, &source.text).map(|_| Fine::default()),
    }
}

fn profile(document: &Document, quiet: bool) -> Result<Fine, Vec<String>> {
    let mut facts = facts(document.profile());
    facts.captures = captures::looked_at(document.profile(), &facts, !quiet);
    let wrong = document.placed(unplayable(document.profile(), &facts));
    if !wrong.is_empty() {
        return Err(wrong.iter().map(ToString::to_string).collect());
    }
    let plan = compile(document.profile(), &facts).ok();
    Ok(Fine {
        notes: lint(document, &facts).iter().map(|note| format!("note: {note}")).collect(),
        makes: plan.map(|plan| variety::words(&Diversity::of(&plan, document.profile()), None)),
    })
}

/// Of the device that the profile names, when it is here; a file is checked on any machine.
fn facts(profile: &Profile) -> Facts {
    let named = profile.tx.device.clone().filter(|device| device != "sim");
    let site = named.and_then(|device| Site::open(Place::Device(device), None).ok());
    site.and_then(|mut site| site.all_facts().ok()).unwrap_or_default()
}

/// By what stands in it; a file too broken to tell is judged by its folder and name, else taken for a profile.
fn kind(file: &str, text: &str) -> Kind {
    let path = Path::new(file);
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let tables = text.lines().filter_map(|line| line.trim().strip_prefix('[')).map(|rest| rest.trim_start_matches('['));
    let heads: Vec<&str> = tables.filter_map(|rest| rest.split([']', '.']).next()).map(str::trim).collect();
    if heads.iter().any(|head| ["tx", "flow"].contains(head)) {
        Kind::Profile
    } else if heads.contains(&"roles") || folder == "themes" {
        Kind::Theme
    } else if path.file_name().is_some_and(|name| name == "keys.toml") || heads.contains(&"key") {
        Kind::Keymap
    } else if path.file_name().is_some_and(|name| name == "config.toml") {
        Kind::Config
    } else {
        Kind::Profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_what_stands_in_them() {
        assert_eq!(kind("a.toml", "version = 1\n[[flow]]\nname = 'a'"), Kind::Profile);
        assert_eq!(kind("themes/x.toml", "version = 1\n[tx]\n"), Kind::Profile);
        assert_eq!(kind("-", "[roles]\ntext = 'red'"), Kind::Theme);
        assert_eq!(kind("/home/me/.config/txdeck/themes/x.toml", "text = 'red'"), Kind::Theme);
        assert_eq!(kind("keys.toml", "q = 'quit'"), Kind::Keymap);
        assert_eq!(kind("/home/me/.config/txdeck/config.toml", "fps = 4"), Kind::Config);
        assert_eq!(kind("x.toml", ""), Kind::Profile);
    }
}
