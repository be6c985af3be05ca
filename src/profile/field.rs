//! The one table of profile fields. Reading, checking, `set` and `get`, the effective text, the reference and
//! the console's form all come from its rows; a new field is a row here and a member of its struct.

use super::{
    Arp, Conversations, Eth, Flow, Icmp, Ip, Ipv4, Ipv6, Mac, Mpls, Patch, Profile, Replay, Tcp, Udp, Vlan,
    conversations::MOST_CONVERSATIONS,
    costs::COST_WORDS,
    kind::Kind,
    replay::{FCS_WORDS, ODD_WORDS, TIMING_WORDS},
    setting::{MODE_WORDS, ORDER_WORDS, PAYLOAD_WORDS, Slot, TURN_WORDS},
};

/// When a change of a field reaches the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    NextBurst,
    Restart,
}

/// Whether a field may hold a sweep, random range or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Literal,
    MayVary,
    /// … or several values by weight.
    MayMix,
}

impl Form {
    pub fn may_vary(self) -> bool {
        self != Form::Literal
    }
}

/// What a field holds when a profile does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// TOML text.
    Is(&'static str),
    /// Not set, which means this.
    Unset(&'static str),
    /// The profile must say.
    Required,
}

/// One row of the table.
pub struct Field {
    /// Dotted, without names and numbers: `tx.burst`, `flow.udp.dst`, `flow.vlan.id`.
    pub key: &'static str,
    pub kind: Kind,
    pub form: Form,
    pub fallback: Fallback,
    pub effect: Effect,
    /// One sentence.
    pub meaning: &'static str,
    pub(super) lens: Lens,
}

impl Field {
    /// What it may hold besides one value, as people type it; `None` where it cannot vary.
    pub fn forms(&self) -> Option<&'static str> {
        match (self.form, self.kind.address_bits()) {
            (Form::Literal, _) => None,
            (Form::MayMix, _) => Some("A..B, A..B:STEP, A,B,C, random A..B, imix A:7,B:1"),
            (Form::MayVary, Some(_)) => Some("A..B, A..B:STEP, A,B,C, random A..B, A/BITS"),
            (Form::MayVary, None) => Some("A..B, A..B:STEP, A,B,C, random A..B"),
        }
    }
}

/// How a field reaches its place; `None` where the flow lacks that header.
pub(super) enum Lens {
    /// Checked when read, kept nowhere.
    Nowhere,
    Profile(fn(&mut Profile) -> Slot<'_>),
    Flow(fn(&mut Flow) -> Option<Slot<'_>>),
    Vlan(fn(&mut Vlan) -> Slot<'_>),
    Mpls(fn(&mut Mpls) -> Slot<'_>),
    Patch(fn(&mut Patch) -> Slot<'_>),
}

/// A table, or list of tables, that holds fields.
pub struct Group {
    pub key: &'static str,
    pub shape: Shape,
    pub meaning: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    One,
    Many,
}

pub static GROUPS: &[Group] = &[
    Group { key: "tx", shape: Shape::One, meaning: "How the senders work." },
    Group { key: "flow", shape: Shape::Many, meaning: "One stream of packets; at least one." },
    Group {
        key: "flow.flows",
        shape: Shape::One,
        meaning: "Many conversations out of one flow, each with addresses and ports of its own (a 5-tuple).",
    },
    Group { key: "flow.eth", shape: Shape::One, meaning: "Ethernet header." },
    Group { key: "flow.vlan", shape: Shape::Many, meaning: "VLAN tags, outermost first, at most 8." },
    Group {
        key: "flow.mpls",
        shape: Shape::Many,
        meaning: "MPLS labels in front of IP, outermost first, at most 16; the bottom of the stack is marked by itself.",
    },
    Group { key: "flow.arp", shape: Shape::One, meaning: "ARP for IPv4 over Ethernet; in place of IP." },
    Group { key: "flow.ipv4", shape: Shape::One, meaning: "IPv4 header; a flow has this, or ipv6, or neither." },
    Group { key: "flow.ipv6", shape: Shape::One, meaning: "IPv6 header." },
    Group { key: "flow.udp", shape: Shape::One, meaning: "UDP header; needs ipv4 or ipv6." },
    Group { key: "flow.tcp", shape: Shape::One, meaning: "TCP header; needs ipv4 or ipv6." },
    Group { key: "flow.icmp", shape: Shape::One, meaning: "ICMP echo header; needs ipv4." },
    Group { key: "flow.icmpv6", shape: Shape::One, meaning: "ICMPv6 echo header; needs ipv6." },
    Group {
        key: "flow.replay",
        shape: Shape::One,
        meaning: "The packets of a capture (pcap, pcapng, gzip of them), in place of all headers, byte for byte and in the order of the file.",
    },
    Group {
        key: "flow.raw",
        shape: Shape::One,
        meaning: "A frame given as bytes, in place of all headers, eth included: no length and no checksum is put right.",
    },
    Group { key: "flow.patch", shape: Shape::Many, meaning: "What varies in the bytes of raw, at most 64 places." },
    Group { key: "flow.payload", shape: Shape::One, meaning: "What fills the frame behind the headers." },
];

const LARGEST: u64 = i64::MAX as u64;
const U16: Kind = Kind::Number { min: 0, max: 0xffff };
const U32: Kind = Kind::Number { min: 0, max: 0xffff_ffff };
const BYTE: Kind = Kind::Number { min: 0, max: 255 };
const MAX_PACKETS: Kind = Kind::Number { min: 0, max: LARGEST };
const CLONES: Kind = Kind::Number { min: 0, max: 1_000_000_000 };

/// A literal that acts at the next burst, the commonest row.
const fn row(key: &'static str, kind: Kind, fallback: Fallback, lens: Lens, meaning: &'static str) -> Field {
    Field { key, kind, form: Form::Literal, fallback, effect: Effect::NextBurst, meaning, lens }
}

const fn restart(field: Field) -> Field {
    Field { effect: Effect::Restart, ..field }
}

const fn varies(field: Field) -> Field {
    Field { form: Form::MayVary, ..field }
}

const fn mixes(field: Field) -> Field {
    Field { form: Form::MayMix, ..field }
}

use Fallback::{Is, Required, Unset};

/// In the order of a profile; the order in which `nested` fields turn, fastest first.
#[rustfmt::skip]
pub static FIELDS: &[Field] = &[
    row("version", Kind::OneOf(&[1]), Required, Lens::Nowhere,
        "Version of this format; always 1."),
    row("name", Kind::Text { max: 64 }, Is("\"\""), Lens::Profile(|p| Slot::Text(&mut p.name)),
        "Name of the profile."),
    row("note", Kind::Text { max: 1000 }, Is("\"\""), Lens::Profile(|p| Slot::Text(&mut p.note)),
        "What the profile is for."),

    restart(row("tx.device", Kind::Device, Unset("the lab or -i names it"), Lens::Profile(|p| Slot::MaybeText(&mut p.tx.device)),
        "Network device to send on.")),
    restart(row("tx.queues", Kind::Numbers { max: 1023, distinct: true }, Is("[0]"), Lens::Profile(|p| Slot::Numbers(&mut p.tx.queues)),
        "Device queues; one sender thread each.")),
    restart(row("tx.cpus", Kind::Numbers { max: 8191, distinct: false }, Unset("allowed CPUs from the last downwards"), Lens::Profile(|p| Slot::Numbers(&mut p.tx.cpus)),
        "CPU each sender is pinned to, one per queue.")),
    restart(row("tx.priority", Kind::Number { min: 0, max: 99 }, Is("0"), Lens::Profile(|p| Slot::U32(&mut p.tx.priority)),
        "Real-time priority of the senders (SCHED_FIFO): nothing ordinary takes their CPU; 0 is an ordinary thread. Takes CAP_SYS_NICE.")),
    restart(row("tx.mode", Kind::Choice(MODE_WORDS), Is("\"auto\""), Lens::Profile(|p| Slot::Mode(&mut p.tx.mode)),
        "How packets reach the driver; auto takes zero-copy where the driver has it.")),
    restart(row("tx.need_wakeup", Kind::Switch, Is("true"), Lens::Profile(|p| Slot::Switch(&mut p.tx.need_wakeup)),
        "Call the kernel only when it asks to be called.")),
    restart(row("tx.busy_poll", Kind::Duration, Is("\"0s\""), Lens::Profile(|p| Slot::U64(&mut p.tx.busy_poll_ns)),
        "The sender works the queue's interrupt handler itself, this long a kick at most; 0 leaves that to interrupts. Takes CAP_NET_ADMIN.")),
    restart(row("tx.skb_budget", Kind::Number { min: 32, max: 32768 }, Unset("the kernel's own, 32"), Lens::Profile(|p| Slot::MaybeU32(&mut p.tx.skb_budget)),
        "Descriptors that one kick may take in copy mode, at most ring; needs Linux 6.17.")),
    restart(row("tx.ring", Kind::PowerOfTwo { min: 64, max: 32768 }, Is("2048"), Lens::Profile(|p| Slot::U32(&mut p.tx.ring)),
        "Descriptors in the transmit and completion rings.")),
    restart(row("tx.chunks", Kind::Number { min: 2, max: 1_048_576 }, Unset("max(512, 2 x burst)"), Lens::Profile(|p| Slot::MaybeU32(&mut p.tx.chunks)),
        "Packet memories per queue; at least 2 x burst.")),
    restart(row("tx.chunk_bytes", Kind::OneOf(&[2048, 4096]), Is("2048"), Lens::Profile(|p| Slot::U32(&mut p.tx.chunk_bytes)),
        "Bytes of one chunk of packet memory. Frames above 1792 or 3840 bytes take several, side by side; that needs Linux 6.6.")),
    restart(row("tx.huge_pages", Kind::Switch, Is("false"), Lens::Profile(|p| Slot::Switch(&mut p.tx.huge_pages)),
        "Packet memory in huge pages, ordinary ones when none are reserved.")),
    row("tx.burst", Kind::Number { min: 1, max: 16384 }, Is("32"), Lens::Profile(|p| Slot::U32(&mut p.tx.burst)),
        "Packets per doorbell, each with contents of its own (kernel pktgen's burst repeats one); at most ring / 2."),
    row("tx.clone", CLONES, Is("0"), Lens::Profile(|p| Slot::U32(&mut p.tx.clone)),
        "Sends of each built packet, the same bytes, as clone_skb does; 0 and 1 build every packet anew."),
    row("tx.rate", Kind::Rate, Is("\"max\""), Lens::Profile(|p| Slot::Rate(&mut p.tx.rate)),
        "Total over all queues and flows."),
    row("tx.count", MAX_PACKETS, Is("0"), Lens::Profile(|p| Slot::U64(&mut p.tx.count)),
        "Packets in total, copies included; 0 is no limit."),
    row("tx.duration", Kind::Duration, Is("\"0s\""), Lens::Profile(|p| Slot::U64(&mut p.tx.duration_ns)),
        "How long to send; 0 is no limit."),
    row("tx.seed", MAX_PACKETS, Is("7"), Lens::Profile(|p| Slot::U64(&mut p.tx.seed)),
        "Seed of all random fields: same seed, same packets."),
    row("tx.cost", Kind::Words(COST_WORDS), Is("[]"), Lens::Profile(|p| Slot::Costs(&mut p.tx.cost)),
        "What each packet pays again that the sender is rid of, to see what it takes: a LOCK-prefixed add, a line or a mutex shared by all senders, a full barrier, a system call, a clock reading."),

    row("flow.name", Kind::Name, Unset("flow-1, flow-2, ... by place"), Lens::Flow(|f| Some(Slot::Text(&mut f.name))),
        "Name of the flow; random fields depend on it."),
    row("flow.enabled", Kind::Switch, Is("true"), Lens::Flow(|f| Some(Slot::Switch(&mut f.enabled))),
        "Whether the flow sends."),
    mixes(row("flow.size", Kind::Number { min: 0, max: 65535 }, Is("60"), Lens::Flow(|f| own(f, |f| Slot::Varying(&mut f.size))),
        "Bytes of a frame without FCS; the headers must fit. What the device takes is its MTU and 14 more.")),
    row("flow.runt", Kind::Switch, Is("false"), Lens::Flow(|f| Some(Slot::Switch(&mut f.runt))),
        "Frames below 60 bytes are meant and sent as they are."),
    row("flow.rate", Kind::Rate, Unset("the flow shares what others leave"), Lens::Flow(|f| Some(Slot::MaybeRate(&mut f.rate))),
        "Rate of this flow over all its queues."),
    row("flow.count", MAX_PACKETS, Is("0"), Lens::Flow(|f| Some(Slot::U64(&mut f.count))),
        "Packets of this flow, copies included; 0 is no limit."),
    row("flow.clone", CLONES, Unset("tx.clone"), Lens::Flow(|f| Some(Slot::MaybeU32(&mut f.clone))),
        "Sends of each built packet of this flow."),
    row("flow.weight", Kind::Number { min: 1, max: 1_000_000 }, Is("1"), Lens::Flow(|f| Some(Slot::U32(&mut f.weight))),
        "Share of the packets among flows without a rate."),
    row("flow.queues", Kind::Numbers { max: 1023, distinct: true }, Unset("all of tx.queues"), Lens::Flow(|f| Some(Slot::MaybeNumbers(&mut f.queues))),
        "Queues that send this flow, out of tx.queues."),
    row("flow.start", Kind::Duration, Is("\"0s\""), Lens::Flow(|f| Some(Slot::U64(&mut f.start_ns))),
        "Delay before the flow begins."),
    row("flow.order", Kind::Choice(ORDER_WORDS), Is("\"together\""), Lens::Flow(|f| own(f, |f| Slot::Order(&mut f.order))),
        "Varying fields advance as one, or as an odometer."),

    row("flow.flows.count", Kind::Number { min: 1, max: MOST_CONVERSATIONS as u64 }, Is("1"), Lens::Flow(|f| conversations(f, |c| Slot::U32(&mut c.count))),
        "Conversations; the addresses and ports that vary must be able to make as many."),
    row("flow.flows.length", Kind::Number { min: 1, max: 1_000_000_000 }, Is("1"), Lens::Flow(|f| conversations(f, |c| Slot::U32(&mut c.length))),
        "Built packets of each; after count x length the same conversations begin again."),
    row("flow.flows.order", Kind::Choice(TURN_WORDS), Is("\"sequential\""), Lens::Flow(|f| conversations(f, |c| Slot::TurnOrder(&mut c.order))),
        "sequential: all packets of one, then the next; interleaved: one packet of each in turn; random: shuffled, each as often."),

    varies(row("flow.eth.dst", Kind::Mac { word: "neighbour" }, Required, Lens::Flow(|f| eth(f, |eth| Slot::Mac(&mut eth.dst, Mac::Neighbour))),
        "Destination MAC, or what the kernel's neighbour table has for the IP destination.")),
    varies(row("flow.eth.src", Kind::Mac { word: "device" }, Is("\"device\""), Lens::Flow(|f| eth(f, |eth| Slot::Mac(&mut eth.src, Mac::Device))),
        "Source MAC, or the sending device's own.")),

    varies(row("flow.vlan.id", Kind::Number { min: 0, max: 4095 }, Is("0"), Lens::Vlan(|v| Slot::Varying(&mut v.id)),
        "VLAN; 0 tags the priority only, 4095 is reserved.")),
    varies(row("flow.vlan.pcp", Kind::Number { min: 0, max: 7 }, Is("0"), Lens::Vlan(|v| Slot::Varying(&mut v.pcp)),
        "Priority code point.")),
    row("flow.vlan.dei", Kind::Switch, Is("false"), Lens::Vlan(|v| Slot::Switch(&mut v.dei)),
        "Drop eligible indicator."),
    varies(row("flow.vlan.tpid", Kind::Hex { min: 0x0600, max: 0xffff }, Is("0x8100"), Lens::Vlan(|v| Slot::Varying(&mut v.tpid)),
        "Ethertype of the tag; 0x88a8 for an outer tag of 802.1ad.")),

    varies(row("flow.mpls.label", Kind::Number { min: 0, max: 0xf_ffff }, Is("16"), Lens::Mpls(|m| Slot::Varying(&mut m.label)),
        "Label; 0 to 15 are reserved.")),
    varies(row("flow.mpls.tc", Kind::Number { min: 0, max: 7 }, Is("0"), Lens::Mpls(|m| Slot::Varying(&mut m.tc)),
        "Traffic class.")),
    varies(row("flow.mpls.ttl", Kind::Number { min: 0, max: 255 }, Is("64"), Lens::Mpls(|m| Slot::Varying(&mut m.ttl)),
        "Time to live.")),

    varies(row("flow.arp.op", U16, Is("1"), Lens::Flow(|f| arp(f, |arp| Slot::Varying(&mut arp.op))),
        "Operation: 1 asks, 2 answers.")),
    varies(row("flow.arp.sha", Kind::Mac { word: "device" }, Is("\"device\""), Lens::Flow(|f| arp(f, |arp| Slot::Mac(&mut arp.sha, Mac::Device))),
        "Sender's MAC, or the sending device's own.")),
    varies(row("flow.arp.spa", Kind::Ipv4, Is("\"198.18.0.1\""), Lens::Flow(|f| arp(f, |arp| Slot::Varying(&mut arp.spa))),
        "Sender's address.")),
    varies(row("flow.arp.tha", Kind::Mac { word: "device" }, Is("\"00:00:00:00:00:00\""), Lens::Flow(|f| arp(f, |arp| Slot::Mac(&mut arp.tha, Mac::Device))),
        "Target's MAC: unknown (zeros) in a question; or the sending device's own.")),
    varies(row("flow.arp.tpa", Kind::Ipv4, Is("\"198.18.0.2\""), Lens::Flow(|f| arp(f, |arp| Slot::Varying(&mut arp.tpa))),
        "Target's address: whose MAC is asked for.")),

    varies(row("flow.ipv4.src", Kind::Ipv4, Is("\"198.18.0.1\""), Lens::Flow(|f| v4(f, |ip| &mut ip.src)),
        "Source address.")),
    varies(row("flow.ipv4.dst", Kind::Ipv4, Is("\"198.18.0.2\""), Lens::Flow(|f| v4(f, |ip| &mut ip.dst)),
        "Destination address.")),
    varies(row("flow.ipv4.ttl", Kind::Number { min: 0, max: 255 }, Is("64"), Lens::Flow(|f| v4(f, |ip| &mut ip.ttl)),
        "Time to live.")),
    varies(row("flow.ipv4.dscp", Kind::Number { min: 0, max: 63 }, Is("0"), Lens::Flow(|f| v4(f, |ip| &mut ip.dscp)),
        "Differentiated services code point.")),
    varies(row("flow.ipv4.ecn", Kind::Number { min: 0, max: 3 }, Is("0"), Lens::Flow(|f| v4(f, |ip| &mut ip.ecn)),
        "Explicit congestion notification.")),
    varies(row("flow.ipv4.id", U16, Is("0"), Lens::Flow(|f| v4(f, |ip| &mut ip.id)),
        "Identification.")),
    row("flow.ipv4.df", Kind::Switch, Is("false"), Lens::Flow(|f| v4_slot(f, |ip| Slot::Switch(&mut ip.df))),
        "Do not fragment."),
    row("flow.ipv4.mf", Kind::Switch, Is("false"), Lens::Flow(|f| v4_slot(f, |ip| Slot::Switch(&mut ip.mf))),
        "More fragments follow."),
    varies(row("flow.ipv4.fragment_offset", Kind::Number { min: 0, max: 8191 }, Is("0"), Lens::Flow(|f| v4(f, |ip| &mut ip.fragment_offset)),
        "Place of this fragment, in units of 8 bytes.")),
    varies(row("flow.ipv4.protocol", BYTE, Unset("17 before udp, 6 before tcp, 1 before icmp, else 253"), Lens::Flow(|f| v4_slot(f, |ip| Slot::MaybeVarying(&mut ip.protocol))),
        "What the packet carries where no header behind says it.")),

    varies(row("flow.ipv6.src", Kind::Ipv6, Is("\"2001:db8::1\""), Lens::Flow(|f| v6(f, |ip| &mut ip.src)),
        "Source address.")),
    varies(row("flow.ipv6.dst", Kind::Ipv6, Is("\"2001:db8::2\""), Lens::Flow(|f| v6(f, |ip| &mut ip.dst)),
        "Destination address.")),
    varies(row("flow.ipv6.hop_limit", Kind::Number { min: 0, max: 255 }, Is("64"), Lens::Flow(|f| v6(f, |ip| &mut ip.hop_limit)),
        "Hop limit.")),
    varies(row("flow.ipv6.dscp", Kind::Number { min: 0, max: 63 }, Is("0"), Lens::Flow(|f| v6(f, |ip| &mut ip.dscp)),
        "Differentiated services code point.")),
    varies(row("flow.ipv6.ecn", Kind::Number { min: 0, max: 3 }, Is("0"), Lens::Flow(|f| v6(f, |ip| &mut ip.ecn)),
        "Explicit congestion notification.")),
    varies(row("flow.ipv6.flow_label", Kind::Number { min: 0, max: 0xf_ffff }, Is("0"), Lens::Flow(|f| v6(f, |ip| &mut ip.flow_label)),
        "Flow label.")),
    varies(row("flow.ipv6.next_header", BYTE, Unset("17 before udp, 6 before tcp, 58 before icmpv6, else 253"), Lens::Flow(|f| v6_slot(f, |ip| Slot::MaybeVarying(&mut ip.next_header))),
        "What the packet carries where no header behind says it.")),

    varies(row("flow.udp.src", U16, Is("9"), Lens::Flow(|f| udp(f, |udp| Slot::Varying(&mut udp.src))),
        "Source port.")),
    varies(row("flow.udp.dst", U16, Is("9"), Lens::Flow(|f| udp(f, |udp| Slot::Varying(&mut udp.dst))),
        "Destination port; 9 is discard.")),
    row("flow.udp.checksum", Kind::Switch, Is("true"), Lens::Flow(|f| udp(f, |udp| Slot::Switch(&mut udp.checksum))),
        "A right checksum in every frame; false (0 in the field) over IPv4 only."),

    varies(row("flow.tcp.src", U16, Is("9"), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.src))),
        "Source port.")),
    varies(row("flow.tcp.dst", U16, Is("9"), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.dst))),
        "Destination port; 9 is discard.")),
    varies(row("flow.tcp.seq", U32, Is("0"), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.seq))),
        "Sequence number.")),
    varies(row("flow.tcp.ack", U32, Is("0"), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.ack))),
        "Acknowledgement number.")),
    varies(row("flow.tcp.flags", Kind::Flags(TCP_FLAGS), Is("\"syn\""), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.flags))),
        "Flags, joined with +.")),
    varies(row("flow.tcp.window", U16, Is("65535"), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.window))),
        "Receive window.")),
    varies(row("flow.tcp.urgent", U16, Is("0"), Lens::Flow(|f| tcp(f, |tcp| Slot::Varying(&mut tcp.urgent))),
        "Urgent pointer.")),
    row("flow.tcp.checksum", Kind::Switch, Is("true"), Lens::Flow(|f| tcp(f, |tcp| Slot::Switch(&mut tcp.checksum))),
        "A right checksum in every frame; false is refused, TCP has no way to go without."),

    varies(row("flow.icmp.type", BYTE, Is("8"), Lens::Flow(|f| icmp(&mut f.icmp, |icmp| &mut icmp.kind)),
        "8 is an echo request, 0 its reply.")),
    varies(row("flow.icmp.code", BYTE, Is("0"), Lens::Flow(|f| icmp(&mut f.icmp, |icmp| &mut icmp.code)),
        "Code.")),
    varies(row("flow.icmp.id", U16, Is("0"), Lens::Flow(|f| icmp(&mut f.icmp, |icmp| &mut icmp.id)),
        "Identifier of an echo; other types have these two bytes for themselves.")),
    varies(row("flow.icmp.seq", U16, Is("0"), Lens::Flow(|f| icmp(&mut f.icmp, |icmp| &mut icmp.seq)),
        "Sequence number of an echo; other types have these two bytes for themselves.")),

    varies(row("flow.icmpv6.type", BYTE, Is("128"), Lens::Flow(|f| icmp(&mut f.icmpv6, |icmp| &mut icmp.kind)),
        "128 is an echo request, 129 its reply.")),
    varies(row("flow.icmpv6.code", BYTE, Is("0"), Lens::Flow(|f| icmp(&mut f.icmpv6, |icmp| &mut icmp.code)),
        "Code.")),
    varies(row("flow.icmpv6.id", U16, Is("0"), Lens::Flow(|f| icmp(&mut f.icmpv6, |icmp| &mut icmp.id)),
        "Identifier of an echo; other types have these two bytes for themselves.")),
    varies(row("flow.icmpv6.seq", U16, Is("0"), Lens::Flow(|f| icmp(&mut f.icmpv6, |icmp| &mut icmp.seq)),
        "Sequence number of an echo; other types have these two bytes for themselves.")),

    row("flow.replay.file", Kind::Text { max: 4096 }, Unset("needed by replay"), Lens::Flow(|f| replay(f, |r| Slot::Text(&mut r.file))),
        "The capture; a path that does not begin with / begins at the profile's own folder."),
    row("flow.replay.timing", Kind::Choice(TIMING_WORDS), Is("\"original\""), Lens::Flow(|f| replay(f, |r| Slot::Timing(&mut r.timing))),
        "original: as far apart as captured; rate: at the flow's rate, or as fast as it goes."),
    row("flow.replay.speed", Kind::Factor { most: 1000 }, Is("1.0"), Lens::Flow(|f| replay(f, |r| Slot::Factor(&mut r.speed))),
        "How many times faster than captured; with the original timing only."),
    row("flow.replay.loops", U32, Is("0"), Lens::Flow(|f| replay(f, |r| Slot::U32(&mut r.loops))),
        "Passes over the capture, a mean gap between two of them; 0 is no limit."),
    row("flow.replay.odd", Kind::Choice(ODD_WORDS), Is("\"refuse\""), Lens::Flow(|f| replay(f, |r| Slot::Odd(&mut r.odd))),
        "Records that were cut off, are below 60 bytes (runt = true sends these) or too long. refuse: none is sent; skip: they are left out; pad: zeros fill those too short, up to what they were; cut: those too long lose their end, those cut off stay so. What a choice cannot mend is left out."),
    row("flow.replay.fcs", Kind::Choice(FCS_WORDS), Is("\"strip\""), Lens::Flow(|f| replay(f, |r| Slot::Fcs(&mut r.fcs))),
        "A correct FCS at the end of a record. strip: left out, the device adds its own; keep: sent as data."),

    row("flow.raw.bytes", Kind::Bytes { max: 65535 }, Unset("needed by raw"), Lens::Flow(|f| f.raw.as_mut().map(Slot::Bytes)),
        "The frame from its destination MAC on; the payload fills what size leaves behind them."),

    row("flow.patch.at", Kind::Number { min: 0, max: 65534 }, Is("0"), Lens::Patch(|p| Slot::U32(&mut p.at)),
        "Bytes in front of the place, from the start of the frame."),
    row("flow.patch.width", Kind::OneOf(&[1, 2, 4, 6, 8]), Is("2"), Lens::Patch(|p| Slot::U32(&mut p.width)),
        "Bytes of the place."),
    varies(row("flow.patch.value", MAX_PACKETS, Is("0"), Lens::Patch(|p| Slot::Varying(&mut p.value)),
        "What stands there, as a number in network order.")),

    row("flow.payload.kind", Kind::Choice(PAYLOAD_WORDS), Is("\"pktgen\""), Lens::Flow(|f| own(f, |f| Slot::PayloadKind(&mut f.payload))),
        "pktgen: magic, sequence number, time, stream number; pattern: bytes repeated; hex or text: once, zeros behind; random: seeded, other bytes in every build; zero."),
    row("flow.payload.bytes", Kind::Bytes { max: 2048 }, Unset("needed by kind = \"pattern\" and \"hex\", refused otherwise"), Lens::Flow(|f| own(f, |f| Slot::PayloadBytes(&mut f.payload))),
        "The bytes of a pattern, or of hex."),
    row("flow.payload.text", Kind::Text { max: 2048 }, Unset("needed by kind = \"text\", refused otherwise"), Lens::Flow(|f| own(f, |f| Slot::PayloadText(&mut f.payload))),
        "The text, sent as UTF-8."),
];

/// From the lowest bit up.
const TCP_FLAGS: &[&str] = &["fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns"];

/// What a replay leaves to its records.
fn own(flow: &mut Flow, member: fn(&mut Flow) -> Slot<'_>) -> Option<Slot<'_>> {
    if flow.replay.is_some() { None } else { Some(member(flow)) }
}

/// Raw and captured frames have their addresses in their bytes.
fn eth(flow: &mut Flow, member: fn(&mut Eth) -> Slot<'_>) -> Option<Slot<'_>> {
    if flow.raw.is_some() || flow.replay.is_some() { None } else { Some(member(&mut flow.eth)) }
}

fn replay(flow: &mut Flow, member: fn(&mut Replay) -> Slot<'_>) -> Option<Slot<'_>> {
    flow.replay.as_mut().map(member)
}

fn arp(flow: &mut Flow, member: fn(&mut Arp) -> Slot<'_>) -> Option<Slot<'_>> {
    flow.arp.as_mut().map(member)
}

fn tcp(flow: &mut Flow, member: fn(&mut Tcp) -> Slot<'_>) -> Option<Slot<'_>> {
    flow.tcp.as_mut().map(member)
}

fn icmp(icmp: &mut Option<Icmp>, member: fn(&mut Icmp) -> &mut super::Value) -> Option<Slot<'_>> {
    icmp.as_mut().map(|icmp| Slot::Varying(member(icmp)))
}

fn v4(flow: &mut Flow, member: fn(&mut Ipv4) -> &mut super::Value) -> Option<Slot<'_>> {
    match &mut flow.ip {
        Some(Ip::V4(ip)) => Some(Slot::Varying(member(ip))),
        _ => None,
    }
}

fn v4_slot(flow: &mut Flow, member: fn(&mut Ipv4) -> Slot<'_>) -> Option<Slot<'_>> {
    match &mut flow.ip {
        Some(Ip::V4(ip)) => Some(member(ip)),
        _ => None,
    }
}

fn v6(flow: &mut Flow, member: fn(&mut Ipv6) -> &mut super::Value) -> Option<Slot<'_>> {
    match &mut flow.ip {
        Some(Ip::V6(ip)) => Some(Slot::Varying(member(ip))),
        _ => None,
    }
}

fn v6_slot(flow: &mut Flow, member: fn(&mut Ipv6) -> Slot<'_>) -> Option<Slot<'_>> {
    match &mut flow.ip {
        Some(Ip::V6(ip)) => Some(member(ip)),
        _ => None,
    }
}

fn conversations(flow: &mut Flow, member: fn(&mut Conversations) -> Slot<'_>) -> Option<Slot<'_>> {
    flow.conversations.as_mut().map(member)
}

fn udp(flow: &mut Flow, member: fn(&mut Udp) -> Slot<'_>) -> Option<Slot<'_>> {
    flow.udp.as_mut().map(member)
}

pub fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.key == key)
}

pub fn group(key: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.key == key)
}

/// The fields directly in a group; `""` is the top of the file.
pub fn fields_of(group: &str) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| parent(field.key) == group)
}

/// The names (last parts) of everything that may stand directly in a group.
pub(super) fn names_in(group: &str) -> impl Iterator<Item = &'static str> {
    let fields = FIELDS.iter().map(|field| field.key);
    let groups = GROUPS.iter().map(|group| group.key);
    fields.chain(groups).filter(move |key| parent(key) == group).map(last)
}

/// Everything in front of the last part.
pub fn parent(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(parent, _)| parent)
}

/// The last part of a dotted key.
pub fn last(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_field_stands_once_in_a_known_group() {
        let mut seen = BTreeSet::new();
        for field in FIELDS {
            assert!(seen.insert(field.key), "{} twice", field.key);
            assert!(parent(field.key).is_empty() || group(parent(field.key)).is_some(), "{}", field.key);
            assert!(field.meaning.ends_with('.'), "{}", field.key);
        }
    }
}
