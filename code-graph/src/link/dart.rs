//! How Dart names libraries, and what its core library gives.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::modules::Tree;
use super::objects;
use super::rules::{Key, Rules, last_argument};
use super::value::{Class, FileId, Value, Values};
use super::world::Atom;
use crate::extract::CONSTRUCTOR;
use crate::facts::{FunctionId, Import, Manifest, NameId, ScopeId};
use hashbrown::HashMap;

/// The rules of Dart: a file is a library, or a part of one.
pub(crate) struct Dart {
    /// The folder of each package.
    packages: HashMap<String, String>,
}

impl Dart {
    /// For the packages of a tree.
    pub(crate) fn new(tree: &Tree) -> Dart {
        let mut packages = HashMap::new();
        for (path, manifest) in tree.manifests() {
            if let Manifest::Dart { name } = manifest {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                packages
                    .entry(name.clone())
                    .or_insert_with(|| folder.to_owned());
            }
        }
        Dart { packages }
    }

    /// The file that a URI names; `Err` when it is outside the checkout.
    fn file(&self, eval: &mut Eval<'_>, from: FileId, uri: &str) -> Result<Option<FileId>, ()> {
        let path = match uri.split_once(':') {
            Some(("package", rest)) => {
                let (package, rest) = rest.split_once('/').unwrap_or((rest, ""));
                let folder = self.packages.get(package).ok_or(())?;
                join(folder, &format!("lib/{rest}"))
            }
            Some(_) => return Err(()),
            None => resolve(eval.world.tree.folder(from), uri),
        };
        Ok(eval.probe(&path))
    }

    /// The library that a part belongs to.
    fn library(&self, eval: &mut Eval<'_>, file: FileId) -> Option<FileId> {
        let unit = eval.unit(file)?;
        let import = unit.facts.imports.iter().find(|import| import.level == 2)?;
        let name = unit.facts.name(import.module);
        if name.ends_with(".dart") {
            return self.file(eval, file, name).ok().flatten();
        }
        let namespace = format!("library:{name}");
        if !eval.has_namespace(&namespace) {
            return None;
        }
        eval.world.namespace(&namespace).first().copied()
    }
}

fn join(folder: &str, path: &str) -> String {
    match folder {
        "" => path.to_owned(),
        folder => format!("{folder}/{path}"),
    }
}

/// A relative path, seen from a folder.
fn resolve(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Rules for Dart {
    fn name(&self) -> &'static str {
        "dart"
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn every_constructor(&self) -> bool {
        false
    }

    fn constructors(&self) -> &'static [&'static str] {
        &[CONSTRUCTOR]
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("call")
    }

    fn namespace(&self, tree: &Tree, file: FileId) -> Option<String> {
        let source = tree.file(file)?;
        let name = source.surface.namespace.as_deref()?;
        Some(format!("library:{name}"))
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.unit(file) else {
            return Values::none();
        };
        let module = unit.facts.name(import.module);
        let name = import.name.map(|name| unit.facts.name(name));
        if import.level == 2 && !module.ends_with(".dart") {
            return match self.library(eval, file) {
                Some(of) => Values::one(Value::Module(of), Certainty::Exact),
                None => Values::none(),
            };
        }
        match (self.file(eval, file, module), name) {
            (Ok(Some(of)), Some(name)) => {
                let atom = eval.world.atom(name);
                eval.top(of, atom)
            }
            (Ok(Some(of)), None) => Values::one(Value::Module(of), Certainty::Exact),
            (Ok(None), _) => Values::none(),
            (Err(()), Some(name)) => Values::one(
                Value::external(format!("{module}.{name}")),
                Certainty::Exact,
            ),
            (Err(()), None) => Values::one(Value::external(module), Certainty::Exact),
        }
    }

    /// Private names are seen in the parts of a library only.
    fn wildcard_brings(&self, eval: &mut Eval<'_>, from: FileId, name: Atom) -> bool {
        eval.note_wildcards(from);
        if !eval.world.text(name).starts_with('_') {
            return true;
        }
        let unit = eval.unit(from);
        unit.is_some_and(|unit| unit.facts.imports.iter().any(|import| import.level == 2))
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _: ScopeId, name: NameId) -> Values {
        if let Some(library) = self.library(eval, file)
            && library != file
            && let Some(atom) = eval.unit(file).and_then(|unit| unit.atom(name))
        {
            let found = eval.top(library, atom);
            if !found.is_empty() {
                return found;
            }
            let found = eval.wildcards(library, ScopeId::MODULE, atom, false);
            if !found.is_empty() {
                return found;
            }
        }
        let name = objects::text_of(eval, file, name);
        if is_core(&name) || eval.has_external_wildcard(file) {
            return Values::one(Value::external(name), Certainty::Exact);
        }
        Values::none()
    }

    fn text(&self) -> &'static str {
        "String"
    }

    fn array(&self) -> &'static str {
        "List"
    }

    fn root(&self) -> Option<&'static str> {
        Some("Object")
    }

    fn may_own(&self, external: &str, member: &str) -> bool {
        match objects::simple(external) {
            "Object" => matches!(
                member,
                "toString" | "hashCode" | "runtimeType" | "noSuchMethod" | "=="
            ),
            "Enum" => matches!(member, "index" | "name" | "values"),
            _ => true,
        }
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        objects::element(eval, value)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, _: Key) -> Values {
        match value {
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                let operator = eval.member(value, Certainty::Typed, "[]");
                eval.each(&operator, |eval, value, certainty| match value {
                    Value::Function(..) => eval.call(value, certainty, None),
                    _ => Values::none(),
                })
            }
            value => last_argument(value),
        }
    }

    fn awaited(&self, _: &mut Eval<'_>, value: &Value) -> Values {
        match value {
            Value::Instance(Class::External(name), args)
                if matches!(objects::simple(name), "Future" | "FutureOr") =>
            {
                args.last().cloned().unwrap_or_default()
            }
            value => Values::one(value.clone(), Certainty::Exact),
        }
    }

    fn external_call(
        &self,
        eval: &mut Eval<'_>,
        name: &str,
        type_args: &[Values],
        args: Arguments,
    ) -> Option<Values> {
        objects::container_call(eval, name, type_args, args)
    }

    fn external_member(
        &self,
        _: &mut Eval<'_>,
        _: &str,
        receiver: &Value,
        member: &str,
    ) -> Option<Values> {
        match member {
            "first" | "last" | "single" | "current" | "value" => {
                let found = last_argument(receiver);
                (!found.is_empty()).then_some(found)
            }
            "values" => Some(objects::container("Iterable", &[last_argument(receiver)])),
            _ => None,
        }
    }

    fn parameter(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        function: FunctionId,
        index: u16,
    ) -> Values {
        objects::closure_parameter(eval, file, function, index)
    }
}

/// Names of `dart:core`.
fn is_core(name: &str) -> bool {
    matches!(
        name,
        "Object"
            | "String"
            | "int"
            | "double"
            | "num"
            | "bool"
            | "dynamic"
            | "void"
            | "Null"
            | "Never"
            | "List"
            | "Map"
            | "Set"
            | "Iterable"
            | "Iterator"
            | "Future"
            | "FutureOr"
            | "Stream"
            | "Function"
            | "Symbol"
            | "Type"
            | "Uri"
            | "DateTime"
            | "Duration"
            | "RegExp"
            | "Match"
            | "Pattern"
            | "StringBuffer"
            | "StringSink"
            | "Exception"
            | "Error"
            | "ArgumentError"
            | "StateError"
            | "RangeError"
            | "IndexError"
            | "UnsupportedError"
            | "UnimplementedError"
            | "FormatException"
            | "TypeError"
            | "AssertionError"
            | "NoSuchMethodError"
            | "ConcurrentModificationError"
            | "OutOfMemoryError"
            | "StackOverflowError"
            | "StackTrace"
            | "Stopwatch"
            | "Comparable"
            | "Comparator"
            | "Sink"
            | "BigInt"
            | "Expando"
            | "MapEntry"
            | "Record"
            | "Enum"
            | "Runes"
            | "RuneIterator"
            | "Invocation"
            | "WeakReference"
            | "Finalizer"
            | "print"
            | "identical"
            | "identityHashCode"
            | "override"
            | "deprecated"
            | "Deprecated"
            | "pragma"
            | "UriData"
            | "RegExpMatch"
    )
}
