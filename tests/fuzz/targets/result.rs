//! The line a run ends with, read back; and what a script expects of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use txdeck::shell::parsers;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (expected, line) = text.split_once('\n').unwrap_or((text, text));
    parsers::expectation(expected, line);
    if let Some(written) = parsers::result(line) {
        assert_eq!(parsers::result(&written).as_deref(), Some(&*written), "a result reads back");
    }
});
