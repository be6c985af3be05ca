//! Names of errno values, as the manual pages write them.

use rustix::io::Errno;

/// Those a sender can meet, or that a kernel might think of.
const NAMES: [(Errno, &str); 30] = [
    (Errno::PERM, "EPERM"),
    (Errno::NOENT, "ENOENT"),
    (Errno::INTR, "EINTR"),
    (Errno::IO, "EIO"),
    (Errno::NXIO, "ENXIO"),
    (Errno::BADF, "EBADF"),
    (Errno::AGAIN, "EAGAIN"),
    (Errno::NOMEM, "ENOMEM"),
    (Errno::ACCESS, "EACCES"),
    (Errno::FAULT, "EFAULT"),
    (Errno::BUSY, "EBUSY"),
    (Errno::EXIST, "EEXIST"),
    (Errno::NODEV, "ENODEV"),
    (Errno::INVAL, "EINVAL"),
    (Errno::NOSPC, "ENOSPC"),
    (Errno::PIPE, "EPIPE"),
    (Errno::RANGE, "ERANGE"),
    (Errno::PROTO, "EPROTO"),
    (Errno::OVERFLOW, "EOVERFLOW"),
    (Errno::NOTSOCK, "ENOTSOCK"),
    (Errno::MSGSIZE, "EMSGSIZE"),
    (Errno::PROTONOSUPPORT, "EPROTONOSUPPORT"),
    (Errno::OPNOTSUPP, "EOPNOTSUPP"),
    (Errno::NETDOWN, "ENETDOWN"),
    (Errno::NETUNREACH, "ENETUNREACH"),
    (Errno::CONNRESET, "ECONNRESET"),
    (Errno::NOBUFS, "ENOBUFS"),
    (Errno::NOTCONN, "ENOTCONN"),
    (Errno::TIMEDOUT, "ETIMEDOUT"),
    (Errno::CANCELED, "ECANCELED"),
];

/// The name of an errno; a number that has none here is written as `ERRNO_71`.
pub fn name(number: i32) -> String {
    let known = NAMES.iter().find(|(errno, _)| errno.raw_os_error() == number);
    known.map_or_else(|| format!("ERRNO_{number}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errnos_of_a_kick_have_names() {
        for (number, text) in [(11, "EAGAIN"), (16, "EBUSY"), (100, "ENETDOWN"), (105, "ENOBUFS"), (6, "ENXIO")] {
            assert_eq!(name(number), text);
        }
        assert_eq!(name(4242), "ERRNO_4242");
    }
}
