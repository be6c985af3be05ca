//! Writing a frame never allocates: counted with a global allocator, so this test has a binary of its own.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use txdeck::profile::{Flow, Ip, Ipv4, Ipv6, Mac, Order, Payload, Udp};

#[path = "packet/build.rs"]
mod build;

use build::{fixed, frame, list, random, raw_flow, stamp, sweep, udp, v4, v4_flow, v6, v6_flow, vlan};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged; the counter is a thread-local without a destructor
// and never allocates itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

/// Flows that together use every kind of value, patch and payload.
fn flows() -> Vec<Flow> {
    let mut tagged = raw_flow();
    tagged.vlan = vec![vlan(list(&[1, 2, 3]))];
    tagged.eth.src = Mac::Is(random(0, 0xffff_ffff_ffff));
    let wide = Ip::V6(Ipv6 { src: sweep(0, u128::MAX, 1 << 63), dst: random(0, u128::MAX), ..v6() });
    let many = Ip::V4(Ipv4 { dst: sweep(1, 1000, 3), ttl: list(&[1, 2]), dscp: sweep(0, 63, 1), ..v4() });
    vec![
        tagged,
        v4_flow(),
        Flow { ip: Some(wide), ..v6_flow() },
        Flow { ip: Some(many), order: Order::Nested, ..v4_flow() },
        Flow { size: random(60, 1514), payload: Payload::Pattern(vec![1, 2, 3]), ..v4_flow() },
        Flow { udp: Some(Udp { src: random(0, 65535), ..udp() }), size: fixed(1514), ..v4_flow() },
    ]
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(Box::new(7)));
    assert_eq!(allocations(), before + 1);
}

#[test]
fn writing_never_allocates() {
    for flow in flows() {
        let frame = frame(flow);
        let (mut memory, mut held) = (vec![0; frame.max_len()], 0);
        let before = allocations();
        for k in 0..1000 {
            frame.write(&mut memory, &mut held, &stamp(k));
            std::hint::black_box(frame.len(k));
        }
        assert_eq!(allocations(), before);
    }
}
