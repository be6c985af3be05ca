//! The form of one slot (the senders, or one flow): a row a field of the table of fields, a row a header that a
//! packet may have. A field added to the table is a row here without a change.

use crate::{
    app::{conversion, knobs::Knob},
    profile::{
        Document, Flow, Problem, Value,
        field::{self, Effect, Fallback, Field, GROUPS, Group, Shape},
        kind::Kind,
    },
};

#[derive(Clone, Copy)]
pub enum RowKind {
    /// A title between groups of fields; not to be picked.
    Title,
    Field(&'static Field),
    /// A header that a packet may have.
    Header {
        group: &'static Group,
        is_there: bool,
    },
    /// Headers that a packet may have several of.
    Headers {
        group: &'static Group,
        count: usize,
    },
    /// One of several.
    Item {
        group: &'static Group,
    },
}

#[derive(Clone)]
pub struct Row {
    pub kind: RowKind,
    /// As `Document::set` takes it.
    pub key: String,
    pub name: String,
    /// As it can be typed again; empty: not set.
    pub value: String,
    /// Whether the profile says so itself, or a default holds.
    pub is_written: bool,
    /// A word on the value: what the FCS adds, packets a second of a bit rate.
    pub remark: String,
    /// Worth knowing, from the profile's notes.
    pub note: Option<String>,
}

impl Row {
    /// The same field in every flow, whatever the flow is called.
    pub fn place(&self) -> &str {
        let of_flow = self.key.strip_prefix("flow.").and_then(|rest| rest.split_once('.'));
        of_flow.map_or(self.key.as_str(), |(_, rest)| rest)
    }

    pub fn is_pickable(&self) -> bool {
        !matches!(self.kind, RowKind::Title)
    }

    pub fn meaning(&self) -> &'static str {
        match self.kind {
            RowKind::Field(field) => field.meaning,
            RowKind::Header { group, .. } | RowKind::Headers { group, .. } | RowKind::Item { group } => group.meaning,
            RowKind::Title => "",
        }
    }

    /// The range and the accepted forms.
    pub fn takes(&self) -> String {
        match self.kind {
            RowKind::Field(field) => match field.forms() {
                Some(forms) => format!("{}; {forms}", field.kind.allowed()),
                None => field.kind.allowed(),
            },
            RowKind::Header { group, .. } if !is_header(group) => "on or off".into(),
            RowKind::Header { .. } => "in the packet, or not".into(),
            RowKind::Headers { group, .. } if group.key == "flow.patch" => "l adds one, h takes the last out".into(),
            RowKind::Headers { .. } => "l adds the innermost, h takes it out".into(),
            RowKind::Item { .. } => "x takes it out".into(),
            RowKind::Title => String::new(),
        }
    }

    /// What a message leaves to be said: the forms where it names the range itself, else both.
    pub fn takes_beside(&self, message: &str) -> String {
        match self.kind {
            RowKind::Field(field) if message.contains(&field.kind.allowed()) => {
                field.forms().map(|forms| format!("Or {forms}. ")).unwrap_or_default()
            }
            _ => format!("Takes {}. ", self.takes()),
        }
    }

    /// When a change reaches the packets; headers at the next burst, as all of a flow does.
    pub fn effect(&self) -> Option<Effect> {
        match self.kind {
            RowKind::Field(field) => Some(field.effect),
            RowKind::Header { .. } | RowKind::Headers { .. } => Some(Effect::NextBurst),
            RowKind::Item { .. } | RowKind::Title => None,
        }
    }

    /// What stands where no value is set.
    pub fn fallback(&self) -> &'static str {
        match self.kind {
            RowKind::Field(Field { fallback: Fallback::Unset(meaning), .. }) => meaning,
            RowKind::Field(Field { kind: Kind::Text { .. }, .. }) => "none",
            _ => "",
        }
    }

    /// Set by step keys alone.
    pub fn is_stepped(&self) -> bool {
        match self.kind {
            RowKind::Field(field) => matches!(field.kind, Kind::Switch | Kind::Choice(_)),
            RowKind::Header { .. } => true,
            _ => false,
        }
    }
}

/// The rows of a slot; `flow` is a flow's position, `None` the senders and the profile itself.
pub fn rows(document: &Document, flow: Option<usize>, notes: &[Problem]) -> Vec<Row> {
    let mut form = Form { document, rows: Vec::new() };
    match flow.and_then(|at| document.profile().flows.get(at)) {
        Some(flow) => form.flow(flow),
        None => form.senders(),
    }
    for row in &mut form.rows {
        let mine = notes.iter().filter(|note| note.key == row.key).map(|note| note.message.as_str());
        row.note = Some(mine.collect::<Vec<_>>().join("; ")).filter(|note| !note.is_empty());
    }
    form.rows
}

struct Form<'a> {
    document: &'a Document,
    rows: Vec<Row>,
}

impl Form<'_> {
    fn senders(&mut self) {
        self.title("profile");
        self.fields("", "");
        self.title("tx");
        self.fields("tx", "tx.");
    }

    fn flow(&mut self, flow: &Flow) {
        let key = &format!("flow.{}", flow.name);
        self.title("flow");
        self.fields("flow", &format!("{key}."));
        for group in GROUPS.iter().filter(|group| group.key.starts_with("flow.")) {
            let key = format!("{key}.{}", field::last(group.key));
            match group.shape {
                // Raw and captured bytes have their Ethernet header in themselves.
                _ if group.key == "flow.eth" && flow.count_of("eth") == 0 => {}
                _ if flow.replay.is_some() && matches!(group.key, "flow.payload" | "flow.flows") => {}
                _ if group.key == "flow.patch" && flow.raw.is_none() => {}
                Shape::One if ALWAYS.contains(&group.key) => {
                    self.title(field::last(group.key));
                    self.fields(group.key, &format!("{key}."));
                }
                Shape::One => self.header(group, &key, flow.count_of(group.key) > 0),
                Shape::Many => self.headers(group, &key, flow.count_of(group.key)),
            }
        }
    }

    fn header(&mut self, group: &'static Group, key: &str, is_there: bool) {
        let value = match (is_header(group), is_there) {
            (true, true) => "in the packet",
            (true, false) => "not in the packet",
            (false, true) => "on",
            (false, false) => "off",
        };
        self.part(RowKind::Header { group, is_there }, key, field::last(group.key).to_owned(), value.into());
        if is_there {
            self.fields(group.key, &format!("{key}."));
        }
    }

    fn headers(&mut self, group: &'static Group, key: &str, count: usize) {
        let name = field::last(group.key);
        let value = if count == 0 { "none".into() } else { count.to_string() };
        let title = if name == "patch" { "patches".into() } else { format!("{name} headers") };
        self.part(RowKind::Headers { group, count }, key, title, value);
        for n in 0..count {
            let key = format!("{key}.{n}");
            let place = if n == 0 && name != "patch" { "outermost" } else { "" };
            self.part(RowKind::Item { group }, &key, format!("{name} {n}"), place.into());
            self.fields(group.key, &format!("{key}."));
        }
    }

    fn title(&mut self, name: &str) {
        self.part(RowKind::Title, "", name.to_owned(), String::new());
    }

    fn part(&mut self, kind: RowKind, key: &str, name: String, value: String) {
        let (key, remark) = (key.to_owned(), String::new());
        self.rows.push(Row { kind, key, name, value, is_written: true, remark, note: None });
    }

    fn fields(&mut self, group: &str, prefix: &str) {
        for field in field::fields_of(group) {
            let name = field::last(field.key);
            let key = format!("{prefix}{name}");
            // What cannot be read back cannot be set either: the version.
            let Some(value) = self.document.get(&key) else { continue };
            self.rows.push(Row {
                kind: RowKind::Field(field),
                name: name.to_owned(),
                is_written: self.document.is_written(&key),
                remark: remark(self.document, &key),
                value,
                key,
                note: None,
            });
        }
    }
}

/// Whether a group is a header of the packet; the others are settings of the flow that are on or off as a whole.
fn is_header(group: &Group) -> bool {
    !matches!(group.key, "flow.flows" | "flow.replay")
}

/// Headers that every packet has.
const ALWAYS: [&str; 2] = ["flow.eth", "flow.payload"];

/// A word on the value of a field where it needs one.
pub fn remark(document: &Document, key: &str) -> String {
    let profile = document.profile();
    let of_flow = |rest: &str| {
        let name = key.strip_prefix("flow.")?.strip_suffix(rest)?;
        profile.flows.iter().find(|flow| flow.name == name)
    };
    let words = match key {
        // Beside its range the value says only what a rate makes of it.
        "tx.burst" => Knob::Burst.remarks(profile).into_iter().find(|words| words.starts_with("leave")),
        "tx.rate" => conversion::of_rate(profile, profile.tx.rate).into_iter().next(),
        _ => match (of_flow(".size"), of_flow(".rate")) {
            (Some(Flow { size: Value::Imix { .. }, .. }), _) => of_flow(".size").map(Flow::size_words),
            (Some(flow), _) => flow.size_words().split_once(" B ").map(|(_, fcs)| format!("B {fcs}")),
            (_, Some(flow)) => {
                flow.rate.and_then(|rate| conversion::at_size(rate, flow.sure_mean()).into_iter().next())
            }
            (None, None) => None,
        },
    };
    words.unwrap_or_default()
}
