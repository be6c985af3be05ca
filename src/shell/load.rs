//! From what was written on the command line to a changed profile and an open site.

use crate::{
    lab::{self, LabError, LabOptions},
    profile::{Document, Flow, Problems, Profile},
    shell::{
        args::LabShape,
        cpus,
        failure::Failure,
        lookup::Source,
        settings::{Setting, Settings},
        site::{Place, Site},
    },
};

/// The profile with the command line's changes, left to right. Nothing is half applied: the first refusal ends it.
pub fn document(source: &Source, settings: &Settings, lab_queues: Option<u32>) -> Result<Document, Failure> {
    let mut document = Document::parse(&source.label, &source.text).map_err(|why| problems("bad_profile", &why))?;
    if let Some(queues) = lab_queues.filter(|_| !settings.names("queues")) {
        let all = (0..queues).map(|queue| queue.to_string()).collect::<Vec<_>>().join(",");
        set(&mut document, &Setting::new("queues", &all))?;
    }
    settings.iter().try_for_each(|setting| set(&mut document, setting))?;
    Ok(document)
}

fn set(document: &mut Document, setting: &Setting) -> Result<(), Failure> {
    document.set(&setting.key, &setting.value).map_err(|why| problems("bad_setting", &why))
}

fn problems(code: &'static str, problems: &Problems) -> Failure {
    Failure::new(code, problems.to_string().trim_end())
}

/// Which place is meant: the lab, `-i`, or the profile's own device.
pub fn place(in_lab: bool, device: Option<&str>, profile: &Profile) -> Result<Place, Failure> {
    if in_lab { Ok(Place::Lab) } else { Place::named(device, profile) }
}

/// Opens a place. A lab is made here: the process must still have one thread only.
pub fn site(place: Place, shape: &LabShape) -> Result<Site, Failure> {
    let lab = match place {
        Place::Lab => {
            let options =
                LabOptions { queues: shape.lab_queues.unwrap_or(1), deliver: shape.deliver, mtu: shape.lab_mtu };
            Some(lab::enter(options).map_err(no_lab)?)
        }
        _ => None,
    };
    Site::open(place, lab)
}

/// The lab's own words for why there is none.
pub fn no_lab(why: LabError) -> Failure {
    Failure::new(why.code(), why.message()).with_fix(why.fix())
}

/// What is worth saying before a start, in whole sentences.
pub fn warnings(site: &Site, profile: &Profile) -> Vec<String> {
    let mut told: Vec<String> = site.dead_link().into_iter().collect();
    told.extend(site.oversize(profile));
    let allowed = cpus::allowed();
    if let Ok(chosen) = cpus::choose(&profile.tx.cpus, profile.tx.queues.len(), &allowed) {
        let link = site.link();
        let home = link.and_then(|link| Some((site.device.clone(), link.numa_node?)));
        told.extend(cpus::warnings(&chosen, &allowed, profile.tx.priority, &cpus::Layout::of_this_machine(home)));
    }
    told
}

/// Nothing will end this run but a signal.
pub fn is_unlimited(profile: &Profile) -> bool {
    let mut enabled = profile.flows.iter().filter(|flow| flow.enabled);
    let goes_on = |flow: &Flow| flow.count == 0 && flow.replay.as_ref().is_none_or(|replay| replay.loops == 0);
    profile.tx.count == 0 && profile.tx.duration_ns == 0 && enabled.any(goes_on)
}
