//! `txdeck devices`: what is here, what it can do, and whether sending is guarded.

use serde::Serialize;

use crate::{
    nic::{guard::Guard, link::Link},
    shell::{
        args::{Common, DevicesArgs, Format},
        listing,
        output::Ending,
        site,
    },
};

/// One line of JSON a device.
#[derive(Debug, Serialize)]
struct DeviceRow {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    name: String,
    alt_names: Vec<String>,
    driver: Option<String>,
    mac: String,
    mtu: u32,
    up: bool,
    carrier: bool,
    speed_mbps: Option<u32>,
    queues: u32,
    queues_max: Option<u32>,
    ring: Option<u32>,
    ring_max: Option<u32>,
    zero_copy: Option<bool>,
    guarded: Option<String>,
}

pub fn run(args: &DevicesArgs, common: &Common) -> Result<u8, Ending> {
    let rows = rows()?;
    let text = match args.format.chosen() {
        Format::Json => rows.iter().map(|row| serde_json::to_string(row).unwrap_or_default() + "\n").collect(),
        Format::Text => table(&rows),
    };
    listing::put(&text, common)
}

fn rows() -> Result<Vec<DeviceRow>, Ending> {
    let mut links = site::open_links()?;
    let found = links.list().map_err(site::netlink("devices"))?;
    let guards = links.guards().map_err(site::netlink("routes and connections"))?;
    let guard = |link: &Link| guards.iter().find(|(index, _)| *index == link.index).map(|(_, guard)| guard);
    Ok(found.iter().map(|link| row(link, guard(link))).collect())
}

fn row(link: &Link, guard: Option<&Guard>) -> DeviceRow {
    DeviceRow {
        kind: "device",
        version: 1,
        name: link.name.clone(),
        alt_names: link.alt_names.clone(),
        driver: link.driver.clone(),
        mac: link.mac.map(|byte| format!("{byte:02x}")).join(":"),
        mtu: link.mtu,
        up: link.up,
        carrier: link.carrier,
        speed_mbps: link.speed_mbps,
        queues: link.channels.map_or(link.tx_queues, |(now, _)| now),
        queues_max: link.channels.map(|(_, most)| most),
        ring: link.tx_ring.map(|(now, _)| now),
        ring_max: link.tx_ring.map(|(_, most)| most),
        zero_copy: link.zero_copy,
        guarded: guard.map(ToString::to_string),
    }
}

const HEAD: [&str; 9] = ["device", "driver", "MAC", "MTU", "link", "queues", "ring", "XDP", "sending"];

fn table(rows: &[DeviceRow]) -> String {
    let mut cells: Vec<[String; 9]> = vec![HEAD.map(str::to_owned)];
    cells.extend(rows.iter().map(row_cells));
    cells.push(
        ["sim", "simulated", "02:00:00:00:00:01", "", "up", "any", "", "", "free, needs no rights"].map(str::to_owned),
    );
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 9] = std::array::from_fn(width);
    let line = |row: &[String; 9]| {
        let padded = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    cells.iter().map(line).collect()
}

fn row_cells(row: &DeviceRow) -> [String; 9] {
    let of_most = |now: Option<u32>, most: Option<u32>| match (now, most) {
        (Some(now), Some(most)) if now != most => format!("{now} of {most}"),
        (Some(now), _) => now.to_string(),
        (None, _) => "–".into(),
    };
    let link = match (row.up, row.carrier, row.speed_mbps) {
        (false, ..) => "down".into(),
        (true, false, _) => "no carrier".into(),
        (true, true, Some(speed)) => format!("up {speed} Mbit/s"),
        (true, true, None) => "up".into(),
    };
    let xdp = match row.zero_copy {
        Some(true) => "zero-copy",
        Some(false) => "copy",
        None => "copy, zero-copy unknown",
    };
    let name = match row.alt_names.as_slice() {
        [] => row.name.clone(),
        names => format!("{} ({})", row.name, names.join(", ")),
    };
    [
        name,
        row.driver.clone().unwrap_or_else(|| "–".into()),
        row.mac.clone(),
        row.mtu.to_string(),
        link,
        of_most(Some(row.queues), row.queues_max),
        of_most(row.ring, row.ring_max),
        xdp.into(),
        row.guarded.as_ref().map_or_else(|| "free".into(), |why| format!("guarded: {why}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guarded_device_says_why_and_columns_line_up() {
        let link = Link {
            name: "eth0".into(),
            driver: Some("ixgbe".into()),
            mac: [2, 0, 0, 0, 0, 0xa],
            mtu: 1500,
            up: true,
            carrier: true,
            speed_mbps: Some(10_000),
            channels: Some((8, 63)),
            tx_ring: Some((512, 4096)),
            zero_copy: Some(true),
            ..Link::default()
        };
        let text = table(&[row(&link, Some(&Guard::DefaultRoute))]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("eth0    ixgbe      02:00:00:00:00:0a  1500  up 10000 Mbit/s  8 of 63"), "{text}");
        assert!(lines[1].ends_with("zero-copy  guarded: carries the default route"), "{text}");
        assert_eq!(lines[0].find("sending"), lines[1].find("guarded"));
    }
}
