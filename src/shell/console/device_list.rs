//! What the Devices screen shows: every device of this namespace with what the kernel and its driver say of it.

use crate::{
    app::{DeviceCounts, DeviceEntry},
    nic::{
        Clock,
        link::{Coalescing, Guard, Link, LinkCounters},
    },
    shell::{
        clock::MonotonicClock,
        failure::Failure,
        site::{netlink, open_links},
    },
};

/// All devices, those that are guarded with the reason; `armed` is the one that was armed. The simulated nic last.
pub fn list(armed: Option<&str>) -> Result<Vec<DeviceEntry>, Failure> {
    let mut links = open_links()?;
    let found = links.list().map_err(netlink("devices"))?;
    let guards = links.guards().map_err(netlink("routes and connections"))?;
    let counts = links.all_counters().map_err(netlink("counters"))?;
    let at_ns = MonotonicClock.now_ns();
    let entry = |link: Link| {
        let guard = guards.iter().find(|(index, _)| *index == link.index).map(|(_, guard)| guard);
        let counts = counts.iter().find(|(index, _)| *index == link.index).map(|(_, now)| counted(at_ns, now));
        let is_armed = armed == Some(link.name.as_str());
        DeviceEntry {
            index: link.index,
            facts: facts(&link),
            details: details(&link, guard, is_armed),
            guard: guard.filter(|_| !is_armed).map(|guard| guard.refusal(&link.name)),
            counts,
            name: link.name,
            ..DeviceEntry::default()
        }
    };
    let mut entries: Vec<DeviceEntry> = found.into_iter().map(entry).collect();
    entries.push(DeviceEntry {
        name: "sim".into(),
        facts: "the simulated nic; needs no rights at all".into(),
        details: vec![("sending", "free; nothing leaves this machine".into())],
        ..DeviceEntry::default()
    });
    Ok(entries)
}

/// Counters by the device's number; none where the kernel does not answer.
pub fn counters() -> Vec<(u32, DeviceCounts)> {
    let read = open_links().ok().and_then(|mut links| links.all_counters().ok());
    let at_ns = MonotonicClock.now_ns();
    read.unwrap_or_default().iter().map(|(index, now)| (*index, counted(at_ns, now))).collect()
}

fn counted(at_ns: u64, now: &LinkCounters) -> DeviceCounts {
    DeviceCounts {
        at_ns,
        tx_packets: now.tx_packets,
        tx_bytes: now.tx_bytes,
        tx_dropped: now.tx_dropped,
        tx_errors: now.tx_errors,
        rx_packets: now.rx_packets,
        rx_bytes: now.rx_bytes,
        rx_dropped: now.rx_dropped,
        rx_errors: now.rx_errors,
    }
}

/// Driver, MAC, MTU, link and queues in one line of columns.
pub fn facts(link: &Link) -> String {
    let mac = link.mac.map(|byte| format!("{byte:02x}")).join(":");
    let driver = link.driver.as_deref().or(link.kind.as_deref()).unwrap_or("-");
    let queues = link.channels.map_or(link.tx_queues, |(now, _)| now).max(1);
    format!("{driver:<8} {mac}  mtu {:<5} {:<10} {queues}q", link.mtu, state(link))
}

fn state(link: &Link) -> &'static str {
    match (link.up, link.carrier) {
        (false, _) => "down",
        (true, false) => "no carrier",
        (true, true) => "up",
    }
}

fn details(link: &Link, guard: Option<&Guard>, is_armed: bool) -> Vec<(&'static str, String)> {
    let speed = link.speed_mbps.map(|mbps| format!(", {mbps} Mbit/s")).unwrap_or_default();
    let mac = link.mac.map(|byte| format!("{byte:02x}")).join(":");
    let names = match link.alt_names.is_empty() {
        true => String::new(),
        false => format!(", also called {}", link.alt_names.join(", ")),
    };
    let hardware = link.parent.as_ref().map(|(bus, name)| format!(" ({bus} {name})")).unwrap_or_default();
    let driver = link.driver.clone().or_else(|| link.kind.clone()).unwrap_or_else(|| UNTOLD.into());
    let zero_copy = match link.zero_copy {
        Some(true) => "zero-copy",
        Some(false) => "copy only",
        None => "copy; whether zero-copy works is not told",
    };
    let mut all = vec![
        ("link", format!("{}{speed}{names}", state(link))),
        ("driver", format!("{driver}{hardware}")),
        ("MAC, MTU", format!("{mac}, {} (frames up to {} bytes)", link.mtu, u64::from(link.mtu) + 14)),
        ("queues", of_most(link.channels.or(Some((link.tx_queues, link.tx_queues))))),
        ("NIC rings", format!("tx {}, rx {}", of_most(link.tx_ring), of_most(link.rx_ring))),
        ("coalescing", link.coalescing.as_ref().map_or_else(|| UNTOLD.into(), coalescing)),
        ("NUMA node", link.numa_node.map_or_else(|| UNTOLD.into(), |node| node.to_string())),
        ("AF_XDP", zero_copy.into()),
    ];
    all.push((
        "sending",
        match (guard, is_armed) {
            (None, _) => "free".into(),
            (Some(guard), true) => format!("armed, although it {guard}"),
            (Some(guard), false) => format!("guarded: it {guard}"),
        },
    ));
    all
}

const UNTOLD: &str = "not told";

fn of_most(value: Option<(u32, u32)>) -> String {
    match value {
        Some((now, most)) if now != most => format!("{now} of {most}"),
        Some((now, _)) => now.to_string(),
        None => UNTOLD.into(),
    }
}

/// `rx adaptive, tx 50 us or 32 frames`
fn coalescing(set: &Coalescing) -> String {
    let side = |usecs: u32, frames: u32, adaptive: bool| match (adaptive, usecs, frames) {
        (true, ..) => "adaptive".to_owned(),
        (false, 0, 0 | 1) => "none".into(),
        (false, usecs, 0) => format!("{usecs} us"),
        (false, 0, frames) => format!("{frames} frames"),
        (false, usecs, frames) => format!("{usecs} us or {frames} frames"),
    };
    format!(
        "rx {}, tx {}",
        side(set.rx_usecs, set.rx_frames, set.adaptive_rx),
        side(set.tx_usecs, set.tx_frames, set.adaptive_tx)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_a_driver_tells_is_told() {
        let link = Link {
            name: "eth1".into(),
            driver: Some("ice".into()),
            mtu: 1500,
            up: true,
            carrier: true,
            speed_mbps: Some(25_000),
            channels: Some((8, 64)),
            tx_ring: Some((256, 8160)),
            rx_ring: Some((2048, 8160)),
            coalescing: Some(Coalescing { adaptive_rx: true, tx_usecs: 50, tx_frames: 32, ..Coalescing::default() }),
            parent: Some(("pci".into(), "0000:03:00.0".into())),
            numa_node: Some(1),
            zero_copy: Some(true),
            alt_names: vec!["enp3s0f0".into()],
            ..Link::default()
        };
        let told = details(&link, Some(&Guard::DefaultRoute), false);
        let value = |word: &str| told.iter().find(|(known, _)| *known == word).unwrap().1.as_str();
        assert_eq!(value("link"), "up, 25000 Mbit/s, also called enp3s0f0");
        assert_eq!(value("driver"), "ice (pci 0000:03:00.0)");
        assert_eq!(value("queues"), "8 of 64");
        assert_eq!(value("NIC rings"), "tx 256 of 8160, rx 2048 of 8160");
        assert_eq!(value("coalescing"), "rx adaptive, tx 50 us or 32 frames");
        assert_eq!((value("NUMA node"), value("AF_XDP")), ("1", "zero-copy"));
        assert_eq!(value("sending"), "guarded: it carries the default route");
        assert_eq!(details(&Link::default(), None, false).last().unwrap().1, "free");
    }
}
