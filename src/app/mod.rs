//! The mind of the console: events change the app, the app asks for effects.
//!
//! Pure: it reads no clock, file, terminal or device. `update` performs nothing; the shell performs the effects
//! and brings the answers back as events. All instants are nanoseconds of one clock, handed in.

mod action;
pub mod arms;
mod ask;
mod axis;
mod board;
mod calibration;
mod command;
mod complete;
mod conversion;
mod devices;
mod diff;
mod edit;
mod farewell;
mod files;
mod finder;
mod health;
mod help;
mod history;
mod journal;
mod keymap;
mod keys;
mod knobs;
mod line;
mod lists;
mod live;
mod log;
mod message;
mod near;
mod open;
mod pending;
mod pick;
mod prompt;
mod repeat;
mod run;
mod screen;
mod sheet;
mod tongues;
mod trials;
mod turn;
pub mod variety;
mod verdict;

pub use action::Action;
pub use ask::{About, Answer, Ask, Opening};
pub use axis::Axis;
pub use board::{Board, Figures, FlowFigures, Reading, SenderFigures};
pub use calibration::{Bench, calibration_lines};
pub use command::{COMMANDS, CommandRow};
pub use devices::{DeviceCounts, DeviceEntry, DeviceRates};
pub use edit::{Edit, Focus, Preview, Reached, Row as FormRow, RowKind, Shot};
pub use finder::{Deed, Finder, Hit};
pub use health::{Tone, health};
pub use help::{Help, HelpLine};
pub use history::History;
pub use keymap::{Keymap, Row};
pub use keys::{Chord, Code};
pub use knobs::Knob;
pub use line::Line;
pub use lists::{List, PAGE_LINES};
pub use live::{Live, Unit};
pub use log::{Entry, Level, Log};
pub use message::{Effect, Event, Refusal, Reply};
pub use open::{Open, Origin};
pub use pending::waiting;
pub use pick::{Pick, ProfileEntry, ProfileList};
pub use prompt::{Prompt, Purpose};
pub use repeat::quoted;
pub use run::{Phase, Run};
pub use screen::{Overlay, Screen};
pub use sheet::{Shade, Sheet};
pub use tongues::{Folder, Foreign, Remark, Tongues, Written};
pub use trials::{Trials, Wish};
pub use verdict::{Change, Comparison, Finding, Verdict};

use farewell::Totals;
use files::Saving;
use lists::Move;
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

/// Everything the screen is drawn from.
#[derive(Debug)]
pub struct App {
    pub open: Open,
    pub place: Option<Place>,
    pub run: Run,
    pub live: Live,
    pub edit: Edit,
    pub screen: Screen,
    pub overlay: Overlay,
    pub keymap: Keymap,
    pub profiles: Pick,
    pub devices: List<DeviceEntry>,
    pub help: Help,
    pub log: Log,
    pub calibration: calibration::Bench,
    pub trials: Trials,
    /// Lines typed on the `:` line.
    pub history: History,
    /// Names of the themes, once asked for.
    themes: Vec<String>,
    tongues: Tongues,
    /// What lies in the folder that was typed last.
    folder: Option<Folder>,
    /// The open profile's text when another generator's file was asked for.
    importing_over: Option<String>,
    refresh: devices::Refresh,
    told: journal::Told,
    notice: Option<Notice>,
    totals: Totals,
    picked_knob: usize,
    now_ns: u64,
    saving: Saving,
}

/// A message stays for as long as it takes to notice and read it.
fn reading_ns(text: &str) -> u64 {
    const NOTICE_NS: u64 = 6_000_000_000;
    const CHARACTER_NS: u64 = 50_000_000;
    NOTICE_NS + CHARACTER_NS * text.chars().count().min(400) as u64
}

/// The first line, and where the others are.
fn one_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    match lines.count() {
        0 => first.to_owned(),
        more => format!("{first} (and {more} more, in the log)"),
    }
}

impl App {
    pub fn new(open: Open, place: Option<Place>, keymap: Keymap) -> Self {
        Self {
            open,
            place,
            run: Run::default(),
            live: Live::default(),
            edit: Edit::default(),
            screen: Screen::Live,
            overlay: Overlay::None,
            keymap,
            profiles: Pick::default(),
            devices: List::default(),
            help: Help::default(),
            log: Log::default(),
            calibration: calibration::Bench::default(),
            trials: Trials::default(),
            history: History::default(),
            themes: Vec::new(),
            tongues: Tongues::default(),
            folder: None,
            importing_over: None,
            refresh: devices::Refresh::default(),
            told: journal::Told::default(),
            notice: None,
            totals: Totals::default(),
            picked_knob: 0,
            now_ns: 0,
            saving: Saving::default(),
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
            Event::Heard { level, source, text } => self.log.write(now_ns, level, source, &text),
            Event::Terminate { code } => self.leave(code, &mut effects),
        }
        self.refresh_edit(&mut effects);
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
        let text = text.into();
        self.note_notice(tone, &text);
        self.put_up(tone, &text);
    }

    /// One that is not worth a line of the log either.
    fn put_up(&mut self, tone: Tone, text: &str) {
        // Before the first event there is no clock yet: such a message stays until the first tick starts its time.
        let until_ns = (self.now_ns > 0).then_some(self.now_ns + reading_ns(text));
        self.notice = Some(Notice { tone, text: one_line(text), until_ns });
    }

    /// Whether nothing on the screen changes by time alone: no tick is needed then.
    pub fn is_at_rest(&self) -> bool {
        let is_still =
            !self.run.is_on() && self.screen != Screen::Devices && self.live.frozen_for_ns(self.now_ns).is_none();
        is_still && self.notice.is_none() && !self.open.is_step_open()
    }

    fn age_notice(&mut self) {
        let now_ns = self.now_ns;
        if let Some(notice) = &mut self.notice
            && *notice.until_ns.get_or_insert(now_ns + reading_ns(&notice.text)) <= now_ns
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
                Typed::Edited => self.typed(),
                Typed::Ignored => {}
            },
            Overlay::Ask(ask) => {
                if let Some(answer) = ask.key(chord) {
                    self.answer(answer, effects);
                }
            }
            Overlay::Line(_) => self.line_key(chord, effects),
            Overlay::Find(_) => self.finder_key(chord, effects),
            Overlay::Sheet(sheet) => {
                if sheet.key(chord) {
                    self.cancel();
                }
            }
            Overlay::Calibration { .. } => self.calibration_key(chord, effects),
            Overlay::None => {
                if self.is_search_key(chord) || self.is_trial_key(chord, effects) {
                    return;
                }
                if let Some(action) = self.keymap.action(self.screen, chord) {
                    self.act(action, chord, effects);
                }
            }
        }
    }

    /// Keys that go into the search of a screen.
    fn is_search_key(&mut self, chord: Chord) -> bool {
        match self.screen {
            Screen::Pick => self.profiles.key(chord),
            Screen::Help => self.help.key(chord),
            _ => false,
        }
    }

    /// On Live, where it has no other meaning, Esc ends a trial.
    fn is_trial_key(&mut self, chord: Chord, effects: &mut Vec<Effect>) -> bool {
        self.screen == Screen::Live && chord.code == keys::Code::Esc && self.stop_trial(effects)
    }

    fn paste(&mut self, text: &str) {
        match &mut self.overlay {
            Overlay::Text(prompt) => {
                prompt.paste(text);
                self.typed();
            }
            Overlay::Line(_) => self.paste_into_line(text),
            Overlay::Find(_) => self.paste_into_finder(text),
            Overlay::None if self.screen == Screen::Pick => self.profiles.search.paste(text),
            Overlay::None if self.screen == Screen::Help && self.help.is_searching => self.help.search.paste(text),
            Overlay::None | Overlay::Ask(_) | Overlay::Sheet(_) | Overlay::Calibration { .. } => {}
        }
    }

    /// The text of a field changed: what it takes is said again, with what the text comes to.
    fn typed(&mut self) {
        let Overlay::Text(prompt) = &self.overlay else { return };
        if !matches!(prompt.purpose, Purpose::Field(_) | Purpose::Tag(_)) {
            return self.convert_typed();
        }
        let hint = self.field_hint(prompt);
        if let Overlay::Text(prompt) = &mut self.overlay {
            (prompt.hint, prompt.is_refused) = (hint, false);
        }
    }

    fn act(&mut self, action: Action, chord: Chord, effects: &mut Vec<Effect>) {
        if self.screen == Screen::Edit && self.act_in_edit(action, chord.text()) {
            return;
        }
        match action {
            Action::StartStop => self.start_or_stop(effects),
            Action::Stop => self.stop_or_leave(effects),
            Action::Quit => self.quit(effects),
            Action::PickDown => self.pick(Move::By(1)),
            Action::PickUp => self.pick(Move::By(-1)),
            Action::PageDown => self.pick(Move::By(PAGE_LINES as isize)),
            Action::PageUp => self.pick(Move::By(-(PAGE_LINES as isize))),
            Action::First => self.pick(Move::First),
            Action::Last => self.pick(Move::Last),
            Action::StepDown if self.screen == Screen::Log => self.log.show_less(),
            Action::StepUp if self.screen == Screen::Log => self.log.show_more(),
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
            Action::Unit => self.live.next_unit(),
            Action::Big => self.live.is_big = !self.live.is_big,
            Action::ScrollDown => self.scroll(1),
            Action::ScrollUp => self.scroll(-1),
            Action::NextTheme => effects.push(Effect::UseTheme(None)),
            Action::Shot => effects.push(Effect::Shot(None)),
            Action::CopyFigures => effects.push(Effect::Copy(self.figures_line())),
            Action::CopyCommand => effects.push(Effect::Copy(self.command())),
            Action::Save => self.save(effects),
            Action::SaveAs => self.save_as(self.open.name.clone()),
            Action::Diff => self.show_diff(),
            Action::Calibrate => self.open_calibration(),
            Action::Sweep => self.open_sweep(effects),
            Action::Tune => {
                if let Err(why) = self.tune(effects) {
                    self.say(Tone::Warn, why);
                }
            }
            Action::Open => self.show(Screen::Pick, effects),
            Action::Devices => self.show(Screen::Devices, effects),
            Action::Log => self.show(Screen::Log, effects),
            Action::Command => self.open_line("", effects),
            Action::Find if self.screen == Screen::Help => self.help.is_searching = true,
            Action::Find => self.open_finder(),
            Action::Help => self.show(if self.screen == Screen::Help { Screen::Live } else { Screen::Help }, effects),
            Action::NextScreen => self.show(self.screen.next(), effects),
            Action::Back => self.show(Screen::Live, effects),
            Action::Redraw => effects.push(Effect::Redraw),
            Action::Suspend => self.suspend(effects),
            Action::Restart => self.restart(effects),
            Action::Edit => self.show(Screen::Edit, effects),
            // These have a meaning in Edit only.
            Action::Toggle
            | Action::AddFlow
            | Action::CopyFlow
            | Action::Remove
            | Action::MoveUp
            | Action::MoveDown
            | Action::NextFlow
            | Action::FlowBefore
            | Action::Frame
            | Action::NextFrame
            | Action::FrameBefore => {}
        }
    }

    fn show(&mut self, screen: Screen, effects: &mut Vec<Effect>) {
        self.screen = screen;
        match screen {
            Screen::Devices => self.ask_for_devices(effects),
            Screen::Pick => {
                self.profiles.forget_search();
                effects.push(Effect::ListProfiles);
            }
            Screen::Help => self.help = Help::default(),
            Screen::Log => self.log.go(Move::Last),
            Screen::Edit => self.enter_edit(effects),
            Screen::Live => {}
        }
    }

    fn pick(&mut self, to: Move) {
        match self.screen {
            Screen::Live => self.pick_knob(to),
            Screen::Devices => self.devices.go(to),
            Screen::Pick => self.profiles.go(to),
            Screen::Log => self.log.go(to),
            Screen::Help => self.help.go(to, &self.keymap),
            Screen::Edit => {}
        }
    }

    /// The senders' table, by a line.
    fn scroll(&mut self, by: isize) {
        let last = self.live.shown().figures.senders.len().saturating_sub(1);
        self.live.senders_top = self.live.senders_top.saturating_add_signed(by).min(last);
    }

    /// What remains of a count; `None` without one.
    pub fn to_go(&self) -> Option<u64> {
        let profile = self.run.sent()?;
        let count = match profile.tx.count {
            0 => {
                let enabled = || profile.flows.iter().filter(|flow| flow.enabled);
                enabled().all(|flow| flow.count > 0).then(|| enabled().map(|flow| flow.count).sum())?
            }
            count => count,
        };
        let ledger = self.live.shown().figures.ledger?;
        Some(count.saturating_sub(ledger.submitted))
    }

    /// Enter, by screen.
    fn accept(&mut self, effects: &mut Vec<Effect>) {
        match self.screen {
            Screen::Live => self.type_value(None),
            Screen::Edit => {}
            Screen::Devices => self.choose_device(effects),
            Screen::Pick => self.choose_profile(effects),
            Screen::Log | Screen::Help => self.screen = Screen::Live,
        }
    }

    fn accept_text(&mut self, effects: &mut Vec<Effect>) {
        let Overlay::Text(prompt) = &self.overlay else { return };
        let text = prompt.text();
        match prompt.purpose.clone() {
            Purpose::Knob(knob) => self.take_value(&knob, text.trim()),
            Purpose::Field(key) => self.take_field(&key, &text),
            Purpose::Tag(key) => self.take_tag(&key, &text),
            Purpose::Build => self.take_build(text.trim()),
            Purpose::SaveAs => self.save_under(text.trim(), effects),
            Purpose::Line | Purpose::Search => {}
        }
    }

    /// Esc in a dialog: everything stays as it is.
    fn cancel(&mut self) {
        self.overlay = Overlay::None;
        self.saving.then = files::Then::Stay;
    }

    fn answer(&mut self, answer: Answer, effects: &mut Vec<Effect>) {
        let Overlay::Ask(ask) = std::mem::take(&mut self.overlay) else { return };
        match (ask.about, answer) {
            (About::FirstStart, Answer::Start) => self.start_confirmed(effects),
            (About::Quit, Answer::Save) => self.save_then(files::Then::Quit, effects),
            (About::Quit, Answer::Discard) => effects.push(Effect::Quit { code: 0 }),
            (About::Overwrite { name }, Answer::Overwrite) => self.save_forced(name, effects),
            (About::ExportOver { dialect, file }, Answer::Overwrite) => {
                self.ask_to_export(dialect, Some(file), true, effects)
            }
            (About::OpenOver(opening), Answer::Save) => self.save_then(files::Then::Open(opening), effects),
            (About::OpenOver(opening), Answer::Discard) => self.open_now(opening, effects),
            _ => self.cancel(),
        }
    }

    fn tick(&mut self, reading: Option<Reading>, effects: &mut Vec<Effect>) {
        self.open.close_step();
        self.age_notice();
        if let Some(reading) = reading {
            self.note_reading(&reading);
            self.trial_tick(&reading, effects);
            self.live.take(reading);
            self.count_builds();
        }
        self.retune(effects);
        self.refresh_devices(effects);
    }

    fn reply(&mut self, reply: Reply, effects: &mut Vec<Effect>) {
        match reply {
            Reply::Started { mode, notes } => self.started(mode, notes),
            Reply::NotStarted(why) => self.not_started(why, effects),
            Reply::Retuned => self.retuned(),
            Reply::RetuneRefused(why) => self.retune_refused(why),
            Reply::Reopened { last, mode } => self.reopened(last, mode),
            Reply::Over { last, why } => self.over(last, why, effects),
            Reply::Saved { name, path } => self.saved(name, path, effects),
            Reply::SaveRefused { why, refusal } => self.save_refused(why, refusal),
            Reply::Loaded { name, origin, document } => self.loaded(name, origin, *document),
            Reply::Profiles(found) => {
                self.profiles.fill(found);
                self.refresh_line();
            }
            Reply::Themes(names) => {
                self.themes = names;
                self.refresh_line();
            }
            Reply::Tongues(tongues) => {
                self.tongues = tongues;
                self.refresh_line();
            }
            Reply::Folder(folder) => {
                self.folder = Some(folder);
                self.refresh_line();
            }
            Reply::Imported(foreign) => self.imported(foreign),
            Reply::Exported(written) => self.exported(written, effects),
            Reply::ExportRefused { dialect, file } => self.export_refused(dialect, file),
            Reply::Devices(entries) => self.devices_listed(entries),
            Reply::Counters(counts) => self.devices_counted(&counts),
            Reply::Facts(facts) => self.take_facts(facts),
            Reply::DeviceChosen(place) => self.device_chosen(place),
            Reply::PlaceChanged(place) => self.place_changed(place),
            Reply::Progress(line) => self.put_up(Tone::Plain, &line),
            Reply::Calibrated(outcome) => self.calibrated(outcome),
            Reply::Failed(why) => self.say(Tone::Bad, why),
            Reply::Done(what) => self.say(Tone::Good, what),
        }
    }
}
