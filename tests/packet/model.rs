//! What each field of build `k` should be, computed the slow and obvious way.

use txdeck::profile::{Flow, Ip, Mac, Order, TurnOrder, Value};

/// The fields in the order in which an odometer turns, first fastest.
pub fn fields<'a>(flow: &'a Flow) -> Vec<(String, &'a Value)> {
    let mut fields = vec![("size".to_owned(), &flow.size)];
    for (name, mac) in [("eth.dst", &flow.eth.dst), ("eth.src", &flow.eth.src)] {
        if let Mac::Is(value) = mac {
            fields.push((name.to_owned(), value));
        }
    }
    for (depth, tag) in flow.vlan.iter().enumerate() {
        for (name, value) in [("id", &tag.id), ("pcp", &tag.pcp), ("tpid", &tag.tpid)] {
            fields.push((format!("vlan.{depth}.{name}"), value));
        }
    }
    for (depth, label) in flow.mpls.iter().enumerate() {
        for (name, value) in [("label", &label.label), ("tc", &label.tc), ("ttl", &label.ttl)] {
            fields.push((format!("mpls.{depth}.{name}"), value));
        }
    }
    if let Some(arp) = &flow.arp {
        let mac = |name: &str, mac: &'a Mac| match mac {
            Mac::Is(value) => Some((name.to_owned(), value)),
            _ => None,
        };
        fields.push(("arp.op".to_owned(), &arp.op));
        fields.extend(mac("arp.sha", &arp.sha));
        fields.push(("arp.spa".to_owned(), &arp.spa));
        fields.extend(mac("arp.tha", &arp.tha));
        fields.push(("arp.tpa".to_owned(), &arp.tpa));
    }
    let ip: Vec<(&str, &Value)> = match &flow.ip {
        None => Vec::new(),
        Some(Ip::V4(ip)) => vec![
            ("ipv4.src", &ip.src),
            ("ipv4.dst", &ip.dst),
            ("ipv4.ttl", &ip.ttl),
            ("ipv4.dscp", &ip.dscp),
            ("ipv4.ecn", &ip.ecn),
            ("ipv4.id", &ip.id),
            ("ipv4.fragment_offset", &ip.fragment_offset),
        ],
        Some(Ip::V6(ip)) => vec![
            ("ipv6.src", &ip.src),
            ("ipv6.dst", &ip.dst),
            ("ipv6.hop_limit", &ip.hop_limit),
            ("ipv6.dscp", &ip.dscp),
            ("ipv6.ecn", &ip.ecn),
            ("ipv6.flow_label", &ip.flow_label),
        ],
    };
    fields.extend(ip.into_iter().map(|(name, value)| (name.to_owned(), value)));
    match &flow.ip {
        Some(Ip::V4(ip)) => fields.extend(ip.protocol.iter().map(|value| ("ipv4.protocol".to_owned(), value))),
        Some(Ip::V6(ip)) => fields.extend(ip.next_header.iter().map(|value| ("ipv6.next_header".to_owned(), value))),
        None => {}
    }
    if let Some(udp) = &flow.udp {
        fields.push(("udp.src".to_owned(), &udp.src));
        fields.push(("udp.dst".to_owned(), &udp.dst));
    }
    if let Some(tcp) = &flow.tcp {
        for (name, value) in [
            ("src", &tcp.src),
            ("dst", &tcp.dst),
            ("seq", &tcp.seq),
            ("ack", &tcp.ack),
            ("flags", &tcp.flags),
            ("window", &tcp.window),
            ("urgent", &tcp.urgent),
        ] {
            fields.push((format!("tcp.{name}"), value));
        }
    }
    for (layer, icmp) in [("icmp", &flow.icmp), ("icmpv6", &flow.icmpv6)] {
        let Some(icmp) = icmp else { continue };
        for (name, value) in [("type", &icmp.kind), ("code", &icmp.code), ("id", &icmp.id), ("seq", &icmp.seq)] {
            fields.push((format!("{layer}.{name}"), value));
        }
    }
    fields
}

/// What may stand in a field.
#[derive(Debug)]
pub enum Expected {
    Exactly(u128),
    Within(u128, u128),
    /// These bits as in this number, the others any.
    Bits {
        kept: u128,
        number: u128,
    },
    OneOf(Vec<u128>),
}

impl Expected {
    pub fn allows(&self, value: u128) -> bool {
        match self {
            Expected::Exactly(right) => value == *right,
            Expected::Within(low, high) => (*low..=*high).contains(&value),
            Expected::Bits { kept, number } => value & kept == *number,
            Expected::OneOf(values) => values.contains(&value),
        }
    }
}

/// What varies from one conversation to the next where a flow has several.
const TUPLE: [&str; 8] = ["ipv4.src", "ipv4.dst", "ipv6.src", "ipv6.dst", "udp.src", "udp.dst", "tcp.src", "tcp.dst"];

/// Every field of build `k`.
pub fn expected(flow: &Flow, k: u64) -> Vec<(String, Expected)> {
    // Builds that the walking fields above stand still for: of the packet, of the conversation.
    let mut slower = [1_u128; 2];
    let mut answers = Vec::new();
    for (name, value) in fields(flow) {
        let of = usize::from(flow.conversations.is_some() && TUPLE.contains(&&*name));
        let drawn = match value {
            Value::Fixed(value) => Some(Expected::Exactly(*value)),
            Value::Random { low, high, .. } => Some(Expected::Within(*low, *high)),
            Value::Masked { base, mask, .. } => Some(Expected::Bits { kept: !mask, number: base & !mask }),
            _ => None,
        };
        if let Some(drawn) = drawn {
            answers.push((name, drawn));
            continue;
        }
        let (every, positions) = (u128::from(value.every()), positions(value));
        let hold = if flow.order == Order::Nested { slower[of].saturating_mul(every) } else { every };
        if positions > 1 {
            slower[of] = hold.saturating_mul(positions);
        }
        let number = if of == 1 { conversation(flow, k) } else { Some(u128::from(k)) };
        let answer = match (value, number) {
            (Value::Imix { shares, .. }, _) => {
                Expected::OneOf(shares.iter().filter(|share| share.weight > 0).map(|share| share.value).collect())
            }
            (_, Some(number)) => Expected::Exactly(at(value, number / hold % positions)),
            (_, None) => Expected::Within(value.min(), value.max()),
        };
        answers.push((name, answer));
    }
    answers
}

/// The conversation of build `k`; `None` where they are shuffled.
pub fn conversation(flow: &Flow, k: u64) -> Option<u128> {
    let of = flow.conversations.as_ref()?;
    match of.order {
        TurnOrder::Sequential => Some(u128::from(k / u64::from(of.length) % u64::from(of.count))),
        TurnOrder::Interleaved => Some(u128::from(k % u64::from(of.count))),
        TurnOrder::Random => None,
    }
}

fn positions(value: &Value) -> u128 {
    match value {
        Value::Sweep { from, to, step, .. } if *step > 0 => ((to - from) / step).saturating_add(1),
        Value::List { values, .. } if values.iter().any(|value| *value != values[0]) => values.len() as u128,
        Value::Imix { shares, .. } => {
            let sent = || shares.iter().filter(|share| share.weight > 0);
            if sent().all(|share| Some(share.value) == sent().next().map(|first| first.value)) {
                return 1;
            }
            let sum: u32 = sent().map(|share| share.weight).sum();
            let divides = |by: &u32| sent().all(|share| share.weight % by == 0);
            u128::from(sum / (1..=sum).rev().find(divides).unwrap_or(1))
        }
        _ => 1,
    }
}

fn at(value: &Value, index: u128) -> u128 {
    match value {
        Value::Sweep { from, step, .. } => from + index * step,
        Value::List { values, .. } => values[index as usize],
        Value::Fixed(value) => *value,
        value => value.min(),
    }
}
