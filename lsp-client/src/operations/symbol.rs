//! Symbols: of a document as a tree, of a workspace as a list.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Span;
use crate::lens::{Lens, flag, items, number, range, text};

/// A symbol of a document, with those inside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// Its name as the server shows it.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// More about it, such as a signature.
    pub detail: Option<String>,
    /// All of it.
    pub span: Span,
    /// Its name; the same as [`span`](Symbol::span) when the server does not tell them apart.
    pub name_span: Span,
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// The symbols inside of it.
    pub children: Vec<Symbol>,
}

/// A symbol that was looked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSymbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// What it is in, such as a class or a module.
    pub container: Option<String>,
    /// The file that it is in.
    pub path: PathBuf,
    /// Where in it; `None` when the server only names the file.
    pub span: Option<Span>,
    /// What the line reads where it starts, as in [`Place`](crate::Place::line).
    pub line: Option<String>,
}

/// What a symbol is. Displays as one word or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its name")]
pub enum SymbolKind {
    File,
    Module,
    Namespace,
    Package,
    Class,
    Method,
    Property,
    Field,
    Constructor,
    Enum,
    Interface,
    Function,
    Variable,
    Constant,
    String,
    Number,
    Boolean,
    Array,
    Object,
    Key,
    Null,
    EnumMember,
    Struct,
    Event,
    Operator,
    TypeParameter,
    /// What the protocol has no number for.
    Other,
}

impl SymbolKind {
    /// In the order of the protocol's numbers, which begin with 1.
    const ALL: [(SymbolKind, &str); 26] = [
        (SymbolKind::File, "file"),
        (SymbolKind::Module, "module"),
        (SymbolKind::Namespace, "namespace"),
        (SymbolKind::Package, "package"),
        (SymbolKind::Class, "class"),
        (SymbolKind::Method, "method"),
        (SymbolKind::Property, "property"),
        (SymbolKind::Field, "field"),
        (SymbolKind::Constructor, "constructor"),
        (SymbolKind::Enum, "enum"),
        (SymbolKind::Interface, "interface"),
        (SymbolKind::Function, "function"),
        (SymbolKind::Variable, "variable"),
        (SymbolKind::Constant, "constant"),
        (SymbolKind::String, "string"),
        (SymbolKind::Number, "number"),
        (SymbolKind::Boolean, "boolean"),
        (SymbolKind::Array, "array"),
        (SymbolKind::Object, "object"),
        (SymbolKind::Key, "key"),
        (SymbolKind::Null, "null"),
        (SymbolKind::EnumMember, "enum member"),
        (SymbolKind::Struct, "struct"),
        (SymbolKind::Event, "event"),
        (SymbolKind::Operator, "operator"),
        (SymbolKind::TypeParameter, "type parameter"),
    ];

    /// The `kind` of a symbol.
    pub(crate) fn of(symbol: &Value) -> SymbolKind {
        let kind = number(symbol, "kind")
            .and_then(|number| usize::try_from(number).ok()?.checked_sub(1))
            .and_then(|index| SymbolKind::ALL.get(index));
        kind.map_or(SymbolKind::Other, |(kind, _)| *kind)
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = SymbolKind::ALL.iter().find(|(kind, _)| kind == self);
        f.pad(name.map_or("symbol", |(_, name)| name))
    }
}

/// Whether a symbol is marked as deprecated, in the newer way or the older.
fn deprecated(symbol: &Value) -> bool {
    const DEPRECATED: u64 = 1;
    let tagged = |tags: &Value| {
        items(tags)
            .iter()
            .any(|tag| tag.as_u64() == Some(DEPRECATED))
    };
    flag(symbol, "deprecated") || symbol.get("tags").is_some_and(tagged)
}

impl Symbol {
    /// Reads the symbols of the document `path`: `DocumentSymbol[]`, or `SymbolInformation[]`,
    /// which is made a tree by what lies in what.
    pub(crate) fn read(answer: &Value, path: &Path, lens: &mut Lens) -> Vec<Symbol> {
        let mut flat = Vec::new();
        let mut tree = Vec::new();
        for item in items(answer) {
            match item.get("location") {
                None => tree.extend(Symbol::read_one(item, path, lens)),
                Some(location) => flat.extend(Symbol::read_flat(item, location, path, lens)),
            }
        }
        tree.extend(nested(flat));
        tree
    }

    /// A symbol whose own range is wrong is left out, its children are not.
    fn read_one(item: &Value, path: &Path, lens: &mut Lens) -> Vec<Symbol> {
        let children: Vec<Symbol> = items(item.get("children").unwrap_or(&Value::Null))
            .iter()
            .flat_map(|child| Symbol::read_one(child, path, lens))
            .collect();
        let own = range(item, "selectionRange");
        let (Some(name), Some(whole)) = (text(item, "name"), range(item, "range").or(own)) else {
            return children;
        };
        let span = lens.span(path, whole);
        vec![Symbol {
            name,
            kind: SymbolKind::of(item),
            detail: text(item, "detail"),
            span,
            name_span: own.map_or(span, |own| lens.span(path, own)),
            deprecated: deprecated(item),
            children,
        }]
    }

    fn read_flat(item: &Value, location: &Value, path: &Path, lens: &mut Lens) -> Option<Symbol> {
        let span = lens.span(path, range(location, "range")?);
        Some(Symbol {
            name: text(item, "name")?,
            kind: SymbolKind::of(item),
            detail: None,
            span,
            name_span: span,
            deprecated: deprecated(item),
            children: Vec::new(),
        })
    }
}

/// Puts each symbol into the smallest one around it.
fn nested(mut flat: Vec<Symbol>) -> Vec<Symbol> {
    flat.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    let mut roots = Vec::new();
    // The symbols around the next one, each inside of the one before it.
    let mut open: Vec<Symbol> = Vec::new();
    let close = |open: &mut Vec<Symbol>, roots: &mut Vec<Symbol>| {
        if let Some(done) = open.pop() {
            match open.last_mut() {
                Some(around) => around.children.push(done),
                None => roots.push(done),
            }
        }
    };
    for symbol in flat {
        let around = |other: &Symbol| {
            other.span != symbol.span
                && other.span.start <= symbol.span.start
                && symbol.span.end <= other.span.end
        };
        while open.last().is_some_and(|last| !around(last)) {
            close(&mut open, &mut roots);
        }
        open.push(symbol);
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}

impl FoundSymbol {
    /// Reads one item of `SymbolInformation[]` or `WorkspaceSymbol[]`; `None` for what lies in no
    /// file or cannot be read.
    pub(crate) fn read(item: &Value, lens: &mut Lens) -> Option<FoundSymbol> {
        let location = item.get("location")?;
        let path = lens.root.to_path(&text(location, "uri")?)?;
        let span = range(location, "range").map(|range| lens.span(&path, range));
        Some(FoundSymbol {
            name: text(item, "name")?,
            kind: SymbolKind::of(item),
            container: text(item, "containerName"),
            line: span.and_then(|span| lens.line(&path, span.start.line)),
            path,
            span,
        })
    }

    /// Whether an item must be resolved to learn where it is.
    pub(crate) fn lacks_range(item: &Value) -> bool {
        item.get("location")
            .is_some_and(|location| range(location, "range").is_none())
    }
}
