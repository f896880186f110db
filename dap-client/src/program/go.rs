//! Packages of Go and their tests: built here, so that the errors of a build are the answer.

use std::path::{Path, PathBuf};

use super::python::split_path;
use super::run::Command;
use super::{ProgramError, search};

/// The function that every failing test passes through.
pub(crate) const FAILS: &str = "testing.(*common).Fail";

/// A package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) folder: PathBuf,
    /// What is compiled: `.`, or one file that is no part of a module.
    what: String,
    /// What is run of its tests.
    pub(super) test: Option<Chosen>,
}

/// Tests of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// `TestMerge`, `TestMerge/of one`.
    One(String),
    /// Those of a file.
    These(Vec<String>),
}

impl Go {
    /// A file or the folder of a package.
    pub(super) fn program(path: &Path) -> Go {
        let file = path.extension().is_some();
        let folder = path.parent().filter(|_| file).unwrap_or(path).to_owned();
        let in_module = folder
            .ancestors()
            .any(|above| above.join("go.mod").is_file());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let what = match file && !in_module {
            true => name.into_owned(),
            false => ".".to_owned(),
        };
        Go {
            folder,
            what,
            test: None,
        }
    }

    /// A test named `TestMerge`, `TestMerge/case`, `./stock.TestMerge` or `FILE::TestMerge`; a file alone
    /// is all its tests.
    pub(super) fn test(
        name: &str,
        start: &Path,
        checkout: &Path,
    ) -> Result<Option<Go>, ProgramError> {
        if name.ends_with("_test.go") && !name.contains("::") {
            let file = search::existing(Path::new(name), checkout)?;
            let known = tests(&search::text(&file));
            if known.is_empty() {
                return Err(ProgramError::NoTests { file: name.into() });
            }
            return Ok(Some(Go::of_tests(file.parent(), Chosen::These(known))));
        }
        if let Some((file, test)) = split_path(name, |file| file.ends_with("_test.go")) {
            let file = search::existing(Path::new(file), checkout)?;
            let known = tests(&search::text(&file));
            check(name, test, &search::shown(&file, checkout), known)?;
            return Ok(Some(Go::of_test(file.parent(), test)));
        }
        let (package, test) = match name.find('/').filter(|_| !name.starts_with('.')) {
            // The slash belongs to the name of a subtest.
            Some(slash) if is_test(&name[..slash]) => ("", name),
            _ => package_and_test(name),
        };
        if !is_test(test) {
            return Ok(None);
        }
        if package.is_empty() {
            return Go::anywhere(name, test, start, checkout).map(Some);
        }
        let folder = search::existing(Path::new(package), checkout)?;
        let known = folder_tests(&folder);
        check(name, test, &search::shown(&folder, checkout), known)?;
        Ok(Some(Go::of_test(Some(&folder), test)))
    }

    fn of_test(folder: Option<&Path>, test: &str) -> Go {
        Go::of_tests(folder, Chosen::One(test.to_owned()))
    }

    fn of_tests(folder: Option<&Path>, chosen: Chosen) -> Go {
        Go {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            what: ".".to_owned(),
            test: Some(chosen),
        }
    }

    /// The package that has a test, from `start` down.
    fn anywhere(
        given: &str,
        test: &str,
        start: &Path,
        checkout: &Path,
    ) -> Result<Go, ProgramError> {
        let top = test.split('/').next().unwrap_or(test);
        let (mut folders, mut known) = (Vec::new(), Vec::new());
        for file in search::files(start) {
            if !file.to_string_lossy().ends_with("_test.go") {
                continue;
            }
            let names = tests(&search::text(&file));
            if names.iter().any(|name| name == top) {
                folders.extend(file.parent().map(Path::to_owned));
            }
            known.extend(names);
        }
        folders.dedup();
        match folders.as_slice() {
            [folder] => Ok(Go::of_test(Some(folder), test)),
            [] => Err(ProgramError::NoTest {
                test: given.to_owned(),
                place: match search::shown(start, checkout).as_str() {
                    "" => "the checkout".to_owned(),
                    folder => folder.to_owned(),
                },
                nearest: search::nearest(top, known),
            }),
            many => Err(ProgramError::ManyTests {
                test: given.to_owned(),
                found: many
                    .iter()
                    .take(10)
                    .map(|folder| format!("./{}.{test}", search::shown(folder, checkout)))
                    .collect(),
            }),
        }
    }

    /// What builds it into `executable`.
    pub(super) fn command(&self, executable: &Path) -> Command {
        let mut command = Command::new("go", &[]);
        command.args = match &self.test {
            Some(_) => vec!["test".to_owned(), "-c".to_owned()],
            None => vec!["build".to_owned()],
        };
        // Variables that the optimiser took away cannot be looked at.
        let rest = ["-gcflags=all=-N -l", "-o"].map(str::to_owned);
        command.args.extend(rest);
        command.args.push(executable.display().to_string());
        command.args.push(self.what.clone());
        // What is left of a build that is killed goes with it.
        let folder = executable.parent().unwrap_or(executable);
        let place = folder.display().to_string();
        command.env.insert("GOTMPDIR".to_owned(), place);
        command
    }

    /// The arguments of the program.
    pub(super) fn args(&self, more: &[String]) -> Vec<String> {
        let mut args = Vec::new();
        if let Some(test) = &self.test {
            let run = match test {
                Chosen::One(test) => test.split('/').map(exactly).collect::<Vec<_>>().join("/"),
                Chosen::These(tests) => format!("^({})$", tests.join("|")),
            };
            args.push(format!("-test.run={run}"));
            args.push("-test.v=true".to_owned());
        }
        args.extend(more.iter().cloned());
        args
    }
}

/// A regular expression for one part of a test's name, in which blanks became underscores.
fn exactly(part: &str) -> String {
    let mut expression = String::from("^");
    for char in part.chars() {
        match char {
            char if char.is_whitespace() => expression.push('_'),
            char => {
                if r"\^$.|?*+()[]{}".contains(char) {
                    expression.push('\\');
                }
                expression.push(char);
            }
        }
    }
    expression.push('$');
    expression
}

/// `./stock.TestMerge/case` is the test of a package.
fn package_and_test(name: &str) -> (&str, &str) {
    // A test's name has no dot before its first slash.
    let at = name
        .match_indices('.')
        .map(|(at, _)| at)
        .find(|at| name.get(at + 1..).is_some_and(is_test));
    match at {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    }
}

fn is_test(name: &str) -> bool {
    ["Test", "Example", "Fuzz"].iter().any(|word| {
        name.strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
    })
}

fn folder_tests(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .map(|entry| entry.path())
        .filter(|file| file.to_string_lossy().ends_with("_test.go"))
        .flat_map(|file| tests(&search::text(&file)))
        .collect()
}

/// The tests that a file declares.
fn tests(text: &str) -> Vec<String> {
    let declared = text.lines().filter_map(|line| {
        let name = line.strip_prefix("func ")?.split('(').next()?;
        is_test(name).then(|| name.to_owned())
    });
    declared.collect()
}

fn check(given: &str, test: &str, place: &str, known: Vec<String>) -> Result<(), ProgramError> {
    let top = test.split('/').next().unwrap_or(test);
    if known.iter().any(|name| name == top) {
        return Ok(());
    }
    Err(ProgramError::NoTest {
        test: given.to_owned(),
        place: if place.is_empty() {
            "the checkout"
        } else {
            place
        }
        .to_owned(),
        nearest: search::nearest(top, known),
    })
}
