//! Structs before the table of fields has filled them: empty of meaning, never seen outside this room.

use super::{Eth, Flow, Ipv4, Ipv6, Mac, Mode, Order, Payload, Profile, Rate, Tx, Udp, Value, Vlan};

const ZERO: Value = Value::Fixed(0);

pub(super) fn profile() -> Profile {
    let tx = Tx {
        device: None,
        queues: Vec::new(),
        cpus: Vec::new(),
        mode: Mode::Auto,
        need_wakeup: false,
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
        ip: None,
        udp: None,
        payload: Payload::Pktgen,
        rate: None,
        count: 0,
        clone: None,
        weight: 0,
        queues: None,
        start_ns: 0,
        order: Order::Together,
    }
}

pub(super) fn vlan() -> Vlan {
    Vlan { id: ZERO, pcp: ZERO, dei: false, tpid: ZERO }
}

pub(super) fn ipv4() -> Ipv4 {
    Ipv4 { src: ZERO, dst: ZERO, ttl: ZERO, dscp: ZERO, ecn: ZERO, id: ZERO }
}

pub(super) fn ipv6() -> Ipv6 {
    Ipv6 { src: ZERO, dst: ZERO, hop_limit: ZERO, dscp: ZERO, ecn: ZERO, flow_label: ZERO }
}

pub(super) fn udp() -> Udp {
    Udp { src: ZERO, dst: ZERO, checksum: false }
}
