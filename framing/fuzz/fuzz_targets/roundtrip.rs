//! Any bodies through encoder and decoder.
#![no_main]

#[allow(dead_code, reason = "a target makes one of the checks")]
#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::roundtrip(data));
