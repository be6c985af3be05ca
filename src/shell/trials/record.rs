//! What a trial was made on, so that it can be repeated.

use std::collections::BTreeMap;

use crate::{
    nic::ModeGot,
    profile::Document,
    shell::{
        host,
        site::{Place, Site},
        tally,
    },
    trial::{Question, RECORD_VERSION, Record, Where},
};

/// What was asked.
pub struct About {
    pub question: Question,
    pub started: String,
    pub seed: u64,
    pub command: String,
}

/// A record without figures.
pub fn blank(about: About, document: &Document, site: &Site, mode: ModeGot) -> Record {
    let effective = document.effective();
    Record {
        version: RECORD_VERSION,
        started: about.started,
        question: about.question,
        command: about.command,
        profile: document.profile().name.clone(),
        profile_sha256: tally::sha256(&effective),
        effective,
        seed: about.seed,
        device: site.device.clone(),
        place: match site.place {
            Place::Lab => Where::Lab,
            Place::Device(_) => Where::Device,
            Place::Sim => Where::Sim,
        },
        mode: mode.name().to_owned(),
        host: facts(site),
        baseline: None,
        unconfirmed: false,
        rows: Vec::new(),
        fit: None,
        comparison: None,
    }
}

fn facts(site: &Site) -> BTreeMap<String, String> {
    let host = host::facts(site.link());
    let known = host.facts().into_iter();
    known.filter_map(|(name, fact)| Some((name.to_owned(), fact.clone()?))).collect()
}
