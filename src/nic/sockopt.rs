//! Socket options that neither rustix nor xsk-rs knows.

use std::{
    io,
    os::fd::{AsRawFd, BorrowedFd},
};

use libc::c_int;

/// Sets one option that is an int.
pub(in crate::nic) fn set(socket: BorrowedFd<'_>, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
    let length = size_of::<c_int>() as libc::socklen_t;
    // SAFETY: `value` is an int that outlives the call and `length` its size.
    let answer = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), length) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
