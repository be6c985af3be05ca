//! Whole flows in a text: each `[[flow]]` with its comments and sub-tables is a block of lines.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{
    edit::{self, headers, is_header, line_end, line_start, with_comments},
    setting::quoted,
};

type Refusal = String;

/// A new flow behind the last, to the same destination MAC.
pub(super) fn add(body: &str, name: &str) -> Result<String, Refusal> {
    let blocks = blocks(body)?;
    let last = blocks.last().cloned().unwrap_or(body.len()..body.len());
    let dst = destination(body, blocks.len())?;
    let lines = [
        "[[flow]]".to_string(),
        format!("name = {}", quoted(name)),
        "size = 60".into(),
        format!("eth = {{ dst = {dst} }}"),
        "ipv4 = {}".into(),
        "udp = {}".into(),
    ];
    Ok(behind(body, last, &lines.join(line_end(body))))
}

/// A copy of a flow behind it, with another name.
pub(super) fn copy(body: &str, number: usize, name: &str) -> Result<String, Refusal> {
    let block = blocks(body)?.get(number).cloned().ok_or("no such flow")?;
    let text = body[block.clone()].trim_end().to_string();
    let copied = behind(body, block, &text);
    edit::set(&copied, &format!("flow.{}.name", number + 1), &quoted(name))
}

pub(super) fn remove(body: &str, number: usize) -> Result<String, Refusal> {
    let block = blocks(body)?.get(number).cloned().ok_or("no such flow")?;
    let rest = &body[block.end..];
    let kept = &body[..block.start];
    if rest.is_empty() {
        return Ok(format!("{}{}", kept.trim_end(), line_end(body)));
    }
    Ok([kept, rest].concat())
}

/// Moves flow `from` to position `to`; the blank lines between flows stay where they are.
pub(super) fn shift(body: &str, from: usize, to: usize) -> Result<String, Refusal> {
    let slots = blocks(body)?;
    if from >= slots.len() || to >= slots.len() {
        return Err("no such flow".into());
    }
    let mut texts: Vec<&str> = slots.iter().map(|slot| body[slot.clone()].trim_end()).collect();
    let moved = texts.remove(from);
    texts.insert(to, moved);
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    for (slot, text) in slots.iter().zip(texts) {
        let old = &body[slot.clone()];
        out.push_str(&body[at..slot.start]);
        out.push_str(text);
        out.push_str(&old[old.trim_end().len()..]);
        at = slot.end;
    }
    out.push_str(&body[at..]);
    Ok(out)
}

/// The lines of each flow: from its comments to the next top-level header's comments.
fn blocks(body: &str) -> Result<Vec<Range<usize>>, Refusal> {
    let root = edit::parse(body)?;
    let root = root.get_ref();
    let flows = root.get("flow").ok_or("there is no flow")?;
    let DeValue::Array(items) = flows.as_ref() else {
        return Err("flow is no list".into());
    };
    if !is_header(body, flows) {
        return Err("the flows are written as one list; write each as [[flow]] to add, copy or move them".into());
    }
    let mut tops: Vec<usize> = top_headers(body, root);
    tops.extend(items.iter().map(|item| item.span().start));
    tops.sort_unstable();
    let start_of = |header: usize| with_comments(body, line_start(body, header));
    let block = |start: usize| {
        let next = tops.iter().find(|top| **top > start);
        start_of(start)..next.map_or(body.len(), |next| start_of(*next))
    };
    let out: Vec<Range<usize>> = items.iter().map(|item| block(item.span().start)).collect();
    let strays = headers(body, root)
        .into_iter()
        .any(|header| !out.iter().any(|b| b.contains(&header)) && !tops.contains(&header));
    if strays { Err("a table of a flow stands apart from it".into()) } else { Ok(out) }
}

fn top_headers(body: &str, root: &DeTable<'_>) -> Vec<usize> {
    let tables = root.values().filter(|value| matches!(value.as_ref(), DeValue::Table(_)) && is_header(body, value));
    tables.map(|value| value.span().start).collect()
}

/// A block behind another one, a blank line between.
fn behind(body: &str, block: Range<usize>, text: &str) -> String {
    let nl = line_end(body);
    let old = &body[block.clone()];
    let end = block.start + old.trim_end().len();
    let trailing = &body[end..block.end];
    let trailing = if trailing.is_empty() { nl } else { trailing };
    [&body[..end], nl, nl, text, trailing, &body[block.end..]].concat()
}

/// The TOML of the eth.dst of the last flow that has one: a raw frame has none.
fn destination(body: &str, flows: usize) -> Result<String, Refusal> {
    let root = edit::parse(body)?;
    let dst = |number: usize| {
        let flow = root.get_ref().get("flow")?.as_ref().get(number)?;
        flow.as_ref().get("eth")?.as_ref().get("dst").map(|dst| body[dst.span()].to_string())
    };
    Ok((0..flows).rev().find_map(dst).unwrap_or_else(|| "\"02:00:00:00:00:02\"".into()))
}
