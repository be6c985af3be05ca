//! The `:` line's history on disk: one line each, the newest last.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

use crate::{app::History, shell::save};

/// The file is written anew once it holds as many bytes more than anybody scrolls through.
const MOST_BYTES: u64 = 128 << 10;

/// What earlier sessions typed; nothing where there is no readable file.
pub fn read(path: &Path) -> History {
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let history = History::with(text.lines().map(str::to_owned));
    if text.len() as u64 > MOST_BYTES {
        let kept: String = history.lines().iter().map(|line| line.clone() + "\n").collect();
        // A history that stays long is no harm.
        save::save(path, &kept).ok();
    }
    history
}

/// One line more; sessions side by side each add theirs.
pub fn add(path: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_a_long_file_is_shortened() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state/history");
        assert!(read(&path).lines().is_empty());
        add(&path, "burst=64").unwrap();
        add(&path, "w mine").unwrap();
        assert_eq!(read(&path).lines(), ["burst=64", "w mine"]);
        let long: String = (0..40_000).map(|n| format!("burst={n}\n")).collect();
        fs::write(&path, long).unwrap();
        let newest = read(&path).lines().last().unwrap().clone();
        assert_eq!(newest, "burst=39999");
        assert!(fs::metadata(&path).unwrap().len() < 10_000);
    }
}
