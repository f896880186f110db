//! A patch, applied to texts in memory: `cargo run -p fourfold-edit --example patch`.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::BTreeMap;

use fourfold_edit::{Action, Error, Outcome, Patch};

const PATCH: &str = "\
*** Begin Patch
*** Update File: src/greet.rs
@@ fn greet(name: &str) {
-    println!(\"Hello {name}\");
+    println!(\"Hello, {name}!\");
*** Add File: src/part.rs
+pub fn part() {}
*** Update File: notes.md
*** Move to: docs/notes.md
@@
-todo: greet
*** End Patch
";

fn main() -> Result<(), Error> {
    let mut files = BTreeMap::from([
        (
            "src/greet.rs".to_owned(),
            b"fn greet(name: &str) {\r\n    println!(\"Hello {name}\");\r\n}\r\n".to_vec(),
        ),
        ("notes.md".to_owned(), b"# Notes\ntodo: greet\n".to_vec()),
    ]);
    for change in Patch::parse(PATCH)?.files {
        let outcome = change.apply(files.get(&change.path).map(Vec::as_slice))?;
        match outcome {
            Outcome::Added(content) => {
                println!("adds {}", change.path);
                files.insert(change.path, content);
            }
            Outcome::Updated(updated) => {
                println!("updates {} ({})", change.path, updated.tolerance());
                files.remove(&change.path);
                let path = match change.action {
                    Action::Update { to: Some(to), .. } => to,
                    _ => change.path,
                };
                files.insert(path, updated.text);
            }
            _ => {
                println!("deletes {}", change.path);
                files.remove(&change.path);
            }
        }
    }
    for (path, text) in files {
        println!("\n{path}:\n{}", String::from_utf8_lossy(&text));
    }
    Ok(())
}
