//! A turn allocates nothing and frees nothing, whatever it sends: counted with a global allocator, so this test has
//! a binary of its own. A plan swap may allocate, but frees nothing: old plans go back to the controller.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

#[path = "engine/bench.rs"]
#[allow(dead_code)]
mod bench;

use bench::{Bench, START, one_flow, plan};
use txdeck::nic::{
    Clock,
    sim::{Character, SimConfig},
};

thread_local! {
    static CALLS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged; the counter is a thread-local without a destructor
// and never allocates itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.with(|calls| calls.set((calls.get().0 + 1, calls.get().1)));
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        CALLS.with(|calls| calls.set((calls.get().0, calls.get().1 + 1)));
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// (allocations, frees) of this thread while `run` ran.
fn calls_in(run: impl FnOnce()) -> (u64, u64) {
    let before = CALLS.with(Cell::get);
    run();
    let after = CALLS.with(Cell::get);
    (after.0 - before.0, after.1 - before.1)
}

/// A bench without a recording, some turns into its run.
fn warm(text: &str, character: Character) -> Bench {
    let mut bench = Bench::with(text, |config| SimConfig { recording: None, character, ..config });
    bench.run_until(START + 1_000_000);
    bench
}

fn turns(bench: &mut Bench, turns: u32) {
    for _ in 0..turns {
        let _ = bench.senders[0].turn(&bench.clock);
        bench.clock.advance(500);
    }
}

#[test]
fn a_turn_neither_allocates_nor_frees() {
    let profiles = [
        one_flow("burst = 32", ""),
        one_flow("burst = 32\nclone = 7", ""),
        one_flow("rate = 1000000\nburst = 8", "size = { from = 60, to = 1000 }"),
        one_flow(
            "burst = 16",
            "weight = 3\n[[flow]]\nname = \"b\"\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}",
        ),
    ];
    for character in [Character::Copy { budget: 32 }, Character::ZeroCopy { clump: 16 }] {
        for text in &profiles {
            let mut bench = warm(text, character);
            let before = bench.senders[0].counts().submitted;
            assert_eq!(calls_in(|| turns(&mut bench, 20_000)), (0, 0), "{character:?}\n{text}");
            assert!(bench.senders[0].counts().submitted > before + 1000, "nothing was sent\n{text}");
        }
    }
}

#[test]
fn an_old_plan_is_never_freed_by_a_sender() {
    let mut bench = warm(&one_flow("burst = 32", ""), Character::Copy { budget: 32 });
    for burst in 1..40 {
        bench.desk.retune(plan(&one_flow(&format!("burst = {burst}"), "")));
        let (_, frees) = calls_in(|| turns(&mut bench, 4));
        assert_eq!(frees, 0, "burst {burst}");
        let now_ns = bench.clock.now_ns();
        assert!(now_ns > START);
    }
}
