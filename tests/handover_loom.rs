//! The hand-over of orders under every interleaving that loom can find: what the controller frees no sender touches,
//! and the last orders given are the last ones taken.

#![allow(clippy::arc_with_non_send_sync, reason = "loom's threads take turns on one")]

/// The atomics that `handover.rs` takes from its parent: here loom's.
mod atomic {
    pub use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
}
/// The place of the present orders: loom knows no `ArcSwap`, and a mutex keeps what that promises.
mod slot {
    use loom::sync::Mutex;
    use std::sync::Arc;

    pub struct Slot<T>(Mutex<Arc<T>>);

    impl<T> Slot<T> {
        pub fn new(value: Arc<T>) -> Self {
            Self(Mutex::new(value))
        }

        pub fn swap(&self, value: Arc<T>) -> Arc<T> {
            std::mem::replace(&mut self.0.lock().unwrap(), value)
        }

        pub fn load_full(&self) -> Arc<T> {
            Arc::clone(&self.0.lock().unwrap())
        }
    }
}
// The stop word is a lone flag: nothing to model.
#[allow(dead_code)]
#[path = "../src/engine/handover.rs"]
mod handover;

use std::sync::Arc;

use handover::Handover;
use loom::{cell::UnsafeCell, thread};

const FREED: u32 = u32::MAX;

/// Orders whose every reading and freeing loom watches.
struct Watched(UnsafeCell<u32>);

impl Watched {
    fn new(number: u32) -> Arc<Watched> {
        Arc::new(Watched(UnsafeCell::new(number)))
    }

    fn read(&self) -> u32 {
        // SAFETY: loom panics where a write may go on meanwhile; that is what is tested.
        self.0.with(|number| unsafe { *number })
    }

    fn free(&self) {
        // SAFETY: as in `read`.
        self.0.with_mut(|number| unsafe { *number = FREED });
    }
}

/// What a sender's turns do with the hand-over.
fn turn(handover: &Handover<Watched>, held: &mut Arc<Watched>, generation: &mut u64) {
    if handover.generation() != *generation {
        (*held, *generation) = handover.take();
        handover.confirm(*generation);
    }
    assert_ne!(held.read(), FREED, "the sender reads orders that were freed");
}

#[test]
fn what_is_freed_is_not_held_and_the_last_orders_arrive() {
    loom::model(|| {
        let handover = Arc::new(Handover::new(Watched::new(0)));
        let other = Arc::clone(&handover);
        let sender = thread::spawn(move || {
            let (mut held, mut generation) = other.take();
            other.confirm(generation);
            turn(&other, &mut held, &mut generation);
            turn(&other, &mut held, &mut generation);
            (held, generation)
        });
        let mut retired = Vec::new();
        for number in [1, 2] {
            retired.push(handover.give(Watched::new(number)));
            retired.retain(|(old, generation)| {
                let is_let_go = handover.taken() >= *generation;
                if is_let_go {
                    old.free();
                }
                !is_let_go
            });
        }
        let (mut held, mut generation) = sender.join().unwrap();
        turn(&handover, &mut held, &mut generation);
        assert_eq!((held.read(), generation, handover.taken()), (2, 2, 2));
    });
}

#[test]
fn what_was_written_before_the_release_is_seen_after_it() {
    loom::model(|| {
        let handover = Arc::new(Handover::new(Watched::new(0)));
        let prepared = Watched::new(0);
        let (other, ready) = (Arc::clone(&handover), Arc::clone(&prepared));
        let sender = thread::spawn(move || {
            if other.release_ns() != 0 {
                assert_eq!(ready.read(), FREED, "released, and what was prepared is not seen");
            }
        });
        prepared.free();
        handover.release(1);
        sender.join().unwrap();
    });
}
