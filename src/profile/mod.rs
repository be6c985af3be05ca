//! What to send: a profile is a list of flows and the settings of the senders.
//!
//! Text goes in and text comes out; this room reads no file, no clock and no device.

pub mod budget;
mod check;
pub mod conversations;
mod costs;
pub mod duration;
mod edit;
mod effective;
pub mod field;
mod file;
mod flows;
mod forms;
pub mod imix;
pub mod kind;
mod literal;
mod net;
mod notes;
mod problem;
mod rate;
mod read;
mod reference;
mod replay;
mod setting;
mod shipped;
mod short;
pub mod sizes;
mod stack;
mod value;
mod varying;

pub use conversations::{Conversations, TurnOrder};
pub use costs::{Cost, Costs};
pub use file::Document;
pub use problem::{Problem, Problems, nearest};
pub use rate::{Rate, RateError, WIRE_OVERHEAD_BYTES};
pub use reference::reference;
pub use replay::{Fcs, Odd, Replay, Timing};
pub use shipped::shipped;
pub use stack::Misfit;
pub use value::{Order, Share, Value};

/// A checked profile. Obtained from a [`Document`], never edited in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    pub name: String,
    pub note: String,
    pub tx: Tx,
    pub flows: Vec<Flow>,
}

/// `[tx]`: how the senders work.
#[derive(Debug, Clone, PartialEq)]
pub struct Tx {
    pub device: Option<String>,
    pub queues: Vec<u32>,
    /// Empty: allowed CPUs from the last downwards.
    pub cpus: Vec<u32>,
    /// SCHED_FIFO, 1..=99; 0: an ordinary thread.
    pub priority: u32,
    pub mode: Mode,
    pub need_wakeup: bool,
    /// 0: none.
    pub busy_poll_ns: u64,
    /// Descriptors one kick may take in copy mode; `None`: the kernel's own 32.
    pub skb_budget: Option<u32>,
    /// Descriptors in the TX and completion rings; a power of two.
    pub ring: u32,
    /// UMEM chunks a queue; `None`: max(512, what burst needs).
    pub chunks: Option<u32>,
    pub chunk_bytes: u32,
    pub huge_pages: bool,
    pub burst: u32,
    pub clone: u32,
    pub rate: Rate,
    /// Packets in total, copies included; 0: no limit.
    pub count: u64,
    /// 0: no limit.
    pub duration_ns: u64,
    pub seed: u64,
    /// What every packet pays again.
    pub cost: Costs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Auto,
    Copy,
    ZeroCopy,
}

/// One stream of packets.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    pub name: String,
    pub enabled: bool,
    /// Bytes of a frame without FCS.
    pub size: Value,
    /// Frames below 60 bytes are meant.
    pub runt: bool,
    pub eth: Eth,
    /// Outermost first.
    pub vlan: Vec<Vlan>,
    /// Outermost first; the last one is the bottom of the stack.
    pub mpls: Vec<Mpls>,
    pub arp: Option<Arp>,
    pub ip: Option<Ip>,
    pub udp: Option<Udp>,
    pub tcp: Option<Tcp>,
    pub icmp: Option<Icmp>,
    pub icmpv6: Option<Icmp>,
    /// The records of a capture, in place of all headers.
    pub replay: Option<Replay>,
    /// The frame's first bytes as they are, in place of all headers.
    pub raw: Option<Vec<u8>>,
    /// What varies in `raw`.
    pub patch: Vec<Patch>,
    pub payload: Payload,
    pub rate: Option<Rate>,
    pub count: u64,
    pub clone: Option<u32>,
    /// Share of an unpaced queue, in packets; at least 1.
    pub weight: u32,
    /// `None`: all queues of `tx`.
    pub queues: Option<Vec<u32>>,
    pub start_ns: u64,
    pub order: Order,
    /// `None`: addresses and ports vary with every build, as other fields do.
    pub conversations: Option<Conversations>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Eth {
    pub dst: Mac,
    pub src: Mac,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Mac {
    Is(Value),
    /// The sending device's own address.
    Device,
    /// What the kernel's neighbour table says of the flow's IP destination; never asked on the wire.
    Neighbour,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Vlan {
    pub id: Value,
    pub pcp: Value,
    pub dei: bool,
    pub tpid: Value,
}

/// One entry of a label stack; the bottom-of-stack bit is set by us.
#[derive(Debug, Clone, PartialEq)]
pub struct Mpls {
    pub label: Value,
    pub tc: Value,
    pub ttl: Value,
}

/// Ethernet and IPv4 addresses of two parties.
#[derive(Debug, Clone, PartialEq)]
pub struct Arp {
    /// 1 asks, 2 answers.
    pub op: Value,
    pub sha: Mac,
    pub spa: Value,
    pub tha: Mac,
    pub tpa: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ip {
    V4(Ipv4),
    V6(Ipv6),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ipv4 {
    pub src: Value,
    pub dst: Value,
    pub ttl: Value,
    pub dscp: Value,
    pub ecn: Value,
    pub id: Value,
    pub df: bool,
    pub mf: bool,
    /// In units of 8 bytes.
    pub fragment_offset: Value,
    /// `None`: that of the header behind, else "experimental" (253).
    pub protocol: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ipv6 {
    pub src: Value,
    pub dst: Value,
    pub hop_limit: Value,
    pub dscp: Value,
    pub ecn: Value,
    pub flow_label: Value,
    /// `None`: that of the header behind, else "experimental" (253).
    pub next_header: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Udp {
    pub src: Value,
    pub dst: Value,
    pub checksum: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tcp {
    pub src: Value,
    pub dst: Value,
    pub seq: Value,
    pub ack: Value,
    /// FIN is the lowest of nine bits.
    pub flags: Value,
    pub window: Value,
    pub urgent: Value,
    /// Always true: TCP has no way to go without.
    pub checksum: bool,
}

/// ICMP or ICMPv6 as an echo has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Icmp {
    pub kind: Value,
    pub code: Value,
    pub id: Value,
    pub seq: Value,
}

/// Some of the bytes of a raw frame, as one number in network order.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// Bytes before it.
    pub at: u32,
    /// Bytes: 1, 2, 4, 6 or 8.
    pub width: u32,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// magic, seq, time (16 bytes), then 2 bytes of stream number where room is left; zeros behind.
    Pktgen,
    /// The bytes repeat to the end of the frame.
    Pattern(Vec<u8>),
    /// The bytes once; zeros behind.
    Hex(Vec<u8>),
    /// The text once, as UTF-8; zeros behind.
    Text(String),
    /// Seeded, other bytes in every build.
    Random,
    Zero,
}

/// Structs before the table of fields has filled them: empty of meaning, never seen outside this room. They stand
/// here so that a new field has its place in one file.
mod blank {
    use super::{
        Arp, Conversations, Costs, Eth, Fcs, Flow, Icmp, Ipv4, Ipv6, Mac, Mode, Mpls, Odd, Order, Patch, Payload,
        Profile, Rate, Replay, Tcp, Timing, TurnOrder, Tx, Udp, Value, Vlan,
    };

    const ZERO: Value = Value::Fixed(0);

    pub(super) fn profile() -> Profile {
        let tx = Tx {
            device: None,
            queues: Vec::new(),
            cpus: Vec::new(),
            priority: 0,
            mode: Mode::Auto,
            need_wakeup: false,
            busy_poll_ns: 0,
            skb_budget: None,
            ring: 0,
            chunks: None,
            chunk_bytes: 0,
            huge_pages: false,
            burst: 0,
            clone: 0,
            rate: Rate::Max,
            count: 0,
            duration_ns: 0,
            seed: 0,
            cost: Costs::default(),
        };
        Profile { name: String::new(), note: String::new(), tx, flows: Vec::new() }
    }

    pub(super) fn flow() -> Flow {
        Flow {
            name: String::new(),
            enabled: false,
            size: ZERO,
            runt: false,
            eth: Eth { dst: Mac::Is(ZERO), src: Mac::Device },
            vlan: Vec::new(),
            mpls: Vec::new(),
            arp: None,
            ip: None,
            udp: None,
            tcp: None,
            icmp: None,
            icmpv6: None,
            replay: None,
            raw: None,
            patch: Vec::new(),
            payload: Payload::Pktgen,
            rate: None,
            count: 0,
            clone: None,
            weight: 0,
            queues: None,
            start_ns: 0,
            order: Order::Together,
            conversations: None,
        }
    }

    pub(super) fn conversations() -> Conversations {
        Conversations { count: 0, length: 0, order: TurnOrder::Sequential }
    }

    pub(super) fn vlan() -> Vlan {
        Vlan { id: ZERO, pcp: ZERO, dei: false, tpid: ZERO }
    }

    pub(super) fn mpls() -> Mpls {
        Mpls { label: ZERO, tc: ZERO, ttl: ZERO }
    }

    pub(super) fn arp() -> Arp {
        Arp { op: ZERO, sha: Mac::Device, spa: ZERO, tha: Mac::Is(ZERO), tpa: ZERO }
    }

    pub(super) fn ipv4() -> Ipv4 {
        Ipv4 {
            src: ZERO,
            dst: ZERO,
            ttl: ZERO,
            dscp: ZERO,
            ecn: ZERO,
            id: ZERO,
            df: false,
            mf: false,
            fragment_offset: ZERO,
            protocol: None,
        }
    }

    pub(super) fn ipv6() -> Ipv6 {
        Ipv6 { src: ZERO, dst: ZERO, hop_limit: ZERO, dscp: ZERO, ecn: ZERO, flow_label: ZERO, next_header: None }
    }

    pub(super) fn tcp() -> Tcp {
        Tcp { src: ZERO, dst: ZERO, seq: ZERO, ack: ZERO, flags: ZERO, window: ZERO, urgent: ZERO, checksum: false }
    }

    pub(super) fn icmp() -> Icmp {
        Icmp { kind: ZERO, code: ZERO, id: ZERO, seq: ZERO }
    }

    pub(super) fn patch() -> Patch {
        Patch { at: 0, width: 0, value: ZERO }
    }

    pub(super) fn replay() -> Replay {
        Replay {
            file: String::new(),
            folder: String::new(),
            timing: Timing::Original,
            speed: 1.0,
            loops: 0,
            odd: Odd::Refuse,
            fcs: Fcs::Strip,
        }
    }

    pub(super) fn udp() -> Udp {
        Udp { src: ZERO, dst: ZERO, checksum: false }
    }
}
