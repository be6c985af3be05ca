//! The first frames of a profile, flow by flow, as the plan builds them.

use txdeck::{
    packet::{Facts, Stamp, StampTime, compile},
    profile::Document,
};

/// Of each flow the first `count` builds, with what a sender of one queue would stamp into them.
pub fn frames(document: &Document, count: u64) -> Vec<(String, Vec<Vec<u8>>)> {
    let facts = Facts { device_mac: [2, 0, 0, 0, 0, 1], ..Facts::default() };
    let plan = compile(document.profile(), &facts).unwrap_or_else(|why| panic!("{why}"));
    let flows = plan.flows.iter().enumerate().map(|(number, flow)| {
        let frames = (0..count).map(|k| {
            let seq = (k * u64::from(flow.copies) + 1) as u32;
            let stamp = Stamp { k, seq, stream: number as u16, time: StampTime::from_wall_ns(k * 1000) };
            let mut bytes = vec![0; flow.frame.len(k)];
            flow.frame.write(&mut bytes, &mut 0, &stamp);
            bytes
        });
        (flow.name.to_string(), frames.collect())
    });
    flows.collect()
}
