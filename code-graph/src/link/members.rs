//! Members: through what a type inherits, through extensions, with type arguments put in.

mod generic;
mod lineage;

use super::eval::{Eval, Node, type_of};
use super::value::{Class, Collect, FileId, SymRef, Value, Values};
use super::world::Atom;
use super::{Certainty, key};
use crate::facts::{Bound, Flags, NameId, ScopeId, ScopeKind, SymbolKind};
pub(crate) use generic::Subst;
use std::sync::Arc;

/// A type parameter: where it is bound.
pub(crate) type Variable = (FileId, ScopeId, NameId);

impl<'w> Eval<'w> {
    /// A member of a value, by name.
    pub(crate) fn member(&mut self, value: &Value, certainty: Certainty, name: &str) -> Values {
        let atom = self.world.atom(name);
        self.member_atom(value, certainty, atom)
    }

    /// A member of a value.
    pub(crate) fn member_atom(
        &mut self,
        value: &Value,
        certainty: Certainty,
        name: Atom,
    ) -> Values {
        if let Some(values) = self.aliased(value) {
            return self.each(&values, |eval, value, inner| {
                let instances = eval.instance_of(value, certainty.max(inner));
                eval.each(&instances, |eval, value, certainty| {
                    eval.member_atom(value, certainty, name)
                })
            });
        }
        match value {
            Value::Module(file) => self.top(*file, name).weakened(certainty),
            Value::Namespace(namespace) => {
                let text = self.world.text(name);
                let rules = self.world.rules(self.here);
                match rules.namespace_member(self, namespace, &text) {
                    Some(values) => values.weakened(certainty),
                    None => self.namespace_member(namespace, name).weakened(certainty),
                }
            }
            Value::Type(Class::Symbol(class), _) | Value::ThisType(class) => {
                self.class_member(*class, value, name, false, false, certainty)
            }
            Value::Instance(Class::Symbol(class), _) | Value::This(class) => {
                self.class_member(*class, value, name, true, false, certainty)
            }
            Value::Super(class) => {
                let this = Value::This(*class);
                self.class_member(*class, &this, name, true, true, certainty)
            }
            Value::Type(Class::External(class), args)
            | Value::Instance(Class::External(class), args) => {
                let instance = matches!(value, Value::Instance(..));
                let rules = self.world.rules(self.here);
                if instance
                    && let Some(at) = rules.transparent(class)
                    && let Some(inner) = args.get(at)
                {
                    let inner = inner.clone();
                    return self.each(&inner, |eval, value, _| {
                        eval.member_atom(value, certainty, name)
                    });
                }
                let found = self.extension_member(class, value, name, certainty);
                if !found.is_empty() {
                    return found;
                }
                let text = self.world.text(name);
                if let Some(values) = rules.external_member(self, class, value, &text) {
                    return values;
                }
                let of = if class.len() > 120 {
                    class.to_string()
                } else {
                    format!("{class}.{text}")
                };
                let member = Value::Type(Class::External(of.into()), args.clone());
                Values::one(member, certainty)
            }
            Value::Function(symbol, _)
                if let Some(members) = self.facts(*symbol).and_then(|facts| facts.members)
                    && let Some(id) = self.name_in(symbol.file, name)
                    && !self.is_unbound(symbol.file, members, id) =>
            {
                self.note_member(*symbol, name);
                self.bound(symbol.file, members, id).weakened(certainty)
            }
            Value::Function(..) | Value::Closure(..) => {
                let text = self.world.text(name);
                let member = Class::External(format!("function.{text}").into());
                // What is done with a function may give what the function gives.
                let of = Arc::from([Values::one(value.clone(), certainty)]);
                Values::one(Value::Type(member, of), certainty)
            }
            Value::Object(file, scope) => {
                let rules = self.world.rules(*file);
                let text = self.world.text(name);
                if let Some(values) = rules.object_member(self, *file, *scope, &text) {
                    return values.weakened(certainty);
                }
                match self.name_in(*file, name) {
                    Some(id) if !self.is_unbound(*file, *scope, id) => {
                        self.bound(*file, *scope, id).weakened(certainty)
                    }
                    _ => self.node(Node::Missing(*file, *scope, name), |eval| {
                        let rules = eval.world.rules(*file);
                        rules.missing_member(eval, *file, *scope, name)
                    }),
                }
            }
            Value::Variable(file, scope, variable, instance) => {
                let bounds = self.bounds(*file, *scope, *variable);
                let instance = *instance;
                self.each(&bounds, |eval, bound, inner| {
                    let bound = match bound {
                        _ if instance => bound.clone(),
                        bound => type_of(bound).unwrap_or_else(|| bound.clone()),
                    };
                    eval.member_atom(&bound, certainty.max(inner), name)
                })
            }
            Value::Parameter(..) => Values::none(),
        }
    }

    fn is_unbound(&self, file: FileId, scope: ScopeId, name: NameId) -> bool {
        let unit = self.world.unit(file);
        unit.is_none_or(|unit| unit.facts.bindings_of(scope, name).is_empty())
    }

    /// Instances of what a type parameter is bounded by.
    pub(crate) fn bounds(&mut self, file: FileId, scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let mut found = Collect::default();
        for binding in unit.facts.bindings_of(scope, name) {
            let bound = match binding.bound {
                Bound::TypeParam(_, Some(bound)) | Bound::Type(bound) => bound,
                _ => continue,
            };
            let values = self.instance(file, binding.env, bound);
            for (value, certainty) in values.iter() {
                if !matches!(value, Value::Variable(f, s, n, _) if (*f, *s, *n) == (file, scope, name))
                {
                    found.add(value.clone(), *certainty);
                }
            }
        }
        found.finish()
    }

    /// A member that a type of the checkout or something that it inherits from has. With
    /// `inherited`, the type's own members do not count.
    fn class_member(
        &mut self,
        class: SymRef,
        receiver: &Value,
        name: Atom,
        instance: bool,
        inherited: bool,
        certainty: Certainty,
    ) -> Values {
        let owner = if inherited {
            self.find_inherited(class, name)
        } else {
            self.find(class, name)
        };
        match owner.single() {
            Some((Value::Type(Class::Symbol(owner), owner_args), _)) => {
                let least = if instance || *owner != class {
                    Certainty::Typed
                } else {
                    Certainty::Exact
                };
                let values = self.own(*owner, name);
                let args = owner_args.clone();
                self.received(&values, *owner, &args, class, receiver, instance)
                    .weakened(least.max(certainty))
            }
            Some((Value::Type(Class::External(external), _), _)) => {
                let text = self.world.text(name);
                let of = format!("{external}.{text}");
                Values::one(Value::external(of), certainty.max(Certainty::Typed))
            }
            _ => Values::none(),
        }
    }

    /// The type that a member comes from: the type itself or what it inherits from, with the type
    /// arguments that it has there; or the external type that may own it.
    pub(crate) fn find(&mut self, class: SymRef, name: Atom) -> Values {
        self.node(Node::Find(class, name, self.seen_from()), |eval| {
            eval.find_among(class, name, 0)
        })
    }

    fn find_inherited(&mut self, class: SymRef, name: Atom) -> Values {
        self.find_among(class, name, 1)
    }

    fn find_among(&mut self, class: SymRef, name: Atom, skip: usize) -> Values {
        let rules = self.world.rules(class.file);
        let lineage = self.lineage(class);
        if rules.shown_first() {
            for (value, certainty) in lineage.iter().skip(skip) {
                if let Value::Type(Class::Symbol(owner), _) = value
                    && self.has_own(*owner, name)
                {
                    return Values::one(value.clone(), *certainty);
                }
            }
        }
        for (value, certainty) in lineage.iter().skip(skip) {
            match value {
                Value::Type(Class::Symbol(owner), _) if self.has_own(*owner, name) => {
                    return Values::one(value.clone(), *certainty);
                }
                Value::Type(Class::External(external), _) => {
                    let text = self.world.text(name);
                    if rules.may_own(external, &text) {
                        return Values::one(value.clone(), *certainty);
                    }
                }
                _ => {}
            }
        }
        Values::none()
    }

    /// Whether a type has a member of its own, extensions included.
    pub(crate) fn has_own(&mut self, class: SymRef, name: Atom) -> bool {
        let Some(unit) = self.world.unit(class.file) else {
            return false;
        };
        let Some(symbol) = unit.facts.symbols.get(class.symbol.index()) else {
            return false;
        };
        self.note_member(class, name);
        if let (Some(members), Some(id)) = (symbol.members, unit.name(name))
            && !unit.facts.bindings_of(members, id).is_empty()
        {
            return true;
        }
        let target = unit.facts.name(symbol.name);
        self.extension_blocks(target, name)
            .into_iter()
            .any(|(file, extension, _)| self.extends(file, extension, class))
    }

    /// The extensions of types of a name that have a member: their files, numbers and scopes.
    fn extension_blocks(&mut self, target: &str, name: Atom) -> Vec<(FileId, u32, ScopeId)> {
        let world = self.world;
        let heads = world.extensions(target);
        let rules = world.rules(self.here);
        if !rules.has_extensions() {
            return Vec::new();
        }
        let text = world.text(name);
        self.note(key::extension(target));
        self.note(key::extension_member(target, &text));
        let mut found = Vec::new();
        for (file, extension) in heads {
            let Some(unit) = world.unit(*file) else {
                continue;
            };
            let Some(block) = unit.facts.extensions.get(*extension as usize) else {
                continue;
            };
            let has = unit
                .name(name)
                .is_some_and(|id| !unit.facts.bindings_of(block.members, id).is_empty());
            if has {
                found.push((*file, *extension, block.members));
            }
        }
        found
    }

    /// Whether an extension extends a type.
    fn extends(&mut self, file: FileId, extension: u32, class: SymRef) -> bool {
        let targets = self.target(file, extension);
        let is = targets
            .iter()
            .any(|(value, _)| matches!(value, Value::Type(Class::Symbol(c), _) if *c == class));
        is && {
            let rules = self.world.rules(file);
            rules.extension_applies(self, self.here, (file, extension))
        }
    }

    /// A member that extensions give to an external type.
    fn extension_member(
        &mut self,
        class: &Arc<str>,
        receiver: &Value,
        name: Atom,
        certainty: Certainty,
    ) -> Values {
        let simple = class.rsplit(['.', ':', '\\', '/']).next().unwrap_or(class);
        let mut found = Collect::default();
        for (file, extension, members) in self.extension_blocks(simple, name) {
            let targets = self.target(file, extension);
            let is = targets
                .iter()
                .any(|(value, _)| value.external_name() == Some(class));
            if !is {
                continue;
            }
            let rules = self.world.rules(file);
            if !rules.extension_applies(self, self.here, (file, extension)) {
                continue;
            }
            if let Some(id) = self.name_in(file, name) {
                let values = self.bound(file, members, id);
                for (value, inner) in values.iter() {
                    let value = match value {
                        Value::Function(symbol, None) => {
                            Value::Function(*symbol, Some(Arc::new(receiver.clone())))
                        }
                        value => value.clone(),
                    };
                    found.add(value, (*inner).max(certainty).max(Certainty::Typed));
                }
            }
        }
        found.finish()
    }

    /// What a type itself has under a name, extensions included.
    pub(crate) fn own(&mut self, class: SymRef, name: Atom) -> Values {
        self.node(Node::Own(class, name, self.seen_from()), |eval| {
            let Some(unit) = eval.world.unit(class.file) else {
                return Values::none();
            };
            let Some(symbol) = unit.facts.symbols.get(class.symbol.index()) else {
                return Values::none();
            };
            eval.note_member(class, name);
            let mut declared = Values::none();
            if let (Some(members), Some(id)) = (symbol.members, unit.name(name))
                && !unit.facts.bindings_of(members, id).is_empty()
            {
                declared = eval.bound(class.file, members, id);
                if !eval.only_declares(&declared) {
                    return declared;
                }
            }
            let mut found = Collect::default();
            let target = unit.facts.name(symbol.name);
            for (file, extension, members) in eval.extension_blocks(target, name) {
                if eval.extends(file, extension, class)
                    && let Some(id) = eval.name_in(file, name)
                {
                    let values = eval.bound(file, members, id);
                    found.extend(&values, Certainty::Exact);
                }
            }
            match found.is_empty() {
                true => declared,
                false => found.finish(),
            }
        })
    }

    /// Whether these are functions that are only declared: their definitions may stand elsewhere.
    fn only_declares(&self, values: &Values) -> bool {
        values.iter().all(|(value, _)| match value {
            Value::Function(symbol, _) => self
                .facts(*symbol)
                .is_some_and(|symbol| symbol.flags.has(Flags::DECLARATION)),
            _ => false,
        })
    }

    /// Notes that a member of a type was looked up.
    fn note_member(&mut self, class: SymRef, name: Atom) {
        if let Some(unit) = self.world.unit(class.file)
            && let Some(qual) = unit.quals.get(class.symbol.index())
        {
            let local = key::member_hash(*qual, self.world.hash(name));
            self.note(key::of_file(unit.path, local));
        }
    }

    /// Members as they are when they are read from a receiver: functions bound to it, properties
    /// called, what is open put in.
    fn received(
        &mut self,
        values: &Values,
        owner: SymRef,
        owner_args: &[Values],
        class: SymRef,
        receiver: &Value,
        instance: bool,
    ) -> Values {
        let mut found = Collect::default();
        for (value, certainty) in values.iter() {
            match value {
                Value::Function(symbol, None) => {
                    let Some(facts) = self.facts(*symbol) else {
                        continue;
                    };
                    let unit = self.world.unit(symbol.file);
                    let scope = unit.and_then(|u| u.facts.scopes.get(facts.scope.index()));
                    let member = scope.is_some_and(|s| s.kind == ScopeKind::Members);
                    if !member {
                        found.add(value.clone(), *certainty);
                        continue;
                    }
                    let property =
                        facts.flags.has(Flags::PROPERTY) || facts.kind == SymbolKind::Getter;
                    if property {
                        if instance || facts.flags.has(Flags::STATIC) {
                            let result = self.call_function(*symbol, Some(receiver), None);
                            found.extend(&result, *certainty);
                        }
                        continue;
                    }
                    let bound = if facts.flags.has(Flags::CLASS_METHOD) && instance {
                        type_of(receiver).unwrap_or_else(|| receiver.clone())
                    } else {
                        receiver.clone()
                    };
                    found.add(Value::Function(*symbol, Some(Arc::new(bound))), *certainty);
                }
                Value::Closure(file, function, None) => found.add(
                    Value::Closure(*file, *function, Some(Arc::new(receiver.clone()))),
                    *certainty,
                ),
                value if value.is_open() => {
                    let mut subst = Subst {
                        this: Some(receiver.clone()),
                        ..Subst::default()
                    };
                    self.class_variables(owner, owner_args, class, receiver, &mut subst);
                    let one = Values::one(value.clone(), *certainty);
                    let values = self.substitute(&one, &subst);
                    found.extend(&values, *certainty);
                }
                value => found.add(value.clone(), *certainty),
            }
        }
        found.finish()
    }

    /// What makes instances of a type: its constructors, or the nearest inherited ones.
    pub(crate) fn constructors(&mut self, class: SymRef, receiver: &Value) -> Values {
        let Some(unit) = self.world.unit(class.file) else {
            return Values::none();
        };
        let rules = self.world.rules(class.file);
        let lineage = self.lineage(class);
        for (value, _) in lineage.iter() {
            let Value::Type(Class::Symbol(owner), _) = value else {
                continue;
            };
            let mut found = Collect::default();
            for name in rules.constructors() {
                let atom = self.world.atom(name);
                if self.has_own(*owner, atom) {
                    let values = self.own(*owner, atom);
                    for (value, certainty) in values.iter() {
                        if let Value::Function(symbol, None) = value {
                            found.add(
                                Value::Function(*symbol, Some(Arc::new(receiver.clone()))),
                                *certainty,
                            );
                        }
                    }
                }
            }
            let unit = self.world.unit(owner.file).unwrap_or(unit);
            let every = rules.every_constructor();
            for symbol in unit.constructors(owner.symbol).filter(|_| every) {
                let symbol = SymRef {
                    file: owner.file,
                    symbol,
                };
                found.add(
                    Value::Function(symbol, Some(Arc::new(receiver.clone()))),
                    Certainty::Exact,
                );
            }
            if !found.is_empty() {
                return found.finish();
            }
        }
        Values::none()
    }
}
