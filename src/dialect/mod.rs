//! Tongues: what other traffic generators' files say, as profiles, and profiles as their files.
//!
//! Text in, text and a [`Report`] out: no file, no clock, and nothing of a script is ever executed. Whatever a
//! dialect cannot say, or says otherwise, is a note of the report; an empty report means that nothing was lost.

pub mod anatomy;
pub mod carry;
mod dpdk;
pub mod draft;
mod finish;
mod report;
mod spoken;
mod trafgen;
mod trex;

pub use draft::{Draft, FlowDraft};
pub use finish::{finish, stem};
pub use report::{Kind, Note, Refused, Report};

use crate::profile::Document;

/// A kind of file that is not a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Linux kernel pktgen: echo lines, pgset and pg_set scripts, the text of /proc/net/pktgen.
    Pktgen,
    /// netsniff-ng trafgen.
    Trafgen,
    /// TRex stream files in YAML.
    TrexYaml,
    /// TRex profiles in Python, as far as they only declare.
    TrexPython,
    /// Pktgen-DPDK command files.
    Dpdk,
    /// Captures; the shell writes them, since the order of frames is the engine's.
    Pcap,
    /// A `txdeck run` command line.
    Command,
}

/// What an import is given beside the text.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// What stands behind the script's name on its command line: `-i eth1 -t 4`.
    pub arguments: Vec<String>,
}

/// A profile's text, valid, and what was not carried over into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    pub text: String,
    pub report: Report,
}

/// The text of another dialect, and what could not be said in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    pub text: String,
    pub report: Report,
}

impl Dialect {
    pub const ALL: [Dialect; 7] = [
        Dialect::Pktgen,
        Dialect::Trafgen,
        Dialect::TrexYaml,
        Dialect::TrexPython,
        Dialect::Dpdk,
        Dialect::Pcap,
        Dialect::Command,
    ];

    /// As `--from` and `--to` take it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Pktgen => "pktgen",
            Dialect::Trafgen => "trafgen",
            Dialect::TrexYaml => "trex-yaml",
            Dialect::TrexPython => "trex",
            Dialect::Dpdk => "dpdk",
            Dialect::Pcap => "pcap",
            Dialect::Command => "command",
        }
    }

    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    pub fn can_import(self) -> bool {
        matches!(self, Dialect::Pktgen | Dialect::Trafgen | Dialect::TrexYaml | Dialect::TrexPython | Dialect::Dpdk)
    }

    pub fn can_export(self) -> bool {
        matches!(self, Dialect::Pktgen | Dialect::Trafgen | Dialect::TrexPython | Dialect::Command | Dialect::Pcap)
    }
}

/// Reads a foreign file; `file` only names it in messages and, without its ending, the profile.
///
/// # Errors
/// What makes the whole file useless, with its line; single lines that cannot be carried over are notes instead.
pub fn import(dialect: Dialect, file: &str, bytes: &[u8], given: &Given) -> Result<Imported, Refused> {
    let _ = given;
    match dialect {
        Dialect::Trafgen => trafgen::import(file, text(file, bytes)?),
        Dialect::Dpdk => dpdk::import(file, text(file, bytes)?),
        Dialect::TrexYaml => trex::import_yaml(file, text(file, bytes)?),
        Dialect::TrexPython => trex::import_python(file, text(file, bytes)?),
        other => Err(Refused::whole(file, format!("{} is not read by this release", other.name()))),
    }
}

/// All dialects but captures are text.
fn text<'b>(file: &str, bytes: &'b [u8]) -> Result<&'b str, Refused> {
    std::str::from_utf8(bytes).map_err(|why| {
        let line = bytes[..why.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        Refused::at(file, line, "not a text file (UTF-8)")
    })
}

/// Writes a profile in another dialect.
///
/// # Errors
/// A profile of which nothing can be said there.
pub fn export(dialect: Dialect, document: &Document) -> Result<Exported, Refused> {
    match dialect {
        Dialect::Trafgen => Ok(trafgen::export(document)),
        Dialect::TrexPython => Ok(trex::export(document)),
        other => Err(Refused::whole("", format!("{} is not written by this release", other.name()))),
    }
}

/// What a file is, as far as its content tells.
pub fn sniff(file: &str, bytes: &[u8]) -> Option<Dialect> {
    let _ = file;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]);
    let has = |words: &[&str]| words.iter().any(|word| head.contains(word));
    if has(&["/proc/net/pktgen", "pg_set", "pgset", "PGDEV", "kpktgend_"]) || head.starts_with("Params: count ") {
        return Some(Dialect::Pktgen);
    }
    None
}
