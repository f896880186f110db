//! Renames a word in every file named on the command line: all files or none.
//!
//! `cargo run -p fourfold-rewrite-txn --example rename_across_files -- ROOT OLD NEW FILE...`

use std::error::Error;
use std::io::Write;

use fourfold_rewrite_txn::{ContentHash, DiffOptions, Durability, Edit, Stage};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [root, old, new, files @ ..] = args.as_slice() else {
        return Err("usage: rename_across_files ROOT OLD NEW FILE...".into());
    };
    let mut stage = Stage::new(root)?;
    for file in files {
        let text = std::fs::read_to_string(std::path::Path::new(root).join(file))?;
        let edits = text
            .match_indices(old.as_str())
            .map(|(at, found)| Edit::new(at..at + found.len(), new.as_str()))
            .collect();
        // Staged only if nobody has changed the file since it was read.
        stage.replace_if(file, ContentHash::of(text.as_bytes()), edits)?;
    }
    let mut staged = stage.finish()?;
    let mut out = std::io::stdout().lock();
    write!(out, "{}", staged.diff(&DiffOptions::default()))?;
    let committed = staged.commit(Durability::PowerLoss)?;
    writeln!(
        out,
        "{}: {} files changed",
        staged.id(),
        committed.files.len()
    )?;
    Ok(())
}
