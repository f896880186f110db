//! The corpora of the fuzz targets, replayed.

#[path = "../../fuzz/inputs.rs"]
mod inputs;

use std::path::Path;

fn replay(target: &str, run: fn(&str)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let input = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        run(&input);
        count += 1;
    }
    assert!(count > 5, "{target} has {count} inputs");
}

#[test]
fn templates() {
    replay("template", inputs::template);
}

#[test]
fn pattern_texts() {
    replay("pattern_text", inputs::pattern_text);
}

#[test]
fn patterns_against_sources() {
    replay("pattern_against_source", inputs::pattern_against_source);
}
