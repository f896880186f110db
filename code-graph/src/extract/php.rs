//! PHP: declarations, uses and imports of one file.
//!
//! Variables and properties are bound with their `$`, so that a property and a method of one name
//! do not meet. A qualified name is one name, as it is written: the rules resolve it.

use super::Builder;
use super::table::{Act, At, Declared, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::facts::{
    Base, BaseKind, Bound, Expr, ExprId, Flags, FunctionId, List, NameId, SiteKind, SymbolKind,
    Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a PHP file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &PHP);
    // What a trait brings comes before what is inherited.
    let order = |base: &Base| (base.class, base.kind != BaseKind::MixesIn);
    b.facts.bases.sort_by_key(order);
}

use At::{Field, Kind, Last, Nth};

static PHP: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("namespace_definition", Act::Hook(namespace)),
        ("namespace_use_declaration", Act::Hook(import)),
        ("class_declaration", Act::Hook(class)),
        ("interface_declaration", Act::Hook(class)),
        ("trait_declaration", Act::Hook(class)),
        ("enum_declaration", Act::Hook(class)),
        ("anonymous_class", Act::Hook(anonymous)),
        ("enum_case", Act::Hook(enum_case)),
        ("use_declaration", Act::Hook(traits)),
        ("const_declaration", Act::Hook(constants)),
        ("property_declaration", Act::Hook(properties)),
        ("method_declaration", Act::Hook(method)),
        ("function_definition", Act::Hook(method)),
        ("anonymous_function", Act::Closure),
        ("arrow_function", Act::Hook(arrow)),
        ("function_call_expression", Act::Hook(function_call)),
        ("member_call_expression", Act::Hook(member_call)),
        ("nullsafe_member_call_expression", Act::Hook(member_call)),
        ("scoped_call_expression", Act::Hook(member_call)),
        ("object_creation_expression", Act::Hook(creation)),
        ("member_access_expression", Act::Member),
        ("nullsafe_member_access_expression", Act::Member),
        ("scoped_property_access_expression", Act::Member),
        (
            "class_constant_access_expression",
            Act::Hook(class_constant),
        ),
        ("assignment_expression", Act::Hook(assignment)),
        ("reference_assignment_expression", Act::Hook(assignment)),
        ("foreach_statement", Act::Hook(foreach)),
        ("catch_clause", Act::Hook(catch)),
        ("if_statement", Act::Hook(if_statement)),
        ("static_variable_declaration", Act::Hook(static_variable)),
        ("binary_expression", Act::Hook(binary)),
        ("return_statement", Act::Return),
        ("argument", Act::Values),
        ("array_element_initializer", Act::Values),
        ("array_creation_expression", Act::Hook(callable_array)),
        ("named_type", Act::Hook(named_type)),
        ("attribute", Act::Hook(attribute)),
    ],
    read: &[
        ("name", Read::Name),
        ("qualified_name", Read::Name),
        ("relative_name", Read::Name),
        ("namespace_name", Read::Name),
        ("variable_name", Read::Hook(variable)),
        ("relative_scope", Read::Hook(relative)),
        ("named_type", Read::Hook(read_named)),
        ("optional_type", Read::Through(Nth(0))),
        ("union_type", Read::Union),
        ("intersection_type", Read::Union),
        ("disjunctive_normal_form_type", Read::Union),
        ("primitive_type", Read::Hook(primitive)),
        ("bottom_type", Read::Literal("never")),
        ("member_access_expression", Read::Hook(property)),
        ("nullsafe_member_access_expression", Read::Hook(property)),
        (
            "scoped_property_access_expression",
            Read::Member(Field("scope"), Field("name")),
        ),
        (
            "class_constant_access_expression",
            Read::Member(Nth(0), Last),
        ),
        (
            "function_call_expression",
            Read::Call(Field("function"), Field("arguments")),
        ),
        (
            "member_call_expression",
            Read::Method(Field("object"), Field("name"), Field("arguments")),
        ),
        (
            "nullsafe_member_call_expression",
            Read::Method(Field("object"), Field("name"), Field("arguments")),
        ),
        (
            "scoped_call_expression",
            Read::Method(Field("scope"), Field("name"), Field("arguments")),
        ),
        ("object_creation_expression", Read::Hook(read_creation)),
        ("argument", Read::Hook(argument)),
        ("array_element_initializer", Read::Through(Last)),
        ("array_creation_expression", Read::Array),
        ("subscript_expression", Read::Index(Nth(0), Nth(1))),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("assignment_expression", Read::Through(Field("right"))),
        ("clone_expression", Read::Through(Nth(0))),
        ("conditional_expression", Read::Hook(conditional)),
        ("match_expression", Read::Hook(match_expression)),
        ("binary_expression", Read::Hook(read_binary)),
        ("anonymous_function", Read::Closure),
        ("arrow_function", Read::Closure),
        ("string", Read::Literal("string")),
        ("encapsed_string", Read::Literal("string")),
        ("heredoc", Read::Literal("string")),
        ("integer", Read::Literal("int")),
        ("float", Read::Literal("float")),
        ("boolean", Read::Literal("bool")),
        ("null", Read::Literal("null")),
    ],
    closure,
    methods_apart: false,
    modifiers: &[],
    plain_docs: false,
    annotations: &["attribute_list"],
    visibility: |_, _, _| Visibility::Public,
    numbered: OnceLock::new(),
};

fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.child_by_field_name("name") {
        let id = walk.b.name_of(name);
        if walk.b.facts.namespace.is_none() {
            walk.b.facts.namespace = Some(id);
        } else if walk.b.facts.namespace != Some(id) {
            // A second namespace in one file: its names are not those of the first.
            let declared = Declared {
                node,
                kind: SymbolKind::Module,
                name,
                body: node.child_by_field_name("body").or(Some(name)),
            };
            let symbol = walk.symbol(&declared, id);
            if declared.node.child_by_field_name("body").is_some() {
                walk.members(symbol);
            }
        }
    }
}

/// `use A\B;`, `use A\B as C;`, `use A\{B, C as D};`, `use function A\f;`
fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let prefix = child_of_kind(node, "namespace_name").map(|prefix| walk.b.text(prefix));
    let group = node.child_by_field_name("body");
    for clause in children(group.unwrap_or(node)) {
        if clause.kind() != "namespace_use_clause" {
            continue;
        }
        let Some(path) = children(clause).next() else {
            continue;
        };
        let text = walk.b.text(path).trim_start_matches('\\');
        let full = match prefix.filter(|_| group.is_some()) {
            Some(prefix) => format!("{}\\{text}", prefix.trim_start_matches('\\')),
            None => text.to_owned(),
        };
        let (module, name) = full.rsplit_once('\\').unwrap_or(("", &full));
        let alias = clause.child_by_field_name("alias");
        let local = alias.map_or(name, |alias| walk.b.text(alias));
        let at = children(path).last().unwrap_or(path);
        walk.import_of(at, module, Some(name), Some(local));
    }
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = match node.kind() {
        "interface_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "trait_declaration" => SymbolKind::Mixin,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.child_by_field_name("body"),
    };
    let scope = walk.scope();
    let (id, _) = walk.declare_type(&declared, []);
    bases(walk, node, id, scope);
}

fn bases(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    id: crate::facts::SymbolId,
    scope: crate::facts::ScopeId,
) {
    for clause in children(node) {
        let kind = match clause.kind() {
            "base_clause" => BaseKind::Extends,
            "class_interface_clause" => BaseKind::Implements,
            _ => continue,
        };
        for base in children(clause) {
            walk.base(id, kind, base, scope);
        }
    }
}

fn anonymous(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let base = children(node).find_map(|clause| match clause.kind() {
        "base_clause" | "class_interface_clause" => children(clause).next(),
        _ => None,
    });
    let scope = walk.scope();
    let name = match base {
        Some(base) => format!("new {}", walk.b.text(base)),
        None => "new class".to_owned(),
    };
    let name = walk.b.name(&name);
    let declared = Declared {
        node,
        kind: SymbolKind::Class,
        name: node,
        body: node.child_by_field_name("body"),
    };
    let id = walk.symbol(&declared, name);
    walk.type_body(id, []);
    bases(walk, node, id, scope);
}

fn traits(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = walk.class() else { return };
    let scope = walk.outside(class);
    for name in children(node) {
        if matches!(name.kind(), "name" | "qualified_name") {
            walk.base(class, BaseKind::MixesIn, name, scope);
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
    }
}

fn constants(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    for element in children(node).filter(|child| child.kind() == "const_element") {
        let mut parts = children(element);
        let (Some(name), value) = (parts.next(), parts.next()) else {
            continue;
        };
        let declared = Declared {
            node,
            kind: SymbolKind::Constant,
            name,
            body: value,
        };
        let value = value.map(|value| walk.read(value));
        if let Some(id) = walk.variable(&declared, None, value) {
            walk.flag(id, Flags::STATIC);
        }
    }
}

/// The type that a `@var`, `@param $x` or `@return` of the doc comment before `start` names.
fn doc_type(walk: &mut Walk<'_, '_>, start: usize, tag: &str, of: Option<&str>) -> Option<ExprId> {
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

fn properties(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = node.child_by_field_name("type");
    let ty = match telling(walk, ty) {
        Some(ty) => Some(ty),
        None => doc_type(walk, node.start_byte(), "@var", None),
    };
    let is_static = child_of_kind(node, "static_modifier").is_some();
    for element in children(node).filter(|child| child.kind() == "property_element") {
        let Some(name) = element.child_by_field_name("name") else {
            continue;
        };
        let value = element.child_by_field_name("default_value");
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

fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
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
    let body = node.child_by_field_name("body");
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
    let result = node.child_by_field_name("return_type");
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
    let Some(list) = node.child_by_field_name("parameters") else {
        return;
    };
    for param in children(list) {
        let Some(name) = param.child_by_field_name("name") else {
            continue;
        };
        let text = walk.b.text(name);
        let written = param.child_by_field_name("type");
        let ty = match telling(walk, written) {
            Some(ty) => Some(ty),
            None => doc.and_then(|doc| doc_word(walk, doc, "@param", Some(text))),
        };
        let default = param.child_by_field_name("default_value");
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

fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    walk.set_result(function, node.child_by_field_name("return_type"));
    params(walk, node, function, None);
}

fn arrow(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.closure(node);
    if let Some(body) = node.child_by_field_name("body") {
        walk.returns(body);
    }
}

fn variable(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "$this" => Expr::This,
        name => Expr::Name(walk.b.name(name)),
    }
}

fn relative(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "parent" => Expr::Super,
        _ => Expr::SelfType,
    }
}

fn read_named(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match walk.b.text(node) {
        "self" | "static" => Expr::SelfType,
        "parent" => Expr::Super,
        _ => {
            let name = walk.read_at(node, Nth(0));
            walk.b.expr_at(name)
        }
    }
}

fn primitive(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Literal(walk.b.name_of(node))
}

/// `$o->p`: the property is bound with its `$`.
fn property(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(name) = node.child_by_field_name("name") else {
        return Expr::Unknown;
    };
    let object = walk.read_at(node, Field("object"));
    if name.kind() != "name" {
        return Expr::Unknown;
    }
    let bound = format!("${}", walk.b.text(name));
    Expr::Member(object, walk.b.name(&bound))
}

fn argument(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let value = walk.read_at(node, Last);
    match node.child_by_field_name("name") {
        Some(name) => Expr::Keyword(walk.b.name_of(name), value),
        None => walk.b.expr_at(value),
    }
}

fn function_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let args = node.child_by_field_name("arguments");
    let Some(callee) = node.child_by_field_name("function") else {
        return;
    };
    if walk.b.text(callee) == "define" {
        define(walk, node, args);
    }
    walk.call_of(Some(callee), args);
}

/// `define('X', …)`.
fn define(walk: &mut Walk<'_, '_>, node: Node<'_>, args: Option<Node<'_>>) {
    let Some(text) = args
        .and_then(|args| children(args).next())
        .and_then(|arg| children(arg).next())
        .and_then(|text| child_of_kind(text, "string_content"))
    else {
        return;
    };
    if walk.function().is_none() {
        let declared = Declared {
            node,
            kind: SymbolKind::Constant,
            name: text,
            body: None,
        };
        walk.declare(&declared);
    }
}

/// `$o->m(…)`, `A::m(…)`, `parent::__construct(…)`.
fn member_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let object = node
        .child_by_field_name("object")
        .or_else(|| node.child_by_field_name("scope"));
    let Some(object) = object else { return };
    if object.kind() == "name" || object.kind() == "qualified_name" {
        walk.class_use(object);
    }
    let of = walk.read(object);
    let id = walk.b.name_of(name);
    let what = walk.b.expr(Expr::Member(of, id));
    let args = walk.arguments(node.child_by_field_name("arguments"));
    walk.call_site(what, args, name);
}

/// The node of the class in `new T`.
fn class_of<'n>(node: Node<'n>) -> Option<Node<'n>> {
    children(node).find(|child| child.kind() != "arguments")
}

fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = class_of(node) else { return };
    if class.kind() == "anonymous_class" {
        return;
    }
    let what = new_class(walk, class);
    let args = child_of_kind(node, "arguments");
    let args = walk.arguments(args);
    walk.site(SiteKind::New, what, class, args);
    walk.take(class);
}

/// The class that `new` names.
fn new_class(walk: &mut Walk<'_, '_>, class: Node<'_>) -> ExprId {
    match walk.b.text(class) {
        "self" | "static" => walk.b.expr(Expr::SelfType),
        "parent" => walk.b.expr(Expr::Super),
        _ if matches!(class.kind(), "name" | "qualified_name" | "relative_name") => {
            walk.read(class)
        }
        _ => walk.b.expr(Expr::Unknown),
    }
}

fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(class) = class_of(node) else {
        return Expr::Unknown;
    };
    if class.kind() == "anonymous_class" {
        let base = child_of_kind(class, "base_clause").and_then(|clause| children(clause).next());
        return match base {
            Some(base) => Expr::New(walk.read(base), List::default()),
            None => Expr::Unknown,
        };
    }
    let what = new_class(walk, class);
    let args = child_of_kind(node, "arguments");
    Expr::New(what, walk.arguments(args))
}

/// `A::C`, `A::class`.
fn class_constant(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(class) = children(node).next() else {
        return;
    };
    if children(node)
        .last()
        .is_some_and(|name| walk.b.text(name) == "class")
    {
        walk.class_use(class);
        walk.take(node);
        return;
    }
    walk.value(node);
}

/// Locals are bound where they are assigned; properties without a declaration as well.
fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    walk.value_if_name(right);
    match left.kind() {
        "variable_name" => {
            let ty = doc_type(walk, statement(node).start_byte(), "@var", None);
            let bound = match ty {
                Some(ty) => Bound::Declared(ty),
                None => Bound::Value(walk.read(right)),
            };
            bind_variable(walk, left, bound);
        }
        "list_literal" | "array_creation_expression" => {
            let whole = walk.read(right);
            for (at, part) in children(left).enumerate() {
                let part = match part.kind() {
                    "array_element_initializer" => children(part).last().unwrap_or(part),
                    _ => part,
                };
                if part.kind() == "variable_name" {
                    let value = walk.b.expr(Expr::Part(whole, at as u16));
                    bind_variable(walk, part, Bound::Value(value));
                }
            }
            walk.take(left);
        }
        _ => walk.write(left),
    }
}

/// The statement that an expression is.
fn statement(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent) if parent.kind() == "expression_statement" => parent,
        _ => node,
    }
}

/// Variables belong to the function, not to a block.
fn bind_variable(walk: &mut Walk<'_, '_>, name: Node<'_>, bound: Bound) {
    let id: NameId = walk.b.name_of(name);
    walk.function_local(id, name.start_byte(), bound);
}

fn foreach(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut parts = children(node);
    let (Some(whole), Some(target)) = (parts.next(), parts.next()) else {
        return;
    };
    let whole = walk.read(whole);
    let element = walk.b.expr(Expr::Element(whole));
    let (key, value) = match target.kind() {
        "pair" => {
            let mut pair = children(target);
            (pair.next(), pair.next())
        }
        _ => (None, Some(target)),
    };
    if let Some(key) = key
        && key.kind() == "variable_name"
    {
        bind_variable(walk, key, Bound::Unknown);
    }
    if let Some(value) = value {
        let value = match value.kind() {
            "by_ref" => children(value).next().unwrap_or(value),
            _ => value,
        };
        if value.kind() == "variable_name" {
            bind_variable(walk, value, Bound::Value(element));
        }
    }
}

fn catch(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(ty), Some(name)) = (
        node.child_by_field_name("type"),
        node.child_by_field_name("name"),
    ) else {
        return;
    };
    let list = walk.read_all(ty);
    let ty = match walk.b.operands(list) {
        [one] => *one,
        _ => walk.b.expr(Expr::Union(list)),
    };
    bind_variable(walk, name, Bound::Declared(ty));
}

/// `if ($x instanceof T)`: where it holds, `$x` is a `T`.
fn if_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(condition), Some(body)) = (
        node.child_by_field_name("condition"),
        node.child_by_field_name("body"),
    ) else {
        return;
    };
    let mut left = vec![condition];
    while let Some(test) = left.pop() {
        match test.kind() {
            "parenthesized_expression" => left.extend(children(test)),
            "binary_expression" => {
                let operator = test.child_by_field_name("operator").map(|o| o.kind());
                match operator {
                    Some("&&") => left.extend(children(test)),
                    Some("instanceof") => {
                        if let (Some(name), Some(ty)) = (
                            test.child_by_field_name("left"),
                            test.child_by_field_name("right"),
                        ) && name.kind() == "variable_name"
                            && walk.b.text(name) != "$this"
                        {
                            let ty = walk.read(ty);
                            let id = walk.b.name_of(name);
                            walk.narrow(body, id, ty);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn static_variable(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.child_by_field_name("name") {
        bind_variable(walk, name, Bound::Unknown);
    }
}

/// `$x instanceof T` uses a type.
fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if node
        .child_by_field_name("operator")
        .is_some_and(|o| o.kind() == "instanceof")
        && let Some(ty) = node.child_by_field_name("right")
        && matches!(ty.kind(), "name" | "qualified_name")
    {
        walk.type_use(ty);
    }
}

/// `$a ?? $b`.
fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operator = node.child_by_field_name("operator").map(|o| o.kind());
    match operator {
        Some("??" | "?:") => Expr::Union(walk.read_all(node)),
        Some(".") => Expr::Literal(walk.b.name("string")),
        _ => Expr::Unknown,
    }
}

fn conditional(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let first = match node.child_by_field_name("body") {
        Some(body) => walk.read(body),
        None => walk.read_at(node, Field("condition")),
    };
    let operands = [first, walk.read_at(node, Field("alternative"))];
    Expr::Union(walk.b.list(&operands))
}

fn match_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut all = Vec::new();
    if let Some(body) = node.child_by_field_name("body") {
        for arm in children(body) {
            if let Some(value) = arm.child_by_field_name("return_expression") {
                all.push(walk.read(value));
            }
        }
    }
    Expr::Union(walk.b.list(&all))
}

/// `[$this, 'm']` and `[A::class, 'm']` name a method.
fn callable_array(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let parts: Vec<_> = children(node)
        .filter_map(|part| children(part).last())
        .collect();
    let [object, name] = parts.as_slice() else {
        return;
    };
    let Some(text) = child_of_kind(*name, "string_content").filter(|_| name.kind() == "string")
    else {
        return;
    };
    let of = match object.kind() {
        "variable_name" => walk.read(*object),
        "class_constant_access_expression" => match children(*object).next() {
            Some(class) => walk.read(class),
            None => return,
        },
        _ => return,
    };
    let id = walk.b.name_of(text);
    let what = walk.b.expr(Expr::Member(of, id));
    walk.site(SiteKind::Value, what, text, List::default());
}

fn named_type(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = children(node).next()
        && !matches!(walk.b.text(name), "self" | "static" | "parent")
    {
        walk.class_use(name);
    }
}

fn attribute(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = children(node).next() {
        let args = Kind("arguments").of(node);
        walk.annotation(name, args);
    }
}
