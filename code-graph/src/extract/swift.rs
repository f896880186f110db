//! Swift: declarations, uses and imports of one file.
//!
//! What an extension adds belongs to the type that it names. What `guard let` and `if let` bind is
//! what stands behind the `=`; a name that is bound to itself keeps its meaning.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::extract::field::Fields;
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Flags, FunctionId, List, ScopeKind, SymbolId, SymbolKind,
    Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a Swift file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &SWIFT);
    conformances(b);
}

/// The first name after a class's colon may be a protocol: one of this file is known.
fn conformances(b: &mut Builder<'_>) {
    let protocols: Vec<_> = b
        .facts
        .symbols
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Interface)
        .map(|symbol| symbol.name)
        .collect();
    let facts = &b.facts;
    let conforms: Vec<bool> = facts
        .bases
        .iter()
        .map(|base| {
            let class = facts.symbols.get(base.class.index());
            class.is_some_and(|class| class.kind == SymbolKind::Class)
                && facts
                    .simple_name(base.what)
                    .is_some_and(|name| protocols.contains(&name))
        })
        .collect();
    for (base, conforms) in b.facts.bases.iter_mut().zip(conforms) {
        if conforms {
            base.kind = BaseKind::Implements;
        }
    }
}

use At::{Field, Last, Nth};

static SWIFT: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("multiline_comment", Act::Comment),
        ("import_declaration", Act::Hook(import)),
        ("class_declaration", Act::Hook(class)),
        ("protocol_declaration", Act::Hook(class)),
        ("enum_entry", Act::Hook(enum_entry)),
        ("function_declaration", Act::Hook(function)),
        ("protocol_function_declaration", Act::Hook(function)),
        ("init_declaration", Act::Hook(function)),
        ("deinit_declaration", Act::Hook(function)),
        ("subscript_declaration", Act::Hook(function)),
        ("property_declaration", Act::Hook(property)),
        ("protocol_property_declaration", Act::Hook(property)),
        ("typealias_declaration", Act::Hook(alias)),
        ("associatedtype_declaration", Act::Hook(alias)),
        ("function_body", Act::Hook(body)),
        ("computed_property", Act::Block),
        ("computed_getter", Act::Block),
        ("computed_setter", Act::Block),
        ("statements", Act::Block),
        ("if_statement", Act::Hook(if_statement)),
        ("while_statement", Act::Hook(if_statement)),
        ("guard_statement", Act::Hook(conditions)),
        ("for_statement", Act::Hook(for_statement)),
        ("switch_entry", Act::Hook(pattern_scope)),
        ("catch_block", Act::Hook(pattern_scope)),
        ("lambda_literal", Act::Hook(lambda)),
        ("function_type", Act::Closure),
        ("call_expression", Act::Hook(call)),
        ("constructor_expression", Act::Hook(call)),
        ("navigation_expression", Act::Hook(navigation)),
        ("assignment", Act::Hook(assignment)),
        ("control_transfer_statement", Act::Hook(transfer)),
        ("value_argument", Act::Hook(argument)),
        ("user_type", Act::Type),
    ],
    read: &[
        ("simple_identifier", Read::Hook(identifier)),
        ("identifier", Read::Segments),
        ("type_identifier", Read::Hook(identifier)),
        ("user_type", Read::Hook(read_type)),
        ("type_annotation", Read::Through(Nth(0))),
        ("optional_type", Read::Through(Field("wrapped"))),
        ("existential_type", Read::Through(Last)),
        ("opaque_type", Read::Through(Last)),
        ("array_type", Read::Array),
        ("dictionary_type", Read::Hook(dictionary)),
        ("tuple_type", Read::Hook(tuple)),
        ("tuple_type_item", Read::Through(Last)),
        ("function_type", Read::Closure),
        ("lambda_literal", Read::Closure),
        ("self_expression", Read::This),
        ("super_expression", Read::Super),
        ("navigation_expression", Read::Hook(read_navigation)),
        ("call_expression", Read::Hook(read_call)),
        ("constructor_expression", Read::Hook(read_call)),
        ("try_expression", Read::Through(Field("expr"))),
        ("await_expression", Read::Through(Field("expr"))),
        ("postfix_expression", Read::Through(Field("target"))),
        ("optional_chaining_expression", Read::Through(Nth(0))),
        ("as_expression", Read::Instance(Last)),
        ("check_expression", Read::Literal("Bool")),
        ("tuple_expression", Read::Hook(tuple)),
        ("nil_coalescing_expression", Read::Union),
        (
            "ternary_expression",
            Read::Either(Field("if_true"), Field("if_false")),
        ),
        ("array_literal", Read::Array),
        ("value_argument", Read::Hook(read_argument)),
        ("line_string_literal", Read::Literal("String")),
        ("multi_line_string_literal", Read::Literal("String")),
        ("integer_literal", Read::Literal("Int")),
        ("real_literal", Read::Literal("Double")),
        ("boolean_literal", Read::Literal("Bool")),
        ("comparison_expression", Read::Literal("Bool")),
        ("equality_expression", Read::Literal("Bool")),
    ],
    closure,
    methods_apart: false,
    modifiers: &["modifiers"],
    plain_docs: false,
    annotations: &["attribute"],
    visibility: |_, _, _| Visibility::Internal,
    operands: &[
        "equality_expression",
        "comparison_expression",
        "additive_expression",
        "multiplicative_expression",
        "disjunction_expression",
        "conjunction_expression",
        "bitwise_operation",
        "prefix_expression",
        "ternary_expression",
        "tuple_expression",
        "if_statement",
        "guard_statement",
        "while_statement",
        "for_statement",
        "array_literal",
        "switch_statement",
        "nil_coalescing_expression",
        "range_expression",
        "control_transfer_statement",
        "interpolated_expression",
        "as_expression",
        "check_expression",
    ],
    numbered: OnceLock::new(),
};

fn identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node).trim_matches('`') {
        "Self" => Expr::SelfType,
        text => Expr::Name(walk.b.name(text)),
    }
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    if let Some(name) = child_of_kind(node, "identifier") {
        let module = walk.b.text(name);
        walk.import_of(name, module, None, None);
    }
}

/// The nodes of types.
fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type"
            | "optional_type"
            | "array_type"
            | "dictionary_type"
            | "function_type"
            | "tuple_type"
            | "existential_type"
            | "opaque_type"
    )
}

fn type_of(node: Node<'_>) -> Option<Node<'_>> {
    children(node).find(|child| is_type(*child))
}

fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let list = child_of_kind(node, "type_parameters");
    list.into_iter()
        .flat_map(|list| children(list))
        .filter_map(|param| Some((child_of_kind(param, "type_identifier")?, type_of(param))))
        .collect()
}

/// What stands after the colon of a type.
fn inherited<'n>(node: Node<'n>) -> impl Iterator<Item = Node<'n>> {
    children(node)
        .filter(|child| child.kind() == "inheritance_specifier")
        .filter_map(|child| child.field("inherits_from"))
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let word = node.field("declaration_kind");
    let kind = match word.map_or("", |word| word.kind()) {
        "extension" => return extension(walk, node, name),
        "struct" => SymbolKind::Struct,
        "enum" => SymbolKind::Enum,
        "protocol" => SymbolKind::Interface,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.field("body"),
    };
    let id = walk.declare(&declared);
    owned(walk, id);
    let head = walk.type_body(id, type_params(node));
    for (at, base) in inherited(node).enumerate() {
        let how = match kind {
            SymbolKind::Class if at == 0 => BaseKind::Extends,
            SymbolKind::Interface => BaseKind::Extends,
            _ => BaseKind::Implements,
        };
        walk.base(id, how, base, head);
    }
}

/// `extension T: P { … }`.
fn extension(walk: &mut Walk<'_, '_>, node: Node<'_>, target: Node<'_>) {
    let outer = walk.scope();
    let scope = walk.b.scope(outer, ScopeKind::Members, None);
    let mut protocols = inherited(node);
    walk.extension(target, protocols.next(), scope, outer);
    for protocol in protocols {
        let empty = walk.b.scope(outer, ScopeKind::Members, None);
        walk.extension(target, Some(protocol), empty, outer);
    }
    let name = walk.b.name_of(target);
    walk.named_scopes.insert(name, scope);
    walk.enter_scope(scope);
}

/// What stands in an extension is named after the type that it adds to.
fn owned(walk: &mut Walk<'_, '_>, id: SymbolId) {
    let scope = walk.scope();
    let owner = walk.named_scopes.iter().find(|(_, at)| **at == scope);
    let owner = owner.map(|(name, _)| *name);
    if let (Some(owner), Some(symbol)) = (owner, walk.b.symbol_mut(id)) {
        symbol.owner = Some(owner);
    }
}

/// `case a, b(Int)`: each is a value of the enum.
fn enum_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = walk.class() else { return };
    let ty = walk.b.expr(Expr::Symbol(class));
    let names: Vec<_> = children(node)
        .filter(|child| child.kind() == "simple_identifier")
        .collect();
    for name in names {
        let declared = Declared {
            node: name,
            kind: SymbolKind::EnumMember,
            name,
            body: None,
        };
        if let Some(id) = walk.variable(&declared, Some(ty), None) {
            walk.flag(id, Flags::STATIC);
        }
    }
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = node.field("name");
    let name = name.or_else(|| node.child(0)).unwrap_or(node);
    let in_members = walk.in_members();
    let body = node.field("body");
    let init = node.kind() == "init_declaration";
    let declared = Declared {
        node,
        kind: match in_members {
            _ if init => SymbolKind::Constructor,
            true => SymbolKind::Method,
            false => SymbolKind::Function,
        },
        name,
        body: body.or_else(|| child_of_kind(node, "computed_property")),
    };
    let text = match node.kind() {
        "init_declaration" => "init",
        "deinit_declaration" => "deinit",
        "subscript_declaration" => "subscript",
        _ => walk.b.text(name).trim_matches('`'),
    };
    let shown = walk.b.name(text);
    let id = walk.symbol(&declared, shown);
    owned(walk, id);
    if init {
        walk.bind_constructor(id, name);
    } else {
        let scope = walk.scope();
        walk.b
            .bind(scope, shown, name.start_byte(), Bound::Symbol(id));
    }
    if declared.body.is_none() {
        walk.flag(id, Flags::ABSTRACT);
    }
    let mut cursor = node.walk();
    if node
        .children(&mut cursor)
        .any(|word| word.kind() == "class")
    {
        walk.flag(id, Flags::STATIC);
    }
    if in_members && text.starts_with("test") && is_test_case(walk) {
        walk.flag(id, Flags::TEST);
    }
    let function = walk.function_of(id);
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    walk.set_result(
        function,
        children(node).filter(|child| is_type(*child)).last(),
    );
    params(walk, node, function);
}

/// Whether the type around inherits from the class of test cases.
fn is_test_case(walk: &Walk<'_, '_>) -> bool {
    let facts = &walk.b.facts;
    facts.bases.iter().any(|base| {
        Some(base.class) == walk.class()
            && facts
                .simple_name(base.what)
                .is_some_and(|name| walk.b.named(name) == "XCTestCase")
    })
}

fn params(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let all: Vec<_> = children(node).collect();
    for (at, param) in all.iter().enumerate() {
        let name = param.field("name");
        let (true, Some(name)) = (param.kind() == "parameter", name) else {
            continue;
        };
        let mut cursor = node.walk();
        let next = node
            .children(&mut cursor)
            .find(|next| next.start_byte() >= param.end_byte());
        // A default value follows its parameter.
        let default = all.get(at + 1).filter(|next| {
            !matches!(next.kind(), "parameter" | "function_body")
                && next
                    .prev_sibling()
                    .is_some_and(|before| before.kind() == "=")
        });
        let parameter = Parameter {
            name,
            declared: type_of(*param),
            default: default.copied(),
            rest: next.is_some_and(|next| next.kind() == "...")
                || walk.b.text(*param).ends_with("..."),
        };
        walk.param(function, &parameter);
    }
}

fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let parts: Vec<_> = children(node).collect();
    for (at, pattern) in parts.iter().enumerate() {
        if pattern.kind() != "pattern" {
            continue;
        }
        let own = parts.get(at + 1..).unwrap_or_default().iter();
        let own: Vec<_> = own.take_while(|part| part.kind() != "pattern").collect();
        let ty = own.iter().find(|part| part.kind() == "type_annotation");
        let computed = own
            .iter()
            .any(|part| matches!(part.kind(), "computed_property"));
        let value = own.iter().find(|part| {
            !matches!(
                part.kind(),
                "type_annotation"
                    | "computed_property"
                    | "willset_didset_block"
                    | "protocol_property_requirements"
                    | "type_constraints"
            )
        });
        let ty = ty.map(|ty| walk.read(**ty));
        let value_expr = value.map(|value| walk.read(**value));
        let Some(name) = pattern.field("bound_identifier") else {
            for (at, part) in children(*pattern).enumerate() {
                if let (Some(value), Some(name)) = (value_expr, children(part).last()) {
                    let value = walk.b.expr(Expr::Part(value, at as u16));
                    walk.local(name, Bound::Value(value));
                }
            }
            continue;
        };
        let declared = Declared {
            node,
            kind: match walk.in_members() {
                true => SymbolKind::Field,
                false => SymbolKind::Variable,
            },
            name,
            body: own
                .iter()
                .find(|p| p.kind() != "type_annotation")
                .map(|p| **p),
        };
        if let Some(id) = walk.variable(&declared, ty, value_expr) {
            owned(walk, id);
            if computed {
                walk.flag(id, Flags::PROPERTY);
            }
            walk.enter_owner(id);
        }
        if let Some(value) = value {
            bare(walk, **value);
        }
    }
}

fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = type_of(node).map(|ty| walk.read(ty));
    let id = walk.declare(&declared);
    owned(walk, id);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
    walk.enter_owner(id);
}

/// A body of one expression gives that.
fn single(node: Node<'_>) -> Option<Node<'_>> {
    let statements = child_of_kind(node, "statements")?;
    let mut all = children(statements);
    all.next().filter(|_| all.next().is_none())
}

fn body(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = single(node) {
        walk.returns_later(value);
    }
}

fn lambda(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(value) = single(node) {
        walk.returns(value);
    }
}

/// Parameters of closures and function types.
fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    if node.kind() == "function_type" {
        let result = children(node).filter(|child| is_type(*child)).last();
        walk.set_result(function, result);
        let items = node.field("params");
        for item in items.into_iter().flat_map(|items| children(items)) {
            let name = walk.b.name("_");
            let ty = type_of(item).map(|ty| walk.read(ty));
            walk.param_of(function, name, item.start_byte(), ty, None, false);
        }
        return;
    }
    let Some(ty) = node.field("type") else {
        let count = 1 + usize::from(walk.b.text(node).contains("$1"));
        for name in ["$0", "$1"].into_iter().take(count) {
            let name = walk.b.name(name);
            walk.param_of(function, name, node.start_byte(), None, None, false);
        }
        return;
    };
    walk.set_result(function, type_of(ty));
    let list = child_of_kind(ty, "lambda_function_type_parameters");
    for param in list.into_iter().flat_map(|list| children(list)) {
        if let Some(name) = param.field("name") {
            let parameter = Parameter {
                name,
                declared: type_of(param),
                default: None,
                rest: false,
            };
            walk.param(function, &parameter);
        }
    }
}

fn if_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    conditions(walk, node);
}

/// `let a = b, let c` among conditions.
fn conditions(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let all: Vec<_> = children(node).collect();
    for (at, part) in all.iter().enumerate() {
        if part.kind() == "pattern" {
            unknown(walk, *part);
        }
        let after = all
            .get(at + 1)
            .filter(|_| part.kind() == "value_binding_pattern");
        let Some(name) = after.filter(|name| name.kind() == "simple_identifier") else {
            continue;
        };
        let value = all.get(at + 2).filter(|value| {
            value
                .prev_sibling()
                .is_some_and(|before| before.kind() == "=")
        });
        let Some(value) = value.filter(|value| walk.b.text(**value) != walk.b.text(*name)) else {
            continue;
        };
        let value = walk.read(*value);
        walk.local(*name, Bound::Value(value));
    }
}

/// What a pattern binds is not known.
fn unknown(walk: &mut Walk<'_, '_>, pattern: Node<'_>) {
    let mut left = vec![pattern];
    while let Some(node) = left.pop() {
        if let Some(name) = node.field("bound_identifier") {
            let ty = node.parent().and_then(type_of);
            let bound = match ty {
                Some(ty) => Bound::Declared(walk.read(ty)),
                None => Bound::Unknown,
            };
            walk.local(name, bound);
        }
        left.extend(children(node));
    }
}

fn pattern_scope(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    for part in children(node) {
        if matches!(part.kind(), "pattern" | "switch_pattern") {
            unknown(walk, part);
        }
    }
}

fn for_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let item = node.field("item");
    let whole = node.field("collection");
    let (Some(item), Some(whole)) = (item, whole) else {
        return;
    };
    let whole = walk.read(whole);
    let element = walk.b.expr(Expr::Element(whole));
    match item.field("bound_identifier") {
        Some(name) => walk.local(name, Bound::Value(element)),
        None => unknown(walk, item),
    }
}

/// The last name of a dotted expression.
fn last_of(node: Node<'_>) -> Node<'_> {
    let suffix = node.field("suffix");
    let name = suffix.and_then(|suffix| suffix.field("suffix"));
    name.unwrap_or(node)
}

fn read_navigation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let object = walk.read_at(node, Field("target"));
    let name = last_of(node);
    match walk.b.text(name) {
        "self" => walk.b.expr_at(object),
        text => Expr::Member(object, walk.b.name(text.trim_matches('`'))),
    }
}

fn navigation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.value_at(node, Some(last_of(node)));
}

/// Whether a call is one of a subscript: `a[0]`.
fn is_index(walk: &Walk<'_, '_>, node: Node<'_>) -> bool {
    let args = child_of_kind(node, "call_suffix")
        .and_then(|suffix| child_of_kind(suffix, "value_arguments"));
    args.is_some_and(|args| walk.b.text(args).starts_with('['))
}

/// What is called, its last name and the arguments: those in parentheses and the closures after.
fn parts<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> Option<(ExprId, Node<'n>, List)> {
    let callee = children(node).next()?;
    let suffix = children(node).last()?;
    let mut operands = Vec::new();
    for part in children(suffix) {
        match part.kind() {
            "value_arguments" => operands.extend(children(part)),
            "lambda_literal" => operands.push(part),
            _ => {}
        }
    }
    let operands: Vec<_> = operands.into_iter().map(|part| walk.read(part)).collect();
    let args = walk.b.list(&operands);
    let name = last_of(callee);
    let object = callee.field("target");
    let what = match object {
        // `T.init(…)` is `T(…)`.
        Some(object) if walk.b.text(name) == "init" => walk.read(object),
        _ => walk.read(callee),
    };
    Some((what, name, args))
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if is_index(walk, node) {
        return;
    }
    let Some((what, name, args)) = parts(walk, node) else {
        return;
    };
    if let Some(callee) = children(node).next() {
        walk.take(callee);
    }
    match walk.b.expr_at(what) {
        Expr::Unknown | Expr::Array(_) => {}
        Expr::This | Expr::Super => walk.constructor_call(what, name, args),
        _ => walk.call_site(what, args, name),
    }
}

fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some((what, _, args)) = parts(walk, node) else {
        return Expr::Unknown;
    };
    if is_index(walk, node) {
        let key = walk.b.operands(args).first().copied();
        return key.map_or(Expr::Unknown, |key| Expr::Index(what, key));
    }
    match walk.b.expr_at(what) {
        Expr::Array(_) => Expr::Instance(what),
        _ => Expr::Call(what, args),
    }
}

fn read_argument(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Field("value"));
    walk.b.expr_at(value)
}

fn argument(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.field("value") {
        bare(walk, value);
    }
}

/// A bare name that is used as a value.
fn bare(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if node.kind() == "simple_identifier" {
        walk.value_if_bare(node);
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let target = node.field("target");
    if let Some(left) = target.and_then(|target| children(target).next()) {
        walk.write_at(left, last_of(left));
    }
    if let Some(right) = node.field("result") {
        bare(walk, right);
    }
}

fn transfer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.field("result") {
        bare(walk, value);
        walk.returns(value);
    }
}

fn dictionary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let name = walk.b.name("Dictionary");
    let base = walk.b.expr(Expr::Name(name));
    Expr::Generic(base, walk.read_all(node))
}

/// A tuple; parentheses around one thing are none.
fn tuple(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let all = walk.read_all(node);
    match walk.b.operands(all) {
        [one] => walk.b.expr_at(*one),
        _ => Expr::Tuple(all),
    }
}

fn read_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut whole: Option<Expr> = None;
    for part in children(node) {
        whole = match (part.kind(), whole) {
            ("type_identifier", None) => Some(identifier(walk, part)),
            ("type_identifier", Some(base)) => {
                let base = walk.b.expr(base);
                Some(Expr::Member(base, walk.b.name_of(part)))
            }
            ("type_arguments", Some(base)) => {
                let base = walk.b.expr(base);
                Some(Expr::Generic(base, walk.read_all(part)))
            }
            (_, whole) => whole,
        };
    }
    whole.unwrap_or(Expr::Unknown)
}
