//! A rewrite: language, pattern, template and source.
#![no_main]

#[path = "../inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &str| inputs::template(data));
