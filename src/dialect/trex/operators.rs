//! Arithmetic, texts, lists and the few functions that declarations use.

use std::rc::Rc;

use super::{
    lex::{Place, Wrong},
    scapy,
    value::Value,
};

/// Longer texts and lists belong to no packet.
const MOST_BYTES: usize = 200_000;
const MOST_ITEMS: usize = 20_000;

fn impossible(place: Place, sign: &str, left: &Value, right: &Value) -> Wrong {
    Wrong::new(place, format!("{} {sign} {} cannot be worked out", left.shown(), right.shown()))
}

pub fn unary(sign: &str, value: &Value, place: Place) -> Result<Value, Wrong> {
    Ok(match (sign, value) {
        ("not", value) => Value::Bool(!value.is_true()),
        ("-", Value::Float(float)) => Value::Float(-float),
        ("-", value) if value.as_int().is_some() => Value::Int(value.as_int().unwrap_or(0).saturating_neg()),
        ("+", value) => value.clone(),
        ("~", value) if value.as_int().is_some() => Value::Int(!value.as_int().unwrap_or(0)),
        _ => return Err(Wrong::new(place, format!("{sign}{} cannot be worked out", value.shown()))),
    })
}

pub fn binary(sign: &str, left: &Value, right: &Value, place: Place) -> Result<Value, Wrong> {
    let bad = || impossible(place, sign, left, right);
    match sign {
        "==" => return Ok(Value::Bool(left.equals(right))),
        "!=" => return Ok(Value::Bool(!left.equals(right))),
        "in" | "not in" => {
            let has = match (left, right) {
                (Value::Text(part), Value::Text(whole)) => {
                    part.is_empty() || whole.windows(part.len()).any(|window| window == part.as_slice())
                }
                (_, Value::Dict(pairs)) => pairs.borrow().iter().any(|(key, _)| key.equals(left)),
                _ => right.items().iter().any(|item| item.equals(left)),
            };
            return Ok(Value::Bool(has == (sign == "in")));
        }
        _ => {}
    }
    match (left, right) {
        (Value::Text(a), Value::Text(b)) => texts(sign, a, b).ok_or_else(bad),
        (Value::Text(text), times) | (times, Value::Text(text)) if sign == "*" => {
            let times = usize::try_from(times.as_int().ok_or_else(bad)?).unwrap_or(0);
            match text.len().checked_mul(times) {
                Some(length) if length <= MOST_BYTES => Ok(Value::text(text.repeat(times))),
                _ => Err(Wrong::new(place, format!("a text of more than {MOST_BYTES} bytes"))),
            }
        }
        (Value::Text(text), values) if sign == "%" => Ok(filled(text, &values.items())),
        (Value::List(a), Value::List(b)) if sign == "+" => {
            let all: Vec<Value> = a.borrow().iter().chain(b.borrow().iter()).cloned().collect();
            if all.len() > MOST_ITEMS {
                Err(Wrong::new(place, format!("a list of more than {MOST_ITEMS}")))
            } else {
                Ok(Value::list(all))
            }
        }
        (Value::List(a), times) if sign == "*" => {
            let times = usize::try_from(times.as_int().ok_or_else(bad)?).unwrap_or(0);
            let length = a.borrow().len().saturating_mul(times);
            if length > MOST_ITEMS {
                return Err(Wrong::new(place, format!("a list of more than {MOST_ITEMS}")));
            }
            Ok(Value::list(a.borrow().iter().cloned().cycle().take(length).collect()))
        }
        (Value::Object(_), _) if sign == "/" => scapy::stack(left, right, place),
        (Value::Text(_), Value::Object(_)) if sign == "/" => scapy::stack(left, right, place),
        _ => numbers(sign, left, right).ok_or_else(bad),
    }
}

fn texts(sign: &str, a: &[u8], b: &[u8]) -> Option<Value> {
    Some(match sign {
        "+" if a.len() + b.len() <= MOST_BYTES => Value::text([a, b].concat()),
        "/" if a.len() + b.len() <= MOST_BYTES => Value::text([a, b].concat()),
        "%" => filled(a, &[Value::text(b)]),
        "<" => Value::Bool(a < b),
        ">" => Value::Bool(a > b),
        _ => return None,
    })
}

fn numbers(sign: &str, left: &Value, right: &Value) -> Option<Value> {
    let is_float = matches!(left, Value::Float(_)) || matches!(right, Value::Float(_));
    let (a, b) = (left.as_float()?, right.as_float()?);
    let compared = match sign {
        "<" => Some(a < b),
        ">" => Some(a > b),
        "<=" => Some(a <= b),
        ">=" => Some(a >= b),
        _ => None,
    };
    if let Some(is) = compared {
        return Some(Value::Bool(is));
    }
    if is_float || sign == "/" {
        // Python 2's / on whole numbers is what these files meant when it comes out even.
        let value = match sign {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" if b != 0.0 => a / b,
            "//" if b != 0.0 => (a / b).floor(),
            "%" if b != 0.0 => a.rem_euclid(b),
            "**" => a.powf(b),
            _ => return None,
        };
        let whole = !is_float && value.fract() == 0.0 && value.abs() < 1e15;
        let number = if whole { Value::Int(value as i128) } else { Value::Float(value) };
        return value.is_finite().then_some(number);
    }
    let (a, b) = (left.as_int()?, right.as_int()?);
    let shift = || u32::try_from(b).ok().filter(|shift| *shift < 100);
    Some(Value::Int(match sign {
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "//" => a.checked_div_euclid(b)?,
        "%" => a.checked_rem_euclid(b)?,
        "**" => a.checked_pow(u32::try_from(b).ok()?)?,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.checked_mul(1i128.checked_shl(shift()?)?)?,
        ">>" => a >> shift()?,
        _ => return None,
    }))
}

/// `%s`, `%d`, `{}` and `{0}` filled in; what does not fit stays.
fn filled(text: &[u8], values: &[Value]) -> Value {
    let text = String::from_utf8_lossy(text);
    let mut out = String::new();
    let mut values = values.iter();
    let mut rest = text.as_ref();
    while let Some(at) = rest.find(['%', '{']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let end = match tail.strip_prefix('%') {
            Some(after) => after.find(|c: char| c.is_ascii_alphabetic()).map(|end| end + 2),
            None => tail.find('}').map(|end| end + 1),
        };
        let Some(end) = end else {
            out.push_str(tail);
            return Value::text(out.into_bytes());
        };
        if let Some(value) = values.next() {
            out.push_str(&value.as_text().unwrap_or_else(|| value.shown()));
        }
        rest = &tail[end..];
    }
    out.push_str(rest);
    out.truncate(MOST_BYTES.min(out.len()));
    Value::text(out.into_bytes())
}

/// Functions of Python itself; `None`: a name of the outside.
pub fn builtin(name: &str, given: &[Value], place: Place) -> Result<Option<Value>, Wrong> {
    let first = given.first().cloned().unwrap_or(Value::None);
    let bad = || Wrong::new(place, format!("{name}({}) cannot be worked out", first.shown()));
    Ok(Some(match name {
        "len" => Value::Int(match &first {
            Value::Text(text) => text.len() as i128,
            Value::List(items) => items.borrow().len() as i128,
            Value::Dict(pairs) => pairs.borrow().len() as i128,
            other => scapy::length(other).ok_or_else(bad)? as i128,
        }),
        "max" | "min" => {
            let all = if given.len() > 1 { given.to_vec() } else { first.items() };
            let better = |best: Value, one: Value| {
                let (a, b) = (best.as_float().unwrap_or(0.0), one.as_float().unwrap_or(0.0));
                if (name == "max") == (b > a) && a != b { one } else { best }
            };
            all.into_iter().reduce(better).ok_or_else(bad)?
        }
        "range" | "xrange" => range(given).ok_or_else(bad)?,
        "int" => match &first {
            Value::Text(text) => {
                Value::Int(std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()).ok_or_else(bad)?)
            }
            other => Value::Int(other.as_float().ok_or_else(bad)? as i128),
        },
        "float" => match &first {
            Value::Text(text) => {
                Value::Float(std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()).ok_or_else(bad)?)
            }
            other => Value::Float(other.as_float().ok_or_else(bad)?),
        },
        "str" | "bytes" | "bytearray" => match &first {
            Value::Text(_) => first.clone(),
            Value::List(items) => {
                let bytes = items
                    .borrow()
                    .iter()
                    .map(|item| item.as_int().and_then(|int| u8::try_from(int).ok()))
                    .collect::<Option<Vec<u8>>>();
                Value::text(bytes.ok_or_else(bad)?)
            }
            other => Value::text(other.shown().into_bytes()),
        },
        "chr" => Value::text(vec![first.as_int().and_then(|int| u8::try_from(int).ok()).ok_or_else(bad)?]),
        "abs" => match &first {
            Value::Float(float) => Value::Float(float.abs()),
            other => Value::Int(other.as_int().ok_or_else(bad)?.saturating_abs()),
        },
        "round" => Value::Int(first.as_float().ok_or_else(bad)?.round() as i128),
        "list" | "tuple" => Value::list(first.items()),
        "bool" => Value::Bool(first.is_true()),
        "enumerate" => Value::list(
            first
                .items()
                .into_iter()
                .enumerate()
                .map(|(at, item)| Value::list(vec![Value::Int(at as i128), item]))
                .collect(),
        ),
        "zip" => {
            let columns: Vec<Vec<Value>> = given.iter().map(Value::items).collect();
            let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
            Value::list(
                (0..rows).map(|row| Value::list(columns.iter().map(|column| column[row].clone()).collect())).collect(),
            )
        }
        "print" => Value::None,
        _ => return Ok(None),
    }))
}

fn range(given: &[Value]) -> Option<Value> {
    let numbers: Vec<i128> = given.iter().map(Value::as_int).collect::<Option<_>>()?;
    let (from, to, step) = match numbers[..] {
        [to] => (0, to, 1),
        [from, to] => (from, to, 1),
        [from, to, step] if step != 0 => (from, to, step),
        _ => return None,
    };
    let mut out = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        if out.len() >= MOST_ITEMS {
            return None;
        }
        out.push(Value::Int(at));
        at = at.checked_add(step)?;
    }
    Some(Value::list(out))
}

pub fn item(whole: &Value, key: &Value, place: Place) -> Result<Value, Wrong> {
    let missing = || Wrong::new(place, format!("{} has no item {}", whole.shown(), key.shown()));
    match whole {
        Value::Dict(pairs) => {
            let pairs = pairs.borrow();
            pairs.iter().find(|(known, _)| known.equals(key)).map(|(_, value)| value.clone()).ok_or_else(missing)
        }
        Value::List(items) => {
            let items = items.borrow();
            let at = key.as_int().ok_or_else(missing)?;
            let at = if at < 0 { at + items.len() as i128 } else { at };
            usize::try_from(at).ok().and_then(|at| items.get(at).cloned()).ok_or_else(missing)
        }
        Value::Object(_) | Value::Outside(_) => {
            Err(Wrong::new(place, format!("{} is not known here: what is in it cannot be said", whole.shown())))
        }
        _ => Err(missing()),
    }
}

pub fn slice(whole: &Value, from: Option<&Value>, to: Option<&Value>, place: Place) -> Result<Value, Wrong> {
    let length = match whole {
        Value::Text(text) => text.len(),
        Value::List(items) => items.borrow().len(),
        _ => return Err(Wrong::new(place, format!("{} has no parts", whole.shown()))),
    };
    let end = |value: Option<&Value>, default: usize| match value.and_then(Value::as_int) {
        Some(at) if at < 0 => (at + length as i128).max(0) as usize,
        Some(at) => (at as usize).min(length),
        None => default,
    };
    let (from, to) = (end(from, 0), end(to, length));
    let range = from.min(to)..to;
    Ok(match whole {
        Value::Text(text) => Value::text(text[range].to_vec()),
        other => Value::list(other.items()[range].to_vec()),
    })
}

/// Methods of texts, lists, dictionaries; on recorded objects they are recorded too.
pub fn method(
    whole: &Value,
    name: &str,
    given: Vec<Value>,
    named: Vec<(String, Value)>,
    place: Place,
) -> Result<Value, Wrong> {
    let first = given.first().cloned().unwrap_or(Value::None);
    match (whole, name) {
        (Value::List(items), "append") => {
            if items.borrow().len() >= MOST_ITEMS {
                return Err(Wrong::new(place, format!("a list of more than {MOST_ITEMS}")));
            }
            items.borrow_mut().push(first);
            Ok(Value::None)
        }
        (Value::List(items), "extend") => {
            let more = first.items();
            if items.borrow().len() + more.len() > MOST_ITEMS {
                return Err(Wrong::new(place, format!("a list of more than {MOST_ITEMS}")));
            }
            items.borrow_mut().extend(more);
            Ok(Value::None)
        }
        (Value::Dict(pairs), "get") => {
            let default = given.get(1).cloned().unwrap_or(Value::None);
            let pairs = pairs.borrow();
            Ok(pairs.iter().find(|(key, _)| key.equals(&first)).map_or(default, |(_, value)| value.clone()))
        }
        (Value::Dict(pairs), "items" | "iteritems") => Ok(Value::list(
            pairs.borrow().iter().map(|(key, value)| Value::list(vec![key.clone(), value.clone()])).collect(),
        )),
        (Value::Dict(pairs), "keys") => Ok(Value::list(pairs.borrow().iter().map(|(key, _)| key.clone()).collect())),
        (Value::Dict(pairs), "values") => {
            Ok(Value::list(pairs.borrow().iter().map(|(_, value)| value.clone()).collect()))
        }
        (Value::Text(text), "format") => Ok(filled(text, &given)),
        (Value::Text(_), "encode" | "decode" | "strip") => Ok(whole.clone()),
        (Value::Text(text), "lower") => Ok(Value::text(text.to_ascii_lowercase())),
        (Value::Text(text), "upper") => Ok(Value::text(text.to_ascii_uppercase())),
        (Value::Object(object), _) => Ok(recorded(object, name, given, named, place)),
        (other, name) => Err(Wrong::new(place, format!("{}.{name}() cannot be worked out", other.shown()))),
    }
}

/// What was asked of an object of the outside is kept with it: `vm.write(…)`; arguments of a parser have defaults.
fn recorded(
    object: &Rc<super::value::Object>,
    name: &str,
    given: Vec<Value>,
    named: Vec<(String, Value)>,
    place: Place,
) -> Value {
    let called = Value::object(name, given, named, place);
    if name == "parse_args" || name == "parse_known_args" {
        let options = Value::object("options", Vec::new(), Vec::new(), place);
        if let Value::Object(options) = &options {
            for call in object.unnamed.borrow().iter().filter_map(Value::as_object) {
                if &*call.class != "add_argument" {
                    continue;
                }
                let flags = call.unnamed.borrow();
                let long = flags.iter().filter_map(Value::as_text).find(|flag| flag.starts_with("--"));
                let flag = long.or_else(|| flags.first().and_then(Value::as_text)).unwrap_or_default();
                let dest = call.get("dest").and_then(|dest| dest.as_text());
                let key = dest.unwrap_or_else(|| flag.trim_start_matches('-').replace('-', "_"));
                options.set(&key, call.get("default").unwrap_or(Value::None));
            }
        }
        return options;
    }
    if object.unnamed.borrow().len() < MOST_ITEMS {
        object.unnamed.borrow_mut().push(called.clone());
    }
    called
}
