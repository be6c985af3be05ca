//! A list to choose from: items and the one that is picked.

/// Page up and page down move by so many lines; the least body of a screen holds more.
pub const PAGE_LINES: usize = 10;

/// How far a key moves the pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    By(isize),
    First,
    Last,
}

impl Move {
    /// Where it leads from `at` among `length` items.
    pub(super) fn from(self, at: usize, length: usize) -> usize {
        let last = length.saturating_sub(1);
        match self {
            Move::By(by) => at.saturating_add_signed(by).min(last),
            Move::First => 0,
            Move::Last => last,
        }
    }
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

    pub(super) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
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

    pub(super) fn go(&mut self, to: Move) {
        self.picked = to.from(self.picked, self.items.len());
    }
}
