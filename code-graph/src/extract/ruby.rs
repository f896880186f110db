//! Ruby: modules, classes, methods, attributes, constants and uses of one file.
//!
//! A class may be opened again anywhere, so what stands in a class body counts as an extension of
//! the class of that full name as well. Modules and classes are known to everybody by their full
//! names (`A::B`), which is how they are bound at the top of the file.

mod calls;
mod declare;
mod values;

use super::Builder;
use super::table::{Act, At, Declared, Grammar, Read, Walk, children, walk};
use crate::extract::field::Fields;
use crate::extract::table::At::{Field, Nth};
use crate::facts::{
    Bound, Expr, ExprId, FunctionId, List, ScopeId, ScopeKind, SiteKind, SymbolKind, Visibility,
};
use calls::{alias, block, call, method_around};
use declare::{declare_path, method, module, singleton_class};
use hashbrown::HashMap;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};
use values::{read_binary, read_call, read_identifier, read_path, read_variable};

/// What stands before the full name of a module, class or constant where it is bound.
pub(crate) const DECLARED: &str = "declared ";

/// Collects the facts of a Ruby file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    let hidden = hidden(b, tree);
    walk(b, tree, &RUBY);
    for symbol in &mut b.facts.symbols {
        if let Some(visibility) = hidden.get(&symbol.span.start) {
            symbol.visibility = *visibility;
        }
    }
}

static RUBY: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("module", Act::Hook(module)),
        ("class", Act::Hook(module)),
        ("singleton_class", Act::Hook(singleton_class)),
        ("method", Act::Hook(method)),
        ("singleton_method", Act::Hook(method)),
        ("do_block", Act::Hook(block)),
        ("block", Act::Hook(block)),
        ("lambda", Act::Hook(block)),
        ("call", Act::Hook(call)),
        ("identifier", Act::Hook(identifier)),
        ("constant", Act::Hook(constant)),
        ("scope_resolution", Act::Hook(constant)),
        ("assignment", Act::Hook(assignment)),
        ("operator_assignment", Act::Hook(assignment)),
        ("rescue", Act::Hook(rescue)),
        ("for", Act::Hook(for_each)),
        ("super", Act::Hook(bare_super)),
        ("alias", Act::Hook(alias)),
        ("block_argument", Act::Hook(block_argument)),
        ("hash_key_symbol", Act::Skip),
        ("undef", Act::Skip),
    ],
    read: &[
        ("identifier", Read::Hook(read_identifier)),
        ("constant", Read::Name),
        ("scope_resolution", Read::Hook(read_path)),
        ("instance_variable", Read::Hook(read_variable)),
        ("class_variable", Read::Hook(read_variable)),
        ("global_variable", Read::Name),
        ("self", Read::This),
        ("super", Read::Super),
        ("call", Read::Hook(read_call)),
        ("parenthesized_statements", Read::Through(At::Last)),
        ("string", Read::Literal("String")),
        ("integer", Read::Literal("Integer")),
        ("float", Read::Literal("Float")),
        ("simple_symbol", Read::Literal("Symbol")),
        ("true", Read::Literal("TrueClass")),
        ("false", Read::Literal("FalseClass")),
        ("nil", Read::Literal("NilClass")),
        ("hash", Read::Literal("Hash")),
        ("regex", Read::Literal("Regexp")),
        ("array", Read::Array),
        (
            "conditional",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("element_reference", Read::Index(Field("object"), At::Last)),
        ("assignment", Read::Through(Field("right"))),
        ("binary", Read::Hook(read_binary)),
        ("begin", Read::Through(At::Last)),
        ("argument_list", Read::Through(Nth(0))),
    ],
    closure: |_: &mut Walk<'_, '_>, _: Node<'_>, _: FunctionId| {},
    modifiers: &[],
    plain_docs: true,
    annotations: &[],
    visibility: |_: &Walk<'_, '_>, _: &str, _: SymbolKind| Visibility::Public,
    methods_apart: false,
    operands: &[],
    numbered: OnceLock::new(),
};

/// The methods that stand after a bare `private` or `protected`, or inside one, by first byte.
fn hidden(b: &Builder<'_>, tree: &Tree) -> HashMap<u32, Visibility> {
    let of = |word: &str| match word {
        "private" | "private_class_method" => Some(Visibility::Private),
        "protected" => Some(Visibility::Protected),
        "public" => Some(Visibility::Public),
        _ => None,
    };
    let mut hidden = HashMap::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        match node.kind() {
            "body_statement" => {
                let mut current = Visibility::Public;
                for child in children(node) {
                    match child.kind() {
                        "identifier" => {
                            if let Some(said) = of(b.text(child)) {
                                current = said;
                            }
                        }
                        "method" if current != Visibility::Public => {
                            hidden.insert(child.start_byte() as u32, current);
                        }
                        _ => {}
                    }
                }
            }
            "call" => {
                let word = node.field("method").map_or("", |word| b.text(word));
                let args = node.field("arguments");
                if let (Some(said), Some(args)) = (of(word), args) {
                    for method in children(args).filter(|arg| arg.kind().ends_with("method")) {
                        hidden.insert(method.start_byte() as u32, said);
                    }
                }
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return hidden;
            }
        }
    }
}

/// A bare word: a local, or a call of a method without arguments.
fn identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    let text = walk.b.text(node);
    if matches!(
        text,
        "private" | "public" | "protected" | "module_function" | "block_given?" | "__method__"
    ) {
        return;
    }
    let name = walk.b.name_of(node);
    if walk.is_local(name) {
        return;
    }
    let what = walk.b.expr(Expr::Name(name));
    walk.site(SiteKind::Call, what, node, List::default());
}

/// A module or class that is named.
fn constant(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    take_path(walk, node);
    let what = walk.read(node);
    let name = node.field("name").unwrap_or(node);
    walk.site(SiteKind::Value, what, name, List::default());
}

/// Marks the parts of `A::B`.
fn take_path(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut at = Some(node);
    while let Some(node) = at.filter(|n| matches!(n.kind(), "constant" | "scope_resolution")) {
        walk.take(node);
        if let Some(name) = node.field("name") {
            walk.take(name);
        }
        at = node.field("scope");
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(left) = node.field("left") else {
        return;
    };
    let right = node.field("right");
    match left.kind() {
        "identifier" => {
            walk.take(left);
            let bound = right.map_or(Bound::Unknown, |right| Bound::Value(walk.read(right)));
            walk.local(left, bound);
        }
        "constant" => {
            walk.take(left);
            assigned_constant(walk, node, left, right);
        }
        "instance_variable" | "class_variable" => {
            if let (Some(right), Some(members)) = (right, members_around(walk)) {
                let name = walk.b.name_of(left);
                let env = walk.scope();
                let value = walk.read(right);
                walk.b
                    .bind_in(members, name, left.start_byte(), env, Bound::Value(value));
            }
        }
        "left_assignment_list" => {
            for name in children(left).filter(|name| name.kind() == "identifier") {
                walk.take(name);
                walk.local(name, Bound::Unknown);
            }
        }
        // `object.name = value` calls the setter.
        "call" => {
            if let (Some(receiver), Some(name)) = (left.field("receiver"), left.field("method")) {
                walk.take(left);
                let setter = walk.b.name(&format!("{}=", walk.b.text(name)));
                let receiver = walk.read(receiver);
                let what = walk.b.expr(Expr::Member(receiver, setter));
                walk.site(SiteKind::Call, what, name, List::default());
            }
        }
        _ => {}
    }
}

/// The members of the type around.
fn members_around(walk: &Walk<'_, '_>) -> Option<ScopeId> {
    walk.b.facts.symbols.get(walk.class()?.index())?.members
}

/// `NAME = value`; `NAME = Struct.new(…)` makes a class.
fn assigned_constant(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    left: Node<'_>,
    right: Option<Node<'_>>,
) {
    let makes_class = right
        .filter(|right| right.kind() == "call")
        .is_some_and(|call| {
            let part = |field| call.field(field).map_or("", |part| walk.b.text(part));
            matches!(
                (part("receiver"), part("method")),
                ("Struct" | "Class" | "Module", "new") | ("Data", "define")
            )
        });
    let name = walk.b.name_of(left);
    let scope = walk.scope();
    let declared = Declared {
        node,
        kind: match makes_class {
            true => SymbolKind::Class,
            false => SymbolKind::Constant,
        },
        name: left,
        body: None,
    };
    let id = walk.symbol(&declared, name);
    declare_path(walk, id, left);
    if makes_class {
        let members = walk.b.scope(scope, ScopeKind::Members, Some(id));
        if let Some(symbol) = walk.b.symbol_mut(id) {
            symbol.members = Some(members);
        }
        let fields = right.and_then(|right| right.field("arguments"));
        for field in fields
            .map(|fields| children(fields).collect::<Vec<_>>())
            .unwrap_or_default()
        {
            if field.kind() == "simple_symbol" {
                let text = walk.b.text(field).trim_start_matches(':').to_owned();
                let name = walk.b.name(&text);
                let declared = Declared {
                    node: field,
                    kind: SymbolKind::Field,
                    name: field,
                    body: None,
                };
                let field_id = walk.symbol(&declared, name);
                if let Some(symbol) = walk.b.symbol_mut(field_id) {
                    symbol.parent = Some(id);
                }
                walk.b
                    .bind(members, name, field.start_byte(), Bound::Symbol(field_id));
            }
        }
    } else if let Some(right) = right {
        let value = walk.read(right);
        let full = format!("{DECLARED}{}", walk.full_name(id, "::"));
        let full = walk.b.name(&full);
        walk.b.bind_in(
            ScopeId::MODULE,
            full,
            left.start_byte(),
            scope,
            Bound::Value(value),
        );
    }
}

fn rescue(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let variable = node.field("variable").and_then(|v| children(v).next());
    let Some(variable) = variable.filter(|name| name.kind() == "identifier") else {
        return;
    };
    walk.take(variable);
    let types = node.field("exceptions");
    let types: Vec<_> = types
        .map(|types| children(types).collect())
        .unwrap_or_default();
    let types: Vec<ExprId> = types.into_iter().map(|ty| walk.read(ty)).collect();
    let bound = match types.as_slice() {
        [] => Bound::Unknown,
        [one] => Bound::Declared(*one),
        many => {
            let list = walk.b.list(many);
            Bound::Declared(walk.b.expr(Expr::Union(list)))
        }
    };
    walk.local(variable, bound);
}

fn for_each(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let pattern = node.field("pattern");
    let value = node.field("value").and_then(|value| children(value).next());
    if let Some(name) = pattern.filter(|name| name.kind() == "identifier") {
        walk.take(name);
        let bound = match value {
            Some(value) => {
                let value = walk.read(value);
                Bound::Value(walk.b.expr(Expr::Element(value)))
            }
            None => Bound::Unknown,
        };
        walk.local(name, bound);
    }
}

/// `super` without arguments.
fn bare_super(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    if let Some(method) = method_around(walk) {
        let own = walk.b.expr(Expr::Super);
        let what = walk.b.expr(Expr::Member(own, method));
        walk.site(SiteKind::Call, what, node, List::default());
    }
}

/// `&:name` calls the method on each element.
fn block_argument(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(symbol) = children(node).next() else {
        return;
    };
    if symbol.kind() != "simple_symbol" {
        return;
    }
    let call = node.parent().and_then(|args| args.parent());
    if let Some(receiver) = call.and_then(|call| call.field("receiver")) {
        let receiver = walk.read(receiver);
        let element = walk.b.expr(Expr::Element(receiver));
        let text = walk.b.text(symbol).trim_start_matches(':').to_owned();
        let name = walk.b.name(&text);
        let what = walk.b.expr(Expr::Member(element, name));
        walk.site(SiteKind::Call, what, symbol, List::default());
    }
}
