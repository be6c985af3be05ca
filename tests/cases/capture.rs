//! Every frame that reaches a device, with the kernel's own time stamps, in a ring large enough for the test:
//! nothing is lost however late it is read.

use std::io;
use std::ptr::NonNull;

const SLOT_BYTES: usize = 2048;
const BLOCK_BYTES: usize = 65536;

/// One frame as it arrived. The kernel takes the outermost VLAN tag out of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub at_ns: u64,
    pub bytes: Vec<u8>,
    /// Tag protocol and tag control.
    pub vlan: Option<(u16, u16)>,
}

/// A packet socket whose ring is shared with the kernel (TPACKET_V2).
pub struct Capture {
    fd: libc::c_int,
    ring: NonNull<u8>,
    slots: usize,
}

impl Capture {
    /// Frames that arrive at the device from now on, up to `slots` (rounded up to whole blocks).
    pub fn on(index: u32, slots: usize) -> Capture {
        let blocks = (slots * SLOT_BYTES).div_ceil(BLOCK_BYTES);
        let slots = blocks * BLOCK_BYTES / SLOT_BYTES;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK_BYTES as u32,
            tp_block_nr: blocks as u32,
            tp_frame_size: SLOT_BYTES as u32,
            tp_frame_nr: slots as u32,
        };
        let version = libc::tpacket_versions::TPACKET_V2 as libc::c_int;
        // SAFETY: all zero is a valid sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index.cast_signed();
        // SAFETY: plain system calls on values that live through them, with their true sizes.
        unsafe {
            let fd = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
            must(fd, "packet socket");
            must(set(fd, libc::PACKET_VERSION, &version), "PACKET_VERSION");
            must(set(fd, libc::PACKET_RX_RING, &request), "PACKET_RX_RING");
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let ring = libc::mmap(std::ptr::null_mut(), slots * SLOT_BYTES, protection, libc::MAP_SHARED, fd, 0);
            assert_ne!(ring, libc::MAP_FAILED, "mmap: {}", io::Error::last_os_error());
            let size = size_of_val(&address) as u32;
            must(libc::bind(fd, (&raw const address).cast(), size), "bind");
            Capture { fd, ring: NonNull::new(ring.cast()).unwrap(), slots }
        }
    }

    /// All frames so far, in order. Fails when the ring was too small.
    pub fn frames(&self) -> Vec<Frame> {
        let frames: Vec<Frame> = (0..self.slots).map_while(|slot| self.slot(slot)).collect();
        assert!(frames.len() < self.slots, "the ring of {} frames is full", self.slots);
        frames
    }

    fn slot(&self, slot: usize) -> Option<Frame> {
        // SAFETY: the ring has `slots` slots of SLOT_BYTES each, and every slot begins with a header. One whose
        // status says USER is not written by the kernel until it is given back, which never happens here.
        unsafe {
            let start = self.ring.as_ptr().add(slot * SLOT_BYTES);
            let header = start.cast::<libc::tpacket2_hdr>();
            let status = (&raw const (*header).tp_status).read_volatile();
            std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
            if status & libc::TP_STATUS_USER == 0 {
                return None;
            }
            let header = header.read();
            assert_eq!(header.tp_snaplen, header.tp_len, "the slot holds the whole frame");
            let bytes = std::slice::from_raw_parts(start.add(header.tp_mac.into()), header.tp_snaplen as usize);
            let tagged = status & libc::TP_STATUS_VLAN_VALID != 0;
            Some(Frame {
                at_ns: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
                bytes: bytes.to_vec(),
                vlan: tagged.then_some((header.tp_vlan_tpid, header.tp_vlan_tci)),
            })
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // SAFETY: ring and descriptor are ours and used by nobody after this.
        unsafe {
            libc::munmap(self.ring.as_ptr().cast(), self.slots * SLOT_BYTES);
            libc::close(self.fd);
        }
    }
}

/// # Safety
/// `value` must be what the option takes.
unsafe fn set<T>(fd: libc::c_int, option: libc::c_int, value: &T) -> libc::c_int {
    // SAFETY: the pointer is to a living value of the size told.
    unsafe { libc::setsockopt(fd, libc::SOL_PACKET, option, (&raw const *value).cast(), size_of::<T>() as u32) }
}

fn must(answer: libc::c_int, what: &str) {
    assert!(answer >= 0, "{what}: {}", io::Error::last_os_error());
}
