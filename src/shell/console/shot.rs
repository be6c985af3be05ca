//! A picture of the screen into a file: SVG for a README, text for a mail.

use std::path::{Path, PathBuf};

use ratatui::buffer::Buffer;

use crate::{
    shell::{failure::Failure, save},
    ui::{self, Look},
};

/// Writes the picture; `None`: under a free name in the current folder. Answers where it lies.
pub fn take(file: Option<&str>, buffer: &Buffer, look: &Look, title: &str) -> Result<PathBuf, Failure> {
    let path = match file {
        Some(file) => PathBuf::from(file),
        None => free_name(|path| path.exists()),
    };
    let picture = match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => ui::svg(buffer, look, title),
        Some("txt") => ui::text(buffer),
        _ => {
            let message = format!("{}: a picture ends in .svg or .txt", path.display());
            return Err(Failure::new("bad_name", message));
        }
    };
    if file.is_some() && path.exists() && !is_ours(&path) {
        let message = format!("{} exists and is no picture of txdeck's; nothing was written", path.display());
        return Err(Failure::new("exists", message));
    }
    save::save(&path, &picture)?;
    Ok(path)
}

/// An earlier picture may be taken again; anything else stays.
fn is_ours(path: &Path) -> bool {
    std::fs::read_to_string(path)
        .is_ok_and(|text| text.contains("<title>txdeck") || path.extension().is_some_and(|e| e == "txt"))
}

fn free_name(is_taken: impl Fn(&Path) -> bool) -> PathBuf {
    let names = (1u32..).map(|n| PathBuf::from(format!("txdeck-{n}.svg")));
    names.into_iter().find(|path| !is_taken(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn a_picture_is_an_svg_or_a_text_and_never_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let buffer = Buffer::with_lines(["hello"]);
        let at = |name: &str| folder.path().join(name).display().to_string();
        let take = |name: &str| take(Some(&at(name)), &buffer, &Look::default(), "txdeck udp-64");
        assert!(take("a.svg").is_ok() && take("a.svg").is_ok(), "again is fine");
        assert!(std::fs::read_to_string(at("a.svg")).unwrap().contains(">hello</text>"));
        take("a.txt").unwrap();
        assert_eq!(std::fs::read_to_string(at("a.txt")).unwrap(), "hello\n");
        assert!(take("a.png").unwrap_err().for_people().contains(".svg or .txt"));
        std::fs::write(at("logo.svg"), "<svg/>").unwrap();
        assert!(take("logo.svg").is_err());
        assert_eq!(buffer.area, Rect::new(0, 0, 5, 1));
    }

    #[test]
    fn a_free_name_is_free() {
        assert_eq!(free_name(|path| path.to_string_lossy().contains("-1.")), PathBuf::from("txdeck-2.svg"));
    }
}
