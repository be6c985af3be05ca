//! Pktgen-DPDK command files: what each port was told, line by line, and the flows that come of it.

mod commands;
mod flows;
mod port;

use crate::dialect::{Draft, Imported, Refused, Report, finish, stem};

use port::Ports;

const MOST_TEXT: usize = 16 << 20;

/// # Errors
/// A file without a command that sets anything.
pub fn import(file: &str, text: &str) -> Result<Imported, Refused> {
    if text.len() > MOST_TEXT {
        return Err(Refused::whole(file, format!("{} bytes are too many (at most {MOST_TEXT})", text.len())));
    }
    let mut report = Report::default();
    let mut ports = Ports::default();
    for (line, number) in text.lines().zip(1..) {
        commands::line(line.trim(), number, &mut ports, &mut report);
    }
    if ports.all.is_empty() {
        let mut refused = Refused::whole(file, "no command of Pktgen-DPDK sets anything here (set 0 size 64)");
        refused.reasons.extend(report.notes.iter().take(10).map(|note| (note.line, note.to_string())));
        return Err(refused);
    }
    let mut draft = Draft::default();
    draft.name = stem(file);
    flows::flows(&ports, &mut draft, &mut report);
    finish(file, text, "#", draft, report)
}
