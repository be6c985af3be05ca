//! A shell script is read for one thing: what it would write to the files of pktgen. It is evaluated as far as that
//! takes: variables, loops, conditions, functions, arithmetic. No command is ever run; what would need one is unknown.

mod expand;
mod lex;
mod parse;
mod run;
mod samples;
mod sum;
mod test;
mod variables;

pub use run::evaluate;

/// One command written to one file of /proc/net/pktgen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    pub line: usize,
    /// `pgctrl`, `kpktgend_0`, `eth1@2`.
    pub file: String,
    /// `pkt_size 60`.
    pub text: String,
}

/// Stands in texts for what only running the script would tell.
const UNKNOWN: char = '\u{fffc}';
