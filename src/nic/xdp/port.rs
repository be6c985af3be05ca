//! An open AF_XDP socket: how it is opened with xsk-rs, and the few calls on its file descriptor.
//! Dropping it with its [`Queue`] unmaps all rings and closes the socket, so the queue is free again some milliseconds later.

use super::config::{HEADROOM_BYTES, Mode, Pages, ReceiveSide, XdpConfig};
use super::{mapped, options};
use crate::nic::frames::{Place, shift_of};
use crate::nic::open_error::{Cause, OpenError};
use crate::nic::queue::Queue;
use std::error::Error;
use std::io;
use std::num::NonZeroU32;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::time::Duration;
use xsk_rs::config::{BindFlags, FrameSize, Interface, LibxdpFlags, QueueSize, SocketConfig, UmemConfig};
use xsk_rs::{CompQueue, FillQueue, FrameDesc, RxQueue, Socket, TxQueue, Umem};

/// A TX-only socket needs a fill ring (bind gives EINVAL without one), and xsk-rs always makes an RX ring.
const UNUSED_RING: u32 = 64;
/// How long opening is retried: the last owner's release is asynchronous (200 rebinds: median 17 ms, worst 30), and so
/// is the return of its locked memory (an ordinary user's fifty rebinds in a row met ENOBUFS otherwise).
const RETRY_LIMIT: Duration = Duration::from_secs(1);
const LONGEST_RETRY_WAIT: Duration = Duration::from_millis(20);
/// linux/if_xdp.h
const XDP_OPTIONS: libc::c_int = 8;
const XDP_OPTIONS_ZEROCOPY: u32 = 1;

pub(super) struct Port {
    tx: TxQueue,
    pub zero_copy: bool,
    pub pages: Pages,
    need_wakeup: bool,
    _rx: RxQueue,
    _fill: FillQueue,
    _completions: CompQueue,
    /// Last: the memory outlives the rings that name it.
    _umem: Umem,
}

impl Port {
    /// # Errors
    /// [`OpenError`] with the cause, its errno and the remedy.
    pub fn open(config: &XdpConfig) -> Result<(Self, Queue), OpenError> {
        config.check()?;
        let mut pages = config.pages;
        let mut waited = Duration::ZERO;
        let mut wait = Duration::from_millis(1);
        loop {
            let error = match Self::open_once(config, pages) {
                Ok(opened) => return Ok(opened),
                Err(error) => error,
            };
            match error.cause {
                Cause::NoMemory { .. } if pages == Pages::Huge => pages = Pages::Normal,
                _ if waited < RETRY_LIMIT && passes(&error) => {
                    pause(wait);
                    waited += wait;
                    wait = (wait * 2).min(LONGEST_RETRY_WAIT);
                }
                _ => return Err(error),
            }
        }
    }

    fn open_once(config: &XdpConfig, pages: Pages) -> Result<(Self, Queue), OpenError> {
        let interface = interface(config)?;
        let (umem, descs) = make_umem(config, pages)?;
        // SAFETY: the UMEM was made for this socket alone, so no other socket shares its rings.
        let made = unsafe { Socket::new(socket_config(config)?, &umem, &interface, config.queue) };
        let (tx, rx, rings) = made.map_err(|error| bind_error(config, errno_of(&error)))?;
        let Some((fill, completions)) = rings else {
            return Err(config.error(Cause::Refused { step: "making the completion ring" }, 0));
        };
        // SAFETY: the descriptor stays open during this call: `tx` holds it.
        options::set(config, unsafe { BorrowedFd::borrow_raw(tx.fd().as_raw_fd()) })?;
        let zero_copy = got_zero_copy(tx.fd().as_raw_fd());
        let queue = queue(config, &tx, &umem, descs)?;
        let need_wakeup = config.need_wakeup;
        let port =
            Self { tx, zero_copy, pages, need_wakeup, _rx: rx, _fill: fill, _completions: completions, _umem: umem };
        Ok((port, queue))
    }

    /// Descriptors that the kernel refused since open; 0 where it does not tell.
    pub fn invalid_descs(&self) -> u64 {
        self.tx.fd().xdp_statistics().map_or(0, |statistics| statistics.tx_invalid_descs())
    }

    /// Whether the driver sleeps until it is kicked. Always so in copy mode, and where it was not asked to tell.
    #[inline]
    pub fn wants_kick(&self) -> bool {
        !self.zero_copy || !self.need_wakeup || self.tx.needs_wakeup()
    }

    /// Asks the kernel to take what lies in the ring; 0 or the errno. xsk-rs's own `wakeup` hides EAGAIN, EBUSY,
    /// ENOBUFS and ENETDOWN, and each of them says something.
    #[inline]
    pub fn kick(&self) -> i32 {
        let fd = libc::c_long::from(self.tx.fd().as_raw_fd());
        let dont_wait = libc::c_long::from(libc::MSG_DONTWAIT);
        // libc's own `sendto` is a cancellation point: in a process with threads it adds two LOCK-prefixed
        // instructions to every call.
        // SAFETY: a sendto without data and address reads no memory of ours.
        let answer = unsafe { libc::syscall(libc::SYS_sendto, fd, 0, 0, dont_wait, 0, 0) };
        if answer >= 0 { 0 } else { last_errno() }
    }
}

/// Our own hands on the socket's rings and packet memories.
fn queue(config: &XdpConfig, tx: &TxQueue, umem: &Umem, mut descs: Vec<FrameDesc>) -> Result<Queue, OpenError> {
    let refused = |why: io::Error| {
        config.error(Cause::Refused { step: "mapping the rings" }, why.raw_os_error().unwrap_or(libc::ENOSYS))
    };
    // SAFETY: the descriptor stays open during this call: `tx` holds it.
    let fd = unsafe { BorrowedFd::borrow_raw(tx.fd().as_raw_fd()) };
    // SAFETY: nothing is ever sent or read through the library's own ends of these rings.
    let (producer, consumer) = unsafe { mapped::rings(fd, config.ring) }.map_err(refused)?;
    let (shape, parts) = (config.shape(), config.parts as usize);
    // The library has a descriptor for each chunk; a packet memory begins with its first.
    let slots = descs.len() / parts;
    let places = descs.iter_mut().step_by(parts).take(slots).enumerate().map(|(slot, desc)| {
        // SAFETY: the descriptor came from this UMEM, and no other hand is on its memory yet.
        let begin = unsafe { umem.data_mut(desc) }.contents_mut().as_mut_ptr();
        let earlier = HEADROOM_BYTES as usize - shift_of(slot, parts * config.chunk_bytes as usize);
        // The whole chunk is ours: nothing is ever received, so nobody needs its headroom.
        let begin = std::ptr::with_exposed_provenance_mut(begin.expose_provenance() - earlier);
        // SAFETY: inside the mapped chunk, so not null.
        Place { begin: unsafe { NonNull::new_unchecked(begin) }, addr: (desc.addr() - earlier) as u64 }
    });
    // SAFETY: the UMEM lives until the port is dropped or the queue was abandoned, each memory has `max_len` bytes of its
    // own, chunk beside chunk, and the kernel reads what was published and nothing else.
    Ok(unsafe { Queue::new(producer, consumer, places, shape) })
}

#[cold]
fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// Whether the kernel may still be cleaning up after the last owner.
fn passes(error: &OpenError) -> bool {
    match error.cause {
        Cause::QueueBusy => true,
        Cause::Memlock { needed_kib, allowed_kib } => allowed_kib.is_none_or(|allowed| needed_kib < allowed),
        _ => false,
    }
}

/// Sleeps a little between two tries to bind.
fn pause(wait: Duration) {
    let wait = rustix::time::Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    let _ = rustix::thread::clock_nanosleep_relative(rustix::thread::ClockId::Monotonic, &wait);
}

/// The name to bind to: an index keeps its device through a rename.
fn interface(config: &XdpConfig) -> Result<Interface, OpenError> {
    let missing = |errno| config.error(Cause::NoSuchDevice, errno);
    let name = if config.ifindex == 0 { config.device.clone() } else { name_of(config.ifindex).map_err(missing)? };
    if name.is_empty() || name.len() >= libc::IFNAMSIZ {
        return Err(missing(libc::ENODEV));
    }
    name.parse().map_err(|_| missing(libc::ENODEV))
}

fn name_of(ifindex: u32) -> Result<String, i32> {
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::DGRAM, None)
        .map_err(rustix::io::Errno::raw_os_error)?;
    rustix::net::netdevice::index_to_name(socket, ifindex).map_err(rustix::io::Errno::raw_os_error)
}

fn make_umem(config: &XdpConfig, pages: Pages) -> Result<(Umem, Vec<FrameDesc>), OpenError> {
    let refused = |step| config.error(Cause::Refused { step }, libc::EINVAL);
    let chunk = FrameSize::new(config.chunk_bytes).map_err(|_| refused("sizing the chunks"))?;
    let umem_config = UmemConfig::builder()
        .frame_size(chunk)
        .fill_queue_size(ring_size(config, UNUSED_RING)?)
        .comp_queue_size(ring_size(config, config.ring)?)
        .build()
        .map_err(|_| refused("sizing the packet memory"))?;
    let chunks = NonZeroU32::new(config.mapped_chunks(pages)).ok_or_else(|| refused("sizing the packet memory"))?;
    Umem::new(umem_config, chunks, pages == Pages::Huge).map_err(|error| umem_error(config, errno_of(&error)))
}

fn ring_size(config: &XdpConfig, size: u32) -> Result<QueueSize, OpenError> {
    QueueSize::new(size).map_err(|_| config.error(Cause::Refused { step: "sizing the rings" }, libc::EINVAL))
}

fn socket_config(config: &XdpConfig) -> Result<SocketConfig, OpenError> {
    let mut flags = match (config.mode, config.receive_side) {
        (Mode::Copy, _) | (Mode::Auto, ReceiveSide::Keep) => BindFlags::XDP_COPY,
        (Mode::ZeroCopy, _) => BindFlags::XDP_ZEROCOPY,
        (Mode::Auto, ReceiveSide::MayTake) => BindFlags::empty(),
    };
    flags.set(BindFlags::XDP_USE_NEED_WAKEUP, config.need_wakeup);
    flags.set(BindFlags::XDP_USE_SG, config.parts > 1);
    Ok(SocketConfig::builder()
        .rx_queue_size(ring_size(config, UNUSED_RING)?)
        .tx_queue_size(ring_size(config, config.ring)?)
        // To transmit no XDP program is needed, and loading one would take more rights.
        .libxdp_flags(LibxdpFlags::XSK_LIBXDP_FLAGS_INHIBIT_PROG_LOAD)
        .bind_flags(flags)
        .build())
}

/// xsk-rs keeps the errno in the error's source.
fn errno_of(error: &(dyn Error + 'static)) -> i32 {
    let io = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    io.and_then(std::io::Error::raw_os_error).unwrap_or(0)
}

fn umem_error(config: &XdpConfig, errno: i32) -> OpenError {
    let needed_kib = config.memory_kib();
    let cause = match errno {
        libc::EPERM | libc::EACCES => Cause::NoCapNetRaw,
        libc::EAFNOSUPPORT | libc::EPROTONOSUPPORT | libc::ESOCKTNOSUPPORT => Cause::NoAfXdp,
        libc::ENOBUFS => Cause::Memlock { needed_kib, allowed_kib: allowed_memlock_kib() },
        libc::ENOMEM => Cause::NoMemory { needed_kib },
        _ => Cause::Refused { step: "registering the packet memory" },
    };
    config.error(cause, errno)
}

fn bind_error(config: &XdpConfig, errno: i32) -> OpenError {
    let cause = match errno {
        libc::EPERM | libc::EACCES => Cause::NoCapNetRaw,
        libc::ENODEV | libc::ENXIO => Cause::NoSuchDevice,
        // Sizes are checked by now, and the fill ring is there: what is left is the queue's number.
        libc::EINVAL if config.parts > 1 && config.queues.is_some_and(|queues| config.queue < queues) => {
            Cause::Refused { step: "binding for frames of several chunks (needs Linux 6.6)" }
        }
        libc::EINVAL => Cause::NoSuchQueue { queues: config.queues },
        libc::EBUSY => Cause::QueueBusy,
        libc::EOPNOTSUPP if config.mode == Mode::ZeroCopy => Cause::NoZeroCopy { driver: config.driver.clone() },
        libc::ENETDOWN => Cause::LinkDown,
        libc::ENOMEM => Cause::NoMemory { needed_kib: config.memory_kib() },
        _ => Cause::Refused { step: "binding the AF_XDP socket" },
    };
    config.error(cause, errno)
}

fn allowed_memlock_kib() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Memlock).current.map(|bytes| bytes / 1024)
}

fn got_zero_copy(fd: libc::c_int) -> bool {
    let mut options: u32 = 0;
    let mut len = size_of::<u32>() as libc::socklen_t;
    // SAFETY: `options` and `len` are valid for writing, and `len` says how many bytes there are.
    let answer = unsafe { libc::getsockopt(fd, libc::SOL_XDP, XDP_OPTIONS, (&raw mut options).cast(), &raw mut len) };
    answer == 0 && options & XDP_OPTIONS_ZEROCOPY != 0
}
