//! The programs that know types and write what they know as SCIP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::corpora::{Known, Registry};
use crate::run::{Shell, output, quietly};
use crate::servers;
use crate::toolbox::{NODE_JS, Toolbox};

/// From npm.
const PACKAGES: &[&str] = &[
    "@sourcegraph/scip-python@0.6.6",
    "@sourcegraph/scip-typescript@0.4.0",
];

/// Their programs.
const PROGRAMS: &[&str] = &["scip-python", "scip-typescript"];

/// Of Debian: Rust's own indexer, and the sources of the standard library that it reads.
const SYSTEM: [&str; 2] = ["rust-web-analyzer", "rust-web-src"];

/// npm, which comes with a Node.js of ours.
pub(crate) fn npm(shell: &Shell, tools: &Toolbox) -> Result<Command> {
    let _lock = tools.lock()?;
    tools.python(shell, &[NODE_JS], &[])?;
    tools.npm(shell)
}

/// The indexers and where they are installed.
pub(crate) struct Indexers<'a> {
    shell: &'a Shell,
    tools: &'a Toolbox,
}

impl<'a> Indexers<'a> {
    pub(crate) fn new(shell: &'a Shell, tools: &'a Toolbox) -> Indexers<'a> {
        Indexers { shell, tools }
    }

    /// Indexes a checkout. The index appears when it is whole.
    pub(crate) fn index(&self, known: &Known, root: &Path, index: &Path) -> Result<()> {
        let part = index.with_extension("part");
        let indexed = match &known.from {
            Registry::PyPi { may_be_cut } => {
                let mut scip = self.program("scip-python")?;
                scip.args(["index", ".", "--project-name", known.name]);
                scip.args(["--project-version", known.version, "--output"]);
                let indexed = quietly(scip.arg(&part).current_dir(root));
                let is_there = fs::metadata(&part).is_ok_and(|part| part.len() > 0);
                match indexed {
                    Err(_) if *may_be_cut && is_there => {
                        eprintln!("note: the indexer of {} crashed near its end", known.name);
                        Ok(())
                    }
                    indexed => indexed,
                }
            }
            Registry::Npm { project, .. } => {
                let mut scip = self.program("scip-typescript")?;
                scip.args(["index", "--output"]).arg(&part).arg(project);
                quietly(scip.current_dir(root))
            }
            Registry::Crate => self.rust(root, &part),
        };
        indexed.with_context(|| format!("cannot index {}", root.display()))?;
        fs::rename(&part, index).with_context(|| format!("cannot create {}", index.display()))
    }

    fn program(&self, name: &str) -> Result<Command> {
        npm(self.shell, self.tools)?;
        let _lock = self.tools.lock()?;
        self.tools.node(self.shell, PACKAGES, PROGRAMS)?;
        let mut program = self.shell.command(self.tools.bin().join(name));
        program.env("PATH", self.tools.search_path()?);
        program.env("NODE_OPTIONS", "--max-old-space-size=6000");
        Ok(program)
    }

    /// Build scripts and procedural macros stay out: they would run what was downloaded.
    fn rust(&self, root: &Path, index: &Path) -> Result<()> {
        let mut found = (
            servers::working("rust-analyzer", "--version"),
            self.library(),
        );
        if found.0.is_none() || found.1.is_none() {
            servers::from_system(self.shell, &SYSTEM)?;
            found = (
                servers::working("rust-analyzer", "--version"),
                self.library(),
            );
        }
        let analyzer = found.0.context("rust-analyzer is not there")?;
        let library = found
            .1
            .context("the sources of Rust's standard library are not there")?;
        let settings = serde_json::json!({
            "cargo": {
                "buildScripts": { "enable": false },
                "sysroot": "discover",
                "sysrootSrc": library,
            },
            "procMacro": { "enable": false },
        });
        let file = index.with_file_name("rust-analyzer.json");
        fs::write(&file, settings.to_string())?;
        let mut scip = self.shell.command(analyzer);
        scip.args(["scip", ".", "--output"]).arg(index);
        scip.arg("--config-path").arg(&file);
        scip.env("CARGO_TARGET_DIR", index.with_file_name("target"));
        quietly(scip.current_dir(root))
    }

    /// The sources of Rust's standard library: rustup's, else Debian's.
    fn library(&self) -> Option<PathBuf> {
        let sysroot = output(self.shell.command("rustc").args(["--print", "sysroot"])).ok();
        let own = sysroot.map(|root| Path::new(root.trim()).join("lib/rustlib/src/rust/library"));
        let own = own.filter(|library| library.join("std").is_dir());
        own.or_else(|| {
            let files = output(self.shell.command("dpkg").args(["-L", SYSTEM[1]])).ok()?;
            let library = files.lines().find(|file| file.ends_with("/library"))?;
            Some(PathBuf::from(library))
        })
    }
}
