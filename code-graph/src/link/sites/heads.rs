//! Links what stands in heads: imports, bases, what methods replace.

use super::super::eval::Eval;
use super::super::value::{Class, SymRef, Value, Values};
use super::super::world::Atom;
use super::super::{Certainty, EdgeKind, External, Links};
use super::{Use, push, symbol_of, unresolved};
use crate::facts::{Bound, ExprId, Import, ImportId, ScopeId, SymbolId, SymbolKind};
use hashbrown::HashSet;

impl Eval<'_> {
    pub(super) fn link_import(&mut self, id: ImportId, links: &mut Links) {
        let file = self.file;
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let Some(import) = unit.facts.imports.get(id.index()) else {
            return;
        };
        let rules = self.world.rules(file);
        let what = Use {
            from: None,
            kind: EdgeKind::Imports,
            at: import.at,
            row: import.row,
        };
        let module = Import {
            name: None,
            ..*import
        };
        let modules = rules.imported_module(self, file, &module);
        let mut known = false;
        for (value, certainty) in modules.iter() {
            match value {
                Value::Module(of) if *of != file => {
                    let to = self.world.id_of(of.index(), None);
                    push(links, what, to, *certainty);
                    known = true;
                }
                Value::Module(_) => known = true,
                _ => {}
            }
        }
        if let Some(name) = import.name {
            let mut symbols = Vec::new();
            let mut seen = HashSet::new();
            for (value, _) in modules.iter() {
                if let Value::Module(of) = value
                    && let Some(atom) = unit.atom(name)
                {
                    self.named_top(*of, atom, &mut seen, &mut symbols);
                }
            }
            if symbols.is_empty() {
                let values = self.import(file, id);
                for (value, certainty) in values.iter() {
                    match value {
                        Value::Module(of) => {
                            let to = self.world.id_of(of.index(), None);
                            push(links, what, to, *certainty);
                            known = true;
                        }
                        value => {
                            if let Some(symbol) = symbol_of(value) {
                                push(links, what, self.world.id(symbol), *certainty);
                                known = true;
                            }
                        }
                    }
                }
            }
            for symbol in symbols {
                push(links, what, self.world.id(symbol), Certainty::Exact);
                known = true;
            }
        }
        if known {
            return;
        }
        let values = if import.name.is_some() {
            self.import(file, id)
        } else {
            modules
        };
        let outside = values.iter().find_map(|(value, _)| value.external_name());
        match outside {
            Some(name) => links.external.push(External {
                from: None,
                name: name.to_string(),
                kind: EdgeKind::Imports,
                at: import.at,
                row: import.row,
            }),
            None => {
                let name = import.name.unwrap_or(import.module);
                unresolved(links, what, unit.facts.name(name));
            }
        }
    }

    pub(super) fn link_types(
        &mut self,
        scope: ScopeId,
        expr: ExprId,
        values: &Values,
        what: Use,
        links: &mut Links,
    ) {
        let mut targets: Vec<(SymRef, Certainty)> = Vec::new();
        let mut outside = None;
        // A name may mean a type and a value at once, an interface and the constant that makes it:
        // it is the type that is inherited, not the one that the constant is declared to have.
        let is_named = values
            .iter()
            .any(|(value, _)| matches!(value, Value::Type(Class::Symbol(_), _)));
        for (value, certainty) in values.iter() {
            let counts = match value {
                Value::Type(..) | Value::Function(..) => true,
                Value::Instance(..) => !is_named,
                _ => false,
            };
            if !counts {
                continue;
            }
            match symbol_of(value) {
                Some(symbol) => {
                    let own = symbol.file == self.file && Some(symbol.symbol) == what.from;
                    if !own {
                        targets.push((symbol, *certainty));
                    }
                }
                None => outside = value.external_name().cloned().or(outside),
            }
        }
        // Slices and the like are no types that one inherits from.
        if targets.is_empty() && outside.as_deref() == Some(self.world.rules(self.file).array()) {
            return;
        }
        self.finish(scope, expr, targets, outside, what, true, links);
    }

    /// Edges from methods to those that they replace.
    pub(super) fn link_overrides(&mut self, links: &mut Links) {
        let file = self.file;
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        for (at, class) in unit.facts.symbols.iter().enumerate() {
            let Some(members) = class.members else {
                continue;
            };
            if class.kind == SymbolKind::Module {
                continue;
            }
            self.refuel();
            let this = SymRef {
                file,
                symbol: SymbolId(at as u32),
            };
            let this = self.canonical(this);
            let lineage = self.lineage(this);
            if lineage.single().is_some() {
                continue;
            }
            for binding in unit.facts.bindings_in(members) {
                let Bound::Symbol(symbol) = binding.bound else {
                    continue;
                };
                let Some(method) = unit.facts.symbols.get(symbol.index()) else {
                    continue;
                };
                if !matches!(
                    method.kind,
                    SymbolKind::Method
                        | SymbolKind::Getter
                        | SymbolKind::Setter
                        | SymbolKind::Function
                ) {
                    continue;
                }
                let Some(atom) = unit.atom(binding.name) else {
                    continue;
                };
                for (value, _) in lineage.iter().skip(1) {
                    let Value::Type(Class::Symbol(base), _) = value else {
                        continue;
                    };
                    if !self.has_own(*base, atom) {
                        continue;
                    }
                    let there = self.own_symbols(*base, atom);
                    for replaced in there {
                        let Some(facts) = self.facts(replaced) else {
                            continue;
                        };
                        let fits = facts.kind == method.kind
                            || !matches!(facts.kind, SymbolKind::Getter | SymbolKind::Setter);
                        if facts.kind.is_callable() && fits {
                            let what = Use {
                                from: Some(symbol),
                                kind: EdgeKind::Overrides,
                                at: method.name_at,
                                row: method.name_row,
                            };
                            push(links, what, self.world.id(replaced), Certainty::Typed);
                        }
                    }
                    break;
                }
            }
        }
    }

    /// The symbols that a type itself binds to a name.
    pub(super) fn own_symbols(&mut self, class: SymRef, name: Atom) -> Vec<SymRef> {
        let mut found = Vec::new();
        if let Some(unit) = self.world.unit(class.file)
            && let Some(facts) = unit.facts.symbols.get(class.symbol.index())
            && let (Some(members), Some(id)) = (facts.members, unit.name(name))
        {
            for binding in unit.facts.bindings_of(members, id) {
                if let Bound::Symbol(symbol) = binding.bound {
                    found.push(SymRef {
                        file: class.file,
                        symbol,
                    });
                }
            }
        }
        found
    }
}
