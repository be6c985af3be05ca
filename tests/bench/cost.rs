//! What each cost switch adds to a packet: a sender with and without it in turns, over the simulated nic with a real clock.
//! A shared line costs where two share it, so for that one two senders run on two CPUs. `cargo bench --bench cost`

use std::{
    sync::{Arc, Barrier},
    thread,
    time::Instant,
};

use rustix::{
    thread::{CpuSet, sched_setaffinity},
    time::{ClockId, clock_gettime},
};
use txdeck::{
    engine::{Desk, Sender, Turn},
    nic::{
        Clock,
        sim::{SimConfig, SimNic},
    },
    packet::{Facts, compile},
    profile::Document,
    stats::{mean_and_variance, t_975},
    trial::drop_outliers,
};

const PACKETS: u64 = 1_000_000;
const ROUNDS: usize = 31;

#[derive(Clone, Copy)]
struct RealClock;

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}

/// Nanoseconds a packet of `senders` senders at once, each on a CPU of its own.
fn packet_ns(cost: &str, senders: usize) -> f64 {
    let queues: Vec<usize> = (0..senders).collect();
    let text = format!(
        "version = 1\n[tx]\nqueues = {queues:?}\ncount = {}\ncost = [{cost}]\n[[flow]]\nname = \"a\"\n\
         eth = {{ dst = \"02:00:00:00:00:02\" }}\nipv4 = {{}}\nudp = {{ checksum = false }}\n",
        PACKETS * senders as u64
    );
    let document = Document::parse("bench.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let desk = Desk::new(Arc::new(compile(document.profile(), &Facts::default()).unwrap()));
    desk.release(1);
    let ready = Arc::new(Barrier::new(senders));
    let run = |seat: usize| {
        let (line, ready) = (desk.line(seat), Arc::clone(&ready));
        thread::spawn(move || {
            let mut cpu = CpuSet::new();
            cpu.set(seat);
            // A machine with one CPU measures no contention, and says so by its figures.
            let _ = sched_setaffinity(None, &cpu);
            let mut sender = Sender::new(SimNic::open(SimConfig::default()).unwrap(), seat, line, 0);
            ready.wait();
            let begin = Instant::now();
            while sender.turn(&RealClock) != Turn::Over {}
            assert_eq!(sender.counts().left(), PACKETS);
            begin.elapsed().as_nanos() as f64 / PACKETS as f64
        })
    };
    let running: Vec<_> = (0..senders).map(run).collect();
    running.into_iter().map(|sender| sender.join().unwrap()).sum::<f64>() / senders as f64
}

fn main() {
    println!("{PACKETS} packets a round, {ROUNDS} rounds in turns; ns a packet: mean (95 % interval)");
    let mut missed = false;
    let switches =
        [("lock", 1), ("shared-line", 2), ("flow-lock", 1), ("barrier", 1), ("kick-each", 1), ("clock-each", 1)];
    for (cost, senders) in switches {
        let quoted = format!("\"{cost}\"");
        let pair = |_| (packet_ns("", senders), packet_ns(&quoted, senders));
        let pairs: Vec<(f64, f64)> = (0..ROUNDS).map(pair).collect();
        let added: Vec<f64> = pairs.iter().map(|(off, on)| on - off).collect();
        // A neighbour of this machine that woke up in one round says nothing of the switch.
        let added = drop_outliers(&added, 5.0).figures;
        let (off_ns, _) = mean_and_variance(&pairs.iter().map(|(off, _)| *off).collect::<Vec<_>>());
        let (mean, variance) = mean_and_variance(&added);
        let rounds = added.len() as f64;
        let half = t_975(rounds - 1.0) * (variance / rounds).sqrt();
        let verdict = if mean - half > 0.0 { "ok" } else { "within noise: MISSED" };
        missed |= mean - half <= 0.0;
        println!(
            "{cost:<12} {senders} sender(s)  off {off_ns:6.2}  adds {mean:6.2} ({:.2} to {:.2})  {verdict}",
            mean - half,
            mean + half
        );
    }
    std::process::exit(i32::from(missed));
}
