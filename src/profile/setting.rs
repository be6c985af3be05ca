//! What one field holds, apart from the struct it lives in, and the slots of those structs.

use super::{
    Costs, Fcs, Mac, Mode, Odd, Order, Payload, Rate, Timing, TurnOrder, Value, duration,
    kind::{Kind, show_bytes},
    replay::{FCSES, ODDS, TIMINGS},
};

/// A checked setting of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Setting {
    /// An optional field that is not set.
    Unset,
    /// Whole numbers and durations (ns).
    Number(u64),
    Factor(f64),
    Switch(bool),
    Text(String),
    Varying(Value),
    /// The word a MAC field takes instead of an address.
    Word,
    Rate(Rate),
    Numbers(Vec<u32>),
    /// Position in the words of a choice.
    Choice(usize),
    Bytes(Vec<u8>),
    /// Positions in the words of a list.
    Words(Vec<usize>),
}

/// A place in a profile that one setting fills.
pub(super) enum Slot<'a> {
    U32(&'a mut u32),
    U64(&'a mut u64),
    MaybeU32(&'a mut Option<u32>),
    Switch(&'a mut bool),
    Text(&'a mut String),
    MaybeText(&'a mut Option<String>),
    Varying(&'a mut Value),
    MaybeVarying(&'a mut Option<Value>),
    /// With what the word stands for.
    Mac(&'a mut Mac, Mac),
    Rate(&'a mut Rate),
    MaybeRate(&'a mut Option<Rate>),
    Costs(&'a mut Costs),
    Numbers(&'a mut Vec<u32>),
    MaybeNumbers(&'a mut Option<Vec<u32>>),
    Mode(&'a mut Mode),
    Order(&'a mut Order),
    TurnOrder(&'a mut TurnOrder),
    Timing(&'a mut Timing),
    Odd(&'a mut Odd),
    Fcs(&'a mut Fcs),
    Factor(&'a mut f64),
    PayloadKind(&'a mut Payload),
    PayloadBytes(&'a mut Payload),
    PayloadText(&'a mut Payload),
    /// Empty: not set.
    Bytes(&'a mut Vec<u8>),
}

const MODES: [Mode; 3] = [Mode::Auto, Mode::Copy, Mode::ZeroCopy];
const ORDERS: [Order; 2] = [Order::Together, Order::Nested];
const TURN_ORDERS: [TurnOrder; 3] = [TurnOrder::Sequential, TurnOrder::Interleaved, TurnOrder::Random];
pub(super) const TURN_WORDS: &[&str] = &["sequential", "interleaved", "random"];
pub(super) const MODE_WORDS: &[&str] = &["auto", "copy", "zero-copy"];
pub(super) const ORDER_WORDS: &[&str] = &["together", "nested"];
pub(super) const PAYLOAD_WORDS: &[&str] = &["pktgen", "pattern", "hex", "text", "random", "zero"];

impl Slot<'_> {
    /// Fills the slot; `false` when the setting is of another kind (the table of fields excludes that).
    pub(super) fn put(self, setting: Setting) -> bool {
        match (self, setting) {
            (Slot::U32(slot), Setting::Number(number)) => *slot = number as u32,
            (Slot::U64(slot), Setting::Number(number)) => *slot = number,
            (Slot::MaybeU32(slot), Setting::Number(number)) => *slot = Some(number as u32),
            (Slot::MaybeU32(slot), Setting::Unset) => *slot = None,
            (Slot::Switch(slot), Setting::Switch(on)) => *slot = on,
            (Slot::Text(slot), Setting::Text(text)) => *slot = text,
            (Slot::MaybeText(slot), Setting::Text(text)) => *slot = Some(text),
            (Slot::MaybeText(slot), Setting::Unset) => *slot = None,
            (Slot::Varying(slot), Setting::Varying(value)) => *slot = value,
            (Slot::MaybeVarying(slot), Setting::Varying(value)) => *slot = Some(value),
            (Slot::MaybeVarying(slot), Setting::Unset) => *slot = None,
            (Slot::Mac(slot, _), Setting::Varying(value)) => *slot = Mac::Is(value),
            (Slot::Mac(slot, word), Setting::Word) => *slot = word,
            (Slot::Rate(slot), Setting::Rate(rate)) => *slot = rate,
            (Slot::MaybeRate(slot), Setting::Rate(rate)) => *slot = Some(rate),
            (Slot::MaybeRate(slot), Setting::Unset) => *slot = None,
            (Slot::Costs(slot), Setting::Words(places)) => *slot = Costs::of(&places),
            (Slot::Numbers(slot), Setting::Numbers(numbers)) => *slot = numbers,
            (Slot::Numbers(slot), Setting::Unset) => slot.clear(),
            (Slot::MaybeNumbers(slot), Setting::Numbers(numbers)) => *slot = Some(numbers),
            (Slot::MaybeNumbers(slot), Setting::Unset) => *slot = None,
            (Slot::Mode(slot), Setting::Choice(at)) => *slot = MODES.get(at).copied().unwrap_or(Mode::Auto),
            (Slot::Order(slot), Setting::Choice(at)) => *slot = ORDERS.get(at).copied().unwrap_or(Order::Together),
            (Slot::TurnOrder(slot), Setting::Choice(at)) => {
                *slot = TURN_ORDERS.get(at).copied().unwrap_or(TurnOrder::Sequential)
            }
            (Slot::Timing(slot), Setting::Choice(at)) => *slot = TIMINGS.get(at).copied().unwrap_or(Timing::Original),
            (Slot::Odd(slot), Setting::Choice(at)) => *slot = ODDS.get(at).copied().unwrap_or(Odd::Refuse),
            (Slot::Fcs(slot), Setting::Choice(at)) => *slot = FCSES.get(at).copied().unwrap_or(Fcs::Strip),
            (Slot::Factor(slot), Setting::Factor(factor)) => *slot = factor,
            (Slot::PayloadKind(slot), Setting::Choice(at)) => *slot = payload(at),
            (Slot::PayloadBytes(slot), Setting::Bytes(bytes)) => put_bytes(slot, bytes),
            (Slot::PayloadText(slot), Setting::Text(text)) => put_text(slot, text),
            (Slot::PayloadBytes(_) | Slot::PayloadText(_), Setting::Unset) => {}
            (Slot::Bytes(slot), Setting::Bytes(bytes)) => *slot = bytes,
            (Slot::Bytes(slot), Setting::Unset) => slot.clear(),
            _ => return false,
        }
        true
    }

    /// What the slot holds now.
    pub(super) fn take(self) -> Setting {
        match self {
            Slot::U32(slot) => Setting::Number(u64::from(*slot)),
            Slot::U64(slot) => Setting::Number(*slot),
            Slot::MaybeU32(slot) => slot.map_or(Setting::Unset, |number| Setting::Number(u64::from(number))),
            Slot::Switch(slot) => Setting::Switch(*slot),
            Slot::Text(slot) => Setting::Text(slot.clone()),
            Slot::MaybeText(slot) => slot.clone().map_or(Setting::Unset, Setting::Text),
            Slot::Varying(slot) => Setting::Varying(slot.clone()),
            Slot::MaybeVarying(slot) => slot.clone().map_or(Setting::Unset, Setting::Varying),
            Slot::Mac(Mac::Is(value), _) => Setting::Varying(value.clone()),
            Slot::Mac(..) => Setting::Word,
            Slot::Rate(slot) => Setting::Rate(*slot),
            Slot::MaybeRate(slot) => slot.map_or(Setting::Unset, Setting::Rate),
            Slot::Costs(slot) => Setting::Words(slot.places().collect()),
            Slot::Numbers(slot) if slot.is_empty() => Setting::Unset,
            Slot::Numbers(slot) => Setting::Numbers(slot.clone()),
            Slot::MaybeNumbers(slot) => slot.clone().map_or(Setting::Unset, Setting::Numbers),
            Slot::Mode(slot) => Setting::Choice(MODES.iter().position(|mode| mode == slot).unwrap_or(0)),
            Slot::Order(slot) => Setting::Choice(ORDERS.iter().position(|order| order == slot).unwrap_or(0)),
            Slot::TurnOrder(slot) => Setting::Choice(TURN_ORDERS.iter().position(|order| order == slot).unwrap_or(0)),
            Slot::Timing(slot) => Setting::Choice(TIMINGS.iter().position(|timing| timing == slot).unwrap_or(0)),
            Slot::Odd(slot) => Setting::Choice(ODDS.iter().position(|odd| odd == slot).unwrap_or(0)),
            Slot::Fcs(slot) => Setting::Choice(FCSES.iter().position(|fcs| fcs == slot).unwrap_or(0)),
            Slot::Factor(slot) => Setting::Factor(*slot),
            Slot::PayloadKind(payload) => Setting::Choice(payload_at(payload)),
            Slot::PayloadBytes(Payload::Pattern(bytes) | Payload::Hex(bytes)) => Setting::Bytes(bytes.clone()),
            Slot::PayloadText(Payload::Text(text)) => Setting::Text(text.clone()),
            Slot::PayloadBytes(_) | Slot::PayloadText(_) => Setting::Unset,
            Slot::Bytes(bytes) if bytes.is_empty() => Setting::Unset,
            Slot::Bytes(bytes) => Setting::Bytes(bytes.clone()),
        }
    }
}

fn payload(at: usize) -> Payload {
    match PAYLOAD_WORDS.get(at) {
        Some(&"pattern") => Payload::Pattern(Vec::new()),
        Some(&"hex") => Payload::Hex(Vec::new()),
        Some(&"text") => Payload::Text(String::new()),
        Some(&"random") => Payload::Random,
        Some(&"zero") => Payload::Zero,
        _ => Payload::Pktgen,
    }
}

fn payload_at(payload: &Payload) -> usize {
    let word = match payload {
        Payload::Pktgen => "pktgen",
        Payload::Pattern(_) => "pattern",
        Payload::Hex(_) => "hex",
        Payload::Text(_) => "text",
        Payload::Random => "random",
        Payload::Zero => "zero",
    };
    PAYLOAD_WORDS.iter().position(|known| *known == word).unwrap_or(0)
}

/// Bytes beside another kind of payload are refused by the checks; here they change nothing.
fn put_bytes(slot: &mut Payload, bytes: Vec<u8>) {
    if let Payload::Pattern(old) | Payload::Hex(old) = slot {
        *old = bytes;
    }
}

fn put_text(slot: &mut Payload, text: String) {
    if let Payload::Text(old) = slot {
        *old = text;
    }
}

impl Setting {
    /// As a file writes it; `None` for a field that is not set. Durations and choices need their kind.
    pub(super) fn toml(&self, kind: &Kind) -> Option<String> {
        Some(match (self, kind) {
            (Setting::Unset, _) => return None,
            (Setting::Number(ns), Kind::Duration) => format!("\"{}\"", duration::show_ns(*ns)),
            (Setting::Number(number), _) => number.to_string(),
            // With its point: TOML tells 2.0 from 2.
            (Setting::Factor(factor), _) => format!("{factor:?}"),
            (Setting::Switch(on), _) => on.to_string(),
            (Setting::Text(text), _) => quoted(text),
            (Setting::Varying(value), _) => value_toml(value, kind),
            (Setting::Word, Kind::Mac { word }) => format!("\"{word}\""),
            (Setting::Word, _) => return None,
            (Setting::Rate(rate), _) => format!("\"{rate}\""),
            (Setting::Numbers(numbers), _) => format!("{numbers:?}"),
            (Setting::Choice(at), Kind::Choice(words)) => format!("\"{}\"", words.get(*at)?),
            (Setting::Choice(_), _) => return None,
            (Setting::Words(places), Kind::Words(words)) => {
                let quoted: Vec<String> =
                    places.iter().filter_map(|at| words.get(*at)).map(|word| format!("\"{word}\"")).collect();
                format!("[{}]", quoted.join(", "))
            }
            (Setting::Words(_), _) => return None,
            (Setting::Bytes(bytes), _) => format!("\"{}\"", show_bytes(bytes)),
        })
    }
}

/// A TOML basic string on one line.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn value_toml(value: &Value, kind: &Kind) -> String {
    let show = |number: &u128| kind.show_toml(*number);
    match value {
        Value::Fixed(number) => show(number),
        Value::Sweep { from, to, step, every } => {
            format!("{{ from = {}, to = {}, step = {step}, every = {every} }}", show(from), show(to))
        }
        Value::Random { low, high, every } => {
            format!("{{ random = [{}, {}], every = {every} }}", show(low), show(high))
        }
        Value::List { values, every } => {
            let values: Vec<String> = values.iter().map(show).collect();
            format!("{{ list = [{}], every = {every} }}", values.join(", "))
        }
        Value::Masked { base, mask, every } => {
            format!("{{ random = {}, mask = {}, every = {every} }}", show(base), show(mask))
        }
        Value::Imix { shares, every } => {
            let shares: Vec<String> =
                shares.iter().map(|share| format!("[{}, {}]", show(&share.value), share.weight)).collect();
            format!("{{ imix = [{}], every = {every} }}", shares.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_survives_toml() {
        for text in ["", "plain", "a \"b\" \\ c", "two\nlines\r\n\ttab", "\u{1}\u{7f}", "héllo 👋"] {
            let read: toml::Table = format!("v = {}", quoted(text)).parse().expect(text);
            assert_eq!(read["v"].as_str(), Some(text));
        }
    }
}
