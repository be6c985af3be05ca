//! Instructions a packet of the whole sender over the simulated nic, counted by callgrind: the same figure on a busy
//! machine as on an idle one. `cargo bench --bench instructions` fails where a case takes more than its bound.

mod cases;

use std::{cell::Cell, process::Command};

use cases::{CLONE, Case, FOUR_FIELDS, FRESH, FRESH_HEADER, run_kernel_alone};
use txdeck::nic::Clock;

/// What start and drain cost falls out of the difference of two runs.
const FEW: u64 = 64_000;
const MANY: u64 = 320_000;

/// A case and the most instructions a packet, those of the simulated kernel taken off; some 3 % above what rustc 1.95 makes
/// for x86-64.
const BOUNDS: [(Case, f64); 4] = [(CLONE, 21.0), (FRESH, 55.0), (FRESH_HEADER, 68.0), (FOUR_FIELDS, 190.0)];

/// Every reading is 1 µs after the last one, and costs next to nothing.
#[derive(Default)]
struct StepClock(Cell<u64>);

impl Clock for StepClock {
    fn now_ns(&self) -> u64 {
        self.0.set(self.0.get() + 1000);
        self.0.get()
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [name, packets] = arguments.as_slice() {
        let packets = packets.parse().unwrap();
        return match BOUNDS.iter().find(|(case, _)| case.name == name) {
            Some((case, _)) => case.send(packets, &StepClock::default()),
            None => run_kernel_alone(packets, &StepClock::default()),
        };
    }
    let kernel = a_packet("kernel");
    let mut held = true;
    for (case, most) in &BOUNDS {
        let ours = a_packet(case.name) - kernel;
        let verdict = if ours <= *most { "ok" } else { "MISSED" };
        held &= ours <= *most;
        println!("{:<28} {ours:6.1} instructions a packet, bound {most} {verdict}", case.name);
    }
    assert!(held, "a packet takes more instructions than it did");
}

fn a_packet(name: &str) -> f64 {
    (counted(name, MANY) - counted(name, FEW)) / (MANY - FEW) as f64
}

/// Runs itself under callgrind.
fn counted(name: &str, packets: u64) -> f64 {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = command.arg(std::env::current_exe().unwrap()).args([name, &packets.to_string()]).output();
    let output = output.expect("valgrind must be installed");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let count = told.lines().find_map(|line| line.split_once("Collected : ")).map(|(_, count)| count.trim().parse());
    count.expect("callgrind tells a sum").expect("a number")
}
