//! Where the modules of Python are found.

use super::super::Certainty;
use super::super::eval::Eval;
use super::super::value::{FileId, Value, Values};
use super::Python;
use super::library::is_standard;
use crate::facts::Import;
use hashbrown::HashSet;

/// What a dotted name leads to on disk.
pub(super) enum Found {
    File(FileId),
    /// A folder without an `__init__`.
    Folder(String),
}

/// What goes before the name of a module where others ask whether there is one.
const MODULE: &str = "python module:";

/// What goes before a folder where others ask whether it holds modules.
const FOLDER: &str = "python:";

/// What others ask about all packages at once: whether one came or went.
const PACKAGES: &str = "python packages";

/// Of so many folders it is asked singly whether they are packages.
const TOPS: usize = 64;

/// The folder that a module, or the package that a file makes, lies in, and its name.
pub(super) fn top_of(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, _) = name.rsplit_once('.')?;
    if stem != "__init__" {
        return Some((folder, stem));
    }
    match folder.rsplit_once('/') {
        Some(top) => Some(top),
        None if folder.is_empty() => None,
        None => Some(("", folder)),
    }
}

/// See [`Rules::brings`](crate::link::rules::Rules::brings).
pub(super) fn brings(path: &str) -> Vec<String> {
    let mut brought: Vec<String> = Vec::new();
    brought.extend(top_of(path).map(|(_, name)| format!("{MODULE}{name}")));
    if matches!(
        path.rsplit('/').next(),
        Some("__init__.py" | "__init__.pyi")
    ) {
        brought.push(PACKAGES.to_owned());
    }
    let mut at = path;
    while let Some((folder, _)) = at.rsplit_once('/') {
        brought.push(format!("{FOLDER}{folder}"));
        at = folder;
    }
    brought
}

impl Python {
    /// The module or folder at a path without ending.
    pub(super) fn at(&self, eval: &mut Eval<'_>, path: &str) -> Option<Found> {
        for ending in [".py", "/__init__.py", ".pyi", "/__init__.pyi"] {
            if let Some(file) = eval.probe(&format!("{path}{ending}")) {
                return Some(Found::File(file));
            }
        }
        // That a folder exists is a question about files that may come and go.
        eval.note(super::super::key::namespace(&format!("{FOLDER}{path}")));
        self.folders
            .contains(path)
            .then(|| Found::Folder(path.to_owned()))
    }

    /// Notes which folders around a file are packages: where its absolute imports begin hangs on it.
    fn note_root(&self, eval: &mut Eval<'_>, folder: &str) {
        let mut at = folder;
        while !at.is_empty() {
            for name in ["__init__.py", "__init__.pyi"] {
                eval.note(super::super::key::path(&join(at, name)));
            }
            if !self.packages.contains(at) {
                break;
            }
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// The module of an absolute dotted name, as a file of `file`'s folder would import it.
    pub(super) fn absolute(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        module: &str,
    ) -> Option<Found> {
        let path = module.replace('.', "/");
        let world = eval.world;
        let folder = world.tree.folder(file);
        let root = self.roots.get(folder).map_or("", String::as_str);
        self.note_root(eval, folder);
        let mut tried: Vec<&str> = Vec::new();
        let mut only_folder = None;
        // A script's own folder; a module of a package is not found beside its siblings.
        let beside = (!self.packages.contains(folder)).then_some(folder);
        for root in [Some(root), beside, Some(""), Some("src"), Some("lib")] {
            let Some(root) = root.filter(|root| !tried.contains(root)) else {
                continue;
            };
            tried.push(root);
            let full = join(root, &path);
            match self.at(eval, &full) {
                Some(Found::File(file)) => return Some(Found::File(file)),
                Some(found @ Found::Folder(_)) if only_folder.is_none() => {
                    only_folder = Some(found);
                }
                _ => {}
            }
        }
        if only_folder.is_none() {
            return self.above(eval, folder, module);
        }
        only_folder
    }

    /// The module of an absolute name that lies in a folder above a file's, or in the sources of one:
    /// a project inside the checkout is searched from its own root. The nearest counts.
    fn above(&self, eval: &mut Eval<'_>, folder: &str, module: &str) -> Option<Found> {
        let first = module.split('.').next().unwrap_or(module);
        if is_standard(first) {
            return None;
        }
        let tops = self.tops_of(eval, first);
        let mut at = folder;
        while !at.is_empty() {
            if !self.packages.contains(at) {
                for root in [at.to_owned(), join(at, "src"), join(at, "lib")] {
                    if tops.binary_search(&root).is_ok() {
                        return self.at(eval, &join(&root, &module.replace('.', "/")));
                    }
                }
            }
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
        }
        None
    }

    /// The folders that a module or package of a name lies in, other than packages.
    fn tops_of(&self, eval: &mut Eval<'_>, name: &str) -> &[String] {
        eval.note(super::super::key::namespace(&format!("{MODULE}{name}")));
        let tops = self.tops.get(name).map_or(&[][..], Vec::as_slice);
        if tops.len() > TOPS {
            eval.note(super::super::key::namespace(PACKAGES));
        } else {
            for folder in tops {
                self.note_root(eval, folder);
            }
        }
        tops
    }

    /// The module of a relative import.
    fn relative(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        level: u8,
        module: &str,
    ) -> Option<Found> {
        let world = eval.world;
        let mut folder = world.tree.folder(file);
        for _ in 1..level {
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        if module.is_empty() {
            for ending in ["__init__.py", "__init__.pyi"] {
                if let Some(file) = eval.probe(&join(folder, ending)) {
                    return Some(Found::File(file));
                }
            }
            return Some(Found::Folder(folder.to_owned()));
        }
        let path = join(folder, &module.replace('.', "/"));
        self.at(eval, &path)
    }

    pub(super) fn module(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        import: &Import,
    ) -> Option<Found> {
        let world = eval.world;
        let unit = world.unit(file)?;
        let module = unit.facts.name(import.module);
        if import.level > 0 {
            self.relative(eval, file, import.level, module)
        } else {
            self.absolute(eval, file, module)
        }
    }

    /// Whether the first part of a dotted name is in the checkout.
    pub(super) fn begins_here(&self, eval: &mut Eval<'_>, file: FileId, module: &str) -> bool {
        let first = module.split('.').next().unwrap_or(module);
        if self.absolute(eval, file, first).is_some() {
            return true;
        }
        // Tests put folders on the path: what is somewhere in the checkout is not surely outside.
        !is_standard(first) && !self.tops_of(eval, first).is_empty()
    }

    pub(super) fn submodule(&self, eval: &mut Eval<'_>, folder: &str, name: &str) -> Values {
        match self.at(eval, &join(folder, name)) {
            Some(found) => as_value(found),
            None => Values::none(),
        }
    }
}

pub(super) fn folders_sorted(folders: &HashSet<String>) -> Vec<String> {
    let mut sorted: Vec<String> = folders.iter().cloned().collect();
    sorted.sort_unstable();
    sorted
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

pub(super) fn as_value(found: Found) -> Values {
    match found {
        Found::File(file) => Values::one(Value::Module(file), Certainty::Exact),
        Found::Folder(folder) => Values::one(
            Value::Namespace(format!("{FOLDER}{folder}").into()),
            Certainty::Exact,
        ),
    }
}
