//! One TOML value becomes one setting, as the field's kind wants it.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeInteger, DeValue},
};

use super::{
    Value, duration,
    field::{Field, Form},
    forms,
    kind::{Kind, parse_bytes},
    net,
    problem::nearest,
    rate::Rate,
    setting::Setting,
    short,
};

/// What is wrong, and with which bytes of the text.
pub(super) type Wrong = (Range<usize>, String);
pub(super) type Read<T> = Result<T, Vec<Wrong>>;

/// Reads a field's value; `text` is what the spans point into.
pub(super) fn read(field: &Field, value: &Spanned<DeValue<'_>>, text: &str) -> Read<Setting> {
    let kind = &field.kind;
    match kind {
        Kind::Mac { word } if value.as_ref().as_str() == Some(word) => Ok(Setting::Word),
        Kind::Numbers { max, distinct } => numbers(value, *max, *distinct, text).map(Setting::Numbers),
        Kind::Words(known) => words(value, kind, known, text).map(Setting::Words),
        _ if field.form.may_vary() => varying(kind, field.form, value, text).map(Setting::Varying),
        _ => literal(kind, value, text).map_err(|message| vec![(value.span(), message)]),
    }
}

fn literal(kind: &Kind, value: &Spanned<DeValue<'_>>, text: &str) -> Result<Setting, String> {
    let wrong = |what: &str| format!("{} is not {what} ({})", shown(value, text), kind.allowed());
    if let DeValue::Table(_) = value.as_ref() {
        return Err(format!("{} cannot vary: it takes one value ({})", shown(value, text), kind.allowed()));
    }
    let words = value.as_ref().as_str();
    match kind {
        Kind::Switch => value.as_ref().as_bool().map(Setting::Switch).ok_or_else(|| wrong("a switch")),
        Kind::Factor { most } => {
            let out = || format!("{} is out of range ({})", shown(value, text), kind.allowed());
            let factor = factor(value).ok_or_else(|| wrong("a number"))?;
            let range = 1.0 / f64::from(*most)..=f64::from(*most);
            range.contains(&factor).then_some(Setting::Factor(factor)).ok_or_else(out)
        }
        Kind::Rate => rate(value, text).map(Setting::Rate),
        Kind::Duration => length_of_time(value, text).map(Setting::Number),
        Kind::Text { max } => {
            let read = words.ok_or_else(|| wrong("a text"))?;
            let count = read.chars().count();
            let ok = count <= *max;
            if ok {
                Ok(Setting::Text(read.into()))
            } else {
                Err(format!("{count} characters are too long ({})", kind.allowed()))
            }
        }
        Kind::Name => words.filter(|w| is_name(w)).map(owned).ok_or_else(|| wrong("a flow name")),
        Kind::Device => words.filter(|w| is_device(w)).map(owned).ok_or_else(|| wrong("a device name")),
        Kind::Choice(list) => {
            let at = words.and_then(|word| list.iter().position(|known| *known == word));
            at.map(Setting::Choice).ok_or_else(|| not_a_choice(words, list, &shown(value, text)))
        }
        Kind::Bytes { max } => {
            words.and_then(|w| parse_bytes(w, *max)).map(Setting::Bytes).ok_or_else(|| wrong("a run of bytes"))
        }
        _ => scalar(kind, value, text).map(|number| Setting::Number(number as u64)),
    }
}

fn owned(text: &str) -> Setting {
    Setting::Text(text.into())
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

fn is_device(text: &str) -> bool {
    let usable = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '/' | ':');
    (1..=15).contains(&text.len()) && !matches!(text, "." | "..") && text.chars().all(usable)
}

fn not_a_choice(word: Option<&str>, list: &[&str], shown: &str) -> String {
    let allowed = list.join(" | ");
    let hint = word.and_then(|word| nearest(word, list.iter().copied()));
    match hint {
        Some(near) => format!("{shown} is not one of {allowed}. Did you mean \"{near}\"?"),
        None => format!("{shown} is not one of {allowed}"),
    }
}

fn rate(value: &Spanned<DeValue<'_>>, text: &str) -> Result<Rate, String> {
    match value.as_ref() {
        DeValue::String(words) => words.parse().map_err(|error: super::RateError| error.0),
        DeValue::Integer(number) => Rate::from_pps(to_f64(number)).map_err(|error| error.0),
        DeValue::Float(number) => number.as_str().parse().map_err(|error: super::RateError| error.0),
        _ => Err(format!("{} is not a rate ({})", shown(value, text), Kind::Rate.allowed())),
    }
}

fn length_of_time(value: &Spanned<DeValue<'_>>, text: &str) -> Result<u64, String> {
    match value.as_ref() {
        DeValue::String(words) => duration::parse_ns(words),
        DeValue::Integer(number) => duration::from_seconds(to_f64(number)),
        DeValue::Float(number) => duration::from_seconds(number.as_str().parse().unwrap_or(f64::NAN)),
        _ => Err(format!("{} is not a duration ({})", shown(value, text), Kind::Duration.allowed())),
    }
}

/// `2`, `0.5`, `2x`.
fn factor(value: &Spanned<DeValue<'_>>) -> Option<f64> {
    match value.as_ref() {
        DeValue::Integer(number) => Some(to_f64(number)),
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
        DeValue::String(words) => words.trim_end_matches('x').trim().parse().ok(),
        _ => None,
    }
}

fn to_f64(number: &DeInteger<'_>) -> f64 {
    i128::from_str_radix(number.as_str(), number.radix()).map_or(f64::NAN, |n| n as f64)
}

/// A number or an address.
pub(super) fn scalar(kind: &Kind, value: &Spanned<DeValue<'_>>, text: &str) -> Result<u128, String> {
    let wrong = || {
        let what = match kind {
            Kind::Mac { .. } => "a MAC address",
            Kind::Ipv4 => "an IPv4 address",
            Kind::Ipv6 => "an IPv6 address",
            Kind::Flags(_) => "a set of flags",
            _ => "a whole number",
        };
        format!("{} is not {what} ({})", shown(value, text), kind.allowed())
    };
    match value.as_ref() {
        DeValue::Integer(number) if kind.is_numeric() || matches!(kind, Kind::Flags(_)) => {
            let out = || format!("{} is out of range ({})", shown(value, text), kind.allowed());
            u128::from_str_radix(number.as_str(), number.radix()).map_err(|_| out()).and_then(|n| kind.number(n))
        }
        DeValue::String(words) if !kind.is_numeric() => kind.address(words),
        _ => Err(wrong()),
    }
}

fn varying(kind: &Kind, takes: Form, value: &Spanned<DeValue<'_>>, text: &str) -> Read<Value> {
    let at = |message: String| vec![(value.span(), message)];
    match value.as_ref() {
        DeValue::Table(table) => forms::read(kind, takes, table, value.span(), text),
        DeValue::Array(_) => {
            Err(at(format!("a bare list does not vary a field: write {{ list = {} }}", shown(value, text))))
        }
        DeValue::String(words) => match (net::block(kind, words), short::to_toml(kind, words)) {
            (Some(ends), _) => ends.map(|(from, to)| block(from, to)).map_err(at),
            (None, Some(long)) => Err(at(format!("\"{words}\" is a short form; in a file write {long}"))),
            (None, None) => scalar(kind, value, text).map(Value::Fixed).map_err(at),
        },
        _ => scalar(kind, value, text).map(Value::Fixed).map_err(at),
    }
}

/// Every address of a block in turn.
fn block(from: u128, to: u128) -> Value {
    if from == to { Value::Fixed(from) } else { Value::Sweep { from, to, step: 1, every: 1 } }
}

fn numbers(value: &Spanned<DeValue<'_>>, max: u32, distinct: bool, text: &str) -> Read<Vec<u32>> {
    let kind = Kind::Numbers { max, distinct };
    let items = match value.as_ref() {
        DeValue::Array(items) if (1..=1024).contains(&items.len()) => items,
        _ => return Err(vec![(value.span(), format!("{} is not {}", shown(value, text), kind.allowed()))]),
    };
    let mut wrong = Vec::new();
    let mut out = Vec::new();
    for item in items {
        match scalar(&Kind::Number { min: 0, max: u64::from(max) }, item, text) {
            Ok(number) if distinct && out.contains(&(number as u32)) => {
                wrong.push((item.span(), format!("{number} stands twice")));
            }
            Ok(number) => out.push(number as u32),
            Err(message) => wrong.push((item.span(), message)),
        }
    }
    if wrong.is_empty() { Ok(out) } else { Err(wrong) }
}

/// Positions of some words, each of them once.
fn words(value: &Spanned<DeValue<'_>>, kind: &Kind, known: &[&str], text: &str) -> Read<Vec<usize>> {
    let no_list = || vec![(value.span(), format!("{} is not {}", shown(value, text), kind.allowed()))];
    let DeValue::Array(items) = value.as_ref() else { return Err(no_list()) };
    let (mut out, mut wrong) = (Vec::new(), Vec::new());
    for item in items {
        let word = item.as_ref().as_str().unwrap_or_default();
        match known.iter().position(|one| *one == word) {
            Some(at) if out.contains(&at) => wrong.push((item.span(), format!("{word} stands twice"))),
            Some(at) => out.push(at),
            None => {
                let meant = nearest(word, known.iter().copied());
                let remedy =
                    meant.map_or_else(|| format!(" ({})", kind.allowed()), |word| format!(". Did you mean {word}?"));
                wrong.push((item.span(), format!("{} is none of the words{remedy}", shown(item, text))));
            }
        }
    }
    if wrong.is_empty() { Ok(out) } else { Err(wrong) }
}

/// The value as it is written, on one line and not too long.
pub(super) fn shown(value: &Spanned<DeValue<'_>>, text: &str) -> String {
    let raw = text.get(value.span()).unwrap_or("");
    let line: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
    if line.chars().count() < raw.chars().count() { format!("{line}…") } else { line }
}
