//! The kernel's pktgen as a whole: threads, their devices, and when they start.

use crate::dialect::Report;

use super::{
    device::{Device, Outcome, split},
    script::Write,
};

/// Devices in the order in which they were added, as they stood at the first start.
pub fn devices(writes: &[Write], report: &mut Report) -> Vec<Device> {
    let mut machine = Machine { devices: Vec::new(), started: None, before: Vec::new(), report };
    for write in writes {
        machine.write(write);
    }
    let Machine { devices, started, before, .. } = machine;
    match started {
        Some(devices) => devices,
        // Nobody starts it, and it was perhaps cleared away in the end.
        None if devices.is_empty() => before,
        None => devices,
    }
}

struct Machine<'a> {
    devices: Vec<Device>,
    started: Option<Vec<Device>>,
    /// What the last reset cleared away.
    before: Vec<Device>,
    report: &'a mut Report,
}

impl Machine<'_> {
    fn write(&mut self, write: &Write) {
        let file = write.file.as_str();
        if file == "pgctrl" {
            self.control(write);
        } else if let Some(thread) = file.strip_prefix("kpktgend_") {
            match thread.parse() {
                Ok(thread) => self.thread(thread, write),
                Err(_) => self.report.dropped(write.line, &write.text, format!("{file} is no thread of pktgen")),
            }
        } else {
            self.device(write);
        }
    }

    fn control(&mut self, write: &Write) {
        let refusal = match split(&write.text).0 {
            "start" if self.started.is_some() => "a second start: only what the first one sends is taken over",
            "start" => {
                self.started = Some(self.devices.clone());
                return;
            }
            "reset" => return self.clear(|_| false),
            "stop" => return,
            _ => "pgctrl knows start, stop and reset",
        };
        self.report.dropped(write.line, &write.text, refusal);
    }

    fn clear(&mut self, stays: impl Fn(&Device) -> bool) {
        let (kept, gone): (Vec<Device>, Vec<Device>) = self.devices.drain(..).partition(stays);
        self.devices = kept;
        if !gone.is_empty() {
            self.before = gone;
        }
    }

    fn thread(&mut self, thread: u32, write: &Write) {
        let (command, name) = split(&write.text);
        match command {
            "rem_device_all" => self.clear(|device| device.thread != thread),
            "add_device" if self.devices.iter().any(|device| device.name == name) => {
                self.report.dropped(write.line, &write.text, "this device is on a thread already (EBUSY)");
            }
            "add_device" => self.devices.push(Device::new(name, thread, write.line)),
            "max_before_softirq" => {
                self.report.dropped(write.line, &write.text, "obsolete: the kernel takes it and does nothing")
            }
            _ => self.report.dropped(write.line, &write.text, "threads know add_device and rem_device_all"),
        }
    }

    fn device(&mut self, write: &Write) {
        if self.started.is_some() {
            let sentence = "behind start: changes of what is running are not taken over";
            return self.report.dropped(write.line, &write.text, sentence);
        }
        let known = self.devices.iter().position(|device| device.name == write.file);
        let at = known.unwrap_or_else(|| {
            let sentence = format!("no add_device names {}: it is taken as on thread 0", write.file);
            self.report.assumed(write.line, &write.text, sentence);
            self.devices.push(Device::new(&write.file, 0, write.line));
            self.devices.len() - 1
        });
        match self.devices[at].apply(write.line, &write.text) {
            Outcome::Taken => {}
            Outcome::Bent(how) => self.report.converted(write.line, &write.text, how),
            Outcome::Refused(why) => self.report.dropped(write.line, &write.text, why),
        }
    }
}
