//! Prints the top level of source files and what their summaries know.
//!
//! `cargo run -p fourfold-syntax --example outline -- syntax/src/lib.rs`
#![allow(clippy::print_stdout, reason = "an example prints")]

use fourfold_syntax::{FileSummary, Language, TreeCache};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<_> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        paths.push(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs").to_owned());
    }
    let trees = TreeCache::default();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let first_line = text.lines().next().unwrap_or_default();
        let Some(language) =
            Language::of_path(Path::new(&path)).or_else(|| Language::of_shebang(first_line))
        else {
            println!("{path}: in no language of this build");
            continue;
        };
        let tree = trees.get_or_parse(language, &text)?;
        let summary = FileSummary::new(language, &text, &tree);
        println!(
            "{path}: {language}, {} bytes, summary {} bytes{}",
            text.len(),
            summary.to_bytes().len(),
            if summary.has_error() {
                ", with syntax errors"
            } else {
                ""
            }
        );
        let mut cursor = tree.walk();
        let root = tree.root_node();
        for node in root.named_children(&mut cursor) {
            let code = &text[node.byte_range()];
            let line = node.start_position().row + 1;
            let head = code.lines().next().unwrap_or_default();
            println!("{line:6}  {:24} {head}", node.kind());
        }
    }
    Ok(())
}
