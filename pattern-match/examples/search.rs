//! Searches files for a pattern and prints every match with what its variables captured.
//!
//! `cargo run -p fourfold-pattern-match --example search -- '$X.push($$$XS)' FILE…`
#![allow(clippy::print_stdout, reason = "an example prints")]

use fourfold_pattern_match::{Capture, Options, Pattern};
use fourfold_syntax::{Language, ParseLimits, Parser};
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fragment = arguments
        .next()
        .unwrap_or_else(|| "fn main() { $$$BODY }".to_owned());
    let mut files: Vec<String> = arguments.collect();
    if files.is_empty() {
        files.push(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/search.rs").to_owned());
    }
    let mut parser = Parser::new(ParseLimits::default());
    // A pattern is compiled once for each language, and then searched for in any number of files.
    let mut patterns: BTreeMap<&str, Pattern> = BTreeMap::new();
    for file in files {
        let Some(language) = Language::of_path(Path::new(&file)) else {
            println!("{file}: in no language of this build");
            continue;
        };
        let pattern = match patterns.get(language.id()) {
            Some(pattern) => pattern,
            None => {
                let pattern = Pattern::compile(language, &fragment, &Options::default())?;
                patterns.entry(language.id()).or_insert(pattern)
            }
        };
        let text = std::fs::read_to_string(&file)?;
        if !pattern.may_match(text.as_bytes()) {
            continue;
        }
        let tree = parser.parse(language, &text)?;
        let found = pattern.search(&text, &tree);
        for one in &found.matches {
            let line = text[..one.range.start].matches('\n').count() + 1;
            let rung = pattern.readings()[one.reading].rung();
            println!("{file}:{line}: {rung}: {}", shown(&text, &one.range));
            for (variable, capture) in pattern.variables().iter().zip(&one.captures) {
                let captured = match capture {
                    Capture::One(range) => shown(&text, range),
                    Capture::Many(items) => {
                        let items: Vec<String> =
                            items.iter().map(|item| shown(&text, item)).collect();
                        format!("[{}]", items.join(" | "))
                    }
                };
                println!("    {variable} = {captured}");
            }
        }
        if found.given_up > 0 {
            println!("{file}: {} places took too many steps", found.given_up);
        }
        if found.has_errors {
            println!("{file}: has syntax errors, and may have more matches near them");
        }
    }
    Ok(())
}

/// The first line of a stretch.
fn shown(text: &str, range: &Range<usize>) -> String {
    let code = &text[range.clone()];
    match code.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => code.to_owned(),
    }
}
