//! `cargo xtask hunt`: bugs in public projects, found with the debugger alone.
//!
//! `hunt/hunts.json` has a line for each that was planted by chance and found without having been seen: the
//! project and its version, the line as it is right and wrong, and every call that was made from the
//! failing test on to the answer that shows it, detours and mistakes included. They are made again, on the
//! project as its registry has it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::adapters;
use crate::registry;
use crate::run::{Shell, quietly, run};

/// The page that the table is on.
const PAGE: &str = "dap-client/HUNTS.md";

/// What the table stands behind on the page.
const TABLE: &str = "<!-- cargo xtask hunt -->\n";

/// The hunts, and the tests of projects whose packages bring none.
const HUNTS: &str = "xtask/src/hunt";

/// Hunts all, and writes the table; or some, by the names of their projects.
pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let chosen = crate::rest(&mut args)?;
    adapters::provide(shell)?;
    run(&mut shell.cargo("build --quiet --locked -p fourfold-cli"))?;
    let text = fs::read_to_string(shell.root().join(HUNTS).join("hunts.json"))?;
    let hunts: Vec<Value> = serde_json::from_str(&text)?;
    let mut table = String::from(
        "| project | language | the line | calls | the last answer has |\n|---|---|---|---:|---|\n",
    );
    for hunt in &hunts {
        let hunt = Hunt { shell, hunt };
        if chosen.is_empty() || chosen.iter().any(|name| name == hunt.word("project")) {
            hunt.goes()
                .with_context(|| format!("the bug in {}", hunt.word("project")))?;
        }
        table.push_str(&hunt.row());
    }
    let page = shell.root().join(PAGE);
    let text = fs::read_to_string(&page)?;
    let (before, _) = text
        .split_once(TABLE)
        .with_context(|| format!("{PAGE} has no place for the table"))?;
    fs::write(&page, format!("{before}{TABLE}\n{table}"))?;
    print!("{table}");
    Ok(())
}

/// One bug.
struct Hunt<'a> {
    shell: &'a Shell,
    hunt: &'a Value,
}

impl Hunt<'_> {
    fn word(&self, key: &str) -> &str {
        self.hunt[key].as_str().unwrap_or_default()
    }

    fn calls(&self) -> &[Value] {
        self.hunt["calls"].as_array().map_or(&[], Vec::as_slice)
    }

    /// A folder of the build's own.
    fn home(&self) -> PathBuf {
        self.shell.root().join("target/hunts")
    }

    /// Makes every call again.
    fn goes(&self) -> Result<()> {
        let begun = Instant::now();
        let project = self.fetched()?;
        let file = project.join(self.word("file"));
        let text = fs::read_to_string(&file)?;
        if text.matches(self.word("right")).count() != 1 {
            bail!("{} has not that line once", file.display());
        }
        fs::write(&file, text.replace(self.word("right"), self.word("wrong")))?;
        if let Some([name, test]) = self.hunt["use"].as_array().map(Vec::as_slice) {
            let (name, test) = (name.as_str(), test.as_str());
            let test = self.shell.root().join(HUNTS).join(test.unwrap_or_default());
            fs::copy(test, project.join(name.unwrap_or_default()))?;
        }
        // Its checkout is this folder, and not ours around it.
        quietly(
            self.shell
                .command("git")
                .args(["init", "--quiet"])
                .arg(&project),
        )?;
        let mut said = String::new();
        for call in self.calls() {
            let words = call.as_array().into_iter().flatten();
            let mut fourfold = self.fourfold(&project)?;
            let output = fourfold
                .arg("debug")
                .args(words.filter_map(Value::as_str))
                .output()?;
            said = [output.stdout, output.stderr]
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .concat();
        }
        // Of a session that is still there.
        self.fourfold(&project)?
            .args(["serve", "--stop"])
            .output()?;
        if !said.contains(self.word("betrays")) {
            bail!(
                "the last call said\n{said}\nwithout `{}`",
                self.word("betrays")
            );
        }
        eprintln!(
            "{}: found, {} calls of `fourfold debug`, {:.1} s",
            self.word("project"),
            self.calls().len(),
            begun.elapsed().as_secs_f64()
        );
        Ok(())
    }

    /// The command line of ours, beside the adapters.
    fn fourfold(&self, project: &Path) -> Result<Command> {
        let adapters = adapters::home(self.shell);
        let config = self.home().join("config");
        let node = adapters.bin().join("node");
        let script = adapters.folder().join("js-debug/vsDebugServer.cjs");
        let js_debug = json!([node, script, "0", "127.0.0.1"]);
        fs::create_dir_all(config.join("fourfold"))?;
        let text = format!("[adapters.js-debug]\ncommand = {js_debug}\n");
        fs::write(config.join("fourfold/fourfold.toml"), text)?;
        let mut command = Command::new(self.shell.root().join("target/debug/fourfold"));
        command
            .current_dir(project)
            .env("PATH", adapters.search_path()?)
            .env("VIRTUAL_ENV", adapters.folder().join("venv"))
            .env("XDG_CONFIG_HOME", &config)
            .env("XDG_STATE_HOME", self.home().join("state"))
            .env("XDG_CACHE_HOME", self.home().join("cache"))
            .env("CARGO_TARGET_DIR", self.home().join("target"));
        Ok(command)
    }

    /// The project, unpacked anew.
    fn fetched(&self) -> Result<PathBuf> {
        let (shell, package) = (self.shell, self.word("package"));
        let project = self.home().join(self.word("project"));
        let download = self.home().join("download");
        for folder in [&project, &download] {
            let _ = fs::remove_dir_all(folder);
        }
        fs::create_dir_all(&project)?;
        match self.word("from") {
            "pip" => registry::pypi(shell, package, &download, &project)?,
            "npm" => {
                let npm = adapters::home(shell).npm(shell)?;
                registry::npm(shell, npm, package, &download, &project)?;
            }
            "cargo" => {
                let package = package.split_once('@').context("no version")?;
                registry::cargo(shell, package, &download, &project)?;
            }
            other => bail!("there is no registry `{other}`"),
        }
        Ok(project)
    }

    fn row(&self) -> String {
        let code = |key: &str| format!("`{}`", self.word(key).trim().replace('|', "\\|"));
        let (package, line) = (self.word("package"), code("wrong"));
        format!(
            "| {package} | {} | {line} | {} | {} |\n",
            self.word("language"),
            self.calls().len(),
            code("betrays")
        )
    }
}
