//! Changes a TOML text in place: only the bytes of the value change, so comments, order, alignment and line ends
//! stay. (toml_edit writes LF for CRLF, and drops a line's comment with the value it replaces.)

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Why a text could not be changed; one sentence.
type Refusal = String;

/// How the table that a new key goes into is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Home {
    /// Lines: the top of the file, or those below a `[header]` that ends here.
    Lines { after: usize },
    /// `{ … }`.
    Inline { span: Range<usize> },
}

/// Gives `path` the value `toml`: replaces what is there, or adds the key where its table is written.
pub(super) fn set(body: &str, path: &str, toml: &str) -> Result<String, Refusal> {
    let root = parse(body)?;
    let parts: Vec<&str> = path.split('.').collect();
    match find(root.get_ref(), &parts) {
        Some((_, value)) if is_written_as_value(body, value) => Ok(splice(body, value.span(), toml)),
        Some(_) => set(&unset(body, path)?, path, toml),
        None => insert(body, root.get_ref(), &parts, toml),
    }
}

/// Takes `path` out; a text without it stays as it is.
pub(super) fn unset(body: &str, path: &str) -> Result<String, Refusal> {
    let root = parse(body)?;
    let parts: Vec<&str> = path.split('.').collect();
    let Some((key, value)) = find(root.get_ref(), &parts) else {
        return Ok(body.into());
    };
    if parts.last().is_some_and(|last| last.parse::<usize>().is_ok()) {
        return remove_item(body, root.get_ref(), &parts);
    }
    if is_written_as_value(body, value) {
        let in_line = inside_inline(body, root.get_ref(), &parts);
        let range = if in_line { inline_entry(body, key, value.span()) } else { line_entry(body, key, value.span()) };
        return Ok(splice(body, range, ""));
    }
    if is_header(body, value) {
        let ranges = section(body, root.get_ref(), value);
        return Ok(splice(body, ranges, ""));
    }
    Err("is written as dotted keys; change them one by one".into())
}

pub(super) fn parse(body: &str) -> Result<Spanned<DeTable<'_>>, Refusal> {
    DeTable::parse(body).map_err(|error| error.message().to_string())
}

/// The key (empty for items of a list) and value at a path.
fn find<'a, 'i>(root: &'a DeTable<'i>, parts: &[&str]) -> Option<(Range<usize>, &'a Spanned<DeValue<'i>>)> {
    let (first, rest) = parts.split_first()?;
    let (key, value) = root.get_key_value(*first)?;
    let mut found = (key.span(), value);
    for part in rest {
        found = match found.1.as_ref() {
            DeValue::Table(table) => table.get_key_value(*part).map(|(key, value)| (key.span(), value))?,
            DeValue::Array(items) => items.get(part.parse::<usize>().ok()?).map(|item| (item.span(), item))?,
            _ => return None,
        };
    }
    Some(found)
}

/// Not a table made of a `[header]` or of dotted keys.
fn is_written_as_value(body: &str, value: &Spanned<DeValue<'_>>) -> bool {
    match value.as_ref() {
        DeValue::Table(_) => body[value.span()].starts_with('{'),
        DeValue::Array(items) => !items.first().is_some_and(|item| item.span() == value.span()),
        _ => true,
    }
}

/// A table below a `[header]`, or a list of tables below `[[headers]]`.
pub(super) fn is_header(body: &str, value: &Spanned<DeValue<'_>>) -> bool {
    match value.as_ref() {
        DeValue::Table(_) => body[value.span()].starts_with('['),
        DeValue::Array(items) => items.first().is_some_and(|item| item.span() == value.span()),
        _ => false,
    }
}

fn splice(body: &str, range: Range<usize>, with: &str) -> String {
    [&body[..range.start], with, &body[range.end..]].concat()
}

pub(super) fn line_end(body: &str) -> &'static str {
    if body.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Where the line that `at` is in ends, its line end included.
pub(super) fn after_line(body: &str, at: usize) -> usize {
    body[at..].find('\n').map_or(body.len(), |offset| at + offset + 1)
}

pub(super) fn line_start(body: &str, at: usize) -> usize {
    body[..at].rfind('\n').map_or(0, |offset| offset + 1)
}

fn insert(body: &str, root: &DeTable<'_>, parts: &[&str], toml: &str) -> Result<String, Refusal> {
    let mut home = Home::Lines { after: 0 };
    let mut table = root;
    let mut prefix = String::new();
    let mut depth = 0;
    while let Some(value) = table.get(parts[depth]) {
        let (item, used) = match value.as_ref() {
            DeValue::Array(items) => {
                let number = parts.get(depth + 1).and_then(|part| part.parse::<usize>().ok()).unwrap_or(usize::MAX);
                match items.get(number) {
                    Some(item) => (item, 2),
                    None if number == items.len() => {
                        return append(body, value, items.last(), &parts[depth + 2..], toml);
                    }
                    None => return Err(format!("there are {} of them, counted from 0", items.len())),
                }
            }
            _ => (value, 1),
        };
        let DeValue::Table(inner) = item.as_ref() else {
            return Err("is not inside a table".into());
        };
        match body[item.span()].chars().next() {
            Some('{') => (home, prefix) = (Home::Inline { span: item.span() }, String::new()),
            Some('[') => (home, prefix) = (Home::Lines { after: item.span().end }, String::new()),
            _ => prefix = format!("{prefix}{}.", parts[depth]),
        }
        (table, depth) = (inner, depth + used);
        if depth >= parts.len() {
            return Err("is a table".into());
        }
    }
    if depth == 0 && parts[0] == "tx" {
        return Ok(with_tx_section(body, root, parts[1], toml));
    }
    let entry = format!("{prefix}{} = {}", parts[depth], nested(&parts[depth + 1..], toml)?);
    let last = own_end(body, table);
    Ok(match home {
        Home::Inline { span } => into_inline(body, span, last, &entry),
        Home::Lines { after } => into_lines(body, last.unwrap_or(after), &entry),
    })
}

/// `["vlan", "0", "id"]` behind the first key becomes `[{ id = … }]`.
fn nested(parts: &[&str], toml: &str) -> Result<String, Refusal> {
    let Some((first, rest)) = parts.split_first() else {
        return Ok(toml.into());
    };
    if let Ok(number) = first.parse::<usize>() {
        return if number == 0 {
            Ok(format!("[{}]", nested(rest, toml)?))
        } else {
            Err("there is none yet; begin with 0".into())
        };
    }
    Ok(format!("{{ {first} = {} }}", nested(rest, toml)?))
}

/// One more item behind a list of tables.
fn append(
    body: &str,
    list: &Spanned<DeValue<'_>>,
    last: Option<&Spanned<DeValue<'_>>>,
    rest: &[&str],
    toml: &str,
) -> Result<String, Refusal> {
    let item = nested(rest, toml)?;
    match last {
        None => Ok(splice(body, list.span(), &format!("[{item}]"))),
        Some(_) if is_header(body, list) => Err("is written as headers; add another [[…]] in the file".into()),
        Some(last) => Ok(splice(body, last.span().end..last.span().end, &format!(", {item}"))),
    }
}

fn with_tx_section(body: &str, root: &DeTable<'_>, key: &str, toml: &str) -> String {
    let nl = line_end(body);
    let section = format!("[tx]{nl}{key} = {toml}{nl}");
    match headers(body, root).first() {
        Some(first) => {
            let at = with_comments(body, line_start(body, *first));
            splice(body, at..at, &format!("{section}{nl}"))
        }
        None => {
            let gap = if body.ends_with('\n') { nl.to_string() } else { format!("{nl}{nl}") };
            format!("{body}{gap}{section}")
        }
    }
}

fn into_inline(body: &str, span: Range<usize>, last: Option<usize>, entry: &str) -> String {
    match last {
        Some(end) => splice(body, end..end, &format!(", {entry}")),
        None => splice(body, span, &format!("{{ {entry} }}")),
    }
}

/// A new line below the line that `at` is in, indented as that is.
fn into_lines(body: &str, at: usize, entry: &str) -> String {
    let nl = line_end(body);
    let line = &body[line_start(body, at)..];
    let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let end = after_line(body, at);
    let ended = body[..end].ends_with('\n');
    let new = if ended { format!("{indent}{entry}{nl}") } else { format!("{nl}{indent}{entry}") };
    splice(body, end..end, &new)
}

/// Where the last entry of a table ends that is written in its own lines or braces, not below further headers.
fn own_end(body: &str, table: &DeTable<'_>) -> Option<usize> {
    table.values().filter(|value| !is_header(body, value)).map(|value| end_of(body, value)).max()
}

fn end_of(body: &str, value: &Spanned<DeValue<'_>>) -> usize {
    match value.as_ref() {
        DeValue::Table(table) if !is_written_as_value(body, value) => {
            own_end(body, table).unwrap_or(value.span().end).max(value.span().end)
        }
        _ => value.span().end,
    }
}

/// Whether the entry at a path stands inside braces.
fn inside_inline(body: &str, root: &DeTable<'_>, parts: &[&str]) -> bool {
    (1..parts.len()).any(|depth| {
        find(root, &parts[..depth]).is_some_and(|(_, value)| {
            is_written_as_value(body, value) && matches!(value.as_ref(), DeValue::Table(_) | DeValue::Array(_))
        })
    })
}

/// An entry of an inline table with one of the commas beside it.
fn inline_entry(body: &str, key: Range<usize>, value: Range<usize>) -> Range<usize> {
    let before = body[..key.start].rfind(['{', ',']).unwrap_or(0);
    let after = value.end + blank(&body[value.end..]);
    if body[after..].starts_with(',') {
        let next = after + 1 + blank(&body[after + 1..]);
        let start = before + 1 + blank(&body[before + 1..]);
        return start..next;
    }
    if body[before..].starts_with(',') { before..value.end } else { before + 1..after }
}

fn blank(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// The whole lines of an entry, comment included.
fn line_entry(body: &str, key: Range<usize>, value: Range<usize>) -> Range<usize> {
    line_start(body, key.start)..after_line(body, value.end)
}

fn remove_item(body: &str, root: &DeTable<'_>, parts: &[&str]) -> Result<String, Refusal> {
    let (list, number) = (&parts[..parts.len() - 1], parts[parts.len() - 1]);
    let Some((_, value)) = find(root, list) else {
        return Ok(body.into());
    };
    let DeValue::Array(items) = value.as_ref() else {
        return Err("is no list".into());
    };
    if items.len() == 1 {
        return unset(body, &list.join("."));
    }
    let item = number.parse::<usize>().ok().and_then(|number| items.get(number)).ok_or("is not there")?;
    let range = if is_header(body, value) {
        section(body, root, item)
    } else {
        let (start, end) = (item.span().start, item.span().end);
        let after = end + blank(&body[end..]);
        match body[after..].strip_prefix(',') {
            Some(rest) => start..after + 1 + blank(rest),
            None => body[..start].rfind(',').unwrap_or(start)..end,
        }
    };
    Ok(splice(body, range, ""))
}

/// Where every `[header]` and `[[header]]` begins, in order.
pub(super) fn headers(body: &str, root: &DeTable<'_>) -> Vec<usize> {
    let mut out = Vec::new();
    collect_headers(body, root, &mut out);
    out.sort_unstable();
    out.dedup();
    out
}

fn collect_headers(body: &str, table: &DeTable<'_>, out: &mut Vec<usize>) {
    for value in table.values() {
        let items = match value.as_ref() {
            DeValue::Array(items) if is_header(body, value) => items.iter().collect(),
            _ => vec![value],
        };
        for item in items {
            if let DeValue::Table(inner) = item.as_ref() {
                if is_header(body, item) {
                    out.push(item.span().start);
                }
                collect_headers(body, inner, out);
            }
        }
    }
}

/// From a header's comments to the next header's comments, over all headers of a list.
fn section(body: &str, root: &DeTable<'_>, value: &Spanned<DeValue<'_>>) -> Range<usize> {
    let last = match value.as_ref() {
        DeValue::Array(items) => items.last().map_or(value.span().start, |item| item.span().start),
        _ => value.span().start,
    };
    let start = with_comments(body, line_start(body, value.span().start));
    let next = headers(body, root).into_iter().find(|header| *header > last);
    let end = next.map_or(body.len(), |next| with_comments(body, line_start(body, next)));
    start..end
}

/// The start of the comment lines directly above a line; a comment belongs to what follows it.
pub(super) fn with_comments(body: &str, line: usize) -> usize {
    let mut start = line;
    while start > 0 {
        let above = line_start(body, start - 1);
        if !body[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}
