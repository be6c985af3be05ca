//! The knobs: burst, clone, rate and the size of each flow, their series and their limits.

use crate::profile::{Profile, Rate, Value};

use super::conversion;

/// One thing to turn while packets flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Knob {
    Burst,
    Clone,
    Rate,
    /// The size of the flow of this name.
    Size(String),
    /// What each packet pays again: a change is marked like any other, and it is turned by its words only.
    Cost,
}

/// Which way, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Along the series.
    Up,
    Down,
    /// By one; of a rate, one in its second digit.
    OneMore,
    OneLess,
}

const SIZES: [u128; 7] = [60, 124, 252, 508, 1020, 1276, 1514];
const CLONE_MOST: u64 = 1_000_000;
const RATE_MOST: f64 = 100e6;
/// Where `max` goes down to when nothing was measured yet.
const RATE_BELOW_MAX: f64 = 10e6;

/// The knobs of a profile in the order of the screen; only enabled flows have a size to turn.
pub fn knobs(profile: &Profile) -> Vec<Knob> {
    let flows = profile.flows.iter().filter(|flow| flow.enabled);
    [Knob::Burst, Knob::Clone, Knob::Rate].into_iter().chain(flows.map(|flow| Knob::Size(flow.name.clone()))).collect()
}

impl Knob {
    /// As `Document::set` takes it.
    pub fn key(&self) -> String {
        match self {
            Knob::Burst => "tx.burst".into(),
            Knob::Clone => "tx.clone".into(),
            Knob::Rate => "tx.rate".into(),
            Knob::Cost => "tx.cost".into(),
            Knob::Size(flow) => format!("flow.{flow}.size"),
        }
    }

    /// What the screen calls it; a size names its flow when there are several.
    pub fn label(&self, profile: &Profile) -> String {
        match self {
            Knob::Burst => "burst".into(),
            Knob::Clone => "clone".into(),
            Knob::Rate => "rate".into(),
            Knob::Cost => "cost of".into(),
            Knob::Size(flow) if sizes(profile) > 1 => format!("size {flow}"),
            Knob::Size(_) => "size".into(),
        }
    }

    /// For marks on a graph: one capital letter.
    pub fn letter(&self) -> char {
        match self {
            Knob::Burst => 'B',
            Knob::Clone => 'C',
            Knob::Rate => 'R',
            Knob::Size(_) => 'S',
            Knob::Cost => 'X',
        }
    }

    /// The present value as people read it.
    pub fn value(&self, profile: &Profile) -> String {
        match self {
            Knob::Burst => profile.tx.burst.to_string(),
            Knob::Clone => profile.tx.clone.to_string(),
            Knob::Rate => profile.tx.rate.to_string(),
            Knob::Cost if profile.tx.cost.is_empty() => "none".into(),
            Knob::Cost => profile.tx.cost.words(),
            Knob::Size(_) => match self.size(profile) {
                Some(Value::Fixed(bytes)) => bytes.to_string(),
                Some(value) => format!("{}..{}", value.min(), value.max()),
                None => String::new(),
            },
        }
    }

    /// What may be typed.
    pub fn range(&self, profile: &Profile) -> String {
        match self {
            Knob::Burst => format!("1..{}", (profile.tx.ring / 2).max(1)),
            Knob::Clone => format!("0..{CLONE_MOST}"),
            Knob::Rate => "max, 1.5M, 2.5 Gbit/s, every 5 us".into(),
            Knob::Size(_) => "60..1514".into(),
            Knob::Cost => String::new(),
        }
    }

    /// A word on the value where it needs one: FCS at a size, pps of a bit rate, who overrides the knob. Longest
    /// first; the last is for the narrowest place.
    pub fn remarks(&self, profile: &Profile) -> Vec<String> {
        let enabled = || profile.flows.iter().filter(|flow| flow.enabled);
        match (self, self.size(profile)) {
            (_, Some(Value::Fixed(bytes))) => {
                let wire = bytes.saturating_add(4);
                vec![format!("B (+4 FCS = {wire})"), format!("+4 FCS = {wire}")]
            }
            (Knob::Burst, _) => vec![burst_remark(profile)],
            (Knob::Clone, _) if enabled().count() > 0 && enabled().all(|flow| flow.clone.is_some()) => {
                vec!["flows set theirs".into()]
            }
            (Knob::Clone | Knob::Cost, _) => Vec::new(),
            (Knob::Rate, _) => conversion::of_rate(profile, profile.tx.rate),
            (Knob::Size(_), _) => vec!["B, varies".into()],
        }
    }

    fn size<'a>(&self, profile: &'a Profile) -> Option<&'a Value> {
        let Knob::Size(flow) = self else { return None };
        let found = profile.flows.iter().find(|one| one.name == *flow);
        found.filter(|flow| flow.replay.is_none()).map(|flow| &flow.size)
    }

    /// The value a turn leads to, as `Document::set` takes it; `Ok(None)` at the end of the series.
    /// `left_pps` is what leaves now, so that `max` goes down to something that can be felt.
    pub fn turned(&self, profile: &Profile, turn: Turn, left_pps: Option<f64>) -> Result<Option<String>, String> {
        let whole = |next: Option<u64>| Ok(next.map(|n| n.to_string()));
        match self {
            Knob::Burst => {
                let most = u64::from((profile.tx.ring / 2).max(1));
                let now = u64::from(profile.tx.burst);
                whole(step(now, turn, 1, most, |n| n.checked_next_power_of_two()))
            }
            Knob::Clone => whole(step(u64::from(profile.tx.clone), turn, 0, CLONE_MOST, one_two_five)),
            Knob::Rate => Ok(turned_rate(profile.tx.rate, turn, left_pps)),
            Knob::Size(flow) => match self.size(profile) {
                Some(Value::Fixed(bytes)) => {
                    let next_size = |n: u64| SIZES.iter().map(|size| *size as u64).find(|size| *size >= n);
                    let now = u64::try_from(*bytes).unwrap_or(u64::MAX);
                    whole(step(now, turn, 60, 1514, next_size))
                }
                Some(_) => {
                    Err(format!("the size of flow {flow} varies, so it cannot be turned; type one value to fix it"))
                }
                None => Ok(None),
            },
            Knob::Cost => Ok(None),
        }
    }
}

/// Every knob, and the cost switches, whose value differs between two states of a profile: (knob, from, to).
pub fn differences(before: &Profile, after: &Profile) -> Vec<(Knob, String, String)> {
    let both = knobs(after).into_iter().chain([Knob::Cost]).map(|knob| {
        let (from, to) = (knob.value(before), knob.value(after));
        (knob, from, to)
    });
    both.filter(|(_, from, to)| from != to && !from.is_empty()).collect()
}

/// Packets that leave together under a rate: as many as are due within 10 ms, at most a burst.
pub fn group(burst: u32, pps: f64) -> u32 {
    burst.min(((pps * 0.010).floor() as u32).max(1))
}

fn sizes(profile: &Profile) -> usize {
    profile.flows.iter().filter(|flow| flow.enabled).count()
}

fn burst_remark(profile: &Profile) -> String {
    let burst = profile.tx.burst;
    match conversion::lone_bytes(profile).and_then(|bytes| profile.tx.rate.pps(bytes)) {
        Some(pps) if group(burst, pps) < burst => format!("leave {} together", group(burst, pps)),
        _ => format!("1..{}", (profile.tx.ring / 2).max(1)),
    }
}

/// `next(n)` is the least member of the series that is ≥ n.
pub(super) fn step(now: u64, turn: Turn, least: u64, most: u64, next: impl Fn(u64) -> Option<u64>) -> Option<u64> {
    let to = match turn {
        Turn::OneMore => now.saturating_add(1),
        Turn::OneLess => now.saturating_sub(1),
        Turn::Up => next(now.saturating_add(1)).unwrap_or(most),
        Turn::Down => below(now, least, &next),
    };
    Some(to.clamp(least, most)).filter(|to| *to != now)
}

/// The greatest member of the series under `now`: series are short, so they are walked from their start.
fn below(now: u64, least: u64, next: &impl Fn(u64) -> Option<u64>) -> u64 {
    let mut member = least;
    while let Some(following) = next(member.saturating_add(1)).filter(|n| *n < now && *n > member) {
        member = following;
    }
    member
}

/// The least of 0 1 2 5 10 20 … that is ≥ n.
pub(super) fn one_two_five(n: u64) -> Option<u64> {
    if n == 0 {
        return Some(0);
    }
    let mut members = (0..19).flat_map(|exponent| [1, 2, 5].map(|digit| digit * 10u64.pow(exponent)));
    members.find(|member| *member >= n)
}

pub(super) fn turned_rate(rate: Rate, turn: Turn, left_pps: Option<f64>) -> Option<String> {
    let up = matches!(turn, Turn::Up | Turn::OneMore);
    match rate {
        Rate::Max if up => None,
        Rate::Max => {
            let below = left_pps.filter(|pps| *pps > 1.0).unwrap_or(RATE_BELOW_MAX * 1.01);
            Some(pps_text(series_below(below)))
        }
        Rate::Pps(pps) if turn == Turn::Up && pps >= RATE_MOST => Some("max".into()),
        Rate::Pps(pps) => Some(pps_text(turned_figure(pps, turn))),
        Rate::EveryNs(ns) => {
            // A longer gap is a lower rate.
            let back = match turn {
                Turn::Up => Turn::Down,
                Turn::Down => Turn::Up,
                Turn::OneMore => Turn::OneLess,
                Turn::OneLess => Turn::OneMore,
            };
            Some(format!("every {} ns", plain(turned_figure(ns, back))))
        }
        Rate::Bits(bits) => Some(format!("{} bit/s", plain(turned_figure(bits, turn)))),
        Rate::WireBits(bits) => Some(format!("{} bit/s L1", plain(turned_figure(bits, turn)))),
    }
}

fn turned_figure(value: f64, turn: Turn) -> f64 {
    let second_digit = 10f64.powf(value.max(1e-3).log10().floor() - 1.0);
    match turn {
        Turn::Up => series_above(value),
        Turn::Down => series_below(value),
        Turn::OneMore => value + second_digit,
        Turn::OneLess => (value - second_digit).max(second_digit),
    }
}

/// The next of …, 1, 2, 5, 10, … above.
fn series_above(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0, 20.0].iter().map(|m| m * decade).find(|v| *v > value * 1.000_001).unwrap_or(value * 2.0)
}

fn series_below(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    let members = [5.0, 2.0, 1.0, 0.5, 0.2];
    members.iter().map(|m| m * decade).find(|v| *v < value * 0.999_999).unwrap_or(value / 2.0)
}

fn pps_text(pps: f64) -> String {
    match pps {
        v if v >= 1e6 => format!("{}M", plain(v / 1e6)),
        v if v >= 1e3 => format!("{}k", plain(v / 1e3)),
        v => format!("{} pps", plain(v)),
    }
}

/// Without an exponent and without trailing zeros.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_switch_is_a_change_like_any_other() {
        let text = "version = 1\n[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\n";
        let before = crate::profile::Document::parse("t", text).expect("valid");
        let mut after = before.clone();
        after.set("cost", "lock,barrier").expect("valid");
        let found = differences(before.profile(), after.profile());
        assert_eq!(found, [(Knob::Cost, "none".into(), "lock, barrier".into())]);
    }

    fn walk(next: impl Fn(u64) -> Option<u64>, turn: Turn, from: u64, least: u64, most: u64) -> Vec<u64> {
        std::iter::successors(Some(from), |now| step(*now, turn, least, most, &next)).take(12).collect()
    }

    #[test]
    fn series_walk_both_ways() {
        let burst = |n: u64| n.checked_next_power_of_two();
        assert_eq!(walk(burst, Turn::Up, 1, 1, 64), [1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(walk(burst, Turn::Down, 48, 1, 64), [48, 32, 16, 8, 4, 2, 1]);
        assert_eq!(walk(one_two_five, Turn::Up, 0, 0, 100), [0, 1, 2, 5, 10, 20, 50, 100]);
        assert_eq!(walk(one_two_five, Turn::Down, 7, 0, 100), [7, 5, 2, 1, 0]);
    }

    #[test]
    fn rates_turn_in_ones_twos_and_fives_then_max() {
        let up = |rate| turned_rate(rate, Turn::Up, None);
        assert_eq!(up(Rate::Pps(500_000.0)).as_deref(), Some("1M"));
        assert_eq!(up(Rate::Pps(1_000.0)).as_deref(), Some("2k"));
        assert_eq!(up(Rate::Pps(100e6)).as_deref(), Some("max"));
        assert_eq!(up(Rate::Max), None);
        assert_eq!(turned_rate(Rate::Max, Turn::Down, Some(1_130_000.0)).as_deref(), Some("1M"));
        assert_eq!(turned_rate(Rate::Max, Turn::Down, None).as_deref(), Some("10M"));
        assert_eq!(turned_rate(Rate::Pps(1.0), Turn::Down, None).as_deref(), Some("0.5 pps"));
        assert_eq!(turned_rate(Rate::Pps(1e6), Turn::OneMore, None).as_deref(), Some("1.1M"));
        assert_eq!(turned_rate(Rate::EveryNs(5000.0), Turn::Up, None).as_deref(), Some("every 2000 ns"));
    }

    #[test]
    fn packets_leave_together_only_as_long_as_none_waits_over_ten_ms() {
        assert_eq!((group(256, 10.0), group(32, 50_000.0), group(256, 10_000.0)), (1, 32, 100));
    }
}
