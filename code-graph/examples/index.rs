//! Indexes a checkout and says what it cost: `index ROOT [CACHE]`.
#![allow(clippy::print_stdout, reason = "an example program")]

use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_worktree::{Checkout, Control};
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let root = args.next().ok_or("which checkout?")?;
    let config = IndexConfig {
        cache: args
            .next()
            .map_or(Cache::User, |folder| Cache::Folder(PathBuf::from(folder))),
        ..IndexConfig::default()
    };
    let started = Instant::now();
    let index = Index::open(&Checkout::open(root)?, config);
    index.warm();
    let opened = started.elapsed();
    let refreshed = index.refresh(&Control::new())?;
    let graph = index.graph();
    let all = started.elapsed();
    println!("{}", index.coverage());
    println!("opened in {opened:.1?}; {refreshed:?}");
    println!(
        "{} nodes, {} edges in {all:.1?}",
        graph.len(),
        graph.edges().len()
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!(
        "{}",
        status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap_or_default()
    );
    Ok(())
}
