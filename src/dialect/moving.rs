//! What of a flow varies, said the shortest way: other tools know fewer forms, and a form that never moves is none.

use crate::profile::{Flow, Ip, Mac, Profile, Value};

/// The same frames in plainer values: what never changes is fixed, and a sweep ends at the last value it takes.
pub fn settled(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    for value in profile.flows.iter_mut().flat_map(values) {
        *value = plainer(value);
    }
    profile
}

fn plainer(value: &Value) -> Value {
    let (low, high) = (value.min(), value.max());
    match value {
        _ if low == high => Value::Fixed(low),
        Value::Sweep { from, step, every, .. } => Value::Sweep { from: *from, to: high, step: *step, every: *every },
        other => other.clone(),
    }
}

/// Fields that go through more than one value in order.
pub fn walking(flow: &Flow) -> usize {
    let walks = |value: &Value| !is_drawn(value) && value.min() != value.max();
    values(&mut flow.clone()).into_iter().filter(|value| walks(value)).count()
}

/// Whether any field takes random values.
pub fn is_random(flow: &Flow) -> bool {
    values(&mut flow.clone()).into_iter().any(|value| is_drawn(value))
}

/// Whether any field takes more than one value.
pub fn varies(flow: &Flow) -> bool {
    walking(flow) > 0 || is_random(flow)
}

fn is_drawn(value: &Value) -> bool {
    matches!(value, Value::Random { .. } | Value::Masked { .. })
}

/// Everything of a flow that may vary, in no order that matters.
fn values(flow: &mut Flow) -> Vec<&mut Value> {
    let mut all = vec![&mut flow.size];
    let mut macs = vec![&mut flow.eth.dst, &mut flow.eth.src];
    all.extend(flow.vlan.iter_mut().flat_map(|tag| [&mut tag.id, &mut tag.pcp, &mut tag.tpid]));
    all.extend(flow.mpls.iter_mut().flat_map(|entry| [&mut entry.label, &mut entry.tc, &mut entry.ttl]));
    if let Some(arp) = &mut flow.arp {
        all.extend([&mut arp.op, &mut arp.spa, &mut arp.tpa]);
        macs.extend([&mut arp.sha, &mut arp.tha]);
    }
    all.extend(macs.into_iter().filter_map(|mac| if let Mac::Is(value) = mac { Some(value) } else { None }));
    match &mut flow.ip {
        Some(Ip::V4(ip)) => {
            all.extend([&mut ip.src, &mut ip.dst, &mut ip.ttl, &mut ip.dscp, &mut ip.ecn, &mut ip.id]);
            all.push(&mut ip.fragment_offset);
            all.extend(&mut ip.protocol);
        }
        Some(Ip::V6(ip)) => {
            all.extend([&mut ip.src, &mut ip.dst, &mut ip.hop_limit, &mut ip.dscp, &mut ip.ecn, &mut ip.flow_label]);
            all.extend(&mut ip.next_header);
        }
        None => {}
    }
    all.extend(flow.udp.iter_mut().flat_map(|udp| [&mut udp.src, &mut udp.dst]));
    if let Some(tcp) = &mut flow.tcp {
        all.extend([&mut tcp.src, &mut tcp.dst, &mut tcp.seq, &mut tcp.ack]);
        all.extend([&mut tcp.flags, &mut tcp.window, &mut tcp.urgent]);
    }
    for icmp in [&mut flow.icmp, &mut flow.icmpv6].into_iter().flatten() {
        all.extend([&mut icmp.kind, &mut icmp.code, &mut icmp.id, &mut icmp.seq]);
    }
    all.extend(flow.patch.iter_mut().map(|patch| &mut patch.value));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_changes_is_fixed() {
        let sweep = |to, step| Value::Sweep { from: 5, to, step, every: 3 };
        let list = |values: &[u128]| Value::List { values: values.to_vec(), every: 1 };
        for still in [sweep(9, 7), sweep(9, 0), list(&[5, 5]), Value::Masked { base: 5, mask: 0, every: 2 }] {
            assert_eq!(plainer(&still), Value::Fixed(5), "{still:?}");
        }
        assert_eq!(plainer(&sweep(9, 3)), sweep(8, 3), "9 is never reached");
        assert_eq!(plainer(&list(&[5, 6])), list(&[5, 6]));
    }
}
