//! Lua: tables that serve as modules and classes, functions, required files of one chunk.
//!
//! A table that gets functions (`function T.f`, `function T:f`, `T.f = function`) is a symbol with
//! members: a class when it has methods or an `__index`, a module else. `setmetatable({}, T)` is an
//! instance of it. What the chunk returns is what requiring it gives; it is bound as `return`.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::extract::field::Fields;
use crate::facts::{
    Binding, Bound, Expr, Flags, FunctionId, NameId, ScopeId, ScopeKind, SiteKind, Span, Symbol,
    SymbolId, SymbolKind, Visibility,
};
use hashbrown::HashMap;
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// The name under which the value of a chunk is bound; no Lua name can be that.
pub(crate) const RETURN: &str = "return";

/// Collects the facts of a chunk.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    tables(b, tree);
    walk(b, tree, &LUA);
}

use At::{Field, Nth};

static LUA: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("function_declaration", Act::Hook(function)),
        ("function_definition", Act::Closure),
        ("variable_declaration", Act::Hook(locals)),
        ("assignment_statement", Act::Hook(assignment)),
        ("for_generic_clause", Act::Hook(for_each)),
        ("for_numeric_clause", Act::Hook(for_number)),
        ("do_statement", Act::Block),
        ("while_statement", Act::Block),
        ("repeat_statement", Act::Block),
        ("for_statement", Act::Block),
        ("if_statement", Act::Block),
        ("function_call", Act::Hook(call)),
        ("dot_index_expression", Act::Member),
        ("arguments", Act::Values),
        ("field", Act::Hook(field)),
        ("return_statement", Act::Hook(returned)),
    ],
    read: &[
        ("identifier", Read::Name),
        (
            "dot_index_expression",
            Read::Member(Field("table"), Field("field")),
        ),
        (
            "method_index_expression",
            Read::Member(Field("table"), Field("method")),
        ),
        (
            "bracket_index_expression",
            Read::Index(Field("table"), Field("field")),
        ),
        ("function_call", Read::Hook(read_call)),
        ("function_definition", Read::Closure),
        ("parenthesized_expression", Read::Through(Nth(0))),
        ("table_constructor", Read::Hook(read_table)),
        ("string", Read::Text),
        ("number", Read::Literal("number")),
        ("true", Read::Literal("boolean")),
        ("false", Read::Literal("boolean")),
        ("nil", Read::Literal("nil")),
        ("binary_expression", Read::Hook(binary)),
    ],
    closure: params,
    modifiers: &[],
    plain_docs: true,
    annotations: &[],
    visibility: |walk: &Walk<'_, '_>, name: &str, _: SymbolKind| match name.starts_with('_')
        || walk.function().is_some()
    {
        true => Visibility::Private,
        false => Visibility::Public,
    },
    methods_apart: false,
    operands: &[
        "binary_expression",
        "unary_expression",
        "parenthesized_expression",
        "bracket_index_expression",
        "if_statement",
        "while_statement",
    ],
    numbered: OnceLock::new(),
};

/// What the chunk does with a table at its top level.
#[derive(Default)]
struct Table<'n> {
    made: Option<(Node<'n>, Node<'n>)>,
    has_functions: bool,
    is_class: bool,
}

/// Declares the tables that have functions, before the walk needs them.
fn tables(b: &mut Builder<'_>, tree: &Tree) {
    let mut tables: HashMap<&str, Table<'_>> = HashMap::new();
    let mut order = Vec::new();
    for statement in children(tree.root_node()) {
        match statement.kind() {
            "function_declaration" => {
                let Some(name) = statement.field("name") else {
                    continue;
                };
                if let Some(table) = name.field("table") {
                    let entry = tables.entry(b.text(table)).or_default();
                    entry.has_functions = true;
                    entry.is_class |= name.kind() == "method_index_expression";
                }
            }
            "variable_declaration" | "assignment_statement" => {
                let Some((name, value)) = single(statement) else {
                    continue;
                };
                let is_function = value.kind() == "function_definition";
                if name.kind() == "identifier" {
                    let text = b.text(name);
                    let makes = value.kind() == "table_constructor" || is_derived(b, value);
                    let entry = tables.entry(text).or_default();
                    if makes && entry.made.is_none() {
                        entry.made = Some((statement, name));
                        order.push(text);
                    }
                } else if let (Some(table), Some(field)) =
                    (name.field("table"), name.field("field"))
                    && name.kind() == "dot_index_expression"
                {
                    let entry = tables.entry(b.text(table)).or_default();
                    entry.has_functions |= is_function;
                    entry.is_class |= b.text(field) == "__index";
                }
            }
            _ => {}
        }
    }
    for text in order {
        let Some(table) = tables.get(text) else {
            continue;
        };
        let (Some((statement, name)), true) = (table.made, table.has_functions) else {
            continue;
        };
        let name_id = b.name(text);
        let signature = b.line(statement.start_byte(), name.end_byte());
        let id = b.symbol(Symbol {
            kind: match table.is_class {
                true => SymbolKind::Class,
                false => SymbolKind::Module,
            },
            name: name_id,
            parent: None,
            owner: None,
            span: Span::of(statement),
            name_at: name.start_byte() as u32,
            name_row: name.start_position().row as u32,
            signature,
            doc: None,
            // A local is what the chunk returns or keeps; a global is everybody's.
            visibility: match statement.kind() {
                "variable_declaration" => Visibility::Internal,
                _ => Visibility::Public,
            },
            flags: Flags::default(),
            members: None,
            function: None,
            declared: None,
            scope: ScopeId::MODULE,
        });
        let members = b.scope(ScopeId::MODULE, ScopeKind::Members, Some(id));
        if let Some(symbol) = b.symbol_mut(id) {
            symbol.members = Some(members);
        }
        b.bind(
            ScopeId::MODULE,
            name_id,
            name.start_byte(),
            Bound::Symbol(id),
        );
    }
}

/// The name and value of a statement that assigns one value to one name.
fn single(statement: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let assignment = match statement.kind() {
        "variable_declaration" => child_of_kind(statement, "assignment_statement")?,
        _ => statement,
    };
    let names = child_of_kind(assignment, "variable_list")?;
    let values = child_of_kind(assignment, "expression_list")?;
    let (mut names, mut values) = (children(names), children(values));
    let pair = (names.next()?, values.next()?);
    (names.next().is_none() && values.next().is_none()).then_some(pair)
}

/// Whether a value is made by giving a new table another one's members: `setmetatable({}, T)`, the
/// `extend` and `class` of the usual libraries.
fn is_derived(b: &Builder<'_>, value: Node<'_>) -> bool {
    let name = value.field("name").map(|name| b.text(name));
    let Some(name) = name.filter(|_| value.kind() == "function_call") else {
        return false;
    };
    name == "setmetatable"
        || name == "class"
        || name.ends_with(":extend")
        || name.ends_with(".extend")
        || name.ends_with(":derive")
}

/// The table of this file that a node names, and the scope of its members.
fn table_of(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<(SymbolId, ScopeId)> {
    if node.kind() != "identifier" {
        return None;
    }
    let name = walk.b.name_of(node);
    let bindings: &[Binding] = &walk.b.facts.bindings;
    // They were bound before everything else.
    let id = bindings
        .iter()
        .take_while(|binding| binding.scope == ScopeId::MODULE)
        .find_map(|binding| match binding.bound {
            Bound::Symbol(id) if binding.name == name => Some(id),
            _ => None,
        })?;
    let members = walk.b.facts.symbols.get(id.index())?.members?;
    Some((id, members))
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let body = node.field("body");
    let local = node.child(0).is_some_and(|word| word.kind() == "local");
    let last = match name.kind() {
        "dot_index_expression" => name.field("field"),
        "method_index_expression" => name.field("method"),
        _ => Some(name),
    };
    let Some(last) = last else { return };
    walk.take(name);
    let table = name.field("table");
    if let Some(table) = table {
        walk.take(table);
    }
    let is_method = name.kind() == "method_index_expression";
    let declared = Declared {
        node,
        kind: match table.is_some() && is_method {
            true => SymbolKind::Method,
            false => SymbolKind::Function,
        },
        name: last,
        body,
    };
    let owner = table.and_then(|table| table_of(walk, table));
    let function = match (table, owner) {
        (None, _) => {
            let (id, function) = walk.declare_function(&declared);
            if local && let Some(symbol) = walk.b.symbol_mut(id) {
                symbol.visibility = Visibility::Private;
            }
            function
        }
        (Some(_), Some((class, members))) => member(walk, &declared, class, members, is_method),
        // A table from elsewhere: nothing here says whose function that is.
        (Some(table), None) => {
            let name = walk.b.name_of(last);
            let id = walk.symbol(&declared, name);
            let owner = walk.b.name_of(table);
            if let Some(symbol) = walk.b.symbol_mut(id) {
                symbol.owner = Some(owner);
            }
            let members = walk.b.scope(ScopeId::MODULE, ScopeKind::Members, None);
            walk.b
                .bind(members, name, last.start_byte(), Bound::Symbol(id));
            walk.extension(table, None, members, ScopeId::MODULE);
            walk.function_of(id)
        }
    };
    params(walk, node, function);
}

/// A function among the members of a table of this file.
fn member(
    walk: &mut Walk<'_, '_>,
    declared: &Declared<'_>,
    class: SymbolId,
    members: ScopeId,
    is_method: bool,
) -> FunctionId {
    let name = walk.b.name_of(declared.name);
    let id = walk.symbol(declared, name);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.parent = Some(class);
        if !is_method {
            symbol.flags.set(Flags::STATIC);
        }
    }
    let at = declared.name.start_byte();
    walk.b.bind(members, name, at, Bound::Symbol(id));
    let function = walk.function_of(id);
    if is_method {
        let own = walk.b.name("self");
        let class = walk.b.expr(Expr::Symbol(class));
        let this = walk.b.expr(Expr::Instance(class));
        walk.local_named(own, at, Bound::Value(this));
    }
    function
}

/// The parameters of a function.
fn params(walk: &mut Walk<'_, '_>, node: Node<'_>, function: FunctionId) {
    let Some(list) = node.field("parameters") else {
        return;
    };
    for name in children(list).filter(|name| name.kind() == "identifier") {
        let param = Parameter {
            name,
            declared: None,
            default: None,
            rest: false,
        };
        walk.param(function, &param);
    }
}

/// `local a, b = x, y`.
fn locals(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(assignment) = child_of_kind(node, "assignment_statement") {
        assign(walk, assignment, Some(node));
        walk.take(assignment);
    } else if let Some(names) = child_of_kind(node, "variable_list") {
        for name in children(names).filter(|name| name.kind() == "identifier") {
            walk.local(name, Bound::Unknown);
        }
    }
}

fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if !walk.is_taken(node) {
        assign(walk, node, None);
    }
}

/// Gives each name on the left its value.
fn assign(walk: &mut Walk<'_, '_>, node: Node<'_>, local: Option<Node<'_>>) {
    let (Some(names), Some(values)) = (
        child_of_kind(node, "variable_list"),
        child_of_kind(node, "expression_list"),
    ) else {
        return;
    };
    let values: Vec<_> = children(values).collect();
    for (at, name) in children(names).enumerate() {
        let value = values.get(at).copied();
        walk.take(name);
        match name.kind() {
            "identifier" => assign_name(walk, node, name, value, local),
            "dot_index_expression" => assign_member(walk, node, name, value),
            _ => {}
        }
        if let Some(value) = value {
            walk.value_if_name(value);
        }
    }
}

fn assign_name(
    walk: &mut Walk<'_, '_>,
    node: Node<'_>,
    name: Node<'_>,
    value: Option<Node<'_>>,
    local: Option<Node<'_>>,
) {
    if walk.at_top() && table_of(walk, name).is_some() {
        return;
    }
    if let Some(module) = value.and_then(|value| required(walk, value)) {
        let text = walk.b.text(name);
        walk.import_of(name, &module, Some(RETURN), Some(text));
        return;
    }
    let is_function = value.is_some_and(|value| value.kind() == "function_definition");
    let declares = local.is_some() || walk.at_top();
    if is_function && declares {
        let declared = Declared {
            node: local.unwrap_or(node),
            kind: SymbolKind::Function,
            name,
            body: value,
        };
        let id = walk.declare(&declared);
        if let Some(symbol) = walk.b.symbol_mut(id).filter(|_| local.is_some()) {
            symbol.visibility = Visibility::Private;
        }
        bind_closure(walk, id, value);
        return;
    }
    let value = value.map(|value| walk.read(value));
    if local.is_some() && !walk.at_top() {
        let bound = value.map_or(Bound::Unknown, Bound::Value);
        walk.local(name, bound);
    } else if walk.at_top() {
        let id = walk.b.name_of(name);
        if walk.named_scopes.insert(id, ScopeId::MODULE).is_some() {
            if let Some(value) = value {
                let at = name.start_byte();
                walk.b.bind(ScopeId::MODULE, id, at, Bound::Value(value));
            }
            return;
        }
        let declared = Declared {
            node: local.unwrap_or(node),
            kind: SymbolKind::Variable,
            name,
            body: None,
        };
        let id = walk.variable(&declared, None, value);
        if let Some(symbol) = id
            .filter(|_| local.is_some())
            .and_then(|id| walk.b.symbol_mut(id))
        {
            symbol.visibility = Visibility::Private;
        }
    } else if let Some(value) = value {
        // A name that an outer scope has, or a global.
        let id = walk.b.name_of(name);
        walk.b
            .bind(walk.scope(), id, name.start_byte(), Bound::Value(value));
    }
}

/// `T.f = value`.
fn assign_member(walk: &mut Walk<'_, '_>, node: Node<'_>, name: Node<'_>, value: Option<Node<'_>>) {
    let (Some(table), Some(field), Some(value)) = (name.field("table"), name.field("field"), value)
    else {
        return;
    };
    let this = walk.b.text(table) == "self";
    let owner = match this {
        true => class_around(walk),
        false => table_of(walk, table),
    };
    let Some((class, members)) = owner else {
        return;
    };
    let name = walk.b.name_of(field);
    if value.kind() == "function_definition" && !this {
        let declared = Declared {
            node,
            kind: SymbolKind::Function,
            name: field,
            body: Some(value),
        };
        let id = walk.symbol(&declared, name);
        if let Some(symbol) = walk.b.symbol_mut(id) {
            symbol.parent = Some(class);
            symbol.flags.set(Flags::STATIC);
        }
        walk.b
            .bind(members, name, field.start_byte(), Bound::Symbol(id));
        bind_closure(walk, id, Some(value));
        return;
    }
    let env = walk.scope();
    let value = walk.read(value);
    walk.b
        .bind_in(members, name, field.start_byte(), env, Bound::Value(value));
}

/// Gives a symbol the function that it is assigned.
fn bind_closure(walk: &mut Walk<'_, '_>, id: SymbolId, value: Option<Node<'_>>) {
    let Some(value) = value else { return };
    let function = walk.closure_of(value);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.function = Some(function);
    }
    if let Some(known) = walk.b.function_mut(function) {
        known.symbol = Some(id);
        let scope = known.scope;
        if let Some(scope) = walk.b.facts.scopes.get_mut(scope.index()) {
            scope.owner = Some(id);
        }
    }
    walk.own_initialiser(value, id);
}

/// The table whose method the walk is in.
fn class_around(walk: &Walk<'_, '_>) -> Option<(SymbolId, ScopeId)> {
    let symbols = &walk.b.facts.symbols;
    let owner = symbols.get(walk.owner()?.index())?;
    let class = owner.parent?;
    Some((class, symbols.get(class.index())?.members?))
}

/// The module of `require "x"`.
fn required(walk: &Walk<'_, '_>, node: Node<'_>) -> Option<String> {
    let name = node.field("name")?;
    if node.kind() != "function_call" || walk.b.text(name) != "require" {
        return None;
    }
    let argument = node.field("arguments")?;
    let text = walk.b.text(argument).trim_matches(['(', ')', ' ']);
    let module = text.trim_matches(['"', '\'', '[', ']']);
    (module.len() + 2 <= text.len()).then(|| module.to_owned())
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(name), Some(args)) = (node.field("name"), node.field("arguments")) else {
        return;
    };
    walk.take(name);
    let what = walk.read(name);
    let operands = walk.arguments(Some(args));
    let at = name
        .field("field")
        .or_else(|| name.field("method"))
        .unwrap_or(name);
    walk.site(SiteKind::Call, what, at, operands);
}

fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let (Some(name), Some(args)) = (node.field("name"), node.field("arguments")) else {
        return Expr::Unknown;
    };
    match walk.b.text(name) {
        "setmetatable" => {
            let table = children(args).nth(1);
            match table.map(|table| walk.read(table)) {
                Some(class) => Expr::Instance(class),
                None => Expr::Unknown,
            }
        }
        "require" => match required(walk, node) {
            Some(module) => {
                // No Lua name has a space in it.
                let local = format!("require {module}");
                walk.import_of(node, &module, Some(RETURN), Some(&local));
                Expr::Name(walk.b.name(&local))
            }
            None => Expr::Unknown,
        },
        _ => {
            let callee = walk.read(name);
            let args = walk.arguments(Some(args));
            Expr::Call(callee, args)
        }
    }
}

/// A table with its named fields.
fn read_table(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let scope = walk.b.scope(walk.scope(), ScopeKind::Object, None);
    let env = walk.scope();
    let mut items = Vec::new();
    for field in children(node) {
        let value = field.field("value");
        let name = field.field("name");
        match (name, value) {
            (Some(name), Some(value)) => {
                let value = walk.read(value);
                let id: NameId = walk.b.name_of(name);
                walk.b
                    .bind_in(scope, id, name.start_byte(), env, Bound::Value(value));
            }
            (None, Some(value)) => items.push(walk.read(value)),
            _ => {}
        }
    }
    match items.is_empty() {
        true => Expr::Object(scope),
        false => Expr::Array(walk.b.list(&items)),
    }
}

/// `a or b` is either; every other operator gives something of its own.
fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return Expr::Unknown;
    };
    let operator = node.child(1).map(|operator| operator.kind());
    match operator {
        Some("or") => {
            let operands = [walk.read(left), walk.read(right)];
            Expr::Union(walk.b.list(&operands))
        }
        Some("and") => {
            let right = walk.read(right);
            walk.b.expr_at(right)
        }
        _ => Expr::Unknown,
    }
}

fn field(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(value) = node.field("value") {
        walk.value_if_name(value);
    }
}

fn for_each(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(names), Some(values)) = (
        child_of_kind(node, "variable_list"),
        child_of_kind(node, "expression_list"),
    ) else {
        return;
    };
    // `pairs(t)` and `ipairs(t)` yield a key and an element of `t`.
    let iterated = children(values).next().and_then(|call| {
        let name = call.field("name")?;
        let args = call.field("arguments")?;
        matches!(walk.b.text(name), "pairs" | "ipairs").then(|| children(args).next())?
    });
    let element = iterated.map(|table| {
        let table = walk.read(table);
        walk.b.expr(Expr::Element(table))
    });
    for (at, name) in children(names).enumerate() {
        walk.take(name);
        let bound = match element {
            Some(element) if at == 1 => Bound::Value(element),
            _ => Bound::Unknown,
        };
        walk.local(name, bound);
    }
}

fn for_number(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walk.local(name, Bound::Unknown);
    }
}

/// `return x`: of a function, or of the chunk.
fn returned(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(value) = child_of_kind(node, "expression_list").and_then(|list| children(list).next())
    else {
        return;
    };
    walk.value_if_name(value);
    if walk.function().is_some() {
        walk.returns(value);
    } else {
        let bound = match table_of(walk, value) {
            Some((table, _)) => Bound::Symbol(table),
            None => Bound::Value(walk.read(value)),
        };
        let name = walk.b.name(RETURN);
        walk.b
            .bind(ScopeId::MODULE, name, value.start_byte(), bound);
    }
}
