//! Readings from outside the senders: the device's own counters and the far end's.

use crate::{
    lab::Lab,
    nic::sink::PacketCounter,
    shell::{failure::Failure, site::Site},
    stats::{DeviceCounters, Meter},
};

/// What is read beside the senders in one run.
pub struct Gauge {
    /// Counts what arrived, in a lab.
    far_end: Option<PacketCounter>,
    last_received: u64,
    received_before: u64,
}

impl Gauge {
    /// Opened before the first packet, so that none is missed.
    pub fn open(site: &Site) -> Result<Gauge, Failure> {
        let open = |lab: &Lab| {
            lab.open_counter().map_err(|why| Failure::new("far_end", format!("counting at the far end failed: {why}")))
        };
        let far_end = site.lab.as_ref().map(open).transpose()?;
        Ok(Gauge { far_end, last_received: 0, received_before: 0 })
    }

    /// A meter with the device's counters of now as its baseline; the far end counts from now, too.
    pub fn meter(&mut self, site: &mut Site, now_ns: u64) -> Result<Meter, Failure> {
        self.received();
        self.received_before = self.last_received;
        if site.is_sim() {
            return Ok(Meter::sim());
        }
        let baseline = self.device(site, now_ns);
        let unread = || Failure::new("netlink", format!("{}: the device's counters could not be read", site.device));
        Ok(Meter::device(baseline.ok_or_else(unread)?))
    }

    /// The device's counters; `None` when it is simulated or gone.
    pub fn device(&mut self, site: &mut Site, now_ns: u64) -> Option<DeviceCounters> {
        let (links, index) = site.links()?;
        let counters = links.counters(index).ok()??;
        Some(DeviceCounters {
            at_ns: now_ns,
            tx_packets: counters.tx_packets,
            tx_bytes: counters.tx_bytes,
            tx_dropped: counters.tx_dropped,
            tx_errors: counters.tx_errors,
            carrier: counters.carrier,
        })
    }

    /// Packets that arrived since the start of the run; `None` without a far end to read.
    pub fn received(&mut self) -> Option<u64> {
        let far_end = self.far_end.as_mut()?;
        // A failed reading keeps the last one: the counter itself is lost only with the lab.
        self.last_received = far_end.read().unwrap_or(self.last_received);
        Some(self.last_received - self.received_before)
    }
}
