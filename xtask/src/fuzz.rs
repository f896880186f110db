//! `cargo xtask fuzz`: the targets in the `fuzz/` folders of the crates that read outside bytes.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;

use crate::run::{Shell, output, run};

struct Target {
    /// The crate's `fuzz/` folder.
    folder: PathBuf,
    name: String,
}

pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let (mut wanted, mut seconds) = (None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("seconds") => seconds = Some(args.value()?.parse::<u32>()?),
            Value(name) if wanted.is_none() => wanted = Some(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let targets = targets(shell)?;
    if wanted.is_none() && seconds.is_none() {
        for target in &targets {
            let room = target.folder.parent().and_then(|room| room.file_name());
            println!("{} ({})", target.name, room.unwrap_or_default().display());
        }
        return Ok(());
    }
    let chosen: Vec<_> = targets
        .iter()
        .filter(|target| wanted.as_ref().is_none_or(|name| *name == target.name))
        .collect();
    if chosen.is_empty() {
        bail!("there is no such target; `cargo xtask fuzz` lists them");
    }
    if output(&mut shell.cargo("fuzz --version")).is_err() {
        run(&mut shell.cargo("install --locked cargo-fuzz"))?;
    }
    for target in chosen {
        let mut fuzz = shell.cargo("fuzz run --fuzz-dir");
        fuzz.arg(&target.folder).arg(&target.name);
        // New inputs go to the first folder; the committed ones are read only.
        let found = shell.root().join("target/fuzz").join(&target.name);
        fs::create_dir_all(&found).context("cannot make a folder for what is found")?;
        fuzz.arg(found);
        let committed = target.folder.join("corpus").join(&target.name);
        fuzz.args(committed.is_dir().then_some(committed));
        fuzz.arg("--")
            .arg(format!("-max_total_time={}", seconds.unwrap_or(60)));
        // The sanitizers are behind a gate that this opens on a stable compiler.
        run(fuzz.env("RUSTC_BOOTSTRAP", "1"))?;
    }
    Ok(())
}

/// All targets, by crate and name.
fn targets(shell: &Shell) -> Result<Vec<Target>> {
    let mut found = Vec::new();
    for room in fs::read_dir(shell.root()).context("cannot list the workspace")? {
        let folder = room?.path().join("fuzz");
        let Ok(sources) = fs::read_dir(folder.join("fuzz_targets")) else {
            continue;
        };
        for source in sources {
            let source = source?.path();
            if source
                .extension()
                .is_some_and(|extension| extension == "rs")
                && let Some(name) = source.file_stem()
            {
                found.push(Target {
                    folder: folder.clone(),
                    name: name.to_string_lossy().into_owned(),
                });
            }
        }
    }
    found.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
    Ok(found)
}
