//! The AF_XDP nic: one TX queue of one device, on xsk-rs, without any XDP program.

mod config;
mod library_log;
mod mapped;
mod options;
mod port;

use super::doorbell::{Doorbell, Kernel, Strokes, abandoned, distrusted, failure};
use super::open_error::OpenError;
use super::queue::{Distrusted, Queue};
use super::{Clock, Head, Limits, ModeGot, Nic, NicError, Packet, Rung, Watch};
use std::fs;

pub use config::{Mode, Pages, ReceiveSide, XdpConfig};
pub use library_log::{LibraryLevel, set_library_log};
use port::Port;

/// Those of 2 MiB, whatever the machine's own default is.
const FREE_HUGE_PAGES: &str = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";

/// One open AF_XDP queue.
pub struct XdpNic {
    /// First: our hands leave the rings and the memory before the socket closes.
    queue: Queue,
    /// `None` after [`Nic::abandon`]: nothing that was in flight can leave any more.
    port: Option<Port>,
    doorbell: Doorbell,
    limits: Limits,
    /// tx_invalid_descs as read last, and whether packets completed since.
    invalid_seen: u64,
    invalid_unread: bool,
    dead: Option<NicError>,
    notices: Vec<String>,
    device: String,
    number: u32,
}

impl XdpNic {
    /// Opens the queue; tries for up to 1 s while it is busy.
    ///
    /// # Errors
    /// [`OpenError`]: what failed, on what, what is allowed and what to do.
    pub fn open(config: &XdpConfig) -> Result<Self, OpenError> {
        let (port, queue) = Port::open(config)?;
        let huge_pages = port.pages == Pages::Huge;
        let mut notices = Vec::new();
        if config.pages == Pages::Huge && !huge_pages {
            notices.push(no_huge_pages(config));
        }
        if port.zero_copy {
            notices.push(receive_side_notice(&config.device, config.queue));
        }
        let shape = config.shape();
        let limits = Limits {
            max_len: shape.max_len,
            max_burst: shape.max_in_flight(),
            max_in_flight: shape.max_in_flight(),
            parts: shape.parts,
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
            queue,
            doorbell: Doorbell::default(),
            limits,
            invalid_seen: port.invalid_descs(),
            invalid_unread: false,
            dead: None,
            notices,
            device: config.device.clone(),
            number: config.queue,
            port: Some(port),
        })
    }

    /// What was not as asked for, in whole sentences: fallbacks taken at open.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Wakes the kernel although nothing is queued, to learn what that alone costs; 0 or the errno.
    #[inline]
    pub(in crate::nic) fn empty_kick(&self) -> i32 {
        self.port.as_ref().map_or(libc::ENXIO, Port::kick)
    }

    #[inline]
    fn strike(&mut self, burst: u32, clock: &impl Clock, watch: &mut impl Watch) -> Strokes {
        let Some(port) = &self.port else { return Strokes::default() };
        self.doorbell.ring(&mut Behind { port, queue: &mut self.queue }, burst, clock, watch)
    }

    #[inline]
    fn reap(&mut self) -> u32 {
        self.queue.reap().unwrap_or_else(|Distrusted(completed)| {
            self.fail(distrusted(&self.device, self.number));
            completed
        })
    }

    #[cold]
    fn fail(&mut self, end: NicError) {
        self.queue.shut();
        self.dead.get_or_insert(end);
    }

    /// Refused descriptors complete like any other, and only this counter tells. Reading it is a system call, so it is
    /// read only when a kick stopped short or when everything has completed.
    #[inline]
    fn read_invalid(&mut self, strokes: Strokes, rested: bool) -> u32 {
        let drained = rested && self.invalid_unread && self.queue.in_flight() == 0;
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

/// What is behind the doorbell: our hands on the rings and the socket.
struct Behind<'a> {
    port: &'a Port,
    queue: &'a mut Queue,
}

impl Kernel for Behind<'_> {
    #[inline]
    fn hand_over(&mut self, most: u32) -> u32 {
        self.queue.hand_over(most)
    }

    #[inline]
    fn wants_kick(&self) -> bool {
        self.port.wants_kick()
    }

    #[inline]
    fn kick(&mut self) -> i32 {
        self.port.kick()
    }

    #[inline]
    fn backlog(&mut self) -> u32 {
        self.queue.backlog()
    }

    #[inline]
    fn takes_at_once(&self) -> bool {
        !self.port.zero_copy
    }
}

/// Each queue has a mapping of its own, so what the others take is told as well.
fn no_huge_pages(config: &XdpConfig) -> String {
    let wanted = config.huge_pages();
    let free = fs::read_to_string(FREE_HUGE_PAGES).ok();
    let free = free.map_or_else(|| "none".to_owned(), |text| text.trim().to_owned());
    let (device, queue) = (&config.device, config.queue);
    format!(
        "{device} queue {queue}: normal pages are used: it takes {wanted} huge pages of 2 MiB and {free} are free \
         (to reserve them: sudo sysctl vm.nr_hugepages=N, {wanted} for each queue)"
    )
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
        self.queue.build(len, write)
    }

    #[inline]
    fn send(
        &mut self,
        wanted: u32,
        len: usize,
        begin: impl FnMut(u32, &mut [u8], &mut u64),
        finish: impl FnMut(u32, &mut [&mut Head]),
    ) -> u32 {
        self.queue.send(wanted, len, begin, finish)
    }

    #[inline]
    fn queue(&mut self, packet: &Packet, copies: u32) -> u32 {
        self.queue.queue(packet, copies)
    }

    #[inline]
    fn release(&mut self, packet: Packet) {
        self.queue.release(packet);
    }

    #[inline]
    fn ring_watched(&mut self, burst: u32, clock: &impl Clock, watch: &mut impl Watch) -> Result<Rung, NicError> {
        if let Some(dead) = &self.dead {
            return Err(dead.clone());
        }
        let rested = self.queue.unpublished() == 0;
        let strokes = if self.queue.in_flight() > 0 { self.strike(burst, clock, watch) } else { Strokes::default() };
        if strokes.end != 0 {
            self.fail(failure(&self.device, self.number, strokes.end));
        }
        watch.begin(clock);
        let completed = self.reap();
        watch.end_reap(clock);
        if completed > 0 {
            self.doorbell.progressed();
            self.invalid_unread = true;
        }
        let invalid = self.read_invalid(strokes, rested);
        match &self.dead {
            // What completed before the end is told first; the next call tells the end.
            Some(dead) if completed == 0 => Err(dead.clone()),
            _ => Ok(Rung {
                doorbells: strokes.doorbells,
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
        self.queue.in_flight()
    }

    fn abandon(&mut self) -> u32 {
        self.fail(abandoned(&self.device, self.number));
        // What lies in the ring would still leave when the link comes up: let go of the rings and close the socket.
        let lost = self.queue.abandon();
        self.port = None;
        lost
    }

    fn frames(&self) -> (u32, u32) {
        self.queue.frames()
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
