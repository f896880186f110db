//! `cargo xtask truth`: how right our code graph is, measured against type-aware indexes.
//!
//! Each corpus is a project from a package registry, indexed once by a compiler or a type checker.
//! What the index proves is compared with what `fourfold graph export` says.

mod edges;
mod heritage;
mod imports;
mod reference;
mod scip;
mod score;
mod source;
mod spans;
mod symbols;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::run::Shell;

pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let _ = shell;
    let words = crate::rest(&mut args)?;
    let [folder, file] = words.as_slice() else { anyhow::bail!("x") };
    let folder = Path::new(folder);
    let root = folder.join("src");
    let begun = std::time::Instant::now();
    let documents = scip::read(&fs::read(folder.join("index.scip"))?)?;
    eprintln!("read {:?}", begun.elapsed());
    let mut reference = reference::Reference::new(&documents, &root, |_| true)?;
    eprintln!("reference {:?}", begun.elapsed());
    let edges = edges::read(&fs::read_to_string(file).context("edges")?, &root)?;
    for kind in edges::Kind::ALL {
        let score = score::score(&mut reference, &edges, kind);
        println!("{} {} {} {:?} {:?} {:?} neutral {}", kind.name(), score.in_reference, score.from_tool, score.all, score.same_file, score.cross_file, score.neutral);
    }
    eprintln!("score {:?}", begun.elapsed());
    Ok(())
}
