//! The place of the present orders; the loom model of [`handover`](super::handover) brings its own under the same name.

use std::sync::Arc;

use arc_swap::ArcSwap;

pub struct Slot<T>(ArcSwap<T>);

impl<T> Slot<T> {
    pub fn new(value: Arc<T>) -> Self {
        Self(ArcSwap::new(value))
    }

    pub fn swap(&self, value: Arc<T>) -> Arc<T> {
        self.0.swap(value)
    }

    pub fn load_full(&self) -> Arc<T> {
        self.0.load_full()
    }
}
