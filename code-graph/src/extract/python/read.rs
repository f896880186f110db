//! Reads expressions.

use super::kinds::Kind;
use super::{Place, Python};
use crate::facts::{
    Bound, Expr, ExprId, Function, List, NameId, Param, ScopeId, ScopeKind, SymbolId,
};
use tree_sitter::Node;

/// How deep an expression is read; what is deeper is unknown.
const DEPTH: u8 = 64;

/// How many entries of a dictionary are kept by their keys.
const ENTRIES: usize = 256;

/// The text of a string literal without prefix and quotes.
pub(super) fn string_content(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quote = match text {
        _ if text.starts_with("\"\"\"") => "\"\"\"",
        _ if text.starts_with("'''") => "'''",
        _ if text.starts_with('"') => "\"",
        _ => "'",
    };
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

/// Names that are subscripted to name a type, wherever they stand.
fn is_typing(name: &str) -> bool {
    matches!(
        name,
        "Union"
            | "Optional"
            | "Callable"
            | "List"
            | "Dict"
            | "Set"
            | "FrozenSet"
            | "Tuple"
            | "Type"
            | "Iterable"
            | "Iterator"
            | "Sequence"
            | "Mapping"
            | "MutableMapping"
            | "Awaitable"
            | "Coroutine"
            | "Generator"
            | "AsyncIterator"
            | "AsyncIterable"
            | "Annotated"
    )
}

impl<'t> Python<'_, '_, 't> {
    /// An expression, evaluated at a place.
    pub(super) fn read(&mut self, node: Node<'t>, place: Place) -> ExprId {
        self.read_at(node, place, 0)
    }

    pub(super) fn read_at(&mut self, node: Node<'t>, place: Place, depth: u8) -> ExprId {
        if let Some(known) = self.builder.recall(node) {
            return known;
        }
        if depth > DEPTH {
            return self.unknown();
        }
        let expr = self.read_node(node, place, depth + 1);
        self.builder.remember(node, expr);
        expr
    }

    fn read_node(&mut self, node: Node<'t>, place: Place, depth: u8) -> ExprId {
        let f = &self.kinds.fields;
        let expr = match self.kind(node) {
            Kind::Identifier => Expr::Name(self.builder.name_of(node)),
            Kind::Attribute => {
                let (Some(object), Some(name)) =
                    (self.field(node, f.object), self.field(node, f.attribute))
                else {
                    return self.unknown();
                };
                let object = self.read_at(object, place, depth);
                if self.builder.text(name) == "__class__" {
                    return self.builder.expr(Expr::TypeOf(object));
                }
                let name = self.builder.name_of(name);
                Expr::Member(object, name)
            }
            Kind::DottedName => {
                let mut names = self.named_children(node).into_iter();
                let Some(first) = names.next() else {
                    return self.unknown();
                };
                let first = self.builder.name_of(first);
                let mut expr = self.builder.expr(Expr::Name(first));
                for name in names {
                    let name = self.builder.name_of(name);
                    expr = self.builder.expr(Expr::Member(expr, name));
                }
                return expr;
            }
            Kind::Call => return self.read_call(node, place, depth),
            Kind::Subscript => {
                let Some(value_node) = self.field(node, f.value) else {
                    return self.unknown();
                };
                if is_typing(self.last_name(value_node)) {
                    return self.read_type_at(node, place, depth);
                }
                let value = self.read_at(value_node, place, depth);
                let keys: Vec<Node<'t>> = self
                    .named_children(node)
                    .into_iter()
                    .filter(|child| *child != value_node)
                    .collect();
                match keys.as_slice() {
                    [key] if self.kind(*key) == Kind::Slice => return value,
                    [key] => {
                        let key = self.read_at(*key, place, depth);
                        Expr::Index(value, key)
                    }
                    _ => {
                        let mut parts = Vec::new();
                        for key in keys {
                            parts.push(self.read_at(key, place, depth));
                        }
                        let parts = self.builder.list(&parts);
                        let key = self.builder.expr(Expr::Tuple(parts));
                        Expr::Index(value, key)
                    }
                }
            }
            Kind::String => {
                let text = string_content(self.builder.text(node));
                let short = text.len() <= 80 && node.named_child_count() <= 3;
                Expr::Str(self.builder.name(if short { text } else { "" }))
            }
            Kind::ConcatenatedString => Expr::Str(self.builder.name("")),
            Kind::Integer => match self.builder.text(node).parse() {
                Ok(value) => Expr::Int(value),
                Err(_) => Expr::Literal(self.builder.name("int")),
            },
            Kind::Float => Expr::Literal(self.builder.name("float")),
            Kind::True | Kind::False | Kind::NotOperator | Kind::Comparison => {
                Expr::Literal(self.builder.name("bool"))
            }
            Kind::List | Kind::Set => {
                let list = self.read_all(node, place, depth);
                Expr::Array(list)
            }
            Kind::Tuple | Kind::ExpressionList => {
                let list = self.read_all(node, place, depth);
                Expr::Tuple(list)
            }
            Kind::ListSplat | Kind::DictionarySplat => match node.named_child(0) {
                Some(inner) => Expr::Spread(self.read_at(inner, place, depth)),
                None => Expr::Unknown,
            },
            Kind::Parenthesized | Kind::Type => match self.first(node) {
                Some(inner) => return self.read_at(inner, place, depth),
                None => Expr::Unknown,
            },
            Kind::AsPattern => match self.first(node) {
                Some(inner) => return self.read_at(inner, place, depth),
                None => Expr::Unknown,
            },
            Kind::Conditional => {
                let parts = self.named_children(node);
                let [then, _, otherwise] = parts.as_slice() else {
                    return self.unknown();
                };
                let then = self.read_at(*then, place, depth);
                let otherwise = self.read_at(*otherwise, place, depth);
                return self.either(&[then, otherwise]);
            }
            Kind::BooleanOperator => {
                let (Some(left), Some(right)) =
                    (self.field(node, f.left), self.field(node, f.right))
                else {
                    return self.unknown();
                };
                let right = self.read_at(right, place, depth);
                let operator = self.field(node, f.operator);
                if operator.is_some_and(|operator| operator.kind() == "and") {
                    return right;
                }
                let left = self.read_at(left, place, depth);
                return self.either(&[left, right]);
            }
            Kind::BinaryOperator => {
                let (Some(left), Some(operator)) =
                    (self.field(node, f.left), self.field(node, f.operator))
                else {
                    return self.unknown();
                };
                let left = self.read_at(left, place, depth);
                if operator.kind() == "|"
                    && let Some(right) = self.field(node, f.right)
                {
                    let right = self.read_at(right, place, depth);
                    return self.either(&[left, right]);
                }
                if left == self.unknown() {
                    return left;
                }
                let operator = self.builder.name_of(operator);
                Expr::Operator(operator, left)
            }
            Kind::Await => match self.first(node) {
                Some(inner) => {
                    let inner = self.read_at(inner, place, depth);
                    if inner == self.unknown() {
                        return inner;
                    }
                    Expr::Await(inner)
                }
                None => Expr::Unknown,
            },
            Kind::NamedExpression => match self.field(node, f.value) {
                Some(value) => return self.read_at(value, place, depth),
                None => Expr::Unknown,
            },
            Kind::Lambda => {
                self.lambda(node, place);
                match self.inner.get(&node.id()) {
                    Some((_, expr)) => return *expr,
                    None => Expr::Unknown,
                }
            }
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::Generator => {
                self.comprehension(node, place);
                match self.inner.get(&node.id()) {
                    Some((_, expr)) => return *expr,
                    None => Expr::Unknown,
                }
            }
            Kind::Yield => {
                let function = place.function.and_then(|function| {
                    let functions = &self.builder.facts.functions;
                    functions.get(function.index())?.result
                });
                match function {
                    Some(result) => {
                        let generator = self.builder.expr(Expr::Instance(result));
                        let sent = self.builder.name("yield");
                        Expr::Member(generator, sent)
                    }
                    None => Expr::Unknown,
                }
            }
            Kind::Dictionary => return self.read_dictionary(node, place, depth),
            Kind::Assignment => match self.field(node, f.right) {
                Some(value) => return self.read_at(value, place, depth),
                None => Expr::Unknown,
            },
            Kind::GenericType | Kind::UnionType | Kind::MemberType | Kind::ConstrainedType => {
                return self.read_type_at(node, place, depth);
            }
            _ => Expr::Unknown,
        };
        self.builder.expr(expr)
    }

    /// The first named child that is no comment.
    fn first(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let first = node.named_child(0)?;
        if self.kind(first) != Kind::Comment {
            return Some(first);
        }
        self.named_children(node).first().copied()
    }

    /// One of these.
    pub(super) fn either(&mut self, parts: &[ExprId]) -> ExprId {
        let unknown = self.unknown();
        let mut known: Vec<ExprId> = Vec::new();
        for part in parts {
            if *part != unknown && !known.contains(part) {
                known.push(*part);
            }
        }
        match known.as_slice() {
            [] => unknown,
            [one] => *one,
            all => {
                let list = self.builder.list(all);
                self.builder.expr(Expr::Union(list))
            }
        }
    }

    fn read_all(&mut self, node: Node<'t>, place: Place, depth: u8) -> List {
        let mut parts = Vec::new();
        for child in self.named_children(node).into_iter().take(ENTRIES) {
            parts.push(self.read_at(child, place, depth));
        }
        // A long list of one kind of thing says that once.
        if parts.len() > 16 && self.kind(node) != Kind::Tuple {
            let mut once: Vec<ExprId> = Vec::new();
            for part in parts {
                if !once.contains(&part) {
                    once.push(part);
                }
            }
            parts = once;
        }
        self.builder.list(&parts)
    }

    fn read_call(&mut self, node: Node<'t>, place: Place, depth: u8) -> ExprId {
        let f = &self.kinds.fields;
        let (Some(function), arguments) =
            (self.field(node, f.function), self.field(node, f.arguments))
        else {
            return self.unknown();
        };
        if self.kind(function) == Kind::Identifier && self.builder.text(function) == "super" {
            return self.builder.expr(Expr::Super);
        }
        let callee = self.read_at(function, place, depth);
        if callee == self.unknown() {
            return callee;
        }
        let mut args = self.read_arguments_at(arguments, place, depth);
        if self.last_name(function) == "cast"
            && let Some(first) = arguments.and_then(|arguments| self.first(arguments))
        {
            // The first argument is a type, and may be text.
            let of = self.read_type_at(first, place, depth);
            args = self.builder.list(&[of]);
        }
        self.builder.expr(Expr::Call(callee, args))
    }

    /// The arguments of a call.
    pub(super) fn read_arguments(&mut self, arguments: Option<Node<'t>>, place: Place) -> List {
        self.read_arguments_at(arguments, place, 0)
    }

    fn read_arguments_at(&mut self, arguments: Option<Node<'t>>, place: Place, depth: u8) -> List {
        let Some(arguments) = arguments else {
            return List::default();
        };
        if self.kind(arguments) == Kind::Generator {
            let generator = self.read_at(arguments, place, depth);
            return self.builder.list(&[generator]);
        }
        let mut parts = Vec::new();
        for child in self.named_children(arguments) {
            let part = match self.kind(child) {
                Kind::KeywordArgument => {
                    let f = &self.kinds.fields;
                    let (Some(name), Some(value)) =
                        (self.field(child, f.name), self.field(child, f.value))
                    else {
                        continue;
                    };
                    let value = self.read_at(value, place, depth);
                    let name = self.builder.name_of(name);
                    self.builder.expr(Expr::Keyword(name, value))
                }
                _ => self.read_at(child, place, depth),
            };
            parts.push(part);
        }
        self.builder.list(&parts)
    }

    /// A dictionary: an object whose members are its literal keys; other values are under `*`.
    fn read_dictionary(&mut self, node: Node<'t>, place: Place, depth: u8) -> ExprId {
        let scope = self.builder.scope(place.scope, ScopeKind::Object, None);
        let any = self.builder.name("*");
        let unknown = self.unknown();
        for child in self.named_children(node).into_iter().take(ENTRIES) {
            let f = &self.kinds.fields;
            match self.kind(child) {
                Kind::Pair => {
                    let (Some(key), Some(value)) =
                        (self.field(child, f.key), self.field(child, f.value))
                    else {
                        continue;
                    };
                    let value_expr = self.read_at(value, place, depth);
                    if value_expr == unknown {
                        continue;
                    }
                    let name = match self.kind(key) {
                        Kind::String => {
                            let text = string_content(self.builder.text(key));
                            self.builder.name(text)
                        }
                        Kind::Integer => self.integer_key(key),
                        _ => any,
                    };
                    self.builder.bind_in(
                        scope,
                        name,
                        child.start_byte(),
                        place.scope,
                        Bound::Value(value_expr),
                    );
                }
                Kind::DictionarySplat => {
                    if let Some(inner) = child.named_child(0) {
                        let inner = self.read_at(inner, place, depth);
                        if inner != unknown {
                            let spread = self.builder.expr(Expr::Spread(inner));
                            let name = self.builder.name("**");
                            self.builder.bind_in(
                                scope,
                                name,
                                child.start_byte(),
                                place.scope,
                                Bound::Value(spread),
                            );
                        }
                    }
                }
                _ => {}
            }
        }
        self.builder.expr(Expr::Object(scope))
    }

    /// The entry of a dictionary under a number.
    pub(super) fn integer_key(&mut self, key: Node<'t>) -> NameId {
        let text = format!("#{}", self.builder.text(key));
        self.builder.name(&text)
    }

    fn closure(&mut self, node: Node<'t>, scope: ScopeId, params: Vec<Param>) -> ExprId {
        let function = self.builder.function(Function {
            symbol: None,
            scope,
            params,
            result: None,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        let closure = self.builder.expr(Expr::Closure(function));
        self.inner.insert(node.id(), (scope, closure));
        closure
    }

    fn closure_returns(&mut self, closure: ExprId, value: ExprId) {
        if value != self.unknown()
            && let Expr::Closure(function) = self.builder.expr_at(closure)
            && let Some(function) = self.builder.function_mut(function)
        {
            function.returns.push(value);
        }
    }

    /// The scope of a lambda.
    pub(super) fn lambda(&mut self, node: Node<'t>, place: Place) -> ScopeId {
        if let Some((scope, _)) = self.inner.get(&node.id()) {
            return *scope;
        }
        let f = &self.kinds.fields;
        let scope = self.builder.scope(place.scope, ScopeKind::Function, None);
        let (parameters, body) = (self.field(node, f.parameters), self.field(node, f.body));
        let inner = Place {
            scope,
            locals: scope,
            class: None,
            function: None,
            ..place
        };
        let mut function = Function {
            symbol: None,
            scope,
            params: Vec::new(),
            result: None,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        };
        if let Some(parameters) = parameters {
            let none: Option<((SymbolId, ScopeId), bool)> = None;
            self.parameters(parameters, scope, &mut function, none, inner, place);
        }
        let closure = self.closure(node, scope, function.params);
        if let Some(body) = body {
            let value = self.read(body, inner);
            self.closure_returns(closure, value);
        }
        scope
    }

    /// The scope of a comprehension. It is a closure that is called on the spot.
    pub(super) fn comprehension(&mut self, node: Node<'t>, place: Place) -> ScopeId {
        if let Some((scope, _)) = self.inner.get(&node.id()) {
            return *scope;
        }
        let f = &self.kinds.fields;
        let scope = self.builder.scope(place.scope, ScopeKind::Function, None);
        let closure = self.closure(node, scope, Vec::new());
        let inner = Place {
            scope,
            class: None,
            ..place
        };
        for child in self.named_children(node) {
            if self.kind(child) == Kind::ForIn
                && let (Some(left), Some(right)) =
                    (self.field(child, f.left), self.field(child, f.right))
            {
                let over = self.read(right, inner);
                let element = self.builder.expr(Expr::Element(over));
                let binding = Place {
                    locals: scope,
                    ..inner
                };
                self.assign(left, element, binding);
            }
        }
        if let Some(body) = self.field(node, f.body) {
            let value = match self.kind(body) {
                Kind::Pair => {
                    let (Some(key), Some(value)) =
                        (self.field(body, f.key), self.field(body, f.value))
                    else {
                        return scope;
                    };
                    let key = self.read(key, inner);
                    let key = self.builder.expr(Expr::TypeOf(key));
                    let value = self.read(value, inner);
                    let value = self.builder.expr(Expr::TypeOf(value));
                    let name = self.builder.name("dict");
                    let dict = self.builder.expr(Expr::Name(name));
                    let list = self.builder.list(&[key, value]);
                    let dict = self.builder.expr(Expr::Generic(dict, list));
                    self.builder.expr(Expr::Instance(dict))
                }
                _ => {
                    let value = self.read(body, inner);
                    let list = self.builder.list(&[value]);
                    self.builder.expr(Expr::Array(list))
                }
            };
            self.closure_returns(closure, value);
        }
        let called = self.builder.expr(Expr::Call(closure, List::default()));
        self.inner.insert(node.id(), (scope, called));
        scope
    }

    /// The name of a text.
    pub(super) fn named(&mut self, text: &str) -> NameId {
        self.builder.name(text)
    }
}
