//! Tongues: what other traffic generators' files say, as profiles, and profiles as their files.
//!
//! Text in, text and a [`Report`] out: no file, no clock, and nothing of a script is ever executed. Whatever a
//! dialect cannot say, or says otherwise, is a note of the report; an empty report means that nothing was lost.

pub mod anatomy;
pub mod carry;
mod command;
mod dpdk;
pub mod draft;
mod finish;
mod moving;
pub mod pcap;
pub mod pktgen;
mod report;
mod spoken;
mod trafgen;
mod trex;

pub use draft::{Draft, FlowDraft};
pub use finish::{finish, stem};
pub use report::{Kind, Note, Refused, Report};

use crate::{packet::begins_like_a_capture, profile::Document};

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
    /// Captures: imported as a flow that replays them; the shell writes them, since the order of frames is the
    /// engine's.
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
        true
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
    let text = || std::str::from_utf8(bytes).map_err(|why| not_text(file, bytes, why.valid_up_to()));
    match dialect {
        Dialect::Pktgen => pktgen::import(file, text()?, given),
        Dialect::Trafgen => trafgen::import(file, text()?),
        Dialect::TrexYaml => trex::import_yaml(file, text()?),
        Dialect::TrexPython => trex::import_python(file, text()?),
        Dialect::Dpdk => dpdk::import(file, text()?),
        Dialect::Command => command::import(file, text()?, given),
        Dialect::Pcap => pcap::import(file, file, bytes, |_| ()),
    }
}

fn not_text(file: &str, bytes: &[u8], valid: usize) -> Refused {
    let line = 1 + bytes[..valid].iter().filter(|byte| **byte == b'\n').count();
    Refused::at(file, line, format!("not UTF-8 text (byte {valid})"))
}

/// Writes a profile in another dialect.
///
/// # Errors
/// A profile of which nothing can be said there.
pub fn export(dialect: Dialect, document: &Document) -> Result<Exported, Refused> {
    match dialect {
        Dialect::Pktgen => pktgen::export(document),
        Dialect::Trafgen => Ok(trafgen::export(document)),
        Dialect::TrexPython => Ok(trex::export(document)),
        Dialect::Command => command::export(document),
        other => Err(Refused::whole("", format!("{} is not written by this release", other.name()))),
    }
}

/// What a file is, as far as its content tells.
pub fn sniff(file: &str, bytes: &[u8]) -> Option<Dialect> {
    if begins_like_a_capture(bytes) {
        return Some(Dialect::Pcap);
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]);
    let has = |words: &[&str]| words.iter().any(|word| head.contains(word));
    if has(&["/proc/net/pktgen", "pg_set", "pgset", "PGDEV", "kpktgend_"]) || head.starts_with("Params: count ") {
        return Some(Dialect::Pktgen);
    }
    let command = head.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    if command.is_some_and(|line| line.trim_start().starts_with("txdeck run ")) {
        return Some(Dialect::Command);
    }
    // What follows is known by its ending, and by words that no other kind of file has.
    let ends = |endings: &[&str]| endings.iter().any(|ending| file.to_ascii_lowercase().ends_with(ending));
    let is_trex = has(&["STLStream", "trex_stl_lib", "trex.stl"]);
    if is_trex || (ends(&[".py"]) && has(&["get_streams"])) {
        return Some(Dialect::TrexPython);
    }
    if has(&["stream:"]) && (ends(&[".yaml", ".yml"]) || has(&["self_start", "single_burst", "type: continuous"])) {
        return Some(Dialect::TrexYaml);
    }
    let first_words = head.lines().filter_map(|line| line.split_whitespace().next());
    let is_command = |word: &str| matches!(word, "set" | "range" | "enable" | "disable" | "seq" | "sequence");
    if ends(&[".pkt"]) || first_words.clone().filter(|word| is_command(word)).count() >= 2 && !head.contains('{') {
        return Some(Dialect::Dpdk);
    }
    let is_packet = head.contains('{')
        && has(&["fill(", "const16(", "c16(", "csumip(", "csumudp(", "drnd(", "dinc(", "eth(", "ipv4(", "udp("]);
    (ends(&[".trafgen", ".cfg"]) || is_packet).then_some(Dialect::Trafgen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_what_it_is() {
        for (file, text, dialect) in [
            ("a.sh", "pgset \"count 5\"\n", Some(Dialect::Pktgen)),
            ("-", "from trex_stl_lib.api import *\n", Some(Dialect::TrexPython)),
            ("a.yaml", "- name: x\n  stream:\n", Some(Dialect::TrexYaml)),
            ("a.yaml", "version: 3\nservices: {}\n", None),
            ("a", "set 0 size 64\nset 0 rate 10\n", Some(Dialect::Dpdk)),
            ("-", "{ fill(0, 60) }\n", Some(Dialect::Trafgen)),
            ("-", "txdeck run udp-64\n", Some(Dialect::Command)),
            ("x", "\n\r\r\n", Some(Dialect::Pcap)),
            ("notes.txt", "hello\n", None),
        ] {
            assert_eq!(sniff(file, text.as_bytes()), dialect, "{file}: {text}");
        }
    }
}
