//! The project's own checker, run from scratch on a copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A problem by what it is about, wherever it has moved to: its file and the text of its line.
pub(crate) type Key = (String, String);

/// A language with its checker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Rust,
    Go,
}

impl Language {
    pub(crate) fn named(name: &str) -> Option<Language> {
        match name {
            "python" => Some(Language::Python),
            "rust" => Some(Language::Rust),
            "go" => Some(Language::Go),
            _ => None,
        }
    }

    /// What is wrong in the project at `root`: which lines of which files, and how many of each.
    pub(crate) fn check(self, root: &Path, scratch: &Path) -> BTreeMap<Key, usize> {
        mirror(root, scratch);
        let mut places = match self {
            Language::Python => python(scratch),
            Language::Rust => rust(scratch),
            Language::Go => go(scratch),
        };
        places.sort();
        places.dedup();
        let mut found = BTreeMap::new();
        for (path, line) in places {
            *found.entry(key(scratch, &path, line)).or_default() += 1;
        }
        found
    }
}

/// The key of a line, from 1, of a file.
pub(crate) fn key(root: &Path, path: &str, line: usize) -> Key {
    let text = fs::read_to_string(root.join(path)).unwrap_or_default();
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    (path.to_owned(), line.trim().to_owned())
}

/// The texts of all files, by their paths below `root`.
pub(crate) fn texts(root: &Path) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let path = path.strip_prefix(root).unwrap();
                texts.insert(path.to_string_lossy().into_owned(), text);
            }
        }
    }
    texts
}

/// Makes `to` like `from`, without touching what is the same, or what tools have left there.
fn mirror(from: &Path, to: &Path) {
    let keep = ["target", ".fourfold", "Cargo.lock"];
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(to).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if !from.join(&name).exists() && !keep.iter().any(|keep| name == *keep) {
            match entry.file_type().unwrap().is_dir() {
                true => fs::remove_dir_all(entry.path()).unwrap(),
                false => fs::remove_file(entry.path()).unwrap(),
            }
        }
    }
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let (from, to) = (entry.path(), to.join(&name));
        if keep.iter().any(|keep| name == *keep) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            mirror(&from, &to);
        } else if fs::read(&from).ok() != fs::read(&to).ok() {
            fs::write(&to, fs::read(&from).unwrap()).unwrap();
        }
    }
}

fn output(command: &mut Command, root: &Path) -> String {
    let output = command.current_dir(root).output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}\n{}", String::from_utf8_lossy(&output.stderr))
}

fn relative(path: &str, root: &Path) -> Option<String> {
    let path = Path::new(path);
    let path = path.strip_prefix(root).unwrap_or(path);
    let path = path.strip_prefix(".").unwrap_or(path);
    let inside = path.is_relative() && root.join(path).is_file();
    inside.then(|| path.to_string_lossy().into_owned())
}

fn python(root: &Path) -> Vec<(String, usize)> {
    let said = output(Command::new("pyright").arg("--outputjson"), root);
    let end = said.rfind('}').expect("pyright answers in JSON");
    let found: Value = serde_json::from_str(&said[..=end]).expect("pyright answers in JSON");
    let all = found["generalDiagnostics"].as_array().unwrap();
    let of = |one: &Value| {
        let told = one["severity"] == "error" || one["severity"] == "warning";
        let path = relative(one["file"].as_str()?, root)?;
        let line = one["range"]["start"]["line"].as_u64()? as usize + 1;
        told.then_some((path, line))
    };
    let mut places: Vec<(String, usize)> = all.iter().filter_map(of).collect();
    // The linter too, where there is one.
    let mut ruff = Command::new("ruff");
    // A project may ask for repairs, which would make what is checked something else.
    ruff.args([
        "check",
        "--no-fix",
        "--no-cache",
        "--output-format=concise",
        ".",
    ]);
    for line in output(&mut ruff, root).lines() {
        let mut parts = line.splitn(3, ':');
        if let (Some(path), Some(Ok(number))) = (parts.next(), parts.next().map(str::parse))
            && let Some(path) = relative(path, root)
        {
            places.push((path, number));
        }
    }
    places
}

fn rust(root: &Path) -> Vec<(String, usize)> {
    let mut cargo = Command::new("cargo");
    cargo.args(["check", "--workspace", "--all-targets", "--keep-going"]);
    let said = output(cargo.arg("--message-format=json"), root);
    let of = |line: &str| {
        let told: Value = serde_json::from_str(line).ok()?;
        let message = told.get("message")?;
        let level = message["level"].as_str()?;
        let spans = message["spans"].as_array()?;
        let main = spans.iter().find(|span| span["is_primary"] == true)?;
        // What a macro says is about where it is used.
        let mut place = main;
        while let Some(used) = place["expansion"]["span"].as_object() {
            place = &place["expansion"]["span"];
            if used.is_empty() {
                break;
            }
        }
        let path = relative(place["file_name"].as_str()?, root)?;
        let line = place["line_start"].as_u64()? as usize;
        matches!(level, "error" | "warning").then_some((path, line))
    };
    said.lines().filter_map(of).collect()
}

fn go(root: &Path) -> Vec<(String, usize)> {
    let mut build = Command::new("go");
    let mut said = output(build.args(["build", "-gcflags=-e", "./..."]), root);
    said += &output(Command::new("go").args(["vet", "./..."]), root);
    // Neither looks at the tests in a package of their own where the package that they test is broken.
    let is_beside = |text: &str| {
        let mut lines = text.lines().map(str::trim_end);
        lines.any(|line| line.starts_with("package ") && line.ends_with("_test"))
    };
    let beside: Vec<String> = texts(root)
        .into_iter()
        .filter(|(path, text)| path.ends_with("_test.go") && is_beside(text))
        .map(|(path, _)| path)
        .collect();
    if !beside.is_empty() {
        said += &output(Command::new("gopls").arg("check").args(beside), root);
    }
    let of = |line: &str| {
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        let (path, rest) = line.split_once(".go:")?;
        let (number, _) = rest.split_once(':')?;
        let path = relative(&format!("{path}.go"), root)?;
        Some((path, number.parse().ok()?))
    };
    said.lines().filter_map(of).collect()
}
