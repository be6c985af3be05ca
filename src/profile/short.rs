//! The short forms of the command line, the `:` line and Edit, turned into TOML: `A..B`, `A..=B`, `A..B:STEP`,
//! `A,B,C`, `random A..B`, `random A mask B`, `imix 60:7,1514:1`.

use toml::de::DeValue;

use super::{
    Value,
    field::Field,
    kind::Kind,
    setting::{Setting, quoted},
};

/// TOML for what a person typed as a field's value: TOML, a short form, or else a bare string.
pub(super) fn typed(field: &Field, text: &str) -> String {
    let text = text.trim();
    let one_line = !text.contains(['\n', '\r']);
    if let (true, Ok(value)) = (one_line, DeValue::parse(text)) {
        let as_is = match value.as_ref() {
            DeValue::String(_) | DeValue::Table(_) => true,
            DeValue::Integer(_) if matches!(field.kind, Kind::Numbers { .. }) => return format!("[{text}]"),
            DeValue::Array(_) => !is_words(&field.kind),
            DeValue::Integer(_) | DeValue::Float(_) => field.kind.is_numeric() || takes_numbers(&field.kind),
            DeValue::Boolean(_) => field.kind == Kind::Switch,
            DeValue::Datetime(_) => false,
        };
        if as_is {
            return text.into();
        }
    }
    let short = match (&field.kind, field.form) {
        (Kind::Numbers { max, .. }, _) => numbers(text, *max),
        (Kind::Words(_), _) => Some(words(text)),
        (kind, form) if form.may_vary() => to_toml(kind, text),
        _ => None,
    };
    short.unwrap_or_else(|| quoted(text))
}

fn takes_numbers(kind: &Kind) -> bool {
    matches!(kind, Kind::Rate | Kind::Duration | Kind::Factor { .. } | Kind::Switch | Kind::Flags(_))
}

fn is_words(kind: &Kind) -> bool {
    matches!(kind, Kind::Text { .. } | Kind::Name | Kind::Device | Kind::Choice(_) | Kind::Bytes { .. })
}

/// A short form of a varying field; `None` when the text has no such shape.
pub(super) fn to_toml(kind: &Kind, text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(shares) = text.strip_prefix("imix ") {
        return imix(shares);
    }
    if let Some(range) = text.strip_prefix("random ") {
        if let Some((base, mask)) = range.split_once(" mask ") {
            return Some(format!("{{ random = {}, mask = {} }}", item(kind, base.trim()), item(kind, mask.trim())));
        }
        if kind.address_bits().is_some() && range.contains('/') && !range.contains("..") {
            return Some(format!("{{ random = {} }}", quoted(range.trim())));
        }
        let (low, high) = ends(range)?;
        return Some(format!("{{ random = [{}, {}] }}", item(kind, low), item(kind, high)));
    }
    if let Some((from, rest)) = ends(text) {
        let (to, step) = split_step(kind, rest);
        let step = step.map(|step| format!(", step = {}", number_or_quoted(step))).unwrap_or_default();
        return Some(format!("{{ from = {}, to = {}{step} }}", item(kind, from), item(kind, to)));
    }
    if text.contains(',') {
        let items: Vec<String> = text.trim_end_matches(',').split(',').map(|part| item(kind, part.trim())).collect();
        return Some(format!("{{ list = [{}] }}", items.join(", ")));
    }
    None
}

/// `60:7,590:4,1514:1`; a size alone weighs 1.
fn imix(text: &str) -> Option<String> {
    let pair = |share: &str| {
        let (size, weight) = share.split_once(':').unwrap_or((share, "1"));
        format!("[{}, {}]", number_or_quoted(size.trim()), number_or_quoted(weight.trim()))
    };
    let pairs: Vec<String> = text.trim().trim_end_matches(',').split(',').map(|share| pair(share.trim())).collect();
    Some(format!("{{ imix = [{}] }}", pairs.join(", ")))
}

fn ends(text: &str) -> Option<(&str, &str)> {
    let (from, to) = text.split_once("..")?;
    Some((from.trim(), to.strip_prefix('=').unwrap_or(to).trim()))
}

/// Colons also stand inside MAC and IPv6 addresses: what is an address as a whole has no step.
fn split_step<'a>(kind: &Kind, text: &'a str) -> (&'a str, Option<&'a str>) {
    if !kind.is_numeric() && kind.address(text).is_ok() {
        return (text, None);
    }
    match text.rsplit_once(':') {
        Some((to, step)) => (to.trim(), Some(step.trim())),
        None => (text, None),
    }
}

fn item(kind: &Kind, text: &str) -> String {
    if kind.is_numeric() { number_or_quoted(text) } else { quoted(text.trim_matches('"')) }
}

/// Quoted when it is no number, so that the message about it is the field's own.
fn number_or_quoted(text: &str) -> String {
    match DeValue::parse(text) {
        Ok(value) if value.as_ref().as_integer().is_some() => text.into(),
        _ => quoted(text),
    }
}

/// `lock,barrier`; `none` is an empty list.
fn words(text: &str) -> String {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "none");
    format!("[{}]", words.map(|word| quoted(word.trim_matches('"'))).collect::<Vec<_>>().join(", "))
}

/// `0,1` and `0..3`.
fn numbers(text: &str, max: u32) -> Option<String> {
    if let Some((from, to)) = ends(text) {
        let (from, to) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok()?);
        let list: Vec<u32> = (from..=to.min(max.saturating_add(1))).take(1025).collect();
        return Some(format!("{list:?}"));
    }
    let items: Vec<String> = text.trim_end_matches(',').split(',').map(|part| number_or_quoted(part.trim())).collect();
    Some(format!("[{}]", items.join(", ")))
}

/// A setting as [`typed`] takes it back, in the short form where there is one.
pub(super) fn show(setting: &Setting, kind: &Kind) -> String {
    let toml = || setting.toml(kind).unwrap_or_default();
    let show = |number: &u128| kind.show(*number);
    let Setting::Varying(value) = setting else {
        return match setting {
            Setting::Text(text) if plain(text) => text.clone(),
            Setting::Text(_) => toml(),
            Setting::Numbers(numbers) => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            Setting::Words(places) if places.is_empty() => "none".into(),
            Setting::Words(_) => toml().replace(['[', ']', '"', ' '], ""),
            _ => toml().trim_matches('"').to_string(),
        };
    };
    match value {
        Value::Fixed(number) => show(number),
        Value::Sweep { from, to, step: 1, every: 1 } => format!("{}..{}", show(from), show(to)),
        Value::Sweep { from, to, step, every: 1 } if *kind != Kind::Ipv6 => {
            format!("{}..{}:{step}", show(from), show(to))
        }
        Value::Random { low, high, every: 1 } => format!("random {}..{}", show(low), show(high)),
        Value::Masked { base, mask, every: 1 } => format!("random {} mask {}", show(base), show(mask)),
        Value::Imix { shares, every: 1 } => {
            let shares: Vec<String> =
                shares.iter().map(|share| format!("{}:{}", show(&share.value), share.weight)).collect();
            format!("imix {}", shares.join(","))
        }
        Value::List { values, every: 1 } if values.len() > 1 => values.iter().map(show).collect::<Vec<_>>().join(","),
        _ => toml(),
    }
}

/// Text that comes back the same when it is typed without quotes.
fn plain(text: &str) -> bool {
    text.trim() == text && !text.contains(['"', '\'', '{', '\n', '\r'])
}

/// Whether two plain TOML values say the same.
pub(super) fn same(a: &DeValue<'_>, b: &DeValue<'_>) -> bool {
    match (a, b) {
        (DeValue::String(a), DeValue::String(b)) => a == b,
        (DeValue::Integer(a), DeValue::Integer(b)) => a.as_str() == b.as_str() && a.radix() == b.radix(),
        (DeValue::Float(a), DeValue::Float(b)) => a.as_str() == b.as_str(),
        (DeValue::Boolean(a), DeValue::Boolean(b)) => a == b,
        _ => false,
    }
}
