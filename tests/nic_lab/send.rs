//! Sends through any nic and checks the laws at every step.
#![allow(dead_code)] // each test binary uses its part

use crate::nic_lab::Wait;
use txdeck::nic::{Nic, NicError};

/// What to send.
#[derive(Debug, Clone, Copy)]
pub struct Order {
    /// Packets in all, copies included.
    pub count: u32,
    /// Sends per built packet; at least 1.
    pub clone: u32,
    pub burst: u32,
    pub len: usize,
}

impl Order {
    pub fn new(count: u32) -> Self {
        Self { count, clone: 1, burst: 32, len: 60 }
    }
}

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub submitted: u32,
    pub completed: u32,
    /// 0 as well where the nic cannot tell.
    pub dropped: u32,
    pub invalid: u32,
    pub kicks: u32,
    pub abandoned: u32,
    pub end: Option<NicError>,
}

impl Tally {
    pub fn left(&self) -> u32 {
        self.completed - self.dropped - self.invalid
    }
}

/// The frame number `build`: an Ethernet header of the test's own, then the number and a pattern made of it.
pub fn frame(build: u32, len: usize) -> Vec<u8> {
    let header = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5];
    let pattern = (0u32..).map(|at| build.wrapping_mul(31).wrapping_add(at) as u8);
    let body = build.to_be_bytes().into_iter().chain(pattern);
    header.into_iter().chain(body).take(len).collect()
}

/// Every frame of an order as it should leave, in order.
pub fn frames_of(order: Order) -> Vec<Vec<u8>> {
    (0..order.count).map(|packet| frame(packet / order.clone, order.len)).collect()
}

/// One doorbell, with the laws that hold at each.
pub fn ring(nic: &mut impl Nic, clock: &impl Wait, tally: &mut Tally) {
    match nic.ring(clock) {
        Ok(rung) => {
            tally.completed += rung.completed;
            tally.dropped += rung.dropped.unwrap_or(0);
            tally.invalid += rung.invalid;
            tally.kicks += rung.kicks;
            assert_eq!(rung.dropped.is_some(), nic.limits().counts_drops, "drops are known or not, as told at open");
            clock.wait(&rung);
        }
        Err(end) => tally.end = Some(end),
    }
    assert!(tally.completed <= tally.submitted, "completed <= queued: {tally:?}");
    assert_eq!(tally.submitted - tally.completed, nic.in_flight(), "what is not completed is in flight: {tally:?}");
    let (total, free) = nic.frames();
    assert!(free <= total);
    assert!(total - free <= nic.in_flight() + 1, "a memory in use is open or in flight");
}

/// Sends the order, then drains for at most `drain_rings` doorbells, then gives up what is left.
pub fn send(nic: &mut impl Nic, clock: &impl Wait, order: Order, drain_rings: u32) -> Tally {
    let mut tally = Tally::default();
    let limits = nic.limits();
    let mut idle = 0;
    for build in 0..order.count.div_ceil(order.clone) {
        let bytes = frame(build, order.len);
        let packet = loop {
            if let Some(packet) = nic.build(order.len, |memory, _| memory.copy_from_slice(&bytes)) {
                break Some(packet);
            }
            idle += 1;
            ring(nic, clock, &mut tally);
            if tally.end.is_some() || idle > 10_000_000 {
                break None;
            }
        };
        let Some(packet) = packet else { break };
        let mut copies = order.clone.min(order.count - build * order.clone);
        while copies > 0 && tally.end.is_none() && idle < 10_000_000 {
            let asked = copies.min(order.burst - tally.submitted % order.burst);
            let fitted = nic.queue(&packet, asked);
            assert!(fitted <= asked, "queued <= asked");
            tally.submitted += fitted;
            assert!(nic.in_flight() <= limits.max_in_flight, "in flight <= the limit told at open");
            copies -= fitted;
            idle += u32::from(fitted == 0);
            if fitted == 0 || tally.submitted.is_multiple_of(order.burst) {
                ring(nic, clock, &mut tally);
            }
        }
        nic.release(packet);
    }
    drain(nic, clock, drain_rings, &mut tally);
    tally
}

/// Rings until nothing is in flight (and once more, which reads the refused descriptors), or gives up.
pub fn drain(nic: &mut impl Nic, clock: &impl Wait, rings: u32, tally: &mut Tally) {
    for _ in 0..rings {
        if nic.in_flight() == 0 || tally.end.is_some() {
            break;
        }
        ring(nic, clock, tally);
    }
    if tally.end.is_none() {
        ring(nic, clock, tally);
    }
    if let Some(end) = tally.end.clone() {
        check_failure_is_final(nic, clock, &end);
    }
    if nic.in_flight() > 0 {
        tally.abandoned = nic.abandon();
    }
    assert_eq!(nic.in_flight(), 0, "nothing is in flight after a drain");
    assert_eq!(tally.submitted, tally.completed + tally.abandoned, "every packet is accounted for: {tally:?}");
    let (total, free) = nic.frames();
    assert_eq!(total, free, "every memory is back: {tally:?}");
}

fn check_failure_is_final(nic: &mut impl Nic, clock: &impl Wait, end: &NicError) {
    for _ in 0..3 {
        assert_eq!(nic.ring(clock).as_ref().err(), Some(end), "failure is final");
        assert!(nic.build(60, |_, _| ()).is_none(), "nothing is built after a failure");
    }
}
