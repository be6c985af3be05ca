//! Where the console is: one screen, and at most one dialog over it.

use super::{ask::Ask, prompt::Prompt};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Screen {
    Live,
    Devices,
    /// Profiles to open.
    Pick,
    Help,
}

impl Screen {
    pub const ALL: [Screen; 4] = [Screen::Live, Screen::Devices, Screen::Pick, Screen::Help];

    /// As the keymap file says it.
    pub fn name(self) -> &'static str {
        match self {
            Screen::Live => "live",
            Screen::Devices => "devices",
            Screen::Pick => "pick",
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

    /// Tab's way round.
    pub fn next(self) -> Screen {
        match self {
            Screen::Live => Screen::Devices,
            Screen::Devices => Screen::Help,
            Screen::Pick | Screen::Help => Screen::Live,
        }
    }
}

/// What lies over the screen; two dialogs cannot be open at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Overlay {
    #[default]
    None,
    Text(Prompt),
    Ask(Ask),
}
