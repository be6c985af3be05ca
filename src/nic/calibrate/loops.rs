//! The loops that are timed. Each is a function of its own under its own name, so that a disassembly shows whether
//! it holds what it should. On x86-64: `incq (%rdi)`, the same with `lock`, a `movq` and a `lock orl` on the stack (what the
//! compiler makes of a full fence), the call through the vDSO, `syscall`, each sixteen times.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering, fence},
};

use crate::nic::{Clock, XdpNic};

/// Operations a turn of a loop: its own counting then weighs a sixteenth.
pub(super) const UNROLLED: u32 = 16;

/// The operation, [`UNROLLED`] times.
macro_rules! unrolled {
    ($operation:expr) => {{
        unrolled!(@four unrolled!(@four $operation));
    }};
    (@four $operation:expr) => {{
        $operation;
        $operation;
        $operation;
        $operation;
    }};
}

#[inline(never)]
pub(super) fn empty(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}

/// A counter with one writer.
#[inline(never)]
pub(super) fn load_store(word: &AtomicU64, turns: u32) {
    for turn in 0..turns {
        black_box(turn);
        unrolled!(word.store(word.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed));
    }
}

/// A counter with several writers; here it has one, so its line is never away.
#[inline(never)]
pub(super) fn locked_add(word: &AtomicU64, turns: u32) {
    for turn in 0..turns {
        black_box(turn);
        unrolled!(word.fetch_add(1, Ordering::Relaxed));
    }
}

/// A store that has to be seen before anything goes on. With nothing in between, fences in a row would be one.
#[inline(never)]
pub(super) fn barrier(word: &AtomicU64, turns: u32) {
    for turn in 0..turns {
        black_box(turn);
        unrolled!({
            word.store(turn.into(), Ordering::Relaxed);
            fence(Ordering::SeqCst);
        });
    }
}

#[inline(never)]
pub(super) fn clock_read(clock: &impl Clock, turns: u32) {
    for turn in 0..turns {
        black_box(turn);
        unrolled!(black_box(clock.now_ns()));
    }
}

/// A call into the kernel that finds nothing to do there.
#[inline(never)]
pub(super) fn system_call(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
        unrolled!(black_box(rustix::process::getppid()));
    }
}

/// Wake-ups of a queue with nothing in it; answers the last errno that was not 0.
#[inline(never)]
pub(super) fn kick(nic: &XdpNic, turns: u32) -> i32 {
    let mut errno = 0;
    for turn in 0..turns {
        black_box(turn);
        unrolled!(match nic.empty_kick() {
            0 => {}
            refused => errno = refused,
        });
    }
    errno
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_sixteen_operations() {
        let word = AtomicU64::new(0);
        load_store(&word, 3);
        assert_eq!(word.load(Ordering::Relaxed), u64::from(3 * UNROLLED));
        locked_add(&word, 5);
        assert_eq!(word.load(Ordering::Relaxed), u64::from(8 * UNROLLED));
    }
}
