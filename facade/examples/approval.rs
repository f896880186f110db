//! A host that asks a person before anything is written, and shows what would change.
//!
//! `cargo run --example approval` asks at the terminal; where there is none, nobody says yes.

use std::error::Error;
use std::io::{self, BufRead as _, Write as _};

use fourfold::{Approval, Host, HostConfig, Policy, Proposal};
use serde_json::json;

/// Accept or discard.
fn ask(proposal: &Proposal) -> Approval {
    let shown = writeln!(
        io::stdout().lock(),
        "{}\n{:?} {}: accept? [y/N]",
        proposal.diff,
        proposal.deed,
        proposal.what
    );
    let mut word = String::new();
    match (shown, io::stdin().lock().read_line(&mut word)) {
        (Ok(()), Ok(_)) if word.trim() == "y" => Approval::Granted,
        _ => Approval::Declined("the person at the terminal did not accept it".to_owned()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    fourfold::guard::enter();
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.py"), "old(1)\nold(2)\n")?;

    let mut config = HostConfig::default();
    config.policy = Policy::ask(ask);
    let checkout = Host::new(config).checkout(folder.path())?;
    let conversation = checkout.conversation("agent-1");

    let edit = json!({"pattern": "old($X)", "template": "new($X)"});
    let staged = conversation.call("ast_edit", edit).await?;
    let apply = json!({"id": staged.value["stage"], "action": "apply"});
    let said = match conversation.call("resolve", apply).await {
        Ok(applied) => applied.text,
        // This is what the model reads; the stage is still there.
        Err(declined) => format!("{declined}\n"),
    };
    let now = std::fs::read_to_string(folder.path().join("a.py"))?;
    let lines: Vec<&str> = now.lines().collect();
    writeln!(
        io::stdout().lock(),
        "{said}a.py is now: {}",
        lines.join(" ")
    )?;
    Ok(())
}
