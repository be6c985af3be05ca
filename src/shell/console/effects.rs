//! The app's effects carried out; each answers with replies, which may ask for more.

use std::{collections::VecDeque, path::PathBuf};

use ratatui::{buffer::Buffer, layout::Rect};

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
    ui::{self, Theme},
};

use super::{
    history_file,
    journal::Journal,
    looks::Looks,
    profile_list, shot,
    term::Screen,
    tongues,
    worker::{Order, Worker},
};

/// Everything outside the app that an effect can touch.
pub struct Hands {
    pub worker: Worker,
    pub screen: Screen,
    pub looks: Looks,
    pub paths: Paths,
    pub journal: Journal,
    /// Set by the first `Quit`.
    pub quit: Option<u8>,
}

impl Hands {
    /// Gives the app an event and does what it asks for, until it asks for nothing more.
    pub fn feed(&mut self, app: &mut App, event: Event) {
        for heard in Journal::heard() {
            app.update(MonotonicClock.now_ns(), heard);
        }
        let mut asked: VecDeque<Effect> = app.update(MonotonicClock.now_ns(), event).into();
        while let Some(effect) = asked.pop_front() {
            if let Some(reply) = self.perform(app, effect) {
                asked.extend(app.update(MonotonicClock.now_ns(), Event::Reply(reply)));
            }
        }
        self.journal.keep_up(app);
    }

    /// `None`: nothing to say, or the bench answers later.
    fn perform(&mut self, app: &App, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Start(document) => self.order(Order::Start(document)),
            Effect::Retune(document) => self.order(Order::Retune(document)),
            Effect::Restart(document) => self.order(Order::Restart(document)),
            Effect::AskFacts(profile) => self.order(Order::AskFacts(profile)),
            Effect::ReadCounters => self.order(Order::ReadCounters),
            Effect::Calibrate { cpus } => self.order(Order::Calibrate { cpus }),
            Effect::Stop => self.order(Order::Stop),
            Effect::ListDevices => self.order(Order::ListDevices),
            Effect::UseDevice(device) => self.order(Order::UseDevice(device)),
            Effect::Save { name, document, force } => Some(self.save(&name, &document, force)),
            Effect::Load(name) => Some(match load(&name, &self.paths) {
                Ok((name, origin, document)) => Reply::Loaded { name, origin, document: Box::new(document) },
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::ListProfiles => Some(Reply::Profiles(profile_list::found(&self.paths))),
            Effect::UseTheme(name) => Some(match self.looks.switch(name.as_deref()) {
                Ok(told) => Reply::Done(told),
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::Shot(file) => Some(match self.shot(app, file.as_deref()) {
                Ok(path) => Reply::Done(format!("picture: {}", path.display())),
                Err(failure) => Reply::Failed(failure.for_people()),
            }),
            Effect::Import { file, dialect } => {
                self.beside(move |tell| tongues::import(file, dialect.as_deref(), |line| tell(Reply::Progress(line))))
            }
            Effect::Export { dialect, file, document, force } => {
                let device = app.place.as_ref().map(|place| (place.kind, place.device.clone()));
                let wanted = tongues::Wanted { dialect, file, document, force, device };
                self.beside(move |_| tongues::export(wanted))
            }
            Effect::ListTongues => Some(Reply::Tongues(tongues::known())),
            Effect::ListFolder(path) => Some(Reply::Folder(tongues::folder(path))),
            Effect::ListThemes => Some(Reply::Themes(theme_names(&self.paths))),
            Effect::Remember(line) => {
                // A history that is not kept is no reason to disturb anybody.
                history_file::add(&self.paths.history(), &line).ok();
                None
            }
            Effect::Copy(text) => {
                self.screen.copy(&text);
                Some(Reply::Done(copied(std::env::var_os("TMUX").is_some()).into()))
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

    fn beside(&self, work: impl FnOnce(&dyn Fn(Reply)) -> Reply + Send + 'static) -> Option<Reply> {
        match self.worker.beside(work) {
            Ok(()) => None,
            Err(why) => Some(Reply::Failed(format!("a thread did not start: {why}"))),
        }
    }

    fn order(&self, order: Order) -> Option<Reply> {
        self.worker.order(order);
        None
    }

    /// The screen as it is now, without the message that this shot leads to.
    fn shot(&self, app: &App, file: Option<&str>) -> Result<PathBuf, Failure> {
        let (width, height) = crossterm::terminal::size().unwrap_or((80, 24));
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        ui::paint(&mut buffer, area, app, &self.looks.look);
        shot::take(file, &buffer, &self.looks.look, &format!("txdeck {}", app.open.name))
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

/// A terminal never answers whether it took the clipboard.
fn copied(in_tmux: bool) -> &'static str {
    match in_tmux {
        true => "copied, if tmux may (set -s set-clipboard on) and the terminal takes OSC 52",
        false => "copied, if this terminal takes OSC 52",
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
