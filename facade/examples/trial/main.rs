//! Edits a real project over and over, and compares each verdict with what the project's own checker
//! says of the same files from scratch.
//!
//! `cargo run --release -p fourfold --example trial -- LANGUAGE FOLDER [--edits N] [--seed N] [--say]`
//!
//! LANGUAGE is python, rust or go; FOLDER is copied and not changed. Of each kind of mistake that a
//! verdict can make it prints how many there were, and each of them; the status is 0 when there was
//! no false clean and nothing was falsely called new. Servers are looked for on the search path.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement for a terminal: what goes wrong ends it"
)]

mod checker;
mod edits;
mod judge;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use fourfold::{Host, HostConfig, guard};

use checker::Language;
use edits::{Edits, Step};
use judge::Judge;

fn main() -> ExitCode {
    guard::enter();
    let mut args = std::env::args().skip(1);
    let usage = "give python, rust or go, and the folder of a project";
    let language = Language::named(&args.next().expect(usage)).expect(usage);
    let folder = args.next().expect(usage);
    let (mut edits, mut seed, mut say) = (64, 1, false);
    while let Some(option) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse().ok()).expect("a number");
        match option.as_str() {
            "--edits" => edits = number(),
            "--seed" => seed = number(),
            "--say" => say = true,
            other => panic!("no such option: {other}"),
        }
    }
    let place = tempfile::tempdir().unwrap();
    let base = place.path().canonicalize().unwrap();
    let (root, scratch) = (base.join("project"), base.join("scratch"));
    copy(Path::new(&folder), &root);

    let mut config = HostConfig::default();
    config.user_folder = Some(base.join("user"));
    config.servers.state_folder = base.join("state");
    let host = Host::new(config);
    let checkout = host.checkout(&root).unwrap();
    let conversation = checkout.conversation("trial");

    let mut judge = Judge::new(language, &root, &scratch);
    let mut steps = Edits::new(language, &root, seed as u64);
    for number in 1..=edits {
        let step: Step = steps.next_step();
        let begun = std::time::Instant::now();
        let verdict = step.perform(&conversation);
        let took = begun.elapsed();
        if say {
            println!(
                "-- {number}: {} ({} ms)\n{verdict}",
                step.about,
                took.as_millis()
            );
        }
        judge.judge(number, &step, &verdict, took);
    }
    println!("{}", judge.summary());
    drop((conversation, checkout, host));
    match judge.passed() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Copies the files of a project, without what tools leave in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let left = [
            "target",
            ".git",
            ".venv",
            "node_modules",
            ".fourfold",
            "__pycache__",
        ];
        if left.iter().any(|left| name == *left) {
            continue;
        }
        let to = to.join(&name);
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
