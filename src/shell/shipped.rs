//! Shipped profiles by name.

use crate::profile::shipped;

/// (name, text) of every shipped profile, in teaching order.
pub fn profiles() -> impl Iterator<Item = (&'static str, &'static str)> {
    shipped().iter().copied()
}

pub fn profile(name: &str) -> Option<&'static str> {
    profiles().find(|(known, _)| *known == name).map(|(_, text)| text)
}
