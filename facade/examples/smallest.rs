//! The smallest host: open a checkout, call a tool by its name, give the model the text.

use std::error::Error;
use std::io::{self, Write};

use fourfold::{Host, HostConfig};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The first line of every host that keeps language servers: some of its processes only see to it
    // that these end.
    fourfold::guard::enter();

    let folder = tempfile::tempdir()?;
    std::fs::write(
        folder.path().join("a.py"),
        "def greet(name):\n    return name\n",
    )?;

    let checkout = Host::new(HostConfig::default()).checkout(folder.path())?;
    let conversation = checkout.conversation("agent-1");
    let answer = conversation
        .call("search_code", json!({"query": "greet"}))
        .await?;
    write!(io::stdout().lock(), "{}", answer.text)?;
    assert!(answer.text.contains("a.py"));
    Ok(())
}
