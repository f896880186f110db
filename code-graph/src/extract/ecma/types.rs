//! Reading types.

use super::{DEPTH, Ecma, NESTED};
use crate::extract::field::Fields;
use crate::facts::{
    Bound, Expr, ExprId, Flags, ScopeId, ScopeKind, SymbolId, SymbolKind, Visibility,
};
use tree_sitter::Node;

impl<'n> Ecma<'_, '_, 'n> {
    /// The type that an annotation or a type node names. `depth` is how deep reading may still go.
    pub(super) fn ty(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ExprId {
        if let Some(known) = self.b.recall(node) {
            return known;
        }
        let Some(deeper) = depth.checked_sub(1).filter(|_| self.nested < NESTED) else {
            return self.unknown();
        };
        self.nested += 1;
        let expr = self.read_type(node, scope, deeper);
        self.nested -= 1;
        self.b.remember(node, expr);
        expr
    }

    fn read_type(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> ExprId {
        match node.kind() {
            "type_annotation"
            | "parenthesized_type"
            | "readonly_type"
            | "optional_type"
            | "constraint"
            | "default_type"
            | "opting_type_annotation"
            | "adding_type_annotation"
            | "omitting_type_annotation"
            | "flow_maybe_type" => match first_named(node) {
                Some(inner) => self.ty(inner, scope, depth),
                None => self.unknown(),
            },
            "predefined_type" => match self.b.text(node) {
                "any" | "unknown" | "object" => self.unknown(),
                text => self.literal(text),
            },
            "type_identifier" | "identifier" => {
                let name = self.b.name_of(node);
                self.b.expr(Expr::Name(name))
            }
            "nested_type_identifier" | "nested_identifier" => {
                let (object, property) = match node.kind() {
                    "nested_type_identifier" => ("module", "name"),
                    _ => ("object", "property"),
                };
                match (node.field(object), node.field(property)) {
                    (Some(object), Some(property)) => {
                        let object = self.ty(object, scope, depth);
                        let name = self.b.name_of(property);
                        self.b.expr(Expr::Member(object, name))
                    }
                    _ => self.unknown(),
                }
            }
            "member_expression" | "call_expression" | "subscript_expression" => {
                self.expr(node, scope, depth)
            }
            "generic_type" => {
                let (Some(name), Some(args)) = (node.field("name"), node.field("type_arguments"))
                else {
                    return self.unknown();
                };
                let name = self.ty(name, scope, depth);
                let args = self.type_args(args, scope, depth);
                let list = self.b.list(&args);
                self.b.expr(Expr::Generic(name, list))
            }
            kind @ ("union_type" | "intersection_type") => {
                let mut parts = Vec::new();
                for part in spine(node, kind) {
                    parts.push(self.ty(part, scope, depth));
                }
                if kind == "union_type" {
                    return self.any_of(parts);
                }
                match parts[..] {
                    [one] => one,
                    _ => {
                        let list = self.b.list(&parts);
                        self.b.expr(Expr::Bounds(list))
                    }
                }
            }
            "array_type" => match first_named(node) {
                Some(inner) => {
                    let inner = self.ty(inner, scope, depth);
                    let list = self.b.list(&[inner]);
                    self.b.expr(Expr::Array(list))
                }
                None => self.unknown(),
            },
            "tuple_type" => {
                let mut parts = Vec::new();
                for part in named(node) {
                    let part = match part.kind() {
                        "required_parameter" | "optional_parameter" => match part.field("type") {
                            Some(inner) => self.ty(inner, scope, depth),
                            None => self.unknown(),
                        },
                        "rest_type" => {
                            let inner = self.ty(part, scope, depth);
                            self.b.expr(Expr::Spread(inner))
                        }
                        "comment" => continue,
                        _ => self.ty(part, scope, depth),
                    };
                    parts.push(part);
                }
                let list = self.b.list(&parts);
                self.b.expr(Expr::Tuple(list))
            }
            "rest_type" => match first_named(node) {
                Some(inner) => self.ty(inner, scope, depth),
                None => self.unknown(),
            },
            "function_type" => {
                let function = self.signature_of(node, scope, None, depth);
                self.b.expr(Expr::Closure(function))
            }
            "constructor_type" => {
                self.signature_of(node, scope, None, depth);
                let made = match node.field("type") {
                    Some(made) => self.ty(made, scope, depth),
                    None => self.unknown(),
                };
                let makes = self.named("new()");
                let list = self.b.list(&[made]);
                self.b.expr(Expr::Generic(makes, list))
            }
            "object_type" => {
                let members = self.object_type(node, scope, depth);
                self.b.expr(Expr::Object(members))
            }
            "literal_type" => match first_named(node) {
                Some(inner) => match inner.kind() {
                    // Which text it is tells overloads apart.
                    "string" | "number" => self.expr(inner, scope, depth),
                    "unary_expression" => self.literal("number"),
                    "true" | "false" => self.literal("boolean"),
                    kind => self.literal(kind),
                },
                None => self.unknown(),
            },
            "template_literal_type" => self.literal("string"),
            "type_query" => match first_named(node) {
                Some(inner) => {
                    let value = self.expr(inner, scope, depth);
                    self.b.expr(Expr::TypeOf(value))
                }
                None => self.unknown(),
            },
            "lookup_type" => {
                let mut parts = named(node).into_iter();
                match (parts.next(), parts.next()) {
                    (Some(of), Some(key)) => {
                        let of = self.ty(of, scope, depth);
                        let key = match key.kind() {
                            "literal_type" => self.ty(key, scope, depth),
                            _ => self.literal("number"),
                        };
                        self.b.expr(Expr::Index(of, key))
                    }
                    _ => self.unknown(),
                }
            }
            "conditional_type" => {
                let mut parts = Vec::new();
                let mut at = Some(node);
                // `A extends B ? C : D extends …` nests as deep as it is long.
                while let Some(node) = at.take() {
                    if let Some(then) = node.field("consequence") {
                        parts.push(self.ty(then, scope, depth));
                    }
                    match node.field("alternative") {
                        Some(other) if other.kind() == "conditional_type" => at = Some(other),
                        Some(other) => parts.push(self.ty(other, scope, depth)),
                        None => {}
                    }
                }
                self.any_of(parts)
            }
            "this_type" | "this" => self.b.expr(Expr::SelfType),
            "type_predicate_annotation" | "type_predicate" => self.literal("boolean"),
            "asserts_annotation" | "asserts" => self.literal("void"),
            _ => self.unknown(),
        }
    }

    /// The types of a list of type arguments.
    pub(super) fn type_args(&mut self, node: Node<'n>, scope: ScopeId, depth: u32) -> Vec<ExprId> {
        let mut args = Vec::new();
        for arg in named(node) {
            if arg.kind() != "comment" {
                args.push(self.ty(arg, scope, depth));
            }
        }
        args
    }

    /// Binds type parameters in `scope`; their names in order.
    pub(super) fn type_params(
        &mut self,
        node: Node<'n>,
        scope: ScopeId,
    ) -> Vec<crate::facts::NameId> {
        let Some(params) = node.field("type_parameters") else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for param in named(params) {
            let Some(name_node) = param.field("name") else {
                continue;
            };
            let name = self.b.name_of(name_node);
            let bound = param
                .field("constraint")
                .or_else(|| param.field("value"))
                .map(|bound| self.ty(bound, scope, DEPTH));
            let index = names.len() as u16;
            self.b.bind(
                scope,
                name,
                name_node.start_byte(),
                Bound::TypeParam(index, bound),
            );
            names.push(name);
        }
        names
    }

    /// The members of an object type, as a scope.
    pub(super) fn object_type(&mut self, node: Node<'n>, outer: ScopeId, depth: u32) -> ScopeId {
        if let Some(scope) = self.objects.get(&node.id()) {
            return *scope;
        }
        let alias = self.alias;
        let scope = self.b.scope(outer, ScopeKind::Object, alias);
        self.objects.insert(node.id(), scope);
        self.type_members(node, scope, alias, depth);
        scope
    }

    /// Declares and binds what an interface or an object type has. Members that are written as
    /// methods are symbols everywhere, the others where their owner is one.
    pub(super) fn type_members(
        &mut self,
        body: Node<'n>,
        scope: ScopeId,
        owner: Option<SymbolId>,
        depth: u32,
    ) {
        let before = self.comment;
        for member in named(body) {
            let at = member.start_byte();
            match member.kind() {
                "comment" => self.comment = Some(member),
                "method_signature" => self.method_signature(member, scope, owner, depth),
                "property_signature" => {
                    let Some(name_node) = member.field("name") else {
                        continue;
                    };
                    let name = self.key(name_node);
                    let annotation = member.field("type");
                    let symbol = owner.map(|owner| {
                        let mut symbol = self.new_symbol(
                            SymbolKind::Field,
                            name,
                            name_node,
                            member,
                            member.end_byte(),
                        );
                        symbol.parent = Some(owner);
                        symbol.scope = scope;
                        symbol.visibility = Visibility::Public;
                        let id = self.b.symbol(symbol);
                        self.symbols.insert(member.id(), id);
                        self.b.bind(scope, name, at, Bound::Symbol(id));
                        id
                    });
                    let declared = annotation.map(|ty| self.ty(ty, scope, depth));
                    match (symbol, declared) {
                        (Some(id), _) => {
                            if let Some(symbol) = self.b.symbol_mut(id) {
                                symbol.declared = declared;
                            }
                        }
                        (None, Some(ty)) => self.b.bind(scope, name, at, Bound::Declared(ty)),
                        (None, None) => self.b.bind(scope, name, at, Bound::Unknown),
                    }
                }
                kind @ ("call_signature" | "construct_signature") => {
                    let function = self.signature_of(member, scope, None, depth);
                    let called = self.b.expr(Expr::Closure(function));
                    let name = self.b.name(if kind == "call_signature" {
                        "()"
                    } else {
                        "new"
                    });
                    self.b.bind(scope, name, at, Bound::Declared(called));
                }
                "index_signature" => {
                    if let Some(ty) = member.field("type") {
                        let ty = self.ty(ty, scope, depth);
                        let name = self.b.name("[]");
                        self.b.bind(scope, name, at, Bound::Declared(ty));
                    }
                }
                _ => {}
            }
        }
        self.comment = before;
    }

    /// A method that is only declared; another of its name in the same type is the same symbol.
    fn method_signature(
        &mut self,
        node: Node<'n>,
        scope: ScopeId,
        owner: Option<SymbolId>,
        depth: u32,
    ) {
        let Some(name_node) = node.field("name") else {
            return;
        };
        let name = self.key(name_node);
        let known = self.overloads.get(&(scope, name, false)).copied();
        let id = known.unwrap_or_else(|| {
            let mut symbol =
                self.new_symbol(SymbolKind::Method, name, name_node, node, node.end_byte());
            if owner.is_some() {
                symbol.parent = owner;
            }
            symbol.scope = scope;
            symbol.visibility = Visibility::Public;
            symbol.flags.set(Flags::DECLARATION);
            if let Some(kind) = accessor(node) {
                symbol.kind = kind;
                symbol.flags.set(Flags::PROPERTY);
            }
            let id = self.b.symbol(symbol);
            self.overloads.insert((scope, name, false), id);
            self.b
                .bind(scope, name, node.start_byte(), Bound::Symbol(id));
            id
        });
        self.symbols.insert(node.id(), id);
        let function = self.signature_of(node, scope, Some(id), depth);
        self.add_overload(id, function, known.is_some());
    }

    /// Notes one more signature of a symbol. The first alone stands as its function.
    pub(super) fn add_overload(
        &mut self,
        id: SymbolId,
        function: crate::facts::FunctionId,
        known: bool,
    ) {
        let this = self.b.expr(Expr::Closure(function));
        let Some(symbol) = self.b.symbol_mut(id) else {
            return;
        };
        if !known {
            symbol.function = Some(function);
            return;
        }
        let (declared, first) = (symbol.declared, symbol.function);
        let mut parts = match declared.map(|declared| self.b.expr_at(declared)) {
            Some(Expr::Union(list)) => self.b.operands(list).to_vec(),
            _ => {
                let first = first.map(|first| self.b.expr(Expr::Closure(first)));
                declared.or(first).into_iter().collect()
            }
        };
        parts.push(this);
        let all = self.any_of(parts);
        if let Some(symbol) = self.b.symbol_mut(id) {
            symbol.declared = Some(all);
        }
    }
}

/// The kind of an accessor; none for what is no accessor.
pub(super) fn accessor(node: Node<'_>) -> Option<SymbolKind> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .take_while(|child| child.kind() != "formal_parameters")
        .find_map(|child| match child.kind() {
            "get" => Some(SymbolKind::Getter),
            "set" => Some(SymbolKind::Setter),
            _ => None,
        })
}

/// Whether an anonymous child of a node (a keyword) is there.
pub(super) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .any(|child| !child.is_named() && child.kind() == word)
}

/// The named children of a node.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The first named child that is no comment.
pub(super) fn first_named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .find(|child| child.kind() != "comment")
}

/// The operands of a chain of one kind (`A | B | C` nests to the left), in order.
fn spine<'n>(node: Node<'n>, kind: &str) -> Vec<Node<'n>> {
    let mut parts = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at.take() {
        for part in named(node).into_iter().rev() {
            match part.kind() {
                "comment" => {}
                other if other == kind && at.is_none() => at = Some(part),
                _ => parts.push(part),
            }
        }
    }
    parts.reverse();
    parts
}
