//! A profile in the making: dotted keys with TOML values, written as a file would be, so that every field of the
//! table can be set without knowing its type. Keys that are not set keep the profile's defaults.

use crate::profile::{Document, Problems};

/// A whole profile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// Comment lines at the top, without their `#`.
    pub head: Vec<String>,
    pub name: String,
    pub note: String,
    tx: Table,
    pub flows: Vec<FlowDraft>,
}

/// One flow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowDraft {
    pub name: String,
    /// Comment lines above it, without their `#`.
    pub head: Vec<String>,
    table: Table,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Table(Vec<(String, Node)>);

#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// TOML text.
    Leaf(String),
    Table(Table),
}

impl Draft {
    pub fn new(name: &str) -> Draft {
        Draft { name: name.into(), ..Draft::default() }
    }

    /// `key` as below `[tx]`: `burst`. A later value replaces an earlier one.
    pub fn tx(&mut self, key: &str, toml: impl Into<String>) {
        self.tx.set(key, toml.into());
    }

    pub fn text(&self) -> String {
        let mut out: String = self.head.iter().map(|line| comment(line)).collect();
        out.push_str("version = 1\n");
        for (key, text) in [("name", &self.name), ("note", &self.note)] {
            if !text.is_empty() {
                out.push_str(&format!("{key} = {}\n", quoted(text)));
            }
        }
        if !self.tx.0.is_empty() {
            out.push_str("\n[tx]\n");
            self.tx.lines(&mut out);
        }
        for flow in &self.flows {
            out.push('\n');
            out.extend(flow.head.iter().map(|line| comment(line)));
            out.push_str(&format!("[[flow]]\nname = {}\n", quoted(&flow.name)));
            flow.table.lines(&mut out);
        }
        out
    }

    /// The profile, checked.
    ///
    /// # Errors
    /// What is wrong with it, in the profile's own words.
    pub fn document(&self, file: &str) -> Result<Document, Problems> {
        Document::parse(file, &self.text())
    }
}

impl FlowDraft {
    /// A flow's name may hold letters, digits, `_` and `-`; anything else becomes `-`.
    pub fn new(name: &str) -> FlowDraft {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '-' };
        let name: String = name.chars().map(plain).take(64).collect();
        FlowDraft { name, ..FlowDraft::default() }
    }

    /// `key` as below the flow: `size`, `ipv4.dst`, `vlan.0.id`. A later value replaces an earlier one.
    pub fn set(&mut self, key: &str, toml: impl Into<String>) {
        self.table.set(key, toml.into());
    }

    /// A header that is there, with nothing but defaults if nothing else is set: `udp`, `vlan.0`.
    pub fn header(&mut self, key: &str) {
        self.table.open(key);
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.table.get(key)
    }

    /// Takes a key, or a whole header, out; false where it was not there.
    pub fn remove(&mut self, key: &str) -> bool {
        let before = self.table.0.len();
        self.table.0.retain(|(known, _)| known != key);
        self.table.0.len() != before
    }
}

impl Table {
    fn set(&mut self, key: &str, toml: String) {
        match key.split_once('.') {
            Some((first, rest)) => self.child(first).set(rest, toml),
            None => match self.0.iter_mut().find(|(known, _)| known == key) {
                Some((_, node)) => *node = Node::Leaf(toml),
                None => self.0.push((key.into(), Node::Leaf(toml))),
            },
        }
    }

    fn open(&mut self, key: &str) {
        match key.split_once('.') {
            Some((first, rest)) => self.child(first).open(rest),
            None => _ = self.child(key),
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        let (first, rest) = key.split_once('.').unwrap_or((key, ""));
        match self.0.iter().find(|(known, _)| known == first) {
            Some((_, Node::Leaf(toml))) if rest.is_empty() => Some(toml),
            Some((_, Node::Table(table))) => table.get(rest),
            _ => None,
        }
    }

    /// The table behind a key; a value that stood there gives way.
    fn child(&mut self, key: &str) -> &mut Table {
        let at = self.0.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            self.0.push((key.into(), Node::Table(Table::default())));
            self.0.len() - 1
        });
        let node = &mut self.0[at].1;
        if let Node::Leaf(_) = node {
            *node = Node::Table(Table::default());
        }
        match node {
            Node::Table(table) => table,
            Node::Leaf(_) => unreachable!("made a table just above"),
        }
    }

    fn lines(&self, out: &mut String) {
        for (key, node) in &self.0 {
            out.push_str(&format!("{key} = {}\n", node.toml()));
        }
    }

    /// Numbered from 0: a list of tables.
    fn is_list(&self) -> bool {
        !self.0.is_empty() && self.0.iter().enumerate().all(|(number, (key, _))| *key == number.to_string())
    }
}

impl Node {
    fn toml(&self) -> String {
        match self {
            Node::Leaf(toml) => toml.clone(),
            Node::Table(table) if table.is_list() => {
                let items: Vec<String> = table.0.iter().map(|(_, node)| node.toml()).collect();
                format!("[{}]", items.join(", "))
            }
            Node::Table(table) if table.0.is_empty() => "{}".into(),
            Node::Table(table) => {
                let items: Vec<String> = table.0.iter().map(|(key, node)| format!("{key} = {}", node.toml())).collect();
                format!("{{ {} }}", items.join(", "))
            }
        }
    }
}

fn comment(line: &str) -> String {
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("# {line}").trim_end().to_string() + "\n"
}

/// A TOML basic string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_written_as_a_file_would_be() {
        let mut draft = Draft { name: "a \"b\"".into(), head: vec!["from x".into()], ..Draft::default() };
        draft.tx("burst", "8");
        draft.tx("burst", "16");
        let mut flow = FlowDraft::new("a b@0");
        flow.set("size", "66");
        flow.set("eth.dst", "\"02:00:00:00:00:02\"");
        flow.set("vlan.0.id", "5");
        flow.header("vlan.1");
        flow.set("ipv4.dst", "{ from = \"10.0.0.1\", to = \"10.0.0.9\" }");
        flow.header("udp");
        assert_eq!(flow.get("vlan.0.id"), Some("5"));
        assert_eq!((flow.get("vlan.0"), flow.get("udp.dst")), (None, None));
        draft.flows.push(flow);
        assert_eq!(
            draft.text(),
            "# from x\nversion = 1\nname = \"a \\\"b\\\"\"\n\n[tx]\nburst = 16\n\n[[flow]]\nname = \"a-b-0\"\nsize = 66\n\
             eth = { dst = \"02:00:00:00:00:02\" }\nvlan = [{ id = 5 }, {}]\n\
             ipv4 = { dst = { from = \"10.0.0.1\", to = \"10.0.0.9\" } }\nudp = {}\n"
        );
        let document = draft.document("t").expect("valid");
        assert_eq!(document.profile().flows[0].vlan.len(), 2);
    }

    #[test]
    fn a_value_gives_way_to_a_table_and_back() {
        let mut flow = FlowDraft::new("a");
        flow.set("size", "60");
        flow.set("size.imix", "[[60, 1]]");
        assert_eq!(flow.get("size.imix"), Some("[[60, 1]]"));
        flow.set("size", "70");
        assert_eq!(flow.get("size"), Some("70"));
    }
}
