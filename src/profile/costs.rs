//! Cost switches: what a sender's loop was freed of, put back on purpose to see what it takes.

/// `cost = [ … ]`: some of the six.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Costs(u8);

/// One thing that is paid again, for every packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// A LOCK-prefixed addition to a line of the sender's own.
    Lock,
    /// A write to a line that all senders share.
    SharedLine,
    /// A mutex around the list of flows that all senders share, taken and given back.
    FlowLock,
    /// A full memory barrier.
    Barrier,
    /// A doorbell and its system call, whatever burst says.
    KickEach,
    /// A clock reading.
    ClockEach,
}

const ALL: [Cost; 6] = [Cost::Lock, Cost::SharedLine, Cost::FlowLock, Cost::Barrier, Cost::KickEach, Cost::ClockEach];
/// In the order of [`ALL`].
pub(super) const COST_WORDS: &[&str] = &["lock", "shared-line", "flow-lock", "barrier", "kick-each", "clock-each"];

impl Costs {
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn has(self, cost: Cost) -> bool {
        self.0 & (1 << cost as u8) != 0
    }

    pub fn with(self, cost: Cost) -> Costs {
        Costs(self.0 | 1 << cost as u8)
    }

    /// `lock, barrier`; empty for none.
    pub fn words(self) -> String {
        self.places().map(|at| COST_WORDS[at]).collect::<Vec<_>>().join(", ")
    }

    /// Positions in the words.
    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        ALL.into_iter().filter(move |cost| self.has(*cost)).map(|cost| cost as usize)
    }

    pub(super) fn of(places: &[usize]) -> Costs {
        places.iter().filter_map(|at| ALL.get(*at)).fold(Costs::default(), |costs, cost| costs.with(*cost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Document;

    fn document(tx: &str) -> Result<Document, String> {
        let text = format!("version = 1\n[tx]\n{tx}\n[[flow]]\neth = {{ dst = \"02:00:00:00:00:02\" }}\n");
        Document::parse("t", &text).map_err(|why| why.to_string())
    }

    #[test]
    fn words_become_a_set_and_come_back() {
        let mut document = document("cost = [\"barrier\", \"lock\"]").unwrap();
        let costs = document.profile().tx.cost;
        assert!(costs.has(Cost::Lock) && costs.has(Cost::Barrier) && !costs.has(Cost::KickEach));
        assert_eq!((costs.words().as_str(), document.get("cost").unwrap().as_str()), ("lock, barrier", "lock,barrier"));
        assert!(document.effective().contains("cost = [\"lock\", \"barrier\"]"), "{}", document.effective());
        for typed in ["kick-each", "kick-each,clock-each", "[\"kick-each\"]"] {
            document.set("cost", typed).unwrap();
            assert!(document.profile().tx.cost.has(Cost::KickEach), "{typed}");
        }
        for typed in ["none", "[]", ""] {
            document.set("cost", "lock").unwrap();
            document.set("cost", typed).unwrap();
            assert!(document.profile().tx.cost.is_empty(), "{typed}");
        }
    }

    #[test]
    fn an_unknown_word_is_told_with_the_nearest() {
        let told = document("cost = [\"lok\"]").unwrap_err();
        assert!(told.contains("\"lok\"") && told.contains("Did you mean lock?"), "{told}");
        let told = document("cost = [\"lock\", \"lock\"]").unwrap_err();
        assert!(told.contains("stands twice"), "{told}");
        for wrong in ["cost = \"lock\"", "cost = 1", "cost = [1]"] {
            let told = document(wrong).unwrap_err();
            assert!(told.contains("lock, shared-line"), "{told}");
        }
    }
}
