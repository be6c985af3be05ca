//! From lists of values to profiles: one for each setting, all checked before anything is sent.

use crate::{
    profile::{Document, field::Effect, kind::Kind},
    trial::{Axis, MOST_ARMS, Point, Row, Set, grid},
};

/// Why there are no settings to measure, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadArms {
    /// An axis cannot be swept.
    Axis(String),
    /// The profile does not take a value.
    Setting(String),
}

impl BadArms {
    pub fn message(&self) -> &str {
        match self {
            BadArms::Axis(message) | BadArms::Setting(message) => message,
        }
    }
}

/// One setting with its profile.
#[derive(Debug, Clone)]
pub struct Arm {
    pub set: Vec<Set>,
    pub document: Document,
}

/// Everything that is to be measured.
#[derive(Debug, Clone)]
pub struct Arms {
    pub arms: Vec<Arm>,
    /// Every axis acts at the next burst: the queues are opened once.
    pub is_live: bool,
}

impl Arms {
    /// The settings of some axes over one profile, whose own limits are lifted.
    ///
    /// # Errors
    /// A key that is not there or takes no numbers, a value that is not allowed, too many settings.
    pub fn of(base: &Document, axes: Vec<Axis>) -> Result<Arms, BadArms> {
        let base = unlimited(base)?;
        let effects = axes.iter().map(|axis| effect(&base, axis)).collect::<Result<Vec<_>, _>>()?;
        let axes: Vec<Axis> = axes.into_iter().map(|axis| Axis { key: full_key(&base, &axis.key), ..axis }).collect();
        let grid = grid(&axes).ok_or_else(|| match axes.is_empty() {
            true => bad_axis("nothing varies: name a key with values, as burst and 1,2,4,8".into()),
            false => bad_axis(format!("more than {MOST_ARMS} settings: shorten the lists")),
        })?;
        let arms = grid.into_iter().map(|set| arm(&base, set)).collect::<Result<Vec<_>, _>>()?;
        Ok(Arms { arms, is_live: effects.iter().all(|effect| *effect == Effect::NextBurst) })
    }

    /// What the queues are opened with when they are opened once: the profile whose packets are longest, with room for
    /// the largest burst.
    pub fn widest(&self, longest: &Arm) -> Result<Document, BadArms> {
        let chunks = self.arms.iter().map(|arm| arm.document.profile().chunks_per_queue()).max().unwrap_or(0);
        let mut document = longest.document.clone();
        if document.profile().chunks_per_queue() < chunks {
            set(&mut document, &[("tx.chunks", &chunks.to_string())])?;
        }
        Ok(document)
    }
}

/// A profile without count and duration: a trial's slices say how long.
pub fn unlimited(document: &Document) -> Result<Document, BadArms> {
    let mut document = document.clone();
    set(&mut document, &[("tx.count", "0"), ("tx.duration", "0s")])?;
    Ok(document)
}

fn arm(base: &Document, wanted: Vec<Set>) -> Result<Arm, BadArms> {
    let mut document = base.clone();
    let pairs: Vec<(&str, &str)> = wanted.iter().map(|set| (set.key.as_str(), set.value.as_str())).collect();
    set(&mut document, &pairs)?;
    Ok(Arm { set: wanted, document })
}

fn set(document: &mut Document, pairs: &[(&str, &str)]) -> Result<(), BadArms> {
    let set = document.set_together(pairs);
    set.map_err(|why| BadArms::Setting(why.to_string().trim_end().to_owned()))
}

/// When the key acts; refuses what is no number.
fn effect(base: &Document, axis: &Axis) -> Result<Effect, BadArms> {
    let Some(field) = base.field(&axis.key) else {
        // Setting it tells what is wrong with the key, and which one may have been meant.
        let first = axis.values.first().map_or("", String::as_str);
        set(&mut base.clone(), &[(&axis.key, first)])?;
        return Err(bad_axis(format!("{}: is no field", axis.key)));
    };
    let is_number = field.kind.is_numeric() || matches!(field.kind, Kind::Rate | Kind::Duration | Kind::Factor { .. });
    match (is_number, field.key) {
        (_, "version" | "tx.count" | "tx.duration") => {
            Err(bad_axis(format!("{}: a sweep has slices and repeats of its own in its place", axis.key)))
        }
        (true, _) => Ok(field.effect),
        (false, _) => Err(bad_axis(format!("{}: takes {}, and an axis takes numbers", axis.key, field.kind.allowed()))),
    }
}

/// `burst` is `tx.burst`.
fn full_key(base: &Document, key: &str) -> String {
    let tx = base.field(key).filter(|field| field.key.starts_with("tx."));
    tx.map_or_else(|| key.to_owned(), |field| field.key.to_owned())
}

fn bad_axis(message: String) -> BadArms {
    BadArms::Axis(message)
}

/// What each row's burst and clone were, with its cost.
pub fn points(rows: &[Row], base: &Document) -> Vec<Point> {
    let tx = &base.profile().tx;
    let point = |row: &Row| {
        let of = |key: &str| row.set.iter().find(|set| set.key == key).and_then(|set| set.value.parse().ok());
        Some(Point {
            burst: of("tx.burst").unwrap_or(tx.burst),
            clone: of("tx.clone").unwrap_or(tx.clone),
            cost_ns: row.cost_ns?,
        })
    };
    rows.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::shipped;

    fn arms(lists: &[(&str, &str)]) -> Result<Arms, BadArms> {
        let text = shipped().iter().find(|(name, _)| *name == "udp-64").map(|(_, text)| *text).expect("it is shipped");
        let base = Document::parse("udp-64", text).expect("valid");
        Arms::of(&base, lists.iter().map(|(key, list)| Axis::parse(key, list).expect("a list")).collect())
    }

    #[test]
    fn each_setting_is_a_profile_and_the_queues_have_room_for_all() {
        let arms = arms(&[("burst", "1,1024"), ("flow.udp.size", "60,1514")]).unwrap();
        assert!(arms.is_live);
        assert_eq!(arms.arms.len(), 4);
        assert_eq!(arms.arms[2].set[0], Set { key: "tx.burst".into(), value: "1024".into() });
        assert_eq!(arms.arms[2].document.profile().tx.burst, 1024);
        let widest = arms.widest(&arms.arms[1]).unwrap();
        assert_eq!((widest.profile().tx.chunks, widest.profile().flows[0].size.max()), (Some(2048), 1514));
    }

    #[test]
    fn a_key_that_needs_new_queues_is_not_live() {
        assert!(!arms(&[("ring", "1024,2048")]).unwrap().is_live);
    }

    #[test]
    fn what_cannot_be_swept_is_told() {
        for (key, list, words) in [
            ("brst", "1,2", "Did you mean tx.burst?"),
            ("burst", "1,2000", "above half of ring"),
            ("mode", "auto,copy", "numbers"),
            ("count", "1,2", "slices"),
            ("flow.no.size", "60", "no"),
        ] {
            let told = arms(&[(key, list)]).err().unwrap_or_else(|| panic!("{key}")).message().to_owned();
            assert!(told.contains(words), "{key}: {told}");
        }
        assert!(arms(&[]).err().unwrap().message().contains("burst"));
    }
}
