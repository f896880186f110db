//! Tests of Python: pytest where this Python has it, else unittest.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::run::Command;
use super::{ProgramError, Runner, search};

/// A test, or all tests of a class or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) file: PathBuf,
    /// `CartTest`, `test_total`, or only one of them; pytest's may end in `[parameters]`. None: all
    /// tests of the file.
    pub(super) names: Vec<String>,
}

impl Test {
    /// A test by the name that pytest prints, `FILE::NAMES`, or that unittest does, `MODULE.NAMES`;
    /// a file alone is all its tests.
    pub(super) fn named(name: &str, checkout: &Path) -> Result<Option<Test>, ProgramError> {
        if name.ends_with(".py") && !name.contains("::") {
            let file = search::existing(Path::new(name), checkout)?;
            let names = Vec::new();
            return Ok(Some(Test { file, names }));
        }
        if let Some((file, names)) = split_path(name, |file| file.ends_with(".py")) {
            let test = Test {
                file: search::existing(Path::new(file), checkout)?,
                names: names.split("::").map(str::to_owned).collect(),
            };
            test.check(name, checkout)?;
            return Ok(Some(test));
        }
        if name.contains("::") || name.contains('/') {
            return Ok(None);
        }
        // The longest beginning that is a file.
        let parts: Vec<_> = name.split('.').collect();
        for taken in (1..parts.len()).rev() {
            let (module, names) = parts.split_at(taken);
            let file = checkout.join(module.join("/")).with_extension("py");
            if file.is_file() {
                let names = names.iter().map(|name| (*name).to_owned()).collect();
                let test = Test { file, names };
                test.check(name, checkout)?;
                return Ok(Some(test));
            }
        }
        Ok(None)
    }

    /// That the file defines what is named; inherited tests are not seen, so only the first name
    /// counts.
    fn check(&self, given: &str, checkout: &Path) -> Result<(), ProgramError> {
        let text = search::text(&self.file);
        let defined: Vec<_> = text.lines().filter_map(definition).collect();
        let bare = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
        let first = self
            .names
            .first()
            .map(|name| bare(name))
            .unwrap_or_default();
        if defined.contains(&first.as_str()) {
            return Ok(());
        }
        let last = self.names.last().map(|name| bare(name)).unwrap_or_default();
        let tests = defined
            .into_iter()
            .filter(|name| name.to_lowercase().contains("test"))
            .map(str::to_owned);
        Err(ProgramError::NoTest {
            test: given.to_owned(),
            place: search::shown(&self.file, checkout),
            nearest: search::nearest(&last, tests),
        })
    }

    /// The folder that the module's name begins at: above the outermost package.
    pub(super) fn top(&self) -> PathBuf {
        let mut folder = self.file.parent().unwrap_or(Path::new("/"));
        while folder.join("__init__.py").is_file() {
            let Some(above) = folder.parent() else {
                break;
            };
            folder = above;
        }
        folder.to_owned()
    }

    /// What runs it.
    pub(super) fn configuration(&self, pytest: bool, more: &[String]) -> Value {
        let mut args: Vec<String>;
        if pytest {
            // What a test prints is seen at once, and nothing but it fails the run.
            args = ["-q", "-s"].map(str::to_owned).to_vec();
            let file = std::iter::once(self.file.display().to_string());
            let parts: Vec<_> = file.chain(self.names.iter().cloned()).collect();
            args.push(parts.join("::"));
        } else {
            let top = self.top();
            let module = self.file.strip_prefix(&top).unwrap_or(&self.file);
            let module = module.with_extension("");
            let parts = module
                .iter()
                .map(|part| part.to_string_lossy().into_owned());
            let names = self.names.iter().cloned();
            args = vec![parts.chain(names).collect::<Vec<_>>().join(".")];
        }
        args.extend(more.iter().cloned());
        let module = if pytest { "pytest" } else { "unittest" };
        json!({ "module": module, "args": args })
    }
}

/// A path and what follows its `::`, when the path is of the right kind.
pub(super) fn split_path(name: &str, is_file: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let (file, rest) = name.split_once("::")?;
    (is_file(file) && !rest.is_empty()).then_some((file, rest))
}

/// The name that a line defines.
fn definition(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["def ", "class "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let end = rest
        .find(|char: char| !(char.is_alphanumeric() || char == '_'))
        .unwrap_or(rest.len());
    rest.get(..end).filter(|name| !name.is_empty())
}

/// Whether this Python can import pytest.
pub(super) async fn has_pytest(python: &Path, cwd: &Path, runner: &Runner) -> bool {
    let question = "import importlib.util as u, sys; sys.exit(u.find_spec('pytest') is None)";
    let command = Command::new(&python.to_string_lossy(), &["-c", question]);
    let answer = command.run(cwd, runner, runner.question).await;
    answer.is_ok_and(|output| output.success)
}
