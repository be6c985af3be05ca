//! The reference of the profile format, made from the table of fields.

use super::field::{self, Effect, Fallback, Field, Form};

/// Markdown: one table for each group of fields.
pub fn reference() -> String {
    let mut out = String::new();
    section(&mut out, "Top of the file", "", "");
    for group in field::GROUPS {
        let heading = match group.shape {
            field::Shape::Many => format!("`[[{}]]`", group.key),
            field::Shape::One => format!("`[{}]`", group.key),
        };
        section(&mut out, &heading, group.key, group.meaning);
    }
    out
}

fn section(out: &mut String, heading: &str, group: &str, meaning: &str) {
    out.push_str(&format!("### {heading}\n\n"));
    if !meaning.is_empty() {
        out.push_str(&format!("{meaning}\n\n"));
    }
    out.push_str("| key | takes | default | acts at | meaning |\n|---|---|---|---|---|\n");
    for field in field::fields_of(group) {
        out.push_str(&row(field));
    }
    out.push('\n');
}

fn row(field: &Field) -> String {
    let varies = match field.form {
        Form::Literal => "",
        Form::MayVary => "; may vary",
        Form::MayMix => "; may vary; may be an imix",
    };
    let default = match field.fallback {
        Fallback::Is(text) => format!("`{text}`"),
        Fallback::Unset(meaning) => format!("not set: {meaning}"),
        Fallback::Required => "required".into(),
    };
    let effect = match field.effect {
        Effect::NextBurst => "next burst",
        Effect::Restart => "restart",
    };
    let name = field::last(field.key);
    let takes = field.kind.allowed().replace('|', "\\|");
    format!("| `{name}` | {takes}{varies} | {default} | {effect} | {} |\n", field.meaning)
}
