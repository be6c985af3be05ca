//! The profile that is open: its document, what is on disk of it, and the way back and forth over its changes.

use crate::profile::{Document, Problems};

/// Where the open profile came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Embedded in the program; never saved over.
    Shipped,
    /// A file of the user's, with its path as shown.
    File(String),
    /// Read out of another generator's file: no profile on disk stands behind it yet.
    Imported(String),
}

#[derive(Debug)]
pub struct Open {
    /// What `save` saves under: a name, or a path with `/`.
    pub name: String,
    pub origin: Origin,
    document: Document,
    /// The text on disk; the unsaved mark is a difference to it.
    saved: Document,
    undone: Vec<Document>,
    done: Vec<Document>,
    /// The key that changed last, while repeats of it still belong to one change.
    repeating: Option<String>,
}

/// More than anybody walks back; a limit on memory.
const STEPS: usize = 1000;

impl Open {
    pub fn new(name: String, origin: Origin, document: Document) -> Self {
        let saved = document.clone();
        Self::with_changes(name, origin, saved, document)
    }

    /// Opens with changes that are not on disk.
    pub fn with_changes(name: String, origin: Origin, saved: Document, document: Document) -> Self {
        Self { name, origin, document, saved, undone: Vec::new(), done: Vec::new(), repeating: None }
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn saved(&self) -> &Document {
        &self.saved
    }

    /// No profile on disk stands behind it yet.
    pub fn is_imported(&self) -> bool {
        matches!(self.origin, Origin::Imported(_))
    }

    pub fn is_unsaved(&self) -> bool {
        self.is_imported() || self.document.text() != self.saved.text()
    }

    /// Sets one field. Repeats of the same key within one tick are one step for undo. Says whether anything changed.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, Problems> {
        self.change(Some(key), |document| document.set(key, value))
    }

    /// Any change of the document, as one step for undo, all or nothing. `repeats` names what may be folded with the
    /// same change before it in one tick.
    pub fn change(
        &mut self,
        repeats: Option<&str>,
        change: impl FnOnce(&mut Document) -> Result<(), Problems>,
    ) -> Result<bool, Problems> {
        let mut changed = self.document.clone();
        change(&mut changed)?;
        if changed.text() == self.document.text() {
            return Ok(false);
        }
        let before = std::mem::replace(&mut self.document, changed);
        if repeats.is_none() || self.repeating.as_deref() != repeats {
            self.done.push(before);
            if self.done.len() > STEPS {
                self.done.remove(0);
            }
        }
        self.repeating = repeats.map(str::to_owned);
        self.undone.clear();
        Ok(true)
    }

    /// A tick has passed: the next change of the same key is a change of its own.
    pub fn close_step(&mut self) {
        self.repeating = None;
    }

    /// Whether the next change of the same key would belong to the last one.
    pub fn is_step_open(&self) -> bool {
        self.repeating.is_some()
    }

    pub fn undo(&mut self) -> bool {
        self.close_step();
        let Some(before) = self.done.pop() else { return false };
        self.undone.push(std::mem::replace(&mut self.document, before));
        true
    }

    pub fn redo(&mut self) -> bool {
        self.close_step();
        let Some(after) = self.undone.pop() else { return false };
        self.done.push(std::mem::replace(&mut self.document, after));
        true
    }

    /// This text now stands on disk under this name. Changes made since it was handed out stay unsaved.
    pub fn saved_as(&mut self, name: String, path: String, document: Document) {
        self.name = name;
        self.origin = Origin::File(path);
        self.saved = document;
    }
}
