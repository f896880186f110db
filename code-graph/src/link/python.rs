//! How Python names modules, and what its own types and functions give.

mod fixtures;
mod library;
mod modules;
mod overload;

use super::Certainty;
use super::eval::{Arguments, Eval, Fit, Memo};
use super::modules::Tree;
use super::rules::{Key, Rules, union};
use super::value::{Class, Collect, FileId, SymRef, Value, Values};
use super::world::Atom;
use crate::extract::python::operators::method_of;
use crate::facts::{
    Binding, Bound, Expr, Flags, FunctionId, Import, List, NameId, ScopeId, ScopeKind, SymbolKind,
};
use hashbrown::{HashMap, HashSet};
use modules::{Found, as_value, folders_sorted, top_of};
use parking_lot::Mutex;
use std::sync::Arc;

/// A module as a file imports it: the file, the level and the name.
type Imported = (FileId, u8, NameId);

/// The rules of Python.
pub(crate) struct Python {
    /// Folders that hold an `__init__`.
    packages: HashSet<String>,
    /// Folders with Python files in or under them.
    folders: HashSet<String>,
    /// The folder that each folder's absolute imports begin at: the one above its highest package.
    roots: HashMap<String, String>,
    /// The folders that modules and packages lie in, by their name: those that an absolute import
    /// can begin with when the folder is searched. Sorted.
    tops: HashMap<String, Vec<String>>,
    /// What the modules that files import are, each with what was looked up to find it.
    imported: Mutex<HashMap<Imported, (Values, Arc<Memo>)>>,
}

/// The member of a generator that stands for what `yield` gives inside it.
const SENT: &str = "yield";

impl Python {
    /// For the modules of a tree.
    pub(crate) fn new(tree: &Tree) -> Python {
        let mut packages = HashSet::new();
        let mut folders = HashSet::new();
        for file in tree.files() {
            if file.language.id() != "python" {
                continue;
            }
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            if name == "__init__.py" || name == "__init__.pyi" {
                packages.insert(folder.to_owned());
            }
            let mut at = folder;
            while folders.insert(at.to_owned()) {
                at = match at.rsplit_once('/') {
                    Some((above, _)) => above,
                    None => "",
                };
            }
        }
        let mut tops: HashMap<String, Vec<String>> = HashMap::new();
        for file in tree.files() {
            if file.language.id() != "python" {
                continue;
            }
            let top = top_of(&file.path);
            if let Some((folder, name)) = top.filter(|(folder, _)| !packages.contains(*folder)) {
                tops.entry_ref(name).or_default().push(folder.to_owned());
            }
        }
        // Thousands of folders may have a module of one name.
        for folders in tops.values_mut() {
            folders.sort_unstable();
            folders.dedup();
        }
        let mut roots = HashMap::new();
        for folder in &folders_sorted(&folders) {
            let mut root = folder.as_str();
            while packages.contains(root) && !root.is_empty() {
                root = root.rsplit_once('/').map_or("", |(above, _)| above);
            }
            roots.insert(folder.clone(), root.to_owned());
        }
        Python {
            packages,
            folders,
            roots,
            tops,
            imported: Mutex::default(),
        }
    }

    /// The call of a method that the language itself calls.
    fn dunder(&self, eval: &mut Eval<'_>, value: &Value, name: &str) -> Values {
        match value {
            Value::Instance(Class::Symbol(_), _) | Value::This(_) | Value::Super(_) => {}
            _ => return Values::none(),
        }
        let found = eval.member(value, Certainty::Typed, name);
        eval.each(&found, |eval, value, certainty| match value {
            Value::Function(..) => eval.call(value, certainty, None),
            _ => Values::none(),
        })
    }

    /// What the iterator of a value of a class of the checkout gives.
    fn next(&self, eval: &mut Eval<'_>, value: &Value, iter: &str, next: &str) -> Values {
        let iterator = self.dunder(eval, value, iter);
        eval.each(&iterator, |eval, iterator, _| match iterator {
            Value::Instance(Class::External(_), _) => self.element(eval, iterator),
            iterator => self.dunder(eval, iterator, next),
        })
    }

    /// A builtin container that a class of the checkout inherits from, with its type arguments.
    fn container(&self, eval: &mut Eval<'_>, value: &Value) -> Option<Value> {
        let class = match value {
            Value::Instance(Class::Symbol(class), _) | Value::This(class) => *class,
            _ => return None,
        };
        let lineage = eval.lineage(class);
        lineage.iter().find_map(|(base, _)| match base {
            Value::Type(class @ Class::External(_), args) if !args.is_empty() => {
                Some(Value::Instance(class.clone(), args.clone()))
            }
            _ => None,
        })
    }

    /// `value[from:]`, where it is something built in.
    fn slice(
        &self,
        eval: &mut Eval<'_>,
        value: &Value,
        file: FileId,
        from: List,
    ) -> Option<Values> {
        match value {
            Value::Instance(Class::External(name), args) if &**name == "list" && args.len() > 1 => {
                let unit = eval.world.unit(file)?;
                let from = unit.facts.list(from).first()?;
                let args: Arc<[Values]> = match unit.facts.exprs.get(from.index()) {
                    Some(Expr::Int(from)) => {
                        let parts = args.get(*from as usize + 1..).unwrap_or_default();
                        let mut kept = vec![union(parts)];
                        kept.extend_from_slice(parts);
                        kept.into()
                    }
                    _ => Arc::from([args.first().cloned().unwrap_or_default()]),
                };
                let list = Value::external_instance("list", args);
                Some(Values::one(list, Certainty::Inferred))
            }
            Value::Instance(Class::External(name), _) if !library::is_mapping(plain(name)) => {
                Some(Values::one(value.clone(), Certainty::Inferred))
            }
            _ => None,
        }
    }

    /// Field number `n` of a named tuple.
    fn named_field(&self, eval: &mut Eval<'_>, class: SymRef, n: u16) -> Option<Values> {
        let lineage = eval.lineage(class);
        let named = lineage.iter().any(|(base, _)| {
            base.external_name()
                .is_some_and(|name| plain(name) == "NamedTuple")
        });
        if !named {
            return None;
        }
        let unit = eval.world.unit(class.file)?;
        let members = unit.facts.symbols.get(class.symbol.index())?.members?;
        let mut fields: Vec<&Binding> = unit
            .facts
            .bindings_in(members)
            .iter()
            .filter(|binding| matches!(binding.bound, Bound::Declared(_)))
            .collect();
        fields.sort_by_key(|binding| binding.at);
        let field = fields.get(usize::from(n))?;
        let name = unit.atom(field.name)?;
        Some(eval.own(class, name))
    }

    /// The values of a dictionary literal: those under a key, or all.
    fn entries(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        scope: ScopeId,
        key: Option<&str>,
    ) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let mut names: Vec<NameId> = Vec::new();
        for binding in unit.facts.bindings_in(scope) {
            let text = unit.facts.name(binding.name);
            let wanted = match key {
                Some(key) => text == key,
                None => true,
            };
            if (wanted || text == "*") && names.last() != Some(&binding.name) {
                names.push(binding.name);
            }
        }
        let mut found = Collect::default();
        for name in names {
            let values = eval.bound(file, scope, name);
            found.extend(&values, Certainty::Inferred);
        }
        found.finish()
    }
}

/// A standard name without the module it lies in.
pub(super) fn plain(name: &str) -> &str {
    for module in [
        "typing.",
        "typing_extensions.",
        "collections.abc.",
        "collections.",
        "builtins.",
        "contextlib.",
        "types.",
        "asyncio.",
        "_typeshed.",
    ] {
        if let Some(rest) = name.strip_prefix(module) {
            return rest;
        }
    }
    name
}

impl Rules for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn brings(&self, path: &str) -> Vec<String> {
        modules::brings(path)
    }

    fn sees_members(&self) -> bool {
        false
    }

    fn has_extensions(&self) -> bool {
        false
    }

    fn looks_below(&self) -> bool {
        true
    }

    fn raises(&self) -> bool {
        true
    }

    fn keeps_parts(&self) -> bool {
        true
    }

    fn shown_first(&self) -> bool {
        true
    }

    fn signatures_outside(&self) -> bool {
        true
    }

    fn follows_arguments(&self) -> bool {
        true
    }

    fn implicit_instead(&self, member: &str) -> Option<&'static str> {
        Some(match member {
            "__ne__" => "__eq__",
            "__contains__" => "__iter__",
            "__iadd__" => "__add__",
            "__isub__" => "__sub__",
            "__imul__" => "__mul__",
            "__itruediv__" => "__truediv__",
            "__ifloordiv__" => "__floordiv__",
            "__imod__" => "__mod__",
            "__ior__" => "__or__",
            "__iand__" => "__and__",
            "__ixor__" => "__xor__",
            "__ilshift__" => "__lshift__",
            "__irshift__" => "__rshift__",
            "__imatmul__" => "__matmul__",
            "__ipow__" => "__pow__",
            _ => return None,
        })
    }

    fn text(&self) -> &'static str {
        "str"
    }

    fn array(&self) -> &'static str {
        "list"
    }

    fn tuple(&self) -> &'static str {
        "tuple"
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("__call__")
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let world = eval.world;
        let Some(unit) = world.unit(file) else {
            return Values::none();
        };
        let module = unit.facts.name(import.module);
        let Some(name) = import.name else {
            // `import a.b.c` binds `a`; `import a.b.c as d` binds the module itself.
            let first = module.split('.').next().unwrap_or(module);
            let local = import.local.map(|local| unit.facts.name(local));
            if import.level == 0 && local == Some(first) && first != module {
                return match self.absolute(eval, file, first) {
                    Some(found) => as_value(found),
                    None if self.begins_here(eval, file, first) => Values::none(),
                    None => Values::one(Value::external(first), Certainty::Exact),
                };
            }
            return self.imported_module(eval, file, import);
        };
        let text = unit.facts.name(name);
        match self.module(eval, file, import) {
            Some(Found::File(from)) if from == file => {
                let folder = world.tree.folder(file);
                self.submodule(eval, folder, text)
            }
            Some(Found::File(from)) => match unit.atom(name) {
                Some(atom) => eval.top(from, atom),
                None => Values::none(),
            },
            Some(Found::Folder(folder)) => self.submodule(eval, &folder, text),
            None if import.level == 0 && !self.begins_here(eval, file, module) => Values::one(
                Value::external(format!("{module}.{text}")),
                Certainty::Exact,
            ),
            None => Values::none(),
        }
    }

    fn imported_module(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        // Asked at every use of an imported name.
        let key = (file, import.level, import.module);
        let known = self.imported.lock().get(&key).cloned();
        if let Some((values, memo)) = known {
            eval.lean_on(&memo);
            return values;
        }
        let module = unit.facts.name(import.module);
        let found = eval.looked_up(|eval| match self.module(eval, file, import) {
            Some(found) => as_value(found),
            None if import.level == 0 && !self.begins_here(eval, file, module) => {
                Values::one(Value::external(module), Certainty::Exact)
            }
            None => Values::none(),
        });
        let values = found.0.clone();
        self.imported.lock().insert(key, found);
        values
    }

    fn missing_top(&self, eval: &mut Eval<'_>, file: FileId, name: Atom) -> Values {
        let world = eval.world;
        let path = world.tree.path(file);
        let is_package = path.ends_with("__init__.py") || path.ends_with("__init__.pyi");
        let text = world.text(name);
        if is_package {
            let folder = world.tree.folder(file);
            let found = self.submodule(eval, folder, &text);
            if !found.is_empty() {
                return found;
            }
        }
        // A module may give its names on demand; whatever they are, they are not known here.
        Values::none()
    }

    fn namespace_member(&self, eval: &mut Eval<'_>, namespace: &str, name: &str) -> Option<Values> {
        let folder = namespace.strip_prefix("python:")?;
        Some(self.submodule(eval, folder, name))
    }

    fn wildcard_brings(&self, eval: &mut Eval<'_>, from: FileId, name: Atom) -> bool {
        let Some(unit) = eval.world.unit(from) else {
            return false;
        };
        eval.note_wildcards(from);
        match &unit.facts.exports {
            Some(names) => {
                let name = unit.name(name);
                name.is_some() && names.iter().any(|export| Some(*export) == name)
            }
            None if eval.world.text(name).starts_with('_') => false,
            // What the module has by itself; its submodules do not count.
            None => eval.has_top(from, name) || !eval.brought(from, name).is_empty(),
        }
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let text = unit.facts.name(name);
        if library::is_builtin(text) {
            return Values::one(Value::external(text), Certainty::Exact);
        }
        // A wildcard import of something external may have brought it.
        for import in unit.facts.imports.iter().filter(|import| import.wildcard) {
            let modules = self.imported_module(eval, file, import);
            if let Some((value, _)) = modules.single()
                && let Some(module) = value.external_name()
            {
                return Values::one(
                    Value::external(format!("{module}.{text}")),
                    Certainty::Exact,
                );
            }
        }
        Values::none()
    }

    fn choose(&self, eval: &Eval<'_>, file: FileId, bindings: &[Binding]) -> Vec<Binding> {
        let Some(unit) = eval.world.unit(file) else {
            return Vec::new();
        };
        let symbol = |binding: &Binding| match binding.bound {
            Bound::Symbol(symbol) => unit.facts.symbols.get(symbol.index()),
            _ => None,
        };
        let declared =
            |binding: &&Binding| matches!(binding.bound, Bound::Declared(_) | Bound::TypeParam(..));
        let defines = |binding: &Binding| {
            symbol(binding).is_some_and(|s| s.kind.is_callable() || s.kind.is_type())
        };
        if let Some(last) = bindings.last()
            && let Some(scope) = unit.facts.scopes.get(last.scope.index())
            && scope.kind == ScopeKind::Object
            && unit.facts.name(last.name) != "*"
        {
            return vec![*last];
        }
        let any_declared = bindings.iter().any(|b| declared(&b));
        // Of several definitions the last one stands, and of those under conditions each may, back
        // to the last one that is under none; a declared type beats what is assigned.
        let has = |binding: &Binding, flag| symbol(binding).is_some_and(|s| s.flags.has(flag));
        let whole = bindings
            .iter()
            .rposition(|one| defines(one) && !has(one, Flags::DECLARATION));
        let last = whole.or_else(|| bindings.iter().rposition(defines));
        let stands = |binding: &Binding| match whole {
            Some(_) => defines(binding) && !has(binding, Flags::DECLARATION),
            None => false,
        };
        let first = bindings
            .iter()
            .rposition(|one| stands(one) && !has(one, Flags::CONDITIONAL));
        let mut chosen = Vec::new();
        for (at, binding) in bindings.iter().enumerate() {
            if defines(binding) {
                let under = stands(binding) && first.is_none_or(|first| first <= at);
                if Some(at) == last || under {
                    chosen.push(*binding);
                }
                continue;
            }
            let keep = match binding.bound {
                Bound::Symbol(_) | Bound::Import(_) => true,
                _ => !any_declared || declared(&binding),
            };
            if keep {
                chosen.push(*binding);
            }
        }
        chosen
    }

    fn instance(&self, eval: &mut Eval<'_>, value: &Value, certainty: Certainty) -> Values {
        let Value::Type(Class::External(name), args) = value else {
            return match value {
                Value::Instance(Class::External(name), args)
                    if &**name == "tuple" || &**name == "list" =>
                {
                    let mut inner: Vec<Values> = Vec::new();
                    for arg in args.iter() {
                        inner.push(eval.each(arg, |eval, value, certainty| {
                            self.instance(eval, value, certainty)
                        }));
                    }
                    let made = Value::external_instance(name.clone(), inner.into());
                    Values::one(made, certainty.max(Certainty::Typed))
                }
                // A value is no type.
                Value::Instance(..) => Values::none(),
                value => eval.instance_of(value, certainty),
            };
        };
        match plain(name) {
            "Optional"
            | "Annotated"
            | "ClassVar"
            | "Final"
            | "Required"
            | "NotRequired"
            | "ReadOnly"
            | "InitVar"
            | "dataclasses.InitVar" => args.first().cloned().unwrap_or_default(),
            "Union" => union(args.iter()),
            "type" | "Type" => {
                let Some(of) = args.first() else {
                    return eval.instance_of(value, certainty);
                };
                let mut found = Collect::default();
                for (value, certainty) in of.iter() {
                    if let Some(class) = super::eval::type_of(value) {
                        found.add(class, *certainty);
                    }
                }
                found.finish()
            }
            "Any" | "None" | "NoReturn" | "Never" | "Literal" => Values::none(),
            _ => eval.instance_of(value, certainty),
        }
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        match value {
            Value::Instance(Class::External(name), args) => match plain(name) {
                "tuple" | "Tuple" => union(args.iter()),
                "str" => Values::one(value.clone(), Certainty::Typed),
                _ => args.first().cloned().unwrap_or_default(),
            },
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                let found = self.next(eval, value, "__iter__", "__next__");
                if !found.is_empty() {
                    return found;
                }
                let found = self.next(eval, value, "__aiter__", "__anext__");
                if !found.is_empty() {
                    return eval.each(&found, |eval, value, _| self.awaited(eval, value));
                }
                if let Some(container) = self.container(eval, value) {
                    return self.element(eval, &container);
                }
                self.dunder(eval, value, "__getitem__")
            }
            Value::Type(Class::Symbol(class), _) => {
                let is_enum = eval
                    .facts(*class)
                    .is_some_and(|facts| facts.kind == SymbolKind::Enum);
                if is_enum {
                    return Values::one(Value::instance(*class), Certainty::Inferred);
                }
                Values::none()
            }
            Value::Variable(file, scope, name, true) => {
                let bounds = eval.bounds(*file, *scope, *name);
                eval.each(&bounds, |eval, value, _| self.element(eval, value))
            }
            _ => Values::none(),
        }
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, key: Key) -> Values {
        let expr = eval
            .world
            .unit(key.file)
            .and_then(|unit| unit.facts.exprs.get(key.expr.index()).copied());
        if let Some(Expr::Tuple(list)) = expr
            && list.len == 1
            && let Some(values) = self.slice(eval, value, key.file, list)
        {
            return values;
        }
        match value {
            Value::Instance(Class::External(name), args) => match (plain(name), expr) {
                ("tuple" | "Tuple", Some(Expr::Int(at))) => {
                    args.get(at as usize).cloned().unwrap_or_default()
                }
                ("tuple" | "Tuple", _) => union(args.iter()),
                ("str", _) => Values::one(value.clone(), Certainty::Typed),
                (name, _) if library::is_mapping(name) => args.get(1).cloned().unwrap_or_default(),
                // A list literal knows its parts.
                ("list", Some(Expr::Int(at))) if args.len() > 1 => {
                    let part = args.get(at as usize + 1).or(args.first());
                    part.cloned().unwrap_or_default()
                }
                _ => args.first().cloned().unwrap_or_default(),
            },
            Value::Object(file, scope) => {
                let unit = eval.world.unit(key.file);
                let text = match (unit, expr) {
                    (Some(unit), Some(Expr::Str(name))) => Some(unit.facts.name(name).to_owned()),
                    (_, Some(Expr::Int(at))) => Some(format!("#{at}")),
                    _ => None,
                };
                self.entries(eval, *file, *scope, text.as_deref())
            }
            Value::Type(class, args) => {
                let given = eval.instance(key.file, key.scope, key.expr);
                let given: Arc<[Values]> = match given.single() {
                    Some((Value::Instance(Class::External(name), parts), _))
                        if &**name == "tuple" =>
                    {
                        parts.clone()
                    }
                    _ if given.is_empty() => args.clone(),
                    _ => Arc::from([given]),
                };
                Values::one(Value::Type(class.clone(), given), Certainty::Exact)
            }
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                let found = self.dunder(eval, value, "__getitem__");
                if !found.is_empty() {
                    return found;
                }
                match self.container(eval, value) {
                    Some(container) => self.index(eval, &container, key),
                    None => Values::none(),
                }
            }
            _ => Values::none(),
        }
    }

    fn part(&self, eval: &mut Eval<'_>, value: &Value, n: u16) -> Values {
        match value {
            Value::Instance(Class::External(name), args) if &**name == "list" && args.len() > 1 => {
                let part = args.get(usize::from(n) + 1).or(args.first());
                part.cloned().unwrap_or_default()
            }
            Value::Instance(Class::External(name), args)
                if matches!(plain(name), "tuple" | "Tuple") =>
            {
                match args.get(usize::from(n)) {
                    Some(part) => part.clone(),
                    // `tuple[T, ...]`
                    None => union(args.iter()),
                }
            }
            Value::Instance(Class::Symbol(class), _) | Value::This(class) => {
                match self.named_field(eval, *class, n) {
                    Some(values) => values,
                    None => self.element(eval, value),
                }
            }
            _ => self.element(eval, value),
        }
    }

    fn awaited(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        match value {
            Value::Instance(Class::External(name), args) => match plain(name) {
                "Awaitable" | "Coroutine" | "Future" | "Task" => {
                    args.last().cloned().unwrap_or_default()
                }
                _ => Values::one(value.clone(), Certainty::Exact),
            },
            Value::Instance(Class::Symbol(_), _) => {
                let found = self.dunder(eval, value, "__await__");
                match found.single() {
                    Some((Value::Instance(Class::External(_), args), _)) => {
                        args.last().cloned().unwrap_or_default()
                    }
                    _ => Values::one(value.clone(), Certainty::Exact),
                }
            }
            _ => Values::one(value.clone(), Certainty::Exact),
        }
    }

    fn entered(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        match value {
            Value::Instance(Class::External(name), args) => match plain(name) {
                "Generator"
                | "Iterator"
                | "Iterable"
                | "AsyncIterator"
                | "AsyncGenerator"
                | "AsyncIterable"
                | "ContextManager"
                | "AbstractContextManager"
                | "AsyncContextManager"
                | "AbstractAsyncContextManager"
                | "closing"
                | "nullcontext" => args.first().cloned().unwrap_or_default(),
                _ => Values::one(value.clone(), Certainty::Inferred),
            },
            Value::Instance(Class::Symbol(_), _) | Value::This(_) => {
                for name in ["__enter__", "__aenter__"] {
                    let member = eval.member(value, Certainty::Typed, name);
                    if !member.is_empty() {
                        let found = self.dunder(eval, value, name);
                        if !found.is_empty() {
                            return found;
                        }
                        // What enters itself is the rule.
                        return Values::one(value.clone(), Certainty::Inferred);
                    }
                }
                Values::none()
            }
            _ => Values::none(),
        }
    }

    fn operated(&self, eval: &mut Eval<'_>, operator: &str, value: &Value) -> Values {
        let Some(name) = method_of(operator) else {
            return Values::none();
        };
        match value {
            Value::Instance(Class::External(_), _) | Value::Type(..) => {
                Values::one(value.clone(), Certainty::Inferred)
            }
            value => self.dunder(eval, value, name),
        }
    }

    fn object_member(
        &self,
        _eval: &mut Eval<'_>,
        file: FileId,
        scope: ScopeId,
        name: &str,
    ) -> Option<Values> {
        // A method of the dictionary; its call is answered with the entries.
        let object = Values::one(Value::Object(file, scope), Certainty::Inferred);
        let member = Value::Type(
            Class::External(format!("dict.{name}").into()),
            Arc::from([Values::none(), object]),
        );
        Some(Values::one(member, Certainty::Inferred))
    }

    fn external_member(
        &self,
        _eval: &mut Eval<'_>,
        class: &str,
        self_: &Value,
        member: &str,
    ) -> Option<Values> {
        // What `yield` gives in a generator: what is sent to it.
        if member != SENT {
            return None;
        }
        let Value::Instance(_, args) = self_ else {
            return None;
        };
        match plain(class) {
            "Generator" | "AsyncGenerator" => args.get(1).cloned(),
            _ => Some(Values::none()),
        }
    }

    fn external_call(
        &self,
        eval: &mut Eval<'_>,
        name: &str,
        type_args: &[Values],
        args: Arguments,
    ) -> Option<Values> {
        library::call(self, eval, name, type_args, args)
    }

    fn may_own(&self, external: &str, member: &str) -> bool {
        match plain(external) {
            "object" | "Generic" | "Protocol" | "ABC" | "abc.ABC" => {
                member.starts_with("__") && member.ends_with("__") && member != "__call__"
            }
            _ => true,
        }
    }

    fn gives_unknown(&self, owner: &str, member: &str) -> bool {
        library::gives_unknown(owner, member)
    }

    fn takes_call(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        signature: FunctionId,
        args: Arguments,
    ) -> Fit {
        overload::takes(eval, file, signature, args)
    }

    fn parameter(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        function: FunctionId,
        index: u16,
    ) -> Values {
        self.fixture(eval, file, function, index)
    }
}
