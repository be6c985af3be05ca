//! Where the console is: one screen, and at most one dialog over it.

use super::{ask::Ask, finder::Finder, keys::Chord, line::Line, prompt::Prompt, sheet::Sheet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Screen {
    Live,
    /// Flows, fields, the next frames' bytes.
    Edit,
    Devices,
    /// Profiles to open.
    Pick,
    /// What happened this session.
    Log,
    Help,
}

impl Screen {
    pub const ALL: [Screen; 6] = [Screen::Live, Screen::Edit, Screen::Pick, Screen::Devices, Screen::Log, Screen::Help];

    /// As the keymap file says it.
    pub fn name(self) -> &'static str {
        match self {
            Screen::Live => "live",
            Screen::Edit => "edit",
            Screen::Devices => "devices",
            Screen::Pick => "pick",
            Screen::Log => "log",
            Screen::Help => "help",
        }
    }

    /// A screen by its name; `all` is every one.
    pub fn from_names(name: &str) -> Result<Vec<Screen>, String> {
        if name == "all" {
            return Ok(Screen::ALL.to_vec());
        }
        match Screen::ALL.iter().find(|screen| screen.name() == name) {
            Some(screen) => Ok(vec![*screen]),
            None => {
                Err(format!("{name:?} is no screen; they are {}, or all", Screen::ALL.map(Screen::name).join(", ")))
            }
        }
    }

    /// Whether this key is a letter of the screen's search field, so that it can mean nothing else there.
    pub fn is_typed_into(self, chord: Chord) -> bool {
        let is_letter = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
        self == Screen::Pick && chord.text().is_some_and(is_letter)
    }

    /// Tab's way round: the order of the tabs.
    pub fn next(self) -> Screen {
        let at = Screen::ALL.iter().position(|screen| *screen == self).unwrap_or(0);
        Screen::ALL[(at + 1) % Screen::ALL.len()]
    }
}

/// What lies over the screen; two dialogs cannot be open at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Overlay {
    #[default]
    None,
    Text(Prompt),
    Ask(Ask),
    /// The `:` line.
    Line(Box<Line>),
    /// `/`
    Find(Box<Finder>),
    /// Something to read.
    Sheet(Box<Sheet>),
    /// What this CPU's primitives cost, from this line on.
    Calibration {
        top: usize,
    },
}
