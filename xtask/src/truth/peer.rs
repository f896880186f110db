//! The peer: codegraph from npm, on the same checkout.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::{Shell, output, quietly};
use crate::toolbox::{NODE_JS, Toolbox};

/// Its package.
const PACKAGE: &str = "@colbymchenry/codegraph@1.6.1";

/// Its name in tables.
pub(crate) const NAME: &str = "codegraph";

/// Reads its store.
const EXPORT: &str = include_str!("peer.py");

/// Installs it; gives the program.
pub(crate) fn install(shell: &Shell, tools: &Toolbox) -> Result<PathBuf> {
    let _lock = tools.lock()?;
    tools.python(shell, &[NODE_JS], &[])?;
    tools.node(shell, &[PACKAGE], &[NAME])?;
    Ok(tools.bin().join(NAME))
}

/// Indexes a copy of the checkout, for it keeps its store inside, and gives its edges.
pub(crate) fn edges(shell: &Shell, program: &Path, root: &Path, work: &Path) -> Result<String> {
    let _ = fs::remove_dir_all(work);
    fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    quietly(shell.command("cp").arg("-r").arg(root.join(".")).arg(work))?;
    let mut init = shell.command(program);
    init.args(["init", "."])
        .env("DO_NOT_TRACK", "1")
        .env("CODEGRAPH_NO_WATCHDOG", "1")
        .stdin(std::process::Stdio::null());
    quietly(init.current_dir(work))?;
    let store = work.join(".codegraph/codegraph.db");
    let edges = output(shell.command("python3").args(["-c", EXPORT]).arg(store))?;
    fs::remove_dir_all(work)?;
    Ok(edges)
}
