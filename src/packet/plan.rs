//! The plan: a compiled profile, immutable, shared by all senders.

use std::{net::IpAddr, sync::Arc};

use crate::profile::{Arp, Costs, Flow, Ip, Mac, Profile, Rate, Value};

use super::{capture::Captures, error::CompileError, frame::Frame, header::Macs, replay, template, vary::Form};

/// What a profile cannot know by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub device_mac: [u8; 6],
    /// Of the device that is to send; `None`: not known.
    pub mtu: Option<u32>,
    /// Its speed; `None`: no link, or one without a speed.
    pub link_mbps: Option<u32>,
    /// What the kernel's neighbour table knows of this device.
    pub neighbours: Vec<(IpAddr, [u8; 6])>,
    /// The captures that the profile names.
    pub captures: Captures,
}

/// A compiled profile, immutable; senders share it.
#[derive(Debug, Clone)]
pub struct Plan {
    pub queues: Vec<u32>,
    pub burst: u32,
    pub rate: Rate,
    pub count: u64,
    pub duration_ns: u64,
    pub seed: u64,
    /// What every packet pays again.
    pub cost: Costs,
    /// Enabled flows in file order.
    pub flows: Vec<PlanFlow>,
}

impl Plan {
    /// The longest frame any flow can make.
    pub fn max_len(&self) -> usize {
        self.flows.iter().map(|flow| flow.frame.max_len()).max().unwrap_or(0)
    }
}

/// One flow, ready to be built.
#[derive(Debug, Clone)]
pub struct PlanFlow {
    pub name: Arc<str>,
    /// Sends per built packet, at least 1 (0 and 1 of the profile are both 1).
    pub copies: u32,
    pub rate: Option<Rate>,
    pub weight: u32,
    pub count: u64,
    pub start_ns: u64,
    /// Packets leave when their records say, not at a rate.
    pub is_timed: bool,
    /// Positions in `Plan::queues` that send this flow, ascending.
    pub seats: Vec<usize>,
    pub frame: Frame,
}

/// Compiles the enabled flows of a checked profile.
///
/// # Errors
/// The first flow that cannot be built: a neighbour the kernel does not know, or a value no field can hold.
pub fn compile(profile: &Profile, facts: &Facts) -> Result<Plan, CompileError> {
    let tx = &profile.tx;
    let enabled = profile.flows.iter().filter(|flow| flow.enabled);
    Ok(Plan {
        queues: tx.queues.clone(),
        burst: tx.burst,
        rate: tx.rate,
        count: tx.count,
        duration_ns: tx.duration_ns,
        seed: tx.seed,
        cost: tx.cost,
        flows: enabled.map(|flow| plan_flow(profile, flow, facts)).collect::<Result<_, _>>()?,
    })
}

fn plan_flow(profile: &Profile, flow: &Flow, facts: &Facts) -> Result<PlanFlow, CompileError> {
    if let Some(replay) = &flow.replay {
        return replay::flow(profile, flow, replay, facts);
    }
    let macs = macs(flow, facts)?;
    Ok(PlanFlow {
        name: flow.name.as_str().into(),
        copies: flow.clone.unwrap_or(profile.tx.clone).max(1),
        rate: flow.rate,
        weight: flow.weight.max(1),
        count: flow.count,
        start_ns: flow.start_ns,
        is_timed: false,
        seats: seats(flow, &profile.tx.queues)?,
        frame: template::frame(flow, &macs, profile.tx.seed)?,
    })
}

pub(super) fn seats(flow: &Flow, queues: &[u32]) -> Result<Vec<usize>, CompileError> {
    let Some(own) = &flow.queues else { return Ok((0..queues.len()).collect()) };
    let seat = |&queue: &u32| {
        let found = queues.iter().position(|known| *known == queue);
        found.ok_or_else(|| CompileError::UnknownQueue { flow: flow.name.clone(), queue })
    };
    let mut seats = own.iter().map(seat).collect::<Result<Vec<_>, _>>()?;
    seats.sort_unstable();
    seats.dedup();
    Ok(seats)
}

fn macs(flow: &Flow, facts: &Facts) -> Result<Macs, CompileError> {
    let nobody = || Value::Fixed(0);
    let of = |field: &'static str, mac: &Mac| resolve(flow, field, mac, facts);
    // A raw frame has its addresses in its bytes.
    let eth = |field: &'static str, mac: &Mac| if flow.raw.is_some() { Ok(nobody()) } else { of(field, mac) };
    let arp =
        |field: &'static str, mac: fn(&Arp) -> &Mac| flow.arp.as_ref().map_or(Ok(nobody()), |arp| of(field, mac(arp)));
    Ok(Macs {
        dst: eth("eth.dst", &flow.eth.dst)?,
        src: eth("eth.src", &flow.eth.src)?,
        sha: arp("arp.sha", |arp| &arp.sha)?,
        tha: arp("arp.tha", |arp| &arp.tha)?,
    })
}

fn resolve(flow: &Flow, field: &'static str, mac: &Mac, facts: &Facts) -> Result<Value, CompileError> {
    match mac {
        Mac::Is(value) => Ok(value.clone()),
        Mac::Device => Ok(fixed(facts.device_mac)),
        Mac::Neighbour if field == "eth.dst" => neighbour(flow, facts).map(fixed),
        Mac::Neighbour => Err(CompileError::NeighbourOfNobody { flow: flow.name.clone(), field }),
    }
}

fn fixed(mac: [u8; 6]) -> Value {
    Value::Fixed(mac.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)))
}

fn neighbour(flow: &Flow, facts: &Facts) -> Result<[u8; 6], CompileError> {
    let name = || flow.name.clone();
    let (value, field) = match &flow.ip {
        None => return Err(CompileError::NeighbourOfNobody { flow: name(), field: "eth.dst" }),
        Some(Ip::V4(ip)) => (&ip.dst, "ipv4.dst"),
        Some(Ip::V6(ip)) => (&ip.dst, "ipv6.dst"),
    };
    let Ok(Form::Fixed(number)) = Form::of(value) else {
        return Err(CompileError::NeighbourVaries { flow: name(), field });
    };
    let address = match &flow.ip {
        Some(Ip::V6(_)) => IpAddr::from(number.to_be_bytes()),
        _ => IpAddr::from((number as u32).to_be_bytes()),
    };
    // An entry without an address (still being asked for, or failed) is no answer.
    let known = facts.neighbours.iter().find(|(known, mac)| *known == address && *mac != [0; 6]);
    known.map(|(_, mac)| *mac).ok_or_else(|| CompileError::NoNeighbour { flow: name(), address })
}
