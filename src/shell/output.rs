//! Where a command's output goes, and how it ends quietly when nobody reads it any more.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{app::arms::BadArms, shell::failure::Failure};

/// stdout or a file. Opened before anything is sent, so a bad path costs no measurement.
pub struct Output {
    writer: Box<dyn Write>,
    path: PathBuf,
    is_stdout: bool,
}

/// Why a command ended before its work was done.
#[derive(Debug)]
pub enum Ending {
    Failed(Failure),
    /// Whoever read stdout has gone; nothing to complain about.
    Closed,
}

impl Output {
    /// `None` and `-` are stdout.
    pub fn open(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let writer = Box::new(io::BufWriter::new(io::stdout()));
            return Ok(Output { writer, path: PathBuf::from("<stdout>"), is_stdout: true });
        };
        let file = fs::File::create(path).map_err(|why| Failure::file("opening for writing", path, &why))?;
        Ok(Output { writer: Box::new(io::BufWriter::new(file)), path: path.to_owned(), is_stdout: false })
    }

    pub fn is_stdout(&self) -> bool {
        self.is_stdout
    }

    pub fn text(&mut self, text: &str) -> Result<(), Ending> {
        self.bytes(text.as_bytes())
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Ending> {
        self.writer.write_all(bytes).map_err(|why| self.ending(&why))
    }

    /// One line, seen by a reader at once.
    pub fn line(&mut self, line: &str) -> Result<(), Ending> {
        self.text(line)?;
        self.text("\n")?;
        self.flush()
    }

    pub fn flush(&mut self) -> Result<(), Ending> {
        self.writer.flush().map_err(|why| self.ending(&why))
    }

    fn ending(&self, why: &io::Error) -> Ending {
        match why.kind() {
            io::ErrorKind::BrokenPipe => Ending::Closed,
            _ => Ending::Failed(Failure::file("writing", &self.path, why)),
        }
    }
}

impl From<BadArms> for Ending {
    fn from(bad: BadArms) -> Ending {
        Ending::Failed(bad.into())
    }
}

impl From<Failure> for Ending {
    fn from(failure: Failure) -> Ending {
        Ending::Failed(failure)
    }
}

/// A line for people. A closed stderr is no reason to end.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_path_is_told_before_any_work() {
        let failure = Output::open(Some(Path::new("/no/such/folder/x"))).err().unwrap();
        assert!(failure.message.starts_with("/no/such/folder/x: opening for writing failed: No such"), "{failure}");
    }

    #[test]
    fn a_full_disk_is_a_failure_and_not_a_quiet_end() {
        let mut full = Output::open(Some(Path::new("/dev/full"))).unwrap();
        full.text("x").unwrap();
        assert!(matches!(full.flush(), Err(Ending::Failed(_))));
    }
}
