//! The app's effects carried out; each answers with replies, which may ask for more.

use std::{collections::VecDeque, path::PathBuf};

use crate::{
    app::{App, Effect, Event, Origin, Refusal, Reply},
    nic::Clock,
    profile::Document,
    shell::{
        clock::MonotonicClock,
        failure::Failure,
        lookup::{self, Source},
        paths::Paths,
        save::{self, NameError, Overwrite},
        shipped,
    },
    ui::Theme,
};

use super::{
    bench::{Bench, News, Turned},
    device_list, history_file,
    journal::Journal,
    profile_list,
    term::Screen,
};

/// Everything outside the app that an effect can touch.
pub struct Hands {
    pub bench: Bench,
    pub screen: Screen,
    pub paths: Paths,
    pub journal: Journal,
    /// Ticks until the device is looked at again.
    pub look_in: u32,
    /// Set by the first `Quit`.
    pub quit: Option<u8>,
}

/// In ticks: whether the device was renamed is asked about once a second.
const LOOK_EVERY: u32 = 10;

impl Hands {
    /// Gives the app an event and does what it asks for, until it asks for nothing more.
    pub fn feed(&mut self, app: &mut App, event: Event) {
        let mut asked: VecDeque<Effect> = app.update(MonotonicClock.now_ns(), event).into();
        while let Some(effect) = asked.pop_front() {
            if let Some(reply) = self.perform(effect) {
                asked.extend(app.update(MonotonicClock.now_ns(), Event::Reply(reply)));
            }
        }
        self.journal.keep_up(app);
    }

    /// Ten times a second: what was read, and whether the session has ended.
    pub fn tick(&mut self, app: &mut App) {
        for heard in Journal::heard() {
            self.feed(app, heard);
        }
        self.look_in = self.look_in.checked_sub(1).unwrap_or(LOOK_EVERY);
        if self.look_in == 0
            && let Some(place) = self.bench.renamed()
        {
            self.feed(app, Event::Reply(Reply::PlaceChanged(place)));
        }
        let reading = self.bench.sample();
        self.feed(app, Event::Tick(reading));
        let news = match self.bench.news(app.run.is_leaving()) {
            None => return,
            Some(Ok(News::Over { last, why })) => Reply::Over { last: Some(last), why },
            Some(Ok(News::Reopened { last, mode })) => Reply::Reopened { last, mode },
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
            Effect::Restart(document) => {
                self.bench.restart(&document).err().map(|failure| Reply::RetuneRefused(failure.for_people()))
            }
            Effect::AskFacts => self.bench.facts().map(Reply::Facts),
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
            Effect::ListProfiles => Some(Reply::Profiles(profile_list::found(&self.paths))),
            Effect::ListDevices => Some(match self.bench.devices() {
                Ok(devices) => Reply::Devices(devices),
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::UseDevice(device) => Some(match self.bench.choose(&device) {
                Ok(place) => Reply::DeviceChosen(place),
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::ReadCounters => Some(Reply::Counters(device_list::counters())),
            Effect::ListThemes => Some(Reply::Themes(theme_names(&self.paths))),
            Effect::Remember(line) => {
                // A history that is not kept is no reason to disturb anybody.
                history_file::add(&self.paths.history(), &line).ok();
                None
            }
            Effect::UseTheme(_) | Effect::Shot(_) => Some(Reply::Failed("not yet".into())),
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
            if let Err(refused) = save::check_name(name, overwrite, is_shipped, is_taken) {
                let why = refused.to_string();
                let refusal = match refused {
                    NameError::Shipped { free, .. } => Refusal::ShippedName { free },
                    NameError::Bad(_) => Refusal::Failed,
                };
                return Reply::SaveRefused { why, refusal };
            }
        }
        if !force && path.exists() {
            let why = format!("{} exists", path.display());
            return Reply::SaveRefused { why, refusal: Refusal::Exists };
        }
        match save::save(&path, document.text()) {
            Ok(()) => Reply::Saved { name: name.to_owned(), path: path.display().to_string() },
            Err(failure) => Reply::SaveRefused { why: failure.for_people(), refusal: Refusal::Failed },
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

/// One's own first, then the shipped ones, each once.
fn theme_names(paths: &Paths) -> Vec<String> {
    let mut names = lookup::names_in(&paths.themes());
    for shipped in Theme::names() {
        if !names.iter().any(|name| name == shipped) {
            names.push(shipped.to_owned());
        }
    }
    names
}
