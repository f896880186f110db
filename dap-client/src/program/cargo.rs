//! Programs and tests that Cargo builds.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::prepare::Learned;
use super::python::split_path;
use super::run::Command;
use super::{ProgramError, Runner, search};

/// What is wanted of Cargo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Where Cargo runs.
    pub(super) folder: PathBuf,
    /// The targets that are built, as arguments of Cargo.
    scope: Vec<String>,
    /// The test, or the program whose root this source file is.
    goal: Goal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Goal {
    Test(String),
    /// All tests of a file.
    Tests(PathBuf),
    Program(PathBuf),
}

/// What Cargo built.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Artifact {
    executable: PathBuf,
    target: String,
    source: PathBuf,
    is_test: bool,
    package: PathBuf,
}

/// The package below a folder that has a function of a test's name.
fn below(name: &str, start: &Path, checkout: &Path) -> Result<Option<PathBuf>, ProgramError> {
    let function = format!("fn {}(", name.rsplit("::").next().unwrap_or(name));
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for file in search::files(start) {
        if file.extension().is_some_and(|extension| extension == "rs")
            && let Some(folder) = search::folder_with("Cargo.toml", &file, checkout)
            && !found.iter().any(|(known, _)| *known == folder)
            && search::text(&file).contains(&function)
        {
            found.push((folder, file));
        }
    }
    match found.as_slice() {
        [] => Ok(None),
        [(folder, _)] => Ok(Some(folder.clone())),
        many => Err(ProgramError::ManyTests {
            test: name.to_owned(),
            found: many
                .iter()
                .take(10)
                .map(|(_, file)| format!("{}::{name}", search::shown(file, checkout)))
                .collect(),
        }),
    }
}

impl Wanted {
    /// The program that a source file is the root of.
    pub(super) fn program(file: &Path, checkout: &Path) -> Result<Wanted, ProgramError> {
        let not = |why: &str| ProgramError::NotAProgram {
            path: search::shown(file, checkout).into(),
            why: why.to_owned(),
        };
        let Some(folder) = search::folder_with("Cargo.toml", file, checkout) else {
            return Err(not(
                "it is a Rust source outside of any package; build it with `rustc -g` and name the \
                 executable",
            ));
        };
        let inside = file.strip_prefix(&folder).unwrap_or(file);
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        let scope = match parts.as_slice() {
            ["src", "main.rs"] | ["src", "bin", ..] => "--bins",
            ["examples", _] | ["examples", _, "main.rs"] => "--examples",
            ["tests", ..] => {
                return Err(not("it holds tests; name one of them as `test`, such as \
                     `tests/it.rs::name`"));
            }
            _ => {
                return Err(not(
                    "it is no root of a program; name src/main.rs, a file in src/bin or examples, \
                     or a test",
                ));
            }
        };
        Ok(Wanted {
            folder,
            scope: vec![scope.to_owned()],
            goal: Goal::Program(file.to_owned()),
        })
    }

    /// A test named `module::tests::name`, or with a file before it, `tests/it.rs::name`; a file alone is
    /// all its tests.
    pub(super) fn test(
        name: &str,
        start: &Path,
        checkout: &Path,
    ) -> Result<Option<Wanted>, ProgramError> {
        let parts = match name.ends_with(".rs") && !name.contains("::") {
            true => Some((name, None)),
            false => split_path(name, |file| file.ends_with(".rs"))
                .map(|(file, test)| (file, Some(test.to_owned()))),
        };
        if let Some((file, test)) = parts {
            let path = search::existing(Path::new(file), checkout)?;
            let Some(folder) = search::folder_with("Cargo.toml", &path, checkout) else {
                return Ok(None);
            };
            let inside = path.strip_prefix(&folder).unwrap_or(&path);
            return Ok(Some(Wanted {
                scope: scope(inside),
                goal: match test {
                    Some(test) => Goal::Test(test),
                    None => Goal::Tests(path.clone()),
                },
                folder,
            }));
        }
        let plain = |char: char| char.is_alphanumeric() || "_:".contains(char);
        if !name.chars().all(plain) {
            return Ok(None);
        }
        let folder = match search::folder_with("Cargo.toml", start, checkout) {
            Some(folder) => Some(folder),
            None => below(name, start, checkout)?,
        };
        Ok(folder.map(|folder| Wanted {
            folder,
            scope: Vec::new(),
            goal: Goal::Test(name.to_owned()),
        }))
    }

    /// What builds it. The variables of a program without debug information cannot be looked at.
    fn command(&self) -> Command {
        let verb: &[&str] = match self.goal {
            Goal::Test(_) | Goal::Tests(_) => &["test", "--no-run"],
            Goal::Program(_) => &["build"],
        };
        let mut command = Command::new("cargo", verb);
        for profile in ["dev", "test"] {
            let setting = format!("profile.{profile}.debug=2");
            command.args.extend(["--config".to_owned(), setting]);
        }
        command.args.push("--message-format=json".to_owned());
        command.args.extend(self.scope.iter().cloned());
        command
    }
}

/// The target that a file of tests belongs to.
fn scope(inside: &Path) -> Vec<String> {
    let mut parts = inside.iter().map(|part| part.to_string_lossy());
    let (first, second) = (parts.next(), parts.next());
    let stem = second.map(|name| name.trim_end_matches(".rs").to_owned());
    match (first.as_deref(), stem) {
        (Some("tests"), Some(target)) => vec!["--test".to_owned(), target],
        _ => Vec::new(),
    }
}

/// Builds it and finds the executable.
pub(super) async fn build(
    wanted: &Wanted,
    runner: &Runner,
    learned: &mut Learned,
) -> Result<(), ProgramError> {
    let command = wanted.command();
    let output = command.run(&wanted.folder, runner, runner.build).await?;
    let (artifacts, errors) = read(&output.stdout);
    if !output.success {
        let said = match errors.is_empty() {
            true => output.stderr,
            false => errors.join("\n"),
        };
        return Err(command.failed(&output.end, said.trim()));
    }
    let artifact = match &wanted.goal {
        Goal::Program(source) => artifacts
            .into_iter()
            .find(|artifact| !artifact.is_test && artifact.source == *source)
            .ok_or_else(|| ProgramError::NotAProgram {
                path: source.clone(),
                why: "Cargo builds no program of it; look at the targets in Cargo.toml".to_owned(),
            })?,
        Goal::Test(name) => {
            let (artifact, test) = holder(name, artifacts, &wanted.folder, runner).await?;
            learned.tests = Some(vec![test]);
            learned.cwd = Some(artifact.package.clone());
            artifact
        }
        Goal::Tests(file) => {
            let known = listed(artifacts, runner).await;
            let (artifact, tests) = of_file(file, known).ok_or_else(|| ProgramError::NoTests {
                file: file.strip_prefix(&wanted.folder).unwrap_or(file).into(),
            })?;
            learned.tests = Some(tests);
            learned.cwd = Some(artifact.package.clone());
            artifact
        }
    };
    let package = artifact.package.display().to_string();
    learned.env.push(("CARGO_MANIFEST_DIR".to_owned(), package));
    learned.executable = Some(artifact.executable);
    learned.sysroot = sysroot(&wanted.folder, runner).await;
    Ok(())
}

/// The executables and the errors that Cargo tells of, one JSON text a line.
fn read(messages: &str) -> (Vec<Artifact>, Vec<String>) {
    let (mut artifacts, mut errors) = (Vec::new(), Vec::new());
    for message in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(message) else {
            continue;
        };
        match message["reason"].as_str() {
            Some("compiler-message") if message["message"]["level"] == "error" => {
                let rendered = message["message"]["rendered"].as_str();
                errors.extend(rendered.map(|text| text.trim_end().to_owned()));
            }
            Some("compiler-artifact") => artifacts.extend(artifact(&message)),
            _ => {}
        }
    }
    (artifacts, errors)
}

fn artifact(message: &Value) -> Option<Artifact> {
    let manifest = Path::new(message["manifest_path"].as_str()?);
    Some(Artifact {
        executable: message["executable"].as_str()?.into(),
        target: message["target"]["name"].as_str()?.to_owned(),
        source: message["target"]["src_path"].as_str()?.into(),
        is_test: message["profile"]["test"].as_bool()?,
        package: manifest.parent()?.to_owned(),
    })
}

/// The test program that holds a test, and the test's whole name.
async fn holder(
    name: &str,
    artifacts: Vec<Artifact>,
    folder: &Path,
    runner: &Runner,
) -> Result<(Artifact, String), ProgramError> {
    let known = listed(artifacts, runner).await;
    choose(name, known).map_err(|near| match near {
        Near::None(nearest) => ProgramError::NoTest {
            test: name.to_owned(),
            place: folder.display().to_string(),
            nearest,
        },
        Near::Many(found) => ProgramError::ManyTests {
            test: name.to_owned(),
            found,
        },
    })
}

/// Every test with the program that holds it.
async fn listed(artifacts: Vec<Artifact>, runner: &Runner) -> Vec<(Artifact, String)> {
    let mut known = Vec::new();
    for artifact in artifacts.into_iter().filter(|artifact| artifact.is_test) {
        let program = artifact.executable.display().to_string();
        let list = Command::new(&program, &["--list", "--format", "terse"]);
        // A test program with a main function of its own may not know how to list.
        let Ok(output) = list.run(&artifact.package, runner, runner.question).await else {
            continue;
        };
        let tests = output
            .stdout
            .lines()
            .filter_map(|line| line.strip_suffix(": test"));
        known.extend(tests.map(|test| (artifact.clone(), test.to_owned())));
    }
    known
}

/// The program that holds the tests of a file, and their names: all of a program's where the file is its
/// root, else those of the module that the file is.
fn of_file(file: &Path, known: Vec<(Artifact, String)>) -> Option<(Artifact, Vec<String>)> {
    let begin = |artifact: &Artifact| {
        let root = artifact.source.parent().unwrap_or(Path::new("/"));
        if artifact.source == file {
            return Some(String::new());
        }
        let inside = file.strip_prefix(root).ok()?.with_extension("");
        let parts = inside.iter().map(|part| part.to_string_lossy());
        let parts: Vec<_> = parts.filter(|part| part != "mod").collect();
        Some(format!("{}::", parts.join("::")))
    };
    let held = |artifact: &Artifact, test: &str| {
        begin(artifact).is_some_and(|begin| test.starts_with(&begin))
    };
    // A root is nobody else's module.
    let root = known.iter().find(|(artifact, _)| artifact.source == file);
    let found = root.or_else(|| known.iter().find(|(artifact, test)| held(artifact, test)));
    let artifact = found.map(|(artifact, _)| artifact.clone())?;
    let tests = known
        .into_iter()
        .filter(|(its, test)| *its == artifact && held(its, test))
        .map(|(_, test)| test)
        .collect();
    Some((artifact, tests))
}

enum Near {
    None(Vec<String>),
    Many(Vec<String>),
}

/// The one test that a name means: exactly, as the end of a path, or as a part of a name.
fn choose(name: &str, known: Vec<(Artifact, String)>) -> Result<(Artifact, String), Near> {
    // The name of a crate may come first, as in the messages of some runners.
    let whole =
        |artifact: &Artifact, test: &str| format!("{}::{test}", artifact.target.replace('-', "_"));
    let end = format!("::{name}");
    type Fits<'a> = &'a dyn Fn(&Artifact, &str) -> bool;
    let ways: [Fits<'_>; 3] = [
        &|artifact, test| test == name || whole(artifact, test) == name,
        &|_, test| test.ends_with(&end),
        &|_, test| test.contains(name),
    ];
    for fits in ways {
        let mut found: Vec<_> = known
            .iter()
            .filter(|(artifact, test)| fits(artifact, test))
            .collect();
        match found.as_slice() {
            [] => {}
            [(artifact, test)] => return Ok((artifact.clone(), test.clone())),
            _ => {
                found.truncate(10);
                let names = found.iter().map(|(artifact, test)| whole(artifact, test));
                return Err(Near::Many(names.collect()));
            }
        }
    }
    let names = known.into_iter().map(|(_, test)| test);
    Err(Near::None(search::nearest(name, names)))
}

/// Where the Rust toolchain of a folder lies.
pub(super) async fn sysroot(folder: &Path, runner: &Runner) -> Option<PathBuf> {
    let question = Command::new("rustc", &["--print", "sysroot"]);
    let output = question.run(folder, runner, runner.question).await.ok()?;
    let sysroot = PathBuf::from(output.stdout.trim());
    (output.success && sysroot.is_dir()).then_some(sysroot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(target: &str) -> Artifact {
        Artifact {
            executable: target.into(),
            target: target.to_owned(),
            source: "/p/src/lib.rs".into(),
            is_test: true,
            package: "/p".into(),
        }
    }

    fn chosen(name: &str) -> Result<String, String> {
        let known = [
            ("my-crate", "cart::tests::total"),
            ("my-crate", "cart::tests::total_of_none"),
            ("my-crate", "list::tests::total"),
            ("it", "whole"),
        ];
        let known = known.map(|(target, test)| (artifact(target), test.to_owned()));
        match choose(name, known.into()) {
            Ok((artifact, test)) => Ok(format!("{} {test}", artifact.target)),
            Err(Near::None(near)) => Err(format!("none: {}", near.join(", "))),
            Err(Near::Many(found)) => Err(format!("many: {}", found.join(", "))),
        }
    }

    #[test]
    fn a_name_means_one_test_or_the_choice_is_shown() {
        let total = Ok("my-crate cart::tests::total".to_owned());
        assert_eq!(chosen("cart::tests::total"), total);
        assert_eq!(chosen("my_crate::cart::tests::total"), total);
        assert_eq!(
            chosen("of_none"),
            Ok("my-crate cart::tests::total_of_none".into())
        );
        assert_eq!(chosen("it::whole"), Ok("it whole".into()));
        let both = "many: my_crate::cart::tests::total, my_crate::list::tests::total";
        assert_eq!(chosen("total"), Err(both.into()));
        assert_eq!(
            chosen("cart::tests::totl"),
            Err("none: cart::tests::total, list::tests::total, cart::tests::total_of_none".into())
        );
    }

    #[test]
    fn a_file_has_the_tests_of_its_module_or_of_all_when_it_is_a_root() {
        let known = || {
            let of = |(target, source, test): (&str, &str, &str)| {
                let mut artifact = artifact(target);
                artifact.source = source.into();
                (artifact, test.to_owned())
            };
            [
                ("shop", "/p/src/lib.rs", "tests::opens"),
                ("shop", "/p/src/lib.rs", "cart::tests::total"),
                ("shop", "/p/src/lib.rs", "cart::list::tests::total"),
                ("it", "/p/tests/it/main.rs", "cart::whole"),
            ]
            .map(of)
            .to_vec()
        };
        let chosen = |file: &str| {
            let (artifact, tests) = of_file(Path::new(file), known())?;
            Some(format!("{}: {}", artifact.target, tests.join(" ")))
        };
        let all = "shop: tests::opens cart::tests::total cart::list::tests::total";
        assert_eq!(chosen("/p/src/lib.rs").as_deref(), Some(all));
        let cart = "shop: cart::tests::total cart::list::tests::total";
        assert_eq!(chosen("/p/src/cart.rs").as_deref(), Some(cart));
        assert_eq!(chosen("/p/src/cart/mod.rs").as_deref(), Some(cart));
        assert_eq!(
            chosen("/p/tests/it/cart.rs").as_deref(),
            Some("it: cart::whole")
        );
        assert_eq!(chosen("/p/src/none.rs"), None);
    }

    #[test]
    fn the_messages_of_cargo_are_read() {
        let messages = concat!(
            r#"{"reason":"compiler-message","message":{"level":"error","rendered":"error: no\n"}}"#,
            "\n",
            r#"{"reason":"compiler-message","message":{"level":"warning","rendered":"w"}}"#,
            "\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/p/Cargo.toml","target":{"name":"x","src_path":"/p/src/lib.rs"},"profile":{"test":true},"executable":"/p/target/x"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/p/Cargo.toml","target":{"name":"y","src_path":"/p/y.rs"},"profile":{"test":false},"executable":null}"#,
            "\nnot json\n",
        );
        let (artifacts, errors) = read(messages);
        let mut x = artifact("x");
        x.executable = "/p/target/x".into();
        assert_eq!(artifacts, [x]);
        assert_eq!(errors, ["error: no"]);
    }
}
