//! What is embedded in the program: profiles, themes, the keymap.

// MERGE: the list of profiles/*.toml once they exist; themes and keymap from app/ui.
const PROFILES: [(&str, &str); 1] = [("udp-64", "version = 1\nname = \"udp-64\"\n")];

/// Shipped profiles, (name, text), in the order in which they are listed.
pub fn profiles() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROFILES.into_iter()
}

pub fn profile(name: &str) -> Option<&'static str> {
    profiles().find(|(known, _)| *known == name).map(|(_, text)| text)
}
