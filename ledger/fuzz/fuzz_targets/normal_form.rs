//! Any message and its comparable form.
#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|message: &str| checks::normal_form(message));
