//! How JavaScript and TypeScript name modules, tell types from values, and what their standard
//! library gives.

mod modules;
mod standard;

use super::Certainty;
use super::eval::{Arguments, CALLBACK, Eval, type_of};
use super::modules::Tree;
use super::rules::{Key, Rules, union};
use super::value::{Args, Class, Collect, FileId, SymRef, Value, Values, no_args};
use super::world::Atom;
use crate::facts::{Binding, Bound, Expr, Flags, Import, NameId, ScopeId, Symbol, SymbolKind};
use modules::Projects;
use std::sync::Arc;

/// The external type that stands for the type of a class or module itself, as `typeof` gives it.
const TYPEOF: &str = "typeof";

/// The external type of what makes instances of its one argument.
const MAKER: &str = "new()";

/// The rules of JavaScript and TypeScript.
pub(crate) struct Ecma {
    projects: Projects,
}

impl Ecma {
    /// For the modules of a tree.
    pub(crate) fn new(tree: &Tree) -> Ecma {
        Ecma {
            projects: Projects::new(tree),
        }
    }

    /// What a module exports under a name.
    fn exported(&self, eval: &mut Eval<'_>, module: FileId, name: &str) -> Values {
        let own = |eval: &mut Eval<'_>, name: &str| {
            let atom = eval.world.atom(name);
            eval.has_top(module, atom).then(|| eval.top(module, atom))
        };
        match name {
            "default" => own(eval, "default")
                .or_else(|| own(eval, "export="))
                .unwrap_or_else(|| Values::one(Value::Module(module), Certainty::Exact)),
            "export=" => own(eval, "export=")
                .unwrap_or_else(|| Values::one(Value::Module(module), Certainty::Exact)),
            _ => match own(eval, &format!("export {name}")) {
                Some(values) => values,
                None => {
                    let atom = eval.world.atom(name);
                    eval.top(module, atom)
                }
            },
        }
    }
}

impl Rules for Ecma {
    fn name(&self) -> &'static str {
        "ecma"
    }

    fn import(&self, eval: &mut Eval<'_>, file: FileId, import: &Import) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        let spec = unit.facts.name(import.module);
        let Some(module) = self.projects.resolve(eval, file, spec) else {
            let known = spec.starts_with('.') && !modules::is_asset(spec);
            return match import.name.map(|name| unit.facts.name(name)) {
                _ if known => Values::none(),
                None | Some("default" | "export=") => {
                    Values::one(Value::external(spec), Certainty::Exact)
                }
                Some(name) => {
                    Values::one(Value::external(format!("{spec}.{name}")), Certainty::Exact)
                }
            };
        };
        match import.name.map(|name| unit.facts.name(name)) {
            None => Values::one(Value::Module(module), Certainty::Exact),
            Some(name) => self.exported(eval, module, name),
        }
    }

    fn missing_top(&self, eval: &mut Eval<'_>, file: FileId, name: Atom) -> Values {
        let text = eval.world.text(name);
        if text.starts_with("export") {
            return Values::none();
        }
        let renamed = eval.world.atom(&format!("export {text}"));
        if eval.has_top(file, renamed) {
            return eval.top(file, renamed);
        }
        let whole = eval.world.atom("export=");
        if eval.has_top(file, whole) {
            let values = eval.top(file, whole);
            return eval.each(&values, |eval, value, certainty| {
                eval.member_atom(value, certainty, name)
            });
        }
        Values::none()
    }

    fn global(&self, eval: &mut Eval<'_>, file: FileId, _scope: ScopeId, name: NameId) -> Values {
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        match unit.facts.name(name) {
            "this" | "return" | "yield" => Values::none(),
            "undefined" => Values::one(
                Value::external_instance("undefined", no_args()),
                Certainty::Exact,
            ),
            text => Values::one(Value::external(text), Certainty::Exact),
        }
    }

    fn sees_members(&self) -> bool {
        false
    }

    /// Types and values of one name stand side by side; among values a declared type counts more.
    fn choose(&self, eval: &Eval<'_>, file: FileId, bindings: &[Binding]) -> Vec<Binding> {
        let Some(unit) = eval.world.unit(file) else {
            return Vec::new();
        };
        let symbol = |binding: &Binding| match binding.bound {
            Bound::Symbol(symbol) => unit.facts.symbols.get(symbol.index()),
            _ => None,
        };
        let is_type = |binding: &Binding| {
            symbol(binding).is_some_and(|s| s.kind.is_type() || s.kind == SymbolKind::TypeAlias)
        };
        let declares = |binding: &Binding| match binding.bound {
            Bound::Declared(_) => true,
            _ => symbol(binding).is_some_and(|s| {
                s.declared.is_some() || matches!(s.kind, SymbolKind::Function | SymbolKind::Method)
            }),
        };
        let getter = bindings
            .iter()
            .any(|b| symbol(b).is_some_and(|s| s.kind == SymbolKind::Getter));
        let declared = bindings.iter().any(|b| !is_type(b) && declares(b));
        let kept = bindings.iter().filter(|binding| {
            is_type(binding)
                || (!declared || declares(binding))
                    && !(getter && symbol(binding).is_some_and(|s| s.kind == SymbolKind::Setter))
        });
        kept.copied().collect()
    }

    fn integer(&self) -> &'static str {
        "number"
    }

    fn array(&self) -> &'static str {
        "Array"
    }

    fn tuple(&self) -> &'static str {
        "Tuple"
    }

    fn calls_variables(&self) -> bool {
        true
    }

    fn exported_as(&self, name: &str) -> Option<String> {
        match name {
            "default" | "export=" => None,
            name => Some(format!("export {name}")),
        }
    }

    fn call_member(&self) -> Option<&'static str> {
        Some("()")
    }

    fn gives_unknown(&self, owner: &str, member: &str) -> bool {
        standard::gives_unknown(owner, member)
    }

    fn external_member(
        &self,
        eval: &mut Eval<'_>,
        class: &str,
        self_: &Value,
        member: &str,
    ) -> Option<Values> {
        standard::member(eval, class, self_, member)
    }

    fn external_call(
        &self,
        eval: &mut Eval<'_>,
        name: &str,
        type_args: &[Values],
        args: Arguments,
    ) -> Option<Values> {
        if matches!(name, "require" | "import") {
            return self.required(eval, name, args);
        }
        standard::call(self, eval, name, type_args, args)
    }

    fn external_expected(
        &self,
        eval: &mut Eval<'_>,
        name: &str,
        types: &Args,
        n: u16,
        args: Arguments,
    ) -> Values {
        standard::expected(self, eval, name, types, n, args)
    }

    fn missing_member(
        &self,
        eval: &mut Eval<'_>,
        file: FileId,
        members: ScopeId,
        name: Atom,
    ) -> Values {
        let spread = eval.world.atom("...");
        let Some(spread) = eval.name_in(file, spread) else {
            return Values::none();
        };
        let Some(unit) = eval.world.unit(file) else {
            return Values::none();
        };
        if unit.facts.bindings_of(members, spread).is_empty() {
            return Values::none();
        }
        let values = eval.bound(file, members, spread);
        eval.each(&values, |eval, value, certainty| match value {
            Value::Object(of, scope) if (*of, *scope) == (file, members) => Values::none(),
            value => eval.member_atom(value, certainty, name),
        })
        .weakened(Certainty::Inferred)
    }

    fn base_of(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        let made = match value {
            Value::Instance(Class::External(name), args) if **name == *MAKER => {
                args.first().cloned().unwrap_or_default()
            }
            Value::Instance(Class::Symbol(_), _) | Value::Object(..) => {
                let makers = eval.member(value, Certainty::Typed, "new");
                eval.each(&makers, |eval, value, certainty| match value {
                    Value::Closure(..) => eval.call(value, certainty, None),
                    _ => Values::none(),
                })
            }
            _ => return Values::none(),
        };
        let mut bases = Collect::default();
        for (value, certainty) in made.iter() {
            if let Value::Instance(class, args) = value {
                bases.add(Value::Type(class.clone(), args.clone()), *certainty);
            }
        }
        bases.finish()
    }

    fn type_of(&self, value: &Value) -> Value {
        match value {
            Value::Type(Class::Symbol(_), _)
            | Value::Module(_)
            | Value::ThisType(_)
            | Value::Function(..) => {
                let of = Values::one(value.clone(), Certainty::Typed);
                Value::Type(Class::External(TYPEOF.into()), Arc::from([of]))
            }
            value => type_of(value).unwrap_or_else(|| value.clone()),
        }
    }

    fn instance(&self, eval: &mut Eval<'_>, value: &Value, certainty: Certainty) -> Values {
        match value {
            Value::Type(Class::External(name), args) => {
                match standard::type_of_name(self, eval, name, args) {
                    Some(values) => values.weakened(certainty.max(Certainty::Typed)),
                    None => eval.instance_of(value, certainty),
                }
            }
            // A namespace and a variable may share a name with a type.
            Value::Type(Class::Symbol(symbol), _)
                if eval
                    .facts(*symbol)
                    .is_some_and(|s| s.kind == SymbolKind::Module) =>
            {
                Values::none()
            }
            Value::Function(..) => Values::none(),
            Value::Instance(Class::Symbol(symbol), _)
                if eval
                    .facts(*symbol)
                    .is_none_or(|s| s.kind != SymbolKind::Enum) =>
            {
                Values::none()
            }
            value => eval.instance_of(value, certainty),
        }
    }

    fn element(&self, eval: &mut Eval<'_>, value: &Value) -> Values {
        standard::element(eval, value, 0)
    }

    fn index(&self, eval: &mut Eval<'_>, value: &Value, key: Key) -> Values {
        let unit = eval.world.unit(key.file);
        let expr = unit.and_then(|unit| unit.facts.exprs.get(key.expr.index()).copied());
        match (expr, value) {
            (Some(Expr::Str(name)), _) => {
                let Some(atom) = unit.and_then(|unit| unit.atom(name)) else {
                    return Values::none();
                };
                eval.member_atom(value, Certainty::Typed, atom)
            }
            (Some(Expr::Int(n)), Value::Instance(Class::External(name), _))
                if **name == *"Tuple" =>
            {
                self.part(eval, value, n.min(u32::from(u16::MAX)) as u16)
            }
            (_, Value::Instance(Class::External(name), args)) => match &**name {
                "Record" => args.get(1).cloned().unwrap_or_default(),
                _ => self.element(eval, value),
            },
            _ => eval.member(value, Certainty::Typed, "[]"),
        }
    }

    fn part(&self, eval: &mut Eval<'_>, value: &Value, n: u16) -> Values {
        if let Value::Instance(Class::External(name), args) = value
            && **name == *self.tuple()
        {
            return args.get(usize::from(n)).cloned().unwrap_or_default();
        }
        self.element(eval, value)
    }

    fn awaited(&self, _eval: &mut Eval<'_>, value: &Value) -> Values {
        match value {
            Value::Instance(Class::External(name), args)
                if matches!(&**name, "Promise" | "PromiseLike" | "Thenable") =>
            {
                args.first().cloned().unwrap_or_default()
            }
            value => Values::one(value.clone(), Certainty::Exact),
        }
    }

    fn wrap_result(&self, symbol: Option<&Symbol>, result: Values) -> Values {
        if !symbol.is_some_and(|symbol| symbol.flags.has(Flags::ASYNC)) {
            return result;
        }
        let mut inner = Collect::default();
        let mut promises = Collect::default();
        for (value, certainty) in result.iter() {
            match value.external_name() {
                Some(name) if matches!(&**name, "Promise" | "PromiseLike") => {
                    promises.add(value.clone(), *certainty);
                }
                _ => inner.add(value.clone(), *certainty),
            }
        }
        if !inner.is_empty() || promises.is_empty() {
            let args = Arc::from([inner.finish()]);
            promises.add(
                Value::external_instance("Promise", args),
                Certainty::Inferred,
            );
        }
        promises.finish()
    }
}

impl Ecma {
    /// What `require("m")` and `import("m")` give.
    fn required(&self, eval: &mut Eval<'_>, name: &str, args: Arguments) -> Option<Values> {
        let unit = eval.world.unit(args.file)?;
        let first = unit.facts.list(args.list).first()?;
        let Some(Expr::Str(spec)) = unit.facts.exprs.get(first.index()) else {
            return None;
        };
        let spec = unit.facts.name(*spec);
        let module = match self.projects.resolve(eval, args.file, spec) {
            Some(module) if name == "require" => self.exported(eval, module, "export="),
            Some(module) => Values::one(Value::Module(module), Certainty::Exact),
            None => Values::one(Value::external(spec), Certainty::Exact),
        };
        if name == "require" {
            return Some(module);
        }
        let promise = Value::external_instance("Promise", Arc::from([module]));
        Some(Values::one(promise, Certainty::Exact))
    }

    /// What calling the callback that a call gives as argument number `n` gives.
    fn callback(&self, eval: &mut Eval<'_>, args: Arguments, n: usize) -> Values {
        let values = self.argument(eval, args, n);
        eval.each(&values, |eval, value, certainty| match value {
            Value::Function(..) | Value::Closure(..) => eval.call(value, certainty, None),
            _ => Values::none(),
        })
    }

    /// The value of argument number `n`.
    fn argument(&self, eval: &mut Eval<'_>, args: Arguments, n: usize) -> Values {
        let unit = eval.world.unit(args.file);
        let expr = unit.and_then(|unit| unit.facts.list(args.list).get(n).copied());
        match expr {
            Some(expr) => eval.eval(args.file, args.scope, expr),
            None => Values::none(),
        }
    }
}

/// A callback that takes values of these types.
fn callback_of(params: Vec<Values>) -> Values {
    Values::one(
        Value::external_instance(CALLBACK, params.into()),
        Certainty::Typed,
    )
}

/// An instance of a type of the platform.
fn made(name: &str, args: Vec<Values>) -> Values {
    Values::one(
        Value::external_instance(name, args.into()),
        Certainty::Typed,
    )
}

/// The union of two sets.
fn either(a: &Values, b: &Values) -> Values {
    union([a, b])
}

/// A type of the checkout.
fn is_checkout(value: &Value) -> Option<SymRef> {
    match value {
        Value::Instance(Class::Symbol(class), _) | Value::This(class) => Some(*class),
        _ => None,
    }
}
