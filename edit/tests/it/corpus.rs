//! The corpus of the fuzz targets, replayed.

use std::fs;
use std::path::Path;

use crate::checks;

type Check = fn(&[u8]);

#[test]
fn the_fuzzers_corpus_is_replayed() {
    let targets: [(&str, Check); 2] = [
        ("replacing", checks::replacing),
        ("patching", checks::patching),
    ];
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (target, check) in targets {
        let mut seeds = 0;
        for seed in fs::read_dir(corpus.join(target)).unwrap() {
            check(&fs::read(seed.unwrap().path()).unwrap());
            seeds += 1;
        }
        assert!(seeds >= 5, "{target}");
    }
}
