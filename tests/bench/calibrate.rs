//! Calibrates this CPU and holds the table against what must be so on any CPU: an uncontended atomic costs no less than a
//! plain load and store, a contended line no less than one's own, a system call more than an atomic.
//! `cargo bench --bench calibrate`

use std::{process::ExitCode, time::Instant};

use txdeck::{
    nic::{
        Clock,
        calibrate::{Seat, run},
        cpus,
    },
    stats::Spread,
};

struct RealClock(Instant);

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// Each costs no less than the one before.
const ORDERS: [[&str; 2]; 4] = [
    ["load_store", "locked_add"],
    ["locked_add", "contended_add"],
    ["load_store", "barrier"],
    ["locked_add", "system_call"],
];

fn main() -> ExitCode {
    let allowed = cpus::allowed().expect("the kernel says which CPUs there are");
    let cpu = *allowed.last().expect("one CPU");
    let seat = Seat { cpu, other_cpu: allowed.iter().copied().find(|other| *other != cpu) };
    let clock = RealClock(Instant::now());
    let measured = run(&clock, seat, Err("only in a lab".into()), || true).expect("it can be measured");
    println!("CPU {cpu}, {:.1} s; ns an operation: median (least to 90 %)", clock.now_ns() as f64 / 1e9);
    let spread = |name: &str| {
        let found = measured.iter().find(|measured| measured.name == name)?;
        Spread::of(found.rounds_ns.clone().ok()?)
    };
    for row in &measured {
        match spread(row.name) {
            Some(s) => println!("{:<24} {:8.2} ({:.2} to {:.2})", row.what, s.median_ns, s.least_ns, s.p90_ns),
            None => println!("{:<24} {:?}", row.what, row.rounds_ns.as_ref().err()),
        }
    }
    let mut missed = 0;
    for [less, more] in ORDERS {
        let Some((a, b)) = spread(less).zip(spread(more)) else { continue };
        let holds = a.median_ns <= b.median_ns;
        missed += u32::from(!holds);
        println!("{less} <= {more} {}", if holds { "ok" } else { "MISSED" });
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
