//! Every command of the README, and of the pages on commands and patterns, works as it is written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::guides::IN_SHELL;
use crate::project::Project;

/// The lines of the shell blocks.
fn commands(markdown: &str) -> Vec<&str> {
    let mut in_shell = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_shell = line == "```sh";
        } else if in_shell {
            found.push(line);
        }
    }
    found
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// The sources of this workspace, copied.
fn copy() -> Project {
    let project = Project::new(&[]);
    for room in [
        "syntax",
        "worktree",
        "pattern-match",
        "rewrite-txn",
        "facade",
        "cli",
    ] {
        for part in ["src", "tests/it"] {
            copy_into(&project, &Path::new(room).join(part));
        }
        // It says what the crate is called in the others.
        let manifest = Path::new(room).join("Cargo.toml");
        let text = fs::read(workspace().join(&manifest)).unwrap();
        project.write(manifest.to_str().unwrap(), text);
    }
    project
}

fn copy_into(project: &Project, folder: &Path) {
    let Ok(entries) = fs::read_dir(workspace().join(folder)) else {
        return;
    };
    for entry in entries {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_into(project, &path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            project.write(path.to_str().unwrap(), fs::read(entry.path()).unwrap());
        }
    }
}

/// The words of a line as a shell reads them; single quotes are all that the README uses.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_command_works() {
    let mut tried = 0;
    let guides = IN_SHELL.map(|page| format!("docs/{page}"));
    let readmes = ["README.md", "cli/README.md"].map(str::to_owned);
    for readme in readmes.into_iter().chain(guides) {
        let text = fs::read_to_string(workspace().join(&readme)).unwrap();
        let project = copy();
        let mut stage = String::new();
        for line in commands(&text) {
            let Some(line) = line.strip_prefix("fourfold ") else {
                continue;
            };
            let line = line.replace("s-7k2m", &stage);
            let run = project.run(words(&line));
            assert_eq!(run.status, 0, "{readme}: {line}\n{}", run.whole());
            let silent = ["resolve", "write", "edit"];
            let silent = silent.iter().any(|command| line.starts_with(command));
            assert!(!run.out.is_empty() || silent, "{line}");
            if line.starts_with("rewrite") {
                stage = run.stage();
            }
            tried += 1;
        }
    }
    assert!(tried > 15, "{tried}");
}

/// A newcomer is to type two things, and these are chores of this workspace.
#[test]
fn there_are_two_commands_to_set_up() {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    let others: Vec<&str> = commands(&text)
        .into_iter()
        .filter(|line| !line.starts_with("fourfold "))
        .collect();
    assert_eq!(others, ["cargo run --release -- tour", "cargo xtask test"]);
}
