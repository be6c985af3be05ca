//! Nanoseconds a packet of the whole sender (pacing, build, rings, completions, counters) over the simulated nic,
//! beside a flat loop of the same parts, in turns, in one run. What the stand-in kernels cost alone is taken off both. `cargo bench --bench engine`

mod reference;

use std::{sync::Arc, time::Instant};

use reference::{Build, Loop};
use rustix::time::{ClockId, clock_gettime};
use txdeck::{
    engine::{Desk, Sender, Turn},
    nic::{
        Clock,
        sim::{SimConfig, SimNic},
    },
    packet::{Facts, compile},
    profile::Document,
};

/// `TXDECK_BENCH_PACKETS` and `TXDECK_BENCH_ROUNDS` make it short, for an instruction counter.
const PACKETS: u64 = 4_000_000;
const ROUNDS: u64 = 9;
const BURST: u32 = 32;
/// More than the flat loop by at most this factor.
const MOST_RATIO: f64 = 1.3;

/// The clock that senders read, without the shell's.
#[derive(Clone, Copy)]
struct RealClock;

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}

struct Case {
    name: &'static str,
    clone: u32,
    flow: &'static str,
    build: Build,
    /// The bound of the engine, in nanoseconds a packet.
    most_ns: f64,
}

const STILL: &str = "ipv4 = {}\nudp = { checksum = false }\npayload = { kind = \"zero\" }";
const VARIED: &str = "ipv4 = { id = { from = 0, to = 65535 }, src = { random = [\"198.18.0.1\", \"198.19.255.254\"] } }\n\
    udp = { src = { from = 1024, to = 65535 }, dst = { random = [1, 60000] } }";

const CASES: [Case; 3] = [
    Case { name: "clone 64", clone: 64, flow: STILL, build: Build::Clone(64), most_ns: 2.0 },
    Case { name: "fresh", clone: 0, flow: STILL, build: Build::Fresh, most_ns: 6.0 },
    Case { name: "4 fields, header, checksums", clone: 0, flow: VARIED, build: Build::Varied, most_ns: 12.0 },
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Nanoseconds a packet of the engine, those of the simulated kernel taken off.
fn engine_ns(case: &Case, packets: u64) -> f64 {
    let text = format!(
        "version = 1\n[tx]\nburst = {BURST}\nclone = {}\ncount = {packets}\n[[flow]]\nname = \"a\"\n\
         eth = {{ dst = \"02:00:00:00:00:02\" }}\n{}\n",
        case.clone, case.flow
    );
    let document = Document::parse("bench.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = Arc::new(compile(document.profile(), &Facts::default()).unwrap());
    let desk = Desk::new(plan);
    let nic = SimNic::open(SimConfig::default()).unwrap();
    let mut sender = Sender::new(nic, 0, desk.line(0), 0);
    desk.release(1);
    let begin = Instant::now();
    while sender.turn(&RealClock) != Turn::Over {}
    let all = begin.elapsed();
    assert_eq!(sender.counts().left(), packets);
    let mut nic = SimNic::open(SimConfig::default()).unwrap();
    let begin = Instant::now();
    (0..packets / u64::from(BURST)).for_each(|_| nic.run_kernel_alone(BURST, &RealClock));
    let kernel = begin.elapsed();
    (all.as_nanos() as f64 - kernel.as_nanos() as f64) / packets as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let (packets, rounds) = (setting("TXDECK_BENCH_PACKETS", PACKETS), setting("TXDECK_BENCH_ROUNDS", ROUNDS));
    println!("burst {BURST}, {packets} packets a round, {rounds} rounds in turns; ns a packet: median (least to most)");
    // `cargo bench --bench engine -- fresh` runs the cases with that word in their name; `--alone` leaves the flat loop out.
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    let alone = std::env::args().any(|word| word == "--alone");
    for case in CASES.iter().filter(|case| case.name.contains(&word)) {
        let (mut engine, mut flat, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let ours = engine_ns(case, packets);
            let reference =
                if alone { f64::NAN } else { Loop::new().run(packets, BURST, case.build, || RealClock.now_ns()) };
            engine.push(ours);
            flat.push(reference);
            ratio.push(ours / reference);
        }
        let (engine_ns, flat_ns, ratio) = (median(&mut engine), median(&mut flat), median(&mut ratio));
        let held = engine_ns <= case.most_ns && ratio <= MOST_RATIO;
        println!(
            "{:<28} engine {engine_ns:5.2} ({:.2} to {:.2})  flat loop {flat_ns:5.2} ({:.2} to {:.2})  ratio {ratio:.2}  bound {:.0} {}",
            case.name,
            engine[0],
            engine[engine.len() - 1],
            flat[0],
            flat[flat.len() - 1],
            case.most_ns,
            if held { "ok" } else { "MISSED" }
        );
    }
}
