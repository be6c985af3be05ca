//! Nanoseconds a packet of the whole sender (pacing, build, rings, completions, counters) over the simulated nic,
//! beside a flat loop of the same parts, in turns, in one run. `cargo bench --bench engine`

mod reference;

use std::{sync::Arc, time::Instant};

use reference::{Build, Loop};
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

struct RealClock(Instant);

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
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

const FIXED: &str = "ipv4 = {}\nudp = { checksum = false }";
const VARIED: &str = "ipv4 = { src = { random = [\"198.18.0.1\", \"198.19.255.254\"] } }\n\
    udp = { src = { from = 1024, to = 65535 }, dst = { random = [1, 60000] } }";

const CASES: [Case; 3] = [
    Case { name: "clone 64", clone: 64, flow: FIXED, build: Build::Clone(64), most_ns: 8.0 },
    Case { name: "fresh", clone: 0, flow: FIXED, build: Build::Fresh, most_ns: 12.0 },
    Case { name: "3 fields + UDP checksum", clone: 0, flow: VARIED, build: Build::Varied, most_ns: 20.0 },
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Nanoseconds a packet of the engine.
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
    let clock = RealClock(Instant::now());
    desk.release(1);
    let begin = Instant::now();
    while sender.turn(&clock) != Turn::Over {}
    let ns = begin.elapsed().as_nanos() as f64 / packets as f64;
    assert_eq!(sender.counts().left(), packets);
    ns
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let (packets, rounds) = (setting("TXDECK_BENCH_PACKETS", PACKETS), setting("TXDECK_BENCH_ROUNDS", ROUNDS));
    println!("burst {BURST}, {packets} packets a round, {rounds} rounds in turns; ns a packet: median (least to most)");
    // `cargo bench --bench engine -- fresh` runs the cases with that word in their name.
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    for case in CASES.iter().filter(|case| case.name.contains(&word)) {
        let (mut engine, mut flat, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let ours = engine_ns(case, packets);
            let reference = Loop::new().run(packets, BURST, case.build);
            engine.push(ours);
            flat.push(reference);
            ratio.push(ours / reference);
        }
        let (engine_ns, flat_ns, ratio) = (median(&mut engine), median(&mut flat), median(&mut ratio));
        println!(
            "{:<26} engine {engine_ns:6.2} ({:.2} to {:.2})  flat loop {flat_ns:6.2} ({:.2} to {:.2})  ratio {ratio:.2}  bound {:.0} {}",
            case.name,
            engine[0],
            engine[engine.len() - 1],
            flat[0],
            flat[flat.len() - 1],
            case.most_ns,
            if engine_ns <= case.most_ns { "ok" } else { "MISSED" }
        );
    }
}
