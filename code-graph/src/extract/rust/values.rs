//! Values of expressions, from the bottom up, and the places where something is called or used.

use super::{State, Walk};
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, Function, FunctionId, List, Param, ScopeKind, SiteKind};
use tree_sitter::Node;

/// The most alternatives of a value that are looked at.
const ALTERNATIVES: usize = 6;

impl Walk<'_, '_> {
    /// On the way out of a node: what it is, remembered, and where it uses something.
    pub(super) fn value(&mut self, node: Node<'_>, field: Option<&str>, parent: &str) {
        let expr = match node.kind() {
            "identifier" => {
                if field == Some("name") || field == Some("alias") || parent == "macro_invocation" {
                    return;
                }
                let name = self.name_of(node);
                match self.local(name) {
                    Some(own) => Expr::Name(own),
                    None => {
                        let what = self.b.expr(Expr::Name(name));
                        self.use_of(what, node, field, parent);
                        Expr::Name(name)
                    }
                }
            }
            "scoped_identifier" => {
                let what = self.path(node);
                let name = node.field("name").unwrap_or(node);
                self.use_of(what, name, field, parent);
                self.remember(node, what);
                return;
            }
            "type_identifier" => {
                if field != Some("name") && parent != "impl_item" && self.text(node) != "Self" {
                    let name = self.name_of(node);
                    let what = self.b.expr(Expr::Name(name));
                    self.site(SiteKind::Type, what, node, List::default());
                }
                return;
            }
            "scoped_type_identifier" => {
                if field != Some("name") && parent != "impl_item" {
                    let what = self.path(node);
                    let name = node.field("name").unwrap_or(node);
                    self.site(SiteKind::Type, what, name, List::default());
                }
                return;
            }
            "self" => Expr::This,
            "generic_function" => {
                let function = node.field("function");
                let args = self.type_arguments(node.field("type_arguments"));
                let of = self.get(function);
                if field != Some("function") || parent != "call_expression" {
                    let name = self.last_name(node);
                    self.site(SiteKind::Value, of, name, List::default());
                }
                Expr::Generic(of, args)
            }
            "field_expression" => {
                let of = self.get(node.field("value"));
                match node.field("field") {
                    Some(name) => Expr::Member(of, self.name_of(name)),
                    None => Expr::Unknown,
                }
            }
            "call_expression" => self.call(node),
            "await_expression" => Expr::Await(self.first(node)),
            "try_expression" => Expr::Unwrap(self.first(node)),
            "reference_expression" => Expr::Reference(self.get(node.field("value"))),
            "unary_expression" => {
                let of = self.first(node);
                match self.text(node).chars().next() {
                    // The first star takes a reference off, which no type here has.
                    Some('*') if matches!(self.b.expr_at(of), Expr::Reference(_)) => {
                        Expr::Operator(self.b.name("**"), of)
                    }
                    Some('*') => Expr::Reference(of),
                    Some('!') => Expr::Operator(self.b.name("!"), of),
                    _ => Expr::Operator(self.b.name("-"), of),
                }
            }
            "binary_expression" => self.binary(node),
            "assignment_expression" => {
                self.assignment(node);
                Expr::Tuple(List::default())
            }
            "compound_assignment_expr" => Expr::Tuple(List::default()),
            "type_cast_expression" => match node.field("type") {
                Some(of) => Expr::Instance(self.type_expr(of)),
                None => Expr::Unknown,
            },
            "parenthesized_expression"
            | "unsafe_block"
            | "try_block"
            | "const_block"
            | "else_clause" => {
                let inner = self.first(node);
                self.remember(node, inner);
                return;
            }
            "async_block" => {
                let inner = self.first(node);
                let of = self.literal("async");
                Expr::Call(of, self.b.list(&[inner]))
            }
            "tuple_expression" => Expr::Tuple(self.operands(node)),
            "unit_expression" => Expr::Tuple(List::default()),
            "array_expression" => {
                let mut list = self.operands(node);
                if node.field("length").is_some() {
                    list.len = list.len.min(1);
                }
                Expr::Array(list)
            }
            "index_expression" => {
                let operands = self.operands(node);
                match *self.b.operands(operands) {
                    [of, key] => Expr::Index(of, key),
                    _ => Expr::Unknown,
                }
            }
            "range_expression" => {
                let of = self.b.name("Range");
                let of = self.b.expr(Expr::Literal(of));
                Expr::New(of, self.operands(node))
            }
            "struct_expression" => self.literal_struct(node),
            "shorthand_field_initializer" => {
                let inner = self.first(node);
                self.remember(node, inner);
                return;
            }
            "closure_expression" => {
                self.close(node);
                return;
            }
            "if_expression" => {
                let branches = [node.field("consequence"), node.field("alternative")];
                if branches.iter().all(Option::is_some) {
                    self.union(branches.into_iter().flatten())
                } else {
                    Expr::Tuple(List::default())
                }
            }
            "match_expression" => {
                let Some(body) = node.field("body") else {
                    return;
                };
                let mut cursor = body.walk();
                let arms: Vec<_> = body.named_children(&mut cursor).collect();
                self.union(arms.into_iter().filter(|arm| arm.kind() == "match_arm"))
            }
            "match_arm" => {
                let inner = self.get(node.field("value"));
                self.remember(node, inner);
                return;
            }
            "block" => self.tail(node),
            "let_declaration" => {
                self.let_declaration(node);
                return;
            }
            "let_condition" => {
                let mut value = self.get(node.field("value"));
                if self.awaited {
                    value = self.b.expr(Expr::Await(value));
                }
                if let Some(pattern) = node.field("pattern") {
                    self.bind_pattern(pattern, value, Bound::Value(value));
                }
                return;
            }
            "string_literal" | "raw_string_literal" => {
                let bytes = self.text(node).starts_with('b');
                Expr::Literal(self.b.name(if bytes { "bytes" } else { "str" }))
            }
            "char_literal" => Expr::Literal(self.b.name("char")),
            "boolean_literal" => Expr::Literal(self.b.name("bool")),
            "integer_literal" | "float_literal" => {
                let text = self.text(node);
                let suffix = text
                    .find(['i', 'u', 'f'])
                    .filter(|_| !text.starts_with("0x"));
                let kind = suffix.and_then(|at| text.get(at..)).filter(|s| s.len() > 1);
                let plain = if node.kind() == "float_literal" {
                    "f64"
                } else {
                    "int"
                };
                Expr::Literal(self.b.name(kind.unwrap_or(plain)))
            }
            _ => return,
        };
        let expr = self.b.expr(expr);
        self.remember(node, expr);
    }

    /// A name that is used without being called.
    fn use_of(&mut self, what: ExprId, name: Node<'_>, field: Option<&str>, parent: &str) {
        let callee =
            field == Some("function") && matches!(parent, "call_expression" | "generic_function");
        if !callee
            && !matches!(
                parent,
                "break_expression" | "continue_expression" | "attribute"
            )
        {
            self.site(SiteKind::Value, what, name, List::default());
        }
    }

    /// What the first operand of a node is.
    fn first(&mut self, node: Node<'_>) -> ExprId {
        let mut cursor = node.walk();
        let first = node
            .named_children(&mut cursor)
            .find(|child| !child.is_extra() && !matches!(child.kind(), "label" | "attribute_item"));
        self.get(first)
    }

    /// What the operands of a node are.
    fn operands(&mut self, node: Node<'_>) -> List {
        let mut operands = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if !child.is_extra() && child.kind() != "attribute_item" {
                operands.push(self.get(Some(child)));
            }
        }
        self.b.list(&operands)
    }

    /// One of several values.
    fn union<'n>(&mut self, nodes: impl Iterator<Item = Node<'n>>) -> Expr {
        let mut values = Vec::new();
        for node in nodes {
            let value = self.get(Some(node));
            let known = self.b.expr_at(value) != Expr::Unknown;
            if known && !values.contains(&value) && values.len() < ALTERNATIVES {
                values.push(value);
            }
        }
        match *values {
            [] => Expr::Unknown,
            [one] => self.b.expr_at(one),
            _ => Expr::Union(self.b.list(&values)),
        }
    }

    /// A call: the site, and what it gives.
    fn call(&mut self, node: Node<'_>) -> Expr {
        let Some(function) = node.field("function") else {
            return Expr::Unknown;
        };
        let callee = self.get(Some(function));
        let args = match node.field("arguments") {
            Some(args) => self.operands(args),
            None => List::default(),
        };
        let named = matches!(
            function.kind(),
            "identifier" | "scoped_identifier" | "field_expression" | "generic_function"
        );
        if named {
            let name = self.last_name(function);
            self.site(SiteKind::Call, callee, name, args);
        }
        Expr::Call(callee, args)
    }

    fn binary(&mut self, node: Node<'_>) -> Expr {
        let operator = node.field("operator");
        let operator = operator.map_or("", |operator| self.text(operator));
        match operator {
            "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" => {
                Expr::Literal(self.b.name("bool"))
            }
            _ => {
                let left = self.get(node.field("left"));
                Expr::Operator(self.b.name(operator), left)
            }
        }
    }

    /// `x = e` tells what a local is that was declared without saying.
    fn assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
            return;
        };
        if left.kind() != "identifier" {
            return;
        }
        let name = self.name_of(left);
        if let Some(own) = self.local(name) {
            let value = self.get(Some(right));
            let at = self.bytes(left).start;
            self.b.bind_in(
                self.state.vars,
                own,
                at,
                self.state.scope,
                Bound::Value(value),
            );
        }
    }

    /// `T { … }`
    fn literal_struct(&mut self, node: Node<'_>) -> Expr {
        let Some(name) = node.field("name") else {
            return Expr::Unknown;
        };
        let what = self.path(name);
        let mut fields = Vec::new();
        if let Some(body) = node.field("body") {
            let mut cursor = body.walk();
            for child in body.named_children(&mut cursor) {
                let (field, value) = match child.kind() {
                    "shorthand_field_initializer" => {
                        let mut cursor = child.walk();
                        let name = child
                            .named_children(&mut cursor)
                            .find(|child| child.kind() == "identifier");
                        (name, name)
                    }
                    "field_initializer" => (child.field("field"), child.field("value")),
                    "base_field_initializer" => {
                        let base = self.first(child);
                        fields.push(self.b.expr(Expr::Spread(base)));
                        continue;
                    }
                    _ => continue,
                };
                let value = self.get(value);
                if let Some(field) = field {
                    let field = self.name_of(field);
                    fields.push(self.b.expr(Expr::Keyword(field, value)));
                }
            }
        }
        let fields = self.b.list(&fields);
        let last = self.last_name(name);
        self.site(SiteKind::New, what, last, fields);
        Expr::New(what, fields)
    }

    /// What a block gives: its last expression.
    pub(super) fn tail(&mut self, node: Node<'_>) -> Expr {
        let mut at = node.named_child_count();
        while let Some(last) = at.checked_sub(1).and_then(|at| node.named_child(at as u32)) {
            at -= 1;
            match last.kind() {
                "line_comment" | "block_comment" => {}
                "expression_statement" => {
                    if self.text(last).ends_with(';') {
                        break;
                    }
                    let inner = self.first(last);
                    return self.b.expr_at(inner);
                }
                _ => {
                    let inner = self.get(Some(last));
                    return self.b.expr_at(inner);
                }
            }
        }
        Expr::Tuple(List::default())
    }

    fn let_declaration(&mut self, node: Node<'_>) {
        let Some(pattern) = node.field("pattern") else {
            return;
        };
        let value = node.field("value");
        let read = self.get(value);
        let Some(of) = node.field("type") else {
            self.bind_pattern(pattern, read, Bound::Value(read));
            return;
        };
        let declared = self.type_expr(of);
        let instance = self.b.expr(Expr::Instance(declared));
        let plain = if value.is_some() && self.text(of).contains('_') {
            // The value may tell what the type leaves open.
            let list = self.b.list(&[instance, read]);
            Bound::Value(self.b.expr(Expr::Union(list)))
        } else {
            Bound::Declared(declared)
        };
        self.bind_pattern(pattern, instance, plain);
    }

    /// On the way into a closure: its parameters become visible.
    pub(super) fn closure(&mut self, node: Node<'_>, ancestors: &[Node<'_>]) {
        let call = self.call_around(node, ancestors);
        let scope = self.b.scope(self.state.scope, ScopeKind::Function, None);
        let next = State {
            scope,
            vars: scope,
            ..self.state
        };
        self.push(node, next);
        let mut params = Vec::new();
        if let Some(list) = node.field("parameters") {
            let mut cursor = list.walk();
            for child in list.children(&mut cursor) {
                // `_` is no named node.
                if child.is_extra() || !child.is_named() && child.kind() != "_" {
                    continue;
                }
                let of = child.field("type");
                let pattern = child.field("pattern").unwrap_or(child);
                let declared = of.map(|of| self.type_expr(of));
                let (value, plain) = match (declared, call) {
                    (Some(declared), _) => (
                        self.b.expr(Expr::Instance(declared)),
                        Bound::Declared(declared),
                    ),
                    (None, Some(call)) => {
                        let passed = self.b.expr(Expr::Passed(call, params.len() as u16));
                        (passed, Bound::Value(passed))
                    }
                    (None, None) => (self.b.expr(Expr::Unknown), Bound::Unknown),
                };
                let name = match pattern.kind() {
                    "identifier" => self.name_of(pattern),
                    _ => self.b.name("_"),
                };
                params.push(Param {
                    name,
                    declared,
                    default: None,
                    rest: false,
                });
                self.bind_pattern(pattern, value, plain);
            }
        }
        let result = node.field("return_type");
        let result = result.map(|result| self.type_expr(result));
        let function = self.b.function(Function {
            symbol: None,
            scope,
            params,
            result,
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        let closure = self.b.expr(Expr::Closure(function));
        self.remember(node, closure);
    }

    /// On the way out of a closure: what it gives.
    fn close(&mut self, node: Node<'_>) {
        let closure = self.get(Some(node));
        let Expr::Closure(function) = self.b.expr_at(closure) else {
            return;
        };
        let mut value = self.get(node.field("body"));
        let text = self.text(node);
        if text.starts_with("async") || text.starts_with("static async") {
            let of = self.literal("async");
            let list = self.b.list(&[value]);
            value = self.b.expr(Expr::Call(of, list));
        }
        self.returns(function, value);
    }

    fn returns(&mut self, function: FunctionId, value: ExprId) {
        if let Some(function) = self.b.function_mut(function) {
            function.returns.push(value);
        }
    }

    /// The call that a closure is an argument of, with the arguments before it.
    fn call_around(&mut self, node: Node<'_>, ancestors: &[Node<'_>]) -> Option<ExprId> {
        let mut around = ancestors.iter().rev();
        let arguments = around.next().filter(|node| node.kind() == "arguments")?;
        let call = around
            .next()
            .filter(|node| node.kind() == "call_expression")?;
        let callee = self.get(call.field("function"));
        let mut before = Vec::new();
        let mut cursor = arguments.walk();
        for child in arguments.named_children(&mut cursor) {
            if child.id() == node.id() {
                break;
            }
            if !child.is_extra() && child.kind() != "attribute_item" {
                before.push(self.get(Some(child)));
            }
        }
        let before = self.b.list(&before);
        Some(self.b.expr(Expr::Call(callee, before)))
    }
}
