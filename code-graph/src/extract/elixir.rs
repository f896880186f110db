//! Elixir: modules, functions, macros, protocols, structs and uses of one file.
//!
//! In this grammar nearly everything is a call; what declares is told by its name. Clauses of one
//! function (same name and number of arguments) are one symbol.

use super::Builder;
use super::table::{
    Act, At, Declared, Grammar, Parameter, Read, Walk, child_of_kind, children, walk,
};
use crate::extract::field::Fields;
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Flags, FunctionId, Import, List, NameId, ScopeId, SiteKind,
    SymbolId, SymbolKind, Visibility,
};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of an Elixir file.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &ELIXIR);
}

use At::{Field, Nth};

static ELIXIR: Grammar = Grammar {
    walk: &[
        ("comment", Act::Skip),
        ("call", Act::Hook(call)),
        ("unary_operator", Act::Hook(unary)),
        ("binary_operator", Act::Hook(binary)),
        ("anonymous_function", Act::Block),
        ("stab_clause", Act::Hook(clause)),
        ("alias", Act::Hook(alias_use)),
        ("struct", Act::Hook(structure)),
    ],
    read: &[
        ("identifier", Read::Hook(read_identifier)),
        ("alias", Read::Hook(read_alias)),
        ("call", Read::Hook(read_call)),
        ("dot", Read::Member(Field("left"), Field("right"))),
        ("binary_operator", Read::Hook(read_binary)),
        ("tuple", Read::Tuple),
        ("list", Read::Array),
        ("string", Read::Literal("String")),
        ("atom", Read::Literal("Atom")),
        ("integer", Read::Literal("Integer")),
        ("map", Read::Hook(read_map)),
        ("block", Read::Through(Nth(0))),
    ],
    closure: |_: &mut Walk<'_, '_>, _: Node<'_>, _: FunctionId| {},
    modifiers: &[],
    plain_docs: false,
    annotations: &[],
    visibility: |_: &Walk<'_, '_>, _: &str, _: SymbolKind| Visibility::Public,
    methods_apart: false,
    operands: &[],
    numbered: OnceLock::new(),
};

/// Name, number of arguments, the call that lists them.
struct Head<'n> {
    name: Node<'n>,
    args: Vec<Node<'n>>,
}

/// The head of a `def`: without its guard.
fn head(node: Node<'_>) -> Option<Head<'_>> {
    let mut first = children(child_of_kind(node, "arguments")?).next()?;
    if first.kind() == "binary_operator" {
        first = first.field("left")?;
    }
    match first.kind() {
        "identifier" => Some(Head {
            name: first,
            args: Vec::new(),
        }),
        "call" => {
            let args = child_of_kind(first, "arguments");
            Some(Head {
                name: first.field("target")?,
                args: args
                    .map(|args| children(args).collect())
                    .unwrap_or_default(),
            })
        }
        _ => None,
    }
}

fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(target) = node.field("target") else {
        return;
    };
    if walk.is_taken(node) {
        return;
    }
    if target.kind() == "dot" {
        remote_call(walk, node, target);
        return;
    }
    if target.kind() != "identifier" {
        return;
    }
    let word = walk.b.text(target);
    match word {
        "defmodule" | "defprotocol" => module(walk, node, word),
        "defimpl" => implementation(walk, node),
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate"
        | "defcallback" => function(walk, node, word),
        "defstruct" | "defexception" => fields(walk, node),
        "alias" | "require" | "import" | "use" => import(walk, node, word),
        "test" | "describe" | "setup" | "setup_all" | "property" => test(walk, node, word),
        "quote" | "unquote" | "if" | "unless" | "case" | "cond" | "with" | "for" | "try"
        | "receive" | "raise" | "fn" | "super" | "and" | "or" | "not" | "in" | "when" => {}
        _ => local_call(walk, node, target),
    }
}

/// `defmodule A.B do … end`. The name inside another module is joined to that module's.
fn module(walk: &mut Walk<'_, '_>, node: Node<'_>, word: &str) {
    let Some(name) = child_of_kind(node, "arguments").and_then(|args| children(args).next()) else {
        return;
    };
    walk.take(name);
    let declared = Declared {
        node,
        kind: match word {
            "defprotocol" => SymbolKind::Interface,
            _ => SymbolKind::Module,
        },
        name,
        body: child_of_kind(node, "do_block"),
    };
    let doc = child_of_kind(node, "do_block").and_then(|body| doc_in(walk, body, "moduledoc"));
    let name_id = walk.b.name_of(name);
    let id = walk.symbol(&declared, name_id);
    walk.type_body(id, []);
    if let Some(symbol) = walk.b.symbol_mut(id) {
        symbol.doc = doc;
        if word == "defprotocol" {
            symbol.flags.set(Flags::ABSTRACT);
        }
    }
    // Everybody knows it by its full name.
    let full = walk.full_name(id, ".");
    let full = walk.b.name(&full);
    walk.b
        .bind(ScopeId::MODULE, full, name.start_byte(), Bound::Symbol(id));
    let own = walk.b.name("__MODULE__");
    walk.b
        .bind(walk.scope(), own, name.start_byte(), Bound::Symbol(id));
}

/// `defimpl Protocol, for: Type do … end`.
fn implementation(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(args) = child_of_kind(node, "arguments") else {
        return;
    };
    let Some(protocol) = children(args).next() else {
        return;
    };
    let target = keyword(walk, args, "for:");
    walk.take(protocol);
    let scope = walk.scope();
    let name = target.map_or_else(
        || walk.b.text(protocol).to_owned(),
        |target| format!("{}.{}", walk.b.text(protocol), walk.b.text(target)),
    );
    let name = walk.b.name(&name);
    let declared = Declared {
        node,
        kind: SymbolKind::Module,
        name: protocol,
        body: child_of_kind(node, "do_block"),
    };
    let id = walk.symbol(&declared, name);
    walk.b
        .bind(scope, name, protocol.start_byte(), Bound::Symbol(id));
    walk.type_body(id, []);
    walk.base(id, BaseKind::Implements, protocol, scope);
    if let Some(target) = target.filter(|target| target.kind() == "alias") {
        walk.take(target);
        let what = walk.read(target);
        walk.site(SiteKind::Type, what, target, List::default());
    }
}

/// The value of a keyword argument.
fn keyword<'n>(walk: &Walk<'_, '_>, args: Node<'n>, key: &str) -> Option<Node<'n>> {
    let pairs = child_of_kind(args, "keywords")?;
    children(pairs).find_map(|pair| {
        let name = pair.field("key")?;
        (walk.b.text(name).trim() == key).then(|| pair.field("value"))?
    })
}

/// The text of `@doc "…"` right before a declaration, other attributes between left out.
fn doc_before(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<NameId> {
    let mut before = node.prev_named_sibling();
    for _ in 0..6 {
        let attribute = before.filter(|node| node.kind() == "unary_operator")?;
        if let Some(doc) = doc_of(walk, attribute, "doc") {
            return Some(doc);
        }
        before = attribute.prev_named_sibling();
    }
    None
}

fn doc_in(walk: &mut Walk<'_, '_>, body: Node<'_>, name: &str) -> Option<NameId> {
    let first = children(body).take(4).collect::<Vec<_>>();
    first.into_iter().find_map(|node| doc_of(walk, node, name))
}

fn doc_of(walk: &mut Walk<'_, '_>, attribute: Node<'_>, name: &str) -> Option<NameId> {
    let call = attribute.field("operand")?;
    let target = call.field("target")?;
    if attribute.kind() != "unary_operator" || walk.b.text(target) != name {
        return None;
    }
    let text = children(child_of_kind(call, "arguments")?).next()?;
    let text = child_of_kind(text, "quoted_content")?;
    let text = walk.b.text(text).trim();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    (!paragraph.is_empty()).then(|| walk.b.line_of(paragraph))
}

fn function(walk: &mut Walk<'_, '_>, node: Node<'_>, word: &str) {
    let Some(Head { name, args }) = head(node) else {
        return;
    };
    if !matches!(name.kind(), "identifier" | "operator_identifier") {
        return;
    }
    walk.take(name);
    if let Some(head) = name.parent().filter(|parent| parent.kind() == "call") {
        walk.take(head);
    }
    let name_id = walk.b.name_of(name);
    let scope = walk.scope();
    let clause_key = format!("{}/{}/{}", scope.0, walk.b.text(name), args.len());
    let clause_key = walk.b.name(&clause_key);
    let known = walk.named_scopes.get(&clause_key).copied();
    let declared = Declared {
        node,
        kind: match word {
            "defmacro" | "defmacrop" | "defguard" | "defguardp" => SymbolKind::Macro,
            _ => SymbolKind::Function,
        },
        name,
        body: child_of_kind(node, "do_block"),
    };
    if let Some(known) = known {
        // A further clause of the same function.
        let owner = walk
            .b
            .facts
            .scopes
            .get(known.index())
            .and_then(|scope| scope.owner);
        walk.block();
        if let Some(owner) = owner {
            walk.enter_owner(owner);
            if let Some(symbol) = walk.b.symbol_mut(owner) {
                symbol.span.end = node.end_byte() as u32;
                symbol.span.end_row = node.end_position().row as u32;
                if declared.body.is_some() {
                    symbol.flags = without(symbol.flags, Flags::DECLARATION);
                }
            }
        }
    } else {
        let doc = doc_before(walk, node);
        let id = walk.declare(&declared);
        if let Some(symbol) = walk.b.symbol_mut(id) {
            symbol.doc = doc;
            if word.ends_with('p') {
                symbol.visibility = Visibility::Private;
            }
        }
        walk.function_of(id);
        let own = walk.scope();
        walk.named_scopes.insert(clause_key, own);
        if word == "defdelegate" {
            delegate(walk, node, name, name_id);
        }
    }
    let function = walk.function();
    for arg in args {
        parameter(walk, arg, function.filter(|_| known.is_none()));
    }
    if let Some(value) =
        child_of_kind(node, "arguments").and_then(|args| keyword(walk, args, "do:"))
    {
        returns(walk, value);
    } else if let Some(last) = declared.body.and_then(|body| children(body).last()) {
        returns(walk, last);
    }
}

fn without(flags: Flags, what: Flags) -> Flags {
    Flags(flags.0 & !what.0)
}

fn returns(walk: &mut Walk<'_, '_>, value: Node<'_>) {
    walk.returns(value);
}

/// `defdelegate f(x), to: M` calls `M.f`.
fn delegate(walk: &mut Walk<'_, '_>, node: Node<'_>, name: Node<'_>, name_id: NameId) {
    let Some(args) = child_of_kind(node, "arguments") else {
        return;
    };
    if let Some(to) = keyword(walk, args, "to:") {
        walk.take(to);
        let module = walk.read(to);
        let what = walk.b.expr(Expr::Member(module, name_id));
        walk.site(SiteKind::Call, what, name, List::default());
    }
}

/// One argument of a clause: a name, or a pattern with names in it.
fn parameter(walk: &mut Walk<'_, '_>, node: Node<'_>, function: Option<FunctionId>) {
    let mut name = node;
    let mut default = None;
    if node.kind() == "binary_operator" {
        let operator = node.field("operator");
        if operator.is_some_and(|operator| walk.b.text(operator) == "\\\\") {
            default = node.field("right");
        }
        // `pattern = name`, `name \\ default`.
        let sides = [node.field("left"), node.field("right")];
        let found = sides
            .into_iter()
            .flatten()
            .find(|side| side.kind() == "identifier");
        let of_struct = sides.into_iter().flatten().find_map(struct_of);
        if let (Some(found), Some(of_struct)) = (found, of_struct) {
            let ty = walk.read(of_struct);
            walk.local(found, Bound::Declared(ty));
        }
        name = found.unwrap_or(node);
    }
    match function {
        Some(function) if name.kind() == "identifier" => {
            let param = Parameter {
                name,
                declared: None,
                default,
                rest: false,
            };
            walk.param(function, &param);
            walk.take(name);
        }
        Some(function) => {
            let unnamed = walk.b.name("_");
            walk.param_of(function, unnamed, node.start_byte(), None, None, false);
        }
        None => {}
    }
    pattern(walk, node);
}

/// The module of a struct pattern `%M{…}`.
fn struct_of(node: Node<'_>) -> Option<Node<'_>> {
    let structure = child_of_kind(node, "struct").filter(|_| node.kind() == "map")?;
    children(structure)
        .next()
        .filter(|name| name.kind() == "alias")
}

/// Every name of a pattern is bound.
fn pattern(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        match node.kind() {
            "identifier" => {
                walk.take(node);
                walk.local(node, Bound::Unknown);
            }
            "call" => {}
            "struct" if !walk.is_taken(node) => {
                if let Some(name) = children(node).next().filter(|name| name.kind() == "alias") {
                    walk.take(node);
                    walk.take(name);
                    let what = walk.read(name);
                    walk.site(SiteKind::Type, what, name, List::default());
                }
            }
            _ => left.extend(children(node)),
        }
    }
}

/// `defstruct a: 1, b: 2`: the fields of the module.
fn fields(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(args) = child_of_kind(node, "arguments") else {
        return;
    };
    let Some(module) = walk.class() else { return };
    let keys: Vec<_> = match child_of_kind(args, "keywords") {
        Some(pairs) => children(pairs)
            .filter_map(|pair| pair.field("key"))
            .collect(),
        None => child_of_kind(args, "list")
            .map(|list| children(list).collect())
            .unwrap_or_default(),
    };
    for key in keys {
        let text = walk.b.text(key).trim().trim_matches(':').to_owned();
        let name = walk.b.name(&text);
        let declared = Declared {
            node: key,
            kind: SymbolKind::Field,
            name: key,
            body: None,
        };
        let id = walk.symbol(&declared, name);
        if let Some(symbol) = walk.b.symbol_mut(id) {
            symbol.parent = Some(module);
        }
    }
}

/// `alias`, `import`, `require`, `use`.
fn import(walk: &mut Walk<'_, '_>, node: Node<'_>, word: &str) {
    let Some(args) = child_of_kind(node, "arguments") else {
        return;
    };
    let Some(module) = children(args).next() else {
        return;
    };
    let local = keyword(walk, args, "as:");
    let mut modules = Vec::new();
    if module.kind() == "dot" {
        // `alias A.{B, C}`
        let (Some(left), Some(right)) = (module.field("left"), module.field("right")) else {
            return;
        };
        let prefix = walk.b.text(left).to_owned();
        for part in children(right) {
            modules.push((part, format!("{prefix}.{}", walk.b.text(part))));
        }
        walk.take(left);
    } else if module.kind() == "alias" {
        modules.push((module, walk.b.text(module).to_owned()));
    }
    for (at, text) in modules {
        walk.take(at);
        let last = text.rsplit('.').next().unwrap_or(&text).to_owned();
        let bound = match (word, local) {
            (_, Some(local)) => Some(walk.b.text(local).to_owned()),
            ("alias", None) => Some(last),
            _ => None,
        };
        let module = walk.b.name(&text);
        let local = bound.map(|bound| walk.b.name(&bound));
        // `use` runs a macro of the module, which brings names that cannot be known; what it may
        // bring are the module's own.
        walk.import(Import {
            module,
            level: 0,
            name: None,
            local,
            wildcard: word == "import",
            reexport: false,
            type_only: false,
            scope: walk.scope(),
            at: at.start_byte() as u32,
            row: at.start_position().row as u32,
        });
        if word == "use"
            && let Some(class) = walk.class()
        {
            let scope = walk.scope();
            walk.base(class, BaseKind::MixesIn, at, scope);
        }
    }
    walk.skip();
}

/// `test "…" do`, `describe "…" do` of ExUnit.
fn test(walk: &mut Walk<'_, '_>, node: Node<'_>, word: &str) {
    let text = child_of_kind(node, "arguments")
        .and_then(|args| children(args).next())
        .filter(|text| text.kind() == "string");
    let Some(text) = text.filter(|_| matches!(word, "test" | "property")) else {
        walk.block();
        return;
    };
    let declared = Declared {
        node,
        kind: SymbolKind::Function,
        name: text,
        body: child_of_kind(node, "do_block"),
    };
    let name = child_of_kind(text, "quoted_content").map_or("", |text| walk.b.text(text));
    let name = walk.b.name(&format!("test {name}"));
    let id = walk.symbol(&declared, name);
    walk.flag(id, Flags::TEST);
    walk.function_of(id);
}

/// How many arguments a call passes, the piped one included.
fn arguments(walk: &mut Walk<'_, '_>, node: Node<'_>) -> List {
    let mut operands: Vec<ExprId> = Vec::new();
    let piped = node.parent().filter(|parent| {
        parent.kind() == "binary_operator"
            && parent.field("right").map(|right| right.id()) == Some(node.id())
            && parent
                .field("operator")
                .is_some_and(|operator| walk.b.text(operator) == "|>")
    });
    if let Some(left) = piped.and_then(|pipe| pipe.field("left")) {
        operands.push(walk.read(left));
    }
    if let Some(args) = child_of_kind(node, "arguments") {
        for arg in children(args) {
            operands.push(walk.read(arg));
        }
    }
    walk.b.list(&operands)
}

fn local_call(walk: &mut Walk<'_, '_>, node: Node<'_>, target: Node<'_>) {
    let name = walk.b.name_of(target);
    let what = walk.b.expr(Expr::Name(name));
    let args = arguments(walk, node);
    walk.site(SiteKind::Call, what, target, args);
}

/// `M.f(…)`, `value.field`, `fun.(…)`.
fn remote_call(walk: &mut Walk<'_, '_>, node: Node<'_>, target: Node<'_>) {
    let (Some(left), Some(right)) = (target.field("left"), target.field("right")) else {
        return;
    };
    if right.kind() != "identifier" && right.kind() != "operator_identifier" {
        return;
    }
    walk.take(left);
    let what = walk.read(target);
    let is_module = left.kind() == "alias" || walk.b.text(left) == "__MODULE__";
    let has_arguments = child_of_kind(node, "arguments").is_some();
    if is_module || has_arguments {
        let args = arguments(walk, node);
        walk.site(SiteKind::Call, what, right, args);
    }
}

/// `@behaviour M`, `@doc …`, `&f/1`.
fn unary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(operator), Some(operand)) = (node.field("operator"), node.field("operand")) else {
        return;
    };
    match walk.b.text(operator) {
        "@" => {
            walk.take(operand);
            attribute(walk, operand);
        }
        "&" if operand.kind() == "binary_operator" => {
            // `&f/1`, `&M.f/1`.
            let Some(left) = operand.field("left") else {
                return;
            };
            let named = match left.kind() {
                "call" => left.field("target").filter(|dot| dot.kind() == "dot"),
                "identifier" => Some(left),
                _ => None,
            };
            if let Some(named) = named {
                let name = named.field("right").unwrap_or(named);
                let what = match named.kind() {
                    "identifier" => {
                        let name = walk.b.name_of(named);
                        walk.b.expr(Expr::Name(name))
                    }
                    _ => walk.read(named),
                };
                walk.site(SiteKind::Value, what, name, List::default());
                walk.skip();
            }
        }
        _ => {}
    }
}

fn attribute(walk: &mut Walk<'_, '_>, operand: Node<'_>) {
    let target = operand.field("target");
    let word = target.map_or("", |target| walk.b.text(target));
    match word {
        "behaviour" => {
            let module = child_of_kind(operand, "arguments").and_then(|args| children(args).next());
            if let (Some(module), Some(class)) = (module, walk.class()) {
                let scope = walk.scope();
                walk.base(class, BaseKind::Implements, module, scope);
            }
        }
        "doc" | "moduledoc" | "spec" | "type" | "typep" | "opaque" | "callback" | "typedoc"
        | "impl" => walk.skip(),
        "" if operand.kind() == "identifier" => {
            let name = walk.b.name(&format!("@{}", walk.b.text(operand)));
            let what = walk.b.expr(Expr::Name(name));
            walk.site(SiteKind::Value, what, operand, List::default());
        }
        "" => {}
        _ => {
            // A module attribute: a constant of the module, at its first value.
            let (Some(name), Some(class)) = (target, walk.class()) else {
                return;
            };
            walk.take(name);
            let id = walk.b.name(&format!("@{word}"));
            let key = walk.b.name(&format!("{}/@{word}", class.0));
            if walk.function().is_none()
                && child_of_kind(operand, "arguments").is_some()
                && walk.named_scopes.insert(key, ScopeId::MODULE).is_none()
            {
                let declared = Declared {
                    node: operand,
                    kind: SymbolKind::Constant,
                    name,
                    body: None,
                };
                let symbol = walk.symbol(&declared, id);
                walk.b
                    .bind(walk.scope(), id, name.start_byte(), Bound::Symbol(symbol));
            }
        }
    }
}

/// `pattern = value`.
fn binary(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(left), Some(operator), Some(right)) = (
        node.field("left"),
        node.field("operator"),
        node.field("right"),
    ) else {
        return;
    };
    match walk.b.text(operator) {
        "=" if walk.function().is_some() => {
            if left.kind() == "identifier" {
                walk.take(left);
                let value = walk.read(right);
                walk.local(left, Bound::Value(value));
            } else {
                pattern(walk, left);
            }
        }
        "<-" => pattern(walk, left),
        _ => {}
    }
}

/// A clause of `fn`, `case`, `receive`: its patterns bind.
fn clause(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    if let Some(left) = node.field("left") {
        pattern(walk, left);
    }
}

/// A module that is named outside a call of one of its functions.
fn alias_use(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    if !walk.is_taken(node) {
        walk.take(node);
        let what = walk.read(node);
        walk.site(SiteKind::Value, what, node, List::default());
    }
}

/// `%M{…}`.
fn structure(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let name = children(node).next().filter(|name| name.kind() == "alias");
    if let Some(name) = name.filter(|_| !walk.is_taken(node)) {
        walk.new_site(name, List::default());
    }
}

/// A module by its full name: an `alias` in reach stands for the first part, and a module that is
/// declared in a module around is named after that.
fn read_alias(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let text = walk.b.text(node).to_owned();
    let full = full_name(walk, &text);
    Expr::Name(walk.b.name(&full))
}

fn full_name(walk: &Walk<'_, '_>, text: &str) -> String {
    let (first, rest) = text
        .split_once('.')
        .map_or((text, ""), |(first, rest)| (first, rest));
    let facts = &walk.b.facts;
    let mut at = Some(walk.scope());
    while let Some(scope) = at {
        let alias = facts.imports.iter().rev().find(|import| {
            import.scope == scope
                && import
                    .local
                    .is_some_and(|local| walk.b.named(local) == first)
        });
        if let Some(alias) = alias {
            let module = walk.b.named(alias.module);
            return match rest.is_empty() {
                true => module.to_owned(),
                false => format!("{module}.{rest}"),
            };
        }
        at = facts
            .scopes
            .get(scope.index())
            .and_then(|scope| scope.parent);
    }
    // A module that is declared inside the ones around.
    let mut around = walk.class();
    while let Some(id) = around {
        let inner = format!("{}.{text}", walk.full_name(id, "."));
        let declared = facts.symbols.iter().enumerate().any(|(at, symbol)| {
            symbol.parent == Some(id)
                && symbol.members.is_some()
                && walk.full_name(SymbolId(at as u32), ".") == inner
        });
        if declared {
            return inner;
        }
        around = facts
            .symbols
            .get(id.index())
            .and_then(|symbol| symbol.parent);
    }
    text.to_owned()
}

fn read_identifier(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    Expr::Name(walk.b.name_of(node))
}

fn read_call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let Some(target) = node.field("target") else {
        return Expr::Unknown;
    };
    let callee = match target.kind() {
        "dot" => walk.read(target),
        "identifier" => {
            let name = walk.b.name_of(target);
            walk.b.expr(Expr::Name(name))
        }
        _ => return Expr::Unknown,
    };
    let args = arguments(walk, node);
    Expr::Call(callee, args)
}

fn read_binary(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    let (Some(operator), Some(right)) = (node.field("operator"), node.field("right")) else {
        return Expr::Unknown;
    };
    match walk.b.text(operator) {
        "|>" | "=" => {
            let right = walk.read(right);
            walk.b.expr_at(right)
        }
        "||" | "or" => {
            let left = walk.read_at(node, Field("left"));
            let right = walk.read(right);
            Expr::Union(walk.b.list(&[left, right]))
        }
        _ => Expr::Unknown,
    }
}

/// `%M{…}` is an instance of `M`, `%{…}` a map.
fn read_map(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Expr {
    match struct_of(node) {
        Some(name) => {
            let class = walk.read(name);
            Expr::Instance(class)
        }
        None => Expr::Literal(walk.b.name("Map")),
    }
}
