//! How different the packets of a plan are, in one line: Edit shows it, `check` prints it.

use crate::{
    packet::{Diversity, Found},
    stats::si,
};

use super::conversion::with_unit;

/// *64.51 k packets, 64.51 k flows in this plan; a second at 1.124 Mpps: …*; `left_pps` is what leaves now.
pub fn words(diversity: &Diversity, left_pps: Option<f64>) -> String {
    let in_all = found(&diversity.in_all());
    let Some(second) = diversity.a_second(left_pps) else {
        return format!("{in_all} in this plan; a second: known once it sends");
    };
    let pps = left_pps.or(diversity.paced_pps());
    let pps = pps.map(|pps| format!(" at {}", with_unit(pps, "pps"))).unwrap_or_default();
    format!("{in_all} in this plan; a second{pps}: {}", found(&second))
}

fn found(found: &Found) -> String {
    let count = |value: f64| if value >= 1.8e19 { "2^64 or more".into() } else { si(value.round()) };
    let plural = |n: f64, one: &str| format!("{} {one}{}", count(n), if n.round() == 1.0 { "" } else { "s" });
    format!("{}, {}", plural(found.packets, "packet"), plural(found.flows, "flow"))
}
