//! Sends plain frames through a packet socket, so that tests of counting need no AF_XDP.

use std::io;

/// 60 bytes to 02:00:00:00:00:02, of an Ethernet type for experiments: no stack answers them.
fn frame() -> [u8; 60] {
    let mut frame = [0; 60];
    frame[..14].copy_from_slice(&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5]);
    frame
}

/// Sends `count` frames from the device `index` of this thread's network namespace.
pub fn send(index: u32, count: u32) {
    // SAFETY: plain system calls; the address and the frame outlive them and their true sizes are given.
    unsafe {
        let socket = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
        assert!(socket >= 0, "{}", io::Error::last_os_error());
        let mut address: libc::sockaddr_ll = std::mem::zeroed();
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_ifindex = index.cast_signed();
        let size = std::mem::size_of_val(&address) as u32;
        let bytes = frame();
        for _ in 0..count {
            let sent = libc::sendto(socket, bytes.as_ptr().cast(), 60, 0, (&raw const address).cast(), size);
            assert_eq!(sent, 60, "{}", io::Error::last_os_error());
        }
        libc::close(socket);
    }
}
