//! What is allowed but may surprise: said by `check`, shown beside the field, never in the way.

use super::{
    Flow, Ip, Mac, Payload, Profile, Value,
    kind::Kind,
    net,
    problem::{Flaw, Places},
    read,
    setting::Setting,
    sizes::{PKTGEN_BYTES, PKTGEN_STREAM_BYTES},
};

const MULTICAST_BIT: u128 = 1 << 40;
const BROADCAST: u128 = 0xffff_ffff_ffff;
/// What a user may commonly lock, over all queues (RLIMIT_MEMLOCK's usual 8 MiB).
const USUAL_LOCKED_BYTES: u64 = 8 << 20;

pub(super) fn flaws(profile: &Profile, places: &Places) -> Vec<Flaw> {
    let mut out = Vec::new();
    whole_profile(profile, &mut out);
    for (number, flow) in profile.flows.iter().enumerate() {
        let path = format!("flow.{number}");
        if flow.replay.is_some() {
            continue;
        }
        sizes(flow, &path, &mut out);
        payload(flow, &path, &mut out);
        fragment(flow, &path, &mut out);
        macs(flow, &path, &mut out);
        checksum(flow, &path, &mut out);
        variation(profile, &path, places, &mut out);
    }
    out
}

fn whole_profile(profile: &Profile, out: &mut Vec<Flaw>) {
    if profile.flows.iter().all(|flow| !flow.enabled) {
        out.push(Flaw::of("flow", "every flow is disabled: nothing will be sent"));
    }
    let tx = &profile.tx;
    let bytes = u64::from(profile.chunks_per_queue()) * u64::from(tx.chunk_bytes) * tx.queues.len() as u64;
    if bytes > USUAL_LOCKED_BYTES {
        let mib = bytes >> 20;
        let message = format!("{mib} MiB of packet memory over all queues: a user may commonly lock 8 MiB");
        out.push(Flaw::of("tx.chunks", message));
    }
    let mut cpus = tx.cpus.clone();
    cpus.sort_unstable();
    if let Some(pair) = cpus.windows(2).find(|pair| pair[0] == pair[1]) {
        out.push(Flaw::of("tx.cpus", format!("CPU {} has two senders: they take turns", pair[0])));
    }
}

fn sizes(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let size_path = format!("{path}.size");
    let room = flow.size.min().saturating_sub(u128::from(flow.header_bytes()));
    let (whole, stream) = (flow.header_bytes() + PKTGEN_BYTES, flow.header_bytes() + PKTGEN_STREAM_BYTES);
    // Raw bytes that fill the frame are meant to.
    let stamped = flow.payload == Payload::Pktgen && !(flow.raw.is_some() && room == 0);
    if stamped && room < u128::from(PKTGEN_BYTES) {
        let message = format!(
            "the pktgen header does not fit: {room} bytes are left behind {}, it takes {PKTGEN_BYTES}; \
             size {whole} holds it (kernel pktgen lengthens such frames to that unasked), {stream} with the stream \
             number",
            flow.header_words()
        );
        out.push(Flaw::of(&size_path, message));
    } else if stamped && room < u128::from(PKTGEN_STREAM_BYTES) {
        let message = format!("the pktgen header fits, its stream number does not: size {stream} holds both");
        out.push(Flaw::of(&size_path, message));
    }
}

/// Bytes that stand once in a frame and do not all fit it.
fn payload(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let (key, len) = match &flow.payload {
        Payload::Hex(bytes) => ("bytes", bytes.len() as u128),
        Payload::Text(text) => ("text", text.len() as u128),
        _ => return,
    };
    let room = flow.size.min().saturating_sub(u128::from(flow.header_bytes()));
    if room < len {
        let size = u128::from(flow.header_bytes()) + len;
        let message = format!("{len} bytes, of which {room} fit behind {}: size {size} holds all", flow.header_words());
        out.push(Flaw::of(&format!("{path}.payload.{key}"), message));
    }
}

/// A header behind IP describes its frame, not the packet that a receiver puts together.
fn fragment(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let Some(Ip::V4(ip)) = &flow.ip else { return };
    let carried = ["udp", "tcp", "icmp"].into_iter().find(|header| flow.count_of(header) > 0);
    let Some(header) = carried.filter(|_| ip.mf || ip.fragment_offset.max() > 0) else { return };
    let key = if ip.mf { "mf" } else { "fragment_offset" };
    let message = format!("a fragment: length and checksum of {header} are right for this frame alone");
    out.push(Flaw::of(&format!("{path}.ipv4.{key}"), message));
}

fn macs(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    if flow.raw.is_some() {
        return;
    }
    // ARP asks everybody on purpose.
    if flow.arp.is_none()
        && let Mac::Is(Value::Fixed(dst)) = &flow.eth.dst
        && dst & MULTICAST_BIT != 0
    {
        let what = if *dst == BROADCAST { "the broadcast address" } else { "a multicast address" };
        out.push(Flaw::of(&format!("{path}.eth.dst"), format!("{what}: switches send it to every port")));
    }
    let Mac::Is(src) = &flow.eth.src else {
        return;
    };
    let src_path = format!("{path}.eth.src");
    if src.min() == 0 {
        out.push(Flaw::of(&src_path, "00:00:00:00:00:00 as a source: many switches drop such frames"));
    } else if meets_multicast(src) {
        out.push(Flaw::of(&src_path, "a multicast address as a source: switches drop such frames"));
    }
}

/// Whether any of these addresses is one of a group.
fn meets_multicast(value: &Value) -> bool {
    let is_group = |mac: u128| mac & MULTICAST_BIT != 0;
    match value {
        Value::List { values, .. } => values.iter().any(|mac| is_group(*mac)),
        // From one group bit to the next are 2^41 addresses; half of them are groups.
        value => is_group(value.min()) || is_group(value.max()) || value.max() - value.min() > MULTICAST_BIT,
    }
}

fn checksum(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    if let (Some(udp), Some(Ip::V4(_))) = (&flow.udp, &flow.ip)
        && !udp.checksum
    {
        out.push(Flaw::of(&format!("{path}.udp.checksum"), "UDP leaves without a checksum (0 in the field)"));
    }
}

/// Sweeps that stand still, and ranges that hold more than was meant.
fn variation(profile: &Profile, path: &str, places: &Places, out: &mut Vec<Flaw>) {
    for (field_path, value) in varying(profile, path, places) {
        match value {
            Value::Sweep { step: 0, .. } => {
                out.push(Flaw::of(&field_path, "step 0: the value stays at from, it is constant"));
            }
            Value::Sweep { from, to, step, .. } if step > to - from && to > from => {
                out.push(Flaw::of(
                    &field_path,
                    format!("step {step} is longer than the range: the value stays at from"),
                ));
            }
            Value::Sweep { from, to, step: 1, .. } | Value::Random { low: from, high: to, .. }
                if is_subnet(&field_path, from, to) =>
            {
                let message =
                    "a whole subnet, its network and its broadcast address too: write the range to leave them out";
                out.push(Flaw::of(&field_path, message));
            }
            _ => {}
        }
    }
}

/// A block of IPv4 addresses of the size that subnets have.
fn is_subnet(field_path: &str, from: u128, to: u128) -> bool {
    let kind = read::field_at(field_path).map(|field| field.kind).filter(|kind| *kind == Kind::Ipv4);
    kind.and_then(|kind| net::prefix(&kind, from, to)).is_some_and(|prefix| (24..=30).contains(&prefix))
}

/// The written fields of a flow that may vary, with what they hold.
fn varying(profile: &Profile, path: &str, places: &Places) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for field_path in places.under(path) {
        let field = read::field_at(&field_path).filter(|field| field.form.may_vary());
        let setting = field.and_then(|field| read::setting(profile, &field_path, field));
        if let Some(Setting::Varying(value)) = setting {
            out.push((field_path, value));
        }
    }
    out
}
