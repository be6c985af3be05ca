//! Opening a site's queues and seating one sender on each.

use std::{
    io,
    sync::{Arc, mpsc},
};

use crate::{
    engine::{Fleet, Seat, StartError},
    nic::{
        Cause, Limits, Nic, OpenError, Right, SimNic, XdpNic, cpus,
        sim::{Character, SimConfig},
        xdp::{Mode, Pages, ReceiveSide, XdpConfig},
    },
    packet::Plan,
    profile::{self, Profile},
    shell::{
        clock::MonotonicClock,
        failure::Failure,
        site::{Site, Standing},
    },
};

/// Packets of one kick in copy mode (net/xdp/xsk.c, TX_BATCH_SIZE).
const KERNEL_BUDGET: u32 = 32;

/// A fleet whose senders wait for the release.
pub struct Opened {
    pub fleet: Fleet,
    pub limits: Limits,
    /// Fallbacks taken at open, in whole sentences.
    pub notices: Vec<String>,
}

/// Opens every queue of the plan and starts its senders. `cpus`: one a queue.
pub fn fleet(site: &Site, profile: &Profile, plan: Arc<Plan>, cpus: &[Option<u32>]) -> Result<Opened, Failure> {
    let parts = parts(profile, &plan);
    let queues = || plan.queues.iter().copied().zip(cpus.iter().copied());
    if site.is_sim() {
        let seat = |(queue, cpu)| {
            let (config, priority) = (simulated(profile, parts, queue), profile.tx.priority);
            let open = move || {
                rise(&config.device, queue, priority)?;
                SimNic::open(config)
            };
            Seat { open, queue, cpu }
        };
        return start(queues().map(seat).collect(), Arc::clone(&plan));
    }
    let (tell, heard) = mpsc::channel();
    let seat = |(queue, cpu)| {
        let (config, priority, tell) = (config(site, profile, parts, queue), profile.tx.priority, tell.clone());
        let open = move || {
            rise(&config.device, queue, priority)?;
            let nic = XdpNic::open(&config)?;
            // The other end lives until all are open.
            nic.notices().iter().for_each(|notice| drop(tell.send(notice.clone())));
            Ok(nic)
        };
        Seat { open, queue, cpu }
    };
    let mut opened = start(queues().map(seat).collect(), Arc::clone(&plan))?;
    opened.notices.extend(heard.try_iter());
    Ok(opened)
}

fn start<O, N>(seats: Vec<Seat<O>>, plan: Arc<Plan>) -> Result<Opened, Failure>
where
    O: FnOnce() -> Result<N, OpenError> + Send + 'static,
    N: Nic,
{
    let longest = plan.max_len();
    let fleet = Fleet::start(seats, plan, MonotonicClock).map_err(|why| match why {
        StartError::Open(why) => told(why),
        StartError::Thread(why) => Failure::new("no_thread", format!("a sender's thread did not start: {why}")),
    })?;
    let no_queues = || Failure::new("no_queues", "tx.queues: empty, so nothing would send");
    let limits = fleet.limits().cloned().ok_or_else(no_queues)?;
    if longest > limits.max_len {
        fleet.stop();
        fleet.finish();
        let most = limits.max_len;
        let message = format!("a frame of {longest} bytes does not fit into one packet memory, which holds {most}");
        return Err(Failure::new("too_long", message).with_fix("Start again: queues are opened for the longest frame"));
    }
    Ok(Opened { fleet, limits, notices: Vec::new() })
}

/// The sender's thread takes its priority before it gives its rights up.
fn rise(device: &str, queue: u32, priority: u32) -> Result<(), OpenError> {
    if priority == 0 {
        return Ok(());
    }
    cpus::raise_this_thread(priority).map_err(|why| {
        let errno = why.raw_os_error().unwrap_or(0);
        let cause = match why.kind() {
            io::ErrorKind::PermissionDenied => Cause::NoRight(Right::Priority),
            _ => Cause::Refused { step: "setting the priority (tx.priority)" },
        };
        OpenError { device: device.to_owned(), queue, cause, errno }
    })
}

/// A device that somebody's connections run over keeps its receive side: there, zero-copy must be armed *and* spelt out.
fn receive_side(standing: Standing, mode: profile::Mode) -> ReceiveSide {
    match (standing, mode) {
        (Standing::Free, _) | (Standing::Armed, profile::Mode::ZeroCopy) => ReceiveSide::MayTake,
        (Standing::Armed, profile::Mode::Auto | profile::Mode::Copy) => ReceiveSide::Keep,
    }
}

/// Chunks that one packet needs: what the profile asks for, or the longest record of a capture.
fn parts(profile: &Profile, plan: &Plan) -> u32 {
    profile.chunks_per_packet().max(profile.tx.parts(plan.max_len() as u128))
}

fn config(site: &Site, profile: &Profile, parts: u32, queue: u32) -> XdpConfig {
    let (tx, link) = (&profile.tx, site.link());
    XdpConfig {
        ifindex: link.map_or(0, |link| link.index),
        mode: match tx.mode {
            profile::Mode::Auto => Mode::Auto,
            profile::Mode::Copy => Mode::Copy,
            profile::Mode::ZeroCopy => Mode::ZeroCopy,
        },
        receive_side: receive_side(site.standing(), tx.mode),
        need_wakeup: tx.need_wakeup,
        busy_poll_us: (tx.busy_poll_ns > 0).then(|| u32::try_from(tx.busy_poll_ns / 1000).unwrap_or(u32::MAX)),
        skb_budget: tx.skb_budget,
        ring: tx.ring,
        chunks: tx.chunks_for(parts),
        chunk_bytes: tx.chunk_bytes,
        parts,
        pages: if tx.huge_pages { Pages::Huge } else { Pages::Normal },
        queues: site.queues(),
        driver: link.and_then(|link| link.driver.clone()),
        ..XdpConfig::new(&site.device, queue)
    }
}

fn simulated(profile: &Profile, parts: u32, queue: u32) -> SimConfig {
    let tx = &profile.tx;
    SimConfig {
        queue,
        ring: tx.ring,
        chunks: tx.chunks_for(parts),
        chunk_bytes: tx.chunk_bytes,
        parts,
        max_len: parts * tx.chunk_bytes - 256,
        seed: tx.seed,
        character: Character::Copy { budget: tx.skb_budget.unwrap_or(KERNEL_BUDGET) },
        ..SimConfig::default()
    }
}

fn told(why: OpenError) -> Failure {
    Failure::told(why.code(), &why.to_string(), &why.fix())
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::Mode::{Auto, Copy, ZeroCopy};

    #[test]
    fn an_armed_device_gives_its_receive_side_away_only_when_the_profile_says_so() {
        for mode in [Auto, Copy, ZeroCopy] {
            assert_eq!(receive_side(Standing::Free, mode), ReceiveSide::MayTake, "{mode:?}");
        }
        assert_eq!(receive_side(Standing::Armed, Auto), ReceiveSide::Keep);
        assert_eq!(receive_side(Standing::Armed, Copy), ReceiveSide::Keep);
        assert_eq!(receive_side(Standing::Armed, ZeroCopy), ReceiveSide::MayTake);
    }
}
