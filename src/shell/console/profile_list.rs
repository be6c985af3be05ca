//! What the open list shows: the user's profiles and the shipped ones, with their notes, shadows and faults.

use crate::{
    app::{ProfileEntry, ProfileList},
    profile::Document,
    shell::{lookup, paths, paths::Paths, shipped},
};

/// One's own first, then the shipped ones.
pub fn found(paths: &Paths) -> ProfileList {
    let own = lookup::own_names(paths);
    let mut entries: Vec<ProfileEntry> = own.iter().map(|name| own_entry(name, paths)).collect();
    entries.extend(shipped::profiles().map(|(name, text)| ProfileEntry {
        is_shipped: true,
        is_shadowed: own.iter().any(|own| own == name),
        ..entry(name, name, text)
    }));
    ProfileList { entries, folder: paths.profiles().display().to_string(), sudo_user: paths::sudo_caller() }
}

fn own_entry(name: &str, paths: &Paths) -> ProfileEntry {
    let file = paths.profile(name);
    let is_shadowed = shipped::profile(name).is_some();
    match lookup::read(&file) {
        Ok(text) => ProfileEntry { is_shadowed, ..entry(name, &format!("{name}.toml"), &text) },
        Err(why) => {
            let problem = Some(why.for_people());
            ProfileEntry { name: name.to_owned(), is_shadowed, problem, ..ProfileEntry::default() }
        }
    }
}

fn entry(name: &str, file: &str, text: &str) -> ProfileEntry {
    let (note, problem) = match Document::parse(file, text) {
        Ok(document) => (document.profile().note.clone(), None),
        Err(problems) => (String::new(), problems.0.first().map(ToString::to_string)),
    };
    ProfileEntry { name: name.to_owned(), note, problem, ..ProfileEntry::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn shadows_and_broken_files_are_told() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path(), home.path());
        fs::create_dir_all(paths.profiles()).unwrap();
        fs::write(paths.profile("udp-64"), shipped::profile("udp-64").unwrap()).unwrap();
        fs::write(paths.profile("broken"), shipped::profile("udp-64").unwrap().replace("burst =", "brst =")).unwrap();
        let found = found(&paths);
        let entry = |name: &str, is_shipped: bool| {
            found.entries.iter().find(|entry| entry.name == name && entry.is_shipped == is_shipped).unwrap()
        };
        assert!(entry("udp-64", false).is_shadowed && entry("udp-64", true).is_shadowed);
        assert!(!entry("sizes", true).is_shadowed);
        let problem = entry("broken", false).problem.clone().unwrap();
        assert!(problem.starts_with("broken.toml:"), "{problem}");
        assert!(problem.ends_with("tx.brst: no such key. Did you mean tx.burst?"), "{problem}");
        assert!(entry("udp-64", false).problem.is_none() && !entry("udp-64", false).note.is_empty());
    }
}
