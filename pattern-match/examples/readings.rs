//! Shows how fragments are read: each reading as a tree, the rungs that refused and why, and what
//! the grammar makes of the same text as a whole file.
//!
//! `cargo run -p fourfold-pattern-match --example readings -- java 'private final $T $N;'`
#![allow(clippy::print_stdout, reason = "an example prints")]

use fourfold_pattern_match::{Options, Pattern, Refusal};
use fourfold_syntax::{Language, ParseLimits, Tree, with_parser};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let language = arguments.next().unwrap_or_else(|| "java".to_owned());
    let language = Language::named(&language)?;
    let mut fragments: Vec<String> = arguments.collect();
    if fragments.is_empty() {
        fragments.push("private final $T $N;".to_owned());
    }
    for fragment in fragments {
        // So that a fragment of several lines can be written on a command line.
        let fragment = fragment.replace("\\n", "\n");
        println!("{language}: {fragment}");
        match Pattern::compile(language, &fragment, &Options::default()) {
            Ok(pattern) => {
                for reading in pattern.readings() {
                    println!("\n{}: {}", reading.rung(), reading.kind());
                    print!("{}", reading.tree());
                    let needed = reading.required_text().join("`, `");
                    println!("a file is parsed if it has `{needed}`");
                }
                println!();
                pattern.refusals().iter().for_each(refused);
            }
            Err(error) => println!("\n{error}"),
        }
        let tree = with_parser(ParseLimits::default(), |parser| {
            parser.parse(language, &fragment)
        })?;
        println!("\nas a whole file:");
        print_tree(&tree, &fragment);
    }
    Ok(())
}

fn refused(refusal: &Refusal) {
    println!(
        "{} refuses: at byte {}, `{}` {}",
        refusal.rung, refusal.at, refusal.token, refusal.why
    );
}

/// One node a line, with its field, the text of leaves and what the parser had to make up.
fn print_tree(tree: &Tree, text: &str) {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let field = cursor.field_name().map(|name| format!("{name}: "));
        let kind = match node.is_named() {
            true => node.kind().to_owned(),
            false => format!("{:?}", node.kind()),
        };
        let leaf = match node.child_count() {
            0 if node.is_named() => format!(" {:?}", &text[node.byte_range()]),
            _ => String::new(),
        };
        let made_up = if node.is_missing() { " (missing)" } else { "" };
        println!(
            "{}{}{kind}{leaf}{made_up}",
            "  ".repeat(depth),
            field.unwrap_or_default()
        );
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}
