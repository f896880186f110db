//! Reading values.

use super::types::{first_named, has_word, named};
use super::{DEPTH, Ecma, NESTED};
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, ScopeId, ScopeKind, SymbolKind};
use tree_sitter::Node;

/// How many elements of an array literal are looked at.
const ELEMENTS: usize = 16;

impl<'n> Ecma<'_, '_, 'n> {
    /// What a value is written as. `depth` is how deep reading may still go.
    pub(super) fn expr(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ExprId {
        if let Some(known) = self.b.recall(node) {
            return known;
        }
        let Some(deeper) = depth.checked_sub(1).filter(|_| self.nested < NESTED) else {
            return self.unknown();
        };
        self.nested += 1;
        let expr = self.read(node, scope, deeper);
        self.nested -= 1;
        self.b.remember(node, expr);
        expr
    }

    fn read(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ExprId {
        match node.kind() {
            "identifier" | "shorthand_property_identifier" | "undefined" => {
                let name = self.b.name_of(node);
                self.b.expr(Expr::Name(name))
            }
            "this" => self.named("this"),
            "super" => self.b.expr(Expr::Super),
            "string" | "template_string" => match node.kind() {
                "string" => {
                    let name = self.key(node);
                    self.b.expr(Expr::Str(name))
                }
                _ => self.literal("string"),
            },
            "number" => match self.b.text(node).parse::<u32>() {
                Ok(number) => self.b.expr(Expr::Int(number)),
                Err(_) => self.literal("number"),
            },
            "regex" => self.literal("RegExp"),
            "true" | "false" => self.literal("boolean"),
            "null" => self.literal("null"),
            "member_expression" | "nested_identifier" => {
                let (Some(object), Some(property)) = (node.field("object"), node.field("property"))
                else {
                    return self.unknown();
                };
                let object = self.expr(object, scope, depth);
                let name = self.b.name_of(property);
                self.b.expr(Expr::Member(object, name))
            }
            "subscript_expression" => {
                let (Some(object), Some(index)) = (node.field("object"), node.field("index"))
                else {
                    return self.unknown();
                };
                let object = self.expr(object, scope, depth);
                if index.kind() == "string" {
                    let name = self.key(index);
                    return self.b.expr(Expr::Member(object, name));
                }
                let index = self.expr(index, scope, depth);
                self.b.expr(Expr::Index(object, index))
            }
            "call_expression" => {
                let callee = self.callee(node, "function", scope, depth);
                let args = self.args(node, scope, depth);
                let args = self.b.list(&args);
                self.b.expr(Expr::Call(callee, args))
            }
            "new_expression" => {
                let class = self.callee(node, "constructor", scope, depth);
                let args = self.args(node, scope, depth);
                let args = self.b.list(&args);
                self.b.expr(Expr::New(class, args))
            }
            "import" => self.named("import"),
            "parenthesized_expression" => match first_named(node) {
                Some(inner) => self.expr(inner, scope, depth),
                None => self.unknown(),
            },
            "sequence_expression" => match named(node).pop() {
                Some(last) => self.expr(last, scope, depth),
                None => self.unknown(),
            },
            "non_null_expression" => self.wrap(node, scope, depth, Expr::Unwrap),
            "await_expression" => self.wrap(node, scope, depth, Expr::Await),
            "spread_element" => self.wrap(node, scope, depth, Expr::Spread),
            "as_expression" | "satisfies_expression" | "type_assertion" => {
                self.cast_type(node, scope, depth)
            }
            "instantiation_expression" => {
                let value = node.field("function").or_else(|| first_named(node));
                match value {
                    Some(value) => {
                        let value = self.expr(value, scope, depth);
                        self.generic(node, value, scope, depth)
                    }
                    None => self.unknown(),
                }
            }
            "ternary_expression" => {
                let mut parts = Vec::new();
                for branch in ["consequence", "alternative"] {
                    if let Some(branch) = node.field(branch) {
                        parts.push(self.expr(branch, scope, depth));
                    }
                }
                self.any_of(parts)
            }
            "binary_expression" => self.binary(node, scope, depth),
            "unary_expression" => match operator(node) {
                Some("typeof") => self.literal("string"),
                Some("!" | "delete") => self.literal("boolean"),
                Some("void") => self.literal("undefined"),
                _ => self.literal("number"),
            },
            "update_expression" => self.literal("number"),
            "assignment_expression" => match node.field("right") {
                Some(right) => self.expr(right, scope, depth),
                None => self.unknown(),
            },
            "augmented_assignment_expression" => {
                let mut parts = Vec::new();
                for side in ["left", "right"] {
                    if let Some(side) = node.field(side) {
                        parts.push(self.expr(side, scope, depth));
                    }
                }
                match operator(node) {
                    Some("??=" | "||=" | "&&=") => self.any_of(parts),
                    _ => self.unknown(),
                }
            }
            "array" => {
                let mut parts = Vec::new();
                for element in named(node).into_iter().take(ELEMENTS) {
                    if element.kind() != "comment" {
                        parts.push(self.expr(element, scope, depth));
                    }
                }
                let list = self.b.list(&parts);
                self.b.expr(Expr::Array(list))
            }
            "object" => {
                let members = self.object(node, scope, depth);
                self.b.expr(Expr::Object(members))
            }
            "arrow_function" | "function_expression" | "generator_function" => {
                if let Some(symbol) = self.symbols.get(&node.id()) {
                    return self.b.expr(Expr::Symbol(*symbol));
                }
                let function = self.function_of(node, scope, None, super::declare::This::of(node));
                self.b.expr(Expr::Closure(function))
            }
            "class" => {
                let symbol = self.class_symbol(node, None, scope);
                self.b.expr(Expr::Symbol(symbol))
            }
            "jsx_element" | "jsx_self_closing_element" => self.literal("JSX.Element"),
            _ => self.unknown(),
        }
    }

    fn wrap(
        &mut self,
        node: Node<'n>,
        scope: ScopeId,
        depth: u32,
        wrapper: fn(ExprId) -> Expr,
    ) -> ExprId {
        match first_named(node) {
            Some(inner) => {
                let inner = self.expr(inner, scope, depth);
                self.b.expr(wrapper(inner))
            }
            None => self.unknown(),
        }
    }

    fn binary(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ExprId {
        let (left, right) = (node.field("left"), node.field("right"));
        match operator(node) {
            Some("||" | "??") => {
                let mut parts = Vec::new();
                for side in [left, right].into_iter().flatten() {
                    parts.push(self.expr(side, scope, depth));
                }
                self.any_of(parts)
            }
            Some("&&") => match right {
                Some(right) => self.expr(right, scope, depth),
                None => self.unknown(),
            },
            Some("+") => {
                let text = [left, right]
                    .into_iter()
                    .flatten()
                    .any(|side| matches!(side.kind(), "string" | "template_string"));
                match text {
                    true => self.literal("string"),
                    false => self.unknown(),
                }
            }
            Some("==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "in" | "instanceof") => {
                self.literal("boolean")
            }
            _ => self.literal("number"),
        }
    }

    /// What is called or made, with the type arguments it is given.
    pub(super) fn callee(
        &mut self,
        node: Node<'n>,
        field: &'static str,
        scope: ScopeId,
        depth: u32,
    ) -> ExprId {
        let Some(callee) = node.field(field) else {
            return self.unknown();
        };
        let callee = self.expr(callee, scope, depth);
        self.generic(node, callee, scope, depth)
    }

    /// `value` with the type arguments that `node` gives it.
    pub(super) fn generic(
        &mut self,
        node: Node<'n>,
        value: ExprId,
        scope: ScopeId,
        depth: u32,
    ) -> ExprId {
        match node.field("type_arguments") {
            Some(args) => {
                let args = self.type_args(args, scope, depth);
                let list = self.b.list(&args);
                self.b.expr(Expr::Generic(value, list))
            }
            None => value,
        }
    }

    /// The arguments of a call.
    pub(super) fn args(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> Vec<ExprId> {
        let Some(args) = node
            .field("arguments")
            .filter(|args| args.kind() == "arguments")
        else {
            return Vec::new();
        };
        let mut read = Vec::new();
        for arg in named(args) {
            if arg.kind() != "comment" {
                read.push(self.expr(arg, scope, depth));
            }
        }
        read
    }

    /// `e as T` is an instance of `T`; `as const` and `satisfies T` leave the value what it is.
    fn cast_type(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ExprId {
        let parts = named(node);
        let (value, ty) = match (node.kind(), &parts[..]) {
            ("type_assertion", [ty, value]) => (*value, first_named(*ty)),
            (_, [value, ty, ..]) => (*value, Some(*ty)),
            (_, [value]) => (*value, None),
            _ => return self.unknown(),
        };
        match ty {
            Some(ty) if node.kind() != "satisfies_expression" && ty.kind() != "const" => {
                let ty = self.ty(ty, scope, depth);
                // A cast to `any` takes the type away, and often the value still tells more.
                match self.b.expr_at(ty) {
                    Expr::Unknown => self.expr(value, scope, depth),
                    _ => self.b.expr(Expr::Instance(ty)),
                }
            }
            _ => self.expr(value, scope, depth),
        }
    }

    /// The members of an object literal, as a scope. Functions among them are symbols.
    pub(super) fn object(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ScopeId {
        if let Some(members) = self.objects.get(&node.id()) {
            return *members;
        }
        let owner = self.symbols.get(&node.id()).copied();
        let members = self.b.scope(scope, ScopeKind::Object, owner);
        self.objects.insert(node.id(), members);
        let before = self.comment;
        for member in named(node) {
            self.object_member(member, scope, members, depth);
        }
        self.comment = before;
        members
    }

    fn object_member(&mut self, member: Node<'n>, scope: ScopeId, members: ScopeId, depth: u32) {
        let at = member.start_byte();
        let owner = self
            .b
            .facts
            .scopes
            .get(members.index())
            .and_then(|s| s.owner);
        match member.kind() {
            "comment" => self.comment = Some(member),
            "method_definition" => {
                if let Some(name_node) = member.field("name") {
                    let name = self.key(name_node);
                    let id = self.member_symbol(member, name, name_node, member, owner);
                    self.b.bind(members, name, at, Bound::Symbol(id));
                    let this = super::declare::This::Object(members);
                    let function = self.function_of(member, scope, Some(id), this);
                    if let Some(symbol) = self.b.symbol_mut(id) {
                        symbol.function = Some(function);
                    }
                }
            }
            "pair" => {
                let (Some(key), Some(value)) = (member.field("key"), member.field("value")) else {
                    return;
                };
                let name = self.key(key);
                match value.kind() {
                    "arrow_function" | "function_expression" | "generator_function" => {
                        let id = self.member_symbol(member, name, key, value, owner);
                        self.b.bind(members, name, at, Bound::Symbol(id));
                        let this = match value.kind() {
                            "arrow_function" => super::declare::This::Lexical,
                            _ => super::declare::This::Object(members),
                        };
                        let function = self.function_of(value, scope, Some(id), this);
                        if let Some(symbol) = self.b.symbol_mut(id) {
                            symbol.function = Some(function);
                        }
                    }
                    "class" => {
                        let id = self.class_symbol(value, Some((name, key)), scope);
                        self.b.bind(members, name, at, Bound::Symbol(id));
                    }
                    _ => {
                        if let Some(owner) = owner {
                            let mut symbol = self.new_symbol(
                                SymbolKind::Field,
                                name,
                                key,
                                member,
                                member.end_byte(),
                            );
                            symbol.parent = Some(owner);
                            symbol.visibility = crate::facts::Visibility::Public;
                            let is_object = value.kind() == "object";
                            let id = self.b.symbol(symbol);
                            self.symbols.insert(member.id(), id);
                            if is_object {
                                self.symbols.insert(value.id(), id);
                                let inner = self.object(value, scope, depth);
                                if let Some(symbol) = self.b.symbol_mut(id) {
                                    symbol.members = Some(inner);
                                }
                            }
                            self.b.bind(members, name, at, Bound::Symbol(id));
                        }
                        let value = self.expr(value, scope, depth);
                        self.b
                            .bind_in(members, name, at, scope, Bound::Value(value));
                    }
                }
            }
            "shorthand_property_identifier" => {
                let name = self.b.name_of(member);
                let value = self.b.expr(Expr::Name(name));
                self.b
                    .bind_in(members, name, at, scope, Bound::Value(value));
            }
            "spread_element" => {
                if let Some(inner) = first_named(member) {
                    let value = self.expr(inner, scope, depth);
                    let name = self.b.name("...");
                    self.b
                        .bind_in(members, name, at, scope, Bound::Value(value));
                }
            }
            _ => {}
        }
    }

    /// The symbol of a function that is a member of an object literal.
    fn member_symbol(
        &mut self,
        member: Node<'n>,
        name: crate::facts::NameId,
        name_node: Node<'n>,
        function: Node<'n>,
        owner: Option<crate::facts::SymbolId>,
    ) -> crate::facts::SymbolId {
        let end = super::declare::body_start(function);
        let mut symbol = self.new_symbol(SymbolKind::Method, name, name_node, member, end);
        // Whoever gets the object gets its members.
        symbol.visibility = crate::facts::Visibility::Public;
        let around = symbol.parent;
        if owner.is_some() {
            symbol.parent = owner;
        }
        if has_word(function, "async") {
            symbol.flags.set(crate::facts::Flags::ASYNC);
        }
        if let Some(kind) = super::types::accessor(member).filter(|_| member.kind() != "pair") {
            symbol.kind = kind;
            symbol.flags.set(crate::facts::Flags::PROPERTY);
        }
        let id = self.b.symbol(symbol);
        self.symbols.insert(function.id(), id);
        if owner.is_none() {
            self.hand_on(id, name_node, around);
        }
        id
    }

    /// Tells a value what its place expects of it, down to the functions in it.
    pub(super) fn expect(&mut self, node: Node<'n>, context: ExprId, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match node.kind() {
            "arrow_function"
            | "function_expression"
            | "generator_function"
            | "method_definition" => {
                if let Some(function) = self.functions.get(&node.id())
                    && let Some(function) = self.b.function_mut(*function)
                    && function.context.is_none()
                {
                    function.context = Some(context);
                }
            }
            "object" => {
                for member in named(node) {
                    let (key, value) = match member.kind() {
                        "pair" => (member.field("key"), member.field("value")),
                        "method_definition" => (member.field("name"), Some(member)),
                        _ => continue,
                    };
                    if let (Some(key), Some(value)) = (key, value)
                        && holds_function(value)
                    {
                        let name = self.key(key);
                        let inner = self.b.expr(Expr::Member(context, name));
                        self.expect(value, inner, depth);
                    }
                }
            }
            "array" => {
                for element in named(node).into_iter().take(ELEMENTS) {
                    if holds_function(element) {
                        let inner = self.b.expr(Expr::Element(context));
                        self.expect(element, inner, depth);
                    }
                }
            }
            "parenthesized_expression" => {
                if let Some(inner) = first_named(node) {
                    self.expect(inner, context, depth);
                }
            }
            "ternary_expression" => {
                for branch in ["consequence", "alternative"] {
                    if let Some(branch) = node.field(branch) {
                        self.expect(branch, context, depth);
                    }
                }
            }
            "binary_expression" => {
                if matches!(operator(node), Some("||" | "??" | "&&"))
                    && let Some(right) = node.field("right")
                {
                    self.expect(right, context, depth);
                }
            }
            _ => {}
        }
    }

    /// Tells the arguments of a call what its callee expects.
    pub(super) fn expect_args(&mut self, node: Node<'n>, call: ExprId) {
        let Some(args) = node
            .field("arguments")
            .filter(|args| args.kind() == "arguments")
        else {
            return;
        };
        let args = named(args)
            .into_iter()
            .filter(|arg| arg.kind() != "comment");
        for (index, arg) in args.enumerate().take(usize::from(u16::MAX)) {
            if holds_function(arg) {
                let context = self.b.expr(Expr::Expected(call, index as u16));
                self.expect(arg, context, DEPTH);
            }
        }
    }
}

/// Whether a value is of a shape that [`Ecma::expect`] goes into.
fn holds_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function"
            | "function_expression"
            | "generator_function"
            | "method_definition"
            | "object"
            | "array"
            | "parenthesized_expression"
            | "ternary_expression"
            | "binary_expression"
    )
}

/// The operator of an expression.
pub(super) fn operator<'n>(node: Node<'n>) -> Option<&'n str> {
    node.field("operator").map(move |op| op.kind())
}
