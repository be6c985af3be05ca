//! The command line, its words parted by blanks.

#![no_main]

use libfuzzer_sys::fuzz_target;
use txdeck::shell::parsers;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    parsers::arguments(text);
});
