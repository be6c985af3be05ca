//! What of a profile other tools have no words for, apart from their packets: the same for several dialects.

use crate::profile::{Order, Profile, Rate};

use super::{
    Report,
    moving::{varies, walking},
};

/// What a dialect can say.
pub struct Spoken {
    pub tool: &'static str,
    pub flow_rate: bool,
    pub flow_count: bool,
    pub start: bool,
    pub nested: bool,
}

pub const TRAFGEN: Spoken =
    Spoken { tool: "trafgen", flow_rate: false, flow_count: false, start: false, nested: false };
pub const TREX: Spoken = Spoken { tool: "TRex", flow_rate: true, flow_count: true, start: true, nested: true };

/// Reports every setting that changes what leaves, and that the dialect cannot say.
pub fn unsaid(profile: &Profile, spoken: &Spoken, report: &mut Report) {
    let tool = spoken.tool;
    if profile.tx.duration_ns > 0 {
        report.dropped(
            0,
            "tx.duration",
            format!("{tool} has no such setting in its files: stop it by hand or by option"),
        );
    }
    let together: Vec<_> = profile.flows.iter().filter(|flow| flow.enabled).collect();
    for flow in &together {
        let mut lost = |key: &str, sentence: String| report.dropped(0, &format!("flow.{}.{key}", flow.name), sentence);
        if flow.clone.unwrap_or(profile.tx.clone) > 1 {
            lost("clone", format!("{tool} builds every packet anew"));
        }
        if flow.rate.is_some_and(|rate| rate != Rate::Max) && !spoken.flow_rate {
            lost("rate", format!("{tool} has one rate for all its packets, which take turns"));
        }
        if flow.count > 0 && !spoken.flow_count {
            lost("count", format!("{tool} counts all its packets together"));
        }
        if flow.start_ns > 0 && !spoken.start {
            lost("start", format!("in {tool} all packets begin together"));
        }
        if flow.weight != 1 && together.len() > 1 && flow.rate.is_none() && !spoken.flow_rate {
            lost("weight", format!("{tool}'s packets take turns one by one"));
        }
        if flow.conversations.is_some() && varies(flow) {
            lost("flows", format!("{tool} has no conversations of a length of their own: fields move at every packet"));
        }
        if flow.order == Order::Nested && walking(flow) > 1 && !spoken.nested {
            lost("order", format!("{tool}'s counters all move at every packet"));
        }
    }
}
