//! Any bytes as a journal: as they are, and with a right seal so that the decoder gets to see them.
//! `cargo +nightly fuzz run journal` in the folder `rewrite-txn`.
#![no_main]

libfuzzer_sys::fuzz_target!(|body: &[u8]| fourfold_rewrite_txn::fuzz_decode(body));
