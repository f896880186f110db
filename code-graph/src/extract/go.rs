//! Go: declarations, uses and imports of one file.

use super::Builder;
use super::table::{Act, At, Declared, Grammar, Parameter, Read, Walk, children, walk};
use crate::extract::field::Fields;
use crate::facts::Manifest;
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Flags, FunctionId, List, ScopeId, ScopeKind, SiteKind,
    SymbolKind, Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a Go file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &GO);
}

use At::{Field, Last, Nth};

static GO: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("package_clause", Act::Hook(package)),
        ("import_spec", Act::Hook(import)),
        ("type_spec", Act::Hook(type_spec)),
        ("type_alias", Act::Hook(alias)),
        ("field_declaration", Act::Hook(field)),
        ("method_elem", Act::Hook(method_elem)),
        ("type_elem", Act::Hook(embedded)),
        ("function_declaration", Act::Hook(function)),
        ("method_declaration", Act::Hook(method)),
        ("func_literal", Act::Closure),
        ("function_type", Act::Closure),
        ("const_spec", Act::Hook(variables)),
        ("var_spec", Act::Hook(variables)),
        ("short_var_declaration", Act::Hook(short_variables)),
        ("assignment_statement", Act::Hook(assignment)),
        ("range_clause", Act::Hook(range)),
        ("receive_statement", Act::Hook(receive)),
        ("type_switch_statement", Act::Block),
        ("type_case", Act::Hook(type_case)),
        ("default_case", Act::Hook(type_case)),
        ("block", Act::Block),
        ("if_statement", Act::Block),
        ("for_statement", Act::Block),
        ("expression_switch_statement", Act::Block),
        ("expression_case", Act::Block),
        ("communication_case", Act::Block),
        (
            "call_expression",
            Act::CallOf(Field("function"), Field("arguments")),
        ),
        ("type_conversion_expression", Act::Hook(conversion)),
        ("composite_literal", Act::Hook(composite)),
        ("keyed_element", Act::Hook(keyed)),
        ("selector_expression", Act::Member),
        ("return_statement", Act::Hook(returns)),
        ("argument_list", Act::Values),
        ("literal_value", Act::Values),
        ("literal_element", Act::Values),
        ("send_statement", Act::Values),
        ("type_identifier", Act::Type),
        ("qualified_type", Act::Type),
    ],
    read: &[
        ("identifier", Read::Name),
        ("package_identifier", Read::Name),
        ("field_identifier", Read::Name),
        ("type_identifier", Read::Name),
        (
            "qualified_type",
            Read::Member(Field("package"), Field("name")),
        ),
        (
            "selector_expression",
            Read::Member(Field("operand"), Field("field")),
        ),
        (
            "generic_type",
            Read::Generic(Field("type"), Field("type_arguments")),
        ),
        (
            "type_instantiation_expression",
            Read::Through(Field("type")),
        ),
        ("type_elem", Read::Through(Nth(0))),
        ("type_constraint", Read::Through(Nth(0))),
        ("pointer_type", Read::Through(Nth(0))),
        ("parenthesized_type", Read::Through(Nth(0))),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("slice_type", Read::Hook(slice_type)),
        ("array_type", Read::Hook(slice_type)),
        ("implicit_length_array_type", Read::Hook(slice_type)),
        ("map_type", Read::Hook(map_type)),
        ("channel_type", Read::Hook(channel_type)),
        ("function_type", Read::Closure),
        ("func_literal", Read::Closure),
        ("parameter_list", Read::Hook(results)),
        ("struct_type", Read::Literal("struct")),
        ("interface_type", Read::Literal("interface")),
        ("call_expression", Read::Hook(call)),
        ("type_conversion_expression", Read::Hook(read_conversion)),
        ("composite_literal", Read::Instance(Field("type"))),
        ("literal_element", Read::Through(Nth(0))),
        ("type_assertion_expression", Read::Instance(Field("type"))),
        (
            "index_expression",
            Read::Index(Field("operand"), Field("index")),
        ),
        ("slice_expression", Read::Through(Field("operand"))),
        ("unary_expression", Read::Hook(unary)),
        ("binary_expression", Read::Binary("bool")),
        ("expression_list", Read::Hook(list)),
        ("interpreted_string_literal", Read::Literal("string")),
        ("raw_string_literal", Read::Literal("string")),
        ("int_literal", Read::Literal("int")),
        ("float_literal", Read::Literal("float64")),
        ("rune_literal", Read::Literal("rune")),
        ("true", Read::Literal("bool")),
        ("false", Read::Literal("bool")),
        ("nil", Read::Literal("nil")),
    ],
    closure,
    modifiers: &[],
    methods_apart: false,
    plain_docs: true,
    annotations: &[],
    visibility,
    operands: &[
        "expression_list",
        "binary_expression",
        "unary_expression",
        "parenthesized_expression",
        "index_expression",
        "slice_expression",
        "type_assertion_expression",
        "if_statement",
        "for_statement",
        "expression_switch_statement",
    ],
    numbered: OnceLock::new(),
};

/// A capital letter exports.
fn visibility(_: &Walk<'_, '_>, name: &str, _: SymbolKind) -> Visibility {
    match name.chars().next() {
        Some(first) if first.is_uppercase() => Visibility::Public,
        _ => Visibility::Internal,
    }
}

fn package(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = children(node).next();
    walk.b.facts.namespace = name.map(|name| walk.b.name_of(name));
    walk.skip();
}

/// The name that a package most likely has, by its path.
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version =
        last.len() > 1 && last.starts_with('v') && last[1..].chars().all(|c| c.is_ascii_digit());
    let name = match is_version {
        true => parts.next().unwrap_or(last),
        false => last,
    };
    let name = name.split_once(".v").map_or(name, |(name, _)| name);
    let name = name.strip_prefix("go-").unwrap_or(name);
    name.strip_suffix("-go").unwrap_or(name)
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let Some(path) = node.field("path") else {
        return;
    };
    let module = walk.b.text(path).trim_matches(['"', '`']);
    let name = node.field("name");
    match name.map(|name| (name.kind(), walk.b.text(name))) {
        Some(("dot", _)) => walk.import_of(path, module, None, None),
        Some(("blank_identifier", _)) => {
            let id = walk.import_of(path, module, None, None);
            if let Some(import) = walk.b.facts.imports.get_mut(id.index()) {
                import.wildcard = false;
            }
            id
        }
        Some((_, local)) => walk.import_of(path, module, None, Some(local)),
        None => walk.import_of(path, module, None, Some(package_name(module))),
    };
}

fn type_params<'n>(node: Node<'n>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let mut found = Vec::new();
    let Some(list) = node.field("type_parameters") else {
        return found;
    };
    for param in children(list) {
        let bound = param.field("type");
        let mut cursor = param.walk();
        for name in param.children_by_field_name("name", &mut cursor) {
            if name.is_named() {
                found.push((name, bound));
            }
        }
    }
    found
}

/// `type T struct { … }`, `type T interface { … }`, `type T U`.
fn type_spec(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(ty)) = (node.field("name"), node.field("type")) else {
        return;
    };
    walk.take(name);
    let kind = match ty.kind() {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node: whole(node),
        kind,
        name,
        body: match kind {
            SymbolKind::Class => None,
            _ => children(ty).next().or(Some(ty)),
        },
    };
    let (id, head) = walk.declare_type(&declared, type_params(node));
    if matches!(ty.kind(), "slice_type" | "array_type") {
        // It has the elements of a slice.
        let element = walk.read_at(ty, Field("element"));
        let args = walk.b.list(&[element]);
        let slice = walk.b.name("[]");
        let slice = walk.b.expr(Expr::Name(slice));
        let what = walk.b.expr(Expr::Generic(slice, args));
        walk.base_expr(id, BaseKind::Extends, what, ty, head);
    } else if kind == SymbolKind::Class && ty.kind() != "function_type" {
        walk.base(id, BaseKind::Extends, ty, head);
    } else if ty.kind() == "function_type" {
        let ty = walk.read_in(head, ty);
        if let Some(symbol) = walk.b.symbol_mut(id) {
            symbol.declared = Some(ty);
        }
    }
}

/// A declaration with the keyword before it, when it stands alone.
fn whole(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent) if parent.named_child_count() == 1 => parent,
        _ => node,
    }
}

fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(ty)) = (node.field("name"), node.field("type")) else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node: whole(node),
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = walk.read(ty);
    let id = walk.declare(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = Some(ty);
    }
    walk.enter_owner(id);
}

/// A field of a struct; one without a name is embedded.
fn field(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else {
        return;
    };
    let in_type = walk.in_members();
    let read = walk.read(ty);
    let mut cursor = node.walk();
    let names: Vec<_> = node
        .children_by_field_name("name", &mut cursor)
        .filter(Node::is_named)
        .collect();
    for name in &names {
        let declared = Declared {
            node,
            kind: SymbolKind::Field,
            name: *name,
            body: None,
        };
        if in_type {
            walk.variable(&declared, Some(read), None);
        }
    }
    if names.is_empty() && in_type {
        let last = match ty.kind() {
            "generic_type" => ty.field("type").unwrap_or(ty),
            _ => ty,
        };
        let last = last.field("name").unwrap_or(last);
        let declared = Declared {
            node,
            kind: SymbolKind::Field,
            name: last,
            body: None,
        };
        walk.variable(&declared, Some(read), None);
        if let Some(class) = walk.class() {
            let scope = walk.outside(class);
            walk.base(class, BaseKind::MixesIn, ty, scope);
        }
    }
}

/// A method of an interface.
fn method_elem(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    if !walk.in_members() {
        return;
    }
    let declared = Declared {
        node,
        kind: SymbolKind::Method,
        name,
        body: None,
    };
    let (id, function) = walk.declare_function(&declared);
    walk.flag(id, Flags::ABSTRACT);
    signature(walk, node, function);
}

/// An interface takes in another one, or lists what may be put in for it.
fn embedded(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = walk.class().filter(|_| walk.in_members()) else {
        return;
    };
    if walk.kind(class) == Some(SymbolKind::Interface)
        && node.named_child_count() == 1
        && let Some(base) = children(node).next()
        && matches!(
            base.kind(),
            "type_identifier" | "qualified_type" | "generic_type"
        )
    {
        let scope = walk.outside(class);
        walk.base(class, BaseKind::Extends, base, scope);
    }
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Function,
        name,
        body: node.field("body"),
    };
    let text = walk.b.text(name);
    let (id, function) = match text {
        // Nothing can name it.
        "init" | "_" => {
            let name = walk.b.name(text);
            let id = walk.symbol(&declared, name);
            walk.flag(id, Flags::ENTRY);
            (id, walk.function_of(id))
        }
        _ => walk.declare_function(&declared),
    };
    if text == "main" {
        walk.flag(id, Flags::ENTRY);
    }
    let params = node.field("parameters");
    let params = params.map_or("", |params| walk.b.text(params));
    let is_test = |prefix: &str, with: &str| {
        let rest = text.strip_prefix(prefix);
        rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase)) && params.contains(with)
    };
    if is_test("Test", "testing.T)")
        || is_test("Benchmark", "testing.B)")
        || is_test("Fuzz", "testing.F)")
        || (is_test("Example", "()") && params == "()" && node.field("result").is_none())
    {
        walk.flag(id, Flags::TEST);
    }
    let names = walk.type_params(type_params(node));
    walk.set_type_params(function, names);
    signature(walk, node, function);
}

/// A method: it is a member of the receiver's type, wherever that is declared.
fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(receiver)) = (node.field("name"), node.field("receiver")) else {
        return;
    };
    let Some(param) = children(receiver).next() else {
        return;
    };
    let Some(mut ty) = param.field("type") else {
        return;
    };
    while matches!(ty.kind(), "pointer_type" | "parenthesized_type") {
        match children(ty).next() {
            Some(inner) => ty = inner,
            None => return,
        }
    }
    let base = match ty.kind() {
        "generic_type" => ty.field("type").unwrap_or(ty),
        _ => ty,
    };
    let type_name = walk.b.name_of(base);
    // Methods whose receivers are written alike stand in one block.
    let written = walk.b.name_of(ty);
    let scope = match walk.named_scopes.get(&written) {
        Some(scope) => *scope,
        None => {
            // The type parameters that the receiver names.
            let head = walk.b.scope(ScopeId::MODULE, ScopeKind::Block, None);
            let scope = walk.b.scope(head, ScopeKind::Members, None);
            walk.named_scopes.insert(written, scope);
            let args = ty.field("type_arguments");
            let args = args.into_iter().flat_map(|args| children(args));
            for (at, arg) in args.enumerate() {
                let arg = children(arg).next().unwrap_or(arg);
                let name = walk.b.name_of(arg);
                let param = Bound::TypeParam(at as u16, None);
                walk.b.bind(head, name, arg.start_byte(), param);
            }
            walk.extension(ty, None, scope, head);
            scope
        }
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Method,
        name,
        body: node.field("body"),
    };
    walk.enter_scope(scope);
    let (id, function) = walk.declare_function(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.owner = Some(type_name);
    }
    for arg in ty
        .field("type_arguments")
        .into_iter()
        .flat_map(|args| children(args))
    {
        let arg = children(arg).next().unwrap_or(arg);
        walk.take(arg);
    }
    if let Some(name) = param.field("name") {
        let ty = walk.read(ty);
        walk.local(name, Bound::Declared(ty));
    }
    walk.take(base);
    signature(walk, node, function);
}

/// Parameters and results of a function, method or closure.
fn signature(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    if let Some(list) = node.field("parameters") {
        for param in children(list) {
            let declared = param.field("type");
            let rest = param.kind() == "variadic_parameter_declaration";
            let mut cursor = param.walk();
            let names: Vec<_> = param
                .children_by_field_name("name", &mut cursor)
                .filter(Node::is_named)
                .collect();
            if names.is_empty() {
                // A parameter without a name counts, and nothing can name it.
                let name = walk.b.name("_");
                let declared = declared.map(|ty| walk.read(ty));
                walk.param_of(function, name, param.start_byte(), declared, None, rest);
            }
            for name in names {
                let param = Parameter {
                    name,
                    declared,
                    default: None,
                    rest,
                };
                walk.param(function, &param);
            }
        }
    }
    let Some(result) = node.field("result") else {
        return;
    };
    walk.set_result(function, Some(result));
    if result.kind() == "parameter_list" {
        for param in children(result) {
            let Some(ty) = param.field("type") else {
                continue;
            };
            let mut cursor = param.walk();
            for name in param.children_by_field_name("name", &mut cursor) {
                if name.is_named() {
                    let ty = walk.read(ty);
                    walk.local(name, Bound::Declared(ty));
                }
            }
        }
    }
}

fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    signature(walk, node, function);
}

/// The types of several results; of one its type.
fn results(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut types = Vec::new();
    for param in children(node) {
        let ty = walk.read_at(param, Field("type"));
        let mut cursor = param.walk();
        let names = param.children_by_field_name("name", &mut cursor);
        for _ in 0..names.filter(Node::is_named).count().max(1) {
            types.push(ty);
        }
    }
    match types.as_slice() {
        [one] => walk.b.expr_at(*one),
        _ => Expr::Tuple(walk.b.list(&types)),
    }
}

fn returns(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(list) = children(node).next() {
        walk.values(list);
        walk.returns(list);
    }
}

/// Several values, or one.
fn list(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let values: Vec<_> = children(node).collect();
    match values.as_slice() {
        [one] => {
            let one = walk.read(*one);
            walk.b.expr_at(one)
        }
        _ => Expr::Tuple(walk.read_all(node)),
    }
}

/// `var a, b T = x, y` and `const`.
fn variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.field("type");
    let ty = ty.map(|ty| walk.read(ty));
    let value = node.field("value");
    let mut cursor = node.walk();
    let names: Vec<_> = node
        .children_by_field_name("name", &mut cursor)
        .filter(Node::is_named)
        .collect();
    let values = values_for(walk, names.len(), value);
    let kind = match node.kind() {
        "const_spec" => SymbolKind::Constant,
        _ => SymbolKind::Variable,
    };
    let single = names.len() == 1;
    for (at, name) in names.into_iter().enumerate() {
        if walk.b.text(name) == "_" {
            continue;
        }
        let declared = Declared {
            node: whole(node),
            kind,
            name,
            body: value,
        };
        let id = walk.variable(&declared, ty, values.get(at).copied());
        if single && let Some(id) = id {
            walk.enter_owner(id);
        }
    }
    if let Some(value) = value {
        walk.values(value);
    }
}

/// The value of each of several names.
fn values_for(walk: &mut Walk<'_, '_>, names: usize, value: Option<Node<'_>>) -> Vec<ExprId> {
    let Some(value) = value else {
        return Vec::new();
    };
    let values: Vec<_> = match value.kind() {
        "expression_list" => children(value).collect(),
        _ => vec![value],
    };
    match values.as_slice() {
        [one] if names > 1 => {
            let whole = walk.read(*one);
            // `v, ok := m[k]`, `x.(T)`, `<-c`: the first is the value itself.
            let checked = matches!(
                one.kind(),
                "type_assertion_expression" | "index_expression" | "unary_expression"
            );
            if checked {
                let bool = walk.b.name("bool");
                return vec![whole, walk.b.expr(Expr::Literal(bool))];
            }
            (0..names)
                .map(|at| walk.b.expr(Expr::Part(whole, at as u16)))
                .collect()
        }
        _ => values.iter().map(|value| walk.read(*value)).collect(),
    }
}

fn bind_all(walk: &mut Walk<'_, '_>, left: Node<'_>, values: &[ExprId]) {
    for (at, name) in children(left).enumerate() {
        if name.kind() == "identifier" && walk.b.text(name) != "_" {
            let bound = values
                .get(at)
                .map_or(Bound::Unknown, |value| Bound::Value(*value));
            walk.local(name, bound);
        }
    }
}

/// `a, b := f()`.
fn short_variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    walk.values(right);
    let values = values_for(walk, left.named_child_count(), Some(right));
    bind_all(walk, left, &values);
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.field("left") {
        for target in children(left) {
            walk.write(target);
        }
    }
    if let Some(right) = node.field("right") {
        walk.values(right);
    }
}

/// `for i, v := range x`.
fn range(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    walk.value_if_name(right);
    let whole = walk.read(right);
    let unknown = walk.b.expr(Expr::Unknown);
    let element = walk.b.expr(Expr::Element(whole));
    bind_all(walk, left, &[unknown, element]);
}

/// `case v := <-c`.
fn receive(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let left = node.field("left");
    let right = node.field("right");
    if let (Some(left), Some(right)) = (left, right) {
        let value = walk.read(right);
        bind_all(walk, left, &[value]);
    }
}

/// A case of a type switch: the name of the switch has the type of the case.
fn type_case(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let Some(switch) = node
        .parent()
        .filter(|switch| switch.kind() == "type_switch_statement")
    else {
        return;
    };
    let Some(name) = switch.field("alias").and_then(|list| children(list).next()) else {
        return;
    };
    let mut cursor = node.walk();
    let types: Vec<_> = node
        .children_by_field_name("type", &mut cursor)
        .filter(Node::is_named)
        .collect();
    let bound = match types.as_slice() {
        [one] => Bound::Declared(walk.read(*one)),
        _ => Bound::Value(walk.read_at(switch, Field("value"))),
    };
    let id = walk.b.name_of(name);
    walk.local_named(id, node.start_byte(), bound);
}

/// `f[T](x)`, which the grammar takes for a conversion, and `[]T(x)`.
fn conversion(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else {
        return;
    };
    if ty.kind() == "generic_type" {
        let base = ty.field("type").unwrap_or(ty);
        let what = walk.read(base);
        let name = base.field("name").unwrap_or(base);
        walk.take(base);
        walk.take(name);
        let args: Vec<_> = node.field("operand").into_iter().collect();
        let args: Vec<_> = args.into_iter().map(|arg| walk.read(arg)).collect();
        let args = walk.b.list(&args);
        walk.site(SiteKind::Call, what, name, args);
    }
    if let Some(operand) = node.field("operand") {
        walk.value_if_name(operand);
    }
}

fn read_conversion(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(ty) = node.field("type") else {
        return Expr::Unknown;
    };
    if ty.kind() != "generic_type" {
        return Expr::Instance(walk.read(ty));
    }
    let callee = walk.read_at(ty, Field("type"));
    let args: Vec<_> = node.field("operand").into_iter().collect();
    let args: Vec<_> = args.into_iter().map(|arg| walk.read(arg)).collect();
    Expr::Call(callee, walk.b.list(&args))
}

/// A call; `new(T)`, `make(T)` and `append(s, …)` give what their first argument says.
fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let (Some(callee), Some(args)) = (node.field("function"), node.field("arguments")) else {
        return Expr::Unknown;
    };
    if callee.kind() == "identifier" {
        let first = children(args).next();
        match (walk.b.text(callee), first) {
            ("new" | "make", Some(ty)) => return Expr::Instance(walk.read(ty)),
            ("append", Some(slice)) => {
                let slice = walk.read(slice);
                return walk.b.expr_at(slice);
            }
            _ => {}
        }
    }
    let callee = walk.read(callee);
    Expr::Call(callee, walk.arguments(Some(args)))
}

/// `T{…}`.
fn composite(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else {
        return;
    };
    if matches!(
        ty.kind(),
        "type_identifier" | "qualified_type" | "generic_type"
    ) {
        walk.new_site(ty, List::default());
    }
}

/// `key: value` in a literal: the key names a field.
fn keyed(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(key) = node.field("key")
        && let Some(name) = children(key).next()
    {
        walk.take(name);
    }
}

fn unary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operand = walk.read_at(node, Field("operand"));
    let operator = node.field("operator");
    match operator.map(|operator| operator.kind()) {
        Some("<-") => Expr::Element(operand),
        Some("&" | "*") => walk.b.expr_at(operand),
        _ => Expr::Unknown,
    }
}

fn slice_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let element = walk.read_at(node, Field("element"));
    Expr::Array(walk.b.list(&[element]))
}

fn map_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let parts = [
        walk.read_at(node, Field("key")),
        walk.read_at(node, Field("value")),
    ];
    let map = walk.b.name("map");
    let map = walk.b.expr(Expr::Name(map));
    Expr::Generic(map, walk.b.list(&parts))
}

fn channel_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Last);
    let chan = walk.b.name("chan");
    let chan = walk.b.expr(Expr::Name(chan));
    Expr::Generic(chan, walk.b.list(&[value]))
}

/// The module that a `go.mod` declares.
pub(crate) fn module(text: &str) -> Option<Manifest> {
    let line = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line).trim())
        .find_map(|line| line.strip_prefix("module"))?;
    let module = line.trim().trim_matches(['"', '`']);
    (!module.is_empty()).then(|| Manifest::Go {
        module: module.to_owned(),
    })
}
