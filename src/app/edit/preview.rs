//! The next frames of the picked flow, and the plan they belong to.

use crate::{
    packet::{Annotated, Diversity, Facts, PlanFlow, Stamp, annotate, compile},
    profile::{Mac, Profile},
};

use super::Reached;

/// What the open profile compiles to here.
#[derive(Default)]
pub struct Preview {
    /// Compiled although it may be disabled; `None`: no flow is enabled.
    flow: Option<Result<Picked, String>>,
    diversity: Option<Result<Diversity, String>>,
    /// Neighbours or captures.
    asks_facts: bool,
}

struct Picked {
    flow: PlanFlow,
    queues: u64,
    /// Its stream on the first queue.
    stream: u16,
}

/// One frame to come.
pub struct Shot {
    pub k: u64,
    pub seq: u32,
    pub bytes: usize,
    pub annotated: Annotated,
}

impl Preview {
    pub fn of(profile: &Profile, flow: Option<usize>, facts: &Facts) -> Preview {
        let plan = compile(profile, facts).map_err(|why| why.to_string());
        Preview {
            // Seed and clone of the senders show in the first flow that sends.
            flow: flow.or(profile.flows.iter().position(|flow| flow.enabled)).map(|at| picked(profile, at, facts)),
            diversity: Some(plan.map(|plan| Diversity::of(&plan, profile))),
            asks_facts: profile.flows.iter().any(|flow| flow.eth.dst == Mac::Neighbour || flow.replay.is_some()),
        }
    }

    /// Of the whole plan; an error says why there is none.
    pub fn diversity(&self) -> Option<Result<&Diversity, &str>> {
        self.diversity.as_ref().map(|diversity| diversity.as_ref().map_err(String::as_str))
    }

    pub fn asks_facts(&self) -> bool {
        self.asks_facts
    }

    /// Whose frames these are.
    pub fn name(&self) -> &str {
        self.flow.as_ref().and_then(|flow| flow.as_ref().ok()).map_or("", |picked| &picked.flow.name)
    }

    /// The frames from `ahead` builds after `from` on; an error says why there are none. `None`: nothing is to be sent.
    pub fn frames(&self, from: Reached, ahead: u64) -> Option<Result<impl Iterator<Item = Shot>, &str>> {
        Some(match self.flow.as_ref()? {
            Ok(picked) => Ok((ahead..=u64::MAX).map(move |ahead| picked.shot(from, ahead))),
            Err(why) => Err(why.as_str()),
        })
    }
}

fn picked(profile: &Profile, at: usize, facts: &Facts) -> Result<Picked, String> {
    let mut alone = profile.clone();
    alone.flows = profile.flows.get(at).cloned().into_iter().collect();
    alone.flows.iter_mut().for_each(|flow| flow.enabled = true);
    let plan = compile(&alone, facts).map_err(|why| why.to_string())?;
    let flow = plan.flows.into_iter().next().ok_or("no such flow")?;
    let queues = profile.tx.queues.len();
    let before = profile.flows.iter().take(at).filter(|flow| flow.enabled).count();
    Ok(Picked { queues: flow.seats.len().max(1) as u64, flow, stream: (before * queues) as u16 })
}

impl Picked {
    /// Builds are dealt to the queues in turn, each queue is a stream of its own.
    fn shot(&self, from: Reached, ahead: u64) -> Shot {
        let k = from.k.saturating_add(ahead);
        let seat = self.flow.seats.get((k % self.queues) as usize).copied().unwrap_or(0);
        // Each queue is a stream that has had its part of the builds, every one of them as often as it is copied.
        let own = (k / self.queues).saturating_sub(from.k / self.queues);
        let before = (from.sends / self.queues).saturating_add(own.saturating_mul(u64::from(self.flow.copies)));
        let seq = (before as u32).wrapping_add(1);
        let stamp = Stamp { k, seq, stream: self.stream.wrapping_add(seat as u16), ..Stamp::default() };
        let frame = &self.flow.frame;
        Shot { k, seq, bytes: frame.len(k), annotated: annotate(frame, &stamp) }
    }
}
