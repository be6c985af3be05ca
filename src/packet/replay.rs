//! A flow that replays a capture: what the profile says of it becomes a reel, or a sentence why not.

use std::sync::Arc;

use crate::profile::{Fcs, Flow, Odd, Profile, Replay};

use super::{
    capture::{Capture, Held, Reel, Survey, Terms},
    error::CompileError,
    plan::{Facts, PlanFlow, seats},
    template,
};

/// What can be done about odd records.
const REMEDY: &str = "odd = \"skip\" leaves them out, \"pad\" fills up those too short, \"cut\" shortens those too long; runt = true \
                      sends those below 60 bytes as they are";

/// On what terms a flow takes records; `None`: it replays nothing.
pub fn terms(profile: &Profile, flow: &Flow, facts: &Facts) -> Option<Terms> {
    let replay = flow.replay.as_ref()?;
    Some(Terms {
        odd: replay.odd,
        runt: flow.runt,
        strip_fcs: replay.fcs == Fcs::Strip,
        room: profile.tx.replay_room_bytes() as usize,
        mtu: facts.mtu,
    })
}

pub(super) fn flow(profile: &Profile, flow: &Flow, replay: &Replay, facts: &Facts) -> Result<PlanFlow, CompileError> {
    let reel = reel(profile, flow, replay, facts)?;
    let copies = flow.clone.unwrap_or(profile.tx.clone).max(1);
    let passes = u64::from(replay.loops).saturating_mul(reel.frames()).saturating_mul(u64::from(copies));
    let count = match (flow.count, passes) {
        (0, limit) | (limit, 0) => limit,
        (count, passes) => count.min(passes),
    };
    Ok(PlanFlow {
        name: flow.name.as_str().into(),
        copies,
        rate: flow.rate,
        weight: flow.weight.max(1),
        count,
        start_ns: flow.start_ns,
        is_timed: replay.is_timed(),
        seats: seats(flow, &profile.tx.queues)?,
        frame: template::recorded(Arc::new(reel)),
    })
}

fn reel(profile: &Profile, flow: &Flow, replay: &Replay, facts: &Facts) -> Result<Reel, CompileError> {
    let path = replay.path();
    let no = |why: String| CompileError::NoCapture { flow: flow.name.clone(), path: path.clone(), why };
    let capture: &Arc<Capture> = match facts.captures.get(&path) {
        Some(Held::Whole(capture)) => capture,
        Some(Held::Surveyed(survey)) => {
            return Err(no(format!("{}: too long for a look at its frames", survey.words())));
        }
        Some(Held::Not(why)) => return Err(no(why.clone())),
        None => return Err(no("has not been read yet".into())),
    };
    let Some(terms) = terms(profile, flow, facts) else { return Err(no("is not replayed".into())) };
    if terms.odd == Odd::Refuse
        && let Some(odd) = capture.survey(&terms).odd_words()
    {
        return Err(CompileError::OddRecords { flow: flow.name.clone(), odd, remedy: REMEDY });
    }
    Reel::new(capture, &terms, replay.speed).ok_or_else(|| {
        let survey = capture.survey(&terms);
        let why = survey.odd_words().map(|odd| format!(": {odd}")).unwrap_or_default();
        CompileError::NothingToReplay { flow: flow.name.clone(), path: path.clone(), records: survey.records, why }
    })
}

/// What is worth knowing of the capture, in whole sentences; nothing of one that has not been read.
pub(super) fn notes(profile: &Profile, flow: &Flow, facts: &Facts) -> Vec<String> {
    let (Some(replay), Some(terms)) = (&flow.replay, terms(profile, flow, facts)) else { return Vec::new() };
    match facts.captures.get(&replay.path()) {
        Some(Held::Whole(capture)) => capture.survey(&terms).notes(&terms),
        Some(Held::Surveyed(survey)) => survey.notes(&terms),
        Some(Held::Not(_)) | None => Vec::new(),
    }
}

/// Why captures of a profile cannot be replayed: sentences, each with its path; odd records that are refused, each by
/// its number.
pub fn unplayable(profile: &Profile, facts: &Facts) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (number, flow) in profile.flows.iter().enumerate() {
        let (Some(replay), Some(terms)) = (&flow.replay, terms(profile, flow, facts)) else { continue };
        let survey = match facts.captures.get(&replay.path()) {
            Some(Held::Whole(capture)) => capture.survey(&terms),
            Some(Held::Surveyed(survey)) => Survey::clone(survey),
            Some(Held::Not(why)) => {
                out.push((format!("flow.{number}.replay.file"), format!("{}: {why}", replay.path())));
                continue;
            }
            None => continue,
        };
        let (file, odd) = (format!("flow.{number}.replay.file"), format!("flow.{number}.replay.odd"));
        if survey.odd > 0 && terms.odd == Odd::Refuse {
            out.push((odd.clone(), format!("{} odd records are refused: {REMEDY}", survey.odd)));
            out.extend(survey.odd_lines().into_iter().map(|line| (odd.clone(), line)));
        } else if survey.frames == 0 {
            out.push((file, format!("{}: {}", replay.path(), survey.words())));
        }
    }
    out
}
