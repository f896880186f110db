//! Fetches the corpora and tells how much there is: `corpora [--lang L]… [--cache DIR]`.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::path::PathBuf;

use anyhow::{Result, bail};
use fourfold_benches::{corpora, report, tools};
use lexopt::prelude::*;

fn main() -> Result<()> {
    let mut languages = Vec::new();
    let mut cache = tools::target_folder()?.join("corpora");
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("lang") => languages.push(args.value()?.string()?),
            Long("cache") => cache = PathBuf::from(args.value()?),
            Long("help") => {
                println!("corpora [--lang LANGUAGE]... [--cache DIR]");
                return Ok(());
            }
            other => bail!("{}; try --help", other.unexpected()),
        }
    }
    if languages.is_empty() {
        languages = corpora::languages()?;
    }
    println!("{}", report::head(&["language", ">files", ">MB", "folder"]));
    for language in languages {
        let corpus = corpora::ready(&language, &cache)?;
        let (files, mb) = (corpus.files, corpus.bytes as f64 / 1e6);
        println!(
            "| {language} | {files} | {mb:.1} | {} |",
            corpus.folder.display()
        );
        for missing in corpus.missing {
            println!("|  |  |  | not to be had: {missing} |");
        }
    }
    Ok(())
}
