//! The console mind.
