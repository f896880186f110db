//! JavaScript and TypeScript: files, and tests of the runners that projects use.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::python::split_path;
use super::{ProgramError, search};

/// The extensions of what Node.js runs, the last three by leaving out the types.
pub(super) const EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];

/// A file, or a test in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) file: PathBuf,
    pub(super) test: Option<Test>,
}

/// A test, and what runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    /// The names of its suites and its own; none: all tests of the file.
    name: Vec<String>,
    runner: TestRunner,
    /// The script of the runner; that of Node.js is in it.
    script: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestRunner {
    Node,
    Vitest,
    Jest,
    Mocha,
}

/// Between the names of suites and tests, as they are given.
const BETWEEN: &str = " > ";

impl TestRunner {
    /// A regular expression for what it puts between the names of a suite and a test.
    fn between(self) -> &'static str {
        match self {
            // The second up to vitest 4.
            Self::Vitest => "(?: > | )",
            Self::Node | Self::Jest | Self::Mocha => " ",
        }
    }
}

/// Packages, and their scripts.
const RUNNERS: &[(TestRunner, &str, &str)] = &[
    (TestRunner::Vitest, "vitest", "vitest.mjs"),
    (TestRunner::Jest, "jest", "bin/jest.js"),
    (TestRunner::Mocha, "mocha", "bin/mocha.js"),
];

impl Node {
    /// A test named `FILE::NAME`, or as vitest prints it, `FILE > SUITE > NAME`; a file alone is all its
    /// tests.
    pub(super) fn test(name: &str, checkout: &Path) -> Result<Option<Node>, ProgramError> {
        let is_ours = |file: &str| {
            let ending = Path::new(file)
                .extension()
                .and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| EXTENSIONS.contains(&ending))
        };
        let parts = split_path(name, is_ours)
            .or_else(|| name.split_once(" > ").filter(|(file, _)| is_ours(file)));
        let (file, test) = match parts {
            Some((file, test)) => {
                let test = test.replace("::", BETWEEN);
                (file, test.split(BETWEEN).map(str::to_owned).collect())
            }
            None if is_ours(name) && !name.contains("::") => (name, Vec::new()),
            None => return Ok(None),
        };
        let path = search::existing(Path::new(file), checkout)?;
        let text = search::text(&path);
        let (runner, script) = runner(&path, &text, checkout);
        match test.as_slice() {
            [_, ..] => check(name, &test.join(" "), &path, &text, checkout)?,
            [] if titles(&text).is_empty()
                && !text.contains("node:test")
                && !text.contains(".each") =>
            {
                return Err(ProgramError::NoTests { file: name.into() });
            }
            [] => {}
        }
        let test = Test {
            name: test,
            runner,
            script,
        };
        Ok(Some(Node {
            file: path,
            test: Some(test),
        }))
    }

    /// What runs it.
    pub(super) fn configuration(&self, more: &[String]) -> Value {
        let file = self.file.display().to_string();
        let Some(test) = &self.test else {
            return json!({ "program": file, "args": more });
        };
        let names: Vec<String> = test.name.iter().map(|name| literal(name)).collect();
        let name = (!names.is_empty()).then(|| names.join(test.runner.between()));
        // What is thrown in a file that is skipped stops nothing, and Node.js throws its assertions in
        // files of its own.
        let skip: [&str; 0] = [];
        let mut args: Vec<String> = match test.runner {
            // Without --test the file is no process of its own.
            TestRunner::Node => {
                let pattern = name.map(|name| format!("--test-name-pattern={name}"));
                let options: Vec<String> = pattern.into_iter().collect();
                return json!({
                    "program": file, "runtimeArgs": options, "args": more, "skipFiles": skip,
                });
            }
            // One process, no limits of time while somebody looks.
            TestRunner::Vitest => words(
                "run --no-file-parallelism --pool=forks --testTimeout=0 --hookTimeout=0 \
                 --teardownTimeout=0",
            ),
            TestRunner::Jest => words("--runInBand --testTimeout=2147483647 --runTestsByPath"),
            TestRunner::Mocha => words("--no-timeouts"),
        };
        args.push(file);
        let flag = match test.runner {
            TestRunner::Mocha => "-g",
            _ => "-t",
        };
        args.extend(name.into_iter().flat_map(|name| [flag.to_owned(), name]));
        args.extend(more.iter().cloned());
        json!({ "program": test.script, "args": args, "skipFiles": skip })
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// A regular expression for exactly this text.
fn literal(text: &str) -> String {
    let mut expression = String::new();
    for char in text.chars() {
        if r"\^$.|?*+()[]{}/".contains(char) {
            expression.push('\\');
        }
        expression.push(char);
    }
    expression
}

/// The runner of a test: Node.js's own when the file says so, else the one that is installed.
fn runner(file: &Path, text: &str, checkout: &Path) -> (TestRunner, Option<PathBuf>) {
    if text.contains("node:test") {
        return (TestRunner::Node, None);
    }
    let start = file.parent().unwrap_or(checkout);
    let packages = start
        .ancestors()
        .take_while(|folder| folder.starts_with(checkout))
        .map(|folder| folder.join("node_modules"));
    for packages in packages {
        for (runner, package, script) in RUNNERS {
            let script = packages.join(package).join(script);
            if fs::metadata(&script).is_ok_and(|file| file.is_file()) {
                return (*runner, Some(script));
            }
        }
    }
    (TestRunner::Node, None)
}

/// That the words of the last name are in the file; computed names cannot be told.
fn check(
    given: &str,
    test: &str,
    file: &Path,
    text: &str,
    checkout: &Path,
) -> Result<(), ProgramError> {
    let names = titles(text);
    let is_there = names
        .iter()
        .any(|name| test.ends_with(name.as_str()) || name.contains(test));
    let computed = text.contains("${") || text.contains(".each");
    if is_there || computed || names.is_empty() {
        return Ok(());
    }
    Err(ProgramError::NoTest {
        test: given.to_owned(),
        place: search::shown(file, checkout),
        nearest: search::nearest(test, names),
    })
}

/// The titles of the tests that a test named like `FILE::NAME` was taken for, the likest first; some
/// of them where none is alike. Computed titles are as the file has them.
#[must_use]
pub fn near_tests(name: &str, checkout: &Path) -> Vec<String> {
    let parts = name.split_once("::").or_else(|| name.split_once(" > "));
    let Some((file, test)) = parts else {
        return Vec::new();
    };
    let titles = titles(&search::text(&checkout.join(file)));
    let near = search::nearest(test, titles.iter().cloned());
    match near.is_empty() {
        true => titles.into_iter().take(SHOWN).collect(),
        false => near,
    }
}

/// Titles that are shown where none is alike.
const SHOWN: usize = 5;

/// The titles of the tests and suites of a file that are plain strings.
fn titles(text: &str) -> Vec<String> {
    let mut titles = Vec::new();
    for word in ["test(", "it(", "describe(", "suite(", "t.test("] {
        for (at, _) in text.match_indices(word) {
            let rest = text.get(at + word.len()..).unwrap_or_default();
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|char| "'\"`".contains(*char)) else {
                continue;
            };
            let inside = rest.get(1..).unwrap_or_default();
            if let Some((title, _)) = inside.split_once(quote) {
                titles.push(title.to_owned());
            }
        }
    }
    titles
}
