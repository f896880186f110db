//! Dart: declarations, uses and imports of one file.

use super::Builder;
use super::table::{
    Act, At, CONSTRUCTOR, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::facts::{
    Base, BaseKind, Bound, Expr, Flags, FunctionId, Import, List, Manifest, ScopeId, SiteKind,
    SymbolId, SymbolKind, Visibility,
};
use hashbrown::HashSet;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a Dart file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &DART);
    // The last mixin comes first, then what is extended.
    let order = |base: &Base| match base.kind {
        BaseKind::MixesIn => (base.class, 0, u32::MAX - base.at),
        _ => (base.class, 1, base.at),
    };
    b.facts.bases.sort_by_key(order);
    // A name that has both a getter and a setter stands for the getter.
    let facts = &mut b.facts;
    let kind = |bound: Bound| match bound {
        Bound::Symbol(id) => facts.symbols.get(id.index()).map(|symbol| symbol.kind),
        _ => None,
    };
    let read: HashSet<_> = facts
        .bindings
        .iter()
        .filter(|binding| kind(binding.bound) == Some(SymbolKind::Getter))
        .map(|binding| (binding.scope, binding.name))
        .collect();
    let keep: Vec<bool> = facts
        .bindings
        .iter()
        .map(|binding| {
            kind(binding.bound) != Some(SymbolKind::Setter)
                || !read.contains(&(binding.scope, binding.name))
        })
        .collect();
    let mut keep = keep.into_iter();
    facts.bindings.retain(|_| keep.next().unwrap_or(true));
}

use At::{Field, Last, Nth};

static DART: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("documentation_comment", Act::Comment),
        ("library_name", Act::Hook(library)),
        ("library_import", Act::Hook(import)),
        ("library_export", Act::Hook(import)),
        ("part_directive", Act::Hook(part)),
        ("part_of_directive", Act::Hook(part_of)),
        ("class_declaration", Act::Hook(class)),
        ("mixin_declaration", Act::Hook(class)),
        ("enum_declaration", Act::Hook(class)),
        ("extension_declaration", Act::Hook(extension)),
        ("extension_type_declaration", Act::Hook(class)),
        ("enum_entry", Act::Hook(enum_entry)),
        ("member_declaration", Act::Hook(member)),
        ("type_alias", Act::Hook(alias)),
        ("function_declaration", Act::Hook(function)),
        ("getter_declaration", Act::Hook(function)),
        ("setter_declaration", Act::Hook(function)),
        ("external_function_declaration", Act::Hook(function)),
        ("local_function_declaration", Act::Hook(function)),
        ("top_level_variable_declaration", Act::Hook(fields)),
        ("initialized_variable_declaration", Act::Hook(locals)),
        ("pattern_variable_declaration", Act::Hook(pattern_variables)),
        ("variable_pattern", Act::Hook(variable_pattern)),
        ("function_expression", Act::Closure),
        ("function_type", Act::Closure),
        ("function_body", Act::Hook(body)),
        ("function_expression_body", Act::Hook(body)),
        ("field_initializer", Act::Hook(field_initializer)),
        ("initializer_list_entry", Act::Hook(initializer)),
        ("redirection", Act::Hook(redirection)),
        ("block", Act::Block),
        ("for_statement", Act::Hook(for_statement)),
        ("for_element", Act::Hook(for_statement)),
        ("switch_statement_case", Act::Block),
        ("switch_expression_case", Act::Block),
        ("try_statement", Act::Hook(try_statement)),
        ("if_statement", Act::Hook(if_statement)),
        ("conditional_expression", Act::Hook(conditional)),
        (
            "call_expression",
            Act::CallOf(Field("function"), Field("arguments")),
        ),
        ("new_expression", Act::Hook(creation)),
        ("const_object_expression", Act::Hook(creation)),
        ("cascade", Act::Hook(cascade)),
        ("cascade_call_expression", Act::Hook(cascade_call)),
        ("cascade_selector", Act::Member),
        ("cascade_member_expression", Act::Member),
        ("cascade_null_aware_member_expression", Act::Member),
        ("member_expression", Act::Member),
        ("null_aware_member_expression", Act::Member),
        ("assignment_expression", Act::Hook(assignment)),
        ("return_statement", Act::Return),
        ("arguments", Act::Values),
        ("named_argument", Act::Hook(named_argument)),
        ("list_literal", Act::Values),
        ("map_element", Act::Values),
        ("set_or_map_literal", Act::Values),
        ("type", Act::Hook(type_use)),
        ("annotation", Act::Hook(annotation)),
    ],
    read: &[
        ("identifier", Read::Name),
        ("type_identifier", Read::Name),
        ("identifier_dollar_escaped", Read::Name),
        ("'this", Read::This),
        ("'super", Read::Super),
        ("type", Read::Hook(read_type)),
        ("extension_type_name", Read::Through(Nth(0))),
        ("void_type", Read::Literal("void")),
        ("function_type", Read::Closure),
        ("function_expression", Read::Closure),
        ("record_type", Read::Tuple),
        ("record_type_field", Read::Through(Field("type"))),
        ("record_literal", Read::Tuple),
        (
            "member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        (
            "null_aware_member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        (
            "cascade_member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        (
            "cascade_null_aware_member_expression",
            Read::Member(Field("object"), Field("property")),
        ),
        ("cascade_selector", Read::Hook(cascade_selector)),
        ("cascade_call_expression", Read::Hook(read_cascade_call)),
        ("cascade", Read::Through(Nth(0))),
        (
            "call_expression",
            Read::Call(Field("function"), Field("arguments")),
        ),
        ("new_expression", Read::Hook(read_creation)),
        ("const_object_expression", Read::Hook(read_creation)),
        ("instantiation_expression", Read::Through(Field("function"))),
        ("null_assertion_expression", Read::Unwrap(Field("value"))),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("unary_expression", Read::Through(Nth(0))),
        ("await_expression", Read::Await(Nth(0))),
        ("type_cast_expression", Read::Hook(cast)),
        (
            "index_expression",
            Read::Index(Field("object"), Field("index")),
        ),
        (
            "conditional_expression",
            Read::Either(Field("consequence"), Field("alternative")),
        ),
        ("if_null_expression", Read::Union),
        ("assignment_expression", Read::Through(Field("right"))),
        ("named_argument", Read::Hook(read_named)),
        ("list_literal", Read::Hook(list_literal)),
        ("string_literal", Read::Literal("String")),
        ("decimal_integer_literal", Read::Literal("int")),
        ("hex_integer_literal", Read::Literal("int")),
        ("decimal_floating_point_literal", Read::Literal("double")),
        ("true", Read::Literal("bool")),
        ("false", Read::Literal("bool")),
    ],
    closure,
    modifiers: &[
        "declaration",
        "method_declaration",
        "method_signature",
        "function_signature",
        "getter_signature",
        "setter_signature",
        "constructor_signature",
        "constant_constructor_signature",
        "factory_constructor_signature",
        "operator_signature",
        "extension_type_name",
    ],
    methods_apart: false,
    plain_docs: false,
    annotations: &["annotation"],
    visibility,
    numbered: OnceLock::new(),
};

/// A name that begins with `_` belongs to its library.
fn visibility(_: &Walk<'_, '_>, name: &str, _: SymbolKind) -> Visibility {
    match name.starts_with('_') {
        true => Visibility::Private,
        false => Visibility::Public,
    }
}

fn library(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    if let Some(name) = child_of_kind(node, "dotted_identifier_list") {
        walk.b.facts.namespace = Some(walk.b.name_of(name));
    }
}

/// The text of a URI, and the node that it stands in.
fn uri<'n>(walk: &Walk<'_, '_>, node: Node<'n>) -> Option<(Node<'n>, String)> {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if node.kind() == "string_literal" {
            let text = walk.b.text(node);
            let text = text.trim_start_matches('r').trim_matches(['\'', '"']);
            return Some((node, text.to_owned()));
        }
        left.extend(children(node));
    }
    None
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let specification = child_of_kind(node, "import_specification").unwrap_or(node);
    let Some((at, module)) = uri(walk, specification) else {
        return;
    };
    let reexport = node.kind() == "library_export";
    let alias = specification.child_by_field_name("alias");
    let mut shown = Vec::new();
    let mut only = false;
    for combinator in children(specification).filter(|child| child.kind() == "combinator") {
        if walk.b.text(combinator).starts_with("show") {
            only = true;
            shown.extend(children(combinator));
        }
    }
    let module_id = walk.b.name(&module);
    let base = Import {
        module: module_id,
        level: 0,
        name: None,
        local: None,
        wildcard: false,
        reexport,
        type_only: false,
        scope: ScopeId::MODULE,
        at: at.start_byte() as u32,
        row: at.start_position().row as u32,
    };
    if let Some(alias) = alias {
        let local = Some(walk.b.name_of(alias));
        walk.import(Import { local, ..base });
    } else if only {
        for name in shown {
            let id = walk.b.name_of(name);
            walk.import(Import {
                name: Some(id),
                local: Some(id),
                at: name.start_byte() as u32,
                row: name.start_position().row as u32,
                ..base
            });
        }
    } else {
        walk.import(Import {
            wildcard: true,
            ..base
        });
    }
}

/// `part 'x.dart'`: its names are names of this library.
fn part(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    if let Some((at, module)) = uri(walk, node) {
        let id = walk.import_of(at, &module, None, None);
        if let Some(import) = walk.b.facts.imports.get_mut(id.index()) {
            import.reexport = true;
            import.level = 1;
        }
    }
}

/// `part of 'x.dart'` and `part of a.b`: everything the library sees is seen here.
fn part_of(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.skip();
    let (at, module) = match uri(walk, node) {
        Some(found) => found,
        None => match children(node).next() {
            Some(name) => (name, walk.b.text(name).to_owned()),
            None => return,
        },
    };
    let id = walk.import_of(at, &module, None, None);
    if let Some(import) = walk.b.facts.imports.get_mut(id.index()) {
        import.wildcard = false;
        import.level = 2;
    }
}

fn type_params<'n>(list: Option<Node<'n>>) -> Vec<(Node<'n>, Option<Node<'n>>)> {
    let Some(list) = list else { return Vec::new() };
    children(list)
        .filter_map(|param| {
            let name = param.child_by_field_name("name")?;
            Some((name, param.child_by_field_name("bound")))
        })
        .collect()
}

fn class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(application) = child_of_kind(node, "mixin_application_class") {
        mixin_application(walk, node, application);
        return;
    }
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let name = child_of_kind(name, "identifier").unwrap_or(name);
    let kind = match node.kind() {
        "mixin_declaration" => SymbolKind::Mixin,
        "enum_declaration" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.child_by_field_name("body"),
    };
    let params = type_params(child_of_kind(node, "type_parameters"));
    let (id, head) = walk.declare_type(&declared, params);
    for clause in children(node) {
        match clause.kind() {
            "superclass" => {
                for base in children(clause) {
                    match base.kind() {
                        "type" => walk.base(id, BaseKind::Extends, base, head),
                        "mixins" => mixins(walk, id, base, head),
                        _ => {}
                    }
                }
            }
            "mixins" => mixins(walk, id, clause, head),
            "interfaces" => {
                for base in children(clause) {
                    walk.base(id, BaseKind::Implements, base, head);
                }
            }
            // `mixin M on T`.
            "type" => walk.base(id, BaseKind::Extends, clause, head),
            "extension_type_representation" => {
                if let (Some(name), Some(ty)) = (
                    clause.child_by_field_name("name"),
                    clause.child_by_field_name("type"),
                ) {
                    let declared = Declared {
                        node: clause,
                        kind: SymbolKind::Field,
                        name,
                        body: None,
                    };
                    let ty = walk.read(ty);
                    walk.variable(&declared, Some(ty), None);
                }
            }
            _ => {}
        }
    }
}

fn mixins(walk: &mut Walk<'_, '_>, id: SymbolId, node: Node<'_>, head: ScopeId) {
    for base in children(node) {
        walk.base(id, BaseKind::MixesIn, base, head);
    }
}

/// `class A = B with M;`
fn mixin_application(walk: &mut Walk<'_, '_>, node: Node<'_>, application: Node<'_>) {
    let (Some(name), Some(what)) = (
        children(application).next(),
        child_of_kind(application, "mixin_application"),
    ) else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Class,
        name,
        body: None,
    };
    let params = type_params(child_of_kind(application, "type_parameters"));
    let (id, head) = walk.declare_type(&declared, params);
    for part in children(what) {
        match part.kind() {
            "type" => walk.base(id, BaseKind::Extends, part, head),
            "mixins" => mixins(walk, id, part, head),
            "interfaces" => {
                for base in children(part) {
                    walk.base(id, BaseKind::Implements, base, head);
                }
            }
            _ => {}
        }
    }
}

fn extension(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(target) = node.child_by_field_name("class") else {
        return;
    };
    let name = node.child_by_field_name("name");
    let declared = Declared {
        node,
        kind: SymbolKind::Extension,
        name: name.unwrap_or(target),
        body: node.child_by_field_name("body"),
    };
    let id = match name {
        Some(_) => walk.declare(&declared),
        None => {
            let last = walk.b.name_of(target);
            walk.symbol(&declared, last)
        }
    };
    let params = type_params(child_of_kind(node, "type_parameters"));
    let head = walk.type_body(id, params);
    let members = walk.scope();
    walk.extension(target, None, members, head);
}

fn enum_entry(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::EnumMember,
        name,
        body: None,
    };
    let Some(class) = walk.class() else { return };
    let ty = walk.b.expr(Expr::Symbol(class));
    if let Some(id) = walk.variable(&declared, Some(ty), None) {
        walk.flag(id, Flags::STATIC);
        let args = child_of_kind(node, "arguments");
        if args.is_some() {
            let args = walk.arguments(args);
            walk.with_owner(Some(id), |walk| walk.site(SiteKind::New, ty, name, args));
        }
        walk.enter_owner(id);
    }
}

/// A member: method, constructor, accessor or fields.
fn member(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(inner) =
        children(node).find(|child| matches!(child.kind(), "declaration" | "method_declaration"))
    else {
        return;
    };
    let signature = match inner.child_by_field_name("signature") {
        Some(signature) => children(signature).next(),
        None => children(inner).find(|child| child.kind().ends_with("signature")),
    };
    match signature {
        Some(signature) => {
            let body = inner.child_by_field_name("body");
            let is_static = inner
                .child_by_field_name("signature")
                .is_some_and(|outer| walk.b.text(outer).starts_with("static "));
            let id = callable(walk, node, signature, body);
            if let Some(id) = id {
                if is_static || walk.b.text(inner).starts_with("static ") {
                    walk.flag(id, Flags::STATIC);
                }
                if body.is_none() && !signature.kind().contains("constructor") {
                    walk.flag(id, Flags::ABSTRACT);
                }
            }
        }
        None => fields(walk, inner),
    }
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let signature = node.child_by_field_name("signature");
    let signature =
        signature.or_else(|| children(node).find(|child| child.kind().ends_with("_signature")));
    let body = node.child_by_field_name("body");
    let body = body.or_else(|| child_of_kind(node, "function_body"));
    if let Some(signature) = signature {
        callable(walk, node, signature, body);
    }
}

/// Declares what a signature says; the walk is in it until it leaves the node it is at.
fn callable(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    signature: Node<'_>,
    body: Option<Node<'_>>,
) -> Option<SymbolId> {
    let in_type = walk.in_members();
    let (kind, name) = match signature.kind() {
        "getter_signature" => (SymbolKind::Getter, signature.child_by_field_name("name")?),
        "setter_signature" => (SymbolKind::Setter, signature.child_by_field_name("name")?),
        "operator_signature" => (
            SymbolKind::Method,
            signature.child_by_field_name("operator")?,
        ),
        kind if kind.contains("constructor") => {
            let mut cursor = signature.walk();
            let names = signature.children_by_field_name("name", &mut cursor);
            let name = names.filter(Node::is_named).last()?;
            (SymbolKind::Constructor, name)
        }
        _ if in_type => (SymbolKind::Method, signature.child_by_field_name("name")?),
        _ => (SymbolKind::Function, signature.child_by_field_name("name")?),
    };
    let declared = Declared {
        node,
        kind,
        name,
        body,
    };
    let class = walk.class();
    let id = if kind == SymbolKind::Constructor {
        let text = walk.b.text(name);
        let id = walk.b.name(text);
        let id = walk.symbol(&declared, id);
        let class_name =
            class.and_then(|class| Some(walk.b.facts.symbols.get(class.index())?.name));
        let unnamed = class_name.map(|class| walk.b.named(class)) == Some(text) || text == "new";
        let bound = match unnamed {
            true => walk.b.name(CONSTRUCTOR),
            false => walk.b.name(text),
        };
        let scope = walk.scope();
        walk.b
            .bind(scope, bound, name.start_byte(), Bound::Symbol(id));
        id
    } else {
        walk.declare(&declared)
    };
    if !in_type && walk.b.text(name) == "main" {
        walk.flag(id, Flags::ENTRY);
    }
    let function = walk.function_of(id);
    let params = child_of_kind(signature, "type_parameters");
    let names = walk.type_params(type_params(params));
    walk.set_type_params(function, names);
    match (kind, class) {
        (SymbolKind::Constructor, Some(class)) => {
            let ty = walk.b.expr(Expr::Symbol(class));
            if let Some(function) = walk.b.function_mut(function) {
                function.result = Some(ty);
            }
        }
        _ => walk.set_result(function, signature.child_by_field_name("return_type")),
    }
    if let Some(list) = child_of_kind(signature, "formal_parameter_list") {
        params_of(walk, list, function);
    }
    if let Some(target) = signature.child_by_field_name("target") {
        // `factory A.x() = B.y;`
        let what = walk.read(target);
        walk.take(target);
        let last = children(target).last().unwrap_or(target);
        walk.site(SiteKind::Call, what, last, List::default());
    }
    Some(id)
}

fn params_of(walk: &mut Walk<'_, '_>, list: Node<'_>, function: FunctionId) {
    for param in children(list) {
        if param.kind() == "optional_formal_parameters" {
            for param in children(param) {
                if param.kind() == "formal_parameter" {
                    parameter(walk, param, function);
                }
            }
        } else if param.kind() == "formal_parameter" {
            parameter(walk, param, function);
        }
    }
}

fn parameter(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let inner = children(node).find(|child| {
        matches!(
            child.kind(),
            "field_formal_parameter" | "super_formal_parameter"
        )
    });
    let holder = inner.unwrap_or(node);
    let name = holder
        .child_by_field_name("name")
        .or_else(|| child_of_kind(holder, "identifier"));
    let Some(name) = name else { return };
    let declared = child_of_kind(holder, "type");
    if let Some(formal) = inner
        && formal.kind() == "field_formal_parameter"
        && declared.is_none()
    {
        // `this.x` has the type of the field.
        let id = walk.b.name_of(name);
        let this = walk.b.expr(Expr::This);
        let field = walk.b.expr(Expr::Member(this, id));
        walk.param_of(function, id, name.start_byte(), None, None, false);
        walk.local(name, Bound::Value(field));
        return;
    }
    let param = Parameter {
        name,
        declared,
        default: None,
        rest: false,
    };
    walk.param(function, &param);
}

fn closure(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    if node.kind() == "function_type" {
        let result = child_of_kind(node, "type");
        walk.set_result(function, result);
        for list in children(node).filter(|child| child.kind() == "parameter_type_list") {
            for param in children(list) {
                let name = walk.b.name("_");
                let ty = child_of_kind(param, "type").map(|ty| walk.read(ty));
                walk.param_of(function, name, param.start_byte(), ty, None, false);
            }
        }
        return;
    }
    if let Some(list) = child_of_kind(node, "formal_parameter_list") {
        params_of(walk, list, function);
    }
}

/// `=> e`: what it returns.
fn body(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).next()
        && value.kind() != "block"
    {
        walk.value_if_name(value);
        walk.returns(value);
    }
}

/// Fields and top-level variables: one type, several names.
fn fields(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    let ty = ty.map(|ty| walk.read(ty));
    let text = walk.b.text(node);
    let text = text.strip_prefix("static ").unwrap_or(text);
    let is_static = walk.b.text(node).starts_with("static ");
    let kind = match (text.starts_with("const "), walk.in_members()) {
        (true, _) => SymbolKind::Constant,
        (false, true) => SymbolKind::Field,
        (false, false) => SymbolKind::Variable,
    };
    let lists = children(node).filter(|child| {
        matches!(
            child.kind(),
            "initialized_identifier_list" | "static_final_declaration_list" | "identifier_list"
        )
    });
    for list in lists {
        for item in children(list) {
            let name = item.child_by_field_name("name").unwrap_or(item);
            let value = item.child_by_field_name("value");
            let value_expr = value.map(|value| walk.read(value));
            let declared = Declared {
                node,
                kind,
                name,
                body: value,
            };
            let id = walk.variable(&declared, ty, value_expr);
            if let Some(id) = id {
                if is_static {
                    walk.flag(id, Flags::STATIC);
                }
                walk.own_initialiser(item, id);
            }
            if let Some(value) = value {
                walk.with_owner(id, |walk| walk.value_if_name(value));
            }
        }
    }
}

fn locals(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let ty = child_of_kind(node, "type");
    let ty = ty.map(|ty| walk.read(ty));
    local(walk, node, ty);
    for item in children(node).filter(|child| child.kind() == "initialized_identifier") {
        local(walk, item, ty);
    }
}

fn local(walk: &mut Walk<'_, '_>, node: Node<'_>, ty: Option<crate::facts::ExprId>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let value = node.child_by_field_name("value");
    let bound = match (ty, value) {
        (Some(ty), _) => Bound::Declared(ty),
        (None, Some(value)) => Bound::Value(walk.read(value)),
        (None, None) => Bound::Unknown,
    };
    walk.local(name, bound);
    if let Some(value) = value {
        walk.value_if_name(value);
    }
}

/// `var (a, b) = f();`
fn pattern_variables(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut parts = children(node);
    let (Some(pattern), Some(value)) = (parts.next(), parts.last()) else {
        return;
    };
    if pattern.kind() != "record_pattern" {
        return;
    }
    let whole = walk.read(value);
    for (at, part) in children(pattern).enumerate() {
        if let Some(name) = part.child_by_field_name("name")
            && child_of_kind(part, "type").is_none()
        {
            walk.take(part);
            let part = walk.b.expr(Expr::Part(whole, at as u16));
            walk.local(name, Bound::Value(part));
        }
    }
}

fn variable_pattern(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    if let Some(name) = node.child_by_field_name("name") {
        let bound = match child_of_kind(node, "type") {
            Some(ty) => Bound::Declared(walk.read(ty)),
            None => Bound::Unknown,
        };
        walk.local(name, bound);
    }
}

fn field_initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.child_by_field_name("value") {
        walk.value_if_name(value);
    }
}

/// `super(…)` and `super.named(…)` in an initialiser list.
fn initializer(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(args) = child_of_kind(node, "arguments") else {
        return;
    };
    let class = walk.b.expr(Expr::Super);
    delegate(walk, class, node, args);
}

/// `this(…)` and `this.named(…)`.
fn redirection(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(args) = child_of_kind(node, "arguments") {
        let class = walk.b.expr(Expr::This);
        delegate(walk, class, node, args);
    }
}

fn delegate(walk: &mut Walk<'_, '_>, class: crate::facts::ExprId, node: Node<'_>, args: Node<'_>) {
    let args = walk.arguments(Some(args));
    match child_of_kind(node, "identifier") {
        Some(name) => {
            let id = walk.b.name_of(name);
            let what = walk.b.expr(Expr::Member(class, id));
            walk.site(SiteKind::Call, what, name, args);
        }
        None => {
            let at = node.child(0).filter(|child| child.kind() != "redirection");
            walk.constructor_call(class, at.unwrap_or(node), args);
        }
    }
}

fn for_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let (Some(name), Some(value)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("value"),
    ) else {
        return;
    };
    let bound = match child_of_kind(node, "type") {
        Some(ty) => Bound::Declared(walk.read(ty)),
        None => {
            let whole = walk.read(value);
            Bound::Value(walk.b.expr(Expr::Element(whole)))
        }
    };
    walk.local(name, bound);
}

/// `on T catch (e, s) { … }`: type, names and block are siblings.
fn try_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut ty = None;
    let mut name = None;
    for part in children(node) {
        match part.kind() {
            "type" => ty = Some(part),
            "catch_clause" => name = part.child_by_field_name("exception"),
            "block" => {
                if let (Some(ty), Some(name)) = (ty.take(), name.take()) {
                    let ty = walk.read(ty);
                    let id = walk.b.name_of(name);
                    walk.narrow(part, id, ty);
                }
            }
            _ => {}
        }
    }
}

fn if_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    conditional(walk, node);
}

/// `x is T`: where it holds, `x` is a `T`.
fn conditional(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if node.kind() == "conditional_expression" {
        walk.values(node);
    }
    let condition = node
        .child_by_field_name("condition")
        .or_else(|| children(node).next());
    let (Some(condition), Some(holds)) = (condition, node.child_by_field_name("consequence"))
    else {
        return;
    };
    let mut left = vec![condition];
    while let Some(test) = left.pop() {
        match test.kind() {
            "logical_and_expression" | "parenthesized_expression" => left.extend(children(test)),
            "type_test_expression" => {
                let parts: Vec<_> = children(test).collect();
                let [name, tested] = parts.as_slice() else {
                    continue;
                };
                let is = child_of_kind(*tested, "is_operator");
                if name.kind() == "identifier"
                    && is.is_some_and(|is| walk.b.text(is) == "is")
                    && let Some(ty) = child_of_kind(*tested, "type")
                {
                    let ty = walk.read(ty);
                    let id = walk.b.name_of(*name);
                    walk.narrow(holds, id, ty);
                }
            }
            _ => {}
        }
    }
}

/// `new T()`, `const T()`, `new T.named()`.
fn creation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(ty) = node.child_by_field_name("type") else {
        return;
    };
    let args = node.child_by_field_name("arguments");
    let args = walk.arguments(args);
    match names(ty).len() {
        1 => walk.new_site(ty, args),
        _ => {
            let what = walk.read(ty);
            walk.take(ty);
            let last = names(ty).pop().unwrap_or(ty);
            walk.call_site(what, args, last);
        }
    }
}

fn read_creation(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(ty) = node.child_by_field_name("type") else {
        return Expr::Unknown;
    };
    let class = walk.read(ty);
    let args = walk.arguments(node.child_by_field_name("arguments"));
    match names(ty).len() {
        1 => Expr::New(class, args),
        _ => Expr::Call(class, args),
    }
}

/// The names of a type: a prefix, a class, a constructor.
fn names<'n>(ty: Node<'n>) -> Vec<Node<'n>> {
    children(ty)
        .filter(|child| child.kind() == "type_identifier")
        .collect()
}

fn read_type(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let mut whole: Option<Expr> = None;
    for part in children(node) {
        whole = Some(match (part.kind(), whole) {
            ("type_identifier", None) => Expr::Name(walk.b.name_of(part)),
            ("type_identifier", Some(base)) => {
                let base = walk.b.expr(base);
                Expr::Member(base, walk.b.name_of(part))
            }
            ("type_arguments", Some(base)) => {
                let base = walk.b.expr(base);
                Expr::Generic(base, walk.read_all(part))
            }
            (_, Some(base)) => base,
            (_, None) => {
                let inner = walk.read(part);
                walk.b.expr_at(inner)
            }
        });
    }
    whole.unwrap_or(Expr::Unknown)
}

fn type_use(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if walk.is_taken(node) {
        return;
    }
    let Some(last) = names(node).pop() else {
        return;
    };
    let mut what = walk.read(node);
    if let Expr::Generic(base, _) = walk.b.expr_at(what) {
        what = base;
    }
    walk.site(SiteKind::Type, what, last, List::default());
}

fn cast(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let cast = child_of_kind(node, "type_cast");
    match cast.and_then(|cast| child_of_kind(cast, "type")) {
        Some(ty) => Expr::Instance(walk.read(ty)),
        None => Expr::Unknown,
    }
}

fn list_literal(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    if let Some(args) = child_of_kind(node, "type_arguments") {
        let list = walk.read_all(args);
        let array = walk.b.expr(Expr::Array(list));
        return Expr::Instance(array);
    }
    Expr::Array(walk.read_all(node))
}

fn cascade(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(target) = children(node).next() {
        let target = walk.read(target);
        walk.enter_receiver(target);
    }
}

fn cascade_selector(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let receiver = walk.receiver();
    match child_of_kind(node, "identifier") {
        Some(name) => Expr::Member(receiver, walk.b.name_of(name)),
        None => Expr::Unknown,
    }
}

/// The callee of a call in a cascade, and its last name.
fn cascade_callee<'n>(
    walk: &mut Walk<'_, '_>,
    node: Node<'n>,
) -> Option<(crate::facts::ExprId, Node<'n>)> {
    if let Some(function) = node.child_by_field_name("function") {
        walk.take(function);
        return Some((walk.read(function), function));
    }
    let name = node.child_by_field_name("property")?;
    let receiver = walk.receiver();
    let id = walk.b.name_of(name);
    Some((walk.b.expr(Expr::Member(receiver, id)), name))
}

fn cascade_call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let args = node.child_by_field_name("arguments");
    if let Some((what, name)) = cascade_callee(walk, node) {
        let args = walk.arguments(args);
        walk.call_site(what, args, name);
    }
}

fn read_cascade_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let args = node.child_by_field_name("arguments");
    match cascade_callee(walk, node) {
        Some((what, _)) => Expr::Call(what, walk.arguments(args)),
        None => Expr::Unknown,
    }
}

fn read_named(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let label = child_of_kind(node, "label").and_then(|label| children(label).next());
    let value = walk.read_at(node, Last);
    match label {
        Some(label) => Expr::Keyword(walk.b.name_of(label), value),
        None => Expr::Unknown,
    }
}

fn named_argument(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = children(node).last() {
        walk.value_if_name(value);
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(left) = node.child_by_field_name("left") {
        let object = left.child_by_field_name("object");
        let name = left
            .child_by_field_name("property")
            .or_else(|| child_of_kind(left, "identifier"));
        if let Some(name) = name {
            let id = walk.b.name_of(name);
            let what = match object {
                Some(object) => {
                    let object = walk.read(object);
                    walk.b.expr(Expr::Member(object, id))
                }
                None => walk.b.expr(Expr::Name(id)),
            };
            if object.is_some() || !walk.is_local(id) {
                walk.site(SiteKind::Write, what, name, List::default());
            }
        }
    }
    if let Some(right) = node.child_by_field_name("right") {
        walk.value_if_name(right);
    }
}

fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "type_identifier") else {
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::TypeAlias,
        name,
        body: None,
    };
    let ty = child_of_kind(node, "type").map(|ty| walk.read(ty));
    let id = walk.declare(&declared);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.declared = ty;
    }
    walk.enter_owner(id);
}

fn annotation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.child_by_field_name("name") {
        walk.annotation(name, None);
    }
}

/// The package that a `pubspec.yaml` names.
pub(crate) fn package(text: &str) -> Option<Manifest> {
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let name = name.split('#').next().unwrap_or(name);
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| Manifest::Dart {
        name: name.to_owned(),
    })
}
