//! Variables, arrays and positional parameters of a script.

use super::{
    UNKNOWN,
    lex::{Part, Word},
    parse::is_name,
    run::Shell,
};

impl Shell<'_> {
    pub(super) fn assignment(&mut self, word: &Word) {
        let Some((name, appends)) = assigned(word) else {
            return;
        };
        let name = name.to_owned();
        let mut values = match word.parts.last() {
            Some(Part::Array(inside)) => self.array(&inside.clone(), word.line),
            _ => {
                let whole = self.text(word);
                let value = whole.split_once('=').map_or("", |(_, value)| value);
                vec![value.to_owned()]
            }
        };
        if appends {
            let mut before = self.values(&name);
            match (before.last_mut(), word.parts.last()) {
                (Some(last), Some(part)) if !matches!(part, Part::Array(_)) => last.push_str(&values.concat()),
                _ => before.append(&mut values),
            }
            values = before;
        }
        self.assign(&name, values);
    }

    pub(super) fn assign(&mut self, name: &str, values: Vec<String>) {
        if let Some((list, index)) = name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            let at = self.sum(index).and_then(|at| usize::try_from(at).ok()).filter(|at| *at < 65536);
            let items = self.variables.entry(list.into()).or_default();
            if let (Some(at), Some(value)) = (at, values.into_iter().next()) {
                items.resize(items.len().max(at + 1), String::new());
                items[at] = value;
            }
            return;
        }
        self.variables.insert(name.into(), values);
    }

    /// The text of `name`, `name[2]` or `1`; `None` where it is not set.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        if let Some((list, index)) = name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            let values = self.variables.get(list)?;
            let index = index.trim_start_matches('$').trim_matches(['{', '}']);
            let at = index.parse::<usize>().ok().or_else(|| self.variable(index)?.parse().ok());
            return values.get(at?).cloned();
        }
        if let Ok(number) = name.parse::<usize>() {
            return match number.checked_sub(1) {
                None => Some("script".into()),
                Some(at) => self.positional().get(at).cloned(),
            };
        }
        match name {
            "#" => Some(self.positional().len().to_string()),
            "?" => Some("0".into()),
            "EUID" | "UID" => Some("0".into()),
            "$" | "!" | "-" => Some(UNKNOWN.into()),
            _ => self.variables.get(name).map(|values| values.first().cloned().unwrap_or_default()),
        }
    }

    pub(super) fn values(&self, name: &str) -> Vec<String> {
        self.variables.get(name).cloned().unwrap_or_default()
    }

    pub(super) fn is_unset(&self, name: &str) -> bool {
        self.variable(name).is_none_or(|text| text.is_empty())
    }

    pub(super) fn positional(&self) -> &[String] {
        self.arguments.last().map_or(&[], Vec::as_slice)
    }

    /// The options the script itself was started with.
    pub(super) fn given(&self) -> &[String] {
        self.arguments.first().map_or(&[], Vec::as_slice)
    }
}

/// `name=`, `name+=` or `name[i]=` at the beginning of a word: the name, and whether it appends.
pub(super) fn assigned(word: &Word) -> Option<(&str, bool)> {
    let Some(Part::Text { text, quoted: false }) = word.parts.first() else { return None };
    let (name, _) = text.split_once('=')?;
    let (name, appends) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    let plain = name.split_once('[').map_or(name, |(name, _)| name);
    is_name(plain).then_some((name, appends))
}
