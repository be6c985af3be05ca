//! Nanoseconds a packet of the whole sender over the simulated nic, beside a flat loop of the same parts, in turns, in one
//! run; what the stand-in kernels cost alone is taken off both. `cargo bench --bench engine`, or with a word of a case's
//! name behind `--`.

mod cases;
mod reference;

use std::time::Instant;

use cases::{BURST, CLONE, Case, FOUR_FIELDS, FRESH, FRESH_HEADER, run_kernel_alone};
use reference::{Build, Loop};
use rustix::time::{ClockId, clock_gettime};
use txdeck::nic::Clock;

const PACKETS: u64 = 4_000_000;
const ROUNDS: u64 = 9;
/// The engine may take this many times what the flat loop does.
const MOST_RATIO: f64 = 1.3;

/// The clock that senders read.
struct RealClock;

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}

/// A case, what the flat loop builds for it, and the bound in nanoseconds a packet.
const BOUNDS: [(Case, Build, f64); 4] = [
    (CLONE, Build::Clone(64), 2.0),
    (FRESH, Build::Fresh, 6.0),
    (FRESH_HEADER, Build::Header, 6.0),
    (FOUR_FIELDS, Build::Varied, 12.0),
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn engine_ns(case: &Case, packets: u64) -> f64 {
    let begin = Instant::now();
    case.send(packets, &RealClock);
    let all = begin.elapsed();
    let begin = Instant::now();
    run_kernel_alone(packets, &RealClock);
    let kernel = begin.elapsed();
    (all.as_nanos() as f64 - kernel.as_nanos() as f64) / packets as f64
}

/// Sorts; (median, least, most).
fn spread(values: &mut [f64]) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[0], values[values.len() - 1])
}

fn main() {
    let (packets, rounds) = (setting("TXDECK_BENCH_PACKETS", PACKETS), setting("TXDECK_BENCH_ROUNDS", ROUNDS));
    println!("burst {BURST}, {packets} packets a round, {rounds} rounds in turns; ns a packet: median (least to most)");
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    for (case, build, most_ns) in BOUNDS.iter().filter(|(case, ..)| case.name.contains(&word)) {
        let (mut engine, mut flat, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let ours = engine_ns(case, packets);
            let reference = Loop::new().run(packets, BURST, *build, || RealClock.now_ns());
            engine.push(ours);
            flat.push(reference);
            ratio.push(ours / reference);
        }
        let (ours, least, most) = spread(&mut engine);
        let (loop_ns, loop_least, loop_most) = spread(&mut flat);
        let (ratio, ..) = spread(&mut ratio);
        let verdict = if ours <= *most_ns && ratio <= MOST_RATIO { "ok" } else { "MISSED" };
        println!(
            "{:<28} engine {ours:5.2} ({least:.2} to {most:.2})  flat loop {loop_ns:5.2} ({loop_least:.2} to {loop_most:.2})  \
             ratio {ratio:.2}  bounds {most_ns:.0}, {MOST_RATIO} {verdict}",
            case.name
        );
    }
}
