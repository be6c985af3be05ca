//! Profiles: read, checked, explained, compiled, built, written down again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use txdeck::profile::Document;

fuzz_target!(|bytes: &[u8]| {
    match Document::parse_bytes("x.toml", bytes) {
        Ok(document) => {
            txdeck_fuzz::document(&document);
            txdeck_fuzz::exports(&document);
        }
        Err(problems) => {
            assert!(!problems.0.is_empty() && problems.0.iter().all(|problem| !problem.message.is_empty()));
            assert!(!problems.to_string().is_empty());
        }
    }
});
