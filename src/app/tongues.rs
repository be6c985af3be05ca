//! Other generators' files on the `:` line: what is asked of the shell, and its reports as sheets to read.

use crate::profile::{Document, nearest};

use super::{
    App, Ask, Effect, Level, Open, Origin, Overlay, Screen, Tone,
    ask::Opening,
    sheet::{Shade, Sheet},
};

/// The languages there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tongues {
    /// Names of the dialects that can be read.
    pub read: Vec<String>,
    /// Names of the dialects that can be written.
    pub written: Vec<String>,
}

/// What lies in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// As it is typed: empty for the current one, else with its last `/`.
    pub path: String,
    /// Folders end in `/`.
    pub names: Vec<String>,
}

/// One line of the report of an import or export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Something was left out, not only put otherwise.
    pub is_loss: bool,
    pub text: String,
}

/// What the shell made of a foreign file.
#[derive(Debug)]
pub struct Foreign {
    /// What the profile is called from now on.
    pub name: String,
    pub file: String,
    pub dialect: &'static str,
    pub document: Box<Document>,
    pub remarks: Vec<Remark>,
}

/// A profile written in another language.
#[derive(Debug)]
pub struct Written {
    pub dialect: &'static str,
    /// Where it lies, or the text itself, which is copied.
    pub target: Result<String, String>,
    pub remarks: Vec<Remark>,
}

impl App {
    /// `:import FILE [DIALECT]`
    pub(super) fn import(&mut self, typed: &str, effects: &mut Vec<Effect>) -> Result<(), String> {
        let known = &self.tongues.read;
        let (file, dialect) = match typed.rsplit_once(char::is_whitespace) {
            Some((file, last)) if known.iter().any(|name| name == last) => (file.trim_end(), Some(last.to_owned())),
            // A name with a blank in it is a file's; one that is nearly a dialect's was meant to be that.
            Some((_, last)) if !last.contains(['.', '/']) => match nearest(last, known.iter().map(String::as_str)) {
                Some(near) => return Err(format!("{last}: no such dialect. Did you mean {near}?")),
                None => (typed, None),
            },
            _ => (typed, None),
        };
        self.overlay = Overlay::None;
        self.open_over(Opening::Foreign { file: file.to_owned(), dialect }, effects);
        Ok(())
    }

    /// `:export DIALECT [FILE]`
    pub(super) fn export(&mut self, typed: &str, effects: &mut Vec<Effect>) -> Result<(), String> {
        let (dialect, file) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let known = &self.tongues.written;
        if !known.iter().any(|name| name == dialect) {
            let near = nearest(dialect, known.iter().map(String::as_str)).map(|near| format!("Did you mean {near}?"));
            let hint = near.unwrap_or_else(|| format!("There are {}.", known.join(", ")));
            return Err(format!("{dialect}: no dialect that is written. {hint}"));
        }
        self.overlay = Overlay::None;
        let file = Some(file.trim()).filter(|file| !file.is_empty()).map(str::to_owned);
        self.ask_to_export(dialect.to_owned(), file, false, effects);
        Ok(())
    }

    pub(super) fn ask_to_export(
        &mut self,
        dialect: String,
        file: Option<String>,
        force: bool,
        effects: &mut Vec<Effect>,
    ) {
        let document = Box::new(self.open.document().clone());
        effects.push(Effect::Export { dialect, file, document, force });
    }

    /// The file is there already.
    pub(super) fn export_refused(&mut self, dialect: String, file: String) {
        // The answer comes later than its line: what was opened meanwhile stays.
        match self.overlay {
            Overlay::None => self.overlay = Overlay::Ask(Ask::export_over(dialect, file)),
            _ => self.say(Tone::Warn, format!("{file} exists; nothing was written")),
        }
    }

    pub(super) fn exported(&mut self, written: Written, effects: &mut Vec<Effect>) {
        let Written { dialect, target, remarks } = written;
        let place = match target {
            Ok(path) => path,
            Err(text) => {
                effects.push(Effect::Copy(text));
                "the clipboard".into()
            }
        };
        self.say(told(&remarks), format!("{dialect}: {} in {place}, {}", self.open.name, so_many(&remarks)));
        self.show_report(format!("{} as {dialect}", self.open.name), &remarks, "said otherwise, or not at all, there");
    }

    pub(super) fn imported(&mut self, foreign: Foreign) {
        if self.run.is_on() {
            return self.say(Tone::Warn, "stop first: opening replaces the whole profile");
        }
        if self.importing_over.take().as_deref() != Some(self.open.document().text()) {
            return self.say(Tone::Warn, format!("{}: the open profile changed meanwhile, import again", foreign.file));
        }
        let Foreign { name, file, dialect, document, remarks } = foreign;
        self.open = Open::new(name.clone(), Origin::Imported(file.clone()), *document);
        self.picked_knob = 0;
        self.screen = Screen::Live;
        self.say(told(&remarks), format!("{dialect}: {file} is {name} now, not saved yet, {}", so_many(&remarks)));
        self.show_report(format!("{name} out of {file}"), &remarks, "not carried over as it stands in the file");
    }

    /// Notes to read and scroll; without any the message has said all. In the log they stand in any case.
    fn show_report(&mut self, title: String, remarks: &[Remark], what: &str) {
        for remark in remarks {
            self.note(if remark.is_loss { Level::Warn } else { Level::Info }, &remark.text);
        }
        if remarks.is_empty() || !matches!(self.overlay, Overlay::None) {
            return;
        }
        let lines = remarks.len();
        let head = format!("{lines} {} {what}:", if lines == 1 { "thing is" } else { "things are" });
        let mut all = vec![(Shade::Head, head)];
        let shade = |remark: &Remark| if remark.is_loss { Shade::Warning } else { Shade::Plain };
        all.extend(remarks.iter().map(|remark| (shade(remark), remark.text.clone())));
        self.overlay = Overlay::Sheet(Box::new(Sheet::new(title, all)));
    }
}

fn told(remarks: &[Remark]) -> Tone {
    if remarks.iter().any(|remark| remark.is_loss) { Tone::Warn } else { Tone::Good }
}

/// *nothing was lost*, *2 notes, 1 dropped*
fn so_many(remarks: &[Remark]) -> String {
    let losses = remarks.iter().filter(|remark| remark.is_loss).count();
    match (remarks.len(), losses) {
        (0, _) => "nothing was lost".into(),
        (1, 0) => "1 note".into(),
        (all, 0) => format!("{all} notes"),
        (all, losses) => format!("{all} note{}, {losses} dropped", if all == 1 { "" } else { "s" }),
    }
}
