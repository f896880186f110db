//! What calls give: overloads, results, parameters, arguments.

use super::super::Certainty;
use super::super::members::Subst;
use super::super::value::{Class, Collect, FileId, SymRef, Value, Values};
use super::super::world::Unit;
use super::{Arguments, CALLBACK, Eval, Node, called};
use crate::facts::{Expr, ExprId, FunctionId, List, ScopeId};
use std::sync::Arc;

/// Whether a signature is the one that a call is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It does not take the arguments.
    No,
    /// It takes them if those that are not known are what it asks for.
    Perhaps,
    /// It takes so many; the first of these that gives something known is the one.
    Likely,
    /// It takes them.
    Surely,
}

impl Eval<'_> {
    /// What calling a value gives.
    pub(crate) fn call(
        &mut self,
        callee: &Value,
        certainty: Certainty,
        args: Option<Arguments>,
    ) -> Values {
        match callee {
            Value::Type(Class::Symbol(class), type_args) => {
                let made = Value::Instance(Class::Symbol(*class), type_args.clone());
                Values::one(made, certainty.max(Certainty::Typed))
            }
            Value::ThisType(class) => {
                Values::one(Value::This(*class), certainty.max(Certainty::Typed))
            }
            Value::Function(function, receiver) => {
                self.call_function(*function, receiver.as_deref(), args)
            }
            Value::Closure(file, function, receiver) => {
                let result = self.result(*file, *function);
                self.put_arguments(*file, *function, result, receiver.as_deref(), args)
                    .weakened(Certainty::Inferred)
            }
            Value::Type(Class::External(name), type_args) => {
                let rules = self.world.rules(args.map_or(self.here, |args| args.file));
                if let Some(args) = args
                    && let Some(values) = rules.external_call(self, name, type_args, args)
                {
                    return values;
                }
                Values::one(Value::external(called(name)), certainty)
            }
            Value::Instance(Class::External(name), type_args) => {
                let rules = self.world.rules(args.map_or(self.here, |args| args.file));
                let Some(member) = rules.call_member() else {
                    return Values::one(Value::external(called(name)), certainty);
                };
                let name = format!("{name}.{member}");
                if let Some(args) = args
                    && let Some(values) = rules.external_call(self, &name, type_args, args)
                {
                    return values;
                }
                Values::one(Value::external(called(&name)), certainty)
            }
            Value::Instance(Class::Symbol(class), _) | Value::This(class) => {
                if self.is_function_type(*class) {
                    let function = self.underlying(*class);
                    return self.each(&function, |eval, value, certainty| match value {
                        Value::Closure(..) => eval.call(value, certainty, args),
                        _ => Values::none(),
                    });
                }
                let Some(member) = self.world.rules(class.file).call_member() else {
                    return Values::none();
                };
                let called = self.member(callee, certainty, member);
                self.each(&called, |eval, value, certainty| match value {
                    Value::Function(..) | Value::Closure(..) => eval.call(value, certainty, args),
                    _ => Values::none(),
                })
            }
            _ => Values::none(),
        }
    }

    /// What a value gives through a member that is called for it.
    pub(super) fn call_through(
        &mut self,
        value: &Value,
        _class: SymRef,
        certainty: Certainty,
        member: &str,
        args: Arguments,
    ) -> Values {
        let called = self.member(value, certainty, member);
        self.each(&called, |eval, value, certainty| match value {
            Value::Function(..) | Value::Closure(..) => eval.call(value, certainty, Some(args)),
            _ => Values::none(),
        })
    }

    /// What a function gives, the receiver and the arguments put in.
    pub(crate) fn call_function(
        &mut self,
        function: SymRef,
        receiver: Option<&Value>,
        args: Option<Arguments>,
    ) -> Values {
        let Some(unit) = self.world.unit(function.file) else {
            return Values::none();
        };
        let Some(symbol) = unit.facts.symbols.get(function.symbol.index()) else {
            return Values::none();
        };
        let rules = self.world.rules(function.file);
        if let Some(overloads) = unit.overloads(function.symbol) {
            let result = self.call_overload(function.file, &overloads, receiver, args);
            return rules
                .wrap_result(Some(symbol), result)
                .weakened(Certainty::Inferred);
        }
        let result = match (rules.result(self, function, symbol), symbol.function) {
            (Some(values), _) => values,
            (None, Some(id)) => self.result(function.file, id),
            (None, None) => return Values::none(),
        };
        let result = match symbol.function {
            Some(id) => self.put_arguments(function.file, id, result, receiver, args),
            None => result,
        };
        rules
            .wrap_result(Some(symbol), result)
            .weakened(Certainty::Inferred)
    }

    /// What the first signature that fits the arguments gives; what all give that fit, where it
    /// depends on an argument that is not known which of them is called.
    fn call_overload(
        &mut self,
        file: FileId,
        overloads: &[FunctionId],
        receiver: Option<&Value>,
        args: Option<Arguments>,
    ) -> Values {
        let rules = self.world.rules(file);
        let mut results: Vec<Values> = Vec::new();
        for overload in overloads {
            let fit = match args {
                Some(args) => rules.takes_call(self, file, *overload, args),
                None => Fit::Likely,
            };
            if fit == Fit::No {
                continue;
            }
            let result = self.result(file, *overload);
            let result = self.put_arguments(file, *overload, result, receiver, args);
            let known = !result.is_empty();
            if known {
                results.push(result);
            }
            if fit == Fit::Surely || fit == Fit::Likely && known {
                break;
            }
        }
        let Some((first, rest)) = results.split_first() else {
            return Values::none();
        };
        if rest.iter().all(|other| is_alike(first, other)) {
            return first.clone();
        }
        let mut found = Collect::default();
        for result in &results {
            found.extend(result, Certainty::Candidate);
        }
        found.finish()
    }

    /// Whether the texts that a call gives are those that a function's declaration asks for.
    fn agrees(&self, file: FileId, function: FunctionId, args: Arguments) -> bool {
        let (Some(unit), Some(caller)) = (self.world.unit(file), self.world.unit(args.file)) else {
            return false;
        };
        let Some(facts) = unit.facts.functions.get(function.index()) else {
            return false;
        };
        let given = caller.facts.list(args.list).iter();
        facts.params.iter().zip(given).all(|(param, given)| {
            let asked = param.declared.and_then(|e| unit.facts.exprs.get(e.index()));
            match (asked, caller.facts.exprs.get(given.index())) {
                (Some(Expr::Str(asked)), Some(Expr::Str(given))) => {
                    unit.facts.name(*asked) == caller.facts.name(*given)
                }
                _ => true,
            }
        })
    }

    /// Whether a function takes so many arguments, as far as its declaration says. Parameters that
    /// may be left out are not told from others, so that only too many arguments do not fit.
    pub(crate) fn fits(&self, file: FileId, function: FunctionId, args: Arguments) -> Fit {
        let unit = self.world.unit(file);
        let Some(facts) = unit.and_then(|unit| unit.facts.functions.get(function.index())) else {
            return Fit::No;
        };
        let rest = facts.params.last().is_some_and(|param| param.rest);
        match self.count(args) {
            None => Fit::Perhaps,
            Some(count) if !rest && count > facts.params.len() => Fit::No,
            Some(_) if !self.agrees(file, function, args) => Fit::No,
            Some(_) => Fit::Likely,
        }
    }

    /// What a function gives, as it is declared or as it returns.
    pub(crate) fn result(&mut self, file: FileId, function: FunctionId) -> Values {
        self.node(Node::Result(file, function), |eval| {
            let Some(unit) = eval.world.unit(file) else {
                return Values::none();
            };
            let Some(function) = unit.facts.functions.get(function.index()) else {
                return Values::none();
            };
            if let Some(result) = function.result {
                let scope = eval.signature(file, function);
                return eval.instance(file, scope, result);
            }
            let mut found = Collect::default();
            if !function.yields.is_empty() {
                let mut inner = Collect::default();
                for expr in &function.yields {
                    let values = eval.eval(file, function.scope, *expr);
                    inner.extend(&values, Certainty::Inferred);
                }
                let generator = eval.world.rules(file).generator();
                let args = Arc::from([inner.finish()]);
                found.add(
                    Value::external_instance(generator, args),
                    Certainty::Inferred,
                );
                return found.finish();
            }
            for expr in &function.returns {
                let values = eval.eval(file, function.scope, *expr);
                found.extend(&values, Certainty::Inferred);
            }
            found.finish()
        })
    }

    /// The scope in which the declared types of a function are evaluated.
    pub(crate) fn signature(&self, file: FileId, function: &crate::facts::Function) -> ScopeId {
        if function.type_params.is_empty()
            && self.world.rules(file).signatures_outside()
            && let Some(unit) = self.world.unit(file)
            && let Some(scope) = unit.facts.scopes.get(function.scope.index())
            && let Some(around) = scope.parent
        {
            return around;
        }
        function.scope
    }

    /// What a function gets as a parameter of which nothing is declared.
    pub(crate) fn parameter(&mut self, file: FileId, function: FunctionId, index: u16) -> Values {
        self.node(Node::Parameter(file, function, index), |eval| {
            let rules = eval.world.rules(file);
            let mut found = Collect::default();
            let values = rules.parameter(eval, file, function, index);
            found.extend(&values, Certainty::Exact);
            let values = eval.expected_parameter(file, function, index);
            found.extend(&values, Certainty::Inferred);
            if found.is_empty() {
                found.add(Value::Parameter(file, function, index), Certainty::Inferred);
            }
            found.finish()
        })
    }

    /// What the place of a function says of its parameter.
    fn expected_parameter(&mut self, file: FileId, function: FunctionId, index: u16) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let Some(facts) = unit.facts.functions.get(function.index()) else {
            return Values::none();
        };
        let around = unit.facts.scopes.get(facts.scope.index());
        let (Some(context), Some(around)) = (facts.context, around.and_then(|s| s.parent)) else {
            return Values::none();
        };
        let expected = self.eval(file, around, context);
        self.each(&expected, |eval, value, _| eval.parameter_of(value, index))
    }

    /// What a callable takes as its parameter number `index`.
    pub(crate) fn parameter_of(&mut self, callable: &Value, index: u16) -> Values {
        let (file, id, receiver) = match callable {
            Value::Closure(file, id, receiver) => (*file, *id, receiver.clone()),
            Value::Function(symbol, receiver) => {
                let unit = self.world.unit(symbol.file);
                let facts = unit.and_then(|unit| unit.facts.symbols.get(symbol.symbol.index()));
                if let Some(overloads) = unit.and_then(|unit| unit.overloads(symbol.symbol)) {
                    let mut found = Collect::default();
                    for overload in overloads {
                        let closure = Value::Closure(symbol.file, overload, receiver.clone());
                        let values = self.parameter_of(&closure, index);
                        let callable = values.iter().any(|(value, _)| {
                            matches!(value, Value::Closure(..) | Value::Instance(..))
                        });
                        if callable {
                            found.extend(&values, Certainty::Exact);
                        }
                    }
                    return found.finish();
                }
                match facts.and_then(|facts| facts.function) {
                    Some(id) => (symbol.file, id, receiver.clone()),
                    None => return Values::none(),
                }
            }
            Value::Instance(Class::Symbol(class), _) => {
                let Some(member) = self.world.rules(class.file).call_member() else {
                    return Values::none();
                };
                let called = self.member(callable, Certainty::Typed, member);
                return self.each(&called, |eval, value, _| match value {
                    Value::Function(..) | Value::Closure(..) => eval.parameter_of(value, index),
                    _ => Values::none(),
                });
            }
            Value::Instance(Class::External(name), args) => {
                return match &**name {
                    CALLBACK => args.get(usize::from(index)).cloned().unwrap_or_default(),
                    _ => Values::none(),
                };
            }
            Value::Type(Class::Symbol(class), _) => {
                let constructors = self.constructors(*class, callable);
                return self.each(&constructors, |eval, value, _| match value {
                    Value::Function(..) => eval.parameter_of(value, index),
                    _ => Values::none(),
                });
            }
            _ => return Values::none(),
        };
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let Some(function) = unit.facts.functions.get(id.index()) else {
            return Values::none();
        };
        let at = usize::from(index).min(function.params.len().saturating_sub(1));
        let Some(param) = function.params.get(at) else {
            return Values::none();
        };
        if at < usize::from(index) && !param.rest {
            return Values::none();
        }
        let Some(declared) = param.declared else {
            return Values::none();
        };
        let scope = self.signature(file, function);
        let values = self.instance(file, scope, declared);
        let values = if param.rest {
            let rules = self.world.rules(file);
            self.each(&values, |eval, value, _| match value {
                Value::Instance(Class::External(_), _) => rules.element(eval, value),
                _ => Values::one(value.clone(), Certainty::Typed),
            })
        } else {
            values
        };
        self.put_arguments(file, id, values, receiver.as_deref(), None)
    }

    /// What the callee of a call takes as argument number `n`, the call's type arguments put in.
    pub(super) fn expected(
        &mut self,
        file: FileId,
        scope: ScopeId,
        call: ExprId,
        n: u16,
    ) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let (of, list) = match unit.facts.exprs.get(call.index()) {
            Some(Expr::Call(of, list) | Expr::New(of, list)) => (*of, *list),
            _ => return Values::none(),
        };
        let args = Arguments {
            file,
            scope,
            list,
            types: type_arguments(unit, of),
        };
        let callee = self.eval(file, scope, of);
        self.each(&callee, |eval, value, _| {
            if let Value::Type(Class::External(name), type_args) = value {
                let rules = eval.world.rules(file);
                return rules.external_expected(eval, name, type_args, n, args);
            }
            let taken = eval.parameter_of(value, n);
            if !taken.is_open() {
                return taken;
            }
            match value {
                Value::Function(symbol, receiver) => {
                    let unit = eval.world.unit(symbol.file);
                    let facts = unit.and_then(|u| u.facts.symbols.get(symbol.symbol.index()));
                    match facts.and_then(|facts| facts.function) {
                        Some(id) => eval.put_arguments(
                            symbol.file,
                            id,
                            taken,
                            receiver.as_deref(),
                            Some(args),
                        ),
                        None => taken,
                    }
                }
                _ => taken,
            }
        })
    }

    /// Puts the receiver, type arguments and arguments of a call into what a function gives.
    pub(crate) fn put_arguments(
        &mut self,
        file: FileId,
        function: FunctionId,
        values: Values,
        receiver: Option<&Value>,
        args: Option<Arguments>,
    ) -> Values {
        if !values.is_open() {
            return values;
        }
        let Some(unit) = self.world.unit(file) else {
            return values;
        };
        let Some(facts) = unit.facts.functions.get(function.index()) else {
            return values;
        };
        let mut subst = Subst {
            this: receiver.cloned(),
            ..Subst::default()
        };
        if let Some(receiver) = receiver {
            self.receiver_variables(file, facts.scope, receiver, &mut subst);
        }
        if let Some(args) = args {
            subst.call = Some((file, function, args));
            if let Some(caller) = self.world.unit(args.file) {
                let given = caller.facts.list(args.types).iter();
                for (name, expr) in facts.type_params.iter().zip(given) {
                    let values = self.instance(args.file, args.scope, *expr);
                    subst.variables.push(((file, facts.scope, *name), values));
                }
            }
            for (at, param) in facts.params.iter().enumerate() {
                let Some(declared) = param.declared else {
                    continue;
                };
                let scope = self.signature(file, facts);
                let pattern = self.instance(file, scope, declared);
                if !pattern.is_open() {
                    continue;
                }
                let actual = self.argument(file, function, at, args);
                self.unify(&pattern, &actual, &mut subst, 0);
            }
        }
        self.substitute(&values, &subst)
    }

    /// The value of the argument that a call gives for parameter number `at`.
    pub(crate) fn argument(
        &mut self,
        file: FileId,
        function: FunctionId,
        at: usize,
        args: Arguments,
    ) -> Values {
        match self.argument_expr(file, function, at, args) {
            Some(expr) => self.eval(args.file, args.scope, expr),
            None => {
                let unit = self.world.unit(file);
                let function = unit.and_then(|u| u.facts.functions.get(function.index()));
                match function.and_then(|f| Some((f.scope, f.params.get(at)?.default?))) {
                    Some((scope, default)) => self.eval(file, scope, default),
                    None => Values::none(),
                }
            }
        }
    }

    /// The argument that a call gives for parameter number `at`.
    pub(crate) fn argument_expr(
        &self,
        file: FileId,
        function: FunctionId,
        at: usize,
        args: Arguments,
    ) -> Option<ExprId> {
        let unit = self.world.unit(file)?;
        let facts = unit.facts.functions.get(function.index())?;
        let name = unit.facts.name(facts.params.get(at)?.name);
        let caller = self.world.unit(args.file)?;
        let mut position = 0;
        let mut spread = false;
        for expr in caller.facts.list(args.list) {
            match caller.facts.exprs.get(expr.index()) {
                Some(Expr::Keyword(keyword, value)) => {
                    if caller.facts.name(*keyword) == name {
                        return Some(*value);
                    }
                }
                Some(Expr::Spread(_)) => spread = true,
                _ => {
                    if position == at && !spread {
                        return Some(*expr);
                    }
                    position += 1;
                }
            }
        }
        None
    }

    /// How many arguments a call gives; `None` when one of them is spread.
    pub(crate) fn count(&self, args: Arguments) -> Option<usize> {
        let unit = self.world.unit(args.file)?;
        let list = unit.facts.list(args.list);
        let spread = list
            .iter()
            .any(|e| matches!(unit.facts.exprs.get(e.index()), Some(Expr::Spread(_))));
        (!spread).then_some(list.len())
    }
}

/// Whether two results are of the same types, whatever the arguments of these are.
fn is_alike(one: &Values, other: &Values) -> bool {
    let same = |(a, b): (&Value, &Value)| match (a, b) {
        (Value::Instance(a, _), Value::Instance(b, _)) | (Value::Type(a, _), Value::Type(b, _)) => {
            a == b
        }
        (a, b) => a == b,
    };
    let values =
        |of: &Values| -> Vec<Value> { of.iter().map(|(value, _)| value.clone()).collect() };
    let (one, other) = (values(one), values(other));
    one.len() == other.len() && one.iter().zip(&other).all(same)
}

/// The type arguments of a callee.
pub(super) fn type_arguments(unit: &Unit, callee: ExprId) -> List {
    match unit.facts.exprs.get(callee.index()) {
        Some(Expr::Generic(_, list)) => *list,
        _ => List::default(),
    }
}
