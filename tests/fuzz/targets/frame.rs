//! Words for bytes that nobody made: what `show` and captures put before people.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (first, frame) = bytes.split_at_checked(1).unwrap_or((&[0], bytes));
    let start = usize::from(first[0]);
    txdeck_fuzz::shown(frame, &[start..start + 3, start + 7..start + 4000]);
});
