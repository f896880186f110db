//! Members: through what a type inherits, through extensions, with type arguments put in.

use super::eval::{Arguments, Eval, Node, type_of};
use super::value::{Class, Collect, FileId, SymRef, Value, Values};
use super::world::Atom;
use super::{Certainty, key};
use crate::facts::{Bound, Flags, FunctionId, NameId, ScopeId, ScopeKind, SymbolKind};
use std::sync::Arc;

/// A type parameter: where it is bound.
pub(crate) type Variable = (FileId, ScopeId, NameId);

/// What is put in for what is open in a value.
#[derive(Default)]
pub(crate) struct Subst {
    /// The receiver.
    pub(crate) this: Option<Value>,
    /// Type parameters and what they stand for, as instances.
    pub(crate) variables: Vec<(Variable, Values)>,
    /// A call, and the function that it calls.
    pub(crate) call: Option<(FileId, FunctionId, Arguments)>,
}

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

    /// A type and all that it inherits from, in the order of looking. What several inherit from
    /// comes after all of them.
    pub(crate) fn lineage(&mut self, class: SymRef) -> Values {
        self.node(Node::Lineage(class, self.seen_from()), |eval| {
            let Some(unit) = eval.world.unit(class.file) else {
                return Values::none();
            };
            if let Some(qual) = unit.quals.get(class.symbol.index()) {
                eval.note(key::of_file(unit.path, key::head(*qual)));
            }
            let mut all: Vec<(Value, Certainty)> = vec![(Value::class(class), Certainty::Typed)];
            for base in unit.bases(class.symbol) {
                let values = eval.eval(class.file, base.scope, base.what);
                eval.inherit(class, &values, &mut all);
            }
            if eval.world.rules(class.file).has_extensions() {
                let name = eval.facts(class).map(|facts| unit.facts.name(facts.name));
                let target = name.unwrap_or_default();
                eval.note(key::extension(target));
                let world = eval.world;
                for (file, extension) in world.extensions(target) {
                    let block = world
                        .unit(*file)
                        .and_then(|u| u.facts.extensions.get(*extension as usize));
                    if block.is_none_or(|block| block.interface.is_none()) {
                        continue;
                    }
                    if eval.extends(*file, *extension, class) {
                        let values = eval.interface(*file, *extension);
                        eval.inherit(class, &values, &mut all);
                    }
                }
            }
            if let Some(root) = eval.world.rules(class.file).root() {
                all.push((Value::external(root), Certainty::Typed));
            }
            let mut kept: Vec<(Value, Certainty)> = Vec::with_capacity(all.len());
            for (at, (value, certainty)) in all.iter().enumerate() {
                let same = |other: &(Value, Certainty)| match (&other.0, value) {
                    (Value::Type(a, _), Value::Type(b, _)) => a == b,
                    (a, b) => a == b,
                };
                let later = all.get(at + 1..).unwrap_or_default();
                if at == 0 || !later.iter().any(same) {
                    kept.push((value.clone(), *certainty));
                }
            }
            Values::list(kept)
        })
    }

    /// Adds what a type inherits from.
    fn inherit(&mut self, class: SymRef, bases: &Values, all: &mut Vec<(Value, Certainty)>) {
        for (value, certainty) in bases.iter() {
            if let Some(values) = self.aliased(value) {
                let least = *certainty;
                self.inherit(class, &values.weakened(least), all);
                continue;
            }
            match value {
                Value::Type(Class::Symbol(base), args) if *base != class => {
                    let lineage = self.lineage(*base);
                    let mut subst = Subst::default();
                    self.bind_variables(*base, args, &mut subst);
                    for (value, inner) in lineage.iter() {
                        let value = match value {
                            Value::Type(Class::Symbol(of), _) if of == base => {
                                Value::Type(Class::Symbol(*base), args.clone())
                            }
                            value if subst.variables.is_empty() || !value.is_open() => {
                                value.clone()
                            }
                            value => {
                                let one = Values::one(value.clone(), *inner);
                                let put = self.substitute(&one, &subst);
                                put.single().map_or(value.clone(), |(v, _)| v.clone())
                            }
                        };
                        if !matches!(&value, Value::Type(Class::Symbol(c), _) if *c == class) {
                            all.push((value, (*certainty).max(*inner)));
                        }
                    }
                }
                Value::Type(Class::External(_), _) => all.push((value.clone(), *certainty)),
                value => {
                    let rules = self.world.rules(class.file);
                    let bases = rules.base_of(self, value);
                    let types = bases
                        .iter()
                        .any(|(base, _)| matches!(base, Value::Type(..)));
                    if types {
                        let least = *certainty;
                        self.inherit(class, &bases.weakened(least), all);
                    }
                }
            }
        }
    }

    // ------------------------------------------------------------------ type arguments

    /// The type parameters of a type.
    pub(crate) fn variables(&self, class: SymRef) -> Vec<Variable> {
        let Some(unit) = self.world.unit(class.file) else {
            return Vec::new();
        };
        let Some(symbol) = unit.facts.symbols.get(class.symbol.index()) else {
            return Vec::new();
        };
        // What the parameters are bound around: the members, or the type of an alias.
        let members = symbol.members.unwrap_or(symbol.scope);
        let mut found: Vec<(u16, Variable)> = Vec::new();
        if symbol.members.is_some() && unit.has_type_params(members) {
            for binding in unit.facts.bindings_in(members) {
                if let Bound::TypeParam(at, _) = binding.bound {
                    found.push((at, (class.file, members, binding.name)));
                }
            }
        }
        found.sort_unstable();
        let mut all: Vec<Variable> = found.into_iter().map(|(_, variable)| variable).collect();
        for (owner, name) in &unit.facts.type_params {
            if *owner != class.symbol {
                continue;
            }
            let mut at = Some(members);
            while let Some(scope) = at {
                if unit
                    .facts
                    .bindings_of(scope, *name)
                    .iter()
                    .any(|b| matches!(b.bound, Bound::TypeParam(..)))
                {
                    break;
                }
                at = unit.facts.scopes.get(scope.index()).and_then(|s| s.parent);
            }
            all.push((class.file, at.unwrap_or(ScopeId::MODULE), *name));
        }
        all
    }

    /// Puts type arguments in for the parameters of a type.
    pub(crate) fn bind_variables(&self, class: SymRef, args: &[Values], subst: &mut Subst) {
        if args.is_empty() {
            return;
        }
        for (variable, values) in self.variables(class).into_iter().zip(args) {
            subst.variables.push((variable, values.clone()));
        }
    }

    /// What the type parameters of `owner` stand for in a receiver of type `class`, which inherits
    /// from `owner` with `owner_args`.
    fn class_variables(
        &mut self,
        owner: SymRef,
        owner_args: &[Values],
        class: SymRef,
        receiver: &Value,
        subst: &mut Subst,
    ) {
        let mut outer = Subst::default();
        if let Value::Instance(_, args) | Value::Type(_, args) = receiver {
            self.bind_variables(class, args, &mut outer);
        }
        if owner == class {
            subst.variables.append(&mut outer.variables);
            return;
        }
        let mut args: Vec<Values> = Vec::new();
        for arg in owner_args {
            args.push(if arg.is_open() && !outer.variables.is_empty() {
                self.substitute(arg, &outer)
            } else {
                arg.clone()
            });
        }
        self.bind_variables(owner, &args, subst);
    }

    /// What type parameters stand for inside a function that was read from a receiver: those of the
    /// type around it, or of the extension around it.
    pub(crate) fn receiver_variables(
        &mut self,
        file: FileId,
        scope: ScopeId,
        receiver: &Value,
        subst: &mut Subst,
    ) {
        let Some(unit) = self.world.unit(file) else {
            return;
        };
        let mut at = Some(scope);
        while let Some(id) = at
            && let Some(here) = unit.facts.scopes.get(id.index())
        {
            at = here.parent;
            if here.kind != ScopeKind::Members {
                continue;
            }
            if let Some(extension) = unit.extension_of(id) {
                let targets = self.target(file, extension);
                let actual = match receiver {
                    Value::Instance(..) | Value::Type(..) => receiver.clone(),
                    _ => return,
                };
                let actual = match actual {
                    Value::Instance(class, args) => Value::Type(class, args),
                    value => value,
                };
                let actual = Values::one(actual, Certainty::Typed);
                self.unify(&targets, &actual, subst, 0);
                return;
            }
            let Some(symbol) = here.owner else {
                continue;
            };
            let owner = SymRef { file, symbol };
            let class = match receiver {
                Value::Instance(Class::Symbol(class), _) | Value::Type(Class::Symbol(class), _) => {
                    *class
                }
                Value::This(class) | Value::ThisType(class) | Value::Super(class) => *class,
                _ => return,
            };
            if owner == class {
                self.class_variables(owner, &[], class, receiver, subst);
                return;
            }
            let lineage = self.lineage(class);
            for (value, _) in lineage.iter() {
                if let Value::Type(Class::Symbol(of), args) = value
                    && *of == owner
                {
                    let args = args.clone();
                    self.class_variables(owner, &args, class, receiver, subst);
                    break;
                }
            }
            return;
        }
    }

    /// Finds what the type parameters in a pattern stand for, given what is there.
    pub(crate) fn unify(
        &mut self,
        pattern: &Values,
        actual: &Values,
        subst: &mut Subst,
        depth: u8,
    ) {
        if depth > 4 || actual.is_empty() {
            return;
        }
        for (pattern, _) in pattern.iter() {
            match pattern {
                Value::Variable(file, scope, name, instance) => {
                    let variable = (*file, *scope, *name);
                    let values = if *instance {
                        actual.clone()
                    } else {
                        self.each(actual, |eval, value, certainty| match value {
                            Value::Type(..) | Value::ThisType(_) => {
                                eval.instance_of(value, certainty)
                            }
                            _ => Values::none(),
                        })
                    };
                    let known = subst.variables.iter().any(|(of, _)| *of == variable);
                    if !known && !values.is_empty() {
                        subst.variables.push((variable, values));
                    }
                }
                Value::Instance(class, args) | Value::Type(class, args) if !args.is_empty() => {
                    for (value, _) in actual.iter() {
                        let (of, given) = match value {
                            Value::Instance(of, given) | Value::Type(of, given) => (of, given),
                            _ => continue,
                        };
                        if of == class {
                            for (pattern, actual) in args.iter().zip(given.iter()) {
                                self.unify(pattern, actual, subst, depth + 1);
                            }
                        } else if let Class::Symbol(of) = of {
                            self.unify_inherited(*of, given, class, args, subst, depth);
                        } else if let [pattern] = &**args
                            && matches!(class, Class::External(_))
                        {
                            // Containers of other names: what they hold is what counts.
                            let rules = self.world.rules(self.here);
                            let element = rules.element(self, value);
                            self.unify(pattern, &element, subst, depth + 1);
                        }
                    }
                }
                Value::Closure(file, function, _) => {
                    self.unify_closure(*file, *function, actual, subst, depth);
                }
                _ => {}
            }
        }
    }

    /// The same for a function type: what its result stands for is what the function given returns.
    fn unify_closure(
        &mut self,
        file: FileId,
        function: FunctionId,
        actual: &Values,
        subst: &mut Subst,
        depth: u8,
    ) {
        let pattern = self.result(file, function);
        if !pattern.is_open() {
            return;
        }
        for (value, _) in actual.iter() {
            if matches!(value, Value::Closure(..) | Value::Function(..)) {
                let result = self.call(value, Certainty::Inferred, None);
                self.unify(&pattern, &result, subst, depth + 1);
            }
        }
    }

    /// The same for an instance of a type that inherits from the pattern's.
    fn unify_inherited(
        &mut self,
        of: SymRef,
        given: &[Values],
        class: &Class,
        args: &[Values],
        subst: &mut Subst,
        depth: u8,
    ) {
        let lineage = self.lineage(of);
        let mut outer = Subst::default();
        self.bind_variables(of, given, &mut outer);
        for (value, _) in lineage.iter() {
            if let Value::Type(base, base_args) = value
                && base == class
            {
                for (pattern, actual) in args.iter().zip(base_args.iter()) {
                    let actual = self.substitute(actual, &outer);
                    self.unify(pattern, &actual, subst, depth + 1);
                }
                return;
            }
        }
    }

    /// Puts in what is open.
    pub(crate) fn substitute(&mut self, values: &Values, subst: &Subst) -> Values {
        if !values.is_open() {
            return values.clone();
        }
        let mut found = Collect::default();
        for (value, certainty) in values.iter() {
            match value {
                Value::This(_) | Value::Super(_) => match &subst.this {
                    Some(this @ (Value::Type(..) | Value::ThisType(_))) => {
                        let made = self.instance_of(this, *certainty);
                        found.extend(&made, *certainty);
                    }
                    Some(this) => found.add(this.clone(), *certainty),
                    None => found.add(value.clone(), *certainty),
                },
                Value::ThisType(_) => match &subst.this {
                    Some(this) => {
                        let class = type_of(this).unwrap_or_else(|| this.clone());
                        found.add(class, *certainty);
                    }
                    None => found.add(value.clone(), *certainty),
                },
                Value::Variable(file, scope, name, instance) => {
                    let of = (*file, *scope, *name);
                    match subst.variables.iter().find(|(known, _)| *known == of) {
                        Some((_, values)) => {
                            for (value, inner) in values.iter() {
                                let value = if *instance {
                                    value.clone()
                                } else {
                                    type_of(value).unwrap_or_else(|| value.clone())
                                };
                                found.add(value, (*certainty).max(*inner));
                            }
                        }
                        None => found.add(value.clone(), *certainty),
                    }
                }
                Value::Parameter(file, function, at) => match subst.call {
                    Some((of, called, args)) if (of, called) == (*file, *function) => {
                        let values = self.argument(of, called, usize::from(*at), args);
                        found.extend(&values, *certainty);
                    }
                    _ => found.add(value.clone(), *certainty),
                },
                Value::Type(class, args) if value.is_open() => {
                    let args = self.substitute_all(args, subst);
                    found.add(Value::Type(class.clone(), args), *certainty);
                }
                Value::Instance(class, args) if value.is_open() => {
                    let args = self.substitute_all(args, subst);
                    found.add(Value::Instance(class.clone(), args), *certainty);
                }
                Value::Function(symbol, Some(receiver)) => {
                    let one = Values::one((**receiver).clone(), *certainty);
                    let put = self.substitute(&one, subst);
                    let receiver = put
                        .single()
                        .map_or_else(|| receiver.clone(), |(value, _)| Arc::new(value.clone()));
                    found.add(Value::Function(*symbol, Some(receiver)), *certainty);
                }
                Value::Closure(file, function, Some(receiver)) => {
                    let one = Values::one((**receiver).clone(), *certainty);
                    let put = self.substitute(&one, subst);
                    let receiver = put
                        .single()
                        .map_or_else(|| receiver.clone(), |(value, _)| Arc::new(value.clone()));
                    found.add(Value::Closure(*file, *function, Some(receiver)), *certainty);
                }
                value => found.add(value.clone(), *certainty),
            }
        }
        found.finish()
    }

    fn substitute_all(&mut self, args: &[Values], subst: &Subst) -> Arc<[Values]> {
        let mut put: Vec<Values> = Vec::new();
        for arg in args {
            put.push(self.substitute(arg, subst));
        }
        put.into()
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
