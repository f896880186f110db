//! A patch and a text.
#![no_main]

#[allow(dead_code, reason = "a target makes one of the checks")]
#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::patching(data));
