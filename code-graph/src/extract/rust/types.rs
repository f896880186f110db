//! Types and paths as expressions.

use super::Walk;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, Function, List, Param, ScopeId, ScopeKind, SiteKind};
use tree_sitter::Node;

/// How deeply types are read into each other.
const DEPTH: usize = 48;

impl Walk<'_, '_> {
    /// What a type node names.
    pub(super) fn type_expr(&mut self, node: Node<'_>) -> ExprId {
        self.type_at(node, 0)
    }

    fn type_at(&mut self, node: Node<'_>, depth: usize) -> ExprId {
        if depth > DEPTH {
            return self.b.expr(Expr::Unknown);
        }
        let next = depth + 1;
        let expr = match node.kind() {
            "type_identifier"
            | "identifier"
            | "scoped_type_identifier"
            | "scoped_identifier"
            | "generic_type"
            | "bracketed_type"
            | "self"
            | "crate"
            | "super"
            | "generic_type_with_turbofish" => return self.path_at(node, depth),
            "primitive_type" => Expr::Literal(self.name_of(node)),
            "reference_type" | "pointer_type" => {
                let inner = node.field("type");
                let inner = self.type_or_unknown(inner, next);
                Expr::Reference(inner)
            }
            "tuple_type" => Expr::Tuple(self.types(node, next)),
            "unit_type" => Expr::Tuple(List::default()),
            "array_type" => {
                let inner = node.field("element");
                let inner = self.type_or_unknown(inner, next);
                Expr::Array(self.b.list(&[inner]))
            }
            "dynamic_type" | "abstract_type" => {
                let inner = node.field("trait");
                let inner = self.type_or_unknown(inner, next);
                if matches!(self.b.expr_at(inner), Expr::Bounds(_)) {
                    return inner;
                }
                Expr::Bounds(self.b.list(&[inner]))
            }
            "bounded_type" => {
                let mut all = Vec::new();
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    if matches!(child.kind(), "lifetime" | "use_bounds") {
                        continue;
                    }
                    let inner = self.type_at(child, next);
                    match self.b.expr_at(inner) {
                        Expr::Bounds(list) => all.extend_from_slice(self.b.operands(list)),
                        _ => all.push(inner),
                    }
                }
                Expr::Bounds(self.b.list(&all))
            }
            "higher_ranked_trait_bound" => {
                let inner = node.field("type");
                return self.type_or_unknown(inner, next);
            }
            "function_type" => return self.function_type(node, next),
            "type_binding" => {
                let inner = node.field("type");
                let inner = self.type_or_unknown(inner, next);
                let Some(name) = node.field("name") else {
                    return inner;
                };
                Expr::Keyword(self.name_of(name), inner)
            }
            _ => Expr::Unknown,
        };
        self.b.expr(expr)
    }

    fn type_or_unknown(&mut self, node: Option<Node<'_>>, depth: usize) -> ExprId {
        match node {
            Some(node) => self.type_at(node, depth),
            None => self.b.expr(Expr::Unknown),
        }
    }

    /// The types among the children of a node; lifetimes are none.
    fn types(&mut self, node: Node<'_>, depth: usize) -> List {
        let mut types = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if !matches!(child.kind(), "lifetime" | "trait_bounds") && !child.is_extra() {
                types.push(self.type_at(child, depth));
            }
        }
        self.b.list(&types)
    }

    /// The type arguments of a turbofish or a type.
    pub(super) fn type_arguments(&mut self, node: Option<Node<'_>>) -> List {
        node.map_or_else(List::default, |node| self.types(node, 0))
    }

    /// `fn(A) -> B`, `Fn(A) -> B`: a closure type, bounded by the trait where there is one.
    fn function_type(&mut self, node: Node<'_>, depth: usize) -> ExprId {
        let mut params = Vec::new();
        if let Some(list) = node.field("parameters") {
            let mut cursor = list.walk();
            for child in list.named_children(&mut cursor) {
                let of = match child.kind() {
                    "parameter" => child.field("type"),
                    "attribute_item" | "line_comment" | "block_comment" => continue,
                    _ => Some(child),
                };
                let declared = Some(self.type_or_unknown(of, depth));
                let name = self.b.name("_");
                params.push(Param {
                    name,
                    declared,
                    default: None,
                    rest: false,
                });
            }
        }
        let result = match node.field("return_type") {
            Some(result) => self.type_at(result, depth),
            None => self.b.expr(Expr::Tuple(List::default())),
        };
        let function = self.b.function(Function {
            symbol: None,
            scope: self.state.scope,
            params,
            result: Some(result),
            returns: Vec::new(),
            yields: Vec::new(),
            type_params: Vec::new(),
            context: None,
        });
        self.b.expr(Expr::Closure(function))
    }

    /// What a path names, without a local being meant.
    pub(super) fn path(&mut self, node: Node<'_>) -> ExprId {
        self.path_at(node, 0)
    }

    fn path_at(&mut self, node: Node<'_>, depth: usize) -> ExprId {
        // From the last segment to the first, then put together the other way round.
        let mut segments = Vec::new();
        let mut at = Some(node);
        let mut base = None;
        while let Some(node) = at {
            match node.kind() {
                "scoped_identifier" | "scoped_type_identifier" => {
                    if let Some(name) = node.field("name") {
                        segments.push(Ok(self.name_of(name)));
                    }
                    at = node.field("path");
                    if at.is_none() {
                        let name = self.b.name("::");
                        base = Some(Expr::Name(name));
                    }
                }
                "generic_type" | "generic_type_with_turbofish" | "generic_function" => {
                    let args = node.field("type_arguments");
                    let args = args.map_or_else(List::default, |args| {
                        if depth > DEPTH {
                            List::default()
                        } else {
                            self.types(args, depth + 1)
                        }
                    });
                    segments.push(Err(args));
                    at = node.field("type").or_else(|| node.field("function"));
                }
                "bracketed_type" => {
                    base = Some(self.bracketed(node, depth));
                    at = None;
                }
                _ => {
                    let text = self.text(node);
                    base = Some(match text {
                        "Self" => Expr::SelfType,
                        _ => Expr::Name(self.name_of(node)),
                    });
                    at = None;
                }
            }
        }
        let mut path = self.b.expr(base.unwrap_or(Expr::Unknown));
        for segment in segments.into_iter().rev() {
            path = self.b.expr(match segment {
                Ok(name) => Expr::Path(path, name),
                Err(args) => Expr::Generic(path, args),
            });
        }
        path
    }

    /// `<T>` or `<T as Trait>` in a path.
    fn bracketed(&mut self, node: Node<'_>, depth: usize) -> Expr {
        if depth > DEPTH {
            return Expr::Unknown;
        }
        let Some(inner) = node.named_child(0) else {
            return Expr::Unknown;
        };
        if inner.kind() != "qualified_type" {
            let inner = self.type_at(inner, depth + 1);
            return self.b.expr_at(inner);
        }
        let of = inner.field("type");
        let of = self.type_or_unknown(of, depth + 1);
        let as_trait = inner.field("alias");
        let as_trait = self.type_or_unknown(as_trait, depth + 1);
        Expr::Qualified(of, as_trait)
    }

    /// Uses of types in the part of a path before its last name.
    pub(super) fn path_prefix_sites(&mut self, node: Node<'_>) {
        let Some(prefix) = node.field("path") else {
            return;
        };
        let mut cursor = prefix.walk();
        let mut rest = vec![prefix];
        while let Some(node) = rest.pop() {
            match node.kind() {
                "identifier"
                | "type_identifier"
                | "scoped_identifier"
                | "scoped_type_identifier" => {
                    let name = node.field("name").unwrap_or(node);
                    let text = self.text(name);
                    if text.starts_with(char::is_uppercase) && text != "Self" {
                        let what = self.path(node);
                        self.site(SiteKind::Type, what, name, List::default());
                    }
                    rest.extend(node.field("path"));
                }
                _ => rest.extend(node.named_children(&mut cursor)),
            }
        }
    }

    /// Binds the type parameters of a declaration and what its `where` clause says of them.
    pub(super) fn generics(&mut self, node: Node<'_>, scope: ScopeId) -> Vec<crate::facts::NameId> {
        let mut names = Vec::new();
        if let Some(params) = node.field("type_parameters") {
            let mut cursor = params.walk();
            for param in params.named_children(&mut cursor) {
                let Some(name) = param.field("name") else {
                    continue;
                };
                if param.kind() == "lifetime_parameter" {
                    continue;
                }
                let at = self.bytes(name).start;
                let name = self.name_of(name);
                let mut bounds = self.bounds(param.field("bounds"));
                if let Some(default) = param.field("default_type") {
                    let default = self.type_expr(default);
                    let equals = self.b.name("=");
                    bounds.push(self.b.expr(Expr::Keyword(equals, default)));
                }
                let list = self.b.list(&bounds);
                let bounds = self.b.expr(Expr::Bounds(list));
                let index = names.len() as u16;
                self.b
                    .bind(scope, name, at, Bound::TypeParam(index, Some(bounds)));
                names.push(name);
            }
        }
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor) {
            if clause.kind() != "where_clause" {
                continue;
            }
            let mut cursor = clause.walk();
            for predicate in clause.named_children(&mut cursor) {
                self.where_predicate(predicate, scope);
            }
        }
        names
    }

    fn where_predicate(&mut self, node: Node<'_>, scope: ScopeId) {
        let Some(mut left) = node.field("left") else {
            return;
        };
        if left.kind() == "higher_ranked_trait_bound" {
            left = left.field("type").unwrap_or(left);
        }
        if !matches!(left.kind(), "type_identifier" | "scoped_type_identifier") {
            return;
        }
        let text: String = self
            .text(left)
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        let bounds = self.bounds(node.field("bounds"));
        if bounds.is_empty() {
            return;
        }
        let list = self.b.list(&bounds);
        let bounds = self.b.expr(Expr::Bounds(list));
        let name = self.b.name(&text);
        let at = self.bytes(left).start;
        self.b.bind(scope, name, at, Bound::Type(bounds));
    }

    /// The traits of a list of bounds.
    pub(super) fn bounds(&mut self, node: Option<Node<'_>>) -> Vec<ExprId> {
        let mut bounds = Vec::new();
        let Some(node) = node else { return bounds };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if matches!(
                child.kind(),
                "lifetime" | "removed_trait_bound" | "use_bounds"
            ) {
                continue;
            }
            bounds.push(self.type_expr(child));
        }
        bounds
    }

    /// A scope for the members of a type, inside one for its type parameters.
    pub(super) fn member_scopes(
        &mut self,
        node: Node<'_>,
        owner: Option<crate::facts::SymbolId>,
    ) -> (ScopeId, ScopeId) {
        let generics = self.b.scope(self.state.scope, ScopeKind::Block, None);
        self.generics(node, generics);
        let members = self.b.scope(generics, ScopeKind::Members, owner);
        (generics, members)
    }
}
