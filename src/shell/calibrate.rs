//! `txdeck calibrate`: what a sender's primitives cost on this CPU, beside the time a packet has.

use std::fs;

use serde::Serialize;

use crate::{
    app::calibration_lines,
    lab::{self, Lab, LabOptions},
    nic::{
        XdpNic,
        calibrate::{self, CalibrateError, Measured, Seat},
        host as kernel,
        xdp::XdpConfig,
    },
    profile::{
        Profile, WIRE_OVERHEAD_BYTES,
        budget::{BudgetFrame, budgets},
    },
    shell::{
        args::{CalibrateArgs, Common, Format},
        clock::MonotonicClock,
        cpus,
        failure::Failure,
        host, listing, load, lookup,
        output::{Ending, say},
        paths::Paths,
        result::Host,
        settings::Settings,
    },
    stats::{Calibration, Primitive, Spread},
};

/// What the console opens, too.
const USUAL_PROFILE: &str = "udp-64";

/// The answer under `--json`.
#[derive(Debug, Serialize)]
struct Object<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    txdeck: &'static str,
    host: Host,
    cpu: u32,
    other_cpu: Option<u32>,
    #[serde(rename = "virtual")]
    is_virtual: bool,
    profile: &'a str,
    size_bytes: f64,
    wire_bytes: f64,
    primitives: Vec<PrimitiveRow<'a>>,
    budget: Vec<BudgetRow>,
}

/// Figures are null where `why` says what was missing.
#[derive(Debug, Serialize)]
struct PrimitiveRow<'a> {
    name: &'a str,
    what: &'a str,
    median_ns: Option<f64>,
    min_ns: Option<f64>,
    p90_ns: Option<f64>,
    rounds: Option<usize>,
    why: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct BudgetRow {
    link: &'static str,
    bps: f64,
    pps: f64,
    gap_ns: f64,
}

pub fn run(args: &CalibrateArgs, common: &Common) -> Result<u8, Ending> {
    let source = lookup::find(args.profile.as_deref().unwrap_or(USUAL_PROFILE), &Paths::of_this_user()?)?;
    let settings = Settings::from_pairs(args.set.iter().map(String::as_str));
    let settings = settings.map_err(|why| Failure::new("bad_setting", why))?;
    let document = load::document(&source, &settings, None)?;
    let profile = document.profile();
    let seat = match args.cpu {
        Some(cpu) => seat_on("--cpu", &[cpu]),
        None => seat(&profile.tx.cpus),
    }?;
    if !common.quiet {
        say(&format!("measuring on CPU {}, about two seconds", seat.cpu));
    }
    let lab = lab::enter(LabOptions::default()).map_err(|why| format!("no lab: {}", why.message()));
    let calibration = measure(seat, lab.as_ref().map_err(Clone::clone).and_then(lab_queue), || true)?;
    let text = match args.format.chosen() {
        Format::Json => json(&calibration, profile) + "\n",
        Format::Text => text(&calibration, profile.budget_frame()),
    };
    listing::put(&text, common)
}

/// The first sender's CPU, and another for the contended line.
pub fn seat(named: &[u32]) -> Result<Seat, Failure> {
    seat_on("tx.cpus", named)
}

fn seat_on(option: &str, named: &[u32]) -> Result<Seat, Failure> {
    let allowed = cpus::allowed();
    let chosen = cpus::choose_for(option, named, 1, &allowed)?;
    let unknown = || Failure::new("bad_cpu", "the kernel does not say which CPUs this process may use");
    let cpu = chosen.first().copied().flatten().ok_or_else(unknown)?;
    Ok(Seat { cpu, other_cpu: allowed.iter().rev().copied().find(|other| *other != cpu) })
}

/// A queue of the lab's near end, or why it could not be opened.
pub fn lab_queue(lab: &Lab) -> Result<XdpNic, String> {
    let config = XdpConfig { ifindex: lab.device_index(), ..XdpConfig::new(lab.device(), 0) };
    XdpNic::open(&config).map_err(|why| why.to_string().trim_end_matches('.').to_owned())
}

/// Measures for about two seconds, on a thread of its own, as long as it may go on.
pub fn measure(
    seat: Seat,
    kick: Result<XdpNic, String>,
    keep_going: impl Fn() -> bool + Send,
) -> Result<Calibration, Failure> {
    let measured = calibrate::run(&MonotonicClock, seat, kick, keep_going).map_err(told)?;
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Ok(Calibration {
        cpu: seat.cpu,
        other_cpu: seat.other_cpu,
        is_virtual: kernel::is_virtual(&cpuinfo),
        primitives: measured.into_iter().map(primitive).collect(),
    })
}

fn told(why: CalibrateError) -> Failure {
    Failure::new("calibrate", why.to_string())
}

fn primitive(measured: Measured) -> Primitive {
    let spread = |rounds| Spread::of(rounds).ok_or_else(|| "no round was good".to_owned());
    Primitive { name: measured.name, what: measured.what, cost: measured.rounds_ns.and_then(spread) }
}

fn text(calibration: &Calibration, frame: BudgetFrame) -> String {
    let lines = calibration_lines(calibration, frame);
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

fn json(calibration: &Calibration, profile: &Profile) -> String {
    let frame = profile.budget_frame();
    let budget = budgets(frame.bytes);
    let object = Object {
        kind: "calibration",
        version: 1,
        txdeck: env!("CARGO_PKG_VERSION"),
        host: host::facts(None),
        cpu: calibration.cpu,
        other_cpu: calibration.other_cpu,
        is_virtual: calibration.is_virtual,
        profile: &profile.name,
        size_bytes: frame.bytes,
        wire_bytes: frame.bytes + f64::from(WIRE_OVERHEAD_BYTES),
        primitives: calibration.primitives.iter().map(row).collect(),
        budget: budget.map(|b| BudgetRow { link: b.link, bps: b.bps, pps: b.pps, gap_ns: b.gap_ns }).collect(),
    };
    serde_json::to_string(&object).unwrap_or_default()
}

fn row(primitive: &Primitive) -> PrimitiveRow<'_> {
    let spread = primitive.cost.as_ref().ok();
    PrimitiveRow {
        name: primitive.name,
        what: primitive.what,
        median_ns: spread.map(|spread| spread.median_ns),
        min_ns: spread.map(|spread| spread.least_ns),
        p90_ns: spread.map(|spread| spread.p90_ns),
        rounds: spread.map(|spread| spread.rounds),
        why: primitive.cost.as_ref().err().map(String::as_str),
    }
}
