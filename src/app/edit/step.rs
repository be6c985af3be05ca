//! Where a step key leads from a field's present value: along its series, round its words, by one.

use crate::{
    app::knobs::{Knob, Turn, one_two_five, step, turned_rate},
    profile::{Document, Rate, kind::Kind},
};

use super::form::{Row, RowKind};

/// What to set, all of it together.
pub type Changes = Vec<(String, String)>;

/// The changes of one turn; `None` at the end of the series.
///
/// # Errors
/// One sentence on why this field cannot be turned.
pub fn turned(row: &Row, document: &Document, turn: Turn, left_pps: Option<f64>) -> Result<Option<Changes>, String> {
    let RowKind::Field(field) = row.kind else { return Ok(None) };
    if let Some(knob) = knob(&row.key) {
        return Ok(knob.turned(document.profile(), turn, left_pps)?.map(|value| one(row, value)));
    }
    let up = matches!(turn, Turn::Up | Turn::OneMore);
    if row.value.is_empty() {
        return Err(format!("{} is not set; enter types a value", row.name));
    }
    match &field.kind {
        Kind::Switch => Ok(Some(one(row, (row.value != "true").to_string()))),
        Kind::Choice(words) => Ok(Some(chosen(row, next_word(words, &row.value, up)))),
        kind => next_value(kind, &row.value, turn)
            .map(|next| next.map(|value| one(row, value)))
            .ok_or_else(|| format!("{} is typed, not stepped: enter opens it", row.name)),
    }
}

fn one(row: &Row, value: String) -> Changes {
    vec![(row.key.clone(), value)]
}

/// The knobs of Live are turned here as there.
fn knob(key: &str) -> Option<Knob> {
    match key {
        "tx.burst" => Some(Knob::Burst),
        "tx.clone" => Some(Knob::Clone),
        "tx.rate" => Some(Knob::Rate),
        _ => key.strip_prefix("flow.")?.strip_suffix(".size").map(|flow| Knob::Size(flow.to_owned())),
    }
}

fn next_word<'a>(words: &[&'a str], now: &str, up: bool) -> &'a str {
    let at = words.iter().position(|word| *word == now).unwrap_or(0);
    let next = if up { at + 1 } else { at + words.len() - 1 };
    words.get(next % words.len().max(1)).copied().unwrap_or_default()
}

/// Some payloads are valid with their bytes or text only, and those with them only.
pub fn chosen(row: &Row, word: &str) -> Changes {
    let mut changes = one(row, word.to_owned());
    if let Some(payload) = row.key.strip_suffix(".payload.kind") {
        let bytes = if matches!(word, "pattern" | "hex") { "de ad be ef" } else { "" };
        let text = if word == "text" { "hello" } else { "" };
        changes.push((format!("{payload}.payload.bytes"), bytes.to_owned()));
        changes.push((format!("{payload}.payload.text"), text.to_owned()));
    }
    changes
}

/// The value after the present one; the outer `None`: this is no value that could be stepped.
fn next_value(kind: &Kind, now: &str, turn: Turn) -> Option<Option<String>> {
    let up = matches!(turn, Turn::Up | Turn::OneMore);
    match kind {
        Kind::Number { min, max } => {
            let next = |n: u64| if *max > 65_535 { one_two_five(n) } else { Some(n) };
            Some(step(now.parse().ok()?, turn, *min, *max, next).map(|n| n.to_string()))
        }
        Kind::Hex { min, max } => {
            let number = u64::from_str_radix(now.strip_prefix("0x")?, 16).ok()?;
            Some(step(number, turn, *min, *max, Some).map(|n| kind.show(n.into())))
        }
        Kind::PowerOfTwo { min, max } => {
            let number: u64 = now.parse().ok()?;
            let next = if up { number.saturating_mul(2).min(*max) } else { (number / 2).max(*min) };
            Some((next != number).then(|| next.to_string()))
        }
        Kind::OneOf(numbers) => {
            let at = numbers.iter().position(|n| n.to_string() == now)?;
            let next = if up { at.checked_add(1) } else { at.checked_sub(1) };
            Some(next.and_then(|next| numbers.get(next)).map(u64::to_string))
        }
        Kind::Mac { .. } | Kind::Ipv4 | Kind::Ipv6 => {
            let number = kind.address(now).ok()?;
            let next = if up { number.checked_add(1) } else { number.checked_sub(1) };
            Some(next.filter(|next| *next <= largest(kind)).map(|next| kind.show(next)))
        }
        Kind::Factor { .. } => {
            let (now, number) = (now.parse::<f64>().ok()?, if up { 2.0 } else { 0.5 });
            // Beyond its range the field's own check says so.
            Some(Some(format!("{:?}", now * number)))
        }
        Kind::Rate => Some(turned_rate(now.parse::<Rate>().ok()?, turn, None)),
        Kind::Duration | Kind::Switch | Kind::Choice(_) => None,
        Kind::Flags(_)
        | Kind::Text { .. }
        | Kind::Name
        | Kind::Device
        | Kind::Numbers { .. }
        | Kind::Bytes { .. }
        | Kind::Words(_) => None,
    }
}

fn largest(address: &Kind) -> u128 {
    match address {
        Kind::Mac { .. } => (1 << 48) - 1,
        Kind::Ipv4 => u128::from(u32::MAX),
        _ => u128::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_steps_in_its_own_way() {
        let up = |kind: Kind, now: &str| next_value(&kind, now, Turn::Up);
        let down = |kind: Kind, now: &str| next_value(&kind, now, Turn::Down);
        let some = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(up(Kind::Number { min: 0, max: 255 }, "64"), some("65"));
        assert_eq!(up(Kind::Number { min: 0, max: 255 }, "255"), Some(None));
        assert_eq!(up(Kind::Number { min: 0, max: 1 << 40 }, "200"), some("500"));
        assert_eq!(next_value(&Kind::Number { min: 0, max: 1 << 40 }, "200", Turn::OneMore), some("201"));
        assert_eq!(down(Kind::Hex { min: 0x600, max: 0xffff }, "0x8100"), some("0x80ff"));
        assert_eq!(
            (up(Kind::PowerOfTwo { min: 64, max: 128 }, "64"), down(Kind::PowerOfTwo { min: 64, max: 128 }, "64")),
            (some("128"), Some(None))
        );
        assert_eq!(up(Kind::OneOf(&[2048, 4096]), "2048"), some("4096"));
        assert_eq!(up(Kind::Ipv4, "198.18.0.255"), some("198.18.1.0"));
        assert_eq!(up(Kind::Ipv4, "255.255.255.255"), Some(None));
        assert_eq!(down(Kind::Mac { word: "device" }, "02:00:00:00:01:00"), some("02:00:00:00:00:ff"));
        assert_eq!(up(Kind::Ipv6, "2001:db8::ffff"), some("2001:db8::1:0"));
        assert_eq!(up(Kind::Rate, "1 kpps"), some("2k"));
        assert_eq!(up(Kind::Number { min: 0, max: 255 }, "1..5"), None);
        assert_eq!(up(Kind::Mac { word: "device" }, "device"), None);
    }

    #[test]
    fn words_go_round() {
        assert_eq!(next_word(&["a", "b", "c"], "c", true), "a");
        assert_eq!(next_word(&["a", "b", "c"], "a", false), "c");
    }
}
