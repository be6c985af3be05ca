//! The one loop of the console: terminal events, ticks and signals go into the app, its effects are carried out, its
//! screens go to the writer. One thread; it waits neither for the terminal nor for the senders.

mod aside;
mod bench;
mod crash;
mod device_list;
mod distance;
mod effects;
mod history_file;
mod input;
mod journal;
mod keys;
mod looks;
mod outlet;
mod profile_list;
mod shot;
mod term;
mod tongues;
mod worker;
mod writer;

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use ratatui::{buffer::Buffer, layout::Rect};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::sleep_until,
};

use crate::{
    app::{App, Event, Keymap, Open, Tone},
    nic::Clock,
    profile::Document,
    shell::{
        args,
        clock::MonotonicClock,
        config::Config,
        failure::Failure,
        lookup::{self, Source},
        paths::Paths,
        signals::Signals,
        site::Site,
    },
    ui::{self, Look},
};

use bench::Bench;
use effects::Hands;
use journal::Journal;
use keys::{Heard, Keys};
use looks::Looks;
use term::{Mouse, Screen};
use worker::{DRAIN_LIMIT, Worker};
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
    pub color: args::Color,
    pub paths: Paths,
    /// What the log's file is asked to hold.
    pub log_level: tracing::Level,
}

/// Redraws a second; over ssh every one of them crosses the network.
const FPS: u32 = 10;
const FPS_FAR: u32 = 4;
/// While anything sends, readings come ten times a second; a bench that is busy opening queues sends none.
const TICK: Duration = Duration::from_millis(100);
const LATE: Duration = Duration::from_millis(150);
/// Clocks on a stopped screen count seconds.
const SLOW_TICK: Duration = Duration::from_millis(500);
/// From a signal to the end of the loop; giving the terminal back may take 0.6 s more, and all of it is under 2 s.
const LEAVE_LIMIT: Duration = Duration::from_millis(1_200);

/// Refuses early where there is no terminal to draw on.
pub fn check_terminal() -> Result<(), Failure> {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let message = match std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        true if !is_dumb => return Ok(()),
        true => "the console needs a terminal that can place its cursor, and TERM says this one is dumb",
        false => "the console needs a terminal on stdin and stdout",
    };
    Err(Failure::new("no_terminal", message).with_fix("without one: txdeck run PROFILE -i IF, or --lab"))
}

/// Opens the console and stays in it; the exit code.
pub fn run(setup: Setup) -> Result<u8, Failure> {
    check_terminal()?;
    let (config, mut told) = config(&setup.paths);
    let (looks, problem) = Looks::choose(setup.args, setup.color, &config, &setup.paths)?;
    told.extend(problem);
    let (keymap, problem) = keymap(&setup.paths);
    told.extend(problem);
    let fps = setup.args.fps.or(config.fps).unwrap_or_else(usual_fps);
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
    app.live.set_unit(config.unit.unwrap_or_default());
    if !told.is_empty() {
        app.say(Tone::Bad, told.join("; "));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| Failure::new("no_runtime", format!("the event loop did not start: {why}")))?;
    let mouse = if config.mouse == Some(true) { Mouse::On } else { Mouse::Off };
    let screen = Screen::take(mouse, &setup.paths.log(), setup.paths.crash())
        .map_err(|why| Failure::new("terminal", format!("taking the terminal failed: {why}")))?;
    let worker =
        Worker::start(bench).map_err(|why| Failure::new("no_thread", format!("a thread did not start: {why}")))?;
    let mut hands = Hands { worker, screen, looks, paths: setup.paths, journal, quit: None };
    let mut exit = None;
    let code = runtime.block_on(live(&mut app, &mut hands, fps, setup.start, &mut exit));
    // Whatever still sends ends now, however the loop ended.
    for event in hands.worker.close(exit.map_or_else(|| Instant::now() + DRAIN_LIMIT, |exit| exit.by)) {
        app.update(MonotonicClock.now_ns(), event);
    }
    hands.journal.keep_up(&app);
    hands.screen.close(&app.farewell());
    code
}

/// What opens when nothing is named.
pub const DEFAULT_PROFILE: &str = "udp-64";

/// A signal came: when the loop ends at the latest, and with which code.
struct Exit {
    by: Instant,
    code: u8,
}

fn terminate(exit: &mut Option<Exit>, code: u8) -> Event {
    // The first signal counts; a second one buys no time.
    exit.get_or_insert_with(|| Exit { by: Instant::now() + LEAVE_LIMIT, code });
    Event::Terminate { code }
}

async fn live(app: &mut App, hands: &mut Hands, fps: u32, start: bool, exit: &mut Option<Exit>) -> Result<u8, Failure> {
    let mut signals = Signals::listen()?;
    let mut resumed = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))
        .map_err(|why| Failure::new("signals", format!("listening for signals failed: {why}")))?;
    let no_keys = |why| Failure::new("no_thread", format!("a thread did not start: {why}"));
    let mut keys = Keys::listen().map_err(no_keys)?;
    let mut resized = signal(SignalKind::window_change())
        .map_err(|why| Failure::new("signals", format!("listening for signals failed: {why}")))?;
    let frame = Duration::from_secs(1) / fps.max(1);
    let (mut next_frame, mut next_tick) = (Instant::now(), Instant::now());
    let mut is_dirty = true;
    let mut shown: Option<Picture> = None;
    if start {
        hands.feed(app, Event::Start);
    }
    loop {
        if let Some(code) = hands.quit {
            return Ok(code);
        }
        if app.run.is_leaving() {
            hands.worker.hurry();
        }
        let deadline = exit.as_ref().map_or_else(Instant::now, |exit| exit.by);
        tokio::select! {
            biased;
            signal = signals.next() => hands.feed(app, terminate(exit, signal.exit_code())),
            () = sleep_until(deadline.into()), if exit.is_some() => return Ok(exit.as_ref().map_or(0, |exit| exit.code)),
            _ = resumed.recv() => { hands.screen.resume(); shown = None; }
            _ = resized.recv() => hands.feed(app, Event::Resize),
            heard = keys.next() => {
                match heard {
                    Heard::Event(event) => {
                        if let Some(event) = input::event(event) {
                            hands.feed(app, event);
                        }
                    }
                    // As SIGHUP, which a console under nohup does not hear.
                    Heard::Hangup => hands.feed(app, terminate(exit, 129)),
                }
                // What a key began is finished by a tick: repeats are one change, a message has its time.
                let soon = Instant::now() + TICK;
                next_tick = if next_tick < Instant::now() { soon } else { next_tick.min(soon) };
            }
            event = hands.worker.event() => {
                hands.feed(app, event);
                next_tick = Instant::now() + LATE;
            }
            () = sleep_until(next_tick.into()), if !app.is_at_rest() => {
                hands.feed(app, Event::Tick(None));
                next_tick = Instant::now() + if app.run.is_on() { TICK } else { SLOW_TICK };
            }
            () = sleep_until(next_frame.into()), if is_dirty => {
                is_dirty = false;
                next_frame = Instant::now() + frame;
                draw(app, &hands.looks.look, &hands.screen, &mut shown);
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

fn usual_fps() -> u32 {
    if distance::is_far() { FPS_FAR } else { FPS }
}

/// config.toml as far as it can be read, and what is wrong with it: a broken one is left out whole.
fn config(paths: &Paths) -> (Config, Vec<String>) {
    let path = paths.config();
    let text = match lookup::read_if_there(&path) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => return (Config::default(), vec![Failure::file("reading", &path, &why).for_people()]),
    };
    match Config::parse(&path.display().to_string(), &text) {
        Ok(config) => (config, Vec::new()),
        Err(problems) => {
            let first = problems.into_iter().next().unwrap_or_default();
            (Config::default(), vec![format!("{first} (the defaults stay)")])
        }
    }
}

/// The shipped keymap with the user's differences. A broken file is told and left out: a person who cannot start
/// the program cannot stop its traffic either.
fn keymap(paths: &Paths) -> (Keymap, Option<String>) {
    let mut keymap = Keymap::shipped();
    let path = paths.keys();
    let text = match lookup::read_if_there(&path) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => return (keymap, Some(Failure::file("reading", &path, &why).for_people())),
    };
    let problems = keymap.overlay(&path.display().to_string(), &text).err();
    let told = problems.and_then(|problems| problems.into_iter().next());
    (keymap, told.map(|first| format!("{first} (the shipped keys stay)")))
}
