//! Why a queue could not be opened: what failed, on what, what is allowed and what to do about it.

use std::fmt;

/// A queue that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenError {
    pub device: String,
    pub queue: u32,
    pub cause: Cause,
    /// What the kernel answered; 0: it was not asked.
    pub errno: i32,
}

/// The cause, with the figures that its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// `ring` is not a power of two in 1..=`most`.
    BadRing {
        ring: u32,
        most: u32,
    },
    /// `chunk_bytes` is neither 2048 nor 4096.
    BadChunk {
        chunk_bytes: u32,
    },
    /// `chunks` is outside 1..=`most`.
    BadChunks {
        chunks: u32,
        most: u32,
    },
    /// socket(): EPERM.
    NoCapNetRaw,
    /// socket(): this kernel has no AF_XDP.
    NoAfXdp,
    /// UMEM registration: ENOBUFS; all UMEMs of the user count together.
    Memlock {
        needed_kib: u64,
        allowed_kib: Option<u64>,
    },
    NoMemory {
        needed_kib: u64,
    },
    NoSuchDevice,
    /// bind(): EINVAL with everything else checked; how many queues there are, where known.
    NoSuchQueue {
        queues: Option<u32>,
    },
    /// bind(): EBUSY for a whole second.
    QueueBusy,
    /// bind(): EOPNOTSUPP with zero-copy asked for.
    NoZeroCopy {
        driver: Option<String>,
    },
    /// bind(): ENETDOWN.
    LinkDown,
    /// A knob that takes a capability: EPERM.
    NoRight(Right),
    /// A knob that this kernel does not have.
    OldKernel {
        key: &'static str,
        since: &'static str,
    },
    /// Anything else: the step that failed.
    Refused {
        step: &'static str,
    },
}

/// What takes a right of its own besides sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    BusyPoll,
    Priority,
}

impl Right {
    /// The profile's key, the value that needs no right, and the capability in the kernel's spelling.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Right::BusyPoll => ("tx.busy_poll", "0", "CAP_NET_ADMIN"),
            Right::Priority => ("tx.priority", "0", "CAP_SYS_NICE"),
        }
    }
}

impl OpenError {
    /// A stable name for scripts.
    pub fn code(&self) -> &'static str {
        match self.cause {
            Cause::BadRing { .. } => "bad_ring",
            Cause::BadChunk { .. } => "bad_chunk_bytes",
            Cause::BadChunks { .. } => "bad_chunks",
            Cause::NoCapNetRaw => "no_cap_net_raw",
            Cause::NoAfXdp => "no_af_xdp",
            Cause::Memlock { .. } => "memlock",
            Cause::NoMemory { .. } => "no_memory",
            Cause::NoSuchDevice => "no_such_device",
            Cause::NoSuchQueue { .. } => "no_such_queue",
            Cause::QueueBusy => "queue_busy",
            Cause::NoZeroCopy { .. } => "no_zero_copy",
            Cause::LinkDown => "link_down",
            Cause::NoRight(Right::BusyPoll) => "no_cap_net_admin",
            Cause::NoRight(Right::Priority) => "no_cap_sys_nice",
            Cause::OldKernel { .. } => "old_kernel",
            Cause::Refused { .. } => "refused",
        }
    }

    /// What to do about it, as one line.
    pub fn fix(&self) -> String {
        let device = &self.device;
        match &self.cause {
            Cause::BadRing { ring, most } => {
                format!("Use ring = {}", ring.clamp(&1, most).checked_next_power_of_two().unwrap_or(*most))
            }
            Cause::BadChunk { .. } => "Use 2048, or 4096 for packets above 1792 bytes".to_owned(),
            Cause::BadChunks { most, .. } => format!("Use 1..{most}"),
            Cause::NoCapNetRaw => "Once: sudo setcap cap_net_raw+ep $(command -v txdeck)".to_owned(),
            Cause::NoAfXdp => {
                "Use a kernel built with CONFIG_XDP_SOCKETS=y, or try without sending: --device sim".to_owned()
            }
            Cause::Memlock { needed_kib, .. } => format!(
                "Use fewer queues, or in this shell: ulimit -l {}, or: sudo setcap cap_net_raw,cap_ipc_lock+ep $(command -v txdeck)",
                needed_kib.saturating_mul(2).max(65_536)
            ),
            Cause::NoMemory { .. } => "Use fewer queues or a smaller ring".to_owned(),
            Cause::NoSuchDevice => "All devices: txdeck devices".to_owned(),
            Cause::NoSuchQueue { queues: Some(queues) } => format!(
                "Use --queues {}, or: ethtool -L {device} combined {}",
                queue_range(*queues),
                self.queue.saturating_add(1)
            ),
            Cause::NoSuchQueue { queues: None } => "Use --queues 0, or see: txdeck devices".to_owned(),
            Cause::QueueBusy => "Another AF_XDP program holds it: stop that, or use another queue".to_owned(),
            Cause::NoZeroCopy { .. } => "Use mode = \"copy\" (or \"auto\")".to_owned(),
            Cause::LinkDown => format!("To raise it: ip link set {device} up"),
            Cause::NoRight(right) => {
                let (key, off, capability) = right.names();
                let capability = capability.to_ascii_lowercase();
                format!("Use {key} = {off}, or once: sudo setcap cap_net_raw,{capability}+ep $(command -v txdeck)")
            }
            Cause::OldKernel { key, .. } => format!("Leave {key} out"),
            Cause::Refused { .. } => "See the log: txdeck -vv".to_owned(),
        }
    }
}

/// `0`, or `0..7`.
fn queue_range(queues: u32) -> String {
    match queues.saturating_sub(1) {
        0 => "0".to_owned(),
        last => format!("0..{last}"),
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { device, queue, errno, .. } = self;
        match &self.cause {
            Cause::BadRing { ring, most } => {
                write!(f, "tx.ring: {ring} is not a power of two in 1..{most}")?;
            }
            Cause::BadChunk { chunk_bytes } => {
                write!(f, "chunk size: {chunk_bytes} bytes is neither 2048 nor 4096")?;
            }
            Cause::BadChunks { chunks, most } => write!(f, "chunks: {chunks} is outside 1..{most}")?,
            Cause::NoCapNetRaw => {
                write!(f, "no right to open AF_XDP on {device}: CAP_NET_RAW is missing")?;
            }
            Cause::NoAfXdp => write!(f, "{device}: this kernel has no AF_XDP")?,
            Cause::Memlock { needed_kib, allowed_kib } => {
                write!(f, "{device} queue {queue}: its packet memory needs {needed_kib} KiB of locked memory")?;
                match allowed_kib {
                    Some(allowed) => {
                        write!(f, "; {allowed} KiB are allowed for all queues and programs of this user together")?;
                    }
                    None => write!(f, ", more than this user has left")?,
                }
            }
            Cause::NoMemory { needed_kib } => {
                write!(f, "{device} queue {queue}: no memory for {needed_kib} KiB of packets")?;
            }
            Cause::NoSuchDevice => write!(f, "{device}: no such device here")?,
            Cause::NoSuchQueue { queues: Some(queues) } => {
                let plural = if *queues == 1 { "" } else { "s" };
                let those = queue_range(*queues);
                write!(f, "{device} queue {queue}: this device has {queues} queue{plural}: {those}")?;
            }
            Cause::NoSuchQueue { queues: None } => write!(f, "{device} queue {queue}: this device has no such queue")?,
            Cause::QueueBusy => write!(f, "{device} queue {queue}: busy, tried for 1 s")?,
            Cause::NoZeroCopy { driver } => {
                let driver = driver.as_deref().unwrap_or("its driver");
                write!(f, "{device} queue {queue}: zero-copy is not supported by {driver}")?;
            }
            Cause::LinkDown => {
                write!(f, "{device} queue {queue}: the device is down and its driver opens no queue then")?
            }
            Cause::NoRight(right) => {
                let (key, _, capability) = right.names();
                write!(f, "{device} queue {queue}: {key} takes a right that is missing here: {capability}")?;
            }
            Cause::OldKernel { key, since } => {
                write!(f, "{device} queue {queue}: {key} needs Linux {since}, and this kernel does not know it")?;
            }
            Cause::Refused { step } => {
                let why = std::io::Error::from_raw_os_error(*errno);
                write!(f, "{device} queue {queue}: {step} failed: {why}")?;
            }
        }
        write!(f, ". {}", self.fix())
    }
}

impl std::error::Error for OpenError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(cause: Cause) -> OpenError {
        OpenError { device: "enp3s0f0".into(), queue: 8, cause, errno: libc::EINVAL }
    }

    #[test]
    fn a_missing_queue_is_told_with_the_ones_there_are() {
        assert_eq!(
            error(Cause::NoSuchQueue { queues: Some(8) }).to_string(),
            "enp3s0f0 queue 8: this device has 8 queues: 0..7. Use --queues 0..7, or: ethtool -L enp3s0f0 combined 9"
        );
    }

    #[test]
    fn a_lone_queue_is_no_range() {
        let told = error(Cause::NoSuchQueue { queues: Some(1) }).to_string();
        assert!(told.contains("has 1 queue: 0. Use --queues 0, or"), "{told}");
    }

    #[test]
    fn every_fix_is_a_sentence_of_its_own() {
        let causes = [
            Cause::BadRing { ring: 3, most: 8 },
            Cause::BadChunk { chunk_bytes: 1 },
            Cause::BadChunks { chunks: 0, most: 8 },
            Cause::NoCapNetRaw,
            Cause::NoAfXdp,
            Cause::Memlock { needed_kib: 1, allowed_kib: None },
            Cause::NoMemory { needed_kib: 1 },
            Cause::NoSuchDevice,
            Cause::NoSuchQueue { queues: None },
            Cause::QueueBusy,
            Cause::NoZeroCopy { driver: None },
            Cause::LinkDown,
            Cause::NoRight(Right::Priority),
            Cause::OldKernel { key: "tx.skb_budget", since: "6.17" },
            Cause::Refused { step: "a step" },
        ];
        for fix in causes.map(|cause| error(cause).fix()) {
            assert!(fix.starts_with(|first: char| first.is_ascii_uppercase()), "{fix}");
        }
    }

    #[test]
    fn a_missing_right_is_told_with_its_remedy() {
        assert_eq!(
            error(Cause::NoCapNetRaw).to_string(),
            "no right to open AF_XDP on enp3s0f0: CAP_NET_RAW is missing. \
             Once: sudo setcap cap_net_raw+ep $(command -v txdeck)"
        );
    }

    #[test]
    fn c48_a_bad_ring_is_told_with_the_next_good_one() {
        let told = |ring| error(Cause::BadRing { ring, most: 1 << 20 }).to_string();
        assert_eq!(told(1022), "tx.ring: 1022 is not a power of two in 1..1048576. Use ring = 1024");
        assert_eq!(told(0), "tx.ring: 0 is not a power of two in 1..1048576. Use ring = 1");
        assert_eq!(told(u32::MAX), "tx.ring: 4294967295 is not a power of two in 1..1048576. Use ring = 1048576");
    }

    #[test]
    fn c57_missing_zero_copy_names_the_driver_and_offers_copy() {
        let told = error(Cause::NoZeroCopy { driver: Some("veth".into()) }).to_string();
        assert!(told.contains("not supported by veth") && told.contains("mode = \"copy\""), "{told}");
    }
}
