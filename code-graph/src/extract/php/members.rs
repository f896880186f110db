//! Methods, properties and functions of PHP, with what their comments say.

use super::super::table::{Declared, Walk, child_of_kind, children};
use crate::extract::field::Fields;
use crate::facts::{Bound, Expr, ExprId, Flags, FunctionId, SymbolKind};
use tree_sitter::Node;

/// The type that a `@var`, `@param $x` or `@return` of the doc comment before `start` names.
pub(super) fn doc_type(
    walk: &mut Walk<'_, '_>,
    start: usize,
    tag: &str,
    of: Option<&str>,
) -> Option<ExprId> {
    let doc = walk.comment_before(start)?;
    for line in doc.lines() {
        let line = line.trim_start_matches([' ', '\t', '*', '/']);
        let Some(rest) = line.strip_prefix(tag) else {
            continue;
        };
        if !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let mut words = rest.split_whitespace();
        let ty = words.next()?;
        if let Some(of) = of
            && words
                .next()
                .is_none_or(|name| name.trim_start_matches(['.', '&']) != of)
        {
            continue;
        }
        return written_type(walk, ty);
    }
    None
}

/// A type as doc comments write it: `A|null`, `A[]`, `?A`, `array<K, A>`, `\A\B`.
fn written_type(walk: &mut Walk<'_, '_>, text: &str) -> Option<ExprId> {
    let mut all = Vec::new();
    for text in text.split('|').take(6) {
        let text = text.trim_start_matches('?');
        if let Some(element) = text.strip_suffix("[]") {
            let element = written_type(walk, element)?;
            all.push(walk.array_of(element));
        } else if let Some((_, args)) = text.split_once('<') {
            let last = args.trim_end_matches('>').rsplit(',').next()?;
            let element = written_type(walk, last.trim())?;
            all.push(walk.array_of(element));
        } else if matches!(text, "self" | "static" | "$this") {
            all.push(walk.b.expr(Expr::SelfType));
        } else if matches!(
            text,
            "null"
                | "mixed"
                | "array"
                | "int"
                | "string"
                | "bool"
                | "float"
                | "void"
                | "object"
                | "callable"
                | "iterable"
                | "resource"
                | "false"
                | "true"
        ) {
            let name = walk.b.name(text);
            all.push(walk.b.expr(Expr::Literal(name)));
        } else if !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '\\'))
        {
            let name = walk.b.name(text);
            all.push(walk.b.expr(Expr::Name(name)));
        }
    }
    match all.as_slice() {
        [] => None,
        [one] => Some(*one),
        _ => {
            let list = walk.b.list(&all);
            Some(walk.b.expr(Expr::Union(list)))
        }
    }
}

/// A declared type that says something; `array`, `iterable` and the like leave it to the comment.
fn telling(walk: &mut Walk<'_, '_>, node: Option<Node<'_>>) -> Option<ExprId> {
    let node = node?;
    let text = walk.b.text(node).trim_start_matches('?');
    match text {
        "array" | "iterable" | "mixed" | "object" | "callable" => None,
        _ => Some(walk.read(node)),
    }
}

pub(super) fn properties(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let ty = match telling(walk, ty) {
        Some(ty) => Some(ty),
        None => doc_type(walk, node.start_byte(), "@var", None),
    };
    let is_static = child_of_kind(node, "static_modifier").is_some();
    for element in children(node).filter(|child| child.kind() == "property_element") {
        let Some(name) = element.field("name") else {
            continue;
        };
        let value = element.field("default_value");
        property_symbol(walk, node, name, ty, is_static, value);
    }
}

/// Declares a property under its name without `$` and binds it with it.
fn property_symbol(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    name: Node<'_>,
    ty: Option<ExprId>,
    is_static: bool,
    body: Option<Node<'_>>,
) {
    let declared = Declared {
        node,
        kind: SymbolKind::Field,
        name,
        body,
    };
    let plain = walk.b.text(name).trim_start_matches(['$', '&']);
    let plain = walk.b.name(plain);
    let id = walk.symbol(&declared, plain);
    let (scope, class) = (walk.members_around(), walk.class());
    if let Some(symbol) = walk.b.symbol_mut(id) {
        // A promoted parameter is a property of the class.
        symbol.declared = ty;
        symbol.parent = class;
        symbol.scope = scope;
        symbol.flags = Flags(symbol.flags.0 & !Flags::LOCAL.0);
    }
    if is_static {
        walk.flag(id, Flags::STATIC);
    }
    let bound = walk.b.name_of(name);
    walk.b
        .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
}

pub(super) fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let text = walk.b.text(name);
    let in_type = walk.in_members();
    let kind = match (in_type, text) {
        (true, "__construct") => SymbolKind::Constructor,
        (true, _) => SymbolKind::Method,
        (false, _) => SymbolKind::Function,
    };
    let start = node.start_byte();
    let body = node.field("body");
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let doc = walk.comment_before(start).map(str::to_owned);
    let (id, function) = walk.declare_function(&declared);
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if in_type && text.starts_with("__") {
        walk.flag(id, Flags::ENTRY);
    }
    if in_type
        && text
            .strip_prefix("test")
            .is_some_and(|rest| rest.starts_with(char::is_uppercase))
    {
        walk.flag(id, Flags::TEST);
    }
    let result = node.field("return_type");
    let result = match telling(walk, result) {
        Some(result) => Some(result),
        None => doc
            .as_deref()
            .and_then(|doc| doc_word(walk, doc, "@return", None)),
    };
    if let Some(function) = walk.b.function_mut(function) {
        function.result = result;
    }
    params(walk, node, function, doc.as_deref());
}

/// The same as [`doc_type`] for a comment that is at hand.
fn doc_word(walk: &mut Walk<'_, '_>, doc: &str, tag: &str, of: Option<&str>) -> Option<ExprId> {
    for line in doc.lines() {
        let line = line.trim_start_matches([' ', '\t', '*', '/']);
        let Some(rest) = line.strip_prefix(tag) else {
            continue;
        };
        let mut words = rest.split_whitespace();
        let Some(ty) = words.next() else { continue };
        if let Some(of) = of
            && words
                .next()
                .is_none_or(|name| name.trim_start_matches(['.', '&']) != of)
        {
            continue;
        }
        return written_type(walk, ty);
    }
    None
}

fn params(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId, doc: Option<&str>) {
    let Some(list) = node.field("parameters") else {
        return;
    };
    for param in children(list) {
        let Some(name) = param.field("name") else {
            continue;
        };
        let text = walk.b.text(name);
        let written = param.field("type");
        let ty = match telling(walk, written) {
            Some(ty) => Some(ty),
            None => doc.and_then(|doc| doc_word(walk, doc, "@param", Some(text))),
        };
        let default = param.field("default_value");
        let default = default.map(|default| walk.read(default));
        let rest = param.kind() == "variadic_parameter";
        let id = walk.b.name(text.trim_start_matches('&'));
        let declared = match rest {
            true => ty.map(|ty| walk.array_of(ty)),
            false => ty,
        };
        walk.param_of(function, id, name.start_byte(), declared, default, rest);
        if param.kind() == "property_promotion_parameter" {
            property_symbol(walk, param, name, ty, false, None);
        }
    }
}

pub(super) fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    walk.set_result(function, node.field("return_type"));
    params(walk, node, function, None);
}

pub(super) fn arrow(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(body) = node.field("body") {
        walk.returns(body);
    }
}
