//! Walks a parsed TOML text along the table of fields and fills a profile, collecting every problem on the way.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Flow, Ip, Profile, blank,
    field::{self, FIELDS, Fallback, Field, Lens, Shape},
    literal,
    problem::{Flaw, MAX_PROBLEMS, Places, nearest},
    setting::{Setting, Slot},
};

/// A profile as far as it could be read; valid when `flaws` stays empty through the checks.
pub(super) struct Draft {
    pub profile: Profile,
    pub places: Places,
    pub flaws: Vec<Flaw>,
}

const MAX_FLOWS: usize = 1024;
const MAX_VLANS: usize = 8;
const MAX_LABELS: usize = 16;
const MAX_PATCHES: usize = 64;

/// Reads everything the table knows; missing required fields are flaws too.
pub(super) fn draft(root: &DeTable<'_>, text: &str) -> Draft {
    let mut profile = blank::profile();
    fill_profile("", &mut profile);
    fill_profile("tx", &mut profile);
    let mut reader = Reader { text, draft: Draft { profile, places: Places::default(), flaws: Vec::new() } };
    reader.table("", root);
    reader.name_flows();
    reader.draft
}

struct Reader<'t> {
    text: &'t str,
    draft: Draft,
}

impl Reader<'_> {
    fn flaw(&mut self, path: &str, at: Range<usize>, message: impl Into<String>) {
        self.draft.flaws.push(Flaw::new(path, at, message));
    }

    /// `path` carries positions (`flow.0.vlan.1`), the table of fields does not (`flow.vlan`).
    fn table(&mut self, path: &str, table: &DeTable<'_>) {
        for (key, value) in by_kind_first(table) {
            if self.draft.flaws.len() > MAX_PROBLEMS {
                return;
            }
            let child = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
            let known = schema_key(path, key.get_ref());
            if let Some(field) = field::field(&known) {
                self.draft.places.add(&child, value.span());
                self.field(&child, field, value);
            } else if let Some(group) = field::group(&known) {
                self.draft.places.add(&child, value.span());
                match group.shape {
                    Shape::One => self.group(&child, &known, value),
                    Shape::Many => self.groups(&child, &known, value),
                }
            } else {
                let flaw = Flaw { at: Some(key.span()), ..unknown(&child) };
                self.draft.flaws.push(flaw);
            }
        }
    }

    fn group(&mut self, path: &str, known: &str, value: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = value.as_ref() else {
            let name = field::last(known);
            let (open, close) = if known == "tx" { ("[tx]", "") } else { (name, " = { … }") };
            self.flaw(path, value.span(), format!("{} instead of a table: write {open}{close}", a(value)));
            return;
        };
        if let Some(flow) = flow_number(path) {
            self.open_header(path, known, flow);
        }
        self.table(path, table);
    }

    /// A header that stands in the file, if only as `{}`, is part of the packet, with its defaults.
    fn open_header(&mut self, path: &str, known: &str, number: usize) {
        let Some(flow) = self.draft.profile.flows.get_mut(number) else {
            return;
        };
        match known {
            "flow.ipv4" => flow.ip = Some(Ip::V4(blank::ipv4())),
            "flow.ipv6" if matches!(flow.ip, Some(Ip::V4(_))) => {
                let message = "this flow has ipv4 too; a packet has one of them";
                self.draft.flaws.push(Flaw::of(path, message));
                return;
            }
            "flow.ipv6" => flow.ip = Some(Ip::V6(blank::ipv6())),
            "flow.arp" => flow.arp = Some(blank::arp()),
            "flow.udp" => flow.udp = Some(blank::udp()),
            "flow.flows" => flow.conversations = Some(blank::conversations()),
            "flow.tcp" => flow.tcp = Some(blank::tcp()),
            "flow.icmp" => flow.icmp = Some(blank::icmp()),
            "flow.icmpv6" => flow.icmpv6 = Some(blank::icmp()),
            "flow.raw" => flow.raw = Some(Vec::new()),
            "flow.replay" => flow.replay = Some(blank::replay()),
            _ => return,
        }
        fill_flow(known, flow);
    }

    fn groups(&mut self, path: &str, known: &str, value: &Spanned<DeValue<'_>>) {
        let (limit, example) = match known {
            "flow" => (MAX_FLOWS, "[[flow]]"),
            "flow.mpls" => (MAX_LABELS, "mpls = [{ label = 16 }]"),
            "flow.patch" => (MAX_PATCHES, "patch = [{ at = 12, width = 2, value = 0x88b5 }]"),
            _ => (MAX_VLANS, "vlan = [{ id = 100 }]"),
        };
        let DeValue::Array(items) = value.as_ref() else {
            let message = format!("{} instead of a list of tables: write {example}", a(value));
            return self.flaw(path, value.span(), message);
        };
        if let Some(first) = items.get(limit) {
            self.flaw(path, first.span(), format!("{} of them are too many (at most {limit})", items.len()));
        }
        for (number, item) in items.iter().enumerate().take(limit) {
            let child = format!("{path}.{number}");
            self.draft.places.add(&child, item.span());
            match item.as_ref() {
                DeValue::Table(table) => {
                    self.open_item(&child, known);
                    self.table(&child, table);
                }
                _ => {
                    let message = format!("{} instead of a table: write {example}", a(item));
                    self.open_item(&child, known);
                    self.flaw(&child, item.span(), message);
                }
            }
        }
    }

    fn open_item(&mut self, path: &str, known: &str) {
        let flows = &mut self.draft.profile.flows;
        if known == "flow" {
            let mut flow = blank::flow();
            for group in ["flow", "flow.eth", "flow.payload"] {
                fill_flow(group, &mut flow);
            }
            flows.push(flow);
            self.draft.places.names.push(None);
        } else if let Some(flow) = flow_number(path).and_then(|number| flows.get_mut(number)) {
            open_in(flow, known);
        }
    }

    fn field(&mut self, path: &str, field: &'static Field, value: &Spanned<DeValue<'_>>) {
        if field.key == "version" && newer(value) {
            let shown = &self.text[value.span()];
            let message = format!("{shown} is newer than this release, which reads version 1: update txdeck");
            return self.flaw(path, value.span(), message);
        }
        match literal::read(field, value, self.text) {
            Ok(setting) => {
                if let Some(slot) = slot(&mut self.draft.profile, path, field) {
                    slot.put(setting);
                }
            }
            Err(wrong) => {
                let flaws = wrong.into_iter().map(|(at, message)| Flaw::new(path, at, message));
                self.draft.flaws.extend(flaws);
            }
        }
    }

    /// Flows without a name are called by their place; messages use the names from here on.
    fn name_flows(&mut self) {
        for (number, flow) in self.draft.profile.flows.iter_mut().enumerate() {
            if flow.name.is_empty() {
                flow.name = format!("flow-{}", number + 1);
            }
            self.draft.places.names[number] = Some(flow.name.clone());
        }
        let names = &self.draft.places.names;
        let twice = |name: &Option<String>| names.iter().filter(|other| *other == name).count() > 1;
        let unclear: Vec<bool> = names.iter().map(twice).collect();
        let misnamed: Vec<String> = self.draft.flaws.iter().map(|flaw| flaw.path.clone()).collect();
        for (number, (name, unclear)) in self.draft.places.names.iter_mut().zip(unclear).enumerate() {
            if unclear || misnamed.contains(&format!("flow.{number}.name")) {
                *name = None;
            }
        }
    }
}

/// A payload's `kind` decides what its `bytes` mean, so it is read first; otherwise any order does.
fn by_kind_first<'a, 'i>(
    table: &'a DeTable<'i>,
) -> impl Iterator<Item = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)> {
    let first = table.iter().filter(|(key, _)| key.get_ref() == "kind");
    let rest = table.iter().filter(|(key, _)| key.get_ref() != "kind");
    first.chain(rest)
}

/// `a table`, `an integer`.
fn a(value: &Spanned<DeValue<'_>>) -> String {
    let kind = value.as_ref().type_str();
    format!("{} {kind}", if kind.starts_with(['a', 'i', 'o']) { "an" } else { "a" })
}

fn newer(value: &Spanned<DeValue<'_>>) -> bool {
    let number = value.as_ref().as_integer().and_then(|n| i128::from_str_radix(n.as_str(), n.radix()).ok());
    number.is_some_and(|number| number > 1)
}

/// `flow.0.vlan.1` and `id` make `flow.vlan.id`.
fn schema_key(path: &str, key: &str) -> String {
    let mut out = String::new();
    for (depth, part) in path.split('.').filter(|part| !part.is_empty()).enumerate() {
        // Numbers stand only where a list's items do: behind `flow` and, say, behind `vlan`.
        let number = matches!(depth, 1 | 3) && path.starts_with("flow.") && part.parse::<usize>().is_ok();
        if !number {
            out.push_str(part);
            out.push('.');
        }
    }
    out + key
}

/// `flow.3.udp.dst` is the field `flow.udp.dst`.
pub(super) fn field_at(path: &str) -> Option<&'static Field> {
    field::field(&schema(path))
}

/// `flow.3.udp` is the group `flow.udp`.
pub(super) fn schema(path: &str) -> String {
    let (group, key) = path.rsplit_once('.').unwrap_or(("", path));
    schema_key(group, key)
}

pub(super) fn flow_number(path: &str) -> Option<usize> {
    path.strip_prefix("flow.")?.split('.').next()?.parse().ok()
}

/// `flow.3.vlan.1.id` belongs to header 1 of several.
fn item_number(path: &str) -> Option<usize> {
    path.split('.').nth(3)?.parse().ok()
}

/// What to say of a key that the table does not have.
pub(super) fn unknown(path: &str) -> Flaw {
    let known = schema(path);
    let (group, name) = (field::parent(&known), field::last(&known));
    let here = nearest(name, field::names_in(group)).map(|near| match path.rsplit_once('.') {
        Some((parent, _)) => format!("{parent}.{near}"),
        None => near.to_string(),
    });
    let elsewhere = || FIELDS.iter().map(|field| field.key).find(|key| field::last(key) == name).map(str::to_string);
    match here.or_else(elsewhere) {
        Some(near) => Flaw { near: Some(near), ..Flaw::of(path, "no such key") },
        None => {
            let names: Vec<&str> = field::names_in(group).collect();
            Flaw::of(path, format!("no such key (known here: {})", names.join(", ")))
        }
    }
}

/// Where a path's setting lives in a profile; `None` when its flow, tag or header does not exist.
pub(super) fn slot<'a>(profile: &'a mut Profile, path: &str, field: &Field) -> Option<Slot<'a>> {
    match field.lens {
        Lens::Nowhere => None,
        Lens::Profile(lens) => Some(lens(profile)),
        Lens::Flow(lens) => lens(profile.flows.get_mut(flow_number(path)?)?),
        _ => slot_in(profile.flows.get_mut(flow_number(path)?)?, item_number(path)?, field),
    }
}

/// A field of the header `item` of those a flow may have several of.
fn slot_in<'a>(flow: &'a mut Flow, item: usize, field: &Field) -> Option<Slot<'a>> {
    match field.lens {
        Lens::Nowhere | Lens::Profile(_) | Lens::Flow(_) => None,
        Lens::Vlan(lens) => flow.vlan.get_mut(item).map(lens),
        Lens::Mpls(lens) => flow.mpls.get_mut(item).map(lens),
        Lens::Patch(lens) => flow.patch.get_mut(item).map(lens),
    }
}

/// What a field holds; `None` as for [`slot`]. Only what the slot lies in is copied: a profile may have a thousand flows.
pub(super) fn setting(profile: &Profile, path: &str, field: &Field) -> Option<Setting> {
    let flow = || profile.flows.get(flow_number(path)?).cloned();
    match field.lens {
        Lens::Nowhere => None,
        Lens::Profile(lens) => {
            let (name, note, tx) = (profile.name.clone(), profile.note.clone(), profile.tx.clone());
            Some(lens(&mut Profile { name, note, tx, flows: Vec::new() }).take())
        }
        Lens::Flow(lens) => lens(&mut flow()?).map(Slot::take),
        _ => slot_in(&mut flow()?, item_number(path)?, field).map(Slot::take),
    }
}

fn fill_flow(group: &str, flow: &mut Flow) {
    fill_defaults(group, |field, setting| {
        if let Lens::Flow(lens) = field.lens
            && let Some(slot) = lens(flow)
        {
            slot.put(setting);
        }
    });
}

fn fill_profile(group: &str, profile: &mut Profile) {
    fill_defaults(group, |field, setting| {
        if let Lens::Profile(lens) = field.lens {
            lens(profile).put(setting);
        }
    });
}

/// One more header, with its defaults, of those a flow may have several of.
fn open_in(flow: &mut Flow, group: &str) {
    let item = flow.count_of(group);
    match group {
        "flow.mpls" => flow.mpls.push(blank::mpls()),
        "flow.patch" => flow.patch.push(blank::patch()),
        _ => flow.vlan.push(blank::vlan()),
    }
    fill_defaults(group, |field, setting| {
        if let Some(slot) = slot_in(flow, item, field) {
            slot.put(setting);
        }
    });
}

/// Defaults are TOML in the table, read as a file's values are, so that there is one place for each.
fn fill_defaults(group: &str, mut put: impl FnMut(&Field, Setting)) {
    for field in field::fields_of(group) {
        put(field, default_of(field));
    }
}

/// The setting a field has when nothing is written.
pub(super) fn default_of(field: &Field) -> Setting {
    let Fallback::Is(text) = field.fallback else {
        return Setting::Unset;
    };
    let value = DeValue::parse(text).ok();
    value.and_then(|value| literal::read(field, &value, text).ok()).unwrap_or(Setting::Unset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Ip, Payload};

    /// A profile with every header in one of four flows.
    fn full() -> Profile {
        let mut profile = blank::profile();
        let v4 = Flow {
            conversations: Some(blank::conversations()),
            ip: Some(Ip::V4(blank::ipv4())),
            vlan: vec![blank::vlan()],
            mpls: vec![blank::mpls()],
            arp: Some(blank::arp()),
            udp: Some(blank::udp()),
            tcp: Some(blank::tcp()),
            icmp: Some(blank::icmp()),
            icmpv6: Some(blank::icmp()),
            patch: vec![blank::patch()],
            ..blank::flow()
        };
        let raw = Flow { raw: Some(Vec::new()), payload: Payload::Text(String::new()), ..blank::flow() };
        let replay = Flow { replay: Some(blank::replay()), ..blank::flow() };
        profile.flows.extend([v4, Flow { ip: Some(Ip::V6(blank::ipv6())), ..blank::flow() }, raw, replay]);
        profile
    }

    #[test]
    fn every_default_fits_its_slot_and_comes_back() {
        for field in FIELDS.iter().filter(|field| field.key != "version") {
            let flow = match field::parent(field.key) {
                "flow.ipv6" => 1,
                "flow.raw" => 2,
                "flow.replay" => 3,
                _ => 0,
            };
            let path = ["vlan.", "mpls.", "patch."]
                .iter()
                .fold(field.key.to_string(), |path, list| path.replace(list, &format!("{list}0.")));
            let path = path.replacen("flow.", &format!("flow.{flow}."), 1);
            assert_eq!(field_at(&path).map(|field| field.key), Some(field.key));
            let setting = default_of(field);
            assert_eq!(setting == Setting::Unset, !matches!(field.fallback, Fallback::Is(_)), "{}", field.key);
            let mut profile = full();
            let put = slot(&mut profile, &path, field).expect("a place").put(setting.clone());
            assert!(put || ["flow.name", "flow.eth.dst", "flow.replay.file"].contains(&field.key), "{}", field.key);
            if put {
                assert_eq!(slot(&mut profile, &path, field).map(Slot::take), Some(setting), "{}", field.key);
            }
        }
    }

    #[test]
    fn flows_may_have_numbers_for_names() {
        assert_eq!(schema("flow.3.udp.dst"), "flow.udp.dst");
        assert_eq!(schema("flow.0.vlan.1.id"), "flow.vlan.id");
        assert_eq!(schema("tx.0"), "tx.0");
    }
}
