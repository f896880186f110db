//! What an expression stands for: lazy evaluation, kept where it is pure.
//!
//! Every step that can come back to itself is a *node*. A node's values are kept for all who ask
//! later, together with what was looked up outside its file to get them, when they are complete: a
//! node that was cut short by a cycle or by the depth limit is worked out again by everyone who
//! asks, because what it gives depends on where the asking began. A kept node also knows its height,
//! and is not used where the depth limit would have cut it. So what a use evaluates to never
//! depends on what was evaluated before.

use super::members::Subst;
use super::value::{Class, Collect, FileId, SymRef, Value, Values, no_args};
use super::world::{Atom, Unit, World};
use super::{Certainty, key};
use crate::facts::{
    Binding, Bound, Expr, ExprId, FunctionId, ImportId, List, NameId, ScopeId, ScopeKind,
    SymbolKind,
};
use hashbrown::HashMap;
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

/// A node that was worked out completely.
#[derive(Debug)]
pub(crate) struct Memo {
    values: Values,
    /// How many levels of nodes it needed, itself included.
    height: u16,
    /// What it looked up outside its file.
    keys: Box<[u64]>,
    /// The kept nodes that it used.
    uses: Box<[Arc<Memo>]>,
}

impl Memo {
    /// What it looked up.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// What it used.
    pub(super) fn uses(&self) -> &[Arc<Memo>] {
        &self.uses
    }
}

/// A node in the making.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) keys: Vec<u64>,
    pub(super) uses: Vec<Arc<Memo>>,
    height: u16,
    cut: bool,
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
    /// The first belongs to the file that is linked.
    pub(super) frames: Vec<Frame>,
    fuel: u32,
    aborted: bool,
    /// Expressions of the file that is linked.
    local: HashMap<Node, Arc<Memo>>,
    /// Nodes that were cut short, as they are when nothing is around them.
    alone: HashMap<Node, Values>,
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
            fuel: FUEL,
            aborted: false,
            local: HashMap::new(),
            alone: HashMap::new(),
            file: FileId(u32::MAX),
            here: FileId(u32::MAX),
            flow: super::flow::Flow::default(),
        }
    }

    /// Begins with the next use: it has all the fuel.
    pub(super) fn refuel(&mut self) {
        self.fuel = FUEL;
        self.aborted = false;
    }

    /// Notes that something was looked up that another file decides.
    pub(crate) fn note(&mut self, key: u64) {
        if let Some(frame) = self.frames.last_mut() {
            frame.keys.push(key);
        }
    }

    /// Notes that a file's wildcard imports or exports were looked at.
    pub(crate) fn note_wildcards(&mut self, file: FileId) {
        if let Some(unit) = self.world.unit(file) {
            self.note(key::of_file(unit.path, key::WILDCARDS));
        }
    }

    /// The values of a node: kept ones, or what `work` finds.
    pub(crate) fn node(&mut self, node: Node, work: impl FnOnce(&mut Self) -> Values) -> Values {
        if self.aborted {
            self.cut();
            return Values::none();
        }
        let depth = self.active.len();
        if let Some(memo) = self.kept(node)
            && depth + usize::from(memo.height) <= DEPTH
        {
            let values = memo.values.clone();
            self.depend(memo);
            return values;
        }
        if depth >= DEPTH || self.active.contains(&node) {
            self.cut();
            return Values::none();
        }
        if depth == 0
            && let Some(values) = self.alone.get(&node)
        {
            return values.clone();
        }
        self.active.push(node);
        self.frames.push(Frame::default());
        let around = self.here;
        self.here = node.place().unwrap_or(around);
        let mut values = work(self);
        self.here = around;
        self.active.pop();
        let Some(mut frame) = self.frames.pop() else {
            return values;
        };
        if frame.cut || self.aborted {
            match self.fuel.checked_sub(1) {
                Some(left) => self.fuel = left,
                None => self.aborted = true,
            }
            if self.aborted {
                values = Values::none();
            }
            if let Some(parent) = self.frames.last_mut() {
                parent.keys.append(&mut frame.keys);
                parent.uses.append(&mut frame.uses);
                parent.cut = true;
            }
            if depth == 0 {
                self.alone.insert(node, values.clone());
            }
            return values;
        }
        frame.keys.sort_unstable();
        frame.keys.dedup();
        let memo = Arc::new(Memo {
            values: values.clone(),
            height: frame.height + 1,
            keys: frame.keys.into(),
            uses: frame.uses.into(),
        });
        self.keep(node, &memo);
        self.depend(memo);
        values
    }

    /// The file that members are looked up from, where that makes a difference.
    pub(super) fn seen_from(&self) -> FileId {
        if self.world.rules(self.here).extensions_by_file() {
            self.here
        } else {
            FileId(u32::MAX)
        }
    }

    /// Takes it that what is being worked out is incomplete.
    fn cut(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.cut = true;
        }
    }

    fn depend(&mut self, memo: Arc<Memo>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.height = frame.height.max(memo.height);
            if !memo.keys.is_empty() || !memo.uses.is_empty() {
                frame.uses.push(memo);
            }
        }
    }

    fn kept(&self, node: Node) -> Option<Arc<Memo>> {
        match node {
            Node::Expr(..) => self.local.get(&node).cloned(),
            Node::Namespace(..) => self.world.shared.lock().get(&node).cloned(),
            _ => self
                .world
                .unit(node.file()?)?
                .memo
                .lock()
                .get(&node)
                .cloned(),
        }
    }

    fn keep(&mut self, node: Node, memo: &Arc<Memo>) {
        match node {
            Node::Expr(file, ..) => {
                if file == self.file {
                    self.local.insert(node, memo.clone());
                }
            }
            Node::Namespace(..) => {
                self.world.shared.lock().insert(node, memo.clone());
            }
            _ => {
                if let Some(unit) = node.file().and_then(|file| self.world.unit(file)) {
                    unit.memo.lock().insert(node, memo.clone());
                }
            }
        }
    }

    // ------------------------------------------------------------------ names

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

    // ------------------------------------------------------------------ expressions

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

    // ------------------------------------------------------------------ calls

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

    /// What a value gives through a member that is called for it.
    fn call_through(
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

    /// What the first signature that fits the arguments gives.
    fn call_overload(
        &mut self,
        file: FileId,
        overloads: &[FunctionId],
        receiver: Option<&Value>,
        args: Option<Arguments>,
    ) -> Values {
        let count = args.and_then(|args| self.count(args));
        for overload in overloads {
            if let (Some(args), Some(count)) = (args, count)
                && !(self.fits(file, *overload, count) && self.agrees(file, *overload, args))
            {
                continue;
            }
            let result = self.result(file, *overload);
            let result = self.put_arguments(file, *overload, result, receiver, args);
            if !result.is_empty() {
                return result;
            }
        }
        Values::none()
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
    fn fits(&self, file: FileId, function: FunctionId, count: usize) -> bool {
        let unit = self.world.unit(file);
        let Some(facts) = unit.and_then(|unit| unit.facts.functions.get(function.index())) else {
            return false;
        };
        count <= facts.params.len() || facts.params.last().is_some_and(|param| param.rest)
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
    fn signature(&self, file: FileId, function: &crate::facts::Function) -> ScopeId {
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
    fn expected(&mut self, file: FileId, scope: ScopeId, call: ExprId, n: u16) -> Values {
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

/// The type arguments of a callee.
fn type_arguments(unit: &Unit, callee: ExprId) -> List {
    match unit.facts.exprs.get(callee.index()) {
        Some(Expr::Generic(_, list)) => *list,
        _ => List::default(),
    }
}

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
