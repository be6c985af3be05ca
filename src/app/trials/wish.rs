//! What a trial of the console is to measure, read from a line: `burst=1,2,4 clone=0,10 slice=500ms repeat=3`.

use crate::{
    app::arms::{Arms, unlimited},
    profile::{Document, duration},
    trial::{Axis, Question, rounds},
};

use super::TICK_NS;

/// Everything that is to be measured, and in what order.
#[derive(Debug, Clone)]
pub struct Wish {
    pub question: Question,
    pub arms: Arms,
    pub slice_ns: u64,
    /// Settings by their place, slice after slice.
    pub order: Vec<usize>,
    /// The words it was read from.
    pub text: String,
}

/// From a new plan to the first reading that counts.
pub const SETTLE_NS: u64 = TICK_NS;
/// Queues are drained and opened anew in about this time over veth.
const REOPEN_NS: u64 = 2 * TICK_NS;
const SLICE_NS: u64 = 5 * TICK_NS;
const MOST_SLICE_NS: u64 = 60 * 1_000_000_000;
const REPEAT: usize = 3;
const MOST_REPEAT: usize = 100;
/// The order is always the same: a console's sweep that is asked again is the same sweep.
pub const SEED: u64 = 1;

impl Wish {
    /// # Errors
    /// A word that is no KEY=LIST, a key or value that cannot be swept, a slice or repeat out of range; one sentence.
    pub fn sweep(open: &Document, text: &str) -> Result<Wish, String> {
        let (mut axes, mut slice_ns, mut repeat) = (Vec::new(), SLICE_NS, REPEAT);
        for word in text.split_whitespace() {
            let (key, list) = word.split_once('=').ok_or_else(|| {
                format!("{word}: KEY=LIST is wanted, as burst=1,2,4 or flow.udp.size=60,1514, or slice=500ms, repeat=3")
            })?;
            match key {
                "slice" => slice_ns = slice(list)?,
                "repeat" => repeat = repeats(list)?,
                _ => axes.push(Axis::parse(key, list).map_err(|why| format!("{key}: {why}"))?),
            }
        }
        let arms = Arms::of(open, axes).map_err(|bad| first_line(bad.message()))?;
        let order = rounds(arms.arms.len(), repeat, SEED).concat();
        Ok(Wish { question: Question::Sweep, arms, slice_ns, order, text: text.trim().to_owned() })
    }

    /// The burst series as far as the open queues have memory for it.
    ///
    /// # Errors
    /// A profile that has no burst to choose.
    pub fn tune(open: &Document, sent: &Document) -> Result<Wish, String> {
        const TUNE_SLICE_NS: u64 = 3 * TICK_NS;
        let most = u64::from((sent.profile().tx.ring / 2).max(1));
        let room = sent.profile().chunks_per_queue();
        let base = unlimited(open).map_err(|bad| first_line(bad.message()))?;
        let fits = |burst: &u64| {
            let mut document = base.clone();
            document.set("tx.burst", &burst.to_string()).is_ok() && document.profile().chunks_per_queue() <= room
        };
        let series: Vec<String> = (0..32)
            .map(|power| 1u64 << power)
            .take_while(|burst| *burst <= most)
            .filter(fits)
            .map(|b| b.to_string())
            .collect();
        let text = format!("burst={}", series.join(","));
        let wish = Wish::sweep(open, &text)?;
        Ok(Wish { question: Question::Tune, slice_ns: TUNE_SLICE_NS, ..wish })
    }

    pub fn name(&self) -> &'static str {
        if self.question == Question::Tune { "tune" } else { "sweep" }
    }

    /// How long it will take: readings come a tick apart, and a settled one is waited for.
    pub fn predicted_ns(&self) -> u64 {
        let reopening = if self.arms.is_live { 0 } else { REOPEN_NS };
        let each = self.slice_ns.next_multiple_of(TICK_NS) + SETTLE_NS + TICK_NS + reopening;
        each.saturating_mul(self.order.len() as u64)
    }

    /// `6 settings, 18 slices of 500ms: about 12.6 s`.
    pub fn forecast(&self) -> String {
        let (settings, slices, seconds) = (self.arms.arms.len(), self.order.len(), self.predicted_ns() as f64 / 1e9);
        let reopening = if self.arms.is_live { "" } else { ", queues opened anew for each" };
        format!(
            "{settings} settings, {slices} slices of {}{reopening}: about {seconds:.1} s",
            duration::show_ns(self.slice_ns)
        )
    }
}

fn slice(text: &str) -> Result<u64, String> {
    let ns = duration::parse_ns(text).map_err(|why| format!("slice: {why}"))?;
    match (TICK_NS..=MOST_SLICE_NS).contains(&ns) {
        true => Ok(ns),
        false => Err(format!("slice={text}: 100ms to 60s")),
    }
}

fn repeats(text: &str) -> Result<usize, String> {
    let repeat = text.parse().ok().filter(|repeat| (1..=MOST_REPEAT).contains(repeat));
    repeat.ok_or_else(|| format!("repeat={text}: 1..{MOST_REPEAT}"))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::shipped;

    fn open() -> Document {
        let text = shipped().iter().find(|(name, _)| *name == "udp-64").map(|(_, text)| *text).expect("it is shipped");
        Document::parse("udp-64", text).expect("valid")
    }

    #[test]
    fn a_line_becomes_slices_with_a_forecast() {
        let wish = Wish::sweep(&open(), "burst=1,2,4,8,16,32 slice=500ms repeat=3").unwrap();
        assert_eq!((wish.arms.arms.len(), wish.order.len(), wish.arms.is_live), (6, 18, true));
        assert_eq!(wish.forecast(), "6 settings, 18 slices of 500ms: about 12.6 s");
        let wish = Wish::sweep(&open(), "ring=1024,2048 repeat=1").unwrap();
        assert!(wish.forecast().contains("opened anew"), "{}", wish.forecast());
    }

    #[test]
    fn what_is_no_sweep_is_told() {
        for (line, words) in [
            ("", "nothing varies"),
            ("burst", "KEY=LIST"),
            ("burst=", "empty"),
            ("brst=1", "Did you mean"),
            ("mode=auto,copy", "numbers"),
            ("burst=1,5000", "ring"),
            ("burst=1 slice=0", "100ms"),
            ("burst=1 slice=ten", "duration"),
            ("burst=1 repeat=0", "1..100"),
        ] {
            let told = Wish::sweep(&open(), line).unwrap_err();
            assert!(told.contains(words), "{line}: {told}");
        }
    }

    #[test]
    fn a_tuning_stays_within_the_open_queues() {
        let sent = open();
        let wish = Wish::tune(&sent, &sent).unwrap();
        let bursts: Vec<u32> = wish.arms.arms.iter().map(|arm| arm.document.profile().tx.burst).collect();
        assert_eq!(bursts.first(), Some(&1));
        assert!(bursts.len() > 6 && wish.arms.is_live);
        let room = sent.profile().chunks_per_queue();
        assert!(wish.arms.arms.iter().all(|arm| arm.document.profile().chunks_per_queue() <= room), "{bursts:?}");
    }
}
