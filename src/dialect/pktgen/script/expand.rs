//! Words become the texts that a command would see: variables, substitutions, sums, splitting, braces.

use super::{
    UNKNOWN,
    lex::{Part, Word, tokens},
    run::Shell,
    sum::{self, Variables},
};

/// Longer texts and lists are nobody's script.
const MOST_BYTES: usize = 1 << 16;
const MOST_FIELDS: usize = 65536;

impl Variables for Shell<'_> {
    fn read(&self, name: &str) -> Option<String> {
        let text = self.variable(name)?;
        (!text.contains(UNKNOWN)).then_some(text)
    }

    fn write(&mut self, name: &str, value: i64) {
        self.assign(name, vec![value.to_string()]);
    }
}

impl Shell<'_> {
    /// All words, split into fields.
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<String> {
        let mut all = Vec::new();
        for word in words {
            let fields = self.split(word);
            self.spend(fields.iter().map(|field| field.len() + 24).sum());
            all.extend(fields);
            all.truncate(MOST_FIELDS);
        }
        all
    }

    /// One word as one text, as in an assignment: nothing is split.
    pub(super) fn text(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text { text: piece, .. } => text.push_str(piece),
                Part::Variable { inside, .. } => text.push_str(&self.parameter(inside).join(" ")),
                other => text.push_str(&self.substituted(other)),
            }
            if text.len() > MOST_BYTES {
                self.spend(MOST_BYTES);
                return UNKNOWN.into();
            }
        }
        self.spend(text.len());
        text
    }

    /// The words of `name=(…)`.
    pub(super) fn array(&mut self, inside: &str, line: usize) -> Vec<String> {
        let Ok(found) = tokens(inside, line) else { return vec![UNKNOWN.into()] };
        let words = found.into_iter().filter_map(|(token, _)| match token {
            super::lex::Token::Word(word) => Some(word),
            _ => None,
        });
        let words: Vec<Word> = words.collect();
        self.fields(&words)
    }

    fn split(&mut self, word: &Word) -> Vec<String> {
        if let Some(text) = word.plain() {
            return braces(text);
        }
        // What is being put together, and whether anything (an empty quoted text, say) was.
        let (mut fields, mut field, mut begun) = (Vec::new(), String::new(), false);
        for part in &word.parts {
            match part {
                Part::Text { text, quoted } => {
                    field.push_str(text);
                    begun |= *quoted || !text.is_empty();
                }
                Part::Variable { inside, quoted: true } => {
                    let values = self.parameter(inside);
                    begun |= !matches!(inside.as_str(), "@");
                    for (n, value) in values.iter().enumerate() {
                        if n > 0 {
                            fields.push(std::mem::take(&mut field));
                        }
                        begun = true;
                        field.push_str(value);
                    }
                }
                Part::Command { quoted: true, .. } | Part::Sum(_) => {
                    field.push_str(&self.substituted(part));
                    begun = true;
                }
                other => {
                    let text = match other {
                        Part::Variable { inside, .. } => self.parameter(inside).join(" "),
                        _ => self.substituted(other),
                    };
                    let mut pieces = text.split_whitespace();
                    if text.starts_with(char::is_whitespace) && begun {
                        fields.push(std::mem::take(&mut field));
                        begun = false;
                    }
                    if let Some(first) = pieces.next() {
                        field.push_str(first);
                        begun = true;
                    }
                    for piece in pieces {
                        fields.push(std::mem::replace(&mut field, piece.into()));
                    }
                    if text.ends_with(char::is_whitespace) && begun {
                        fields.push(std::mem::take(&mut field));
                        begun = false;
                    }
                }
            }
            if field.len() > MOST_BYTES || fields.len() > MOST_FIELDS {
                return vec![UNKNOWN.into()];
            }
        }
        if begun {
            fields.push(field);
        }
        fields
    }

    fn substituted(&mut self, part: &Part) -> String {
        match part {
            Part::Sum(text) => self.sum(text).map_or(UNKNOWN.into(), |value| value.to_string()),
            Part::Command { script, .. } => self.captured(script),
            Part::Text { text, .. } => text.clone(),
            Part::Variable { inside, .. } => self.parameter(inside).join(" "),
            Part::Array(_) => UNKNOWN.into(),
        }
    }

    pub(super) fn sum(&mut self, text: &str) -> Option<i64> {
        // `$(…)` and `${#a[*]}` inside are expanded first, as the shell does.
        if text.contains("$(") || text.contains("${") || text.contains('`') {
            let quoted = format!("\"{}\"", text.replace('"', "\\\""));
            let found = tokens(&quoted, self.line).ok()?;
            let Some((super::lex::Token::Word(word), _)) = found.first() else { return None };
            let expanded = self.text(&word.clone());
            return if expanded.contains(UNKNOWN) { None } else { sum::value(&expanded, self) };
        }
        sum::value(text, self)
    }

    /// What `${inside}` stands for; several texts for `@` and whole arrays.
    fn parameter(&mut self, inside: &str) -> Vec<String> {
        let unknown = || vec![UNKNOWN.to_string()];
        if inside == "@" || inside == "*" {
            return self.positional().to_vec();
        }
        if let Some(name) = inside.strip_prefix('#').filter(|name| !name.is_empty()) {
            let name = name.trim_end_matches("[*]").trim_end_matches("[@]");
            let is_list = inside.ends_with(']');
            return vec![match (is_list, self.variable(name)) {
                (true, _) => self.values(name).len().to_string(),
                (false, Some(text)) if !text.contains(UNKNOWN) => text.chars().count().to_string(),
                _ => UNKNOWN.into(),
            }];
        }
        let is_special = inside.len() == 1 && "#?$!-".contains(inside);
        let letters = inside.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_');
        let length = if is_special { 1 } else { letters.count() };
        let (mut name, mut rest) = (inside[..length].to_owned(), &inside[length..]);
        if rest.starts_with('[') {
            let Some(end) = rest.find(']') else { return unknown() };
            if ["[*]", "[@]"].contains(&&rest[..=end]) && end + 1 == rest.len() {
                return self.values(&name);
            }
            // The brackets of `$[…]` inside are not met in practice; a sum is.
            let Some(index) = self.sum(&rest[1..end]) else { return unknown() };
            name.push_str(&format!("[{index}]"));
            rest = &rest[end + 1..];
        }
        let value = self.variable(&name);
        match self.with_default(&name, value, rest) {
            Some(text) => vec![text],
            None => unknown(),
        }
    }

    /// `:-word`, `:=word`, `:+word`, `:?word`, `%pattern`, `#pattern`, `:from:length`; `None` where it is not understood.
    fn with_default(&mut self, name: &str, value: Option<String>, rest: &str) -> Option<String> {
        if rest.is_empty() {
            return Some(value.unwrap_or_default());
        }
        let is_empty = value.as_deref().is_none_or(str::is_empty);
        let (counts_empty, rest) = match rest.strip_prefix(':') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let missing = if counts_empty { is_empty } else { value.is_none() };
        let sign = rest.chars().next()?;
        let word = &rest[sign.len_utf8()..];
        match sign {
            '-' if missing => Some(self.inner(word)),
            '=' if missing => {
                let text = self.inner(word);
                self.assign(name, vec![text.clone()]);
                Some(text)
            }
            '+' if missing => Some(String::new()),
            '+' => Some(self.inner(word)),
            '?' if missing => {
                self.missing(name);
                Some(String::new())
            }
            '-' | '=' | '?' => value,
            '%' | '#' if !counts_empty => {
                let (value, word) = (value.unwrap_or_default(), self.inner(word));
                without(&value, sign, &word)
            }
            _ => None,
        }
    }

    /// A word inside `${…}`.
    fn inner(&mut self, text: &str) -> String {
        let quoted = format!("\"{}\"", text.trim_matches('"').replace('"', "\\\""));
        match tokens(&quoted, self.line).ok().and_then(|found| found.into_iter().next()) {
            Some((super::lex::Token::Word(word), _)) => self.text(&word),
            _ => String::new(),
        }
    }
}

/// `%pattern` and `#pattern`, the shortest and (doubled) the longest match, for patterns with one `*` at most.
fn without(value: &str, sign: char, pattern: &str) -> Option<String> {
    let doubled = pattern.starts_with(sign);
    let pattern = if doubled { &pattern[1..] } else { pattern };
    let (before, behind) = match pattern.split_once('*') {
        None => (pattern, None),
        Some((before, behind)) if !behind.contains('*') => (before, Some(behind)),
        Some(_) => return None,
    };
    if value.contains(UNKNOWN) || pattern.contains(['?', '[']) {
        return None;
    }
    let cut = match (sign, behind) {
        ('%', None) => value.strip_suffix(before),
        ('#', None) => value.strip_prefix(before),
        // `%x*`: from the last (or first) x on; what follows the star must end the text.
        ('%', Some("")) => if doubled { value.find(before) } else { value.rfind(before) }.map(|at| &value[..at]),
        // `#*x`: up to the first (or last) x.
        ('#', Some(behind)) if before.is_empty() => {
            let at = if doubled { value.rfind(behind) } else { value.find(behind) };
            at.map(|at| &value[at + behind.len()..])
        }
        _ => return None,
    };
    Some(cut.unwrap_or(value).to_owned())
}

/// `{0..3}` and `{a,b}` in a word without anything else to expand.
fn braces(text: &str) -> Vec<String> {
    let whole = || vec![text.to_owned()];
    let (Some(open), Some(close)) = (text.find('{'), text.find('}')) else { return whole() };
    if close < open {
        return whole();
    }
    let (before, inside, behind) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
    let items: Vec<String> = if let Some((from, to)) = inside.split_once("..") {
        let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) else { return whole() };
        if from.abs_diff(to) > MOST_FIELDS as u64 {
            return whole();
        }
        let range: Vec<i64> = if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
        range.iter().map(i64::to_string).collect()
    } else if inside.contains(',') {
        inside.split(',').map(str::to_owned).collect()
    } else {
        return whole();
    };
    items.iter().map(|item| format!("{before}{item}{behind}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_ranges_or_lists() {
        assert_eq!(braces("a{1..3}b"), ["a1b", "a2b", "a3b"]);
        assert_eq!(braces("{2..0}"), ["2", "1", "0"]);
        assert_eq!(braces("x{a,b}"), ["xa", "xb"]);
        for text in ["{", "}{", "{x}", "{1..x}", "{1..99999999}"] {
            assert_eq!(braces(text), [text]);
        }
    }

    #[test]
    fn patterns_cut_from_the_ends() {
        for (value, sign, pattern, expected) in [
            ("eth1@0", '%', "@*", Some("eth1")),
            ("eth1@0", '#', "*@", Some("0")),
            ("a.b.c", '%', "%.*", Some("a")),
            ("a.b.c", '%', ".*", Some("a.b")),
            ("a.b.c", '#', "#*.", Some("c")),
            ("file.sh", '%', ".sh", Some("file")),
            ("file.sh", '#', "x", Some("file.sh")),
            ("file.sh", '#', "f?", None),
        ] {
            assert_eq!(without(value, sign, pattern).as_deref(), expected, "{value} {sign} {pattern}");
        }
    }
}
