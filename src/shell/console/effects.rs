//! The app's effects carried out; each answers with replies, which may ask for more.

use std::{collections::VecDeque, path::PathBuf};

use crate::{
    app::{App, Effect, Event, Origin, ProfileEntry, Reply},
    nic::Clock,
    profile::Document,
    shell::{
        clock::MonotonicClock,
        failure::Failure,
        lookup::{self, Source},
        paths::Paths,
        save::{self, Overwrite},
        shipped,
    },
};

use super::{
    bench::{Bench, News, Turned},
    term::Screen,
};

/// Everything outside the app that an effect can touch.
pub struct Hands {
    pub bench: Bench,
    pub screen: Screen,
    pub paths: Paths,
    /// Set by the first `Quit`.
    pub quit: Option<u8>,
}

impl Hands {
    /// Gives the app an event and does what it asks for, until it asks for nothing more.
    pub fn feed(&mut self, app: &mut App, event: Event) {
        let mut asked: VecDeque<Effect> = app.update(MonotonicClock.now_ns(), event).into();
        while let Some(effect) = asked.pop_front() {
            if let Some(reply) = self.perform(effect) {
                asked.extend(app.update(MonotonicClock.now_ns(), Event::Reply(reply)));
            }
        }
    }

    /// Ten times a second: what was read, and whether the session has ended.
    pub fn tick(&mut self, app: &mut App) {
        let reading = self.bench.sample();
        self.feed(app, Event::Tick(reading));
        let news = match self.bench.news(app.run.is_leaving()) {
            None => return,
            Some(Ok(News::Over { last, why })) => Reply::Over { last: Some(last), why },
            Some(Ok(News::Reopened { last })) => Reply::Reopened { last },
            Some(Err(failure)) => Reply::Over { last: None, why: Some(failure.for_people()) },
        };
        self.feed(app, Event::Reply(news));
    }

    fn perform(&mut self, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Start(document) => Some(match self.bench.start(&document) {
                Ok((mode, notes)) => Reply::Started { mode, notes },
                Err(failure) => Reply::NotStarted(failure.for_people()),
            }),
            Effect::Retune(document) => match self.bench.retune(&document) {
                Ok(Turned::Taken) => Some(Reply::Retuned),
                Ok(Turned::Reopening) => None,
                Err(failure) => Some(Reply::RetuneRefused(failure.for_people())),
            },
            Effect::Stop => {
                self.bench.stop();
                // Nothing was open (a start that failed meanwhile): the drain is over at once.
                (!self.bench.is_on()).then_some(Reply::Over { last: None, why: None })
            }
            Effect::Save { name, document, force } => Some(self.save(&name, &document, force)),
            Effect::Load(name) => Some(match load(&name, &self.paths) {
                Ok((name, origin, document)) => Reply::Loaded { name, origin, document: Box::new(document) },
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::ListProfiles => Some(Reply::Profiles(profiles(&self.paths))),
            Effect::ListDevices => Some(match self.bench.devices() {
                Ok(devices) => Reply::Devices(devices),
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::UseDevice(device) => Some(match self.bench.choose(&device) {
                Ok(place) => Reply::DeviceChosen(place),
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::Copy(text) => {
                self.screen.copy(&text);
                Some(Reply::Done("copied, if this terminal takes OSC 52".into()))
            }
            Effect::Redraw => {
                self.screen.forget();
                None
            }
            Effect::Suspend => {
                self.screen.suspend().err().map(|why| Reply::Failed(format!("suspending failed: {why}")))
            }
            Effect::Quit { code } => {
                self.quit.get_or_insert(code);
                None
            }
        }
    }

    fn save(&self, name: &str, document: &Document, force: bool) -> Reply {
        let is_path = name.contains('/') || name.ends_with(".toml");
        let path = if is_path { PathBuf::from(name) } else { self.paths.profile(name) };
        if !is_path {
            let overwrite = if force { Overwrite::Force } else { Overwrite::Refuse };
            let is_shipped = |name: &str| shipped::profile(name).is_some();
            let is_taken = |name: &str| is_shipped(name) || self.paths.profile(name).exists();
            if let Err(failure) = save::check_name(name, overwrite, is_shipped, is_taken) {
                let fix = failure.fix.as_deref().unwrap_or_default();
                let proposed = fix.strip_prefix("save it as ").map(str::to_owned);
                return Reply::SaveRefused { why: failure.message.clone(), proposed };
            }
        }
        if !force && path.exists() {
            return Reply::SaveRefused { why: format!("{} exists", path.display()), proposed: Some(name.to_owned()) };
        }
        match save::save(&path, document.text()) {
            Ok(()) => Reply::Saved { name: name.to_owned(), path: path.display().to_string() },
            Err(failure) => Reply::SaveRefused { why: failure.for_people(), proposed: None },
        }
    }
}

/// Finds and reads a profile by name or path.
fn load(name: &str, paths: &Paths) -> Result<(String, Origin, Document), Failure> {
    let source = lookup::find(name, paths)?;
    let document = Document::parse(&source.label, &source.text)
        .map_err(|problems| Failure::new("bad_profile", problems.to_string().trim_end()))?;
    let (name, origin) = identity(name, &source, &document);
    Ok((name, origin, document))
}

/// Under which name a profile is saved, and whether a file of the user's stands behind it.
pub fn identity(written: &str, source: &Source, document: &Document) -> (String, Origin) {
    match &source.file {
        Some(file) => (written.to_owned(), Origin::File(file.display().to_string())),
        None => match written.strip_prefix("shipped:").unwrap_or(written) {
            name if shipped::profile(name).is_some() => (name.to_owned(), Origin::Shipped),
            // stdin, or the profile inside a result: it has no file to go back to.
            _ => (document.profile().name.clone(), Origin::Shipped),
        },
    }
}

/// One's own first, then the shipped ones.
fn profiles(paths: &Paths) -> Vec<ProfileEntry> {
    let own = lookup::own_names(paths);
    let note =
        |text: &str| Document::parse("", text).map_or_else(|_| "(does not parse)".into(), |d| d.profile().note.clone());
    let mut entries: Vec<ProfileEntry> = own
        .iter()
        .map(|name| {
            let text = lookup::read(&paths.profile(name)).unwrap_or_default();
            ProfileEntry { name: name.clone(), note: note(&text), is_shipped: false, is_shadowed: false }
        })
        .collect();
    entries.extend(shipped::profiles().map(|(name, text)| ProfileEntry {
        name: name.to_owned(),
        note: note(text),
        is_shipped: true,
        is_shadowed: own.iter().any(|own| own == name),
    }));
    entries
}
