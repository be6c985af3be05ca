//! What an AF_XDP queue is asked to be, and the checks that name the parameter before the kernel says EINVAL.

use crate::nic::open_error::{Cause, OpenError};
use crate::nic::queue::Shape;

/// Largest ring, in packets.
const MOST_RING: u32 = 1 << 20;
/// Most packet memories.
const MOST_CHUNKS: u32 = 1 << 20;
/// Descriptors of one packet that the kernel takes in copy mode: one and MAX_SKB_FRAGS (17) more (net/xdp/xsk.c,
/// `xsk_build_skb`); a packet of more is dropped, each of its descriptors counted as invalid.
const MOST_PARTS: u32 = 18;
/// xsk-rs keeps 256 bytes of each chunk (XDP_PACKET_HEADROOM).
pub(super) const HEADROOM_BYTES: u32 = 256;
/// The size of a huge page; a mapping of another size could not be unmapped again.
const HUGE_PAGE_BYTES: u32 = 2 << 20;

/// The mode asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The kernel's own choice, read back afterwards.
    #[default]
    Auto,
    Copy,
    ZeroCopy,
}

/// What may happen to the queue's receive side: a zero-copy bind takes it, so nothing else receives there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReceiveSide {
    #[default]
    MayTake,
    /// The device is guarded (it carries the default route or an SSH session): `Auto` means copy.
    Keep,
}

/// The kind of pages asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pages {
    #[default]
    Normal,
    /// Falls back to normal ones with a notice where none are reserved.
    Huge,
}

/// One queue to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XdpConfig {
    pub device: String,
    /// The device's index in the present namespace; it wins over the name, which may have changed. 0: by name.
    pub ifindex: u32,
    pub queue: u32,
    pub mode: Mode,
    pub receive_side: ReceiveSide,
    pub need_wakeup: bool,
    /// Microseconds; `None`: no busy polling.
    pub busy_poll_us: Option<u32>,
    /// Descriptors one kick may take in copy mode, 32..=ring; `None`: the kernel's own 32.
    pub skb_budget: Option<u32>,
    /// Packets that can be in flight; a power of two, 1..=1048576.
    pub ring: u32,
    /// Packet memories, 1..=1048576.
    pub chunks: u32,
    /// 2048 or 4096 bytes.
    pub chunk_bytes: u32,
    /// Neighbouring chunks that make one packet memory, 1..=18: the longest packet is 256 bytes less than they. Above 1
    /// it takes Linux 6.6.
    pub parts: u32,
    pub pages: Pages,
    /// How many queues the device has, for the message; `None`: unknown.
    pub queues: Option<u32>,
    /// The driver's name, for the message.
    pub driver: Option<String>,
}

impl XdpConfig {
    /// The usual sizes: ring 2048, 512 chunks of 2048 bytes (1 MiB, so that eight queues stay within the common 8 MiB
    /// of locked memory).
    pub fn new(device: &str, queue: u32) -> Self {
        Self {
            device: device.to_owned(),
            ifindex: 0,
            queue,
            mode: Mode::Auto,
            receive_side: ReceiveSide::MayTake,
            need_wakeup: true,
            busy_poll_us: None,
            skb_budget: None,
            ring: 2048,
            chunks: 512,
            chunk_bytes: 2048,
            parts: 1,
            pages: Pages::Normal,
            queues: None,
            driver: None,
        }
    }

    /// # Errors
    /// [`OpenError`] names the size that is out of range and the allowed one.
    pub fn check(&self) -> Result<(), OpenError> {
        if !self.ring.is_power_of_two() || self.ring > MOST_RING {
            return Err(self.error(Cause::BadRing { ring: self.ring, most: MOST_RING }, 0));
        }
        if self.chunk_bytes != 2048 && self.chunk_bytes != 4096 {
            return Err(self.error(Cause::BadChunk { chunk_bytes: self.chunk_bytes }, 0));
        }
        if self.chunks < self.parts || self.chunks == 0 || self.chunks > MOST_CHUNKS {
            return Err(self.error(Cause::BadChunks { chunks: self.chunks, most: MOST_CHUNKS }, 0));
        }
        if self.parts == 0 || self.parts > MOST_PARTS {
            return Err(self.error(Cause::Refused { step: "sizing the packet memory" }, 0));
        }
        Ok(())
    }

    /// Chunks to map: whole huge pages where those are asked for.
    pub(super) fn mapped_chunks(&self, pages: Pages) -> u32 {
        match pages {
            Pages::Normal => self.chunks,
            Pages::Huge => self.chunks.next_multiple_of(HUGE_PAGE_BYTES / self.chunk_bytes),
        }
    }

    /// Huge pages that the packet memory fills.
    pub(super) fn huge_pages(&self) -> u32 {
        self.mapped_chunks(Pages::Huge) / (HUGE_PAGE_BYTES / self.chunk_bytes)
    }

    pub(super) fn shape(&self) -> Shape {
        let max_len = (self.parts * self.chunk_bytes - HEADROOM_BYTES) as usize;
        Shape { ring: self.ring, chunk_bytes: self.chunk_bytes, parts: self.parts, max_len }
    }

    pub(super) fn memory_kib(&self) -> u64 {
        u64::from(self.chunks) * u64::from(self.chunk_bytes) / 1024
    }

    pub(super) fn error(&self, cause: Cause, errno: i32) -> OpenError {
        OpenError { device: self.device.clone(), queue: self.queue, cause, errno }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(change: impl FnOnce(&mut XdpConfig)) -> Option<&'static str> {
        let mut config = XdpConfig::new("a0", 0);
        change(&mut config);
        config.check().err().map(|error| error.code())
    }

    #[test]
    fn c48_only_powers_of_two_are_rings() {
        for ring in [0, 3, 511, 1000, 1022, (1 << 20) + 1, 1 << 21, u32::MAX] {
            assert_eq!(code(|config| config.ring = ring), Some("bad_ring"), "{ring}");
        }
        for ring in [1, 2, 2048, 1 << 20] {
            assert_eq!(code(|config| config.ring = ring), None, "{ring}");
        }
    }

    #[test]
    fn c49_only_chunks_the_kernel_takes_pass() {
        for chunk_bytes in [0, 1024, 1500, 8192] {
            assert_eq!(code(|config| config.chunk_bytes = chunk_bytes), Some("bad_chunk_bytes"), "{chunk_bytes}");
        }
        for chunk_bytes in [2048, 4096] {
            assert_eq!(code(|config| config.chunk_bytes = chunk_bytes), None, "{chunk_bytes}");
        }
        for chunks in [1, 63, 4096] {
            assert_eq!(code(|config| config.chunks = chunks), None, "{chunks}");
        }
        assert_eq!(code(|config| config.chunks = 0), Some("bad_chunks"));
    }

    #[test]
    fn huge_pages_are_mapped_whole() {
        let config = XdpConfig::new("a0", 0);
        assert_eq!(config.mapped_chunks(Pages::Normal), 512);
        assert_eq!((config.mapped_chunks(Pages::Huge), config.huge_pages()), (1024, 1));
    }
}
