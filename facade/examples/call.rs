//! Calls tools of a checkout by their names, as an agent's host does.
//!
//! `cargo run --example call -- CHECKOUT TOOL JSON [TOOL JSON]...`
#![allow(clippy::print_stdout, reason = "an example for a terminal")]

use fourfold::{Host, HostConfig, guard};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Language servers end with this program, however it ends.
    guard::enter();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [root, calls @ ..] = args.as_slice() else {
        return Err("give a checkout, and pairs of a tool and its arguments".into());
    };
    let host = Host::new(HostConfig::default());
    let conversation = host.checkout(root)?.conversation("example");
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    for call in calls.chunks(2) {
        let [tool, arguments] = call else { break };
        let arguments = serde_json::from_str(arguments)?;
        match runtime.block_on(conversation.call(tool, arguments)) {
            Ok(result) => println!("{}", result.text),
            Err(error) => println!("error: {error}\n"),
        }
    }
    Ok(())
}
