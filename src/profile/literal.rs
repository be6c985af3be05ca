//! One TOML value becomes one setting, as the field's kind wants it.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

use super::{
    Value, duration,
    field::{Field, Form, NOT_YET},
    kind::{Kind, parse_bytes},
    problem::nearest,
    rate::Rate,
    setting::Setting,
    short,
};

/// What is wrong, and with which bytes of the text.
pub(super) type Wrong = (Range<usize>, String);
type Read<T> = Result<T, Vec<Wrong>>;

const MAX_LIST: usize = 65536;
const FORM_KEYS: [&str; 6] = ["from", "to", "step", "random", "list", "every"];

/// Reads a field's value; `text` is what the spans point into.
pub(super) fn read(field: &Field, value: &Spanned<DeValue<'_>>, text: &str) -> Read<Setting> {
    let kind = &field.kind;
    match kind {
        Kind::Mac { word } if value.as_ref().as_str() == Some(word) => Ok(Setting::Word),
        Kind::Numbers { max, distinct } => numbers(value, *max, *distinct, text).map(Setting::Numbers),
        _ if field.form == Form::MayVary => varying(kind, value, text).map(Setting::Varying),
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
    if word.is_some_and(|word| NOT_YET.contains(&word)) {
        return format!("{shown} is not supported by this release ({allowed})");
    }
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

fn to_f64(number: &DeInteger<'_>) -> f64 {
    i128::from_str_radix(number.as_str(), number.radix()).map_or(f64::NAN, |n| n as f64)
}

/// A number or an address.
fn scalar(kind: &Kind, value: &Spanned<DeValue<'_>>, text: &str) -> Result<u128, String> {
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

fn varying(kind: &Kind, value: &Spanned<DeValue<'_>>, text: &str) -> Read<Value> {
    let at = |message: String| vec![(value.span(), message)];
    match value.as_ref() {
        DeValue::Table(table) => form(kind, table, value.span(), text),
        DeValue::Array(_) => {
            Err(at(format!("a bare list does not vary a field: write {{ list = {} }}", shown(value, text))))
        }
        DeValue::String(words) => match short::to_toml(kind, words) {
            Some(long) => Err(at(format!("\"{words}\" is a short form; in a file write {long}"))),
            None => scalar(kind, value, text).map(Value::Fixed).map_err(at),
        },
        _ => scalar(kind, value, text).map(Value::Fixed).map_err(at),
    }
}

/// `{ from, to, step }`, `{ random }` or `{ list }`, each with `every`.
fn form(kind: &Kind, table: &DeTable<'_>, span: Range<usize>, text: &str) -> Read<Value> {
    let mut wrong: Vec<Wrong> = Vec::new();
    for key in table.keys().filter(|key| !FORM_KEYS.contains(&key.get_ref().as_ref())) {
        wrong.push((key.span(), unknown_form_key(key.get_ref())));
    }
    let every = match table.get("every") {
        Some(every) => whole(&Kind::Number { min: 1, max: i64::MAX as u64 }, "every", every, text, &mut wrong),
        None => Some(1),
    };
    let every = every.unwrap_or(1) as u64;
    let sweeps = ["from", "to", "step"].iter().any(|key| table.contains_key(*key));
    let kinds = [sweeps, table.contains_key("random"), table.contains_key("list")];
    let value = match kinds {
        [true, false, false] => sweep(kind, table, &span, text, every, &mut wrong),
        [false, true, false] => random(kind, &table["random"], text, every, &mut wrong),
        [false, false, true] => list(kind, &table["list"], text, every, &mut wrong),
        [false, false, false] if !wrong.is_empty() => None,
        _ => {
            wrong.push((span, "a value form is { from, to, step } or { random } or { list }, one of them".into()));
            None
        }
    };
    match value {
        Some(value) if wrong.is_empty() => Ok(value),
        _ => Err(wrong),
    }
}

fn unknown_form_key(key: &str) -> String {
    if NOT_YET.contains(&key) {
        return format!("{key} is not supported by this release (from, to, step | random | list; every)");
    }
    match nearest(key, FORM_KEYS.into_iter()) {
        Some(near) => format!("{key}: no such key of a value form. Did you mean {near}?"),
        None => format!("{key}: no such key of a value form (from, to, step | random | list; every)"),
    }
}

fn whole(kind: &Kind, name: &str, value: &Spanned<DeValue<'_>>, text: &str, wrong: &mut Vec<Wrong>) -> Option<u128> {
    let number = scalar(kind, value, text);
    number.map_err(|message| wrong.push((value.span(), format!("{name}: {message}")))).ok()
}

fn sweep(
    kind: &Kind,
    table: &DeTable<'_>,
    span: &Range<usize>,
    text: &str,
    every: u64,
    wrong: &mut Vec<Wrong>,
) -> Option<Value> {
    let mut end = |name: &str| match table.get(name) {
        Some(value) => whole(kind, name, value, text, wrong),
        None => {
            wrong.push((span.clone(), format!("a sweep needs from and to; {name} is missing")));
            None
        }
    };
    let (from, to) = (end("from"), end("to"));
    let step = match table.get("step") {
        Some(step) => whole(&Kind::Number { min: 0, max: i64::MAX as u64 }, "step", step, text, wrong),
        None => Some(1),
    };
    let (from, to, step) = (from?, to?, step?);
    if from > to {
        let (low, high) = (kind.show(from), kind.show(to));
        wrong.push((span.clone(), format!("from {low} is above to {high}: write the smaller one first")));
        return None;
    }
    Some(Value::Sweep { from, to, step, every })
}

fn random(kind: &Kind, value: &Spanned<DeValue<'_>>, text: &str, every: u64, wrong: &mut Vec<Wrong>) -> Option<Value> {
    let ends = match value.as_ref() {
        DeValue::Array(ends) if ends.len() == 2 => ends,
        _ => {
            wrong.push((value.span(), format!("random: {} is not a pair [LOW, HIGH]", shown(value, text))));
            return None;
        }
    };
    let low = whole(kind, "random", &ends[0], text, wrong);
    let high = whole(kind, "random", &ends[1], text, wrong);
    let (low, high) = (low?, high?);
    if low > high {
        let (low, high) = (kind.show(low), kind.show(high));
        wrong.push((value.span(), format!("random: {low} is above {high}: write the smaller one first")));
        return None;
    }
    Some(Value::Random { low, high, every })
}

fn list(kind: &Kind, value: &Spanned<DeValue<'_>>, text: &str, every: u64, wrong: &mut Vec<Wrong>) -> Option<Value> {
    let items = match value.as_ref() {
        DeValue::Array(items) if (1..=MAX_LIST).contains(&items.len()) => items,
        _ => {
            let shown = shown(value, text);
            wrong.push((value.span(), format!("list: {shown} is not a list of 1 to {MAX_LIST} values")));
            return None;
        }
    };
    let values: Vec<Option<u128>> = items.iter().map(|item| whole(kind, "list", item, text, wrong)).collect();
    let values: Option<Vec<u128>> = values.into_iter().collect();
    Some(Value::List { values: values?, every })
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

/// The value as it is written, on one line and not too long.
fn shown(value: &Spanned<DeValue<'_>>, text: &str) -> String {
    let raw = text.get(value.span()).unwrap_or("");
    let line: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
    if line.chars().count() < raw.chars().count() { format!("{line}…") } else { line }
}
