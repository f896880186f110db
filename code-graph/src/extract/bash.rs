//! Bash: functions, constants, sourced files and commands of one script.

use super::Builder;
use super::table::{Act, Declared, Grammar, Read, Walk, child_of_kind, children, walk};
use crate::extract::field::Fields;
use crate::facts::{Expr, Flags, FunctionId, List, ScopeId, SiteKind, SymbolKind, Visibility};
use std::sync::OnceLock;
use tree_sitter::{Node, Tree};

/// Collects the facts of a shell script.
pub(crate) fn extract(b: &mut Builder<'_>, tree: &Tree) {
    walk(b, tree, &BASH);
}

static BASH: Grammar = Grammar {
    walk: &[
        ("comment", Act::Comment),
        ("function_definition", Act::Hook(function)),
        ("command", Act::Hook(command)),
        ("variable_assignment", Act::Hook(assignment)),
    ],
    read: &[("word", Read::Name), ("variable_name", Read::Name)],
    closure: |_: &mut Walk<'_, '_>, _: Node<'_>, _: FunctionId| {},
    modifiers: &[],
    plain_docs: true,
    annotations: &[],
    visibility: |_: &Walk<'_, '_>, name: &str, _: SymbolKind| match name.starts_with('_') {
        true => Visibility::Private,
        false => Visibility::Public,
    },
    methods_apart: false,
    operands: &[],
    numbered: OnceLock::new(),
};

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
    // The convention of shunit2 and its kin; bats has a syntax of its own.
    let is_test = text
        .strip_prefix("test_")
        .is_some_and(|rest| !rest.is_empty());
    let (id, _) = walk.declare_function(&declared);
    if is_test {
        walk.flag(id, Flags::TEST);
    }
    walk.take(name);
}

/// A command: `source file`, a call of a function, or a program.
fn command(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    let Some(word) = child_of_kind(name, "word") else {
        return;
    };
    let arguments = || {
        children(node)
            .skip_while(|child| child.id() != name.id())
            .skip(1)
    };
    match walk.b.text(word) {
        "source" | "." => {
            if let Some(file) = arguments().next() {
                source(walk, file);
            }
        }
        // The first argument is a command that runs later.
        "trap" => {
            if let Some(handler) = arguments().find(|argument| argument.kind() == "word") {
                value(walk, handler);
            }
        }
        // What they run is what their arguments name.
        "command" | "builtin" | "exec" | "eval" | "time" | "nohup" | "sudo" | "env" | "xargs"
        | "run" => {
            if let Some(called) = arguments().find(|argument| {
                argument.kind() == "word" && !walk.b.text(*argument).starts_with('-')
            }) && is_name(walk.b.text(called))
            {
                call(walk, called);
            }
        }
        text if is_name(text) => call(walk, word),
        _ => {}
    }
}

fn call(walk: &mut Walk<'_, '_>, word: Node<'_>) {
    let what = walk.read(word);
    walk.site(SiteKind::Call, what, word, List::default());
}

fn value(walk: &mut Walk<'_, '_>, word: Node<'_>) {
    if is_name(walk.b.text(word)) {
        let name = walk.b.name_of(word);
        let what = walk.b.expr(Expr::Name(name));
        walk.site(SiteKind::Value, what, word, List::default());
    }
}

/// Whether a word can be the name of a function, and is not a path, an option or an expansion.
fn is_name(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '+' | '@'))
}

/// `source file`: a leading expansion (`$DIR/`, `$(dirname "$0")/`) stands for a folder that is not
/// known; what is left is the path.
fn source(walk: &mut Walk<'_, '_>, file: Node<'_>) {
    let text = walk.b.text(file).trim_matches(['"', '\'']);
    let mut rest = text;
    let mut unknown_folder = false;
    if rest.starts_with('$') {
        unknown_folder = true;
        // The expansion ends with its last bracket, or at the first slash.
        let end = rest.rfind([')', '}']).map_or(0, |at| at + 1);
        let slash = rest[end..].find('/');
        rest = slash.map_or("", |at| &rest[end + at + 1..]);
    }
    if rest.is_empty() || rest.contains('$') {
        return;
    }
    let module = match unknown_folder {
        true => format!("*/{}", rest.trim_start_matches('/')),
        false => rest.to_owned(),
    };
    let import = walk.import_of(file, &module, None, None);
    if let Some(import) = walk.b.facts.imports.get_mut(import.index()) {
        import.reexport = true;
    }
}

/// `NAME=value` outside a function; `readonly` makes a constant.
fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(name) = node.field("name") else {
        return;
    };
    if walk.function().is_some() || name.kind() != "variable_name" {
        return;
    }
    let around = node
        .parent()
        .filter(|parent| parent.kind() == "declaration_command");
    let known = walk.b.name_of(name);
    // Only the first assignment declares.
    if walk.named_scopes.insert(known, ScopeId::MODULE).is_none() {
        let words = around.map_or("", |around| walk.b.text(around));
        let constant = words.starts_with("readonly") || words.starts_with("declare -r");
        let declared = Declared {
            node: around.unwrap_or(node),
            kind: match constant {
                true => SymbolKind::Constant,
                false => SymbolKind::Variable,
            },
            name,
            body: None,
        };
        let id = walk.variable(&declared, None, None);
        if let Some(id) = id.filter(|_| words.starts_with("export")) {
            walk.flag(id, Flags::EXPORTED);
        }
    }
}
