//! `cargo xtask bench`: ourselves over time, and ourselves beside others.

use std::env;

use anyhow::Result;
use lexopt::prelude::*;

use crate::run::{Shell, is_installed, run};

/// The PyPI package of the program we are compared with.
const PEER: &str = "ast-grep-cli";

pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let mut name = None;
    if let Some(first) = args.next()? {
        match first {
            Value(value) => name = Some(value.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let rest = crate::rest(&mut args)?;
    match name.as_deref() {
        Some("peers") => return peers(shell, &rest),
        Some("framing") => return framing(shell, &rest),
        _ => {}
    }
    let mut bench = shell.cargo("bench --locked -p fourfold-benches");
    match name {
        Some(name) => bench.args(["--bench", &name]),
        None => bench.arg("--benches"),
    };
    run(bench.arg("--").args(rest))
}

/// Runs the comparison; a peer that is missing is installed into a folder of ours, not the system.
fn peers(shell: &Shell, args: &[String]) -> Result<()> {
    let home = shell.root().join("target/peers");
    if !is_installed("ast-grep") && !home.join("bin/ast-grep").is_file() {
        run(shell.command("python3").args(["-m", "venv"]).arg(&home))?;
        let pip = home.join("bin/pip");
        run(shell.command(pip).args(["install", "--quiet", PEER]))?;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(env::split_paths(&path).chain([home.join("bin")]))?;
    let mut peers = shell.cargo("run --locked --release -p fourfold-benches --bin peers --");
    run(peers.args(args).env("PATH", path))
}

/// Runs the readers of frames, which are a workspace of their own with a lock file of its own.
fn framing(shell: &Shell, args: &[String]) -> Result<()> {
    let mut peers = shell.cargo("run --locked --release --target-dir target/framing-peers");
    peers.args(["--manifest-path", "framing/peers/Cargo.toml", "--"]);
    run(peers.args(args))
}
