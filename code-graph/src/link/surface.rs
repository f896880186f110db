//! What linking needs of every file, without its facts.

use super::key;
use crate::facts::{
    Bound, Expr, ExprId, Facts, Flags, FunctionId, List, NameId, ScopeId, ScopeKind, Symbol,
    SymbolId, SymbolKind,
};
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

/// A block that adds members to a type named `target`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionHead {
    /// The index in [`Facts::extensions`].
    pub index: u32,
    /// The simple name of the type; none for a type without a name.
    pub target: Option<String>,
    /// The type fulfils an interface by it.
    pub interface: bool,
}

/// A module that a file declares and that lies in a file of its own (`mod x;`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleHead {
    /// The inline modules around it, from the outside.
    pub inside: Vec<String>,
    /// Its name.
    pub name: String,
    /// Where it says that its file is.
    pub path: Option<String>,
}

/// What linking needs of every file: a pure function of its [`Facts`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    /// See [`Facts::namespace`].
    pub namespace: Option<String>,
    /// Extensions in the order of position.
    pub extensions: Vec<ExtensionHead>,
    /// The names of methods and how many methods of this file have it, sorted.
    pub methods: Vec<(String, u32)>,
    /// The names of what interfaces of this file declare, sorted, each once.
    pub promised: Vec<String>,
    /// Modules that lie in files of their own, in the order of position.
    pub modules: Vec<ModuleHead>,
    /// The names of macros that the file defines at its top, sorted.
    pub macros: Vec<String>,
}

impl Surface {
    /// The surface of a file's facts.
    pub fn of(facts: &Facts) -> Surface {
        let mut surface = Surface {
            namespace: facts.namespace.map(|name| facts.name(name).to_owned()),
            ..Surface::default()
        };
        let mut methods: Vec<&str> = Vec::new();
        for symbol in &facts.symbols {
            let member = symbol.parent.is_some() || symbol.owner.is_some();
            if member && symbol.kind.is_callable() {
                methods.push(facts.name(symbol.name));
            }
            if is_shown_macro(symbol) {
                surface.macros.push(facts.name(symbol.name).to_owned());
            }
        }
        methods.sort_unstable();
        for name in methods {
            match surface.methods.last_mut() {
                Some((last, count)) if last == name => *count += 1,
                _ => surface.methods.push((name.to_owned(), 1)),
            }
        }
        surface.promised = promised(facts);
        surface.macros.sort_unstable();
        surface.macros.dedup();
        for (at, extension) in facts.extensions.iter().enumerate() {
            let target = extension.target_name.map(|name| facts.name(name));
            surface.extensions.push(ExtensionHead {
                index: at as u32,
                target: target.map(str::to_owned),
                interface: extension.interface.is_some(),
            });
        }
        surface.modules = modules(facts).map(|(_, head)| head).collect();
        surface
    }
}

/// The names of the methods that interfaces declare, sorted, each once.
fn promised(facts: &Facts) -> Vec<String> {
    let mut names: Vec<NameId> = Vec::new();
    for symbol in &facts.symbols {
        if let (SymbolKind::Interface, Some(members)) = (symbol.kind, symbol.members) {
            let methods = facts.bindings_in(members).iter();
            names.extend(methods.map(|binding| binding.name));
        }
    }
    let mut names: Vec<&str> = names.iter().map(|name| facts.name(*name)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// Whether a symbol is a macro at the top of its file.
fn is_shown_macro(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Macro && symbol.scope == ScopeId::MODULE
}

/// Modules that lie in files of their own, in the order of position, each after the name of that
/// file without its ending.
fn modules(facts: &Facts) -> impl Iterator<Item = (&str, ModuleHead)> {
    facts.imports.iter().filter_map(|import| {
        let path = facts.name(import.module).strip_prefix("mod ")?;
        let name = facts.name(import.name?);
        let mut inside = Vec::new();
        let mut at = Some(import.scope);
        while let Some(scope) = at.and_then(|at| facts.scopes.get(at.index())) {
            if let Some(owner) = scope.owner.and_then(|o| facts.symbols.get(o.index())) {
                inside.push(facts.name(owner.name).to_owned());
            }
            at = scope.parent;
        }
        inside.reverse();
        let stem = match path.trim_end_matches("/mod.rs").rsplit('/').next() {
            Some(file) if !path.is_empty() => file.trim_end_matches(".rs"),
            _ => name,
        };
        let head = ModuleHead {
            inside,
            name: name.to_owned(),
            path: Some(path.to_owned()).filter(|path| !path.is_empty()),
        };
        Some((stem, head))
    })
}

/// The fingerprints that make incremental linking exact: a pure function of a file's [`Facts`].
///
/// Each stands for one thing that can be looked up from outside the file, and is the hash of
/// everything that such a lookup can come to see: an edit that leaves all fingerprints alone cannot
/// change the links of another file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prints {
    /// The names bound at the top of the file, sorted.
    pub(super) top: Vec<String>,
    /// Fingerprints by key, sorted: keys of things in this file.
    pub(super) local: Vec<(u64, u64)>,
    /// Fingerprints by key, sorted: keys of things that several files share.
    pub(super) shared: Vec<(u64, u64)>,
}

impl Prints {
    /// The fingerprints of a file's facts.
    pub fn of(facts: &Facts) -> Prints {
        let printer = Printer { facts };
        let mut prints = Prints::default();
        let quals = key::qualified(facts);
        let mut at = 0;
        let top = facts.bindings_in(ScopeId::MODULE);
        while let Some(first) = top.get(at) {
            let bindings = facts.bindings_of(ScopeId::MODULE, first.name);
            at += bindings.len().max(1);
            let name = facts.name(first.name);
            prints.top.push(name.to_owned());
            let mut print = Print::new();
            printer.bindings(&mut print, ScopeId::MODULE, first.name);
            prints.local.push((key::top(name), print.hash));
        }
        prints.top.sort_unstable();
        prints.local.push((key::WILDCARDS, printer.wildcards()));
        for (at, symbol) in facts.symbols.iter().enumerate() {
            let Some(members) = symbol.members else {
                continue;
            };
            let class = quals.get(at).copied().unwrap_or_default();
            let id = SymbolId(at as u32);
            let mut head = Print::new();
            printer.head(&mut head, id);
            prints.local.push((key::head(class), head.hash));
            let mut at = 0;
            let bindings = facts.bindings_in(members);
            while let Some(first) = bindings.get(at) {
                at += facts.bindings_of(members, first.name).len().max(1);
                let mut print = Print::new();
                printer.bindings(&mut print, members, first.name);
                let name = facts.name(first.name);
                prints.local.push((key::member(class, name), print.hash));
            }
        }
        for extension in &facts.extensions {
            let target = extension.target_name.map(|name| facts.name(name));
            let target = target.unwrap_or_default();
            let mut head = Print::new();
            printer.expr(&mut head, extension.target, extension.scope);
            if let Some(interface) = extension.interface {
                printer.expr(&mut head, interface, extension.scope);
            }
            printer.around(&mut head, extension.members);
            prints.shared.push((key::extension(target), head.hash));
            let bindings = facts.bindings_in(extension.members);
            let mut at = 0;
            while let Some(first) = bindings.get(at) {
                at += facts
                    .bindings_of(extension.members, first.name)
                    .len()
                    .max(1);
                let mut print = Print::new();
                printer.bindings(&mut print, extension.members, first.name);
                let name = facts.name(first.name);
                let key = key::extension_member(target, name);
                prints.shared.push((key, print.hash));
            }
        }
        let surface = Surface::of(facts);
        for (name, count) in &surface.methods {
            prints.shared.push((key::method(name), u64::from(*count)));
        }
        for name in &surface.promised {
            prints.shared.push((key::promised(name), 1));
        }
        printer.modules(&mut prints.shared);
        merge(&mut prints.local);
        merge(&mut prints.shared);
        prints
    }
}

/// Sorts by key and makes one print of those that share a key.
fn merge(prints: &mut Vec<(u64, u64)>) {
    prints.sort_unstable();
    prints.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = key::mix(kept.1, next.1);
        }
        same
    });
}

/// A fingerprint in the making.
struct Print {
    hash: u64,
    seen: HashSet<(ScopeId, u32)>,
    depth: u32,
}

impl Print {
    fn new() -> Print {
        Print {
            hash: 0x51_7c_c1_b7,
            seen: HashSet::new(),
            depth: 0,
        }
    }

    fn number(&mut self, number: u64) {
        self.hash = key::mix(self.hash, number);
    }

    fn text(&mut self, text: &str) {
        self.hash = key::mix(self.hash, key::text(text));
    }
}

/// Hashes what can be evaluated, without positions.
struct Printer<'f> {
    facts: &'f Facts,
}

impl Printer<'_> {
    /// What a name means in a scope.
    fn bindings(&self, print: &mut Print, scope: ScopeId, name: NameId) {
        for binding in self.facts.bindings_of(scope, name) {
            match binding.bound {
                Bound::Symbol(symbol) => self.symbol(print, symbol),
                Bound::Import(import) => {
                    print.number(2);
                    if let Some(import) = self.facts.imports.get(import.index()) {
                        print.number(u64::from(import.level));
                        print.text(self.facts.name(import.module));
                        if let Some(name) = import.name {
                            print.text(self.facts.name(name));
                        }
                        print.number(u64::from(import.wildcard) + 2 * u64::from(import.reexport));
                    }
                }
                Bound::Value(expr) => {
                    print.number(3);
                    self.expr(print, expr, binding.env);
                }
                Bound::Declared(expr) => {
                    print.number(4);
                    self.expr(print, expr, binding.env);
                }
                Bound::Type(expr) => {
                    print.number(5);
                    self.expr(print, expr, binding.env);
                }
                Bound::TypeParam(index, bound) => {
                    print.number(6 + (u64::from(index) << 8));
                    if let Some(bound) = bound {
                        self.expr(print, bound, binding.env);
                    }
                }
                Bound::Parameter(index) => {
                    print.number(7 + (u64::from(index) << 8));
                    if let Some(owner) = self.owner(binding.scope) {
                        print.text(self.facts.name(owner));
                    }
                }
                Bound::Unknown => print.number(8),
            }
        }
    }

    /// The name of the symbol that a scope belongs to.
    fn owner(&self, scope: ScopeId) -> Option<NameId> {
        let owner = self.facts.scopes.get(scope.index())?.owner?;
        Some(self.facts.symbols.get(owner.index())?.name)
    }

    /// A symbol: a function with everything that its result depends on, a type by its name (its
    /// members have prints of their own) unless it is local.
    fn symbol(&self, print: &mut Print, id: SymbolId) {
        let Some(symbol) = self.facts.symbols.get(id.index()) else {
            return;
        };
        print.number(1 + ((symbol.kind as u64) << 8) + (u64::from(symbol.flags.0) << 16));
        print.text(self.facts.name(symbol.name));
        if !print.seen.insert((symbol.scope, u32::MAX - id.0)) {
            return;
        }
        if let Some(declared) = symbol.declared {
            self.expr(print, declared, symbol.scope);
        }
        if symbol.kind == SymbolKind::TypeAlias {
            let listed = self.facts.type_params.iter();
            for (_, name) in listed.filter(|(owner, _)| *owner == id) {
                print.text(self.facts.name(*name));
            }
        }
        if let Some(function) = symbol.function {
            self.function(print, function);
        }
        if let Some(members) = symbol.members
            && symbol.flags.has(Flags::LOCAL)
        {
            self.head(print, id);
            self.scope(print, members);
        }
    }

    /// All bindings of a scope.
    fn scope(&self, print: &mut Print, scope: ScopeId) {
        if !print.seen.insert((scope, u32::MAX)) {
            return;
        }
        let mut at = 0;
        let bindings = self.facts.bindings_in(scope);
        while let Some(first) = bindings.get(at) {
            at += self.facts.bindings_of(scope, first.name).len().max(1);
            print.text(self.facts.name(first.name));
            self.bindings(print, scope, first.name);
        }
    }

    fn function(&self, print: &mut Print, id: FunctionId) {
        let Some(function) = self.facts.functions.get(id.index()) else {
            return;
        };
        let scope = function.scope;
        self.bounds(print, scope);
        for param in &function.params {
            print.text(self.facts.name(param.name));
            print.number(u64::from(param.rest));
            for expr in [param.declared, param.default].into_iter().flatten() {
                self.expr(print, expr, scope);
                self.outside(print, expr, scope);
            }
        }
        let symbol = function
            .symbol
            .and_then(|id| self.facts.symbols.get(id.index()));
        if symbol.is_some_and(|symbol| symbol.flags.has(Flags::DECLARATION)) {
            print.number(u64::from(self.facts.takes_any_name(function)));
        }
        if let Some(result) = function.result {
            print.number(11);
            self.expr(print, result, scope);
            self.outside(print, result, scope);
        }
        for expr in &function.returns {
            print.number(12);
            self.expr(print, *expr, scope);
        }
        for expr in &function.yields {
            print.number(13);
            self.expr(print, *expr, scope);
        }
        for name in &function.type_params {
            print.text(self.facts.name(*name));
        }
        if let Some(context) = function.context {
            print.number(14);
            self.expr(print, context, scope);
        }
    }

    /// The same expression as it is read outside the function.
    fn outside(&self, print: &mut Print, expr: ExprId, scope: ScopeId) {
        if let Some(around) = self.facts.scopes.get(scope.index()).and_then(|s| s.parent) {
            self.expr(print, expr, around);
        }
    }

    /// The type parameters that are bound around members, and all that is said of them.
    fn around(&self, print: &mut Print, scope: ScopeId) {
        let Some(scope) = self.facts.scopes.get(scope.index()) else {
            return;
        };
        if let Some(parent) = scope.parent
            && let Some(around) = self.facts.scopes.get(parent.index())
            && around.kind == ScopeKind::Block
        {
            self.bounds(print, parent);
        }
    }

    /// The type parameters that a scope binds, and bounds.
    fn bounds(&self, print: &mut Print, scope: ScopeId) {
        for binding in self.facts.bindings_in(scope) {
            if matches!(binding.bound, Bound::Type(_) | Bound::TypeParam(..)) {
                print.text(self.facts.name(binding.name));
                self.bindings(print, scope, binding.name);
            }
        }
    }

    /// What a type is and inherits.
    fn head(&self, print: &mut Print, id: SymbolId) {
        let Some(symbol) = self.facts.symbols.get(id.index()) else {
            return;
        };
        if let Some(members) = symbol.members {
            self.around(print, members);
        }
        print.number(21 + ((symbol.kind as u64) << 8));
        // Who fulfils an interface hangs on all of its members.
        if let (SymbolKind::Interface, Some(members)) = (symbol.kind, symbol.members) {
            for binding in self.facts.bindings_in(members) {
                print.text(self.facts.name(binding.name));
            }
        }
        for base in self.facts.bases.iter().filter(|base| base.class == id) {
            print.number(base.kind as u64);
            self.expr(print, base.what, base.scope);
        }
        for (_, name) in self
            .facts
            .type_params
            .iter()
            .filter(|(owner, _)| *owner == id)
        {
            print.text(self.facts.name(*name));
        }
    }

    /// An expression, with what its names mean inside the function that it stands in.
    fn expr(&self, print: &mut Print, id: ExprId, scope: ScopeId) {
        if print.depth > 200 || !print.seen.insert((scope, id.0)) {
            print.number(31);
            return;
        }
        print.depth += 1;
        self.operands(print, id, scope);
        print.depth -= 1;
    }

    fn operands(&self, print: &mut Print, id: ExprId, scope: ScopeId) {
        let Some(expr) = self.facts.exprs.get(id.index()).copied() else {
            return;
        };
        match expr {
            Expr::Unknown => print.number(40),
            Expr::Name(name) => {
                print.text(self.facts.name(name));
                self.name(print, scope, name);
            }
            Expr::Member(of, name) | Expr::Path(of, name) => {
                print.number(41);
                self.expr(print, of, scope);
                print.text(self.facts.name(name));
            }
            Expr::Call(of, args) => self.with(print, 42, of, args, scope),
            Expr::New(of, args) => self.with(print, 43, of, args, scope),
            Expr::Generic(of, args) => self.with(print, 44, of, args, scope),
            Expr::This => print.number(45),
            Expr::Super => print.number(46),
            Expr::SelfType => print.number(47),
            Expr::Str(name) => {
                print.number(48);
                print.text(self.facts.name(name));
            }
            Expr::Int(value) => print.number(49 + (u64::from(value) << 8)),
            Expr::Literal(name) => {
                print.number(50);
                print.text(self.facts.name(name));
            }
            Expr::Instance(of) => self.one(print, 51, of, scope),
            Expr::TypeOf(of) => self.one(print, 52, of, scope),
            Expr::Element(of) => self.one(print, 53, of, scope),
            Expr::Await(of) => self.one(print, 54, of, scope),
            Expr::Unwrap(of) => self.one(print, 55, of, scope),
            Expr::Enter(of) => self.one(print, 56, of, scope),
            Expr::Reference(of) => self.one(print, 57, of, scope),
            Expr::Spread(of) => self.one(print, 58, of, scope),
            Expr::Union(list) => self.all(print, 59, list, scope),
            Expr::Tuple(list) => self.all(print, 60, list, scope),
            Expr::Array(list) => self.all(print, 61, list, scope),
            Expr::Bounds(list) => self.all(print, 62, list, scope),
            Expr::Object(members) => {
                print.number(63);
                self.scope(print, members);
            }
            Expr::Symbol(symbol) => self.symbol(print, symbol),
            Expr::Closure(function) => {
                print.number(64);
                self.function(print, function);
            }
            Expr::Index(of, key) => {
                print.number(65);
                self.expr(print, of, scope);
                self.expr(print, key, scope);
            }
            Expr::Part(of, part) => self.one(print, 66 + (u64::from(part) << 8), of, scope),
            Expr::Expected(of, part) => self.one(print, 67 + (u64::from(part) << 8), of, scope),
            Expr::Passed(of, part) => self.one(print, 70 + (u64::from(part) << 8), of, scope),
            Expr::Variant(of, path) | Expr::Qualified(of, path) => {
                print.number(71);
                self.expr(print, of, scope);
                self.expr(print, path, scope);
            }
            Expr::Operator(name, of) => {
                print.text(self.facts.name(name));
                self.one(print, 68, of, scope);
            }
            Expr::Keyword(name, of) => {
                print.text(self.facts.name(name));
                self.one(print, 69, of, scope);
            }
        }
    }

    fn one(&self, print: &mut Print, tag: u64, of: ExprId, scope: ScopeId) {
        print.number(tag);
        self.expr(print, of, scope);
    }

    fn all(&self, print: &mut Print, tag: u64, list: List, scope: ScopeId) {
        print.number(tag + (u64::from(list.len) << 8));
        for operand in self.facts.list(list) {
            self.expr(print, *operand, scope);
        }
    }

    fn with(&self, print: &mut Print, tag: u64, of: ExprId, list: List, scope: ScopeId) {
        print.number(tag);
        self.expr(print, of, scope);
        self.all(print, tag, list, scope);
    }

    /// What a name means, as far as functions decide it; names of the file and members of types
    /// have prints of their own.
    fn name(&self, print: &mut Print, scope: ScopeId, name: NameId) {
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(scope) = self.facts.scopes.get(id.index())
        {
            let local = matches!(
                scope.kind,
                ScopeKind::Function | ScopeKind::Block | ScopeKind::Object
            );
            if !self.facts.bindings_of(id, name).is_empty() {
                if local && print.seen.insert((id, u32::MAX / 2 + name.0)) {
                    self.bindings(print, id, name);
                }
                return;
            }
            at = scope.parent;
        }
    }

    /// The wildcard imports of the file and what it exports to those of others.
    fn wildcards(&self) -> u64 {
        let mut print = Print::new();
        for import in self.facts.imports.iter().filter(|i| i.wildcard) {
            print.number(u64::from(import.level) + (u64::from(import.scope.0) << 8));
            print.text(self.facts.name(import.module));
            print.number(u64::from(import.reexport));
        }
        if let Some(exports) = &self.facts.exports {
            print.number(1);
            for name in exports {
                print.text(self.facts.name(*name));
            }
        }
        print.hash
    }

    /// Modules in files of their own, macros, and other names of types.
    fn modules(&self, shared: &mut Vec<(u64, u64)>) {
        for (stem, head) in modules(self.facts) {
            let mut print = Print::new();
            for part in &head.inside {
                print.text(part);
            }
            print.text(head.path.as_deref().unwrap_or_default());
            shared.push((key::module(stem), print.hash));
        }
        for symbol in self.facts.symbols.iter().filter(|s| is_shown_macro(s)) {
            let key = key::macros(self.facts.name(symbol.name));
            shared.push((key, u64::from(symbol.flags.0)));
        }
        // Blocks that extend a type under another name are found through the type's own.
        for symbol in &self.facts.symbols {
            if symbol.kind == SymbolKind::TypeAlias
                && symbol.owner.is_none()
                && let Some(of) = symbol.declared.and_then(|of| self.facts.simple_name(of))
            {
                let key = key::extension(self.facts.name(of));
                let alias = key::text(self.facts.name(symbol.name));
                shared.push((key, alias));
            }
        }
    }
}
