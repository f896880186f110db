//! What a checkout could use, and what is missing: `cargo run -p fourfold-lsp-client --example
//! survey -- FOLDER`. Starts no server.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use fourfold_lsp_client::{Catalog, DetectConfig, Detector, Trust};

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn Error>> {
    // First thing: this program is also the guard of what it starts.
    fourfold_child::guard::enter();
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let checkout = fs::canonicalize(folder)?;
    let mut files = Vec::new();
    walk(&checkout, &mut files);
    let state = std::env::temp_dir().join("fourfold-survey");
    let detector = Detector::new(
        Catalog::built_in(),
        &checkout,
        Trust::Untrusted,
        DetectConfig::new(state),
    )?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let survey = runtime.block_on(detector.survey(files));
    for found in survey.found {
        println!("{:5} {}", found.files, found.detection);
    }
    Ok(())
}

/// A host has a better walk: one that knows what is ignored.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden && entry.file_name() != "target" => {
                walk(&entry.path(), files);
            }
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}
