//! What is embedded and what is one's own: `profiles`, `themes`, `keys`, `paths`.

use std::path::Path;

use crate::{
    profile::Document,
    shell::{
        args::{Common, ProfilesArgs, ThemesArgs},
        failure::Failure,
        load, lookup,
        output::{Ending, Output},
        paths::{self, Paths},
        settings::Settings,
        shipped,
    },
    ui::Theme,
};

/// The shipped keymap, as a file that a user's own may start from.
const KEYS: &str = include_str!("../../assets/keys.toml");

pub fn profiles(args: &ProfilesArgs, common: &Common) -> Result<u8, Ending> {
    let paths = Paths::of_this_user()?;
    let text = match &args.name {
        None => all_profiles(&paths),
        Some(name) => {
            let source = lookup::find(name, &paths)?;
            if args.effective { load::document(&source, &Settings::default(), None)?.effective() } else { source.text }
        }
    };
    put(&text, common)
}

fn all_profiles(paths: &Paths) -> String {
    let own = lookup::own_names(paths);
    let mut rows: Vec<(String, &str, String)> = Vec::new();
    for name in &own {
        let text = lookup::read(&paths.profile(name)).unwrap_or_default();
        rows.push((name.clone(), "yours", note(name, &text)));
    }
    for (name, text) in shipped::profiles() {
        // A user's own profile hides the shipped one of the same name.
        let shown = if own.iter().any(|own| own == name) { format!("shipped:{name}") } else { name.to_owned() };
        rows.push((shown, "shipped", note(name, text)));
    }
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(name, whose, note)| format!("{name:<width$}  {whose:<7}  {note}\n")).collect()
}

fn note(name: &str, text: &str) -> String {
    match Document::parse(name, text) {
        Ok(document) => document.profile().note.clone(),
        Err(_) => format!("does not parse: txdeck check {name}"),
    }
}

pub fn themes(args: &ThemesArgs, common: &Common) -> Result<u8, Ending> {
    let paths = Paths::of_this_user()?;
    let own = lookup::names_in(&paths.themes());
    let Some(name) = &args.name else {
        let own = own.iter().map(|name| (name.as_str(), "yours"));
        let rows = own.chain(Theme::names().map(|name| (name, "shipped")));
        return put(&rows.map(|(name, whose)| format!("{name:<16}  {whose}\n")).collect::<String>(), common);
    };
    let file =
        if name.contains('/') { Path::new(name).to_owned() } else { paths.themes().join(format!("{name}.toml")) };
    if file.exists() {
        return put(&lookup::read(&file)?, common);
    }
    let known = || own.iter().cloned().chain(Theme::names().map(str::to_owned));
    let text = Theme::text(name).ok_or_else(|| {
        let fix = lookup::nearest(name, known()).map(|nearest| format!("Did you mean {nearest}? "));
        Failure::new("no_theme", format!("{name:?}: no theme has this name")).with_fix(format!(
            "{}Themes: {}",
            fix.unwrap_or_default(),
            known().collect::<Vec<_>>().join(", ")
        ))
    })?;
    put(text, common)
}

pub fn keys(common: &Common) -> Result<u8, Ending> {
    put(KEYS, common)
}

pub fn paths(common: &Common) -> Result<u8, Ending> {
    put(&paths::describe(&Paths::of_this_user()?), common)
}

/// A whole text where output goes.
pub fn put(text: &str, common: &Common) -> Result<u8, Ending> {
    let mut output = Output::open(common.output.as_deref())?;
    output.text(text)?;
    output.flush()?;
    Ok(0)
}
