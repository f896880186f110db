//! What an expression stands for: lazy evaluation, kept where it is pure.
//!
//! Every step that can come back to itself is a *node*. A node's values are kept for all who ask
//! later, together with what was looked up outside its file to get them, when they are complete: a
//! node that was cut short by a cycle or by the depth limit is worked out again by everyone who
//! asks, because what it gives depends on where the asking began. A kept node also knows its height,
//! and is not used where the depth limit would have cut it. So what a use evaluates to never
//! depends on what was evaluated before.

mod calls;
mod memo;
mod names;

use super::Certainty;
use super::members::Subst;
use super::value::{Class, Collect, FileId, SymRef, Value, Values, no_args};
use super::world::{Atom, Unit, World};
use crate::facts::{Expr, ExprId, FunctionId, ImportId, List, NameId, ScopeId, SymbolKind};
pub(crate) use calls::Fit;
use calls::type_arguments;
use hashbrown::HashMap;
pub(crate) use memo::Memo;
use memo::{Cuts, Frame};
use std::sync::Arc;

/// The name of the type of functions of which nothing but the types of their parameters is known:
/// what something external takes as a callback.
pub(crate) const CALLBACK: &str = "=>";

/// How deep nodes may be nested.
const DEPTH: usize = 80;

/// How many aliases of aliases are followed.
const ALIASES: usize = 8;

/// How many nodes that were cut short one use may work out.
const FUEL: u32 = 600;

/// One thing that is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// An expression in a scope.
    Expr(FileId, ScopeId, ExprId),
    /// What a scope's bindings of a name mean.
    Bound(FileId, ScopeId, NameId),
    /// What a function gives.
    Result(FileId, FunctionId),
    /// What an alias with type parameters stands for.
    Alias(SymRef),
    /// What a type itself has under a name, seen from a file.
    Own(SymRef, Atom, FileId),
    /// Where a type gets a member from, seen from a file.
    Find(SymRef, Atom, FileId),
    /// A type and all that it inherits from, in the order of looking, seen from a file.
    Lineage(SymRef, FileId),
    /// What an extension extends.
    Target(FileId, u32),
    /// The interface that an extension makes its target fulfil.
    Interface(FileId, u32),
    /// What an object literal has under a name that it does not bind.
    Missing(FileId, ScopeId, Atom),
    /// What an import brings.
    Import(FileId, ImportId),
    /// What a name at the top of a file means to others.
    Top(FileId, Atom),
    /// What the wildcard imports of a file bring for a name.
    Wildcards(FileId, Atom),
    /// What a name means in a namespace.
    Namespace(Atom, Atom),
    /// What a function gets as a parameter.
    Parameter(FileId, FunctionId, u16),
}

impl Node {
    /// The file that it is about.
    fn file(self) -> Option<FileId> {
        match self {
            Node::Expr(file, ..)
            | Node::Bound(file, ..)
            | Node::Result(file, _)
            | Node::Target(file, _)
            | Node::Interface(file, _)
            | Node::Import(file, _)
            | Node::Top(file, _)
            | Node::Wildcards(file, _)
            | Node::Missing(file, ..)
            | Node::Parameter(file, ..) => Some(file),
            Node::Own(class, ..)
            | Node::Find(class, ..)
            | Node::Lineage(class, _)
            | Node::Alias(class) => Some(class.file),
            Node::Namespace(..) => None,
        }
    }

    /// The file whose text it evaluates: what that sees of extensions counts.
    fn place(self) -> Option<FileId> {
        match self {
            Node::Own(..) | Node::Find(..) | Node::Lineage(..) | Node::Namespace(..) => None,
            node => node.file(),
        }
    }
}

/// The arguments of a call: expressions, and where they are evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) file: FileId,
    pub(crate) scope: ScopeId,
    pub(crate) list: List,
    /// The type arguments that the call gives.
    pub(crate) types: List,
}

/// One evaluation: of one file's links, on one thread.
pub(crate) struct Eval<'w> {
    pub(crate) world: &'w World<'w>,
    active: Vec<Node>,
    /// The nodes that are being worked out; the first stands for the file that is linked.
    frames: Vec<Frame>,
    /// What they looked up, those of an inner node after those of the one around it.
    pub(super) keys: Vec<u64>,
    /// The kept nodes that they used, in the same way.
    pub(super) uses: Vec<Arc<Memo>>,
    fuel: u32,
    aborted: bool,
    /// Expressions of the file that is linked.
    local: HashMap<Node, Arc<Memo>>,
    /// Nodes that were cut short, as they are when nothing is around them.
    alone: HashMap<Node, Values>,
    /// Nodes that were cut short, as they are at a depth.
    cuts: Cuts,
    pub(super) file: FileId,
    /// The file whose text is evaluated.
    pub(super) here: FileId,
    pub(super) flow: super::flow::Flow,
}

impl<'w> Eval<'w> {
    /// An evaluation in a world.
    pub(crate) fn new(world: &'w World<'w>) -> Eval<'w> {
        Eval {
            world,
            active: Vec::new(),
            frames: vec![Frame::default()],
            keys: Vec::new(),
            uses: Vec::new(),
            fuel: FUEL,
            aborted: false,
            local: HashMap::new(),
            alone: HashMap::new(),
            cuts: Cuts::default(),
            file: FileId(u32::MAX),
            here: FileId(u32::MAX),
            flow: super::flow::Flow::default(),
        }
    }

    /// What an expression stands for in a scope.
    pub(crate) fn eval(&mut self, file: FileId, scope: ScopeId, id: ExprId) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let Some(expr) = unit.facts.exprs.get(id.index()).copied() else {
            return Values::none();
        };
        let rules = self.world.rules(file);
        match expr {
            Expr::Unknown => Values::none(),
            Expr::Name(name) => self.name(file, scope, name),
            Expr::This => self.around(file, scope),
            Expr::SelfType => {
                let this = self.around(file, scope);
                let mut found = Collect::default();
                for (value, certainty) in this.iter() {
                    if let Some(class) = type_of(value) {
                        found.add(class, *certainty);
                    }
                }
                found.finish()
            }
            Expr::Super => match self.around(file, scope).single() {
                Some((Value::This(class), _)) => {
                    Values::one(Value::Super(*class), Certainty::Typed)
                }
                _ => Values::none(),
            },
            Expr::Str(_) => literal(rules.text()),
            Expr::Int(_) => literal(rules.integer()),
            Expr::Literal(name) => literal(unit.facts.name(name)),
            Expr::Keyword(_, of) | Expr::Spread(of) | Expr::Reference(of) => {
                self.eval(file, scope, of)
            }
            Expr::Object(members) => Values::one(Value::Object(file, members), Certainty::Inferred),
            Expr::Closure(function) => {
                Values::one(Value::Closure(file, function, None), Certainty::Inferred)
            }
            Expr::Symbol(symbol) => self.symbol(SymRef { file, symbol }),
            expr => self.node(Node::Expr(file, scope, id), |eval| {
                eval.compound(file, scope, expr)
            }),
        }
    }

    fn compound(&mut self, file: FileId, scope: ScopeId, expr: Expr) -> Values {
        let Some(unit) = self.world.unit(file) else {
            return Values::none();
        };
        let rules = self.world.rules(file);
        match expr {
            Expr::Member(of, name) | Expr::Path(of, name) => {
                let Some(atom) = unit.atom(name) else {
                    return Values::none();
                };
                let values = self.eval(file, scope, of);
                self.each(&values, |eval, value, certainty| {
                    eval.member_atom(value, certainty, atom)
                })
            }
            Expr::Call(of, list) | Expr::New(of, list) => {
                let callee = self.eval(file, scope, of);
                let types = type_arguments(unit, of);
                let args = Arguments {
                    file,
                    scope,
                    list,
                    types,
                };
                let made = matches!(expr, Expr::New(..));
                self.each(&callee, |eval, value, certainty| match value {
                    Value::Instance(Class::Symbol(class), _) if made => {
                        eval.call_through(value, *class, certainty, MAKE, args)
                    }
                    _ => eval.call(value, certainty, Some(args)),
                })
            }
            Expr::Instance(of) => self.instance(file, scope, of),
            Expr::TypeOf(of) => {
                let values = self.eval(file, scope, of);
                let mut found = Collect::default();
                for (value, certainty) in values.iter() {
                    found.add(rules.type_of(value), *certainty);
                }
                found.finish()
            }
            Expr::Generic(of, list) => {
                let values = self.eval(file, scope, of);
                let mut args: Vec<Values> = Vec::new();
                for operand in unit.facts.list(list) {
                    args.push(self.instance(file, scope, *operand));
                }
                let args: Arc<[Values]> = args.into();
                let mut found = Collect::default();
                for (value, certainty) in values.iter() {
                    let value = match value {
                        Value::Type(class, _) => Value::Type(class.clone(), args.clone()),
                        value => value.clone(),
                    };
                    found.add(value, *certainty);
                }
                found.finish()
            }
            Expr::Union(list) | Expr::Bounds(list) => {
                let mut found = Collect::default();
                for operand in unit.facts.list(list) {
                    let values = self.eval(file, scope, *operand);
                    found.extend(&values, Certainty::Exact);
                }
                found.finish()
            }
            Expr::Tuple(list) => {
                let mut parts: Vec<Values> = Vec::new();
                for operand in unit.facts.list(list) {
                    parts.push(self.eval(file, scope, *operand));
                }
                let tuple = Value::external_instance(rules.tuple(), parts.into());
                Values::one(tuple, Certainty::Typed)
            }
            Expr::Array(list) => {
                let mut found = Collect::default();
                let mut parts: Vec<Values> = Vec::new();
                let keep = rules.keeps_parts() && (2..=8).contains(&list.len);
                for operand in unit.facts.list(list) {
                    let values = match unit.facts.exprs.get(operand.index()) {
                        Some(Expr::Spread(of)) => {
                            let values = self.eval(file, scope, *of);
                            self.each(&values, |eval, value, _| rules.element(eval, value))
                        }
                        _ => self.eval(file, scope, *operand),
                    };
                    found.extend(&values, Certainty::Exact);
                    if keep {
                        parts.push(values);
                    }
                }
                parts.insert(0, found.finish());
                let array = Value::external_instance(rules.array(), parts.into());
                Values::one(array, Certainty::Typed)
            }
            Expr::Element(of) => {
                let values = self.eval(file, scope, of);
                self.inferred(&values, |eval, value| rules.element(eval, value))
            }
            Expr::Index(of, key) => {
                let values = self.eval(file, scope, of);
                let key = super::rules::Key {
                    file,
                    scope,
                    expr: key,
                };
                self.inferred(&values, |eval, value| rules.index(eval, value, key))
            }
            Expr::Part(of, n) => {
                let values = self.eval(file, scope, of);
                self.inferred(&values, |eval, value| rules.part(eval, value, n))
            }
            Expr::Await(of) => {
                let values = self.eval(file, scope, of);
                self.each(&values, |eval, value, _| rules.awaited(eval, value))
            }
            Expr::Unwrap(of) => {
                let values = self.eval(file, scope, of);
                self.each(&values, |eval, value, _| rules.unwrapped(eval, value))
            }
            Expr::Enter(of) => {
                let values = self.eval(file, scope, of);
                self.each(&values, |eval, value, _| rules.entered(eval, value))
            }
            Expr::Operator(operator, of) => {
                let values = self.eval(file, scope, of);
                let operator = unit.facts.name(operator);
                self.inferred(&values, |eval, value| rules.operated(eval, operator, value))
            }
            Expr::Expected(call, n) => self.expected(file, scope, call, n),
            _ => Values::none(),
        }
    }

    /// The union of what every value gives, none surer than the value was.
    pub(crate) fn each(
        &mut self,
        values: &Values,
        mut work: impl FnMut(&mut Self, &Value, Certainty) -> Values,
    ) -> Values {
        let mut found = Collect::default();
        for (value, certainty) in values.iter() {
            let inner = work(self, value, *certainty);
            found.extend(&inner, *certainty);
        }
        found.finish()
    }

    /// The same, and none surer than inferred.
    fn inferred(
        &mut self,
        values: &Values,
        mut work: impl FnMut(&mut Self, &Value) -> Values,
    ) -> Values {
        self.each(values, |eval, value, _| work(eval, value))
            .weakened(Certainty::Inferred)
    }

    /// An instance of the type that an expression names.
    pub(crate) fn instance(&mut self, file: FileId, scope: ScopeId, expr: ExprId) -> Values {
        let rules = self.world.rules(file);
        let types = self.eval(file, scope, expr);
        let mut found = Collect::default();
        for (value, certainty) in types.iter() {
            let values = rules.instance(self, value, *certainty);
            found.extend(&values, Certainty::Typed.max(*certainty));
        }
        found.finish()
    }

    /// The default of [`Rules::instance`](super::rules::Rules::instance).
    pub(crate) fn instance_of(&mut self, value: &Value, certainty: Certainty) -> Values {
        let certainty = certainty.max(Certainty::Typed);
        if let Some(values) = self.aliased(value) {
            return self.each(&values, |eval, value, inner| {
                let rules = eval.world.rules(eval.here);
                rules.instance(eval, value, certainty.max(inner))
            });
        }
        let made = match value {
            Value::Type(class, args) => Value::Instance(class.clone(), args.clone()),
            Value::ThisType(class) => Value::This(*class),
            Value::Variable(file, scope, name, _) => Value::Variable(*file, *scope, *name, true),
            Value::Instance(class @ Class::External(_), args) => {
                let mut inner: Vec<Values> = Vec::new();
                for arg in args.iter() {
                    inner.push(self.each(arg, |eval, value, certainty| {
                        // An alias may hold itself; it is followed when something is asked of it.
                        match eval.is_alias(value) {
                            true => Values::one(value.clone(), certainty),
                            false => eval.instance_of(value, certainty),
                        }
                    }));
                }
                Value::Instance(class.clone(), inner.into())
            }
            value => value.clone(),
        };
        Values::one(made, certainty)
    }

    /// What an alias with type parameters stands for, its arguments put in; `None` for what is no
    /// such alias.
    pub(crate) fn aliased(&mut self, value: &Value) -> Option<Values> {
        let mut values = self.alias_step(value)?;
        // An alias of an alias of an alias …: one that comes back to itself stands for nothing.
        for _ in 0..ALIASES {
            let mut more = false;
            let mut found = Collect::default();
            for (value, certainty) in values.iter() {
                match self.alias_step(value) {
                    Some(inner) => {
                        more = true;
                        found.extend(&inner, *certainty);
                    }
                    None => found.add(value.clone(), *certainty),
                }
            }
            values = found.finish();
            if !more {
                return Some(values);
            }
        }
        Some(Values::none())
    }

    /// Whether a value is an alias that [`aliased`](Eval::aliased) follows.
    pub(crate) fn is_alias(&self, value: &Value) -> bool {
        let Value::Type(Class::Symbol(symbol), _) = value else {
            return false;
        };
        self.facts(*symbol)
            .is_some_and(|s| s.kind == SymbolKind::TypeAlias && s.members.is_none())
    }

    fn alias_step(&mut self, value: &Value) -> Option<Values> {
        let Value::Type(Class::Symbol(symbol), args) = value else {
            return None;
        };
        let facts = self.facts(*symbol)?;
        if facts.kind != SymbolKind::TypeAlias || facts.members.is_some() {
            return None;
        }
        let declared = facts.declared?;
        let symbol = *symbol;
        let values = self.node(Node::Alias(symbol), |eval| {
            eval.eval(symbol.file, facts.scope, declared)
        });
        if !values.is_open() {
            return Some(values);
        }
        let mut subst = Subst::default();
        self.bind_variables(symbol, args, &mut subst);
        Some(self.substitute(&values, &subst))
    }

    /// What a named type is declared to be, when it is no type of members (`type F func()`).
    fn underlying(&mut self, class: SymRef) -> Values {
        let facts = self.facts(class).map(|facts| (facts.scope, facts.declared));
        match facts {
            Some((scope, Some(declared))) => self.instance(class.file, scope, declared),
            _ => Values::none(),
        }
    }

    /// Whether a named type is the type of a function.
    pub(crate) fn is_function_type(&mut self, class: SymRef) -> bool {
        let is_type = self.facts(class).is_some_and(|facts| facts.kind.is_type());
        is_type && {
            let underlying = self.underlying(class);
            underlying
                .iter()
                .any(|(value, _)| matches!(value, Value::Closure(..)))
        }
    }

    /// A unit, for those who hold an `Eval` only.
    pub(crate) fn unit(&self, file: FileId) -> Option<&'w Unit> {
        self.world.unit(file)
    }

    /// A symbol's facts.
    pub(crate) fn facts(&self, symbol: SymRef) -> Option<&'w crate::facts::Symbol> {
        let unit = self.world.unit(symbol.file)?;
        unit.facts.symbols.get(symbol.symbol.index())
    }
}

/// The type of a value.
pub(crate) fn type_of(value: &Value) -> Option<Value> {
    match value {
        Value::Instance(class, args) => Some(Value::Type(class.clone(), args.clone())),
        Value::This(class) | Value::Super(class) => Some(Value::ThisType(*class)),
        Value::Variable(file, scope, name, _) => Some(Value::Variable(*file, *scope, *name, false)),
        _ => None,
    }
}

/// The member of a type that making an instance of its value calls.
const MAKE: &str = "new";

fn literal(name: &str) -> Values {
    Values::one(Value::external_instance(name, no_args()), Certainty::Typed)
}

/// The name of what calling something external gives; it does not grow without end.
pub(crate) fn called(name: &str) -> String {
    if name.len() > 120 || name.ends_with("()") {
        return name.to_owned();
    }
    format!("{name}()")
}
