//! Which frames are looked at: those that leave next, or those from a build on that was named.

use crate::app::{App, Overlay, Purpose, prompt::Prompt};

use super::Reached;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Builds beyond the next one; goes on with the traffic.
    Ahead(u64),
    /// This build, whatever is sent.
    At(u64),
}

impl Default for Aim {
    fn default() -> Self {
        Aim::Ahead(0)
    }
}

impl Aim {
    pub(super) fn later(self) -> Aim {
        match self {
            Aim::Ahead(builds) => Aim::Ahead(builds.saturating_add(1)),
            Aim::At(k) => Aim::At(k.saturating_add(1)),
        }
    }

    pub(super) fn earlier(self) -> Aim {
        match self {
            Aim::Ahead(builds) => Aim::Ahead(builds.saturating_sub(1)),
            Aim::At(k) => Aim::At(k.saturating_sub(1)),
        }
    }

    /// A build that is counted from, and the builds beyond it. A build that has left is counted from the first one.
    pub(super) fn from(self, next: Reached) -> (Reached, u64) {
        match self {
            Aim::Ahead(builds) => (next, builds),
            Aim::At(k) => match k.checked_sub(next.k) {
                Some(builds) => (next, builds),
                None => (Reached::default(), k),
            },
        }
    }
}

impl App {
    /// Where the shown frames begin, for [`super::Preview::frames`].
    pub fn shown_builds(&self) -> (Reached, u64) {
        self.edit.aim.from(self.next_build())
    }

    /// Whether the shown frames are the next ones, not those of a build that was named.
    pub fn follows_builds(&self) -> bool {
        matches!(self.edit.aim, Aim::Ahead(_))
    }

    /// Asks for the number of a build, which may begin with this digit.
    pub(super) fn ask_for_build(&mut self, digit: Option<char>) {
        let hint = "the number of a build of this flow, from 0; empty: the next ones to leave".into();
        let text = digit.map(String::from).unwrap_or_default();
        self.overlay = Overlay::Text(Prompt::new(Purpose::Build, "show frame".into(), hint, &text));
    }

    /// Enter in the text for it.
    pub(in crate::app) fn take_build(&mut self, text: &str) {
        let digits: String = text.chars().filter(|c| !matches!(c, '_' | ' ')).collect();
        self.edit.aim = match (digits.is_empty(), digits.parse()) {
            (true, _) => Aim::default(),
            (false, Ok(k)) => Aim::At(k),
            (false, Err(_)) => {
                if let Overlay::Text(prompt) = &mut self.overlay {
                    prompt.refuse(format!("{text} is no number of a build: 0..{}. Esc keeps what is shown.", u64::MAX));
                }
                return;
            }
        };
        self.overlay = Overlay::None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_build_stands_still_and_a_next_one_goes_on() {
        let next = |k| Reached { k, sends: 2 * k };
        assert_eq!(Aim::Ahead(3).from(next(10)), (next(10), 3));
        assert_eq!(Aim::At(13).from(next(10)), (next(10), 3));
        assert_eq!(Aim::At(3).from(next(10)), (Reached::default(), 3), "it has left");
        assert_eq!((Aim::At(0).earlier(), Aim::At(u64::MAX).later()), (Aim::At(0), Aim::At(u64::MAX)));
    }
}
