//! How far each flow has come, in builds: what is submitted, divided by the copies it was sent with at the time.

use std::{collections::HashMap, sync::Arc};

use crate::{app::FlowFigures, profile::Profile};

/// Builds are not published by the senders; after a change of clone this is right to half a second of sending.
#[derive(Debug, Default)]
pub struct Progress {
    flows: HashMap<Arc<str>, Reached>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reached {
    /// The next build.
    pub k: u64,
    /// Sends of all builds before it.
    pub sends: u64,
}

impl Progress {
    /// A run begins: every flow at its first build.
    pub fn reset(&mut self) {
        self.flows.clear();
    }

    /// `profile` is what the senders work with.
    pub fn count(&mut self, flows: &[FlowFigures], profile: &Profile) {
        let copies: HashMap<&str, u64> = profile
            .flows
            .iter()
            .map(|flow| (flow.name.as_str(), u64::from(flow.clone.unwrap_or(profile.tx.clone).max(1))))
            .collect();
        for flow in flows {
            let copies = copies.get(&*flow.name).copied().unwrap_or(1);
            let reached = self.flows.entry(Arc::clone(&flow.name)).or_default();
            // A build that is still being sent is not the next one.
            let builds = flow.submitted.saturating_sub(reached.sends).div_ceil(copies);
            reached.k = reached.k.saturating_add(builds);
            reached.sends = reached.sends.saturating_add(builds.saturating_mul(copies));
        }
    }

    pub fn of(&self, flow: &str) -> Reached {
        self.flows.get(flow).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Document;

    #[test]
    fn builds_go_on_through_a_change_of_clone() {
        let text = "version = 1\n[[flow]]\nname = \"a\"\neth = { dst = \"02:00:00:00:00:02\" }\n";
        let mut document = Document::parse("t", text).unwrap();
        let at = |submitted| [FlowFigures { name: "a".into(), submitted, submitted_pps: None }];
        let mut progress = Progress::default();
        progress.count(&at(100), document.profile());
        assert_eq!(progress.of("a"), Reached { k: 100, sends: 100 });
        document.set("clone", "10").unwrap();
        progress.count(&at(195), document.profile());
        assert_eq!(progress.of("a"), Reached { k: 110, sends: 200 });
        progress.count(&at(200), document.profile());
        assert_eq!(progress.of("a"), Reached { k: 110, sends: 200 });
        progress.reset();
        assert_eq!(progress.of("a"), Reached::default());
    }
}
