//! The forms of a value that varies: `{ from, to, step }`, `{ random }`, `{ list }` and `{ imix }`, each with `every`.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Share, Value,
    field::Form,
    imix::{self, LONGEST_CYCLE, MOST_SHARES, MOST_WEIGHT},
    kind::Kind,
    literal::{Read, Wrong, scalar, shown},
    net,
    problem::nearest,
};

const MAX_LIST: usize = 65536;
const KEYS: [&str; 8] = ["from", "to", "step", "random", "mask", "list", "imix", "every"];

/// One form with its keys.
struct Reader<'a, 't> {
    kind: &'a Kind,
    table: &'a DeTable<'t>,
    span: Range<usize>,
    text: &'a str,
    every: u64,
    wrong: Vec<Wrong>,
}

/// Reads a value form; `takes` says whether a mix is one here.
pub(super) fn read(kind: &Kind, takes: Form, table: &DeTable<'_>, span: Range<usize>, text: &str) -> Read<Value> {
    let mut reader = Reader { kind, table, span, text, every: 1, wrong: Vec::new() };
    for key in table.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref())) {
        reader.wrong.push((key.span(), unknown_key(key.get_ref(), takes)));
    }
    if let Some(every) = table.get("every") {
        reader.every = reader.whole(&whole_number(1), "every", every).unwrap_or(1) as u64;
    }
    let value = reader.value(takes);
    match value {
        Some(value) if reader.wrong.is_empty() => Ok(value),
        _ => Err(reader.wrong),
    }
}

fn whole_number(min: u64) -> Kind {
    Kind::Number { min, max: i64::MAX as u64 }
}

fn unknown_key(key: &str, takes: Form) -> String {
    match nearest(key, KEYS.into_iter()) {
        Some(near) => format!("{key}: no such key of a value form. Did you mean {near}?"),
        None => format!("{key}: no such key of a value form ({})", words(takes)),
    }
}

fn words(takes: Form) -> &'static str {
    match takes {
        Form::MayMix => "from, to, step | random, mask | list | imix; every",
        _ => "from, to, step | random, mask | list; every",
    }
}

impl Reader<'_, '_> {
    fn value(&mut self, takes: Form) -> Option<Value> {
        let has = |key: &str| self.table.contains_key(key);
        let sweeps = has("from") || has("to") || has("step");
        let kinds = [sweeps, has("random") || has("mask"), has("list"), has("imix")];
        match kinds {
            [true, false, false, false] => self.sweep(),
            [false, true, false, false] => self.random(),
            [false, false, true, false] => self.list(),
            [false, false, false, true] if takes == Form::MayMix => self.imix(),
            [false, false, false, true] => {
                self.flaw("imix is for sizes alone; { list = [A, A, B] } gives values shares here");
                None
            }
            [false, false, false, false] if !self.wrong.is_empty() => None,
            _ => {
                let mix = if takes == Form::MayMix { " or { imix }" } else { "" };
                self.flaw(format!(
                    "a value form is {{ from, to, step }} or {{ random }} or {{ list }}{mix}, one of them"
                ));
                None
            }
        }
    }

    /// Something wrong with the form as a whole.
    fn flaw(&mut self, message: impl Into<String>) {
        self.wrong.push((self.span.clone(), message.into()));
    }

    fn whole(&mut self, kind: &Kind, name: &str, value: &Spanned<DeValue<'_>>) -> Option<u128> {
        let number = scalar(kind, value, self.text);
        number.map_err(|message| self.wrong.push((value.span(), format!("{name}: {message}")))).ok()
    }

    fn end(&mut self, name: &str) -> Option<u128> {
        match self.table.get(name) {
            Some(value) => self.whole(self.kind, name, value),
            None => {
                self.flaw(format!("a sweep needs from and to; {name} is missing"));
                None
            }
        }
    }

    fn sweep(&mut self) -> Option<Value> {
        let (from, to) = (self.end("from"), self.end("to"));
        let step = match self.table.get("step") {
            Some(step) => self.whole(&whole_number(0), "step", step),
            None => Some(1),
        };
        let (from, to, step) = (from?, to?, step?);
        if from > to {
            let (low, high) = (self.kind.show(from), self.kind.show(to));
            self.flaw(format!("from {low} is above to {high}: write the smaller one first"));
            return None;
        }
        Some(Value::Sweep { from, to, step, every: self.every })
    }

    fn random(&mut self) -> Option<Value> {
        if let Some(mask) = self.table.get("mask") {
            return self.masked(mask);
        }
        let value = self.table.get("random")?;
        let (low, high) = match value.as_ref() {
            DeValue::Array(ends) if ends.len() == 2 => {
                let (low, high) = (&ends[0], &ends[1]);
                let (low, high) = (self.whole(self.kind, "random", low), self.whole(self.kind, "random", high));
                (low?, high?)
            }
            DeValue::String(words) if words.contains('/') => self.block(value, words)?,
            _ => {
                let or = if self.kind.address_bits().is_some() { " or a block \"ADDRESS/BITS\"" } else { "" };
                let message = format!("random: {} is not a pair [LOW, HIGH]{or}", shown(value, self.text));
                self.wrong.push((value.span(), message));
                return None;
            }
        };
        if low > high {
            let (low, high) = (self.kind.show(low), self.kind.show(high));
            self.wrong.push((value.span(), format!("random: {low} is above {high}: write the smaller one first")));
            return None;
        }
        Some(Value::Random { low, high, every: self.every })
    }

    fn block(&mut self, value: &Spanned<DeValue<'_>>, words: &str) -> Option<(u128, u128)> {
        let ends = net::block(self.kind, words)
            .unwrap_or_else(|| Err(format!("{} is not a pair [LOW, HIGH]", shown(value, self.text))));
        ends.map_err(|message| self.wrong.push((value.span(), format!("random: {message}")))).ok()
    }

    /// `{ random = BASE, mask = BITS }`.
    fn masked(&mut self, mask: &Spanned<DeValue<'_>>) -> Option<Value> {
        let Some(base) = self.table.get("random") else {
            self.flaw(
                "mask stands beside random = VALUE: the bits set in mask are drawn, the others are those of VALUE",
            );
            return None;
        };
        if matches!(base.as_ref(), DeValue::Array(_)) {
            self.wrong.push((base.span(), "random: with a mask it is one value, whose other bits are kept".into()));
            return None;
        }
        // A mask may have bits that alone would be no value of the field.
        let free = match self.kind {
            Kind::Number { max, .. } => Kind::Number { min: 0, max: *max },
            Kind::Hex { max, .. } => Kind::Hex { min: 0, max: *max },
            kind => *kind,
        };
        let (base, mask_at) = (self.whole(&free, "random", base), mask.span());
        let (base, mask) = (base?, self.whole(&free, "mask", mask)?);
        for end in [base & !mask, base | mask] {
            if self.kind.is_numeric()
                && let Err(message) = self.kind.number(end)
            {
                self.wrong.push((mask_at, format!("mask: {message}")));
                return None;
            }
        }
        let (base, every) = (base & !mask, self.every);
        Some(if mask == 0 { Value::Fixed(base) } else { Value::Masked { base, mask, every } })
    }

    fn list(&mut self) -> Option<Value> {
        let value = self.table.get("list")?;
        let items = match value.as_ref() {
            DeValue::Array(items) if (1..=MAX_LIST).contains(&items.len()) => items,
            _ => {
                let shown = shown(value, self.text);
                self.wrong.push((value.span(), format!("list: {shown} is not a list of 1 to {MAX_LIST} values")));
                return None;
            }
        };
        let values: Vec<Option<u128>> = items.iter().map(|item| self.whole(self.kind, "list", item)).collect();
        let values: Option<Vec<u128>> = values.into_iter().collect();
        Some(Value::List { values: values?, every: self.every })
    }

    fn imix(&mut self) -> Option<Value> {
        let value = self.table.get("imix")?;
        let items = match value.as_ref() {
            DeValue::Array(items) if (1..=MOST_SHARES).contains(&items.len()) => items,
            DeValue::Array(items) if !items.is_empty() => {
                let message = format!("imix: {} sizes are too many (at most {MOST_SHARES})", items.len());
                self.wrong.push((value.span(), message));
                return None;
            }
            _ => {
                let message = format!(
                    "imix: {} is not a list of pairs [SIZE, WEIGHT], 1 to {MOST_SHARES}",
                    shown(value, self.text)
                );
                self.wrong.push((value.span(), message));
                return None;
            }
        };
        let shares: Vec<Option<Share>> = items.iter().map(|item| self.share(item)).collect();
        let shares: Vec<Share> = shares.into_iter().collect::<Option<_>>()?;
        let cycle = imix::cycle(&shares);
        if cycle == 0 {
            self.wrong.push((value.span(), "imix: every weight is 0, so nothing would be sent".into()));
            return None;
        }
        if cycle > LONGEST_CYCLE {
            let message = format!(
                "imix: the weights add up to {cycle}, their common divisor taken out (at most {LONGEST_CYCLE}): \
                 write rounder ones"
            );
            self.wrong.push((value.span(), message));
            return None;
        }
        Some(Value::Imix { shares, every: self.every })
    }

    fn share(&mut self, item: &Spanned<DeValue<'_>>) -> Option<Share> {
        let DeValue::Array(pair) = item.as_ref() else { return self.no_pair(item) };
        let [size, weight] = &pair[..] else { return self.no_pair(item) };
        let size = self.whole(self.kind, "imix", size);
        let weight = self.whole(&Kind::Number { min: 0, max: MOST_WEIGHT.into() }, "imix weight", weight);
        Some(Share { value: size?, weight: weight? as u32 })
    }

    fn no_pair(&mut self, item: &Spanned<DeValue<'_>>) -> Option<Share> {
        let message = format!("imix: {} is not a pair [SIZE, WEIGHT]", shown(item, self.text));
        self.wrong.push((item.span(), message));
        None
    }
}
