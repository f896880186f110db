//! The graph as a SCIP index.
//!
//! SCIP is a protobuf schema; the few messages that an index needs are written here field by field.
//! Columns are bytes, and say so. A symbol is written
//! `fourfold <language> . . <folder>/…/<file>/<Owner>#<method>().`: it names no package, because a
//! checkout as such has none.

use crate::facts::{NameId, SymbolId, SymbolKind};
use crate::graph::{File, Graph, NodeId};
use crate::link::EdgeKind;
use crate::query::Reader;
use hashbrown::HashMap;
use std::io::{self, Write};

/// A message in the making: fields one after another.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number; 0 is what an absent field means.
    fn number(&mut self, field: u64, value: u64) {
        if value != 0 {
            self.varint(field << 3);
            self.varint(value);
        }
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, field: u64, text: &str) {
        if !text.is_empty() {
            self.bytes(field, text.as_bytes());
        }
    }

    fn message(&mut self, field: u64, message: &Message) {
        self.bytes(field, &message.0);
    }

    /// Numbers, packed.
    fn numbers(&mut self, field: u64, numbers: &[u32]) {
        let mut packed = Message::default();
        for number in numbers {
            packed.varint(u64::from(*number));
        }
        self.message(field, &packed);
    }
}

/// The role of an occurrence that defines its symbol.
const DEFINITION: u64 = 1;
/// The role of an occurrence in an import.
const IMPORT: u64 = 2;
/// The role of an occurrence that is written to.
const WRITE: u64 = 4;
/// The role of an occurrence in code for tests.
const TEST: u64 = 32;

/// Bytes, for encodings of texts and for columns.
const UTF8: u64 = 1;

/// Writes the graph as a SCIP index. `project_root` is the address of the checkout's root
/// (`file:///…`). The texts are read to tell columns; a file that cannot be read is left out.
///
/// # Errors
/// Those of writing.
pub fn scip(
    graph: &Graph,
    reader: &dyn Reader,
    project_root: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut tool = Message::default();
    tool.text(1, "fourfold");
    tool.text(2, env!("CARGO_PKG_VERSION"));
    let mut metadata = Message::default();
    metadata.message(2, &tool);
    metadata.text(3, project_root);
    metadata.number(4, UTF8);
    let mut index = Message::default();
    index.message(1, &metadata);
    out.write_all(&index.0)?;
    let symbols = symbols(graph);
    for file in graph.files() {
        if let Some(text) = reader.read(&file.path) {
            let mut index = Message::default();
            index.message(2, &document(graph, &symbols, file, &text));
            out.write_all(&index.0)?;
        }
    }
    Ok(())
}

/// Where the lines of a text begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl Lines<'_> {
    fn of(text: &str) -> Lines<'_> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Lines { text, starts }
    }

    /// Line and column of a byte.
    fn place(&self, at: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at).max(1) - 1;
        let start = self.starts.get(line).copied().unwrap_or(0);
        (line as u32, at - start)
    }

    /// The range of the name that begins at a byte.
    fn name(&self, at: u32) -> [u32; 3] {
        let rest = self.text.get(at as usize..).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (line, column) = self.place(at);
        [line, column, column + length.max(1) as u32]
    }
}

fn document(graph: &Graph, symbols: &[String], file: &File, text: &str) -> Message {
    let lines = Lines::of(text);
    let mut document = Message::default();
    document.text(4, file.language.id());
    document.text(1, &file.path);
    document.number(6, UTF8);
    let test = if file.test { TEST } else { 0 };
    let occurrence = |range: [u32; 3], node: NodeId, roles: u64| {
        let mut one = Message::default();
        one.numbers(1, &range);
        one.text(2, &symbols[node.index()]);
        one.number(3, roles | test);
        one
    };
    let own = (file.node.0..)
        .take(1 + file.outline.items.len())
        .map(NodeId);
    for node in own.clone() {
        let one = match graph.symbol(node) {
            None => occurrence([0, 0, 0], node, DEFINITION),
            Some(item) => {
                let mut one = occurrence(lines.name(item.name_at), node, DEFINITION);
                let (first, from) = lines.place(item.span.start);
                let (last, to) = lines.place(item.span.end);
                one.numbers(7, &[first, from, last, to]);
                one
            }
        };
        document.message(2, &one);
    }
    for edge in own.clone().flat_map(|node| graph.outgoing(node)) {
        let roles = match edge.kind {
            EdgeKind::Overrides => continue,
            EdgeKind::Imports => IMPORT,
            EdgeKind::Writes => WRITE,
            _ => 0,
        };
        document.message(2, &occurrence(lines.name(edge.at), edge.to, roles));
    }
    for node in own {
        document.message(3, &information(graph, symbols, node));
    }
    document
}

/// What is said about a symbol besides where it occurs.
fn information(graph: &Graph, symbols: &[String], node: NodeId) -> Message {
    let file = graph.file(node);
    let mut info = Message::default();
    info.text(1, &symbols[node.index()]);
    let names = &file.outline.names;
    if let Some(doc) = graph.symbol(node).and_then(|item| item.doc) {
        info.text(3, names.get(doc));
    }
    for edge in graph.outgoing(node) {
        let implements = matches!(
            edge.kind,
            EdgeKind::Extends | EdgeKind::Implements | EdgeKind::MixesIn | EdgeKind::Overrides
        );
        if implements {
            let mut relationship = Message::default();
            relationship.text(1, &symbols[edge.to.index()]);
            // Whoever asks for the uses of a member wants those of what it overrides as well.
            relationship.number(2, u64::from(edge.kind == EdgeKind::Overrides));
            relationship.number(3, 1);
            info.message(4, &relationship);
        }
    }
    info.number(5, kind(graph.kind(node)));
    info.text(6, graph.name(node));
    if let Some(item) = graph.symbol(node) {
        let mut signature = Message::default();
        signature.text(4, file.language.id());
        signature.text(5, names.get(item.signature));
        info.message(7, &signature);
    }
    info
}

/// The number that SCIP has for a kind.
fn kind(kind: Option<SymbolKind>) -> u64 {
    match kind {
        None => 16,
        Some(SymbolKind::Module) => 29,
        Some(SymbolKind::Class) => 7,
        Some(SymbolKind::Struct) => 49,
        Some(SymbolKind::Interface) => 21,
        Some(SymbolKind::Enum) => 11,
        Some(SymbolKind::EnumMember) => 12,
        Some(SymbolKind::Function) => 17,
        Some(SymbolKind::Method) => 26,
        Some(SymbolKind::Constructor) => 9,
        Some(SymbolKind::Getter) => 18,
        Some(SymbolKind::Setter) => 45,
        Some(SymbolKind::Field) => 15,
        Some(SymbolKind::Constant) => 8,
        Some(SymbolKind::Variable) => 61,
        Some(SymbolKind::TypeAlias) => 55,
        Some(SymbolKind::Macro) => 25,
        // Later versions of the schema have numbers of their own for these; 7 and 29 are read by all.
        Some(SymbolKind::Mixin) => 7,
        Some(SymbolKind::Extension) => 29,
    }
}

/// The symbol of every node, by the grammar of SCIP. What a symbol is declared in is taken as it is
/// written in its own file, so that it does not change with another file.
fn symbols(graph: &Graph) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(graph.len());
    for file in graph.files() {
        let mut whole = format!("fourfold {} . . ", file.language.id());
        for part in file.path.split('/') {
            whole.push_str(&identifier(part));
            whole.push('/');
        }
        let first = all.len();
        all.push(whole);
        // How many of one name in one place came before.
        let mut twins: HashMap<(Option<SymbolId>, Option<NameId>, NameId), usize> = HashMap::new();
        for item in &file.outline.items {
            let names = &file.outline.names;
            let around = item
                .parent
                .and_then(|parent| all.get(first + 1 + parent.index()));
            let mut symbol = around.or(all.get(first)).cloned().unwrap_or_default();
            if let Some(owner) = item.owner {
                symbol.push_str(&identifier(names.get(owner)));
                symbol.push('#');
            }
            let twin = twins
                .entry((item.parent, item.owner, item.name))
                .or_default();
            symbol.push_str(&descriptor(item.kind, names.get(item.name), *twin));
            *twin += 1;
            all.push(symbol);
        }
    }
    all
}

/// The last part of a symbol: its name, what kind of thing it is, and its number among twins.
fn descriptor(kind: SymbolKind, name: &str, twin: usize) -> String {
    if kind.is_callable() && kind != SymbolKind::Macro {
        let again = match twin {
            0 => String::new(),
            number => format!("+{number}"),
        };
        return format!("{}({again}).", identifier(name));
    }
    let name = match twin {
        0 => identifier(name),
        number => identifier(&format!("{name}+{number}")),
    };
    match kind {
        SymbolKind::Macro => format!("{name}!"),
        SymbolKind::Module => format!("{name}/"),
        SymbolKind::TypeAlias => format!("{name}#"),
        kind if kind.is_type() => format!("{name}#"),
        _ => format!("{name}."),
    }
}

/// A name as the grammar of SCIP has it: in backticks unless it is plain.
fn identifier(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+-$".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}
