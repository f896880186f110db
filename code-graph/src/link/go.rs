//! How Go names packages, and what its builtins give.

use super::Certainty;
use super::eval::Eval;
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules};
use super::value::{FileId, Value, Values};
use crate::facts::{Import, Manifest, NameId, ScopeId};

/// The rules of Go: a folder is a package, a `go.mod` says what its path begins with.
pub(crate) struct Go {
    /// Folders with a `go.mod`, and the module's path; the longest folder first.
    modules: Vec<(String, String)>,
}

impl Go {
    /// For the modules of a tree.
    pub(crate) fn new(tree: &Tree) -> Go {
        let mut modules: Vec<(String, String)> = tree
            .manifests()
            .iter()
            .filter_map(|(path, manifest)| match manifest {
                Manifest::Go { module } => {
                    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                    Some((folder.to_owned(), module.clone()))
                }
                _ => None,
            })
            .collect();
        modules.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Go { modules }
    }

    /// The import path of a folder.
    fn path(&self, folder: &str) -> String {
        for (root, module) in &self.modules {
            let below = match root.as_str() {
                "" => Some(folder),
                root => match folder.strip_prefix(root) {
                    Some("") => Some(""),
                    Some(rest) => rest.strip_prefix('/'),
                    None => None,
                },
            };
            match below {
                Some("") => return module.clone(),
                Some(below) => return format!("{module}/{below}"),
                None => {}
            }
        }
        format!("./{folder}")
    }

    fn package(&self, tree: &Tree, file: FileId) -> String {
        let path = self.path(tree.folder(file));
        let name = tree
            .file(file)
            .and_then(|source| source.surface.namespace.as_deref());
        match name {
            // A package beside the one it tests.
            Some(name) if name.ends_with("_test") => format!("{path} {name}"),
            _ => path,
        }
    }
}

impl Rules for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn sees_members(&self) -> bool {
        false
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn fulfils_by_shape(&self) -> bool {
        true
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        Some(self.package(tree, file))
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.unit(file) else {
            return Values::none();
        };
        let module = unit.facts.name(import.module);
        let is_here = eval.has_namespace(module) && !eval.world.namespace(module).is_empty();
        let value = match is_here {
            true => Value::Namespace(module.into()),
            false => Value::external(module),
        };
        Values::one(value, Certainty::Exact)
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        let name = objects::text_of(eval, file, name);
        let package = self.package(&eval.world.tree, file);
        let found = objects::member_of_namespace(eval, &package, &name);
        if !found.is_empty() {
            return found;
        }
        match is_builtin(&name) || eval.has_external_wildcard(file) {
            true => Values::one(Value::external(name), Certainty::Exact),
            false => Values::none(),
        }
    }

    fn operated(&self, _: &mut Eval<'_>, _: &str, value: &Value) -> Values {
        objects::operated(value)
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        objects::element(eval, value)
    }

    fn may_own(&self, external: &str, _: &str) -> bool {
        !is_builtin(external)
    }
}

/// Types and functions that need no import.
fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "[]" | "map"
            | "chan"
            | "any"
            | "bool"
            | "byte"
            | "comparable"
            | "complex64"
            | "complex128"
            | "error"
            | "float32"
            | "float64"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "rune"
            | "string"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
            | "append"
            | "cap"
            | "clear"
            | "close"
            | "complex"
            | "copy"
            | "delete"
            | "imag"
            | "len"
            | "make"
            | "max"
            | "min"
            | "new"
            | "panic"
            | "print"
            | "println"
            | "real"
            | "recover"
            | "nil"
            | "iota"
            | "true"
            | "false"
    )
}
