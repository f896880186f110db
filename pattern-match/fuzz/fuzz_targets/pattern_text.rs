//! A pattern alone: language and fragment.
#![no_main]

#[path = "../inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &str| inputs::pattern_text(data));
