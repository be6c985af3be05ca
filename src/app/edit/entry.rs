//! One row of the form: stepped, typed, taken out. A field is taken when it is accepted, not per key; a refusal
//! stands at the field with its place, what is allowed and what Esc keeps.

use crate::{
    app::{
        Action, App, Overlay, Tone,
        knobs::Turn,
        prompt::{Prompt, Purpose},
    },
    profile::{
        Problems,
        field::{self, Shape},
    },
};

use super::{
    Focus,
    form::{self, Row, RowKind},
    headers,
    step::{self, Changes},
};

impl App {
    pub(super) fn step_row(&mut self, turn: Turn) {
        let Some(row) = self.edit.picked_row().cloned() else { return };
        let up = matches!(turn, Turn::Up | Turn::OneMore);
        match row.kind {
            RowKind::Header { is_there, .. } if is_there != up => self.toggle_header(&row),
            RowKind::Headers { .. } if up => self.open_row(None),
            RowKind::Headers { count: 0, .. } | RowKind::Header { .. } | RowKind::Item { .. } | RowKind::Title => {}
            RowKind::Headers { count, .. } => self.take_out(&format!("{}.{}", row.key, count - 1), &row.name),
            RowKind::Field(_) => {
                let left_pps = self.live.board().figures.left_pps.filter(|_| self.run.is_on());
                match step::turned(&row, self.open.document(), turn, left_pps) {
                    Ok(Some(changes)) => self.set_row(&row, changes),
                    Ok(None) => {}
                    Err(why) => self.say(Tone::Plain, why),
                }
            }
        }
    }

    /// Space: a flow on or off, a switch or header over, a choice one on. It never touches traffic.
    pub(super) fn toggle(&mut self) {
        if self.edit.focus == Focus::Flows {
            return self.toggle_flow();
        }
        let Some(row) = self.edit.picked_row().cloned() else { return };
        match row.kind {
            RowKind::Header { .. } => self.toggle_header(&row),
            _ if row.is_stepped() => self.step_row(Turn::Up),
            _ => {}
        }
    }

    /// Enter, or a digit that begins a value.
    pub(super) fn open_row(&mut self, digit: Option<char>) {
        let Some(row) = self.edit.picked_row().cloned() else { return };
        let (purpose, title, text) = match row.kind {
            // A digit is the beginning of a value, and a switch has none.
            _ if row.is_stepped() && digit.is_some() => return,
            _ if row.is_stepped() => return self.toggle(),
            RowKind::Title | RowKind::Header { .. } => return,
            RowKind::Item { .. } => return self.say(Tone::Plain, row.takes()),
            RowKind::Headers { .. } => {
                (Purpose::Tag(row.key.clone()), format!("one more header in {}", row.key), String::new())
            }
            RowKind::Field(_) => (Purpose::Field(row.key.clone()), row.key.clone(), row.value.clone()),
        };
        let text = digit.map_or(text, String::from);
        let mut prompt = Prompt::new(purpose, title, String::new(), &text);
        prompt.hint = self.field_hint(&prompt);
        self.overlay = Overlay::Text(prompt);
    }

    /// What stands below a field while it is typed: what it takes, and what a rate or size comes to.
    pub(in crate::app) fn field_hint(&self, prompt: &Prompt) -> String {
        match &prompt.purpose {
            Purpose::Tag(key) => format!("{}: {}", field_name(key), self.tag_takes(key)),
            Purpose::Field(key) => {
                let Some(row) = self.edit.rows.iter().find(|row| row.key == *key) else { return String::new() };
                let typed = prompt.text();
                let mut tried = self.open.document().clone();
                let comes_to = (key.ends_with(".size") || key.ends_with(".rate"))
                    .then(|| tried.set(key, &typed).ok().map(|()| form::remark(&tried, key)))
                    .flatten()
                    .unwrap_or_default();
                let empty = if row.fallback().is_empty() { "the default" } else { row.fallback() };
                let sentence = format!("{} Takes {}. Empty: {empty}.", row.meaning(), row.takes());
                if comes_to.is_empty() { sentence } else { format!("{comes_to}. {sentence}") }
            }
            _ => prompt.hint.clone(),
        }
    }

    /// Enter in a field's text.
    pub(in crate::app) fn take_field(&mut self, key: &str, text: &str) {
        let changes = self.implied(key, text.trim());
        let value = self.edit.rows.iter().find(|row| row.key == key).map_or("", |row| row.value.as_str());
        let keeps = if value.is_empty() { "keeps it unset".to_owned() } else { format!("keeps {value}") };
        self.take(key, &changes, &keeps);
    }

    /// Enter in the text for one more header of a list: its first field.
    pub(in crate::app) fn take_tag(&mut self, key: &str, text: &str) {
        let row = self.edit.rows.iter().find(|row| row.key == key);
        let Some(&Row { kind: RowKind::Headers { group, count }, .. }) = row else { return };
        let Some(first) = field::fields_of(group.key).next() else { return };
        let field = format!("{key}.{count}.{}", field::last(first.key));
        if text.trim().is_empty() {
            self.overlay = Overlay::None;
            return;
        }
        self.take(&field, &vec![(field.clone(), text.trim().to_owned())], "adds nothing");
    }

    fn take(&mut self, key: &str, changes: &Changes, keeps: &str) {
        match self.apply(Some(key), changes) {
            Ok(changed) => {
                self.overlay = Overlay::None;
                self.changed(Ok(changed));
            }
            Err(problems) => self.refuse_field(key, &problems, keeps),
        }
    }

    /// `x` on a row: the default holds again, or the header leaves the packet.
    pub(super) fn remove_row(&mut self) {
        let Some(row) = self.edit.picked_row().cloned() else { return };
        match row.kind {
            RowKind::Title => {}
            RowKind::Field(_) if !row.is_written => self.say(Tone::Plain, format!("{} is the default", row.name)),
            RowKind::Field(_) => self.set_row(&row, vec![(row.key.clone(), String::new())]),
            RowKind::Header { is_there: false, .. } | RowKind::Headers { count: 0, .. } => {}
            RowKind::Header { .. } => self.toggle_header(&row),
            RowKind::Headers { .. } | RowKind::Item { .. } => self.take_out(&row.key, &row.name),
        }
    }

    fn toggle_header(&mut self, row: &Row) {
        let RowKind::Header { group, is_there } = row.kind else { return };
        if is_there {
            return self.take_out(&row.key, &row.name);
        }
        let Some(flow) = self.edited_flow() else { return };
        let (changes, replaced) = headers::brought_in(flow, field::last(group.key));
        let outcome = self.apply(None, &changes);
        if self.changed(outcome) && !replaced.is_empty() {
            let undo = self.key_of(Action::Undo);
            self.say(Tone::Plain, format!("{} in place of {} ({undo} takes it back)", row.name, replaced.join(", ")));
        }
    }

    fn take_out(&mut self, key: &str, name: &str) {
        let is_whole = key.rsplit('.').next().is_some_and(headers::is_whole);
        let changes = match self.edited_flow().filter(|_| is_whole) {
            Some(flow) => headers::whole_taken_out(flow),
            None => vec![(key.to_owned(), String::new())],
        };
        let outcome = self.apply(None, &changes);
        if self.changed(outcome) {
            let undo = self.key_of(Action::Undo);
            self.say(Tone::Plain, format!("{name} taken out ({undo} brings it back)"));
        }
    }

    fn set_row(&mut self, row: &Row, changes: Changes) {
        let outcome = self.apply(Some(&row.key), &changes);
        self.changed(outcome);
    }

    fn apply(&mut self, repeats: Option<&str>, changes: &Changes) -> Result<bool, Problems> {
        let changes: Vec<(&str, &str)> = changes.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        self.open.change(repeats, |document| document.set_together(&changes))
    }

    /// What is only valid together is typed as one: bytes make the payload a pattern (unless it is hex), a text makes
    /// it a text.
    fn implied(&self, key: &str, text: &str) -> Changes {
        let mut changes = vec![(key.to_owned(), text.to_owned())];
        let Some((payload, typed)) = key.rsplit_once('.').filter(|(payload, _)| payload.ends_with(".payload")) else {
            return changes;
        };
        let now = self.open.document().get(&format!("{payload}.kind")).unwrap_or_default();
        let (kind, other) = match typed {
            "bytes" if now == "hex" => ("hex", "text"),
            "bytes" => ("pattern", "text"),
            "text" => ("text", "bytes"),
            _ => return changes,
        };
        let kind = if text.is_empty() { "" } else { kind };
        changes.push((format!("{payload}.kind"), kind.to_owned()));
        changes.push((format!("{payload}.{other}"), String::new()));
        changes
    }

    /// Place, what is wrong, the range, the accepted forms, what Esc keeps.
    fn refuse_field(&mut self, key: &str, problems: &Problems, keeps: &str) {
        let why = problems.0.first().map(|problem| problem.to_string()).unwrap_or_else(|| format!("{key}: refused"));
        let takes = self.edit.rows.iter().find(|row| row.key == key).map(|row| row.takes_beside(&why));
        let takes = takes.unwrap_or_default();
        if let Overlay::Text(prompt) = &mut self.overlay {
            prompt.refuse(format!("{}. {takes}Esc {keeps}.", why.trim_end_matches('.')));
        }
    }

    fn tag_takes(&self, key: &str) -> String {
        let row = self.edit.rows.iter().find(|row| row.key == key);
        let Some(&Row { kind: RowKind::Headers { group, .. }, .. }) = row else { return String::new() };
        debug_assert_eq!(group.shape, Shape::Many);
        let first = field::fields_of(group.key).next();
        first.map_or_else(String::new, |first| format!("{} {}", field::last(first.key), first.kind.allowed()))
    }

    pub(in crate::app) fn key_of(&self, action: Action) -> String {
        self.keymap.key(self.screen, action).map_or_else(|| action.name().to_owned(), |key| key.to_string())
    }
}

fn field_name(key: &str) -> &str {
    field::last(key)
}
