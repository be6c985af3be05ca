//! What must hold between fields: room for headers, frames and rings, rates that add up, names that differ.

use super::{
    Flow, Ip, Mac, Payload, Profile, Rate, Value, conversations, duration,
    field::{FIELDS, Fallback},
    problem::{Flaw, Places},
    replay,
    sizes::{SHORTEST_FRAME, mean, wire_bytes},
};

/// The kernel counts in microseconds, and a kick that lasts longer than a second hears no stop.
const BUSY_POLL_NS: std::ops::RangeInclusive<u64> = 1_000..=1_000_000_000;

/// Every broken rule of a profile whose single values are all right.
pub(super) fn flaws(profile: &Profile, places: &Places) -> Vec<Flaw> {
    let mut out = Vec::new();
    rings(profile, &mut out);
    cpus(profile, &mut out);
    names(profile, &mut out);
    rates(profile, &mut out);
    streams(profile, &mut out);
    for (number, flow) in profile.flows.iter().enumerate() {
        let path = format!("flow.{number}");
        // How long headers are that cannot stand together does not matter.
        if !stack(flow, &path, places, &mut out) && flow.replay.is_none() {
            frame(profile, flow, &path, &mut out);
        }
        addresses(flow, &path, &mut out);
        checksum(flow, &path, &mut out);
        payload(flow, &path, places, &mut out);
        queues(profile, flow, &path, &mut out);
        conversations::flaws(flow, &path, &mut out);
        replay::flaws(profile, flow, &path, places, &mut out);
    }
    out
}

/// Fields without a default that the text does not set.
pub(super) fn missing(profile: &Profile, places: &Places) -> Vec<Flaw> {
    let mut out = Vec::new();
    if profile.flows.is_empty() && places.get("flow").is_none() {
        out.push(Flaw::of("flow", "nothing to send: a profile needs at least one [[flow]]"));
    }
    for field in FIELDS.iter().filter(|field| field.fallback == Fallback::Required) {
        let paths: Vec<String> = match field.key.strip_prefix("flow.") {
            // Raw and captured frames have their addresses in their bytes.
            Some(rest) => (0..profile.flows.len())
                .filter(|n| ["raw", "replay"].iter().all(|key| places.get(&format!("flow.{n}.{key}")).is_none()))
                .map(|n| format!("flow.{n}.{rest}"))
                .collect(),
            None => vec![field.key.to_string()],
        };
        let absent = paths.into_iter().filter(|path| places.get(path).is_none());
        out.extend(absent.map(|path| Flaw::of(&path, required(field.key))));
    }
    out
}

fn required(key: &str) -> &'static str {
    match key {
        "version" => "is missing: write version = 1 at the top",
        "flow.eth.dst" => "is missing: say where the frames go, as in eth = { dst = \"02:00:00:00:00:02\" }",
        _ => "is missing",
    }
}

fn rings(profile: &Profile, out: &mut Vec<Flaw>) {
    let tx = &profile.tx;
    if tx.burst > tx.ring / 2 {
        let (burst, ring, least) = (tx.burst, tx.ring, (2 * tx.burst).next_power_of_two());
        let remedy = if least <= 32768 { format!("or ring = {least}") } else { "ring ends at 32768".into() };
        out.push(Flaw::of("tx.burst", format!("{burst} is above half of ring {ring} (1..{}, {remedy})", ring / 2)));
    }
    if let Some(budget) = tx.skb_budget.filter(|budget| *budget > tx.ring) {
        out.push(Flaw::of("tx.skb_budget", format!("{budget} is above ring {} (32..{})", tx.ring, tx.ring)));
    }
    if tx.busy_poll_ns != 0 && (!BUSY_POLL_NS.contains(&tx.busy_poll_ns) || !tx.busy_poll_ns.is_multiple_of(1000)) {
        let shown = duration::show_ns(tx.busy_poll_ns);
        out.push(Flaw::of("tx.busy_poll", format!("{shown} is neither 0 nor whole microseconds within 1us..1s")));
    }
    let parts = profile.chunks_per_packet();
    let (each, beside) = if parts > 1 { (format!(" x {parts} chunks a packet"), parts) } else { (String::new(), 1) };
    if let Some(chunks) = tx.chunks
        && chunks < 2 * tx.burst * beside
    {
        let least = 2 * tx.burst * beside;
        out.push(Flaw::of("tx.chunks", format!("{chunks} is below 2 x burst {}{each} (at least {least})", tx.burst)));
    }
    if parts > 1 && tx.burst * parts > tx.ring {
        let (ring, most) = (tx.ring, tx.ring / parts);
        out.push(Flaw::of("tx.burst", format!("{}{each} is above ring {ring} (1..{most})", tx.burst)));
    }
}

fn cpus(profile: &Profile, out: &mut Vec<Flaw>) {
    let (cpus, queues) = (profile.tx.cpus.len(), profile.tx.queues.len());
    if cpus != 0 && cpus != queues {
        out.push(Flaw::of("tx.cpus", format!("{cpus} CPUs for {queues} queues: name one per queue, or none")));
    }
}

fn names(profile: &Profile, out: &mut Vec<Flaw>) {
    for (number, flow) in profile.flows.iter().enumerate() {
        if let Some(first) = profile.flows[..number].iter().position(|other| other.name == flow.name) {
            let message = format!("\"{}\" is the name of flow[{first}] already: names must differ", flow.name);
            out.push(Flaw::of(&format!("flow.{number}.name"), message));
        }
    }
}

/// Flow rates that together want more than `tx.rate` allows, compared in the unit of `tx.rate`.
fn rates(profile: &Profile, out: &mut Vec<Flaw>) {
    let limit = profile.tx.rate;
    let in_unit_of_limit = |rate: &Rate, size: f64| {
        let wire = f64::from(wire_bytes(0));
        let pps = rate.pps(size)?;
        Some(match (limit, rate) {
            (Rate::Bits(_), Rate::Bits(bits)) | (Rate::WireBits(_), Rate::WireBits(bits)) => *bits,
            (Rate::Bits(_), _) => pps * 8.0 * size,
            (Rate::WireBits(_), _) => pps * 8.0 * (size + wire),
            _ => pps,
        })
    };
    let total = match limit {
        Rate::Max => return,
        Rate::Pps(pps) => pps,
        Rate::EveryNs(gap_ns) => 1e9 / gap_ns,
        Rate::Bits(bits) | Rate::WireBits(bits) => bits,
    };
    // How long captured packets are is not known here.
    let wanted = |flow: &Flow| {
        flow.rate.filter(|_| flow.replay.is_none()).and_then(|rate| in_unit_of_limit(&rate, mean(&flow.size).max(1.0)))
    };
    let sum: f64 = profile.flows.iter().filter(|flow| flow.enabled).filter_map(wanted).sum();
    if sum > total * (1.0 + 1e-9) {
        let together = match limit {
            Rate::Bits(_) => Rate::Bits(sum),
            Rate::WireBits(_) => Rate::WireBits(sum),
            _ => Rate::Pps(sum),
        };
        let message = format!("{limit} is less than the rates of the flows together, {together}");
        out.push(Flaw::of("tx.rate", message));
    }
}

/// A stream number has 16 bits, one per flow and queue.
fn streams(profile: &Profile, out: &mut Vec<Flaw>) {
    let streams = profile.flows.len() * profile.tx.queues.len();
    if streams > 65536 {
        out.push(Flaw::of("tx.queues", format!("flows x queues makes {streams} streams (at most 65536)")));
    }
}

fn frame(profile: &Profile, flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let size_path = format!("{path}.size");
    let (min, max) = (flow.size.min(), flow.size.max());
    let (headers, words) = (flow.header_bytes(), flow.header_words());
    if min < u128::from(headers) {
        let least = if flow.runt { headers } else { headers.max(SHORTEST_FRAME) };
        let also = if least == headers { String::new() } else { format!("; {least} without runt = true") };
        out.push(Flaw::of(&size_path, format!("{min} is below {headers}, the least for {words}{also}")));
    } else if min < u128::from(SHORTEST_FRAME) && !flow.runt {
        let message = format!(
            "{min} is below {SHORTEST_FRAME}, the shortest Ethernet frame without FCS; \
             runt = true sends it all the same (at least {headers} for {words})"
        );
        out.push(Flaw::of(&size_path, message));
    }
    let room = profile.tx.room_bytes();
    if max > u128::from(room) {
        let chunk = profile.tx.chunk_bytes;
        let remedy = if chunk < 4096 { "; chunk_bytes = 4096 holds any" } else { "" };
        let message =
            format!("{max} does not fit the 18 chunks of {chunk} bytes that make a packet (at most {room}{remedy})");
        out.push(Flaw::of(&size_path, message));
    }
}

/// One thing wrong with the headers together, not one for each pair of them; whether there is any.
fn stack(flow: &Flow, path: &str, places: &Places, out: &mut Vec<Flaw>) -> bool {
    let before = out.len();
    let eth_path = format!("{path}.eth");
    if flow.replay.is_some() && places.get(&eth_path).is_some() {
        let message = "replay has the Ethernet headers of the capture: take one of the two out";
        out.push(Flaw::of(&eth_path, message));
    } else if flow.raw.is_some() && places.get(&eth_path).is_some() {
        out.push(Flaw::of(&eth_path, "raw has the Ethernet header in its bytes: take one of the two out"));
    } else if let Some(misfit) = flow.misfit() {
        out.push(Flaw::of(&format!("{path}.{}", misfit.key), misfit.message));
    }
    out.len() > before
}

fn addresses(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let nobody = "00:00:00:00:00:00 is nobody's address: every receiver drops such frames";
    if let Some(bytes) = &flow.raw {
        if bytes.starts_with(&[0; 6]) && flow.patch.iter().all(|patch| patch.at >= 6) {
            out.push(Flaw::of(&format!("{path}.raw.bytes"), nobody));
        }
        return;
    }
    if flow.replay.is_some() {
        return;
    }
    let dst_path = format!("{path}.eth.dst");
    match &flow.eth.dst {
        Mac::Is(value) if value.min() == 0 => out.push(Flaw::of(&dst_path, nobody)),
        Mac::Neighbour => neighbour(flow, &dst_path, out),
        _ => {}
    }
}

fn neighbour(flow: &Flow, dst_path: &str, out: &mut Vec<Flaw>) {
    let dst = match &flow.ip {
        Some(Ip::V4(ip)) => &ip.dst,
        Some(Ip::V6(ip)) => &ip.dst,
        None => {
            out.push(Flaw::of(dst_path, "\"neighbour\" asks for an IP destination: the flow needs ipv4 or ipv6"));
            return;
        }
    };
    if !matches!(dst, Value::Fixed(_)) {
        out.push(Flaw::of(dst_path, "\"neighbour\" needs one fixed IP destination; this flow's varies"));
    }
}

fn checksum(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    if let (Some(udp), Some(Ip::V6(_))) = (&flow.udp, &flow.ip)
        && !udp.checksum
    {
        let message = "false is refused over IPv6: receivers drop UDP/IPv6 without a checksum";
        out.push(Flaw::of(&format!("{path}.udp.checksum"), message));
    }
    if flow.tcp.as_ref().is_some_and(|tcp| !tcp.checksum) {
        let message = "false is refused: receivers drop TCP without a checksum";
        out.push(Flaw::of(&format!("{path}.tcp.checksum"), message));
    }
}

fn payload(flow: &Flow, path: &str, places: &Places, out: &mut Vec<Flaw>) {
    let (bytes_path, text_path) = (format!("{path}.payload.bytes"), format!("{path}.payload.text"));
    let missing = match &flow.payload {
        Payload::Pattern(bytes) if bytes.is_empty() => {
            Some((&bytes_path, "is missing: kind = \"pattern\" needs it, as in bytes = \"de ad be ef\""))
        }
        Payload::Hex(bytes) if bytes.is_empty() => {
            Some((&bytes_path, "is missing: kind = \"hex\" needs it, as in bytes = \"de ad be ef\""))
        }
        Payload::Text(text) if text.is_empty() => {
            Some((&text_path, "is missing: kind = \"text\" needs it, as in text = \"hello\""))
        }
        _ => None,
    };
    out.extend(missing.map(|(path, message)| Flaw::of(path, message)));
    let takes_bytes = matches!(flow.payload, Payload::Pattern(_) | Payload::Hex(_));
    if !takes_bytes && places.get(&bytes_path).is_some() {
        out.push(Flaw::of(&bytes_path, "goes with kind = \"pattern\" or \"hex\" only"));
    }
    if !matches!(flow.payload, Payload::Text(_)) && places.get(&text_path).is_some() {
        out.push(Flaw::of(&text_path, "goes with kind = \"text\" only"));
    }
}

fn queues(profile: &Profile, flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let foreign = flow.queues.iter().flatten().find(|queue| !profile.tx.queues.contains(queue));
    if let Some(queue) = foreign {
        let message = format!("{queue} is not one of tx.queues {:?}", profile.tx.queues);
        out.push(Flaw::of(&format!("{path}.queues"), message));
    }
}
