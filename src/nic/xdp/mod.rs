//! The AF_XDP nic: one TX queue of one device, on xsk-rs, without any XDP program.

mod config;
mod library_log;
mod port;

use super::doorbell::{Doorbell, Kernel, Strokes, abandoned, distrusted, failure};
use super::frames::Frames;
use super::open_error::OpenError;
use super::{Clock, Limits, ModeGot, Nic, NicError, Packet, Rung};
pub use config::{Mode, Pages, ReceiveSide, XdpConfig};
pub use library_log::{LibraryLevel, set_library_log};
use port::Port;
use xsk_rs::FrameDesc;

/// Completions read per call of the library.
const REAP_BATCH: usize = 64;

/// One open AF_XDP queue.
pub struct XdpNic {
    /// `None` after [`Nic::abandon`]: nothing that was in flight can leave any more.
    port: Option<Port>,
    frames: Frames,
    doorbell: Doorbell,
    /// Queued and not yet handed over; never more than the ring holds.
    queued: Vec<FrameDesc>,
    completed: [FrameDesc; REAP_BATCH],
    chunk_shift: u32,
    limits: Limits,
    /// tx_invalid_descs as read last, and whether packets completed since.
    invalid_seen: u64,
    invalid_unread: bool,
    dead: Option<NicError>,
    notices: Vec<String>,
    device: String,
    queue: u32,
}

impl XdpNic {
    /// Opens the queue; tries for up to 1 s while it is busy.
    ///
    /// # Errors
    /// [`OpenError`]: what failed, on what, what is allowed and what to do.
    pub fn open(config: &XdpConfig) -> Result<Self, OpenError> {
        let port = Port::open(config)?;
        let huge_pages = port.pages == Pages::Huge;
        let mut notices = Vec::new();
        if config.pages == Pages::Huge && !huge_pages {
            notices.push(format!(
                "{} queue {}: no huge pages are reserved (vm.nr_hugepages), normal pages are used",
                config.device, config.queue
            ));
        }
        if port.zero_copy {
            notices.push(receive_side_notice(&config.device, config.queue));
        }
        let limits = Limits {
            max_len: (config.chunk_bytes - config::HEADROOM_BYTES) as usize,
            max_burst: config.ring,
            max_in_flight: config.ring,
            mode: ModeGot {
                copy: !port.zero_copy,
                zero_copy: port.zero_copy,
                need_wakeup: config.need_wakeup,
                ring: config.ring,
                huge_pages,
            },
            // In copy mode each EBUSY is one dropped packet, exactly; a zero-copy driver tells nobody.
            counts_drops: !port.zero_copy,
        };
        Ok(Self {
            frames: Frames::new(port.descs.len() as u32, config.ring),
            doorbell: Doorbell::default(),
            queued: Vec::with_capacity(config.ring as usize),
            completed: [FrameDesc::default(); REAP_BATCH],
            chunk_shift: config.chunk_bytes.trailing_zeros(),
            limits,
            invalid_seen: port.invalid_descs(),
            invalid_unread: false,
            dead: None,
            notices,
            device: config.device.clone(),
            queue: config.queue,
            port: Some(port),
        })
    }

    /// What was not as asked for, in whole sentences: fallbacks taken at open.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Hands the queued descriptors to the ring and kicks where that is useful.
    #[inline]
    fn strike(&mut self, clock: &impl Clock) -> Strokes {
        let Some(port) = &mut self.port else { return Strokes::default() };
        let anything_new = !self.queued.is_empty();
        if anything_new {
            // SAFETY: each descriptor came from this UMEM, and the memory it names is not written while it is out:
            // `Frames` frees it only after its last completion. The ring has room: it holds as many entries as
            // may be in flight.
            let taken = unsafe { port.tx.produce(&self.queued) };
            if taken == self.queued.len() {
                self.queued.clear();
            } else {
                self.queued.drain(..taken);
            }
        }
        // In copy mode a kick serves only what the kernel has not taken; a packet that the receiver still
        // holds completes by itself.
        let useful = if port.zero_copy { port.wants_kick() } else { anything_new || port.backlog() > 0 };
        if useful { self.doorbell.ring(port, clock) } else { Strokes::default() }
    }

    /// Reads the completion ring: one user-count write for every run of equal addresses.
    #[inline]
    fn reap(&mut self) -> u32 {
        let Some(port) = &mut self.port else { return 0 };
        let mut completed = 0;
        loop {
            // SAFETY: the addresses are only counted; no memory is touched through these descriptors.
            let count = unsafe { port.completions.consume(&mut self.completed) };
            let mut rest = &self.completed[..count];
            let shift = self.chunk_shift;
            let counted = self.frames.complete(|| {
                let addr = rest.first()?.addr();
                let run = rest.iter().take_while(|desc| desc.addr() == addr).count();
                rest = &rest[run..];
                Some(((addr >> shift) as u32, run as u32))
            });
            match counted {
                Ok(counted) => completed += counted,
                Err(counted) => {
                    self.fail(distrusted(&self.device, self.queue));
                    return completed + counted;
                }
            }
            if count < REAP_BATCH {
                return completed;
            }
        }
    }

    #[cold]
    fn fail(&mut self, end: NicError) {
        self.frames.shut();
        self.dead.get_or_insert(end);
    }

    /// Refused descriptors complete like any other, and only this counter tells. Reading it is a system call, so it is
    /// read only when a kick stopped short or when everything has completed.
    #[inline]
    fn read_invalid(&mut self, strokes: Strokes, rested: bool) -> u32 {
        let drained = rested && self.invalid_unread && self.frames.in_flight() == 0;
        if !strokes.stopped_short && !drained {
            return 0;
        }
        self.invalid_unread = false;
        let now = self.port.as_ref().map_or(self.invalid_seen, Port::invalid_descs);
        let new = now.saturating_sub(self.invalid_seen);
        self.invalid_seen = now;
        u32::try_from(new).unwrap_or(u32::MAX)
    }
}

/// A zero-copy bind hands the queue's receive side over as well, and no packet is ever read from it.
fn receive_side_notice(device: &str, queue: u32) -> String {
    format!(
        "{device} queue {queue}: zero-copy takes the queue's receive side, too: nothing else receives there meanwhile"
    )
}

impl Nic for XdpNic {
    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    #[inline]
    fn build(&mut self, len: usize, write: impl FnOnce(&mut [u8], &mut u64)) -> Option<Packet> {
        if len > self.limits.max_len {
            return None;
        }
        let port = self.port.as_mut()?;
        let slot = self.frames.take(len as u32)?;
        // A memory and its descriptor have the same number.
        let desc = &mut port.descs[slot as usize];
        // SAFETY: the descriptor came from this UMEM, and `Frames` gave us a memory that no descriptor names, so
        // neither the kernel nor anybody else reads or writes it now.
        let mut data = unsafe { port.umem.data_mut(desc) };
        data.cursor().set_pos(len);
        write(data.contents_mut(), self.frames.note_mut(slot));
        Some(Packet { slot })
    }

    #[inline]
    fn send(&mut self, wanted: u32, len: usize, mut write: impl FnMut(u32, &mut [u8], &mut u64)) -> u32 {
        let Some(port) = self.port.as_mut().filter(|_| len <= self.limits.max_len) else { return 0 };
        let mut nth = 0;
        self.frames.take_sent(wanted, len as u32, |slot, note| {
            let desc = &mut port.descs[slot as usize];
            // SAFETY: as in `build`: the memory was free, so nobody else reads or writes it, and it is handed over
            // only at the next `ring`.
            let mut data = unsafe { port.umem.data_mut(desc) };
            data.cursor().set_pos(len);
            write(nth, data.contents_mut(), note);
            nth += 1;
            self.queued.push(*desc);
        })
    }

    #[inline]
    fn queue(&mut self, packet: &Packet, copies: u32) -> u32 {
        let Some(port) = &self.port else { return 0 };
        let fitted = self.frames.add_users(packet.slot, copies);
        let desc = port.descs[packet.slot as usize];
        self.queued.extend(std::iter::repeat_n(desc, fitted as usize));
        fitted
    }

    #[inline]
    fn release(&mut self, packet: Packet) {
        self.frames.close(packet.slot);
    }

    #[inline]
    fn ring(&mut self, clock: &impl Clock) -> Result<Rung, NicError> {
        if let Some(dead) = &self.dead {
            return Err(dead.clone());
        }
        let rested = self.queued.is_empty();
        let strokes = if self.frames.in_flight() > 0 { self.strike(clock) } else { Strokes::default() };
        if strokes.end != 0 {
            self.fail(failure(&self.device, self.queue, strokes.end));
        }
        let completed = self.reap();
        if completed > 0 {
            self.doorbell.progressed();
            self.invalid_unread = true;
        }
        let invalid = self.read_invalid(strokes, rested);
        match &self.dead {
            // What completed before the end is told first; the next call tells the end.
            Some(dead) if completed == 0 => Err(dead.clone()),
            _ => Ok(Rung {
                completed,
                dropped: self.limits.counts_drops.then_some(strokes.busy),
                invalid,
                kicks: strokes.kicks,
                errno: strokes.errno,
                retry_at_ns: self.doorbell.retry_at_ns(),
            }),
        }
    }

    #[inline]
    fn in_flight(&self) -> u32 {
        self.frames.in_flight()
    }

    fn abandon(&mut self) -> u32 {
        self.fail(abandoned(&self.device, self.queue));
        // Closing the socket first: what lies in the ring would still leave when the link comes up.
        self.port = None;
        self.queued.clear();
        self.frames.abandon()
    }

    fn frames(&self) -> (u32, u32) {
        self.frames.counts()
    }

    fn errnos(&self, each: impl FnMut(i32, u64)) {
        self.doorbell.errnos.each(each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_copy_says_what_it_takes() {
        let told = receive_side_notice("eth1", 3);
        assert!(told.starts_with("eth1 queue 3: zero-copy") && told.contains("receive side"), "{told}");
    }

    #[test]
    fn a_nic_moves_into_its_thread() {
        fn is_send<T: Send>() {}
        is_send::<XdpNic>();
    }
}
