//! The tools as an agent host sees them: their schemas, and calls with JSON.

use std::error::Error;
use std::io::{self, Write};

use fourfold::{Host, HostConfig};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.py"), "old(1)\nold(2)\n")?;
    let mut out = io::stdout().lock();

    let host = Host::new(HostConfig::default());
    let checkout = host.checkout(folder.path())?;
    for tool in checkout.tools() {
        writeln!(
            out,
            "{} ({:?}): {}",
            tool.name, tool.access, tool.description
        )?;
        writeln!(out, "{}\n", tool.input_schema)?;
    }

    let conversation = checkout.conversation("agent-1");
    let edit = json!({"pattern": "old($X)", "template": "new($X)"});
    let staged = conversation.call("ast_edit", edit).await?;
    writeln!(out, "{}", staged.text)?;
    let apply = json!({"id": staged.value["stage"], "action": "apply"});
    writeln!(out, "{}", conversation.call("resolve", apply).await?.text)?;

    // A slip gets one sentence with what would do.
    if let Err(error) = conversation
        .call("ast_grep", json!({"patern": "old($X)"}))
        .await
    {
        writeln!(out, "{error}")?;
    }
    Ok(())
}
