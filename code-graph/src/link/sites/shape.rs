//! Links types to the interfaces that they fulfil by having their methods.

use super::super::eval::Eval;
use super::super::value::{Class, FileId, SymRef, Value, Values};
use super::super::world::Atom;
use super::super::{Certainty, EdgeKind, Links, key};
use super::{Use, push};
use crate::facts::{Bound, Expr, NameId, ScopeId, SymbolId, SymbolKind};
use hashbrown::HashMap;

/// What is known of who fulfils what.
type Known = HashMap<(SymRef, SymRef), bool>;

impl Eval<'_> {
    /// Edges from the types of the file to the interfaces that they fulfil, and from the methods of
    /// the file to those that a call through such an interface names.
    pub(super) fn link_shapes(&mut self, links: &mut Links) {
        let file = self.file;
        if !self.world.rules(file).fulfils_by_shape() {
            return;
        }
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let mut known = Known::new();
        for (at, block) in unit.facts.extensions.iter().enumerate() {
            self.refuel();
            let targets = self.target(file, at as u32);
            let Some((Value::Type(Class::Symbol(class), _), _)) = targets.single() else {
                continue;
            };
            let class = *class;
            for (name, symbol) in self.methods_in(file, block.members) {
                for interface in self.interfaces_with(name) {
                    if !self.fulfils(class, interface, &mut known) {
                        continue;
                    }
                    let Some(method) = unit.facts.symbols.get(symbol.index()) else {
                        continue;
                    };
                    let what = Use {
                        from: Some(symbol),
                        kind: EdgeKind::Overrides,
                        at: method.name_at,
                        row: method.name_row,
                    };
                    for promised in self.own_symbols(interface, name) {
                        push(links, what, self.world.id(promised), Certainty::Inferred);
                    }
                }
            }
        }
        for (at, symbol) in unit.facts.symbols.iter().enumerate() {
            if !matches!(symbol.kind, SymbolKind::Struct | SymbolKind::Class) {
                continue;
            }
            self.refuel();
            let class = SymRef {
                file,
                symbol: SymbolId(at as u32),
            };
            let what = Use {
                from: Some(class.symbol),
                kind: EdgeKind::Implements,
                at: symbol.name_at,
                row: symbol.name_row,
            };
            let mut interfaces: Vec<SymRef> = Vec::new();
            for name in self.method_names(class) {
                interfaces.extend(self.interfaces_with(name));
            }
            interfaces.sort_unstable();
            interfaces.dedup();
            for interface in interfaces {
                if self.fulfils(class, interface, &mut known) {
                    push(links, what, self.world.id(interface), Certainty::Inferred);
                }
            }
        }
    }

    /// Edges from the functions of object literals to the members that the declared type of the
    /// literal's place has under their names.
    pub(super) fn link_promised(&mut self, links: &mut Links) {
        let Some(unit) = self.world.unit(self.file) else {
            return;
        };
        for function in &unit.facts.functions {
            let (Some(symbol), Some(context)) = (function.symbol, function.context) else {
                continue;
            };
            let Some(Expr::Member(..)) = unit.facts.exprs.get(context.index()) else {
                continue;
            };
            let around = unit.facts.scopes.get(function.scope.index());
            let (Some(around), Some(method)) = (
                around.and_then(|scope| scope.parent),
                unit.facts.symbols.get(symbol.index()),
            ) else {
                continue;
            };
            self.refuel();
            let what = Use {
                from: Some(symbol),
                kind: EdgeKind::Overrides,
                at: method.name_at,
                row: method.name_row,
            };
            for (promised, certainty) in self.named_by(around, context) {
                let itself = promised.file == self.file && promised.symbol == symbol;
                let certainty = certainty.max(Certainty::Inferred);
                if !itself && certainty == Certainty::Inferred {
                    push(links, what, self.world.id(promised), certainty);
                }
            }
        }
    }

    /// The functions that a scope binds.
    fn methods_in(&self, file: FileId, members: ScopeId) -> Vec<(Atom, SymbolId)> {
        let Some(unit) = self.world.unit(file) else {
            return Vec::new();
        };
        let method = |(name, bound): (NameId, Bound)| match bound {
            Bound::Symbol(symbol) => {
                let facts = unit.facts.symbols.get(symbol.index())?;
                let name = unit.atom(name)?;
                facts.kind.is_callable().then_some((name, symbol))
            }
            _ => None,
        };
        let bindings = unit.facts.bindings_in(members).iter();
        bindings
            .filter_map(|binding| method((binding.name, binding.bound)))
            .collect()
    }

    /// The names of the methods that a type has, those of what is embedded included.
    fn method_names(&mut self, class: SymRef) -> Vec<Atom> {
        let mut names = Vec::new();
        let lineage = self.lineage(class);
        for (value, _) in lineage.iter() {
            let Value::Type(Class::Symbol(owner), _) = value else {
                continue;
            };
            let owner = *owner;
            let Some(unit) = self.world.unit(owner.file) else {
                continue;
            };
            let Some(facts) = unit.facts.symbols.get(owner.symbol.index()) else {
                continue;
            };
            if let (SymbolKind::Interface, Some(members)) = (facts.kind, facts.members) {
                let methods = self.methods_in(owner.file, members);
                names.extend(methods.into_iter().map(|(name, _)| name));
            }
            let target = unit.facts.name(facts.name);
            self.note(key::extension(target));
            for (file, at) in self.world.extensions(target) {
                let there = self.world.unit(*file);
                let Some(block) = there.and_then(|unit| unit.facts.extensions.get(*at as usize))
                else {
                    continue;
                };
                let targets = self.target(*file, *at);
                let is = matches!(
                    targets.single(),
                    Some((Value::Type(Class::Symbol(of), _), _)) if *of == owner
                );
                for (name, _) in self.methods_in(*file, block.members) {
                    let text = self.world.text(name);
                    self.note(key::extension_member(target, &text));
                    if is {
                        names.push(name);
                    }
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The interfaces that declare a method of a name.
    fn interfaces_with(&mut self, name: Atom) -> Vec<SymRef> {
        let text = self.world.text(name);
        self.note(key::promised(&text));
        let rules = self.world.rules(self.file).name();
        let mut found = Vec::new();
        for file in self.world.promised(&text) {
            if self.world.rules(*file).name() != rules {
                continue;
            }
            let Some(unit) = self.world.unit(*file) else {
                continue;
            };
            let Some(name) = unit.name(name) else {
                continue;
            };
            for (at, symbol) in unit.facts.symbols.iter().enumerate() {
                if let (SymbolKind::Interface, Some(members)) = (symbol.kind, symbol.members)
                    && !unit.facts.bindings_of(members, name).is_empty()
                {
                    found.push(SymRef {
                        file: *file,
                        symbol: SymbolId(at as u32),
                    });
                }
            }
        }
        found
    }

    /// Whether a type has all methods of an interface, with as many parameters and of the same types
    /// as far as these are known.
    fn fulfils(&mut self, class: SymRef, interface: SymRef, known: &mut Known) -> bool {
        if let Some(answer) = known.get(&(class, interface)) {
            return *answer;
        }
        let kind = self.facts(class).map(|facts| facts.kind);
        let mut answer = kind.is_some_and(|kind| kind != SymbolKind::Interface);
        let lineage = self.lineage(interface);
        for (value, _) in lineage.iter() {
            let Value::Type(Class::Symbol(owner), _) = value else {
                // What an interface from outside asks for is not known.
                answer &= value.external_name().is_some_and(|name| is_empty(name));
                continue;
            };
            let owner = *owner;
            let Some(members) = self.facts(owner).and_then(|facts| facts.members) else {
                continue;
            };
            for (name, promised) in self.methods_in(owner.file, members) {
                if !answer {
                    break;
                }
                let promised = SymRef {
                    file: owner.file,
                    symbol: promised,
                };
                let given = self.member_atom(&Value::instance(class), Certainty::Exact, name);
                answer = given.iter().any(|(value, _)| match value {
                    Value::Function(given, _) => self.same_signature(*given, promised),
                    value => value.external_name().is_some(),
                });
            }
        }
        known.insert((class, interface), answer);
        answer
    }

    /// Whether two functions take and give the same, as far as that is known.
    fn same_signature(&mut self, a: SymRef, b: SymRef) -> bool {
        let world = self.world;
        let function = |of: SymRef| {
            let unit = world.unit(of.file)?;
            let id = unit.facts.symbols.get(of.symbol.index())?.function?;
            unit.facts.functions.get(id.index())
        };
        let (Some(one), Some(other)) = (function(a), function(b)) else {
            return true;
        };
        if one.params.len() != other.params.len() || one.result.is_some() != other.result.is_some()
        {
            return false;
        }
        let pairs = one.params.iter().zip(&other.params);
        let pairs = pairs.map(|(x, y)| (x.declared, y.declared, x.rest == y.rest));
        for (x, y, alike) in pairs.chain([(one.result, other.result, true)]) {
            if !alike {
                return false;
            }
            if let (Some(x), Some(y)) = (x, y) {
                let x = self.instance(a.file, one.scope, x);
                let y = self.instance(b.file, other.scope, y);
                if !may_be_same(&x, &y) {
                    return false;
                }
            }
        }
        true
    }
}

/// Whether two declared types may be one.
fn may_be_same(a: &Values, b: &Values) -> bool {
    match (a.single(), b.single()) {
        (Some((Value::Instance(a, _), _)), Some((Value::Instance(b, _), _))) => a == b,
        _ => true,
    }
}

/// Whether an interface from outside asks for nothing.
fn is_empty(name: &str) -> bool {
    matches!(name, "any" | "comparable")
}
