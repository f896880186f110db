//! Patterns: what they bind, and to which part of the value.

use super::Walk;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, SiteKind};
use tree_sitter::Node;

impl Walk<'_, '_> {
    /// Makes the names of a pattern visible, bound to parts of `value`. A plain name is bound as
    /// `plain` says.
    pub(super) fn bind_pattern(&mut self, pattern: Node<'_>, value: ExprId, plain: Bound) {
        let first = self.locals.len();
        let mut rest = vec![(pattern, value, plain)];
        while let Some((node, value, plain)) = rest.pop() {
            match node.kind() {
                "identifier" | "shorthand_field_identifier" => {
                    self.bind_name(node, first, plain);
                }
                "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                    let inner = node.named_child_count().checked_sub(1);
                    if let Some(inner) = inner.and_then(|at| node.named_child(at as u32)) {
                        rest.push((inner, value, plain));
                    }
                }
                "captured_pattern" => {
                    if let Some(name) = node.named_child(0) {
                        self.bind_name(name, first, plain);
                    }
                    if let Some(inner) = node.named_child(1) {
                        rest.push((inner, value, plain));
                    }
                }
                "or_pattern" => {
                    let mut cursor = node.walk();
                    let children: Vec<_> = node.named_children(&mut cursor).collect();
                    rest.extend(
                        children
                            .into_iter()
                            .rev()
                            .map(|child| (child, value, plain)),
                    );
                }
                "tuple_pattern" => self.parts(node, value, &mut rest, 0),
                "slice_pattern" => {
                    let element = self.b.expr(Expr::Element(value));
                    let mut cursor = node.walk();
                    for child in node.named_children(&mut cursor) {
                        let of_rest = child.kind() == "captured_pattern"
                            && child
                                .named_child(1)
                                .is_some_and(|c| c.kind() == "remaining_field_pattern");
                        let part = if of_rest { value } else { element };
                        rest.push((child, part, Bound::Value(part)));
                    }
                }
                "tuple_struct_pattern" => {
                    let Some(path) = node.field("type") else {
                        continue;
                    };
                    let variant = self.variant(path, value);
                    self.parts(node, variant, &mut rest, 1);
                }
                "struct_pattern" => self.fields(node, value, &mut rest),
                "scoped_identifier" => {
                    let what = self.path(node);
                    self.path_prefix_sites(node);
                    let name = node.field("name").unwrap_or(node);
                    self.site(SiteKind::Value, what, name, Default::default());
                }
                "macro_invocation" => self.macro_invocation(node),
                _ => {}
            }
        }
    }

    /// A name in a pattern: a new local, or a constant or unit variant that is compared with.
    fn bind_name(&mut self, node: Node<'_>, first: usize, bound: Bound) {
        let text = self.text(node);
        let name = self.name_of(node);
        if text.starts_with(char::is_uppercase) && node.kind() == "identifier" {
            let what = self.b.expr(Expr::Name(name));
            self.site(SiteKind::Value, what, node, Default::default());
            return;
        }
        let at = self.bytes(node).start;
        // Another alternative of the same pattern may have bound it already.
        let same = self.locals.get(first..).unwrap_or_default();
        let known = same.iter().find(|(written, _)| *written == name);
        if let Some((_, own)) = known.copied() {
            let (vars, env) = (self.state.vars, self.state.scope);
            self.b.bind_in(vars, own, at, env, bound);
            return;
        }
        self.new_local(name, at, bound);
    }

    /// `value` seen as made by the variant or struct that `path` names.
    fn variant(&mut self, path: Node<'_>, value: ExprId) -> ExprId {
        let what = self.path(path);
        if path.kind() != "identifier" {
            self.path_prefix_sites(path);
        }
        let name = path.field("name").unwrap_or(path);
        self.site(SiteKind::Value, what, name, Default::default());
        self.b.expr(Expr::Variant(value, what))
    }

    /// The parts of a tuple or tuple variant, from child `from` on.
    fn parts<'n>(
        &mut self,
        node: Node<'n>,
        value: ExprId,
        rest: &mut Vec<(Node<'n>, ExprId, Bound)>,
        from: usize,
    ) {
        let mut cursor = node.walk();
        let mut children = Vec::new();
        // `_` is a part as well, although it is no named node.
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.kind() == "_" || child.is_named() && !child.is_extra() {
                    children.push(child);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        let parts = children.get(from..).unwrap_or_default();
        let mut known = true;
        for (at, child) in parts.iter().enumerate() {
            known &= child.kind() != "remaining_field_pattern";
            let part = if known {
                Expr::Part(value, at as u16)
            } else {
                Expr::Unknown
            };
            let part = self.b.expr(part);
            rest.push((*child, part, Bound::Value(part)));
        }
    }

    /// The fields of a struct pattern.
    fn fields<'n>(
        &mut self,
        node: Node<'n>,
        value: ExprId,
        rest: &mut Vec<(Node<'n>, ExprId, Bound)>,
    ) {
        let Some(path) = node.field("type") else {
            return;
        };
        let variant = self.variant(path, value);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let Some(field) = child.field("name") else {
                continue;
            };
            let name = self.name_of(field);
            let part = self.b.expr(Expr::Member(variant, name));
            let inner = child.field("pattern").unwrap_or(field);
            rest.push((inner, part, Bound::Value(part)));
        }
    }

    /// The pattern of a match arm, whose names are visible in its guard and its value.
    pub(super) fn match_pattern(&mut self, node: Node<'_>, ancestors: &[Node<'_>]) {
        let scrutinee = ancestors.iter().rev().nth(2).and_then(|m| m.field("value"));
        let value = self.get(scrutinee);
        if let Some(pattern) = node.named_child(0) {
            self.bind_pattern(pattern, value, Bound::Value(value));
        }
    }

    /// The pattern of a `for` loop, on the way into its body.
    pub(super) fn for_pattern(&mut self, ancestors: &[Node<'_>]) {
        let Some(node) = ancestors.last() else { return };
        let value = self.get(node.field("value"));
        let element = self.b.expr(Expr::Element(value));
        if let Some(pattern) = node.field("pattern") {
            self.bind_pattern(pattern, element, Bound::Value(element));
        }
    }
}
