//! Lists to choose from: profiles to open, devices to send on.

/// A profile that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileEntry {
    /// As `Effect::Load` takes it.
    pub name: String,
    pub note: String,
    pub is_shipped: bool,
    /// A user's profile of the same name stands before it.
    pub is_shadowed: bool,
}

/// A device that could be sent on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceEntry {
    pub name: String,
    /// Driver, MAC, MTU, link, queues in one line.
    pub facts: String,
    /// Why sending there is refused, and what lifts it.
    pub guard: Option<String>,
}

/// Items and the one that is picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T> {
    items: Vec<T>,
    picked: usize,
    /// Whether the answer has come.
    pub is_known: bool,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), picked: 0, is_known: false }
    }
}

impl<T> List<T> {
    /// A newer answer; the pick stays where it can.
    pub fn fill(&mut self, items: Vec<T>) {
        self.picked = self.picked.min(items.len().saturating_sub(1));
        self.items = items;
        self.is_known = true;
    }

    pub fn items(&self) -> &[T] {
        &self.items
    }

    pub fn picked_index(&self) -> usize {
        self.picked
    }

    pub fn picked(&self) -> Option<&T> {
        self.items.get(self.picked)
    }

    pub fn pick(&mut self, index: usize) {
        self.picked = index.min(self.items.len().saturating_sub(1));
    }

    pub fn down(&mut self) {
        self.pick(self.picked + 1);
    }

    pub fn up(&mut self) {
        self.pick(self.picked.saturating_sub(1));
    }
}
