//! Scala: declarations, uses and imports of one file.
//!
//! What a companion object has is bound among the members of its class, so that `C` is one name.
//! A `def` without parameter lists is read like a field.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::facts::{
    BaseKind, Binding, Bound, Expr, ExprId, Flags, FunctionId, List, ScopeId, SymbolId, SymbolKind,
    Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a Scala file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &SCALA);
    companions(b);
}

/// Gives the members of an object to the class beside it that has its name.
fn companions(b: &mut Builder<'_>) {
    let facts = &mut b.facts;
    let mut more: Vec<Binding> = Vec::new();
    let mut gone: Vec<SymbolId> = Vec::new();
    let is_object =
        |symbol: &crate::facts::Symbol| symbol.flags.has(Flags::STATIC) && symbol.kind.is_type();
    for (at, object) in facts.symbols.iter().enumerate() {
        if !is_object(object) {
            continue;
        }
        let class = facts.symbols.iter().find(|class| {
            class.name == object.name
                && class.scope == object.scope
                && class.kind.is_type()
                && !is_object(class)
        });
        let (Some(from), Some(to)) = (object.members, class.and_then(|class| class.members)) else {
            continue;
        };
        let own = facts.bindings.iter().filter(|b| b.scope == from);
        more.extend(own.map(|b| Binding { scope: to, ..*b }));
        gone.push(SymbolId(at as u32));
    }
    facts.bindings.retain(|binding| match binding.bound {
        Bound::Symbol(id) => !gone.contains(&id),
        _ => true,
    });
    facts.bindings.extend(more);
}

use At::{Field, Kind, Last, Nth};

static SCALA: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("block_comment", Act::Comment),
        ("package_clause", Act::Hook(package)),
        ("import_declaration", Act::Hook(import)),
        ("class_definition", Act::Hook(class)),
        ("object_definition", Act::Hook(class)),
        ("package_object", Act::Hook(class)),
        ("trait_definition", Act::Hook(class)),
        ("enum_definition", Act::Hook(class)),
        ("simple_enum_case", Act::Hook(enum_case)),
        ("full_enum_case", Act::Hook(enum_case)),
        ("extension_definition", Act::Hook(extension)),
        ("function_definition", Act::Hook(function)),
        ("function_declaration", Act::Hook(function)),
        ("val_definition", Act::Hook(variable)),
        ("var_definition", Act::Hook(variable)),
        ("val_declaration", Act::Hook(variable)),
        ("var_declaration", Act::Hook(variable)),
        ("type_definition", Act::Hook(alias)),
        ("block", Act::Block),
        ("indented_block", Act::Block),
        ("case_clause", Act::Hook(case)),
        ("for_expression", Act::Block),
        ("enumerator", Act::Hook(enumerator)),
        ("lambda_expression", Act::Hook(lambda)),
        ("call_expression", Act::Hook(call)),
        ("infix_expression", Act::Hook(infix)),
        ("instance_expression", Act::Hook(creation)),
        ("field_expression", Act::Hook(field)),
        ("assignment_expression", Act::Hook(assignment)),
        ("arguments", Act::Values),
        ("tuple_expression", Act::Values),
        ("return_expression", Act::Return),
        ("type_identifier", Act::Type),
        ("stable_type_identifier", Act::Type),
        ("annotation", Act::Hook(annotation)),
    ],
    read: &[
        ("identifier", Read::Hook(identifier)),
        ("type_identifier", Read::Name),
        ("package_identifier", Read::Segments),
        ("stable_type_identifier", Read::Member(Nth(0), Last)),
        ("stable_identifier", Read::Member(Nth(0), Last)),
        (
            "generic_type",
            Read::Generic(Field("type"), Field("type_arguments")),
        ),
        ("compound_type", Read::Through(Field("base"))),
        ("applied_constructor_type", Read::Through(Nth(0))),
        ("annotated_type", Read::Through(Nth(0))),
        (
            "projected_type",
            Read::Member(Field("type"), Field("selector")),
        ),
        ("repeated_parameter_type", Read::Through(Field("type"))),
        ("lazy_parameter_type", Read::Through(Field("type"))),
        ("upper_bound", Read::Through(Field("type"))),
        ("singleton_type", Read::Through(Nth(0))),
        ("tuple_type", Read::Tuple),
        ("tuple_expression", Read::Tuple),
        ("function_type", Read::Closure),
        ("lambda_expression", Read::Closure),
        ("field_expression", Read::Hook(read_field)),
        ("generic_function", Read::Hook(generic_function)),
        ("call_expression", Read::Hook(read_call)),
        ("infix_expression", Read::Hook(read_infix)),
        ("prefix_expression", Read::Through(Nth(0))),
        ("instance_expression", Read::Hook(read_creation)),
        ("parenthesized_expression", Read::Through(Nth(0))),
        (
            "if_expression",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("assignment_expression", Read::Hook(read_assignment)),
        ("block", Read::Hook(block_value)),
        ("string", Read::Literal("String")),
        ("interpolated_string_expression", Read::Literal("String")),
        ("integer_literal", Read::Literal("Int")),
        ("floating_point_literal", Read::Literal("Double")),
        ("boolean_literal", Read::Literal("Boolean")),
        ("character_literal", Read::Literal("Char")),
    ],
    closure,
    methods_apart: false,
    modifiers: &["modifiers"],
    plain_docs: false,
    annotations: &["annotation"],
    visibility: |_, _, _| Visibility::Public,
    numbered: OnceLock::new(),
};

fn identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "this" => Expr::This,
        "super" => Expr::Super,
        text => Expr::Name(walk.b.name(text.trim_matches('`'))),
    }
}

/// `package a.b`, and a second clause that goes on from the first.
fn package(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text: String = walk.b.text(name).split_whitespace().collect();
    let full = match walk.b.facts.namespace {
        Some(outer) => format!("{}.{text}", walk.b.named(outer)),
        None => text,
    };
    walk.b.facts.namespace = Some(walk.b.name(&full));
}

/// `import a.b.C`, `import a.b._`, `import a.b.{C, D => E}`.
fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let mut cursor = node.walk();
    let path: Vec<_> = node
        .children_by_field_name("path", &mut cursor)
        .filter(Node::is_named)
        .collect();
    let texts: Vec<&str> = path.iter().map(|part| walk.b.text(*part)).collect();
    let Some(last) = path.last().copied() else {
        return;
    };
    let selectors = child_of_kind(node, "namespace_selectors");
    if child_of_kind(node, "namespace_wildcard").is_some() {
        walk.import_of(last, &texts.join("."), None, None);
        return;
    }
    let Some(selectors) = selectors else {
        if let Some((name, module)) = texts.split_last() {
            walk.import_of(last, &module.join("."), Some(name), Some(name));
        }
        return;
    };
    let module = texts.join(".");
    for selector in children(selectors) {
        match selector.kind() {
            "namespace_wildcard" => {
                walk.import_of(selector, &module, None, None);
            }
            "arrow_renamed_identifier" | "as_renamed_identifier" => {
                let name = selector.child_by_field_name("name");
                let alias = selector.child_by_field_name("alias");
                if let (Some(name), Some(alias)) = (name, alias) {
                    let (name, alias) = (walk.b.text(name), walk.b.text(alias));
                    if alias != "_" {
                        walk.import_of(selector, &module, Some(name), Some(alias));
                    }
                }
            }
            _ => {
                let name = walk.b.text(selector);
                walk.import_of(selector, &module, Some(name), Some(name));
            }
        }
    }
}

fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = node.child_by_field_name("type_parameters") else {
        return Vec::new();
    };
    let mut found: Vec<(Node<'n>, Option<Node<'n>>)> = Vec::new();
    for child in children(list) {
        match child.kind() {
            "upper_bound" => {
                if let Some(last) = found.last_mut() {
                    last.1 = Some(child);
                }
            }
            "identifier" | "type_identifier" => found.push((child, None)),
            _ => {}
        }
    }
    found
}

fn has_word(walk: &Walk<'_, '_>, node: Node<'_>, word: &str) -> bool {
    let words = child_of_kind(node, "modifiers");
    words.is_some_and(|words| walk.b.text(words).split_whitespace().any(|w| w == word))
        || walk.b.text(node).starts_with(&format!("{word} "))
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = match node.kind() {
        "trait_definition" => SymbolKind::Interface,
        "enum_definition" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.child_by_field_name("body"),
    };
    let case = has_word(walk, node, "case");
    let (id, head) = walk.declare_type(&declared, type_params(node));
    if matches!(node.kind(), "object_definition" | "package_object") {
        walk.flag(id, Flags::STATIC);
    }
    bases(walk, node, id, head);
    parameters_of_class(walk, node, name, case);
    if child_of_kind(node, "modifiers").is_some_and(|w| walk.b.text(w).contains("implicit"))
        && let Some(ty) = child_of_kind(node, "class_parameters")
            .and_then(|params| child_of_kind(params, "class_parameter"))
            .and_then(|param| param.child_by_field_name("type"))
    {
        let members = walk.scope();
        walk.extension(ty, None, members, head);
    }
}

fn bases(walk: &mut Walk<'_, '_>, node: Node<'_>, id: SymbolId, head: ScopeId) {
    let Some(clause) = node.child_by_field_name("extend") else {
        return;
    };
    let mut cursor = clause.walk();
    let types: Vec<_> = clause
        .children_by_field_name("type", &mut cursor)
        .filter(Node::is_named)
        .collect();
    for (at, ty) in types.iter().enumerate() {
        let kind = match at {
            0 => BaseKind::Extends,
            _ => BaseKind::MixesIn,
        };
        walk.base(id, kind, *ty, head);
    }
    if let (Some(args), Some(first)) = (child_of_kind(clause, "arguments"), types.first()) {
        let class = walk.b.expr(Expr::Super);
        let args = walk.arguments(Some(args));
        walk.constructor_call(class, *first, args);
    }
}

/// `class C(val a: A, b: B)`: fields, names that the members see, and the constructor.
fn parameters_of_class(walk: &mut Walk<'_, '_>, node: Node<'_>, class: Node<'_>, case: bool) {
    let lists: Vec<_> = children(node)
        .filter(|child| child.kind() == "class_parameters")
        .collect();
    let Some(first) = lists.first() else { return };
    let declared = Declared {
        node: *first,
        kind: SymbolKind::Constructor,
        name: class,
        body: None,
    };
    let name = walk.b.name_of(class);
    let id = walk.symbol(&declared, name);
    walk.bind_constructor(id, class);
    let unit = walk.b.name("Unit");
    let unit = walk.b.expr(Expr::Literal(unit));
    walk.accessor(id, unit);
    let Some(function) = walk.function_id(id) else {
        return;
    };
    if let Some(function) = walk.b.function_mut(function) {
        function.result = None;
    }
    let members = walk.scope();
    for (at, param) in lists.iter().enumerate().flat_map(|(at, list)| {
        children(*list)
            .filter(|param| param.kind() == "class_parameter")
            .map(move |param| (at, param))
    }) {
        let Some(name) = param.child_by_field_name("name") else {
            continue;
        };
        let ty = param.child_by_field_name("type").map(|ty| walk.read(ty));
        let default = param.child_by_field_name("default_value");
        let default = default.map(|default| walk.read(default));
        let id = walk.b.name_of(name);
        if at == 0 {
            walk.param_of(function, id, name.start_byte(), ty, default, false);
        }
        let mut cursor = param.walk();
        let is_field = case
            || param
                .children(&mut cursor)
                .any(|word| matches!(word.kind(), "val" | "var"));
        if is_field {
            let declared = Declared {
                node: param,
                kind: SymbolKind::Field,
                name,
                body: None,
            };
            walk.variable(&declared, ty, None);
        } else if let Some(ty) = ty {
            walk.b
                .bind(members, id, name.start_byte(), Bound::Declared(ty));
        }
    }
}

fn enum_case(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(class)) = (node.child_by_field_name("name"), walk.class()) else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let ty = walk.b.expr(Expr::Symbol(class));
    if let Some(id) = walk.variable(&declared, Some(ty), None) {
        walk.flag(id, Flags::STATIC);
        walk.enter_owner(id);
    }
}

/// `extension (x: T) def m`.
fn extension(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let param = child_of_kind(node, "parameters").and_then(|list| children(list).next());
    let Some((name, ty)) = param.and_then(|param| {
        Some((
            param.child_by_field_name("name")?,
            param.child_by_field_name("type")?,
        ))
    }) else {
        return;
    };
    let outer = walk.scope();
    let scope = walk.b.scope(outer, crate::facts::ScopeKind::Members, None);
    walk.extension(ty, None, scope, outer);
    let ty = walk.read(ty);
    walk.enter_scope(scope);
    walk.local(name, Bound::Declared(ty));
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let in_members = walk.in_members();
    let text = walk.b.text(name);
    let body = node.child_by_field_name("body");
    let kind = match (text, in_members) {
        ("this", _) => SymbolKind::Constructor,
        (_, true) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let id = match kind {
        SymbolKind::Constructor => {
            let shown = walk.b.name("this");
            let id = walk.symbol(&declared, shown);
            walk.bind_constructor(id, name);
            id
        }
        _ => walk.declare(&declared),
    };
    let lists: Vec<_> = children(node)
        .filter(|child| child.kind() == "parameters")
        .collect();
    if lists.is_empty() {
        walk.flag(id, Flags::PROPERTY);
    }
    if let Some(class) = walk.class()
        && in_members
        && walk.has_flag(class, Flags::STATIC)
    {
        walk.flag(id, Flags::STATIC);
    }
    if body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    if text == "main" {
        walk.flag(id, Flags::ENTRY);
    }
    let function = walk.function_of(id);
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    walk.set_result(function, node.child_by_field_name("return_type"));
    for (at, list) in lists.iter().enumerate() {
        params(walk, *list, (at == 0).then_some(function));
    }
    if let Some(body) = body {
        walk.value_if_name(body);
        if body.kind() != "block" {
            walk.returns(body);
        } else if let Some(last) = children(body).last() {
            walk.returns(last);
        }
    }
}

/// Parameters; those of a further list are only bound.
fn params(walk: &mut Walk<'_, '_>, list: Node<'_>, function: Option<FunctionId>) {
    for param in children(list) {
        let Some(name) = param.child_by_field_name("name") else {
            continue;
        };
        let declared = param.child_by_field_name("type");
        match function {
            Some(function) => {
                let rest = declared.is_some_and(|ty| ty.kind() == "repeated_parameter_type");
                let param = Parameter {
                    name,
                    declared,
                    default: param.child_by_field_name("default_value"),
                    rest,
                };
                walk.param(function, &param);
            }
            None => {
                let bound = match declared {
                    Some(ty) => Bound::Declared(walk.read(ty)),
                    None => Bound::Unknown,
                };
                walk.local(name, bound);
            }
        }
    }
}

fn variable(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let pattern = node
        .child_by_field_name("pattern")
        .or_else(|| node.child_by_field_name("name"));
    let Some(pattern) = pattern else { return };
    let ty = node.child_by_field_name("type").map(|ty| walk.read(ty));
    let value = node.child_by_field_name("value");
    let value_expr = value.map(|value| walk.read(value));
    let names: Vec<_> = match pattern.kind() {
        "identifier" => vec![pattern],
        "identifiers" => children(pattern).collect(),
        "tuple_pattern" => {
            let whole = value_expr.unwrap_or_else(|| walk.b.expr(Expr::Unknown));
            for (at, part) in children(pattern).enumerate() {
                if part.kind() == "identifier" {
                    let part_expr = walk.b.expr(Expr::Part(whole, at as u16));
                    bind_value(walk, node, part, part_expr);
                }
            }
            Vec::new()
        }
        _ => {
            pattern_names(walk, pattern, None);
            Vec::new()
        }
    };
    let kind = match walk.in_members() {
        true => SymbolKind::Field,
        false => SymbolKind::Variable,
    };
    let single = names.len() == 1;
    let mut owner = None;
    for name in names {
        let declared = Declared {
            node,
            kind,
            name,
            body: value,
        };
        owner = walk.variable(&declared, ty, value_expr).or(owner);
    }
    if let Some(value) = value {
        walk.with_owner(owner.filter(|_| single), |walk| walk.value_if_name(value));
    }
    if let Some(owner) = owner.filter(|_| single) {
        walk.enter_owner(owner);
    }
}

/// A name of a pattern at a declaration.
fn bind_value(walk: &mut Walk<'_, '_>, node: Node<'_>, name: Node<'_>, value: ExprId) {
    let declared = Declared {
        node,
        kind: SymbolKind::Variable,
        name,
        body: None,
    };
    walk.variable(&declared, None, Some(value));
}

/// Binds the names of a pattern; `whole` is what is matched.
fn pattern_names(walk: &mut Walk<'_, '_>, pattern: Node<'_>, whole: Option<ExprId>) {
    let mut left = vec![(pattern, whole)];
    while let Some((node, whole)) = left.pop() {
        match node.kind() {
            "identifier" => {
                let text = walk.b.text(node);
                if text.starts_with(|c: char| c.is_lowercase()) {
                    let bound = whole.map_or(Bound::Unknown, Bound::Value);
                    walk.local(node, bound);
                }
            }
            "typed_pattern" => {
                if let (Some(name), Some(ty)) = (
                    node.child_by_field_name("pattern"),
                    node.child_by_field_name("type"),
                ) && name.kind() == "identifier"
                {
                    let ty = walk.read(ty);
                    walk.local(name, Bound::Declared(ty));
                }
            }
            "capture_pattern" => {
                if let (Some(name), Some(inner)) = (
                    node.child_by_field_name("name"),
                    node.child_by_field_name("pattern"),
                ) {
                    let ty = inner.child_by_field_name("type");
                    let bound = match ty {
                        Some(ty) => Bound::Declared(walk.read(ty)),
                        None => whole.map_or(Bound::Unknown, Bound::Value),
                    };
                    walk.local(name, bound);
                    left.push((inner, None));
                }
            }
            "case_class_pattern" => {
                let mut cursor = node.walk();
                let inner: Vec<_> = node
                    .children_by_field_name("pattern", &mut cursor)
                    .filter(Node::is_named)
                    .collect();
                let ty = node.child_by_field_name("type").map(|ty| walk.read(ty));
                for (at, part) in inner.into_iter().enumerate() {
                    let part_expr = ty.map(|ty| {
                        let instance = walk.b.expr(Expr::Instance(ty));
                        walk.b.expr(Expr::Part(instance, at as u16))
                    });
                    left.push((part, part_expr));
                }
            }
            "stable_identifier" | "string" | "type_identifier" => {}
            _ => left.extend(children(node).map(|child| (child, None))),
        }
    }
}

fn case(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let Some(pattern) = node.child_by_field_name("pattern") {
        let whole = node
            .parent()
            .and_then(|block| block.parent())
            .filter(|whole| whole.kind() == "match_expression")
            .and_then(|whole| whole.child_by_field_name("value"))
            .map(|value| walk.read(value));
        pattern_names(walk, pattern, whole);
    }
}

/// `x <- xs` and `y = x` in a `for`.
fn enumerator(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let parts: Vec<_> = children(node).collect();
    let [pattern, value, ..] = parts.as_slice() else {
        return;
    };
    let mut cursor = node.walk();
    let draws = node.children(&mut cursor).any(|word| word.kind() == "<-");
    let whole = walk.read(*value);
    let whole = match draws {
        true => walk.b.expr(Expr::Element(whole)),
        false => whole,
    };
    walk.value_if_name(*value);
    pattern_names(walk, *pattern, Some(whole));
}

fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    if node.kind() == "function_type" {
        walk.set_result(function, node.child_by_field_name("return_type"));
        if let Some(list) = node.child_by_field_name("parameter_types") {
            for ty in children(list) {
                let name = walk.b.name("_");
                let read = walk.read(ty);
                walk.param_of(function, name, ty.start_byte(), Some(read), None, false);
            }
        }
        return;
    }
    let Some(list) = node.child_by_field_name("parameters") else {
        return;
    };
    let names: Vec<_> = match list.kind() {
        "bindings" => children(list).collect(),
        _ => vec![list],
    };
    for binding in names {
        let name = binding.child_by_field_name("name").unwrap_or(binding);
        let param = Parameter {
            name,
            declared: binding.child_by_field_name("type"),
            default: None,
            rest: false,
        };
        walk.param(function, &param);
    }
}

fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(last) = children(node).last() {
        walk.value_if_name(last);
        walk.returns(last);
    }
}

/// `f[T]` as what is called.
fn generic_function(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let function = walk.read_at(node, Field("function"));
    let Some(types) = node.child_by_field_name("type_arguments") else {
        return walk.b.expr_at(function);
    };
    let types = walk.read_all(types);
    if let Expr::Member(_, name) = walk.b.expr_at(function)
        && walk.b.named(name) == "asInstanceOf"
        && let [ty] = walk.b.operands(types)
    {
        return Expr::Instance(*ty);
    }
    Expr::Generic(function, types)
}

/// The node of the last name of a callee.
fn callee_name(node: Node<'_>) -> Node<'_> {
    let node = match node.kind() {
        "generic_function" => node.child_by_field_name("function").unwrap_or(node),
        _ => node,
    };
    match node.kind() {
        "field_expression" => node.child_by_field_name("field").unwrap_or(node),
        _ => node,
    }
}

/// The arguments of a call: a list, or a block with a closure.
fn arguments(walk: &mut Walk<'_, '_>, args: Option<Node<'_>>) -> List {
    match args {
        Some(args) if args.kind() == "arguments" => walk.arguments(Some(args)),
        Some(args) if args.kind() == "block" => {
            let closure = child_of_kind(args, "lambda_expression");
            let value = closure.or_else(|| children(args).last());
            match value {
                Some(value) => {
                    let value = walk.read(value);
                    walk.b.list(&[value])
                }
                None => List::default(),
            }
        }
        _ => List::default(),
    }
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    // A further list of arguments of the same call.
    if function.kind() == "call_expression" {
        return;
    }
    walk.take(function);
    if let Some(inner) = function
        .child_by_field_name("function")
        .filter(|_| function.kind() == "generic_function")
    {
        walk.take(inner);
    }
    let args = arguments(walk, node.child_by_field_name("arguments"));
    if matches!(walk.b.text(function), "this" | "super") {
        let class = walk.read(function);
        walk.constructor_call(class, function, args);
        return;
    }
    let what = walk.read(function);
    walk.call_site(what, args, callee_name(function));
}

fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(function) = node.child_by_field_name("function") else {
        return Expr::Unknown;
    };
    if function.kind() == "call_expression" {
        let inner = walk.read(function);
        return walk.b.expr_at(inner);
    }
    let args = arguments(walk, node.child_by_field_name("arguments"));
    Expr::Call(walk.read(function), args)
}

/// `a op b`.
fn infix_parts<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> Option<(ExprId, List, Node<'n>)> {
    let left = node.child_by_field_name("left")?;
    let operator = node.child_by_field_name("operator")?;
    let right = node.child_by_field_name("right")?;
    let of = walk.read(left);
    let name = walk.b.name_of(operator);
    let what = walk.b.expr(Expr::Member(of, name));
    let right = walk.read(right);
    Some((what, walk.b.list(&[right]), operator))
}

fn infix(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.values(node);
    let Some((what, args, operator)) = infix_parts(walk, node) else {
        return;
    };
    walk.take(operator);
    if !matches!(
        walk.b.text(operator),
        "==" | "!=" | "&&" | "||" | "<" | ">" | "<=" | ">=" | "eq" | "ne" | "+=" | "-="
    ) {
        walk.call_site(what, args, operator);
    }
}

fn read_infix(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match infix_parts(walk, node) {
        Some((_, _, operator))
            if matches!(
                walk.b.text(operator),
                "==" | "!=" | "&&" | "||" | "<" | ">" | "<=" | ">=" | "eq" | "ne"
            ) =>
        {
            Expr::Literal(walk.b.name("Boolean"))
        }
        Some((what, args, _)) => Expr::Call(what, args),
        None => Expr::Unknown,
    }
}

/// The node of the class in `new T`.
fn class_of<'n>(node: Node<'n>) -> Option<Node<'n>> {
    children(node).find(|child| !matches!(child.kind(), "arguments" | "template_body"))
}

/// The node of the class itself, and that of its arguments.
fn made<'n>(node: Node<'n>) -> Option<(Node<'n>, Option<Node<'n>>)> {
    let class = class_of(node)?;
    let base = match class.kind() {
        "compound_type" => class.child_by_field_name("base")?,
        _ => class,
    };
    Some(match base.kind() {
        "applied_constructor_type" => (children(base).next()?, child_of_kind(base, "arguments")),
        _ => (base, child_of_kind(node, "arguments")),
    })
}

fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some((base, args)) = made(node) else {
        return;
    };
    let args = walk.arguments(args);
    let what = walk.read(base);
    walk.made(what, base, args);
    let Some(body) = child_of_kind(node, "template_body") else {
        return;
    };
    let scope = walk.scope();
    let id = walk.anonymous(node, base, Some(body), BaseKind::Extends);
    if let Some(class) = class_of(node) {
        let mut cursor = class.walk();
        let extra: Vec<_> = class.children_by_field_name("extra", &mut cursor).collect();
        for ty in extra {
            walk.base(id, BaseKind::MixesIn, ty, scope);
        }
    }
}

fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some((class, args)) = made(node) else {
        return Expr::Unknown;
    };
    let class = walk.read(class);
    Expr::New(class, walk.arguments(args))
}

fn field(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(object) = node.child_by_field_name("value") {
        walk.value_if_bare(object);
    }
    walk.value_at(node, node.child_by_field_name("field"));
}

/// `a.b`, and `C.this`.
fn read_field(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(name) = node.child_by_field_name("field") else {
        return Expr::Unknown;
    };
    let of = walk.read_at(node, Field("value"));
    match walk.b.text(name) {
        "this" => Expr::Instance(of),
        _ => Expr::Member(of, walk.b.name_of(name)),
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(right) = node.child_by_field_name("right") {
        walk.value_if_bare(right);
    }
    // A named argument is no assignment.
    if node
        .parent()
        .is_some_and(|parent| parent.kind() == "arguments")
    {
        return;
    }
    if let Some(left) = node.child_by_field_name("left") {
        walk.write_at(left, callee_name(left));
    }
}

fn read_assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Field("right"));
    match node.child_by_field_name("left") {
        Some(name) if name.kind() == "identifier" => Expr::Keyword(walk.b.name_of(name), value),
        _ => walk.b.expr_at(value),
    }
}

fn block_value(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match children(node).last() {
        Some(last) if last.kind() != "identifier" => {
            let last = walk.read(last);
            walk.b.expr_at(last)
        }
        _ => Expr::Unknown,
    }
}

fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = node.child_by_field_name("type").map(|ty| walk.read(ty));
    let id = walk.declare(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
    walk.enter_owner(id);
}

fn annotation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.child_by_field_name("name") {
        walk.annotation(name, Kind("arguments").of(node));
    }
}
