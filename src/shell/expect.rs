//! What a script expects of a result: `pps>=900k`, `dropped=0`, `burst_cost_ns.p99<50000`.

use std::{fmt, str::FromStr};

use serde_json::Value;

/// One expectation: a figure of the result, how it compares, and with what.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    text: String,
    /// Dotted path into the result.
    key: String,
    comparison: Comparison,
    wanted: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
    NotEqual,
}

/// Longer signs first, so that `>=` is not read as `>`.
const SIGNS: [(&str, Comparison); 7] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("!=", Comparison::NotEqual),
    ("==", Comparison::Equal),
    (">", Comparison::Above),
    ("<", Comparison::Below),
    ("=", Comparison::Equal),
];

/// Why an expectation does not hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("expected {expected}, got {got}")]
pub struct Unmet {
    expected: String,
    got: String,
}

/// A text that is no expectation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpectError(String);

impl FromStr for Expect {
    type Err = ExpectError;

    fn from_str(text: &str) -> Result<Self, ExpectError> {
        let refuse = |why: &str| ExpectError(format!("{text}: {why}, as pps>=900k or dropped=0"));
        let at = text.find(['<', '>', '=', '!']).ok_or_else(|| refuse("a comparison is wanted (>= <= > < = !=)"))?;
        let (key, rest) = text.split_at(at);
        let (sign, comparison) =
            SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)).ok_or_else(|| refuse("a comparison is wanted"))?;
        let key = key.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) {
            return Err(refuse("the name of a figure is wanted in front"));
        }
        let wanted = number(rest[sign.len()..].trim()).ok_or_else(|| refuse("a number is wanted behind (k M G)"))?;
        Ok(Expect { text: text.to_owned(), key: key.to_owned(), comparison: *comparison, wanted })
    }
}

/// A finite number with an optional decimal prefix.
fn number(text: &str) -> Option<f64> {
    let (digits, factor) = match text.char_indices().next_back()? {
        (at, 'k') => (&text[..at], 1e3),
        (at, 'M') => (&text[..at], 1e6),
        (at, 'G') => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    let plain = digits.trim_end().parse::<f64>().ok()? * factor;
    plain.is_finite().then_some(plain)
}

impl Expect {
    /// Refuses a figure that no result has; `example` is any result.
    pub fn check_key(&self, example: &Value) -> Result<(), ExpectError> {
        if find(example, &self.key).is_some() {
            return Ok(());
        }
        let known = figures(example).join(", ");
        Err(ExpectError(format!("--expect {}: a result has no figure \"{}\". It has: {known}", self.text, self.key)))
    }

    /// Whether it holds of this result. A figure that does not exist (null) holds nothing.
    pub fn check(&self, result: &Value) -> Result<(), Unmet> {
        let figure = find(result, &self.key).and_then(Value::as_f64);
        if figure.is_some_and(|figure| self.comparison.holds(figure, self.wanted)) {
            return Ok(());
        }
        let got = figure.map_or_else(|| "nothing (this figure does not exist here)".into(), |f| format!("{f}"));
        Err(Unmet { expected: self.text.clone(), got })
    }
}

impl Comparison {
    fn holds(self, figure: f64, wanted: f64) -> bool {
        match self {
            Comparison::AtLeast => figure >= wanted,
            Comparison::AtMost => figure <= wanted,
            Comparison::Above => figure > wanted,
            Comparison::Below => figure < wanted,
            Comparison::Equal => figure == wanted,
            Comparison::NotEqual => figure != wanted,
        }
    }
}

/// The figure at a dotted path. `left` alone means `left.packets`; an errno that was never met is 0.
fn find<'a>(result: &'a Value, key: &str) -> Option<&'a Value> {
    static ZERO: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::from(0));
    if let Some(name) = key.strip_prefix("errno.") {
        let plausible = name.starts_with('E') && name.len() > 1;
        return result.get("errno")?.get(name).or(plausible.then_some(&*ZERO));
    }
    let found = key.split('.').try_fold(result, |value, part| match value {
        Value::Null => Some(value),
        _ => value.get(part),
    })?;
    match found {
        Value::Object(fields) => fields.get("packets"),
        Value::Number(_) | Value::Null => Some(found),
        _ => None,
    }
}

/// Names of all figures of a result, dotted.
fn figures(result: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let Value::Object(fields) = result else { return names };
    for (name, value) in fields {
        match value {
            Value::Number(_) | Value::Null if name != "version" => names.push(name.clone()),
            Value::Object(inner) => {
                let inner = inner.iter().filter(|(_, value)| value.is_number() || value.is_null());
                names.extend(inner.map(|(part, _)| format!("{name}.{part}")));
            }
            _ => {}
        }
    }
    names
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn result() -> Value {
        json!({"version": 1, "pps": 1_000_000.0, "cost_ns": null, "left": {"packets": 7, "bytes": 420}, "unexplained": 0,
               "received": null, "errno": {"EAGAIN": 3}, "device": "deck0"})
    }

    fn holds(text: &str) -> bool {
        text.parse::<Expect>().unwrap().check(&result()).is_ok()
    }

    #[test]
    fn every_comparison_does_what_it_says() {
        for text in ["pps>=1M", "pps<=1000k", "pps=0.001G", "pps==1e6", "pps!=1", "pps>999999", "pps < 1000001"] {
            assert!(holds(text), "{text}");
        }
        for text in ["pps>=1000001", "pps<=0", "pps=1", "pps!=1M", "pps>1M", "pps<1M", "pps>=-1k == x"] {
            assert!(text.parse::<Expect>().is_err() || !holds(text), "{text}");
        }
    }

    #[test]
    fn figures_have_dotted_names_and_packets_are_meant_when_none_is_named() {
        assert!(holds("left=7") && holds("left.bytes=420") && holds("unexplained=0"));
        assert!(holds("errno.EAGAIN=3") && holds("errno.EBUSY=0"));
    }

    #[test]
    fn what_does_not_exist_holds_nothing() {
        assert!(
            !holds("cost_ns<1000") && !holds("cost_ns>=0") && !holds("received.packets=0") && !holds("received>=0")
        );
        let unmet = "cost_ns<1k".parse::<Expect>().unwrap().check(&result()).unwrap_err();
        assert_eq!(unmet.to_string(), "expected cost_ns<1k, got nothing (this figure does not exist here)");
    }

    #[test]
    fn an_unknown_figure_is_refused_with_the_known_ones() {
        let unknown = "ppps>=1".parse::<Expect>().unwrap().check_key(&result()).unwrap_err();
        assert!(unknown.to_string().contains("pps, received, unexplained"), "{unknown}");
        for known in ["pps>1", "left>1", "received.packets>1", "errno.ENXIO=0"] {
            known.parse::<Expect>().unwrap().check_key(&result()).unwrap();
        }
    }

    #[test]
    fn what_is_no_expectation_is_refused() {
        for text in ["", "pps", "pps>=", ">=3", "pps>=fast", "pps!3", "pps>=1e999", "p ps>1", "pps>=nan", "pps>=µ"] {
            let error = text.parse::<Expect>().unwrap_err().to_string();
            assert!(error.contains("pps>=900k"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,24}") {
            let _ = text.parse::<Expect>().map(|expect| expect.check(&result()));
        }
    }
}
