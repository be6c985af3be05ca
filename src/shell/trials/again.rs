//! The command line that asks a trial's question again, on the same place.

use crate::{app::quoted, shell::args::PlaceArgs};

/// Its words so far.
pub struct Again(Vec<String>);

impl Again {
    pub fn new(command: &str, profiles: &[&str]) -> Again {
        Again([&["txdeck", command], profiles].concat().into_iter().map(str::to_owned).collect())
    }

    /// The guard is not lifted again by itself: whoever repeats this names the device once more.
    pub fn place(self, place: &PlaceArgs) -> Again {
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        self.flag("--lab", place.lab)
            .all("-i", place.device.as_ref())
            .all("--lab-queues", number(place.shape.lab_queues).as_ref())
            .all("--lab-mtu", number(place.shape.lab_mtu).as_ref())
            .flag("--deliver", place.shape.deliver)
    }

    pub fn flag(mut self, option: &str, is_given: bool) -> Again {
        self.0.extend(is_given.then(|| option.to_owned()));
        self
    }

    pub fn one(self, option: &str, value: &str) -> Again {
        self.all(option, Some(&value.to_owned()))
    }

    /// The option with each of these values.
    pub fn all<'a>(mut self, option: &str, values: impl IntoIterator<Item = &'a String>) -> Again {
        self.0.extend(values.into_iter().flat_map(|value| [option.to_owned(), value.clone()]));
        self
    }

    pub fn line(self) -> String {
        self.0.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::args::{Cli, Command};
    use clap::Parser;

    #[test]
    fn the_place_is_named_and_the_guard_stays() {
        let line =
            ["txdeck", "sweep", "a b", "--lab", "--lab-queues", "2", "--lab-mtu", "9000", "--deliver", "--arm", "x"];
        let Some(Command::Sweep(args)) = Cli::try_parse_from(line).unwrap().command else { panic!() };
        let again = Again::new("sweep", &[&args.profile]).place(&args.place).one("--burst", "1,2").line();
        assert_eq!(again, "txdeck sweep 'a b' --lab --lab-queues 2 --lab-mtu 9000 --deliver --burst 1,2");
    }
}
