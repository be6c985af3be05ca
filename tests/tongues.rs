//! Other tools' files as profiles and back: rebuilt by hand after what people really have, and every shipped profile.

#[path = "tongues/bad.rs"]
mod bad;
#[path = "tongues/dpdk.rs"]
mod dpdk;
#[path = "tongues/random.rs"]
mod random;
mod random_profiles;
#[path = "tongues/round.rs"]
mod round;
#[path = "tongues/trafgen.rs"]
mod trafgen;
#[path = "tongues/trex.rs"]
mod trex;

use txdeck::{
    dialect::{Dialect, Given, Imported, import},
    packet::{Facts, Plan, Stamp, compile},
    profile::Document,
};

/// The device's MAC wherever a plan is compiled here.
pub const DEVICE: [u8; 6] = [2, 0, 0, 0, 0, 1];

pub fn read(dialect: Dialect, file: &str, text: &str) -> Imported {
    import(dialect, file, text.as_bytes(), &Given::default()).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

pub fn notes(imported: &Imported) -> Vec<String> {
    imported.report.lines("f").collect()
}

pub fn document(text: &str) -> Document {
    Document::parse("t.toml", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

pub fn plan(text: &str) -> Plan {
    let facts = Facts { device_mac: DEVICE, ..Facts::default() };
    compile(document(text).profile(), &facts).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// The first builds of one flow.
pub fn frames(plan: &Plan, flow: usize, builds: u64) -> Vec<Vec<u8>> {
    let frame = &plan.flows[flow].frame;
    let build = |k| {
        let mut bytes = vec![0; frame.len(k)];
        frame.write(&mut bytes, &mut 0, &Stamp { k, seq: k as u32 + 1, ..Stamp::default() });
        bytes
    };
    (0..builds).map(build).collect()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
