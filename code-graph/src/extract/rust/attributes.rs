//! Doc comments and attributes, which stand before what they belong to.

use super::Walk;
use crate::facts::{Expr, Flags, NameId, SiteKind, SymbolId};
use std::ops::Range;
use tree_sitter::Node;

/// Attributes that the compiler itself reads: they let nobody else call what they stand on.
const BUILT_IN: &[&str] = &[
    "allow",
    "warn",
    "deny",
    "forbid",
    "expect",
    "cfg",
    "cfg_attr",
    "derive",
    "doc",
    "inline",
    "must_use",
    "non_exhaustive",
    "repr",
    "cold",
    "track_caller",
    "deprecated",
    "rustfmt::skip",
    "default",
    "automatically_derived",
    "path",
    "ignore",
    "should_panic",
];

/// One attribute.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute<'t> {
    /// Its path as written.
    path: &'t str,
    /// What stands after the path, brackets or equals sign included.
    rest: &'t str,
    /// First byte of the path, and its 0-based row.
    at: usize,
    row: usize,
    /// First byte of `rest`.
    rest_at: usize,
}

/// What was read and belongs to the next declaration.
#[derive(Debug, Default)]
pub(super) struct Pending<'t> {
    docs: Vec<&'t str>,
    attributes: Vec<Attribute<'t>>,
    /// Where the first attribute begins: byte and row.
    start: Option<(usize, usize)>,
}

impl<'t> Pending<'t> {
    /// Nothing belongs to what comes next.
    pub(super) fn clear(&mut self) {
        if self.start.is_some() || !self.docs.is_empty() {
            *self = Pending::default();
        }
    }

    /// Takes a comment in when it documents what comes next.
    pub(super) fn comment(&mut self, source: &'t str, bytes: Range<usize>) {
        let text = source.get(bytes).unwrap_or_default();
        if text.starts_with("///") && !text.starts_with("////")
            || text.starts_with("/**") && !text.starts_with("/***") && text.len() > 4
        {
            self.docs.push(text);
        }
    }

    /// Where the declaration begins, attributes included.
    pub(super) fn start(&self) -> Option<(usize, usize)> {
        self.start
    }

    /// The value of `#[path = "…"]`.
    pub(super) fn path(&self) -> Option<&'t str> {
        let path = self.attributes.iter().find(|a| a.path == "path")?;
        let value = path
            .rest
            .trim_start_matches(|c: char| c == '=' || c.is_whitespace());
        value.strip_prefix('"')?.strip_suffix('"')
    }

    /// Whether one of the attributes has this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.attributes.iter().any(|a| a.path == path)
    }

    /// Whether what comes next is compiled for tests only.
    pub(super) fn test_only(&self) -> bool {
        self.attributes.iter().any(is_cfg_test)
    }

    /// What the attributes say of a declaration.
    pub(super) fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        for attribute in &self.attributes {
            let last = attribute.path.rsplit("::").next().unwrap_or_default();
            match last {
                "test" | "bench" | "test_case" | "rstest" | "proptest" | "quickcheck" => {
                    flags.set(Flags::TEST);
                    flags.set(Flags::TEST_CODE);
                }
                "deprecated" => flags.set(Flags::DEPRECATED),
                "macro_export" => flags.set(Flags::EXPORTED),
                "no_mangle"
                | "export_name"
                | "panic_handler"
                | "global_allocator"
                | "main"
                | "proc_macro"
                | "proc_macro_derive"
                | "proc_macro_attribute" => {
                    flags.set(Flags::ENTRY);
                }
                _ => {}
            }
            if is_cfg_test(attribute) {
                flags.set(Flags::TEST_CODE);
            }
            if !BUILT_IN.contains(&attribute.path) {
                flags.set(Flags::DECORATED);
            }
        }
        flags
    }

    /// The first paragraph of the documentation.
    fn paragraph(&self) -> Option<String> {
        let mut paragraph = String::new();
        for doc in &self.docs {
            let body = doc
                .strip_prefix("/**")
                .map_or(*doc, |rest| rest.trim_end_matches("*/"));
            for line in body.lines() {
                let line = line.trim();
                let line = line
                    .strip_prefix("///")
                    .or(line.strip_prefix('*'))
                    .unwrap_or(line);
                let line = line.trim();
                if line.is_empty() {
                    if paragraph.is_empty() {
                        continue;
                    }
                    return Some(paragraph);
                }
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line);
            }
        }
        Some(paragraph).filter(|paragraph| !paragraph.is_empty())
    }
}

/// Whether an attribute is a `cfg` that holds in tests only.
fn is_cfg_test(attribute: &Attribute<'_>) -> bool {
    let condition: String = attribute
        .rest
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    attribute.path == "cfg" && (condition == "(test)" || condition.starts_with("(all(test,"))
}

impl<'t> Walk<'_, 't> {
    /// Takes in an attribute of what comes next.
    pub(super) fn attribute(&mut self, node: Node<'_>) {
        let start = (self.bytes(node).start, self.row(node));
        self.pending.start.get_or_insert(start);
        if let Some(attribute) = self.read_attribute(node) {
            self.pending.attributes.push(attribute);
        }
    }

    /// An attribute of what stands around it.
    pub(super) fn inner_attribute(&mut self, node: Node<'_>) {
        if self.read_attribute(node).as_ref().is_some_and(is_cfg_test) {
            self.state.test_code = true;
        }
    }

    fn read_attribute(&self, node: Node<'_>) -> Option<Attribute<'t>> {
        let attribute = node.named_child(0)?;
        let path = attribute.named_child(0)?;
        let (whole, name) = (self.bytes(attribute), self.bytes(path));
        let rest = self.b.source().get(name.end..whole.end)?;
        Some(Attribute {
            path: self.text(path),
            rest,
            at: name.start,
            row: self.row(path),
            rest_at: name.end,
        })
    }

    /// The documentation of what comes next, as a name.
    pub(super) fn take_doc(&mut self) -> Option<NameId> {
        let paragraph = self.pending.paragraph()?;
        Some(self.b.line_of(&paragraph))
    }

    /// Notes the attributes and derives of `symbol` as decorators, and forgets all that was pending.
    pub(super) fn decorate(&mut self, symbol: SymbolId) {
        let pending = std::mem::take(&mut self.pending);
        for attribute in &pending.attributes {
            if attribute.path == "derive" {
                self.derives(symbol, attribute);
            } else if !BUILT_IN.contains(&attribute.path) {
                self.decorator(symbol, attribute.path, attribute.at, attribute.row);
            }
        }
    }

    fn derives(&mut self, symbol: SymbolId, attribute: &Attribute<'t>) {
        let list = attribute.rest.trim_start_matches('(').trim_end_matches(')');
        for part in list.split(',') {
            let path = part.trim();
            if path.is_empty() || !path.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                continue;
            }
            // Where the part stands, by its address in the text around it.
            let offset = path.as_ptr() as usize - attribute.rest.as_ptr() as usize;
            let before = attribute.rest.get(..offset).unwrap_or_default();
            let row = attribute.row + before.matches('\n').count();
            self.decorator(symbol, path, attribute.rest_at + offset, row);
        }
    }

    fn decorator(&mut self, symbol: SymbolId, path: &str, at: usize, row: usize) {
        let mut what = None;
        let mut last = 0;
        for segment in path.split("::") {
            let name = self.b.name(segment.trim());
            let expr = match what {
                None => Expr::Name(name),
                Some(before) => {
                    last = path.len() - segment.len();
                    Expr::Path(before, name)
                }
            };
            what = Some(self.b.expr(expr));
        }
        let Some(what) = what else { return };
        self.b.facts.sites.push(crate::facts::Site {
            kind: SiteKind::Decorator,
            owner: Some(symbol),
            scope: self.state.scope,
            what,
            at: (at + last) as u32,
            row: row as u32,
            args: crate::facts::List::default(),
        });
    }
}
