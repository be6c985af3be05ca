//! Many conversations out of one flow: how many, how long, in which order, and whether the flow's addresses and ports
//! can make as many different ones.
//!
//! Within a flow that has conversations its addresses and ports vary with the number of the conversation, not with the
//! build: conversation f takes position f of a sweep or list, and random fields are dealt like cards, so that no two
//! conversations are alike. All other fields go on varying with the build.

use super::{
    Flow, Order, Value,
    field::{FIELDS, Lens, field},
    problem::Flaw,
    setting::{Setting, Slot},
};

/// More live conversations than any table of flows is tested with; kernel pktgen ends at 65536.
pub const MOST_CONVERSATIONS: u32 = 1 << 24;

/// What tells one conversation from another; the protocol never varies.
pub const FIVE_TUPLE: &[&str] =
    &["ipv4.src", "ipv4.dst", "ipv6.src", "ipv6.dst", "udp.src", "udp.dst", "tcp.src", "tcp.dst"];

/// `flows = { count, length, order }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversations {
    pub count: u32,
    /// Built packets of each within a round of count x length.
    pub length: u32,
    pub order: TurnOrder,
}

/// Whose packet is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnOrder {
    /// All packets of one conversation, then all of the next.
    Sequential,
    /// One packet of each in turn.
    Interleaved,
    /// The packets of a round shuffled anew every round.
    Random,
}

/// What a flow's addresses and ports can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuples {
    /// Combinations that the sweeps and lists walk through before the first comes again.
    pub walked: u128,
    /// Combinations of what is drawn.
    pub drawn: u128,
}

impl Tuples {
    /// Takes one field's value into account.
    pub fn with(self, value: &Value, order: Order) -> Tuples {
        let positions = value.positions().max(1);
        match value {
            Value::List { values, .. } if values.iter().all(|other| *other == values[0]) => self,
            Value::Random { .. } | Value::Masked { .. } => {
                Tuples { drawn: self.drawn.saturating_mul(positions), ..self }
            }
            _ if order == Order::Nested => Tuples { walked: self.walked.saturating_mul(positions), ..self },
            _ => Tuples { walked: common_multiple(self.walked, positions), ..self },
        }
    }

    /// Different 5-tuples.
    pub fn all(self) -> u128 {
        self.walked.saturating_mul(self.drawn)
    }
}

impl Default for Tuples {
    fn default() -> Self {
        Tuples { walked: 1, drawn: 1 }
    }
}

impl Flow {
    /// Addresses and ports, by their dotted name within the flow.
    pub fn tuple_values(&self) -> Vec<(&'static str, Value)> {
        let mut flow = self.clone();
        let rows = FIELDS.iter().filter_map(|field| Some((field.key.strip_prefix("flow.")?, &field.lens)));
        let members = rows.filter(|(name, _)| FIVE_TUPLE.contains(name));
        members
            .filter_map(|(name, lens)| match lens {
                Lens::Flow(lens) => match lens(&mut flow).map(Slot::take) {
                    Some(Setting::Varying(value)) => Some((name, value)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// How many different 5-tuples the flow can make.
    pub fn tuples(&self) -> u128 {
        let values = self.tuple_values();
        values.iter().fold(Tuples::default(), |tuples, (_, value)| tuples.with(value, self.order)).all()
    }
}

/// What keeps a flow from having so many different conversations.
pub(super) fn flaws(flow: &Flow, path: &str, out: &mut Vec<Flaw>) {
    let Some(wanted) = flow.conversations.filter(|wanted| wanted.count > 1) else { return };
    for (name, value) in flow.tuple_values() {
        let field_path = format!("{path}.{name}");
        if value.every() > 1 {
            let message = "every has no meaning beside flows: flows.length says how many packets a conversation has";
            out.push(Flaw::of(&field_path, message));
        }
        if let Value::List { values, .. } = &value
            && let Some(twice) = values.iter().enumerate().find(|(at, v)| values[..*at].contains(v)).map(|(_, v)| v)
        {
            let shown = field(&format!("flow.{name}")).map_or_else(String::new, |field| field.kind.show(*twice));
            out.push(Flaw::of(
                &field_path,
                format!("list: {shown} stands twice, and beside flows no two may be alike"),
            ));
        }
    }
    let (count, most) = (u128::from(wanted.count), flow.tuples());
    if count > most {
        let nested = Flow { order: Order::Nested, ..flow.clone() }.tuples();
        let remedy = match flow.order {
            Order::Together if nested >= count => format!("order = \"nested\" makes {nested}"),
            _ => "let more of them vary, or over a wider range".into(),
        };
        let words = if most == 1 { "one".into() } else { most.to_string() };
        let message = format!("{count} conversations, and the addresses and ports of this flow make {words}: {remedy}");
        out.push(Flaw::of(&format!("{path}.flows.count"), message));
    }
}

fn common_multiple(a: u128, b: u128) -> u128 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor.max(1)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use crate::profile::Document;

    fn tuples(fields: &str) -> u128 {
        let text = format!("version = 1\n[[flow]]\neth = {{ dst = \"02:00:00:00:00:02\" }}\n{fields}\n");
        Document::parse("t", &text).expect("valid").profile().flows[0].tuples()
    }

    #[test]
    fn what_varies_makes_conversations_and_nothing_else_does() {
        assert_eq!(tuples("ipv4 = {}\nudp = {}"), 1);
        assert_eq!(tuples("size = { from = 60, to = 99 }\nipv4 = { ttl = { from = 1, to = 9 } }\nudp = {}"), 1);
        let both = "ipv4 = { src = \"10.0.0.0/30\" }\nudp = { src = { from = 1, to = 6 } }";
        assert_eq!(tuples(both), 12, "together they come round after 12");
        assert_eq!(tuples(&format!("order = \"nested\"\n{both}")), 24);
        let drawn = "ipv4 = { src = { random = \"198.18.0.0/15\" } }\nudp = { src = { random = 0, mask = 0x3 } }";
        assert_eq!(tuples(drawn), 131_072 * 4);
        assert_eq!(tuples("ipv6 = { src = { random = \"::/0\" }, dst = { random = \"::/0\" } }"), u128::MAX);
    }
}
