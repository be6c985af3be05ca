//! What passes between the app and the shell: events and answers come in, effects go out.

use crate::{
    app::{
        Chord, DeviceCounts, DeviceEntry, Folder, Foreign, Level, Origin, Place, ProfileList, Reading, Tongues, Written,
    },
    packet::Facts,
    profile::{Document, Profile},
    stats::Calibration,
};

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
    /// Something outside has a line for the log.
    Heard {
        level: Level,
        source: &'static str,
        text: String,
    },
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
        /// As got, `copy 1q`.
        mode: String,
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
    /// Nothing was written.
    SaveRefused {
        why: String,
        refusal: Refusal,
    },
    Loaded {
        name: String,
        origin: Origin,
        document: Box<Document>,
    },
    Profiles(ProfileList),
    Themes(Vec<String>),
    Tongues(Tongues),
    Folder(Folder),
    Imported(Foreign),
    Exported(Written),
    /// Nothing was written: the file is there already.
    ExportRefused {
        dialect: String,
        file: String,
    },
    Devices(Vec<DeviceEntry>),
    /// Counters by the device's number.
    Counters(Vec<(u32, DeviceCounts)>),
    DeviceChosen(Place),
    /// The device in use has another name now, or none any more.
    PlaceChanged(Place),
    Facts(Facts),
    /// How far long work has come, to be shown and not kept.
    Progress(String),
    /// The table, or why there is none.
    Calibrated(Result<Calibration, String>),
    Failed(String),
    Done(String),
}

/// Why a profile was not saved, as far as another try depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A shipped profile has this name; `free` is one that nobody has.
    ShippedName { free: String },
    /// A file is there already.
    Exists,
    /// No name at all, or the file could not be written.
    Failed,
}

/// What the app asks the shell for.
#[derive(Debug)]
pub enum Effect {
    Start(Box<Document>),
    Retune(Box<Document>),
    /// Opens the queues again with this, whatever was fixed at open; refused before anything stops, or `Reopened`.
    Restart(Box<Document>),
    Stop,
    Save {
        name: String,
        document: Box<Document>,
        force: bool,
    },
    Load(String),
    /// Reads another generator's file; without a dialect its content tells. Answered with [`Reply::Imported`].
    Import {
        file: String,
        dialect: Option<String>,
    },
    /// Writes another generator's file, or answers its text; over a file that exists only by `force`.
    Export {
        dialect: String,
        file: Option<String>,
        document: Box<Document>,
        force: bool,
    },
    ListProfiles,
    ListDevices,
    UseDevice(String),
    /// MAC and neighbours of the place, and the captures of this profile.
    AskFacts(Box<Profile>),
    Copy(String),
    /// A theme by its name, or `None`: the next one. It is remembered.
    UseTheme(Option<String>),
    /// The present screen into a file, `.svg` or `.txt`; `None`: a free name in the current folder.
    Shot(Option<String>),
    /// One line of the `:` line's history to keep over sessions.
    Remember(String),
    /// The names of all themes, answered with [`Reply::Themes`].
    ListThemes,
    /// The names of all dialects, answered with [`Reply::Tongues`].
    ListTongues,
    /// What lies in a folder, as it is typed; answered with [`Reply::Folder`].
    ListFolder(String),
    /// The counters of all devices, answered with [`Reply::Counters`].
    ReadCounters,
    /// Measures the primitives on the first sender's CPU (these are `tx.cpus`); answered with [`Reply::Calibrated`].
    Calibrate {
        cpus: Vec<u32>,
    },
    Redraw,
    Suspend,
    Quit {
        code: u8,
    },
}
