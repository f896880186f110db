//! The corpus of the fuzz targets, replayed.

use std::fs;
use std::path::Path;

use crate::checks;

#[track_caller]
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut seeds = 0;
    for seed in fs::read_dir(folder).unwrap() {
        check(&fs::read(seed.unwrap().path()).unwrap());
        seeds += 1;
    }
    assert!(seeds >= 5, "{target}");
}

#[test]
fn the_fuzzers_corpus_is_replayed() {
    replay("decode_chunks", checks::decode_chunks);
    replay("roundtrip", checks::roundtrip);
    replay("noise_resync", checks::noise_resync);
}
