//! What the fuzzer has found worth keeping, again.

use std::fs;
use std::path::Path;

#[path = "../../fuzz/check.rs"]
mod check;

#[test]
fn what_was_found_once_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/messages");
    let mut count = 0;
    for input in fs::read_dir(corpus).unwrap() {
        check::check(&fs::read(input.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0);
}
