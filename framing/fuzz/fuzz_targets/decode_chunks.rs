//! Any bytes, whole and in chunks: the same items.
#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::decode_chunks(data));
