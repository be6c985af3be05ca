//! The mind of the console: events change the app, the app asks for effects.
//!
//! Pure: it reads no clock, file, terminal or device. `update` performs nothing; the shell performs the effects
//! and brings the answers back as events. All instants are nanoseconds of one clock, handed in.

mod action;
mod ask;
mod axis;
mod board;
mod farewell;
mod files;
mod health;
mod keymap;
mod keys;
mod knobs;
mod lists;
mod live;
mod open;
mod prompt;
mod run;
mod screen;
mod turn;
mod verdict;

pub use action::Action;
pub use ask::{About, Answer, Ask};
pub use axis::Axis;
pub use board::{Board, Figures, Reading, SenderFigures};
pub use health::{Tone, health};
pub use keymap::{Keymap, Row};
pub use keys::{Chord, Code};
pub use knobs::Knob;
pub use lists::{DeviceEntry, List, ProfileEntry};
pub use live::{Live, Unit};
pub use open::{Open, Origin};
pub use prompt::{Prompt, Purpose};
pub use run::{Phase, Run};
pub use screen::{Overlay, Screen};
pub use verdict::{Change, Comparison, Finding, Verdict};

use crate::profile::Document;
use farewell::Totals;
use prompt::Typed;

/// What kind of place packets go to; only a real one has to be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    Real,
    Lab,
    Sim,
}

/// Where packets go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub device: String,
    pub kind: PlaceKind,
    /// The lab's other end.
    pub far_end: Option<String>,
    /// Driver, MAC, link in one line, for the question before the first start.
    pub facts: String,
    /// What of `txdeck run …` names this place: `--lab`, `-i IF`.
    pub option: String,
}

/// A passing message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
    until_ns: Option<u64>,
}

/// What comes in from outside.
#[derive(Debug)]
pub enum Event {
    Key(Chord),
    Paste(String),
    Resize,
    /// Ten times a second, with everything read of a run that is on.
    Tick(Option<Reading>),
    Reply(Reply),
    /// As space on a stopped screen (`--start`).
    Start,
    /// A signal: stop, drain, leave with this code.
    Terminate {
        code: u8,
    },
}

/// Answers to effects.
#[derive(Debug)]
pub enum Reply {
    /// The senders were released. `mode` as got, `copy 1q`.
    Started {
        mode: String,
        notes: Vec<String>,
    },
    NotStarted(String),
    Retuned,
    /// The senders keep their plan.
    RetuneRefused(String),
    /// The queues had to be opened again for the last retune; counters begin anew, `last` closes the old ones.
    Reopened {
        last: Reading,
    },
    /// A run has ended and drained; `why` when that was not asked for.
    Over {
        last: Option<Reading>,
        why: Option<String>,
    },
    Saved {
        name: String,
        path: String,
    },
    /// Nothing was written; `proposed` is a free name.
    SaveRefused {
        why: String,
        proposed: Option<String>,
    },
    Loaded {
        name: String,
        origin: Origin,
        document: Box<Document>,
    },
    Profiles(Vec<ProfileEntry>),
    Devices(Vec<DeviceEntry>),
    DeviceChosen(Place),
    Failed(String),
    Done(String),
}

/// What the app asks the shell for.
#[derive(Debug)]
pub enum Effect {
    Start(Box<Document>),
    Retune(Box<Document>),
    Stop,
    Save { name: String, document: Box<Document>, force: bool },
    Load(String),
    ListProfiles,
    ListDevices,
    UseDevice(String),
    Copy(String),
    Redraw,
    Suspend,
    Quit { code: u8 },
}

/// Everything the screen is drawn from.
#[derive(Debug)]
pub struct App {
    pub open: Open,
    pub place: Option<Place>,
    pub run: Run,
    pub live: Live,
    pub screen: Screen,
    pub overlay: Overlay,
    pub keymap: Keymap,
    pub profiles: List<ProfileEntry>,
    pub devices: List<DeviceEntry>,
    pub help_line: u16,
    notice: Option<Notice>,
    totals: Totals,
    picked_knob: usize,
    now_ns: u64,
    /// What was last asked to be saved: (document, whether its name was typed).
    saving: Option<(Box<Document>, bool)>,
    /// Under which name.
    saving_name: String,
    /// Quit as soon as the save is done.
    quits_after_save: bool,
}

const NOTICE_NS: u64 = 6_000_000_000;

impl App {
    pub fn new(open: Open, place: Option<Place>, keymap: Keymap) -> Self {
        Self {
            open,
            place,
            run: Run::default(),
            live: Live::default(),
            screen: Screen::Live,
            overlay: Overlay::None,
            keymap,
            profiles: List::default(),
            devices: List::default(),
            help_line: 0,
            notice: None,
            totals: Totals::default(),
            picked_knob: 0,
            now_ns: 0,
            saving: None,
            saving_name: String::new(),
            quits_after_save: false,
        }
    }

    /// The one way in. `now_ns` never goes backwards.
    pub fn update(&mut self, now_ns: u64, event: Event) -> Vec<Effect> {
        self.now_ns = now_ns;
        let mut effects = Vec::new();
        match event {
            Event::Key(chord) => self.key(chord, &mut effects),
            Event::Paste(text) => self.paste(&text),
            Event::Resize => {}
            Event::Tick(reading) => self.tick(reading, &mut effects),
            Event::Reply(reply) => self.reply(reply, &mut effects),
            Event::Start => self.start(&mut effects),
            Event::Terminate { code } => self.leave(code, &mut effects),
        }
        effects
    }

    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// A message that passes by itself.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        // Before the first event there is no clock yet: such a message stays until the first tick starts its time.
        let until_ns = (self.now_ns > 0).then_some(self.now_ns + NOTICE_NS);
        self.notice = Some(Notice { tone, text: text.into(), until_ns });
    }

    fn age_notice(&mut self) {
        let now_ns = self.now_ns;
        if let Some(notice) = &mut self.notice
            && *notice.until_ns.get_or_insert(now_ns + NOTICE_NS) <= now_ns
        {
            self.notice = None;
        }
    }

    fn key(&mut self, chord: Chord, effects: &mut Vec<Effect>) {
        if chord == Chord::STOP {
            return self.stop_or_leave(effects);
        }
        match &mut self.overlay {
            Overlay::Text(prompt) => match prompt.key(chord) {
                Typed::Accepted => self.accept_text(effects),
                Typed::Cancelled => self.cancel(),
                Typed::Edited | Typed::Ignored => {}
            },
            Overlay::Ask(ask) => {
                if let Some(answer) = ask.key(chord) {
                    self.answer(answer, effects);
                }
            }
            Overlay::None => {
                if let Some(action) = self.keymap.action(self.screen, chord) {
                    self.act(action, chord, effects);
                }
            }
        }
    }

    fn paste(&mut self, text: &str) {
        if let Overlay::Text(prompt) = &mut self.overlay {
            prompt.paste(text);
        }
    }

    fn act(&mut self, action: Action, chord: Chord, effects: &mut Vec<Effect>) {
        match action {
            Action::StartStop => self.start_or_stop(effects),
            Action::Stop => self.stop_or_leave(effects),
            Action::Quit => self.quit(effects),
            Action::PickDown => self.pick(1),
            Action::PickUp => self.pick(-1),
            Action::StepDown => self.turn(knobs::Turn::Down),
            Action::StepUp => self.turn(knobs::Turn::Up),
            Action::OneLess => self.turn(knobs::Turn::OneLess),
            Action::OneMore => self.turn(knobs::Turn::OneMore),
            Action::Type => self.type_value(chord.text()),
            Action::Accept => self.accept(effects),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Baseline => self.baseline(),
            Action::Freeze => self.live.toggle_freeze(self.now_ns),
            Action::ZoomIn => self.live.zoom_in(),
            Action::ZoomOut => self.live.zoom_out(),
            Action::ZoomReset => self.live.zoom_reset(),
            Action::Unit => self.live.toggle_unit(),
            Action::CopyFigures => effects.push(Effect::Copy(self.figures_line())),
            Action::CopyCommand => effects.push(Effect::Copy(self.command())),
            Action::Save => self.save(effects),
            Action::SaveAs => self.save_as(self.open.name.clone()),
            Action::Open => self.show(Screen::Pick, effects),
            Action::Devices => self.show(Screen::Devices, effects),
            Action::Help => self.show(if self.screen == Screen::Help { Screen::Live } else { Screen::Help }, effects),
            Action::NextScreen => self.show(self.screen.next(), effects),
            Action::Back => self.show(Screen::Live, effects),
            Action::Redraw => effects.push(Effect::Redraw),
            Action::Suspend => self.suspend(effects),
        }
    }

    fn show(&mut self, screen: Screen, effects: &mut Vec<Effect>) {
        self.screen = screen;
        match screen {
            Screen::Devices => effects.push(Effect::ListDevices),
            Screen::Pick => effects.push(Effect::ListProfiles),
            Screen::Help => self.help_line = 0,
            Screen::Live => {}
        }
    }

    fn pick(&mut self, by: i32) {
        match (self.screen, by > 0) {
            (Screen::Live, _) => self.pick_knob(by),
            (Screen::Devices, true) => self.devices.down(),
            (Screen::Devices, false) => self.devices.up(),
            (Screen::Pick, true) => self.profiles.down(),
            (Screen::Pick, false) => self.profiles.up(),
            (Screen::Help, _) => {
                let most = self.keymap.rows().len() as u16;
                self.help_line = self.help_line.saturating_add_signed(by.signum() as i16).min(most);
            }
        }
    }

    /// Enter, by screen.
    fn accept(&mut self, effects: &mut Vec<Effect>) {
        match self.screen {
            Screen::Live => self.type_value(None),
            Screen::Devices => self.choose_device(effects),
            Screen::Pick => self.choose_profile(effects),
            Screen::Help => self.screen = Screen::Live,
        }
    }

    fn accept_text(&mut self, effects: &mut Vec<Effect>) {
        let Overlay::Text(prompt) = &self.overlay else { return };
        let text = prompt.text();
        match prompt.purpose.clone() {
            Purpose::Knob(knob) => self.take_value(&knob, text.trim()),
            Purpose::SaveAs => self.save_under(text.trim(), effects),
        }
    }

    /// Esc in a dialog: everything stays as it is.
    fn cancel(&mut self) {
        self.overlay = Overlay::None;
        self.quits_after_save = false;
    }

    fn answer(&mut self, answer: Answer, effects: &mut Vec<Effect>) {
        let Overlay::Ask(ask) = std::mem::take(&mut self.overlay) else { return };
        match (ask.about, answer) {
            (About::FirstStart, Answer::Start) => self.start_confirmed(effects),
            (About::Quit, Answer::Save) => {
                self.quits_after_save = true;
                self.save(effects);
            }
            (About::Quit, Answer::Discard) => effects.push(Effect::Quit { code: 0 }),
            (About::Overwrite { name }, Answer::Overwrite) => self.save_forced(name, effects),
            (About::OpenOver { name }, Answer::Discard) => effects.push(Effect::Load(name)),
            _ => self.cancel(),
        }
    }

    fn tick(&mut self, reading: Option<Reading>, effects: &mut Vec<Effect>) {
        self.open.close_step();
        self.age_notice();
        if let Some(reading) = reading {
            self.live.take(reading);
        }
        self.retune(effects);
    }

    fn reply(&mut self, reply: Reply, effects: &mut Vec<Effect>) {
        match reply {
            Reply::Started { mode, notes } => self.started(mode, notes),
            Reply::NotStarted(why) => self.not_started(why, effects),
            Reply::Retuned => self.retuned(),
            Reply::RetuneRefused(why) => self.retune_refused(why),
            Reply::Reopened { last } => self.reopened(last),
            Reply::Over { last, why } => self.over(last, why, effects),
            Reply::Saved { name, path } => self.saved(name, path, effects),
            Reply::SaveRefused { why, proposed } => self.save_refused(why, proposed),
            Reply::Loaded { name, origin, document } => self.loaded(name, origin, *document),
            Reply::Profiles(entries) => self.profiles.fill(entries),
            Reply::Devices(entries) => self.devices.fill(entries),
            Reply::DeviceChosen(place) => self.device_chosen(place),
            Reply::Failed(why) => self.say(Tone::Bad, why),
            Reply::Done(what) => self.say(Tone::Good, what),
        }
    }
}
