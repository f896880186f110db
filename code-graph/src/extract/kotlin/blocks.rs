//! Statements of Kotlin that bind or narrow names.

use super::super::table::{Walk, child_of_kind, children};
use super::functions::parts;
use super::types::is_type;
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr};
use tree_sitter::Node;

pub(super) fn for_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let mut all = children(node);
    let (Some(variable), Some(value)) = (all.next(), all.next()) else {
        return;
    };
    let whole = walk.read(value);
    let element = walk.b.expr(Expr::Element(whole));
    match variable.kind() {
        "multi_variable_declaration" => parts(walk, variable, element),
        _ => {
            let Some(name) = child_of_kind(variable, "identifier") else {
                return;
            };
            let bound = match children(variable).find(|child| is_type(*child)) {
                Some(ty) => Bound::Declared(walk.read(ty)),
                None => Bound::Value(element),
            };
            walk.local(name, bound);
        }
    }
}

/// The name and the value that a `when` looks at.
fn subject<'n>(node: Node<'n>) -> Option<Node<'n>> {
    let subject = child_of_kind(node, "when_subject")?;
    match child_of_kind(subject, "variable_declaration") {
        Some(variable) => child_of_kind(variable, "identifier"),
        None => children(subject)
            .next()
            .filter(|name| name.kind() == "identifier"),
    }
}

pub(super) fn when(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let Some(subject_node) = child_of_kind(node, "when_subject") else {
        return;
    };
    if let Some(variable) = child_of_kind(subject_node, "variable_declaration")
        && let Some(name) = child_of_kind(variable, "identifier")
        && let Some(value) = children(subject_node).last()
    {
        let value = walk.read(value);
        walk.local(name, Bound::Value(value));
    }
}

/// `is T -> …`: the subject is a `T` there.
pub(super) fn when_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let mut cursor = node.walk();
    let tests: Vec<_> = node
        .children_by_field_name("condition", &mut cursor)
        .collect();
    if let [test] = tests.as_slice()
        && test.kind() == "type_test"
        && !walk.b.text(*test).starts_with('!')
        && let Some(ty) = children(*test).next()
        && let Some(name) = node.parent().and_then(|when| subject(when))
    {
        let ty = walk.read(ty);
        let id = walk.b.name_of(name);
        walk.local_named(id, node.start_byte(), Bound::Declared(ty));
    }
}

/// `if (x is T) …`: `x` is a `T` there.
pub(super) fn if_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(condition) = node.field("condition") else {
        return;
    };
    let holds = children(node).find(|child| child.start_byte() >= condition.end_byte());
    let Some(holds) = holds else { return };
    let mut left = vec![condition];
    while let Some(test) = left.pop() {
        match test.kind() {
            "parenthesized_expression" => left.extend(children(test)),
            "binary_expression" if test.field("operator").is_some_and(|o| o.kind() == "&&") => {
                left.extend(children(test));
            }
            "is_expression" => {
                let (Some(name), Some(ty)) = (test.field("left"), test.field("right")) else {
                    continue;
                };
                let mut cursor = test.walk();
                let negated = test.children(&mut cursor).any(|word| word.kind() == "!is");
                if name.kind() == "identifier" && !negated {
                    let ty = walk.read(ty);
                    let id = walk.b.name_of(name);
                    walk.narrow(holds, id, ty);
                }
            }
            _ => {}
        }
    }
}

pub(super) fn catch(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let (Some(name), Some(ty)) = (
        child_of_kind(node, "identifier"),
        children(node).find(|child| is_type(*child)),
    ) {
        let ty = walk.read(ty);
        walk.local(name, Bound::Declared(ty));
    }
}
