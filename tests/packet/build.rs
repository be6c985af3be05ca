//! Profiles made by hand, so these tests do not depend on the text parser.
#![allow(dead_code)]

use txdeck::{
    packet::{Facts, Frame, Plan, PlanFlow, Stamp, StampTime, compile},
    profile::{
        Arp, Costs, Eth, Flow, Icmp, Ip, Ipv4, Ipv6, Mac, Mode, Mpls, Order, Payload, Profile, Rate, Tcp, Tx, Udp,
        Value, Vlan,
    },
};

pub const DEVICE: [u8; 6] = [2, 0, 0, 0, 0, 1];
pub const SRC_V4: u128 = 0xc612_0001;
pub const DST_V4: u128 = 0xc612_0002;
pub const SRC_V6: u128 = 0x2001_0db8_0000_0000_0000_0000_0000_0001;
pub const DST_V6: u128 = 0x2001_0db8_0000_0000_0000_0000_0000_0002;

pub fn fixed(value: u128) -> Value {
    Value::Fixed(value)
}

pub fn sweep(from: u128, to: u128, step: u128) -> Value {
    Value::Sweep { from, to, step, every: 1 }
}

pub fn random(low: u128, high: u128) -> Value {
    Value::Random { low, high, every: 1 }
}

pub fn list(values: &[u128]) -> Value {
    Value::List { values: values.to_vec(), every: 1 }
}

pub fn vlan(id: Value) -> Vlan {
    Vlan { id, pcp: fixed(0), dei: false, tpid: fixed(0x8100) }
}

pub fn v4() -> Ipv4 {
    Ipv4 {
        src: fixed(SRC_V4),
        dst: fixed(DST_V4),
        ttl: fixed(64),
        dscp: fixed(0),
        ecn: fixed(0),
        id: fixed(0),
        df: false,
        mf: false,
        fragment_offset: fixed(0),
        protocol: None,
    }
}

pub fn v6() -> Ipv6 {
    Ipv6 {
        src: fixed(SRC_V6),
        dst: fixed(DST_V6),
        hop_limit: fixed(64),
        dscp: fixed(0),
        ecn: fixed(0),
        flow_label: fixed(0),
        next_header: None,
    }
}

pub fn udp() -> Udp {
    Udp { src: fixed(9), dst: fixed(9), checksum: true }
}

pub fn label(label: Value) -> Mpls {
    Mpls { label, tc: fixed(0), ttl: fixed(64) }
}

/// A question.
pub fn arp() -> Arp {
    Arp { op: fixed(1), sha: Mac::Device, spa: fixed(SRC_V4), tha: Mac::Is(fixed(0)), tpa: fixed(DST_V4) }
}

/// A SYN.
pub fn tcp() -> Tcp {
    Tcp {
        src: fixed(1024),
        dst: fixed(80),
        seq: fixed(1),
        ack: fixed(0),
        flags: fixed(2),
        window: fixed(65535),
        urgent: fixed(0),
        checksum: true,
    }
}

pub fn echo(kind: u128) -> Icmp {
    Icmp { kind: fixed(kind), code: fixed(0), id: fixed(7), seq: fixed(0) }
}

/// 60 bytes, no IP, pktgen payload; the flow is called `a`.
pub fn raw_flow() -> Flow {
    Flow {
        name: "a".into(),
        enabled: true,
        size: fixed(60),
        runt: false,
        eth: Eth { dst: Mac::Is(fixed(0x0200_0000_0002)), src: Mac::Device },
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
        weight: 1,
        queues: None,
        start_ns: 0,
        order: Order::Together,
        conversations: None,
    }
}

/// As [`raw_flow`] with IPv4 and UDP.
pub fn v4_flow() -> Flow {
    Flow { ip: Some(Ip::V4(v4())), udp: Some(udp()), ..raw_flow() }
}

/// As [`raw_flow`] with IPv6 and UDP, 80 bytes.
pub fn v6_flow() -> Flow {
    Flow { ip: Some(Ip::V6(v6())), udp: Some(udp()), size: fixed(80), ..raw_flow() }
}

/// As [`v4_flow`] with TCP in place of UDP, 74 bytes: the pktgen header and its stream number behind 54.
pub fn tcp_flow() -> Flow {
    Flow { udp: None, tcp: Some(tcp()), size: fixed(74), ..v4_flow() }
}

pub fn with_ports(src: Value, flow: Flow) -> Flow {
    Flow { udp: Some(Udp { src, ..udp() }), ..flow }
}

pub fn profile(flows: Vec<Flow>) -> Profile {
    Profile {
        name: "test".into(),
        note: String::new(),
        tx: Tx {
            device: None,
            queues: vec![0],
            cpus: Vec::new(),
            priority: 0,
            mode: Mode::Auto,
            need_wakeup: true,
            busy_poll_ns: 0,
            skb_budget: None,
            ring: 2048,
            chunks: None,
            chunk_bytes: 2048,
            huge_pages: false,
            burst: 32,
            clone: 0,
            rate: Rate::Max,
            count: 0,
            duration_ns: 0,
            seed: 7,
            cost: Costs::default(),
        },
        flows,
    }
}

pub fn facts() -> Facts {
    Facts { device_mac: DEVICE, ..Facts::default() }
}

pub fn plan(profile: &Profile) -> Plan {
    compile(profile, &facts()).expect("a valid profile")
}

pub fn plan_flow(flow: Flow) -> PlanFlow {
    plan(&profile(vec![flow])).flows.remove(0)
}

pub fn frame(flow: Flow) -> Frame {
    plan_flow(flow).frame
}

/// A fixed time, so that golden files stay.
pub fn stamp(k: u64) -> Stamp {
    Stamp { k, seq: (k as u32).wrapping_add(1), stream: 3, time: StampTime::from_wall_ns(wall_ns(k)) }
}

pub fn wall_ns(k: u64) -> u64 {
    1_700_000_000_123_456_789_u64.wrapping_add(k.wrapping_mul(1_000_000))
}

/// Build `k` in memory that holds nothing of it.
pub fn bytes(frame: &Frame, k: u64) -> Vec<u8> {
    let mut out = vec![0xee; frame.len(k)];
    frame.write(&mut out, &mut 0, &stamp(k));
    out
}
