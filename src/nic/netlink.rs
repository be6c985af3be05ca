//! Just enough netlink: one request, its answers, attributes in and out.
//!
//! It blocks on purpose: the kernel works a request inside the sender's own `sendmsg` call, waiting for the
//! RTNL lock there, so an asynchronous wrapper around the socket would wait exactly as long. Whoever must not
//! wait (a NIC that resets holds that lock for seconds) asks from a thread that may.
//! A socket stays in the network namespace it was opened in, whatever its thread does later.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};

/// Answers may carry up to 32 KiB; a device with many virtual functions goes beyond.
const BUFFER_BYTES: usize = 128 * 1024;
/// Longest wait for one answer. The kernel answers at once; this is for answers lost to a full buffer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// A dump that changed while it was read is asked for again, this often.
const DUMP_TRIES: u32 = 8;

const HEADER_BYTES: usize = 16;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 0x1;
const NLM_F_ACK: u16 = 0x4;
const NLM_F_DUMP_INTR: u16 = 0x10;
const NLM_F_DUMP: u16 = 0x300;
const NLM_F_CREATE_EXCL: u16 = 0x600;
/// The upper two bits of an attribute's type are flags.
const ATTRIBUTE_KIND: u16 = 0x3fff;

/// What a request wants of its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    One,
    All,
    Change,
    Create,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Route,
    Generic,
}

/// One message of an answer, without its netlink header.
#[derive(Debug)]
pub(crate) struct Answer {
    pub kind: u16,
    pub body: Vec<u8>,
}

pub(crate) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
    buffer: Vec<u8>,
}

impl Netlink {
    pub fn open(family: Family) -> io::Result<Self> {
        let socket = open_socket(family, 0)?;
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(ANSWER_TIMEOUT))?;
        Ok(Self { socket, sequence: 0, buffer: vec![0; BUFFER_BYTES] })
    }

    /// Sends one request and returns all its answers. A refusal of the kernel is the `Err`, with its errno.
    pub fn request(&mut self, kind: u16, want: Want, body: &Body) -> io::Result<Vec<Answer>> {
        for _ in 0..DUMP_TRIES {
            self.send(kind, want, body)?;
            if let Some(answers) = self.receive()? {
                return Ok(answers);
            }
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, "the kernel's list kept changing while it was read"))
    }

    fn send(&mut self, kind: u16, want: Want, body: &Body) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let flags = NLM_F_REQUEST
            | match want {
                Want::One | Want::Change => NLM_F_ACK,
                Want::All => NLM_F_DUMP,
                Want::Create => NLM_F_ACK | NLM_F_CREATE_EXCL,
            };
        let length = u32::try_from(HEADER_BYTES + body.bytes.len()).map_err(io::Error::other)?;
        let mut message = Vec::with_capacity(HEADER_BYTES + body.bytes.len());
        message.extend_from_slice(&length.to_ne_bytes());
        message.extend_from_slice(&kind.to_ne_bytes());
        message.extend_from_slice(&flags.to_ne_bytes());
        message.extend_from_slice(&self.sequence.to_ne_bytes());
        message.extend_from_slice(&0u32.to_ne_bytes());
        message.extend_from_slice(&body.bytes);
        let kernel = SocketAddrNetlink::new(0, 0);
        rustix::net::sendto(&self.socket, &message, SendFlags::empty(), &kernel)?;
        Ok(())
    }

    /// All answers to the last request; `None` when a dump was interrupted by a change and must be repeated.
    fn receive(&mut self) -> io::Result<Option<Vec<Answer>>> {
        let mut answers = Vec::new();
        let mut interrupted = false;
        loop {
            let length = receive_into(&self.socket, &mut self.buffer)?;
            for message in messages(&self.buffer[..length]) {
                if message.sequence != self.sequence {
                    continue; // left over from a request that timed out
                }
                interrupted |= message.flags & NLM_F_DUMP_INTR != 0;
                match message.kind {
                    NLMSG_DONE => return Ok((!interrupted).then_some(answers)),
                    NLMSG_ERROR => {
                        check(u32_at(message.body, 0))?;
                        return Ok((!interrupted).then_some(answers));
                    }
                    kind => answers.push(Answer { kind, body: message.body.to_vec() }),
                }
            }
        }
    }
}

/// A socket that hears of changes; see the RTMGRP bits.
pub(crate) struct Subscription {
    socket: OwnedFd,
    buffer: Vec<u8>,
}

impl Subscription {
    pub fn open(groups: u32) -> io::Result<Self> {
        Ok(Self { socket: open_socket(Family::Route, groups)?, buffer: vec![0; BUFFER_BYTES] })
    }

    /// What has arrived, without waiting. An overflow is an `Err` of ENOBUFS: something was missed, ask anew.
    pub fn pending(&mut self) -> io::Result<Vec<Answer>> {
        let received = rustix::net::recv(&self.socket, &mut self.buffer[..], RecvFlags::DONTWAIT);
        let length = match received {
            Ok((_, length)) => length,
            Err(rustix::io::Errno::AGAIN) => return Ok(Vec::new()),
            Err(errno) => return Err(errno.into()),
        };
        let heard = messages(&self.buffer[..length.min(BUFFER_BYTES)]);
        Ok(heard.map(|message| Answer { kind: message.kind, body: message.body.to_vec() }).collect())
    }
}

impl AsFd for Subscription {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn open_socket(family: Family, groups: u32) -> io::Result<OwnedFd> {
    let protocol = match family {
        Family::Route => None,
        Family::Generic => Some(netlink::GENERIC),
    };
    let socket = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)?;
    rustix::net::bind(&socket, &SocketAddrNetlink::new(0, groups))?;
    Ok(socket)
}

fn receive_into(socket: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match rustix::net::recv(socket, &mut *buffer, RecvFlags::TRUNC) {
            Ok((_, length)) if length > buffer.len() => {
                return Err(io::Error::other(format!(
                    "netlink answer of {length} bytes is longer than {BUFFER_BYTES}"
                )));
            }
            Ok((_, length)) => return Ok(length),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// The code of an NLMSG_ERROR: 0 is an acknowledgement, else a negative errno.
fn check(code: Option<u32>) -> io::Result<()> {
    match code.map(u32::cast_signed) {
        Some(0) => Ok(()),
        Some(negative) => Err(io::Error::from_raw_os_error(negative.wrapping_neg())),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "netlink error message without a code")),
    }
}

struct Message<'a> {
    kind: u16,
    flags: u16,
    sequence: u32,
    body: &'a [u8],
}

/// The messages of one datagram; ends at the first malformed one.
fn messages(mut bytes: &[u8]) -> impl Iterator<Item = Message<'_>> {
    std::iter::from_fn(move || {
        let length = u32_at(bytes, 0)? as usize;
        let body = bytes.get(HEADER_BYTES..length)?;
        let message = Message { kind: u16_at(bytes, 4)?, flags: u16_at(bytes, 6)?, sequence: u32_at(bytes, 8)?, body };
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
        Some(message)
    })
}

/// The attributes of `bytes` as (type, value); ends at the first malformed one.
pub(crate) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16_at(bytes, 0)?);
        let kind = u16_at(bytes, 2)? & ATTRIBUTE_KIND;
        let value = bytes.get(4..length)?;
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// What follows a request's netlink header: the family's own header, then attributes.
#[derive(Debug, Default, Clone)]
pub(crate) struct Body {
    bytes: Vec<u8>,
}

impl Body {
    pub fn new(header: &[u8]) -> Self {
        let mut body = Self::default();
        body.raw(header);
        body
    }

    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(aligned(self.bytes.len()), 0);
        self
    }

    pub fn put(&mut self, kind: u16, value: &[u8]) -> &mut Self {
        self.nest(kind, |inner| {
            inner.bytes.extend_from_slice(value);
        })
    }

    pub fn put_u32(&mut self, kind: u16, value: u32) -> &mut Self {
        self.put(kind, &value.to_ne_bytes())
    }

    /// With the closing zero that names want.
    pub fn put_text(&mut self, kind: u16, value: &str) -> &mut Self {
        self.nest(kind, |inner| {
            inner.bytes.extend_from_slice(value.as_bytes());
            inner.bytes.push(0);
        })
    }

    /// One attribute whose value is what `fill` writes. Our values are far below the 64 KiB an attribute holds.
    pub fn nest(&mut self, kind: u16, fill: impl FnOnce(&mut Self)) -> &mut Self {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        fill(self);
        let length = u16::try_from(self.bytes.len() - start).unwrap_or(u16::MAX);
        self.bytes[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        self.bytes[start + 2..start + 4].copy_from_slice(&kind.to_ne_bytes());
        self.bytes.resize(aligned(self.bytes.len()), 0);
        self
    }
}

fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(offset..offset + 2)?.try_into().ok()?))
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(offset..offset + 4)?.try_into().ok()?))
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(offset..offset + 8)?.try_into().ok()?))
}

/// Text up to its closing zero.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_put_is_read_back() {
        let mut body = Body::new(&[7; 3]);
        body.put(1, &[1, 2, 3]).put_text(2, "deck0").nest(3, |inner| {
            inner.put_u32(4, 0xdead_beef);
        });
        let read: Vec<_> = attributes(&body.bytes[4..]).collect();
        assert_eq!(read[0], (1, &[1, 2, 3][..]));
        assert_eq!((read[1].0, text(read[1].1)), (2, "deck0".to_owned()));
        let inner: Vec<_> = attributes(read[2].1).collect();
        assert_eq!(inner, [(4, &0xdead_beef_u32.to_ne_bytes()[..])]);
        assert_eq!(read.len(), 3);
    }

    #[test]
    fn an_error_code_becomes_its_errno() {
        assert!(check(Some(0)).is_ok());
        let refused = check(Some((-95i32).cast_unsigned())).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(95));
    }

    proptest! {
        #[test]
        fn no_bytes_panic_or_loop(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(attributes(&bytes).count() <= bytes.len() / 4 + 1);
            prop_assert!(messages(&bytes).count() <= bytes.len() / HEADER_BYTES + 1);
        }
    }
}
