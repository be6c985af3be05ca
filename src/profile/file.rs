//! A profile's text and what it means, kept together: comments and order survive every change.

use toml::de::{DeTable, DeValue};

use super::{
    Problem, Problems, Profile, check, edit, effective,
    field::{self, Fallback, Field},
    flows, notes,
    problem::{Flaw, Lines, Places, nearest},
    read, replay,
    setting::quoted,
    short,
};

/// Longer texts are no profiles.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// A text that is no TOML at all fails on each of its lines; nobody reads more of them.
const MAX_SYNTAX_PROBLEMS: usize = 20;
const BOM: char = '\u{feff}';

/// A valid profile with the text it came from.
#[derive(Debug, Clone)]
pub struct Document {
    file: Option<String>,
    profile: Profile,
    places: Places,
    text: String,
}

impl Document {
    /// Reads a whole profile; all problems together. `file` only names it in messages.
    pub fn parse(file: &str, text: &str) -> Result<Document, Problems> {
        let file = if file.is_empty() { None } else { Some(file.to_string()) };
        if text.len() > MAX_TEXT_BYTES {
            let message = format!("{} bytes are too long for a profile (at most {MAX_TEXT_BYTES})", text.len());
            return Err(Problems(vec![Problem { file, line: 1, column: 1, key: String::new(), message }]));
        }
        let body = text.strip_prefix(BOM).unwrap_or(text);
        let (root, errors) = DeTable::parse_recoverable(body);
        let syntax = syntax_flaws(&errors, body);
        let mut draft = read::draft(root.get_ref(), body);
        let folder = replay::folder(file.as_deref().unwrap_or(""));
        let replays = draft.profile.flows.iter_mut().filter_map(|flow| flow.replay.as_mut());
        replays.for_each(|replay| replay.folder = folder.to_owned());
        let mut flaws = std::mem::take(&mut draft.flaws);
        if syntax.is_empty() {
            flaws.extend(check::missing(&draft.profile, &draft.places));
            let together = check::flaws(&draft.profile, &draft.places);
            flaws = with_untouched(flaws, together);
        } else {
            flaws = beside(syntax, flaws, body);
        }
        if flaws.is_empty() {
            return Ok(Document { file, profile: draft.profile, places: draft.places, text: text.into() });
        }
        Err(Problems(draft.places.settle(file.as_deref(), body, &flaws)))
    }

    /// As [`Document::parse`], for what a file holds.
    pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Document, Problems> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Document::parse(file, text),
            Err(error) => {
                let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or("");
                let (line, column) = Lines::of(good).place(good, good.len());
                let message = format!("not UTF-8 text (byte {})", error.valid_up_to());
                Err(Problems(vec![Problem { file: Some(file.into()), line, column, key: String::new(), message }]))
            }
        }
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Worth knowing but no error: a pktgen header that does not fit, a sweep that clone slows down, …
    pub fn notes(&self) -> Vec<Problem> {
        self.notes_and([])
    }

    /// Sentences about parts of this text, each with a path (`flow.0.udp.dst`, flows by position), together with
    /// [`Document::notes`] and in the order of the text.
    pub fn notes_and(&self, more: impl IntoIterator<Item = (String, String)>) -> Vec<Problem> {
        let mut flaws = notes::flaws(&self.profile, &self.places);
        flaws.extend(more.into_iter().map(|(path, message)| Flaw::of(&path, message)));
        self.places.settle(self.file.as_deref(), self.body(), &flaws)
    }

    /// Such sentences alone, each with its line and key.
    pub fn placed(&self, sentences: impl IntoIterator<Item = (String, String)>) -> Vec<Problem> {
        let flaws: Vec<Flaw> = sentences.into_iter().map(|(path, message)| Flaw::of(&path, message)).collect();
        self.places.settle(self.file.as_deref(), self.body(), &flaws)
    }

    /// Sets one field by its dotted key (`burst`, `tx.burst`, `flow.a.udp.dst`, `flow.a.vlan.0.id`) or one header
    /// (`flow.a.udp`); `value` is TOML, a short form (`A..B:STEP`, `A,B,C`, `random A..B`), or else a bare string;
    /// nothing at all takes the field out. The whole profile is checked; nothing changes when it is refused.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Problems> {
        self.set_together(&[(key, value)])
    }

    /// As [`Document::set`], for fields that are only valid together: one check at the end, all or nothing.
    pub fn set_together(&mut self, changes: &[(&str, &str)]) -> Result<(), Problems> {
        let mut body = self.body().to_owned();
        for (key, value) in changes {
            body = self.changed(&body, key, value.trim())?;
        }
        self.take_over(body)
    }

    fn changed(&self, body: &str, key: &str, value: &str) -> Result<String, Problems> {
        let path = self.path(key)?;
        let known = read::field_at(&path);
        if value.is_empty() {
            if known.is_some_and(|field| field.fallback == Fallback::Required) {
                return Err(Problems::one(key, "has no default: it needs a value"));
            }
            return edit::unset(body, &path).map_err(|message| Problems::one(key, message));
        }
        let toml = known.map_or_else(|| value.to_owned(), |field| short::typed(field, value));
        if DeValue::parse(&toml).is_err() {
            return Err(Problems::one(key, format!("\"{value}\" is not TOML")));
        }
        edit::set(body, &path, &toml).map_err(|message| Problems::one(key, message))
    }

    /// Takes a field or header out of the text, so that its default holds.
    pub fn unset(&mut self, key: &str) -> Result<(), Problems> {
        self.set_together(&[(key, "")])
    }

    /// Whether the text itself says what this field holds.
    pub fn is_written(&self, key: &str) -> bool {
        self.path(key).is_ok_and(|path| self.places.get(&path).is_some())
    }

    /// The row of the table of fields behind a key; `None`: there is no such field here.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        read::field_at(&self.path(key).ok()?)
    }

    /// One field's present value as `set` takes it back; empty where it is not set, `None` where it cannot be.
    pub fn get(&self, key: &str) -> Option<String> {
        let path = self.path(key).ok()?;
        let field = read::field_at(&path)?;
        if let Some(written) = self.written(&path, field) {
            return Some(written);
        }
        let setting = read::setting(&self.profile, &path, field)?;
        Some(short::show(&setting, &field.kind))
    }

    /// The text with comments and order as they were. `parse(text())` gives the same profile and the same text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every default written out; parses to the same profile.
    pub fn effective(&self) -> String {
        effective::text(&self.profile)
    }

    /// Appends a flow of 60-byte UDP/IPv4 frames to where the last flow's go.
    pub fn add_flow(&mut self, name: &str) -> Result<(), Problems> {
        self.rework(name, |body| flows::add(body, name))
    }

    /// Puts a copy of a flow, under another name, behind it.
    pub fn copy_flow(&mut self, from: &str, name: &str) -> Result<(), Problems> {
        let number = self.flow_number(from)?;
        self.rework(name, |body| flows::copy(body, number, name))
    }

    pub fn remove_flow(&mut self, name: &str) -> Result<(), Problems> {
        let number = self.flow_number(name)?;
        if self.profile.flows.len() == 1 {
            return Err(Problems::one(&format!("flow.{name}"), "the last flow stays: a profile needs one"));
        }
        self.rework(name, |body| flows::remove(body, number))
    }

    /// Moves a flow to position `to` (from 0; beyond the end means last), with its comments.
    pub fn move_flow(&mut self, name: &str, to: usize) -> Result<(), Problems> {
        let number = self.flow_number(name)?;
        let to = to.min(self.profile.flows.len() - 1);
        self.rework(name, |body| flows::shift(body, number, to))
    }

    fn body(&self) -> &str {
        self.text.strip_prefix(BOM).unwrap_or(&self.text)
    }

    fn rework(&mut self, flow: &str, change: impl Fn(&str) -> Result<String, String>) -> Result<(), Problems> {
        let body =
            change(&self.body_with_names()?).map_err(|message| Problems::one(&format!("flow.{flow}"), message))?;
        self.take_over(body)
    }

    /// A flow called by its place would have another name, so other random values, in another place.
    fn body_with_names(&self) -> Result<String, Problems> {
        let mut body = self.body().to_string();
        for (number, flow) in self.profile.flows.iter().enumerate() {
            let path = format!("flow.{number}.name");
            if self.places.get(&path).is_none() {
                let named = edit::set(&body, &path, &quoted(&flow.name));
                body = named.map_err(|message| Problems::one(&format!("flow.{}", flow.name), message))?;
            }
        }
        Ok(body)
    }

    /// A new text is taken only when it is a valid profile. Lines of a text that is thrown away would mislead.
    fn take_over(&mut self, body: String) -> Result<(), Problems> {
        let bom = if self.text.starts_with(BOM) { "\u{feff}" } else { "" };
        let file = self.file.as_deref().unwrap_or("");
        let unplaced = |problem: Problem| Problem { file: None, line: 0, column: 0, ..problem };
        *self = Document::parse(file, &format!("{bom}{body}"))
            .map_err(|problems| Problems(problems.0.into_iter().map(unplaced).collect()))?;
        Ok(())
    }

    /// `burst`, `tx.burst`, `flow.NAME.udp.dst` as a path with positions, if the table of fields has it.
    fn path(&self, key: &str) -> Result<String, Problems> {
        let key = key.trim();
        if key == "version" {
            return Err(Problems::one(key, "always 1 in this release"));
        }
        if !key.contains('.') {
            let tx = format!("tx.{key}");
            return match (field::field(&tx), field::field(key)) {
                (Some(_), _) => Ok(tx),
                (None, Some(_)) => Ok(key.into()),
                (None, None) => Err(self.no_such(&tx, &tx)),
            };
        }
        let Some(tail) = key.strip_prefix("flow.") else {
            return self.known(key, key.into());
        };
        let (name, rest) = tail.split_once('.').unwrap_or((tail, ""));
        let number = self.flow_number(name)?;
        if rest.is_empty() {
            return Err(Problems::one(key, "names a whole flow; name one of its fields, as in flow.a.size"));
        }
        self.known(key, format!("flow.{number}.{rest}"))
    }

    fn known(&self, key: &str, path: String) -> Result<String, Problems> {
        let schema = read::schema(&path);
        // `flow.0.vlan.1` is one header of several.
        let (of, number) = path.rsplit_once('.').unwrap_or(("", ""));
        let is_many = |group: &field::Group| group.shape == field::Shape::Many;
        let is_item = number.parse::<usize>().is_ok() && field::group(&read::schema(of)).is_some_and(is_many);
        let is_header = is_item || field::group(&schema).is_some() && field::parent(&schema) == "flow";
        if read::field_at(&path).is_some() || is_header { Ok(path) } else { Err(self.no_such(key, &path)) }
    }

    fn no_such(&self, key: &str, path: &str) -> Problems {
        let mut flaw = read::unknown(path);
        // A field of a flow is set with that flow's name in its key; the first one stands as the example.
        flaw.near = flaw.near.map(|near| match near.strip_prefix("flow.") {
            Some(rest) if read::flow_number(&near).is_none() => format!("flow.0.{rest}"),
            _ => near,
        });
        Problems::one(key, self.places.message(&flaw))
    }

    fn flow_number(&self, name: &str) -> Result<usize, Problems> {
        let names = || self.profile.flows.iter().map(|flow| flow.name.as_str());
        names().position(|known| known == name).ok_or_else(|| {
            let list: Vec<&str> = names().collect();
            let hint = nearest(name, names()).map(|near| format!(" Did you mean {near}?"));
            let message = format!("no such flow (flows: {}).{}", list.join(", "), hint.unwrap_or_default());
            Problems::one(&format!("flow.{name}"), message)
        })
    }

    /// The text of a plain value as it was entered.
    fn written(&self, path: &str, field: &Field) -> Option<String> {
        let raw = self.body().get(self.places.get(path)?)?;
        let value = DeValue::parse(raw).ok()?;
        let text = match value.as_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => raw.to_string(),
            _ => return None,
        };
        let comes_back = short::typed(field, &text);
        let same = DeValue::parse(&comes_back).ok()?;
        (short::same(same.as_ref(), value.as_ref())).then_some(text)
    }
}

fn syntax_flaws(errors: &[toml::de::Error], body: &str) -> Vec<Flaw> {
    let mut flaws: Vec<Flaw> = errors.iter().take(MAX_SYNTAX_PROBLEMS).map(|error| syntax_flaw(error, body)).collect();
    if let Some(next) = errors.get(MAX_SYNTAX_PROBLEMS) {
        let more = errors.len() - MAX_SYNTAX_PROBLEMS;
        let place = next.span().unwrap_or(0..0);
        flaws.push(Flaw::new("", place, format!("and {more} more places that are not TOML, this one the first")));
    }
    flaws
}

fn syntax_flaw(error: &toml::de::Error, body: &str) -> Flaw {
    let span = error.span().unwrap_or(0..0);
    if error.message() == "duplicate key" {
        let key: String = body.get(span.clone()).unwrap_or("").chars().take(60).collect();
        return Flaw::new("", span, format!("{key} is written twice; each key stands once"));
    }
    Flaw::new("", span, format!("not TOML: {}", error.message().lines().collect::<Vec<_>>().join(" ")))
}

/// Rules between fields are judged only where the fields themselves could be read.
fn with_untouched(mut flaws: Vec<Flaw>, together: Vec<Flaw>) -> Vec<Flaw> {
    let scope = |flaw: &Flaw| {
        flaw.path
            .split('.')
            .take(if flaw.path.starts_with("flow.") { 2 } else { 1 })
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let touched: Vec<Vec<String>> = flaws.iter().map(scope).collect();
    flaws.extend(together.into_iter().filter(|flaw| !touched.contains(&scope(flaw))));
    flaws
}

/// After a syntax error the values around it are guesses: other problems on its line are left out, and all of them in
/// a text that is no TOML at all.
fn beside(mut syntax: Vec<Flaw>, flaws: Vec<Flaw>, body: &str) -> Vec<Flaw> {
    if syntax.len() > MAX_SYNTAX_PROBLEMS {
        return syntax;
    }
    let lines = Lines::of(body);
    let line = |flaw: &Flaw| flaw.at.as_ref().map(|at| lines.place(body, at.start).0);
    let broken: Vec<_> = syntax.iter().map(line).collect();
    let kept: Vec<Flaw> = flaws.into_iter().filter(|flaw| !broken.contains(&line(flaw))).collect();
    syntax.extend(kept);
    syntax
}
