//! From a lane to packets in the nic's memory: what runs for every packet that is built.

use crate::{
    engine::lane::Lane,
    nic::Nic,
    packet::{Frame, Plan, Row, StampTime},
    stats::Counts,
};

/// Builds the lane's next packet. `false`: no memory is free.
#[inline]
pub fn open<N: Nic>(nic: &mut N, lane: &mut Lane, frame: &Frame, time: StampTime) -> bool {
    let stamp = lane.stamp(0, time);
    match nic.build(lane.len, |memory, held| frame.write(memory, held, &stamp)) {
        Some(packet) => {
            lane.opened(packet);
            true
        }
        None => false,
    }
}

/// Queues packets that are all built anew; returns how many of `wanted` could be.
#[inline]
pub fn emit_once<N: Nic>(
    nic: &mut N,
    counts: &mut Counts,
    lane: &mut Lane,
    plan: &Plan,
    wanted: u32,
    time: StampTime,
) -> u32 {
    let frame = &plan.flows[lane.flow].frame;
    let mut queued = 0;
    while queued < wanted {
        // Frames of one length go in one call.
        let run = if lane.fixed_len.is_some() { wanted - queued } else { 1 };
        let len = lane.len;
        let sent = match frame.row(&lane.stamp(0, time), lane.step_k()) {
            Some(row) => send_row(nic, &row, run, len),
            None => {
                let write = |nth, memory: &mut [u8], held: &mut u64| frame.write(memory, held, &lane.stamp(nth, time));
                nic.send(run, len, write, |_, _| ())
            }
        };
        lane.sent(sent, plan);
        counts.submitted_bytes += u64::from(sent) * len as u64;
        queued += sent;
        if sent < run {
            counts.no_frames += 1;
            break;
        }
    }
    counts.built += u64::from(queued);
    queued
}

/// A function of its own, so that its loops have all registers to themselves.
#[inline(never)]
fn send_row<N: Nic>(nic: &mut N, row: &Row, run: u32, len: usize) -> u32 {
    nic.send(run, len, |_, memory, held| row.begin(memory, held), |first, memories| row.finish(first, memories))
}
