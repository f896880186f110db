//! `cargo xtask smoke`: what the README tells a newcomer to type first has to work.

use std::fs;

use anyhow::{Context, Result};

use crate::run::{Shell, run};

/// What is tried is the command and not how fast it runs: the build that users get takes two cores
/// more than ten minutes.
const QUICK_BUILD: [(&str, &str); 2] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
];

pub(crate) fn main(shell: &Shell) -> Result<()> {
    let readme = shell.root().join("README.md");
    if !readme.is_file() {
        eprintln!("note: there is no README.md to try");
        return Ok(());
    }
    let text = fs::read_to_string(&readme).context("cannot read README.md")?;
    let command = first_command(&text).context("README.md shows no command in a shell block")?;
    run(shell.command("sh").args(["-c", command]).envs(QUICK_BUILD))
}

/// The first line of the first block that a shell would read, without its prompt.
fn first_command(markdown: &str) -> Option<&str> {
    let mut in_shell = false;
    for line in markdown.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            in_shell = ["sh", "bash", "console", "shell"].contains(&language.trim());
        } else if in_shell && !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            let line = line.trim();
            return Some(line.strip_prefix("$ ").unwrap_or(line));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_is_found() {
        let text = "# X\n```rust\nlet x;\n```\n```console\n\n# search\n$ cargo run -- grep 'a'\nout\n```\n";
        assert_eq!(first_command(text), Some("cargo run -- grep 'a'"));
        assert_eq!(first_command("```sh\n```\n```\ncargo x\n```\n"), None);
    }
}
