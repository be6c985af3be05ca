//! Opening a site's queues and seating one sender on each.

use std::sync::Arc;

use crate::{
    engine::{Fleet, Seat},
    nic::{
        Limits, Nic, OpenError, SimNic, XdpNic,
        sim::SimConfig,
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

/// Fewest packet memories a queue gets unless the profile says otherwise.
const LEAST_CHUNKS: u32 = 512;

/// A fleet whose senders wait for the release.
pub struct Opened {
    pub fleet: Fleet,
    pub limits: Limits,
    /// Fallbacks taken at open, in whole sentences.
    pub notices: Vec<String>,
}

/// Opens every queue of the plan and starts its senders. `cpus`: one a queue.
pub fn fleet(site: &Site, profile: &Profile, plan: Arc<Plan>, cpus: &[Option<u32>]) -> Result<Opened, Failure> {
    let queues = || plan.queues.iter().copied().zip(cpus.iter().copied());
    let mut notices = Vec::new();
    if site.is_sim() {
        let open = |(queue, cpu)| Ok(Seat { nic: SimNic::open(simulated(profile, queue)).map_err(told)?, queue, cpu });
        let seats = queues().map(open).collect::<Result<Vec<_>, Failure>>()?;
        return start(seats, plan, notices);
    }
    let mut seats = Vec::new();
    for (queue, cpu) in queues() {
        let nic = XdpNic::open(&config(site, profile, queue)).map_err(told)?;
        notices.extend_from_slice(nic.notices());
        seats.push(Seat { nic, queue, cpu });
    }
    start(seats, plan, notices)
}

fn start<N: Nic + Send + 'static>(
    seats: Vec<Seat<N>>,
    plan: Arc<Plan>,
    notices: Vec<String>,
) -> Result<Opened, Failure> {
    let no_queues = || Failure::new("no_queues", "tx.queues: empty, so nothing would send");
    let limits = seats.first().map(|seat| seat.nic.limits()).ok_or_else(no_queues)?;
    if plan.max_len() > limits.max_len {
        let (len, most) = (plan.max_len(), limits.max_len);
        let message = format!("a frame of {len} bytes does not fit into one packet memory, which holds {most}");
        return Err(Failure::new("too_long", message).with_fix("Use tx.chunk_bytes = 4096 for up to 3840 bytes"));
    }
    let fleet = Fleet::start(seats, plan, MonotonicClock);
    let fleet = fleet.map_err(|why| Failure::new("no_thread", format!("a sender's thread did not start: {why}")))?;
    Ok(Opened { fleet, limits, notices })
}

fn chunks(profile: &Profile) -> u32 {
    profile.tx.chunks.unwrap_or_else(|| LEAST_CHUNKS.max(profile.tx.burst.saturating_mul(2)))
}

/// A device that somebody's connections run over keeps its receive side: there, zero-copy must be armed *and* spelt out.
fn receive_side(standing: Standing, mode: profile::Mode) -> ReceiveSide {
    match (standing, mode) {
        (Standing::Free, _) | (Standing::Armed, profile::Mode::ZeroCopy) => ReceiveSide::MayTake,
        (Standing::Armed, profile::Mode::Auto | profile::Mode::Copy) => ReceiveSide::Keep,
    }
}

fn config(site: &Site, profile: &Profile, queue: u32) -> XdpConfig {
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
        ring: tx.ring,
        chunks: chunks(profile),
        chunk_bytes: tx.chunk_bytes,
        pages: if tx.huge_pages { Pages::Huge } else { Pages::Normal },
        queues: site.queues(),
        driver: link.and_then(|link| link.driver.clone()),
        ..XdpConfig::new(&site.device, queue)
    }
}

fn simulated(profile: &Profile, queue: u32) -> SimConfig {
    let tx = &profile.tx;
    SimConfig {
        queue,
        ring: tx.ring,
        chunks: chunks(profile),
        chunk_bytes: tx.chunk_bytes,
        max_len: tx.chunk_bytes,
        seed: tx.seed,
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
