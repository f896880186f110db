//! What names and paths mean.

use super::super::key;
use super::super::value::{FileId, SymRef};
use super::super::world::Atom;
use super::{Linker, sym};
use crate::facts::{Bound, Expr, ExprId, Import, NameId, ScopeId, ScopeKind, SymbolId, SymbolKind};
use std::rc::Rc;
use std::sync::Arc;

/// The three namespaces of Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ns {
    Type,
    Value,
    Macro,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Def {
    /// A file or an inline module.
    Module(FileId, ScopeId),
    Symbol(SymRef),
    /// A type parameter.
    Param(FileId, ScopeId, NameId),
    /// A local, by its name of its own.
    Local(FileId, ScopeId, NameId),
    /// Something outside the checkout, by its path.
    Outside(Arc<str>),
}

/// Names that every module sees.
const PRELUDE: &[&str] = &[
    "Some",
    "None",
    "Ok",
    "Err",
    "Option",
    "Result",
    "Vec",
    "String",
    "Box",
    "Iterator",
    "IntoIterator",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "AsRef",
    "AsMut",
    "Send",
    "Sync",
    "Sized",
    "Unpin",
    "ToString",
    "ToOwned",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Extend",
    "FromIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "drop",
    "std",
    "core",
    "alloc",
    "Future",
    "IntoFuture",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "size_of",
    "align_of",
    "size_of_val",
    "align_of_val",
];

/// How often globs and imports are followed.
const HOPS: usize = 24;

impl<'w> Linker<'w> {
    /// What a name means, looked up from a scope outwards.
    pub(super) fn lookup(&mut self, file: FileId, scope: ScopeId, name: Atom, ns: Ns) -> Rc<[Def]> {
        let key = (file, scope, name, ns, false);
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let found: Rc<[Def]> = self.lookup_outwards(file, scope, name, ns).into();
        self.names.insert(key, found.clone());
        found
    }

    fn lookup_outwards(&mut self, file: FileId, scope: ScopeId, name: Atom, ns: Ns) -> Vec<Def> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let mut at = Some(scope);
        let mut module = ScopeId::MODULE;
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            at = here.parent;
            if here.kind == ScopeKind::Members {
                continue;
            }
            let is_module = here.kind == ScopeKind::Module;
            if is_module {
                module = id;
            }
            let found = self.in_scope(file, id, name, ns, None);
            if !found.is_empty() {
                return found;
            }
            if is_module && ns != Ns::Macro {
                break;
            }
        }
        let text = self.world.text(name);
        match ns {
            Ns::Macro => return self.macro_around(file, name, &text),
            Ns::Type => {
                if let Some(root) = self.crates.named(file, &text) {
                    return vec![Def::Module(root, ScopeId::MODULE)];
                }
            }
            Ns::Value => {}
        }
        if PRELUDE.contains(&&*text) {
            return vec![Def::Outside(text)];
        }
        // A module with a glob of something outside may have any name.
        let globs = unit
            .wildcards_of(module)
            .filter_map(|at| unit.facts.imports.get(at as usize));
        for import in globs.collect::<Vec<_>>() {
            let first = unit
                .facts
                .name(import.module)
                .split("::")
                .next()
                .unwrap_or_default();
            if matches!(first, "std" | "core" | "alloc") {
                return Vec::new();
            }
        }
        Vec::new()
    }

    /// A macro by its textual scope: the modules around, then any module of the crate.
    fn macro_around(&mut self, file: FileId, name: Atom, text: &Arc<str>) -> Vec<Def> {
        let mut around = file;
        for _ in 0..HOPS {
            let Some(place) = self.crates.place(around) else {
                break;
            };
            let Some((parent, _)) = &place.parent else {
                break;
            };
            around = *parent;
            let found = self.in_scope(around, ScopeId::MODULE, name, Ns::Macro, None);
            if !found.is_empty() {
                return found;
            }
        }
        self.note(key::macros(text));
        self.note_place(file);
        let mut found = Vec::new();
        for there in self.crates.macros(file, text).to_vec() {
            found.extend(self.in_scope(there, ScopeId::MODULE, name, Ns::Macro, None));
        }
        found
    }

    /// What a name means in a module to whoever has a path to it, `from` which module.
    pub(super) fn in_module(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Atom,
        ns: Ns,
    ) -> Rc<[Def]> {
        let key = (file, scope, name, ns, true);
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let mut found = self.in_scope(file, scope, name, ns, None);
        let root = self
            .crates
            .place(file)
            .is_some_and(|place| place.root == file);
        if found.is_empty() && ns == Ns::Macro && root && scope == ScopeId::MODULE {
            // `crate::name!` of a macro that is exported from any module.
            let text = self.world.text(name);
            self.note(key::macros(&text));
            self.note_place(file);
            for there in self.crates.macros(file, &text).to_vec() {
                found.extend(self.in_scope(there, ScopeId::MODULE, name, ns, None));
            }
        }
        let found: Rc<[Def]> = found.into();
        self.names.insert(key, found.clone());
        found
    }

    /// What a scope itself binds a name to, or its globs bring.
    fn in_scope(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Atom,
        ns: Ns,
        except: Option<u32>,
    ) -> Vec<Def> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let text = self.world.text(name);
        self.note_name(file, scope, &text);
        let mut found = Vec::new();
        let mut second = Vec::new();
        if let Some(id) = unit.name(name) {
            for binding in unit.facts.bindings_of(scope, id) {
                match binding.bound {
                    Bound::Symbol(symbol) => {
                        let Some(facts) = unit.facts.symbols.get(symbol.index()) else {
                            continue;
                        };
                        let def = match facts.members {
                            Some(members) if facts.kind == SymbolKind::Module => {
                                Def::Module(file, members)
                            }
                            _ => Def::Symbol(sym(file, symbol)),
                        };
                        match in_namespace(facts.kind, ns) {
                            Some(true) => found.push(def),
                            Some(false) => second.push(def),
                            None => {}
                        }
                    }
                    Bound::Import(at) => {
                        if except == Some(at.0) {
                            continue;
                        }
                        if let Some(import) = unit.facts.imports.get(at.index()) {
                            found.extend(self.import(file, at.0, import, ns));
                        }
                    }
                    Bound::TypeParam(..) if ns == Ns::Type => {
                        found.push(Def::Param(file, scope, id));
                    }
                    Bound::Value(_) | Bound::Declared(_) | Bound::Unknown
                        if ns == Ns::Value && found.is_empty() =>
                    {
                        found.push(Def::Local(file, scope, id));
                    }
                    _ => {}
                }
            }
        }
        if found.is_empty() {
            found = second;
        }
        if found.is_empty() {
            found = self.globs(file, scope, name, ns);
        }
        found.dedup();
        found
    }

    fn globs(&mut self, file: FileId, scope: ScopeId, name: Atom, ns: Ns) -> Vec<Def> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let globs: Vec<u32> = unit.wildcards_of(scope).collect();
        if globs.is_empty() || self.seeking.len() > HOPS {
            return Vec::new();
        }
        if !self.seeking.insert((file, scope, name, ns)) {
            return Vec::new();
        }
        let mut found: Vec<Def> = Vec::new();
        for at in globs {
            let Some(import) = unit.facts.imports.get(at as usize) else {
                continue;
            };
            let module = unit.facts.name(import.module);
            for def in self.path(file, import.scope, module, Some(at)) {
                let here = match def {
                    Def::Module(there, inner) if (there, inner) != (file, scope) => {
                        self.seen_through_glob(file, scope, there, inner, name, ns)
                    }
                    Def::Symbol(symbol) => self.variant(symbol, name),
                    _ => continue,
                };
                for def in here {
                    if !found.contains(&def) {
                        found.push(def);
                    }
                }
            }
        }
        self.seeking.remove(&(file, scope, name, ns));
        found
    }

    /// What a glob in module `file`, `scope` brings from another: what is private there is seen by
    /// the modules inside it only.
    fn seen_through_glob(
        &mut self,
        file: FileId,
        scope: ScopeId,
        there: FileId,
        inner: ScopeId,
        name: Atom,
        ns: Ns,
    ) -> Vec<Def> {
        if let Some(unit) = self.unit(there)
            && let Some(id) = unit.name(name)
            && !self.is_inside(file, scope, there, inner)
        {
            let bindings = unit.facts.bindings_of(inner, id);
            let private = |bound: Bound| match bound {
                Bound::Import(at) => {
                    let import = unit.facts.imports.get(at.index());
                    import.is_some_and(|import| !import.reexport)
                }
                Bound::Symbol(symbol) => {
                    let symbol = unit.facts.symbols.get(symbol.index());
                    symbol.is_some_and(|symbol| {
                        symbol.visibility == crate::facts::Visibility::Private
                            && symbol.kind != SymbolKind::Macro
                    })
                }
                _ => false,
            };
            if !bindings.is_empty() && bindings.iter().all(|binding| private(binding.bound)) {
                let text = self.world.text(name);
                self.note_name(there, inner, &text);
                return Vec::new();
            }
        }
        if ns == Ns::Macro && inner == ScopeId::MODULE {
            return self.in_module(there, inner, name, ns).to_vec();
        }
        self.in_scope(there, inner, name, ns, None)
    }

    /// Whether a module is `there`, or inside it.
    fn is_inside(&mut self, file: FileId, scope: ScopeId, there: FileId, inner: ScopeId) -> bool {
        let mut at = (file, self.module_of(file, scope));
        for _ in 0..HOPS {
            if at == (there, inner) {
                return true;
            }
            let Some(around) = self.module_around(at.0, at.1) else {
                return false;
            };
            at = around;
        }
        false
    }

    /// The module that a scope is in.
    pub(super) fn module_of(&self, file: FileId, scope: ScopeId) -> ScopeId {
        let Some(unit) = self.unit(file) else {
            return ScopeId::MODULE;
        };
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            if here.kind == ScopeKind::Module {
                return id;
            }
            at = here.parent;
        }
        ScopeId::MODULE
    }

    /// The module around a module.
    fn module_around(&mut self, file: FileId, module: ScopeId) -> Option<(FileId, ScopeId)> {
        let unit = self.unit(file)?;
        if module != ScopeId::MODULE {
            let parent = unit.facts.scopes.get(module.index())?.parent?;
            return Some((file, self.module_of(file, parent)));
        }
        self.note_place(file);
        let (parent, inside) = self.crates.place(file)?.parent.clone()?;
        let unit = self.unit(parent)?;
        let mut scope = ScopeId::MODULE;
        for name in inside {
            let name = unit.name(self.world.atom(&name))?;
            scope = unit
                .facts
                .bindings_of(scope, name)
                .iter()
                .find_map(|b| match b.bound {
                    Bound::Symbol(symbol) => unit.facts.symbols.get(symbol.index())?.members,
                    _ => None,
                })?;
        }
        Some((parent, scope))
    }

    /// What an import brings.
    fn import(&mut self, file: FileId, at: u32, import: &Import, ns: Ns) -> Vec<Def> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let Some(name) = import.name else {
            return Vec::new();
        };
        let module = unit.facts.name(import.module);
        if let Some(path) = module.strip_prefix("mod ") {
            if ns != Ns::Type {
                return Vec::new();
            }
            let found = self.declared_module(file, import, path);
            return found
                .map(|file| Def::Module(file, ScopeId::MODULE))
                .into_iter()
                .collect();
        }
        let Some(atom) = unit.atom(name) else {
            return Vec::new();
        };
        let key = (file, import.scope, atom, ns);
        // The key of an import is told from that of a glob by its own number.
        let key = (key.0, ScopeId(u32::MAX - at), key.2, key.3);
        if self.seeking.len() > HOPS || !self.seeking.insert(key) {
            return Vec::new();
        }
        let found = self.import_path(file, at, import, module, atom, ns);
        self.seeking.remove(&key);
        found
    }

    /// All that an import brings, in every namespace; of a wildcard the module.
    pub(super) fn imported(&mut self, file: FileId, at: u32, import: &Import) -> Vec<Def> {
        if import.wildcard {
            let module = self.text(file, import.module);
            return self.path(file, import.scope, module, Some(at));
        }
        let mut all = Vec::new();
        for ns in [Ns::Type, Ns::Value, Ns::Macro] {
            for def in self.import(file, at, import, ns) {
                if !all.contains(&def) {
                    all.push(def);
                }
            }
        }
        if all.iter().any(|def| !matches!(def, Def::Outside(_))) {
            all.retain(|def| !matches!(def, Def::Outside(_)));
        }
        all
    }

    fn import_path(
        &mut self,
        file: FileId,
        at: u32,
        import: &Import,
        module: &str,
        name: Atom,
        ns: Ns,
    ) -> Vec<Def> {
        if module.is_empty() || module == "::" {
            let text = self.world.text(name);
            if module.is_empty() {
                let keyword = self.keyword(file, import.scope, &text);
                if let Some(def) = keyword {
                    return vec![def];
                }
                let found = self.first(file, import.scope, name, ns, Some(at));
                if !found.is_empty() {
                    return found;
                }
            }
            if let Some(root) = self.crates.named(file, &text) {
                return match ns {
                    Ns::Type => vec![Def::Module(root, ScopeId::MODULE)],
                    _ => Vec::new(),
                };
            }
            return vec![Def::Outside(text)];
        }
        let mut found = Vec::new();
        for def in self.path(file, import.scope, module, Some(at)) {
            match def {
                Def::Module(there, scope) => {
                    found.extend(self.in_module(there, scope, name, ns).iter().cloned());
                }
                Def::Symbol(symbol) => found.extend(self.variant(symbol, name)),
                Def::Outside(path) => {
                    let text = self.world.text(name);
                    found.push(Def::Outside(format!("{path}::{text}").into()));
                }
                _ => {}
            }
        }
        found
    }

    /// The first segment of a path that an import names, the import itself left out.
    fn first(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Atom,
        ns: Ns,
        except: Option<u32>,
    ) -> Vec<Def> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            let found = self.in_scope(file, id, name, ns, except);
            if !found.is_empty() {
                return found;
            }
            if here.kind == ScopeKind::Module {
                break;
            }
            at = here.parent;
        }
        Vec::new()
    }

    /// `crate`, `self`, `super`.
    fn keyword(&mut self, file: FileId, scope: ScopeId, word: &str) -> Option<Def> {
        match word {
            "crate" | "$crate" => {
                self.note_place(file);
                let root = self.crates.place(file).map_or(file, |place| place.root);
                Some(Def::Module(root, ScopeId::MODULE))
            }
            "self" => Some(Def::Module(file, self.module_of(file, scope))),
            "super" => {
                let module = self.module_of(file, scope);
                let (file, scope) = self.module_around(file, module)?;
                Some(Def::Module(file, scope))
            }
            _ => None,
        }
    }

    /// What a path of an import names: modules, and enums for their variants.
    fn path(&mut self, file: FileId, scope: ScopeId, path: &str, except: Option<u32>) -> Vec<Def> {
        let mut at: Option<Vec<Def>> = None;
        for segment in path.split("::") {
            let next = match &at {
                None if segment.is_empty() => {
                    at = Some(Vec::new());
                    continue;
                }
                Some(before) if before.is_empty() => {
                    let root = self.crates.named(file, segment);
                    match root {
                        Some(root) => vec![Def::Module(root, ScopeId::MODULE)],
                        None => vec![Def::Outside(segment.into())],
                    }
                }
                None => match self.keyword(file, scope, segment) {
                    Some(def) => vec![def],
                    None => {
                        let name = self.world.atom(segment);
                        let mut found = self.first(file, scope, name, Ns::Type, except);
                        if found.is_empty() {
                            let root = self.crates.named(file, segment);
                            found = match root {
                                Some(root) => vec![Def::Module(root, ScopeId::MODULE)],
                                None => vec![Def::Outside(segment.into())],
                            };
                        }
                        found
                    }
                },
                Some(before) => {
                    let name = self.world.atom(segment);
                    let mut found = Vec::new();
                    for def in before.clone() {
                        match def {
                            Def::Module(file, scope) => match self.keyword(file, scope, segment) {
                                Some(def) => found.push(def),
                                None => found.extend(
                                    self.in_module(file, scope, name, Ns::Type).iter().cloned(),
                                ),
                            },
                            Def::Outside(path) => {
                                found.push(Def::Outside(format!("{path}::{segment}").into()));
                            }
                            _ => {}
                        }
                    }
                    if found.is_empty() {
                        return found;
                    }
                    found
                }
            };
            at = Some(next);
        }
        at.unwrap_or_default()
    }

    /// The file of `mod x;`.
    fn declared_module(&mut self, file: FileId, import: &Import, path: &str) -> Option<FileId> {
        let unit = self.unit(file)?;
        let name = unit.facts.name(import.name?);
        let mut inside = Vec::new();
        let mut at = Some(import.scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            if let Some(owner) = here.owner.filter(|_| here.kind == ScopeKind::Module) {
                let symbol = unit.facts.symbols.get(owner.index())?;
                inside.push(unit.facts.name(symbol.name));
            }
            at = here.parent;
        }
        inside.reverse();
        let inside = inside.join("::");
        for path in self
            .crates
            .candidates(&self.world.tree, file, &inside, name, path)
        {
            self.note(key::path(&path));
        }
        self.note_place(file);
        self.crates.child(file, &inside, name)
    }

    /// A variant of an enum, or an item that a trait or type has by its name.
    pub(super) fn variant(&mut self, symbol: SymRef, name: Atom) -> Vec<Def> {
        let Some(facts) = self.symbol(symbol) else {
            return Vec::new();
        };
        let text = self.world.text(name);
        if facts.kind == SymbolKind::TypeAlias {
            // The variants of what it is another name for.
            let Some(declared) = facts.declared else {
                return Vec::new();
            };
            let super::Ty::Adt(target, _) = self.ty(symbol.file, facts.scope, declared) else {
                return Vec::new();
            };
            return self.variant(target, name);
        }
        self.note_member(symbol, &text);
        let (Some(unit), Some(members)) = (self.unit(symbol.file), facts.members) else {
            return Vec::new();
        };
        let Some(id) = unit.name(name) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for binding in unit.facts.bindings_of(members, id) {
            if let Bound::Symbol(inner) = binding.bound {
                found.push(Def::Symbol(sym(symbol.file, inner)));
            }
        }
        found
    }

    /// Notes where a file stands in its crate.
    fn note_place(&mut self, file: FileId) {
        let mut at = Some(file);
        for _ in 0..HOPS {
            let Some(file) = at else { return };
            let path = self.world.tree.path(file);
            self.note(key::of_file(key::text(path), key::PLACE));
            let stem = path.trim_end_matches("/mod.rs").trim_end_matches(".rs");
            let stem = stem.rsplit('/').next().unwrap_or_default();
            self.note(key::module(stem));
            at = self
                .crates
                .place(file)
                .and_then(|place| Some(place.parent.as_ref()?.0));
        }
    }

    /// Notes that a name of a module was looked up.
    fn note_name(&mut self, file: FileId, scope: ScopeId, name: &str) {
        if file == self.file {
            return;
        }
        let Some(unit) = self.unit(file) else { return };
        self.note(key::of_file(unit.path, key::WILDCARDS));
        let owner = unit.facts.scopes.get(scope.index()).and_then(|s| s.owner);
        match owner {
            None => self.note(key::of_file(unit.path, key::top(name))),
            Some(owner) => self.note_member(sym(file, owner), name),
        }
    }

    // ------------------------------------------------------------------ paths in code

    /// What a path in code names, up to modules, symbols and parameters. Types that a path goes
    /// through are for whoever looks for members of types.
    pub(super) fn def(&mut self, file: FileId, scope: ScopeId, expr: ExprId, ns: Ns) -> Vec<Def> {
        let Some(unit) = self.unit(file) else {
            return Vec::new();
        };
        match unit.facts.exprs.get(expr.index()).copied() {
            Some(Expr::Name(name)) => {
                let text = unit.facts.name(name);
                if text == "::" {
                    return vec![Def::Outside("".into())];
                }
                if let Some(def) = self.keyword(file, scope, text) {
                    return vec![def];
                }
                let atom = self.atom(file, name);
                self.lookup(file, scope, atom, ns).to_vec()
            }
            Some(Expr::Path(of, name)) => {
                let before = self.def(file, scope, of, Ns::Type);
                let atom = self.atom(file, name);
                let text = unit.facts.name(name);
                let mut found = Vec::new();
                if before.is_empty()
                    && let Some(Expr::Name(first)) = unit.facts.exprs.get(of.index())
                {
                    // A crate that is no part of the checkout.
                    let first = unit.facts.name(*first);
                    if !first.starts_with(char::is_uppercase) && !first.contains('·') {
                        return vec![Def::Outside(format!("{first}::{text}").into())];
                    }
                }
                for def in before {
                    match def {
                        Def::Module(there, inner) => match self.keyword(there, inner, text) {
                            Some(def) => found.push(def),
                            None => {
                                found
                                    .extend(self.in_module(there, inner, atom, ns).iter().cloned());
                            }
                        },
                        Def::Outside(path) if path.is_empty() => {
                            found.push(match self.crates.named(file, text) {
                                Some(root) => Def::Module(root, ScopeId::MODULE),
                                None => Def::Outside(text.into()),
                            });
                        }
                        Def::Outside(path) => {
                            found.push(Def::Outside(format!("{path}::{text}").into()));
                        }
                        Def::Symbol(symbol) => {
                            let is_enum = self.symbol(symbol).is_some_and(|s| {
                                matches!(s.kind, SymbolKind::Enum | SymbolKind::TypeAlias)
                            });
                            if is_enum {
                                found.extend(
                                    self.variant(symbol, atom)
                                        .into_iter()
                                        .filter(|def| matches!(def, Def::Symbol(_))),
                                );
                            }
                        }
                        _ => {}
                    }
                }
                found
            }
            Some(Expr::Generic(of, _)) => self.def(file, scope, of, ns),
            _ => Vec::new(),
        }
    }

    /// The symbol that owns a symbol's scope: the enum of a variant.
    pub(super) fn owner(&self, symbol: SymRef) -> Option<SymRef> {
        let parent: SymbolId = self.symbol(symbol)?.parent?;
        Some(sym(symbol.file, parent))
    }
}

/// Whether a kind of symbol is in a namespace: `Some(true)` by right, `Some(false)` when nothing
/// else has the name.
fn in_namespace(kind: SymbolKind, ns: Ns) -> Option<bool> {
    let by_right = match kind {
        SymbolKind::Module | SymbolKind::Interface | SymbolKind::Enum | SymbolKind::TypeAlias => {
            Ns::Type
        }
        SymbolKind::Struct => {
            return match ns {
                Ns::Type => Some(true),
                Ns::Value => Some(false),
                Ns::Macro => None,
            };
        }
        SymbolKind::EnumMember => {
            return match ns {
                Ns::Macro => None,
                Ns::Value => Some(true),
                Ns::Type => Some(false),
            };
        }
        SymbolKind::Macro => Ns::Macro,
        _ => Ns::Value,
    };
    (by_right == ns).then_some(true)
}
