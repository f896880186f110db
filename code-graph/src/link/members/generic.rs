//! Type variables: what they are bound to, and types with them filled in.

use super::super::Certainty;
use super::super::eval::{Arguments, Eval, type_of};
use super::super::value::{Class, Collect, FileId, SymRef, Value, Values};
use super::Variable;
use crate::facts::{Bound, FunctionId, ScopeId, ScopeKind};
use std::sync::Arc;

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

impl Eval<'_> {
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
    pub(super) fn class_variables(
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
}
