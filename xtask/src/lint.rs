//! `cargo xtask lint`: all that is checked without running our code.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::members::{Member, members};
use crate::run::{Shell, run};
use crate::{api, arrows, book, docs, supply, tidy};

type Step = fn(&Shell, &[Member]) -> Result<()>;

/// Quick ones first.
const STEPS: &[(&str, Step)] = &[
    ("arrows", |_, members| report(arrows::forbidden(members))),
    ("tidy", |shell, members| {
        report(tidy::untidy(shell, members)?)
    }),
    ("book", |shell, members| {
        report(book::astray(shell, members)?)
    }),
    ("supply", |shell, _| report(supply::wrong(shell)?)),
    ("fmt", |shell, _| run(&mut shell.cargo("fmt --all --check"))),
    ("features", features),
    ("clippy", |shell, _| {
        run(&mut shell.cargo("clippy --workspace --all-targets --locked -- -D warnings"))
    }),
    ("doc", |shell, _| {
        let mut doc = shell.cargo("doc --workspace --no-deps --locked");
        run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    }),
    ("api", |shell, members| report(api::gone(shell, members)?)),
    ("docs", |shell, _| docs::check(shell)),
];

/// Sets of features that an embedder may choose and the other steps do not see.
const FEATURE_SETS: &[(&str, &str)] = &[
    ("fourfold", "--no-default-features"),
    ("fourfold-framing", "--no-default-features"),
    ("fourfold-syntax", "--no-default-features --features json"),
];

/// Runs the steps that are named, or all; goes on after a failure, so that one run shows all.
pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let wanted = crate::rest(&mut args)?;
    let names: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        bail!(
            "there is no step `{unknown}`; the steps are {}",
            names.join(", ")
        );
    }
    let members = members(shell)?;
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let begun = Instant::now();
        let verdict = match step(shell, &members) {
            Ok(()) => "ok",
            Err(error) => {
                eprintln!("{error:#}");
                failed.push(*name);
                "FAILED"
            }
        };
        eprintln!(
            "lint {name}: {verdict}, {:.1} s",
            begun.elapsed().as_secs_f64()
        );
    }
    if !failed.is_empty() {
        bail!("lint failed: {}", failed.join(", "));
    }
    Ok(())
}

fn report(found: Vec<String>) -> Result<()> {
    if !found.is_empty() {
        bail!("{}", found.join("\n"));
    }
    Ok(())
}

fn features(shell: &Shell, members: &[Member]) -> Result<()> {
    FEATURE_SETS
        .iter()
        .filter(|(package, _)| members.iter().any(|member| member.name == *package))
        .map(|(package, set)| shell.cargo(&format!("check --locked -p {package} {set}")))
        .try_for_each(|mut command| run(&mut command))
}
