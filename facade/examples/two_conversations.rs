//! Two conversations on one checkout at once: each has stages of its own, and what one writes over
//! what the other has staged is noticed.

use std::error::Error;
use std::io::{self, Write as _};

use fourfold::{Event, Host, HostConfig};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    fourfold::guard::enter();
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.py"), "old(1)\n")?;
    std::fs::write(folder.path().join("b.py"), "old(2)\n")?;

    let checkout = Host::new(HostConfig::default()).checkout(folder.path())?;
    let (one, two) = (checkout.conversation("one"), checkout.conversation("two"));

    // What happens meanwhile, for a status line.
    let mut events = one.events();
    let listening = tokio::spawn(async move {
        loop {
            if let Event::Progress { tool, done, total } = events.next().await {
                let _ = writeln!(io::stderr().lock(), "{tool}: {done} of {total} files");
            }
        }
    });

    let edit = json!({"pattern": "old($X)", "template": "new($X)"});
    let (mine, yours) = tokio::join!(
        one.call("ast_edit", edit),
        two.call("write", json!({"path": "b.py", "content": "other(2)\n"})),
    );
    let (mine, _yours) = (mine?, yours?);

    // Whichever came first: a stage never writes over what it has not seen.
    let apply = json!({"id": mine.value["stage"], "action": "apply"});
    let said = match one.call("resolve", apply).await {
        Ok(applied) => applied.text,
        Err(drifted) => format!("{drifted}\n"),
    };
    io::stdout().lock().write_all(said.as_bytes())?;
    assert_eq!(
        std::fs::read_to_string(folder.path().join("b.py"))?,
        "other(2)\n"
    );

    // The other conversation has nothing staged.
    let staged = two.call("staged", json!({})).await?;
    assert!(staged.value["stages"].as_array().is_some_and(Vec::is_empty));
    listening.abort();
    Ok(())
}
