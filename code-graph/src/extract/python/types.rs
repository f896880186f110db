//! Reads annotations, those written as text too.

use super::kinds::Kind;
use super::read::string_content;
use super::{Place, Python};
use crate::facts::{Bound, Expr, ExprId, List, NameId, ScopeId, SiteKind, SymbolId};
use tree_sitter::Node;

/// How deep a type is read.
const DEPTH: u8 = 24;

impl<'t> Python<'_, '_, 't> {
    /// The type that an annotation names; unknown for none.
    pub(super) fn read_type(&mut self, node: Node<'t>, place: Place) -> ExprId {
        self.read_type_at(node, place, 0)
    }

    pub(super) fn read_type_at(&mut self, node: Node<'t>, place: Place, depth: u8) -> ExprId {
        if depth > 64 {
            return self.unknown();
        }
        let depth = depth + 1;
        let f = &self.kinds.fields;
        match self.kind(node) {
            Kind::Type | Kind::Parenthesized | Kind::ConstrainedType => match node.named_child(0) {
                Some(inner) => self.read_type_at(inner, place, depth),
                None => self.unknown(),
            },
            Kind::Identifier | Kind::Attribute => {
                if self.last_name(node) == "Self" {
                    return self.builder.expr(Expr::SelfType);
                }
                self.read(node, place)
            }
            Kind::String => {
                let text = string_content(self.builder.text(node));
                self.parse_type(text)
            }
            Kind::BinaryOperator => {
                let (Some(left), Some(right)) =
                    (self.field(node, f.left), self.field(node, f.right))
                else {
                    return self.unknown();
                };
                let left = self.read_type_at(left, place, depth);
                let right = self.read_type_at(right, place, depth);
                self.either(&[left, right])
            }
            Kind::UnionType => {
                let mut parts = Vec::new();
                for child in self.named_children(node) {
                    parts.push(self.read_type_at(child, place, depth));
                }
                self.either(&parts)
            }
            Kind::Subscript | Kind::GenericType => {
                let children = self.named_children(node);
                let Some((of, rest)) = children.split_first() else {
                    return self.unknown();
                };
                let name = self.last_name(*of);
                if name == "Literal" {
                    return self.unknown();
                }
                let of = self.read_type_at(*of, place, depth);
                let mut args = Vec::new();
                for child in rest {
                    if matches!(self.kind(*child), Kind::TypeParameter | Kind::Tuple) {
                        for inner in self.named_children(*child) {
                            args.push(self.read_type_at(inner, place, depth));
                        }
                    } else {
                        args.push(self.read_type_at(*child, place, depth));
                    }
                }
                if name == "Annotated" {
                    args.truncate(1);
                }
                let args = self.builder.list(&args);
                self.builder.expr(Expr::Generic(of, args))
            }
            Kind::List => {
                let mut parts = Vec::new();
                for child in self.named_children(node) {
                    parts.push(self.read_type_at(child, place, depth));
                }
                let parts = self.builder.list(&parts);
                self.builder.expr(Expr::Tuple(parts))
            }
            Kind::MemberType => {
                let children = self.named_children(node);
                let [of, name] = children.as_slice() else {
                    return self.unknown();
                };
                let of = self.read_type_at(*of, place, depth);
                let name = self.builder.name_of(*name);
                self.builder.expr(Expr::Member(of, name))
            }
            _ => self.unknown(),
        }
    }

    /// What a class inherits: a class expression, its type arguments read as types. The type
    /// variables of `Generic[…]` and the like become parameters of the class.
    pub(super) fn read_base(&mut self, node: Node<'t>, class: SymbolId, place: Place) -> ExprId {
        if self.kind(node) != Kind::Subscript {
            return self.read(node, place);
        }
        let expr = self.read_type(node, place);
        let Expr::Generic(_, args) = self.builder.expr_at(expr) else {
            return expr;
        };
        // `Generic` and `Protocol` give the order; elsewhere the order of mention counts.
        let mut open: Vec<ExprId> = self.builder.operands(args).to_vec();
        open.reverse();
        while let Some(arg) = open.pop() {
            match self.builder.expr_at(arg) {
                Expr::Name(name) => {
                    let variable = self.builder.facts.bindings.iter().any(|binding| {
                        binding.name == name && matches!(binding.bound, Bound::TypeParam(..))
                    });
                    let imported = self.builder.named(name).len() <= 3
                        || self.builder.named(name).ends_with("_co")
                        || self.builder.named(name).ends_with('T');
                    let known = &mut self.builder.facts.type_params;
                    if (variable || imported) && !known.contains(&(class, name)) {
                        known.push((class, name));
                    }
                }
                Expr::Generic(_, list) | Expr::Union(list) | Expr::Tuple(list) => {
                    let mut inner: Vec<ExprId> = self.builder.operands(list).to_vec();
                    inner.reverse();
                    open.extend(inner);
                }
                _ => {}
            }
        }
        expr
    }

    /// `Final` without an argument says nothing of the type.
    pub(super) fn is_bare_final(&self, expr: ExprId) -> bool {
        match self.builder.expr_at(expr) {
            Expr::Name(name) | Expr::Member(_, name) => {
                matches!(self.builder.named(name), "Final" | "ClassVar" | "TypeAlias")
            }
            _ => false,
        }
    }

    /// The bound of a `TypeVar(…)`.
    pub(super) fn type_var_bound(&mut self, call: Node<'t>, place: Place) -> Option<ExprId> {
        let arguments = self.field(call, self.kinds.fields.arguments)?;
        let mut positional = Vec::new();
        for (at, child) in self.named_children(arguments).into_iter().enumerate() {
            if self.kind(child) == Kind::KeywordArgument {
                let name = self.field(child, self.kinds.fields.name)?;
                if self.builder.text(name) == "bound" {
                    let value = self.field(child, self.kinds.fields.value)?;
                    let bound = self.read_type(value, place);
                    return (bound != self.unknown()).then_some(bound);
                }
            } else if at > 0 {
                positional.push(self.read_type(child, place));
            }
        }
        let either = self.either(&positional);
        (either != self.unknown()).then_some(either)
    }

    /// Binds the type parameters of `def f[T: B]` and `class C[T]`.
    pub(super) fn type_params(&mut self, node: Node<'t>, scope: ScopeId, place: Place) {
        let Some(list) = self.field(node, self.kinds.fields.type_parameters) else {
            return;
        };
        for (at, child) in self.named_children(list).into_iter().enumerate() {
            let mut name = child;
            let mut bound = None;
            for _ in 0..4 {
                match self.kind(name) {
                    Kind::Identifier => break,
                    Kind::ConstrainedType => {
                        let parts = self.named_children(name);
                        if let [of, limit] = parts.as_slice() {
                            bound = Some(*limit);
                            name = *of;
                        } else {
                            break;
                        }
                    }
                    _ => match name.named_child(0) {
                        Some(inner) => name = inner,
                        None => break,
                    },
                }
            }
            if self.kind(name) != Kind::Identifier {
                continue;
            }
            let bound = bound.map(|bound| self.read_type(bound, place));
            let id = self.builder.name_of(name);
            self.bind(scope, id, name, scope, Bound::TypeParam(at as u16, bound));
        }
    }

    /// The names of a function's type parameters.
    pub(super) fn type_param_names(&mut self, node: Node<'t>) -> Vec<NameId> {
        let mut names = Vec::new();
        if let Some(list) = self.field(node, self.kinds.fields.type_parameters) {
            for child in self.named_children(list) {
                let text = self.builder.text(child);
                let end = text
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(text.len());
                let text = text.get(..end).unwrap_or_default();
                names.push(self.named(text));
            }
        }
        names
    }

    /// Sites for the types that an annotation names.
    pub(super) fn type_sites(&mut self, node: Node<'t>, place: Place) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Identifier => self.site(SiteKind::Type, node, place, List::default()),
                Kind::Attribute => self.site(SiteKind::Type, node, place, List::default()),
                Kind::Call => self.then([Some(node)], place),
                Kind::String => {
                    let text = string_content(self.builder.text(node));
                    let expr = self.parse_type(text);
                    let mut all = vec![expr];
                    while let Some(expr) = all.pop() {
                        match self.builder.expr_at(expr) {
                            Expr::Name(_) | Expr::Member(..) => {
                                self.add_site(SiteKind::Type, expr, node, place, List::default());
                            }
                            Expr::Generic(of, list) => {
                                all.push(of);
                                all.extend_from_slice(self.builder.operands(list));
                            }
                            Expr::Union(list) | Expr::Tuple(list) => {
                                all.extend_from_slice(self.builder.operands(list));
                            }
                            _ => {}
                        }
                    }
                }
                _ => open.extend(self.named_children(node).into_iter().rev()),
            }
        }
    }

    /// A type written as text.
    fn parse_type(&mut self, text: &str) -> ExprId {
        let mut parser = TypeText {
            rest: text.trim(),
            depth: 0,
        };
        let expr = parser.union(self);
        if parser.rest.trim().is_empty() {
            expr
        } else {
            self.unknown()
        }
    }
}

/// The rest of a type that is written as text.
struct TypeText<'s> {
    rest: &'s str,
    depth: u8,
}

impl TypeText<'_> {
    fn take(&mut self, token: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn union(&mut self, python: &mut Python<'_, '_, '_>) -> ExprId {
        let mut parts = vec![self.primary(python)];
        while self.take('|') {
            parts.push(self.primary(python));
        }
        python.either(&parts)
    }

    fn primary(&mut self, python: &mut Python<'_, '_, '_>) -> ExprId {
        if self.depth > DEPTH {
            self.rest = "";
            return python.unknown();
        }
        self.depth += 1;
        let expr = self.named(python);
        self.depth -= 1;
        expr
    }

    fn named(&mut self, python: &mut Python<'_, '_, '_>) -> ExprId {
        if self.take('[') {
            let parts = self.arguments(python);
            let list = python.builder.list(&parts);
            return python.builder.expr(Expr::Tuple(list));
        }
        for quote in ['"', '\''] {
            if self.take(quote) {
                let end = self.rest.find(quote).unwrap_or(self.rest.len());
                let inside = self.rest.get(..end).unwrap_or_default();
                let mut inner = TypeText {
                    rest: inside,
                    depth: self.depth,
                };
                let expr = inner.union(python);
                self.rest = self.rest.get(end + 1..).unwrap_or_default();
                return expr;
            }
        }
        let mut expr: Option<ExprId> = None;
        let mut last;
        loop {
            self.rest = self.rest.trim_start();
            let end = self
                .rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            if word.is_empty() {
                if self.rest.starts_with("...") {
                    self.rest = self.rest.get(3..).unwrap_or_default();
                }
                return python.unknown();
            }
            self.rest = rest;
            last = word.to_owned();
            let name = python.named(word);
            expr = Some(match expr {
                Some(of) => python.builder.expr(Expr::Member(of, name)),
                None => python.builder.expr(Expr::Name(name)),
            });
            if !self.take('.') {
                break;
            }
        }
        let mut expr = match (expr, last.as_str()) {
            (_, "None") => python.unknown(),
            (_, "Self") => python.builder.expr(Expr::SelfType),
            (Some(expr), _) => expr,
            (None, _) => python.unknown(),
        };
        if self.take('[') {
            let args = self.arguments(python);
            let args = python.builder.list(&args);
            expr = if last == "Literal" {
                python.unknown()
            } else {
                python.builder.expr(Expr::Generic(expr, args))
            };
        }
        expr
    }

    /// Arguments up to the closing bracket.
    fn arguments(&mut self, python: &mut Python<'_, '_, '_>) -> Vec<ExprId> {
        let mut parts = Vec::new();
        while !self.take(']') {
            let before = self.rest.len();
            parts.push(self.union(python));
            if !self.take(',') && self.rest.len() == before {
                self.rest = "";
                break;
            }
            if self.rest.is_empty() {
                break;
            }
        }
        parts
    }
}
