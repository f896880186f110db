//! Edits as somebody makes them: break, repair, add, delete, move, rename a symbol, two files at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fourfold::{ApplyPatchRequest, Conversation, Verdict, WriteRequest};

use crate::checker::{Language, texts};

/// One edit: what files hold afterwards, or that they are gone.
pub(crate) struct Step {
    pub(crate) about: String,
    root: PathBuf,
    files: Vec<(String, Option<String>)>,
    /// A file that only gets another name.
    moved: Option<(String, String)>,
    bad: Vec<String>,
}

impl Step {
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let moved = self.moved.iter().map(|(_, to)| to.as_str());
        self.files
            .iter()
            .map(|(path, _)| path.as_str())
            .chain(moved)
    }

    pub(crate) fn gone(&self) -> impl Iterator<Item = &str> {
        let gone = self.files.iter().filter(|(_, text)| text.is_none());
        let moved = self.moved.iter().map(|(from, _)| from.as_str());
        gone.map(|(path, _)| path.as_str()).chain(moved)
    }

    /// The file that only gets another name: the old one and the new one.
    pub(crate) fn moved(&self) -> Option<(&str, &str)> {
        let (from, to) = self.moved.as_ref()?;
        Some((from, to))
    }

    /// Whether a line is known to be wrong, whatever a checker that stops early says.
    pub(crate) fn is_bad(&self, line: &str) -> bool {
        self.bad.iter().any(|bad| bad == line)
    }

    /// Carries it out: one text with the tool for that, a move as a patch, several files by a hand
    /// of our own.
    pub(crate) fn perform(&self, conversation: &Conversation) -> Verdict {
        if let Some((from, to)) = &self.moved {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {from}\n*** Move to: {to}\n*** End Patch\n"
            );
            let request = ApplyPatchRequest::new(patch);
            return conversation.apply_patch(&request).unwrap().verdict.unwrap();
        }
        if let [(path, Some(text))] = self.files.as_slice() {
            let request = WriteRequest::new(path.as_str(), text.as_str());
            return conversation.write(&request).unwrap().verdict.unwrap();
        }
        let paths = self.files.iter().map(|(path, _)| path);
        let before = conversation.before_write(paths).unwrap();
        for (path, text) in &self.files {
            let path = self.root.join(path);
            match text {
                Some(text) => fs::write(path, text).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
        }
        conversation.after_write(before).unwrap()
    }
}

/// A piece of code that was put at the end of a file.
#[derive(Clone)]
struct Piece {
    file: String,
    text: String,
    bad: Option<String>,
}

/// A file of ours that offers a helper.
#[derive(Clone)]
struct Module {
    path: String,
    name: String,
    helper: String,
    /// Who uses it, with the piece that does.
    user: Option<Piece>,
}

pub(crate) struct Edits {
    language: Language,
    root: PathBuf,
    random: u64,
    number: usize,
    /// Files of the project that are edited.
    files: Vec<String>,
    pieces: Vec<Piece>,
    modules: Vec<Module>,
    /// A declaration of the project that has another name now, and not where it is used: its file,
    /// the line as it was and as it is.
    renamed: Option<(String, String, String)>,
}

impl Edits {
    pub(crate) fn new(language: Language, root: &Path, seed: u64) -> Edits {
        let files = language.targets(root);
        println!("edits {files:?}");
        Edits {
            language,
            root: root.to_path_buf(),
            random: seed,
            number: 0,
            files,
            pieces: Vec::new(),
            modules: Vec::new(),
            renamed: None,
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = self.random.wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) % limit.max(1) as u64) as usize
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// The name of the package.
    fn package(&self) -> String {
        let first = Path::new(&self.files[0]);
        let named = |path: &str, before: &str| {
            let text = self.read(path);
            let line = text.lines().find_map(|line| line.strip_prefix(before));
            line.unwrap_or_default().trim_matches('"').replace('-', "_")
        };
        match self.language {
            Language::Python => {
                let folder = first.parent().and_then(Path::file_name);
                folder.unwrap_or_default().to_string_lossy().into_owned()
            }
            Language::Rust => named("Cargo.toml", "name = "),
            Language::Go => named(&self.files[0], "package "),
        }
    }

    fn usage(&self, user: &str, module: &str, helper: &str) -> String {
        let package = self.package();
        self.language
            .usage(&package, user, module, helper, self.number)
    }

    fn a_file(&mut self) -> String {
        let ours = self.modules.iter().map(|module| module.path.clone());
        let all: Vec<String> = self.files.iter().cloned().chain(ours).collect();
        let at = self.below(all.len());
        all[at].clone()
    }

    fn step(&self, about: impl Into<String>, files: Vec<(String, Option<String>)>) -> Step {
        let bad = self.pieces.iter().filter_map(|piece| piece.bad.clone());
        Step {
            about: about.into(),
            root: self.root.clone(),
            files,
            moved: None,
            bad: bad.collect(),
        }
    }

    pub(crate) fn next_step(&mut self) -> Step {
        self.number += 1;
        loop {
            if self.renamed.is_some() && self.below(2) == 0 {
                return self.give_name_back();
            }
            let step = match self.below(18) {
                0..=3 => Some(self.break_one()),
                4..=6 => self.repair(),
                7 => Some(self.shift()),
                8 => Some(self.good()),
                9 | 10 => Some(self.add_module()),
                11 => self.use_module(),
                12 => self.rename_helper(false),
                13 => self.rename_helper(true),
                14 => self.delete_module(),
                15 => self.move_module(),
                _ => self.rename_declared(),
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    fn append(
        &mut self,
        about: String,
        file: String,
        (text, bad): (String, Option<String>),
    ) -> Step {
        let whole = format!("{}{text}", self.read(&file));
        self.pieces.push(Piece {
            file: file.clone(),
            text,
            bad,
        });
        self.step(about, vec![(file, Some(whole))])
    }

    fn break_one(&mut self) -> Step {
        let file = self.a_file();
        // Sometimes one more of the same.
        let old = self
            .pieces
            .iter()
            .find(|one| one.file == file && one.bad.is_some());
        let again = old.filter(|_| self.number.is_multiple_of(4));
        let piece = match again {
            Some(old) if self.language == Language::Python => (old.text.clone(), old.bad.clone()),
            _ => {
                let kind = self.below(4);
                self.language.bad(kind, self.number)
            }
        };
        self.append(format!("break {file}"), file, piece)
    }

    fn good(&mut self) -> Step {
        let file = self.a_file();
        let text = self.language.good(self.number);
        self.append(format!("extend {file}"), file, (text, None))
    }

    fn repair(&mut self) -> Option<Step> {
        let bad: Vec<usize> = (0..self.pieces.len())
            .filter(|at| self.pieces[*at].bad.is_some())
            .collect();
        let at = *bad.get(self.below(bad.len()))?;
        let piece = self.pieces.remove(at);
        let whole = self.read(&piece.file).replacen(&piece.text, "", 1);
        Some(self.step(
            format!("repair {}", piece.file),
            vec![(piece.file, Some(whole))],
        ))
    }

    fn shift(&mut self) -> Step {
        let file = self.a_file();
        let comment = self.language.comment(self.number);
        let whole = format!("{comment}{}", self.read(&file));
        self.step(format!("comment in {file}"), vec![(file, Some(whole))])
    }

    fn add_module(&mut self) -> Step {
        let name = format!("trial_m{}", self.number);
        let helper = self.language.helper_name(self.number);
        let package = self.package();
        let text = self.language.module(&helper).replace("PACKAGE", &package);
        let path = self.language.module_path(&self.files[0], &name);
        let mut files = vec![(path.clone(), Some(text))];
        // A module of Rust has to be declared: two files at once.
        if self.language == Language::Rust {
            let root = self.files[0].clone();
            files.push((
                root.clone(),
                Some(format!("{}pub mod {name};\n", self.read(&root))),
            ));
        }
        self.modules.push(Module {
            path: path.clone(),
            name,
            helper,
            user: None,
        });
        self.step(format!("add {path}"), files)
    }

    fn use_module(&mut self) -> Option<Step> {
        let free: Vec<usize> = (0..self.modules.len())
            .filter(|at| self.modules[*at].user.is_none())
            .collect();
        let at = *free.get(self.below(free.len()))?;
        let module = self.modules[at].clone();
        let file = self.files[self.number % self.files.len()].clone();
        let text = self.usage(&file, &module.name, &module.helper);
        let whole = format!("{}{text}", self.read(&file));
        self.modules[at].user = Some(Piece {
            file: file.clone(),
            text,
            bad: None,
        });
        Some(self.step(
            format!("use {} in {file}", module.name),
            vec![(file, Some(whole))],
        ))
    }

    /// With those who use it, or without.
    fn rename_helper(&mut self, everywhere: bool) -> Option<Step> {
        let used: Vec<usize> = (0..self.modules.len())
            .filter(|at| self.modules[*at].user.is_some())
            .collect();
        let at = *used.get(self.below(used.len()))?;
        let mut module = self.modules[at].clone();
        let new = self.language.helper_name(self.number);
        let whole = self.read(&module.path).replace(&module.helper, &new);
        let mut files = vec![(module.path.clone(), Some(whole))];
        let mut user = module.user.take().unwrap();
        if everywhere {
            // Whatever it called the helper before.
            let text = self.usage(&user.file, &module.name, &new);
            let whole = self.read(&user.file).replacen(&user.text, &text, 1);
            user.text = text;
            files.push((user.file.clone(), Some(whole)));
        }
        module.helper = new;
        module.user = Some(user);
        let about = match everywhere {
            true => format!("rename in {} and its user", module.path),
            false => format!("rename in {} only", module.path),
        };
        self.modules[at] = module;
        Some(self.step(about, files))
    }

    /// Something that the project itself declares gets another name; who uses it is left as it is.
    fn rename_declared(&mut self) -> Option<Step> {
        if self.renamed.is_some() {
            return None;
        }
        let at = self.below(self.files.len());
        let file = self.files[at].clone();
        let text = self.read(&file);
        let lines = text.lines().filter(|line| self.language.declares(line));
        let lines: Vec<&str> = lines
            .filter(|line| text.matches(*line).count() == 1)
            .collect();
        let line = *lines.get(self.below(lines.len()))?;
        let (before, rest) = line
            .split_once('(')
            .filter(|(before, _)| !before.is_empty())?;
        // Go says the receiver first.
        let new = match before.ends_with("func ") {
            true => {
                let (receiver, rest) = rest.split_once(") ")?;
                format!("{before}({receiver}) Trial{rest}")
            }
            false => format!("{before}_trial({rest}"),
        };
        self.renamed = Some((file.clone(), line.to_owned(), new.clone()));
        let whole = text.replacen(line, &new, 1);
        let about = format!("rename `{}` in {file} only", line.trim());
        Some(self.step(about, vec![(file, Some(whole))]))
    }

    fn give_name_back(&mut self) -> Step {
        let (file, old, new) = self.renamed.take().unwrap();
        let whole = self.read(&file).replacen(&new, &old, 1);
        let about = format!("give `{}` in {file} its name back", old.trim());
        self.step(about, vec![(file, Some(whole))])
    }

    fn delete_module(&mut self) -> Option<Step> {
        if self.modules.len() < 3 {
            return None;
        }
        let at = self.below(self.modules.len());
        let module = self.modules.remove(at);
        self.pieces.retain(|piece| piece.file != module.path);
        let mut files = vec![(module.path.clone(), None)];
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        if self.language == Language::Rust {
            let root = self.files[0].clone();
            let text = self
                .read(&root)
                .replacen(&format!("pub mod {};\n", module.name), "", 1);
            texts.insert(root, text);
        }
        // Every other time the user goes along; else its line is broken from here on.
        if let Some(user) = module.user {
            if self.number.is_multiple_of(2) {
                let text = texts
                    .remove(&user.file)
                    .unwrap_or_else(|| self.read(&user.file));
                texts.insert(user.file, text.replacen(&user.text, "", 1));
            } else {
                self.pieces.push(Piece {
                    bad: user.text.lines().next().map(str::to_owned),
                    ..user
                });
            }
        }
        files.extend(texts.into_iter().map(|(path, text)| (path, Some(text))));
        Some(self.step(format!("delete {}", module.path), files))
    }

    fn move_module(&mut self) -> Option<Step> {
        let at = self.below(self.modules.len());
        let module = self.modules.get_mut(at)?;
        // Of Rust the declaration has to follow: that is another edit.
        if self.language == Language::Rust {
            return None;
        }
        let name = format!("{}b", module.name);
        let to = module.path.replacen(&module.name, &name, 1);
        let from = std::mem::replace(&mut module.path, to.clone());
        module.name = name;
        for piece in self.pieces.iter_mut().filter(|piece| piece.file == from) {
            piece.file.clone_from(&to);
        }
        let mut step = self.step(format!("move {from} to {to}"), Vec::new());
        step.moved = Some((from, to));
        Some(step)
    }
}

impl Language {
    /// The files that are edited; the first is where the others are declared or lie beside.
    fn targets(self, root: &Path) -> Vec<String> {
        let found: Vec<String> = texts(root).into_keys().collect();
        let of = |wanted: &dyn Fn(&str) -> bool| {
            let some = found.iter().filter(|path| wanted(path));
            some.cloned().collect::<Vec<_>>()
        };
        match self {
            Language::Python => {
                let init = of(&|path| path.ends_with("/__init__.py") && !path.contains("test"));
                let package = Path::new(&init[0]).parent().unwrap().to_owned();
                let others = of(&|path| {
                    path.ends_with(".py")
                        && Path::new(path).parent() == Some(&package)
                        && !path.ends_with("__init__.py")
                });
                init.into_iter()
                    .take(1)
                    .chain(others.into_iter().take(3))
                    .collect()
            }
            Language::Rust => {
                let others = of(&|path| {
                    let source = path.starts_with("src/") && path != "src/lib.rs";
                    path.ends_with(".rs") && (source || path.starts_with("tests/"))
                });
                std::iter::once("src/lib.rs".to_owned())
                    .chain(others.into_iter().take(3))
                    .collect()
            }
            Language::Go => {
                let files = of(&|path| path.ends_with(".go") && !path.contains('/'));
                let (tests, sources): (Vec<_>, Vec<_>) = files
                    .into_iter()
                    .partition(|path| path.ends_with("_test.go"));
                let tests = tests.into_iter().filter(|path| !path.contains("example"));
                sources.into_iter().take(3).chain(tests.take(1)).collect()
            }
        }
    }

    /// Whether a line declares something that others may use.
    fn declares(self, line: &str) -> bool {
        let name = match self {
            Language::Python => line.trim_start().strip_prefix("def "),
            Language::Rust => line.trim_start().strip_prefix("pub fn "),
            Language::Go => line.strip_prefix("func "),
        };
        name.is_some_and(|name| !name.starts_with("_") && !name.starts_with("trial"))
    }

    /// Code with a mistake, and the line that has it.
    fn bad(self, kind: usize, n: usize) -> (String, Option<String>) {
        let (text, bad) = match (self, kind) {
            (Language::Python, 0) => (
                format!("\n\ndef trial_{n}():\n    return missing_{n}\n"),
                format!("return missing_{n}"),
            ),
            (Language::Python, 1) => {
                let line = format!("trial_{n}: int = \"text\"");
                (format!("\n\n{line}\n"), line)
            }
            (Language::Python, 2) => {
                let line = format!("trial_{n}(1)");
                (
                    format!("\n\ndef trial_{n}() -> None: ...\n\n\n{line}\n"),
                    line,
                )
            }
            (Language::Python, _) => {
                let line = format!("import absent_{n}");
                (format!("\n\n{line}\n"), line)
            }
            (Language::Rust, 0) => {
                let line = format!("\"text {n}\"");
                (
                    format!("\npub fn trial_{n}() -> i32 {{\n    {line}\n}}\n"),
                    line,
                )
            }
            (Language::Rust, 1) => {
                let line = format!("text_{n}.len()");
                (
                    format!(
                        "\npub fn trial_{n}() -> usize {{\n    let text_{n} = [std::boxed::Box::new(1)];\n    drop(text_{n});\n    {line}\n}}\n"
                    ),
                    line,
                )
            }
            (Language::Rust, 2) => {
                let line = format!("missing_{n}()");
                (format!("\npub fn trial_{n}() {{\n    {line}\n}}\n"), line)
            }
            (Language::Rust, _) => {
                let line = format!("let unused_{n} = 1;");
                (format!("\npub fn trial_{n}() {{\n    {line}\n}}\n"), line)
            }
            (Language::Go, 0) => {
                let line = format!("return \"text {n}\"");
                (format!("\nfunc trial{n}() int {{\n\t{line}\n}}\n"), line)
            }
            (Language::Go, 1) => {
                let line = format!("return missing{n}");
                (format!("\nfunc trial{n}() int {{\n\t{line}\n}}\n"), line)
            }
            (Language::Go, 2) => {
                let line = format!("trial{n} = trial{n}");
                (
                    format!("\nfunc init() {{\n\ttrial{n} := 1\n\t{line}\n}}\n"),
                    line,
                )
            }
            (Language::Go, _) => {
                let line = format!("unused{n} := 1");
                (format!("\nfunc init() {{\n\t{line}\n}}\n"), line)
            }
        };
        (text, Some(bad))
    }

    fn good(self, n: usize) -> String {
        match self {
            Language::Python => format!("\n\ndef trial_good_{n}() -> int:\n    return {n}\n"),
            Language::Rust => format!("\npub fn trial_good_{n}() -> i32 {{\n    {n}\n}}\n"),
            Language::Go => format!("\nfunc init() {{\n\t_ = {n}\n}}\n"),
        }
    }

    fn comment(self, n: usize) -> String {
        match self {
            Language::Python => format!("# trial {n}\n"),
            Language::Rust => format!("// trial {n}\n"),
            Language::Go => format!("// trial {n}\n\n"),
        }
    }

    fn helper_name(self, n: usize) -> String {
        match self {
            Language::Go => format!("TrialHelper{n}"),
            _ => format!("trial_helper_{n}"),
        }
    }

    fn module(self, helper: &str) -> String {
        match self {
            Language::Python => format!("def {helper}() -> int:\n    return 1\n"),
            Language::Rust => format!("pub fn {helper}() -> i32 {{\n    1\n}}\n"),
            Language::Go => format!("package PACKAGE\n\nfunc {helper}() int {{\n\treturn 1\n}}\n"),
        }
    }

    fn module_path(self, beside: &str, name: &str) -> String {
        let folder = Path::new(beside).parent().unwrap();
        let extension = match self {
            Language::Python => "py",
            Language::Rust => "rs",
            Language::Go => "go",
        };
        let path = folder.join(format!("{name}.{extension}"));
        path.to_string_lossy().into_owned()
    }

    fn usage(self, package: &str, user: &str, module: &str, helper: &str, n: usize) -> String {
        match self {
            Language::Python => {
                format!("\n\nfrom {package}.{module} import {helper}  # {n}\n{helper}()\n")
            }
            // A test is another crate.
            Language::Rust => {
                let of = if user.starts_with("tests/") {
                    package
                } else {
                    "crate"
                };
                format!("\npub fn trial_use_{n}() -> i32 {{\n    {of}::{module}::{helper}()\n}}\n")
            }
            Language::Go => format!("\nfunc init() {{\n\t_ = {helper}()\n}}\n"),
        }
    }
}
