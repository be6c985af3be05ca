//! The bytes: a profile compiles into a plan, a flow into a template and patches.
//!
//! Pure: the same profile, facts and build number give the same bytes on every machine.

use std::{net::IpAddr, sync::Arc};

use crate::profile::{Profile, Rate};

/// What a profile cannot know by itself.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub device_mac: [u8; 6],
    /// What the kernel's neighbour table knows of this device.
    pub neighbours: Vec<(IpAddr, [u8; 6])>,
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
    /// Positions in `Plan::queues` that send this flow, ascending.
    pub seats: Vec<usize>,
    pub frame: Frame,
}

/// How one flow's frames are made.
#[derive(Debug, Clone)]
pub struct Frame {
    template: Vec<u8>,
}

/// What differs from one build to the next without being a field of the profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stamp {
    /// Number of the build within the flow, over all queues.
    pub k: u64,
    /// Packets of this stream submitted before, plus 1.
    pub seq: u32,
    /// One per flow and queue.
    pub stream: u16,
    /// CLOCK_REALTIME.
    pub wall_ns: u64,
}

impl Frame {
    /// Bytes of build `k`.
    pub fn len(&self, _k: u64) -> usize {
        self.template.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn max_len(&self) -> usize {
        self.template.len()
    }

    /// `Some(len)` when every frame has the same length.
    pub fn fixed_len(&self) -> Option<usize> {
        Some(self.template.len())
    }

    /// Writes build `stamp.k` into `out[..len(k)]`. `held` is what this memory was last told to remember
    /// (0 at first): when it is this frame's own mark the template need not be copied again.
    pub fn write(&self, out: &mut [u8], held: &mut u64, _stamp: &Stamp) {
        *held = 0;
        out[..self.template.len()].copy_from_slice(&self.template);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    #[error(
        "flow.{flow}.eth.dst: no neighbour entry for {address}. Add one: ip neigh add {address} lladdr MAC dev DEVICE, or write the MAC into eth.dst"
    )]
    NoNeighbour { flow: String, address: IpAddr },
}

/// Compiles the enabled flows of a checked profile.
pub fn compile(_profile: &Profile, _facts: &Facts) -> Result<Plan, CompileError> {
    unimplemented!()
}
