//! The rings of an AF_XDP socket, mapped a second time: the library's own calls cost 50 ns a packet at burst 1, and
//! the simulated nic can so run the same ring code as the real one.

use crate::nic::rings::{Consumer, Desc, Parts, Producer};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// One mapped ring. It keeps the socket open until it is dropped.
struct Mapping {
    begin: NonNull<libc::c_void>,
    bytes: usize,
}

// SAFETY: this only keeps the mapping alive; nothing is read or written through it.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(fd: BorrowedFd<'_>, bytes: usize, page_offset: libc::off_t) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        // SAFETY: a new mapping at a place of the kernel's choice touches no memory of ours.
        let begin = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, fd.as_raw_fd(), page_offset) };
        match NonNull::new(begin) {
            Some(begin) if begin.as_ptr() != libc::MAP_FAILED => Ok(Self { begin, bytes }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Where the parts of a ring of `size` entries lie in this mapping, which is as long as they need.
    fn parts<T>(self, offset: libc::xdp_ring_offset, size: u32) -> Parts<T> {
        // SAFETY: the kernel gave these offsets for this mapping, whose length was made of them.
        let at = |offset: u64| unsafe { self.begin.cast::<u8>().add(offset as usize) };
        Parts {
            producer: at(offset.producer).cast::<AtomicU32>(),
            consumer: at(offset.consumer).cast::<AtomicU32>(),
            entries: at(offset.desc).cast::<T>(),
            size,
            owner: Arc::new(self),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this length, and the last map that used it is gone.
        unsafe { libc::munmap(self.begin.as_ptr(), self.bytes) };
    }
}

/// Our ends of the TX ring and the completion ring, each of `size` entries.
///
/// # Safety
/// Nobody else in this process uses these two rings of that socket.
pub(super) unsafe fn rings(fd: BorrowedFd<'_>, size: u32) -> io::Result<(Producer<Desc>, Consumer<u64>)> {
    let offsets = offsets(fd)?;
    let bytes = |offset: &libc::xdp_ring_offset, entry: usize| offset.desc as usize + size as usize * entry;
    let tx = Mapping::new(fd, bytes(&offsets.tx, size_of::<Desc>()), libc::XDP_PGOFF_TX_RING)?;
    let page_offset = libc::XDP_UMEM_PGOFF_COMPLETION_RING as libc::off_t;
    let completions = Mapping::new(fd, bytes(&offsets.cr, size_of::<u64>()), page_offset)?;
    // SAFETY: the mappings live as long as the parts, and the caller promises the rest.
    unsafe { Ok((Producer::over(tx.parts(offsets.tx, size)), Consumer::over(completions.parts(offsets.cr, size)))) }
}

fn offsets(fd: BorrowedFd<'_>) -> io::Result<libc::xdp_mmap_offsets> {
    let mut offsets = std::mem::MaybeUninit::<libc::xdp_mmap_offsets>::zeroed();
    let wanted = size_of::<libc::xdp_mmap_offsets>() as libc::socklen_t;
    let mut len = wanted;
    let (level, name) = (libc::SOL_XDP, libc::XDP_MMAP_OFFSETS);
    // SAFETY: `offsets` and `len` are valid for writing, and `len` says how many bytes there are.
    let answer = unsafe { libc::getsockopt(fd.as_raw_fd(), level, name, offsets.as_mut_ptr().cast(), &raw mut len) };
    match answer {
        0 if len == wanted => {
            // SAFETY: plain integers, all written by the kernel.
            Ok(unsafe { offsets.assume_init() })
        }
        // Before Linux 5.4 the answer was shorter and had no flags.
        0 => Err(io::ErrorKind::Unsupported.into()),
        _ => Err(io::Error::last_os_error()),
    }
}
