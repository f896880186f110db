//! Our program, asked for its edges.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::{Shell, output, run};

/// The program that is named, else the workspace's own, built in release.
pub(crate) fn find(shell: &Shell, named: Option<PathBuf>) -> Result<PathBuf> {
    if let Some(named) = named {
        return std::path::absolute(&named).with_context(|| format!("{}", named.display()));
    }
    run(&mut shell.cargo("build --locked --release --package fourfold-cli"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| shell.root().join("target"));
    Ok(target.join("release/fourfold"))
}

/// The edges of the project in a folder, as lines of JSON.
pub(crate) fn edges(shell: &Shell, program: &Path, root: &Path) -> Result<String> {
    let mut export = shell.command(program);
    export.args(["graph", "export", "--format", "edges"]);
    output(export.current_dir(root))
}
