//! A profile written out in full: every field with its value, defaults included, in the order of the table.

use super::{
    Flow, Profile,
    field::{self, Fallback, Shape},
    read,
};

/// TOML that parses to the same profile; fields that are not set stand as comments.
pub(super) fn text(profile: &Profile) -> String {
    let mut writer = Writer { profile: profile.clone(), out: String::new() };
    writer.lines("", "");
    writer.out.push_str("\n[tx]\n");
    writer.lines("tx", "tx");
    for (number, flow) in profile.flows.iter().enumerate() {
        writer.flow(number, flow);
    }
    writer.out
}

struct Writer {
    profile: Profile,
    out: String,
}

impl Writer {
    fn flow(&mut self, number: usize, flow: &Flow) {
        let path = format!("flow.{number}");
        self.out.push_str("\n[[flow]]\n");
        self.lines("flow", &path);
        for group in field::GROUPS.iter().filter(|group| field::parent(group.key) == "flow") {
            let name = field::last(group.key);
            let path = format!("{path}.{name}");
            match group.shape {
                Shape::One => {
                    let members = self.members(group.key, &path);
                    if !members.is_empty() {
                        self.out.push_str(&format!("{name} = {{ {} }}\n", members.join(", ")));
                    }
                }
                Shape::Many if flow.count_of(name) > 0 => {
                    let tags: Vec<String> = (0..flow.count_of(name))
                        .map(|tag| format!("{{ {} }}", self.members(group.key, &format!("{path}.{tag}")).join(", ")))
                        .collect();
                    self.out.push_str(&format!("{name} = [{}]\n", tags.join(", ")));
                }
                Shape::Many => {}
            }
        }
    }

    /// One line a field.
    fn lines(&mut self, group: &str, path: &str) {
        for field in field::fields_of(group) {
            let name = field::last(field.key);
            match (self.value(field, path), field.fallback) {
                (Some(value), _) => self.out.push_str(&format!("{name} = {value}\n")),
                (None, Fallback::Unset(meaning)) => self.out.push_str(&format!("# {name} is not set: {meaning}\n")),
                (None, _) => {}
            }
        }
    }

    /// `name = value` of every field that is set.
    fn members(&mut self, group: &str, path: &str) -> Vec<String> {
        field::fields_of(group)
            .filter_map(|field| Some(format!("{} = {}", field::last(field.key), self.value(field, path)?)))
            .collect()
    }

    fn value(&mut self, field: &field::Field, path: &str) -> Option<String> {
        if field.key == "version" {
            return Some("1".into());
        }
        let name = field::last(field.key);
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        read::slot(&mut self.profile, &path, field)?.take().toml(&field.kind)
    }
}
