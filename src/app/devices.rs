//! The Devices screen: what is known of each device, and rates made of counters read while the screen is open.

use super::{App, Effect, Screen};

/// Counters of a device at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceCounts {
    pub at_ns: u64,
    pub tx_packets: u64,
    pub tx_bytes: u64,
    pub tx_dropped: u64,
    pub tx_errors: u64,
    pub rx_packets: u64,
    pub rx_bytes: u64,
    pub rx_dropped: u64,
    pub rx_errors: u64,
}

/// Per second, from change to change of two readings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DeviceRates {
    pub tx_pps: f64,
    pub tx_bps: f64,
    pub rx_pps: f64,
    pub rx_bps: f64,
}

/// A device that could be sent on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeviceEntry {
    pub name: String,
    /// The kernel's number; 0 for the simulated nic.
    pub index: u32,
    /// Driver, MAC, MTU, link, queues in one line.
    pub facts: String,
    /// Everything else that is known: (word, value).
    pub details: Vec<(&'static str, String)>,
    /// Why sending there is refused, and what lifts it.
    pub guard: Option<String>,
    pub counts: Option<DeviceCounts>,
    /// `None` until two readings are there.
    pub rates: Option<DeviceRates>,
}

impl DeviceEntry {
    /// A newer reading; the older one makes the rates.
    fn count(&mut self, counts: DeviceCounts) {
        if let Some(before) = self.counts
            && counts.at_ns > before.at_ns
        {
            let seconds = (counts.at_ns - before.at_ns) as f64 / 1e9;
            let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / seconds;
            self.rates = Some(DeviceRates {
                tx_pps: rate(counts.tx_packets, before.tx_packets),
                tx_bps: 8.0 * rate(counts.tx_bytes, before.tx_bytes),
                rx_pps: rate(counts.rx_packets, before.rx_packets),
                rx_bps: 8.0 * rate(counts.rx_bytes, before.rx_bytes),
            });
        }
        self.counts = Some(counts);
    }
}

/// When what was asked of the kernel is asked again while the screen is open.
#[derive(Debug, Default)]
pub(super) struct Refresh {
    counters_ns: u64,
    list_ns: u64,
}

const COUNTERS_EVERY_NS: u64 = 1_000_000_000;
/// Facts take several questions to every driver.
const LIST_EVERY_NS: u64 = 5_000_000_000;

impl App {
    /// The screen opens.
    pub(super) fn ask_for_devices(&mut self, effects: &mut Vec<Effect>) {
        self.refresh = Refresh { counters_ns: self.now_ns, list_ns: self.now_ns };
        effects.push(Effect::ListDevices);
    }

    /// At every tick: counters each second, facts each five, while somebody looks.
    pub(super) fn refresh_devices(&mut self, effects: &mut Vec<Effect>) {
        if self.screen != Screen::Devices {
            return;
        }
        let is_due = |since_ns: u64, every_ns: u64| self.now_ns.saturating_sub(since_ns) >= every_ns;
        if is_due(self.refresh.list_ns, LIST_EVERY_NS) {
            self.refresh.list_ns = self.now_ns;
            effects.push(Effect::ListDevices);
        }
        if is_due(self.refresh.counters_ns, COUNTERS_EVERY_NS) {
            self.refresh.counters_ns = self.now_ns;
            effects.push(Effect::ReadCounters);
        }
    }

    /// The facts anew; the pick stays on its device, counters and rates on theirs.
    pub(super) fn devices_listed(&mut self, mut entries: Vec<DeviceEntry>) {
        for entry in &mut entries {
            let known = self.devices.items().iter().find(|old| old.index == entry.index && old.index != 0);
            if let Some(old) = known {
                (entry.counts, entry.rates) = (old.counts.or(entry.counts), old.rates);
            }
        }
        // At first the device in use is picked.
        let in_use = || self.place.as_ref().map(|place| (0, place.device.clone()));
        let picked = self.devices.picked().map(|device| (device.index, device.name.clone())).or_else(in_use);
        let at = picked.and_then(|(index, name)| {
            let same = entries.iter().position(|entry| index != 0 && entry.index == index);
            same.or_else(|| entries.iter().position(|entry| entry.name == name))
        });
        self.devices.fill(entries);
        if let Some(at) = at {
            self.devices.pick(at);
        }
    }

    pub(super) fn devices_counted(&mut self, counts: &[(u32, DeviceCounts)]) {
        for device in self.devices.items_mut() {
            if let Some((_, counts)) = counts.iter().find(|(index, _)| *index == device.index) {
                device.count(*counts);
            }
        }
    }
}
