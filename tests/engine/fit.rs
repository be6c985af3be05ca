//! Scripted costs come back out of a sweep: what a packet, a doorbell and a build take.

use txdeck::{
    nic::sim::{Costs, SimConfig},
    stats::cost_ns,
    trial::{Point, fit},
};

use crate::bench::{Bench, START, one_flow};

const PACKET_NS: u64 = 40;
const DOORBELL_NS: u64 = 300;
const BUILD_NS: u64 = 25;

/// The cost of packets that are sent like this, out of the sender's own counters.
fn measured(burst: u32, clone: u32) -> Point {
    let text = one_flow(&format!("burst = {burst}\nclone = {clone}\ncount = 64000"), "");
    let costs = Costs { kick_ns: DOORBELL_NS, packet_ns: PACKET_NS, build_ns: BUILD_NS, ..Costs::default() };
    let mut bench = Bench::with(&text, |config| SimConfig { costs, recording: None, ..config });
    bench.run_until(START * 60);
    assert!(bench.is_over());
    bench.assert_balanced();
    let cost_ns = cost_ns(&Default::default(), &bench.total()).expect("packets completed");
    Point { burst, clone, cost_ns }
}

#[test]
fn packet_doorbell_and_build_are_recovered_within_two_percent() {
    let grid = [1, 2, 4, 8, 16, 32].iter().flat_map(|burst| [0, 2, 10, 100].map(|clone| measured(*burst, clone)));
    let fit = fit(&grid.collect::<Vec<_>>()).expect("both axes vary");
    let (burst_ns, clone_ns) = (fit.burst_ns.expect("burst varied"), fit.clone_ns.expect("clone varied"));
    for (found, wanted) in [(fit.packet_ns, PACKET_NS), (burst_ns, DOORBELL_NS), (clone_ns, BUILD_NS)] {
        let wanted = wanted as f64;
        assert!((found - wanted).abs() <= 0.02 * wanted, "{found} for {wanted}: {fit:?}");
    }
    assert!(fit.r_squared > 0.999, "{fit:?}");
}
