//! Writes a file of a checkout and prints what the language servers say.
//!
//! `cargo run --example verdict -- CHECKOUT PATH OLD NEW`
#![allow(clippy::print_stdout, reason = "an example for a terminal")]

use std::fs;

use fourfold::{Host, HostConfig, guard};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    guard::enter();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [root, path, rest @ ..] = args.as_slice() else {
        return Err("give a checkout, a path in it, and pairs of old and new text".into());
    };
    let host = Host::new(HostConfig::default());
    let checkout = host.checkout(root)?;
    let conversation = checkout.conversation("example");
    for pair in rest.chunks(2) {
        let [old, new] = pair else { break };
        let before = conversation.before_write([path])?;
        let file = checkout.root().join(path);
        fs::write(&file, fs::read_to_string(&file)?.replacen(old, new, 1))?;
        let verdict = conversation.after_write(before)?;
        println!("{old} -> {new}\n{verdict}");
    }
    Ok(())
}
