//! The guides say what happens: their commands are run, and what they say is what comes.
//!
//! A block whose info string has `file=PATH` is a file of the project that the page is about. In a
//! block marked `console`, a line that begins with `$ ` is a command, and those below it are what it
//! says: `...` stands for any text, and alone on a line for any lines. `STAGE` is the stage that was
//! made last. A command that fails ends with 2 or more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::Project;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// A fenced block.
struct Block {
    info: String,
    text: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in markdown.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            (Some(_), Some("")) => found.extend(open.take()),
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block has no end");
    found
}

/// A command with what it is to say.
fn commands(console: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for line in console.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push((command.to_owned(), Vec::new())),
            (None, Some((_, expected))) => expected.push(line.to_owned()),
            (None, None) => panic!("a console block begins with a command, not with: {line}"),
        }
    }
    all
}

/// Whether lines are as they are expected to be.
fn are_alike(said: &[&str], expected: &[String]) -> bool {
    match (expected.split_first(), said.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((line, rest)), _) if line == "..." => {
            (0..=said.len()).any(|skipped| are_alike(&said[skipped..], rest))
        }
        (Some(_), None) => false,
        (Some((line, rest)), Some((first, others))) => {
            is_alike(first, line) && are_alike(others, rest)
        }
    }
}

fn is_alike(said: &str, expected: &str) -> bool {
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = said.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The page whose commands need a debug adapter.
const DEBUGGING: &str = "debug-a-failing-test.md";

/// The page whose settings are those of servers too.
const CONFIGURING: &str = "configuration.md";

/// Runs the commands of a page, each as `prepare` has it; how many there are.
fn try_out(page: &Path, prepare: impl Fn(&mut Command)) -> usize {
    let blocks = blocks(&fs::read_to_string(page).unwrap());
    let project = Project::new(&[]);
    for block in &blocks {
        let file = block
            .info
            .split_whitespace()
            .find_map(|word| word.strip_prefix("file="));
        if let Some(path) = file {
            project.write(path, &block.text);
        }
    }
    let program = Path::new(env!("CARGO_BIN_EXE_fourfold")).parent().unwrap();
    let mut stage = String::new();
    let mut tried = 0;
    for block in blocks.iter().filter(|block| block.info == "console") {
        for (command, expected) in commands(&block.text) {
            let command = command.replace("STAGE", &stage);
            let mut shell = Command::new("/bin/sh");
            let as_ours = project.command();
            shell.envs(
                as_ours
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
            shell
                .current_dir(project.root())
                .env("PATH", program)
                .arg("-c")
                .arg(&command);
            prepare(&mut shell);
            let run = project.finish(&mut shell);
            let whole = format!("{}{}", run.out, run.err);
            let said: Vec<&str> = whole.lines().collect();
            assert!(
                run.status < 2 && are_alike(&said, &expected),
                "{}: `{command}` ended with {} and said\n{whole}\nnot\n{}",
                page.display(),
                run.status,
                expected.join("\n")
            );
            if let Some(at) = whole.find("s-") {
                let id = whole[at..]
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '-');
                stage = id.collect();
            }
            tried += 1;
        }
    }
    tried
}

#[test]
fn every_command_does_what_its_page_says() {
    let mut tried = 0;
    for entry in fs::read_dir(docs()).unwrap() {
        let page = entry.unwrap().path();
        if page.extension().is_some_and(|extension| extension == "md") && !page.ends_with(DEBUGGING)
        {
            tried += try_out(&page, |command| {
                // A table of servers is read by who may ask one.
                if page.ends_with(CONFIGURING) {
                    command.env("FOURFOLD_NO_CHECK", "");
                }
            });
        }
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn dots_stand_for_what_does_not_matter() {
    let expected = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(are_alike(
        &["a 1 b", "x", "c"],
        &expected("a ... b\n...\nc")
    ));
    assert!(are_alike(&["ab"], &expected("...a...b...")));
    assert!(!are_alike(&["ab", "c"], &expected("ab")));
    assert!(!are_alike(&["ba"], &expected("a...b")));
}

/// With what `cargo xtask adapters` installs.
mod real {
    use std::path::Path;

    use fourfold_testkit::adapters;

    use super::{DEBUGGING, docs, try_out};

    #[test]
    fn a_red_test_is_followed_to_its_cause_as_the_page_says() {
        let ours = Path::new(env!("CARGO_BIN_EXE_fourfold")).parent().unwrap();
        let python = adapters::python();
        let first = [ours, python.parent().unwrap()].map(Path::to_path_buf);
        let machine = adapters::path();
        let path = first.into_iter().chain(std::env::split_paths(&machine));
        let path = std::env::join_paths(path).unwrap();
        let tried = try_out(&docs().join(DEBUGGING), |command| {
            // A session lives in a process of its own, which ends soon after.
            command.env("PATH", &path).env("FOURFOLD_NO_SERVE", "0");
        });
        assert!(tried > 8, "{tried}");
    }
}
