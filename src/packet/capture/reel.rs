//! The frames of a capture as one flow sends them: build `k` is frame `k` modulo their number, due at its record's
//! instant.

use std::{ops::Range, sync::Arc};

use super::{judge::Terms, keep::Capture};

/// Longer gaps are waited for as long as this: a clock that was set in the middle must not stop a replay for years.
pub const LONGEST_GAP_NS: u64 = 3_600_000_000_000;
/// From one pass to the next where the capture has no time in it.
const EMPTY_PASS_NS: u64 = 1_000_000_000;

#[derive(Debug, Clone, Copy)]
struct Shot {
    /// Since the first, at the speed asked for.
    at_ns: u64,
    start: usize,
    stored: u16,
    len: u16,
}

/// Frames to send, in order, again and again.
#[derive(Debug)]
pub struct Reel {
    capture: Arc<Capture>,
    shots: Box<[Shot]>,
    /// From the first frame of one pass to the first of the next.
    pass_ns: u64,
    shortest: usize,
    longest: usize,
    mean: f64,
}

impl Reel {
    /// `None`: no record of the capture can be sent on these terms. `speed` 2 is twice as fast.
    pub fn new(capture: &Arc<Capture>, terms: &Terms, speed: f64) -> Option<Reel> {
        let mut shots: Vec<Shot> = Vec::with_capacity(capture.records.len());
        let (mut before_ns, mut since_ns, mut first_ns) = (None, 0u64, None);
        for ((record, has_fcs), kept) in capture.each().zip(&capture.records) {
            let gap_ns = record.at_ns.saturating_sub(before_ns.replace(record.at_ns).unwrap_or(record.at_ns));
            since_ns = since_ns.saturating_add(gap_ns.min(LONGEST_GAP_NS));
            let Some(fit) = terms.judge(&record, has_fcs).fit else { continue };
            let at_ns = scaled(since_ns - *first_ns.get_or_insert(since_ns), speed);
            shots.push(Shot { at_ns, start: kept.start, stored: fit.stored as u16, len: fit.len as u16 });
        }
        let lens = || shots.iter().map(|shot| usize::from(shot.len));
        let (shortest, longest) = (lens().min()?, lens().max()?);
        let mean = lens().sum::<usize>() as f64 / shots.len() as f64;
        let last_ns = shots.last().map_or(0, |shot| shot.at_ns);
        Some(Reel {
            capture: Arc::clone(capture),
            pass_ns: pass_ns(last_ns, shots.len()),
            shots: shots.into(),
            shortest,
            longest,
            mean,
        })
    }

    /// Frames of one pass, at least 1.
    pub fn frames(&self) -> u64 {
        self.shots.len() as u64
    }

    pub fn pass_ns(&self) -> u64 {
        self.pass_ns
    }

    pub(in crate::packet) fn shortest(&self) -> usize {
        self.shortest
    }

    pub(in crate::packet) fn longest(&self) -> usize {
        self.longest
    }

    pub(in crate::packet) fn mean(&self) -> f64 {
        self.mean
    }

    #[inline]
    fn shot(&self, k: u64) -> &Shot {
        &self.shots[(k % self.shots.len() as u64) as usize]
    }

    /// Bytes of build `k`.
    #[inline]
    pub(in crate::packet) fn len(&self, k: u64) -> usize {
        usize::from(self.shot(k).len)
    }

    /// When build `k` is due, since build 0.
    #[inline]
    pub fn due_ns(&self, k: u64) -> u64 {
        (k / self.shots.len() as u64).saturating_mul(self.pass_ns).saturating_add(self.shot(k).at_ns)
    }

    /// How many builds are due by an instant, since build 0.
    pub fn due_by(&self, since_ns: u64) -> u64 {
        let (passes, rest_ns) = (since_ns / self.pass_ns, since_ns % self.pass_ns);
        passes.saturating_mul(self.frames()) + self.shots.partition_point(|shot| shot.at_ns <= rest_ns) as u64
    }

    /// Writes build `k` into `out[..len(k)]`.
    #[inline]
    pub(in crate::packet) fn write(&self, out: &mut [u8], k: u64) {
        let Shot { start, stored, len, .. } = *self.shot(k);
        let (stored, len) = (usize::from(stored), usize::from(len));
        out[..stored].copy_from_slice(&self.capture.bytes[start..start + stored]);
        out[stored..len].fill(0);
    }

    /// The bytes that are not the same in every frame, as far as the shortest goes.
    pub(in crate::packet) fn varying(&self) -> Vec<Range<usize>> {
        let mut first = vec![0; self.longest];
        self.write(&mut first, 0);
        let mut varies = vec![false; self.shortest];
        let mut same = varies.len();
        let mut frame = vec![0; self.longest];
        for k in 1..self.frames() {
            if same == 0 {
                break;
            }
            self.write(&mut frame, k);
            for ((varies, byte), first) in varies.iter_mut().zip(&frame).zip(&first) {
                same -= usize::from(!*varies && byte != first);
                *varies |= byte != first;
            }
        }
        let mut ranges: Vec<Range<usize>> =
            varies.iter().enumerate().filter(|(_, varies)| **varies).map(|(at, _)| at..at + 1).collect();
        if self.longest > self.shortest {
            ranges.push(self.shortest..self.longest);
        }
        ranges
    }
}

fn scaled(ns: u64, speed: f64) -> u64 {
    if speed == 1.0 { ns } else { (ns as f64 / speed) as u64 }
}

/// The gap from the last frame of a pass to the first of the next is the mean gap of a pass, so that the mean rate
/// stays; a capture without any time in it comes again each second.
fn pass_ns(last_ns: u64, frames: usize) -> u64 {
    match last_ns.checked_div(frames as u64 - 1) {
        None | Some(0) => last_ns.saturating_add(EMPTY_PASS_NS),
        Some(mean_ns) => last_ns.saturating_add(mean_ns),
    }
}
