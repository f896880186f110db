//! Calls of Ruby, and those that declare something.

use super::super::table::{Declared, Walk, child_of_kind, children};
use super::declare::params;
use super::take_path;
use super::values::made;
use crate::extract::field::Fields;
use crate::facts::{
    BaseKind, Bound, Expr, ExprId, Flags, Function, List, NameId, ScopeId, ScopeKind, Site,
    SiteKind, SymbolId, SymbolKind,
};
use tree_sitter::Node;

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
pub(super) fn block(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.block();
    let Some(list) = node.field("parameters") else {
        return;
    };
    let called = node.parent().filter(|call| call.kind() == "call");
    let element = called.and_then(|call| {
        let method = walk.b.text(call.field("method")?);
        let receiver = call.field("receiver")?;
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
pub(super) fn callee<'n>(walk: &mut Walk<'_, '_>, node: Node<'n>) -> Option<(Expr, Node<'n>)> {
    let name = node.field("method")?;
    let id = walk.b.name_of(name);
    match node.field("receiver") {
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
pub(super) fn method_around(walk: &Walk<'_, '_>) -> Option<NameId> {
    let symbol = walk.b.facts.symbols.get(walk.owner()?.index())?;
    symbol.function.map(|_| symbol.name)
}

pub(super) fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("method") else {
        return;
    };
    walk.take(name);
    if walk.is_taken(node) {
        return;
    }
    let args = node.field("arguments");
    let receiver = node.field("receiver");
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
                    body: node.field("block"),
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
            if let (Some(text), Some(body)) = (text, node.field("block")) {
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
pub(super) fn alias(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let (Some(new), Some(old)) = (node.field("name"), node.field("alias")) else {
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
