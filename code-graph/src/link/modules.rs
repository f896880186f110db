//! Where modules are: paths, and the names at the top of files and namespaces.

use super::eval::{Eval, Node};
use super::value::{Collect, FileId, Value, Values};
use super::world::{Atom, SourceFile};
use super::{Certainty, key};
use crate::facts::{ImportId, Manifest, NameId, ScopeId};
use hashbrown::HashMap;
use std::sync::Arc;

/// The files of a checkout by path, and its project files.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: Vec<SourceFile>,
    by_path: HashMap<String, FileId>,
    manifests: Vec<(String, Manifest)>,
}

impl Tree {
    /// The tree of these files, sorted by path.
    pub(crate) fn new(files: Vec<SourceFile>, manifests: Vec<(String, Manifest)>) -> Tree {
        let paths = files.iter().enumerate();
        let by_path = paths
            .map(|(at, file)| (file.path.clone(), FileId(at as u32)))
            .collect();
        Tree {
            files,
            by_path,
            manifests,
        }
    }

    /// All files.
    pub(crate) fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// One file.
    pub(crate) fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.index())
    }

    /// The path of a file.
    pub(crate) fn path(&self, id: FileId) -> &str {
        self.file(id).map_or("", |file| &file.path)
    }

    /// The folder of a file, without a slash at the end; empty for the root.
    pub(crate) fn folder(&self, id: FileId) -> &str {
        self.path(id)
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
    }

    /// The file at a path. Rules that link use [`Eval::probe`], which notes the question.
    pub(crate) fn at(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Project files and their paths.
    pub(crate) fn manifests(&self) -> &[(String, Manifest)] {
        &self.manifests
    }
}

impl<'w> Eval<'w> {
    /// The file at a path; the question is noted, so that a file that comes to be there later
    /// changes the answer.
    pub(crate) fn probe(&mut self, path: &str) -> Option<FileId> {
        self.note(key::path(path));
        self.world.tree.at(path)
    }

    /// The file at `path` below `folder`, with the first of the endings that there is one for; `.` and
    /// `..` are resolved. Nothing outside the checkout is found.
    pub(crate) fn probe_in(
        &mut self,
        folder: &str,
        path: &str,
        endings: &[&str],
    ) -> Option<FileId> {
        let mut parts: Vec<&str> = Vec::new();
        for part in folder.split('/').chain(path.split('/')) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        endings
            .iter()
            .find_map(|ending| self.probe(&format!("{path}{ending}")))
    }

    /// What a name at the top of a file means to others: its own bindings, else what its wildcard
    /// imports bring, else what the language's rules find (a submodule).
    pub(crate) fn top(&mut self, file: FileId, name: Atom) -> Values {
        self.node(Node::Top(file, name), |eval| {
            let Some(unit) = eval.world.unit(file) else {
                return Values::none();
            };
            eval.note_top(file, name);
            if let Some(id) = unit.name(name)
                && !unit.facts.bindings_of(ScopeId::MODULE, id).is_empty()
            {
                return eval.bound(file, ScopeId::MODULE, id);
            }
            let found = eval.brought(file, name);
            if !found.is_empty() {
                return found;
            }
            let rules = eval.world.rules(file);
            rules.missing_top(eval, file, name)
        })
    }

    /// Whether a file binds a name at its top itself.
    pub(crate) fn has_top(&mut self, file: FileId, name: Atom) -> bool {
        self.note_top(file, name);
        let Some(unit) = self.world.unit(file) else {
            return false;
        };
        let id = unit.name(name);
        id.is_some_and(|id| !unit.facts.bindings_of(ScopeId::MODULE, id).is_empty())
    }

    /// What the wildcard imports at the top of a file bring others for a name. They may lead back.
    pub(crate) fn brought(&mut self, file: FileId, name: Atom) -> Values {
        self.node(Node::Wildcards(file, name), |eval| {
            eval.wildcards(file, ScopeId::MODULE, name, true)
        })
    }

    /// What the wildcard imports of a scope bring for a name; the last import wins. With `outside`,
    /// only those that others see too.
    pub(crate) fn wildcards(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Atom,
        outside: bool,
    ) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        if scope == ScopeId::MODULE {
            self.note(key::of_file(unit.path, key::WILDCARDS));
        }
        let rules = self.world.rules(file);
        for at in unit.wildcards_of(scope).rev() {
            let Some(import) = unit.facts.imports.get(at as usize) else {
                continue;
            };
            if outside && !import.reexport {
                continue;
            }
            let module = self.import(file, ImportId(at));
            let mut found = Collect::default();
            for (value, certainty) in module.iter() {
                if let Value::Module(from) = value
                    && !rules.wildcard_brings(self, *from, name)
                {
                    continue;
                }
                if value.external_name().is_some() {
                    // Whether an unknown module has the name, nobody knows.
                    continue;
                }
                let member = self.member_atom(value, *certainty, name);
                found.extend(&member, *certainty);
            }
            if !found.is_empty() {
                return found.finish();
            }
        }
        Values::none()
    }

    /// What an import brings: the module, or the name taken from it.
    pub(crate) fn import(&mut self, file: FileId, import: ImportId) -> Values {
        self.node(Node::Import(file, import), |eval| {
            let Some(unit) = eval.world.unit(file) else {
                return Values::none();
            };
            let Some(import) = unit.facts.imports.get(import.index()) else {
                return Values::none();
            };
            eval.world.rules(file).import(eval, file, import)
        })
    }

    /// What a name means in a namespace: the union of what its files bind at their top, else the
    /// namespace of that name inside it.
    pub(crate) fn namespace_member(&mut self, namespace: &Arc<str>, name: Atom) -> Values {
        let of = self.world.atom(namespace);
        self.node(Node::Namespace(of, name), |eval| {
            let text = eval.world.text(name);
            eval.note(key::namespace_member(namespace, &text));
            let mut found = Collect::default();
            for file in eval.world.namespace(namespace) {
                let Some(unit) = eval.world.unit(*file) else {
                    continue;
                };
                let Some(id) = unit.name(name) else {
                    continue;
                };
                if !unit.facts.bindings_of(ScopeId::MODULE, id).is_empty() {
                    eval.note_top(*file, name);
                    let rules = eval.world.rules(*file);
                    if rules.shares(eval, *file, id) {
                        let values = eval.bound(*file, ScopeId::MODULE, id);
                        found.extend(&values, Certainty::Exact);
                    }
                }
            }
            if !found.is_empty() {
                return found.finish();
            }
            let separator = if namespace.contains('\\') { "\\" } else { "." };
            let inner: Arc<str> = format!("{namespace}{separator}{text}").into();
            eval.note(key::namespace(&inner));
            if eval.world.has_namespace_under(&inner) {
                return Values::one(Value::Namespace(inner), Certainty::Exact);
            }
            Values::none()
        })
    }

    /// Whether there is a namespace of this name, or one inside it; the question is noted.
    pub(crate) fn has_namespace(&mut self, name: &str) -> bool {
        self.note(key::namespace(name));
        self.world.has_namespace_under(name)
    }

    /// Whether a file imports all names of something outside the checkout.
    pub(crate) fn has_external_wildcard(&mut self, file: FileId) -> bool {
        let Some(unit) = self.world.unit(file) else {
            return false;
        };
        unit.wildcards_of(ScopeId::MODULE).any(|at| {
            let module = self.import(file, ImportId(at));
            module
                .iter()
                .any(|(value, _)| value.external_name().is_some())
        })
    }

    /// Notes that a name at the top of a file was looked up.
    pub(crate) fn note_top(&mut self, file: FileId, name: Atom) {
        if let Some(unit) = self.world.unit(file) {
            let local = key::top_hash(self.world.hash(name));
            self.note(key::of_file(unit.path, local));
        }
    }

    /// The name of a file that has a number.
    pub(crate) fn name_in(&self, file: FileId, name: Atom) -> Option<NameId> {
        self.world.unit(file)?.name(name)
    }
}
