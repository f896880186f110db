//! Any bytes in the place of the files that the index keeps.
#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::kept(bytes));
