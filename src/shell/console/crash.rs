//! What is left of a crash: a report in a file, and one line that names it.

use std::{backtrace::Backtrace, fs, path::Path};

/// Writes the report; the words for a person, where it could not be written too.
pub fn report(path: &Path, panic: &str) -> String {
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    let text = format!(
        "txdeck {} crashed at {}\nkernel {}\nthread {thread}\n\n{panic}\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        jiff::Timestamp::now(),
        crate::nic::host::kernel_release(),
        Backtrace::force_capture(),
    );
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).ok();
    }
    match fs::write(path, text) {
        Ok(()) => format!("txdeck crashed; that is a bug of its own. The report: {}\n", path.display()),
        Err(why) => format!("txdeck crashed; that is a bug of its own. No report could be written: {why}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_and_where() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state/crash.txt");
        let words = report(&path, "panicked at src/x.rs:1: of this test");
        assert!(words.contains(path.to_str().unwrap()), "{words}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("of this test") && text.contains("a_report_says_what_and_where"), "{text}");
        assert!(report(&path.join("below-a-file"), "x").contains("could be written"));
    }
}
