//! What the benches of the engine send: a whole sender (pacing, build, rings, completions, counters) over the simulated nic.

use std::sync::Arc;

use txdeck::{
    engine::{Desk, Sender, Turn},
    nic::{
        Clock,
        sim::{SimConfig, SimNic},
    },
    packet::{Facts, compile},
    profile::Document,
};

pub const BURST: u32 = 32;

pub struct Case {
    pub name: &'static str,
    clone: u32,
    flow: &'static str,
}

const STILL: &str = "ipv4 = {}\nudp = { checksum = false }\npayload = { kind = \"zero\" }";
const HEADER: &str = "ipv4 = {}\nudp = { checksum = false }";
const VARIED: &str = "ipv4 = { id = { from = 0, to = 65535 }, src = { random = [\"198.18.0.1\", \"198.19.255.254\"] } }\n\
    udp = { src = { from = 1024, to = 65535 }, dst = { random = [1, 60000] } }";

pub const CLONE: Case = Case { name: "clone 64", clone: 64, flow: STILL };
pub const FRESH: Case = Case { name: "fresh", clone: 0, flow: STILL };
pub const FRESH_HEADER: Case = Case { name: "fresh, pktgen header", clone: 0, flow: HEADER };
pub const FOUR_FIELDS: Case = Case { name: "4 fields, header, checksums", clone: 0, flow: VARIED };

impl Case {
    /// Sends so many packets, start to drained.
    pub fn send(&self, packets: u64, clock: &impl Clock) {
        let text = format!(
            "version = 1\n[tx]\nburst = {BURST}\nclone = {}\ncount = {packets}\n[[flow]]\nname = \"a\"\n\
             eth = {{ dst = \"02:00:00:00:00:02\" }}\n{}\n",
            self.clone, self.flow
        );
        let document = Document::parse("bench.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
        let plan = Arc::new(compile(document.profile(), &Facts::default()).unwrap());
        let desk = Desk::new(plan);
        let nic = SimNic::open(SimConfig::default()).unwrap();
        let mut sender = Sender::new(nic, 0, desk.line(0), 0);
        desk.release(1);
        while sender.turn(clock) != Turn::Over {}
        assert_eq!(sender.counts().left(), packets);
    }
}

/// What the simulated kernel alone makes of so many packets.
pub fn run_kernel_alone(packets: u64, clock: &impl Clock) {
    let mut nic = SimNic::open(SimConfig::default()).unwrap();
    (0..packets / u64::from(BURST)).for_each(|_| nic.run_kernel_alone(BURST, clock));
}
