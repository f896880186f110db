//! Values that calls pass into the functions of the same file.
//!
//! A parameter of which nothing is declared can be called, or have a member called, inside its
//! function. What it is, the calls of that function tell. They are looked for in the file only: what
//! other files pass would make every file depend on every caller.

use super::Certainty;
use super::eval::{Arguments, Eval};
use super::rules::Key;
use super::value::{Class, Collect, SymRef, Value, Values};
use crate::facts::{Expr, ExprId, FunctionId, Site, SymbolId};
use hashbrown::{HashMap, HashSet};

/// How many calls of one function are looked at.
const CALLS: usize = 12;

/// How often values found may lead to new ones.
pub(super) const ROUNDS: usize = 4;

/// One way in which a function gets its arguments.
#[derive(Clone, Copy)]
enum Passed {
    /// A call.
    Call(Arguments),
    /// It decorates a function or class, which is its first argument.
    Decorated(SymbolId),
}

/// What is known of who calls what in the file.
#[derive(Default)]
pub(super) struct Flow {
    calls: HashMap<FunctionId, Vec<Passed>>,
    /// Sites whose callee hangs on a parameter.
    pub(super) waiting: Vec<Site>,
}

impl Eval<'_> {
    /// Remembers that a call goes to these values.
    pub(super) fn note_call(&mut self, site: &Site, values: &Values) {
        if site.args.len == 0 || !self.world.rules(self.file).follows_arguments() {
            return;
        }
        let args = Arguments {
            file: self.file,
            scope: site.scope,
            list: site.args,
            types: Default::default(),
        };
        for (value, _) in values.iter() {
            self.note_passed(value, Passed::Call(args));
        }
    }

    /// Remembers that a symbol is decorated with these values.
    pub(super) fn note_decorated(&mut self, decorated: SymbolId, values: &Values) {
        if !self.world.rules(self.file).follows_arguments() {
            return;
        }
        for (value, _) in values.iter() {
            self.note_passed(value, Passed::Decorated(decorated));
        }
    }

    fn note_passed(&mut self, value: &Value, passed: Passed) {
        let function = match value {
            Value::Function(symbol, _) if symbol.file == self.file => {
                self.facts(*symbol).and_then(|facts| facts.function)
            }
            Value::Closure(file, function, _) if *file == self.file => Some(*function),
            Value::Type(Class::Symbol(class), _) | Value::ThisType(class)
                if class.file == self.file =>
            {
                let constructors = self.constructors(*class, value);
                for (value, _) in constructors.iter() {
                    if let Value::Function(symbol, _) = value
                        && symbol.file == self.file
                        && let Some(function) = self.facts(*symbol).and_then(|f| f.function)
                    {
                        self.add_passed(function, passed);
                    }
                }
                None
            }
            _ => None,
        };
        if let Some(function) = function {
            self.add_passed(function, passed);
        }
    }

    fn add_passed(&mut self, function: FunctionId, passed: Passed) {
        let calls = self.flow.calls.entry(function).or_default();
        if calls.len() < CALLS {
            calls.push(passed);
        }
    }

    /// Whether a callee hangs on a parameter of a function of the file.
    pub(super) fn hangs_on_parameter(&mut self, site: &Site, values: &Values) -> bool {
        let file = self.file;
        if !self.world.rules(file).follows_arguments() {
            return false;
        }
        let is = |values: &Values| {
            let mut all = values.iter();
            all.any(|(value, _)| matches!(value, Value::Parameter(of, ..) if *of == file))
        };
        is(values)
            || self
                .receiver(site.what)
                .is_some_and(|of| is(&self.eval(file, site.scope, of)))
    }

    /// What a member or an entry is taken of.
    fn receiver(&self, what: ExprId) -> Option<ExprId> {
        let unit = self.world.unit(self.file)?;
        match unit.facts.exprs.get(what.index())? {
            Expr::Member(of, _) | Expr::Index(of, _) => Some(*of),
            _ => None,
        }
    }

    /// What a site calls, parameters taken for what is passed for them.
    pub(super) fn callee_by_flow(&mut self, site: &Site) -> Values {
        let file = self.file;
        let unit = self.world.unit(file);
        let expr = unit.and_then(|unit| unit.facts.exprs.get(site.what.index()));
        let (of, name) = match expr {
            Some(Expr::Member(of, name)) => (*of, Some(*name)),
            Some(Expr::Index(of, _)) => (*of, None),
            _ => (site.what, None),
        };
        let values = self.eval(file, site.scope, of);
        let mut seen = HashSet::new();
        let values = self.passed_for(&values, &mut seen);
        if let Some(Expr::Index(_, key)) = expr {
            let key = Key {
                file,
                scope: site.scope,
                expr: *key,
            };
            let rules = self.world.rules(file);
            return self
                .each(&values, |eval, value, _| rules.index(eval, value, key))
                .weakened(Certainty::Inferred);
        }
        let atom = name.and_then(|name| self.world.unit(file)?.atom(name));
        match atom {
            Some(atom) => self
                .each(&values, |eval, value, certainty| {
                    eval.member_atom(value, certainty, atom)
                })
                .weakened(Certainty::Inferred),
            None => values.weakened(Certainty::Inferred),
        }
    }

    /// These values, parameters replaced by what is passed for them.
    fn passed_for(&mut self, values: &Values, seen: &mut HashSet<(FunctionId, u16)>) -> Values {
        let file = self.file;
        let mut found = Collect::default();
        for (value, certainty) in values.iter() {
            let Value::Parameter(of, function, index) = value else {
                found.add(value.clone(), *certainty);
                continue;
            };
            if *of != file || !seen.insert((*function, *index)) {
                continue;
            }
            let calls = self.flow.calls.get(function).cloned().unwrap_or_default();
            for passed in calls {
                let values = match passed {
                    Passed::Call(args) => {
                        match self.argument_expr(file, *function, usize::from(*index), args) {
                            Some(expr) => self.eval(file, args.scope, expr),
                            None => continue,
                        }
                    }
                    Passed::Decorated(symbol) if *index == 0 => {
                        self.symbol(SymRef { file, symbol })
                    }
                    Passed::Decorated(_) => continue,
                };
                let values = self.passed_for(&values, seen);
                found.extend(&values, Certainty::Inferred);
            }
        }
        found.finish()
    }
}
