//! `[ … ]`, `test` and `[[ … ]]`: whether a condition holds, as far as that can be known.

use super::UNKNOWN;

/// Of a condition, or of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    True,
    False,
    /// Only running the script would tell.
    Unknown,
}

impl Status {
    pub fn of(truth: bool) -> Status {
        if truth { Status::True } else { Status::False }
    }

    pub fn not(self) -> Status {
        match self {
            Status::True => Status::False,
            Status::False => Status::True,
            Status::Unknown => Status::Unknown,
        }
    }
}

/// The words between the brackets, expanded. Nothing at all is false.
pub fn holds(words: &[String]) -> Status {
    either(words, 0).unwrap_or(Status::Unknown)
}

const MOST_DEPTH: usize = 40;

/// Words outside of parentheses, parted at one of these.
fn parted<'w>(words: &'w [String], signs: &[&str]) -> Option<(&'w [String], &'w [String])> {
    let mut level = 0usize;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" => level += 1,
            ")" => level = level.saturating_sub(1),
            sign if level == 0 && at > 0 && signs.contains(&sign) => return Some((&words[..at], &words[at + 1..])),
            _ => {}
        }
    }
    None
}

fn either(words: &[String], depth: usize) -> Option<Status> {
    if depth > MOST_DEPTH {
        return None;
    }
    let Some((left, right)) = parted(words, &["||", "-o"]) else { return both(words, depth) };
    match (both(left, depth + 1)?, either(right, depth + 1)?) {
        (Status::True, _) | (_, Status::True) => Some(Status::True),
        (Status::False, Status::False) => Some(Status::False),
        _ => Some(Status::Unknown),
    }
}

fn both(words: &[String], depth: usize) -> Option<Status> {
    if depth > MOST_DEPTH {
        return None;
    }
    let Some((left, right)) = parted(words, &["&&", "-a"]) else { return single(words, depth) };
    match (single(left, depth + 1)?, both(right, depth + 1)?) {
        (Status::False, _) | (_, Status::False) => Some(Status::False),
        (Status::True, Status::True) => Some(Status::True),
        _ => Some(Status::Unknown),
    }
}

fn single(words: &[String], depth: usize) -> Option<Status> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let unknown = words.iter().any(|word| word.contains(UNKNOWN));
    match words.as_slice() {
        ["!", rest @ ..] if !rest.is_empty() => {
            let rest: Vec<String> = rest.iter().map(|word| (*word).to_owned()).collect();
            either(&rest, depth + 1).map(Status::not)
        }
        ["(", inner @ .., ")"] => {
            let inner: Vec<String> = inner.iter().map(|word| (*word).to_owned()).collect();
            either(&inner, depth + 1)
        }
        [] => Some(Status::False),
        _ if unknown => Some(Status::Unknown),
        [word] => Some(Status::of(!word.is_empty())),
        ["-n", text] => Some(Status::of(!text.is_empty())),
        ["-z", text] => Some(Status::of(text.is_empty())),
        // Files of the machine that the script was written for.
        [sign, _] if sign.len() == 2 && sign.starts_with('-') => Some(Status::Unknown),
        [left, sign, right] => compared(left, sign, right),
        _ => None,
    }
}

fn compared(left: &str, sign: &str, right: &str) -> Option<Status> {
    let numbers = || Some((number(left)?, number(right)?));
    Some(Status::of(match sign {
        "=" | "==" => matches(left, right),
        "!=" => !matches(left, right),
        "<" => left < right,
        ">" => left > right,
        "-eq" => numbers().map(|(a, b)| a == b)?,
        "-ne" => numbers().map(|(a, b)| a != b)?,
        "-lt" => numbers().map(|(a, b)| a < b)?,
        "-le" => numbers().map(|(a, b)| a <= b)?,
        "-gt" => numbers().map(|(a, b)| a > b)?,
        "-ge" => numbers().map(|(a, b)| a >= b)?,
        _ => return None,
    }))
}

/// As `[[` takes an empty text.
fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.is_empty() { Some(0) } else { text.parse().ok() }
}

/// A pattern of `*` and `?`.
pub fn matches(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut t, mut p, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => (t, p) = (t + 1, p + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (t, p) = (from + 1, at + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Status {
        let words: Vec<String> = text.split(' ').map(|word| word.replace('_', "")).collect();
        holds(&words)
    }

    #[test]
    fn conditions_are_the_shells() {
        for text in ["-z _", "-n a", "a", "3 -gt 2", "a = a", "! -z a", "-n a -a 1 -eq 1", "_ -eq 0", "ab == a*"] {
            assert_eq!(told(text), Status::True, "{text}");
        }
        for text in ["-z a", "_", "2 -gt 2", "-n a && ( b == c || _ )", "1 -lt 1 -o _ = x", "a != a"] {
            assert_eq!(told(text), Status::False, "{text}");
        }
        assert_eq!(holds(&[]), Status::False);
        let unknown = UNKNOWN.to_string();
        for text in ["-d /proc", "a -eq 1", "a b c d", &unknown, &format!("{unknown} -a 1")] {
            assert_eq!(told(text), Status::Unknown, "{text}");
        }
        assert_eq!(told(&format!("{unknown} -o 1")), Status::True);
    }

    #[test]
    fn patterns_match() {
        assert!(matches("eth0@1", "eth*@?") && matches("", "*") && matches("abcabc", "*abc"));
        assert!(!matches("eth0", "eth") && !matches("abc", "a?") && !matches("ab", "*c"));
    }
}
