//! `cargo xtask docs`: the pages that are written from what the code says.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::run::{Shell, output};

/// The page, and the example that prints it.
const PAGES: &[(&str, &str)] = &[("docs/tools.md", "reference")];

/// Writes the pages anew.
pub(crate) fn write(shell: &Shell) -> Result<()> {
    for (page, example) in PAGES {
        fs::write(shell.root().join(page), printed(shell, example)?)
            .with_context(|| format!("cannot write {page}"))?;
        eprintln!("wrote {page}");
    }
    Ok(())
}

/// Whether they are as the code says.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    for (page, example) in PAGES {
        let there = fs::read_to_string(shell.root().join(page)).unwrap_or_default();
        if there != printed(shell, example)? {
            bail!("{page} is not what the schemas say: `cargo xtask docs` writes it anew");
        }
    }
    Ok(())
}

fn printed(shell: &Shell, example: &str) -> Result<String> {
    output(&mut shell.cargo(&format!(
        "run --quiet --locked -p fourfold --example {example}"
    )))
}
