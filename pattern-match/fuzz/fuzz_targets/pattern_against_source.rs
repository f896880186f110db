//! A search: language, pattern and source.
#![no_main]

#[path = "../inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &str| inputs::pattern_against_source(data));
