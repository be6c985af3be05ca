//! The one loop of the console: terminal events, ticks and signals go into the app, its effects are carried out, its
//! screens go to the writer. One thread; it never waits for the terminal.

mod bench;
mod crash;
mod device_list;
mod effects;
mod history_file;
mod input;
mod journal;
mod outlet;
mod profile_list;
mod term;
mod writer;

use std::{
    io::IsTerminal,
    path::Path,
    time::{Duration, Instant},
};

use crossterm::event::EventStream;
use futures_util::StreamExt;
use ratatui::{buffer::Buffer, layout::Rect};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::{MissedTickBehavior, interval, sleep_until},
};

use crate::{
    app::{App, Event, Keymap, Open, Tone},
    profile::Document,
    shell::{args, failure::Failure, lookup::Source, paths::Paths, signals::Signals, site::Site},
    ui::{self, Glyphs, Look, Theme},
};

use bench::Bench;
use effects::Hands;
use journal::Journal;
use term::Screen;
use writer::Picture;

/// Everything a console starts with.
pub struct Setup<'a> {
    pub args: &'a args::Console,
    pub source: Source,
    /// As the source has it.
    pub saved: Document,
    /// With the command line's settings in it.
    pub document: Document,
    /// `None`: no device was named; space opens the list. In a lab: entered already.
    pub site: Option<Site>,
    pub arm: Option<String>,
    /// Starts at once.
    pub start: bool,
    pub paths: Paths,
    /// What the log's file is asked to hold.
    pub log_level: tracing::Level,
}

const TICK: Duration = Duration::from_millis(100);
/// Redraws a second; over ssh every one of them crosses the network.
const FPS: u32 = 10;
const FPS_SSH: u32 = 4;
/// A drain takes 2 s at most (the senders' own limit).
const DRAIN_LIMIT: Duration = Duration::from_millis(2_200);

/// Refuses early where there is no terminal to draw on.
pub fn check_terminal() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    let message = "the console needs a terminal on stdin and stdout";
    Err(Failure::new("no_terminal", message).with_fix("without one: txdeck run PROFILE -i IF, or --lab"))
}

/// Opens the console and stays in it; the exit code.
pub fn run(setup: Setup) -> Result<u8, Failure> {
    check_terminal()?;
    let look = look(setup.args, &setup.paths)?;
    let (keymap, told) = keymap(&setup.paths);
    let fps = setup.args.fps.unwrap_or_else(usual_fps);
    let written = setup.args.profile.as_deref().unwrap_or(DEFAULT_PROFILE);
    let (name, origin) = effects::identity(written, &setup.source, &setup.document);
    // What libxdp says must not garble the screen.
    let (journal, no_log) = Journal::open(&setup.paths.log(), setup.log_level);
    let bench = Bench::new(setup.site, setup.arm);
    let mut app = App::new(Open::with_changes(name, origin, setup.saved, setup.document), bench.place(), keymap);
    app.history = history_file::read(&setup.paths.history());
    journal::set_wall(&mut app.log);
    if let Some(told) = no_log {
        app.say(Tone::Warn, told);
    }
    if let Some(told) = told {
        app.say(Tone::Bad, told);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Failure::new("no_runtime", format!("the event loop did not start: {why}")))?;
    let screen = Screen::take(setup.paths.crash())
        .map_err(|why| Failure::new("terminal", format!("taking the terminal failed: {why}")))?;
    let mut hands = Hands { bench, screen, paths: setup.paths, journal, look_in: 0, quit: None };
    let code = runtime.block_on(live(&mut app, &mut hands, &look, fps, setup.start));
    drain(&mut hands.bench);
    hands.screen.close(&app.farewell());
    code
}

/// What opens when nothing is named.
pub const DEFAULT_PROFILE: &str = "udp-64";

async fn live(app: &mut App, hands: &mut Hands, look: &Look, fps: u32, start: bool) -> Result<u8, Failure> {
    let mut signals = Signals::listen()?;
    let mut resumed = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))
        .map_err(|why| Failure::new("signals", format!("listening for signals failed: {why}")))?;
    let mut keys = EventStream::new();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let frame = Duration::from_secs(1) / fps.max(1);
    let mut next_frame = Instant::now();
    let (mut is_dirty, mut has_keys) = (true, true);
    let mut shown: Option<Picture> = None;
    if start {
        hands.feed(app, Event::Start);
    }
    loop {
        if let Some(code) = hands.quit {
            return Ok(code);
        }
        tokio::select! {
            biased;
            signal = signals.next() => hands.feed(app, Event::Terminate { code: signal.exit_code() }),
            _ = resumed.recv() => { hands.screen.resume(); shown = None; }
            key = keys.next(), if has_keys => match key {
                Some(Ok(event)) => {
                    if let Some(event) = input::event(event) {
                        hands.feed(app, event);
                    }
                }
                // The terminal is gone: as SIGHUP.
                Some(Err(_)) | None => { has_keys = false; hands.feed(app, Event::Terminate { code: 129 }); }
            },
            _ = ticks.tick() => hands.tick(app),
            () = sleep_until(next_frame.into()), if is_dirty => {
                is_dirty = false;
                next_frame = Instant::now() + frame;
                draw(app, look, &hands.screen, &mut shown);
                continue;
            }
        }
        is_dirty = true;
    }
}

/// Paints, and hands over what differs from the last picture.
fn draw(app: &App, look: &Look, screen: &Screen, shown: &mut Option<Picture>) {
    let (width, height) = crossterm::terminal::size().unwrap_or((80, 24));
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let cursor = ui::paint(&mut buffer, area, app, look);
    let picture = Picture { buffer, cursor };
    if shown.as_ref() != Some(&picture) {
        screen.show(picture.clone());
        *shown = Some(picture);
    }
}

/// Whatever still sends ends now, however the loop ended.
fn drain(bench: &mut Bench) {
    let until = Instant::now() + DRAIN_LIMIT;
    bench.stop();
    while !bench.has_drained() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    bench.news(true);
}

fn usual_fps() -> u32 {
    if std::env::var_os("SSH_CONNECTION").is_some() { FPS_SSH } else { FPS }
}

/// `--theme`, else NO_COLOR, else the default; `--ascii`, a locale without UTF-8 or the bare console: ASCII.
fn look(args: &args::Console, paths: &Paths) -> Result<Look, Failure> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let theme = match args.theme.as_deref() {
        Some(name) => theme(name, paths)?,
        None if no_color => Theme::shipped("none").unwrap_or_default(),
        None => Theme::default(),
    };
    let is_bare = std::env::var("TERM").is_ok_and(|term| term == "linux");
    let ascii = args.ascii || is_bare || !outlet::locale_is_utf8();
    Ok(Look { theme, glyphs: if ascii { Glyphs::Ascii } else { Glyphs::Utf8 } })
}

/// A path, one of the user's, or a shipped one.
fn theme(name: &str, paths: &Paths) -> Result<Theme, Failure> {
    let is_path = name.contains('/') || name.ends_with(".toml");
    let path = if is_path { Path::new(name).to_owned() } else { paths.themes().join(format!("{name}.toml")) };
    let text = outlet::read_if_there(&path).map_err(|why| Failure::file("reading", &path, &why))?;
    match text {
        Some(text) => Theme::parse(&path.display().to_string(), &text)
            .map_err(|problems| Failure::new("bad_theme", problems.join("\n"))),
        None => Theme::shipped(name).ok_or_else(|| {
            let all = Theme::names().collect::<Vec<_>>().join(", ");
            Failure::new("no_theme", format!("{name}: there is no such theme")).with_fix(format!("shipped are {all}"))
        }),
    }
}

/// The shipped keymap with the user's differences. A broken file is told and left out: a person who cannot start
/// the program cannot stop its traffic either.
fn keymap(paths: &Paths) -> (Keymap, Option<String>) {
    let mut keymap = Keymap::shipped();
    let path = paths.keys();
    let text = match outlet::read_if_there(&path) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => return (keymap, Some(Failure::file("reading", &path, &why).for_people())),
    };
    let problems = keymap.overlay(&path.display().to_string(), &text).err();
    let told = problems.and_then(|problems| problems.into_iter().next());
    (keymap, told.map(|first| format!("{first} (the shipped keys stay)")))
}
