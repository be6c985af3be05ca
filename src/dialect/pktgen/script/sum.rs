//! The shell's whole-number arithmetic: what stands in `((…))` and `$((…))`.

/// What the arithmetic needs of the variables.
pub trait Variables {
    /// The text of a variable, empty where it is not set; `None` where it cannot be known.
    fn read(&self, name: &str) -> Option<String>;
    fn write(&mut self, name: &str, value: i64);
}

/// Nested deeper than this is nobody's sum.
const MOST_DEPTH: usize = 60;

/// The value of an expression; `None` where it cannot be known or makes no sense.
pub fn value(text: &str, variables: &mut impl Variables) -> Option<i64> {
    let mut sum = Sum { letters: text.chars().collect(), at: 0, depth: 0, variables };
    if sum.rest().is_empty() {
        return Some(0);
    }
    let mut value = sum.choice()?;
    while sum.take(",") {
        value = sum.choice()?;
    }
    sum.rest().is_empty().then_some(value)
}

struct Sum<'a, V> {
    letters: Vec<char>,
    at: usize,
    depth: usize,
    variables: &'a mut V,
}

/// Binary operators from the loosest to the tightest; longer spellings first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];
const ASSIGNMENTS: [&str; 6] = ["+=", "-=", "*=", "/=", "%=", "="];

impl<V: Variables> Sum<'_, V> {
    fn rest(&mut self) -> &[char] {
        while self.letters.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        &self.letters[self.at..]
    }

    fn sees(&mut self, sign: &str) -> bool {
        let rest = self.rest();
        sign.chars().enumerate().all(|(n, c)| rest.get(n) == Some(&c))
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.sees(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn choice(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        let condition = self.binary(0)?;
        let value = if self.take("?") {
            let (yes, no) = (self.choice()?, if self.take(":") { self.choice()? } else { return None });
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Some(value)
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.power() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.operator(signs) {
            let right = self.binary(level + 1)?;
            left = apply(sign, left, right)?;
        }
        Some(left)
    }

    /// An operator of this level, and not the beginning of a longer one.
    fn operator(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        let rest: String = self.rest().iter().take(3).collect();
        let sign = signs.iter().find(|sign| rest.starts_with(**sign))?;
        let behind = rest[sign.len()..].chars().next();
        let longer = match *sign {
            "|" | "&" => behind == sign.chars().next(),
            "<" | ">" => behind == sign.chars().next() || behind == Some('='),
            "*" => behind == Some('*'),
            _ => false,
        };
        let assigns = matches!(*sign, "+" | "-" | "*" | "/" | "%") && behind == Some('=');
        if longer || assigns {
            return None;
        }
        self.at += sign.len();
        Some(sign)
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary()?;
        if !self.take("**") {
            return Some(base);
        }
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        let exponent = u32::try_from(self.power()?).ok()?;
        self.depth -= 1;
        Some(base.wrapping_pow(exponent))
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        let value = if self.take("++") {
            self.step(1, true)?
        } else if self.take("--") {
            self.step(-1, true)?
        } else if self.take("!") {
            i64::from(self.unary()? == 0)
        } else if self.take("~") {
            !self.unary()?
        } else if self.take("-") {
            self.unary()?.wrapping_neg()
        } else if self.take("+") {
            self.unary()?
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Some(value)
    }

    fn atom(&mut self) -> Option<i64> {
        if self.take("(") {
            let value = self.choice()?;
            return self.take(")").then_some(value);
        }
        let first = *self.rest().first()?;
        if first.is_ascii_digit() {
            return self.number();
        }
        let name = self.name()?;
        if self.take("++") {
            return self.moved(&name, 1, false);
        }
        if self.take("--") {
            return self.moved(&name, -1, false);
        }
        if let Some(sign) = self.assignment() {
            let right = self.choice()?;
            let value = if sign == "=" { right } else { apply(sign.trim_end_matches('='), self.known(&name)?, right)? };
            self.variables.write(&name, value);
            return Some(value);
        }
        self.known(&name)
    }

    fn assignment(&mut self) -> Option<&'static str> {
        if self.sees("==") {
            return None;
        }
        ASSIGNMENTS.into_iter().find(|sign| self.take(sign))
    }

    fn step(&mut self, by: i64, before: bool) -> Option<i64> {
        let name = self.name()?;
        self.moved(&name, by, before)
    }

    fn moved(&mut self, name: &str, by: i64, before: bool) -> Option<i64> {
        let old = self.known(name)?;
        self.variables.write(name, old.wrapping_add(by));
        Some(if before { old.wrapping_add(by) } else { old })
    }

    /// `x`, `$x`, `${x}`, `x[2]`; what stands in braces or brackets goes to the variables as it is.
    fn name(&mut self) -> Option<String> {
        let braced = self.take("$") && self.take("{");
        let rest = self.rest();
        let length = match braced {
            true => rest.iter().position(|c| *c == '}')?,
            false => rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count(),
        };
        let mut name: String = rest[..length].iter().collect();
        self.at += length + usize::from(braced);
        if name.is_empty() {
            return None;
        }
        if !braced && self.letters.get(self.at) == Some(&'[') {
            let inside: String = self.letters[self.at..].iter().take_while(|c| **c != ']').collect();
            self.at = (self.at + inside.chars().count() + 1).min(self.letters.len());
            name = format!("{name}{inside}]");
        }
        Some(name)
    }

    fn known(&mut self, name: &str) -> Option<i64> {
        let text = self.variables.read(name)?;
        let text = text.trim();
        if text.is_empty() {
            return Some(0);
        }
        text.parse().ok().or_else(|| number(text))
    }

    fn number(&mut self) -> Option<i64> {
        let rest = self.rest();
        let length = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '#').count();
        let text: String = rest[..length].iter().collect();
        self.at += length;
        number(&text)
    }
}

/// `12`, `0x1f`, `017`, `2#101`.
fn number(text: &str) -> Option<i64> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some((base, digits)) = text.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

fn apply(sign: &str, left: i64, right: i64) -> Option<i64> {
    Some(match sign {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.wrapping_shl(u32::try_from(right).ok()?),
        ">>" => left.wrapping_shr(u32::try_from(right).ok()?),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    impl Variables for BTreeMap<String, String> {
        fn read(&self, name: &str) -> Option<String> {
            Some(self.get(name).cloned().unwrap_or_default())
        }

        fn write(&mut self, name: &str, value: i64) {
            self.insert(name.into(), value.to_string());
        }
    }

    #[test]
    fn sums_are_the_shells() {
        let mut with: BTreeMap<String, String> = BTreeMap::from([("i".into(), "3".into())]);
        for (text, expected) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("i+1", 4),
            ("$i * 2 - 1", 5),
            ("${i} % 2", 1),
            ("2 ** 10", 1024),
            ("i < 4 && i >= 3", 1),
            ("i == 3 ? 10 : 20", 10),
            ("0x10 + 010", 24),
            ("!0 + ~0", 0),
            ("-i", -3),
            ("1 << 4 | 1", 17),
            ("nobody", 0),
            ("", 0),
            ("10 / 3", 3),
            ("5 - -2", 7),
        ] {
            assert_eq!(value(text, &mut with), Some(expected), "{text}");
        }
        assert_eq!(value("i++", &mut with), Some(3));
        assert_eq!(value("++i", &mut with), Some(5));
        assert_eq!(value("i += 2, i", &mut with), Some(7));
        assert_eq!(value("j = i - 1", &mut with), Some(6));
        assert_eq!(with["j"], "6");
    }

    #[test]
    fn nonsense_has_no_value() {
        let mut with: BTreeMap<String, String> = BTreeMap::from([("x".into(), "abc".into())]);
        let deep = "(".repeat(1000);
        for text in ["1 +", "1 / 0", "(1", "1 2", "x", "09", "@", "1 ? 2", &deep, &"-".repeat(1001), "2 ** -1"] {
            assert_eq!(value(text, &mut with), None, "{text}");
        }
        assert_eq!(value("-9223372036854775807 - 1", &mut with).and_then(|_| value("1 << 64", &mut with)), Some(1));
    }
}
