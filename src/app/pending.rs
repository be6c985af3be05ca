//! What waits for a restart: fields that were fixed when the queues were opened. While packets flow the senders get
//! everything else at their next burst, with these fields as they stand.

use crate::profile::{
    Document, Problems,
    field::{Effect, FIELDS},
};

use super::{App, Effect as Asked, Tone, run::Phase};

/// The console's place says where packets go to; Devices changes it, not a restart.
const NOT_RESTARTED: &str = "tx.device";

/// Restart fields in which two states of a profile differ, in the order of the table.
pub fn waiting(wanted: &Document, sent: &Document) -> Vec<&'static str> {
    let restarts = FIELDS.iter().filter(|field| field.effect == Effect::Restart && field.key != NOT_RESTARTED);
    restarts.map(|field| field.key).filter(|key| wanted.get(key) != sent.get(key)).collect()
}

/// The wanted profile with its restart fields as they are in effect.
///
/// # Errors
/// When the wanted profile is only valid after a restart.
pub fn for_the_next_burst(wanted: &Document, sent: &Document) -> Result<Document, Problems> {
    let in_effect: Vec<(&str, String)> =
        waiting(wanted, sent).into_iter().map(|key| (key, sent.get(key).unwrap_or_default())).collect();
    let mut document = wanted.clone();
    if !in_effect.is_empty() {
        let changes: Vec<(&str, &str)> = in_effect.iter().map(|(key, value)| (*key, value.as_str())).collect();
        document.set_together(&changes)?;
    }
    Ok(document)
}

impl App {
    /// Keys of the fields that wait for `R`; none when nothing sends, for a start takes everything.
    pub fn waiting(&self) -> Vec<&'static str> {
        match &self.run.sent {
            Some(sent) if self.run.is_on() => waiting(self.open.document(), sent),
            _ => Vec::new(),
        }
    }

    /// `R`: opens the queues again with the whole profile.
    pub(super) fn restart(&mut self, effects: &mut Vec<Asked>) {
        if self.run.phase != Phase::Sending {
            return self.say(Tone::Plain, "nothing sends: the next start takes everything");
        }
        if self.trials.is_running() {
            return self.say(Tone::Plain, "a trial runs; esc stops it");
        }
        if self.run.asked.is_some() {
            return self.say(Tone::Plain, "a change is on its way to the senders");
        }
        if self.waiting().is_empty() && !self.run.is_last_good {
            return self.say(Tone::Plain, "nothing waits for a restart");
        }
        let document = Box::new(self.open.document().clone());
        self.run.is_retune_due = false;
        self.run.asked = Some(document.clone());
        effects.push(Asked::Restart(document));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "version = 1\n[[flow]]\nname = \"a\"\neth = { dst = \"02:00:00:00:00:02\" }\n";

    #[test]
    fn the_next_burst_gets_everything_but_what_waits() {
        let sent = Document::parse("t", TEXT).unwrap();
        let mut wanted = sent.clone();
        for (key, value) in [("ring", "4096"), ("cpus", "0"), ("clone", "5"), ("device", "eth1"), ("flow.a.size", "61")]
        {
            wanted.set(key, value).unwrap();
        }
        assert_eq!(waiting(&wanted, &sent), ["tx.cpus", "tx.ring"]);
        let next = for_the_next_burst(&wanted, &sent).unwrap();
        let tx = &next.profile().tx;
        assert_eq!((tx.ring, tx.cpus.len(), tx.clone, next.profile().flows[0].size.min()), (2048, 0, 5, 61));
        wanted.set("burst", "2048").unwrap();
        let refused = for_the_next_burst(&wanted, &sent).unwrap_err();
        assert!(refused.to_string().contains("half of ring 2048"), "{refused}");
    }
}
