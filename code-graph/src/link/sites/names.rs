//! What an expression names, without what it stands for.

use super::super::Certainty;
use super::super::eval::Eval;
use super::super::key;
use super::super::value::{Class, FileId, SymRef, Value};
use super::super::world::Atom;
use super::{FOLLOWED, symbol_of};
use crate::facts::{Bound, Expr, ExprId, Import, ImportId, NameId, ScopeId};
use hashbrown::HashSet;

impl Eval<'_> {
    /// The symbols that an expression names, variables included: what stands at the end of a name,
    /// not what it holds.
    pub(super) fn named_by(&mut self, scope: ScopeId, expr: ExprId) -> Vec<(SymRef, Certainty)> {
        let unit = self.world.unit(self.file);
        match unit.and_then(|unit| unit.facts.exprs.get(expr.index())) {
            Some(Expr::Name(name)) => self.named_with(scope, None, *name),
            Some(Expr::Member(of, name) | Expr::Path(of, name)) => {
                self.named_with(scope, Some(*of), *name)
            }
            _ => Vec::new(),
        }
    }

    /// The variables and fields that a call names, where a function of the name would come first.
    pub(super) fn called_by(&mut self, scope: ScopeId, expr: ExprId) -> Vec<(SymRef, Certainty)> {
        let named = self.named_by(scope, expr);
        let Some(unit) = self.world.unit(self.file) else {
            return named;
        };
        let (of, name) = match unit.facts.exprs.get(expr.index()) {
            Some(Expr::Name(name)) => (None, *name),
            Some(Expr::Member(of, name) | Expr::Path(of, name)) => (Some(*of), *name),
            _ => return named,
        };
        // Where methods have names of their own, a variable of the same name has another.
        let apart = self.world.rules(self.file).methods_apart();
        match unit.facts.name(name).strip_suffix("()") {
            Some(plain) if apart && named.is_empty() => match unit.name(self.world.atom(plain)) {
                Some(plain) => self.named_with(scope, of, plain),
                None => named,
            },
            _ => named,
        }
    }

    /// The symbols that a name means, or a name that is read from a value.
    fn named_with(
        &mut self,
        scope: ScopeId,
        of: Option<ExprId>,
        name: NameId,
    ) -> Vec<(SymRef, Certainty)> {
        let file = self.file;
        let mut symbols = Vec::new();
        let mut seen = HashSet::new();
        let mut certainty = Certainty::Exact;
        let Some(unit) = self.world.unit(file) else {
            return Vec::new();
        };
        match of {
            None => self.named_from(file, scope, name, &mut seen, &mut symbols),
            Some(of) => {
                let Some(atom) = unit.atom(name) else {
                    return Vec::new();
                };
                let receiver = self.eval(file, scope, of);
                for (value, inner) in receiver.iter() {
                    match value {
                        Value::Module(of) => {
                            self.named_top(*of, atom, &mut seen, &mut symbols);
                        }
                        Value::Namespace(of) => {
                            self.named_in(of, atom, &mut seen, &mut symbols);
                        }
                        Value::Object(of, members) => {
                            certainty = certainty.max(*inner);
                            if let (Some(unit), Some(id)) =
                                (self.world.unit(*of), self.name_in(*of, atom))
                            {
                                for binding in unit.facts.bindings_of(*members, id) {
                                    if let Bound::Symbol(symbol) = binding.bound {
                                        symbols.push(SymRef { file: *of, symbol });
                                    }
                                }
                            }
                        }
                        Value::Type(Class::Symbol(class), _)
                        | Value::Instance(Class::Symbol(class), _)
                        | Value::This(class)
                        | Value::ThisType(class) => {
                            certainty = certainty.max(*inner).max(Certainty::Typed);
                            let owner = self.find(*class, atom);
                            if let Some((Value::Type(Class::Symbol(owner), _), _)) = owner.single()
                            {
                                symbols.extend(self.own_symbols(*owner, atom));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        symbols
            .into_iter()
            .map(|symbol| (symbol, certainty))
            .collect()
    }

    /// The symbols that a name means, looked up from a scope outwards.
    fn named_from(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: NameId,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let rules = self.world.rules(file);
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            at = here.parent;
            if here.kind == crate::facts::ScopeKind::Members && id != scope && !rules.sees_members()
            {
                continue;
            }
            if !unit.facts.bindings_of(id, name).is_empty() {
                self.named(file, id, name, seen, symbols);
                return;
            }
            if here.kind == crate::facts::ScopeKind::Members
                && let (Some(owner), Some(atom)) = (here.owner, unit.atom(name))
            {
                let class = SymRef {
                    file,
                    symbol: owner,
                };
                let owner = self.find(class, atom);
                if let Some((Value::Type(Class::Symbol(owner), _), _)) = owner.single() {
                    symbols.extend(self.own_symbols(*owner, atom));
                    return;
                }
            }
        }
        let Some(atom) = unit.atom(name) else {
            return;
        };
        self.named_by_wildcards(file, atom, seen, symbols);
        if let Some(namespace) = rules.namespace(&self.world.tree, file)
            && symbols.is_empty()
        {
            self.named_in(&namespace, atom, seen, symbols);
        }
    }

    /// The symbols that the wildcard imports of a file bring for a name; the last import wins.
    fn named_by_wildcards(
        &mut self,
        file: FileId,
        name: Atom,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let rules = self.world.rules(file);
        for at in unit.wildcards_of(ScopeId::MODULE).rev() {
            let modules = self.import(file, ImportId(at));
            for (value, _) in modules.iter() {
                match value {
                    Value::Module(of) if *of != file && rules.wildcard_brings(self, *of, name) => {
                        self.named_top(*of, name, seen, symbols);
                    }
                    Value::Namespace(of) => self.named_in(of, name, seen, symbols),
                    _ => {}
                }
            }
            if !symbols.is_empty() {
                return;
            }
        }
    }

    /// The symbols that a name means in a namespace.
    fn named_in(
        &mut self,
        namespace: &str,
        name: Atom,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        let text = self.world.text(name);
        self.note(key::namespace_member(namespace, &text));
        let world = self.world;
        for file in world.namespace(namespace) {
            let Some(there) = self.name_in(*file, name) else {
                continue;
            };
            if self.has_top(*file, name) && world.rules(*file).shares(self, *file, there) {
                self.named(*file, ScopeId::MODULE, there, seen, symbols);
            }
        }
    }

    /// The symbols that a name at the top of a module leads to, through what the module takes over
    /// from others.
    pub(super) fn named_top(
        &mut self,
        file: FileId,
        name: Atom,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        let rules = self.world.rules(file);
        let text = self.world.text(name);
        let other = rules
            .exported_as(&text)
            .map(|other| self.world.atom(&other));
        for name in other.into_iter().chain([name]) {
            if self.has_top(file, name)
                && let Some(there) = self.name_in(file, name)
            {
                self.named(file, ScopeId::MODULE, there, seen, symbols);
                return;
            }
        }
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        self.note_wildcards(file);
        for at in unit.wildcards_of(ScopeId::MODULE).rev() {
            let Some(import) = unit.facts.imports.get(at as usize) else {
                continue;
            };
            if !import.reexport || seen.len() >= FOLLOWED {
                continue;
            }
            // A module may take over from one that takes over from it.
            if !seen.insert((file, import.module)) {
                continue;
            }
            let modules = rules.imported_module(self, file, import);
            for (value, _) in modules.iter() {
                if let Value::Module(of) = value
                    && *of != file
                    && rules.wildcard_brings(self, *of, name)
                {
                    self.named_top(*of, name, seen, symbols);
                }
            }
            if !symbols.is_empty() {
                return;
            }
        }
    }

    /// The symbols that a scope's bindings of a name lead to.
    pub(super) fn named(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: NameId,
        seen: &mut HashSet<(FileId, NameId)>,
        symbols: &mut Vec<SymRef>,
    ) {
        if seen.len() >= FOLLOWED || !seen.insert((file, name)) {
            return;
        }
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let rules = self.world.rules(file);
        let bindings = unit.facts.bindings_of(scope, name);
        for binding in rules.choose(self, file, bindings) {
            match binding.bound {
                Bound::Symbol(symbol) => symbols.push(SymRef { file, symbol }),
                Bound::Type(expr) => {
                    if let Some(Expr::Name(other)) = unit.facts.exprs.get(expr.index())
                        && *other != name
                    {
                        self.named_from(file, binding.env, *other, seen, symbols);
                    }
                }
                Bound::Import(id) => {
                    let Some(import) = unit.facts.imports.get(id.index()) else {
                        continue;
                    };
                    let Some(wanted) = import.name.and_then(|name| unit.atom(name)) else {
                        continue;
                    };
                    let module = Import {
                        name: None,
                        ..*import
                    };
                    let modules = rules.imported_module(self, file, &module);
                    let before = symbols.len();
                    for (value, _) in modules.iter() {
                        match value {
                            Value::Module(of) => self.named_top(*of, wanted, seen, symbols),
                            Value::Namespace(of) => self.named_in(of, wanted, seen, symbols),
                            _ => {}
                        }
                    }
                    if symbols.len() == before {
                        let values = self.import(file, id);
                        symbols.extend(values.iter().filter_map(|(value, _)| symbol_of(value)));
                    }
                }
                _ => {}
            }
        }
    }
}
