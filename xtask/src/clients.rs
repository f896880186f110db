//! `cargo xtask clients`: the agent hosts' ends of the Model Context Protocol that the tests of
//! `fourfold mcp` speak with: the official SDKs, in a folder of ours, pinned.

use std::env;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;

use crate::run::Shell;
use crate::toolbox::{NODE_JS, Toolbox};

/// From the Python index; the second brings a Node.js.
const PYTHON: &[&str] = &["mcp==2.3.0", NODE_JS];

/// From npm: the SDK of the handshake, and the client of the protocol that has none.
const NODE: &[&str] = &[
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
];

/// Installs what is missing into `target/clients` (or `FOURFOLD_CLIENTS`); quick when nothing is.
pub(crate) fn provide(shell: &Shell) -> Result<()> {
    let chosen = env::var_os("FOURFOLD_CLIENTS").map(PathBuf::from);
    let home = Toolbox::at(chosen.unwrap_or_else(|| shell.root().join("target/clients")));
    let begun = Instant::now();
    // Two runs at once would install into each other.
    let _lock = home.lock()?;
    home.python(shell, PYTHON, &[])?;
    home.node(shell, NODE, &[])?;
    eprintln!(
        "MCP clients: in {}, {:.1} s",
        home.folder().display(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}
