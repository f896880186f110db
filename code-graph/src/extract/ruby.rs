//! Ruby: modules, classes, methods, attributes, constants and uses of one file.
//!
//! A class may be opened again anywhere, so what stands in a class body counts as an extension of
//! the class of that full name as well. Modules and classes are known to everybody by their full
//! names (`A::B`), which is how they are bound at the top of the file.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Extension, Flags, Function, FunctionId, List, NameId, ScopeId,
    ScopeKind, Site, SiteKind, SymbolId, SymbolKind, Visibility,
};
use hashbrown::HashMap;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

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

use At::{Field, Nth};

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
                let word = node
                    .child_by_field_name("method")
                    .map_or("", |word| b.text(word));
                let args = node.child_by_field_name("arguments");
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

/// The full name of a module or class of this file.
fn full_name(walk: &Walk<'_, '_>, id: SymbolId) -> String {
    let mut parts = Vec::new();
    let mut at = Some(id);
    while let Some(symbol) = at.and_then(|id| walk.b.facts.symbols.get(id.index())) {
        parts.push(walk.b.named(symbol.name));
        at = symbol.parent.filter(|parent| Some(*parent) < at);
    }
    parts.reverse();
    parts.join("::")
}

/// `module A`, `class A < B`, `class A::B`.
fn module(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    take_path(walk, name);
    let declared = Declared {
        node,
        kind: match node.kind() {
            "module" => SymbolKind::Module,
            _ => SymbolKind::Class,
        },
        name,
        body: node.child_by_field_name("body"),
    };
    let text = walk.b.text(name).trim_start_matches("::").to_owned();
    let name_id = walk.b.name(&text);
    let id = walk.symbol(&declared, name_id);
    let around = walk.scope();
    declare_path(walk, id, name);
    // A comment may stand between the head and the body.
    let superclass = node.child_by_field_name("superclass");
    let end = superclass.unwrap_or(name).end_byte();
    let signature = walk.b.line(node.start_byte(), end);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.signature = signature;
    }
    walk.type_body(id, []);
    extend(walk, id, name, around);
    if let Some(superclass) = superclass.and_then(|s| children(s).next()) {
        take_path(walk, superclass);
        walk.base(id, BaseKind::Extends, superclass, around);
    }
}

/// Binds a module, class or constant for everybody by its full name. Where it stands it is
/// found in the same way, as it may be opened elsewhere too.
fn declare_path(walk: &mut Walk<'_, '_>, id: SymbolId, name: Node<'_>) {
    let full = format!("{DECLARED}{}", full_name(walk, id));
    let full = walk.b.name(&full);
    let at = name.start_byte();
    walk.b.bind(ScopeId::MODULE, full, at, Bound::Symbol(id));
}

/// What stands in the body belongs to the class wherever it is opened.
fn extend(walk: &mut Walk<'_, '_>, id: SymbolId, name: Node<'_>, around: ScopeId) {
    let full = full_name(walk, id);
    let target_name = full.rsplit("::").next().unwrap_or(&full).to_owned();
    let full = walk.b.name(&format!("::{full}"));
    let target = walk.b.expr(Expr::Name(full));
    let target_name = walk.b.name(&target_name);
    let members = walk.scope();
    walk.b.facts.extensions.push(Extension {
        target,
        interface: None,
        members,
        scope: around,
        at: name.start_byte() as u32,
        row: name.start_position().row as u32,
        target_name: Some(target_name),
    });
}

/// `class << self`: methods of the class around.
fn singleton_class(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.child_by_field_name("value") {
        walk.take(value);
    }
}

fn method(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    walk.take(name);
    let text = walk.b.text(name).to_owned();
    let in_type = walk.in_members();
    let of_class = node.kind() == "singleton_method"
        || node
            .parent()
            .and_then(|body| body.parent())
            .is_some_and(|around| around.kind() == "singleton_class");
    let kind = match (in_type, text.as_str()) {
        (true, "initialize") => SymbolKind::Constructor,
        (true, _) if text.ends_with('=') && text.len() > 1 && !text.ends_with("==") => {
            SymbolKind::Setter
        }
        (true, _) => SymbolKind::Method,
        (false, _) => SymbolKind::Function,
    };
    let declared = Declared {
        node,
        kind,
        name,
        body: node.child_by_field_name("body"),
    };
    let (id, function) = walk.declare_function(&declared);
    if of_class {
        walk.flag(id, Flags::STATIC);
        if let Some(object) = node.child_by_field_name("object") {
            walk.take(object);
        }
    }
    if in_type && text.starts_with("test_") {
        walk.flag(id, Flags::TEST);
    }
    if let Some(list) = node.child_by_field_name("parameters") {
        params(walk, list, Some(function));
    }
    if let Some(body) = declared.body {
        let last = match body.kind() {
            "body_statement" => children(body).filter(|c| c.kind() != "rescue").last(),
            _ => Some(body),
        };
        if let Some(last) = last {
            walk.returns_later(last);
        }
    }
}

/// Binds parameters.
fn params(walk: &mut Walk<'_, '_>, list: Node<'_>, function: Option<FunctionId>) {
    for node in children(list) {
        let name = match node.kind() {
            "identifier" => Some(node),
            _ => node.child_by_field_name("name"),
        };
        let Some(name) = name else {
            // A pattern: `(a, b)`.
            for name in children(node).filter(|name| name.kind() == "identifier") {
                walk.take(name);
                walk.local(name, Bound::Unknown);
            }
            continue;
        };
        walk.take(name);
        let default = node.child_by_field_name("value");
        let rest = matches!(node.kind(), "splat_parameter" | "hash_splat_parameter");
        match function {
            Some(function) => {
                let param = Parameter {
                    name,
                    declared: None,
                    default,
                    rest,
                };
                walk.param(function, &param);
            }
            None => walk.local(name, Bound::Unknown),
        }
    }
}

/// The methods that hand each element of their receiver to a block.
const EACH: &[&str] = &[
    "each",
    "map",
    "collect",
    "select",
    "filter",
    "reject",
    "find",
    "detect",
    "flat_map",
    "any?",
    "all?",
    "none?",
    "each_with_index",
    "each_with_object",
    "sort_by",
    "group_by",
    "find_all",
    "partition",
    "sum",
    "min_by",
    "max_by",
    "count",
    "reverse_each",
    "filter_map",
    "to_h",
    "tap",
    "then",
];

/// A block: its first parameter may be an element of what the method is called on.
fn block(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let Some(list) = node.child_by_field_name("parameters") else {
        return;
    };
    let called = node.parent().filter(|call| call.kind() == "call");
    let element = called.and_then(|call| {
        let method = walk.b.text(call.child_by_field_name("method")?);
        let receiver = call.child_by_field_name("receiver")?;
        if !EACH.contains(&method) {
            return None;
        }
        let receiver = walk.read(receiver);
        Some(match method {
            "tap" | "then" => receiver,
            _ => walk.b.expr(Expr::Element(receiver)),
        })
    });
    let first = children(list)
        .next()
        .filter(|first| first.kind() == "identifier");
    if let (Some(first), Some(element)) = (first, element) {
        walk.take(first);
        walk.local(first, Bound::Value(element));
        for other in children(list)
            .skip(1)
            .filter(|other| other.kind() == "identifier")
        {
            walk.take(other);
            walk.local(other, Bound::Unknown);
        }
        return;
    }
    params(walk, list, None);
}

/// What a call is named, and the node of that name.
fn callee<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> Option<(Expr, Node<'n>)> {
    let name = node.child_by_field_name("method")?;
    let id = walk.b.name_of(name);
    match node.child_by_field_name("receiver") {
        Some(receiver) => {
            let receiver = walk.read(receiver);
            Some((Expr::Member(receiver, id), name))
        }
        None if name.kind() == "super" => {
            let method = method_around(walk)?;
            let own = walk.b.expr(Expr::Super);
            Some((Expr::Member(own, method), name))
        }
        None => Some((Expr::Name(id), name)),
    }
}

/// The name of the method that the walk is in.
fn method_around(walk: &Walk<'_, '_>) -> Option<NameId> {
    let symbol = walk.b.facts.symbols.get(walk.owner()?.index())?;
    symbol.function.map(|_| symbol.name)
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("method") else {
        return;
    };
    walk.take(name);
    if walk.is_taken(node) {
        return;
    }
    let args = node.child_by_field_name("arguments");
    let receiver = node.child_by_field_name("receiver");
    let text = walk.b.text(name);
    if receiver.is_none() && directive(walk, node, text, args) {
        return;
    }
    let operands = walk.arguments(args);
    if text == "new" && (receiver.is_some() || walk.class().is_some()) {
        if let Some(receiver) = receiver {
            take_path(walk, receiver);
        }
        let class = made(walk, receiver);
        walk.site(SiteKind::New, class, name, operands);
        return;
    }
    if let Some((what, name)) = callee(walk, node) {
        if let Some(receiver) = receiver {
            take_path(walk, receiver);
        }
        let what = walk.b.expr(what);
        walk.site(SiteKind::Call, what, name, operands);
    }
    // `method(:name)`, `send(:name)` and their kin name what they call.
    if matches!(
        text,
        "method"
            | "send"
            | "public_send"
            | "__send__"
            | "before_action"
            | "after_action"
            | "around_action"
            | "before_save"
            | "after_save"
            | "validate"
            | "helper_method"
    ) && let Some(symbol) = args.and_then(|args| children(args).next())
        && symbol.kind() == "simple_symbol"
    {
        symbol_use(walk, symbol, receiver);
    }
}

/// A method that is named by a symbol.
fn symbol_use(walk: &mut Walk<'_, '_>, symbol: Node<'_>, receiver: Option<Node<'_>>) {
    let name = walk.b.text(symbol).trim_start_matches(':').to_owned();
    let name = walk.b.name(&name);
    let receiver = match receiver {
        Some(receiver) => walk.read(receiver),
        None => walk.b.expr(Expr::This),
    };
    let what = walk.b.expr(Expr::Member(receiver, name));
    walk.site(SiteKind::Value, what, symbol, List::default());
}

/// Calls that declare or import something; false when it is an ordinary call.
fn directive(walk: &mut Walk<'_, '_>, node: Node<'_>, word: &str, args: Option<Node<'_>>) -> bool {
    let operands: Vec<_> = args
        .map(|args| children(args).collect())
        .unwrap_or_default();
    match word {
        "require_relative" | "require" | "load" | "autoload" => {
            let file = operands
                .iter()
                .rfind(|argument| argument.kind() == "string");
            if let Some(file) = file
                && let Some(content) = child_of_kind(*file, "string_content")
            {
                let path = walk.b.text(content);
                let module = match word {
                    "require_relative" => format!("./{path}"),
                    _ => path.to_owned(),
                };
                walk.import_of(*file, &module, None, None);
            }
            walk.skip();
            true
        }
        "include" | "extend" | "prepend" => {
            let Some(class) = walk.class().filter(|_| walk.in_members()) else {
                return false;
            };
            let scope = walk.scope();
            for module in operands {
                take_path(walk, module);
                walk.base(class, BaseKind::MixesIn, module, scope);
            }
            true
        }
        "attr_reader" | "attr_writer" | "attr_accessor" | "attr" if walk.in_members() => {
            for symbol in operands {
                attribute(walk, node, symbol, word);
            }
            true
        }
        "alias_method" if walk.in_members() => {
            if let [new, old, ..] = operands.as_slice() {
                second_name(walk, node, *new, *old);
            }
            true
        }
        "define_method" if walk.in_members() => {
            if let Some(symbol) = operands.first().filter(|s| s.kind() == "simple_symbol") {
                let name = walk.b.text(*symbol).trim_start_matches(':').to_owned();
                let name = walk.b.name(&name);
                let declared = Declared {
                    node,
                    kind: SymbolKind::Method,
                    name: *symbol,
                    body: node.child_by_field_name("block"),
                };
                let id = walk.symbol(&declared, name);
                walk.b
                    .bind(walk.scope(), name, symbol.start_byte(), Bound::Symbol(id));
                walk.function_of(id);
            }
            true
        }
        // `test "does it" do … end`.
        "test" if walk.in_members() => {
            let text = operands
                .first()
                .and_then(|text| child_of_kind(*text, "string_content"));
            if let (Some(text), Some(body)) = (text, node.child_by_field_name("block")) {
                let name = walk.b.name(&format!("test {}", walk.b.text(text)));
                let declared = Declared {
                    node,
                    kind: SymbolKind::Method,
                    name: text,
                    body: Some(body),
                };
                let id = walk.symbol(&declared, name);
                walk.flag(id, Flags::TEST);
                walk.function_of(id);
            }
            true
        }
        "private_constant"
        | "module_function"
        | "public"
        | "private"
        | "protected"
        | "private_class_method" => true,
        _ => false,
    }
}

/// `attr_reader :a` declares a method that gives `@a`.
fn attribute(walk: &mut Walk<'_, '_>, node: Node<'_>, symbol: Node<'_>, word: &str) {
    if symbol.kind() != "simple_symbol" {
        return;
    }
    let text = walk.b.text(symbol).trim_start_matches(':').to_owned();
    let scope = walk.scope();
    let declared = |kind| Declared {
        node,
        kind,
        name: symbol,
        body: None,
    };
    if word != "attr_writer" {
        let name = walk.b.name(&text);
        // It is called like any method.
        let id = walk.symbol(&declared(SymbolKind::Method), name);
        let at = symbol.start_byte();
        walk.b.bind(scope, name, at, Bound::Symbol(id));
        let variable = walk.b.name(&format!("@{text}"));
        let this = walk.b.expr(Expr::This);
        let value = walk.b.expr(Expr::Member(this, variable));
        gives(walk, id, scope, value);
    }
    if word == "attr_writer" || word == "attr_accessor" {
        let name = walk.b.name(&format!("{text}="));
        let id = walk.symbol(&declared(SymbolKind::Setter), name);
        walk.b
            .bind(scope, name, symbol.start_byte(), Bound::Symbol(id));
    }
}

/// A method that is written without a body gives `value`.
fn gives(walk: &mut Walk<'_, '_>, id: SymbolId, scope: ScopeId, value: ExprId) {
    let body = walk.b.scope(scope, ScopeKind::Function, Some(id));
    let function = walk.b.function(Function {
        symbol: Some(id),
        scope: body,
        params: Vec::new(),
        result: None,
        returns: vec![value],
        yields: Vec::new(),
        type_params: Vec::new(),
        context: None,
    });
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.function = Some(function);
    }
}

/// `alias new old`.
fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(new), Some(old)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("alias"),
    ) else {
        return;
    };
    walk.take(new);
    walk.take(old);
    second_name(walk, node, new, old);
}

fn second_name(walk: &mut Walk<'_, '_>, node: Node<'_>, new: Node<'_>, old: Node<'_>) {
    let new_text = walk.b.text(new).trim_start_matches(':').to_owned();
    let old_text = walk.b.text(old).trim_start_matches(':').to_owned();
    let name = walk.b.name(&new_text);
    let declared = Declared {
        node,
        kind: SymbolKind::Method,
        name: new,
        body: None,
    };
    let id = walk.symbol(&declared, name);
    let scope = walk.scope();
    walk.b
        .bind(scope, name, new.start_byte(), Bound::Symbol(id));
    let old_name = walk.b.name(&old_text);
    let this = walk.b.expr(Expr::This);
    let what = walk.b.expr(Expr::Member(this, old_name));
    let value = walk.b.expr(Expr::Call(what, List::default()));
    gives(walk, id, scope, value);
    walk.b.facts.sites.push(Site {
        kind: SiteKind::Call,
        owner: Some(id),
        scope,
        what,
        at: old.start_byte() as u32,
        row: old.start_position().row as u32,
        args: List::default(),
    });
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
    let name = node.child_by_field_name("name").unwrap_or(node);
    walk.site(SiteKind::Value, what, name, List::default());
}

/// Marks the parts of `A::B`.
fn take_path(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut at = Some(node);
    while let Some(node) = at.filter(|n| matches!(n.kind(), "constant" | "scope_resolution")) {
        walk.take(node);
        if let Some(name) = node.child_by_field_name("name") {
            walk.take(name);
        }
        at = node.child_by_field_name("scope");
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(left) = node.child_by_field_name("left") else {
        return;
    };
    let right = node.child_by_field_name("right");
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
            if let (Some(receiver), Some(name)) = (
                left.child_by_field_name("receiver"),
                left.child_by_field_name("method"),
            ) {
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
            let part = |field| {
                call.child_by_field_name(field)
                    .map_or("", |part| walk.b.text(part))
            };
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
        let fields = right.and_then(|right| right.child_by_field_name("arguments"));
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
        let full = format!("{DECLARED}{}", full_name(walk, id));
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
    let variable = node
        .child_by_field_name("variable")
        .and_then(|v| children(v).next());
    let Some(variable) = variable.filter(|name| name.kind() == "identifier") else {
        return;
    };
    walk.take(variable);
    let types = node.child_by_field_name("exceptions");
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
    let pattern = node.child_by_field_name("pattern");
    let value = node
        .child_by_field_name("value")
        .and_then(|value| children(value).next());
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
    if let Some(receiver) = call.and_then(|call| call.child_by_field_name("receiver")) {
        let receiver = walk.read(receiver);
        let element = walk.b.expr(Expr::Element(receiver));
        let text = walk.b.text(symbol).trim_start_matches(':').to_owned();
        let name = walk.b.name(&text);
        let what = walk.b.expr(Expr::Member(element, name));
        walk.site(SiteKind::Call, what, symbol, List::default());
    }
}

/// A bare word: a local, or what the method of that name gives.
fn read_identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let name = walk.b.name_of(node);
    match walk.is_local(name) {
        true => Expr::Name(name),
        false => {
            let method = walk.b.expr(Expr::Name(name));
            Expr::Call(method, List::default())
        }
    }
}

/// `A::B` is one name.
fn read_path(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let text: String = walk.b.text(node).split_whitespace().collect();
    let is_constant = text
        .split("::")
        .all(|part| part.is_empty() || part.starts_with(char::is_uppercase));
    match is_constant {
        true => Expr::Name(walk.b.name(&text)),
        false => {
            let object = walk.read_at(node, Field("scope"));
            match node.child_by_field_name("name") {
                Some(name) => Expr::Member(object, walk.b.name_of(name)),
                None => Expr::Unknown,
            }
        }
    }
}

/// `@x` is a member of the receiver.
fn read_variable(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let this = walk.b.expr(Expr::This);
    Expr::Member(this, walk.b.name_of(node))
}

/// The class that `new` makes an instance of: what it is called on, else the class around.
fn made(walk: &mut Walk<'_, '_>, receiver: Option<Node<'_>>) -> ExprId {
    match receiver {
        Some(receiver) if receiver.kind() != "self" => walk.read(receiver),
        _ => walk.b.expr(Expr::SelfType),
    }
}

fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let args = node.child_by_field_name("arguments");
    let name = node
        .child_by_field_name("method")
        .map_or("", |name| walk.b.text(name));
    let receiver = node.child_by_field_name("receiver");
    if name == "new" && (receiver.is_some() || walk.class().is_some()) {
        let class = made(walk, receiver);
        let args = walk.arguments(args);
        return Expr::New(class, args);
    }
    let Some((what, _)) = callee(walk, node) else {
        return Expr::Unknown;
    };
    let what = walk.b.expr(what);
    let args = walk.arguments(args);
    Expr::Call(what, args)
}

/// `a || b` and `a ||= b` are either.
fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let operator = node
        .child_by_field_name("operator")
        .map_or("", |operator| walk.b.text(operator));
    let left = walk.read_at(node, Field("left"));
    let right = walk.read_at(node, Field("right"));
    match operator {
        "||" | "or" => Expr::Union(walk.b.list(&[left, right])),
        "&&" | "and" => walk.b.expr_at(right),
        "<<" | "+" | "-" | "*" | "/" | "%" => {
            let name = walk.b.name(operator);
            Expr::Operator(name, left)
        }
        _ => Expr::Unknown,
    }
}
