//! A line that two CPUs write: the other one adds to it for as long as a batch takes.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use crossbeam_utils::CachePadded;

use crate::nic::{Clock, cpus};

use super::{
    Taken,
    loops::{self, UNROLLED},
};

/// With fewer additions than ours by this factor the other CPU was mostly away: nobody contended.
const LEAST_SHARE: u64 = 32;

/// What both threads tell each other, apart from the line that is measured.
#[derive(Default)]
struct Signals {
    is_ready: CachePadded<AtomicBool>,
    is_over: CachePadded<AtomicBool>,
}

pub(super) fn batch(clock: &impl Clock, word: &AtomicU64, other_cpu: u32, turns: u32) -> Taken {
    let signals = Signals::default();
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || contend(word, other_cpu, &signals));
        let other = match other {
            Ok(other) => other,
            Err(why) => return Taken::NotHere(format!("a second thread did not start: {why}")),
        };
        while !signals.is_ready.load(Ordering::Acquire) && !other.is_finished() {
            thread::yield_now();
        }
        let before = word.load(Ordering::Relaxed);
        let ns = super::took(clock, || loops::locked_add(word, turns));
        let all = word.load(Ordering::Relaxed).wrapping_sub(before);
        signals.is_over.store(true, Ordering::Relaxed);
        let ours = u64::from(turns) * u64::from(UNROLLED);
        match other.join() {
            Ok(Ok(())) if all.wrapping_sub(ours) * LEAST_SHARE >= ours => Taken::Ns(ns),
            Ok(Ok(())) => Taken::Spoilt,
            Ok(Err(why)) => Taken::NotHere(format!("CPU {other_cpu} is not to be had: {why}")),
            Err(_) => Taken::NotHere("a bug of txdeck's own ended the second thread".into()),
        }
    })
}

fn contend(word: &AtomicU64, cpu: u32, signals: &Signals) -> std::io::Result<()> {
    cpus::pin_this_thread(cpu)?;
    loops::locked_add(word, 1);
    signals.is_ready.store(true, Ordering::Release);
    while !signals.is_over.load(Ordering::Relaxed) {
        loops::locked_add(word, 1);
    }
    Ok(())
}
