//! What names, bindings and symbols stand for.

use super::super::Certainty;
use super::super::value::{Class, Collect, FileId, SymRef, Value, Values};
use super::{Eval, Node};
use crate::facts::{Binding, Bound, FunctionId, NameId, ScopeId, ScopeKind, SymbolKind};

impl Eval<'_> {
    /// What a name means in a scope.
    pub(crate) fn name(&mut self, file: FileId, scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let rules = self.world.rules(file);
        let mut at = Some(scope);
        // What a type around may have from outside the checkout: taken when nothing else has the name.
        let mut outside = Values::none();
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            at = here.parent;
            if here.kind == ScopeKind::Members && id != scope && !rules.sees_members() {
                continue;
            }
            if here.kind == ScopeKind::Object && id != scope {
                continue;
            }
            if id == ScopeId::MODULE
                && let Some(atom) = unit.atom(name)
            {
                self.note_top(file, atom);
            }
            let own = unit.facts.bindings_of(id, name);
            // What is only assigned to a receiver is no name of the class body.
            let only_assigned = here.kind == ScopeKind::Members
                && !rules.sees_members()
                && own.iter().all(|binding| binding.env != id);
            if !own.is_empty() && !only_assigned {
                if here.kind == ScopeKind::Members && id != scope {
                    return self.own_member_by_name(file, id, name);
                }
                return self.bound(file, id, name);
            }
            if here.kind == ScopeKind::Members && rules.sees_members() {
                let found = self.own_member_by_name(file, id, name);
                let known = found
                    .iter()
                    .any(|(value, _)| value.external_name().is_none());
                if known {
                    return found;
                }
                // An external type may have it; whatever the file shows is surer than that.
                if outside.is_empty() {
                    outside = found;
                }
            }
            if let Some(atom) = unit.atom(name) {
                let found = self.wildcards(file, id, atom, false);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let found = rules.global(self, file, scope, name);
        let known = found
            .iter()
            .any(|(value, _)| value.external_name().is_none());
        if known || outside.is_empty() {
            return found;
        }
        outside
    }

    /// A member of the type around, by its bare name.
    fn own_member_by_name(&mut self, file: FileId, members: ScopeId, name: NameId) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let mut found = Collect::default();
        for (value, _) in self.around(file, members).iter() {
            if let (Value::This(_) | Value::Instance(..), Some(atom)) = (value, unit.atom(name)) {
                let values = self.member_atom(value, Certainty::Exact, atom);
                found.extend(&values, Certainty::Exact);
            }
        }
        if found.is_empty() && !unit.facts.bindings_of(members, name).is_empty() {
            return self.bound(file, members, name);
        }
        found.finish()
    }

    /// What the bindings that a scope has of a name mean.
    pub(crate) fn bound(&mut self, file: FileId, scope: ScopeId, name: NameId) -> Values {
        self.node(Node::Bound(file, scope, name), |eval| {
            let Some(unit) = eval.world.unit(file) else {
                return Values::none();
            };
            let rules = eval.world.rules(file);
            let bindings = unit.facts.bindings_of(scope, name);
            let mut found = Collect::default();
            match bindings {
                [one] => {
                    let values = eval.binding(file, one);
                    found.extend(&values, Certainty::Exact);
                }
                _ => {
                    for binding in rules.choose(eval, file, bindings) {
                        let values = eval.binding(file, &binding);
                        found.extend(&values, Certainty::Exact);
                    }
                }
            }
            found.finish()
        })
    }

    /// What one binding means.
    pub(crate) fn binding(&mut self, file: FileId, binding: &Binding) -> Values {
        let env = binding.env;
        match binding.bound {
            Bound::Symbol(symbol) => self.symbol(SymRef { file, symbol }),
            Bound::Import(import) => self.import(file, import),
            Bound::Value(expr) => {
                let values = self.eval(file, env, expr);
                // Whatever is not an instance made on the spot came here by following a value.
                let mut found = Collect::default();
                for (value, certainty) in values.iter() {
                    let least = match value {
                        Value::Function(..) | Value::Closure(..) => Certainty::Inferred,
                        Value::Type(Class::Symbol(_), _) => Certainty::Inferred,
                        _ => Certainty::Exact,
                    };
                    found.add(value.clone(), (*certainty).max(least));
                }
                found.finish()
            }
            Bound::Declared(expr) => self.instance(file, env, expr),
            Bound::Type(expr) => self.eval(file, env, expr),
            Bound::TypeParam(..) => Values::one(
                Value::Variable(file, binding.scope, binding.name, false),
                Certainty::Typed,
            ),
            Bound::Parameter(index) => match self.function_of(file, binding.scope) {
                Some(function) => self.parameter(file, function, index),
                None => Values::none(),
            },
            Bound::Unknown => Values::none(),
        }
    }

    /// The function whose parameters a scope holds.
    pub(crate) fn function_of(&self, file: FileId, scope: ScopeId) -> Option<FunctionId> {
        self.world.unit(file)?.function_of(scope)
    }

    /// The part that stands for a type that is declared in several.
    pub(crate) fn canonical(&mut self, class: SymRef) -> SymRef {
        let unit = self.world.unit(class.file);
        let members = unit.and_then(|unit| unit.facts.symbols.get(class.symbol.index())?.members);
        let in_parts = unit
            .zip(members)
            .is_some_and(|(unit, members)| unit.extension_of(members).is_some());
        match in_parts {
            true => self.world.rules(class.file).canonical(self, class),
            false => class,
        }
    }

    /// What a symbol stands for when it is named.
    pub(crate) fn symbol(&mut self, symbol: SymRef) -> Values {
        let Some(unit) = self.world.unit(symbol.file) else {
            return Values::none();
        };
        let Some(facts) = unit.facts.symbols.get(symbol.symbol.index()) else {
            return Values::none();
        };
        match facts.kind {
            kind if kind.is_type() => {
                let class = self.canonical(symbol);
                Values::one(Value::class(class), Certainty::Exact)
            }
            kind if kind.is_callable() => {
                Values::one(Value::Function(symbol, None), Certainty::Exact)
            }
            SymbolKind::TypeAlias => match facts.declared {
                _ if facts.members.is_some() || unit.has_own_type_params(symbol.symbol) => {
                    Values::one(Value::class(symbol), Certainty::Exact)
                }
                Some(declared) => self.eval(symbol.file, facts.scope, declared),
                None => Values::none(),
            },
            SymbolKind::EnumMember if facts.declared.is_none() => match facts.parent {
                Some(parent) => Values::one(
                    Value::instance(SymRef {
                        file: symbol.file,
                        symbol: parent,
                    }),
                    Certainty::Typed,
                ),
                None => Values::none(),
            },
            _ => match facts.declared {
                Some(declared) => self.instance(symbol.file, facts.scope, declared),
                None => Values::none(),
            },
        }
    }

    /// The receiver inside the type around a scope.
    pub(crate) fn around(&mut self, file: FileId, scope: ScopeId) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            if here.kind == ScopeKind::Members {
                if let Some(extension) = unit.extension_of(id) {
                    let targets = self.target(file, extension);
                    let mut found = Collect::default();
                    for (value, certainty) in targets.iter() {
                        let this = match value {
                            Value::Type(Class::Symbol(class), args) if args.is_empty() => {
                                Value::This(*class)
                            }
                            Value::Type(class, args) => {
                                Value::Instance(class.clone(), args.clone())
                            }
                            Value::Variable(file, scope, name, _) => {
                                Value::Variable(*file, *scope, *name, true)
                            }
                            value => value.clone(),
                        };
                        found.add(this, (*certainty).max(Certainty::Typed));
                    }
                    return found.finish();
                }
                if let Some(symbol) = here.owner {
                    let class = SymRef { file, symbol };
                    return Values::one(Value::This(class), Certainty::Typed);
                }
            }
            at = here.parent;
        }
        Values::none()
    }

    /// What an extension extends.
    pub(crate) fn target(&mut self, file: FileId, extension: u32) -> Values {
        self.node(Node::Target(file, extension), |eval| {
            let Some(unit) = eval.world.unit(file) else {
                return Values::none();
            };
            match unit.facts.extensions.get(extension as usize) {
                Some(block) => eval.eval(file, block.scope, block.target),
                None => Values::none(),
            }
        })
    }

    /// The interface that an extension makes its target fulfil.
    pub(crate) fn interface(&mut self, file: FileId, extension: u32) -> Values {
        self.node(Node::Interface(file, extension), |eval| {
            let Some(unit) = eval.world.unit(file) else {
                return Values::none();
            };
            match unit.facts.extensions.get(extension as usize) {
                Some(block) => match block.interface {
                    Some(interface) => eval.eval(file, block.scope, interface),
                    None => Values::none(),
                },
                None => Values::none(),
            }
        })
    }
}
