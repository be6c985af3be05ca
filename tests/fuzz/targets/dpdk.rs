//! Import of `dpdk`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use txdeck::dialect::Dialect;

fuzz_target!(|bytes: &[u8]| txdeck_fuzz::tongue(Dialect::Dpdk, bytes));
