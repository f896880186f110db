//! `cargo xtask bench`: ourselves over time, and ourselves beside others.

use std::env;

use anyhow::Result;
use lexopt::prelude::*;

use crate::run::{Shell, is_installed, run};
use crate::truth::{Corpora, peer};

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
        Some("graph") => return graph(shell, rest),
        Some("debug") => return debug(shell, &rest),
        Some("host") => return host(shell, &rest),
        _ => {}
    }
    let mut bench = shell.cargo("bench --locked -p fourfold-benches");
    match name {
        Some(name) => bench.args(["--bench", &name]),
        None => bench.arg("--benches"),
    };
    run(bench.arg("--").args(rest))
}

/// What a step and an evaluation cost beside what the adapter takes.
fn debug(shell: &Shell, args: &[String]) -> Result<()> {
    let mut bench = shell.cargo("bench --locked -p fourfold-dap-client --bench our_part --");
    run(bench.args(args))
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

/// Measures our graph and the peer's on the checkouts of `truth`; words name projects.
fn graph(shell: &Shell, args: Vec<String>) -> Result<()> {
    let corpora = Corpora::new(shell);
    let peer = peer::install(shell, &corpora.tools(peer::NAME))?;
    let words = args.iter().take_while(|arg| !arg.starts_with('-')).count();
    let (names, options) = args.split_at(words);
    let names = match names {
        [] => corpora.names(),
        names => names.to_vec(),
    };
    let mut bench = shell.cargo("run --locked --release -p fourfold-benches --bin graph -- --peer");
    bench.arg(peer);
    for name in names {
        bench.arg(format!("{name}={}", corpora.checkout(&name)?.display()));
    }
    run(bench.args(options))
}

/// Measures `fourfold mcp` as a host sees it.
fn host(shell: &Shell, args: &[String]) -> Result<()> {
    let mut bench = shell.cargo("run --locked --release -p fourfold-benches --bin host --");
    run(bench.args(args))
}

/// Runs the readers of frames, which are a workspace of their own with a lock file of its own.
fn framing(shell: &Shell, args: &[String]) -> Result<()> {
    let mut peers = shell.cargo("run --locked --release --target-dir target/framing-peers");
    peers.args(["--manifest-path", "framing/peers/Cargo.toml", "--"]);
    run(peers.args(args))
}
