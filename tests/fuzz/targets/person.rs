//! What a person keeps: keys, themes, config.toml.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use txdeck::{app::Keymap, shell::parsers, ui::Theme};

static SHIPPED: LazyLock<Keymap> = LazyLock::new(Keymap::shipped);

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let told = |why: &[String]| assert!(!why.is_empty() && why.iter().all(|line| !line.is_empty()));
    let mut keys = SHIPPED.clone();
    if let Err(why) = keys.overlay("keys.toml", text) {
        told(&why);
        assert_eq!(keys.rows().len(), SHIPPED.rows().len(), "a broken file changes nothing");
    }
    match Theme::parse("x.toml", text) {
        Ok(theme) => drop(theme.in_256_colours()),
        Err(why) => told(&why),
    }
    if let Err(why) = parsers::config(text) {
        told(&why);
    }
});
