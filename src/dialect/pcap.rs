//! A capture as a profile: one flow that replays it. The records stay in their file, which is read to its end here, so
//! that whatever is odd in it is told before anything is sent.

use std::io::Read;

use crate::{
    packet::{Reader, Survey, Terms},
    profile::Odd,
};

use super::{
    Draft, FlowDraft, Imported, Refused, Report,
    draft::quoted,
    finish::{finish, stem},
};

/// The longest frame that one memory of 2048 bytes takes.
const USUAL_ROOM: usize = 1792;
/// Memories of 4096 bytes side by side take any record that is kept.
const LARGE_ROOM: usize = 65535;

/// `file` names the capture in messages, `written` is what the profile is to call it. `progress` is told now and then
/// how many bytes are behind.
///
/// # Errors
/// A file that is no capture of Ethernet, a damaged one, and one of which nothing can be sent.
pub fn import(file: &str, written: &str, from: impl Read, progress: impl FnMut(u64)) -> Result<Imported, Refused> {
    let refused = |why: String| Refused::whole(file, why);
    let mut reader = Reader::new(from).map_err(|fault| refused(fault.to_string()))?;
    let terms = Terms { odd: Odd::Skip, runt: true, strip_fcs: true, room: LARGE_ROOM, mtu: None };
    let survey = Survey::of(&mut reader, &terms, progress).map_err(|fault| refused(fault.to_string()))?;
    if survey.frames == 0 {
        let why = survey.odd_words().unwrap_or_else(|| "it holds no packets".into());
        return Err(refused(format!("nothing to replay: {why}")));
    }
    let mut report = Report::default();
    let draft = draft(file, written, &survey, &mut report);
    finish(file, "", "#", draft, report)
}

fn draft(file: &str, written: &str, survey: &Survey, report: &mut Report) -> Draft {
    let name = stem(file);
    let mut draft = Draft::new(&name);
    draft.head.push(format!("{}: {}, {}", file, survey.format_words(), survey.words()));
    if survey.longest > USUAL_ROOM {
        draft.tx("chunk_bytes", "4096");
        let why = format!("frames of up to {} bytes want large memories", survey.longest);
        report.assumed(0, "tx.chunk_bytes", why);
    }
    let mut flow = FlowDraft::new(if name.is_empty() || name == "-" { "replay" } else { &name });
    flow.set("replay.file", quoted(written));
    flow.set("replay.timing", "\"original\"");
    flow.set("replay.loops", "1");
    if survey.runts > 0 {
        flow.set("runt", "true");
        let why = format!("{} records are below 60 bytes: sent as they were captured", survey.runts);
        report.assumed(0, "runt", why);
    }
    if survey.odd > 0 {
        flow.set("replay.odd", "\"skip\"");
        odd(survey, report);
    }
    told(survey, report);
    draft.flows.push(flow);
    draft
}

fn odd(survey: &Survey, report: &mut Report) {
    for (number, oddity) in &survey.odd_records {
        report.dropped(0, &format!("record {number}"), oddity.to_string());
    }
    let more = survey.odd - survey.odd_records.len() as u64;
    if more > 0 {
        report.dropped(0, "", format!("{more} more odd records"));
    }
    let why = format!(
        "{} of {} records are odd and left out; pad fills up those too short, cut shortens those too long",
        survey.odd, survey.records
    );
    report.assumed(0, "replay.odd = \"skip\"", why);
}

/// What a reader of the capture would not expect.
fn told(survey: &Survey, report: &mut Report) {
    if survey.with_fcs > 0 {
        let why = format!(
            "{} of {} records end in a correct FCS: left out, for the device adds its own (fcs = \"keep\" sends it)",
            survey.with_fcs, survey.records
        );
        report.converted(0, "FCS", why);
    }
    if survey.backwards > 0 {
        let why = format!("{} records are older than the one before: they follow it at once", survey.backwards);
        report.converted(0, "time", why);
    }
    if survey.long_gaps > 0 {
        let why = format!("{} gaps are longer than an hour: an hour is waited", survey.long_gaps);
        report.converted(0, "time", why);
    }
    if let Some(cut) = &survey.cut {
        let why = format!("the {} whole records before it are taken", survey.records);
        report.dropped(0, &cut.to_string(), why);
    }
}
