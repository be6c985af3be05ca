//! Broken themes and keymaps, each with the message it must give in its first lines (`# ` each problem).

use std::{fs, path::Path};

use txdeck::{app::Keymap, ui::Theme};

fn check(folder: &str, least: usize, read: impl Fn(&str, &str) -> Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad").join(folder);
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let wanted: Vec<String> = text.lines().map_while(|line| line.strip_prefix("# ")).map(str::to_owned).collect();
        assert!(!wanted.is_empty(), "{file} names no message");
        assert_eq!(read(&file, &text), wanted, "{file}");
        seen += 1;
    }
    assert!(seen >= least, "only {seen} files in {}", folder.display());
}

#[test]
fn broken_themes_give_their_message() {
    check("themes", 8, |file, text| Theme::parse(file, text).err().unwrap_or_default());
}

#[test]
fn broken_keymaps_give_their_message_and_change_nothing() {
    check("keys", 8, |file, text| {
        let mut map = Keymap::shipped();
        let problems = map.overlay(file, text).err().unwrap_or_default();
        assert_eq!(map, Keymap::shipped());
        problems
    });
}
